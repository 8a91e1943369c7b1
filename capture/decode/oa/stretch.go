package oa

import (
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// stretch is rows that follow each other in a batch, whose places there are made and yet to be filled. Parts of them
// can be worked on by themselves, on several cores: counters are differences of a row's two reports, and all that
// depends on what went before, such as full timestamps and contexts, is in the row already.
//
// The columns of a whole stream are packed (capture.Packed), and its labels are codes: fresh memory for all of them side
// by side takes the kernel longer to hand out than everything else takes.
type stretch struct {
	a          *Accumulator
	rows       []row
	first      int // of the rows in the batch
	start, end []int64
	labels     [][]string    // none of a whole stream
	columns    columns       // the batch's; none of a whole stream
	codes      [][]int32     // labels of a whole stream
	run        int           // of a whole stream: the first of the rows in the packed columns
	group      *memory.Group // nil where nothing runs beside

	// What parts met, for close.
	over                       []atomic.Int64 // by field: more than can have been counted
	wrapped, noRatios, noSyncs atomic.Bool
}

// columns are places for the values of rows.
type columns struct {
	from    int        // the first of the rows
	ints    [][]uint64 // by column, nil for one of doubles
	doubles [][]float64
}

// places makes places for rows in b.
func (s *stretch) places(a *Accumulator, b *capture.Batch, rows []row) {
	n := len(rows)
	s.a, s.rows, s.first = a, rows, len(b.Start)
	s.start, s.end = more(&b.Start, n), more(&b.End, n)
	for i := range b.Cols {
		for d := &b.Cols[i]; d.Valid.Bits != nil && len(d.Valid.Bits)*8 < s.first+n; {
			d.Valid.Bits = append(d.Valid.Bits, 0xff)
		}
	}
	if a.block.whole {
		s.run, s.codes = a.whole.grow(a, n), s.codes[:0]
		for i := range a.whole.codes {
			s.codes = append(s.codes, more(&a.whole.codes[i], n))
		}
	} else {
		s.inBatch(b, n)
	}
	if s.over == nil {
		s.over = make([]atomic.Int64, len(a.format.fields))
	}
	s.wrapped.Store(false)
	s.noRatios.Store(false)
	s.noSyncs.Store(false)
}

// inBatch makes places in the columns and labels of b.
func (s *stretch) inBatch(b *capture.Batch, n int) {
	s.labels = s.labels[:0]
	for i := range b.Labels {
		s.labels = append(s.labels, more(&b.Labels[i], n))
	}
	c := &s.columns
	c.ints, c.doubles = c.ints[:0], c.doubles[:0]
	for i := range b.Cols {
		var ints []uint64
		var doubles []float64
		if d := &b.Cols[i]; s.a.schema.Columns[i].Integer {
			ints = more(&d.U, n)
		} else {
			doubles = more(&d.F, n)
		}
		c.ints, c.doubles = append(c.ints, ints), append(c.doubles, doubles)
	}
}

// more appends n values that are yet to be set, and returns them.
func more[T any](list *[]T, n int) []T {
	have := len(*list)
	*list = slices.Grow(*list, n)[:have+n]
	return (*list)[have:]
}

// begin starts work on all cores.
func (s *stretch) begin() {
	n := len(s.rows)
	s.group = &memory.Group{}
	part := (n/runtime.GOMAXPROCS(0)/capture.PackedRows + 1) * capture.PackedRows
	for lo := 0; lo < n; lo += part {
		w := s.a.whole.packing(&s.a.layout, lo/part)
		s.group.Go(func() { s.pack(w, lo, min(lo+part, n)) })
	}
}

// settle waits until that is done; like memory.Group it panics where the reports are no longer there.
func (s *stretch) settle() {
	if g := s.group; g != nil {
		s.group = nil
		g.Wait()
	}
}

// fill fills the places of rows [lo, hi), in runs of rows each of which begins with the report that ends the one
// before.
func (s *stretch) fill(d *columns, lo, hi int) {
	for lo < hi {
		n := 1
		for n < blockSlots && lo+n < hi && s.rows[lo+n].old == s.rows[lo+n-1].new {
			n++
		}
		s.chain(d, lo, lo+n)
		lo += n
	}
}

// chain fills a run by columns: its reports lie behind one another in the first cache, and the loops over counters keep
// their offsets in registers.
func (s *stretch) chain(d *columns, lo, hi int) {
	rows, data := s.rows[lo:hi], s.a.block.data
	var at [blockSlots]int // of the rows' second reports
	var busy, eus [blockSlots]uint64
	leastBusy, leastEUs := uint64(math.MaxUint64), uint64(math.MaxUint64)
	last := uint(rows[0].old)
	for i := range rows {
		w := &rows[i]
		at[i], busy[i], eus[i] = w.new, w.busy, w.eus
		leastBusy, leastEUs = min(leastBusy, w.busy), min(leastEUs, w.eus)
		last = max(last, uint(w.new))
	}
	data = data[:last+uint(s.a.format.Size)] // for the loops in assembly, which ask no more
	layout, fields := &s.a.layout, s.a.format.fields
	from, to := lo-d.from, hi-d.from
	s.a.format.ticksField().differences(d.ints[1][from:to], data, rows[0].old, at[:])
	var most [wideFields]uint64
	for c, n := 0, 0; c < len(fields); c += n {
		if n = wideFields; !wideDifferences(fields[c:], d.ints[layout.counters+c:], from, data, rows[0].old, at[:len(rows)], &most) {
			n, most[0] = 1, fields[c].differences(d.ints[layout.counters+c][from:to], data, rows[0].old, at[:])
		}
		for k := range n {
			// A0 counts the clocks in which the GPU was busy, all others may count once for each EU in a clock.
			limit, least := &eus, leastEUs
			if fields[c+k].name == "A0" {
				limit, least = &busy, leastBusy
			}
			if most[k] <= least || s.a.format.wide { // what counters of PECs may count in a clock nothing says
				continue
			}
			over := 0
			for i, v := range d.ints[layout.counters+c+k][from:to] {
				if v > limit[i] {
					over++
				}
			}
			if over > 0 {
				s.over[c+k].Add(int64(over))
			}
		}
	}
	s.others(d, lo, hi)
}

// wideFields is how many counters wideDifferences takes together.
const wideFields = 4

// ticksField is the counter of clocks in the header.
func (f *Format) ticksField() *field {
	n := f.wordBits()
	return &field{name: "GPU_TICKS", dw: wordTicks * n / 32, bits: uint8(n)}
}

// differences puts the differences of the field into dst: between the report at a position of data and the first one of
// at, and between each of these and the next. What it returns has every bit that any difference has, and so is no less
// than the largest.
func (fd *field) differences(dst []uint64, data []byte, from int, at []int) (bits uint64) {
	low := data[4*fd.dw:]
	at = at[:len(dst)]
	if fd.bits == 64 {
		was := binary.LittleEndian.Uint64(low[from:])
		for i, p := range at {
			is := binary.LittleEndian.Uint64(low[p:])
			d := is - was
			dst[i], was = d, is
			bits |= d
		}
		return bits
	}
	if fd.bits == 32 {
		was := binary.LittleEndian.Uint32(low[from:])
		for i, p := range at {
			is := binary.LittleEndian.Uint32(low[p:])
			d := uint64(is - was)
			dst[i], was = d, is
			bits |= d
		}
		return bits
	}
	high := data[fd.high:]
	was := uint64(binary.LittleEndian.Uint32(low[from:])) | uint64(high[from])<<32
	for i, p := range at {
		is := uint64(binary.LittleEndian.Uint32(low[p:])) | uint64(high[p])<<32
		d := (is - was) & (1<<40 - 1)
		dst[i], was = d, is
		bits |= d
	}
	return bits
}

// others fills what is not a counter: the axis, labels, clocks, and the columns of the block "report".
func (s *stretch) others(d *columns, lo, hi int) {
	layout, format, data := &s.a.layout, s.a.format, s.a.block.data
	keep := d.ints[layout.keep:]
	for i := lo; i < hi; i++ {
		w, k := &s.rows[i], i-d.from
		s.start[i], s.end[i] = w.start, w.end
		d.ints[0][k] = w.elapsed
		old, end := Report(data[w.old:]), Report(data[w.new:])
		keep[keepID][k], keep[keepContext][k] = format.word(old, wordID), format.word(old, wordContext)
		keep[keepEndID][k], keep[keepEndContext][k] = format.word(end, wordID), format.word(end, wordContext)
		keep[keepTime][k], keep[keepMarks][k] = uint64(w.begin), w.marks.pack()
		keep[keepCPU][k], keep[keepGPU][k] = uint64(w.sync.CPU), w.sync.GPU
		if !w.synced {
			s.noSyncs.Store(true)
		}
		if w.missing != 0 {
			s.wrapped.Store(true)
		}
		if layout.clocks >= 0 && !w.id.HasRatios {
			s.noRatios.Store(true)
		}
	}
	s.contexts(lo, hi)
	if layout.clocks < 0 {
		return
	}
	slice, unslice := d.doubles[layout.clocks], d.doubles[layout.clocks+1]
	for i := lo; i < hi; i++ {
		slice[i-d.from], unslice[i-d.from] = s.rows[i].id.clocks()
	}
}

// contexts fills the labels: texts in a batch, codes of a whole stream.
func (s *stretch) contexts(lo, hi int) {
	for i := lo; i < hi; i++ {
		w := &s.rows[i]
		if s.a.block.whole {
			s.codes[0][i] = w.context
		} else {
			s.labels[0][i] = s.a.names.text(w.context)
		}
	}
	for i := lo; i < hi && len(s.a.schema.Labels) > 1; i++ {
		w := &s.rows[i]
		if s.a.block.whole {
			s.codes[1][i] = w.reason
		} else {
			s.labels[1][i] = s.a.reasons.texts[w.reason]
		}
	}
}

// close takes values back that are none, says why, and adds up what the parts met.
func (s *stretch) close(b *capture.Batch) {
	a := s.a
	for c := range s.over {
		a.doubts[c] += s.over[c].Swap(0)
	}
	for i := range s.rows {
		if !s.noRatios.Load() {
			break
		}
		if !s.rows[i].id.HasRatios {
			appendReason(b, a.layout.clocks, s.first+i, noRatios)
			appendReason(b, a.layout.clocks+1, s.first+i, noRatios)
		}
	}
	for i := range s.rows {
		if !s.noSyncs.Load() {
			break
		}
		if !s.rows[i].synced {
			s.setMissing(b, a.layout.keep+keepCPU, s.first+i, noSync)
			s.setMissing(b, a.layout.keep+keepGPU, s.first+i, noSync)
		}
	}
	for i := range s.rows {
		why := s.rows[i].missing
		if !s.wrapped.Load() {
			break
		}
		if why&missingClocked != 0 && !a.format.wide {
			s.setMissing(b, 1, s.first+i, wrapped)
		}
		for c := range a.format.fields {
			if why&a.format.fields[c].kind() != 0 {
				s.setMissing(b, a.layout.counters+c, s.first+i, wrapped)
			}
		}
	}
}

var (
	noRatios = capture.Reason{Code: capture.NotCollected,
		Text: "the report does not hold clock ratios: the driver had not asked for them"}
	noSync  = capture.Reason{Code: capture.NotCollected, Text: "the recording has no clock correlation"}
	wrapped = capture.Reason{Code: capture.LostReports,
		Text: "the two reports are further apart than this counter takes to wrap, so that their difference means nothing"}
)

// setMissing makes a value that is already in an integer column missing.
func (s *stretch) setMissing(b *capture.Batch, col, at int, why capture.Reason) {
	d := &b.Cols[col]
	if d.Valid.Bits == nil {
		d.Valid = capture.NewBitmap(s.first + len(s.rows))
	}
	if !s.a.block.whole { // there it was 0 when it was packed
		d.U[at] = 0
	}
	d.Valid.Clear(at)
	appendReason(b, col, at, why)
}

// appendReason says why a value is missing; neighbouring rows of a column share an entry.
func appendReason(b *capture.Batch, col, at int, why capture.Reason) {
	for k := len(b.Reasons) - 1; k >= 0; k-- {
		r := &b.Reasons[k]
		if r.Col != col {
			continue
		}
		if r.To == at && r.Reason == why {
			r.To++
			return
		}
		break
	}
	b.Reasons = append(b.Reasons, capture.ColumnReason{Col: col, From: at, To: at + 1, Reason: why})
}
