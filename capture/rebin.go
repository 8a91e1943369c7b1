package capture

import (
	"math"
	"slices"
)

// What was put together of samples remembers them. A ratio is that of totals over the instants at which all of its
// operands are there, and once the operands are added up nobody can tell any more which these are: so formulas on
// counters in bins are evaluated on the samples below, see Capture.Beneath and Counter.Beneath.

// origin is what a capture was put together of.
type origin struct {
	from *Capture
	bins *Bins // of the samples of from; its axis is that of the capture
}

// Rebin returns the capture in bins: deltas added up, gauges averaged over time. names is a label that names the bins,
// nil if none does; another one survives where all samples of a bin agree.
func (c *Capture) Rebin(b *Bins, names *Label) (*Capture, error) {
	cfg := c.Config
	cfg.Axis = b.Axis
	cfg.origin = &origin{c, b}
	if !b.adjoin() { // what lies between the bins belongs to none, also where several are looked at
		all := make([]int, b.Len())
		for j := range all {
			all[j] = j
		}
		var err error
		if cfg.origin, err = cfg.origin.pick(all, b.Axis); err != nil {
			return nil, err
		}
	}
	passes := map[string]*Pass{}
	cfg.Passes = nil
	for _, p := range c.Passes {
		if passes[p.ID] == nil {
			passes[p.ID] = p.rebin(b, c.Axis)
			cfg.Passes = append(cfg.Passes, passes[p.ID])
		}
	}
	cfg.Counters = make([]*Counter, len(c.Counters))
	for k, ctr := range c.Counters {
		out := ctr.Rebin(b)
		for _, one := range append([]*Counter{out}, out.Instances...) {
			if p := passes[one.PassID()]; p != nil && one.Pass != nil {
				one.Pass = p
			}
		}
		out.remember(cfg.origin.from.Counters[k], cfg.origin.bins)
		cfg.Counters[k] = out
	}
	cfg.Labels = nil
	if names != nil {
		names.Unique = true
		cfg.Labels = []*Label{names}
	}
	for _, l := range c.Labels {
		if names == nil || l.Name != names.Name {
			cfg.Labels = append(cfg.Labels, l.agreed(b))
		}
	}
	return New(cfg)
}

// agreed is the label in bins, without a value where samples of a bin differ.
func (l *Label) agreed(b *Bins) *Label {
	out := make([]int32, b.Len())
	for j := range out {
		out[j] = -1
		if codes := l.Codes[b.Lo[j]:b.Hi[j]]; len(codes) > 0 &&
			!slices.ContainsFunc(codes, func(code int32) bool { return code != codes[0] }) {
			out[j] = codes[0]
		}
	}
	return l.with(out)
}

// remember says which counter it is in bins of that counter's samples.
func (c *Counter) remember(of *Counter, b *Bins) {
	c.beneath, c.bins = of, b
	for i, in := range c.Instances {
		in.remember(of.Instances[i], b)
	}
}

// Beneath is the counter that this one is in bins of its samples; nil where it is none such.
func (c *Counter) Beneath() (*Counter, *Bins) {
	if d, ok := c.Der.(*binnedDerivation); ok && !d.direct {
		return d.of, d.bins
	}
	return c.beneath, c.bins
}

// Durations is how long each sample lasts, in seconds.
func (c *Capture) Durations() *Counter {
	of := &Counter{Axis: c.Axis, Meta: Meta{GPU: c.GPU}}
	if c.origin != nil {
		of.beneath, of.bins = &Counter{Axis: c.origin.from.Axis, Meta: of.Meta}, c.origin.bins
	}
	return of.Duration()
}

// Beneath is the capture whose samples, in bins, are those of this one, with the same counters, GPU and options: what
// formulas are evaluated on. Counters that only say how long or how many the samples are have none there. It is nil where
// the samples were not put together of others.
func (c *Capture) Beneath() (*Capture, *Bins) {
	if c.origin == nil {
		return nil, nil
	}
	type key struct{}
	from, _ := c.Memo(key{}, func() any {
		cfg := c.origin.from.Config
		cfg.GPU, cfg.Stated, cfg.Device, cfg.Properties, cfg.Options = c.GPU, c.Stated, c.Device, c.Properties, c.Options
		cfg.Counters = nil
		for _, ctr := range c.Counters {
			if ctr.beneath != nil && ctr.bins == c.origin.bins {
				of := ctr.beneath
				if of.Name != ctr.Name {
					of = of.Clone()
					of.Meta = ctr.Meta
				}
				cfg.Counters = append(cfg.Counters, of)
			}
		}
		out, err := New(cfg)
		if err != nil || len(cfg.Counters) == 0 {
			return (*Capture)(nil)
		}
		return out
	}).(*Capture)
	if from == nil {
		return nil, nil
	}
	return from, c.origin.bins
}

// keep makes counters remember those of an origin that was cut as they were.
func (o *origin) keep(counters, were []*Counter, before *origin) {
	at := make(map[*Counter]*Counter, len(before.from.Counters))
	for k, ctr := range before.from.Counters {
		at[ctr] = o.from.Counters[k]
	}
	for k, ctr := range counters {
		if of := at[were[k].beneath]; of != nil && were[k].bins == before.bins {
			ctr.remember(of, o.bins)
		}
	}
}

