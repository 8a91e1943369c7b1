package amd

import "astrolabe/capture/simulate"

// generation orders graphics cores by the status bits that they have.
type generation int

const (
	gfx8 generation = iota
	gfx10
	gfx11
	gfx12
)

// card is a Radeon, or the graphics of an APU, as its maker sells it.
type card struct {
	name, chip string
	gen        generation
	family     float64 // of amdgpu_drm.h
	rev        float64
	cus        float64
	engines    float64 // shader engines, each with a scan converter and a primitive assembler
	rops       float64 // pixels a clock of all render backends
	channels   float64 // of L2, 64 bytes a clock each
	mhz        float64 // highest shader clock
	mclk       float64 // MHz, as the driver gives it
	bits       float64 // of the memory's bus
	gbs        float64 // memory bandwidth, GB/s
	mall       float64 // MiB of Infinity Cache
	vram       float64 // GiB; of an APU what is set aside of main memory
	link       float64 // GB/s that PCIe carries one way, 0 of an APU
	gts, lanes float64 // of the link
	ppt        float64 // W that the firmware allows the chip, or the package
	full       float64 // W at the highest clock with everything busy
	idle       float64 // W
	limit      float64 // °C at which the firmware takes clocks down
	table      string  // revision of gpu_metrics, "" for none
}

func (c *card) apu() bool { return c.link == 0 }

// cards are some that are common under Linux. Sources of the numbers are in doc.go.
var cards = []*card{
	{name: "Radeon RX 580", chip: "gfx803", gen: gfx8, family: 130, rev: 0x53, cus: 36, engines: 4, rops: 32, channels: 16, mhz: 1340,
		mclk: 2000, bits: 256, gbs: 256, vram: 8, link: 12.5, gts: 8, lanes: 16, ppt: 145, full: 165, idle: 28, limit: 94},
	{name: "Radeon RX 6600", chip: "gfx1032", gen: gfx10, family: 143, rev: 0x3c, cus: 28, engines: 2, rops: 64, channels: 16,
		mhz: 2491, mclk: 875, bits: 128, gbs: 224, mall: 32, vram: 8, link: 12.8, gts: 16, lanes: 8, ppt: 100, full: 128, idle: 8,
		limit: 110, table: "1.3"},
	{name: "Radeon RX 6700 XT", chip: "gfx1031", gen: gfx10, family: 143, rev: 0x32, cus: 40, engines: 2, rops: 64, channels: 12,
		mhz: 2581, mclk: 1000, bits: 192, gbs: 384, mall: 96, vram: 12, link: 25.5, gts: 16, lanes: 16, ppt: 186, full: 225, idle: 12,
		limit: 110, table: "1.3"},
	{name: "Radeon RX 7800 XT", chip: "gfx1101", gen: gfx11, family: 145, rev: 0x20, cus: 60, engines: 3, rops: 96, channels: 16,
		mhz: 2430, mclk: 1219, bits: 256, gbs: 624, mall: 64, vram: 16, link: 25.5, gts: 16, lanes: 16, ppt: 212, full: 280, idle: 16,
		limit: 110, table: "1.3"},
	{name: "Radeon RX 7900 XTX", chip: "gfx1100", gen: gfx11, family: 145, rev: 0x01, cus: 96, engines: 6, rops: 192, channels: 24,
		mhz: 2500, mclk: 1249, bits: 384, gbs: 960, mall: 96, vram: 24, link: 25.5, gts: 16, lanes: 16, ppt: 303, full: 400, idle: 22,
		limit: 110, table: "1.3"},
	{name: "Radeon RX 9070 XT", chip: "gfx1201", gen: gfx12, family: 152, rev: 0x51, cus: 64, engines: 4, rops: 128, channels: 16,
		mhz: 2970, mclk: 1258, bits: 256, gbs: 644, mall: 64, vram: 16, link: 50, gts: 32, lanes: 16, ppt: 304, full: 370, idle: 18,
		limit: 110, table: "1.3"},
	{name: "Radeon 780M", chip: "gfx1103", gen: gfx11, family: 148, rev: 0x01, cus: 12, engines: 1, rops: 32, channels: 4, mhz: 2700,
		mclk: 2800, bits: 128, gbs: 89.6, vram: 2, ppt: 28, full: 34, idle: 4, limit: 100, table: "2.1"},
	{name: "Radeon 890M", chip: "gfx1150", gen: gfx11, family: 150, rev: 0x01, cus: 16, engines: 1, rops: 32, channels: 4, mhz: 2900,
		mclk: 937, bits: 128, gbs: 120, vram: 2, ppt: 33, full: 42, idle: 4, limit: 100, table: "3.0"},
	{name: "AMD Custom GPU 0405", chip: "gfx1033", gen: gfx10, family: 144, rev: 0x01, cus: 8, engines: 1, rops: 32, channels: 4,
		mhz: 1600, mclk: 687, bits: 128, gbs: 88, vram: 1, ppt: 15, full: 16, idle: 2.5, limit: 95, table: "2.3"},
}

