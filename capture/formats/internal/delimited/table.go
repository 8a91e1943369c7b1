package delimited

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

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
	Num     capture.Data
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
	file     *File
	chunks   []chunk
}

// column is a Column as it is kept: a table may have a million of them, nearly all of which are numbers without holes.
type column struct {
	mem   []uint64 // of Number and Time
	float bool     // mem are the bits of doubles
	whole bool
	holes *holes // nil where no number is missing
	texts *texts // of Text
}

type holes struct {
	n     int
	forms uint16 // bits of missingForms
	valid capture.Bitmap
}

type texts struct {
	codes []int32
	dict  []string
}

// chunkCol is what is known of one column in one chunk.
type chunkCol struct {
	miss  []uint64   // a bit for each missing row; nil if there are none
	text  *chunkText // of Text
	forms uint16
	float bool // the values are bits of doubles
}

// Col is column i of the file.
func (t *Table) Col(i int) Column {
	c := &t.cols[i]
	out := Column{Whole: c.whole}
	if c.texts != nil {
		out.Codes, out.Dict = c.texts.codes, c.texts.dict
	}
	if c.mem == nil {
		return out
	}
	out.Times = unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(c.mem))), len(c.mem))
	if c.float {
		out.Num.F = unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(c.mem))), len(c.mem))
	} else {
		out.Num.U = c.mem
	}
	if h := c.holes; h != nil {
		out.Num.Valid, out.Missing, out.forms = h.valid, h.n, h.forms
	}
	return out
}

// columnRoom is what a column takes beside its values while a file is read, in bytes.
const columnRoom = 256

// Read reads the columns as specs says, one for each column of the header. It adds the bytes of the file to the meter
// of ctx. An error is an *Error wherever a line is to blame, and it is the first one in the file.
func (f *File) Read(ctx context.Context, specs []Spec) (*Table, error) {
	workers := runtime.GOMAXPROCS(0)
	chunks, err := f.scan(ctx, workers)
	if err != nil {
		return nil, err
	}
	rows := 0
	for _, c := range chunks {
		rows += c.bound
	}
	if err := memory.Room(uint64(rows)*uint64(len(specs))*8 + uint64(len(specs))*columnRoom); err != nil {
		return nil, fmt.Errorf("%s: %d columns of %d rows: %w", f.Name, len(specs), rows, err)
	}
	t := &Table{file: f, chunks: chunks, cols: make([]column, len(specs))}
	for i, s := range specs {
		switch s.Want {
		case Number, Time:
			t.cols[i].mem = make([]uint64, rows)
		case Text:
			t.cols[i].texts = &texts{codes: make([]int32, rows)}
		}
	}
	if err := t.parseAll(ctx, specs, workers); err != nil {
		return nil, err
	}
	if n := len(chunks); n > 0 && chunks[n-1].cut != "" {
		t.Warnings = append(t.Warnings, chunks[n-1].cut)
	}
	t.pack()
	parallel(len(specs), workers, func(i int) {
		switch specs[i].Want {
		case Number:
			t.joinNumbers(i)
		case Text:
			t.joinTexts(i)
		}
	})
	for i := range chunks {
		chunks[i].cols = nil
	}
	return t, nil
}

func (t *Table) parseAll(ctx context.Context, specs []Spec, workers int) error {
	chunks := t.chunks
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
				err := ctx.Err()
				if err == nil {
					err = p.parse(&chunks[i], t.cols)
				}
				size := chunks[i].to - chunks[i].from
				meter.Add(size - size/scanShare)
				if err != nil {
					errs[i] = err
					for {
						old := stop.Load()
						if old <= i || stop.CompareAndSwap(old, i) {
							break
						}
					}
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// pack closes the holes that chunks with fewer rows than expected have left.
func (t *Table) pack() {
	rows := 0
	for i := range t.chunks {
		c := &t.chunks[i]
		if c.base != rows {
			for k := range t.cols {
				col := &t.cols[k]
				if col.mem != nil {
					copy(col.mem[rows:], col.mem[c.base:c.base+c.rows])
				}
				if col.texts != nil {
					copy(col.texts.codes[rows:], col.texts.codes[c.base:c.base+c.rows])
				}
			}
			c.base = rows
		}
		rows += c.rows
	}
	t.Rows = rows
	for k := range t.cols {
		col := &t.cols[k]
		if col.mem != nil {
			col.mem = col.mem[:rows]
		}
		if col.texts != nil {
			col.texts.codes = col.texts.codes[:rows]
		}
	}
}

// joinNumbers joins the chunks of a numeric column.
func (t *Table) joinNumbers(col int) {
	out := &t.cols[col]
	mem := out.mem
	var missing holes
	for i := range t.chunks {
		c := &t.chunks[i].cols[col]
		out.float = out.float || c.float
		missing.forms |= c.forms
		for _, w := range c.miss {
			missing.n += bits.OnesCount64(w)
		}
	}
	if missing.n > 0 {
		out.holes = &holes{n: missing.n, forms: missing.forms}
	}
	if !out.float && (missing.n < t.Rows || t.Rows == 0) {
		if missing.n > 0 {
			out.holes.valid = t.validity(col)
		}
		return
	}
	f := unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem))
	out.whole = missing.n < t.Rows
	for i := range t.chunks {
		ch := &t.chunks[i]
		if c := &ch.cols[col]; !c.float {
			toFloats(mem[ch.base:ch.base+ch.rows], c.miss)
		}
		for _, v := range f[ch.base : ch.base+ch.rows] {
			if !out.whole {
				break
			}
			out.whole = v != v || v == math.Trunc(v) && math.Abs(v) <= 1<<53
		}
	}
	out.float = true
}

// toFloats turns integers into the bits of doubles in place, NaN where miss has a bit.
func toFloats(mem []uint64, miss []uint64) {
	for i, u := range mem {
		mem[i] = math.Float64bits(float64(u))
	}
	for w, word := range miss {
		for ; word != 0; word &= word - 1 {
			if i := w*64 + bits.TrailingZeros64(word); i < len(mem) {
				mem[i] = math.Float64bits(math.NaN())
			}
		}
	}
}

func (t *Table) validity(col int) capture.Bitmap {
	valid := capture.NewBitmap(t.Rows)
	for i := range t.chunks {
		ch := &t.chunks[i]
		for w, word := range ch.cols[col].miss {
			for ; word != 0; word &= word - 1 {
				valid.Clear(ch.base + w*64 + bits.TrailingZeros64(word))
			}
		}
	}
	return valid
}

// joinTexts joins the dictionaries of the chunks in the order of the file.
func (t *Table) joinTexts(col int) {
	out := t.cols[col].texts
	index := map[string]int32{}
	var remap []int32
	var tally memory.Tally
	for i := range t.chunks {
		ch := &t.chunks[i]
		names := ch.cols[col].text.names
		remap = remap[:0]
		for _, name := range names {
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
		for j, c := range part {
			if c >= 0 {
				part[j] = remap[c]
			}
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
			n, lines := skipLines(buf)
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
