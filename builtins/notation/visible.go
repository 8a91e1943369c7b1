package notation

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible writes what a terminal would obey, or draw elsewhere than where it stands, as the escapes of the language:
// control characters other than line ends and tabs, those between U+0080 and U+009F that many terminals take for
// control sequences too, bytes that are no UTF-8 (of which one of eight bits is), and what changes the direction of
// text. Names and labels come from files that others wrote.
func Visible(s string) string { return visible(s, false) }

// VisibleLine is Visible of what stands on one line: white space that would end it or move on it becomes a space.
func VisibleLine(s string) string { return visible(s, true) }

func visible(s string, line bool) string {
	var out strings.Builder
	done := 0 // bytes of s that out holds
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		text := ""
		switch {
		case r == '\n' || r == '\t':
			if line {
				text = " "
			}
		case line && r >= '\n' && r <= '\r':
			text = " "
		case r < ' ' || r == 0x7f:
			text = fmt.Sprintf(`\x%02x`, r)
		case r == utf8.RuneError && n == 1:
			text = fmt.Sprintf(`\x%02x`, s[i])
		case r >= 0x80 && obeyed(r):
			text = fmt.Sprintf(`\u%04x`, r)
		}
		if text != "" {
			out.WriteString(s[done:i])
			out.WriteString(text)
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// obeyed reports whether a character beyond ASCII is one that is not shown but changes what is.
func obeyed(r rune) bool {
	switch {
	case r < 0xa0, r >= 0x206a && r <= 0x206f, r == 0x2028, r == 0x2029, r >= 0xfff9 && r <= 0xfffb, r == 0xfeff:
		return true
	}
	return unicode.Is(unicode.Bidi_Control, r)
}
