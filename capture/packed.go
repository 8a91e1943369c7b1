package capture

import (
	"math"
	"math/bits"
	"sort"
	"sync"
	"unsafe"

	"astrolabe/capture/memory"
)

// PackedRows is how many rows of a table are packed together: the values of all columns of so many lie in a core's
// second cache.
const PackedRows = 256

// Packed holds the columns of a table in as few bytes as their values take: of each column in a run of rows the least
// value, and in none, one, two, four or eight bytes how far each is above it. A decoder fills it run by run, so that
// values never lie side by side in full, and who reads the columns gets them in stretches.
//
// Doubles are packed by their bits: a level that seldom changes takes next to nothing.
type Packed struct {
	starts []int // the first row of each run
	runs   []packedRun
	rows   int
}

// packedRun are the values of some rows.
type packedRun struct {
	rows int
	cols []packedColumn
	data []uint64 // words, in which each column begins at one of its own
}

type packedColumn struct {
	least   uint64
	at      uint32 // in data
	width   uint8  // of a value, in bytes
	integer bool   // of a column of doubles: these are integers nevertheless
}

// Grow makes places for n rows behind those that are there, and returns the number of the first of their runs, of which
// each but the last has PackedRows.
func (p *Packed) Grow(n int) (first int) {
	first = len(p.runs)
	for n > 0 {
		k := min(n, PackedRows)
		p.starts, p.runs = append(p.starts, p.rows), append(p.runs, packedRun{rows: k})
		p.rows, n = p.rows+k, n-k
	}
	return first
}

// Append puts the rows of another table behind those that are there, which it shares with it.
func (p *Packed) Append(o *Packed) {
	for i, from := range o.starts {
		p.starts, p.runs = append(p.starts, p.rows+from), append(p.runs, o.runs[i])
	}
	p.rows += o.rows
}

// Packer puts runs into a table. Several may do so for different runs beside each other, each with a Packer of its own.
type Packer struct {
	data []uint64 // room that is left
	cols []packedColumn
	made int // words of the room that was made last
}

// How much room is made at a time at most, in words and in columns. Of words it begins with less.
const (
	packedWords   = 128 << 10
	packedColumns = 4 << 10
)

// Put packs run k of p, of which columns has the values, and returns how many bytes it took. It keeps nothing of columns.
// integers says of which columns of doubles these values are integers nevertheless; it may be nil.
func (w *Packer) Put(p *Packed, k int, columns [][]uint64, integers []bool) (took int) {
	run, n := &p.runs[k], len(columns)
	if len(w.cols) < n {
		w.cols = make([]packedColumn, max(n, packedColumns))
	}
	run.cols, w.cols = w.cols[:n:n], w.cols[n:]
	words := 0
	for c, values := range columns {
		values = values[:run.rows]
		least, most := extent(values)
		width := packedWidth(most - least)
		run.cols[c] = packedColumn{least: least, at: uint32(words), width: uint8(width),
			integer: integers != nil && integers[c]}
		words += (run.rows*width + 7) / 8
	}
	if len(w.data) < words {
		w.made = max(words, min(4*max(words, w.made), packedWords))
		w.data = make([]uint64, w.made)
		memory.Populate(w.data)
	}
	run.data, w.data = w.data[:words:words], w.data[words:]
	for c, values := range columns {
		col := &run.cols[c]
		switch values = values[:run.rows]; col.width {
		case 1:
			narrow(lanes[uint8](run, col), values, col.least)
		case 2:
			narrow(lanes[uint16](run, col), values, col.least)
		case 4:
			narrow(lanes[uint32](run, col), values, col.least)
		case 8:
			narrow(lanes[uint64](run, col), values, col.least)
		}
	}
	return 8*words + n*int(unsafe.Sizeof(packedColumn{}))
}

// extent is the least and the greatest of some values.
func extent(values []uint64) (least, most uint64) {
	least, most, n := wideExtent(values)
	if n == 0 {
		least, most = values[0], values[0]
	}
	for _, v := range values[n:] {
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

// packedWidth is in how many bytes a column with differences up to most is kept.
func packedWidth(most uint64) int {
	switch n := bits.Len64(most); {
	case n == 0:
		return 0
	case n <= 8:
		return 1
	case n <= 16:
		return 2
	case n <= 32:
		return 4
	}
	return 8
}

// lanes are the words of a column as integers of its width.
func lanes[T uint8 | uint16 | uint32 | uint64](r *packedRun, c *packedColumn) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&r.data[c.at])), r.rows)
}

func narrow[T uint8 | uint16 | uint32 | uint64](dst []T, values []uint64, least uint64) {
	for len(values) >= 8 && len(dst) >= 8 {
		d, v := (*[8]T)(dst), (*[8]uint64)(values)
		d[0], d[1], d[2], d[3] = T(v[0]-least), T(v[1]-least), T(v[2]-least), T(v[3]-least)
		d[4], d[5], d[6], d[7] = T(v[4]-least), T(v[5]-least), T(v[6]-least), T(v[7]-least)
		dst, values = dst[8:], values[8:]
	}
	for i, v := range values {
		dst[i] = T(v - least)
	}
}

// run finds the run of a row.
func (p *Packed) run(row int) int {
	k := row / PackedRows // where all runs before are full ones
	if k >= len(p.runs) || p.starts[k] > row || p.starts[k]+p.runs[k].rows <= row {
		k = sort.SearchInts(p.starts, row+1) - 1
	}
	return k
}

