package intel

import "astrolabe/capture/simulate"

// unit is what can be relieved: stages of the 3D pipe, then stations that threads visit, then waiting.
type unit uint8

const (
	command unit = iota // what reads commands; its relief is that of launches
	fetch
	clip
	setup
	raster
	coarse // hierarchical depth
	early  // depth and stencil of each pixel, before shading
	backend
	arith // the first of the stations
	texture
	port
	local
	rays
	cache
	memory
	latency
	units
)

// stations are served by several servers each, and threads queue for them.
const stations = int(latency - arith)

func unitOf(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

var candidates = [units]simulate.Candidate{simulate.LaunchOverhead, unitOf("vertex_fetch"), unitOf("clipper"),
	unitOf("setup"), unitOf("rasterizer"), unitOf("hierarchical_depth"), unitOf("early_depth"), unitOf("pixel_backend"),
	unitOf("arithmetic"), unitOf("texture"), unitOf("load_store"), unitOf("local_memory"), unitOf("ray_tracing"),
	{Level: simulate.LevelMemory, Name: "cache"}, simulate.MemoryBandwidth, simulate.MemoryLatency}

// stage is a place of the 3D pipe. Vertex and pixel threads are stages too, though both run on the same EUs.
type stage uint8

const (
	commands stage = iota
	fetching
	vertices
	clipping
	settingUp
	rasterizing
	coarseTests
	earlyTests
	shading // pixel threads, compute threads, or the requests of a copy
	blending
	stages
)

// unitAt is the unit of a stage; the two stages of threads have none of their own.
var unitAt = [stages]unit{command, fetch, units, clip, setup, raster, coarse, early, units, backend}

// Engines that take work from the driver, each with a queue. Tiger Lake's compute goes through its render engine.
const (
	render = iota
	compute
	copying
	engines
)

var engineNames = [engines]string{"render", "compute", "copy"}

// machine is a GPU with its memory, and the processor that feeds it.
type machine struct {
	product, device, id string
	discrete            bool
	eus, cores, slices  int // cores: dual subslices of Tiger Lake, Xe-cores of DG2
	threads             int // that an EU holds
	least, most         float64
	timestamp           float64 // Hz

	rate    [units]float64 // per core clock, of memory bytes per ns: what all servers can do together
	servers [stations]float64
	memWait float64 // ns from L3's miss to the data, with an idle memory
	l3Wait  float64 // core clocks to L3, samplers included
	reads   float64 // bytes a clock of the interface to memory
	watts   float64 // of the GPU at its highest clock with all EUs at work
	cpus    int
}

// clock is the highest core clock in clocks per ns.
func (m *machine) clock() float64 { return m.most / 1e9 }

// slots are threads that all EUs hold.
func (m *machine) slots() float64 { return float64(m.eus * m.threads) }

// tigerLake draws an Iris Xe with its memory. Rates: see doc.go.
func tigerLake(r simulate.Random) *machine {
	m := &machine{product: "intel-tgl-gt2", device: "Tiger Lake GT2", id: "8086:9a49", eus: 96, cores: 6, slices: 1,
		threads: 7, least: 300e6, most: simulate.Pick(r, 1.1e9, 1.3e9, 1.35e9), timestamp: 19.2e6,
		memWait: r.Between(170, 260), l3Wait: r.Between(150, 220), reads: 64, watts: r.Between(14, 20), cpus: 8}
	if r.Chance(0.3) { // the smaller part
		m.eus, m.cores = 80, 5
	}
	n := float64(m.cores)
	bandwidth := simulate.Pick(r, 68.3, 68.3, 51.2, 25.6) // LPDDR4X-4267, two channels of DDR4-3200, one
	m.rate = [units]float64{command: 1, fetch: 1, clip: 1, setup: 1, raster: 8, coarse: 16, early: 6, backend: 6,
		arith: float64(m.eus), texture: 2 * n, port: n, local: 2 * n, rays: 1, cache: 8, memory: bandwidth}
	m.servers = [stations]float64{float64(m.eus), n, n, n, 1, 8, 2}
	m.unpeak(r)
	return m
}

// alchemist draws a card of the DG2-G10 chip.
func alchemist(r simulate.Random) *machine {
	m := &machine{product: "intel-acm-gt3", device: "DG2-G10", id: "8086:56a0", discrete: true, threads: 8,
		least: 300e6, most: 2.4e9, timestamp: 19.2e6, memWait: r.Between(230, 330), l3Wait: r.Between(180, 260),
		reads: 512, watts: r.Between(120, 160), cpus: simulate.Pick(r, 8, 12, 16)}
	bandwidth := 560.0
	switch m.slices = 8; {
	case r.Chance(0.3):
		m.id, m.slices, bandwidth = "8086:56a1", 7, 512
	case r.Chance(0.3):
		m.id, m.slices, bandwidth, m.most = "8086:56a2", 6, 512, 2.0e9
	}
	m.cores = 4 * m.slices
	m.eus = 16 * m.cores
	n, s := float64(m.cores), float64(m.slices)
	m.rate = [units]float64{command: 1, fetch: s / 2, clip: s, setup: s, raster: 8 * s, coarse: 16 * s, early: 6 * s,
		backend: 4 * s, arith: float64(m.eus), texture: 2 * n, port: n, local: n, rays: 6 * n, cache: 32, memory: bandwidth}
	m.servers = [stations]float64{float64(m.eus), n, n, n, n, 32, 8}
	m.unpeak(r)
	return m
}

// unpeak takes from the rates what programs never reach: refresh and turnaround of memory, conflicts of banks and of
// registers, bubbles between triangles.
func (m *machine) unpeak(r simulate.Random) {
	for u := range m.rate {
		m.rate[u] *= r.Between(0.84, 0.97)
	}
	m.rate[memory] *= r.Between(0.85, 0.95)
	m.rate[arith] = float64(m.eus) * r.Between(0.93, 0.99)
}
