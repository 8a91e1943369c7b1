package analysis

import (
	"math"
	"slices"
)

// Who takes turns does so again and again. A program that first loads on a processor and then draws has loads that are
// each other's opposite as well, but only from one part of it to the next: in most stretches of the capture they are not.

const (
	repeatsStretch  = 6    // samples of a stretch at least, which have a correlation
	repeatsMost     = 16   // stretches at most, so that slow turns fall into one as well
	repeatsLeast    = 4    // stretches without which most of them says nothing
	repeatsOpposite = -0.2 // the correlation in the middle one of them, above which loads are not opposite in most. Ours
)

// oppositeIn is the correlation of two series in the middle one of the stretches of a capture; NaN where there are too few.
// In a stretch in which one of them stays as it is they have none.
func oppositeIn(x, y []float64) float64 {
	n := min(len(x), len(y))
	stretches := min(n/repeatsStretch, repeatsMost)
	if stretches < repeatsLeast {
		return math.NaN()
	}
	each := make([]float64, stretches)
	for k := range each {
		lo, hi := k*n/stretches, (k+1)*n/stretches
		if r := together(x[lo:hi], y[lo:hi]); r == r {
			each[k] = r
		}
	}
	slices.Sort(each)
	return each[stretches/2]
}

// onlyOnce reports whether loads that are opposite over the whole are so between a few parts of it only.
func onlyOnce(load, device []float64) bool {
	return oppositeIn(load, device) > repeatsOpposite // false of NaN
}

// everywhere is the load of all processors in each sample.
func (in *PaceInput) everywhere() []float64 {
	var out []float64
	for _, p := range in.Processors {
		if out == nil {
			out = make([]float64, len(p))
		}
		for i := range min(len(p), len(out)) {
			out[i] += p[i]
		}
	}
	return out
}
