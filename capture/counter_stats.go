package capture

import (
	"math"
	"math/bits"
	"slices"
)

// present calls f for every value that is not missing, in order.
func (c *Counter) present(f func(i int, v float64)) {
	for i, v := range c.Floats() {
		if v == v {
			f(i, v)
		}
	}
}

// Count is the number of values that are not missing.
func (c *Counter) Count() int {
	n := 0
	if c.Col != nil {
		if d := c.Col.Data(); d.U != nil {
			if d.Valid.Bits == nil {
				return len(d.U)
			}
			for i := range d.U {
				if d.Valid.Get(i) {
					n++
				}
			}
			return n
		}
	}
	c.present(func(int, float64) { n++ })
	return n
}

// Sum adds all present values, exactly where they are integers.
func (c *Counter) Sum() Value {
	if v, ok := c.exactSum(); ok {
		return v
	}
	sum, n := 0.0, 0
	c.present(func(_ int, v float64) { sum += v; n++ })
	if n == 0 {
		return Value{}
	}
	return c.floatValue(sum)
}

// exactSum adds integer columns, also those of instances, without rounding.
func (c *Counter) exactSum() (Value, bool) {
	var sum uint128
	n := 0
	add := func(d Data) {
		for i, u := range d.U {
			if d.Valid.Get(i) {
				sum.add(u)
				n++
			}
		}
	}
	switch {
	case c.Col != nil:
		d := c.Col.Data()
		if d.U == nil {
			return Value{}, false
		}
		add(d)
	case c.Der == nil && len(c.Instances) > 0 && c.Combine == CombineSum:
		for _, in := range c.Instances {
			if in.Col == nil {
				return Value{}, false
			}
			d := in.Col.Data()
			if d.U == nil || d.Valid.Bits != nil {
				return Value{}, false // a missing instance makes the sum of that sample missing
			}
			add(d)
		}
	default:
		return Value{}, false
	}
	if n == 0 {
		return Value{}, true
	}
	return sum.value(), true
}

// Mean is the plain average of the present values.
func (c *Counter) Mean() Value {
	n := c.Count()
	if n == 0 {
		return Value{}
	}
	return FloatValue(c.Sum().Float() / float64(n))
}

// Min is the smallest present value, and an exact integer where values are.
func (c *Counter) Min() Value { return c.extreme(func(a, b float64) bool { return a < b }) }

// Max is the largest present value, and an exact integer where values are.
func (c *Counter) Max() Value { return c.extreme(func(a, b float64) bool { return a > b }) }

func (c *Counter) extreme(better func(a, b float64) bool) Value {
	at, best := -1, 0.0
	c.present(func(i int, v float64) {
		if at < 0 || better(v, best) {
			at, best = i, v
		}
	})
	if at < 0 {
		return Value{}
	}
	return c.Value(at)
}

// Std is the sample standard deviation (n-1), missing for fewer than two values.
func (c *Counter) Std() Value {
	var n, mean, m2 float64
	c.present(func(_ int, v float64) {
		n++
		d := v - mean
		mean += d / n
		m2 += d * (v - mean)
	})
	if n < 2 {
		return Value{}
	}
	return FloatValue(math.Sqrt(m2 / (n - 1)))
}

// Quantiles returns the quantiles ps (0 to 1) of the present values, interpolated linearly between neighbours.
func (c *Counter) Quantiles(ps ...float64) []Value {
	out := make([]Value, len(ps))
	v := make([]float64, 0, c.Len())
	c.present(func(_ int, x float64) { v = append(v, x) })
	if len(v) == 0 {
		return out
	}
	for k, p := range ps {
		pos := min(max(p, 0), 1) * float64(len(v)-1)
		i := int(pos)
		x := selectNth(v, i)
		if frac := pos - float64(i); frac > 0 && i+1 < len(v) {
			x += frac * (slices.Min(v[i+1:]) - x)
		}
		out[k] = FloatValue(x)
	}
	return out
}

