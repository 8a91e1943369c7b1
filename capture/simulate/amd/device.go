package amd

import (
	"math"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/content"
)

// liveName is the name of the family of live values.
const liveName = "amd-live"

// Live is that family.
var Live = &cases.Family{Name: liveName, Device: func(r simulate.Random) cases.Device { return newDevice(r, 11) }}

// device is one GPU.
type device struct {
	model   model
	apu     bool
	hz      float64 // highest shader clock
	memory  float64 // bytes/ns that memory gives at best
	mclk    float64 // highest memory clock
	watts   float64 // power limit
	hungry  float64 // what content draws at the highest clock as a share of it, where the limit does not hold the clock
	launch  float64 // ns from when a queue has a pass to its first waves; AMD publishes none
	has     content.Has
	machine simulate.Machine
	streams []stream // of the contents that are kept, in the recorder's order
	thick   [machineUnits]float64
}

// model is a graphics card or a processor with graphics.
type model struct {
	name       string
	id         int // of PCI
	generation int // gfx8 is 8
	family     int // of the driver
	apu        bool
	engines    int
	cus        int
	mhz, mclk  float64
	memory     float64 // bytes/ns, nominal
	watts      float64
}

// models are well-known ones, by generation, with public numbers of their data sheets.
var models = []model{
	{"Radeon RX 580", 0x67df, 8, 130, false, 4, 36, 1340, 2000, 256, 185},
	{"Radeon RX Vega 64", 0x687f, 9, 141, false, 4, 64, 1546, 945, 484, 295},
	{"Radeon Vega 8 Graphics", 0x15d8, 9, 142, true, 1, 8, 1100, 1200, 38, 25},
	{"Radeon RX 5700 XT", 0x731f, 10, 143, false, 2, 40, 1905, 1750, 448, 225},
	{"Radeon RX 7900 XTX", 0x744c, 11, 145, false, 6, 96, 2500, 2500, 960, 355},
	{"Radeon 780M", 0x15bf, 11, 148, true, 1, 12, 2700, 2800, 89, 45},
}

// Queues of the machine.
const (
	queueGraphics = iota
	queueCompute
)

// Units of the machine beyond those that all have, in the order of the pipeline.
const (
	unitFetch    = simulate.FirstUnit + iota // input assembly and grouping of vertices
	unitAssembly                             // primitive assembly and culling
	unitScan                                 // scan converter
	unitDepth
	unitVector
	unitTexture
	unitLoadStore
	unitLocal
	unitColour
	unitCache
	machineUnits
)

// newDevice draws a device of a generation up to newest.
func newDevice(r simulate.Random, newest int) *device {
	n := 0
	for n < len(models) && models[n].generation <= newest {
		n++
	}
	d := &device{model: models[r.IntN(n)]}
	m := &d.model
	d.hz, d.mclk, d.watts, d.apu = m.mhz*1e6, m.mclk*1e6, math.Round(m.watts*r.Between(0.85, 1.1)), m.apu
	d.hungry = r.Between(0.5, 0.97)
	d.memory = m.memory * r.Between(0.72, 0.9)
	d.launch = r.Log(3e3, 15e3)
	d.has = content.Has{Width: simulate.Pick(r, 1920, 1920, 2560, 3840), Height: simulate.Pick(r, 1080, 1440, 2160),
		Tessellation: true, Async: true}
	for _, a := range []content.Axis{content.Arithmetic, content.Texture, content.LoadStore, content.LocalMemory,
		content.Geometry, content.Raster, content.Backend, content.Cache, content.Bandwidth, content.Latency} {
		d.has.Axes[a] = true
	}
	d.has.Stages[content.Geometry], d.has.Stages[content.Raster] = stages, stages
	unit := func(name string) simulate.Unit {
		return simulate.Unit{Candidate: simulate.Candidate{Level: simulate.LevelUnit, Name: name},
			Domain: simulate.CoreClock}
	}
	d.machine = simulate.NewMachine([]string{"graphics", "compute"}, unit("vertex_fetch"), unit("primitive_assembly"),
		unit("rasterizer"), unit("depth"), unit("arithmetic"), unit("texture"), unit("load_store"),
		unit("local_memory"), unit("pixel_backend"),
		simulate.Unit{Candidate: content.Cache.Candidate(), Domain: simulate.CoreClock})
	d.machine.LatencyLoad = r.Between(0.3, 0.7)
	if m.apu && r.Chance(0.3) {
		d.machine.MemoryShare = r.Between(0.5, 0.95) // one module of memory, or slow ones
	}
	for u := range d.thick {
		d.thick[u] = r.Between(1.1, 2.2)
	}
	return d
}

func (d *device) Machine() *simulate.Machine { return &d.machine }
func (d *device) Has() content.Has           { return d.has }
func (d *device) Exact() bool                { return false }
func (d *device) Launch() float64            { return d.launch }

// Periods are those that a recorder is used with.
func (d *device) Periods() []float64 { return []float64{1e6, 2e6, 5e6, 10e6} }

// Clock draws how the clock is set. The firmware looks every few ms; up to GFX9 it has eight states.
func (d *device) Clock(r simulate.Random, mode cases.ClockMode) simulate.Clock {
	c := simulate.Clock{Highest: d.hz}
	n := 8
	if d.model.generation > 9 {
		n = 24
	}
	low := r.Between(0.2, 0.35)
	for i := range n {
		c.Steps = append(c.Steps, low+(1-low)*float64(i)/float64(n-1))
	}
	top := n - 1
	c.Start = top
	if mode == cases.ClockHighest {
		return c
	}
	c.Period = int64(r.Log(2e6, 20e6))
	c.Up, c.Down = r.Between(0.7, 0.9), r.Between(0.4, 0.6)
	switch mode {
	case cases.ClockGoverned:
		c.Start = r.Whole(top/2, top)
	case cases.ClockHot:
		throttle, full := r.Between(85, 108), d.watts*d.hungry
		c.Heat = &simulate.Heat{Ambient: 40, Throttle: throttle, Start: throttle + r.Between(-1, 2), Full: full,
			Resistance: (throttle - 40) / full * r.Between(1.8, 5), Time: r.Log(0.5e9, 4e9)}
	case cases.ClockLimited:
		// The limit of a processor with graphics is the whole package's.
		full := d.watts / r.Between(0.15, 0.55)
		c.Power = &simulate.PowerLimit{Full: full, Limit: d.watts, Window: r.Log(10e6, 60e6)}
	}
	return c
}
