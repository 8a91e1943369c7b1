package repl

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"astrolabe/builtins/notation"
)

func TestEditedLineTakesOneCellForARune(t *testing.T) {
	var c cells
	for _, text := range []string{
		"for x in y:\n\tprint(x)", "日本語 = 1", "x = '🚀'", "e\u0301a\u0308\u0323", "\u0301x", "ｱ한글", "👩\u200d💻",
		"\U00100000 \ufdd0"[:4] + "x", "ÿ",
	} {
		line := c.toEdit(text)
		if got := c.fromEdit(line); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
		shown := c.paint(string(line))
		if strings.ContainsAny(shown, "\n\t") || strings.ContainsFunc(shown, noncharacter) {
			t.Errorf("%q is shown as %q", text, shown)
		}
		want := len(line)
		if got := notation.TextCells(shown); got != want {
			t.Errorf("%q takes %d cells on the screen and %d runes in the line", text, got, want)
		}
	}
}

// press applies a key to a line as readline does and mends it.
func press(c *cells, line []rune, pos int, key rune) ([]rune, int) {
	line = slices.Clone(line)
	switch key {
	case keyBackspace:
		if pos > 0 {
			line, pos = slices.Delete(line, pos-1, pos), pos-1
		}
	case 4: // Delete
		if pos < len(line) {
			line = slices.Delete(line, pos, pos+1)
		}
	case 2:
		pos = max(0, pos-1)
	case keyForward:
		pos = min(len(line), pos+1)
	case 20: // transpose
		if pos > 0 && pos < len(line) {
			line[pos-1], line[pos] = line[pos], line[pos-1]
			pos++
		}
	default:
		line, pos = slices.Insert(line, pos, key), pos+1
	}
	line, pos, _ = c.mend(line, pos, key)
	return line, pos
}

func TestKeysMoveOverWholeCharacters(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		keys       []rune
		want       string // with | for the cursor
	}{
		{"left and insert", "日本", []rune{2, 'x'}, "日x|本"},
		{"left twice and right", "日本", []rune{2, 2, keyForward, 'x'}, "日x|本"},
		{"backspace", "a日", []rune{keyBackspace}, "a|"},
		{"delete", "日b", []rune{2, 2, 4}, "|b"},
		{"a combining mark", "ae", []rune{'\u0301', 'x'}, "ae\u0301x|"},
		{"a mark in front of everything", "", []rune{'\u0301', 'x'}, "\u0301x|"},
		{"backspace takes a letter with its mark", "ae\u0301", []rune{keyBackspace}, "a|"},
		{"nothing is lost by a transposition", "a日", []rune{2, 20}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c cells
			line := c.toEdit(tc.text)
			pos := len(line)
			for _, k := range tc.keys {
				line, pos = press(&c, line, pos, k)
			}
			got := c.fromEdit(line[:pos]) + "|" + c.fromEdit(line[pos:])
			if tc.want != "" && got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if utf8.RuneCountInString(got)-1 < 2 && tc.want == "" {
				t.Errorf("characters were lost: %q", got)
			}
		})
	}
}

// FuzzCells checks that a text comes back from its edited line and that mending keeps the cursor in the line.
func FuzzCells(f *testing.F) {
	f.Add("日本\u0301a\n", "\x02\x7f\x06\x14a", 2)
	f.Fuzz(func(t *testing.T, text, keys string, pos int) {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, noncharacter) {
			return
		}
		var c cells
		line := c.toEdit(text)
		if got := c.fromEdit(line); got != text {
			t.Fatalf("%q came back as %q", text, got)
		}
		pos = min(max(pos, 0), len(line))
		for _, k := range keys {
			line, pos = press(&c, line, pos, k)
			if pos < 0 || pos > len(line) {
				t.Fatalf("cursor %d in a line of %d", pos, len(line))
			}
			again, _, changed := c.mend(line, pos, 0)
			if changed && !c.isWide(k) && pos < len(line) && line[pos] != secondCell {
				t.Fatalf("a mended line is not whole: %q, then %q", string(line), string(again))
			}
		}
	})
}
