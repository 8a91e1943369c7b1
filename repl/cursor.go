package repl

import (
	"io/fs"
	"strings"
)

// cursor says what the text before the cursor asks for.
type cursor struct {
	prefix    string // what has been typed of the word
	base      string // the expression before the dot, the bracket or the parenthesis
	attribute bool   // base.prefix
	inString  bool   // inside a string that is the index of base or an argument of base
	index     bool   // base["prefix
	args      string // base(args"prefix
	call      string // the function whose arguments the cursor is in
	comment   bool
}

// contextOf reads one line up to the cursor.
func contextOf(before string) cursor {
	open := []int{} // positions of the brackets that are open
	quoteAt := -1
	for i := 0; i < len(before); i++ {
		switch c := before[i]; c {
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case '#':
			return cursor{comment: true}
		case '"', '\'':
			end := endOfString(before, i)
			if end == i || before[end] != c || endsEscaped(before, i, end) {
				quoteAt = i
			}
			i = end
		}
	}
	if quoteAt >= 0 {
		return stringCursor(before, open, quoteAt)
	}
	n := len(before)
	for n > 0 && isNameByte(before[n-1]) {
		n--
	}
	c := cursor{prefix: before[n:]}
	if n > 0 && before[n-1] == '.' {
		c.attribute, c.base = true, primaryBefore(before[:n-1])
		return c
	}
	if len(open) > 0 && before[open[len(open)-1]] == '(' {
		c.call = primaryBefore(before[:open[len(open)-1]])
	}
	return c
}

// endOfString is the index of the quote that closes the string opened at line[i], or the last index: such a string
// cannot reach the next line.
func endOfString(line string, i int) int {
	q := line[i]
	for i++; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case q:
			return i
		}
	}
	return len(line) - 1
}

// endsEscaped reports whether the quote at end, of the string that begins at start, belongs to an escape.
func endsEscaped(line string, start, end int) bool {
	n := 0
	for i := end - 1; i > start && line[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

func stringCursor(before string, open []int, quoteAt int) cursor {
	c := cursor{inString: true, prefix: before[quoteAt+1:]}
	if len(open) == 0 {
		return c
	}
	at := open[len(open)-1]
	between := strings.TrimSpace(before[at+1 : quoteAt])
	switch {
	case before[at] == '[' && between == "":
		c.index, c.base = true, primaryBefore(before[:at])
	case before[at] == '(':
		c.base, c.args = primaryBefore(before[:at]), before[at+1:quoteAt]
	case before[at] == '[' && len(open) > 1 && before[open[len(open)-2]] == '(': // a list as an argument: counters=["…
		call := open[len(open)-2]
		c.base, c.args = primaryBefore(before[:call]), before[call+1:at]
	}
	return c
}

// primaryBefore is the longest chain of names, attributes and literal indexes at the end of text, such as a.b["x"].c.
func primaryBefore(text string) string {
	i := len(text)
	for i > 0 {
		j := i
		for j > 0 && isNameByte(text[j-1]) {
			j--
		}
		switch {
		case j < i && j > 0 && text[j-1] == '.': // .name: go on before the dot
			i = j - 1
			continue
		case j < i:
			return text[j:]
		case text[i-1] == ']':
			k := openingBracket(text, i-1)
			if k < 0 {
				return text[i:]
			}
			i = k
			continue
		}
		break
	}
	return strings.TrimPrefix(text[i:], ".")
}

// openingBracket is the index of the bracket that text[end] closes, -1 if there is none or the index is no literal.
func openingBracket(text string, end int) int {
	for k := end - 1; k >= 0; k-- {
		if text[k] != '[' {
			continue
		}
		inner := strings.TrimSpace(text[k+1 : end])
		if len(inner) >= 2 && (inner[0] == '"' || inner[0] == '\'') && endOfString(inner, 0) == len(inner)-1 {
			return k
		}
		if inner != "" && strings.Trim(inner, "0123456789") == "" {
			return k
		}
	}
	return -1
}

// walkStar calls f with the path of every Starlark file of a file system.
func walkStar(fsys fs.FS, f func(path string)) {
	fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".star") && !strings.HasSuffix(path, "_test.star") {
			f(path)
		}
		return nil
	})
}
