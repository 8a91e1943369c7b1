package mali

import (
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/content"
)

// device is one GPU.
type device struct {
	*product
	title    string // what it is called
	cores    int
	mask     uint64 // of the cores that are present
	slices   int
	bus      int     // bits, of one slice
	hz       float64 // highest top-level clock
	shader   float64 // shader clock as a share of the top-level clock
	domains  int     // of clocks that the driver tells
	memory   float64 // bytes/ns that memory gives at best
	latency  float64 // ns of an access to idle memory
	launch   float64 // ns from when the front-end has a job to its first task; Arm publishes none
	flush    float64 // share of that in which a job manager flushes caches; the rest reads descriptors
	engines  float64 // of a core
	has      content.Has
	machine  simulate.Machine
	programs []program // of the contents that are kept
}

// Queues of the machine. Vertex and compute work count together as work that is not fragments. A job manager has the
// first two.
const (
	queueGeometry = iota
	queueFragment
	queueCompute
)

// Units of the machine beyond those that all have.
const (
	unitArithmetic = simulate.FirstUnit + iota
	unitTexture
	unitVarying
	unitLoadStore
	unitRays
	unitRaster
	unitTiler
	unitBackend
	unitCache
)

// units are the machine's units with the axis of content that loads each.
var units = []struct {
	unit uint8
	axis content.Axis
}{
	{simulate.UnitBandwidth, content.Bandwidth}, {simulate.UnitLatency, content.Latency}, {unitArithmetic,
		content.Arithmetic}, {unitTexture, content.Texture},
	{unitVarying, content.Varying}, {unitLoadStore, content.LoadStore}, {unitRays, content.RayTracing}, {unitRaster,
		content.Raster},
	{unitTiler, content.Geometry}, {unitBackend, content.Backend}, {unitCache, content.Cache},
}

func newDevice(r simulate.Random, p *product) *device {
	d := &device{product: p, shader: 1, domains: simulate.Pick(r, p.domains...), engines: 1}
	d.cores = simulate.Pick(r, p.cores...)
	d.title = p.name(d.cores)
	rays := p.rays > 0 && d.cores >= p.rays
	d.mask = 1<<d.cores - 1
	if r.Chance(0.3) { // a core that is not there leaves a hole
		d.mask = d.mask&(1<<(d.cores/2)-1) | d.mask>>(d.cores/2)<<(d.cores/2+1)
	}
	d.slices = 1
	if d.cores >= 4 {
		d.slices = 2
	}
	if d.cores >= 7 {
		d.slices = 4
	}
	d.bus = simulate.Pick(r, 128, 128, 256)
	d.hz = 1e6 * float64(r.Whole(p.low, p.high))
	if d.domains == 2 && r.Chance(0.5) {
		d.shader = r.Between(0.75, 0.99) // the stacks' own, slower clock
	}
	// Phones' memory gives 15 to 60 GB/s; what the GPU can have of it stays well below what its own buses could carry.
	peak := float64(d.slices*d.bus/8) * d.hz / 1e9
	// More cores come with more of it: 11 to 30 bytes/ns with two, 36 to 70 with twelve.
	n := float64(d.cores) * p.weight
	d.memory = min(r.Log(6+2.5*n, 22+4*n), 0.45*peak)
	d.latency = r.Log(130, 330)
	d.launch = r.Log(6e3, 25e3)
	d.has = content.Has{Width: simulate.Pick(r, 1280, 1920, 2400, 2560, 3200),
		Height: simulate.Pick(r, 720, 1080, 1440), Async: p.csf}
	for _, u := range units {
		d.has.Axes[u.axis] = u.axis != content.RayTracing || rays
	}
	d.has.Elsewhere[content.RayTracing] = p.rays > 0 && !rays
	var own []simulate.Unit
	for _, u := range units[simulate.FirstUnit:] {
		own = append(own, simulate.Unit{Candidate: candidate(u.axis), Domain: simulate.CoreClock})
	}
	if p.csf {
		d.machine = simulate.NewMachine([]string{"geometry", "fragment", "compute"}, own...)
		d.machine.Groups = []int{0, 1, 0}
	} else {
		d.machine = simulate.NewMachine([]string{"non_fragment", "fragment"}, own...)
		d.machine.Groups = []int{0, 1}
	}
	d.machine.Tags = 1
	d.machine.MemoryShare = 1
	if r.Chance(0.15) {
		d.machine.MemoryShare = r.Between(0.5, 0.9)
	}
	d.machine.LatencyLoad = r.Between(0.3, 0.7)
	if !p.csf {
		d.flush = r.Between(0.3, 0.7)
	}
	if len(p.engines) > 0 {
		d.engines = float64(simulate.Pick(r, p.engines...))
	}
	return d
}

// tagTiler is the tag of work that goes through the tiler.
const tagTiler = 1

// computeQueue is the queue of work groups: a job manager runs vertices, tiling and work groups in turn.
func (d *device) computeQueue() int {
	if d.csf {
		return queueCompute
	}
	return queueGeometry
}

// quads is how many quads of the shortest shaders, of four instructions, a core starts in a cycle.
func (d *device) quads() float64 {
	if d.issue != byInstruction {
		return 1
	}
	return d.engines * d.warp / 16
}

// candidate is what the truth calls the unit of an axis: Mali's fixed function for geometry is the tiler.
func candidate(a content.Axis) simulate.Candidate {
	if a == content.Geometry {
		return simulate.Candidate{Level: simulate.LevelUnit, Name: "tiler"}
	}
	return a.Candidate()
}

func (d *device) Machine() *simulate.Machine { return &d.machine }
func (d *device) Has() content.Has           { return d.has }
func (d *device) Exact() bool                { return false }
func (d *device) Launch() float64            { return d.launch }

// Periods are those of periodic samples.
func (d *device) Periods() []float64 { return []float64{1e6, 1e6, 2e6, 4e6, 5e6, 8e6, 10e6, 16e6} }

// steps are the clocks of a device's table, as shares of the highest.
func steps(r simulate.Random) []float64 {
	n := r.Whole(5, 10)
	out := make([]float64, n)
	low := r.Between(0.2, 0.4)
	for i := range out {
		out[i] = low + (1-low)*float64(i)/float64(n-1)
	}
	return out
}

// Clock draws how the clock is set. Kernels look at a Mali's load every 8 to 100 ms.
func (d *device) Clock(r simulate.Random, mode cases.ClockMode) simulate.Clock {
	c := simulate.Clock{Highest: d.hz, Steps: steps(r)}
	top := len(c.Steps) - 1
	c.Start = top
	if mode == cases.ClockHighest {
		return c
	}
	c.Period = int64(r.Log(8e6, 60e6))
	c.Up, c.Down = r.Between(0.75, 0.92), r.Between(0.4, 0.65)
	switch mode {
	case cases.ClockGoverned:
		c.Start = r.Whole(top/2, top)
	case cases.ClockHot:
		throttle := r.Between(65, 95)
		full := r.Between(3, 9)
		// Where it settles at the highest clock is well above the limit, so that it stays below.
		c.Heat = &simulate.Heat{Ambient: 35, Throttle: throttle, Start: throttle + r.Between(-1, 2), Full: full,
			Resistance: (throttle - 35) / full * r.Between(1.8, 5), Time: r.Log(0.5e9, 4e9)}
	case cases.ClockLimited:
		full := r.Between(3, 9)
		c.Power = &simulate.PowerLimit{Full: full, Limit: full * r.Between(0.15, 0.55), Window: r.Log(10e6, 100e6)}
	}
	return c
}
