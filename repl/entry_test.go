package repl

import (
	"strings"
	"testing"

	"go.starlark.net/syntax"
)

// typed feeds lines as a person types them and returns how many it took to complete the entry, 0 if it never did.
func typed(lines ...string) int {
	var e entry
	for i, l := range lines {
		e.add(l)
		if e.typedDone(l) {
			return i + 1
		}
	}
	return 0
}

func TestTypedEntryEndsWhereAPersonExpects(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  int
	}{
		{"a simple statement is one line", []string{"x = 1", "y"}, 1},
		{"an open bracket continues", []string{"f(1,", "  2)", "y"}, 2},
		{"a bracket in a string does not", []string{`x = "("`, "y"}, 1},
		{"a bracket in a comment does not", []string{"x = 1 # (", "y"}, 1},
		{"a triple quote continues over blank lines", []string{`x = """a`, "", `b"""`}, 3},
		{"an escaped quote does not close", []string{`x = """a\"""`, `b"""`}, 2},
		{"a backslash continues", []string{`x = 1 + \`, "2"}, 2},
		{"a block ends with a blank line", []string{"for i in x:", "  y", "", "z"}, 3},
		{"a comment does not end a block", []string{"for i in x:", "  # why", "  y", ""}, 4},
		{"a one-line if waits for its else", []string{"if x: y", "else: z", ""}, 3},
		{"a blank line inside brackets of a block does not end it", []string{"def f():", "  return [", "", "  ]", ""},
			5},
		{"a name that begins like a keyword is no block", []string{"form = 1"}, 1},
		{"an unclosed quote ends at its line", []string{`x = "abc`, "y"}, 1},
		{"an unclosed quote inside a bracket ends at its line", []string{`f("abc`, "y)"}, 1},
		{"an unclosed quote in a later line of a bracket ends there", []string{"x = [1,", "'abc", "]"}, 2},
		{"an unclosed quote in a block ends it", []string{"def f():", "  x = 'abc", "  y", ""}, 2},
		{"an escaped line end continues a string in a bracket", []string{`f("abc\`, `def")`, "y"}, 2},
		{"a quote in a comment inside a bracket is none", []string{"f( # don't", "1)", "y"}, 2},
		{"a closing bracket too many ends", []string{"x)"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := typed(c.lines...); got != c.want {
				t.Errorf("%q: done after %d lines, want %d", c.lines, got, c.want)
			}
		})
	}
}

func TestDedentKeepsWhatIsNotShared(t *testing.T) {
	got := dedent("    for x in y:\n\n        print(x)\n    z")
	if want := "for x in y:\n\n    print(x)\nz"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := dedent("a\n  b"); got != "a\n  b" {
		t.Errorf("got %q", got)
	}
}

// splitScript cuts a script as RunReader does.
func splitScript(src string) []string {
	var out []string
	var e entry
	flush := func() {
		if e.lines > 0 {
			out = append(out, e.text.String())
		}
		e = entry{}
	}
	for _, line := range strings.Split(strings.TrimSuffix(src, "\n"), "\n") {
		if e.endsBefore(line) {
			flush()
		}
		e.add(line)
		if e.begun && !e.compound && !e.open() {
			flush()
		}
	}
	flush()
	return out
}

func TestScriptIsCutBetweenStatements(t *testing.T) {
	src :=
		"x = 1\n\ndef f():\n    a = 1\n\n    # deep\n# shallow\n    return a\nif x:\n  y = 2\n\nelif y:\n  z = 3\nelse:\n  w = 4\nf(\n\n1)\n"
	got := splitScript(src)
	want := []string{"x = 1\n", "\ndef f():\n    a = 1\n\n    # deep\n# shallow\n    return a\n",
		"if x:\n  y = 2\n\nelif y:\n  z = 3\nelse:\n  w = 4\n", "f(\n\n1)\n"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// FuzzEntry checks that cutting a script loses nothing, and that a script which is valid as a whole is valid piece by
// piece.
func FuzzEntry(f *testing.F) {
	for _, s := range []string{"x = 1\ny = [\n1]\n", "def f():\n  '''a\n\nb'''\n\n  return 1\nf()\n",
		"if 1:\n  a=1\nelse:\n  b=2\n", "x = 'a\\\nb'\n", "\\\nx", "r'\\'\n'"} {
		f.Add(s)
	}
	opts := dialect()
	f.Fuzz(func(t *testing.T, src string) {
		if strings.ContainsAny(src, "\r\x00") || len(src) > 1<<12 {
			return
		}
		pieces := splitScript(src)
		if got := strings.TrimSuffix(strings.Join(pieces, ""), "\n"); got != strings.TrimSuffix(src, "\n") {
			t.Fatalf("pieces %q do not make %q", pieces, src)
		}
		if _, err := opts.Parse("a", src, 0); err != nil {
			return
		}
		for _, p := range pieces {
			if _, err := opts.Parse("a", p, syntax.RetainComments); err != nil {
				t.Fatalf("piece %q of the valid script %q: %v", p, src, err)
			}
		}
		contextOf(src)
		dedent(src)
	})
}
