package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"github.com/google/go-cmp/cmp"
)

func TestCompletion(t *testing.T) {
	s, _, talk := testSession(t)
	if err := s.RunText(t.Context(), "<stdin>",
		"counters = {'Cycles': box, 'Cycles/s': 2, 'Idle': 3}\nrows = [counters]\ndef scale(factor, offset=0, *rest, **more):\n  pass\n"); err != nil {
		t.Fatalf("%v %s", err, talk)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run1.arrow", "run.star"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, line string
		want       []string
	}{
		{"a name", "x = cou", []string{"counters"}},
		{"a keyword", "lamb", []string{"lambda"}},
		{"an attribute", "box.", []string{"open", "size"}},
		{"an attribute with a beginning", "y = [box.si", []string{"size"}},
		{"an attribute behind literal indexes", `rows[0]["Cycles"].o`, []string{"open"}},
		{"a call is never made", "box.open().", nil},
		{"a key", `counters["Cy`, []string{"Cycles", "Cycles/s"}},
		{"a part of a key", `counters["dle`, []string{"Idle"}},
		{"a key in another case", `counters["cyc`, []string{"Cycles", "Cycles/s"}},
		{"words of a key in any order", `rows[0]["s cyc`, []string{"Cycles", "Cycles/s"}},
		{"words of the language behind names", "x = i", []string{"int", "if", "in"}},
		{"parameters before names", "scale(o", []string{"offset=", "ord", "or"}},
		{"a part of a name", "x = unter", []string{"counters"}},
		{"a key in single quotes", `counters['I`, []string{"Idle"}},
		{"a key behind a complete string", `x = "a[" + counters["I`, []string{"Idle"}},
		{"a keyword argument", "scale(1, off", []string{"offset="}},
		{"a file", `capture.open("run`, []string{"run.star", "run1.arrow", "runs/"}},
		{"a script of load, and no other file", `load("run`, []string{"run.star", "runs/"}},
		{"a module of the library", `load("@astrolabe//tri`, []string{"@astrolabe//triage/cpu.star"}},
		{"a command", ":he", []string{"help"}},
		{"a file of a command", ":load runs", []string{"runs/"}},
		{"the statement of a command", ":time box.si", []string{"size"}},
		{"nothing in a comment", "x # cou", nil},
		{"nothing for an unknown name", "nothing.x", nil},
		{"indentation on an empty line", "  ", []string{"      "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := s.complete(c.line, len(c.line))
			got, n := found.words, found.replaced
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n > len(c.line) {
				t.Errorf("replaces %d of %d bytes", n, len(c.line))
			}
		})
	}
}

func TestCandidatesAreListedAndCounted(t *testing.T) {
	var words []string
	for i := range 300 {
		words = append(words, "counter_"+itoa(i))
	}
	list := columns(words, 80)
	if !slices.Contains(splitLines(list), "… and 180 more: type another letter") {
		t.Errorf("the rest is not counted:\n%s", list)
	}
	for _, l := range splitLines(list) {
		if len([]rune(l)) >= 80 {
			t.Errorf("line of %d cells", len([]rune(l)))
		}
	}
	if got := columns([]string{"a word wider than the screen"}, 5); got != "a word wider than the screen\n" {
		t.Errorf("a name was cut: %q", got)
	}
}

func splitLines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

func TestExtensionIsSharedByAllCandidates(t *testing.T) {
	for _, c := range []struct {
		words []string
		typed string
		want  string
	}{
		{[]string{"resample"}, "re", "sample"},
		{[]string{"region", "regions"}, "re", "gion"},
		{[]string{"é1", "è1"}, "", ""},
	} {
		if got, _ := extension(c.words, c.typed); got != c.want {
			t.Errorf("%q after %q: %q, want %q", c.words, c.typed, got, c.want)
		}
	}
}

func TestNamesThatATerminalObeysAreNotCompleted(t *testing.T) {
	s := NewSession(Config{Predeclared: starlark.StringDict{}})
	d := starlark.NewDict(3)
	for _, name := range []string{"good", "e\x1b[31mvil", "e\u202evil", "e\u009bvil"} {
		if err := d.SetKey(starlark.String(name), starlark.None); err != nil {
			t.Fatal(err)
		}
	}
	s.names["d"] = d
	if got := s.complete(`d["`, 3); len(got.words) != 1 || got.words[0] != "good" {
		t.Errorf("completions: %q", got.words)
	}
	if got := columns([]string{"\x1b[31mred"}, 80); got != `\x1b[31mred`+"\n" {
		t.Errorf("listed: %q", got)
	}
}
