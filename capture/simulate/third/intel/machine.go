package intel

import (
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// leaf is a candidate that the model can relieve, as an index of leaves.
type leaf int

const (
	arithmetic leaf = iota
	texture
	loadStore
	localMemory
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
	overhead
	app
	driver
	syncs
	inTurn
	thermal
	power
	governor
	vsync // from here on the display's, which are never relieved
	capped
	request
	leafCount

	none leaf = -1
	// wholes, which are relieved but no leaves
	wholeCPU leaf = -2
	wholeGPU leaf = -3
)

var candidates = [leafCount]simulate.Candidate{
	arithmetic: {Level: "unit", Name: "arithmetic"}, texture: {Level: "unit", Name: "texture"},
	loadStore: {Level: "unit", Name: "load_store"}, localMemory: {Level: "unit", Name: "local_memory"},
	vertexFetch: {Level: "unit", Name: "vertex_fetch"}, clipper: {Level: "unit", Name: "clipper"},
	setup: {Level: "unit", Name: "setup"}, rasterizer: {Level: "unit", Name: "rasterizer"},
	hierarchicalDepth: {Level: "unit", Name: "hierarchical_depth"}, earlyDepth: {Level: "unit", Name: "early_depth"},
	pixelBackend: {Level: "unit", Name: "pixel_backend"}, bandwidth: simulate.MemoryBandwidth,
	latency: simulate.MemoryLatency, cache: {Level: "memory", Name: "cache"}, overhead: simulate.LaunchOverhead,
	app: simulate.CPUApp, driver: simulate.CPUDriver, syncs: simulate.CPUSync, inTurn: simulate.QueuesInTurn,
	thermal: simulate.ClockThermal, power: simulate.ClockPower, governor: simulate.ClockGovernor,
	vsync: simulate.DisplayVsync, capped: simulate.DisplayCap, request: simulate.DisplayRequest,
}

// part is one product: its rates are per clock of the whole GPU where not said otherwise.
type part struct {
	gpu, title, id    string
	gen12             bool
	subslices         int // dual ones from Gen12 on
	eus               int // per subslice
	threads           int // per EU
	quads             float64
	slm               float64 // lines of 64 bytes per subslice
	banks             int     // of the L3, a line each
	vertex, clip      float64 // vertices and primitives
	setup             float64
	raster, hiz, z    float64 // pixels
	backend           float64 // pixels of 4 bytes, not blended
	minClock          float64
	timestamp         float64
	cpus              int
	l3Latency         float64 // clocks
	memory            float64 // ns
	gti               float64 // bytes
	llc               float64 // a usual share of hits
	l3Miss            float64 // how its L3, by size, misses beside the smaller one
	packed            float64 // how much its compression leaves of color and depth beside the older one
	shader            float64 // how much longer the shaders are that programs run on it
	sets              []string
	maxClocks, widths []float64 // what products of it have: Hz, bytes per ns
}

var parts = map[string]*part{
	"intel-kbl-gt2-third": {gpu: "intel-kbl-gt2", title: "Intel HD Graphics 620", id: "8086:5916", subslices: 3, eus: 8,
		threads: 7, quads: 1, slm: 1, banks: 4, vertex: 0.55, clip: 0.5, setup: 0.45, raster: 16, hiz: 24, z: 14, backend: 8,
		minClock: 300e6, timestamp: 12e6, cpus: 4, l3Latency: 190, memory: 170, gti: 64, llc: 0.3, l3Miss: 1, packed: 1, shader: 1,
		sets: []string{"ComputeBasic", "RenderPipeProfile", "MemoryReads", "MemoryWrites", "HDCAndSF",
			"RasterizerAndPixelBackend", "L3_1", "Sampler"},
		maxClocks: []float64{1000e6, 1050e6, 1150e6}, widths: []float64{17, 29.8, 34.1, 38.4}},
	"intel-tgl-third": {gpu: "intel-tgl-gt2", title: "Intel Iris Xe Graphics", id: "8086:9a49", gen12: true, subslices: 6,
		eus: 16, threads: 7, quads: 2, slm: 2, banks: 8, vertex: 0.9, clip: 0.9, setup: 0.85, raster: 32, hiz: 48, z: 30,
		backend: 24, minClock: 100e6, timestamp: 19.2e6, cpus: 8, l3Latency: 220, memory: 150, gti: 128, llc: 0.5, l3Miss: 0.65, packed: 0.75, shader: 1.5,
		sets:      []string{"ComputeBasic", "RenderPipeProfile", "HDCAndSF", "RasterizerAndPixelBackend", "L3_1", "Sampler_1"},
		maxClocks: []float64{1300e6, 1350e6, 1400e6}, widths: []float64{25.6, 51.2, 68.3}},
}

// machine is one specimen of a part.
type machine struct {
	*part
	maxClock float64
	bytes    float64 // that memory moves per ns
}

func (p *part) specimen(r *rand.Rand) *machine {
	m := &machine{part: p, maxClock: p.maxClocks[r.IntN(len(p.maxClocks))]}
	// Of what is soldered on, some 70 to 82 % can be had: banks turn around, rows open, the processor takes its part.
	m.bytes = p.widths[r.IntN(len(p.widths))] * (0.7 + 0.12*r.Float64())
	return m
}

// faster is how much the relief of one candidate speeds another up.
func faster(relieved, l leaf) float64 {
	if relieved == l {
		return 1.5
	}
	return 1
}
