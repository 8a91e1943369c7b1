package amd

// card is a GPU: what it has, and what it can do in a clock.
type card struct {
	name       string
	generation string
	cus        float64 // compute units of two SIMDs each
	engines    float64 // shader engines, each with a geometry and a set-up pipe
	pixels     float64 // colour pixels in a clock
	raster     float64 // pixels of covered quads in a clock
	channels   float64 // of the L2 cache, 64 bytes in a clock each
	dram       float64 // bytes in a nanosecond at most, memory and the cache behind the L2 together
	behind     float64 // how much more than the memory alone that cache may let through
	clock      float64 // GHz, as the driver holds it while counters are read
	waves      float64 // slots of a SIMD
}

var cards = []card{
	{"Navi 21", "gfx103", 80, 4, 128, 128, 16, 512, 1.7, 2.10, 16},
	{"Navi 22", "gfx103", 40, 2, 64, 64, 12, 384, 1.6, 2.30, 16},
	{"Navi 23", "gfx103", 32, 2, 64, 64, 8, 256, 1.4, 2.35, 16},
	{"Navi 31", "gfx11", 96, 6, 192, 192, 24, 960, 1.5, 2.20, 16},
	{"Navi 33", "gfx11", 32, 2, 64, 64, 8, 288, 1.4, 2.30, 16},
}

var halo = card{"Strix Halo", "gfx1151", 32, 2, 64, 64, 8, 256, 1.1, 2.60, 16}

// device is a card with what this very one attains, and what its counters see of waits.
type device struct {
	card
	rate    [classes]float64 // quantities in a picosecond that are attained
	peak    [classes]float64 // quantities in a picosecond that are possible
	answer  float64          // ns until the memory answers
	hit     float64          // ns until the L2 cache answers
	packet  float64          // ps of the command processor before a draw
	flush   float64          // ps after the last one
	held    float64          // share of the waits behind the L0 cache that count as held up
	sees    float64          // share of pure waits in which the address unit counts as busy
	uneven  float64          // how much the busiest instance of a unit is above the mean
	cpfBusy float64          // share of a sample in which the command processor counts as busy
}

func newDevice(c card, r *random) device {
	d := device{card: c}
	per := c.clock / 1000 // clocks in a picosecond
	d.peak = [classes]float64{
		vertexFetch:  c.engines * per,
		arithmetic:   2 * c.cus * per,
		primAssembly: c.engines * per,
		rasterizer:   c.raster * per,
		depth:        4 * c.pixels * per,
		pixelBackend: c.pixels * per,
		texture:      c.cus * per,
		loadStore:    c.cus * per,
		localMemory:  c.cus * per,
		waveLaunch:   c.engines * per,
		cache:        64 * c.channels * per,
		bandwidth:    c.dram * c.behind / 1000,
		latency:      1,
		launch:       1,
	}
	attained := [classes][2]float64{
		vertexFetch: {.78, .95}, arithmetic: {.80, .94}, primAssembly: {.80, .95}, rasterizer: {.72, .92},
		depth: {.70, .90}, pixelBackend: {.75, .94}, texture: {.82, .96}, loadStore: {.80, .95},
		localMemory: {.78, .94}, waveLaunch: {.18, .35}, cache: {.62, .82}, bandwidth: {.55, .85},
		latency: {1, 1}, launch: {1, 1},
	}
	for i, a := range attained {
		d.rate[i] = d.peak[i] * r.between(a[0], a[1])
	}
	d.rate[bandwidth] = c.dram / 1000 * r.between(.78, .88) * r.between(1, c.behind)
	d.answer, d.hit = r.between(280, 420), r.between(120, 190)
	d.packet, d.flush = 1e6*r.between(1.6, 5), 1e6*r.between(.8, 2.5)
	d.held, d.sees = r.between(.6, .95), r.between(.25, .75)
	d.uneven, d.cpfBusy = r.between(1.005, 1.05), r.between(.985, .9995)
	return d
}
