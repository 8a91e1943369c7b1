package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"astrolabe/capture"
)

// maxPhaseBins is into how many bins a capture is cut before phases are looked for. It bounds the work, which grows
// with its square, and how finely the ends of phases are placed; every sample is in a bin.
const maxPhaseBins = 2000

// What a phase takes where nothing else is asked for.
const (
	defaultMinSamples  = 10
	DefaultMinFraction = 0.02 // of the measured time
)

// PhaseOptions say what counts as a phase. The zero value asks for the defaults.
type PhaseOptions struct {
	MinDuration int64 // least measured time of a phase in ns; 0 is 2 % of the capture
	MinSamples  int   // least samples of a phase; 0 is defaultMinSamples
	MaxPhases   int   // the most phases; the least clear boundaries go first. 0 sets no limit
	// Recorded are the counters as they were recorded, where those in which phases are looked for have longer samples:
	// boundaries are placed by them, and the samples of phases are theirs. nil where there are no others.
	Recorded []*capture.Counter
}

// phaseLeaders is by how many counters the phases of a capture are told, as in reports.
const phaseLeaders = 4

// PhasesOf are the phases of a capture by the counters that lead it; none where none does.
func PhasesOf(ctx context.Context, c *capture.Capture) ([]capture.Span, error) {
	leads, err := Leading(ctx, c, phaseLeaders)
	if err != nil || len(leads) == 0 {
		return nil, err
	}
	counters := make([]*capture.Counter, len(leads))
	for i, l := range leads {
		counters[i] = l.Counter
	}
	return Phases(ctx, counters, PhaseOptions{})
}

// Phases cuts captures where the levels of several counters change. The phases follow each other without a hole and
// hold every sample; a capture that does not change is one phase, one without samples has none. All counters must share
// one time axis. Deltas are taken per second. A stretch in which every counter is missing is a phase where it is long
// enough; single missing values count for nothing.
//
// What is looked for is a change of level that lasts (see changePoints). A burst or a pause that is shorter than half
// the least duration is no phase, and neither is a pattern that repeats within it, such as the idle time between
// frames: where there is one, its repetitions are what is compared.
func Phases(ctx context.Context, counters []*capture.Counter, opt PhaseOptions) ([]capture.Span, error) {
	if len(counters) == 0 {
		return nil, errors.New("give at least one counter to find phases in")
	}
	for _, list := range [][]*capture.Counter{counters, opt.Recorded} {
		for _, c := range list {
			if !list[0].Axis.Same(c.Axis) {
				return nil, fmt.Errorf("%s and %s have different time axes (%d and %d samples): resample one of them",
					list[0].Name, c.Name, list[0].Len(), c.Len())
			}
		}
	}
	axis := counters[0].Axis
	if opt.MinDuration < 0 || opt.MinSamples < 0 || opt.MaxPhases < 0 {
		return nil, errors.New("the least duration, the least number of samples and the most phases can't be negative")
	}
	if axis.Len() == 0 {
		return nil, nil
	}
	if opt.MinSamples == 0 {
		opt.MinSamples = defaultMinSamples
	}
	if opt.MinDuration == 0 {
		opt.MinDuration = int64(DefaultMinFraction * float64(axis.Measured()))
	}
	spans, err := phasesIn(ctx, counters, axis, opt)
	if err != nil || len(opt.Recorded) == 0 {
		return spans, err
	}
	return placed(ctx, spans, axis, opt)
}

// placed are the phases of samples of the axis with their boundaries where the recorded counters change, within the
// length of such a sample.
func placed(ctx context.Context, spans []capture.Span, axis *capture.Axis, opt PhaseOptions) ([]capture.Span, error) {
	recorded := opt.Recorded[0].Axis
	if recorded.Len() == 0 {
		return spans, nil
	}
	bins := phaseBins(recorded, maxPhaseBins)
	series, err := levelsOf(ctx, opt.Recorded, bins)
	if err != nil {
		return nil, err
	}
	series = slices.DeleteFunc(series, held)
	var cuts []int
	for _, p := range spans[1:] {
		at := sort.Search(bins.Len(), func(i int) bool { return bins.Axis.Start[i] >= p.Start })
		if at > 0 && at < bins.Len() && (len(cuts) == 0 || at > cuts[len(cuts)-1]) {
			cuts = append(cuts, at)
		}
	}
	if s := newSegmenter(bins, opt); len(cuts) > 0 && s.read(series) {
		cuts = s.settle(cuts, (bins.Len()+axis.Len()-1)/axis.Len())
	}
	return spansBetween(recorded, bins, cuts), nil
}

