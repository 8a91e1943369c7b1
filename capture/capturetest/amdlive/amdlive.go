// Package amdlive models an AMD graphics card as its driver shows it while it runs: status bits found set when they
// were read, sensors, clocks that heat and power hold down, buffers moved between memories, and engines for video and
// copies.
package amdlive

import (
	"fmt"
	"math"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// The card.
const (
	maxSclk  = 2.5e9
	maxMclk  = 1.0e9
	vram     = 8e9
	gtt      = 16e9
	powerCap = 250.0
	perRead  = 20e-6 // seconds between two reads of the status registers
)

// Models returns the one model.
func Models() []capturetest.Model { return []capturetest.Model{model{}} }

type model struct{}

func (model) GPU() string    { return "amd-live" }
func (model) Name() string   { return "amd-live" }
func (model) Script() string { return "amd_live" }

// demand is what programs and surroundings ask of the card.
type demand struct {
	busy    float64 // work for the graphics pipe, of what it can do; what it cannot do at once waits
	watts   float64 // that the work would take at the highest clock
	ambient float64 // °C around the card, as its cooler sees it
	current float64 // what the work draws, of what the regulators can give
	forced  float64 // share of the highest clock that the driver is told to keep to
	used    float64 // bytes of video memory that programs want
	moved   float64 // bytes per second uploaded
	decode  float64
	encode  float64
	copies  float64
	blocks  map[string]float64                         // share of the pipe's time in which blocks work, where it is not the usual one
	shape   func(i int, r *capturetest.Random) float64 // share of sample i in which there may be work; nil is all
	thread  float64                                    // load of the processor that feeds the card, 0 where none is recorded
	turns   bool                                       // it works while the card does not
}

func usual() demand {
	return demand{busy: 0.62, watts: 150, ambient: 30, current: 0.6, forced: 1, used: 4e9, moved: 4e7, decode: 0,
		encode: 0, copies: 0.05}
}

type plant struct {
	capturetest.Plant
	change func(d *demand, at func(light, heavy float64) float64)
}

// full keeps the pipe working all along, as what holds clocks down shows only then.
func full(d *demand, at func(light, heavy float64) float64) { d.busy = at(1.1, 1.6) }

// block is a plant of blocks that work all along, at a full clock.
func block(id, rule, doc string, shares map[string]float64) plant {
	return plant{capturetest.Plant{ID: id, Rule: rule, Doc: doc},
		func(d *demand, at func(light, heavy float64) float64) { full(d, at); d.blocks = shares }}
}

var plants = []plant{
	{capturetest.Plant{ID: "saturated", Rule: "gpu_saturated",
		Doc: "the graphics pipe has work all along, at its full clock"}, full},
	{capturetest.Plant{ID: "power", Rule: "power_limit", Doc: "the work takes more power than the limit allows"},
		func(d *demand, at func(light, heavy float64) float64) { full(d, at); d.watts = at(300, 480) }},
	{capturetest.Plant{ID: "heat", Rule: "hot", Doc: "the cooler cannot carry the heat away"},
		func(d *demand, at func(light, heavy float64) float64) { full(d, at); d.ambient = at(70, 85) }},
	{capturetest.Plant{ID: "current", Rule: "throttled", Doc: "the regulators cannot give the current"},
		func(d *demand, at func(light, heavy float64) float64) { full(d, at); d.current = at(1.25, 2) }},
	{capturetest.Plant{ID: "forced_clock", Rule: "low_clock", Doc: "the driver was told to keep to a low clock"},
		func(d *demand, at func(light, heavy float64) float64) { full(d, at); d.forced = at(0.55, 0.2) }},
	{capturetest.Plant{ID: "memory_short", Rule: "evictions",
		Doc: "more buffers are in use at once than the video memory holds"},
		func(d *demand, at func(light, heavy float64) float64) { d.used = at(8.6e9, 14e9) }},
	{capturetest.Plant{ID: "uploads", Rule: "moves", Doc: "buffers are uploaded all the time"},
		func(d *demand, at func(light, heavy float64) float64) { d.moved = at(1.5e9, 1.2e10) }},
	{capturetest.Plant{ID: "decode", Rule: "dec_engine", Doc: "the video decoder works all along"},
		func(d *demand, at func(light, heavy float64) float64) { d.decode = at(0.96, 1) }},
	{capturetest.Plant{ID: "encode", Rule: "enc_engine", Doc: "the video encoder works all along"},
		func(d *demand, at func(light, heavy float64) float64) { d.encode = at(0.96, 1) }},
	{capturetest.Plant{ID: "copies", Rule: "dma_engine", Doc: "the copy engine works all along"},
		func(d *demand, at func(light, heavy float64) float64) { d.copies = at(0.96, 1) }},
	block("memory", "bandwidth_bound", "memory moves all it can", map[string]float64{"tc": 0.98, "ea": 0.95}),
	block("cache", "cache_bound", "the cache answers as fast as it can, and memory has time",
		map[string]float64{"tc": 0.98}),
	block("blending", "color_bound", "pixels are blended all along", map[string]float64{"cb": 0.97, "sc": 0.95}),
	block("depth", "depth_bound", "depth is tested all along", map[string]float64{"db": 0.97, "sc": 0.95}),
	block("textures", "texture_bound", "shaders read textures all along", map[string]float64{"ta": 0.995, "sc": 0.97}),
	block("triangles", "geometry_bound", "triangles are assembled all along", map[string]float64{"pa": 0.995}),
	block("vertices", "vertices_bound", "vertices are fetched all along", map[string]float64{"ge": 0.995}),
	block("pixels", "raster_bound", "triangles are rasterized all along", map[string]float64{"sc": 0.995}),
	block("shaders", "busy_blocks", "shaders compute or wait, and no other block works all along",
		map[string]float64{"spi": 0.99}),
	block("commands", "launch_bound", "the pipe waits between small draws",
		map[string]float64{"spi": 0.3, "ta": 0.2, "sc": 0.2, "db": 0.1, "cb": 0.1, "tc": 0.3, "ea": 0.1}),
	{capturetest.Plant{ID: "paced", Rule: "vsync_idle", Doc: "frames wait for the dates of a display"},
		func(d *demand, at func(light, heavy float64) float64) {
			d.busy = 1.5
			d.shape = func(i int, _ *capturetest.Random) float64 { return []float64{1, 1, at(0.6, 0.1), 0, 0}[i%5] }
		}},
	{capturetest.Plant{ID: "thread", Rule: "cpu_bound", Doc: "a processor prepares the next frame all along"},
		func(d *demand, at func(light, heavy float64) float64) {
			d.busy, d.thread, d.shape = 1.5, at(0.92, 1),
				func(_ int, r *capturetest.Random) float64 { return 0.35 + 0.4*r.Float64() }
		}},
	{capturetest.Plant{ID: "turns", Rule: "scheduling_bound",
		Doc: "the processor waits for what the card did, and the card for what it does next"},
		func(d *demand, at func(light, heavy float64) float64) {
			d.busy, d.thread, d.turns, d.shape = 1.5, at(0.9, 1), true,
				func(_ int, r *capturetest.Random) float64 { return 0.2 + 0.6*r.Float64() }
		}},
	{capturetest.Plant{ID: "waits", Rule: "gpu_waits", Doc: "programs give the card little to do"},
		func(d *demand, at func(light, heavy float64) float64) { d.busy, d.thread = at(0.2, 0.01), 0.1 }},
	{capturetest.Plant{ID: "starved", Rule: "gpu_starved", Doc: "the card waits, and nobody recorded the processors"},
		func(d *demand, at func(light, heavy float64) float64) { d.busy = at(0.5, 0.1) }},
}

func (model) Plants() []capturetest.Plant {
	out := make([]capturetest.Plant, len(plants))
	for i, p := range plants {
		out[i] = p.Plant
	}
	return out
}

// apply changes the demand by a plant, at a point between light and heavy, by a share of the way.
func (d *demand) apply(id string, load, share float64) {
	for _, p := range plants {
		if p.ID != id {
			continue
		}
		to := *d
		p.change(&to, func(light, heavy float64) float64 { return light + (heavy-light)*load })
		mix := func(a *float64, b float64) { *a += (b - *a) * share }
		mix(&d.busy, to.busy)
		mix(&d.watts, to.watts)
		mix(&d.ambient, to.ambient)
		mix(&d.current, to.current)
		mix(&d.forced, to.forced)
		mix(&d.used, to.used)
		mix(&d.moved, to.moved)
		mix(&d.decode, to.decode)
		mix(&d.encode, to.encode)
		mix(&d.copies, to.copies)
		for bit, most := range to.blocks {
			if d.blocks == nil {
				d.blocks = map[string]float64{}
			}
			if _, ok := d.blocks[bit]; !ok {
				d.blocks[bit] = shares[bit]
			}
			d.blocks[bit] += (most - d.blocks[bit]) * share
		}
		if share == 1 {
			d.shape, d.thread, d.turns = to.shape, to.thread, to.turns
		}
	}
}

func (m model) Generate(c capturetest.Case) (*capture.Capture, error) {
	c = c.Filled()
	for _, id := range []string{c.Plant, c.Second} {
		if _, err := capturetest.FindPlant(m, id); err != nil {
			return nil, err
		}
	}
	if c.Samples < 100 {
		return nil, fmt.Errorf("%d samples are too few for averages of sensors: give 100 or more", c.Samples)
	}
	d := usual()
	d.apply(c.Second, 0, 0.25)
	d.apply(c.Plant, c.Load, 1)
	c.Period = max(c.Period, shortest)
	w := capturetest.NewWork(c, maxSclk)
	card := &card{t: capturetest.NewTable(w), w: w, r: capturetest.NewRandom(c, "card"), d: d,
		power: d.watts * min(1, d.busy), temperature: d.ambient + 40}
	for range 200 { // until heat and clock are what they settle at
		card.settle(0)
	}
	for i := range w.Len() {
		switch {
		case d.shape != nil:
			w.Active[i] = d.shape(i, card.r)
		case c.Idle > 0: // programs that keep no dates do not wait as long each time
			w.Active[i] = min(1, w.Active[i]*(0.8+0.4*card.r.Float64()))
		}
		card.sample(i)
	}
	cap, err := card.t.Capture(capture.Config{
		Name: "amd-live-" + c.String(), GPU: "amd-live", Device: capture.Device{Name: "modelled graphics card",
			Vendor: "AMD"},
		Properties: []capture.Property{{Name: "max_sclk_hz", Number: maxSclk}, {Name: "max_mclk_hz", Number: maxMclk},
			{Name: "vram_bytes", Number: vram}, {Name: "gtt_bytes", Number: gtt}},
	})
	if err != nil || d.thread == 0 {
		return cap, err
	}
	return capturetest.WithProcessors(cap, 4, func(i, cpu int) float64 {
		switch {
		case cpu > 0:
			return 0.1
		case d.turns:
			return d.thread * (1 - w.Active[i])
		}
		return d.thread
	})
}

// Check verifies what holds on every card: no bit was found set more often than it was read, nothing is fuller than
// full.
func (model) Check(c *capture.Capture) error {
	for _, bit := range append([]string{"gfx", "cp"}, bits1...) {
		if err := capturetest.AtMost(c, "busy_"+bit+"_ones", "grbm_samples", 0); err != nil {
			return err
		}
	}
	for _, bit := range bits2 {
		if err := capturetest.AtMost(c, "busy_"+bit+"_ones", "grbm2_samples", 0); err != nil {
			return err
		}
	}
	for name, most := range map[string]float64{"sensor_sclk": maxSclk, "vram_used": vram, "gtt_used": gtt,
		"throttled": 100} {
		values, err := capturetest.Column(c, name)
		if err != nil {
			return err
		}
		for i, v := range values {
			if v < 0 || v > most*(1+1e-9) || math.IsNaN(v) {
				return fmt.Errorf("sample %d: %s = %g of at most %g", i, name, v, most)
			}
		}
	}
	return nil
}
