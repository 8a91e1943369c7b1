package amd

import "astrolabe/capture/simulate"

// machine is a Radeon as its data sheet and public measurements describe it. Rates are per clock of the whole GPU.
type machine struct {
	name, id   string // product and PCI id
	generation string
	family     uint32
	engines    float64 // shader engines, each with one primitive unit
	cus        float64
	clock      float64 // GHz while it works
	rops       float64 // pixels
	l2         float64 // bytes
	dram       float64 // GB/s
	vram       float64 // bytes
	l2Latency  float64 // ns
	memLatency float64 // ns
	watts      float64 // board power limit
	mclk       float64 // Hz
}

func (m *machine) simds() float64 { return 2 * m.cus }

// machines are products of RDNA 2 and RDNA 3.
var machines = []machine{
	{"AMD Radeon RX 6800 XT", "1002:73bf", "gfx103", 143, 4, 72, 2.10, 128, 2048, 512, 16 << 30, 115, 290, 300, 1000e6},
	{"AMD Radeon RX 6700 XT", "1002:73df", "gfx103", 143, 2, 40, 2.42, 64, 1536, 384, 12 << 30, 105, 275, 230, 1000e6},
	{"AMD Radeon RX 6600", "1002:73ff", "gfx103", 143, 2, 28, 2.40, 64, 1024, 224, 8 << 30, 105, 270, 132, 875e6},
	{"AMD Radeon RX 7900 XTX", "1002:744c", "gfx11", 145, 6, 96, 2.30, 192, 3072, 960, 24 << 30, 120, 320, 355, 1249e6},
	{"AMD Radeon RX 7800 XT", "1002:747e", "gfx11", 145, 3, 60, 2.25, 96, 2048, 624, 16 << 30, 115, 310, 263, 1218e6},
	{"AMD Radeon RX 7600", "1002:7480", "gfx11", 145, 2, 32, 2.50, 64, 1024, 288, 8 << 30, 105, 290, 165, 1124e6},
}

// cause is a candidate as an index.
type cause int8

const (
	arithmetic cause = iota
	texture
	loadStore
	localMemory
	primitiveAssembly
	vertexFetch
	rasterizer
	depthTest
	pixelBackend
	bandwidth
	cacheRate
	latency
	overhead
	gpuCauses // the number of those above
)

// Of the whole machine, for live captures.
const (
	cpuApp = gpuCauses + iota
	cpuDriver
	cpuSync
	inTurn
	thermal
	power
	governor
	vsync // and those below are of the display: never relieved
	frameCap
	request
	allCauses
)

var candidates = [allCauses]simulate.Candidate{
	arithmetic:        {Level: simulate.LevelUnit, Name: "arithmetic"},
	texture:           {Level: simulate.LevelUnit, Name: "texture"},
	loadStore:         {Level: simulate.LevelUnit, Name: "load_store"},
	localMemory:       {Level: simulate.LevelUnit, Name: "local_memory"},
	primitiveAssembly: {Level: simulate.LevelUnit, Name: "primitive_assembly"},
	vertexFetch:       {Level: simulate.LevelUnit, Name: "vertex_fetch"},
	rasterizer:        {Level: simulate.LevelUnit, Name: "rasterizer"},
	depthTest:         {Level: simulate.LevelUnit, Name: "depth"},
	pixelBackend:      {Level: simulate.LevelUnit, Name: "pixel_backend"},
	bandwidth:         simulate.MemoryBandwidth,
	cacheRate:         {Level: simulate.LevelMemory, Name: "cache"},
	latency:           simulate.MemoryLatency,
	overhead:          simulate.LaunchOverhead,
	cpuApp:            simulate.CPUApp,
	cpuDriver:         simulate.CPUDriver,
	cpuSync:           simulate.CPUSync,
	inTurn:            simulate.QueuesInTurn,
	thermal:           simulate.ClockThermal,
	power:             simulate.ClockPower,
	governor:          simulate.ClockGovernor,
	vsync:             simulate.DisplayVsync,
	frameCap:          simulate.DisplayCap,
	request:           simulate.DisplayRequest,
}

// relieved is what a relief leaves of the time of whatever the cause is: a rate times 1.5, and a latency or a
// processor's work times 2/3, are the same.
const relieved = 2.0 / 3

// none is the relief of nothing.
const none cause = -1
