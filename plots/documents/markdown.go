package documents

import (
	"strconv"
	"strings"
	"unicode"
)

// blockKind is a kind of Markdown block.
type blockKind uint8

const (
	paragraph blockKind = iota
	heading
	bullet
	numbered
	quote
	codeBlock
	ruleBlock
)

// mdBlock is a block of a Text. A list is a sequence of its items.
type mdBlock struct {
	kind   blockKind
	level  int    // of a heading (1 is the greatest), or depth of a list item from 0
	marker string // of a numbered item, as written: "3."
	text   string // inline Markdown; of a code block, its lines
}

// span is a stretch of inline Markdown.
type mdSpan struct {
	text     string
	bold     bool
	emphasis bool
	code     bool
	url      string // of a link, "" if text is none
}

// parseMarkdown splits a text into blocks. It accepts every input: what is no Markdown is a paragraph.
func parseMarkdown(src string) []mdBlock {
	var out []mdBlock
	var para *mdBlock // the block that a plain line continues
	lines := strings.Split(strings.ReplaceAll(src, "\r\n", "\n"), "\n")
	emit := func(b mdBlock) *mdBlock {
		out = append(out, b)
		return &out[len(out)-1]
	}
	for i := 0; i < len(lines); i++ {
		line := strings.ReplaceAll(lines[i], "\t", "    ")
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch fence := codeFence(text); {
		case text == "":
			para = nil
		// Code without an end takes the rest of the text, as CommonMark has it: what an author meant as code is
		// never read as headings and lists.
		case fence != "":
			var code []string
			for i++; i < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[i]), fence); i++ {
				code = append(code, strings.ReplaceAll(lines[i], "\t", "    "))
			}
			emit(mdBlock{kind: codeBlock, text: strings.Join(code, "\n")})
			para = nil
		case headingLevel(text) > 0:
			// Signs behind a heading close it and are no part of it.
			n := headingLevel(text)
			emit(mdBlock{kind: heading, level: n,
				text: strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text[n:]), "#"))})
			para = nil
		case isRule(text):
			emit(mdBlock{kind: ruleBlock})
			para = nil
		case strings.HasPrefix(text, ">"):
			rest := strings.TrimSpace(text[1:])
			if para != nil && para.kind == quote {
				para.text += "\n" + rest
			} else {
				para = emit(mdBlock{kind: quote, text: rest})
			}
		default:
			marker, rest := listMarker(text)
			switch {
			// A plain line goes on with what stands above it, also in a list or a quotation.
			case marker == "" && para != nil:
				para.text += "\n" + text
			case marker == "":
				para = emit(mdBlock{kind: paragraph, text: text})
			// Deeper than four steps a narrow page has no room for words.
			case unicode.IsDigit(rune(marker[0])):
				para = emit(mdBlock{kind: numbered, level: min(indent/2, 4), marker: marker, text: rest})
			default:
				para = emit(mdBlock{kind: bullet, level: min(indent/2, 4), text: rest})
			}
		}
	}
	return out
}

func codeFence(s string) string {
	for _, f := range []string{"```", "~~~"} {
		if strings.HasPrefix(s, f) {
			return f
		}
	}
	return ""
}

func headingLevel(s string) int {
	n := 0
	for n < len(s) && s[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || (n < len(s) && s[n] != ' ') {
		return 0
	}
	return n
}

func isRule(s string) bool {
	t := strings.ReplaceAll(s, " ", "")
	return len(t) >= 3 && (strings.Trim(t, "-") == "" || strings.Trim(t, "*") == "" || strings.Trim(t, "_") == "")
}

// listMarker splits the marker off a list item: "-", "*" or "+", or a number with a dot or bracket.
func listMarker(s string) (marker, rest string) {
	if len(s) >= 2 && strings.ContainsRune("-*+", rune(s[0])) && s[1] == ' ' {
		return s[:1], strings.TrimSpace(s[2:])
	}
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n > 0 && n <= 9 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		v, _ := strconv.Atoi(s[:n])
		return strconv.Itoa(v) + s[n:n+1], strings.TrimSpace(s[n+2:])
	}
	return "", s
}

