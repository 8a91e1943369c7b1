package capture

import (
	"slices"
	"sync"
)

// Axis is the time axis that the counters of a capture share. Sample i covers [Start[i], End[i]) in
// nanoseconds since the start of the capture. Starts never decrease. An Axis is immutable once it is shared or was
// asked for what it keeps: Extent, Measured, Whole.
type Axis struct {
	Clock string // such as "CLOCK_MONOTONIC" or "gpu"
	Start []int64
	End   []int64

	// Covered is the measured time within each sample, in ns; nil means all of End-Start. It differs where samples
	// were re-binned over gaps.
	Covered []int64

	// Count is the number of original samples merged into each; nil means 1 each.
	Count []float64

	once sync.Once
	kept axisSums

	mu        sync.Mutex
	resampled []resampled // the last ones
	seconds   *Column     // see durations
}

// axisSums is what a walk over all samples gives. Scripts ask for it in loops over counters, so it is made once.
type axisSums struct {
	last     int64   // the latest end
	measured int64   // the sum of all intervals
	merged   float64 // the number of original samples
}

func (a *Axis) sums() *axisSums {
	a.once.Do(func() {
		for i := range a.Start {
			if i == 0 || a.End[i] > a.kept.last {
				a.kept.last = a.End[i]
			}
			a.kept.measured += a.Interval(i)
			a.kept.merged += a.Merged(i)
		}
	})
	return &a.kept
}

// NewUniformAxis returns n adjoining samples of period ns each.
func NewUniformAxis(n int, period int64) *Axis {
	a := &Axis{Start: make([]int64, n), End: make([]int64, n)}
	for i := range n {
		a.Start[i] = int64(i) * period
		a.End[i] = int64(i+1) * period
	}
	return a
}

// Len is the number of samples.
func (a *Axis) Len() int { return len(a.Start) }

// Interval is the measured time of sample i in ns.
func (a *Axis) Interval(i int) int64 {
	if a.Covered != nil {
		return a.Covered[i]
	}
	return a.End[i] - a.Start[i]
}

// durations is how long each sample lasts, in seconds: one column for all formulas that divide by it.
func (a *Axis) durations() *Column {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seconds == nil {
		a.seconds = LazyColumn(a.Len(), func() (Data, error) {
			f := make([]float64, a.Len())
			for i := range f {
				f[i] = float64(a.Interval(i)) / 1e9
			}
			return Data{F: f}, nil
		})
	}
	return a.seconds
}

// Merged is the number of original samples in sample i.
func (a *Axis) Merged(i int) float64 {
	if a.Count != nil {
		return a.Count[i]
	}
	return 1
}

// Extent is the first start and the last end, both 0 where there is no sample.
func (a *Axis) Extent() (start, end int64) {
	if len(a.Start) == 0 {
		return 0, 0
	}
	return a.Start[0], a.sums().last
}

// Measured is the sum of all intervals in ns.
func (a *Axis) Measured() int64 { return a.sums().measured }

// Same reports whether two axes describe the same samples, so that their counters may be combined.
func (a *Axis) Same(b *Axis) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	return a.Clock == b.Clock && slices.Equal(a.Start, b.Start) && slices.Equal(a.End, b.End)
}

// Slice returns samples [i, j) without copying.
func (a *Axis) Slice(i, j int) *Axis {
	out := &Axis{Clock: a.Clock, Start: a.Start[i:j:j], End: a.End[i:j:j]}
	if a.Covered != nil {
		out.Covered = a.Covered[i:j:j]
	}
	if a.Count != nil {
		out.Count = a.Count[i:j:j]
	}
	return out
}
