package oa

import (
	"encoding/binary"
	"math"
	"slices"

	"astrolabe/capture"
)

// blockSlots is how many reports are gathered before their columns are written: they fit into a core's first cache.
const blockSlots = 64

// block holds reports and the rows between them until they are written, column by column.
type block struct {
	size  int
	data  []byte
	slots int // used
	rows  [blockSlots]row
	n     int
	// Of the rows: positions of both reports in data, and the bounds of what can have been counted.
	old, new [blockSlots]int
	busy     [blockSlots]uint64 // by one counter that counts once a clock
	eus      [blockSlots]uint64 // by all EUs together
}

// row is what is known of a row beside its counters.
type row struct {
	old, new   int // slots
	start, end int64
	begin      int64
	elapsed    uint64
	id         ReportID
	context    string
	sync       Correlation
	synced     bool
	marks      marks
	missing    missing
	busy, eus  uint64
}

// missing says which fields of a row may have wrapped more than once.
type missing uint8

const (
	missingClocked missing = 1 << iota // what counts at most once a clock, in 32 bits
	missingEU32                        // what all EUs count, in 32 bits
	missingEU40                        // the same in 40 bits
)

// kind is how soon a field may wrap.
func (fd *field) kind() missing {
	switch {
	case fd.perEU && fd.high > 0:
		return missingEU40
	case fd.perEU:
		return missingEU32
	}
	return missingClocked
}

func (k *block) init(size int) {
	k.size = size
	k.data = make([]byte, blockSlots*size)
}

func (k *block) full() bool { return k.slots == blockSlots }

// add copies a report into the next slot.
func (k *block) add(r Report) int {
	copy(k.data[k.slots*k.size:], r)
	k.slots++
	return k.slots - 1
}

// ticks is the difference of the clocks of a row.
func (k *block) ticks(w *row) uint32 {
	return Report(k.data[w.new*k.size:]).Ticks() - Report(k.data[w.old*k.size:]).Ticks()
}

// write appends the block's rows to b and keeps only the base.
func (a *Accumulator) write(b *capture.Batch) {
	k := &a.block
	rows := k.rows[:k.n]
	if len(rows) > 0 {
		a.writeRows(b, rows)
	}
	k.n = 0
	if k.slots == 0 {
		return
	}
	if last := k.slots - 1; last > 0 {
		copy(k.data, k.data[last*k.size:(last+1)*k.size])
	}
	k.slots = 1
	a.base.slot = 0
}

func (a *Accumulator) writeRows(b *capture.Batch, rows []row) {
	k := &a.block
	var any missing
	first := len(b.Start)
	for i := range rows {
		w := &rows[i]
		b.Start, b.End = append(b.Start, w.start), append(b.End, w.end)
		b.Labels[0] = append(b.Labels[0], w.context)
		k.old[i], k.new[i] = w.old*k.size, w.new*k.size
		k.busy[i], k.eus[i] = w.busy, w.eus
		any |= w.missing
	}
	if len(a.schema.Labels) > 1 {
		for i := range rows {
			b.Labels[1] = append(b.Labels[1], rows[i].id.Reason.String())
		}
	}
	n := len(rows)
	ticks, time := extend(&b.Cols[1], n), extend(&b.Cols[0], n)
	k.words(ticks, dwTicks)
	for i := range time {
		time[i] = rows[i].elapsed
	}
	// By columns and not by rows: reports of a block lie behind one another, and the loops over one counter keep
	// their offsets in registers.
	for c := range a.format.fields {
		fd := &a.format.fields[c]
		dst := extend(&b.Cols[a.layout.counters+c], n)
		limit := &k.busy
		if fd.high > 0 {
			k.wide(dst, fd.dw, fd.high)
		} else {
			k.words(dst, fd.dw)
		}
		// A0 counts the clocks in which the GPU was busy, all others may count once for each EU in a clock.
		if fd.name != "A0" {
			limit = &k.eus
		}
		over := 0
		for i, v := range dst {
			if v > limit[i] {
				over++
			}
		}
		if over > 0 {
			a.doubts.over(fd.name, over)
		}
	}
	a.writeClocks(b, rows)
	a.writeKeep(b, rows)
	if any != 0 {
		a.writeMissing(b, rows, first)
	}
}

