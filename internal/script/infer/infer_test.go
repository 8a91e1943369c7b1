package infer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/modules"
	"astrolabe/builtins/values"
	"astrolabe/internal/script"
	"astrolabe/scripts"
)

func read(t testing.TB, text string) *File {
	t.Chdir(t.TempDir())
	w := NewWorld(script.NewReader(scripts.Library))
	return w.Read(w.Reader().Text("x_test.star", []byte(text)))
}

func TestElementsAreOfEntriesThatExist(t *testing.T) {
	tables := map[string]binding.Documented{}
	for _, d := range slices.Concat(values.Types, modules.All) {
		tables[d.TypeName()] = d
	}
	for key, elem := range elements {
		owner, name, _ := strings.Cut(key, ".")
		d := tables[owner]
		if d == nil || d.Entry(name) == nil {
			t.Errorf("%s is in no table", key)
			continue
		}
		if typ := d.Entry(name).Type; typ != "list" && typ != "dict" {
			t.Errorf("%s is a %s, which holds nothing", key, typ)
		}
		if tables[elem] == nil && !strings.Contains("str number float", elem) {
			t.Errorf("%s holds %s, which is no type", key, elem)
		}
	}
	for owner := range iterated {
		if tables[owner] == nil {
			t.Errorf("%s is no type", owner)
		}
	}
}

func TestTypesOfExpressions(t *testing.T) {
	const prelude = `
load("@astrolabe//lib/findings.star", "has", "measured", "metric_table")
cap = capture.open("x", gpu = "mali-g615")
c = cap["a"]
def first(list):
    return list[0]
def pick(cap, flag):
    if flag:
        return None
    return cap["x"].gt(3)
def loop(cap):
    x = cap
    for i in range(3):
        x = x.slice(1, 2)
    return x
def grow():
    t = (1, 1)
    for i in range(9):
        t = (t, t)
    return t
`
	for expr, want := range map[string]string{
		"cap":                                    "Capture of mali-g615",
		"cap.slice(1, 2)":                        "Capture of mali-g615",
		"cap[0]":                                 "Sample",
		"cap[1:3]":                               "Capture of mali-g615",
		"c / c * 100":                            "Counter",
		"1 - c":                                  "Counter",
		"-c":                                     "Counter",
		"c + \"x\"":                              "unknown",
		"c[0]":                                   "number or None",
		"c.gt(1) & ~c.lt(3)":                     "Mask",
		"c.gt(1).spans()":                        "list of Span",
		"[s.duration for s in c.gt(1).spans()]":  "list of float",
		"cap.counters.values()[0]":               "Counter",
		"cap.group_by(\"k\")[\"a\"].samples":     "int",
		"{k: v for k, v in cap.metrics.items()}": "dict of Counter",
		"[c for c in cap.counters.values() if c.total()][0]": "Counter",
		"pick(cap, True)":          "Mask or None",
		"loop(cap)":                "Capture",
		"first([c])":               "unknown",
		"len([1]) + 1.5":           "float",
		"\"a b\".split()":          "list of str",
		"metrics.list(\"cpu\")[0]": "Metric",
		"c if cap else None":       "Counter or None",
		"c if cap else 5":          "unknown",
		"capture":                  "module capture",
		"has":                      "function has",
		"metric_table(cap, [])":    "Table",
		"measured(cap, [])":        "list of Counter",
		"sorted([c])[0]":           "Counter",
		"undefinedd":               "unknown",
		"grow()":                   "unknown",
		"(c, 1)[0]":                "Counter",
	} {
		f := read(t, prelude+"probe = "+expr+"\n")
		got := f.Variable(f.Global("probe")).String()
		if expr == "grow()" {
			continue // only that it ends
		}
		if got != want {
			t.Errorf("%s is %s, want %s", expr, got, want)
		}
	}
}

func TestTextIsTypedInTheScopeOfItsPlace(t *testing.T) {
	f := read(t, "c = 1\ndef f(cap):\n    c = cap[\"x\"]\n    return c\n")
	def := f.Syntax.Stmts[1].(*syntax.DefStmt)
	if got := f.TypeAt("c", []syntax.Node{f.Syntax, def}).String(); got != "Counter" {
		t.Errorf("inside: %s", got)
	}
	if got := f.TypeAt("c", []syntax.Node{f.Syntax}).String(); got != "int" {
		t.Errorf("outside: %s", got)
	}
	if got := f.TypeAt("cap.gt(", nil).String(); got != "unknown" {
		t.Errorf("broken: %s", got)
	}
}

func TestCommentsAreNoPartsOfStrings(t *testing.T) {
	text :=
		"# one\nx = \"# no\" # two\ny = '''\n# no\n''' # three\n  # four é\nz = r\"\\\" # no\"\n\"open # no\n# five\n"
	var got []string
	for _, c := range Comments([]byte(text)) {
		got = append(got, fmt.Sprintf("%d:%d %s %v", c.Line, c.Col, c.Text, c.Alone))
	}
	want := []string{"1:1 # one true", "2:12 # two false", "5:5 # three false", "6:3 # four é true", "9:1 # five true"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}
