package repl

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"astrolabe/builtins/notation"
)

// screen is as much of a terminal as readline uses: what a person sees, and where the cursor stands.
type screen struct {
	width    int
	rows     [][]string // one text for a cell; "" is the second of a wide character
	row, col int
}

func (s *screen) line(row int) []string {
	for len(s.rows) <= row {
		blank := make([]string, s.width)
		for i := range blank {
			blank[i] = " "
		}
		s.rows = append(s.rows, blank)
	}
	return s.rows[row]
}

func (s *screen) put(r rune) {
	n := notation.RuneCells(r)
	if n == 0 {
		if at := s.col - 1; at >= 0 {
			for at > 0 && s.line(s.row)[at] == "" {
				at--
			}
			s.line(s.row)[at] += string(r)
		}
		return
	}
	if s.col+n > s.width {
		s.row, s.col = s.row+1, 0
	}
	line := s.line(s.row)
	line[s.col] = string(r)
	if n == 2 {
		line[s.col+1] = ""
	}
	s.col += n
}

// show draws output of a program.
func (s *screen) show(out string) {
	for len(out) > 0 {
		if strings.HasPrefix(out, "\x1b[") {
			n := 2
			for n < len(out)-1 && (out[n] < 0x40 || out[n] > 0x7e) {
				n++
			}
			s.control(out[2:n], out[n])
			out = out[n+1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(out)
		out = out[n:]
		switch r {
		case '\r':
			s.col = 0
		case '\n':
			s.row++
		case '\b':
			s.col = max(0, min(s.col, s.width-1)-1)
		case '\a':
		default:
			s.put(r)
		}
	}
}

func (s *screen) control(args string, kind byte) {
	n, err := strconv.Atoi(args)
	if err != nil {
		n = 1
	}
	switch kind {
	case 'A':
		s.row = max(0, s.row-n)
	case 'C':
		s.col = min(s.width-1, s.col+n)
	case 'J':
		s.clear(s.row, s.col)
		for i := s.row + 1; i < len(s.rows); i++ {
			s.clear(i, 0)
		}
	case 'K':
		s.clear(s.row, 0)
	}
}

func (s *screen) clear(row, from int) {
	line := s.line(row)
	for i := min(from, s.width); i < s.width; i++ {
		line[i] = " "
	}
}

// text is one row as a person reads it.
func (s *screen) text(row int) string { return strings.TrimRight(strings.Join(s.line(row), ""), " ") }

// flat is the text of every row.
func flat(s *screen) (out []string) {
	for i := range s.rows {
		out = append(out, s.text(i))
	}
	return out
}
