package analysis

import (
	"math"
	"slices"
)

// A device that always works may have time left all the same: its clock is lowered until the work just fits, or one queue
// works at the next frame while another ends this one. Dates tell. Frames that wait for the device last as long as their
// work, which is as long as some refreshes of a display by chance only.

const (
	datesSure = 24   // frames of which the rate is known well enough to be that of a display by no chance. Ours
	datesBlur = 0.1  // of a frame: how far samples that carry the marks may move them
	datesFull = 0.97 // of the time: a queue that works for as long waits for no date. Ours
	// Lengths of samples vary by more, relative to them, where they are those of frames: a recorder's clock is steadier. Ours
	wholeVaries = 0.005
	filmHertz   = 24. // of films, whose frames take two and three refreshes of 60 Hz in turn
)

// pressed reports whether a queue works as good as all the time: one that waits for a date has none to do meanwhile.
func (in *PaceInput) pressed() bool {
	return slices.ContainsFunc(in.Loads, func(load []float64) bool { return meanLoad(load) >= datesFull })
}

// onDates reports whether frames begin exactly as often as a usual display shows one in each refresh, or in so many, and
// each on its date.
func (in *PaceInput) onDates() bool {
	if len(in.Starts) < datesSure {
		return false
	}
	return in.onDatesOf(filmHertz, 2) || slices.ContainsFunc(refreshes, func(hz float64) bool {
		k := math.Round(hz * pace(in.Starts, 1) / 1e9)
		return k >= 1 && k <= refreshesMost && in.onDatesOf(hz/k, 1)
	})
}

// onDatesOf is onDates of frames that come that often, in a pattern that repeats after so many.
func (in *PaceInput) onDatesOf(hertz float64, pattern int) bool {
	each := pace(in.Starts, pattern)
	if !(each > 0) || math.Abs(1e9/each/hertz-1) > refreshExact {
		return false
	}
	rest := make([]float64, len(in.Starts))
	for i, s := range in.Starts {
		rest[i] = float64(s-in.Starts[0]) - each*float64(i)
	}
	blur := min(datesBlur, in.Step*1e9/each/math.Sqrt(12))
	if in.wholeFrames() {
		blur = 0
	}
	return math.Sqrt(variance(residuals(rest, pattern)))/each <= datesExact+blur
}

// wholeFrames reports whether samples are frames, as in a table with a row for each: marks are then as exact as its
// times. Samples that a clock takes are equally long, whatever begins in them.
func (in *PaceInput) wholeFrames() bool {
	n := len(in.Begins)
	if d := n - len(in.Starts); d < 0 || d > 1 || n < datesLeast || len(in.Ends) != n {
		return false
	}
	lengths := make([]float64, n)
	for i := range in.Begins {
		lengths[i] = float64(in.Ends[i] - in.Begins[i])
	}
	mean := meanLoad(lengths)
	return mean > 0 && math.Sqrt(variance(lengths))/mean > wholeVaries
}

// onClock reports whether frames with such starts in ns come at dates that only a clock keeps: of so many, those that begin when the
// one before is done lie much farther from any.
func onClock(starts []int64) bool {
	for pattern := 1; pattern <= 5 && len(starts) >= datesMany; pattern++ {
		if walk, _, ok := aboutDates(starts, pattern); ok && walk <= datesRandom {
			return true
		}
	}
	return false
}
