package interactive

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// MaxBuckets is how many buckets a lane has at most, unless the page holds all samples.
const MaxBuckets = 20_000

// Lanes makes lanes of counters, which may have time axes of their own.
type Lanes struct {
	Most int // buckets of a lane; 0 is all samples
	// Fed lanes are of samples that others follow: a bucket always has all of its columns, and no column is shared
	// because its values happen to be alike.
	Fed bool

	data  Data
	bins  []*capture.Bins // by axis
	of    []*capture.Axis
	sums  map[columnKey][]float64
	whole []bool // every bucket of an axis is one sample
}

// columnKey tells columns apart that steps of several lanes share.
type columnKey struct {
	axis, length int
	sum          uint64
}

// Axis is the number of the row of buckets for a time axis.
func (l *Lanes) axis(a *capture.Axis) int {
	for i, b := range l.of {
		if b.Same(a) {
			return i
		}
	}
	n := a.Len()
	bounds := bucketBounds(a, l.Most)
	bins := a.Rows(bounds)
	out := Axis{Start: bins.Axis.Start, End: bins.Axis.End, Samples: n}
	whole := len(bounds) == n+1 && !l.Fed
	if !whole {
		out.Rows = make([]int, bins.Len())
		for j := range out.Rows {
			out.Rows[j] = bins.Hi[j] - bins.Lo[j]
		}
	}
	l.of, l.bins, l.whole = append(l.of, a), append(l.bins, bins), append(l.whole, whole)
	l.data.Axes = append(l.data.Axes, out)
	return len(l.of) - 1
}

// bucketBounds divides samples into at most so many buckets. Samples that start at one time stay together where there
// are fewer buckets than samples, so that a slice by time can be had at every bound.
func bucketBounds(a *capture.Axis, most int) []int {
	n := a.Len()
	if most <= 0 || n <= most {
		out := make([]int, n+1)
		for i := range out {
			out[i] = i
		}
		return out
	}
	out := []int{0}
	for j := 1; j < most; j++ {
		i := int(int64(j) * int64(n) / int64(most))
		for i < n && a.Start[i] == a.Start[i-1] {
			i++
		}
		if i > out[len(out)-1] && i < n {
			out = append(out, i)
		}
	}
	return append(out, n)
}

// Add appends a lane. Of the lane given, the columns and steps are filled in.
func (l *Lanes) Add(lane Lane, c *capture.Counter) {
	lane.Axis = l.axis(c.Axis)
	bins := l.bins[lane.Axis]
	lane.Kind = c.Kind.String()
	if l.whole[lane.Axis] {
		lane.Min = l.shared(lane.Axis, c.Floats())
	} else {
		lane.spread(c, bins)
		lane.Count = l.shared(lane.Axis, lane.Count)
	}
	parts := formula.Parts
	if l.Fed {
		parts = formula.SteadyParts
	}
	steps, err := parts(c, bins)
	if err != nil {
		lane.NoTotal = err.Error()
	}
	for _, s := range steps {
		for k, column := range s.Columns {
			s.Columns[k] = l.shared(lane.Axis, column)
		}
	}
	lane.Steps = steps
	l.data.Lanes = append(l.data.Lanes, lane)
}

// shared is the column that another lane of the axis has with the same values, or the column itself.
func (l *Lanes) shared(axis int, v []float64) []float64 {
	if l.Fed {
		return v
	}
	key := columnKey{axis: axis, length: len(v)}
	for _, x := range v {
		key.sum = (key.sum ^ math.Float64bits(x)) * 0x100000001b3
		key.sum ^= key.sum >> 29
	}
	if have, ok := l.sums[key]; ok && same(have, v) {
		return have
	}
	if l.sums == nil {
		l.sums = map[columnKey][]float64{}
	}
	l.sums[key] = v
	return v
}

func same(a, b []float64) bool {
	for i, x := range a {
		if math.Float64bits(x) != math.Float64bits(b[i]) && (x == x || b[i] == b[i]) {
			return false
		}
	}
	return true
}

// spread fills in what the values of each bucket are.
func (l *Lane) spread(c *capture.Counter, bins *capture.Bins) {
	n := bins.Len()
	l.Min, l.Max = make([]float64, n), make([]float64, n)
	l.Sum, l.Count = make([]float64, n), make([]float64, n)
	values := c.Floats()
	for j := range n {
		lo, hi, sum, count := math.NaN(), math.NaN(), 0.0, 0.0
		for _, x := range values[bins.Lo[j]:bins.Hi[j]] {
			if x != x {
				continue
			}
			if count == 0 {
				lo, hi = x, x
			}
			lo, hi, sum, count = min(lo, x), max(hi, x), sum+x, count+1
		}
		if count == 0 {
			sum = math.NaN()
		}
		l.Min[j], l.Max[j], l.Sum[j], l.Count[j] = lo, hi, sum, count
	}
}

// Data is what was added.
func (l *Lanes) Data() Data { return l.data }
