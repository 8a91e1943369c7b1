package capture

import (
	"math"
	"slices"
)

// Schema describes a recording before its first sample: what will be in every batch.
type Schema struct {
	Config  Config // everything but Axis, Counters and Labels, which the batches bring
	Columns []ColumnSpec
	Labels  []string // names of the label columns
}

// ColumnSpec describes one recorded column: a whole counter, or one instance of it (Meta.Instance set).
type ColumnSpec struct {
	Meta    Meta
	Integer bool // uint64, else float64
	Pass    string
}

// Batch is a run of samples on its way from a Stream to a file. The receiver of a Batch may keep nothing of it: its
// slices are filled again.
type Batch struct {
	Start, End []int64 // ns since the start of the recording
	Cols       []Data  // one per Schema.Columns, each as long as Start
	Labels     [][]string
	Gaps, Late []Gap
	Regions    []Region
	Warnings   []string
	Reasons    []ColumnReason // of missing values
}

// Bytes is what a batch of n samples takes, in bytes, without the texts of its labels.
func (s *Schema) Bytes(n int64) uint64 {
	return uint64(n) * uint64(16+8*len(s.Columns)+16*len(s.Labels))
}

// NewBatch returns an empty batch for s with room for n samples.
func NewBatch(s *Schema, n int) *Batch {
	b := &Batch{Start: make([]int64, 0, n), End: make([]int64, 0, n), Cols: make([]Data, len(s.Columns)),
		Labels: make([][]string, len(s.Labels))}
	for i, c := range s.Columns {
		if c.Integer {
			b.Cols[i].U = make([]uint64, 0, n)
		} else {
			b.Cols[i].F = make([]float64, 0, n)
		}
	}
	for i := range b.Labels {
		b.Labels[i] = make([]string, 0, n)
	}
	return b
}

// Len is the number of samples in the batch.
func (b *Batch) Len() int { return len(b.Start) }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	b.Start, b.End = b.Start[:0], b.End[:0]
	for i := range b.Cols {
		c := &b.Cols[i]
		if c.U != nil {
			c.U = c.U[:0]
		}
		if c.F != nil {
			c.F = c.F[:0]
		}
		c.Valid = Bitmap{}
	}
	for i := range b.Labels {
		b.Labels[i] = b.Labels[i][:0]
	}
	b.Gaps, b.Late, b.Regions = b.Gaps[:0], b.Late[:0], b.Regions[:0]
	b.Warnings, b.Reasons = b.Warnings[:0], b.Reasons[:0]
}

// AppendInt appends v to integer column i.
func (b *Batch) AppendInt(i int, v uint64) {
	c := &b.Cols[i]
	c.U = append(c.U, v)
	if c.Valid.Bits != nil {
		c.Valid.grow(len(c.U))
		c.Valid.Bits[(len(c.U)-1)>>3] |= 1 << ((len(c.U) - 1) & 7)
	}
}

// AppendFloat appends v to column i of doubles; NaN is a missing value.
func (b *Batch) AppendFloat(i int, v float64) { b.Cols[i].F = append(b.Cols[i].F, v) }

// AppendMissing appends a missing value to column i.
func (b *Batch) AppendMissing(i int) {
	c := &b.Cols[i]
	if c.U == nil {
		c.F = append(c.F, math.NaN())
		return
	}
	if c.Valid.Bits == nil {
		c.Valid = NewBitmap(len(c.U))
	}
	c.U = append(c.U, 0)
	c.Valid.grow(len(c.U))
	c.Valid.Clear(len(c.U) - 1)
}

func (b *Bitmap) grow(n int) {
	for len(b.Bits)*8 < n {
		b.Bits = append(b.Bits, 0xff)
	}
}

// Slice is the batch of samples [lo, hi), over the same memory. What b says beside its samples goes to the slice in
// which it starts: what comes before the first sample to that of the first, what comes after the last to that of the
// last. Warnings go to the first.
func (b *Batch) Slice(lo, hi int) *Batch {
	if lo == 0 && hi == b.Len() {
		return b
	}
	out := &Batch{Start: b.Start[lo:hi], End: b.End[lo:hi], Cols: make([]Data, len(b.Cols)),
		Labels: make([][]string, len(b.Labels))}
	for i, d := range b.Cols {
		out.Cols[i] = d.Slice(lo, hi)
	}
	for i, l := range b.Labels {
		out.Labels[i] = l[lo:hi]
	}
	here := func(start int64) bool {
		return (lo == 0 || start >= b.Start[lo]) && (hi == b.Len() || start < b.Start[hi])
	}
	for _, g := range b.Gaps {
		if here(g.Start) {
			out.Gaps = append(out.Gaps, g)
		}
	}
	for _, g := range b.Late {
		if here(g.Start) {
			out.Late = append(out.Late, g)
		}
	}
	for _, r := range b.Regions {
		if here(r.Start) {
			out.Regions = append(out.Regions, r)
		}
	}
	if lo == 0 {
		out.Warnings = b.Warnings
	}
	for _, r := range b.Reasons {
		if r.From, r.To = max(r.From, lo)-lo, min(r.To, hi)-lo; r.From < r.To {
			out.Reasons = append(out.Reasons, r)
		}
	}
	return out
}

// Clone is a copy of b that shares no memory with it.
func (b *Batch) Clone() *Batch {
	out := &Batch{Start: slices.Clone(b.Start), End: slices.Clone(b.End), Cols: make([]Data, len(b.Cols)),
		Labels: make([][]string, len(b.Labels)), Gaps: slices.Clone(b.Gaps), Late: slices.Clone(b.Late),
		Regions: slices.Clone(b.Regions), Warnings: slices.Clone(b.Warnings), Reasons: slices.Clone(b.Reasons)}
	for i, d := range b.Cols {
		d.U, d.F, d.Valid.Bits = slices.Clone(d.U), slices.Clone(d.F), slices.Clone(d.Valid.Bits)
		out.Cols[i] = d
	}
	for i, l := range b.Labels {
		out.Labels[i] = slices.Clone(l)
	}
	return out
}
