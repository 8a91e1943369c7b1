package repl

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// testSession returns a session over a few plain values and what it wrote.
func testSession(t *testing.T) (s *Session, out, talk *strings.Builder) {
	t.Helper()
	out, talk = new(strings.Builder), new(strings.Builder)
	box := starlarkstruct.FromStringDict(starlark.String("box"), starlark.StringDict{
		"open": starlark.NewBuiltin("open",
			func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
				return nil, errors.New("no such capture")
			}),
		"size": starlark.MakeInt(3),
	})
	s = NewSession(Config{
		Predeclared: starlark.StringDict{"box": box, "capture": box},
		Load: func(*starlark.Thread, string) (starlark.StringDict, error) {
			return starlark.StringDict{"loaded": starlark.MakeInt(9)}, nil
		},
		Out: out, Talk: talk, Library: fstest.MapFS{"triage/cpu.star": {}, "triage/cpu_test.star": {}},
	})
	return s, out, talk
}

func TestSessionRunsStatementsAsIfTyped(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"values that are not None are printed", "1+1\nNone\nprint('a')\n'b'\n", "2\na\n\"b\"\n"},
		{"underscore is the last result", "20\n_ + 1\n_ + 1\n", "20\n21\n22\n"},
		{"names can be bound again", "x = 1\nx = x + 1\nx += 1\nx\n", "3\n"},
		{"a function sees what is bound later", "x = 1\ndef f():\n  return x\nx = 5\nf()\n", "5\n"},
		{"a function can be defined again", "def f():\n  return 1\ndef g():\n  return f()\ndef f():\n  return 2\ng()\n",
			"2\n"},
		{"loops and conditions work at the top", "n = 0\nfor i in range(4):\n  if i % 2:\n    n += i\nn\n", "4\n"},
		{"unpacking binds every name", "a, (b, [c]) = 1, (2, [3])\nc, b, a\n", "(3, 2, 1)\n"},
		{"load binds for the session",
			"load('x.star', 'loaded', again='loaded')\ndef f():\n  return again\nloaded + f()\n", "18\n"},
		{"builtins can be shadowed", "len = len('abc')\nlen\n", "3\n"},
		{"two statements on one line", "x = 1; x + 1; x + 2\n", "2\n3\n"},
		{"values stay mutable", "l = []\nl.append(1)\ndef f():\n  l.append(2)\nf()\nl\n", "[1, 2]\n"},
		{"commands work too", "x = 4\n:time x\n", "4\n"},
		{"no line end at the end", "7", "7\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, out, talk := testSession(t)
			if err := s.RunText(t.Context(), "<stdin>", c.in); err != nil {
				t.Fatalf("%v\n%s", err, talk)
			}
			if out.String() != c.want {
				t.Errorf("printed %q, want %q", out, c.want)
			}
		})
	}
}

func TestSessionErrorsShowTheLineAndAHint(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a runtime error", "x = 1\n\ndef f(a):\n  return a.y\nf(x)\n",
			"<stdin>:5:2\n    f(x)\n     ^\n<stdin>:4:11 in f\n    return a.y\n            ^\nerror: int has no .y field or method\n"},
		{"an unknown name", "capture\ncaptur\n",
			"<stdin>:2:1\n    captur\n    ^\nerror: undefined: captur (did you mean capture?)\n"},
		{"a syntax error", "x = 1\nx = = 2\n",
			"<stdin>:2:5\n    x = = 2\n        ^\nerror: got '=', want primary expression\n"},
		{"while", "while True:\n  pass\n",
			"<stdin>:1:1\n    while True:\n    ^\nerror: Starlark has no while, so that every script ends: for i in range(1000): … if done: break\n"},
		{"an unknown command", ":hepl\n", "error: no command :hepl (did you mean :help?); :help lists them\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, talk := testSession(t)
			if err := s.RunText(t.Context(), "<stdin>", c.in); err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(c.want, talk.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorKeepsWhatWasBoundBefore(t *testing.T) {
	s, out, _ := testSession(t)
	s.RunText(t.Context(), "<stdin>", "x = 1\nfor y in [5, 6]:\n  x = x // (6 - y)\n")
	s.RunText(t.Context(), "<stdin>", "x, y\n")
	if out.String() != "(1, 6)\n" {
		t.Errorf("printed %q", out)
	}
}

func TestCancelStopsALoopAndKeepsVariables(t *testing.T) {
	s, out, _ := testSession(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.bind("stop", starlark.NewBuiltin("stop",
		func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			cancel()
			return starlark.None, nil
		}))
	// A loop that does not stop would take days.
	if err := s.RunText(ctx, "<stdin>", "x = 3\nfor i in range(1 << 40):\n  x = 4\n  if i == 0:\n    stop()\n"); err ==
		nil {
		t.Fatal("no error")
	}
	if err := s.RunText(t.Context(), "<stdin>", "x\n"); err != nil || out.String() != "4\n" {
		t.Errorf("printed %q, error %v", out, err)
	}
}

func TestLongValuesDoNotFloodTheScreen(t *testing.T) {
	s, out, _ := testSession(t)
	s.printer.short = true
	if err := s.RunText(t.Context(), "<stdin>",
		"list(range(100000))\n{i: [[[[[1]]]]] for i in range(1000)}\n'x' * 100000\n"); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 8000 {
		t.Errorf("printed %d bytes", out.Len())
	}
	for _, want := range []string{"… and 99960 more]", "… and 960 more}", "… and 96000 more bytes", "… 1 items"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %.300q", want, out)
		}
	}
}

func TestDeepTracebackIsCounted(t *testing.T) {
	s, _, talk := testSession(t)
	var src strings.Builder
	src.WriteString("def f0():\n  return None.x\n")
	for i := 1; i < 60; i++ {
		src.WriteString(strings.NewReplacer("I", itoa(i), "J", itoa(i-1)).Replace("def fI():\n  return fJ()\n"))
	}
	src.WriteString("f59()\n")
	s.RunText(t.Context(), "<stdin>", src.String())
	if !strings.Contains(talk.String(), "more frames") || strings.Count(talk.String(), "\n") > 80 {
		t.Errorf("traceback of %d lines", strings.Count(talk.String(), "\n"))
	}
}

func itoa(i int) string { return starlark.MakeInt(i).String() }

func TestValuesArePrintedAsLinesOfJSON(t *testing.T) {
	s, out, _ := testSession(t)
	s.cfg.JSON = true
	if err := s.RunText(t.Context(), "<stdin>", "1\nNone\n'a\\n'\n[1.5, None, {'k': True}]\nlen\n"); err != nil {
		t.Fatal(err)
	}
	if want := "1\n\"a\\n\"\n[1.5,null,{\"k\":true}]\n\"\\u003cbuilt-in function len\\u003e\"\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out, want)
	}
	if err := s.RunText(t.Context(), "<stdin>", "[float('nan')]\n"); err == nil {
		t.Error("a number that JSON does not have was written")
	}
}
