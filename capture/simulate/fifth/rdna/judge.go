package rdna

import (
	"strconv"

	"astrolabe/capture/simulate"
)

// dispatch is one launch of a kernel.
type dispatch struct {
	kernel int
	scale  float64 // of its turns
	seed   uint64
}

// scenario is a row of dispatches that a profiler runs one after the other.
type scenario struct {
	m       *machine
	kernels []kernel
	phases  []string // by kernel: what is judged together; "" judges each kernel apart
	list    []dispatch
}

// ns is how long a dispatch takes, and what happened.
func (c *scenario) ns(i int, with conditions) (int64, *tally, *network) {
	d := c.list[i]
	k := c.kernels[d.kernel]
	k.turns *= d.scale
	w := newNetwork(c.m, &k, with)
	t := w.run(c.m, d.seed)
	return int64(t.cycles/(c.m.mhz/1000*with.share) + 0.5), t, w
}

func (c *scenario) phase(i int) string {
	k := c.list[i].kernel
	if p := c.phases[k]; p != "" {
		return p
	}
	return strconv.Itoa(k)
}

// judge finds out by relief what limits all dispatches together and each phase. Between dispatches nothing is judged.
func (c *scenario) judge() (*simulate.Truth, error) {
	base := conditions{share: 1, off: 1, start: 1}
	truth := &simulate.Truth{}
	parts := []simulate.Part{{}}
	shares := []map[simulate.Candidate]int64{{}}
	gains := [][]int64{make([]int64, len(candidates))}
	place := map[string]int{}
	at := int64(0)
	for i := range c.list {
		ns, t, _ := c.ns(i, base)
		p, ok := place[c.phase(i)]
		if !ok {
			p = len(parts)
			place[c.phase(i)] = p
			name := c.phases[c.list[i].kernel]
			if name == "" {
				name = c.kernels[c.list[i].kernel].name
			}
			parts = append(parts, simulate.Part{Name: name, First: i, Start: at, End: at})
			shares = append(shares, map[simulate.Candidate]int64{})
			gains = append(gains, make([]int64, len(candidates)))
		}
		own := t.shares(ns)
		for _, x := range []int{0, p} {
			parts[x].Frames++
			parts[x].End += ns
			for k, v := range own {
				shares[x][k] += v
			}
		}
		for k, candidate := range candidates {
			with := base
			with.relief = candidate
			less, _, _ := c.ns(i, with)
			gains[0][k] += ns - less
			gains[p][k] += ns - less
		}
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: c.list[i].kernel, Begin: at, GPUBegin: at, GPUEnd: at + ns,
			Shown: at + ns, Judged: true})
		at += ns
	}
	for x := range parts {
		p := &parts[x]
		for k, candidate := range candidates {
			p.Leaves = append(p.Leaves, simulate.Gain{Candidate: candidate, Simulated: true,
				Percent: 100 * float64(gains[x][k]) / float64(max(1, p.End-p.Start))})
			if ns := shares[x][candidate]; ns > 0 {
				p.Shares = append(p.Shares, simulate.Share{Candidate: candidate, Ns: ns})
			}
		}
		simulate.SortGains(p.Leaves)
		simulate.SortShares(p.Shares)
		p.GPUBusy, p.ClockMean = 1, 1
	}
	truth.Part = parts[0]
	if len(parts) > 2 {
		truth.Phases = parts[1:]
	}
	return truth, nil
}
