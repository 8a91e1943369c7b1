package amd

import "astrolabe/capture/simulate"

// class is a kind of work. Each is a candidate, and is served by one server of the machine; texture filtering and
// buffer access share the one that makes addresses.
type class uint8

const (
	vertexFetch  class = iota // the geometry engine: indices, and vertices handed to shaders
	arithmetic                // vector instructions
	primAssembly              // clipping, culling, set-up
	rasterizer                // coverage of quads
	depth                     // depth and stencil tests
	pixelBackend              // colour writes and blending
	texture                   // filtered samples
	loadStore                 // buffer and image accesses without a filter
	localMemory               // accesses of LDS
	waveLaunch                // the dispatcher that fills wave slots
	cache                     // requests to the L2 cache
	bandwidth                 // bytes of the memory
	latency                   // waits for an answer
	launch                    // what the command processor does before and after
	classes
)

var candidates = [classes]simulate.Candidate{
	vertexFetch:  {Level: simulate.LevelUnit, Name: "vertex_fetch"},
	arithmetic:   {Level: simulate.LevelUnit, Name: "arithmetic"},
	primAssembly: {Level: simulate.LevelUnit, Name: "primitive_assembly"},
	rasterizer:   {Level: simulate.LevelUnit, Name: "rasterizer"},
	depth:        {Level: simulate.LevelUnit, Name: "depth"},
	pixelBackend: {Level: simulate.LevelUnit, Name: "pixel_backend"},
	texture:      {Level: simulate.LevelUnit, Name: "texture"},
	loadStore:    {Level: simulate.LevelUnit, Name: "load_store"},
	localMemory:  {Level: simulate.LevelUnit, Name: "local_memory"},
	waveLaunch:   {Level: simulate.LevelUnit, Name: "wave_launch"},
	cache:        {Level: simulate.LevelMemory, Name: "cache"},
	bandwidth:    simulate.MemoryBandwidth,
	latency:      simulate.MemoryLatency,
	launch:       simulate.LaunchOverhead,
}

// server is who serves a class.
func (c class) server() class {
	if c == loadStore {
		return texture
	}
	return c
}

// Relieving makes work this much faster.
const relief = 1.5

// speeds is how much faster than usual each class is; of launches 0 says that they take no time.
type speeds [classes]float64

func usual() speeds {
	var s speeds
	for i := range s {
		s[i] = 1
	}
	return s
}

func relieved(c class) speeds {
	s := usual()
	s[c] = relief
	if c == launch {
		s[c] = 0
	}
	return s
}

// faster is everything faster but what the command processor does.
func faster() speeds {
	s := usual()
	for i := range s {
		if class(i) != launch {
			s[i] = relief
		}
	}
	return s
}
