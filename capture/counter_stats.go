package capture

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// Std is the sample standard deviation (n-1), missing for fewer than two values.
func (c *Counter) Std() Value {
	var n, mean, m2 float64
	c.walk(func(_ int, v []float64) {
		k, m, s := n, mean, m2
		for _, x := range v {
			if x == x {
				k++
				d := x - m
				m += d / k
				s += d * (x - m)
			}
		}
		n, mean, m2 = k, m, s
	})
	if n < 2 {
		return Value{}
	}
	return FloatValue(math.Sqrt(m2 / (n - 1)))
}

// quantileRoom keeps what Quantiles puts in order: fresh pages for it take as long as finding the median.
var quantileRoom sync.Pool

// Quantiles returns the quantiles ps (0 to 1) of the present values, interpolated linearly between neighbours.
func (c *Counter) Quantiles(ps ...float64) []Value {
	out := make([]Value, len(ps))
	room, _ := quantileRoom.Get().(*[]float64)
	if room == nil || len(*room) < c.Len() {
		room = new(make([]float64, c.Len()))
	}
	defer quantileRoom.Put(room)
	v, n := *room, 0
	c.walk(func(_ int, block []float64) {
		for _, x := range block {
			v[n] = x
			if x == x {
				n++
			}
		}
	})
	v = v[:n]
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
	var buf [512]float64
	for lo, n := 0, c.Len(); lo < n; lo += len(buf) {
		v := buf[:min(len(buf), n-lo)]
		c.ReadFloats(v, lo)
		for i, x := range v {
			if x == x {
				return c.Value(lo + i)
			}
		}
	}
	return Value{}
}

// Last is the last present value.
func (c *Counter) Last() Value {
	var buf [512]float64
	for hi := c.Len(); hi > 0; hi -= len(buf) {
		lo := max(0, hi-len(buf))
		v := buf[:hi-lo]
		c.ReadFloats(v, lo)
		for i := len(v) - 1; i >= 0; i-- {
			if v[i] == v[i] {
				return c.Value(lo + i)
			}
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
	k := c.keeps()
	if v := k.total.Load(); v != nil {
		return *v
	}
	v := c.floatValue(c.Aggregate(c.Axis.Whole())[0])
	k.total.Store(&v)
	return v
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
	if b.whole() {
		if mean, ok := c.weightedMean(); ok {
			return []float64{mean}
		}
	}
	num, den := c.TimeSums(b)
	var plain *[2][]float64
	for j := range num {
		if den[j] > 0 {
			num[j] /= den[j]
			continue
		}
		if plain == nil {
			plain = &[2][]float64{b.SumFloats(c.ReadFloats), c.sumOf(b, func(_ int, x float64) float64 { return x - x + 1 })}
		}
		num[j] = plain[0][j] / plain[1][j]
	}
	return num
}

// TimeSums are the two sums per bin whose ratio averages by measuring time: values times their time, and these times.
func (c *Counter) TimeSums(b *Bins) (num, den []float64) {
	return c.sumOf(b, func(i int, x float64) float64 { return x * c.Interval(i) }),
		c.sumOf(b, func(i int, _ float64) float64 { return c.Interval(i) })
}

// sumOf adds up per bin what is made of the present values.
func (c *Counter) sumOf(b *Bins, of func(i int, x float64) float64) []float64 {
	return b.SumFloats(func(dst []float64, from int) {
		c.ReadFloats(dst, from)
		for i, x := range dst {
			if x == x {
				dst[i] = of(from+i, x)
			}
		}
	})
}

// TimeMean is the average of the values that are there by measuring time, whatever kind the counter is of. Where none
// of them has a length they count alike.
func (c *Counter) TimeMean() Value {
	if c.Len() == 0 {
		return Value{}
	}
	return c.floatValue(c.weightedMeans(c.Axis.Whole())[0])
}

// weightedMean is the average of all values by measuring time; ok is false where none of them has any.
func (c *Counter) weightedMean() (mean float64, ok bool) {
	sum, time, n := 0.0, 0.0, 0
	c.walk(func(lo int, v []float64) {
		for i, x := range v {
			if x != x {
				continue
			}
			t := c.Interval(lo + i)
			if p := x * t; p == p {
				sum += p
				n++
			}
			if t == t {
				time += t
			}
		}
	})
	if n == 0 {
		sum = math.NaN()
	}
	return sum / time, time > 0
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
	out := &Counter{
		Meta: Meta{Name: "duration", Title: "Duration", Unit: "s", Kind: Delta, GPU: c.GPU,
			Doc: "Measured time of each sample."},
		Axis: c.Axis, Pass: c.Pass, Col: c.Axis.durations(),
	}
	if p := c.Pass; p != nil && p.Duration != nil {
		out.Col = LazyColumn(c.Len(), func() (Data, error) {
			f := make([]float64, c.Len())
			for i := range f {
				f[i] = c.Interval(i) / 1e9
			}
			return Data{F: f}, nil
		})
	}
	if of, b := c.Beneath(); of != nil {
		out.beneath, out.bins = of.Duration(), b
	}
	return out
}
