package capture

import "math"

// Slice returns samples [i, j) as a counter on axis, which must be the slice of the counter's own. Nothing is copied.
func (c *Counter) Slice(i, j int, axis *Axis) *Counter {
	out := c.on(axis)
	out.Reasons = sliceReasons(c.Reasons, i, j)
	switch {
	case c.Col != nil:
		out.Col = c.Col.Slice(i, j)
	case c.Der != nil:
		out.Der = &slicedDerivation{c.Der, c.Axis, i}
	}
	if c.Pass != nil {
		out.Pass = c.Pass.slice(i, j)
	}
	out.Turn = c.Turn.slice(i, j)
	for _, in := range c.Instances {
		out.Instances = append(out.Instances, in.Slice(i, j, axis))
	}
	return out
}

// Rebin returns the counter on b.Axis. Integers stay exact where no bin boundary cuts a sample.
func (c *Counter) Rebin(b *Bins) *Counter {
	out := c.on(b.Axis)
	for _, r := range c.Reasons {
		if run, ok := b.rebinRun(r); ok {
			out.Reasons = append(out.Reasons, run)
		}
	}
	if c.Der != nil {
		out.Der = &binnedDerivation{Derivation: c.Der, of: c, bins: b}
	} else {
		out.beneath, out.bins = c, b
	}
	if c.Col != nil {
		out.Col = LazyColumn(b.Len(), func() (Data, error) {
			if c.Kind == Delta && c.Col.Integers() && !b.Cut && c.Turns() == nil {
				if sums, ok := b.sumInts(c.Col); ok {
					return sums, c.Col.readErr()
				}
			}
			return Data{F: c.Aggregate(b)}, c.Col.readErr()
		})
	}
	if c.Pass != nil {
		out.Pass = c.Pass.rebin(b, c.Axis)
	}
	out.Turn = c.rebinTurn(b)
	for _, in := range c.Instances {
		out.Instances = append(out.Instances, in.Rebin(b))
	}
	return out
}

// rolling returns the counter over a trailing window of that many ns at every sample. Its total is that of the
// original.
func (c *Counter) Rolling(window int64) (*Counter, error) {
	b, err := c.Axis.rolling(window)
	if err != nil {
		return nil, err
	}
	out := c.on(c.Axis)
	out.Kind = Derived
	out.Integral = c.Integral || (c.Col != nil && c.Col.Integers() && !b.Cut)
	out.Pass = c.Pass
	inner := c.Der
	if inner == nil {
		inner = Identity(c)
	}
	out.Der = &binnedDerivation{Derivation: inner, of: c, bins: b, direct: true}
	return out, nil
}

// on returns a bare copy of the description of c for another axis.
func (c *Counter) on(axis *Axis) *Counter {
	return &Counter{Meta: c.Meta, Axis: axis, Warnings: c.Warnings}
}

// gather returns the samples at the given positions as a counter on axis.
func (c *Counter) gather(rows []int, axis *Axis, passes map[*Pass]*Pass) *Counter {
	out := c.on(axis)
	out.Reasons = gatherReasons(c.Reasons, rows)
	if c.Col != nil {
		out.Col = c.Col.gather(rows)
	}
	out.Pass = gatherPass(c.Pass, rows, passes)
	out.Turn = c.Turn.gather(rows)
	for _, in := range c.Instances {
		out.Instances = append(out.Instances, in.gather(rows, axis, passes))
	}
	return out
}

func (c *Column) gather(rows []int) *Column {
	return LazyColumn(len(rows), func() (Data, error) {
		d := c.Data()
		if d.U == nil {
			f := make([]float64, len(rows))
			for k, i := range rows {
				f[k] = d.F[i]
			}
			return Data{F: f}, c.Err()
		}
		out := Data{U: make([]uint64, len(rows))}
		if d.Valid.Bits != nil {
			out.Valid = NewBitmap(len(rows))
		}
		for k, i := range rows {
			out.U[k] = d.U[i]
			if !d.Valid.Get(i) {
				out.Valid.Clear(k)
			}
		}
		return out, c.Err()
	}).Again()
}

func (p *Pass) slice(i, j int) *Pass {
	out := &Pass{ID: p.ID}
	if p.Start != nil {
		out.Start = p.Start.Slice(i, j)
	}
	if p.Duration != nil {
		out.Duration = p.Duration.Slice(i, j)
	}
	return out
}

func (p *Pass) rebin(b *Bins, axis *Axis) *Pass {
	out := &Pass{ID: p.ID}
	if p.Duration != nil {
		d := &Counter{Meta: Meta{Kind: Delta}, Axis: axis, Col: p.Duration}
		out.Duration = d.Rebin(b).Col
	}
	return out
}

