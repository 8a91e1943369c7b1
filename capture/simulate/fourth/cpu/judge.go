package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// judged is where what is judged of a program lies among its items.
type judged struct {
	out   *outcome
	first int // item that is judged first; the one before it was the last of the warm-up
	start float64
	end   float64
}

// plain runs a program of the session as it is.
func (s *session) plain(i int, watch func(*slice)) judged {
	out := run(s.m, s.programs[i], s.seed+uint64(i)<<32, nothing, 1<<30, s.warm[i]+s.length[i], watch)
	j := judged{out: out}
	for j.first < len(out.items)-2 && out.items[j.first] < s.warm[i] {
		j.first++
	}
	j.first = max(1, j.first)
	j.start, j.end = out.items[j.first-1], out.items[len(out.items)-1]
	return j
}

// judge finds the truth. Relieved runs do as many items, from and to the same ones.
func (s *session) judge() *simulate.Truth {
	truth := &simulate.Truth{}
	var parts []simulate.Part
	offset, busy, clock := 0.0, 0.0, 0.0
	gains := make([]float64, len(candidates))
	for i, p := range s.programs {
		j := s.plain(i, nil)
		n := len(j.out.items)
		t := simulate.Part{Name: p.text, First: len(truth.Each), Frames: n - j.first, Start: int64(math.Round(offset)), GPUBusy: 0, ClockMean: 1}
		t.End = t.Start + int64(math.Round(j.end-j.start))
		own := make([]float64, len(candidates))
		for c, cand := range candidates {
			if c == byHeat && !s.m.hot || c == byPower && !s.m.capped || c == inTurn && !has(p.loose) || c == byLock && p.locks == 0 ||
				c == byIO && len(p.devices) == 0 {
				t.Leaves = append(t.Leaves, simulate.Gain{Candidate: cand})
				continue
			}
			less := run(s.m, p, s.seed+uint64(i)<<32, c, n, 1e12, nil)
			took := less.items[n-1] - less.items[j.first-1]
			own[c] = 1 - took/(j.end-j.start)
			gains[c] += own[c] * (j.end - j.start)
			t.Leaves = append(t.Leaves, simulate.Gain{Candidate: cand, Percent: 100 * own[c], Simulated: true})
		}
		for k := j.first; k < n; k++ {
			missed := 0
			if j.out.late[k] {
				missed = 1
			}
			t.Missed += missed
			begin := j.out.items[k-1]
			truth.Each = append(truth.Each, simulate.FrameTruth{Content: i, Begin: t.Start + int64(math.Round(begin-j.start)),
				Shown: t.Start + int64(math.Round(j.out.items[k]-j.start)), Missed: missed, Judged: true})
		}
		finish(&t, own, p.period > 0)
		t.ClockMean = mean(j.out.ghz) / s.m.ghz
		clock += t.ClockMean * (j.end - j.start)
		busy += j.out.busy
		offset += j.end - j.start
		parts = append(parts, t)
	}
	truth.Part = simulate.Part{Frames: len(truth.Each), End: parts[len(parts)-1].End, ClockMean: clock / offset}
	dates := false
	for i := range parts {
		truth.Missed += parts[i].Missed
		dates = dates || s.programs[i].period > 0
	}
	for c, cand := range candidates {
		gains[c] /= offset
		truth.Leaves = append(truth.Leaves, simulate.Gain{Candidate: cand, Percent: 100 * gains[c], Simulated: gains[c] != 0})
	}
	finish(&truth.Part, gains, dates)
	if len(parts) > 1 {
		truth.Phases = parts
	}
	truth.Hold(0)
	return truth
}

// finish sorts the gains, divides the time among candidates by them, and says whether the part is healthy.
func finish(t *simulate.Part, gains []float64, dates bool) {
	simulate.SortGains(t.Leaves)
	sum := 0.0
	weights := make([]float64, len(candidates)+1)
	for c, g := range gains {
		weights[c] = max(0, g) / (1 - part)
		sum += weights[c]
	}
	if dates {
		weights[len(candidates)] = max(0, 1-sum)
	}
	if sum == 0 && !dates {
		weights[byCore] = 1
	}
	t.Shares = share(t.End-t.Start, weights)
	t.Whole = []simulate.Gain{{Candidate: simulate.WholeCPU, Percent: 100 * min(1-part, sum*(1-part)), Simulated: true}}
	t.Healthy = dates && t.Missed == 0 && t.Leaves[0].Percent < simulate.ClearGain
}

// share divides a time by weights, exactly.
func share(ns int64, weights []float64) (out []simulate.Share) {
	sum, done, before := 0.0, 0.0, int64(0)
	for _, w := range weights {
		sum += w
	}
	for c, w := range weights {
		cand := displayTimer
		if c < len(candidates) {
			cand = candidates[c]
		}
		done += w
		upTo := int64(math.Round(float64(ns) * done / sum))
		if c == len(weights)-1 {
			upTo = ns
		}
		out = append(out, simulate.Share{Candidate: cand, Ns: upTo - before})
		before = upTo
	}
	return out
}

func has(list []int) bool {
	for _, n := range list {
		if n > 0 {
			return true
		}
	}
	return false
}

func mean(v []float64) float64 {
	if len(v) == 0 {
		return 1
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
