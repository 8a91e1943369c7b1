package formula

import (
	"math"
	"math/bits"
	"slices"

	"astrolabe/capture"
)

// aggregation is how a formula is evaluated over bins: reductions and operands become columns with one value per bin,
// and the rest of the formula runs on those.
type aggregation struct {
	leaves     []int32      // nodes that are inputs, outside reductions
	reductions []*reduction // outermost ones
	mask       capture.Bits // samples to leave out; nil if none
}

// reduction is one SUM(x) or the like with the code that computes x.
type reduction struct {
	id  int32
	arg int32
	op  Op
	x   *code
	q   float64 // of OpQuantile
}

func (d *derivation) aggregation() *aggregation {
	d.agg.Do(func() {
		a := &aggregation{}
		p := d.p
		seen := map[int32]bool{}
		var visit func(id int32)
		visit = func(id int32) {
			if id < 0 || seen[id] {
				return
			}
			seen[id] = true
			n := p.g.nodes[id]
			switch {
			case n.op == OpName:
				a.leaves = append(a.leaves, id)
			case n.op.reduction():
				a.reductions = append(a.reductions, p.reduction(id))
			default:
				visit(n.a)
				visit(n.b)
				visit(n.c)
			}
		}
		visit(d.id)
		a.mask = d.incomplete()
		d.aggr = a
	})
	return d.aggr
}

// incomplete returns one bit per sample in which some delta operand is missing, so that numerator and denominator are
// taken over the same samples; nil if every sample is complete. Operands of fill may be missing.
func (d *derivation) incomplete() capture.Bits {
	p := d.p
	var mask capture.Bits
	seen := map[int32]bool{}
	shared := true
	var visit func(id int32)
	visit = func(id int32) {
		if id < 0 || seen[id] {
			return
		}
		seen[id] = true
		n := p.g.nodes[id]
		if n.op == OpFill {
			return
		}
		if n.op == OpName {
			in := p.inputs[n.bits]
			if in.counter.Kind != capture.Delta {
				return
			}
			holes := in.holes()
			switch {
			case holes == nil:
			case mask == nil:
				mask = holes
			default:
				if shared {
					mask = slices.Clone(mask)
					shared = false
				}
				for i, w := range holes {
					mask[i] |= w
				}
			}
			return
		}
		visit(n.a)
		visit(n.b)
		visit(n.c)
	}
	visit(d.id)
	return mask
}

// Incomplete has one bit for each sample that a formula leaves out of its totals because a count that it reads is
// missing there; nil where there is none, or the formula is in bins.
func Incomplete(d capture.Derivation) capture.Bits {
	for {
		switch w := d.(type) {
		case *derivation:
			if mask := w.aggregation().mask; mask.Count() > 0 {
				return mask
			}
			return nil
		case interface{ Formula() capture.Derivation }:
			d = w.Formula()
		default:
			return nil
		}
	}
}

func blank(dst []float64, from int, mask capture.Bits) {
	if mask == nil {
		return
	}
	for i := range dst {
		if mask.Get(from + i) {
			dst[i] = math.NaN()
		}
	}
}

// Aggregate evaluates the formula once per bin on its operands' aggregates over the complete samples of the bin.
func (d *derivation) Aggregate(b *capture.Bins) []float64 {
	p, a := d.p, d.aggregation()
	columns := columnSet{}
	for _, leaf := range a.leaves {
		columns[leaf] = p.aggregateInput(int(p.g.nodes[leaf].bits), b, a.mask)
	}
	for _, r := range a.reductions {
		columns[r.id] = p.reduce(r, b, a.mask)
	}
	out := make([]float64, b.Len())
	if len(out) == 0 {
		return out
	}
	compile(p.g, []int32{d.id}, false, columns.source).runOne(out, 0)
	return out
}

// columnSet gives nodes of a graph the values that were computed for them.
type columnSet map[int32]column

func (s columnSet) source(id int32) source {
	if c, ok := s[id]; ok {
		return c
	}
	return nil
}

