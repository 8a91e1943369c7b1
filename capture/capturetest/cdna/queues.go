package cdna

import "math"

// The stations at which waves queue.
const (
	vector = iota
	matrix
	scalarUnit
	localShare
	address
	level2
	memory
	link
	constants
	instructions
	atomicUnit
	spawn
	stations
)

// run is a dispatch that ran. The machine is a closed network of queues: waves go from station to station, and where
// they meet they wait. What a wave takes without meeting anybody is its delay. The mean waits follow from the mean
// number of waves at each station (approximate mean value analysis, Schweitzer 1979), so that how busy a station is,
// how long waves wait for it, and how long the kernel takes agree with each other.
type run struct {
	kernel
	m      *machine
	simds  float64           // that have waves
	held   float64           // waves on each
	rate   float64           // waves that each finishes in a cycle
	own    [stations]float64 // cycles that a wave works at a station
	spent  [stations]float64 // cycles that it is there, waiting included
	used   [stations]float64 // share of the time that a station works
	delay  float64
	stay   float64 // cycles of a wave from its launch to its end
	busy   float64 // cycles in which the shaders have waves
	total  float64 // cycles of the dispatch
	idle   float64 // share of the compute units' cycles, of busy, without waves because other XCDs have more
	memory struct{ vmem, smem, lds, fetch float64 }
}

// group is how many SIMDs share a station.
func (m *machine) group(s int) float64 {
	switch s {
	case vector, matrix:
		return 1
	case scalarUnit, localShare, address:
		return 4
	case constants, instructions:
		return 4 * m.cus / m.sqcs
	case spawn:
		return 4 * m.cus / m.engines
	}
	return 4 * m.cus
}

func (m *machine) run(k kernel) *run {
	r := &run{kernel: k, m: m}
	clock := m.hz
	r.simds = min(4*m.cus, max(1, math.Round(k.waves)))
	r.held = max(1, min(k.perSIMD, k.waves/r.simds))
	r.own = [stations]float64{
		vector:       4*k.valu + 16*k.trans + 4*k.mfma,
		matrix:       k.mfma * k.mfmaLong,
		scalarUnit:   k.salu + k.smem,
		localShare:   k.lds * (2 + k.conflict),
		address:      k.vmem() * k.access,
		level2:       k.requests() * max(1, k.skew) / m.channels,
		memory:       k.missed() * (1 - k.remote) * (1 + 0.3*(max(1, k.skew)-1)) / (m.hbm / clock),
		link:         k.missed() * k.remote / (m.link / clock),
		constants:    k.smem * (1 + 4*k.constant),
		instructions: k.fetches() * (1 + 24*k.code),
		atomicUnit:   k.atomics * 64 * (k.hot + (1-k.hot)/m.channels) / 4,
		spawn:        1,
	}
	// What AMD's benchmarks attain of the peaks that a data sheet gives: a unit is full before it works all the time.
	for s, part := range map[int]float64{vector: 0.93, matrix: 0.91, localShare: 0.8, address: 0.82, level2: 0.72} {
		r.own[s] /= part
	}
	far := (1-k.remote)*m.latencyM + k.remote*m.latencyR
	load := m.latency1 + (1-k.hit1)*(m.latency2-m.latency1+(1-k.hit2)*(far-m.latency2)) + k.tlb*600
	r.memory.vmem, r.memory.lds = k.rounds*load, k.rounds3*m.lds
	r.memory.smem = min(k.smem, 4) * (60 + k.constant*400)
	r.memory.fetch = k.fetches() * k.code * 300
	r.delay = r.memory.vmem + r.memory.lds + r.memory.smem + r.memory.fetch + k.barrier + 4*(k.salu+k.smem+k.branch+k.lds+k.vmem())
	r.solve()
	r.stay = r.held/r.rate - r.spent[spawn]
	steady := k.waves / (r.simds * r.rate)
	r.busy = max(steady, k.waves/m.engines) + 0.15*r.stay
	if k.dieSkew > 1 {
		r.idle = 1 - 1/k.dieSkew
		r.busy *= k.dieSkew
		for s := range r.used {
			r.used[s] /= k.dieSkew
		}
	}
	r.total = r.busy + m.launch + k.launch
	return r
}

// solve finds how many waves are at each station, so that those that come meet as many as there are.
func (r *run) solve() {
	var waiting [stations]float64
	for range 400 {
		sum := r.delay
		for s, own := range r.own {
			g := min(r.m.group(s), r.simds)
			if r.m.group(s) == 4 {
				g = max(1, min(4, r.simds/r.m.cus))
			}
			met := waiting[s] * (g*r.held - 1) / r.held
			r.spent[s] = own * (1 + max(0, met))
			sum += r.spent[s]
		}
		r.rate = r.held / sum
		for s := range waiting {
			waiting[s] += 0.5 * (r.rate*r.spent[s] - waiting[s])
		}
	}
	for s, own := range r.own {
		r.used[s] = min(1, r.rate*own*min(r.m.group(s), r.simds*r.m.group(s)/(4*r.m.cus)))
	}
}

// queued is how long a wave waits at a station for those before it.
func (r *run) queued(s int) float64 { return r.spent[s] - r.own[s] }
