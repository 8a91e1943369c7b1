package plots

import (
	"math"
	"sort"
)

// column is what one series leaves in one device column: the values of the samples that touch it, in time order.
type column struct {
	first, last float64
	min, max    float64
	present     bool
	joined      bool // continues the column to the left: neither a gap nor a missing value lies between
	minFirst    bool // the minimum came before the maximum
}

func (c *column) add(v float64) {
	switch {
	case !c.present:
		*c = column{first: v, last: v, min: v, max: v, present: true, joined: c.joined}
		return
	case v < c.min:
		c.min, c.minFirst = v, false
	case v > c.max:
		c.max, c.minFirst = v, true
	}
	c.last = v
}

// reduction is a series reduced to the columns of a frame.
type reduction struct {
	cols     []column
	min, max float64 // over all columns; min > max where nothing is present
	shown    int     // samples with a value
	missing  int     // samples without one, in the window
	infinite int     // samples whose value is infinite or too large to draw
}

// maxValue is the greatest magnitude that can be drawn; beyond it the arithmetic of an axis overflows.
const maxValue = 1e300

// drawable reports whether a value is neither missing nor infinite nor too large.
func drawable(v float64) bool { return math.Abs(v) <= maxValue }

// reduce puts the samples that overlap [t0, t1) into n columns. It looks at each sample once. A break between two
// samples (a gap, or missing values) that is narrower than a column cannot be seen and does not break the line.
func reduce(start, end []int64, y []float64, t0, t1 int64, n int) *reduction {
	r := &reduction{cols: make([]column, n), min: math.Inf(1), max: math.Inf(-1)}
	if n == 0 || t1 <= t0 {
		return r
	}
	k := float64(n) / float64(t1-t0)
	prevEnd := math.Inf(-1) // of the last sample with a value, in columns
	hi := sort.Search(len(start), func(i int) bool { return start[i] >= t1 })
	for i := range hi {
		s, e := start[i], end[i]
		if e < t0 || (e == t0 && s < t0) {
			continue
		}
		v := y[i]
		if !drawable(v) {
			if math.IsNaN(v) {
				r.missing++
			} else {
				r.infinite++
			}
			continue
		}
		r.shown++
		x0, x1 := float64(s-t0)*k, float64(e-t0)*k
		c0 := min(max(int(x0), 0), n-1)
		c1 := min(max(int(math.Ceil(x1))-1, c0), n-1)
		if c := &r.cols[c0]; !c.present {
			c.add(v)
			c.joined = c0 > 0 && r.cols[c0-1].present && x0-prevEnd < 1
		} else {
			c.add(v)
		}
		for j := c0 + 1; j <= c1; j++ {
			r.cols[j].add(v)
			r.cols[j].joined = true
		}
		prevEnd = max(prevEnd, x1)
	}
	for i := range r.cols {
		if c := &r.cols[i]; c.present {
			r.min, r.max = min(r.min, c.min), max(r.max, c.max)
		}
	}
	return r
}

// empty reports whether there is nothing to draw.
func (r *reduction) empty() bool { return r.shown == 0 }
