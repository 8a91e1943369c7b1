package repl

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"astrolabe/builtins/notation"
)

// extension is what may be typed after typed so that it stays a beginning of every word; ok is false where
// the words do not begin with it.
func extension(words []string, typed string) (string, bool) {
	common := words[0]
	for _, w := range words[1:] {
		n := 0
		for n < len(common) && n < len(w) && common[n] == w[n] {
			n++
		}
		common = common[:n]
	}
	for len(common) > 0 && !utf8.ValidString(common) { // cut inside a character
		common = common[:len(common)-1]
	}
	return strings.CutPrefix(common, typed)
}

// maxCandidates is how many candidates one Tab lists; the rest is counted.
const maxCandidates = 120

// columns sets words in columns of a terminal, down first, each line ended.
func columns(words []string, width int) string {
	shown := make([]string, min(len(words), maxCandidates))
	for i := range shown {
		shown[i] = notation.VisibleLine(words[i])
	}
	cell := 0
	for _, w := range shown {
		cell = max(cell, notation.TextCells(w))
	}
	cell += 2
	perLine := max(1, (width-1)/cell)
	lines := (len(shown) + perLine - 1) / perLine
	var out strings.Builder
	for row := range lines {
		for col := 0; col*lines+row < len(shown); col++ {
			w := shown[col*lines+row]
			if (col+1)*lines+row < len(shown) {
				w = notation.Pad(w, cell)
			}
			out.WriteString(w)
		}
		out.WriteByte('\n')
	}
	if hidden := len(words) - len(shown); hidden > 0 {
		fmt.Fprintf(&out, "… and %d more: type another letter\n", hidden)
	}
	return out.String()
}
