package notation

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestWhatATerminalObeysIsWrittenAsEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                        "plain",
		"größe 温度 🙂 مرحبا":             "größe 温度 🙂 مرحبا",
		"two\nlines\tand":              "two\nlines\tand",
		"\x1b]0;title\a":               `\x1b]0;title\x07`,
		"a\rb\x7f\x00":                 `a\x0db\x7f\x00`,
		"\u009b31m":                    `\u009b31m`,
		"\x9b31m":                      `\x9b31m`,
		"cut \xe2\x82":                 `cut \xe2\x82`,
		"a\u202eb\u2066c\u200ed\u061c": `a\u202eb\u2066c\u200ed\u061c`,
		"a\u2028b\ufeff":               `a\u2028b\ufeff`,
		"":                             "",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
	if got, want := VisibleLine("a\nb\r\nc\td\x1b[0m\v"), `a b  c d\x1b[0m `; got != want {
		t.Errorf("a line: %q, want %q", got, want)
	}
}

func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[31mb", "\xff\xc2\x9b", "\u202e\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		if !utf8.ValidString(got) || Visible(got) != got {
			t.Errorf("Visible(%q) = %q", s, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
		}) {
			t.Errorf("Visible(%q) = %q holds a control character", s, got)
		}
		if line := VisibleLine(s); strings.ContainsAny(line, "\n\t") || VisibleLine(line) != line {
			t.Errorf("VisibleLine(%q) = %q", s, line)
		}
	})
}
