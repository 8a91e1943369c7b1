package bundle

import "math"

const (
	driftSpan  = 5e8   // ns: what a shorter recording shows of a drift is less than what reading late hides
	driftMost  = 0.005 // of clocks that both are quartzes; those of devices keep to 0.0001
	driftLate  = 3e6   // ns by which the promptest reads of two stretches may differ
	driftParts = 3
)

// drift compares how fast the device's clock runs with CLOCK_MONOTONIC: samples of the first part of a recording were
// fetched some time after they ended, the promptest of them at once, and so were those of the last part.
func (j *judging) drift(source string, again *rows, fetched []int64) {
	const name = "the device's clock against CLOCK_MONOTONIC"
	end := again.batch.End
	n := len(end)
	if n < driftParts || len(fetched) < n || end[n-1]-end[0] < driftSpan {
		j.open(source, name, "the recording is shorter than %g s, or samples have no fetch of their own", driftSpan/1e9)
		return
	}
	prompt := func(from, to int) int {
		best := from
		for k := from; k < to; k++ {
			if fetched[k]-end[k] < fetched[best]-end[best] {
				best = k
			}
		}
		return best
	}
	a, b := prompt(0, n/driftParts), prompt(n-n/driftParts, n)
	gone, took := float64(end[b]-end[a]), float64(fetched[b]-fetched[a])
	if gone <= 0 || took <= 0 {
		j.add(source, name, false, "samples end at %d and %d ns, and were fetched at %d and %d ns", end[a], end[b],
			fetched[a], fetched[b])
		return
	}
	apart := took - gone
	j.add(source, name, math.Abs(apart) <= driftMost*gone+driftLate,
		"in %.4g s they come apart by %.3g ms, of which reading late may be %g", gone/1e9, apart/1e6, driftLate/1e6)
}