// parseInline splits the text of a block into spans. A sign without its partner stands for itself.
func parseInline(s string) []mdSpan {
	var out []mdSpan
	var plain strings.Builder
	bold, emphasis := false, false
	flush := func() {
		if plain.Len() > 0 {
			out = append(out, mdSpan{text: plain.String(), bold: bold, emphasis: emphasis})
			plain.Reset()
		}
	}
	for i := 0; i < len(s); {
		rest := s[i:]
		switch c := s[i]; {
		case c == '\\' && len(rest) > 1 && strings.IndexByte("\\`*_[]()#+-.!>~", rest[1]) >= 0:
			plain.WriteByte(rest[1])
			i += 2
		case c == '`':
			// Code ends at as many signs as it began with, so that it may hold fewer of them itself.
			n := len(rest) - len(strings.TrimLeft(rest, "`"))
			end := strings.Index(rest[n:], rest[:n])
			if end < 0 {
				plain.WriteString(rest[:n])
				i += n
				continue
			}
			flush()
			if code := strings.TrimSpace(rest[n : n+end]); code != "" {
				out = append(out, mdSpan{text: code, code: true, bold: bold})
			}
			i += end + 2*n
		// Before the case of one sign, which would take the first half of this one. Without a partner further on
		// it is no bold text, or the rest of the block would be.
		case strings.HasPrefix(rest, "**") && (bold || opens(s, i, 2) && strings.Contains(rest[2:], "**")):
			flush()
			bold = !bold
			i += 2
		// Both at once: the second alone could begin an emphasis.
		case strings.HasPrefix(rest, "**"):
			plain.WriteString("**")
			i += 2
		case (c == '*' || c == '_') &&
			(emphasis && closes(s, i) || !emphasis && opens(s, i, 1) && closesLater(rest, c)):
			flush()
			emphasis = !emphasis
			i++
		case c == '[':
			// What looks like the beginning of a link and is none stays a bracket; counters have names with brackets.
			text, url, n := link(rest)
			if n == 0 {
				plain.WriteByte(c)
				i++
				continue
			}
			flush()
			if text == "" {
				text = url // a link without words shows where it leads
			}
			if text != "" {
				out = append(out, mdSpan{text: text, bold: bold, emphasis: emphasis, url: url})
			}
			i += n
		default:
			plain.WriteByte(c)
			i++
		}
	}
	flush()
	return out
}

// opens reports whether a sign of n bytes at i can begin an emphasis: a word follows, none precedes.
func opens(s string, i, n int) bool {
	if i+n >= len(s) || s[i+n] == ' ' || s[i+n] == '\n' {
		return false
	}
	return i == 0 || !sticks(s[i], s[i-1])
}

func closes(s string, i int) bool {
	return i > 0 && s[i-1] != ' ' && (i+1 >= len(s) || !sticks(s[i], s[i+1]))
}

// sticks reports whether a sign beside a byte is part of a word. Chinese and Japanese have no spaces between words, so
// that an asterisk beside other letters than those of ASCII is a sign.
func sticks(sign, beside byte) bool {
	return isWordByte(beside) && (sign != '*' || beside < 0x80)
}

func closesLater(rest string, c byte) bool {
	for j := 2; j < len(rest); j++ {
		if rest[j] == c && closes(rest, j) {
			return true
		}
	}
	return false
}

func isWordByte(b byte) bool {
	return b >= 0x80 || b == '_' || (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z')
}

// link reads "[text](url)" at the start of s; n is its length, 0 if there is none.
func link(s string) (text, url string, n int) {
	mid := strings.Index(s, "](")
	if mid < 0 || strings.IndexByte(s[:mid], '\n') >= 0 || strings.IndexByte(s[1:mid], '[') >= 0 {
		return "", "", 0
	}
	end := strings.IndexByte(s[mid:], ')')
	if end < 0 {
		return "", "", 0
	}
	return s[1:mid], strings.TrimSpace(s[mid+2 : mid+end]), mid + end + 1
}
