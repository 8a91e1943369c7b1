package analysis

import "math"

// What of the work of a device goes with its clock: runs of the same work at clocks that differ tell it, without any
// counter of the units.

// Rerun is one cycle count of the same work in two runs: the time that every sample took, in ns, and the cycles that it
// counted there.
type Rerun struct {
	Time, Cycles [2][]float64
}

// The limits of what runs at different clocks tell. All are ours.
const (
	rerunNoise = 0.01 // by how much the same work differs from run to run at least, as a standard deviation
	rerunError = 0.15 // the largest error of a share that is told
	// from which standard deviation on the runs did not do the same, whatever their clocks: the first of them had cold
	// caches
	rerunApart = 0.15
)

// FollowsClock is, for every sample, which share of the time goes with the device's clock (1: half the clock takes
// twice as long), by the runs of all samples of its group; the rest has a pace of its own, as memory has. NaN where the
// runs tell too little: the clock was the same in all, or the work was not.
func FollowsClock(runs []Rerun, group []int32) []float64 {
	type sums struct{ xx, xy, yy, n float64 }
	of := map[int32]sums{}
	for _, r := range runs {
		for i, g := range group {
			clock := math.Log(r.Cycles[1][i] / r.Time[1][i] * r.Time[0][i] / r.Cycles[0][i])
			time := math.Log(r.Time[1][i] / r.Time[0][i])
			if math.IsNaN(clock) || math.IsInf(clock, 0) || math.IsNaN(time) || math.IsInf(time, 0) {
				continue
			}
			s := of[g]
			of[g] = sums{s.xx + clock*clock, s.xy + clock*time, s.yy + time*time, s.n + 1}
		}
	}
	share := map[int32]float64{}
	for g, s := range of {
		slope := s.xy / s.xx
		left := max(0, s.yy-slope*s.xy) / max(1, s.n-1)
		if left > rerunApart*rerunApart || !(math.Sqrt(max(left, rerunNoise*rerunNoise)/s.xx) <= rerunError) {
			continue
		}
		share[g] = min(1, max(0, -slope))
	}
	out := make([]float64, len(group))
	for i, g := range group {
		v, ok := share[g]
		if !ok {
			v = math.NaN()
		}
		out[i] = v
	}
	return out
}
