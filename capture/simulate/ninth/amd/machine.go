package amd

import "astrolabe/capture/simulate"

// Units of the graphics core and of the memory behind it, in the order in which a picture's work meets them.
const (
	uVertex  = iota // geometry engine: fetches indices and vertices, and hands out primitives
	uPrim           // primitive assembly and culling
	uRaster         // scan converter
	uALU            // vector units
	uLDS            // local data share
	uTexture        // texture filtering
	uLoad           // loads, stores and image writes without a filter
	uDepth          // depth block
	uPixel          // colour block
	uCache          // L2, and the infinity cache where there is one
	uMemory         // memory's bandwidth
	uLatency        // waits for memory that the waves in flight cannot hide; each job has its own
	units
)

// Causes beyond the units, by which the path tells what set the pace.
const (
	cLaunch = units + iota
	cApp
	cDriver
	cVsync
	cCap
	cRequest
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

// candidates are what units and causes are called.
var candidates = [...]simulate.Candidate{unit("vertex_fetch"), unit("primitive_assembly"), unit("rasterizer"),
	unit("arithmetic"), unit("local_memory"), unit("texture"), unit("load_store"), unit("depth"), unit("pixel_backend"),
	{Level: simulate.LevelMemory, Name: "cache"}, simulate.MemoryBandwidth, simulate.MemoryLatency,
	simulate.LaunchOverhead, simulate.CPUApp, simulate.CPUDriver, simulate.DisplayVsync, simulate.DisplayCap,
	simulate.DisplayRequest}

// Queues of the hardware.
const (
	qGraphics = iota
	qCompute
	qCopy
	queues
)

var queueNames = [queues]string{"graphics", "compute", "copy"}

// model is a kind of machine that people own. Sources are in doc.go.
type model struct {
	name, chip, gen  string
	apu              bool
	family, rev      float64 // of the driver
	compute, engines float64
	sclk, mclk       float64    // MHz that the driver calls the highest
	low              float64    // lowest share of it that the governor goes down to
	cap              [2]float64 // W
	idle, full, core float64    // W that nothing takes away, of a fully busy graphics core, and of a thread that shares the limit
	heat             float64    // °C at which the firmware takes clocks down
	vram, gtt        float64    // GiB
	cpus             [2]int
	refresh          []float64
}

var models = []model{
	{"Steam Deck", "Van Gogh", "GFX10.3", true, 144, 1, 8, 1, 1600, 687, 0.2, [2]float64{8, 15}, 2.2, 13, 2.2, 95, 1, 8,
		[2]int{8, 8}, []float64{60, 90, 40}},
	{"Radeon 680M", "Rembrandt", "GFX10.3", true, 146, 1, 12, 1, 2200, 2400, 0.18, [2]float64{15, 45}, 4, 32, 4.5, 96, 2, 14,
		[2]int{12, 16}, []float64{60, 120, 144}},
	{"Radeon 780M", "Phoenix", "GFX11", true, 148, 1, 12, 1, 2700, 2800, 0.29, [2]float64{15, 54}, 4, 36, 4.5, 98, 2, 15,
		[2]int{12, 16}, []float64{60, 120, 144, 165}},
	{"Radeon RX 6800 XT", "Navi 21", "GFX10.3", false, 143, 0x28, 72, 4, 2575, 1000, 0.2, [2]float64{200, 255}, 32, 265, 0, 110,
		16, 16, [2]int{12, 24}, []float64{60, 144, 165}},
	{"Radeon RX 7900 XTX", "Navi 31", "GFX11", false, 145, 1, 96, 6, 2890, 1249, 0.17, [2]float64{270, 339}, 45, 375, 0, 110,
		24, 32, [2]int{12, 32}, []float64{60, 144, 240}},
	{"Radeon RX 9070 XT", "Navi 48", "GFX12", false, 152, 1, 64, 4, 3130, 1259, 0.16, [2]float64{220, 304}, 30, 330, 0, 110,
		16, 32, [2]int{12, 32}, []float64{60, 144, 240}},
}

// machine is one of them, as its owner has set it up.
type machine struct {
	*model
	reach         float64 // share of the driver's highest clock that the chip reaches at all
	limit, window float64 // W, and the ns over which the firmware averages power for it
	fixed         float64 // share that the owner keeps the clock at, 0 where the governor decides
	up, down      float64 // busy shares between which the governor leaves the clock alone
	rise, fall    float64 // shares of the highest clock in a ms
	sink, perWatt float64 // °C of the cooler, which hardly moves during a recording, and that the chip is above it for a W
	backdrop      float64 // W of other programs' threads
	cpus          int
	shared        [blocks]float64 // of how many parts that work apart a status bit is the sum
}

func newMachine(r simulate.Random, m *model) *machine {
	out := &machine{model: m, reach: r.Between(0.94, 1), window: r.Log(8e6, 60e6), rise: r.Log(0.01, 0.08),
		cpus: simulate.Pick(r, m.cpus[0], m.cpus[1]), limit: min(m.cap[1], 1.1*r.Between(m.cap[0], m.cap[1])),
		up: r.Between(0.65, 0.8), down: r.Between(0.3, 0.5)}
	if m.apu {
		out.up, out.down, out.window = r.Between(0.6, 0.8), r.Between(0.35, 0.55), r.Log(30e6, 300e6)
		out.backdrop = r.Log(0.2, 0.15*out.limit)
	}
	out.fall = out.rise * r.Between(0.1, 0.4)
	// A cooler that fits lets the chip stay some 8 to 35 °C below its limit at the power limit.
	out.perWatt = r.Between(0.3, 0.5) * (m.heat - 45) / m.cap[1]
	out.sink = m.heat - out.limit*out.perWatt - r.Between(8, 35)
	for k := range out.shared { // a bit of a large chip is the sum of more parts, which are busy at nearly the same times
		out.shared[k] = 1
		switch k {
		case bTA, bTC, bEA, bRMI, bDB, bCB:
			out.shared[k] = (1 + m.compute/96) * r.Between(1, 1.8)
		case bPA, bSC, bBCI, bSX:
			out.shared[k] = 1 + 0.1*m.engines*r.Between(0.5, 1.5)
		}
	}
	return out
}

// hot lets the cooler be too small for what the chip wants to do.
func (m *machine) hot(r simulate.Random, least, most float64) {
	m.sink, m.limit = m.heat-m.cap[1]*m.perWatt*r.Between(least, most), m.cap[1]*1.2
}
