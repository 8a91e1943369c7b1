package amd

import "astrolabe/capture/simulate"

// cand is a candidate by number.
type cand int

const (
	arithmetic cand = iota
	texture
	loadStore
	localMemory
	vertexFetch
	assembly
	rasterizer
	depth
	backend
	bandwidth
	latency
	cache
	launch
	ofDraws // those before are all that a profiler of draws can see

	app cand = iota - 1
	driver
	syncs
	inTurn
	thermal
	power
	governor
	relievable

	vsync cand = iota - 2
	capped
	request
	candidates
)

var names = [candidates]simulate.Candidate{
	arithmetic:  {Level: simulate.LevelUnit, Name: "arithmetic"},
	texture:     {Level: simulate.LevelUnit, Name: "texture"},
	loadStore:   {Level: simulate.LevelUnit, Name: "load_store"},
	localMemory: {Level: simulate.LevelUnit, Name: "local_memory"},
	vertexFetch: {Level: simulate.LevelUnit, Name: "vertex_fetch"},
	assembly:    {Level: simulate.LevelUnit, Name: "primitive_assembly"},
	rasterizer:  {Level: simulate.LevelUnit, Name: "rasterizer"},
	depth:       {Level: simulate.LevelUnit, Name: "depth"},
	backend:     {Level: simulate.LevelUnit, Name: "pixel_backend"},
	bandwidth:   simulate.MemoryBandwidth,
	latency:     simulate.MemoryLatency,
	cache:       {Level: simulate.LevelMemory, Name: "cache"},
	launch:      simulate.LaunchOverhead,
	app:         simulate.CPUApp,
	driver:      simulate.CPUDriver,
	syncs:       simulate.CPUSync,
	inTurn:      simulate.QueuesInTurn,
	thermal:     simulate.ClockThermal,
	power:       simulate.ClockPower,
	governor:    simulate.ClockGovernor,
	vsync:       simulate.DisplayVsync,
	capped:      simulate.DisplayCap,
	request:     simulate.DisplayRequest,
}

// relief is what a simulation is run with: times that are multiplied, and conditions that are removed.
type relief [candidates]bool

// with is the factor on the times of a candidate: two thirds where it is relieved.
func (r *relief) with(c cand) float64 {
	if r[c] {
		return 2.0 / 3
	}
	return 1
}

// only is the relief of one candidate.
func only(c cand) (r relief) {
	r[c] = true
	return r
}