// Units that take time, and places in vectors of demand.
const (
	uBandwidth = iota
	uLatency
	uCache
	uPCIe
	uArithmetic
	uTexture
	uLoadStore
	uLocal
	uVertex
	uPrimitive
	uRaster
	uDepth
	uPixel
	uCopy
	uVideo
	uCommand // the command processor, draw by draw
	units
)

// Candidates that this hardware has beside those that all have.
var (
	cache = simulate.Candidate{Level: simulate.LevelMemory, Name: "cache"}
	pcie  = simulate.Candidate{Level: simulate.LevelMemory, Name: "pcie"} // traffic to main memory over the link
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

var candidates = [units]simulate.Candidate{
	uBandwidth: simulate.MemoryBandwidth, uLatency: simulate.MemoryLatency, uCache: cache, uPCIe: pcie,
	uArithmetic: unit("arithmetic"), uTexture: unit("texture"), uLoadStore: unit("load_store"), uLocal: unit("local_memory"),
	uVertex: unit("vertex_fetch"), uPrimitive: unit("primitive_assembly"), uRaster: unit("rasterizer"), uDepth: unit("depth"),
	uPixel: unit("pixel_backend"), uCopy: unit("copy"), uVideo: unit("video"), uCommand: simulate.LaunchOverhead,
}

// slowed is by how much a unit's work takes longer when the shader clock is a share f of its highest. The memory, the
// link and the video engines have clocks of their own; of the way to memory about half is in the graphics core.
func slowed(u int, f float64) float64 {
	switch u {
	case uBandwidth, uPCIe, uCopy, uVideo:
		return 1
	case uLatency:
		return 0.5 + 0.5/f
	}
	return 1 / f
}

// Hardware queues.
const (
	graphics = iota
	compute
	copying
	video
	queues
)

var queueNames = [queues]string{"graphics", "compute", "copy", "video"}

// work is what a pass does, in quantities of the program.
type work struct {
	draws, vertices, triangles  float64
	pixels                      float64 // that are rasterized
	tested                      float64 // by depth and stencil
	written                     float64 // colour, weighted by what blending and wide formats cost
	flops, samples              float64 // of vector ALUs; of textures, bilinear
	loads, shared, cached, main float64 // bytes: vector loads and stores, LDS, through L2, from memory
	chains                      float64 // ns in which all waves wait for memory because none has other work
	host, copied                float64 // bytes over PCIe; bytes that a copy engine moves
	macroblocks                 float64 // of video
}

// demand is how many ns each unit needs for the work at the highest clocks, at the efficiencies that programs reach.
func (c *card) demand(w *work) (d vector) {
	ghz := c.mhz / 1000
	flops := c.cus * 128 * ghz * 0.75
	if c.gen == gfx11 || c.gen == gfx12 {
		flops *= 1.15 // of what dual issue promises
	}
	d[uArithmetic] = w.flops / flops
	d[uTexture] = w.samples / (c.cus * 4 * ghz * 0.8)
	d[uLoadStore] = w.loads / (c.cus * 64 * ghz * 0.7)
	d[uLocal] = w.shared / (c.cus * 128 * ghz * 0.75)
	d[uVertex] = w.vertices / (c.engines * ghz * 0.7)
	d[uPrimitive] = w.triangles / (c.engines * ghz * 0.85)
	// A scan converter takes a triangle a clock and up to 16 pixels of it.
	d[uRaster] = max(w.pixels/(c.engines*16*ghz*0.8), w.triangles/(c.engines*ghz*1.4))
	d[uDepth] = w.tested / (c.rops * 2 * ghz * 0.75)
	d[uPixel] = w.written / (c.rops * ghz * 0.75)
	d[uCache] = w.cached / (c.channels * 64 * ghz * 0.75)
	d[uBandwidth] = w.main / (c.gbs * 0.82)
	d[uLatency] = w.chains
	if c.apu() {
		d[uBandwidth] += (w.host + w.copied) / (c.gbs * 0.82)
	} else {
		d[uPCIe] = w.host / (c.link * 0.88)
	}
	d[uCopy] = w.copied / min(c.gbs*0.4, 60)
	d[uVideo] = w.macroblocks * 1e9 / 1.9e6 // some 60 frames/s of 8K, or 240 of 4K
	d[uCommand] = w.draws * 260 / ghz
	return d
}
