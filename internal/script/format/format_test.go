package format

import (
	"io/fs"
	"strings"
	"testing"

	"astrolabe/internal/script"
	"astrolabe/scripts"
)

func TestTheLayoutIsStable(t *testing.T) {
	r := script.NewReader(nil)
	s := r.Text("x.star", []byte("x = {'a':1,\n'b':2}\ndef f( a,b=3 ):\n  return a+b # sum\n"))
	once, err := Source(s)
	if err != nil {
		t.Fatal(err)
	}
	want := "x = {\n    \"a\": 1,\n    \"b\": 2,\n}\n\ndef f(a, b = 3):\n    return a + b  # sum\n"
	if string(once) != want {
		t.Errorf("got\n%s", once)
	}
	twice, err := Source(r.Text("x.star", once))
	if err != nil || string(twice) != string(once) {
		t.Errorf("again: %v\n%s", err, twice)
	}
	if d := Diff(s, once); !strings.Contains(d, "-x = {'a':1,") || !strings.Contains(d, "+x = {") {
		t.Error(d)
	}
}

func TestWhatIsNoStarlarkIsAnErrorWithItsLine(t *testing.T) {
	for _, text := range []string{"x = 1\ny = = 2\n", "while True:\n    pass\nx = \n", strings.Repeat("[", 2000)} {
		out, err := Source(script.NewReader(nil).Text("x.star", []byte(text)))
		if err == nil || !strings.Contains(err.Error(), "x.star:") {
			t.Errorf("%.20q: %q, %v", text, out, err)
		}
	}
}

func FuzzWhatIsLaidOutParsesAndStays(f *testing.F) {
	fs.WalkDir(scripts.Library, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := fs.ReadFile(scripts.Library, path)
			f.Add(string(text))
		}
		return nil
	})
	f.Add("x = [1, # c\n]\nload('a', 'b', c='d')\nlambda: (yield_)\n")
	r := script.NewReader(nil)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<15 {
			return
		}
		s := r.Text("x.star", []byte(text))
		out, err := Source(s)
		if err != nil {
			return
		}
		if _, err := r.Text("x.star", out).Parse(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
