package rdna

import "astrolabe/capture/simulate"

// What can limit, at these places of all tables of this package.
const (
	valu   = iota
	lds    // local memory
	access // addresses, tags and data of the vector L0 cache
	filter // texture filtering
	cache  // what leaves L0: GL1 and GL2
	memory // bandwidth behind GL2
	wait   // the time an access takes without any queue
	spawn  // launch of waves
	fixed  // time of a dispatch or draw beside its work
	fetch  // vertices and indices
	setup  // primitive assembly
	scan   // rasterizer
	depth
	color
	things
)

var candidates = [things]simulate.Candidate{
	valu: unit("arithmetic"), lds: unit("local_memory"), access: unit("load_store"), filter: unit("texture"),
	cache: {Level: simulate.LevelMemory, Name: "cache"}, memory: simulate.MemoryBandwidth, wait: simulate.MemoryLatency,
	spawn: unit("wave_launch"), fixed: simulate.LaunchOverhead, fetch: unit("vertex_fetch"),
	setup: unit("primitive_assembly"), scan: unit("rasterizer"), depth: unit("depth"), color: unit("pixel_backend")}

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

// machine is one product. Rates are per clock of the shaders and for the whole GPU.
type machine struct {
	name, asic, generation string
	wgps, engines          float64
	boost                  float64 // GHz
	l2Bytes                float64 // per clock
	gl1Bytes               float64 // per clock and work-group processor
	gl1                    float64 // caches; one for each shader array
	channels               float64 // of GL2
	dram, infinity         float64 // bytes per ns
	memoryClock            float64 // MHz, as drivers state it
	l2MB, infinityMB       float64
	rops                   float64
	// ns until data arrives that L0, GL1, GL2, the Infinity Cache, or DRAM has.
	latency [5]float64
	waves   float64 // wave slots of a work-group processor
}

var radeons = []machine{ // of rocprofv3
	{"AMD Radeon RX 9070", "gfx1201", "gfx12", 28, 4, 2.52, 2048, 128, 8, 32, 640, 2400, 1258, 8, 64, 128,
		[5]float64{40, 62, 108, 150, 235}, 64},
	{"AMD Radeon RX 9070 XT", "gfx1201", "gfx12", 32, 4, 2.97, 2048, 128, 8, 32, 640, 2700, 1258, 8, 64, 128,
		[5]float64{36, 55, 98, 142, 228}, 64},
}

var drawers = []machine{ // of GPUPerfAPI
	{"AMD Radeon RX 6700 XT", "gfx1031", "gfx103", 20, 2, 2.58, 768, 64, 4, 12, 384, 1300, 2000, 3, 96, 64,
		[5]float64{42, 66, 112, 160, 255}, 64},
	{"AMD Radeon RX 6800 XT", "gfx1030", "gfx103", 36, 4, 2.25, 1024, 64, 8, 16, 512, 1700, 2000, 4, 128, 128,
		[5]float64{45, 72, 118, 165, 260}, 64},
	{"AMD Radeon RX 7600", "gfx1102", "gfx11", 16, 2, 2.65, 1024, 64, 4, 16, 288, 1000, 2250, 2, 32, 64,
		[5]float64{40, 62, 105, 150, 255}, 64},
	{"AMD Radeon RX 7900 XTX", "gfx1100", "gfx11", 48, 6, 2.5, 3072, 64, 12, 24, 960, 3000, 2500, 6, 96, 192,
		[5]float64{42, 64, 110, 152, 270}, 64},
}

// Shares of peak rates that programs reach at best, assumed.
const (
	valuReached  = 0.93
	cacheReached = 0.8
	colorReached = 0.9
)

// Depths of queues in clocks of work: what waits longer holds up what comes before it.
const (
	cacheQueue  = 300.0  // between L0 and GL1
	memoryQueue = 1200.0 // between GL2 and memory
	exportQueue = 120.0  // before the color blocks
)