// extend appends n values, present and yet to be filled, to an integer column.
func extend(d *capture.Data, n int) []uint64 {
	have := len(d.U)
	d.U = slices.Grow(d.U, n)[:have+n]
	if d.Valid.Bits != nil {
		for len(d.Valid.Bits)*8 < have+n {
			d.Valid.Bits = append(d.Valid.Bits, 0xff)
		}
	}
	return d.U[have:]
}

// words puts the differences of a field of 32 bits into dst.
func (k *block) words(dst []uint64, dw int) {
	data := k.data[4*dw:]
	for i := range dst {
		dst[i] = uint64(binary.LittleEndian.Uint32(data[k.new[i]:]) - binary.LittleEndian.Uint32(data[k.old[i]:]))
	}
}

// wide puts the differences of a field of 40 bits into dst.
func (k *block) wide(dst []uint64, dw, high int) {
	low, up := k.data[4*dw:], k.data[high:]
	for i := range dst {
		o, n := k.old[i], k.new[i]
		was := uint64(binary.LittleEndian.Uint32(low[o:])) | uint64(up[o])<<32
		is := uint64(binary.LittleEndian.Uint32(low[n:])) | uint64(up[n])<<32
		dst[i] = (is - was) & (1<<40 - 1)
	}
}

func (a *Accumulator) writeClocks(b *capture.Batch, rows []row) {
	if a.layout.clocks < 0 {
		return
	}
	slice, unslice := &b.Cols[a.layout.clocks], &b.Cols[a.layout.clocks+1]
	for i := range rows {
		s, u := math.NaN(), math.NaN()
		if id := &rows[i].id; id.HasRatios {
			s, u = mHz(id.Slice), mHz(id.Unslice)
		}
		slice.F, unslice.F = append(slice.F, s), append(unslice.F, u)
	}
	for i := range rows {
		if rows[i].id.HasRatios {
			continue
		}
		for c := range 2 {
			col := a.layout.clocks + c
			appendReason(b, col, len(slice.F)-len(rows)+i, noRatios)
		}
	}
}

var noRatios = capture.Reason{Code: capture.NotCollected,
	Text: "the report does not hold clock ratios: the driver had not asked for them"}

// writeKeep appends the columns of the block "report".
func (a *Accumulator) writeKeep(b *capture.Batch, rows []row) {
	k, n, c := &a.block, len(rows), a.layout.keep
	id, context, endID, endContext := extend(&b.Cols[c], n), extend(&b.Cols[c+1], n), extend(&b.Cols[c+2], n),
		extend(&b.Cols[c+3], n)
	time, marks := extend(&b.Cols[c+4], n), extend(&b.Cols[c+7], n)
	cpu, gpu := extend(&b.Cols[c+5], n), extend(&b.Cols[c+6], n)
	for i := range rows {
		w := &rows[i]
		old, end := Report(k.data[k.old[i]:]), Report(k.data[k.new[i]:])
		id[i], context[i] = uint64(old.ID()), uint64(old.Context())
		endID[i], endContext[i] = uint64(end.ID()), uint64(end.Context())
		time[i], marks[i] = uint64(w.begin), w.marks.pack()
		cpu[i], gpu[i] = uint64(w.sync.CPU), w.sync.GPU
	}
	for i := range rows {
		if !rows[i].synced {
			at := len(b.Cols[c+5].U) - n + i
			setMissing(b, c+5, at, noSync)
			setMissing(b, c+6, at, noSync)
		}
	}
}

var noSync = capture.Reason{Code: capture.NotCollected, Text: "the recording has no clock correlation"}

// writeMissing takes back the values of rows from first on that may have wrapped more than once.
func (a *Accumulator) writeMissing(b *capture.Batch, rows []row, first int) {
	for i := range rows {
		why := rows[i].missing
		if why == 0 {
			continue
		}
		if why&missingClocked != 0 {
			setMissing(b, 1, first+i, wrapped)
		}
		for c := range a.format.fields {
			if why&a.format.fields[c].kind() != 0 {
				setMissing(b, a.layout.counters+c, first+i, wrapped)
			}
		}
	}
}

var wrapped = capture.Reason{Code: capture.LostReports,
	Text: "the two reports are further apart than this counter takes to wrap, so that their difference means nothing"}

// setMissing makes a value that is already in an integer column missing.
func setMissing(b *capture.Batch, col, at int, why capture.Reason) {
	d := &b.Cols[col]
	if d.Valid.Bits == nil {
		d.Valid = capture.NewBitmap(len(d.U))
	}
	d.U[at] = 0
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
