package intel

import (
	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/content"
)

// device is one GPU.
type device struct {
	gpu     string
	name    string
	id      int       // of PCI
	plat    *platform // nil for Kaby Lake, whose metric sets are written out
	threads int       // that a unit holds
	quads   float64   // blocks of 2x2 that a slice rasterizes, and writes, in a clock
	blocks  float64   // blocks of 2x2 that a sampler takes in a clock
	pipes   float64   // of vertices and primitives
	lines   float64   // of 64 bytes that a subslice's local memory gives in a clock
	near    bool      // buffers have a first level of cache before L3
	matrix  bool      // units have a matrix engine
	// Of platforms: variables of the equations, the same as a recording has them, and how parts share work.
	variables map[string]float64
	told      []capture.Property
	spread    uint64 // seed of how much of its work each counter of a metric has
	eus       int
	subs      int // subslices, with a sampler and a data port each
	slices    int
	hz        float64 // highest clock
	low       float64 // lowest
	memory    float64 // bytes/ns that memory gives at best
	latency   float64 // ns of an access to idle memory
	launch    float64 // ns from when the ring has a pass to its first threads
	has       content.Has
	machine   simulate.Machine
	programs  [][]work // of the contents that are kept: one for each stream of each job
	flat      []work   // all of them, in the recorder's order
}

// threads is how many threads a unit of Kaby Lake holds (metric data).
const threads = 7

// Units of the machine beyond those that all have, in the order of the pipeline.
const (
	unitFetch = simulate.FirstUnit + iota
	unitClip
	unitSetup
	unitRaster
	unitHierarchical
	unitDepth
	unitEU
	unitSampler
	unitDataPort
	unitLocal
	unitBackend
	unitCache
	unitRays // of machines that have it
)

func unit(name string) simulate.Unit {
	return simulate.Unit{Candidate: simulate.Candidate{Level: simulate.LevelUnit, Name: name},
		Domain: simulate.CoreClock}
}

func newDevice(r simulate.Random, gpu string) *device {
	d := &device{gpu: gpu, threads: threads, quads: 1.9, blocks: 1, pipes: 1, lines: 1}
	if gpu == "intel-kbl-gt2" {
		d.slices, d.subs, d.eus = 1, 3, 24
		d.name, d.id = "HD Graphics 620", 0x5916
		d.hz = 1e6 * simulate.Pick(r, 1000.0, 1050, 1100, 1150)
		d.memory = r.Log(12, 30) // two channels of DDR4, shared with the processor
	} else {
		d.slices, d.subs, d.eus = 2, 6, 48
		d.name, d.id = "Iris Plus Graphics 640", 0x5926
		d.hz = 1e6 * simulate.Pick(r, 950.0, 1000, 1050, 1100)
		d.memory = r.Log(16, 48) // a cache of eDRAM beside it
	}
	d.low = 300e6
	// The interface to the ring carries 64 bytes a clock.
	d.memory = min(d.memory, 0.6*64*d.hz/1e9)
	d.latency = r.Log(140, 320)
	d.launch = r.Log(5e3, 20e3)
	d.build(r)
	return d
}

// build draws what content finds, and makes the machine.
func (d *device) build(r simulate.Random) {
	d.has = content.Has{Width: simulate.Pick(r, 1366, 1920, 1920, 2560), Height: simulate.Pick(r, 768, 1080, 1440),
		Tessellation: true}
	for _, a := range []content.Axis{content.Arithmetic, content.Texture, content.LoadStore, content.LocalMemory,
		content.Geometry, content.Raster,
		content.Backend, content.Cache, content.Bandwidth, content.Latency} {
		d.has.Axes[a] = true
	}
	d.has.Stages[content.Geometry], d.has.Stages[content.Raster] = stages, stages
	rings := []string{"render"}
	if d.plat != nil && d.plat.compute {
		rings = append(rings, "compute")
		d.has.Async = true
	}
	d.machine = simulate.NewMachine(rings, unit("vertex_fetch"), unit("clipper"), unit("setup"),
		unit("rasterizer"),
		unit("hierarchical_depth"), unit("early_depth"), unit("arithmetic"), unit("texture"), unit("load_store"),
		unit("local_memory"),
		unit("pixel_backend"), simulate.Unit{Candidate: content.Cache.Candidate(), Domain: simulate.CoreClock})
	if d.plat != nil && d.plat.rays {
		d.has.Axes[content.RayTracing] = true
		d.machine.Units = append(d.machine.Units, unit("ray_tracing"))
	}
	d.machine.LatencyLoad = r.Between(0.3, 0.7)
}

func (d *device) Machine() *simulate.Machine { return &d.machine }
func (d *device) Has() content.Has           { return d.has }
func (d *device) Exact() bool                { return true }
func (d *device) Launch() float64            { return d.launch }

// frequency is that of Kaby Lake's timestamps.
const frequency = 12e6

// Periods are those that the hardware's timer can have: 2^(n+1) ticks.
func (d *device) Periods() []float64 {
	var out []float64
	hz := frequency
	if d.plat != nil {
		hz = d.plat.frequency
	}
	for e := 11; e <= 16; e++ {
		out = append(out, float64(int64(2)<<e)*1e9/hz)
	}
	return out
}

// Clock draws how the clock is set. The driver changes it in steps of 50 MHz by how busy the ring was in a few ms.
func (d *device) Clock(r simulate.Random, mode cases.ClockMode) simulate.Clock {
	c := simulate.Clock{Highest: d.hz}
	for hz := d.low; hz < d.hz-1e6; hz += 50e6 {
		c.Steps = append(c.Steps, hz/d.hz)
	}
	c.Steps = append(c.Steps, 1)
	top := len(c.Steps) - 1
	c.Start = top
	if mode == cases.ClockHighest {
		return c
	}
	c.Period = int64(r.Log(4e6, 20e6))
	c.Up, c.Down = r.Between(0.85, 0.95), r.Between(0.6, 0.75)
	switch mode {
	case cases.ClockGoverned:
		c.Start = r.Whole(top/2, top)
	case cases.ClockHot:
		throttle, full := r.Between(75, 97), r.Between(8, 18)
		c.Heat = &simulate.Heat{Ambient: 40, Throttle: throttle, Start: throttle + r.Between(-1, 2), Full: full,
			Resistance: (throttle - 40) / full * r.Between(1.8, 5), Time: r.Log(0.5e9, 4e9)}
	case cases.ClockLimited:
		// The package's limit is the processor's too.
		full := r.Between(8, 18)
		c.Power = &simulate.PowerLimit{Full: full, Limit: full * r.Between(0.15, 0.55), Window: r.Log(10e6, 60e6)}
	}
	return c
}
