package analysis

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/dsp/fourier"

	"astrolabe/capture"
)

// Cycle is a pattern that repeats.
type Cycle struct {
	Period   float64 // in values of the series, or in the unit of the positions
	Strength float64 // 0 to 1: how alike the repetitions are
	PValue   float64 // of as much regularity by chance
}

const (
	// runLength is the longest run of values whose correlations are computed at once.
	runLength = 4096
	// maxRuns is how many such runs, evenly spread, stand for a longer series.
	maxRuns    = 4
	surrogates = 199
	// significance is the largest p value of what is reported.
	significance = 0.01
	// leastStrength is the least strength of what is reported. Ours: below it the pattern explains little of what
	// happens.
	leastStrength = 0.2
	// leastValues is the shortest series that is judged: four repetitions of four values.
	leastValues = 16
)

// Periodicity looks for a pattern that repeats in an evenly spaced series: a peak of its autocorrelation, where the
// correlation has fallen before and which comes again at twice the distance. Strength is the height of that peak. It is
// significant where hardly any of the surrogates has such a peak: the series cut into blocks of half the period and put
// together in random order, which keeps what neighbours have to do with each other but no repetition. Missing values
// take part as the mean around them. Periods of 2 values up to a quarter of the series are found; ones that are longer
// than a thousand values are searched on a coarser grid. The result is false where nothing repeats. The same series
// gives the same result.
func Periodicity(ctx context.Context, values []float64) (Cycle, bool, error) {
	best, found := Cycle{}, false
	for _, step := range []int{1, (len(values) + runLength - 1) / runLength} {
		if step == 1 && found || len(values)/max(step, 1) < leastValues {
			continue
		}
		c, ok, err := cycle(ctx, runs(folded(values, step)))
		if err != nil {
			return Cycle{}, false, err
		}
		c.Period *= float64(step)
		if ok && (!found || c.Strength > best.Strength+0.05) {
			best, found = c, true
		}
		if len(values) <= runLength {
			break
		}
	}
	return best, found, nil
}

// CounterPeriodicity is Periodicity of a counter, with the period in ns. Samples of different lengths are put on an
// even grid first, deltas are taken per second.
func CounterPeriodicity(ctx context.Context, c *capture.Counter) (cycle Cycle, step int64, found bool, err error) {
	v, step := evenly(c)
	cycle, found, err = Periodicity(ctx, v)
	return cycle, step, found, err
}

// maxGrid is the longest even grid. A capture with long pauses gets a coarser one.
const maxGrid = 1 << 22

// evenly puts a counter on a grid of its usual interval, in ns. What lies in a gap is missing.
func evenly(c *capture.Counter) ([]float64, int64) {
	a := c.Axis
	if a.Len() == 0 {
		return nil, 1
	}
	step := max(1, int64(typicalInterval(a)))
	start, end := a.Extent()
	step = max(step, (end-start)/maxGrid+1)
	out := make([]float64, min((end-start)/step+1, maxGrid+1))
	for i := range out {
		out[i] = math.NaN()
	}
	weight := make([]float64, len(out))
	for i, x := range c.Floats() {
		length := float64(a.Interval(i))
		if x != x || math.IsInf(x, 0) {
			continue
		}
		if c.Kind == capture.Delta && length > 0 {
			x /= length / 1e9
		}
		// A sample counts at every point of the grid that it covers, and at the one nearest to its middle.
		lo := (a.Start[i] - start + step/2) / step
		hi := max(lo, (a.End[i]-start+step/2)/step-1)
		for j := lo; j <= hi && j < int64(len(out)); j++ {
			w := max(length, 1)
			if weight[j] == 0 {
				out[j] = 0
			}
			weight[j] += w
			out[j] += (x - out[j]) * (w / weight[j])
		}
	}
	return out, step
}

// folded is the mean of every so many values.
func folded(v []float64, step int) []float64 {
	if step <= 1 {
		return v
	}
	return blockMeans(v, step)
}

// runs are the parts of a series whose correlations stand for it, free of missing values, of their size and of slow
// changes.
func runs(v []float64) [][]float64 {
	n := min(len(v), runLength)
	count := min(maxRuns, len(v)/n)
	var out [][]float64
	for k := range count {
		from := 0
		if count > 1 {
			from = k * (len(v) - n) / (count - 1)
		}
		out = append(out, detrended(v[from:from+n]))
	}
	return out
}

// detrended is the difference of values from the mean of half the series around them, divided by the largest; 0 where
// missing.
func detrended(v []float64) []float64 {
	n := len(v)
	most := 0.0
	for _, x := range v {
		if x == x && !math.IsInf(x, 0) {
			most = max(most, math.Abs(x))
		}
	}
	sum, count := make([]float64, n+1), make([]float64, n+1)
	for i, x := range v {
		sum[i+1], count[i+1] = sum[i], count[i]
		if x == x && !math.IsInf(x, 0) && most > 0 {
			sum[i+1] += x / most
			count[i+1]++
		}
	}
	out := make([]float64, n)
	for i, x := range v {
		if x == x && !math.IsInf(x, 0) && most > 0 {
			lo, hi := max(0, i-n/4), min(n, i+n/4+1)
			out[i] = x/most - (sum[hi]-sum[lo])/(count[hi]-count[lo])
		}
	}
	return out
}

