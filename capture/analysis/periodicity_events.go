package analysis

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// leastEvents is the fewest events whose distances say anything.
	leastEvents = 5
	// regularWithin is how far, relative to the period, a distance may be from a multiple of it.
	regularWithin = 0.15
	// leastRegular is the least share of regular distances in what is reported.
	leastRegular = 0.7
	// maxMissed is how many periods may pass between two events.
	maxMissed = 3
)

// Recurrence tells whether events come at regular intervals, such as a stutter at every 30th frame. at are their
// positions in order, in any unit; they lie between from and to. Period is the median distance, Strength the share of
// distances that are near to one, two or three periods. As many events at random places (whole numbers where those are)
// must hardly ever be as regular. A few events that are missing or between the others do no harm. It is not known where
// ctx ends before it is.
func Recurrence(ctx context.Context, at []float64, from, to float64) (Cycle, bool) {
	if len(at) < leastEvents || !(to > from) || math.IsInf(to-from, 0) || !slices.IsSorted(at) || at[0] < from ||
		at[len(at)-1] > to {
		return Cycle{}, false
	}
	period, strength := regularity(at)
	if strength < leastRegular {
		return Cycle{}, false
	}
	whole := !slices.ContainsFunc(at, func(x float64) bool { return x != math.Trunc(x) })
	rng := rand.New(rand.NewPCG(uint64(len(at)), 1))
	random := make([]float64, len(at))
	reached := 1
	for range surrogates {
		if ctx.Err() != nil {
			return Cycle{}, false
		}
		for i := range random {
			random[i] = rng.Float64() * (to - from)
			if whole {
				random[i] = math.Round(random[i])
			}
		}
		slices.Sort(random)
		if _, s := regularity(random); s >= strength {
			reached++
		}
	}
	p := float64(reached) / (surrogates + 1)
	return Cycle{Period: period, Strength: strength, PValue: p}, p <= significance
}

// regularity is the median distance of events and the share of distances that are near a multiple of it.
func regularity(at []float64) (period, share float64) {
	d := make([]float64, len(at)-1)
	for i := range d {
		d[i] = at[i+1] - at[i]
	}
	period = median(slices.Clone(d))
	if !(period > 0) {
		return 0, 0
	}
	sum, n := 0.0, 0.0
	for _, x := range d {
		k := math.Round(x / period)
		if k >= 1 && k <= maxMissed && math.Abs(x-k*period) <= regularWithin*period {
			sum += x
			n += k
			share++
		}
	}
	if n > 0 {
		period = sum / n // more exact than the median
	}
	return period, share / float64(len(d))
}
