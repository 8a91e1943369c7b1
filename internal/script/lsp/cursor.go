package lsp

import "strings"

// token is a piece of the text before the cursor.
type token struct {
	kind       byte // n name, d number, s string, o operator, or the bracket or dot itself
	start, end int
	open       int // of a closing bracket: the token that it closes, -1 where there is none
}

// cursor says what the text before a place asks for.
type cursor struct {
	prefix  string // what has been typed of the word, or of the string
	start   int    // where it begins
	comment bool   // prefix is a comment, with its #
	str     bool   // inside a string
	base    string // the expression before the dot; of a string, what is indexed or called
	dot     bool   // base.prefix
	index   bool   // base["prefix
	arg     int    // of a string that is an argument: how many stand before it
	keyword string // of a string that is an argument: its name, "" where it has none
	call    string // the function whose arguments the place is among
	first   int    // where the outermost open bracket, or else the word, begins
	site    site
}

// site is the innermost call whose argument a place is part of, at whatever depth.
type site struct {
	fn      string // the function, "" where there is none
	arg     int    // how many arguments stand before this one
	keyword string // the name of the argument, "" where it has none
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// cursorAt reads a text up to a place. It needs no valid syntax.
func cursorAt(text string) cursor {
	var tokens []token
	var open []int // tokens of the brackets that are open
	add := func(kind byte, start, end int) { tokens = append(tokens, token{kind, start, end, -1}) }
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\\':
			i++
		case c == '#':
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return cursor{comment: true, prefix: text[i:], start: i, first: i}
			}
			i += end
		case c == '"' || c == '\'':
			begin, end, closed := stringEnd(text, i)
			if !closed && end == len(text) {
				return stringCursor(text, tokens, open, begin)
			}
			add('s', i, end)
			i = end
		case isNameByte(c):
			end := i
			for end < len(text) && isNameByte(text[end]) {
				end++
			}
			kind := byte('n')
			if c >= '0' && c <= '9' {
				kind = 'd'
				for end < len(text) && (text[end] == '.' || isNameByte(text[end])) {
					end++
				}
			}
			add(kind, i, end)
			i = end
		case c == '(' || c == '[' || c == '{':
			open = append(open, len(tokens))
			add(c, i, i+1)
			i++
		case c == ')' || c == ']' || c == '}':
			add(c, i, i+1)
			if n := len(open); n > 0 {
				tokens[len(tokens)-1].open = open[n-1]
				open = open[:n-1]
			}
			i++
		case c == '.' || c == ',' || c == '=':
			add(c, i, i+1)
			i++
		default:
			add('o', i, i+1)
			i++
		}
	}
	cur := cursor{start: len(text), site: siteOf(text, tokens, open)}
	last := len(tokens) - 1
	if last >= 0 && tokens[last].kind == 'n' && tokens[last].end == len(text) {
		cur.start, cur.prefix = tokens[last].start, text[tokens[last].start:]
		last--
	}
	cur.first = cur.start
	if len(open) > 0 {
		cur.first = tokens[open[0]].start
	}
	if last >= 0 && tokens[last].kind == '.' {
		cur.dot, cur.base = true, primary(text, tokens[:last])
		return cur
	}
	if n := len(open); n > 0 && tokens[open[n-1]].kind == '(' {
		cur.call = primary(text, tokens[:open[n-1]])
	}
	return cur
}

// stringEnd finds the end of the string that begins at a quote, and where its text begins. A string with one quote that
// is not closed ends with its line.
func stringEnd(text string, i int) (begin, end int, closed bool) {
	quote := text[i : i+1]
	if strings.HasPrefix(text[i:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	begin = i + len(quote)
	for j := begin; j < len(text); j++ {
		switch {
		case text[j] == '\\':
			j++
		case text[j] == '\n' && len(quote) == 1:
			return begin, j, false
		case strings.HasPrefix(text[j:], quote):
			return begin, j + len(quote), true
		}
	}
	return begin, len(text), false
}

// stringCursor is the cursor inside a string whose text begins at begin.
func stringCursor(text string, tokens []token, open []int, begin int) cursor {
	c := cursor{str: true, prefix: text[begin:], start: begin, first: begin, site: siteOf(text, tokens, open)}
	if len(open) == 0 {
		return c
	}
	c.first = tokens[open[0]].start
	at := open[len(open)-1]
	inside := tokens[at+1:]
	switch {
	case tokens[at].kind == '[' && len(inside) == 0:
		c.index, c.base = true, primary(text, tokens[:at])
	case tokens[at].kind == '(':
		c.base = primary(text, tokens[:at])
		c.call = c.base
		c.arg, _ = arguments(text, inside)
		if n := len(inside); n >= 2 && inside[n-1].kind == '=' && inside[n-2].kind == 'n' {
			c.keyword = text[inside[n-2].start:inside[n-2].end]
		} else if n > 0 && inside[n-1].kind != ',' {
			c.base = "" // a part of an argument, which is no name
		}
	}
	return c
}

// arguments counts those that end in tokens, and returns the tokens of the one that does not.
func arguments(text string, tokens []token) (before int, last []token) {
	depth, from := 0, 0
	lambda := false // before its colon
	for i, t := range tokens {
		switch {
		case strings.IndexByte("([{", t.kind) >= 0:
			depth++
		case strings.IndexByte(")]}", t.kind) >= 0:
			depth--
		case depth > 0:
		case t.kind == 'n' && text[t.start:t.end] == "lambda":
			lambda = true
		case t.kind == 'o' && text[t.start] == ':':
			lambda = false
		case t.kind == ',' && !lambda:
			before, from = before+1, i+1
		}
	}
	return before, tokens[from:]
}

// siteOf finds the call that the end of tokens is in.
func siteOf(text string, tokens []token, open []int) site {
	for n := len(open) - 1; n >= 0; n-- {
		at := open[n]
		if tokens[at].kind != '(' {
			continue
		}
		fn := primary(text, tokens[:at])
		if fn == "" {
			continue // a bracket of an expression
		}
		if definesFunction(text, tokens[:at]) {
			return site{}
		}
		arg, last := arguments(text, tokens[at+1:])
		s := site{fn: fn, arg: arg}
		if len(last) >= 2 && last[0].kind == 'n' && last[1].kind == '=' &&
			(len(last) == 2 || last[2].kind != '=' || last[2].start != last[1].end) {
			s.keyword = text[last[0].start:last[0].end]
		}
		return s
	}
	return site{}
}

// definesFunction reports whether tokens end in "def NAME".
func definesFunction(text string, tokens []token) bool {
	n := len(tokens)
	return n >= 2 && tokens[n-1].kind == 'n' && tokens[n-2].kind == 'n' && text[tokens[n-2].start:tokens[n-2].end] == "def"
}

// primary is the longest chain of names, attributes, calls and indexes at the end of tokens, "" where there is none.
func primary(text string, tokens []token) string {
	if len(tokens) == 0 {
		return ""
	}
	end := tokens[len(tokens)-1].end
	for i := len(tokens) - 1; i >= 0; {
		t := tokens[i]
		switch t.kind {
		case 'n':
			if i >= 2 && tokens[i-1].kind == '.' {
				i -= 2
				continue
			}
			return text[t.start:end]
		case 's':
			return text[t.start:end]
		case ')', ']', '}':
			if t.open < 0 {
				return ""
			}
			if before := t.open - 1; t.kind != '}' && before >= 0 &&
				strings.IndexByte("n)]s", tokens[before].kind) >= 0 {
				i = before
				continue
			}
			return text[tokens[t.open].start:end]
		default:
			return ""
		}
	}
	return ""
}
