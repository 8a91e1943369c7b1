package builtins

import (
	"fmt"
	"strings"

	"astrolabe/builtins/notation"
)

// hanging writes a key and a value whose further lines are indented below it.
func hanging(key, value string) string {
	const indent = "            "
	return fmt.Sprintf("  %-9s ", key) + strings.TrimPrefix(wrap(value, 78, indent), indent)
}

// wrap breaks text into lines of at most width cells that begin with indent. Words are never cut.
func wrap(text string, width int, indent string) string {
	var b strings.Builder
	used := 0
	for i, w := range strings.Fields(text) {
		n := notation.TextCells(w)
		switch {
		case i == 0:
			b.WriteString(indent)
			used = len(indent)
		case used+1+n > width:
			b.WriteString("\n" + indent)
			used = len(indent)
		default:
			b.WriteString(" ")
			used++
		}
		b.WriteString(w)
		used += n
	}
	return b.String()
}

func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i >= 0 {
		return s[:i+1]
	}
	return s
}
