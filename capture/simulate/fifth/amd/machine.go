package amd

import "astrolabe/capture/simulate"

// Resources that work flows through. The first nine are units of the graphics core.
const (
	alu = iota
	tex
	ls
	lds
	ge
	pa
	sc
	db
	cb
	bw
	l2
	resources
)

// What can set the pace, by number: the resources, then these.
const (
	causeLatency = resources + iota
	causeLaunch
	causeApp
	causeDriver
	causeVsync
	causeCap
	causeRequest
	causes
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

// candidates are the names of the causes.
var candidates = [causes]simulate.Candidate{
	alu: unit("arithmetic"), tex: unit("texture"), ls: unit("load_store"), lds: unit("local_memory"),
	ge: unit("vertex_fetch"), pa: unit("primitive_assembly"), sc: unit("rasterizer"), db: unit("depth"),
	cb: unit("pixel_backend"), bw: simulate.MemoryBandwidth,
	l2:           {Level: simulate.LevelMemory, Name: "cache"},
	causeLatency: simulate.MemoryLatency, causeLaunch: simulate.LaunchOverhead, causeApp: simulate.CPUApp,
	causeDriver: simulate.CPUDriver, causeVsync: simulate.DisplayVsync, causeCap: simulate.DisplayCap,
	causeRequest: simulate.DisplayRequest,
}

// Queues of the GPU.
const (
	graphics = iota
	compute
	queueCount
)

var queueNames = [queueCount]string{"gfx", "compute"}

// product is a GPU that is sold. Numbers are those of its vendor, rounded; where a board has several variants, one.
type product struct {
	name                       string
	gen                        int // 8, 9, 10, 103, 11, 12
	apu                        bool
	family, rev, device        int
	engines, arrays, cus       int
	backends, channels, bus    int
	sclk, mclk                 float64 // MHz: highest of the shaders, and of the memory as the driver says
	gbs                        float64 // GB/s of the memory at most
	watts                      float64 // power limit of the board or the package
	l2KiB, mallMiB, vramMiB    int
	asic                       string
	metricsFormat, metricsText int // revision of gpu_metrics; 0 for none
}

var products = []product{
	{"AMD Radeon RX 580", 8, false, 130, 0x50, 0x67df, 4, 1, 36, 32, 16, 256, 1340, 2000, 256, 145, 2048, 0, 8192, "gfx803", 0, 0},
	{"AMD Radeon RX 560", 8, false, 130, 0x5a, 0x67ff, 2, 1, 16, 16, 8, 128, 1275, 1750, 112, 60, 1024, 0, 4096, "gfx803", 0, 0},
	{"AMD Radeon RX Vega 64", 9, false, 141, 0x01, 0x687f, 4, 1, 64, 64, 16, 2048, 1630, 945, 484, 220, 4096, 0, 8192, "gfx900", 1, 1},
	{"AMD Radeon Graphics (Renoir)", 9, true, 142, 0x91, 0x1636, 1, 1, 8, 8, 4, 128, 1750, 1600, 51, 25, 1024, 0, 512, "gfx90c", 2, 1},
	{"AMD Radeon RX 5700 XT", 10, false, 143, 0x0a, 0x731f, 2, 2, 40, 64, 16, 256, 1905, 875, 448, 180, 4096, 0, 8176, "gfx1010", 1, 1},
	{"AMD Radeon RX 6800", 103, false, 143, 0x28, 0x73bf, 4, 2, 60, 96, 16, 256, 2105, 1000, 512, 203, 4096, 128, 16368, "gfx1030", 1, 3},
	{"AMD Radeon RX 6600 XT", 103, false, 143, 0x3c, 0x73ff, 2, 2, 32, 64, 16, 128, 2589, 1000, 256, 130, 2048, 32, 8176, "gfx1032", 1, 3},
	{"AMD Radeon 680M", 103, true, 146, 0x01, 0x1681, 1, 2, 12, 32, 4, 128, 2200, 2400, 77, 35, 2048, 0, 512, "gfx1035", 2, 2},
	{"AMD Custom GPU 0405", 103, true, 144, 0x01, 0x163f, 1, 1, 8, 16, 4, 128, 1600, 2750, 88, 15, 1024, 0, 1024, "gfx1033", 2, 2},
	{"AMD Radeon RX 7900 XTX", 11, false, 145, 0x01, 0x744c, 6, 2, 96, 192, 24, 384, 2500, 1249, 960, 315, 6144, 96, 24560, "gfx1100", 1, 3},
	{"AMD Radeon RX 7600", 11, false, 145, 0x10, 0x7480, 2, 2, 32, 64, 16, 128, 2655, 1124, 288, 133, 2048, 32, 8176, "gfx1102", 1, 3},
	{"AMD Radeon 780M", 11, true, 148, 0x01, 0x15bf, 1, 2, 12, 32, 4, 128, 2700, 2800, 90, 30, 2048, 0, 512, "gfx1103", 2, 2},
	{"AMD Radeon RX 9070 XT", 12, false, 152, 0x51, 0x7550, 4, 2, 64, 128, 16, 256, 2970, 1258, 640, 304, 8192, 64, 16304, "gfx1201", 1, 3},
}

// Ways of setting the clock.
const (
	clockFixed = iota
	clockGovernor
	clockHeat
	clockPower
)

// clockSetting is what sets the clock of the core. Shares are of the highest.
type clockSetting struct {
	mode        int
	period      int64 // ns between two looks of the firmware
	start       float64
	low, top    float64 // what the driver's profile allows
	up, down    float64 // of the governor: shares of busy time
	idle, full  float64 // W without work, and more with all units at work at the highest clock
	limit       float64 // W
	window      float64 // ns over which power is averaged
	ambient     float64 // °C
	resistance  float64 // °C/W
	tau         float64 // ns of the heat sink
	throttle    float64 // °C
	temperature float64 // at the start
	step        float64
}

// machine is a product with everything that is drawn of it.
type machine struct {
	product
	clock     clockSetting
	irq       float64 // ns until the processor knows of the end of work
	latLoad   float64 // how steeply latency rises with the load of the memory
	memShare  float64 // of the memory's highest clock
	memWindow float64 // ns over which that load is felt
	attain    [resources]float64
	look      look
}

// look is how blocks of this GPU show in status bits and in busy counters: how many places of a block can be busy by
// themselves, and how surely a block that waits for the next one is seen at work. All of it is assumed, and drawn wide.
type look struct {
	places  [resources]int
	held    float64 // a block with work that the next one does not take
	pending float64 // a block whose requests memory has not answered
	cp      float64
	spread  float64 // by how much the busiest of the instances is above the mean
	// How surely blocks are busy with what they wait for, where that is not the block right behind them.
	front   float64 // the geometry engine with what waits for vertex waves or setup
	bary    float64 // interpolation with pixels that wait for shading
	quads   float64 // depth blocks with quads that wait for shading
	exports float64 // exports with what waits for depth or memory
	beside  float64 // a stall where the block behind is busy but not full
	answers float64 // L0 that does not take requests while waves wait for memory
	tags    float64 // L0 that is slower than the addressers where accesses limit
	walks   float64 // translation with memory traffic
	events  float64
	power   float64 // the controller of power
	umc     float64 // what firmware calls the activity of memory that can do no more
}

func drawMachine(r simulate.Random, p product) *machine {
	m := &machine{product: p}
	m.irq, m.memShare = r.Log(15e3, 90e3), 1
	m.latLoad = r.Between(0.4, 2)
	m.memWindow = r.Log(8e3, 60e3)
	for u := range m.attain {
		m.attain[u] = r.Between(0.66, 0.96)
	}
	m.attain[bw] = r.Between(0.62, 0.9)
	for u := range m.look.places {
		m.look.places[u] = r.Whole(1, 3)
	}
	m.look.held, m.look.pending = r.Between(0.75, 1), r.Between(0.35, 1)
	m.look.cp, m.look.spread = r.Between(0.55, 0.99), r.Between(0.01, 0.12)
	k := &m.look
	k.umc, k.front, k.bary, k.quads = r.Between(0.7, 1), r.Between(0.5, 1), r.Between(0.4, 1), r.Between(0.1, 0.6)
	k.exports, k.beside, k.answers, k.tags = r.Between(0.2, 0.8), r.Between(0.1, 0.8), r.Between(0.03, 0.6), r.Between(0.1, 0.8)
	k.walks, k.events, k.power = r.Between(0.05, 0.8), r.Log(0.002, 0.06), r.Log(0.001, 0.05)
	full := p.watts * r.Between(0.45, 0.84)
	m.clock = clockSetting{mode: clockFixed, period: int64(r.Log(1e6, 8e6)), start: 1, low: r.Between(0.2, 0.45), top: 1,
		up: r.Between(0.75, 0.92), down: r.Between(0.3, 0.6), idle: p.watts * r.Between(0.06, 0.15), full: full,
		limit: p.watts, window: r.Log(3e6, 3e7), ambient: r.Between(24, 42), tau: r.Log(4e8, 4e9),
		throttle: r.Between(88, 105), step: r.Between(0.01, 0.03)}
	c := &m.clock
	c.resistance = (r.Between(58, 80) - c.ambient) / (0.8 * (c.idle + c.full))
	c.temperature = c.ambient + c.resistance*(c.idle+c.full)*r.Between(0.5, 0.8)
	return m
}

// heated makes heat hold the clock at about a share of the highest, powered the limit of power does, governed a governor
// sets it by the load.
func (m *machine) heated(r simulate.Random, share, activity float64) {
	c := &m.clock
	c.mode, c.start = clockHeat, share
	watts := c.watts(share, activity)
	c.resistance = (c.throttle - c.ambient) / watts
	c.temperature = c.throttle + r.Between(-0.6, 0.4)
	c.tau = r.Log(2e8, 1e9)
}

func (m *machine) powered(share, activity float64) {
	c := &m.clock
	c.mode, c.start = clockPower, share
	c.limit = c.watts(share, activity)
	// A board's limit stays what it is: the program and the chip's silicon draw more than it allows.
	by := m.product.watts / c.limit
	c.limit, c.idle, c.full = m.product.watts, c.idle*by, c.full*by
	c.resistance = (min(c.throttle-6, 82) - c.ambient) / c.limit
	c.temperature = c.ambient + c.resistance*c.limit - 2
}

func (m *machine) governed(r simulate.Random, start float64) {
	m.clock.mode, m.clock.start = clockGovernor, start
	m.clock.step = r.Between(0.03, 0.12)
	if r.Chance(0.25) { // the memory has a lower state too, where it stays
		m.memShare = r.Between(0.4, 0.9)
	}
}

// watts is the power at a share of the clock: voltage falls with it.
func (c *clockSetting) watts(share, activity float64) float64 {
	v := 0.55 + 0.45*share
	return c.idle + c.full*activity*share*v*v
}

// simds and the other rates are per clock for the whole GPU; amounts of work are what they make of times.
func (m *machine) simds() float64 {
	if m.gen < 10 {
		return float64(4 * m.cus)
	}
	return float64(2 * m.cus)
}
