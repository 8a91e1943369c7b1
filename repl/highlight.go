package repl

import (
	"sync/atomic"
	"unicode"
)

// looks say what of a session at a terminal is coloured, and whether the history is suggested. Both change while a line
// is edited.
type looks struct{ colors, suggestions atomic.Bool }

// style is how a rune of the edited line is drawn: the parameters of a terminal's SGR sequence, "" for its own.
type style string

const (
	plainStyle   style = ""
	keywordStyle style = "35"
	numberStyle  style = "36"
	stringStyle  style = "32"
	commentStyle style = "90"
	commandStyle style = "1"
	hintStyle    style = "90"
	errorStyle   style = "31"
)

// on begins a style, and off ends all.
func (s style) on() string { return "\x1b[" + string(s) + "m" }

const styleOff = "\x1b[0m"

// maxStyled is how many runes a line may have that is coloured: readline draws all of it anew for each key.
const maxStyled = 20_000

var styleOf = map[string]style{
	"and": keywordStyle, "break": keywordStyle, "continue": keywordStyle, "def": keywordStyle, "elif": keywordStyle,
	"else": keywordStyle, "for": keywordStyle, "if": keywordStyle, "in": keywordStyle, "lambda": keywordStyle,
	"load": keywordStyle, "not": keywordStyle, "or": keywordStyle, "pass": keywordStyle, "return": keywordStyle,
	"while": keywordStyle, "None": numberStyle, "True": numberStyle, "False": numberStyle,
}

// stylesOf are the styles of the runes of an edited line. It reads tokens only, so that a line may be unfinished.
func stylesOf(line []rune) []style {
	out := make([]style, len(line))
	paint := func(from, to int, s style) {
		for i := from; i < to; i++ {
			if !isFiller(line[i]) {
				out[i] = s
			}
		}
	}
	isEnd := func(r rune) bool { return r == pasteNewline || r == rowEnd || r == '\n' }
	isName := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	if len(line) > 0 && (line[0] == ':' || line[0] == '!') {
		end := 1
		for end < len(line) && line[end] != ' ' && !isEnd(line[end]) {
			end++
		}
		paint(0, end, commandStyle)
		return out
	}
	for i := 0; i < len(line); {
		switch r := line[i]; {
		case r == '#':
			end := i
			for end < len(line) && !isEnd(line[end]) {
				end++
			}
			paint(i, end, commentStyle)
			i = end
		case r == '"' || r == '\'':
			end := endOfText(line, i, isEnd)
			paint(i, end, stringStyle)
			i = end
		case r >= '0' && r <= '9':
			end := i + 1
			for end < len(line) && (isName(line[end]) || line[end] == '.') {
				end++
			}
			paint(i, end, numberStyle)
			i = end
		case isName(r):
			end := i + 1
			for end < len(line) && isName(line[end]) {
				end++
			}
			if s, ok := styleOf[string(line[i:end])]; ok && (i == 0 || line[i-1] != '.') {
				paint(i, end, s)
			}
			i = end
		default:
			i++
		}
	}
	return out
}

// endOfText is where the string that begins at line[i] ends, or what is there of it.
func endOfText(line []rune, i int, isEnd func(rune) bool) int {
	quote, n := line[i], 1
	if i+2 < len(line) && line[i+1] == quote && line[i+2] == quote {
		n = 3
	}
	for k := i + n; k < len(line); k++ {
		switch r := line[k]; {
		case r == '\\':
			k++
		case n == 1 && isEnd(r):
			return k
		case r == quote && n == 1:
			return k + 1
		case r == quote && k+2 < len(line) && line[k+1] == quote && line[k+2] == quote:
			return k + 3
		}
	}
	return len(line)
}

// styled draws runes with the styles of the line that they stand for.
func styled(drawn []rune, styles []style) []rune {
	out := make([]rune, 0, len(drawn)+64)
	now := plainStyle
	for i, r := range drawn {
		if styles[i] != now {
			if now != plainStyle {
				out = append(out, []rune(styleOff)...)
			}
			if styles[i] != plainStyle {
				out = append(out, []rune(styles[i].on())...)
			}
			now = styles[i]
		}
		out = append(out, r)
	}
	if now != plainStyle {
		out = append(out, []rune(styleOff)...)
	}
	return out
}
