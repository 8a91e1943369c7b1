package analysis

import (
	"math"
	"slices"
	"sort"

	"astrolabe/capture"
)

// maxCells is into how many cells a part of a capture is cut. It bounds the work of the bootstrap, not what is read:
// every sample is in a cell.
const maxCells = 512

// cells are the observations of one part of a capture: bins of its samples, of which fold neighbours make a cell.
type cells struct {
	bins    *capture.Bins
	fold    int
	count   int
	units   []float64 // of each cell: the frames, occurrences or dispatches in it; nil where time is the measure
	seconds []float64 // of each cell: the length of its units
	per     string    // "frame", "occurrence", "sample" (a dispatch); "" is per second
}

// part is what is compared of one capture: all of it, or one kernel or region.
type part struct {
	name  string
	cap   *capture.Capture
	cells *cells
	// names of the frames, or of what else is one observation each, in order; nil where observations have no names
	units []string
}

// foldSum adds up what stands in the bins of each cell. A bin without a value adds nothing; has tells which cells have
// any.
func (c *cells) foldSum(v []float64) (sums []float64, has []bool) {
	sums, has = make([]float64, c.count), make([]bool, c.count)
	for i, x := range v {
		if x == x {
			sums[i/c.fold] += x
			has[i/c.fold] = true
		}
	}
	return sums, has
}

// dispatchLabels tell captures whose samples are dispatches or draws, unless a clock made the samples.
var dispatchLabels = []string{"dispatch", "kernel", "sample"}

// areDispatches reports whether the samples of every capture are dispatches, each as long as it took. It is asked about
// whole captures: a single kernel's dispatches may all have one length.
func areDispatches(caps []*capture.Capture) bool {
	return !slices.ContainsFunc(caps, func(c *capture.Capture) bool {
		return clocked(c.Axis) || !slices.ContainsFunc(dispatchLabels, func(l string) bool { return c.Label(l) != nil })
	})
}

// clocked reports whether a clock made the samples: nearly all follow their neighbour without a gap and have about one
// length.
func clocked(a *capture.Axis) bool {
	n := a.Len()
	period := 0.0
	if n > 1 && a.Clock != samplesClock {
		period = typicalInterval(a)
	}
	if period == 0 {
		return false // a single one tells nothing, and dispatches without times have no length
	}
	odd := 0
	for i := range n {
		if (i > 0 && a.Start[i] != a.End[i-1]) || math.Abs(float64(a.Interval(i))-period) > period/4 {
			odd++
		}
	}
	return odd*10 <= n
}

// samplesClock is the clock of captures without times, whose samples were given lengths.
const samplesClock = "samples"

// newCells makes cells of bins that each hold so many units of so many seconds.
func newCells(bins *capture.Bins, per string, units, seconds []float64) *cells {
	c := &cells{bins: bins, fold: 1, per: per}
	if n := bins.Len(); n > maxCells {
		c.fold = (n + maxCells - 1) / maxCells
	}
	c.count = (bins.Len() + c.fold - 1) / c.fold
	if per != "" {
		c.units, _ = c.foldSum(units)
	}
	c.seconds, _ = c.foldSum(seconds)
	return c
}

// sampleCells cuts a capture into runs of step samples.
func sampleCells(cap *capture.Capture, step int, per string) *cells {
	n := cap.Len()
	count := (n + step - 1) / step
	bins := &capture.Bins{From: cap.Axis, Axis: &capture.Axis{Clock: cap.Axis.Clock}}
	units, seconds := make([]float64, count), make([]float64, count)
	for j := range count {
		lo, hi := j*step, min((j+1)*step, n)
		bins.Lo, bins.Hi = append(bins.Lo, lo), append(bins.Hi, hi)
		end := cap.Axis.Start[lo]
		for i := lo; i < hi; i++ {
			units[j] += cap.Axis.Merged(i)
			seconds[j] += float64(cap.Axis.Interval(i)) / 1e9
			end = max(end, cap.Axis.End[i])
		}
		bins.Axis.Start = append(bins.Axis.Start, cap.Axis.Start[lo])
		bins.Axis.End = append(bins.Axis.End, end)
	}
	if per == "" {
		units = nil
	}
	return newCells(bins, per, units, seconds)
}

// typicalInterval is the median length of the samples in ns.
func typicalInterval(a *capture.Axis) float64 {
	return float64(Median(a.Len(), a.Interval))
}

// wholeCells cuts several captures into cells of about the same length: of samples where these are dispatches, else of
// time.
func wholeCells(caps []*capture.Capture, dispatches bool) []*cells {
	out := make([]*cells, len(caps))
	if dispatches {
		most := 0
		for _, c := range caps {
			most = max(most, c.Len())
		}
		for i, c := range caps {
			out[i] = sampleCells(c, (most+maxCells-1)/maxCells, "sample")
		}
		return out
	}
	width := 0.0
	for _, c := range caps {
		width = max(width, typicalInterval(c.Axis), float64(c.Axis.Measured())/maxCells)
	}
	for i, c := range caps {
		step := 1
		if t := typicalInterval(c.Axis); t > 0 {
			step = max(1, min(c.Len(), int(width/t+0.999)))
		} else {
			step = (c.Len() + maxCells - 1) / maxCells
		}
		out[i] = sampleCells(c, step, "")
	}
	return out
}

// regionCells makes each region one unit. A sample belongs to the region that it starts in.
func regionCells(cap *capture.Capture, list []capture.Region, per string) *cells {
	list = inOrder(list)
	bins := &capture.Bins{From: cap.Axis, Axis: &capture.Axis{Clock: cap.Axis.Clock}}
	units, seconds := make([]float64, len(list)), make([]float64, len(list))
	at := func(t int64) int {
		return sort.Search(cap.Len(), func(i int) bool { return cap.Axis.Start[i] >= t })
	}
	for j, r := range list {
		lo := at(r.Start)
		bins.Lo, bins.Hi = append(bins.Lo, lo), append(bins.Hi, max(lo, at(r.End)))
		bins.Axis.Start, bins.Axis.End = append(bins.Axis.Start, r.Start), append(bins.Axis.End, r.End)
		units[j], seconds[j] = 1, float64(r.End-r.Start)/1e9
	}
	return newCells(bins, per, units, seconds)
}

// inOrder sorts regions by their start.
func inOrder(list []capture.Region) []capture.Region {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b capture.Region) int { return int(min(max(a.Start-b.Start, -1), 1)) })
	return list
}

// regionsNamed groups the regions of a capture by name, in order of first appearance.
func regionsNamed(c *capture.Capture) (names []string, by map[string][]capture.Region) {
	by = map[string][]capture.Region{}
	for _, r := range c.Regions {
		if by[r.Name] == nil {
			names = append(names, r.Name)
		}
		by[r.Name] = append(by[r.Name], r)
	}
	return names, by
}
