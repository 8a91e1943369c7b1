package docs

import (
	"strings"
	"testing"
	"testing/fstest"

	"astrolabe/internal/script"
)

func TestDefaultsAndDocstringsStandAsInTheFile(t *testing.T) {
	s := script.NewReader(nil).Text("x.star",
		[]byte("def f(a, b = [1,\n    2], *, c = \"é|\", **k):\n    '''One.\n\n      more\n    '''\n"))
	got, err := Markdown(s)
	if err != nil {
		t.Fatal(err)
	}
	want := "### `f(a, b=[1, 2], *, c=\"é|\", **k)`\n\nOne.\n\n  more\n"
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s", got)
	}
}

// A script that is divided into files has the flags of all of them.
func TestFlagsOfPartsStandInThePage(t *testing.T) {
	library := fstest.MapFS{
		"triage/x.star":         {Data: []byte("load(\"@astrolabe//triage/x/rules.star\", \"R\")\nown = flags(own = (1, \"its own\"))\n")},
		"triage/x/rules.star":   {Data: []byte("load(\"@astrolabe//triage/x/flags.star\", \"t\")\nload(\"@astrolabe//lib/y.star\", \"y\")\nR = []\n")},
		"triage/x/flags.star":   {Data: []byte("t = flags(busy = (85.0, \"above this\"))\n")},
		"triage/x/nothing.star": {Data: []byte("u = flags(unused = (1, \"nobody loads it\"))\n")},
		"lib/y.star":            {Data: []byte("y = flags(shared = (1, \"of all\"))\n")},
	}
	r := script.NewReader(library)
	s, err := r.File("@astrolabe//triage/x.star")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Markdown(s, r.Parts(s)...)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got, "| `--own` |") || !strings.Contains(got, "| `--busy` |") || strings.Contains(got, "--unused") ||
		strings.Contains(got, "--shared") {
		t.Errorf("got\n%s", got)
	}
}

func FuzzDocumentationOfEveryText(f *testing.F) {
	f.Add(
		"\"\"\"Doc.\"\"\"\nx = flags(a = (1, \"h\" + \"i\"), b = [-1, None], c = f(), **d)\ndef g(a, b = {1:\n2}, *args, **kw):\n  \"\"\"\n  x\n \"\"\"\n")
	f.Add("def f(*, a): pass\nflags(a.b == 1, (2))\n")
	r := script.NewReader(nil)
	f.Fuzz(func(t *testing.T, text string) {
		if out, err := Markdown(r.Text("x.star", []byte(text))); err == nil && !strings.HasPrefix(out, "# ") {
			t.Error(out)
		}
	})
}
