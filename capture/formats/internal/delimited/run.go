package delimited

import (
	"fmt"
	"math"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// run is the values of some rows, column by column, before they are packed.
type run struct {
	values   []uint64
	stride   int // from a column to the next one, in values
	most     int // rows
	base     int // rows of the chunk before these
	numbers  []int32
	packer   capture.Packer
	columns  [][]uint64 // of numbers, as the packer takes them
	integers []bool
}

// What the values of a run take at most, in bytes, and how many rows there are nevertheless.
const (
	runRoom = 32 << 20
	runRows = 8
)

// stridePad keeps columns of a run from falling on the same places of a cache: each begins a line further than a power of
// two behind the one before.
const stridePad = 8

func (r *run) init(specs []Spec) {
	r.most = min(max(runRoom/8/max(len(specs), 1), runRows), capture.PackedRows)
	r.stride = r.most + stridePad
	for i, s := range specs {
		if s.Want == Number {
			r.numbers = append(r.numbers, int32(i))
		}
	}
}

// begin makes the run ready for the first rows of a chunk.
func (r *run) begin(f *File) error {
	r.base = 0
	if r.values != nil || len(r.numbers) == 0 {
		return nil
	}
	n := len(f.Header) * r.stride
	if err := memory.Room(uint64(n) * 8); err != nil {
		return fmt.Errorf("%s: %d columns: %w", f.Name, len(f.Header), err)
	}
	r.values = make([]uint64, n)
	r.columns, r.integers = make([][]uint64, len(r.numbers)), make([]bool, len(r.numbers))
	return nil
}

// of is the values of column i of the file, and what follows.
func (r *run) of(i int) []uint64 { return r.values[i*r.stride:] }

// toFloats turns integers of a column into the bits of doubles in place, NaN where miss has a bit.
func (r *run) toFloats(i, rows int, miss []uint64) {
	for row, u := range r.of(i)[:rows] {
		f := float64(u)
		if at := r.base + row; at>>6 < len(miss) && miss[at>>6]>>(at&63)&1 != 0 {
			f = math.NaN()
		}
		r.of(i)[row] = math.Float64bits(f)
	}
}

// pack packs the first rows of the run into a chunk.
func (p *parser) pack(ch *chunk, rows int) error {
	ch.rows += rows
	r := &p.run
	if r.base += rows; rows == 0 || len(r.numbers) == 0 {
		return nil
	}
	for k, i := range r.numbers {
		r.columns[k], r.integers[k] = r.of(int(i))[:rows], !p.cols[i].float
	}
	took := r.packer.Put(&ch.packed, ch.packed.Grow(rows), r.columns, r.integers)
	if err := p.tally.Add(uint64(took)); err != nil {
		return fmt.Errorf("%s: %w", p.f.Name, err)
	}
	return nil
}
