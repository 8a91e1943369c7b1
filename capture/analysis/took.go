package analysis

import (
	"cmp"
	"slices"

	"astrolabe/capture"
)

// Took is how long everything of one name took, in seconds: the samples with one value of a label, or the regions of
// one name.
type Took struct {
	Name    string
	Missing bool // the samples without a value
	Count   int  // of samples or regions
	Time    float64

	Shortest, Median, Longest float64
	Slow                      int // those that took much longer than the others of this name
}

// slowFactor is how many times the median of its name something must take to be slow, beside being an outlier. Ours, as
// for frames.
const slowFactor = 1.5

// LabelParts says what the samples took for every value of a label, the longest time first; none where there is no such
// label.
func LabelParts(c *capture.Capture, label string) []Took {
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
	out := make([]Took, 0, len(order))
	for _, code := range order {
		p := took(lengths[code])
		if p.Missing = code < 0; !p.Missing {
			p.Name = l.Dict[code]
		}
		out = append(out, p)
	}
	longestFirst(out)
	return out
}

// RegionParts says what the regions of every name took from their start to their end, those within them included, the
// longest time first.
func RegionParts(c *capture.Capture) []Took {
	names, by := regionsNamed(c)
	out := make([]Took, 0, len(names))
	for _, name := range names {
		v := make([]float64, len(by[name]))
		for i, r := range by[name] {
			v[i] = float64(r.End-r.Start) / 1e9
		}
		p := took(v)
		p.Name = name
		out = append(out, p)
	}
	longestFirst(out)
	return out
}

// took describes lengths, of which there is at least one.
func took(v []float64) Took {
	p := Took{Count: len(v)}
	for _, x := range v {
		p.Time += x
	}
	far := Outliers(v, DefaultOutlierScore, high)
	values := slices.Clone(v)
	p.Median = median(values) // which sorts them
	p.Shortest, p.Longest = values[0], values[len(values)-1]
	for _, o := range far {
		if v[o.Index] > slowFactor*p.Median {
			p.Slow++
		}
	}
	return p
}

func longestFirst(list []Took) {
	slices.SortStableFunc(list, func(a, b Took) int { return cmp.Compare(b.Time, a.Time) })
}
