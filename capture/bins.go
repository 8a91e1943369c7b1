package capture

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
)

// Bins maps samples of one axis to fewer (or overlapping) samples of another. Bin j is made of samples [Lo[j], Hi[j])
// of From, each with the share of it that lies inside the bin (Weight).
type Bins struct {
	From   *Axis
	Axis   *Axis // of the result
	Lo, Hi []int
	Cut    bool // some sample lies only partly in a bin: sums of integers are then fractions

	// Time bounds of the bins where Cut is set; they are not always those of Axis (rolling windows overlap).
	begin, finish []int64
	sorted        bool // the ends of From never decrease, so only the outer samples of a bin can be cut

	sums *sync.Map // of columns that were added up, by *Column; nil where the bins are not kept
}

// maxBins is the most samples that resampling makes. More is an error that says so.
const maxBins = 1 << 27

// Len is the number of bins.
func (b *Bins) Len() int { return len(b.Lo) }

// Weight is the fraction of sample i that lies in bin j; i must be in [Lo[j], Hi[j]).
func (b *Bins) Weight(j, i int) float64 {
	if !b.Cut {
		return 1
	}
	s, e := b.From.Start[i], b.From.End[i]
	t0, t1 := b.begin[j], b.finish[j]
	if s >= t0 && e <= t1 {
		return 1
	}
	if e <= s { // an instant belongs to the bin that it starts in
		if s >= t0 && s < t1 {
			return 1
		}
		return 0
	}
	overlap := min(e, t1) - max(s, t0)
	if overlap <= 0 {
		return 0
	}
	return float64(overlap) / float64(e-s)
}

// Whole returns the single bin of all samples.
func (a *Axis) Whole() *Bins {
	start, end := a.Extent()
	out := &Axis{Clock: a.Clock, Start: []int64{start}, End: []int64{end}, Covered: []int64{a.Measured()},
		Count: []float64{a.sums().merged}}
	return &Bins{From: a, Axis: out, Lo: []int{0}, Hi: []int{a.Len()}, sorted: true}
}

// Rows returns bins of whole samples that adjoin: bin j is samples [bounds[j], bounds[j+1]). Bounds increase.
func (a *Axis) Rows(bounds []int) *Bins {
	n := max(0, len(bounds)-1)
	b := &Bins{From: a, Lo: make([]int, n), Hi: make([]int, n),
		Axis: &Axis{Clock: a.Clock, Start: make([]int64, n), End: make([]int64, n)}}
	for j := range n {
		b.Lo[j], b.Hi[j] = bounds[j], bounds[j+1]
		b.Axis.Start[j], b.Axis.End[j] = a.Start[bounds[j]], a.Start[bounds[j]]
		for _, e := range a.End[bounds[j]:bounds[j+1]] {
			b.Axis.End[j] = max(b.Axis.End[j], e)
		}
	}
	return b
}

// Resample returns bins of period ns at multiples of period. Bins that no sample touches are left out, so a long gap
// costs nothing; samples that a boundary cuts are shared out by overlap.
//
// The bins are made once for each of the last few periods: a page resamples some dozen counters alike. Nobody changes them.
func (a *Axis) Resample(period int64) (*Bins, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.resampled {
		if r.period == period {
			return r.bins, nil
		}
	}
	b, err := a.resample(period)
	if err == nil && b.Len() <= keptBins {
		b.sums = new(sync.Map)
		a.resampled = append(a.resampled, resampled{period, b})
		a.resampled = a.resampled[max(0, len(a.resampled)-keptResampled):]
	}
	return b, err
}

const (
	keptResampled = 8
	keptBins      = 1 << 14 // of which more are dear to keep
)

// resampled is what Resample made for a period.
type resampled struct {
	period int64
	bins   *Bins
}

func (a *Axis) resample(period int64) (*Bins, error) {
	if period <= 0 {
		return nil, fmt.Errorf("resampling period is %d ns, it must be positive", period)
	}
	var begin []int64
	next := int64(math.MinInt64) // first bin start not yet emitted
	for i := range a.Start {
		s, e := a.Start[i], a.End[i]
		if len(begin) > 0 && s >= begin[len(begin)-1] && e <= next && s < next {
			continue // most samples lie in the bin of the one before
		}
		k := floorDiv(s, period) * period
		if k < next {
			k = next
		}
		if e > k && (e-k)/period >= int64(maxBins-len(begin)) {
			return nil, fmt.Errorf(
				"resampling to %d ns makes more than %d samples: choose a longer period or a shorter slice",
				period, maxBins)
		}
		for ; k < e || (k <= s && e <= s); k += period {
			begin = append(begin, k)
			next = k + period
		}
	}
	finish := make([]int64, len(begin))
	for j, t := range begin {
		finish[j] = t + period
	}
	b := a.binsBetween(begin, finish)
	b.measure()
	return b, nil
}

