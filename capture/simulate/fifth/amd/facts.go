package amd

import "astrolabe/capture/simulate"

// facts are what a pass is made of beside the times of its resources: how much of a resource's peak it can have, and
// what its primitives, pixels and threads are like. What is counted follows from these and the times.
type facts struct {
	attain   [resources]float64
	seen     [resources]float64 // share of a resource's time in which it is seen at work: the rest are bubbles
	writes   float64            // share of memory traffic that is written
	cull     float64            // of primitives
	clip     float64
	hiz      float64 // of quads that the hierarchical test throws away
	early    float64 // of the rest, by the detailed test
	fill     float64 // pixels covered in a quad
	samples  float64
	discard  float64
	targets  float64
	slow     float64 // pixels of slow formats
	tri      float64 // of quads, filtered between two levels
	aniso    float64
	lanes    float64 // of vector instructions that are switched on
	perWave  float64 // vector instructions
	scalar   float64 // scalar instructions for each of them
	group    float64 // threads of a group
	wave     float64 // lanes of a wave
	occupied float64 // waves that a SIMD can hold of it
	conflict float64 // of the time of local memory, lost to conflicts of banks
	fetch    float64 // clocks that an access takes
	h0, h1   float64 // hits of the caches before L2
	share0   float64 // of the misses of a cache that come from the one before it, and not from others
	colour   float64 // of memory traffic that is of colour blocks
	depth    float64
	reuse    float64 // vertices of a primitive at least
	// How caches and targets fare in ways that limit nothing.
	scalarMiss, instMiss, tag, writeMiss, tile, reject, kill, blend, keepOut float64
	whole                                                                    bool // a triangle or two over the whole picture
}

func drawFacts(r simulate.Random, m *machine, j *job) facts {
	f := facts{writes: r.Between(0.1, 0.5), cull: r.Between(0.25, 0.85), clip: r.Log(0.0005, 0.03), hiz: r.Between(0, 0.5),
		early: r.Between(0, 0.45), fill: r.Between(0.62, 0.99), samples: simulate.Pick(r, 1.0, 1, 1, 2, 4), discard: r.Between(0, 0.1),
		targets: 1, tri: r.Between(0, 0.9), aniso: r.Log(1, 6), lanes: r.Between(0.55, 1), perWave: r.Log(30, 1500),
		scalar: r.Between(0.08, 0.6), group: simulate.Pick(r, 64.0, 64, 128, 256, 256, 512, 1024), wave: 32, occupied: r.Between(3, 16),
		conflict: r.Between(0, 0.6), fetch: r.Log(1, 4), h0: r.Between(0.25, 0.9), h1: r.Between(0.1, 0.65), share0: r.Between(0.7, 1),
		colour: r.Between(0.1, 0.5), depth: r.Between(0.05, 0.35), reuse: r.Between(0.4, 0.9),
		scalarMiss: r.Log(0.002, 0.3), instMiss: r.Log(0.0003, 0.08), tag: r.Log(0.01, 0.4), writeMiss: r.Between(0.3, 1),
		tile: r.Between(4, 15), reject: r.Between(0.4, 1), kill: r.Between(0.2, 0.9), blend: r.Between(0.1, 1),
		keepOut: r.Between(0.1, 0.6)}
	if m.gen < 10 || r.Chance(0.2) {
		f.wave = 64
	}
	switch j.kind {
	case lighting, postPass, videoPass:
		f.whole, f.cull, f.clip, f.hiz, f.early, f.discard, f.fill = true, 0, 0, 0, 0, 0, r.Between(0.97, 1)
		fallthrough
	case uiPass, csGeneral, csMatrix, csStream, csGather, csSort, csBlur, csParticles:
		f.aniso, f.tri = 1, 0
		if r.Chance(0.2) {
			f.tri = r.Between(0, 0.5)
		}
	}
	if j.kind == gbuffer {
		f.targets = float64(r.Whole(2, 5))
	}
	if j.kind == alpha || j.kind == uiPass {
		f.hiz, f.slow = f.hiz*0.3, r.Between(0, 0.5)
	}
	for u := range f.attain {
		f.seen[u] = r.Between(0.8, 1)
		f.attain[u] = min(0.97, max(0.45, m.attain[u]+r.Between(-0.14, 0.08)))
		f.seen[u] = max(f.seen[u], f.attain[u]) // what is done in a clock is done in a busy one
	}
	return f
}
