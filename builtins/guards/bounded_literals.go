package guards

import (
	"fmt"

	"go.starlark.net/syntax"
)

// maxDigits is how long a number may be that stands in a script. Starlark's scanner and compiler take time that grows
// with the square of its length: a million digits took them 6 s, which nothing stops.
const maxDigits = 10_000

// CheckNumbers refuses a script with a longer number; name is that of its file. Digits in texts and comments are none.
// The error is a syntax.Error.
func CheckNumbers(name string, text []byte) error {
	line, run := int32(1), 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			line++
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '"' || c == '\'':
			end, lines := skipText(text, i)
			i, line = end, line+lines
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			if run++; run > maxDigits && beginsNumber(text[i+1-run:i+1]) {
				return syntax.Error{Pos: syntax.MakePosition(&name, line, 1),
					Msg: fmt.Sprintf("a number of more than %d digits: read it with int() from a text", maxDigits)}
			}
			continue
		case run == 1 && text[i-1] == '0' && (c == 'x' || c == 'X' || c == 'o' || c == 'O'):
			run++
			continue
		}
		run = 0
	}
	return nil
}

// beginsNumber reports whether a run of digits and letters is one of a number: a name of that length is none.
func beginsNumber(run []byte) bool {
	return run[0] >= '0' && run[0] <= '9' || run[1] >= '0' && run[1] <= '9'
}

// skipText returns where the text that a quote at i begins has its last quote, and how many lines it goes over.
func skipText(text []byte, i int) (end int, lines int32) {
	quote, n := text[i], 1
	if i+2 < len(text) && text[i+1] == quote && text[i+2] == quote {
		n = 3
	}
	for k := i + n; k < len(text); k++ {
		switch {
		case text[k] == '\\':
			if k++; k < len(text) && text[k] == '\n' {
				lines++
			}
		case text[k] == '\n' && n == 1:
			return k - 1, lines // an error, which the scanner finds
		case text[k] == '\n':
			lines++
		case text[k] == quote && (n == 1 || k+2 < len(text) && text[k+1] == quote && text[k+2] == quote):
			return k + n - 1, lines
		}
	}
	return len(text), lines
}
