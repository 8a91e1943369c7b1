package analysis

import (
	"cmp"
	"math"
	"slices"

	"astrolabe/capture"
)

// What made the samples of a capture.
const (
	ByClock    = "clock"      // a clock: nearly all follow each other at one interval
	ByDispatch = "dispatches" // each is a dispatch or a draw, as long as it took
	ByOthers   = "irregular"  // neither
)

// Sampling is how a capture was sampled.
type Sampling struct {
	Kind     string
	Interval float64 // the median length of a sample, in ns; 0 where they have none
	Odd      float64 // the share of samples whose length is more than a quarter from that, 0 to 1
}

// SamplingOf says how a capture was sampled.
func SamplingOf(c *capture.Capture) Sampling {
	s := Sampling{Kind: ByOthers}
	n := c.Len()
	if n == 0 {
		return s
	}
	s.Interval = typicalInterval(c.Axis)
	odd := 0
	for i := range n {
		if math.Abs(float64(c.Axis.Interval(i))-s.Interval) > s.Interval/4 {
			odd++
		}
	}
	s.Odd = float64(odd) / float64(n)
	switch {
	case clocked(c.Axis):
		s.Kind = ByClock
	case areDispatches([]*capture.Capture{c}):
		s.Kind = ByDispatch
	}
	return s
}

// LabelPart is what the samples with one value of a label took, in seconds.
type LabelPart struct {
	Value   string
	Missing bool // the samples without a value
	Samples int
	Time    float64 // of all samples together

	Shortest, Median, Longest float64
	Slow                      int // samples that took much longer than the others of this value
}

// slowFactor is how many times the median of its value a sample must take to be slow, beside being an outlier. Ours, as for frames.
const slowFactor = 1.5

// LabelParts says what the samples took for every value of a label, the longest time first; none where there is no such label.
func LabelParts(c *capture.Capture, label string) []LabelPart {
	l := c.Label(label)
	if l == nil {
		return nil
	}
	lengths := map[int32][]float64{}
	var order []int32
	for i, code := range l.Codes {
		if lengths[code] == nil {
			order = append(order, code)
		}
		lengths[code] = append(lengths[code], float64(c.Axis.Interval(i))/1e9)
	}
	out := make([]LabelPart, 0, len(order))
	for _, code := range order {
		v := lengths[code]
		p := LabelPart{Missing: code < 0, Samples: len(v)}
		if code >= 0 {
			p.Value = l.Dict[code]
		}
		for _, x := range v {
			p.Time += x
		}
		far := Outliers(v, DefaultOutlierScore, High)
		values := slices.Clone(v)
		p.Median = median(values) // which sorts them
		p.Shortest, p.Longest = values[0], values[len(values)-1]
		for _, o := range far {
			if v[o.Index] > slowFactor*p.Median {
				p.Slow++
			}
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b LabelPart) int { return cmp.Compare(b.Time, a.Time) })
	return out
}