// slice is what bins [i, j) were put together of.
func (o *origin) slice(i, j int, axis *Axis) (*origin, error) {
	lo, hi := 0, 0
	if i < j {
		lo, hi = slices.Min(o.bins.Lo[i:j]), slices.Max(o.bins.Hi[i:j])
	}
	start, end := axis.Extent()
	from, err := o.from.rows(lo, max(lo, hi), start, end)
	if err != nil {
		return nil, err
	}
	n := j - i
	out := &Bins{From: from.Axis, Axis: axis, Lo: make([]int, n), Hi: make([]int, n), Cut: o.bins.Cut, sorted: o.bins.sorted}
	for k := range n {
		out.Lo[k], out.Hi[k] = o.bins.Lo[i+k]-lo, o.bins.Hi[i+k]-lo
	}
	if o.bins.begin != nil {
		out.begin, out.finish = o.bins.begin[i:j:j], o.bins.finish[i:j:j]
	}
	return &origin{from, out}, nil
}

// pick is what some bins were put together of: their samples beside each other, each with the part of it that is in the
// bin.
func (o *origin) pick(which []int, axis *Axis) (*origin, error) {
	b := o.bins
	out := &Bins{Axis: axis, Lo: make([]int, len(which)), Hi: make([]int, len(which))}
	var rows []int
	var parts []float64
	var start, end []int64
	cut := false
	for k, j := range which {
		out.Lo[k] = len(rows)
		for i := b.Lo[j]; i < b.Hi[j]; i++ {
			w := b.Weight(j, i)
			if w <= 0 {
				continue
			}
			s, e := b.From.Start[i], b.From.End[i]
			if w < 1 {
				cut, s, e = true, max(s, b.begin[j]), min(e, b.finish[j])
			}
			rows, parts, start, end = append(rows, i), append(parts, w), append(start, s), append(end, e)
		}
		out.Hi[k] = len(rows)
	}
	from, err := o.from.gather(rows)
	if err == nil && cut {
		from, err = from.shared(parts, start, end)
	}
	if err != nil {
		return nil, err
	}
	out.From = from.Axis
	return &origin{from, out}, nil
}

// shared is the capture with a part of each sample, from start to end.
func (c *Capture) shared(parts []float64, start, end []int64) (*Capture, error) {
	axis := &Axis{Clock: c.Axis.Clock, Start: start, End: end, Covered: make([]int64, len(parts)),
		Count: make([]float64, len(parts))}
	for i, w := range parts {
		axis.Covered[i] = int64(math.Round(w * float64(c.Axis.Interval(i))))
		axis.Count[i] = w * c.Axis.Merged(i)
	}
	return c.With(func(cfg *Config) {
		cfg.Axis = axis
		passes := map[*Pass]*Pass{}
		pass := func(p *Pass) *Pass {
			if p == nil || p.Duration == nil {
				return p
			}
			if passes[p] == nil {
				passes[p] = &Pass{ID: p.ID, Duration: p.Duration.times(parts)}
			}
			return passes[p]
		}
		var part func(ctr *Counter) *Counter
		part = func(ctr *Counter) *Counter {
			out := ctr.Clone()
			out.Axis, out.Pass = axis, pass(ctr.Pass)
			if ctr.Kind == Delta && ctr.Col != nil {
				out.Col = ctr.Col.times(parts)
			}
			if ctr.Turn != nil {
				out.Turn = &Turn{Share: ctr.Turn.Share, Enabled: ctr.Turn.Enabled.times(parts)}
			}
			for i, in := range out.Instances {
				out.Instances[i] = part(in)
			}
			return out
		}
		cfg.Counters = make([]*Counter, len(c.Counters))
		for k, ctr := range c.Counters {
			cfg.Counters[k] = part(ctr)
		}
		cfg.Passes = nil
		for _, p := range c.Passes {
			cfg.Passes = append(cfg.Passes, pass(p))
		}
	})
}

// times is the column with each value multiplied by its part.
func (c *Column) times(parts []float64) *Column {
	return LazyColumn(c.n, func() (Data, error) {
		out := slices.Clone(parts)
		for i, v := range c.Floats() {
			out[i] *= v
		}
		return Data{F: out}, c.readErr()
	}).Again()
}

// Only is bin j by itself.
func (b *Bins) Only(j int) *Bins {
	out := &Bins{From: b.From, Axis: b.Axis.Slice(j, j+1), Lo: b.Lo[j : j+1], Hi: b.Hi[j : j+1], Cut: b.Cut, sorted: b.sorted}
	if b.begin != nil {
		out.begin, out.finish = b.begin[j:j+1], b.finish[j:j+1]
	}
	return out
}

// adjoin reports whether the bins hold all samples from the first to the last of them, each once.
func (b *Bins) adjoin() bool {
	for j := 1; j < len(b.Lo); j++ {
		if b.Lo[j] != b.Hi[j-1] && !(b.Cut && b.Lo[j] == b.Hi[j-1]-1) {
			return false
		}
	}
	return true
}

// Same reports whether two bins are of the same samples and hold the same of them.
func (b *Bins) Same(other *Bins) bool {
	return b == other || b.Cut == other.Cut && b.From.Same(other.From) && slices.Equal(b.Lo, other.Lo) &&
		slices.Equal(b.Hi, other.Hi) && slices.Equal(b.begin, other.begin) && slices.Equal(b.finish, other.finish)
}
