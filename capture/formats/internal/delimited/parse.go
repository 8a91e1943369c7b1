package delimited

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unsafe"

	"astrolabe/capture/memory"
)

// parser reads chunks one after the other; each core has its own.
type parser struct {
	f      *File
	specs  []Spec
	buf    []byte
	cols   []parserCol
	plain  [][]uint64 // dst of columns of integers, nil of others
	number []byte     // scratch
	tally  memory.Tally
}

// parserCol is a column while a chunk is read.
type parserCol struct {
	chunkCol
	dst  []uint64
	want Want
}

// chunkText is a column of text in one chunk.
type chunkText struct {
	names []string // the chunk's own dictionary
	codes []int32
	last  string // the text of the row before and its code
	code  int32
	index map[string]int32 // nil until there is a text
}

func newParser(f *File, specs []Spec) *parser {
	p := &parser{f: f, specs: specs}
	p.tally.Must(uint64(len(specs)) * uint64(unsafe.Sizeof(parserCol{})+unsafe.Sizeof([]uint64{})))
	p.cols, p.plain = make([]parserCol, len(specs)), make([][]uint64, len(specs))
	return p
}

// parse reads one chunk into its rows of mem and codes.
func (p *parser) parse(ch *chunk, cols []column) error {
	n := int(ch.to - ch.from)
	if cap(p.buf) < n+1 {
		p.buf = make([]byte, n+n/8+1)
	}
	p.buf = p.buf[:n]
	if err := p.f.readInto(p.buf, ch.from); err != nil {
		return err
	}
	if ch.open {
		p.buf = append(p.buf, '\n')
	}
	for {
		p.reset(ch, cols)
		rows, cut, err := p.rows(ch)
		if err != nil {
			return err
		}
		if cut < 0 {
			ch.rows = rows
			break
		}
		// Read again without the unfinished row, so that nothing of it is left in the columns.
		p.buf, ch.open = p.buf[:cut], false
	}
	if err := p.tally.Add(uint64(len(p.cols)) * uint64(unsafe.Sizeof(chunkCol{}))); err != nil {
		return fmt.Errorf("%s: %w", p.f.Name, err)
	}
	ch.cols = make([]chunkCol, len(p.cols))
	for i := range p.cols {
		if text := p.cols[i].text; text != nil {
			text.index = nil
		}
		ch.cols[i] = p.cols[i].chunkCol
		p.cols[i] = parserCol{}
	}
	return nil
}

// reset makes the columns ready for the rows of ch.
func (p *parser) reset(ch *chunk, cols []column) {
	for i := range p.cols {
		c := parserCol{want: p.specs[i].Want}
		switch c.want {
		case Number, Time:
			c.dst = cols[i].mem[ch.base : ch.base+ch.bound]
			memory.Populate(c.dst)
		case Text:
			c.text = &chunkText{codes: cols[i].texts.codes[ch.base : ch.base+ch.bound], code: -1}
		}
		p.cols[i] = c
		p.plain[i] = nil
		if c.want == Number {
			p.plain[i] = c.dst
		}
	}
}

// rows reads the rows of the buffer. Where the last row of the file is cut off it returns where that begins, else cut
// is -1.
func (p *parser) rows(ch *chunk) (rows, cut int, err error) {
	buf, row, line, pos := p.buf, 0, ch.line, 0
	for pos < len(buf) {
		if b := buf[pos]; b == '\n' || b == '\r' || b == '#' {
			n, lines := skipLines(buf[pos:])
			pos, line = pos+n, line+lines
			if pos >= len(buf) {
				break
			}
		}
		if row == ch.bound {
			// Every row of the right length has been counted, so this one is short.
			e := &rowError{ragged: true}
			return 0, -1, e.at(p.f, line, buf, pos)
		}
		next, lines, bad := p.row(buf, pos, row)
		if bad != nil {
			err := bad.at(p.f, line, buf, pos)
			if ch.open && (bad.unclosed || bytes.IndexByte(buf[pos:], '\n') == len(buf)-1-pos) {
				ch.cut = fmt.Sprintf("%s:%d: truncated: the last line is cut off (%s): it is left out",
					p.f.Name, line, err.Msg)
				return row, pos, nil
			}
			return 0, -1, err
		}
		pos, line = next, line+lines
		row++
	}
	return row, -1, nil
}

