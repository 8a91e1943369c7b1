package canvas

import (
	"math"
	"sort"
)

// column is what one series leaves in one device column: the values of the samples that touch it, in time order.
type column struct {
	First, Last float64
	Min, Max    float64
	Present     bool
	Joined      bool // continues the column to the left: neither a gap nor a missing value lies between
	MinFirst    bool // the minimum came before the maximum
}

func (c *column) add(v float64) {
	switch {
	case !c.Present:
		*c = column{First: v, Last: v, Min: v, Max: v, Present: true, Joined: c.Joined}
		return
	case v < c.Min:
		c.Min, c.MinFirst = v, false
	case v > c.Max:
		c.Max, c.MinFirst = v, true
	}
	c.Last = v
}

// reduction is a series reduced to the columns of a frame.
type reduction struct {
	Cols     []column
	Min, Max float64 // over all columns; min > max where nothing is present
	Shown    int     // samples with a value
	Missing  int     // samples without one, in the window
	Infinite int     // samples whose value is infinite or too large to draw
}

// MaxValue is the greatest magnitude that can be drawn; beyond it the arithmetic of an axis overflows.
const MaxValue = 1e300

// Drawable reports whether a value is neither missing nor infinite nor too large.
func Drawable(v float64) bool { return math.Abs(v) <= MaxValue }

// Reduce puts the samples that overlap [t0, t1) into n columns. It looks at each sample once. A break between two
// samples (a gap, or missing values) that is narrower than a column cannot be seen and does not break the line.
func Reduce(start, end []int64, y []float64, t0, t1 int64, n int) *reduction {
	r := &reduction{Cols: make([]column, n), Min: math.Inf(1), Max: math.Inf(-1)}
	clear(r.Cols) // pages of new memory that are read before they are written cost twice
	if n == 0 || t1 <= t0 {
		return r
	}
	k := float64(n) / float64(t1-t0)
	prevEnd := math.Inf(-1) // of the last sample with a value, in columns
	// Starts are in order; ends need not be, since samples may overlap, so the first sample cannot be searched for.
	hi := sort.Search(len(start), func(i int) bool { return start[i] >= t1 })
	for i := range hi {
		s, e := start[i], end[i]
		// A sample without length at the very beginning is in the window, one that ends there is not.
		if e < t0 || (e == t0 && s < t0) {
			continue
		}
		v := y[i]
		if !Drawable(v) {
			if math.IsNaN(v) {
				r.Missing++
			} else {
				r.Infinite++
			}
			continue
		}
		r.Shown++
		x0, x1 := float64(s-t0)*k, float64(e-t0)*k
		c0 := min(max(int(x0), 0), n-1)
		// The end is outside of a sample: one that ends on the edge of a column does not reach into the next.
		c1 := min(max(int(math.Ceil(x1))-1, c0), n-1)
		if c := &r.Cols[c0]; !c.Present {
			c.add(v)
			c.Joined = c0 > 0 && r.Cols[c0-1].Present && x0-prevEnd < 1
		} else {
			c.add(v)
		}
		for j := c0 + 1; j <= c1; j++ {
			r.Cols[j].add(v)
			r.Cols[j].Joined = true
		}
		// The greatest so far, because samples that overlap may end in another order.
		prevEnd = max(prevEnd, x1)
	}
	for i := range r.Cols {
		if c := &r.Cols[i]; c.Present {
			r.Min, r.Max = min(r.Min, c.Min), max(r.Max, c.Max)
		}
	}
	return r
}

// Empty reports whether there is nothing to draw.
func (r *reduction) Empty() bool { return r.Shown == 0 }
