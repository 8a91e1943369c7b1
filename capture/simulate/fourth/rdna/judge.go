package rdna

import (
	"math"

	"astrolabe/capture/simulate"
)

// judge finds the truth about the run whose times make the capture's axis.
func (p *program) judge() *simulate.Truth {
	start, end := p.spans(0)
	plain := p.times(unrelieved())
	const part, step = 2.0 / 3, 0.98
	var relieved_, nudged [][]float64
	for c := range candidates {
		relieved_ = append(relieved_, p.times(relieved(c, part)))
		nudged = append(nudged, p.times(relieved(c, step)))
	}
	each := make([]simulate.FrameTruth, len(plain))
	for i := range each {
		each[i] = simulate.FrameTruth{Content: p.dispatches[i].phase, Begin: start[i], GPUBegin: start[i], GPUEnd: end[i], Shown: end[i], Judged: true}
	}
	part_ := func(name string, first, n int) (t simulate.Part) {
		t = simulate.Part{Name: name, First: first, Frames: n, GPUBusy: 1}
		before := int64(0)
		for i := range first {
			before += end[i] - start[i]
		}
		all, clock := 0.0, 0.0
		for i := first; i < first+n; i++ {
			t.End += end[i] - start[i]
			all += plain[i]
			clock += plain[i] * p.conditions[0][i].clock / fastest
		}
		t.Start, t.End = before, before+t.End
		t.ClockMean = clock / all
		weights := make([]float64, len(candidates))
		for c := range candidates {
			less, bit := 0.0, 0.0
			for i := first; i < first+n; i++ {
				less += relieved_[c][i]
				bit += nudged[c][i]
			}
			gain := 100 * (all - less) / all
			t.Leaves = append(t.Leaves, simulate.Gain{Candidate: candidates[c].Candidate, Percent: gain, Simulated: gain != 0})
			weights[c] = max(0, all-bit)
		}
		simulate.SortGains(t.Leaves)
		t.Whole = []simulate.Gain{{Candidate: simulate.WholeGPU, Percent: 100 * (1 - part), Simulated: true}}
		t.Shares = share(t.End-t.Start, weights)
		return t
	}
	n := len(plain)
	truth := &simulate.Truth{Part: part_("", 0, n), Each: each}
	for phase, name := range p.phases {
		first, count := 0, 0
		for i, d := range p.dispatches {
			if d.phase == phase {
				if count++; count == 1 {
					first = i
				}
			}
		}
		truth.Phases = append(truth.Phases, part_(name, first, count))
	}
	truth.Hold(0)
	return truth
}

func (p *program) times(r relief) []float64 {
	out := make([]float64, len(p.dispatches))
	for i := range out {
		out[i] = p.ns(0, i, r)
	}
	return out
}

// share divides a time among candidates by weights, exactly.
func share(ns int64, weights []float64) (out []simulate.Share) {
	sum, done, before := 0.0, 0.0, int64(0)
	for _, w := range weights {
		sum += w
	}
	for c, w := range weights {
		done += w
		upTo := int64(math.Round(float64(ns) * done / sum))
		if c == len(weights)-1 {
			upTo = ns
		}
		out = append(out, simulate.Share{Candidate: candidates[c].Candidate, Ns: upTo - before})
		before = upTo
	}
	return out
}