// row reads the row at pos and returns where the next one begins and how many lines it takes.
func (p *parser) row(buf []byte, pos, row int) (next, lines int, rerr *rowError) {
	delim := p.f.Delim
	lastCol := len(p.cols) - 1
	lines = 1
	for i := 0; i <= lastCol; i++ {
		if p.plain[i] != nil {
			var n int
			if n, pos = digitCells(buf, pos, p.plain[i:lastCol], row, delim); n > 0 {
				i += n - 1
				continue
			}
		}
		c := &p.cols[i]
		if c.want == Number {
			end := delim
			if i == lastCol {
				end = '\n'
			}
			// Nearly every cell of a large file is a few digits. How many cannot be foretold, so that a branch for each
			// would cost more than all else.
			if pos+17 <= len(buf) {
				text := binary.LittleEndian.Uint64(buf[pos:])
				n := countDigits(text)
				m := joinDigits(text << (64 - 8*n))
				if n == 8 {
					text = binary.LittleEndian.Uint64(buf[pos+8:])
					k := countDigits(text)
					m = m*tens[k] + joinDigits(text<<(64-8*k))
					n += k
				}
				next := pos + int(n)
				if buf[next] == end && n > 0 {
					if c.float {
						m = math.Float64bits(float64(m))
					}
					c.dst[row] = m
					pos = next + 1
					continue
				}
				if b := buf[next]; b == p.f.Decimal && b != 0 && n-1 < 8 {
					text = binary.LittleEndian.Uint64(buf[next+1:])
					k := countDigits(text)
					frac := joinDigits(text << (64 - 8*k))
					next += int(k) + 1
					// Up to 15 digits are exact, and so is their power of ten: the quotient is the nearest double. 12.0
					// is an integer.
					if k < 8 && frac > 0 && buf[next] == end {
						p.setFloat(i, row, float64(m*tens[k]+frac)/pow10[k])
						pos = next + 1
						continue
					}
				}
			}
			n, q, ok := scanNumber(buf, pos, p.f.Decimal)
			if ok {
				end, width := p.cellEnd(buf, q)
				if width > 0 && end == (i == lastCol) && p.store(i, row, n, buf[pos:q]) {
					pos = q + width
					continue
				}
			}
		}
		cell, ok := nextCell(buf, pos, delim)
		if !ok {
			return 0, 0, &rowError{unclosed: true, msg: "a quote that opens here never closes"}
		}
		if cell.eol != (i == lastCol) {
			return 0, 0, &rowError{ragged: true}
		}
		if cell.trailing {
			return 0, 0, p.badCell(i, "text stands after the closing quote of "+quoteCell(buf[cell.from:cell.to]))
		}
		if err := p.slowCell(buf, &cell, i, row); err != nil {
			return 0, 0, err
		}
		pos, lines = cell.next, lines+cell.lines
	}
	return pos, lines, nil
}

// digitCells reads cells of one to seven digits at pos into columns, which are nil where they are not ones of integers,
// and returns how many there were before one of another kind, and where that begins. It is all that a large file mostly
// needs, and apart from the rest so that everything in it stays in registers.
func digitCells(buf []byte, pos int, columns [][]uint64, row int, delim byte) (n, next int) {
	for n < len(columns) && pos >= 0 && pos+8 <= len(buf) {
		text := binary.LittleEndian.Uint64(buf[pos : pos+8])
		t := text ^ 0x3030303030303030
		// The highest bit of the first byte that is no digit, as in countDigits; of the last one if there is none, which
		// then is not the delimiter.
		at := uint(bits.TrailingZeros64(((t+0x7676767676767676)|t)&0x8080808080808080 | 1<<63))
		column := columns[n]
		if at < 8 || byte(text>>((at-7)&63)) != delim || row < 0 || row >= len(column) {
			break
		}
		column[row] = joinDigits(text << ((71 - at) & 63))
		pos += int(at>>3) + 1
		n++
	}
	return n, pos
}

// cellEnd says whether the byte at q ends a cell (width > 0) and with it the row.
func (p *parser) cellEnd(buf []byte, q int) (eol bool, width int) {
	switch buf[q] {
	case p.f.Delim:
		return false, 1
	case '\n':
		return true, 1
	case '\r':
		if buf[q+1] == '\n' {
			return true, 2
		}
	}
	return false, 0
}

// store puts a number into a numeric column; false means that its text needs the slow way.
func (p *parser) store(i, row int, n number, text []byte) bool {
	if u, ok := n.uint64(); ok {
		c := &p.cols[i]
		if c.float {
			u = math.Float64bits(float64(u))
		}
		c.dst[row] = u
		return true
	}
	f, ok := n.float64()
	if !ok {
		if f, ok = slowFloat(text); !ok {
			return false
		}
	}
	p.setFloat(i, row, f)
	return true
}

func (p *parser) setFloat(i, row int, f float64) {
	c := &p.cols[i]
	if !c.float {
		toFloats(c.dst[:row], c.miss)
		c.float, p.plain[i] = true, nil
	}
	c.dst[row] = math.Float64bits(f)
}

