package analysis

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A system moves a thread that waits often from processor to processor, so that none of these is busy although the
// thread always works. What all of them do together says more, by what the device does then: a thread that always works
// does the work of a processor whether the device works or not, one that waits for the device works only while that
// waits, and one that waits for dates does less than either. What other programs do is about the same in both.

const (
	spreadTurns = 0.8 // of a processor is worked more while the device waits, where both work in turn: all of it, less what ticks blur
	spreadSure  = 3   // standard errors that this is above none
)

// spread is the work of all processors in an instant in which the device works, and in one in which it waits, in
// processors; NaN where nothing tells.
func (in *PaceInput) spread() (working, waiting float64, apart bool) {
	working, waiting = math.NaN(), math.NaN()
	if len(in.Processors) == 0 {
		return
	}
	var device, load []float64
	for i, d := range in.Active {
		sum, n := 0.0, 0
		for _, p := range in.Processors {
			if i < len(p) && !math.IsNaN(p[i]) && !math.IsInf(p[i], 0) {
				sum, n = sum+p[i], n+1
			}
		}
		// Processors whose time is told in ticks have none in most short samples.
		if n > 0 && !math.IsNaN(d) && !math.IsInf(d, 0) {
			device = append(device, min(1, max(0, d)))
			load = append(load, sum/float64(n)*float64(len(in.Processors)))
		}
	}
	if len(device) < cadenceLeast {
		return
	}
	spread := stat.Variance(device, nil)
	if !(spread > 0) {
		return
	}
	offset, slope := stat.LinearRegression(device, load, nil, false)
	working, waiting = max(0, offset+slope), offset
	rest := 0.0
	for i := range device {
		d := load[i] - offset - slope*device[i]
		rest += d * d
	}
	n := float64(len(device))
	apart = -slope >= spreadTurns && -slope > spreadSure*math.Sqrt(rest/(n-2)/(spread*(n-1)))
	return
}

// alwaysBusy reports whether processors do as much as a thread that always works, whatever the device does.
func (p *Pace) alwaysBusy(thread float64) bool { return min(p.Working, p.Waiting) >= thread }

// displayed reports whether work repeats with the refreshes of a usual display, or keeps the dates of film or of half a
// display's rate.
func (p *Pace) displayed() bool {
	return p.eachRefresh() || p.Dated && slices.ContainsFunc([]float64{24, 25, 30, 50}, func(hz float64) bool {
		return math.Abs(p.Cadence.Hertz/hz-1) < refreshNear
	})
}
