package notation

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// TextCells is the number of terminal cells that a text takes.
func TextCells(s string) int {
	n := 0
	for _, r := range s {
		n += RuneCells(r)
	}
	return n
}

// RuneCells is the number of terminal cells that a character takes, as wcwidth counts them: a combining mark, a joiner
// or a control character none, a wide character of East Asia or an emoji two.
func RuneCells(r rune) int {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return 0
	case r < 0x300:
		return 1
	case r >= 0x1160 && r <= 0x11ff: // vowels and finals of Hangul join the consonant before them
		return 0
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Fold breaks a text into lines of at most so many cells, at spaces where there are any. A character that is wider
// stands alone. There is at least one line.
func Fold(s string, width int) []string {
	var out []string
	for {
		cut, space, cells := len(s), -1, 0
		for i, r := range s {
			if cells += RuneCells(r); cells > width && i > 0 {
				cut = i
				break
			}
			if r == ' ' {
				space = i
			}
		}
		if cut == len(s) {
			return append(out, s)
		}
		if space > 0 && s[cut] != ' ' {
			cut = space
		}
		out = append(out, strings.TrimRight(s[:cut], " "))
		if s = strings.TrimLeft(s[cut:], " "); s == "" {
			return out
		}
	}
}

// Shortened leaves out the middle of a text that is wider than its room, and puts a sign there; "" where there is room
// for nothing.
func Shortened(s string, room int, sign string) string {
	if TextCells(s) <= room {
		return s
	}
	head := []rune(s)
	head = head[:min(len(head), max(room, 0)/3)]
	tail := []rune(s)[len(head):]
	for len(tail) > 0 && TextCells(string(head)+sign+string(tail)) > room {
		tail = tail[1:]
	}
	if TextCells(string(head)+sign) > room {
		return ""
	}
	return string(head) + sign + string(tail)
}

// Hang breaks the lines of a text that take more than so many cells, between words; what follows of a line is indented by two. Words
// are never cut, so that paths can be copied. 0 is without limit.
func Hang(text string, width int) string {
	if width <= 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if TextCells(line) > width {
			lines[i] = hang(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

func hang(line string, width int) string {
	var b strings.Builder
	used, begun := 0, false // begun: a word stands in this line
	for line != "" {
		word := strings.TrimLeft(line, " ")
		space := line[:len(line)-len(word)]
		word, _, _ = strings.Cut(word, " ")
		line = line[len(space)+len(word):]
		n := len(space) + TextCells(word)
		if begun && used+n > width && word != "" {
			b.WriteString("\n  ")
			used, n, space = 2, n-len(space), ""
		}
		b.WriteString(space + word)
		used, begun = used+n, begun || word != ""
	}
	return b.String()
}
