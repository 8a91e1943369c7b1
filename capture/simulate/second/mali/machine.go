package mali

import (
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// leaf is something that can set the pace. The first are resources that work on the GPU shares.
type leaf int

const (
	arithmetic leaf = iota
	texture
	varying
	loadStore
	rayTracing
	tiler
	rasterizer
	backend
	cacheRate
	bandwidth
	latency
	resources // how many of them

	overhead leaf = iota - 1
	cpuApp
	cpuDriver
	cpuSync
	inTurn
	thermal
	power
	governor
	vsync
	capped
	request
	leaves // how many of them

	open leaf = -1 // not known yet
)

var candidates = [leaves]simulate.Candidate{
	arithmetic: {Level: simulate.LevelUnit, Name: "arithmetic"},
	texture:    {Level: simulate.LevelUnit, Name: "texture"},
	varying:    {Level: simulate.LevelUnit, Name: "varying"},
	loadStore:  {Level: simulate.LevelUnit, Name: "load_store"},
	rayTracing: {Level: simulate.LevelUnit, Name: "ray_tracing"},
	tiler:      {Level: simulate.LevelUnit, Name: "tiler"},
	rasterizer: {Level: simulate.LevelUnit, Name: "rasterizer"},
	backend:    {Level: simulate.LevelUnit, Name: "pixel_backend"},
	cacheRate:  {Level: simulate.LevelMemory, Name: "cache"},
	bandwidth:  simulate.MemoryBandwidth,
	latency:    simulate.MemoryLatency,
	overhead:   simulate.LaunchOverhead,
	cpuApp:     simulate.CPUApp,
	cpuDriver:  simulate.CPUDriver,
	cpuSync:    simulate.CPUSync,
	inTurn:     simulate.QueuesInTurn,
	thermal:    simulate.ClockThermal,
	power:      simulate.ClockPower,
	governor:   simulate.ClockGovernor,
	vsync:      simulate.DisplayVsync,
	capped:     simulate.DisplayCap,
	request:    simulate.DisplayRequest,
}

// ofCore says which resources every shader core has one of.
func (l leaf) ofCore() bool { return l <= backend && l != tiler }

// clocked says which resources run at the GPU's clock.
func (l leaf) clocked() bool { return l <= cacheRate }

// machine is one chip in one phone or board.
type machine struct {
	gpu       string // catalogue id
	late      bool   // vertices of a draw are shaded in the main phase (deferred vertex shading)
	cores     float64
	slices    float64
	bus       float64 // bytes of a beat of the external bus
	hz        float64 // highest clock
	steps     []float64
	dram      float64 // bytes per second that the memory gives the GPU at best
	delay     float64 // seconds of an external read when nothing else is under way
	warps     float64 // of a core at a time
	reads     float64 // external reads of a slice under way at most
	rays      bool    // has ray tracing units
	reach     [resources]float64
	launch    float64 // seconds from a job's readiness to its first task
	interrupt float64 // seconds from the end of a job to the processor that waits for it
	processor int     // cores of the CPU
}

// between draws evenly.
func between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func newMachine(name string, r *rand.Rand) *machine {
	m := &machine{gpu: "mali-g720", late: true, bus: 16, warps: 64, processor: 8}
	if name == "mali-g615-second" {
		m.gpu, m.late = "mali-g615", false
		m.cores = float64(pick(r, 2, 3, 4, 6))
		m.slices = float64(pick(r, 1, 2, 2))
		m.hz = pick(r, 0.65e9, 0.85e9, 0.95e9, 1.047e9, 1.4e9)
		m.dram = between(r, 8e9, 17e9) * m.slices
	} else {
		m.cores = float64(pick(r, 6, 7, 7, 9))
		m.slices = float64(pick(r, 2, 4, 4))
		m.hz = pick(r, 0.85e9, 1.0e9, 1.3e9, 1.4e9)
		m.dram = between(r, 26e9, 52e9)
		m.rays = true
		m.bus = pick(r, 16.0, 16, 32)
	}
	m.dram = min(m.dram, 0.75*m.wires())
	m.delay = between(r, 140e-9, 260e-9)
	m.reads = pick(r, 64.0, 96, 128)
	m.launch = between(r, 6e-6, 16e-6)
	m.interrupt = between(r, 40e-6, 180e-6)
	n := 5 + r.IntN(6)
	for i := range n {
		m.steps = append(m.steps, 0.22+0.78*float64(i)/float64(n-1))
	}
	low := [resources]float64{0.86, 0.86, 0.84, 0.80, 0.80, 0.78, 0.80, 0.82, 0.72, 0.72, 0.9}
	high := [resources]float64{0.97, 0.97, 0.95, 0.94, 0.93, 0.95, 0.94, 0.95, 0.88, 0.87, 1}
	for l := range resources {
		m.reach[l] = between(r, low[l], high[l])
	}
	return m
}

// wires is what the external bus can carry each way per second at the highest clock.
func (m *machine) wires() float64 { return m.slices * m.bus * m.hz }

// rate is what a resource does per second at the highest clock: cycles, bytes, or seconds of warps.
func (m *machine) rate(l leaf) float64 {
	switch {
	case l.ofCore():
		return m.cores * m.hz * m.reach[l]
	case l == tiler:
		return m.hz * m.reach[l]
	case l == cacheRate:
		return m.slices * m.hz * 64 * m.reach[l]
	case l == bandwidth:
		return m.dram * m.reach[l]
	}
	return m.cores * m.warps * m.reach[l]
}
