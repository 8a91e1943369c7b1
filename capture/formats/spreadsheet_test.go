package formats

import "testing"

func TestTextsThatSpreadsheetsTakeForFormulasAreMarked(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "+x": "'+x", "-x": "'-x", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"\n=1": "'\n=1", "＝1": "'＝1",
		"'=1": "''=1", "''-": "'''-", "'": "'", "'x": "'x", "": "", "a=1": "a=1", "日本": "日本", " =1": " =1",
	} {
		got := MarkText(in)
		if got != want {
			t.Errorf("MarkText(%q) = %q, want %q", in, got, want)
		}
		if back := UnmarkText(got); back != in {
			t.Errorf("%q comes back as %q", in, back)
		}
	}
	if got := UnmarkText("'quoted'"); got != "'quoted'" {
		t.Errorf("an apostrophe that is no mark: %q", got)
	}
}

func FuzzMarkText(f *testing.F) {
	f.Add("=x")
	f.Add("'''+\xff")
	f.Fuzz(func(t *testing.T, s string) {
		if got := UnmarkText(MarkText(s)); got != s {
			t.Errorf("%q comes back as %q", s, got)
		}
		if formulaBegins(MarkText(s)) {
			t.Errorf("%q is written as %q", s, MarkText(s))
		}
	})
}