// selectNth reorders v so that v[n] is what a sort would put there, with nothing larger before it and nothing smaller
// behind it, and returns it. It partitions around medians of three and sorts where that makes no progress.
func selectNth(v []float64, n int) float64 {
	lo, hi := 0, len(v)-1
	for rounds := 2 * bits.Len(uint(len(v))); lo < hi; rounds-- {
		if rounds == 0 {
			slices.Sort(v[lo : hi+1])
			break
		}
		mid := lo + (hi-lo)/2
		pivot := max(min(v[lo], v[mid]), min(max(v[lo], v[mid]), v[hi]))
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			hi = j
		case n >= i:
			lo = i
		default:
			return v[n]
		}
	}
	return v[n]
}

// Percentile is the quantile p/100.
func (c *Counter) Percentile(p float64) Value { return c.Quantiles(p / 100)[0] }

// Median is the 50th percentile.
func (c *Counter) Median() Value { return c.Percentile(50) }

// First is the first present value.
func (c *Counter) First() Value {
	for i, v := range c.Floats() {
		if v == v {
			return c.Value(i)
		}
	}
	return Value{}
}

// Last is the last present value.
func (c *Counter) Last() Value {
	f := c.Floats()
	for i := len(f) - 1; i >= 0; i-- {
		if f[i] == f[i] {
			return c.Value(i)
		}
	}
	return Value{}
}

// Total is the value over all samples: the sum of a delta (scaled up where the counter took turns with others on the
// hardware, see Turns), the time-weighted mean of a gauge, the constant itself, and for a derived counter its formula
// on the totals of its inputs.
func (c *Counter) Total() Value {
	if c.Kind == Delta {
		if c.Turns() != nil {
			return FloatValue(c.SumExcept(c.Axis.Whole(), nil)[0])
		}
		return c.Sum()
	}
	if c.Kind == Constant {
		return c.First()
	}
	if c.Len() == 0 {
		return Value{}
	}
	return c.floatValue(c.Aggregate(c.Axis.Whole())[0])
}

// Aggregate returns one value per bin, by the rule of the counter's kind. NaN is missing.
func (c *Counter) Aggregate(b *Bins) []float64 {
	switch {
	case c.Der != nil:
		return c.Der.Aggregate(b)
	case c.Kind == Gauge:
		return c.weightedMeans(b)
	case c.Kind == Constant:
		return c.firsts(b)
	}
	return c.SumExcept(b, nil)
}

// weightedMeans averages by measuring time; samples of no length, or of one that nobody knows, count alike where
// nothing else is in the bin.
func (c *Counter) weightedMeans(b *Bins) []float64 {
	v := c.Floats()
	products := make([]float64, len(v))
	times := make([]float64, len(v))
	for i, x := range v {
		if x != x {
			products[i], times[i] = x, x
			continue
		}
		t := c.Interval(i)
		products[i], times[i] = x*t, t
	}
	num, den := b.sum(products), b.sum(times)
	var plain *[2][]float64
	for j := range num {
		if den[j] > 0 {
			num[j] /= den[j]
			continue
		}
		if plain == nil {
			ones := make([]float64, len(v))
			for i, x := range v {
				ones[i] = x - x + 1
			}
			plain = &[2][]float64{b.sum(v), b.sum(ones)}
		}
		num[j] = plain[0][j] / plain[1][j]
	}
	return num
}

func (c *Counter) firsts(b *Bins) []float64 {
	v := c.Floats()
	out := make([]float64, b.Len())
	for j := range out {
		out[j] = math.NaN()
		for _, x := range v[b.Lo[j]:b.Hi[j]] {
			if x == x {
				out[j] = x
				break
			}
		}
	}
	return out
}

// PassID is the measuring pass, "" where there is only one.
func (c *Counter) PassID() string {
	if c.Pass == nil {
		return ""
	}
	return c.Pass.ID
}

// Duration is the measuring time of each sample in seconds, the pass's own where there is one. It adds up like a delta.
func (c *Counter) Duration() *Counter {
	n := c.Len()
	return &Counter{
		Meta: Meta{Name: "duration", Title: "Duration", Unit: "s", Kind: Delta, GPU: c.GPU,
			Doc: "Measured time of each sample."},
		Axis: c.Axis, Pass: c.Pass,
		Col: LazyColumn(n, func() (Data, error) {
			f := make([]float64, n)
			for i := range f {
				f[i] = c.Interval(i) / 1e9
			}
			return Data{F: f}, nil
		}),
	}
}
