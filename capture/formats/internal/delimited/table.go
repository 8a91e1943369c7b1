package delimited

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"strings"
	"sync/atomic"

	"astrolabe/capture"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// Want is what a column shall be read as.
type Want uint8

const (
	Skip   Want = iota
	Number      // exact unsigned integers, else doubles
	Text        // dictionary coded
	Time        // nanoseconds
)

// Spec says how to read one column.
type Spec struct {
	Want Want
	Unit TimeUnit // of a Time
	// ends the message about a cell that cannot be read, such as "; option labels=[%q] reads it as text": a format for
	// the column's name
	Hint string
}

// Column is one column that has been read. Only the fields of its Want mean something.
type Column struct {
	Num     *capture.Column
	Whole   bool   // Num holds doubles that are all whole and below 2^53
	Missing int    // number of missing values in Num
	forms   uint16 // how they are spelled in the file, bits of missingForms

	Codes []int32 // index into Dict, -1 for an empty cell
	Dict  []string

	Times []int64
}

// Table is the rows of a file as columns, one for each column of the header.
type Table struct {
	Rows     int
	Warnings []string
	cols     []column
	packed   capture.Packed // columns of numbers
	file     *File
	chunks   []chunk
}

// column is a Column as it is kept: a table may have a million of them, nearly all of which are numbers without holes.
type column struct {
	num   *capture.Column // of Number
	whole bool
	holes *holes // nil where no number is missing
	list  *list  // of Text and Time
}

type holes struct {
	n     int
	forms uint16 // bits of missingForms
}

type list struct {
	codes []int32
	dict  []string
	times []int64
}

// chunkCol is what is known of one column in one chunk.
type chunkCol struct {
	miss     []uint64   // a bit for each missing row; nil if there are none
	list     *chunkList // of Text and Time
	forms    uint16
	float    bool // a value is no integer
	fraction bool // a value is not whole, or beyond 2^53
}

// Col is column i of the file.
func (t *Table) Col(i int) Column {
	c := &t.cols[i]
	out := Column{Num: c.num, Whole: c.whole}
	if c.list != nil {
		out.Codes, out.Dict, out.Times = c.list.codes, c.list.dict, c.list.times
	}
	if h := c.holes; h != nil {
		out.Missing, out.forms = h.n, h.forms
	}
	return out
}

// columnRoom is what a column takes beside its values while a file is read, in bytes.
const columnRoom = 512

// Read reads the columns as specs says, one for each column of the header. It adds the bytes of the file to the meter
// of ctx. An error is an *Error wherever a line is to blame, and it is the first one in the file.
func (f *File) Read(ctx context.Context, specs []Spec) (*Table, error) {
	if err := memory.Room(uint64(len(specs)) * columnRoom); err != nil {
		return nil, fmt.Errorf("%s: %d columns: %w", f.Name, len(specs), err)
	}
	t := &Table{file: f, cols: make([]column, len(specs))}
	workers := runtime.GOMAXPROCS(0)
	if err := t.readChunks(ctx, specs, workers); err != nil {
		return nil, err
	}
	for i := range t.chunks {
		c := &t.chunks[i]
		c.base = t.Rows
		t.Rows += c.rows
		t.packed.Append(&c.packed)
		c.packed = capture.Packed{}
		if c.cut != nil {
			t.Warnings = append(t.Warnings, fmt.Sprintf("%s:%d: truncated: the last line is cut off (%s): it is left out",
				f.Name, c.cut.Line, c.cut.Msg))
		}
	}
	number := make([]int, len(specs)) // of each column among those that are packed
	n := 0
	for i, s := range specs {
		if number[i] = n; s.Want == Number {
			n++
		}
	}
	parallel(len(specs), workers, func(i int) {
		switch specs[i].Want {
		case Number:
			t.joinNumbers(i, number[i])
		case Text:
			t.joinTexts(i)
		case Time:
			t.joinTimes(i)
		}
	})
	for i := range t.chunks {
		t.chunks[i].cols = nil
	}
	return t, nil
}

// readChunks reads the file in pieces that end where a line does, and from the first on that has quotes in those that
// end where a row does.
func (t *Table) readChunks(ctx context.Context, specs []Spec, workers int) error {
	f := t.file
	if f.data >= f.size {
		return nil
	}
	size := f.pieceSize(workers)
	t.chunks = f.pieces(size)
	done, line, err := t.parseAll(ctx, specs, workers, t.chunks, f.dataLine)
	if !errors.Is(err, errQuotes) {
		return err
	}
	from := f.data
	for i := range done {
		from = max(from, t.chunks[i].to)
	}
	rest, fault := f.scanQuoted(ctx, from, line, size)
	t.chunks = append(t.chunks[:done:done], rest...)
	if _, _, err := t.parseAll(ctx, specs, workers, t.chunks[done:], line); err != nil {
		return err
	}
	return fault
}

