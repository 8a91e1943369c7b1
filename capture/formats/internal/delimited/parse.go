package delimited

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// parser reads chunks one after the other; each core has its own.
type parser struct {
	f      *File
	specs  []Spec
	buf    []byte
	cols   []parserCol
	ints   []int32 // of each column, how many from it on are ones of integers
	run    run
	number []byte // scratch
	tally  memory.Tally
}

// parserCol is a column while a chunk is read.
type parserCol struct {
	chunkCol
	want Want
}

// chunkList is a column in one chunk whose values are not packed: of text or times.
type chunkList struct {
	times []int64
	codes []int32
	names []string // the chunk's own dictionary
	last  string   // the text of the row before and its code
	code  int32
	index map[string]int32 // nil until there is a text
}

func newParser(f *File, specs []Spec) *parser {
	p := &parser{f: f, specs: specs}
	p.tally.Must(uint64(len(specs)) * uint64(unsafe.Sizeof(parserCol{})+4))
	p.cols, p.ints = make([]parserCol, len(specs)), make([]int32, len(specs))
	p.run.init(specs)
	return p
}

// parse reads one chunk.
func (p *parser) parse(ch *chunk) error {
	text, err := p.take(ch)
	if err != nil || len(text) == 0 {
		return err
	}
	for {
		if err := p.reset(); err != nil {
			return err
		}
		cut, err := p.rows(ch, text)
		if err != nil {
			return err
		}
		if cut < 0 {
			break
		}
		// Read again without the unfinished row, so that nothing of it is left in the columns.
		text, ch.open, ch.packed, ch.rows = text[:cut], false, capture.Packed{}, 0
	}
	if err := p.tally.Add(uint64(len(p.cols)) * uint64(unsafe.Sizeof(chunkCol{}))); err != nil {
		return fmt.Errorf("%s: %w", p.f.Name, err)
	}
	ch.cols = make([]chunkCol, len(p.cols))
	for i := range p.cols {
		if list := p.cols[i].list; list != nil {
			list.index = nil
		}
		ch.cols[i] = p.cols[i].chunkCol
		p.cols[i] = parserCol{}
	}
	return nil
}

// reset makes the columns ready for the rows of a chunk.
func (p *parser) reset() error {
	ints := int32(0)
	for i := len(p.cols) - 1; i >= 0; i-- {
		c := parserCol{want: p.specs[i].Want}
		if ints++; c.want != Number {
			ints = 0
		}
		if c.want == Time || c.want == Text {
			c.list = &chunkList{code: -1}
		}
		p.cols[i], p.ints[i] = c, ints
	}
	return p.run.begin(p.f)
}

// rows reads the rows of text. Where the last row of the file is cut off it returns where that begins, else cut is -1.
func (p *parser) rows(ch *chunk, text []byte) (cut int, err error) {
	row, line, pos := 0, 0, 0
	for pos < len(text) {
		if b := text[pos]; b == '\n' || b == '\r' || b == '#' || p.f.again != nil && b == p.f.again[0] {
			n, lines := p.f.skipLines(text[pos:])
			pos, line = pos+n, line+lines
			if pos >= len(text) {
				break
			}
		}
		next, lines, bad := p.row(text, pos, row)
		if bad != nil {
			err := bad.at(p.f, line, text, pos)
			if ch.open && (bad.unclosed || bytes.IndexByte(text[pos:], '\n') == len(text)-1-pos) {
				ch.cut = err
				return pos, nil
			}
			return -1, err
		}
		pos, line = next, line+lines
		if row++; row == p.run.most {
			if err := p.pack(ch, row); err != nil {
				return -1, err
			}
			row = 0
		}
	}
	ch.lines = line
	return -1, p.pack(ch, row)
}

