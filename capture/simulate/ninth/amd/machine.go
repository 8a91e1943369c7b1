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
	name, chip  string
	family, rev float64 // of the driver
	gen         string
	apu         bool
	metrics     string // version of gpu_metrics
	compute     float64
	engines     float64
	sclk, mclk  float64 // MHz that the driver calls the highest
	low         float64 // lowest share that the governor goes down to
	cap         [2]float64
	idle        float64 // W of the package or board that nothing takes away
	full        float64 // W of the graphics core with all units busy at its highest clock
	heat        float64 // °C at which the firmware takes clocks down
	vram, gtt   float64 // GiB
	cpus        [2]int
	core        float64 // W of a busy thread, where it shares the limit
	refresh     []float64
}

var models = []model{
	{"Steam Deck", "Van Gogh", 144, 1, "GFX10.3", true, "2.2", 8, 1, 1600, 687, 0.2, [2]float64{8, 15}, 2.2, 13, 95, 1, 8,
		[2]int{8, 8}, 2.2, []float64{60, 90, 40}},
	{"Radeon 680M", "Rembrandt", 146, 1, "GFX10.3", true, "2.1", 12, 1, 2200, 2400, 0.18, [2]float64{15, 45}, 4, 32, 96, 2, 14,
		[2]int{12, 16}, 4.5, []float64{60, 120, 144}},
	{"Radeon 780M", "Phoenix", 148, 1, "GFX11", true, "2.1", 12, 1, 2700, 2800, 0.29, [2]float64{15, 54}, 4, 36, 98, 2, 15,
		[2]int{12, 16}, 4.5, []float64{60, 120, 144, 165}},
	{"Radeon RX 6800 XT", "Navi 21", 143, 0x28, "GFX10.3", false, "1.3", 72, 4, 2575, 1000, 0.2, [2]float64{200, 255}, 32, 265, 110,
		16, 16, [2]int{12, 24}, 0, []float64{60, 144, 165}},
	{"Radeon RX 7900 XTX", "Navi 31", 145, 1, "GFX11", false, "1.3", 96, 6, 2890, 1249, 0.17, [2]float64{270, 339}, 45, 375, 110, 24,
		32, [2]int{12, 32}, 0, []float64{60, 144, 240}},
	{"Radeon RX 9070 XT", "Navi 48", 152, 1, "GFX12", false, "1.3", 64, 4, 3130, 1259, 0.16, [2]float64{220, 304}, 30, 330, 110, 16,
		32, [2]int{12, 32}, 0, []float64{60, 144, 240}},
}

// machine is one of them, as its owner has set it up.
type machine struct {
	*model
	reach      float64 // share of the driver's highest clock that the chip reaches at all
	limit      float64 // W
	window     float64 // ns over which the firmware averages power
	fixed      float64 // share that the owner keeps the clock at, 0 where the governor decides
	up, down   float64 // busy shares between which the governor leaves the clock alone
	rise, fall float64 // shares of the highest clock in a ms
	sink       float64 // °C of the cooler, which hardly moves during a recording
	perWatt    float64 // °C that the chip is above it for a W
	backdrop   float64 // W of other programs' threads
	cpus       int
	shared     [blocks]float64 // of how many parts that work apart a status bit is the sum
}

func newMachine(r simulate.Random, m *model) *machine {
	out := &machine{model: m, reach: r.Between(0.94, 1), window: r.Log(8e6, 60e6), rise: r.Log(0.01, 0.08),
		cpus: simulate.Pick(r, m.cpus[0], m.cpus[1])}
	out.limit = r.Between(m.cap[0], m.cap[1]) * 1.1 // most limits are above what a game takes
	out.limit = min(out.limit, m.cap[1])
	out.up, out.down = r.Between(0.65, 0.8), r.Between(0.3, 0.5)
	if m.apu {
		out.up, out.down = r.Between(0.7, 0.85), r.Between(0.4, 0.6)
		out.window = r.Log(30e6, 300e6)
		out.backdrop = r.Log(0.2, 0.15*out.limit)
	}
	out.fall = out.rise * r.Between(0.1, 0.4)
	// A cooler that fits lets the chip stay some 8 to 35 °C below its limit at the power limit.
	out.perWatt = r.Between(0.3, 0.5) * (m.heat - 45) / m.cap[1]
	out.sink = m.heat - out.limit*out.perWatt - r.Between(8, 35)
	for k := range out.shared {
		out.shared[k] = 1
	}
	large := 1 + m.compute/96 // a bit of a large chip is the sum of more parts, which are busy at nearly the same times
	for _, k := range []int{bTA, bTC, bEA, bRMI, bDB, bCB} {
		out.shared[k] = large * r.Between(1, 1.8)
	}
	for _, k := range []int{bPA, bSC, bBCI, bSX} {
		out.shared[k] = 1 + 0.1*m.engines*r.Between(0.5, 1.5)
	}
	return out
}

// hot lets the cooler be too small for what the chip wants to do.
func (m *machine) hot(r simulate.Random) {
	m.sink = m.heat - m.limit*m.perWatt*r.Between(0.3, 0.7)
	m.limit = m.cap[1] * 1.2
}
