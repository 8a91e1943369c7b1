package intel

import "astrolabe/capture/simulate"

// leaf is a candidate by number.
type leaf uint8

const (
	arithmetic leaf = iota
	texture
	loadStore
	localMemory
	vertexFetch
	clipper
	setup
	rasterizer
	hierarchicalDepth
	earlyDepth
	pixelBackend
	rayTracing
	bandwidth
	latency
	cache
	launch // the last that a pass has work for
	cpuApp
	cpuDriver
	cpuSync
	inTurn
	thermal
	power
	governor
	vsync
	frameCap
	request
	leaves
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

var candidates = [leaves]simulate.Candidate{
	arithmetic: unit("arithmetic"), texture: unit("texture"), loadStore: unit("load_store"),
	localMemory: unit("local_memory"), vertexFetch: unit("vertex_fetch"), clipper: unit("clipper"), setup: unit("setup"),
	rasterizer: unit("rasterizer"), hierarchicalDepth: unit("hierarchical_depth"), earlyDepth: unit("early_depth"),
	pixelBackend: unit("pixel_backend"), rayTracing: unit("ray_tracing"),
	bandwidth: simulate.MemoryBandwidth, latency: simulate.MemoryLatency,
	cache:  {Level: simulate.LevelMemory, Name: "cache"},
	launch: simulate.LaunchOverhead, cpuApp: simulate.CPUApp, cpuDriver: simulate.CPUDriver, cpuSync: simulate.CPUSync,
	inTurn: simulate.QueuesInTurn, thermal: simulate.ClockThermal, power: simulate.ClockPower, governor: simulate.ClockGovernor,
	vsync: simulate.DisplayVsync, frameCap: simulate.DisplayCap, request: simulate.DisplayRequest,
}

// eased is what a relief leaves of a time: a rate times 1.5, or a latency, a cost or work times 2/3.
const eased = 2.0 / 3

// relief is what a simulation relieves. The zero value relieves nothing.
type relief struct {
	of    [leaves]bool
	queue int // whose work is relieved, from 1 on; 0 is that of all
}

// relieve is the relief of some leaves.
func relieve(list ...leaf) *relief {
	r := &relief{}
	for _, l := range list {
		r.of[l] = true
	}
	return r
}

// factor is what is left of a leaf's time in a queue.
func (r *relief) factor(l leaf, queue int) float64 {
	if r.of[l] && (r.queue == 0 || r.queue == queue+1) {
		return eased
	}
	return 1
}
