package amd

import "astrolabe/capture/simulate"

// product is a Radeon of the RDNA 2 generation with what its data sheet says of it.
type product struct {
	name, id string
	asic     string
	engines  float64 // shader engines
	arrays   float64 // shader arrays, each with a primitive unit's share, a rasterizer and a first-level cache
	units    float64 // compute units
	backends float64 // render backends, of eight pixels a clock
	slices   float64 // of the second-level cache
	l2       float64 // its bytes
	clock    float64 // Hz that the profiler holds the GPU at
	dram     float64 // bytes/s on the pins
	fabric   float64 // bytes/s between the second-level cache and the memory's side, or its Infinity Cache
	infinity float64 // bytes of Infinity Cache, 0 where there is none
	far      float64 // ns of an access to DRAM beyond the last cache when nothing else is under way
	pipes    float64 // primitive pipes
}

// products are what cases are drawn from: four cards and two processors with graphics.
var products = []product{
	{"AMD Radeon RX 6800 XT", "1002:73bf", "gfx1030", 4, 8, 72, 16, 16, 4 << 20, 1.825e9, 512e9, 1.94e12, 128 << 20,
		100, 4},
	{"AMD Radeon RX 6700 XT", "1002:73df", "gfx1031", 2, 4, 40, 8, 12, 3 << 20, 2.2e9, 384e9, 1.45e12, 96 << 20,
		104, 2},
	{"AMD Radeon RX 6600 XT", "1002:73ff", "gfx1032", 2, 4, 32, 8, 8, 2 << 20, 2.2e9, 256e9, 0.97e12, 32 << 20,
		104, 2},
	{"AMD Radeon RX 6500 XT", "1002:743f", "gfx1034", 1, 2, 16, 4, 4, 1 << 20, 2.4e9, 144e9, 0.48e12, 16 << 20,
		110, 1},
	{"AMD Radeon 680M", "1002:1681", "gfx1035", 1, 2, 12, 4, 8, 2 << 20, 2.0e9, 89e9, 0.2e12, 0, 165, 1},
	{"AMD Custom GPU 0405", "1002:163f", "gfx1033", 1, 2, 8, 4, 4, 1 << 20, 1.6e9, 88e9, 0.2e12, 0, 165, 1},
}

// Rates and sizes that all of them have; see the package's documentation for where they are from.
const (
	simdLanes    = 32.0   // of a vector unit, of which a compute unit has two
	registers    = 1024.0 // of 32 lanes in a vector unit's file
	mostWaves    = 16.0   // of a vector unit
	ldsBytes     = 64.0 * 1024
	line         = 128.0 // bytes of the cache lines
	missSlots    = 64.0  // lines that a compute unit may wait for
	arrayLines   = 2.0   // lines a clock of a shader array's cache
	sliceLines   = 0.5   // lines a clock of a slice of the second-level cache
	rasterQuads  = 4.0   // quads a clock of a rasterizer
	depthSamples = 16.0  // a clock of a render backend
	colorQuads   = 2.0   // quads of four bytes a pixel, a clock of a render backend
	stampNs      = 10.0  // between two values of the timestamps

	// Clocks of an access that a cache serves, from the wave's instruction to its data.
	clocksL0 = 100.0
	clocksL1 = 165.0
	clocksL2 = 245.0
	nsCache  = 20.0 // of the Infinity Cache beyond the second level
)

// Shares of their peak that units reach for long. They are assumed, and the more things a unit serves, the lower.
const (
	reachVector, reachTexture, reachLocal          = 0.90, 0.92, 0.93
	reachL1, reachL2, reachFabric, reachDRAM       = 0.82, 0.80, 0.83, 0.86
	reachGeom, reachRaster, reachDepth, reachColor = 0.90, 0.88, 0.88, 0.90
)

// machine is a product as one case finds it: parts are worn and driven differently.
type machine struct {
	product
	api string
}

func drawMachine(r simulate.Random) machine {
	p := products[r.Weighted([]float64{3, 2, 2.5, 1, 1.5, 1})]
	p.clock *= r.Between(0.97, 1.03)
	p.dram *= r.Between(0.95, 1.0)
	p.far *= r.Between(0.9, 1.2)
	return machine{p, simulate.Pick(r, "dx12", "dx12", "vk")}
}

// The candidates, in the order in which they are relieved.
const (
	arithmetic = iota
	texture
	loadStore
	localMemory
	vertexFetch
	primitives
	rasterizer
	depth
	backend
	bandwidth
	latency
	cache
	launch
	limits
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

// candidates are what can limit a draw or dispatch.
var candidates = [limits]simulate.Candidate{
	unit("arithmetic"), unit("texture"), unit("load_store"), unit("local_memory"), unit("vertex_fetch"),
	unit("primitive_assembly"), unit("rasterizer"), unit("depth"), unit("pixel_backend"), simulate.MemoryBandwidth,
	simulate.MemoryLatency, {Level: simulate.LevelMemory, Name: "cache"}, simulate.LaunchOverhead,
}

// eases say by what each candidate is faster than it is.
type eases [limits]float64

// easing relieves one candidate, or with none nothing.
func easing(candidate int) (e eases) {
	for i := range e {
		e[i] = 1
	}
	if candidate != noCandidate {
		e[candidate] = simulate.Faster
	}
	return e
}
