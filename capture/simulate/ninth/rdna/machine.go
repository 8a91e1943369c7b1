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

var candidates = [things]simulate.Candidate{unit("arithmetic"), unit("local_memory"), unit("load_store"), unit("texture"),
	{Level: simulate.LevelMemory, Name: "cache"}, simulate.MemoryBandwidth, simulate.MemoryLatency, unit("wave_launch"),
	simulate.LaunchOverhead, unit("vertex_fetch"), unit("primitive_assembly"), unit("rasterizer"), unit("depth"), unit("pixel_backend")}

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

// machine is one product. Rates are per clock of the shaders.
type machine struct {
	name, generation  string
	wgps, engines     float64
	boost             float64 // GHz
	l2Bytes, gl1Bytes float64 // of the GPU, and of a work-group processor
	gl1, channels     float64 // GL1 caches, one for each shader array, and channels of GL2
	dram, infinity    float64 // bytes per ns
	rops              float64
	latency           [5]float64 // ns until data arrives that L0, GL1, GL2, the Infinity Cache, or DRAM has
}

var radeons = []machine{ // of rocprofv3
	{"AMD Radeon RX 9070", "gfx12", 28, 4, 2.52, 2048, 128, 8, 32, 640, 2400, 128, [5]float64{40, 62, 108, 150, 235}},
	{"AMD Radeon RX 9070 XT", "gfx12", 32, 4, 2.97, 2048, 128, 8, 32, 640, 2700, 128, [5]float64{36, 55, 98, 142, 228}},
}

var drawers = []machine{ // of GPUPerfAPI
	{"AMD Radeon RX 6700 XT", "gfx103", 20, 2, 2.58, 768, 64, 4, 12, 384, 1300, 64, [5]float64{42, 66, 112, 160, 255}},
	{"AMD Radeon RX 6800 XT", "gfx103", 36, 4, 2.25, 1024, 64, 8, 16, 512, 1700, 128, [5]float64{45, 72, 118, 165, 260}},
	{"AMD Radeon RX 7600", "gfx11", 16, 2, 2.65, 1024, 64, 4, 16, 288, 1000, 64, [5]float64{40, 62, 105, 150, 255}},
	{"AMD Radeon RX 7900 XTX", "gfx11", 48, 6, 2.5, 3072, 64, 12, 24, 960, 3000, 192, [5]float64{42, 64, 110, 152, 270}},
}

const (
	// Shares of peak rates that programs reach at best, assumed.
	valuReached, ldsReached, cacheReached, colorReached = 0.93, 0.94, 0.8, 0.9
	// Depths of queues in clocks of work: what waits longer holds up what comes before it. Between L0 and GL1, between
	// GL2 and memory, before the color and depth blocks, and before the rasterizer.
	cacheQueue, memoryQueue, exportQueue, setupQueue = 300.0, 1200.0, 120.0, 150.0
	spawning                                         = 1.5  // clocks of a shader engine for a wave, assumed
	slotsOf                                          = 64.0 // wave slots of a work-group processor
)

// cached is the clocks that requests of 64 bytes take of GL1 and of the share of GL2.
func (m *machine) cached(gl1, gl2, active float64) float64 {
	return 64 * max(gl1/m.gl1Bytes, gl2*active/m.l2Bytes) / cacheReached
}

// moved is the clocks that requests of 64 bytes take of the share of what is behind GL2.
func (m *machine) moved(fabric, dram, rows, active, clock float64) float64 {
	if fabric == 0 {
		return 0
	}
	return 64 * active * clock * max(fabric/(0.85*m.infinity), dram/(rows*m.dram))
}

// ease is the relief of a thing, of none where it is negative.
func ease(thing int) *[things]float64 {
	var e [things]float64
	for i := range e {
		e[i] = 1
	}
	if thing >= 0 {
		e[thing] = 1 / simulate.Faster
	}
	return &e
}
