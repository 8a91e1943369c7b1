package amd

import (
	"math"
	"strconv"

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

// start is the place of the first draw of a phase.
func (c *content) start(phase int) int {
	for i, p := range c.phases {
		if p == phase {
			return i
		}
	}
	return 0
}

// judge relieves one candidate after the other and runs every draw again.
func (c *content) judge() (*simulate.Truth, error) {
	parts := make([]simulate.Part, 1+len(c.names))
	gains := make([][limits]float64, len(parts))
	shares := make([][limits]float64, len(parts))
	truth := &simulate.Truth{}
	kinds := map[string]int{}
	var simulated [limits]bool
	at := int64(0)
	for i := range c.draws {
		d := &c.draws[i]
		none := noEase()
		base := c.machine.run(d, &none)
		took := int64(base.total)
		if _, known := kinds[d.name]; !known {
			kinds[d.name] = len(kinds)
		}
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: kinds[d.name], Begin: at, GPUBegin: at,
			GPUEnd: at + took, Shown: at + took, Judged: true})
		sum := 0.0
		for _, x := range base.cause {
			sum += x
		}
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
				shares[p][k] += base.cause[k] / sum * float64(took)
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
		left, most := took, 0
		for k, ns := range shares[p] {
			if ns > shares[p][most] {
				most = k
			}
			left -= int64(ns)
		}
		for k, cand := range candidates {
			x.Leaves = append(x.Leaves, simulate.Gain{Candidate: cand, Simulated: simulated[k],
				Percent: 100 * gains[p][k] / math.Max(1, float64(took))})
			ns := int64(shares[p][k])
			if k == most {
				ns += left // what rounding leaves
			}
			if ns > 0 {
				x.Shares = append(x.Shares, simulate.Share{Candidate: cand, Ns: ns})
			}
		}
		simulate.SortGains(x.Leaves)
		simulate.SortShares(x.Shares)
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

// numbers are the texts of 0 to n-1.
func numbers(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}
