package perfetto

import (
	"math"
	"slices"

	"astrolabe/capture/formats/internal/steps"
	"astrolabe/capture/memory"
)

// ourSamples finds the samples that this package wrote: each begins with its values and ends where the next begins, or
// at a mark before it.
func (d *decoder) ourSamples(lines []*steps.Line) *steps.Cutting {
	start, ends := steps.AllTimes(lines, &d.tally), []int64(nil)
	for _, s := range d.slices.done {
		switch s.category {
		case categoryStart:
			start = memory.Append(&d.tally, start, s.start)
		case categoryEnd:
			ends = memory.Append(&d.tally, ends, s.start)
		}
	}
	slices.Sort(start)
	start = slices.Compact(start)
	slices.Sort(ends)
	d.tally.Must(8 * uint64(len(start)))
	c := &steps.Cutting{Start: start, End: make([]int64, len(start)), Exact: true}
	k := 0
	for i, s := range start {
		next := int64(math.MaxInt64)
		if i+1 < len(start) {
			next = start[i+1]
		}
		for k < len(ends) && ends[k] < s {
			k++
		}
		switch {
		case k < len(ends) && ends[k] <= next:
			c.End[i] = ends[k]
			k++
		case next < math.MaxInt64:
			c.End[i] = next
		default:
			c.End[i] = s
			d.warn("the last sample has no end: its length is taken as 0")
		}
	}
	return c
}
