package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"

	"astrolabe/capture"
)

// maxPhaseBins is into how many bins a capture is cut before phases are looked for. It bounds the work, which grows with its square, and how
// finely the ends of phases are placed; every sample is in a bin.
const maxPhaseBins = 2000

// What a phase takes where nothing else is asked for.
const (
	DefaultMinSamples  = 10
	defaultMinFraction = 0.02 // of the measured time
)

// PhaseOptions say what counts as a phase. The zero value asks for the defaults.
type PhaseOptions struct {
	MinDuration int64 // least measured time of a phase in ns; 0 is 2 % of the capture
	MinSamples  int   // least samples of a phase; 0 is DefaultMinSamples
	MaxPhases   int   // the most phases; the least clear boundaries go first. 0 sets no limit
}

// Phases cuts captures where the levels of several counters change. The phases follow each other without a hole and hold every sample; a
// capture that does not change is one phase, one without samples has none. All counters must share one time axis. Deltas are taken per
// second. A stretch in which every counter is missing is a phase where it is long enough; single missing values count for nothing.
//
// What is looked for is a change of level that lasts (see changePoints). A burst or a pause that is shorter than half the least duration is
// no phase, and neither is a pattern that repeats within it, such as the idle time between frames.
func Phases(ctx context.Context, counters []*capture.Counter, opt PhaseOptions) ([]capture.Span, error) {
	if len(counters) == 0 {
		return nil, errors.New("give at least one counter to find phases in")
	}
	axis := counters[0].Axis
	for _, c := range counters[1:] {
		if !axis.Same(c.Axis) {
			return nil, fmt.Errorf("%s and %s have different time axes (%d and %d samples): resample one of them", counters[0].Name, c.Name, axis.Len(), c.Len())
		}
	}
	if opt.MinDuration < 0 || opt.MinSamples < 0 || opt.MaxPhases < 0 {
		return nil, errors.New("the least duration, the least number of samples and the most phases can't be negative")
	}
	if axis.Len() == 0 {
		return nil, nil
	}
	bins := phaseBins(axis, maxPhaseBins)
	series := make([][]float64, len(counters))
	for k, c := range counters {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		series[k] = levels(c, bins)
	}
	if opt.MinSamples == 0 {
		opt.MinSamples = DefaultMinSamples
	}
	if opt.MinDuration == 0 {
		opt.MinDuration = int64(defaultMinFraction * float64(axis.Measured()))
	}
	cuts, err := changePoints(ctx, series, bins, opt)
	if err != nil {
		return nil, err
	}
	return spansBetween(axis, bins, cuts), nil
}

// phaseBins makes at most about most bins of whole samples, each of about the same measured time.
func phaseBins(a *capture.Axis, most int) *capture.Bins {
	n := a.Len()
	out := &capture.Bins{From: a, Axis: &capture.Axis{Clock: a.Clock}}
	target := float64(a.Measured()) / float64(most)
	step := (n + most - 1) / most
	lo, length := 0, 0.0
	for i := range n {
		length += float64(a.Interval(i))
		full := n <= most || i == n-1 || (target > 0 && length >= target) || (target <= 0 && i+1-lo >= step)
		if !full {
			continue
		}
		out.Lo, out.Hi = append(out.Lo, lo), append(out.Hi, i+1)
		out.Axis.Start, out.Axis.End = append(out.Axis.Start, a.Start[lo]), append(out.Axis.End, a.End[i])
		out.Axis.Covered = append(out.Axis.Covered, int64(length))
		lo, length = i+1, 0
	}
	return out
}

// levels is the level of a counter in each bin: a delta per second, anything else its own aggregate.
func levels(c *capture.Counter, bins *capture.Bins) []float64 {
	v := c.Aggregate(bins)
	out := make([]float64, len(v))
	for j, x := range v {
		if c.Kind == capture.Delta && bins.Axis.Covered[j] > 0 {
			x /= float64(bins.Axis.Covered[j]) / 1e9
		}
		if math.IsInf(x, 0) {
			x = math.NaN()
		}
		out[j] = x
	}
	return out
}

// spansBetween makes spans of samples of the boundaries between bins. A span ends where the next begins.
func spansBetween(a *capture.Axis, bins *capture.Bins, cuts []int) []capture.Span {
	var out []capture.Span
	from := 0
	for _, cut := range append(cuts, bins.Len()) {
		first, last := bins.Lo[from], bins.Hi[cut-1]-1
		s := capture.Span{Start: a.Start[first], End: a.End[last], First: first, Last: last}
		if cut < bins.Len() {
			s.End = a.Start[last+1]
		} else {
			_, s.End = a.Extent()
		}
		out = append(out, s)
		from = cut
	}
	return out
}
