package mali

import (
	"math"
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// Leaves are what can set the pace. The first ones are servers that work off one task after the other; then come
// delays, the threads of the processor, waits, the display's side and the clock.
const (
	arithmetic = iota
	texture
	varying
	loadStore
	tiler
	rasterizer
	backend
	rayTracing
	cache
	bandwidth
	servers // how many there are

	latency = iota - 1
	launch
	app
	driver
	syncWait
	inTurn
	vsync
	limit
	request
	governor
	thermal
	power
	leaves
)

var candidates = [leaves]simulate.Candidate{
	arithmetic: {Level: simulate.LevelUnit, Name: "arithmetic"},
	texture:    {Level: simulate.LevelUnit, Name: "texture"},
	varying:    {Level: simulate.LevelUnit, Name: "varying"},
	loadStore:  {Level: simulate.LevelUnit, Name: "load_store"},
	tiler:      {Level: simulate.LevelUnit, Name: "tiler"},
	rasterizer: {Level: simulate.LevelUnit, Name: "rasterizer"},
	backend:    {Level: simulate.LevelUnit, Name: "pixel_backend"},
	rayTracing: {Level: simulate.LevelUnit, Name: "ray_tracing"},
	cache:      {Level: simulate.LevelMemory, Name: "cache"},
	bandwidth:  simulate.MemoryBandwidth,
	latency:    simulate.MemoryLatency,
	launch:     simulate.LaunchOverhead,
	app:        simulate.CPUApp,
	driver:     simulate.CPUDriver,
	syncWait:   simulate.CPUSync,
	inTurn:     simulate.QueuesInTurn,
	vsync:      simulate.DisplayVsync,
	limit:      simulate.DisplayCap,
	request:    simulate.DisplayRequest,
	governor:   simulate.ClockGovernor,
	thermal:    simulate.ClockThermal,
	power:      simulate.ClockPower,
}

// relievable lists the leaves that Judge relieves.
var relievable = []int{arithmetic, texture, varying, loadStore, tiler, rasterizer, backend, rayTracing, cache, bandwidth,
	latency,
	launch, app, driver, syncWait, inTurn, governor, thermal, power}

// Queues are the job slots of a Mali-G78, which has no queue of its own for compute, and the queues of a G925.
const (
	fragment    = iota // the main phase
	nonFragment        // the binning phase
	computing
	queues
	noQueue = queues
)

// machine is a GPU in its system.
type machine struct {
	*layout
	cores, slices int
	maxHz         float64
	steps         []float64 // clocks that can be set, as shares of the highest, rising
	memory        float64   // bytes per second that the GPU attains
	eff           [servers]float64
	slots         [queues]int // tasks in flight
	dramNs        float64     // latency of an access to memory at the highest clock
	cpus          int
	appCPU        int
	driverCPU     int
	cpuHz         float64
	idleWatts     float64
	weights       []float64 // of the cores: how work spreads over them
	sliceWeights  []float64
}

// Widths of buses: a beat of the bus to memory and of that between a core and L2 has 16 bytes, and a line of L2 has 64.
const (
	beat        = 16.0
	line        = 64.0
	cacheSlice  = 32.0 // bytes that a slice of L2 delivers in a cycle
	warpThreads = 16.0
)

type chip struct {
	cores  int
	mhz    float64
	memory float64 // GB/s that a GPU attains
}

func newMachine(r *rand.Rand, l *layout) *machine {
	chip := l.chips[r.IntN(len(l.chips))]
	m := &machine{layout: l, cores: chip.cores, slices: 4, maxHz: chip.mhz * 1e6, memory: chip.memory * between(r, 0.85, 1.1) * 1e9,
		cpus: 8, appCPU: 7, driverCPU: 4 + r.IntN(3), cpuHz: between(r, 2.4, 2.9) * 1e9, idleWatts: 0.2,
		dramNs: between(r, l.dramNs[0], l.dramNs[1])}
	if chip.cores < l.smaller {
		m.slices = 2
	}
	n := 6 + r.IntN(5)
	for i := range n {
		m.steps = append(m.steps, 0.2+0.8*float64(i)/float64(n-1))
	}
	for i := range m.eff {
		m.eff[i] = between(r, 0.76, 0.95)
	}
	m.slots = [queues]int{9 + r.IntN(5), 7 + r.IntN(4), 7 + r.IntN(4)}
	// The bus carries no more than a beat per slice and cycle, and some of it is lost.
	m.memory = min(m.memory, 0.88*float64(m.slices)*beat*m.maxHz)
	for range m.cores {
		m.weights = append(m.weights, 1+between(r, -0.02, 0.02))
	}
	for range m.slices {
		m.sliceWeights = append(m.sliceWeights, 1+between(r, -0.01, 0.01))
	}
	return m
}

// stretch is how much longer a leaf's work takes at a share of the highest clock.
func (m *machine) stretch(leaf int, share float64) float64 {
	switch leaf {
	case bandwidth:
		return max(1, m.memory/(0.9*float64(m.slices)*beat*m.maxHz*share))
	case latency:
		return 0.6 + 0.4/share
	case launch:
		return 1
	}
	return 1 / share
}

func between(r *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

// around draws a factor whose logarithm is normal.
func around(r *rand.Rand, spread float64) float64 {
	return math.Exp(spread * max(-2.5, min(2.5, r.NormFloat64())))
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