func (c *parserCol) setMissing(row, form int) {
	c.forms |= 1 << form
	for len(c.miss) <= row>>6 {
		c.miss = append(c.miss, 0)
	}
	c.miss[row>>6] |= 1 << (row & 63)
	if c.float {
		c.dst[row] = math.Float64bits(math.NaN())
	} else {
		c.dst[row] = 0
	}
}

// slowCell reads every kind of cell that row does not read itself.
func (p *parser) slowCell(buf []byte, cell *cell, i, row int) *rowError {
	c := &p.cols[i]
	switch c.want {
	case Text:
		p.setText(c.text, buf, cell, row)
		return nil
	case Skip:
		return nil
	}
	text := bytes.TrimSpace(buf[cell.from:cell.to])
	p.number = append(append(p.number[:0], text...), '\n')
	n, q, ok := scanNumber(p.number, 0, p.f.Decimal)
	ok = ok && q == len(text)
	if c.want == Time {
		return p.timeCell(c, row, n, ok, text, i)
	}
	switch {
	case ok && p.store(i, row, n, text):
		return nil
	case ok:
		return p.badCell(i, quoteCell(text)+" is beyond the range of a double")
	}
	if form := missingForm(text); form >= 0 {
		c.setMissing(row, form)
		return nil
	}
	if f, ok := infinity(text); ok {
		p.setFloat(i, row, f)
		return nil
	}
	if plain, ok := ungroup(text, p.f.Decimal); ok {
		n, _, _ := scanNumber(append(plain, '\n'), 0, p.f.Decimal)
		if p.store(i, row, n, plain) {
			return nil
		}
	}
	return p.badCell(i, quoteCell(text)+" is not a number")
}

func (p *parser) timeCell(c *parserCol, row int, n number, ok bool, text []byte, i int) *rowError {
	if ok {
		ns, fits := p.specs[i].Unit.nanoseconds(n)
		if !fits {
			return p.badCell(i, quoteCell(text)+" is too large for a time in 64 bits of nanoseconds")
		}
		c.dst[row] = uint64(ns)
		return nil
	}
	if t, ok := parseDate(string(text)); ok {
		c.dst[row] = uint64(t.UnixNano())
		return nil
	}
	if ns, ok := parseElapsed(string(text)); ok {
		c.dst[row] = uint64(ns)
		return nil
	}
	if len(text) == 0 {
		return p.badCell(i, "the time is empty")
	}
	return p.badCell(i, quoteCell(text)+" is not a time")
}

func (p *parser) setText(c *chunkText, buf []byte, cell *cell, row int) {
	b := buf[cell.from:cell.to]
	if !cell.quoted {
		b = bytes.TrimSpace(b)
	}
	if len(b) == 0 {
		c.codes[row] = -1
		return
	}
	if c.code >= 0 && !cell.escaped && string(b) == c.last {
		c.codes[row] = c.code
		return
	}
	code, ok := c.index[string(b)]
	if !ok || cell.escaped {
		text := string(b)
		if cell.escaped {
			text = strings.ReplaceAll(text, `""`, `"`)
		}
		text, _ = toUTF8(text)
		if code, ok = c.index[text]; !ok {
			if c.index == nil {
				c.index = map[string]int32{}
			}
			code = int32(len(c.names))
			p.tally.Must(uint64(len(text)) + textRoom)
			c.names = append(c.names, text)
			c.index[text] = code
		}
	}
	c.codes[row] = code
	c.last, c.code = c.names[code], code
}

// textRoom is what a text takes beside its bytes, in a list and a map, in bytes.
const textRoom = 128

// rowError is an error in a row whose line is not known yet.
type rowError struct {
	msg      string
	ragged   bool
	unclosed bool
}

func (p *parser) badCell(col int, what string) *rowError {
	msg := fmt.Sprintf("column %q: %s", p.f.Header[col], what)
	if hint := p.specs[col].Hint; hint != "" {
		msg += fmt.Sprintf(hint, p.f.Header[col])
	}
	return &rowError{msg: msg}
}

// at is the error with its place: the row that begins at pos.
func (e *rowError) at(f *File, line int, buf []byte, pos int) *Error {
	msg := e.msg
	if e.ragged {
		cells, _, _, _ := f.row(buf[pos:])
		s := "s"
		if len(cells) == 1 {
			s = ""
		}
		msg = fmt.Sprintf("the row has %d cell%s, the header has %d", len(cells), s, len(f.Header))
	}
	return &Error{f.Name, line, msg}
}

// quoteCell shows the text of a cell, shortened.
func quoteCell(b []byte) string {
	const show = 40
	if len(b) > show {
		return fmt.Sprintf("%q…", b[:show])
	}
	return fmt.Sprintf("%q", b)
}
