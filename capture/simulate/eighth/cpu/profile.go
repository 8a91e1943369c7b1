package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// profile is what a stretch of code asks of a core, per instruction where nothing else is said.
type profile struct {
	uops      float64
	ilp       float64 // operations a cycle that dependences and ports allow where data and code are at hand
	loads     float64
	branches  float64
	miss      float64 // share of branches that are predicted wrongly
	late      float64 // share of those that wait for a load that may miss
	code      float64 // KiB of code that is hot
	jumpy     float64 // lines of code entered per instruction
	stream    float64 // share of far loads that prefetchers foresee
	parallel  float64 // far loads that are under way together
	writes    float64 // dirty lines that go back, per line that comes
	shared    float64 // share of far data that all threads have in common
	kernel    float64 // share of instructions in the kernel
	faults    float64 // pages touched for the first time
	intensity float64 // energy of an operation by that of a usual one: vectors take more
	data      []tier
}

// tier is a part of the loads whose reuse distances lie around so many KiB. The first tier has what others leave.
type tier struct{ share, size float64 }

const mb = 1024.0 // KiB

// far is the share of loads that a cache of so many KiB misses.
func (p *profile) far(cache float64) float64 {
	sum := 0.0
	for _, t := range p.data {
		x := cache / t.size
		sum += t.share / (1 + x*x*x)
	}
	return sum
}

// farCode is the share of entered lines of code that a cache misses. A little of code is hot, and of the rest the misses
// fall slowly with the size of a cache until all fits.
func (p *profile) farCode(cache float64) float64 {
	x := cache / p.code
	return math.Pow(1+x/0.0004, -0.6) / (1 + 2*x*x)
}

// library is code as papers on such programs describe it (see doc.go), in the order of profile's fields.
var library = map[string]profile{
	"dense":    {1.05, 4.2, 0.32, 0.04, 0.004, 0.05, 12, 0.02, 0.9, 8, 0.4, 0, 0, 0, 1.6, []tier{{0.96, 8}, {0.035, 150}, {0.005, 6 * mb}}},
	"hash":     {1.0, 1.9, 0.12, 0.03, 0.002, 0, 8, 0.02, 0.9, 6, 0.2, 0, 0, 0, 1.1, []tier{{0.995, 4}, {0.005, 200}}},
	"stream":   {1.1, 3.5, 0.38, 0.05, 0.002, 0, 8, 0.02, 0.96, 9, 0.5, 0, 0, 0, 1.3, []tier{{0.86, 6}, {0.02, mb}, {0.12, 4000 * mb}}},
	"stencil":  {1.1, 3.2, 0.36, 0.05, 0.003, 0, 20, 0.02, 0.92, 7, 0.4, 0, 0, 0, 1.4, []tier{{0.90, 10}, {0.06, 700}, {0.035, 900 * mb}}},
	"sparse":   {1.1, 3, 0.38, 0.08, 0.012, 0.2, 16, 0.02, 0.6, 4, 0.2, 0, 0, 0, 1.1, []tier{{0.86, 10}, {0.06, 3 * mb}, {0.08, 600 * mb}}},
	"chase":    {1.05, 2.3, 0.3, 0.17, 0.015, 0.4, 24, 0.04, 0.05, 1.4, 0.15, 0.9, 0, 0, 0.9, []tier{{0.92, 12}, {0.03, 800}, {0.02, 20 * mb}, {0.03, 900 * mb}}},
	"graph":    {1.05, 2.4, 0.33, 0.16, 0.03, 0.5, 24, 0.04, 0.15, 3.5, 0.2, 0.9, 0, 0, 0.9, []tier{{0.89, 12}, {0.05, 2 * mb}, {0.06, 1500 * mb}}},
	"branchy":  {1.1, 3.8, 0.26, 0.21, 0.09, 0.1, 30, 0.05, 0.5, 3, 0.3, 0, 0, 0, 1, []tier{{0.968, 10}, {0.03, 200}, {0.002, 6 * mb}}},
	"compiler": {1.1, 3.4, 0.27, 0.21, 0.03, 0.15, 3 * mb, 0.08, 0.3, 2, 0.4, 0, 0.06, 1.5e-6, 0.95, []tier{{0.9455, 12}, {0.045, 350}, {0.008, 6 * mb}, {0.0015, 150 * mb}}},
	"script":   {1.05, 3.2, 0.3, 0.19, 0.014, 0.1, 400, 0.07, 0.3, 1.8, 0.3, 0, 0.03, 0, 0.95, []tier{{0.969, 14}, {0.025, 250}, {0.006, 3 * mb}}},
	"service":  {1.1, 3.5, 0.28, 0.2, 0.018, 0.1, 6 * mb, 0.17, 0.3, 2.2, 0.4, 0.4, 0.2, 0, 0.9, []tier{{0.96, 12}, {0.03, 400}, {0.008, 10 * mb}, {0.002, 400 * mb}}},
	"database": {1.1, 3.3, 0.3, 0.19, 0.018, 0.3, 2 * mb, 0.09, 0.2, 1.8, 0.4, 0.8, 0.15, 0, 0.9, []tier{{0.947, 12}, {0.035, 500}, {0.012, 15 * mb}, {0.006, 4000 * mb}}},
	"codec":    {1.1, 3.8, 0.3, 0.09, 0.025, 0.05, 200, 0.04, 0.85, 5, 0.4, 0, 0.02, 0, 1.4, []tier{{0.969, 12}, {0.028, 250}, {0.003, 20 * mb}}},
	"game":     {1.05, 3.3, 0.3, 0.15, 0.025, 0.2, mb, 0.06, 0.4, 2, 0.4, 0, 0.05, 0, 1, []tier{{0.9555, 12}, {0.035, 400}, {0.007, 6 * mb}, {0.0025, 200 * mb}}},
	"fresh":    {1.05, 3.3, 0.28, 0.14, 0.006, 0, 40, 0.04, 0.8, 3, 0.9, 0, 0, 3e-4, 1, []tier{{0.97, 10}, {0.025, 400}, {0.005, 500 * mb}}},
	"kernel":   {1.1, 2.8, 0.3, 0.18, 0.015, 0, 500, 0.09, 0.4, 2, 0.4, 0.7, 1, 0, 0.9, []tier{{0.955, 12}, {0.04, 250}, {0.005, 4 * mb}}},
}