// held reports whether values are read less often than samples are taken: most are those before them again, and none
// tells in which sample it came to be.
func held(v []float64) bool {
	again, pairs := 0, 0
	for i := 1; i < len(v); i++ {
		if v[i] == v[i] && v[i-1] == v[i-1] {
			pairs++
			if math.Abs(v[i]-v[i-1]) <= 1e-9*math.Abs(v[i]) {
				again++
			}
		}
	}
	return 2*again >= pairs
}

// phasesIn are the phases of counters of samples of the axis.
func phasesIn(ctx context.Context, counters []*capture.Counter, axis *capture.Axis,
	opt PhaseOptions) ([]capture.Span, error) {
	bins := phaseBins(axis, maxPhaseBins)
	series, err := levelsOf(ctx, counters, bins)
	if err != nil {
		return nil, err
	}
	s := newSegmenter(bins, opt)
	// A pattern that repeats within the least duration has changes of level of its own, which are no phases: bins
	// as long as the repetition hold the same of each, so that what is left between them lasts.
	r := repetition(series, s.leastBins())
	if r == 0 {
		cuts, err := changePoints(ctx, series, s)
		if err != nil {
			return nil, err
		}
		return spansBetween(axis, bins, cuts), nil
	}
	coarse := phaseBins(axis, float64(bins.Len())/r)
	levels, err := levelsOf(ctx, counters, coarse)
	if err != nil {
		return nil, err
	}
	cuts, err := changePoints(ctx, levels, newSegmenter(coarse, opt))
	if err != nil {
		return nil, err
	}
	// Coarse bins place a boundary to within one repetition. The fine ones know better, but only near it: elsewhere
	// they would find the pattern again.
	if len(cuts) > 0 && s.read(series) {
		for i, c := range cuts {
			cuts[i] = sort.SearchInts(bins.Lo, coarse.Lo[c])
		}
		return spansBetween(axis, bins, s.settle(cuts, int(r)+1)), nil
	}
	return spansBetween(axis, coarse, cuts), nil
}

// phaseBins makes about most bins of whole samples, each of about the same measured time; one per sample where there
// are no more.
func phaseBins(a *capture.Axis, most float64) *capture.Bins {
	n := a.Len()
	out := &capture.Bins{From: a, Axis: &capture.Axis{Clock: a.Clock}}
	timed := a.Measured() > 0
	size := func(i int) float64 { // instants count alike
		if timed {
			return float64(a.Interval(i))
		}
		return 1
	}
	width := max(float64(a.Measured()), 1) / most
	if !timed {
		width = float64(n) / most
	}
	lo, at, next := 0, 0.0, width
	for i := range n {
		at += size(i)
		// A sample ends a bin where the end of the next would be further from where the bin should end.
		if i < n-1 && float64(n) > most && at+size(i+1)/2 <= next {
			continue
		}
		out.Lo, out.Hi = append(out.Lo, lo), append(out.Hi, i+1)
		out.Axis.Start, out.Axis.End = append(out.Axis.Start, a.Start[lo]), append(out.Axis.End, a.End[i])
		covered := int64(0)
		for j := lo; j <= i; j++ {
			covered += a.Interval(j)
		}
		out.Axis.Covered = append(out.Axis.Covered, covered)
		lo = i + 1
		for next <= at+size(min(i+1, n-1))/2 {
			next += width
		}
	}
	return out
}

// levelsOf is the level of each counter in each bin.
func levelsOf(ctx context.Context, counters []*capture.Counter, bins *capture.Bins) ([][]float64, error) {
	out := make([][]float64, len(counters))
	for k, c := range counters {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[k] = levels(c, bins)
	}
	return out, nil
}

const (
	// leastRepetition is the least autocorrelation of a pattern whose repetitions become the bins.
	leastRepetition = 0.3
	// leastRepeated is the shortest series in which such a pattern is looked for.
	leastRepeated = 100
)

// repetition is the longest period, in values, of the series that repeat at least twice in a phase of least values; 0
// where none does.
func repetition(series [][]float64, least int) float64 {
	longest := 0.0
	for _, v := range series {
		if len(v) < leastRepeated {
			continue
		}
		corr := newCorrelator(len(v))
		r := make([]float64, min(2*least+2, len(v)/2)+2)
		corr.add(r, detrended(v))
		if !(r[0] > 1e-12*float64(len(v))) {
			continue
		}
		if at, strength := strongest(r); strength >= leastRepetition && 2*at <= least {
			longest = max(longest, period(r, at))
		}
	}
	return longest
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
