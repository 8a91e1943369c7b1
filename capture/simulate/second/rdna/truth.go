package rdna

import (
	"math"

	"astrolabe/capture/simulate"
)

// judge finds out by relief what limited a program, and each of its stages.
func judge(p *program) *simulate.Truth {
	times := p.times()
	relieved := make([][leaves]float64, len(p.kernels)) // cycles with one leaf relieved
	for i := range p.kernels {
		for l := range leaves {
			relieved[i][l] = execute(p.machine, &p.kernels[i], relieve(l), false).total
		}
	}
	all := p.dispatches()
	t := &simulate.Truth{Part: p.part("", 0, all, relieved, times)}
	first := 0
	for _, s := range p.stages {
		if len(p.stages) > 1 {
			t.Phases = append(t.Phases, p.part(s.name, first, s.kernels, relieved, times))
		}
		first += len(s.kernels)
	}
	for i, k := range all {
		start, end := times.start[i], times.end[i]
		begin := start
		if i > 0 {
			begin = times.end[i-1]
		}
		t.Each = append(t.Each, simulate.FrameTruth{Content: k, Begin: begin, GPUBegin: start, GPUEnd: end, Shown: end,
			Judged: true})
	}
	return t
}

// part is the truth about some dispatches that follow each other.
func (p *program) part(name string, first int, kernels []int, relieved [][leaves]float64,
	times *times) simulate.Part {
	last := first + len(kernels) - 1
	out := simulate.Part{Name: name, First: first, Frames: len(kernels), Start: times.start[first],
		End: times.end[last], ClockMean: 1}
	base, busy := 0.0, int64(0)
	if first > 0 {
		out.Start = times.end[first-1]
	}
	var better, shares [leaves]float64
	local := false
	for i, k := range kernels {
		o := &p.outcomes[k]
		base += o.total
		local = local || o.ldsBusy > 0
		from := first + i
		took := times.end[from] - times.start[from]
		busy += took
		sum := 0.0
		for l := range leaves {
			better[l] += relieved[k][l]
			sum += o.shares[l]
		}
		for l := range leaves {
			shares[l] += o.shares[l] / sum * float64(took)
		}
	}
	for l := range leaves {
		out.Leaves = append(out.Leaves, simulate.Gain{Candidate: candidates[l],
			Percent: 100 * (base - better[l]) / base, Simulated: l != leafLocal || local})
	}
	simulate.SortGains(out.Leaves)
	rest := busy
	largest := 0
	for l := range leaves {
		ns := int64(math.Floor(shares[l]))
		out.Shares = append(out.Shares, simulate.Share{Candidate: candidates[l], Ns: ns})
		rest -= ns
		if ns > out.Shares[largest].Ns {
			largest = int(l)
		}
	}
	out.Shares[largest].Ns += rest
	out.QueueShares = out.Shares
	out.GPUBusy = float64(busy) / float64(out.End-out.Start)
	return out
}
