package oa

import (
	"fmt"
	"math"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// wholeColumns are the columns and labels of a whole stream, by their places in the schema.
type wholeColumns struct {
	packed capture.Packed
	codes  [][]int32 // of labels
	room   memory.Tally
	parts  []*packing // what works on a stretch, one for each part of it
}

// packing is what one goroutine needs to fill packed columns.
type packing struct {
	columns
	to capture.Packer
}

// newBatch makes room for n rows in labels, and returns a batch for what else there is.
func (w *wholeColumns) newBatch(s *capture.Schema, n int) (*capture.Batch, error) {
	if err := memory.Room(uint64(n) * uint64(16+4*len(s.Labels))); err != nil {
		return nil, fmt.Errorf("%d reports: %w", n, err)
	}
	w.codes = make([][]int32, len(s.Labels))
	for i := range w.codes {
		w.codes[i] = make([]int32, 0, n)
	}
	return &capture.Batch{Start: make([]int64, 0, n), End: make([]int64, 0, n), Cols: make([]capture.Data, len(s.Columns)),
		Labels: make([][]string, len(s.Labels))}, nil
}

// grow makes places for n more rows, and returns the first of their runs. It panics where there is no room for them.
func (w *wholeColumns) grow(a *Accumulator, n int) (run int) {
	w.room.Must(a.schema.Bytes(int64(n))) // the most that they take
	return w.packed.Grow(n)
}

// packing is that of a part of a stretch.
func (w *wholeColumns) packing(l *layout, part int) *packing {
	for len(w.parts) <= part {
		p := &packing{}
		all := make([]uint64, capture.PackedRows*len(l.columns))
		for i, c := range l.columns {
			p.ints = append(p.ints, all[i*capture.PackedRows:][:capture.PackedRows])
			var doubles []float64
			if !c.Integer {
				doubles = make([]float64, capture.PackedRows)
			}
			p.doubles = append(p.doubles, doubles)
		}
		w.parts = append(w.parts, p)
	}
	return w.parts[part]
}

// pack fills and packs the columns of rows [lo, hi), run by run.
func (s *stretch) pack(w *packing, lo, hi int) {
	for ; lo < hi; lo += capture.PackedRows {
		end := min(lo+capture.PackedRows, hi)
		w.from = lo
		s.fill(&w.columns, lo, end)
		for c, doubles := range w.doubles {
			for i := range doubles {
				w.ints[c][i] = math.Float64bits(doubles[i])
			}
		}
		if s.wrapped.Load() {
			s.clear(w, lo, end)
		}
		w.to.Put(&s.a.whole.packed, s.run+lo/capture.PackedRows, w.ints, nil)
	}
}

// clear makes differences that mean nothing 0. close says that they are missing, and why.
func (s *stretch) clear(w *packing, lo, hi int) {
	a := s.a
	for i := lo; i < hi; i++ {
		why := s.rows[i].missing
		if why&missingClocked != 0 && !a.format.wide {
			w.ints[1][i-lo] = 0
		}
		for c := range a.format.fields {
			if why&a.format.fields[c].kind() != 0 {
				w.ints[a.layout.counters+c][i-lo] = 0
			}
		}
	}
}

// into puts columns and labels into the content of a capture. b has what is missing in them.
func (w *wholeColumns) into(a *Accumulator, cfg *capture.Config, b *capture.Batch) {
	for i, c := range a.schema.Columns {
		if c.Integer {
			cfg.Counters[i].Col = w.packed.Integers(i, b.Cols[i].Valid)
		} else {
			cfg.Counters[i].Col = w.packed.Doubles(i, capture.Bitmap{})
		}
	}
	for i, texts := range [][]string{a.names.texts, a.reasons.texts}[:len(w.codes)] {
		cfg.Labels[i] = &capture.Label{Name: a.schema.Labels[i], Codes: w.codes[i], Dict: texts}
	}
}
