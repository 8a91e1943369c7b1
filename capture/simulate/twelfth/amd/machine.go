package amd

import "astrolabe/capture/simulate"

// The generations of GPA's tables that are modelled.
const (
	gfx103 = 1 << iota
	gfx11
	gfx12
	everyGeneration = gfx103 | gfx11 | gfx12
)

var generationNames = map[int]string{gfx103: "GFX103", gfx11: "GFX11", gfx12: "GFX12"}

// chip is what is published of a product, rounded.
type chip struct {
	name       string
	generation int
	cus        float64
	engines    float64 // shader engines
	rops       float64 // pixels of the color blocks a clock
	ghz        float64 // game clock
	dram       float64 // GB/s
	mall       float64 // MB of the cache behind L2
	slices     float64 // of L2
}

var chips = []chip{
	{"AMD Radeon RX 6900 XT", gfx103, 80, 4, 128, 2.25, 512, 128, 16},
	{"AMD Radeon RX 6800 XT", gfx103, 72, 4, 128, 2.25, 512, 128, 16},
	{"AMD Radeon RX 6700 XT", gfx103, 40, 2, 64, 2.42, 384, 96, 12},
	{"AMD Radeon RX 6600", gfx103, 28, 2, 64, 2.04, 224, 32, 8},
	{"AMD Radeon RX 6500 XT", gfx103, 16, 1, 32, 2.61, 144, 16, 4},
	{"AMD Radeon 680M", gfx103, 12, 1, 32, 2.2, 90, 0, 8},
	{"AMD Custom GPU 0405", gfx103, 8, 1, 16, 1.6, 88, 0, 4},
	{"AMD Radeon RX 7900 XTX", gfx11, 96, 6, 192, 2.3, 960, 96, 24},
	{"AMD Radeon RX 7900 XT", gfx11, 84, 6, 192, 2.0, 800, 80, 20},
	{"AMD Radeon RX 7800 XT", gfx11, 60, 3, 96, 2.12, 624, 64, 16},
	{"AMD Radeon RX 7600", gfx11, 32, 2, 64, 2.25, 288, 32, 8},
	{"AMD Radeon 780M Graphics", gfx11, 12, 1, 32, 2.6, 100, 0, 8},
	{"AMD Radeon RX 9070 XT", gfx12, 64, 4, 128, 2.4, 640, 64, 32},
	{"AMD Radeon RX 9070", gfx12, 56, 4, 128, 2.07, 640, 64, 32},
	{"AMD Radeon RX 9060 XT", gfx12, 32, 2, 64, 2.53, 320, 32, 16},
}

// machine is a chip with all that is not published about it, which is drawn.
type machine struct {
	chip
	api string

	stable bool // the profiler held the clock; otherwise it wanders from draw to draw
	clock  float64

	dramEff      float64 // of the bandwidth that reads in a row reach
	mallBW       float64 // GB/s of the cache behind L2
	latL0, latL2 float64 // ns until a load that hits is there, and how much more where it does not
	latMem       float64
	geRate       float64 // primitives a clock and engine
	cullRate     float64
	clipClocks   float64
	quadRate     float64 // quads a clock and engine
	zRate        float64 // depth samples a clock, as a multiple of the pixels
	l2Bytes      float64 // a clock and slice
	front        float64 // us until the first work of a draw is in the pipeline
	dual         float64 // how much of the second issue port compilers can use

	// How counters see it.
	taWait    float64 // share of the time in which requests are under way that the addresser counts as busy
	taStall   float64 // share of the time behind a full cache that it counts as stalled
	vsHold    float64 // share of the time in which primitives wait that their waves stay
	psHold    float64 // the same of pixels and their exports
	idle      float64 // share of the time before the first work in which the GPU is not busy
	zStall    float64 // depth blocks that wait, of the time in which exports wait
	zPipe     float64 // share of its waits in which the depth pipe holds tests
	imbalance float64 // of the busiest instance above the mean
	timing    float64 // differences between passes
}

func drawMachine(rnd simulate.Random) *machine {
	m := &machine{chip: simulate.Pick(rnd, chips...)}
	m.api = []string{"DX12", "VK", "DX11", "GL"}[rnd.Weighted([]float64{5, 4, 1.5, 0.7})]
	m.stable = rnd.Chance(0.75)
	m.clock = m.ghz * rnd.Between(0.78, 1.08)
	m.dram *= rnd.Between(0.9, 1.03)
	m.dramEff = rnd.Between(0.72, 0.92)
	m.mallBW = m.dram * rnd.Between(1.9, 3.6)
	m.latL0 = rnd.Between(50, 110)
	m.latL2 = rnd.Between(80, 150)
	m.latMem = rnd.Between(180, 420)
	m.geRate = rnd.Between(0.8, 1.7)
	m.cullRate = rnd.Between(1.3, 2.1)
	m.clipClocks = rnd.Between(8, 26)
	m.quadRate = rnd.Between(6, 8)
	m.zRate = rnd.Between(2.4, 4)
	m.l2Bytes = simulate.Pick(rnd, 64.0, 64, 96, 128)
	m.front = rnd.Log(1.2, 5)
	m.dual = 0
	if m.generation != gfx103 {
		m.dual = rnd.Between(0, 0.45)
	}
	m.taWait = rnd.Between(0.15, 0.9)
	m.taStall = rnd.Between(0.4, 0.95)
	m.vsHold = rnd.Between(0, 1)
	m.psHold = rnd.Between(0.5, 1)
	m.idle = rnd.Between(0, 0.2)
	m.zStall = rnd.Between(0.1, 0.8)
	m.zPipe = rnd.Between(0.1, 0.7)
	m.imbalance = rnd.Between(0.01, 0.12)
	m.timing = rnd.Log(0.002, 0.02)
	return m
}
