package analysis

import (
	"math"
	"slices"
)

// Displays show frames at few rates, and at whole parts of these. Two that wait for each other repeat at any rate, at one of
// a display by chance only, so that a rhythm at another rate speaks for a display no more than for them: caps and displays of
// variable refresh have any rate as well. What the processors do tells those apart.

// gridRates are the rates of displays in Hz. Films of 24 frames in a second repeat 12 times on one of 60 Hz: gridFilm.
var gridRates = []float64{60, 72, 75, 90, 100, 120, 144, 165, 240}

const (
	gridFilm  = 12.
	gridClock = 0.004 // of its rate: displays are off by so much. Ours
	gridLine  = 0.1   // of the distance between two lines that so long a series can tell apart: how well a rate is known
	gridAlias = 2.5   // samples in a period from which on it is seen as it is: the shorter repeat at another rate in samples
	gridSteps = 32    // tries of a rate at once
	gridWide  = 0.8   // of the distance between two lines: so far beside a rate a better one is looked for
	// the least strength of a cadence at the rate of a display, which work that varies hides. Ours
	gridWeak   = 0.25
	gridFolded = 0.4
	// and that from which on a thread that is busy all along hardly keeps such dates by its own work: it belongs to somebody
	// else, or waits without rest. Ours
	gridSteady = 0.7
	// What a thread and a device work together, of the time, that leaves none at a rate of no display. Who waits for a cap
	// leaves both some. Ours
	gridFull = 0.97
	// and what one of them does at least where samples tell what they do at once: handing over, and loads that are told a
	// little late, take the rest. Ours
	gridApart = 0.8
	// The least strength of a cadence at a rate of no display beside loads that were read too seldom to tell what both do
	// at once: those that requests make are weaker. Ours
	gridSeldom = 0.6
	// of the time in which some processor works where a thread works all the time, less what ticks blur. Ours
	gridAlways = 0.8
)

// sharpened is a cadence with its rate as well as the length of the series tells it: the transform has few lines, and
// takes all samples for equally long.
func (in *PaceInput) sharpened(c Cadence) Cadence {
	if !(c.Hertz > 0) {
		return c
	}
	lo, hi := 0, len(in.Active)
	if hi > cadenceMost {
		lo = (hi - cadenceMost) / 2
		hi = lo + cadenceMost
	}
	times := make([]float64, hi-lo)
	for i := range times {
		if k := lo + i; k < len(in.Begins) && k < len(in.Ends) {
			times[i] = (float64(in.Begins[k]-in.Begins[0]) + float64(in.Ends[k]-in.Begins[0])) / 2e9
		} else {
			times[i] = float64(k) * in.Step
		}
	}
	length := times[len(times)-1] - times[0]
	about, power := aboutMean(in.Active[lo:hi])
	if !(length > 0) || !(power > 0) {
		return c
	}
	// The strongest of its multiples tells it best.
	most, multiple := 0.0, 1.
	for h := 1.; h <= cadenceOvertone && h*c.Hertz*in.Step < 0.5; h++ {
		if p := lineAt(times, about, h*c.Hertz); p > most {
			most, multiple = p, h
		}
	}
	best := 0.0
	for wide := gridWide / length; wide > gridLine/length/gridSteps; wide *= 2. / gridSteps {
		center := c.Hertz
		for k := -gridSteps / 2; k <= gridSteps/2; k++ {
			hz := center + wide*float64(2*k)/gridSteps
			if p := lineAt(times, about, multiple*hz); p > best {
				best, c.Hertz = p, hz
			}
		}
	}
	return c
}

// onGrid reports whether work that repeats at a rate in samples of a length, for so long, may keep the dates of a display.
func onGrid(hertz, step, length float64) bool {
	if !(hertz > 0) || !(length > 0) {
		return false
	}
	at := []float64{hertz}
	if hertz*step*gridAlias > 1 || step > 1/(gridAlias*gridRates[len(gridRates)-1]) {
		for k := 1.; k/step-hertz <= gridRates[len(gridRates)-1]; k++ {
			at = append(at, k/step-hertz, k/step+hertz)
		}
	}
	return slices.ContainsFunc(at, func(hz float64) bool {
		near := max(gridClock*hz, gridLine/length)
		return math.Abs(hz-gridFilm) < near || slices.ContainsFunc(gridRates, func(rate float64) bool {
			k := max(1, math.Round(rate/hz))
			return k <= refreshesMost && math.Abs(hz-rate/k) < near
		})
	})
}

// onDisplay reports whether work repeats, however weakly, at a rate that the dates of a display have.
func (in *PaceInput) onDisplay(c Cadence) bool {
	return c.Strength >= gridWeak && onGrid(c.Hertz, in.Step, float64(len(in.Active))*in.Step)
}

// loose reports whether what repeats does so at a rate of no display, as far as the samples and the marks of frames tell.
// Marks of frames that lie near dates of any rate tell of a cap.
func (in *PaceInput) loose(hertz float64) bool {
	if onGrid(hertz, in.Step, float64(len(in.Active))*in.Step) {
		return false
	}
	if len(in.Starts) <= datesLeast {
		return true
	}
	starts := in.Starts[1:] // the first may have begun before the capture did
	if len(starts) >= datesSure {
		if walk, deviation, ok := aboutDates(starts, 1); ok && (walk <= datesRandom || deviation < gridClock) {
			return false
		}
	}
	each := pace(starts, 1) / 1e9
	return !onGrid(1/each, 0, each*float64(len(starts)-1))
}

// certain reports whether a rhythm at a rate of no display, with the loads of processors beside it, tells who waits.
func (p *Pace) certain() bool {
	if p.seldom {
		return p.Cadence.Strength >= gridSeldom
	}
	return p.Cadence.Strength >= datesKept
}

// atRefresh reports whether a cadence that work which varies hides has exactly the rate of a usual display, or of every
// other refresh of the usual one; of what long samples show at another rate, it is less hidden.
func (in *PaceInput) atRefresh(c Cadence) bool {
	if c.Strength < gridWeak {
		return false
	}
	hits := func(near func(rate float64) bool) bool { return near(30) || slices.ContainsFunc(refreshes, near) }
	if hits(func(rate float64) bool { return math.Abs(c.Hertz/rate-1) < gridClock }) {
		return true
	}
	length := float64(len(in.Active)) * in.Step
	return c.Strength >= gridFolded && hits(func(rate float64) bool {
		folded := math.Abs(rate - math.Round(rate*in.Step)/in.Step)
		return rate*in.Step > 0.5 && math.Abs(c.Hertz-folded) < max(gridClock*rate/4, gridLine/length)
	})
}

// always is the share of the time in which some processor works, and that in which one or the device does, as far as the
// samples tell in which all are known: a thread that works all the time does so on one processor or the other, and two that
// wait for each other never rest together. NaN where none is, and filled where loads were read too seldom.
func (in *PaceInput) always(active []float64) (busy, filled float64) {
	n, late := 0.0, 0.0
	for i := 0; i < len(active); i += 1 + len(active)/spreadMost {
		load := min(1, max(0, active[i])) - active[i] // of NaN none
		for _, p := range in.Processors {
			if i >= len(p) {
				return math.NaN(), math.NaN()
			}
			load += p[i]
		}
		if load-load == 0 {
			busy, filled, n = busy+min(1, load), filled+min(1, load+active[i]), n+1
			late += min(1, load+active[max(0, i-1)])
		}
	}
	if n < cadenceLeast {
		return math.NaN(), math.NaN()
	}
	return busy / n, max(filled, late) / n
}
