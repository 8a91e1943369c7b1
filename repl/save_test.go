package repl

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
)

func TestSavedScriptHoldsWhatSucceeded(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"comments and functions", "# the start\nx = 1\ndef f():\n  return x # why\n\ny = f(); z = 2\n",
			"# the start\nx = 1\ndef f():\n  return x # why\ny = f()\nz = 2\n"},
		{"what failed is left out", "x = 1\ny = 3; bad = x.nothing\n", "x = 1\ny = 3\n"},
		{"values are printed", "x = [1]\nx\n'a'  # text\nNone\nx.append(2)\n1, 2\n",
			"x = [1]\nprint(x)\nprint(repr('a'))  # text\nNone\nx.append(2)\nprint((1, 2))\n"},
		{"the last value", "20\n_ + 1\n", "_ = 20\nprint(_)\nprint(_ + 1)\n"},
		{"a name bound again", "x = 1\nx = '''a\nb'''\nfor i in [1]:\n  x += str(i)\n",
			"def main():\n    x = 1\n    x = '''a\nb'''\n    for i in [1]:\n      x += str(i)\n\nmain()\n"},
		{"a builtin bound again", "n = len('a')\nlen = 3\n",
			"# This session gave names that astrolabe has, or that it loaded, another meaning, which no script may.\n# Run it as a session: astrolabe < FILE\nn = len('a')\nlen = 3\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, _ := testSession(t)
			for _, line := range splitScript(c.in) {
				s.RunText(t.Context(), "<stdin>", line)
			}
			path := filepath.Join(t.TempDir(), "s.star")
			if err := s.saveScript(path); err != nil {
				t.Fatal(err)
			}
			got, _ := os.ReadFile(path)
			if c.name == "a builtin bound again" { // it is a valid script: only a function would change its meaning
				c.want = "n = len('a')\nlen = 3\n"
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err := s.saveScript(path); err == nil {
				t.Error("a file that exists was written over")
			}
		})
	}
}

// runScript runs a saved script as astrolabe run does and returns what it prints.
func runScript(t *testing.T, s *Session, text string) string {
	t.Helper()
	var out strings.Builder
	thread := &starlark.Thread{Load: s.cfg.Load, Print: func(_ *starlark.Thread, msg string) {
		out.WriteString(msg + "\n")
	}}
	opts := &syntax.FileOptions{Set: true, TopLevelControl: true}
	if _, err := starlark.ExecFileOptions(opts, thread, "saved.star", text, s.cfg.Predeclared); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out.String()
}

func TestSavedScriptReplaysToTheSameOutput(t *testing.T) {
	for _, in := range []string{
		"1 + 1\n'two'\nNone\n[3, 'x']\nprint('p')\n",
		"x = 1\nx\nx = x + 1\nx\nx += 5; x\n'ü'; _ * 2\n",
		"n = 0\nfor i in range(4):\n  if i % 2:\n    n += i\n\n  n\nn\nfor i in range(2):\n  n -= i\nn\n",
		"y = 0\ndef f():\n  '''doc\n  string'''\n  return y\ny = 1\nf()\ny = 2\nf()\n",
		"load('x.star', 'loaded')\nloaded + 1\na = loaded\na = a * 2\na\n",
		"(1,\n 2)\n1, 2\n{'a': 1}['a']  # why\n[_ for _ in [7]]\nf = lambda _: _ + 1\nf(1)\n",
		"x = 5\n_ = 9\n_\n_ + x\n_ + x\n",
		"s = 'a\\\nb'\ns\ns = s + \"\"\"\n  c\n\"\"\"\ns\n",
		"if True:\n  'not printed'\n\nq = 1\nif q:\n  q = 2\nelse:\n  q = 3\nq\n",
	} {
		s, out, talk := testSession(t)
		if err := s.RunText(t.Context(), "<stdin>", in); err != nil {
			t.Fatalf("%q: %v\n%s", in, err, talk)
		}
		script := s.script(".")
		if got := runScript(t, s, script); got != out.String() {
			t.Errorf("%q printed %q; the script\n%s\nprints %q", in, out, script, got)
		}
	}
}

func TestSavedScriptLoadsFromItsOwnFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s, _, _ := testSession(t)
	if err := s.RunText(t.Context(), "<stdin>",
		"load('lib/x.star', 'loaded')\nload('@astrolabe//triage/cpu.star', other='loaded')\n"); err != nil {
		t.Fatal(err)
	}
	got := s.script(filepath.Join(dir, "scripts"))
	if want := "load(\"../lib/x.star\", 'loaded')\nload('@astrolabe//triage/cpu.star', other='loaded')\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzSavedScript checks that whatever a session ran is saved as something that a session can run again.
func FuzzSavedScript(f *testing.F) {
	f.Add("x = 1; x\nx = 2 # a\n'''b\n'''\n_\n1,\n")
	f.Add("def f():\n  return 1\nf(); f()\n# end\n")
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) > 1<<10 || strings.ContainsAny(in, "\r\x00") || strings.Contains(in, "range") {
			return
		}
		var out, talk strings.Builder
		s := NewSession(Config{Out: &out, Talk: &talk, MaxSteps: 10000})
		ctx := context.Background()
		if s.Eval(ctx, "a", 1, in) != nil || len(s.done) == 0 {
			return
		}
		text := s.script(".")
		again := NewSession(Config{Out: io.Discard, Talk: io.Discard, MaxSteps: 20000})
		if err := again.Eval(ctx, "b", 1, text); err != nil {
			t.Fatalf("%q was saved as %q: %v", in, text, err)
		}
	})
}

func TestTranscriptHoldsInputOutputTablesAndPictures(t *testing.T) {
	dir := t.TempDir()
	var out, talk strings.Builder
	env := &binding.Env{Warn: func(string) {}, Show: func(p binding.Picture) (string, error) {
		return "", p.PNG(io.Discard)
	}}
	predeclared := builtins.Predeclared(env)
	s := NewSession(Config{Predeclared: predeclared, Env: env, Out: &out, Talk: &talk, Version: "1.2.3"})
	if err := s.RunText(t.Context(), "<stdin>",
		"x = 1\nfor i in [1]:\n  print('```')\ntable.new({'a': [1, 2]})\nplot.bar({'a': 1}).show(width=200, height=150)\n"); err != nil {
		t.Fatalf("%v %s", err, &talk)
	}
	env.Wrote(filepath.Join(dir, "pic (1).svg"))
	s.RunText(t.Context(), "<stdin>", "x.nothing\n")
	path := filepath.Join(dir, "bug.md")
	if err := s.RunText(t.Context(), "<stdin>", ":save "+path+"\n"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := string(data)
	for _, want := range []string{
		"# Session of astrolabe 1.2.3\n", "```python\n>>> x = 1\n```\n", "````\n```\n````\n",
		">>> for i in [1]:\n...   print('```')\n",
		"| a |\n| ---: |\n| 1 |\n| 2 |\n", "![bug-1.png](bug-1.png)\n", "![pic (1).svg](<pic (1).svg>)\n",
		"error: int has no .nothing field or method",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if png, err := os.ReadFile(filepath.Join(dir, "bug-1.png")); err != nil ||
		!strings.HasPrefix(string(png), "\x89PNG") {
		t.Errorf("picture: %v", err)
	}
	if err := s.RunText(t.Context(), "<stdin>", ":save "+path+"\n"); err == nil {
		t.Error("a transcript was written over")
	}
}

func TestTranscriptIsBoundedAndSaysWhatItLeftOut(t *testing.T) {
	s, _, _ := testSession(t)
	s.RunText(t.Context(), "<stdin>", "print('x' * 600000)\n")
	for range 140 {
		s.RunText(t.Context(), "<stdin>", "print('y' * 600000)\n")
	}
	if s.log.text > logText+logEntryText {
		t.Errorf("%d bytes are kept", s.log.text)
	}
	path := filepath.Join(t.TempDir(), "t.md")
	if _, err := s.saveTranscript(path); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	if !strings.Contains(string(data), "more bytes of output were not kept") {
		t.Error("nothing says that output was left out")
	}
}
