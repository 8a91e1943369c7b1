package mali

import "astrolabe/capture/simulate"

// Places where a group of warps is served. Those of the shader cores come first.
const (
	stArithmetic = iota
	stTexture
	stVarying
	stLoadStore
	stRays
	stTiler
	stRasterizer
	stBackend
	stCache
	stBandwidth
	stLatency // a delay: any number of groups wait at once
	stations
)

// Causes of a stretch of time that are no station.
const (
	causeLaunch = stations + iota
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

// candidates are what causes are called.
var candidates = [causes]simulate.Candidate{unit("arithmetic"), unit("texture"), unit("varying"), unit("load_store"),
	unit("ray_tracing"), unit("tiler"), unit("rasterizer"), unit("pixel_backend"), {Level: simulate.LevelMemory, Name: "cache"},
	simulate.MemoryBandwidth, simulate.MemoryLatency, simulate.LaunchOverhead, simulate.CPUApp, simulate.CPUDriver,
	simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest}

// chip is one GPU in one phone. Rates are per clock; the sources are in the package's comment.
type chip struct {
	gpu    string // of the catalogue
	name   string
	modern bool // the 5th generation: command streams, deferred vertex shading
	cores  int
	mask   uint64
	slices int
	hz     float64
	steps  []float64 // shares of the highest clock, ascending

	rays      bool
	texQuads  float64 // per message
	varSlots  float64
	pixels    float64 // blended in a clock
	tileSide  float64
	taskSide  float64
	triangle  float64 // clocks of the tiler for a primitive that is culled
	visible   float64 // more of them for one that is not
	memory    float64 // bytes a second that the GPU gets
	hitNs     float64 // clocks at the highest clock, in ns, until L2 answers
	missNs    float64 // more of them until memory answers
	efficient [stations]float64

	convoy    float64 // warps that run alongside, as those of neighbouring quads do, and wait together
	busCare   float64 // how soon the address channel of the bus stalls
	launch    float64 // ns of a job's start
	flush     float64 // ns of cleaning L2 behind a pass
	interrupt float64
	softDeps  bool    // the driver holds jobs back until what they wait for is done
	waitShare float64 // of a stream's time with a job, in which it waits for it
	full      float64 // share of a slot's time with a job, in which cores take no more tasks
}

var queueNames = map[bool][]string{true: {"geometry", "compute", "fragment"}, false: {"non_fragment", "fragment"}}

func (c *chip) queues() []string { return queueNames[c.modern] }

// Places of queues.
const (
	queueGeometry = 0 // of a job manager: everything that is no fragment
	queueCompute  = 1
)

func (c *chip) fragmentQueue() int { return len(c.queues()) - 1 }

func (c *chip) computeQueue() int {
	if c.modern {
		return queueCompute
	}
	return queueGeometry
}

// newChip draws a GPU of a family, and what surrounds it.
func newChip(name string, r simulate.Random) *chip {
	c := &chip{tileSide: 16, taskSide: 32, texQuads: 1, varSlots: 1, pixels: 2}
	if name == Names[0] {
		c.gpu, c.name, c.modern = "mali-g720", "Mali-G720", true
		c.cores = r.Whole(6, 9)
		c.slices = simulate.Pick(r, 2, 4, 4)
		c.hz = r.Between(0.85e9, 1.35e9)
		c.rays = true
		c.texQuads, c.varSlots, c.pixels, c.tileSide, c.taskSide = 2, 4, 4, 32, 64
		c.triangle, c.visible = 1, r.Between(1, 2)
		c.memory = r.Between(24e9, 46e9)
		c.hitNs, c.missNs = r.Between(70, 100), r.Between(120, 190)
		c.launch, c.flush, c.interrupt = r.Between(4e3, 11e3), r.Between(2e3, 6e3), r.Between(25e3, 70e3)
	} else {
		c.gpu, c.name = "mali-g57", "Mali-G57"
		c.cores = simulate.Pick(r, 1, 2, 2, 3, 4, 5)
		c.slices = 1 + c.cores/4
		c.hz = r.Between(0.6e9, 0.95e9)
		c.triangle, c.visible = 1, r.Between(1.5, 3)
		c.memory = r.Between(6e9, 12e9) * (1 + float64(c.cores)/5)
		c.hitNs, c.missNs = r.Between(90, 130), r.Between(130, 230)
		c.launch, c.flush, c.interrupt = r.Between(12e3, 30e3), r.Between(3e3, 9e3), r.Between(30e3, 90e3)
	}
	// A bus of 16 bytes on each slice bounds what memory gives.
	c.memory = min(c.memory, 0.92*16*float64(c.slices)*c.hz)
	c.mask = uint64(1)<<c.cores - 1
	if r.Chance(0.25) && c.cores > 1 { // a core in the middle is fused off
		c.mask = (uint64(1)<<(c.cores+1) - 1) &^ 2
	}
	for i, n := 0, r.Whole(5, 10); i < n; i++ {
		c.steps = append(c.steps, 0.28+0.72*float64(i)/float64(n-1))
	}
	c.steps[len(c.steps)-1] = 1
	for i := range c.efficient {
		c.efficient[i] = r.Between(0.86, 0.97)
	}
	c.efficient[stArithmetic] = r.Between(0.82, 0.95)
	c.efficient[stTexture] = r.Between(0.85, 0.97)
	c.efficient[stCache] = r.Between(0.7, 0.85)
	c.efficient[stBandwidth] = 1 // it is in memory already
	c.convoy = r.Between(4, 9)
	c.busCare = r.Between(1.5, 5)
	c.softDeps = r.Chance(0.7)
	c.full = r.Between(0.2, 0.7)
	c.waitShare = r.Between(0.6, 0.95)
	return c
}
