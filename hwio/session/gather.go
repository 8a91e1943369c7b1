package session

import (
	"math"
	"math/bits"

	"astrolabe/capture"
)

// gatherer makes one value per counter of the columns and rows of a stream: instances and rows of a count are summed,
// levels are averaged, over time by the length of the rows.
type gatherer struct {
	schema *capture.Schema
	at     [][]int // columns of each wanted counter; nil where the stream does not have it
	cells  [][]cell
}

// cell collects the rows of one column.
type cell struct {
	whole  uint64
	exact  bool // whole holds the sum
	sum    float64
	weight float64
	n      int
	why    *capture.Reason
}

// newGatherer collects the counters of the given names; "" is none of this stream's.
func newGatherer(schema *capture.Schema, names []string) *gatherer {
	g := &gatherer{schema: schema, at: make([][]int, len(names)), cells: make([][]cell, len(names))}
	for i, name := range names {
		for col := range schema.Columns {
			if name != "" && schema.Columns[col].Meta.Name == name {
				g.at[i] = append(g.at[i], col)
			}
		}
		g.cells[i] = make([]cell, len(g.at[i]))
	}
	g.reset()
	return g
}

func (g *gatherer) reset() {
	for _, list := range g.cells {
		for k := range list {
			list[k] = cell{exact: true}
		}
	}
}

// add takes every row of a batch. Rows of a stream that is read on demand have no times.
func (g *gatherer) add(b *capture.Batch) {
	rows := 0
	if len(b.Cols) > 0 {
		rows = b.Cols[0].Len()
	}
	for i := range rows {
		g.addRow(b, i)
	}
}

func (g *gatherer) addRow(b *capture.Batch, row int) {
	length := 1.0
	if row < len(b.Start) {
		length = float64(b.End[row] - b.Start[row])
	}
	for i, cols := range g.at {
		for k, col := range cols {
			c, d := &g.cells[i][k], b.Cols[col]
			if d.Missing(row) {
				// The reason is kept for the case that no row of the sample has a value; one that has makes it void.
				for _, r := range b.Reasons {
					if r.Col == col && r.From <= row && row < r.To {
						c.why = &r.Reason
					}
				}
				continue
			}
			v := d.Float(row)
			c.n++
			// Counts add up, exactly while they are integers that fit 64 bits. Levels are weighted by the length of
			// their row: a device that stamps its own samples does not do so at equal distances. A constant is what was
			// said last.
			switch g.schema.Columns[col].Meta.Kind {
			case capture.Delta:
				c.sum += v
				if d.U != nil && c.exact {
					sum, carry := bits.Add64(c.whole, d.U[row], 0)
					c.whole, c.exact = sum, carry == 0
				} else {
					c.exact = false
				}
			case capture.Constant:
				c.sum, c.weight, c.exact = v, 1, false
			default:
				c.sum, c.weight, c.exact = c.sum+v*length, c.weight+length, false
			}
		}
	}
}

// into puts the values into a measurement and starts afresh.
func (g *gatherer) into(m *Measurement) {
	for i, cols := range g.at {
		if cols != nil {
			m.Values[i], m.Why[i] = g.value(i)
		}
	}
	g.reset()
}

// value combines the instances of a counter. It is missing where one of them is.
func (g *gatherer) value(i int) (capture.Value, capture.Reason) {
	meta := &g.schema.Columns[g.at[i][0]].Meta
	var whole uint64
	exact := true
	sum, most := 0.0, math.Inf(-1)
	for k := range g.cells[i] {
		c := &g.cells[i][k]
		// A sum without one of the instances would be too small and look right.
		if c.n == 0 {
			if c.why != nil {
				return capture.Value{}, *c.why
			}
			return capture.Value{}, capture.Reason{Code: capture.NotCollected,
				Text: "the source gave no sample in this time"}
		}
		v := c.sum
		if meta.Kind != capture.Delta && c.weight > 0 {
			v /= c.weight
		}
		sum += v
		most = max(most, v)
		next, carry := bits.Add64(whole, c.whole, 0)
		whole, exact = next, exact && c.exact && carry == 0
	}
	switch {
	case meta.Combine == capture.CombineMax:
		return capture.FloatValue(most), capture.Reason{}
	case meta.Combine == capture.CombineMean:
		return capture.FloatValue(sum / float64(len(g.cells[i]))), capture.Reason{}
	case exact:
		return capture.IntValue(whole), capture.Reason{}
	}
	return capture.FloatValue(sum), capture.Reason{}
}

// newMeasurement has room for n values, all missing.
func newMeasurement(n int) *Measurement {
	m := &Measurement{Values: make([]capture.Value, n), Why: make([]capture.Reason, n)}
	for i := range m.Why {
		m.Why[i] = capture.Reason{Code: capture.NotCollected}
	}
	return m
}
