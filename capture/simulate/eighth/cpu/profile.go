package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// profile is what a stretch of code asks of a core, per instruction where nothing else is said.
type profile struct {
	name      string
	uops      float64
	ilp       float64 // operations a cycle that dependences and ports allow where data and code are at hand
	loads     float64
	branches  float64
	miss      float64 // share of branches that are predicted wrongly
	late      float64 // share of those that wait for a load that may miss
	code      float64 // bytes of code that is hot
	jumpy     float64 // lines of code entered per instruction
	data      []tier
	stream    float64 // share of far loads that prefetchers foresee
	parallel  float64 // far loads that are under way together
	writes    float64 // dirty lines that go back, per line that comes
	shared    float64 // share of far data that all threads have in common
	kernel    float64 // share of instructions in the kernel
	faults    float64 // pages touched for the first time
	intensity float64 // energy of an operation by that of a usual one: vectors take more
}

// tier is a part of the loads whose reuse distances lie around so many bytes.
type tier struct{ share, bytes float64 }

// far is the share of loads that a cache of so many bytes misses.
func (p *profile) far(cache float64) float64 {
	sum := 0.0
	for _, t := range p.data {
		x := cache / t.bytes
		sum += t.share / (1 + x*x*x)
	}
	return sum
}

// farCode is the share of entered lines of code that a cache misses. Code is reused less evenly than data: a little of
// it is hot, and of the rest the misses fall slowly with the size of a cache until all fits.
func (p *profile) farCode(cache float64) float64 {
	x := cache / p.code
	return math.Pow(1+x/0.0004, -0.6) / (1 + 2*x*x)
}

// The library of code. Each is drawn around these (vary). They are orders of magnitude that papers on such programs
// give, see doc.go.
var library = map[string]profile{
	"dense": {uops: 1.05, ilp: 3.4, loads: 0.32, branches: 0.04, miss: 0.004, late: 0.05, code: 12 * kb, jumpy: 0.02,
		data: []tier{{0.96, 8 * kb}, {0.035, 150 * kb}, {0.005, 6 * mb}}, stream: 0.9, parallel: 8, writes: 0.4, intensity: 1.6},
	"hash": {uops: 1.0, ilp: 1.9, loads: 0.12, branches: 0.03, miss: 0.002, code: 8 * kb, jumpy: 0.02,
		data: []tier{{0.995, 4 * kb}, {0.005, 200 * kb}}, stream: 0.9, parallel: 6, writes: 0.2, intensity: 1.1},
	"stream": {uops: 1.1, ilp: 3.5, loads: 0.38, branches: 0.05, miss: 0.002, code: 8 * kb, jumpy: 0.02,
		data: []tier{{0.86, 6 * kb}, {0.02, 1 * mb}, {0.12, 4000 * mb}}, stream: 0.96, parallel: 9, writes: 0.5,
		intensity: 1.3},
	"stencil": {uops: 1.1, ilp: 3.2, loads: 0.36, branches: 0.05, miss: 0.003, code: 20 * kb, jumpy: 0.02,
		data: []tier{{0.90, 10 * kb}, {0.06, 700 * kb}, {0.035, 900 * mb}}, stream: 0.92, parallel: 7, writes: 0.4,
		intensity: 1.4},
	"sparse": {uops: 1.1, ilp: 2.6, loads: 0.38, branches: 0.08, miss: 0.012, late: 0.2, code: 16 * kb, jumpy: 0.02,
		data: []tier{{0.86, 10 * kb}, {0.06, 3 * mb}, {0.08, 600 * mb}}, stream: 0.6, parallel: 4, writes: 0.2, intensity: 1.1},
	"chase": {uops: 1.05, ilp: 2.3, loads: 0.3, branches: 0.17, miss: 0.015, late: 0.4, code: 24 * kb, jumpy: 0.04,
		data: []tier{{0.92, 12 * kb}, {0.03, 800 * kb}, {0.02, 20 * mb}, {0.03, 900 * mb}}, stream: 0.05, parallel: 1.4,
		writes: 0.15, shared: 0.9, intensity: 0.9},
	"graph": {uops: 1.05, ilp: 2.4, loads: 0.33, branches: 0.16, miss: 0.03, late: 0.5, code: 24 * kb, jumpy: 0.04,
		data: []tier{{0.89, 12 * kb}, {0.05, 2 * mb}, {0.06, 1500 * mb}}, stream: 0.15, parallel: 3.5, writes: 0.2, shared: 0.9,
		intensity: 0.9},
	"branchy": {uops: 1.1, ilp: 3.2, loads: 0.26, branches: 0.21, miss: 0.09, late: 0.1, code: 30 * kb, jumpy: 0.05,
		data: []tier{{0.965, 10 * kb}, {0.03, 250 * kb}, {0.005, 8 * mb}}, stream: 0.5, parallel: 3, writes: 0.3, intensity: 1},
	"compiler": {uops: 1.1, ilp: 2.7, loads: 0.27, branches: 0.21, miss: 0.022, late: 0.15, code: 3 * mb, jumpy: 0.08,
		data: []tier{{0.94, 12 * kb}, {0.045, 400 * kb}, {0.012, 12 * mb}, {0.003, 200 * mb}}, stream: 0.3, parallel: 2,
		writes: 0.4, kernel: 0.06, faults: 1.5e-6, intensity: 0.95},
	"script": {uops: 1.05, ilp: 2.6, loads: 0.3, branches: 0.19, miss: 0.009, late: 0.1, code: 400 * kb, jumpy: 0.07,
		data: []tier{{0.955, 14 * kb}, {0.035, 300 * kb}, {0.01, 8 * mb}}, stream: 0.3, parallel: 1.8, writes: 0.3,
		kernel: 0.03, intensity: 0.95},
	"service": {uops: 1.1, ilp: 2.9, loads: 0.28, branches: 0.2, miss: 0.012, late: 0.1, code: 6 * mb, jumpy: 0.17,
		data: []tier{{0.955, 12 * kb}, {0.03, 500 * kb}, {0.012, 15 * mb}, {0.003, 500 * mb}}, stream: 0.3, parallel: 2.2,
		writes: 0.4, kernel: 0.2, shared: 0.4, intensity: 0.9},
	"database": {uops: 1.1, ilp: 2.6, loads: 0.3, branches: 0.19, miss: 0.012, late: 0.3, code: 2 * mb, jumpy: 0.09,
		data: []tier{{0.94, 12 * kb}, {0.035, 500 * kb}, {0.015, 20 * mb}, {0.01, 4000 * mb}}, stream: 0.2, parallel: 1.8,
		writes: 0.4, kernel: 0.15, shared: 0.8, intensity: 0.9},
	"codec": {uops: 1.1, ilp: 3.1, loads: 0.3, branches: 0.09, miss: 0.025, late: 0.05, code: 200 * kb, jumpy: 0.04,
		data: []tier{{0.965, 12 * kb}, {0.028, 300 * kb}, {0.007, 30 * mb}}, stream: 0.85, parallel: 5, writes: 0.4, kernel: 0.02,
		intensity: 1.4},
	"game": {uops: 1.05, ilp: 2.6, loads: 0.3, branches: 0.15, miss: 0.015, late: 0.2, code: 1 * mb, jumpy: 0.06,
		data: []tier{{0.945, 12 * kb}, {0.04, 500 * kb}, {0.011, 10 * mb}, {0.004, 300 * mb}}, stream: 0.4, parallel: 2,
		writes: 0.4, kernel: 0.05, intensity: 1},
	"fresh": {uops: 1.05, ilp: 2.8, loads: 0.28, branches: 0.14, miss: 0.006, code: 40 * kb, jumpy: 0.04,
		data: []tier{{0.97, 10 * kb}, {0.025, 400 * kb}, {0.005, 500 * mb}}, stream: 0.8, parallel: 3, writes: 0.9,
		faults: 3e-4, intensity: 1},
	"kernel": {uops: 1.1, ilp: 2.2, loads: 0.3, branches: 0.18, miss: 0.015, code: 500 * kb, jumpy: 0.09,
		data: []tier{{0.95, 12 * kb}, {0.04, 300 * kb}, {0.01, 10 * mb}}, stream: 0.4, parallel: 2, writes: 0.4, kernel: 1,
		shared: 0.7, intensity: 0.9},
	// A loop with a pause: few instructions, and nothing else.
	"spin": {uops: 1.3, ilp: 0.25, loads: 0.25, branches: 0.25, miss: 0.0005, code: 1 * kb, jumpy: 0.01,
		data: []tier{{0.999, 1 * kb}, {0.001, 10 * mb}}, stream: 0, parallel: 1, intensity: 0.4},
}