// parseAll reads chunks, of which the first begins in line. It returns how many there are before the first that has an
// error, the line behind them, and the error.
func (t *Table) parseAll(ctx context.Context, specs []Spec, workers int, chunks []chunk, line int) (int, int, error) {
	errs := make([]error, len(chunks))
	var next, stop atomic.Int64
	stop.Store(int64(len(chunks)))
	meter := progress.From(ctx)
	var wg memory.Group
	for range min(workers, len(chunks)) {
		wg.Go(func() {
			p := newParser(t.file, specs)
			for {
				i := next.Add(1) - 1
				// Chunks before a failed one are read to the end: theirs may be the first error of the file.
				if i >= stop.Load() {
					return
				}
				c := &chunks[i]
				size := c.to - c.from
				if !c.loose {
					size -= size / scanShare
				}
				err := ctx.Err()
				if err == nil {
					err = p.parse(c)
				}
				if err == nil {
					meter.Add(size)
					continue
				}
				errs[i] = err
				for {
					old := stop.Load()
					if old <= i || stop.CompareAndSwap(old, i) {
						break
					}
				}
			}
		})
	}
	wg.Wait()
	for i := range chunks {
		c := &chunks[i]
		if err := errs[i]; err != nil {
			if e, ok := err.(*Error); ok {
				e.Line += line
			}
			return i, line, err
		}
		if c.cut != nil {
			c.cut.Line += line
		}
		c.line = line
		line += c.lines
	}
	return len(chunks), line, nil
}

// joinNumbers joins the chunks of a numeric column, one of those that are packed.
func (t *Table) joinNumbers(col, number int) {
	out := &t.cols[col]
	var missing holes
	float, fraction := false, false
	for i := range t.chunks {
		if t.chunks[i].rows == 0 {
			continue
		}
		c := &t.chunks[i].cols[col]
		float, fraction = float || c.float, fraction || c.fraction
		missing.forms |= c.forms
		for _, w := range c.miss {
			missing.n += bits.OnesCount64(w)
		}
	}
	var valid capture.Bitmap
	if missing.n > 0 {
		out.holes, valid = &missing, t.validity(col)
	}
	if !float && (missing.n < t.Rows || t.Rows == 0) {
		out.num = t.packed.Integers(number, valid)
		return
	}
	out.num, out.whole = t.packed.Doubles(number, valid), missing.n < t.Rows && !fraction
}

func (t *Table) validity(col int) capture.Bitmap {
	valid := capture.NewBitmap(t.Rows)
	for i := range t.chunks {
		ch := &t.chunks[i]
		if ch.rows == 0 {
			continue
		}
		for w, word := range ch.cols[col].miss {
			for ; word != 0; word &= word - 1 {
				valid.Clear(ch.base + w*64 + bits.TrailingZeros64(word))
			}
		}
	}
	return valid
}

// joinTexts joins codes and dictionaries of the chunks in the order of the file.
func (t *Table) joinTexts(col int) {
	var tally memory.Tally
	tally.Must(4 * uint64(t.Rows))
	out := &list{codes: make([]int32, t.Rows)}
	t.cols[col].list = out
	index := map[string]int32{}
	var remap []int32
	for i := range t.chunks {
		ch := &t.chunks[i]
		if ch.rows == 0 {
			continue
		}
		from := ch.cols[col].list
		remap = remap[:0]
		for _, name := range from.names {
			k, ok := index[name]
			if !ok {
				tally.Must(textRoom)
				k = int32(len(out.dict))
				index[name] = k
				out.dict = append(out.dict, name)
			}
			remap = append(remap, k)
		}
		part := out.codes[ch.base : ch.base+ch.rows]
		for j, c := range from.codes {
			if part[j] = c; c >= 0 {
				part[j] = remap[c]
			}
		}
		ch.cols[col].list = nil
	}
}

// joinTimes joins the times of the chunks.
func (t *Table) joinTimes(col int) {
	var tally memory.Tally
	tally.Must(8 * uint64(t.Rows))
	out := &list{times: make([]int64, 0, t.Rows)}
	t.cols[col].list = out
	for i := range t.chunks {
		if ch := &t.chunks[i]; ch.rows > 0 {
			out.times = append(out.times, ch.cols[col].list.times...)
			ch.cols[col].list = nil
		}
	}
}

// MissingText says in words how the missing values of a column are spelled.
func (c *Column) MissingText() string {
	var parts []string
	for i, f := range missingForms {
		switch {
		case c.forms&(1<<i) == 0:
		case f == "":
			parts = append(parts, "an empty cell")
		default:
			parts = append(parts, `"`+f+`"`)
		}
	}
	if len(parts) == 0 {
		return "no value"
	}
	return strings.Join(parts, " or ")
}

// Line is the line of the file that row begins in, 0 if the file can no longer be read.
func (t *Table) Line(row int) int {
	for i := range t.chunks {
		ch := &t.chunks[i]
		if row < ch.base || row >= ch.base+ch.rows {
			continue
		}
		buf, err := t.file.read(ch.from, ch.to)
		if err != nil {
			return 0
		}
		buf = terminated(buf, true)
		line := ch.line
		for left := row - ch.base; ; left-- {
			n, lines := t.file.skipLines(buf)
			buf, line = buf[n:], line+lines
			if left == 0 {
				return line
			}
			_, n, lines, ok := t.file.row(buf)
			if !ok {
				return 0
			}
			buf, line = buf[n:], line+lines
		}
	}
	return 0
}

// parallel calls f(0) to f(n-1) on the given number of goroutines.
func parallel(n, workers int, f func(i int)) {
	var next atomic.Int64
	var wg memory.Group
	for range min(n, workers) {
		wg.Go(func() {
			for {
				i := int(next.Add(1) - 1)
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
}
