package notation

import "testing"

func TestTextIsMeasuredInCells(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"abc", 3}, {"é", 1}, {"e\u0301", 1}, {"日本", 4}, {"ｱ", 1}, {"Ａ", 2}, {"🚀", 2}, {"🟢", 2},
		{"👩\u200d💻", 4}, {"❤\ufe0f", 1},
		{"한", 2}, {"\u1112\u1161\u11ab", 2}, {"नि", 2}, {"\u05e9\u05bc", 1}, {"│", 1}, {"µs", 2}, {"", 0},
	} {
		if got := TextCells(c.text); got != c.want {
			t.Errorf("%q takes %d cells, want %d", c.text, got, c.want)
		}
	}
}

func TestLongLinesHangBetweenWords(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"warning: one two", 0, "warning: one two"},
		{"warning: one two", 16, "warning: one two"},
		{"warning: one two", 15, "warning: one\n  two"},
		{"warning: a/very/long/path/of/a.file it is", 12, "warning:\n  a/very/long/path/of/a.file\n  it is"},
		{"  kept   wide\nand the next", 9, "  kept\n  wide\nand the\n  next"},
		{"漢字 漢字 漢字", 9, "漢字 漢字\n  漢字"},
		{"trailing  ", 8, "trailing  "},
		{"unbreakable", 3, "unbreakable"},
	} {
		if got := Hang(c.text, c.width); got != c.want {
			t.Errorf("Hang(%q, %d) is %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