func gatherPass(p *Pass, rows []int, seen map[*Pass]*Pass) *Pass {
	if p == nil {
		return nil
	}
	if out, ok := seen[p]; ok {
		return out
	}
	out := &Pass{ID: p.ID}
	if p.Start != nil {
		out.Start = p.Start.gather(rows)
	}
	if p.Duration != nil {
		out.Duration = p.Duration.gather(rows)
	}
	seen[p] = out
	return out
}

func sliceReasons(runs []ReasonRun, i, j int) []ReasonRun {
	var out []ReasonRun
	for _, r := range runs {
		if from, to := max(r.From, i), min(r.To, j); from < to {
			out = append(out, ReasonRun{from - i, to - i, r.Reason})
		}
	}
	return out
}

func gatherReasons(runs []ReasonRun, rows []int) []ReasonRun {
	var out []ReasonRun
	for _, r := range runs {
		start := -1
		for k := 0; k <= len(rows); k++ {
			in := k < len(rows) && r.From <= rows[k] && rows[k] < r.To
			if in && start < 0 {
				start = k
			}
			if !in && start >= 0 {
				out = append(out, ReasonRun{start, k, r.Reason})
				start = -1
			}
		}
	}
	return out
}

func (b *Bins) rebinRun(r ReasonRun) (ReasonRun, bool) {
	from, to := -1, -1
	for j := range b.Lo {
		if b.Lo[j] < r.To && b.Hi[j] > r.From {
			if from < 0 {
				from = j
			}
			to = j + 1
		}
	}
	return ReasonRun{from, to, r.Reason}, from >= 0
}

// Beneath is the formula that a slice or a re-binned copy of a counter stands for, with bins of that formula's own
// samples in place of bins of the copy's. A derivation that only passes on another says so by a method Formula.
func Beneath(d Derivation, b *Bins) (Derivation, *Bins) {
	for {
		switch w := d.(type) {
		case *slicedDerivation:
			d, b = w.Derivation, w.shifted(b)
		case *binnedDerivation:
			d = w.Derivation
			if !w.direct {
				b = w.bins.compose(b)
			}
		case interface{ Formula() Derivation }:
			d = w.Formula()
		default:
			return d, b
		}
	}
}

// slicedDerivation is a formula over samples [from, ...) of its operands' axis.
type slicedDerivation struct {
	Derivation
	axis *Axis // of the operands
	from int
}

func (s *slicedDerivation) Eval(dst []float64, from int) { s.Derivation.Eval(dst, s.from+from) }

func (s *slicedDerivation) Aggregate(b *Bins) []float64 { return s.Derivation.Aggregate(s.shifted(b)) }

// shifted are bins of the operands' samples.
func (s *slicedDerivation) shifted(b *Bins) *Bins {
	out := *b
	out.From = s.axis
	out.Lo, out.Hi = make([]int, b.Len()), make([]int, b.Len())
	for j := range b.Lo {
		out.Lo[j], out.Hi[j] = b.Lo[j]+s.from, b.Hi[j]+s.from
	}
	return &out
}

func (s *slicedDerivation) Why(i int) Reason {
	if i < 0 {
		return s.Derivation.Why(i)
	}
	return s.Derivation.Why(s.from + i)
}

// binnedDerivation is a formula evaluated per bin of its operands' samples.
type binnedDerivation struct {
	Derivation
	of     *Counter // whose formula it is
	bins   *Bins
	direct bool // the result has the operands' own axis: aggregate the operands, not the windows
	once   onceFloats
}

// Binned is the counter whose formula is evaluated in bins, nil where these are windows that overlap.
func (d *binnedDerivation) Binned() *Counter {
	if d.direct {
		return nil
	}
	return d.of
}

func (d *binnedDerivation) Eval(dst []float64, from int) {
	copy(dst, d.once.get(func() []float64 { return d.Derivation.Aggregate(d.bins) })[from:])
}

func (d *binnedDerivation) Aggregate(b *Bins) []float64 {
	if d.direct {
		return d.Derivation.Aggregate(b)
	}
	return d.Derivation.Aggregate(d.bins.compose(b))
}

func (d *binnedDerivation) Why(i int) Reason {
	if i >= 0 {
		for k := d.bins.Lo[i]; k < d.bins.Hi[i]; k++ {
			var v [1]float64
			if d.Derivation.Eval(v[:], k); math.IsNaN(v[0]) {
				return d.Derivation.Why(k)
			}
		}
	}
	return d.Derivation.Why(-1)
}

// Identity is the formula that is just its operand.
func Identity(c *Counter) Derivation { return &identity{c} }

type identity struct{ c *Counter }

func (d *identity) Expr() string                 { return d.c.Name }
func (d *identity) Operands() []*Counter         { return []*Counter{d.c} }
func (d *identity) Eval(dst []float64, from int) { d.c.ReadFloats(dst, from) }
func (d *identity) Aggregate(b *Bins) []float64  { return d.c.Aggregate(b) }
func (d *identity) Warnings() []string           { return d.c.Warnings }
func (d *identity) Why(i int) Reason {
	r, _ := d.c.Why(i)
	return r
}