// rolling returns one bin per sample that covers the trailing window of that many ns which ends with the sample. At the
// beginning the window holds what there is.
func (a *Axis) rolling(window int64) (*Bins, error) {
	if window <= 0 {
		return nil, fmt.Errorf("rolling window is %d ns, it must be positive", window)
	}
	begin := make([]int64, a.Len())
	finish := make([]int64, a.Len())
	end := int64(math.MinInt64)
	for i := range begin {
		end = max(end, a.End[i]) // where samples overlap, the window ends with the latest so far
		finish[i] = end
		begin[i] = min(end-window, a.Start[i])
	}
	b := a.binsBetween(begin, finish)
	b.Axis = a
	return b, nil
}

// binsBetween makes bins of the time ranges [begin[j], finish[j]). Begins and finishes must not decrease.
func (a *Axis) binsBetween(begin, finish []int64) *Bins {
	n := len(begin)
	b := &Bins{From: a, Lo: make([]int, n), Hi: make([]int, n), begin: begin, finish: finish}
	// The running maximum of the ends tells where samples that reach into a bin begin, also where samples overlap.
	var reach []int64
	reach, b.sorted = a.latestEnds()
	lo, hi := 0, 0
	for j := range n {
		for lo < len(reach) && reach[lo] <= begin[j] && a.Start[lo] < begin[j] {
			lo++
		}
		for hi < len(a.Start) && a.Start[hi] < finish[j] {
			hi++
		}
		b.Lo[j], b.Hi[j] = lo, max(lo, hi)
	}
	b.Cut = b.cuts()
	return b
}

// measure gives the bins an axis of their own that knows how much of each was measured.
func (b *Bins) measure() {
	a, n := b.From, b.Len()
	b.Axis = &Axis{Clock: a.Clock, Start: b.begin, End: b.finish, Covered: make([]int64, n), Count: make([]float64, n)}
	for j := range n {
		var covered, count float64
		for i := b.Lo[j]; i < b.Hi[j]; i++ {
			w := b.Weight(j, i)
			covered += w * float64(a.Interval(i))
			count += w * a.Merged(i)
		}
		b.Axis.Covered[j] = int64(math.Round(covered))
		b.Axis.Count[j] = count
	}
}

// latestEnds is, for every sample, the latest end up to it. Where ends never decrease, which sorted says, these are the
// ends themselves.
func (a *Axis) latestEnds() (ends []int64, sorted bool) {
	if slices.IsSorted(a.End) {
		return a.End, true
	}
	ends = slices.Clone(a.End)
	for i := 1; i < len(ends); i++ {
		ends[i] = max(ends[i], ends[i-1])
	}
	return ends, false
}

func (b *Bins) cuts() bool {
	for j := range b.Lo {
		for i := b.Lo[j]; i < b.Hi[j]; i++ {
			s, e := b.From.Start[i], b.From.End[i]
			if s < b.begin[j] || e > b.finish[j] {
				return true
			}
			if b.sorted && i < b.Hi[j]-2 {
				i = b.Hi[j] - 2
			}
		}
	}
	return false
}

// compose returns the bins that outer makes of the axis of b, as bins of the samples below b.
func (b *Bins) compose(outer *Bins) *Bins {
	n := outer.Len()
	out := &Bins{From: b.From, Axis: outer.Axis, Lo: make([]int, n), Hi: make([]int, n), Cut: b.Cut || outer.Cut,
		sorted: b.sorted}
	out.begin, out.finish = make([]int64, n), make([]int64, n)
	for j := range n {
		lo, hi := outer.Lo[j], outer.Hi[j]
		if lo >= hi {
			continue
		}
		out.Lo[j], out.Hi[j] = b.Lo[lo], b.Hi[hi-1]
		if out.Cut {
			out.begin[j], out.finish[j] = b.begins(lo), b.finishes(hi-1)
			if outer.Cut {
				out.begin[j], out.finish[j] = max(out.begin[j], outer.begin[j]), min(out.finish[j], outer.finish[j])
			}
		}
	}
	return out
}

func (b *Bins) begins(j int) int64 {
	if b.begin != nil {
		return b.begin[j]
	}
	return b.Axis.Start[j]
}

func (b *Bins) finishes(j int) int64 {
	if b.finish != nil {
		return b.finish[j]
	}
	return b.Axis.End[j]
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// rowAt returns the first sample that starts at or after t.
func (a *Axis) rowAt(t int64) int {
	return sort.Search(a.Len(), func(i int) bool { return a.Start[i] >= t })
}
