package delimited

import (
	"bytes"
	"strings"
)

// cell is one field of a row: its content lies in buf[from:to].
type cell struct {
	from, to int
	next     int  // where the next cell or row begins
	eol      bool // it was the last of its row
	quoted   bool
	escaped  bool // holds "" for "
	lines    int  // line ends inside the quotes
	trailing bool // something stands between the closing quote and the delimiter
}

// nextCell finds the cell that begins at p. A quote opens only at the start of a cell, after blanks at most; anywhere else it is an
// ordinary character. ok is false where buf ends first.
func nextCell(buf []byte, p int, delim byte) (c cell, ok bool) {
	q := p
	for q < len(buf) && buf[q] == ' ' && delim != ' ' {
		q++
	}
	if q < len(buf) && buf[q] == '"' {
		return quotedCell(buf, q+1, delim)
	}
	for q < len(buf) && buf[q] != delim && buf[q] != '\n' {
		q++
	}
	if q == len(buf) {
		return c, false
	}
	c = cell{from: p, to: q, next: q + 1, eol: buf[q] == '\n'}
	if c.eol && c.to > p && buf[c.to-1] == '\r' {
		c.to--
	}
	return c, true
}

func quotedCell(buf []byte, p int, delim byte) (c cell, ok bool) {
	c = cell{from: p, quoted: true}
	for {
		i := bytes.IndexByte(buf[p:], '"')
		if i < 0 {
			return c, false
		}
		p += i + 1
		if p < len(buf) && buf[p] == '"' {
			c.escaped = true
			p++
			continue
		}
		break
	}
	c.to = p - 1
	c.lines = bytes.Count(buf[c.from:c.to], []byte{'\n'})
	for q := p; q < len(buf); q++ {
		switch b := buf[q]; {
		case b == delim, b == '\n':
			c.next, c.eol = q+1, b == '\n'
			return c, true
		case b != ' ' && b != '\t' && b != '\r':
			c.trailing = true
		}
	}
	return c, false
}

// text is the content of a cell as a string of its own.
func (c *cell) text(buf []byte) string {
	b := buf[c.from:c.to]
	if !c.quoted {
		b = bytes.TrimSpace(b)
	}
	if c.escaped {
		return strings.ReplaceAll(string(b), `""`, `"`)
	}
	return string(b)
}

// row returns the cells of the row that begins buf, its length in bytes and in lines. ok is false where buf ends first.
func (f *File) row(buf []byte) (cells []string, next, lines int, ok bool) {
	p := 0
	for {
		c, ok := nextCell(buf, p, f.Delim)
		if !ok {
			return nil, 0, 0, false
		}
		cells = append(cells, c.text(buf))
		p, lines = c.next, lines+c.lines
		if c.eol {
			return cells, p, lines + 1, true
		}
	}
}

// skipLines returns the length, in bytes and lines, of the blank and comment lines that begin buf.
func skipLines(buf []byte) (n, lines int) {
	for n < len(buf) {
		switch {
		case buf[n] == '\n':
			n++
		case buf[n] == '\r' && n+1 < len(buf) && buf[n+1] == '\n':
			n += 2
		case buf[n] == '#':
			i := bytes.IndexByte(buf[n:], '\n')
			if i < 0 {
				return len(buf), lines
			}
			n += i + 1
		default:
			return n, lines
		}
		lines++
	}
	return n, lines
}
