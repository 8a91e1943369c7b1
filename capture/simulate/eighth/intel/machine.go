package intel

import "astrolabe/capture/simulate"

// Causes of the pace: the units first, then what stands outside of the GPU's pipes.
const (
	arithmetic = iota
	texture
	loadStore
	localMemory
	rayTracing
	vertexFetch
	clipper
	setup
	rasterizer
	hierarchicalDepth
	earlyDepth
	pixelBackend
	bandwidth
	latency
	cache
	launch
	gpuCauses // how many a section of the GPU's work can have

	app = iota - 1
	driver
	vsync
	cap_
	start        // of the simulation, as if nobody had asked for a frame before
	firstSection // the causes of the frames' path from here on are sections, whose own path divides their time
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

// candidates are what causes are called.
var candidates = [firstSection]simulate.Candidate{unit("arithmetic"), unit("texture"), unit("load_store"), unit("local_memory"),
	unit("ray_tracing"), unit("vertex_fetch"), unit("clipper"), unit("setup"), unit("rasterizer"), unit("hierarchical_depth"),
	unit("early_depth"), unit("pixel_backend"), simulate.MemoryBandwidth, simulate.MemoryLatency,
	{Level: simulate.LevelMemory, Name: "cache"}, simulate.LaunchOverhead, simulate.CPUApp, simulate.CPUDriver,
	simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest}

// machine is a GPU. Rates are per clock of its core; a cluster is the EUs that share a sampler and a data port.
type machine struct {
	xe2      bool
	gpu      string // of the catalogue
	device   string
	pci      uint32
	clusters int // subslices of Gen9, pairs of Xe-cores of Lunar Lake
	rows     int // threads that each EU of a cluster holds
	eus      int // of a cluster
	simd     int // invocations of a thread that shades pixels or computes
	issue    float64
	// issue is the clocks that one instruction of a thread keeps a pipe, and efficiency the share of clocks in which
	// a pipe that has work executes: the rest are instruction fetches and conflicts of register banks.
	efficiency float64
	sampler    float64 // quads of a cluster, bilinear
	port       float64 // lines of 64 bytes of a cluster's data port
	local      float64 // lines of a cluster's shared local memory
	rays       float64 // rays of a cluster: each visits twenty nodes of six boxes, at half of the peak of 36 boxes
	fetch      float64 // vertices
	clip, prim float64 // triangles that are clipped, and set up
	raster     float64 // quads
	hiz, early float64 // quads
	color      float64 // quads without blending
	banks      int     // of L3, a line each
	hit        float64 // clocks from a request to L3's answer
	filter     float64 // clocks from a request to the sampler's answer
	hz, lowest float64
	step       float64 // Hz of a step of the clock
	bytes      float64 // a second that memory gives at best
	ns         float64 // of a load of an idle memory
	ring       float64 // lines a clock that leave the GPU
	oa         float64 // Hz of the OA unit's timestamp
	cores      int     // processors
}

// newMachine draws one of the machines that have such a GPU: laptops differ in memory, clock and cooling.
func newMachine(name string, r simulate.Random) machine {
	if name == Names[1] {
		m := machine{xe2: true, gpu: "intel-lnl", device: "Lunar Lake", pci: 0x64A0, clusters: 4, rows: 8, eus: 16,
			simd: 16, issue: 1, sampler: 4, port: 4, local: 4, rays: 0.16, fetch: 2, clip: 1.2, prim: 0.8, raster: 16, hiz: 32, early: 16,
			color: 8, banks: 8, hit: 180, filter: 220, lowest: 0.4e9, step: 100e6, ns: r.Between(190, 260), ring: 2, oa: 19.2e6, cores: 8}
		m.hz = simulate.Pick(r, 1.85e9, 1.95e9, 2.0e9, 2.05e9)
		m.bytes = 136.5e9 * r.Between(0.72, 0.84)
		m.efficiency = r.Between(0.88, 0.96)
		return m
	}
	m := machine{gpu: "intel-kbl-gt2", device: "Kaby Lake GT2", pci: 0x5916, clusters: 3, rows: 7, eus: 8, simd: 16, issue: 4,
		sampler: 1, port: 1, local: 1, fetch: 0.5, clip: 0.5, prim: 0.33, raster: 4, hiz: 8, early: 4, color: 2, banks: 4, hit: 160,
		filter: 180, lowest: 0.3e9, step: 50e6, ns: r.Between(140, 210), ring: 1, oa: 12e6, cores: 4}
	m.hz = simulate.Pick(r, 1.0e9, 1.05e9, 1.1e9, 1.15e9)
	if r.Chance(0.5) {
		m.gpu, m.device, m.pci, m.hz = "intel-skl-gt2", "Skylake GT2", 0x1916, simulate.Pick(r, 0.95e9, 1.0e9, 1.05e9)
	}
	// One module of DDR4-2133 is common in cheap laptops; two, or soldered LPDDR3-1866, in others.
	m.bytes = simulate.Pick(r, 17.07e9, 29.87e9, 34.13e9, 34.13e9, 38.4e9) * r.Between(0.74, 0.86)
	m.efficiency = r.Between(0.86, 0.96)
	return m
}

// batch is how many invocations a batch has: a thread of each EU of a cluster.
func (m *machine) batch() float64 { return float64(m.eus * m.simd) }

// some is the share of a batch's threads that have any of so many lines.
func (m *machine) some(lines float64) float64 {
	if x := lines / float64(m.eus); x < 1 {
		return x * (1 - x/3)
	}
	return 1 - 1/(3*lines/float64(m.eus)) // of those that lie together
}

// share is the nearest step of the clock, as a share of the highest.
func (m *machine) share(x float64) float64 {
	steps := m.hz / m.step
	return min(1, max(m.lowest/m.hz, float64(int(x*steps+0.5))/steps))
}
