package analysis

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A system moves a thread that waits often from processor to processor, so that none of these is busy although the
// thread works. What all of them do together says more, by what the device does then: a thread that waits for the device
// works only while that waits, and one that waits for dates works less than all of that time. What other programs do is
// about the same in both.

const (
	spreadTurns = 0.8     // of a processor is worked more while the device waits, where both work in turn: all of it, less what ticks blur
	spreadMost  = 1 << 15 // samples that are looked at, evenly spread
	spreadSure  = 3       // standard errors that this is above none
)

// apart reports whether processors do the work of a thread more in an instant in which the device waits than in one in
// which it works. active is what the device does in the samples that Processors has.
func (in *PaceInput) apart(active []float64) bool {
	var device, load []float64
	for i := 0; i < len(active); i += 1 + len(active)/spreadMost {
		d := active[i]
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
		return false
	}
	spread := stat.Variance(device, nil)
	if !(spread > 0) {
		return false
	}
	offset, slope := stat.LinearRegression(device, load, nil, false)
	rest := 0.0
	for i := range device {
		d := load[i] - offset - slope*device[i]
		rest += d * d
	}
	n := float64(len(device))
	return -slope >= spreadTurns && -slope > spreadSure*math.Sqrt(rest/(n-2)/(spread*(n-1)))
}

// displayed reports whether work keeps the dates of a usual display or film. What fills all of the time between two of
// them gains nothing that is seen.
func (p *Pace) displayed() bool {
	return p.Dated && !p.loose && (p.eachRefresh() || slices.ContainsFunc(films, func(hz float64) bool {
		return math.Abs(p.Cadence.Hertz/hz-1) < refreshNear
	}))
}

// films are rates of films and of half a display's, in Hz.
var films = []float64{24, 25, 30, 45, 48}
