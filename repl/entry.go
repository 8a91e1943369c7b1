package repl

import "strings"

// entry collects lines until they make one whole entry: a simple statement, or a compound statement with its block.
// It looks only at brackets, strings, comments and indentation, so that it costs one pass over the text; whether
// the text is valid is the parser's business.
type entry struct {
	text     strings.Builder
	lines    int
	depth    int    // open brackets
	quote    string // the quote that is open, "" if none
	cont     bool   // the last line ended in a backslash
	compound bool   // begins with a keyword that takes a block
	begun    bool   // a line with code has been seen
	broken   bool   // a string was not closed on its line, which no further line mends
}

// maxEntry bounds the text of one entry in bytes.
const maxEntry = 64 << 20

// open reports whether a bracket, a string or a backslash reaches beyond the last line.
func (e *entry) open() bool { return e.depth > 0 || e.quote != "" || e.cont }

// add appends one line without its line end.
func (e *entry) add(line string) {
	inside := e.open()
	e.text.WriteString(line)
	e.text.WriteByte('\n')
	e.lines++
	if !e.begun && !inside {
		if code := strings.TrimLeft(line, " \t\r\f\v"); code != "" && code[0] != '#' {
			e.begun = true
			switch firstWord(line) {
			case "def", "if", "for", "while":
				e.compound = true
			}
		}
	}
	e.scan(line)
}

// scan follows brackets and strings through one line.
func (e *entry) scan(line string) {
	e.cont = false
	for i := 0; i < len(line); i++ {
		if e.quote != "" {
			switch {
			case line[i] == '\\':
				if i++; i == len(line) { // the line end is escaped: the string goes on
					return
				}
			case strings.HasPrefix(line[i:], e.quote):
				i += len(e.quote) - 1
				e.quote = ""
			}
			continue
		}
		switch c := line[i]; c {
		case '(', '[', '{':
			e.depth++
		case ')', ']', '}':
			e.depth = max(0, e.depth-1)
		case '#':
			return
		case '\\':
			if i == len(line)-1 {
				e.cont = true
				return
			}
		case '"', '\'':
			e.quote = line[i : i+1]
			if triple := strings.Repeat(e.quote, 3); strings.HasPrefix(line[i:], triple) {
				e.quote = triple
				i += 2
			}
		}
	}
	if len(e.quote) == 1 { // never closed: an error, which the parser will find
		e.quote, e.broken = "", true
	}
}

// typedDone reports whether an entry typed line by line ends with the line added last: a block ends with a blank line.
// An unclosed quote ends everything at once, as in Python, because the brackets around it would wait for lines that
// cannot help.
func (e *entry) typedDone(last string) bool {
	if e.broken {
		return true
	}
	if e.open() {
		return false
	}
	return !e.compound || isBlank(last)
}

// endsBefore reports whether an entry of a script file ends before the line next: a block runs on over blank lines
// and comments, until a line that is not indented and is no elif or else.
func (e *entry) endsBefore(next string) bool {
	if !e.begun || e.open() || isBlank(next) {
		return false
	}
	if !e.compound {
		return true
	}
	if next[0] == ' ' || next[0] == '\t' || next[0] == '#' {
		return false
	}
	word := firstWord(next)
	return word != "elif" && word != "else"
}

// isBlank reports whether a line holds nothing but white space.
func isBlank(line string) bool { return strings.TrimLeft(line, " \t\r\f\v") == "" }

// firstWord is the identifier or keyword that an unindented line starts with, "" if it starts with something else.
func firstWord(line string) string {
	n := 0
	for n < len(line) && isNameByte(line[n]) {
		n++
	}
	return line[:n]
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// dedent removes the indentation that all lines with code share, so that a paste from inside a function runs.
func dedent(text string) string {
	lines := strings.Split(text, "\n")
	common, found := "", false
	for _, l := range lines {
		if isBlank(l) {
			continue
		}
		indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if !found {
			common, found = indent, true
		}
		for !strings.HasPrefix(indent, common) {
			common = common[:len(common)-1]
		}
	}
	if common == "" {
		return text
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, common)
	}
	return strings.Join(lines, "\n")
}
