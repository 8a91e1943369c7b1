package repl

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// laid is an editor's line on a screen of a size, without a terminal.
type laid struct {
	cells         cells
	rows          rows
	width, height int
	line          []rune
	pos           int
}

func (l *laid) set(text string) {
	l.line, l.pos = l.rows.lay(l.cells.toEdit(text), len(l.cells.toEdit(text)), l.width, l.height)
}

// press applies a key as readline does.
func (l *laid) press(key rune) {
	line, pos := slices.Clone(l.line), l.pos
	switch key {
	case keyBackspace:
		if pos > 0 {
			line, pos = slices.Delete(line, pos-1, pos), pos-1
		}
	case 4: // Delete
		if pos < len(line) {
			line = slices.Delete(line, pos, pos+1)
		}
	case keyBackward:
		pos = max(0, pos-1)
	case keyForward:
		pos = min(len(line), pos+1)
	case 1:
		pos = 0
	case 5:
		pos = len(line)
	case 11: // Kill
		line = line[:pos]
	case 21: // Kill to the front
		line, pos = line[pos:], 0
	default:
		line, pos = slices.Insert(line, pos, key), pos+1
	}
	line, pos = l.rows.plain(line, pos, key)
	line, pos, _ = l.cells.mend(line, pos, key)
	l.line, l.pos = l.rows.lay(line, pos, l.width, l.height)
}

// text is the entry with | at the cursor.
func (l *laid) text() string {
	return l.cells.fromEdit(l.line[:l.pos]) + "|" + l.cells.fromEdit(l.line[l.pos:])
}

// screen is what stands on the rows, with the prompt.
func (l *laid) screen() []string {
	s := &screen{width: l.width}
	s.show(prompt + l.cells.paint(string(painter{&l.cells, func() int { return l.width }, nil}.Paint(l.line, l.pos))))
	return flat(s)
}

func TestABlockKeepsItsLinesWhileItIsEdited(t *testing.T) {
	for _, c := range []struct {
		name, text string
		keys       []rune
		want       string
		rows       []string
	}{
		{"as it was", "for x in y:\n  print(x)", nil, "for x in y:\n  print(x)|",
			[]string{">>> for x in y:", "...   print(x)"}},
		{"left over a line end and typing", "a\nb", []rune{2, 2, 'x'}, "ax|\nb", []string{">>> ax", "... b"}},
		{"left to the beginning of a line and typing", "a\nb", []rune{2, 'x'}, "a\nx|b", []string{">>> a", "... xb"}},
		{"right over a line end", "a\nb", []rune{1, keyForward, keyForward, 'x'}, "a\nx|b", nil},
		{"there and back", "a\nb", []rune{2, 2, keyForward, 'x'}, "a\nx|b", nil},
		{"backspace joins lines", "a\nb", []rune{2, keyBackspace}, "a|b", []string{">>> ab"}},
		{"delete joins lines", "a\nb", []rune{1, keyForward, 4}, "a|b", []string{">>> ab"}},
		{"backspace twice", "a\n\nb", []rune{2, keyBackspace, keyBackspace}, "a|b", nil},
		{"kill to the end of the entry", "a\nb\nc", []rune{1, keyForward, keyForward, 11}, "a\n|",
			[]string{">>> a", "..."}},
		{"kill to the front", "a\nb\nc", []rune{2, 21}, "|c", []string{">>> c"}},
		{"a line as long as the screen is wide", strings.Repeat("x", 36) + "\ny", []rune{keyBackspace, 'z'},
			strings.Repeat("x", 36) + "\nz|",
			[]string{">>> " + strings.Repeat("x", 36), "", "... z"}},
		{"a line longer than the screen", strings.Repeat("x", 50) + "\ny", nil, strings.Repeat("x", 50) + "\ny|",
			[]string{">>> " + strings.Repeat("x", 36), strings.Repeat("x", 14), "... y"}},
		{"wide characters", "x = '日本'\ny", []rune{2, 2, 2, keyBackspace}, "x = '日|'\ny",
			[]string{">>> x = '日'", "... y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &laid{width: 40, height: 24}
			l.set(c.text)
			for _, k := range c.keys {
				l.press(k)
			}
			if got := l.text(); got != c.want {
				t.Errorf("the entry is %q, want %q", got, c.want)
			}
			if got := l.screen(); c.rows != nil && !slices.Equal(got, c.rows) {
				t.Errorf("the screen shows %q, want %q", got, c.rows)
			}
		})
	}
}

func TestABlockThatWouldFillTheScreenStaysOnOneLine(t *testing.T) {
	l := &laid{width: 40, height: 10}
	text := strings.Repeat("x = 1\n", 10)
	l.set(text)
	if strings.ContainsRune(string(l.line), rowEnd) || l.cells.fromEdit(l.line) != text {
		t.Errorf("laid out: %q", string(l.line))
	}
	l.press(keyBackspace)
	if got := l.text(); got != strings.TrimSuffix(text, "\n")+"|" {
		t.Errorf("the entry is %q", got)
	}
}

// FuzzRows presses keys in an entry on a screen and in one that has no rows: the text must be the same.
func FuzzRows(f *testing.F) {
	f.Add("a\nb\n\nc", "\x02\x7f\x06x\x04\x01\x05", 20, 10)
	f.Add("日本\n\u0301a", "\x02\x02\x7f", 9, 3)
	f.Fuzz(func(t *testing.T, text, keys string, width, height int) {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, noncharacter) ||
			strings.ContainsFunc(keys, func(r rune) bool {
				return noncharacter(r) || r == '\n' || r == '\t'
			}) || len(text) > 500 {
			return
		}
		width, height = 5+(width&0x7f+0x80)&0x7f, (height&0x3f+0x40)&0x3f
		with, without := &laid{width: width, height: height}, &laid{width: width}
		with.set(text)
		without.set(text)
		for _, k := range keys {
			with.press(k)
			without.press(k)
			if with.text() != without.text() {
				t.Fatalf("after %q there is %q, want %q", k, with.text(), without.text())
			}
			if with.pos < 0 || with.pos > len(with.line) || with.pos < len(with.line) && isFiller(with.line[with.pos]) {
				t.Fatalf("the cursor stands at %d in %q", with.pos, string(with.line))
			}
		}
	})
}
