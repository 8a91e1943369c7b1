package oa

import "astrolabe/capture"

// blockSlots is how many reports of a live stream are gathered before their columns are written, and of how many rows
// columns are filled at a time: they fit into a core's first cache.
const blockSlots = 64

// streamRows is how many rows of a stream in memory are gathered before all cores fill their columns.
const streamRows = 1 << 14

// block holds reports and the rows between them until they are written, column by column.
type block struct {
	size  int
	data  []byte // copies of reports in slots, or the whole stream
	slots int    // used
	whole bool   // data is the whole stream
	at    int    // there, of the report that is being taken over
	rows  []row
	n     int

	filled stretch // the rows whose columns were filled last
	open   bool    // they are being filled
	spare  []row   // of a whole stream: theirs, while others come together
}

// row is what is known of a row beside its counters.
type row struct {
	old, new   int // positions of the two reports in the block's data
	start, end int64
	begin      int64
	elapsed    uint64
	id         ReportID
	context    int32 // its code in Accumulator.names, or nowhere
	reason     int32 // that of why in Accumulator.reasons
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
	case fd.bits == 64:
		return 0
	case fd.perEU && fd.bits == 40:
		return missingEU40
	case fd.perEU:
		return missingEU32
	}
	return missingClocked
}

// init makes room for reports of that size, or takes those of a whole stream where they lie. rows is how many rows of
// it come together, 0 for as many as is good.
func (k *block) init(size int, stream []byte, rows int) {
	k.size = size
	if stream == nil {
		k.data, k.rows = make([]byte, blockSlots*size), make([]row, blockSlots)
		return
	}
	k.data, k.whole = stream, true
	if rows == 0 {
		rows = min(streamRows, len(stream)/size+1)
	}
	k.rows = make([]row, rows)
}

func (k *block) full() bool {
	if k.whole {
		return k.n == len(k.rows)
	}
	return k.slots == blockSlots
}

// add keeps a report, and returns its position in data.
func (k *block) add(r Report) int {
	if k.whole {
		return k.at
	}
	copy(k.data[k.slots*k.size:], r)
	k.slots++
	return (k.slots - 1) * k.size
}

// ticks is the difference of the clocks of a row.
func (k *block) ticks(f *Format, w *row) uint64 {
	return f.Since(f.Ticks(k.data[w.new:]), f.Ticks(k.data[w.old:]))
}

// write appends the block's rows to b and keeps only the base. The columns of a whole stream are filled beside.
func (a *Accumulator) write(b *capture.Batch) {
	k := &a.block
	rows := k.rows[:k.n]
	k.n = 0
	a.settle(b)
	if len(rows) > 0 {
		k.filled.places(a, b, rows)
		if k.whole {
			k.filled.begin()
			k.rows, k.spare = k.spare, k.rows
			if k.rows == nil {
				k.rows = make([]row, len(k.spare))
			}
			k.open = true
			return
		}
		k.filled.fill(&k.filled.columns, 0, len(rows))
		k.filled.close(b)
	}
	if !k.whole && len(a.names.texts) > maxContextNames {
		a.names = contextNames{}
	}
	if k.whole || k.slots == 0 {
		return
	}
	if last := k.slots - 1; last > 0 {
		copy(k.data, k.data[last*k.size:(last+1)*k.size])
	}
	k.slots = 1
	a.base.at = 0
}

// settle waits for the columns that are being filled.
func (a *Accumulator) settle(b *capture.Batch) {
	if k := &a.block; k.open {
		k.open = false
		k.filled.settle()
		k.filled.close(b)
	}
}

// Abandon waits for what still reads a whole stream that is not read to its end.
func (a *Accumulator) Abandon() { a.block.filled.settle() }