// tally takes the values [from, to) of a column into t as far as they lie in one run, and returns how many these are, or
// 0 where they must be added one by one: they are added and compared as narrow as they are kept.
func (p *Packed) tally(t *integers, column, from, to int) int {
	k := p.run(from)
	run := &p.runs[k]
	col := &run.cols[column]
	lo := from - p.starts[k]
	n := min(to-from, run.rows-lo)
	var sum, least, most uint64 // of what is above the least of the run
	switch col.width {
	case 1:
		sum, least, most = above(lanes[uint8](run, col)[lo:lo+n], wideAbove8)
	case 2:
		sum, least, most = above(lanes[uint16](run, col)[lo:lo+n], wideAbove16)
	case 4:
		sum, least, most = above(lanes[uint32](run, col)[lo:lo+n], wideAbove32)
	case 8:
		return 0
	}
	t.n += n
	hi, low := bits.Mul64(col.least, uint64(n))
	t.sum.plus(uint128{hi, low})
	t.sum.add(sum)
	t.least, t.most = min(t.least, col.least+least), max(t.most, col.least+most)
	return n
}

// above adds up to PackedRows values, which cannot overflow, and finds the least and the greatest of them. wide takes as
// many as fill registers.
func above[T uint8 | uint16 | uint32](values []T, wide func([]T) (sum, least, most uint64, n int)) (sum, least, most uint64) {
	sum, least, most, n := wide(values)
	if n == 0 {
		least, most = uint64(values[0]), uint64(values[0])
	}
	for _, v := range values[n:] {
		u := uint64(v)
		sum += u
		least, most = min(least, u), max(most, u)
	}
	return sum, least, most
}

func widen[T uint8 | uint16 | uint32 | uint64](dst []uint64, values []T, least uint64) {
	for len(dst) >= 8 && len(values) >= 8 {
		d, v := (*[8]uint64)(dst), (*[8]T)(values)
		d[0], d[1], d[2], d[3] = least+uint64(v[0]), least+uint64(v[1]), least+uint64(v[2]), least+uint64(v[3])
		d[4], d[5], d[6], d[7] = least+uint64(v[4]), least+uint64(v[5]), least+uint64(v[6]), least+uint64(v[7])
		dst, values = dst[8:], values[8:]
	}
	for i := range dst {
		dst[i] = least + uint64(values[i])
	}
}

// read puts values [from, from+len(dst)) of a column into dst. Where doubles is not nil, values that were packed as
// integers become the bits of doubles, and those that it says are not there NaN.
func (p *Packed) read(dst []uint64, column, from int, doubles *Bitmap) {
	if len(dst) == 0 {
		return
	}
	for k := p.run(from); len(dst) > 0; k++ {
		run := &p.runs[k]
		col := &run.cols[column]
		lo := from - p.starts[k]
		n := min(len(dst), run.rows-lo)
		out := dst[:n]
		switch col.width {
		case 0:
			for i := range out {
				out[i] = col.least
			}
		case 1:
			widen(out, lanes[uint8](run, col)[lo:], col.least)
		case 2:
			widen(out, lanes[uint16](run, col)[lo:], col.least)
		case 4:
			widen(out, lanes[uint32](run, col)[lo:], col.least)
		case 8:
			widen(out, lanes[uint64](run, col)[lo:], col.least)
		}
		if doubles != nil && col.integer {
			for i, u := range out {
				f := float64(u)
				if !doubles.Get(from + i) {
					f = math.NaN()
				}
				out[i] = math.Float64bits(f)
			}
		}
		dst, from = dst[n:], from+n
	}
}

// Integers is a column of integers, of which valid says which are there.
func (p *Packed) Integers(column int, valid Bitmap) *Column {
	c := p.column(column, nil, func(u []uint64, from int) Data { return Data{U: u, Valid: valid.Slice(from)} })
	if c.lazy != nil && valid.Bits == nil {
		c.lazy.tally = func(t *integers, lo, hi int) int { return p.tally(t, column, lo, hi) }
	}
	return c
}

// Doubles is a column of doubles, which were packed by their bits or as integers. Of the latter valid says which are
// there; the others are NaN.
func (p *Packed) Doubles(column int, valid Bitmap) *Column {
	return p.column(column, &valid, func(u []uint64, _ int) Data {
		return Data{F: unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(u))), len(u))}
	})
}

func (p *Packed) column(column int, doubles *Bitmap, data func(u []uint64, from int) Data) *Column {
	if p.rows == 0 {
		return NewColumn(data([]uint64{}, 0))
	}
	read := func(lo, hi int, buf []uint64) (Data, error) {
		p.read(buf[:hi-lo], column, lo, doubles)
		return data(buf[:hi-lo], lo), nil
	}
	return LazyColumn(p.rows, func() (Data, error) { return read(0, p.rows, make([]uint64, p.rows)) }).Again().Near().
		InParts(func(lo, hi int, buf []uint64) (Data, error) {
			if len(buf) == 0 {
				buf = make([]uint64, min(hi-lo, BlockRows))
			}
			return read(lo, min(hi, lo+len(buf)), buf)
		})
}

// stretches keeps buffers for Column.Stretch, so that a block of values allocates nothing.
var stretches = sync.Pool{New: func() any { return new([BlockRows]uint64) }}
