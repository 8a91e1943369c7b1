package delimited

import (
	"bytes"
	"strings"
	"unsafe"

	"astrolabe/capture/memory"
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

// nextCell finds the cell that begins at p. A quote opens only at the start of a cell, after blanks at most; anywhere
// else it is an ordinary character. ok is false where buf ends first.
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

// text is the content of a cell in the text of its row.
func (c *cell) text(row string) string {
	text := row[c.from:c.to]
	if !c.quoted {
		text = strings.TrimSpace(text)
	}
	if c.escaped {
		return strings.ReplaceAll(text, `""`, `"`)
	}
	return text
}

// row returns the cells of the row that begins buf, its length in bytes and in lines. ok is false where buf ends first.
// It panics where there is no room for them, see memory.Caught.
func (f *File) row(buf []byte) (cells []string, next, lines int, ok bool) {
	n, lines := 0, 1
	for eol := false; !eol; n++ {
		c, ok := nextCell(buf, next, f.Delim)
		if !ok {
			return nil, 0, 0, false
		}
		next, lines, eol = c.next, lines+c.lines, c.eol
	}
	// The cells are parts of one text, so that a row of a million takes two allocations.
	var tally memory.Tally
	tally.Must(uint64(next) + uint64(n)*uint64(unsafe.Sizeof("")))
	text := string(buf[:next])
	cells = make([]string, n)
	for i, p := 0, 0; i < n; i++ {
		c, _ := nextCell(buf, p, f.Delim)
		cells[i], p = c.text(text), c.next
	}
	return cells, next, lines, true
}

// skipLines returns the length, in bytes and lines, of the lines that begin buf and are no rows: blank ones, comments, and the header once more.
func (f *File) skipLines(buf []byte) (n, lines int) {
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
		case f.again != nil && bytes.HasPrefix(buf[n:], f.again):
			n += len(f.again)
		default:
			return n, lines
		}
		lines++
	}
	return n, lines
}