// vary draws code around that of the library.
func vary(r simulate.Random, name string) *profile {
	p := library[name]
	for _, x := range []struct {
		of    *float64
		sigma float64
	}{{&p.ilp, 0.18}, {&p.loads, 0.1}, {&p.branches, 0.15}, {&p.miss, 0.45}, {&p.code, 0.5}, {&p.jumpy, 0.25}, {&p.parallel, 0.2},
		{&p.faults, 0.5}, {&p.kernel, 0.3}} {
		*x.of *= r.Spread(x.sigma)
	}
	p.kernel, p.parallel, p.miss = min(1, p.kernel), max(1, p.parallel), min(0.2, p.miss)
	p.data = append([]tier(nil), p.data...)
	for i := range p.data {
		p.data[i].size *= r.Spread(0.4)
		if i > 0 {
			change := p.data[i].share * (r.Spread(0.4) - 1)
			p.data[i].share, p.data[0].share = p.data[i].share+change, p.data[0].share-change
		}
	}
	return &p
}

// anyCode draws code that no one has named: every property on its own.
func anyCode(r simulate.Random) *profile {
	p := profile{r.Between(1, 1.25), r.Log(1.7, 5.5), r.Between(0.12, 0.4), r.Log(0.03, 0.22), r.Log(0.001, 0.12), r.Between(0, 0.5),
		r.Log(8, 8*mb), r.Log(0.02, 0.17), r.Float64(), r.Log(1.1, 9), r.Between(0.1, 0.6), r.Float64(), 0, 0, r.Between(0.8, 1.4),
		[]tier{{1, 12}, {r.Log(0.01, 0.08), r.Log(100, mb)}, {r.Log(0.002, 0.03), r.Log(2*mb, 40*mb)}, {r.Log(0.0003, 0.06), 2000 * mb}}}
	if r.Chance(0.4) {
		p.kernel = r.Log(0.02, 0.4)
	}
	if r.Chance(0.2) {
		p.faults = r.Log(1e-6, 2e-4)
	}
	p.data[0].share = 1 - p.data[1].share - p.data[2].share - p.data[3].share
	return &p
}
