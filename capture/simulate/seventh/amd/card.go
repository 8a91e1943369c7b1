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
	name             string
	gen              generation
	family, rev      float64 // of amdgpu_drm.h
	cus              float64
	engines          float64 // shader engines, each with a scan converter and a primitive assembler
	rops             float64 // pixels a clock of all render backends
	channels         float64 // of L2, 64 bytes a clock each
	mhz, mclk        float64 // highest clocks of shaders and memory, as the driver gives them
	bits, gbs, mall  float64 // of the memory's bus; GB/s; MiB of Infinity Cache
	vram             float64 // GiB; of an APU what is set aside of main memory
	link, gts, lanes float64 // GB/s that PCIe carries one way, 0 of an APU; its speed and width
	ppt, full, idle  float64 // W that the firmware allows; at the highest clock with everything busy; without work
	limit            float64 // °C at which the firmware takes clocks down
	table            string  // revision of gpu_metrics, "" for none
}

func (c *card) apu() bool { return c.link == 0 }

// cards are some that are common under Linux. Where the numbers are from stands in doc.go.
var cards = []*card{
	{"Radeon RX 580", gfx8, 130, 0x53, 36, 4, 32, 16, 1340, 2000, 256, 256, 0, 8, 12.5, 8, 16, 145, 165, 28, 94, ""},
	{"Radeon RX 6600", gfx10, 143, 0x3c, 28, 2, 64, 16, 2491, 875, 128, 224, 32, 8, 12.8, 16, 8, 100, 128, 8, 110, "1.3"},
	{"Radeon RX 6700 XT", gfx10, 143, 0x32, 40, 2, 64, 12, 2581, 1000, 192, 384, 96, 12, 25.5, 16, 16, 186, 225, 12, 110, "1.3"},
	{"Radeon RX 7800 XT", gfx11, 145, 0x20, 60, 3, 96, 16, 2430, 1219, 256, 624, 64, 16, 25.5, 16, 16, 212, 280, 16, 110, "1.3"},
	{"Radeon RX 7900 XTX", gfx11, 145, 1, 96, 6, 192, 24, 2500, 1249, 384, 960, 96, 24, 25.5, 16, 16, 303, 400, 22, 110, "1.3"},
	{"Radeon RX 9070 XT", gfx12, 152, 0x51, 64, 4, 128, 16, 2970, 1258, 256, 644, 64, 16, 50, 32, 16, 304, 370, 18, 110, "1.3"},
	{"Radeon 780M", gfx11, 148, 1, 12, 1, 32, 4, 2700, 2800, 128, 89.6, 0, 2, 0, 0, 0, 28, 34, 4, 100, "2.1"},
	{"Radeon 890M", gfx11, 150, 1, 16, 1, 32, 4, 2900, 937, 128, 120, 0, 2, 0, 0, 0, 33, 42, 4, 100, "3.0"},
	{"AMD Custom GPU 0405", gfx10, 144, 1, 8, 1, 32, 4, 1600, 687, 128, 88, 0, 1, 0, 0, 0, 15, 16, 2.5, 95, "2.3"},
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

// vector is ns of each unit's time.
type vector [units]float64

// Candidates that this hardware has beside those that all have.
var (
	cache = simulate.Candidate{Level: simulate.LevelMemory, Name: "cache"}
	pcie  = simulate.Candidate{Level: simulate.LevelMemory, Name: "pcie"} // traffic to main memory over the link
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

var candidates = [units]simulate.Candidate{simulate.MemoryBandwidth, simulate.MemoryLatency, cache, pcie, unit("arithmetic"),
	unit("texture"), unit("load_store"), unit("local_memory"), unit("vertex_fetch"), unit("primitive_assembly"),
	unit("rasterizer"), unit("depth"), unit("pixel_backend"), unit("copy"), unit("video"), simulate.LaunchOverhead}

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
	pixels, tested              float64 // that are rasterized; that depth and stencil look at
	written                     float64 // colour, weighted by what blending and wide formats cost
	flops, samples              float64 // of vector ALUs; of textures, bilinear
	loads, shared, cached, main float64 // bytes: vector loads and stores, LDS, through L2, from memory
	chains                      float64 // ns in which all waves wait for memory because none has other work
	host, copied                float64 // bytes over PCIe; bytes that a copy engine moves
	macroblocks                 float64 // of video
}

// demand is how many ns each unit needs for the work at the highest clocks, at the efficiencies that programs reach.
func (c *card) demand(w *work) (d vector) {
	ghz, wide := c.mhz/1000, 1.0
	if c.gen >= gfx11 {
		wide = 1.15 // of what dual issue promises
	}
	d[uArithmetic] = w.flops / (c.cus * 128 * ghz * 0.75 * wide)
	d[uTexture] = w.samples / (c.cus * 4 * ghz * 0.8)
	d[uLoadStore] = w.loads / (c.cus * 64 * ghz * 0.7)
	d[uLocal] = w.shared / (c.cus * 128 * ghz * 0.75)
	d[uVertex] = w.vertices / (c.engines * ghz * 0.7)
	d[uPrimitive] = w.triangles / (c.engines * ghz * 0.85)
	// A scan converter takes a triangle a clock, and up to 16 pixels of it.
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
	d[uVideo] = w.macroblocks * 1e9 / 1.9e6 // some 60 frames a second of 2160p
	d[uCommand] = w.draws * 260 / ghz
	return d
}