// aggregateInput aggregates one input over bins. Delta inputs leave out the samples of mask. Results without a mask are
// kept for the other formulas of the program.
func (p *Program) aggregateInput(i int, b *capture.Bins, mask capture.Bits) []float64 {
	in := p.inputs[i]
	delta := in.counter.Kind == capture.Delta
	if delta && mask != nil && in.counter.Turns() != nil {
		return in.counter.SumExcept(b, mask)
	}
	if delta && mask != nil {
		return b.SumFloats(func(dst []float64, from int) {
			in.read(dst, from)
			blank(dst, from, mask)
		})
	}
	whole := delta && !b.Cut && b.Len() == 1 && b.Lo[0] == 0 && b.Hi[0] == p.axis.Len()
	p.mu.Lock()
	if whole {
		if v, ok := p.fullSums[i]; ok {
			p.mu.Unlock()
			return []float64{v}
		}
	} else if p.bins == b {
		if v, ok := p.binned[i]; ok {
			p.mu.Unlock()
			return v
		}
	}
	p.mu.Unlock()
	var v []float64
	if whole {
		v = []float64{in.counter.Total().Float()}
	} else {
		v = in.counter.Aggregate(b)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if whole {
		if p.fullSums == nil {
			p.fullSums = map[int]float64{}
		}
		p.fullSums[i] = v[0]
		return v
	}
	if p.bins != b {
		p.bins, p.binned = b, map[int][]float64{}
	}
	p.binned[i] = v
	return v
}

// reduce computes the reduction once per bin. Samples that a bin holds only in part count in sums and averages by that
// part, and fully in the other reductions.
func (p *Program) reduce(r *reduction, b *capture.Bins, mask capture.Bits) []float64 {
	if n := p.g.nodes[r.arg]; n.op == OpName && r.op == OpSum && p.inputs[n.bits].counter.Kind == capture.Delta {
		return p.aggregateInput(int(n.bits), b, mask) // shared, and exact for integers
	}
	read := func(dst []float64, from int) {
		r.x.runOne(dst, from)
		blank(dst, from, mask)
	}
	switch r.op {
	case OpSum:
		if turns := p.turns(r.arg); turns.Count() > 0 {
			x := &capture.Counter{Meta: capture.Meta{Kind: capture.Delta}, Axis: p.axis, Reasons: waiting(turns),
				Col: capture.LazyColumn(p.axis.Len(), func() (capture.Data, error) {
					all := make([]float64, p.axis.Len())
					read(all, 0)
					return capture.Data{F: all}, nil
				})}
			return x.SumExcept(b, mask)
		}
		return b.SumFloats(read)
	case OpAvg:
		sum := b.SumFloats(read)
		count := b.SumFloats(func(dst []float64, from int) {
			read(dst, from)
			for i, v := range dst {
				if v == v {
					dst[i] = 1
				}
			}
		})
		for i := range sum {
			sum[i] /= count[i]
		}
		return sum
	}
	all := make([]float64, b.From.Len())
	if len(all) > 0 {
		read(all, 0)
	}
	out := make([]float64, b.Len())
	var rows []float64
	for j := range out {
		rows = rows[:0]
		for i := b.Lo[j]; i < b.Hi[j]; i++ {
			if v := all[i]; v == v && b.Weight(j, i) > 0 {
				rows = append(rows, v)
			}
		}
		out[j] = r.of(rows)
	}
	return out
}

// turns tells in which samples an operand of a node waited for its turn on the hardware, nil if none did.
func (p *Program) turns(id int32) capture.Bits {
	var out capture.Bits
	p.g.walk(id, map[int32]bool{}, func(n int32) {
		if p.g.nodes[n].op != OpName {
			return
		}
		for k, w := range p.inputs[p.g.nodes[n].bits].counter.Turns() {
			if out == nil {
				out = capture.NewBits(p.axis.Len())
			}
			out[k] |= w
		}
	})
	return out
}

// waiting are reasons for the samples in turns.
func waiting(turns capture.Bits) (out []capture.ReasonRun) {
	for k, w := range turns {
		for ; w != 0; w &= w - 1 {
			i := k<<6 + bits.TrailingZeros64(w)
			if n := len(out); n > 0 && out[n-1].To == i {
				out[n-1].To++
				continue
			}
			out = append(out, capture.ReasonRun{From: i, To: i + 1, Reason: capture.Reason{Code: capture.NotScheduled}})
		}
	}
	return out
}

// reduction prepares a reduction node.
func (p *Program) reduction(id int32) *reduction {
	n := p.g.nodes[id]
	r := &reduction{id: id, arg: n.a, op: n.op, x: compile(p.g, []int32{n.a}, true, p.rowSource)}
	if n.op == OpQuantile {
		q, ok := p.g.constant(n.b)
		if !ok {
			q = math.NaN()
		}
		r.q = q
	}
	return r
}

// of reduces the present values of a bin, which it may reorder.
func (r *reduction) of(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	switch r.op {
	case OpReduceMin:
		return slices.Min(v)
	case OpReduceMax:
		return slices.Max(v)
	case OpMedian:
		return quantile(v, 0.5)
	case OpQuantile:
		return quantile(v, r.q)
	case OpStd:
		if len(v) == 1 {
			return 0
		}
		var n, mean, m2 float64
		for _, x := range v {
			n++
			delta := x - mean
			mean += delta / n
			m2 += delta * (x - mean)
		}
		return math.Sqrt(m2 / (n - 1))
	}
	return math.NaN()
}

// quantile interpolates linearly between the two nearest values. It sorts v.
func quantile(v []float64, q float64) float64 {
	if !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	slices.Sort(v)
	pos := q * float64(len(v)-1)
	i := int(pos)
	x := v[i]
	if frac := pos - float64(i); frac > 0 {
		x += frac * (v[i+1] - x)
	}
	return x
}