// vary draws a profile around one of the library's.
func vary(r simulate.Random, name string) *profile {
	p := library[name]
	p.name = name
	around := func(x *float64, sigma float64) { *x *= r.Spread(sigma) }
	around(&p.ilp, 0.18)
	around(&p.loads, 0.1)
	around(&p.branches, 0.15)
	around(&p.miss, 0.45)
	around(&p.code, 0.5)
	around(&p.jumpy, 0.25)
	around(&p.parallel, 0.2)
	around(&p.faults, 0.5)
	around(&p.kernel, 0.3)
	p.kernel = min(1, p.kernel)
	p.parallel = max(1, p.parallel)
	p.miss = min(0.2, p.miss)
	p.data = append([]tier(nil), p.data...)
	for i := range p.data {
		p.data[i].bytes *= r.Spread(0.4)
		if i > 0 {
			change := p.data[i].share * (r.Spread(0.4) - 1)
			p.data[i].share += change
			p.data[0].share -= change
		}
	}
	return &p
}

// anyProfile draws code that no one has named: every property on its own.
func anyProfile(r simulate.Random) *profile {
	p := profile{name: "any", uops: r.Between(1, 1.25), ilp: r.Log(1.3, 5), loads: r.Between(0.12, 0.4),
		branches: r.Log(0.03, 0.22), miss: r.Log(0.001, 0.09), late: r.Between(0, 0.5), code: r.Log(8*kb, 8*mb), jumpy: r.Log(0.02, 0.14),
		stream: r.Float64(), parallel: r.Log(1.1, 9), writes: r.Between(0.1, 0.6), shared: r.Float64(), intensity: r.Between(0.8, 1.4)}
	if r.Chance(0.4) {
		p.kernel = r.Log(0.02, 0.4)
	}
	if r.Chance(0.2) {
		p.faults = r.Log(1e-6, 2e-4)
	}
	p.data = []tier{{1, 12 * kb}, {r.Log(0.01, 0.08), r.Log(100*kb, 1*mb)}, {r.Log(0.003, 0.04), r.Log(3*mb, 40*mb)},
		{r.Log(0.0005, 0.08), 2000 * mb}}
	p.data[0].share = 1 - p.data[1].share - p.data[2].share - p.data[3].share
	return &p
}
