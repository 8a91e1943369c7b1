package formula

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// SyntaxError says where and why a formula cannot be read, and how to mend it where that is known.
type SyntaxError struct {
	Dialect Dialect
	Src     string
	Col     int    // 1-based byte offset in Src
	Msg     string // what is wrong there
	Hint    string // what to do; "" if there is nothing to suggest
	Fix     string // the whole formula mended, which parses; "" if unknown
	Assumed string // what a reader of Fix takes for granted, a sentence part such as `the "(" at column 9 is surplus`
}

// contextWidth is how much of a long line stands on each side of the caret.
const contextWidth = 60

// Error shows the message, the source line with a caret below the place, and the suggestion.
func (e *SyntaxError) Error() string {
	var b strings.Builder
	off := min(max(e.Col-1, 0), len(e.Src))
	line := 1 + strings.Count(e.Src[:off], "\n")
	start := strings.LastIndexByte(e.Src[:off], '\n') + 1
	end := len(e.Src)
	if i := strings.IndexByte(e.Src[off:], '\n'); i >= 0 {
		end = off + i
	}
	if line > 1 {
		fmt.Fprintf(&b, "%s formula, line %d column %d: %s", e.Dialect, line,
			utf8.RuneCountInString(e.Src[start:off])+1, e.Msg)
	} else {
		fmt.Fprintf(&b, "%s formula, column %d: %s", e.Dialect, utf8.RuneCountInString(e.Src[start:off])+1, e.Msg)
	}
	left, right := e.Src[start:off], e.Src[off:end]
	if r := []rune(left); len(r) > contextWidth {
		left = "..." + string(r[len(r)-contextWidth:])
	}
	if r := []rune(right); len(r) > contextWidth {
		right = string(r[:contextWidth]) + "..."
	}
	b.WriteString("\n    ")
	b.WriteString(clean(left + right))
	b.WriteString("\n    ")
	for _, r := range clean(left) {
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	b.WriteByte('^')
	if e.Hint != "" {
		b.WriteString("\n    ")
		b.WriteString(e.Hint)
	}
	if e.Fix != "" {
		b.WriteString("\n    did you mean: ")
		b.WriteString(collapse(e.Fix))
	}
	return b.String()
}

// clean replaces what would upset a terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return utf8.RuneError
		}
		return r
	}, s)
}
