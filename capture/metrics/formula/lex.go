package formula

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokNumber
	tokName   // an identifier, or a name after $
	tokSymbol // an operator or a bracket
)

type token struct {
	kind     tokenKind
	text     string // of a name: without $
	dollar   bool
	value    float64
	pos, end int
}

func (t token) is(symbol string) bool { return t.kind == tokSymbol && t.text == symbol }

func (t token) describe() string {
	switch t.kind {
	case tokEnd:
		return "the end of the formula"
	case tokNumber:
		return "the number " + t.text
	case tokName:
		if t.dollar {
			return "$" + t.text
		}
		return t.text
	}
	return strconv.Quote(t.text)
}

// symbols lists the operators, longer ones before their prefixes.
var symbols = [...]string{
	"&&", "||", "==", "!=", "<=", ">=", "//", "**",
	"+", "-", "*", "/", "%", "(", ")", ",", "<", ">", "!",
}

// lexer turns a source into tokens, one at a time.
type lexer struct {
	dialect Dialect
	src     string
	at      int
}

func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

func (l *lexer) next() (token, *SyntaxError) {
	for l.at < len(l.src) && isSpace(l.src[l.at]) {
		l.at++
	}
	if l.at == len(l.src) {
		return token{kind: tokEnd, pos: l.at, end: l.at}, nil
	}
	c := l.src[l.at]
	switch {
	case isDigit(c) || c == '.' && l.at+1 < len(l.src) && isDigit(l.src[l.at+1]):
		return l.number()
	case c == '$':
		return l.dollarName()
	case isLetter(c):
		start := l.at
		end := l.nameEnd(start)
		l.at = end
		return token{kind: tokName, text: l.src[start:end], pos: start, end: end}, nil
	}
	for _, s := range symbols {
		if len(l.src)-l.at >= len(s) && l.src[l.at:l.at+len(s)] == s {
			t := token{kind: tokSymbol, text: s, pos: l.at, end: l.at + len(s)}
			l.at = t.end
			return t, nil
		}
	}
	r, _ := utf8.DecodeRuneInString(l.src[l.at:])
	err := &SyntaxError{Dialect: l.dialect, Src: l.src, Col: l.at + 1, Msg: fmt.Sprintf("unexpected character %q", r)}
	switch r {
	case '=':
		err.Hint = "a comparison is written =="
	case '&', '|':
		err.Hint = fmt.Sprintf("a logical operator is written %c%c", r, r)
	case '×', '·':
		err.Hint = "multiplication is written *"
	case '÷':
		err.Hint = "division is written /"
	case '−', '–':
		err.Hint = "the minus sign is the ASCII hyphen -"
	case '[', '{':
		err.Hint = "use round brackets"
	}
	return token{}, err
}

func (l *lexer) number() (token, *SyntaxError) {
	start, i, s := l.at, l.at, l.src
	digits := func() {
		for i < len(s) && isDigit(s[i]) {
			i++
		}
	}
	digits()
	if i < len(s) && s[i] == '.' {
		i++
		digits()
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if i < len(s) && isDigit(s[i]) {
			digits()
		} else {
			i = j
		}
	}
	v, err := strconv.ParseFloat(s[start:i], 64)
	if err != nil {
		return token{}, &SyntaxError{Dialect: l.dialect, Src: s, Col: start + 1, Msg: "number " +
			s[start:i] + " does not fit a double"}
	}
	if i < len(s) && isLetter(s[i]) {
		return token{}, &SyntaxError{Dialect: l.dialect, Src: s, Col: i + 1,
			Msg:  fmt.Sprintf("letter %q directly after the number %s", s[i], s[start:i]),
			Hint: "multiplication needs a *"}
	}
	l.at = i
	return token{kind: tokNumber, text: s[start:i], value: v, pos: start, end: i}, nil
}

func (l *lexer) dollarName() (token, *SyntaxError) {
	start := l.at
	end := l.nameEnd(start + 1)
	if end == start+1 {
		return token{}, &SyntaxError{Dialect: l.dialect, Src: l.src, Col: start + 1, Msg: "$ without a name after it"}
	}
	l.at = end
	return token{kind: tokName, text: l.src[start+1 : end], dollar: true, pos: start, end: end}, nil
}

// nameEnd returns the end of the name that starts at i: letters, digits, dots, colons within, and index brackets such
// as [0], [0..N] and [xcc0/ch3]. A bracket that never closes is no part of a name.
func (l *lexer) nameEnd(i int) int {
	s := l.src
	for i < len(s) {
		switch c := s[i]; {
		case isLetter(c) || isDigit(c):
			i++
		case c == '.' && i+1 < len(s) && (isLetter(s[i+1]) || isDigit(s[i+1])):
			i++
		case c == '[':
			j := i + 1
			for j < len(s) && (isLetter(s[j]) || isDigit(s[j]) || s[j] == '.' || s[j] == '/' || s[j] == ':' ||
				s[j] == '-') {
				j++
			}
			if j == i+1 || j == len(s) || s[j] != ']' {
				return i
			}
			i = j + 1
		default:
			return i
		}
	}
	return i
}