// correlator computes autocorrelations of series of one length.
type correlator struct {
	n      int
	fft    *fourier.FFT
	padded []float64
	coeff  []complex128
}

func newCorrelator(n int) *correlator {
	size := 1
	for size < 2*n {
		size *= 2
	}
	return &correlator{n: n, fft: fourier.NewFFT(size), padded: make([]float64, size)}
}

// add adds the sums of products of v with itself at every distance to dst, for the pairs that are fewer at longer
// distances made up.
func (c *correlator) add(dst, v []float64) {
	copy(c.padded, v)
	clear(c.padded[len(v):])
	c.coeff = c.fft.Coefficients(c.coeff, c.padded)
	for i, x := range c.coeff {
		c.coeff[i] = complex(real(x)*real(x)+imag(x)*imag(x), 0)
	}
	c.fft.Sequence(c.padded, c.coeff)
	for k := range dst {
		dst[k] += c.padded[k] / float64(len(c.padded)) * float64(c.n) / float64(c.n-k)
	}
}

// cycle finds the strongest cycle of the runs and tests it.
func cycle(ctx context.Context, runs [][]float64) (Cycle, bool, error) {
	n := len(runs[0])
	corr := newCorrelator(n)
	r := make([]float64, n/2+2)
	for _, v := range runs {
		corr.add(r, v)
	}
	if !(r[0] > 1e-12*float64(n*len(runs))) {
		return Cycle{}, false, nil // constant
	}
	at, strength := strongest(r)
	if at == 0 || strength < leastStrength {
		return Cycle{}, false, nil
	}
	rng := rand.New(rand.NewPCG(uint64(n), uint64(at)))
	reached := 1
	mixed := make([]float64, n)
	for range surrogates {
		if err := ctx.Err(); err != nil {
			return Cycle{}, false, err
		}
		clear(r)
		for _, v := range runs {
			shuffleBlocks(rng, mixed, v, max(1, at/2))
			corr.add(r, mixed)
		}
		if _, s := strongest(r); s >= strength {
			reached++
		}
		if float64(reached) > significance*(surrogates+1) {
			return Cycle{}, false, nil
		}
	}
	clear(r)
	for _, v := range runs {
		corr.add(r, v)
	}
	return Cycle{Period: period(r, at), Strength: min(strength, 1),
		PValue: float64(reached) / (surrogates + 1)}, true, nil
}

// strongest is the distance of the clearest repetition in correlations r, 0 where there is none, and its strength. Of a
// cycle and its multiples it is the cycle.
func strongest(r []float64) (at int, strength float64) {
	best := 0.0
	scores := map[int]float64{}
	least := r[1] // correlation so far
	var order []int
	for k := 2; 2*k+1 < len(r); k++ {
		peak := r[k] > r[k-1] && r[k] >= r[k+1]
		if peak {
			again := r[2*k]
			for j := 2*k - max(1, k/10); j <= 2*k+max(1, k/10) && j < len(r); j++ {
				again = max(again, r[j])
			}
			s := min(r[k], r[k]-least, 2*again) / r[0]
			if s > 0 {
				scores[k] = s
				order = append(order, k)
				best = max(best, s)
			}
		}
		least = min(least, r[k])
	}
	for _, k := range order {
		if scores[k] >= 0.7*best {
			return k, scores[k]
		}
	}
	return 0, 0
}

// period is the distance at, made more exact by the repetitions at twice, four times and so on of it while they are
// clear.
func period(r []float64, at int) float64 {
	k, times := at, 1.0
	for 2*k+2 < len(r) && times < 16 {
		next := 2 * k
		for _, j := range []int{2*k - 1, 2*k + 1} {
			if r[j] > r[next] {
				next = j
			}
		}
		if r[next] < r[at]/2 || r[next] < r[next-1] || r[next] < r[next+1] {
			break
		}
		k, times = next, 2*times
	}
	bend := r[k-1] - 2*r[k] + r[k+1]
	if bend >= 0 {
		return float64(k) / times
	}
	top := min(max((r[k-1]-r[k+1])/(2*bend), -0.5), 0.5) // of the parabola through the three
	return (float64(k) + top) / times
}

// shuffleBlocks puts blocks of v into dst in random order. The first block begins anywhere, and v goes on at its start
// behind its end.
func shuffleBlocks(rng *rand.Rand, dst, v []float64, size int) {
	n := len(v)
	shift := rng.IntN(n)
	at := 0
	for _, b := range rng.Perm((n + size - 1) / size) {
		for i := b * size; i < min((b+1)*size, n); i++ {
			dst[at] = v[(i+shift)%n]
			at++
		}
	}
}
