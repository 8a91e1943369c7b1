package intel

import "astrolabe/capture/simulate"

// Stations of the machine. The first are visited by threads, then comes the latency of memory, which is a delay and has
// no queue, and then the stages of fixed function, which work on a draw in a row.
const (
	sALU = iota
	sTex
	sLSC
	sSLM
	sRT
	sL3
	sMem
	sLat
	sVF
	sClip
	sSetup
	sRast
	sHZ
	sIZ
	sPB
	nStation

	nCore  = sLat // those with queues of threads
	sFront = sVF  // the first stage of fixed function
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

var memoryCache = simulate.Candidate{Level: simulate.LevelMemory, Name: "cache"}

// stations are their candidates.
var stations = [nStation]simulate.Candidate{
	sALU: unit("arithmetic"), sTex: unit("texture"), sLSC: unit("load_store"), sSLM: unit("local_memory"),
	sRT: unit("ray_tracing"), sL3: memoryCache, sMem: simulate.MemoryBandwidth, sLat: simulate.MemoryLatency,
	sVF: unit("vertex_fetch"), sClip: unit("clipper"), sSetup: unit("setup"), sRast: unit("rasterizer"),
	sHZ: unit("hierarchical_depth"), sIZ: unit("early_depth"), sPB: unit("pixel_backend"),
}

// machine is a GPU. Rates are per clock of the core and of the whole GPU, at the peak.
type machine struct {
	name             string
	id               uint32
	xecores, slices  int
	banks, nodes     int // of L3
	copies           int // copy engines that the counters see
	minMHz, maxMHz   float64
	bandwidth        float64 // bytes per ns, peak
	board            float64 // watts
	peak             [nStation]float64
	latCore, latDRAM float64 // clocks to L3 and back; ns more to memory and back
	cpus             int
	cpuGHz           float64
}

const (
	engines = 8 // vector engines per Xe-core
	threads = 8 // per vector engine
)

func (m *machine) xves() float64 { return float64(m.xecores * engines) }

// newMachine makes a Battlemage: a B580, or a B570 with fewer of everything.
func newMachine(r simulate.Random) *machine {
	m := &machine{name: "Battlemage", id: 0xe20b, xecores: 20, slices: 5, banks: 24, nodes: 6, copies: 3,
		minMHz: 400, maxMHz: 2850, bandwidth: 456, board: 190}
	if r.Chance(0.35) {
		m.id, m.xecores, m.banks, m.nodes, m.copies = 0xe20c, 18, 20, 5, 3
		m.maxMHz, m.bandwidth, m.board = 2750, 380, 150
	}
	m.cpus, m.cpuGHz = simulate.Pick(r, 8, 12, 16), r.Between(3.6, 5.2)
	m.latCore, m.latDRAM = r.Between(230, 330), r.Between(260, 420)
	x, s := float64(m.xecores), float64(m.slices)
	m.peak = [nStation]float64{
		sALU:   x * engines, // instructions of one pipe
		sTex:   x * 2,       // blocks of 2x2 texels, filtered once
		sLSC:   x * 2,       // accesses of 64 bytes
		sSLM:   x * 128,     // bytes
		sRT:    x * 3,       // steps of rays
		sL3:    float64(m.banks),
		sMem:   m.bandwidth, // bytes per ns
		sVF:    s * 1.5,     // vertices
		sClip:  s,           // primitives that are not clipped
		sSetup: s * 0.75,    // primitives that are left
		sRast:  s,           // blocks of up to 32 samples
		sHZ:    s * 2,       // depth pipes: one block each
		sIZ:    s * 16,      // samples
		sPB:    s * 16,      // pixels
	}
	return m
}

// efficiency is the part of each station's peak that programs can attain. The rest goes to bubbles, bank conflicts,
// refreshes of memory and turnarounds.
func efficiency(r simulate.Random) (e [nStation]float64) {
	for i := range e {
		e[i] = r.Between(0.74, 0.94)
	}
	e[sMem] = r.Between(0.68, 0.88)
	e[sLat] = 1
	return e
}
