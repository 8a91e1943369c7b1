package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// content is a whole case: draws in the order in which the profiler ran them.
type content struct {
	machine machine
	draws   []draw
	phases  []int    // by draw
	names   []string // of phases
	text    string
	plant   string
}

// judge relieves one candidate after the other and runs every draw again.
func (c *content) judge() (*simulate.Truth, error) {
	parts := make([]simulate.Part, 1+len(c.names))
	gains := make([][limits]float64, len(parts))
	truth := &simulate.Truth{}
	var simulated [limits]bool
	at := int64(0)
	for i := range c.draws {
		d, none := &c.draws[i], easing(noCandidate)
		base := c.machine.run(d, &none)
		took := int64(base.total)
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: c.phases[i], Begin: at, GPUBegin: at, GPUEnd: at + took,
			Shown: at + took, Judged: true})
		var gained [limits]float64
		for k := range limits {
			if !d.asks(k) {
				continue
			}
			simulated[k] = true
			e := easing(k)
			gained[k] = base.total - c.machine.run(d, &e).total
		}
		for _, p := range []int{0, 1 + c.phases[i]} {
			x := &parts[p]
			if x.Frames == 0 {
				x.First, x.Start = i, at
			}
			x.Frames++
			x.End = at + took
			for k := range limits {
				gains[p][k] += gained[k]
			}
		}
		at += took
	}
	for p := range parts {
		x := &parts[p]
		if p > 0 {
			x.Name = c.names[p-1]
		}
		took := x.End - x.Start
		// A rate half as high again saves a third of the time in which it sets the pace. All of these times together are
		// the time, of which the first has what rounding leaves.
		sum, left := 1e-9, took
		for _, ns := range gains[p] {
			sum += math.Max(0, ns)
		}
		for k, cand := range candidates {
			x.Leaves = append(x.Leaves, simulate.Gain{Candidate: cand, Simulated: simulated[k],
				Percent: 100 * gains[p][k] / math.Max(1, float64(took))})
			if ns := int64(gains[p][k] / sum * float64(took)); ns > 0 {
				x.Shares = append(x.Shares, simulate.Share{Candidate: cand, Ns: ns})
				left -= ns
			}
		}
		simulate.SortShares(x.Shares)
		x.Shares[0].Ns += left
		simulate.SortGains(x.Leaves)
		x.GPUBusy, x.ClockMean = 1, 1
	}
	truth.Part = parts[0]
	if len(parts) > 2 {
		truth.Phases = parts[1:]
	}
	return truth, nil
}

// asks reports whether a draw has anything that a candidate's relief could make faster.
func (d *draw) asks(candidate int) bool {
	has := func(of func(p *program) float64) bool {
		return d.mainWaves() > 0 && of(&d.main) > 0 || !d.compute && of(&d.vertex) > 0
	}
	switch candidate {
	case texture:
		return has(func(p *program) float64 { return p.samples })
	case loadStore:
		return has(func(p *program) float64 { return p.loads + p.stores + p.atomics })
	case localMemory:
		return has(func(p *program) float64 { return p.local })
	case vertexFetch, primitives, rasterizer:
		return !d.compute
	case depth:
		return !d.compute && (d.tested || d.written)
	case backend:
		return !d.compute && d.targets > 0
	}
	return true
}
