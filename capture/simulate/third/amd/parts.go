package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// Labels are what can set the pace inside the GPU, each a candidate.
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
	cache
	latency
	launch
	labels
)

// candidates are the neutral names of the labels.
var candidates = [labels]simulate.Candidate{
	arithmetic:  {Level: simulate.LevelUnit, Name: "arithmetic"},
	texture:     {Level: simulate.LevelUnit, Name: "texture"},
	loadStore:   {Level: simulate.LevelUnit, Name: "load_store"},
	localMemory: {Level: simulate.LevelUnit, Name: "local_memory"},
	vertexFetch: {Level: simulate.LevelUnit, Name: "vertex_fetch"},
	primitives:  {Level: simulate.LevelUnit, Name: "primitive_assembly"},
	rasterizer:  {Level: simulate.LevelUnit, Name: "rasterizer"},
	depth:       {Level: simulate.LevelUnit, Name: "depth"},
	backend:     {Level: simulate.LevelUnit, Name: "pixel_backend"},
	bandwidth:   simulate.MemoryBandwidth,
	cache:       {Level: simulate.LevelMemory, Name: "cache"},
	latency:     simulate.MemoryLatency,
	launch:      simulate.LaunchOverhead,
}

// part is a product. Rates are per clock of the graphics core and for the whole GPU, bandwidths in bytes per ns,
// latencies in ns from the shader to the level and back.
type part struct {
	name       string
	generation string // as the tables of GPUPerfAPI call it
	device     string // PCI device
	units      float64
	engines    float64 // shader engines
	clock      float64 // GHz, the highest
	rops       float64 // colour pixels per clock
	l2         float64 // bytes per clock
	l2Size     float64 // bytes
	mall       float64 // bytes per ns of the last level, 0 where there is none
	mallSize   float64
	dram       float64
	bus        float64 // bytes that memory moves at once
	video      float64 // bytes of video memory
	power      float64 // watts that the firmware allows
	shared     bool    // an APU: main memory, and one budget with the processor
}

const mb = 1 << 20

// parts are products as AMD's pages and public measurements describe them.
var parts = []part{
	{"AMD Radeon RX 6800 XT", "GFX103", "0x73bf", 72, 4, 2.25, 128, 2048, 4 * mb, 1660, 128 * mb, 512, 32, 16 << 30, 255, false},
	{"AMD Radeon RX 6700 XT", "GFX103", "0x73df", 40, 2, 2.58, 64, 1024, 3 * mb, 1240, 96 * mb, 384, 24, 12 << 30, 186, false},
	{"AMD Radeon RX 6600 XT", "GFX103", "0x73ff", 32, 2, 2.59, 64, 1024, 2 * mb, 660, 32 * mb, 256, 16, 8 << 30, 130, false},
	{"AMD Custom GPU 0405", "GFX103", "0x163f", 8, 1, 1.6, 16, 512, 1 * mb, 0, 0, 88, 16, 1 << 30, 15, true},
	{"AMD Radeon RX 7900 XTX", "GFX11", "0x744c", 96, 6, 2.5, 192, 3072, 6 * mb, 2900, 96 * mb, 960, 48, 24 << 30, 303, false},
	{"AMD Radeon RX 7800 XT", "GFX11", "0x747e", 60, 3, 2.43, 96, 2048, 4 * mb, 2000, 64 * mb, 624, 32, 16 << 30, 263, false},
	{"AMD Radeon RX 7600", "GFX11", "0x7480", 32, 2, 2.65, 64, 1024, 2 * mb, 1000, 32 * mb, 288, 16, 8 << 30, 165, false},
}

// Latencies of the levels in ns beyond the one before, of light load. They change little with the clock, as pointer
// chases show.
const (
	latencyL0   = 55.0
	latencyL1   = 35.0
	latencyL2   = 30.0
	latencyMall = 55.0
	latencyDRAM = 115.0
)

// servers are what works through one piece after the other.
const (
	serveGE = iota
	serveVALU
	serveLDS
	serveTA
	serveL1
	serveL2
	serveFabric
	serveDRAM
	servePA
	serveSC
	serveDB
	serveSPI
	serveCB
	servers
)

// Rates that products share, and how much of a peak is reached.
const (
	geRate    = 1.1  // indexed vertices per engine and clock, most of them found in the reuse buffer
	scPixels  = 26.0 // pixels per engine and clock
	spiWaves  = 0.45 // waves per engine and clock, with their inputs written into registers
	valuReach = 0.88 // of the issue slots: branches, waits for operands, the sequencer's turns
	exports   = 512  // vertices whose exports wait for primitive assembly: an assumption, as the size of the parameter cache was not found in public documents
	dramReach = 0.87 // refresh, turns from read to write
)

// memoryHz is the clock of the memory as the driver tells it: a sixteenth of what a pin moves, or an eighth of slower
// kinds beside a processor.
func (p *part) memoryHz() float64 {
	pumps := 16.0
	if p.shared {
		pumps = 8
	}
	return math.Round(1000*p.dram/p.bus/pumps) * 1e6
}
