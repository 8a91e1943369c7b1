package docs

import (
	"strings"
	"testing"

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
