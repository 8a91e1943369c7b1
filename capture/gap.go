package capture

import (
	"cmp"
	"math"
	"slices"
)

// Gap is a stretch of time that has fewer samples than it should, in ns since the start of the capture.
//
// There are two kinds, and Config keeps them apart. In Config.Gaps nothing was measured: samples were lost, or flagged
// as worthless, and what happened there is in no sum. In Config.Late ticks were missed and one longer sample covers
// their time: the span is that sample's, counts are complete, only resolution is lost. So a gap is no part of the
// measured time, and late time is.
type Gap struct {
	Start, End int64
	Lost       uint64 // samples or reports that are not there, 0 if unknown
	Reason     Reason
}

// Measured is the time in ns in which something was measured: what samples cover, overlapping ones once, less gaps.
// Late spans belong to it. It is worked out once.
func (c *Capture) Measured() int64 {
	return c.Memo(measuredKey{}, func() any { return c.measure() }).(int64)
}

type measuredKey struct{} // of Memo

func (c *Capture) measure() int64 {
	a := c.Axis
	if a.Covered != nil {
		return a.Measured() // re-binning has left out what no sample covers
	}
	var gaps []Gap
	for _, g := range c.Gaps {
		if g.End > g.Start {
			gaps = append(gaps, g)
		}
	}
	slices.SortFunc(gaps, func(x, y Gap) int { return cmp.Compare(x.Start, y.Start) })
	var sum int64
	// add counts [from, to), less the gaps in it. Stretches come in the order of time and do not overlap.
	add := func(from, to int64) {
		for len(gaps) > 0 && gaps[0].Start < to {
			sum += max(0, gaps[0].Start-from)
			from = max(from, gaps[0].End)
			if gaps[0].End > to { // it may reach into the next stretch
				return
			}
			gaps = gaps[1:]
		}
		sum += max(0, to-from)
	}
	if a.Len() == 0 {
		return 0
	}
	from, to := a.Start[0], a.End[0]
	for i := range a.Start {
		if a.Start[i] > to {
			add(from, to)
			from = a.Start[i]
		}
		to = max(to, a.End[i])
	}
	add(from, to)
	return sum
}

// Length is how long gaps or late spans last together in ns. Stretches that overlap count once.
func Length(gaps []Gap) int64 {
	sorted := slices.SortedFunc(slices.Values(gaps), func(x, y Gap) int { return cmp.Compare(x.Start, y.Start) })
	var sum int64
	reached := int64(math.MinInt64)
	for _, g := range sorted {
		sum += max(0, g.End-max(g.Start, reached))
		reached = max(reached, g.End)
	}
	return sum
}

// gapsWithin cuts what lies outside [start, end) off gaps, and leaves out what has nothing inside.
func gapsWithin(gaps []Gap, start, end int64) []Gap {
	var out []Gap
	for _, g := range gaps {
		if g.Start < end && g.End > start || g.Start == g.End && g.Start >= start && g.Start < end {
			g.Start, g.End = max(g.Start, start), min(g.End, end)
			out = append(out, g)
		}
	}
	return out
}

// lateOf picks the late spans that a sample of the axis has a part in.
func lateOf(late []Gap, axis *Axis) []Gap {
	if len(late) == 0 {
		return nil
	}
	first, last := axis.Extent()
	latest, _ := axis.latestEnds()
	var out []Gap
	for _, g := range late {
		if g.Start >= last || g.End <= first {
			continue
		}
		// Among the samples that begin before the span is over, one must end after its beginning.
		if i := axis.rowAt(g.End); i > 0 && latest[i-1] > g.Start {
			out = append(out, g)
		}
	}
	return out
}

// moved is gaps at other times.
func moved(gaps []Gap, by int64) []Gap {
	out := slices.Clone(gaps)
	for i := range out {
		out[i].Start += by
		out[i].End += by
	}
	return out
}