// row reads the row at pos and returns where the next one begins and how many lines it takes.
func (p *parser) row(buf []byte, pos, row int) (next, lines int, rerr *rowError) {
	delim := p.f.Delim
	lastCol := len(p.cols) - 1
	lines = 1
	for i := 0; i <= lastCol; i++ {
		if k := min(int(p.ints[i]), lastCol-i); k > 0 {
			var n int
			if n, pos = digitCells(p.run.of(i)[row:], p.run.stride, k, buf, pos, delim); n > 0 {
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
					p.setInteger(i, row, m)
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
		}
		if c.want == Number || c.want == Time {
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

// store puts a number into a column of numbers or times; false means that its text needs the slow way.
func (p *parser) store(i, row int, n number, text []byte) bool {
	if p.cols[i].want == Time {
		ns, ok := p.specs[i].Unit.nanoseconds(n)
		if ok {
			p.setTime(i, ns)
		}
		return ok
	}
	if u, ok := n.uint64(); ok {
		p.setInteger(i, row, u)
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

// largestWhole is up to where all whole numbers are doubles.
const largestWhole = 1 << 53

func (p *parser) setInteger(i, row int, u uint64) {
	c := &p.cols[i]
	if u > largestWhole && float64(u) > largestWhole {
		c.fraction = true
	}
	if c.float {
		u = math.Float64bits(float64(u))
	}
	p.run.of(i)[row] = u
}

func (p *parser) setFloat(i, row int, f float64) {
	c := &p.cols[i]
	if !c.float {
		p.run.toFloats(i, row, c.miss)
		c.float = true
		for k, n := i, int32(0); k >= 0 && p.ints[k] > n; k-- {
			p.ints[k] = n
			n++
		}
	}
	c.fraction = c.fraction || f != math.Trunc(f) || math.Abs(f) > largestWhole
	p.run.of(i)[row] = math.Float64bits(f)
}

func (p *parser) setMissing(i, row, form int) {
	c := &p.cols[i]
	c.forms |= 1 << form
	at := p.run.base + row
	for len(c.miss) <= at>>6 {
		c.miss = append(c.miss, 0)
	}
	c.miss[at>>6] |= 1 << (at & 63)
	var v uint64
	if c.float {
		v = math.Float64bits(math.NaN())
	}
	p.run.of(i)[row] = v
}

func (p *parser) setTime(i int, ns int64) {
	list := p.cols[i].list
	list.times = memory.Append(&p.tally, list.times, ns)
}

// slowCell reads every kind of cell that row does not read itself.
func (p *parser) slowCell(buf []byte, cell *cell, i, row int) *rowError {
	c := &p.cols[i]
	switch c.want {
	case Text:
		p.setText(c.list, buf, cell)
		return nil
	case Skip:
		return nil
	}
	text := bytes.TrimSpace(buf[cell.from:cell.to])
	p.number = append(append(p.number[:0], text...), '\n')
	n, q, ok := scanNumber(p.number, 0, p.f.Decimal)
	ok = ok && q == len(text)
	if c.want == Time {
		return p.timeCell(n, ok, text, i)
	}
	switch {
	case ok && p.store(i, row, n, text):
		return nil
	case ok:
		return p.badCell(i, quoteCell(text)+" is beyond the range of a double")
	}
	if form := missingForm(text); form >= 0 {
		p.setMissing(i, row, form)
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

func (p *parser) timeCell(n number, ok bool, text []byte, i int) *rowError {
	if ok {
		ns, fits := p.specs[i].Unit.nanoseconds(n)
		if !fits {
			return p.badCell(i, quoteCell(text)+" is too large for a time in 64 bits of nanoseconds")
		}
		p.setTime(i, ns)
		return nil
	}
	if t, ok := parseDate(string(text)); ok {
		p.setTime(i, t.UnixNano())
		return nil
	}
	if ns, ok := parseElapsed(string(text)); ok {
		p.setTime(i, ns)
		return nil
	}
	if len(text) == 0 {
		return p.badCell(i, "the time is empty")
	}
	return p.badCell(i, quoteCell(text)+" is not a time")
}

func (p *parser) setText(c *chunkList, buf []byte, cell *cell) {
	b := buf[cell.from:cell.to]
	if !cell.quoted {
		b = bytes.TrimSpace(b)
	}
	if len(b) == 0 {
		c.codes = memory.Append(&p.tally, c.codes, -1)
		return
	}
	if c.code >= 0 && !cell.escaped && string(b) == c.last {
		c.codes = memory.Append(&p.tally, c.codes, c.code)
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
	c.codes = memory.Append(&p.tally, c.codes, code)
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
