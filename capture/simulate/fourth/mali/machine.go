package mali

import (
	"astrolabe/capture/simulate"
)

// Resources that work of the GPU needs. Those up to resCache run at the GPU's clock, the memory at its own.
const (
	resArith = iota
	resTexture
	resVarying
	resLoadStore
	resRays
	resTiler
	resRaster
	resBackend
	resCache
	resBus  // the GPU's ports to memory
	resDRAM // what memory gives beside what others take
	resLatency
	resources
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

var memoryCache = simulate.Candidate{Level: simulate.LevelMemory, Name: "cache"}

// leafOf is the candidate that a resource is part of.
var leafOf = [resources]simulate.Candidate{unit("arithmetic"), unit("texture"), unit("varying"), unit("load_store"),
	unit("ray_tracing"), unit("tiler"), unit("rasterizer"), unit("pixel_backend"), memoryCache, simulate.MemoryBandwidth,
	simulate.MemoryBandwidth, simulate.MemoryLatency}

// Queues. A job manager has two: geometry and compute share one.
const (
	queueFragment = iota
	queueGeometry
	queueCompute
	queues
)

// machine is a GPU in a telephone or tablet, with its memory.
type machine struct {
	csf    bool // command streams and the 5th generation; else a job manager and early Valhall
	cores  int
	slices int
	bus    float64 // bytes of a beat of the external bus

	hz        float64 // highest clock
	coreRatio float64 // clock of the cores by that of the rest
	steps     []float64

	dram       float64 // bytes/ns
	background float64 // share of dram that processors and display take
	latMem     float64 // ns, unloaded
	latGPU     float64 // cycles of the GPU's own part
	latLoad    float64 // how much load adds

	lookups   float64 // of the cache, per slice and cycle
	texels    float64 // filtered samples per core and cycle
	slots     float64 // interpolation slots per core and cycle
	rastQd    float64 // quads per core and cycle
	blendQd   float64 // quads blended per core and cycle, of 32 bits a pixel
	primCy    float64 // core cycles to set up a primitive in a tile
	tilerIn   float64 // cycles per primitive that comes in
	tilerVis  float64 // and more of a visible one
	reach     [resources]float64
	outstand  float64 // reads that a slice can have under way
	tile      float64 // pixels of a tile
	task      float64 // pixels of a fragment task
	launch    float64 // ns from job to job of a queue
	cross     float64 // ns more where a job waited for one of another queue
	flush     float64 // ns of cache flushes at the end of a frame
	irq       float64 // ns until the processor has served an interrupt
	cpus, big int     // processors
}

// queueOf is where a kind of work runs.
func (m *machine) queueOf(q int) int {
	if !m.csf && q == queueCompute {
		return queueGeometry
	}
	return q
}

// perNs are the cycles in a ns of all cores at the highest clock.
func (m *machine) perNs() float64 { return m.hz / 1e9 * float64(m.cores) * m.coreRatio }

func newMachine(name string, r simulate.Random) *machine {
	m := &machine{csf: name == Names[0], bus: 16, coreRatio: 1, cpus: 8}
	if m.csf {
		m.cores, m.slices = r.Whole(6, 9), simulate.Pick(r, 2, 4, 4)
		m.hz = 1e6 * simulate.Pick[float64](r, 850, 940, 1000, 1100, 1300)
		m.dram = r.Between(28, 52)
		m.texels, m.slots, m.rastQd, m.blendQd = 8, 4, r.Between(0.85, 1), r.Between(0.85, 1)
		m.tile, m.task = 32*32, 64*64
		m.launch, m.cross = r.Log(4e3, 16e3), r.Log(4e3, 20e3)
		m.outstand = simulate.Pick[float64](r, 64, 96, 128)
		m.big = r.Whole(3, 4)
		if r.Chance(0.25) {
			m.coreRatio = r.Between(0.75, 0.95)
		}
	} else {
		m.cores, m.slices = r.Whole(2, 5), simulate.Pick(r, 1, 1, 2)
		m.hz = 1e6 * simulate.Pick[float64](r, 650, 750, 850, 950, 1000)
		m.dram = r.Between(9, 17)
		m.texels, m.slots, m.rastQd, m.blendQd = 4, 1, r.Between(0.45, 0.5), r.Between(0.45, 0.5)
		m.tile, m.task = 16*16, 32*32
		m.launch, m.cross = r.Log(6e3, 20e3), r.Log(20e3, 90e3) // the driver's interrupt starts what waited
		m.outstand = simulate.Pick[float64](r, 32, 48, 64)
		m.big = 2
	}
	m.steps = clockSteps(r)
	m.background = r.Between(0.04, 0.22)
	m.latMem, m.latGPU, m.latLoad = r.Between(110, 190), r.Between(45, 80), r.Between(0.3, 0.9)
	m.lookups = r.Between(0.45, 0.85)
	m.primCy = r.Between(0.8, 1.6)
	m.tilerIn, m.tilerVis = r.Between(1, 1.35), r.Between(0.6, 2.2)
	for i := range m.reach {
		m.reach[i] = r.Between(0.8, 0.97)
	}
	m.reach[resLatency], m.reach[resDRAM], m.reach[resBus] = 1, 1, r.Between(0.86, 0.95)
	m.flush, m.irq = r.Log(5e3, 30e3), r.Log(15e3, 60e3)
	return m
}

// clockSteps are the shares of the highest clock that a governor can choose, lowest first.
func clockSteps(r simulate.Random) []float64 {
	n := r.Whole(5, 10)
	low := r.Between(0.2, 0.38)
	out := make([]float64, n)
	for i := range out {
		out[i] = low + (1-low)*float64(i)/float64(n-1)
	}
	return out
}
