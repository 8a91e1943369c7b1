package typeset

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/plots/typeset/fonttest"
)

// FuzzFontFile reads damaged fonts: they are passed over or give glyphs of a sane size, without a crash or an endless
// loop.
func FuzzFontFile(f *testing.F) {
	tiny := fonttest.Make("Tiny", 1000, []rune("日本語abمرि ")...)
	f.Add(tiny, "日本 مر कि")
	f.Add(fonttest.Collection(tiny, fonttest.Make("Other JP", 500, 'の')), "のa")
	f.Add([]byte("ttcf"), "x")
	f.Add([]byte{}, "")
	// Real fonts, with layout tables and with the outlines of PostScript, make better seeds; they are not in the
	// repository.
	if dir := os.Getenv("ASTROLABE_FUZZ_FONTS"); dir != "" {
		paths, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, p := range paths {
			if data, err := os.ReadFile(p); err == nil {
				f.Add(data, "日本語のアクセス مرحبا कि क्ष ไทย 가 e\u0301")
			}
		}
	}
	dir := f.TempDir()
	own := setterOn().own // parsed once
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if len(data) > 1<<20 || len(text) > 200 {
			return
		}
		if _, err := checkFont(bytes.NewReader(data), int64(len(data))); err != nil {
			return
		}
		path := filepath.Join(dir, "fuzzed.ttf")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		s := setterOn(path)
		s.own = own
		for face := range own {
			l := s.Line(face, strings.ToValidUTF8(text, "?"))
			if !(l.Width >= 0 && l.Width < 1e5) {
				t.Fatalf("%q is %g em wide", text, l.Width)
			}
			for _, r := range l.Runs {
				for _, g := range r.Glyphs {
					if len(g.Outline) > maxOutline {
						t.Fatalf("a glyph of %d segments", len(g.Outline))
					}
				}
			}
		}
	})
}

// FuzzLine sets any text in the compiled-in fonts: every character is drawn or written as its code point.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "abc", "שלום (12) GB", "a\u0301\u0301\u0301", "日本\u200d語",
		"\u2066\u2067\u2068\u2069\u2069x", "\u202e\u202cabc", "मुझे", "\ufe0f", "🏳️‍🌈", "é\u200bמ\u05b0"} {
		f.Add(s)
	}
	s := setterOn()
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 400 {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		l := s.Line(0, text)
		x := 0.0
		for _, r := range l.Runs {
			if r.X < x-1e-9 {
				t.Fatalf("%q: %q covers what is before it", text, r.Text)
			}
			x = r.X + r.Width
		}
		if x > l.Width+1e-9 {
			t.Fatalf("%q ends at %g of %g", text, x, l.Width)
		}
		chars, lines := Breaks(text)
		for _, list := range [][]int{chars, lines} {
			last := 0
			for _, at := range list {
				if at <= last {
					t.Fatalf("%q: places %v", text, list)
				}
				last = at
			}
			if len(text) > 0 && last != len(text) {
				t.Fatalf("%q: places %v end before the text", text, list)
			}
		}
		pieces := []string{text, "GPU", text}
		seen := 0
		for _, p := range s.Order([]int{0, 2, 1}, pieces, strings.HasPrefix(text, "ש")) {
			seen += p.To - p.From
		}
		if seen != 2*len(text)+3 {
			t.Fatalf("%q: %d bytes of %d are in order", text, seen, 2*len(text)+3)
		}
	})
}
