package analysis

import (
	"math"
	"slices"
	"sort"
)

// levelSeries is one series as the segmentation reads it.
type levelSeries struct {
	// without spikes and divided by the largest magnitude, so that no sum of squares overflows; NaN is missing
	v      []float64
	centre float64
	scale  float64 // deviation of a long mean, per bin
	floor  float64 // the least such variance
}

const (
	// flatRange is the range, relative to the largest magnitude, below which a series is taken to be constant.
	flatRange = minLevelChange / 5
	// noiseFloor is the least deviation relative to the range: counters without any noise exist only in tests and idle
	// blocks.
	noiseFloor = 0.01
	// spikeLimit is how many deviations from the median around it a value may have.
	spikeLimit = 4
)

// newLevelSeries prepares a series; nil where it says nothing about phases. least is the number of bins of the shortest
// phase.
func newLevelSeries(v []float64, least int) *levelSeries {
	most := 0.0
	for _, x := range v {
		if x == x {
			most = max(most, math.Abs(x))
		}
	}
	if most == 0 {
		return nil
	}
	l := &levelSeries{v: make([]float64, len(v))}
	for i, x := range v {
		l.v[i] = x / most
	}
	_, single := noise(l.v, least/2)
	l.v = withoutSpikes(l.v, least, spikeLimit*single)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range l.v {
		if x == x {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if !(hi-lo > flatRange*max(math.Abs(lo), math.Abs(hi))) {
		return nil
	}
	l.floor = noiseFloor * noiseFloor * (hi - lo) * (hi - lo)
	long, _ := noise(l.v, least/2)
	l.scale = math.Sqrt(max(long, l.floor))
	l.centre = (lo + hi) / 2
	return l
}

// presence tells the bins in which any series has a value, as 1, from those in which none has, as 0. It is nil where
// they do not differ.
func presence(values [][]float64) []float64 {
	if len(values) == 0 {
		return nil
	}
	out := make([]float64, len(values[0]))
	n := 0
	for j := range out {
		for _, v := range values {
			if v[j] == v[j] {
				out[j] = 1
				n++
				break
			}
		}
	}
	if n == 0 || n == len(out) {
		return nil
	}
	return out
}

// newPresence prepares what presence returns. A stretch without data is worth its boundaries from half the shortest
// phase on.
func newPresence(p []float64, least int, penalty float64) *levelSeries {
	l := &levelSeries{v: p, floor: float64(least) / (4 * penalty)}
	long, _ := noise(p, least/2)
	l.scale = math.Sqrt(max(long, l.floor))
	return l
}

// scaled is value j in deviations, and 1 where there is one.
func (l *levelSeries) scaled(j int) (x float64, count int32) {
	if l.v[j] != l.v[j] {
		return 0, 0
	}
	return (l.v[j] - l.centre) / l.scale, 1
}

// meanOf is the mean of bins [a, b) and the variance of that mean, by the noise of these bins themselves and the
// correlation of neighbours.
func (l *levelSeries) meanOf(a, b int) (mean, uncertainty float64, ok bool) {
	n := 0.0
	for _, x := range l.v[a:b] {
		if x == x {
			mean += x
			n++
		}
	}
	if n == 0 {
		return 0, 0, false
	}
	mean /= n
	long := l.floor
	variance, neighbours, pairs := 0.0, 0.0, 0.0
	for size := 1; size == 1 || 8*size <= b-a; size *= 2 {
		sum, k := 0.0, 0.0
		before := math.NaN()
		for _, x := range blockMeans(l.v[a:b], size) {
			if x == x {
				sum += (x - mean) * (x - mean)
				k++
			}
			if p := (x - mean) * (before - mean); size == 1 && p == p {
				neighbours += p
				pairs++
			}
			before = x
		}
		if k > 1 {
			long = max(long, sum/(k-1)*float64(size))
		}
		if size == 1 && k > 1 {
			variance = sum / (k - 1)
		}
	}
	if variance > 0 && pairs > 4 {
		r := neighbours / pairs / variance
		r = min(max(r+(1+4*r)/pairs, 0), mostCorrelation) // the correlation of a short series comes out too low by that
		long = max(long, variance*(1+r)/(1-r))
	}
	return mean, long / n, true
}

// thirdQuartile is that of the magnitude of a standard normal variable.
const thirdQuartile = 1.1503

// noise estimates the noise of a series around a level that changes now and then. long is the variance that a mean over
// a long stretch has, times its length: the largest that blocks of 1, 2, 4 to longest values show, because in noise
// that depends on its past, and in a pattern that repeats, it grows with the length of the block; and not less than
// noise has in which each value depends on the one before it as these do. single is the largest deviation of the blocks
// themselves. Both come from the third
// quartile of the differences between neighbouring blocks, so that a quarter of them may hold steps and spikes, and yet
// a pattern that is quiet most of the time counts.
func noise(v []float64, longest int) (long, single float64) {
	const leastBlocks = 32
	for size := 1; size == 1 || (size <= longest && len(v)/size >= leastBlocks); size *= 2 {
		d := spread(blockMeans(v, size), 1)
		long = max(long, d*d/2*float64(size))
		single = max(single, d/math.Sqrt2)
	}
	if one := spread(v, 1); one > 0 {
		r := correlation(v, one, 5*longest/2)
		long = max(long, one*one/2*(1+r)/((1-r)*(1-r)))
	}
	return long, single
}

// mostCorrelation is the largest correlation of neighbours that noise is taken to have; what is closer to 1 is a level
// that wanders.
const mostCorrelation = 0.9

// correlation estimates how neighbours of noise correlate, less its own uncertainty; one is the spread of the
// differences between neighbours. Where each value depends on the one before it, differences grow with distance in one
// way, so that two ratios must agree, and never shrink again, as they do in a pattern that repeats within longest
// values: of such a pattern nothing is claimed.
func correlation(v []float64, one float64, longest int) float64 {
	const furthest = 64
	two, four := spread(v, 2), spread(v, 4)
	near := two*two/(one*one) - 1
	far := 0.0
	if two > 0 {
		far = math.Sqrt(max(four*four/(two*two)-1, 0))
	}
	r := min(max(min(near, far)-1/math.Sqrt(float64(len(v))), 0), mostCorrelation)
	most := max(two, four)
	for lag := 5; r > 0 && lag <= min(longest, furthest, len(v)/4); lag++ {
		d := spread(v, lag)
		if d*d < 0.6*most*most {
			return 0
		}
		most = max(most, d)
	}
	return r
}

// spread is the deviation of the differences between values lag apart, from their third quartile.
func spread(v []float64, lag int) float64 {
	var diffs []float64
	for i := lag; i < len(v); i++ {
		if d := v[i] - v[i-lag]; d == d {
			diffs = append(diffs, math.Abs(d))
		}
	}
	if len(diffs) == 0 {
		return 0
	}
	slices.Sort(diffs)
	return diffs[len(diffs)*3/4] / thirdQuartile
}

// blockMeans is the mean of each whole block of so many values; of a block that lacks more than half it is missing.
func blockMeans(v []float64, size int) []float64 {
	out := make([]float64, len(v)/size)
	for j := range out {
		sum, n := 0.0, 0
		for _, x := range v[j*size : (j+1)*size] {
			if x == x {
				sum += x
				n++
			}
		}
		out[j] = math.NaN()
		if 2*n >= size && n > 0 {
			out[j] = sum / float64(n)
		}
	}
	return out
}

// withoutSpikes limits each value to the median of the width values around it and limit more or less. Steps stay where
// they are: a median follows the majority.
func withoutSpikes(v []float64, width int, limit float64) []float64 {
	half := max(1, width/2)
	out := make([]float64, len(v))
	var window []float64 // sorted
	add := func(x float64) {
		if x == x {
			window = slices.Insert(window, sort.SearchFloat64s(window, x), x)
		}
	}
	drop := func(x float64) {
		if x == x {
			i := sort.SearchFloat64s(window, x)
			window = slices.Delete(window, i, i+1)
		}
	}
	for i := range min(half, len(v)) {
		add(v[i])
	}
	for i, x := range v {
		if i+half < len(v) {
			add(v[i+half])
		}
		if i-half-1 >= 0 {
			drop(v[i-half-1])
		}
		out[i] = x
		if x == x {
			m := window[len(window)/2]
			out[i] = min(max(x, m-limit), m+limit)
		}
	}
	return out
}
