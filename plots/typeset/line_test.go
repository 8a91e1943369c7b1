package typeset

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeberg.org/go-fonts/liberation/liberationmonoregular"
	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"

	"astrolabe/plots/typeset/fonttest"
)

// write puts fonts into a folder of the test.
func write(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func setterOn(places ...string) *Setter {
	return New([]Face{{TTF: liberationsansregular.TTF}, {TTF: liberationsansbold.TTF, Bold: true},
		{TTF: liberationmonoregular.TTF}},
		func() []string { return places })
}

// seen is what a line shows, from left to right: "|" between its runs, the font before those that are shaped.
func seen(l *Line) string {
	var out []string
	for _, r := range l.Runs {
		text := r.Text
		if r.RTL {
			text = "<" + text
		}
		if r.Font != nil {
			name := r.Font.Family
			if r.Font.Path == "" {
				name = "own"
			}
			text = name + ":" + text
		}
		out = append(out, text)
	}
	return strings.Join(out, "|")
}

const han = "日本語漢字"

func TestTextIsSetInTheFirstFontThatHasIt(t *testing.T) {
	dir := write(t, map[string][]byte{
		"NotoSansCJK-Regular.ttf": fonttest.Make("Noto Sans CJK SC", 1000, []rune(han)...),
		"deep/a/Zebra.ttf":        fonttest.Make("Zebra", 900, []rune(han+"ᚠ")...),
		"readme.txt":              []byte("no font"),
		"broken.ttf":              []byte("no font either"),
	})
	s := setterOn(dir)
	l := s.Line(0, "GPU 日本 12 ᚠ")
	if got, want := seen(l), "GPU |Noto Sans CJK SC:日本| 12 |Zebra:ᚠ"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(l.Missing) > 0 {
		t.Errorf("missing %q", l.Missing)
	}
	x := 0.0
	for _, r := range l.Runs {
		if math.Abs(r.X-x) > 1e-9 {
			t.Errorf("%q begins at %g, the one before ends at %g", r.Text, r.X, x)
		}
		x = r.X + r.Width
	}
	if math.Abs(l.Width-x) > 1e-9 {
		t.Errorf("the line is %g wide, its runs end at %g", l.Width, x)
	}
	if f := l.Runs[1].Font; f.Name() != "Noto Sans CJK SC 1.5" || len(f.Hash()) != 64 || len(l.Runs[1].Glyphs) != 2 {
		t.Errorf("font %q, hash %q, %d glyphs", f.Name(), f.Hash(), len(l.Runs[1].Glyphs))
	}
}

func TestWhatNoFontHasIsWrittenAsItsCodePoint(t *testing.T) {
	s := setterOn()
	for text, want := range map[string]string{
		"日本":         "U+65E5 U+672C",
		"a日b":        "a|U+65E5|b",
		"a 日 b":      "a |U+65E5| b",
		"\U0001F680": "U+1F680",
		"مر x":       "U+0645 U+0631| x", // in the order in which it is read, not mirrored
		"x\u202ey":   "x|U+202E|y",
		"\ue000":     "U+E000",
	} {
		l := s.Line(0, text)
		if got := seen(l); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if len(l.Missing) == 0 {
			t.Errorf("%q: nothing is missing", text)
		}
		for i, r := range l.Runs[1:] {
			if before := l.Runs[i]; r.X < before.X+before.Width-1e-9 {
				t.Errorf("%q: %q covers %q", text, r.Text, before.Text)
			}
		}
	}
}

func TestHebrewRunsFromRightToLeft(t *testing.T) {
	s := setterOn() // the compiled-in fonts have Hebrew
	for text, want := range map[string]string{
		"שלום":                    "own:<שלום",
		"GPU שלום 12 GB":          "GPU |12|own:<שלום | GB",
		"שלום (12)":               "own:<)|12|own:<שלום (", // a paragraph that begins with Hebrew
		"\u2068שלום\u2069: 12 GB": "own:<שלום|: 12 GB",     // a name kept apart
	} {
		if got := seen(s.Line(0, text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	// The first letter stands at the right.
	run := s.Line(0, "אב").Runs[0]
	alone := s.Line(0, "א").Runs[0]
	if len(run.Glyphs) != 2 || &run.Glyphs[1].Outline[0] != &alone.Glyphs[0].Outline[0] {
		t.Error("the first letter does not stand at the right")
	}
	// Brackets are mirrored.
	if bracket, other := s.Line(0, "א(").Runs[0], s.Line(0, "א)").Runs[0]; &bracket.Glyphs[0].Outline[0] ==
		&other.Glyphs[0].Outline[0] {
		t.Error("brackets look alike")
	}
}

func TestMarksStandOnTheirLetters(t *testing.T) {
	s := setterOn()
	composed, apart := s.Line(0, "\u00e9x\u0301"), s.Line(0, "e\u0301x\u0301")
	if math.Abs(composed.Width-apart.Width) > 1e-6 {
		t.Errorf("é is %g wide as one character and %g as two", composed.Width, apart.Width)
	}
	for _, r := range apart.Runs {
		for _, g := range r.Glyphs {
			if g.X < -0.01 || g.X > apart.Width {
				t.Errorf("a glyph stands at %g of %g", g.X, apart.Width)
			}
		}
	}
	if len(apart.Missing) > 0 {
		t.Errorf("missing %q", apart.Missing)
	}
}

func TestTheFaceForTheLanguageIsTaken(t *testing.T) {
	dir := write(t, map[string][]byte{"NotoSansCJK-Regular.ttc": fonttest.Collection(
		fonttest.Make("Noto Sans Mono CJK JP", 500, []rune(han+"のア가ㄅ")...),
		fonttest.Make("Noto Sans CJK JP", 1000, []rune(han+"のア가ㄅ")...),
		fonttest.Make("Noto Sans CJK KR", 1000, []rune(han+"のア가ㄅ")...),
		fonttest.Make("Noto Sans CJK SC", 1000, []rune(han+"のア가ㄅ")...),
		fonttest.Make("Noto Sans CJK TC", 1000, []rune(han+"のア가ㄅ")...))})
	for text, want := range map[string]string{"漢字": "Noto Sans CJK SC:漢字", "漢字の": "Noto Sans CJK JP:漢字の",
		"漢字가": "Noto Sans CJK KR:漢字|Noto Sans CJK KR:가", "漢ㄅ": "Noto Sans CJK TC:漢ㄅ"} {
		if got := seen(setterOn(dir).Line(0, text)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestTheChoiceDoesNotDependOnWhatWasSetBefore(t *testing.T) {
	dir := write(t, map[string][]byte{
		"a.ttf": fonttest.Make("A", 1000, '日'), "b.ttf": fonttest.Make("B", 1000, '日', '本'),
		"c.ttf": fonttest.Make("C", 1000, '本', '語')})
	texts := []string{"日", "本", "語", "日本語", "語本日"}
	var first []string
	for _, text := range texts {
		first = append(first, seen(setterOn(dir).Line(0, text)))
	}
	s := setterOn(dir)
	for i, text := range slices.Backward(texts) {
		if got := seen(s.Line(0, text)); got != first[i] {
			t.Errorf("%s: %s, and %s by itself", text, got, first[i])
		}
	}
}

func TestBoldTextTakesTheBoldFontOfTheFamily(t *testing.T) {
	dir := write(t, map[string][]byte{"X-Regular.ttf": fonttest.Make("X", 1000, '日'),
		"X-Bold.ttf": fonttest.Make("X Bold", 1000, '日')})
	s := setterOn(dir)
	if got := seen(s.Line(0, "日")) + " " + seen(s.Line(1, "日")); got != "X:日 X Bold:日" {
		t.Error(got)
	}
}

func TestFontsMadeForAScriptComeFirst(t *testing.T) {
	var files []*fontFile
	for _, name := range []string{"Arial.ttf", "DejaVuSans.ttf", "LastResort.otf", "NotoSansGeorgian-Bold.ttf",
		"NotoSansGeorgian-Regular.ttf", "NotoSerifGeorgian-Regular.ttf", "unifont.otf", "Zebra.ttf"} {
		files = append(files, &fontFile{path: name, name: plainName(name)})
	}
	key, part := wishList('ა', "zh")
	var got []string
	for _, f := range ranked(files, key, part) {
		got = append(got, f.path)
	}
	want := []string{"NotoSansGeorgian-Regular.ttf", "NotoSansGeorgian-Bold.ttf", "NotoSerifGeorgian-Regular.ttf",
		"DejaVuSans.ttf", "Arial.ttf", "Zebra.ttf", "unifont.otf"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestNothingIsSearchedForTextOfTheCompiledInFonts(t *testing.T) {
	s := New([]Face{{TTF: liberationsansregular.TTF}}, func() []string { t.Error("fonts are searched"); return nil })
	for _, text := range []string{"", "GPU busy", "Größe Ω Привет é", "שלום", "e\u0301", "a\u200db"} {
		if l := s.Line(0, text); len(l.Missing) > 0 {
			t.Errorf("%q: missing %q", text, l.Missing)
		}
	}
}

func TestEachSystemKeepsItsFontsSomewhere(t *testing.T) {
	env := func(list map[string]string) func(string) string { return func(k string) string { return list[k] } }
	for system, c := range map[string]struct {
		env  map[string]string
		want []string
	}{
		"linux": {map[string]string{"XDG_DATA_DIRS": "/opt/share"},
			[]string{"/usr/share/fonts", "/usr/local/share/fonts", "/opt/share/fonts", "/home/u/.local/share/fonts",
				"/home/u/.fonts"}},
		"android": {nil, []string{"/system/fonts", "/product/fonts"}},
		"darwin":  {nil, []string{"/System/Library/Fonts", "/Library/Fonts", "/home/u/Library/Fonts"}},
		"windows": {map[string]string{"SystemRoot": "C:/Windows", "LOCALAPPDATA": "C:/Users/u/AppData/Local"},
			[]string{"C:/Windows/Fonts", "C:/Users/u/AppData/Local/Microsoft/Windows/Fonts"}},
		"freebsd": {nil, []string{"/usr/local/share/fonts"}},
	} {
		got := places(system, "/home/u", env(c.env))
		for _, w := range c.want {
			if !slices.Contains(got, filepath.FromSlash(w)) {
				t.Errorf("%s: %s is not among %v", system, w, got)
			}
		}
	}
	t.Setenv(Variable, "")
	if got := Places(); len(got) != 0 {
		t.Errorf("an empty %s: %v", Variable, got)
	}
	t.Setenv(Variable, "a"+string(filepath.ListSeparator)+"b")
	if got := Places(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%v", got)
	}
}

func TestLinksInALoopEnd(t *testing.T) {
	dir := write(t, map[string][]byte{"sub/a.ttf": fonttest.Make("A", 1000, '日')})
	if err := os.Symlink(dir, filepath.Join(dir, "sub", "up")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if got := seen(setterOn(dir).Line(0, "日")); got != "A:日" {
		t.Error(got)
	}
}

func TestWordsAreDividedWhereLinesMayEnd(t *testing.T) {
	chars, lines := Breaks("日本。e\u0301x")
	if !slices.Equal(chars, []int{3, 6, 9, 12, 13}) {
		t.Errorf("characters end at %v", chars)
	}
	if slices.Contains(lines, 6) || !slices.Contains(lines, 3) {
		t.Errorf("lines may end at %v: a full stop must not begin one", lines)
	}
}

func TestPartsOfALineComeInTheOrderInWhichTheyAreSeen(t *testing.T) {
	s := setterOn()
	pieces := []string{"שלום ", "GPU", " עולם"}
	var got []string
	for _, p := range s.Order([]int{0, 2, 0}, pieces, true) {
		got = append(got, pieces[p.Index][p.From:p.To])
	}
	if want := []string{" עולם", "GPU", "שלום "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
