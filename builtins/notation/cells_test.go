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
