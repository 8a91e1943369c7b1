package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// single takes draws that one candidate is meant to limit. What limits them in truth is found like that of all others.
func (c *content) single(r simulate.Random, seed uint64) {
	k := int(seed % limits)
	c.plant = candidates[k].String()
	c.text, c.names = "work of "+c.plant, []string{c.plant}
	f := drawFrame(r, &c.machine)
	for range r.Whole(1, 4) {
		c.add(r, c.plantOf(k), &f, r.Whole(2, 8), 1, 0)
	}
	if r.Chance(0.4) { // no program does one thing only
		c.add(r, passes()[simulate.Pick(r, passNames()...)], &f, 1, 0.3, 0)
	}
}

// plantOf makes draws that a candidate is likely to limit.
func (c *content) plantOf(k int) pass {
	switch k {
	case arithmetic, texture, loadStore, localMemory:
		return shaderPlants[k]
	case vertexFetch, primitives, rasterizer, depth, backend:
		return fixedPlants[k]
	case launch:
		return tiny
	}
	return memoryPlants[k]
}

var shaderPlants = map[int]pass{
	arithmetic: func(r simulate.Random, f *frame) draw {
		if r.Chance(0.5) {
			d := computes[simulate.Pick(r, "bodies", "lights", "upscale")](r, f)
			d.main.valu *= r.Log(2, 8)
			d.main.hit0, d.main.bank = math.Max(d.main.hit0, 0.85), 1
			d.main.vgprs = min(d.main.vgprs, 64)
			return d
		}
		d := graphics[simulate.Pick(r, "lighting", "opaque", "effect")](r, f)
		d.main.valu += r.Log(600, 4000)
		d.main.samples = math.Min(d.main.samples, 5)
		d.main.filter = math.Min(d.main.filter, 1.3)
		if d.prims > 1 {
			d.prims, d.verts = d.prims/4, d.verts/4
			d.full = math.Max(d.full, 0.8)
		}
		return d
	},
	texture: func(r simulate.Random, f *frame) draw {
		if r.Chance(0.25) {
			d := computes["march"](r, f)
			d.main.valu = d.main.samples * r.Between(3, 6)
			d.main.filter, d.main.hit0 = r.Between(2, 4), r.Between(0.9, 0.97)
			d.main.rounds = d.main.samples / r.Between(6, 12)
			d.main.vgprs = 40
			return d
		}
		d := graphics[simulate.Pick(r, "surfaces", "opaque", "effect", "decal")](r, f)
		d.main.samples += float64(r.Whole(6, 16))
		d.main.valu = 20 + d.main.samples*r.Between(3, 10)
		d.main.filtered(r, r.Between(2, 7))
		d.main.hit0, d.main.hit1 = r.Between(0.9, 0.97), r.Between(0.5, 0.8)
		d.main.rounds = d.main.samples / r.Between(4, 8)
		d.main.vgprs = r.Whole(32, 64)
		if d.prims > 1 {
			d.quads = math.Max(d.quads, d.prims*r.Between(10, 60))
			d.full = 0.92
		}
		return d
	},
	loadStore: func(r simulate.Random, f *frame) draw {
		d := computes[simulate.Pick(r, "sparse", "skin", "stencil", "copy")](r, f)
		p := &d.main
		p.loads = math.Max(p.loads, r.Between(12, 60))
		p.valu = p.loads * r.Between(3, 8)
		p.loadLines = p.lanes / r.Between(2, 8)
		p.rounds = p.loads / r.Between(4, 12)
		p.hit0, p.hit1, p.hit2 = r.Between(0.93, 0.99), r.Between(0.5, 0.8), r.Between(0.6, 0.9)
		p.stores, p.vgprs, p.spread = math.Min(p.stores, 1), r.Whole(24, 48), 2
		return d
	},
	localMemory: func(r simulate.Random, f *frame) draw {
		d := computes[simulate.Pick(r, "waves", "histogram", "sort", "blur", "multiply")](r, f)
		p := &d.main
		p.local += r.Between(30, 150)
		p.bank = math.Max(p.bank, r.Between(2, 12))
		p.lds = math.Min(p.lds, 8192)
		p.barriers, p.atomics = math.Min(p.barriers, 6), 0
		p.valu = math.Min(p.valu, p.local*r.Between(1.5, 6))
		p.loads = math.Min(p.loads, p.local/12)
		p.stores = math.Min(p.stores, 2)
		p.rounds = math.Min(p.rounds, 4)
		p.vgprs = min(p.vgprs, 64)
		return d
	},
}

var fixedPlants = map[int]pass{
	vertexFetch: func(r simulate.Random, f *frame) draw {
		d := graphics[simulate.Pick(r, "model", "shadow", "depth")](r, f)
		d.prims = math.Max(d.prims, r.Log(200e3, 4e6))
		d.verts = d.prims * r.Between(1.6, 3)
		d.culled, d.clipped = r.Between(0.6, 0.9), 0
		d.vertex = vertexProgram(r, r.Between(12, 30), simulate.Pick(r, 6.0, 8, 12))
		d.vertex.hit0, d.vertex.loadLines = r.Between(0.6, 0.85), 2
		d.quads = d.prims * r.Between(0.02, 0.5)
		d.samples, d.late, d.main.lanes = 1, false, 64
		return d
	},
	primitives: func(r simulate.Random, f *frame) draw {
		d := graphics[simulate.Pick(r, "model", "shadow", "depth")](r, f)
		d.prims = math.Max(d.prims, r.Log(100e3, 3e6))
		d.verts = d.prims * r.Between(0.5, 0.7)
		d.culled, d.clipped = r.Between(0.1, 0.5), r.Between(0.15, 0.6)
		d.vertex = vertexProgram(r, r.Between(12, 40), 12)
		d.quads = d.prims * r.Between(0.3, 2)
		d.samples, d.late = 1, false
		return d
	},
	rasterizer: func(r simulate.Random, f *frame) draw {
		d := graphics[simulate.Pick(r, "depth", "shadow")](r, f)
		d.quads = math.Max(d.quads, r.Log(2e6, 40e6))
		d.prims = d.quads / r.Between(6, 60)
		d.verts = d.prims * 0.6
		d.block = r.Between(0.27, 0.45) // long and thin
		d.hierarchical, d.expand, d.samples, d.late = r.Between(0, 0.5), r.Between(0.9, 1.2), 1, false
		d.early, d.written = r.Between(0.5, 0.95), r.Chance(0.3)
		return d
	},
	depth: func(r simulate.Random, f *frame) draw {
		d := stencilVolume(r, f)
		if r.Chance(0.4) {
			d = graphics["depth"](r, f)
			d.expand, d.samples = r.Between(2, 4), 4
			d.early, d.hierarchical = r.Between(0.6, 0.95), 0
		}
		d.samples = math.Max(d.samples, 2)
		d.expand = math.Max(d.expand, 2)
		d.quads = math.Max(d.quads, r.Log(1e6, 20e6))
		d.prims = math.Min(d.prims, d.quads/20)
		d.verts = d.prims * 0.7
		d.block = 0.85
		d.early, d.written = math.Max(d.early, 0.6), false
		d.main.infinity = r.Between(0.85, 0.97)
		return d
	},
	backend: func(r simulate.Random, f *frame) draw {
		d := graphics[simulate.Pick(r, "particles", "layers", "clear")](r, f)
		d.blend = r.Chance(0.8)
		d.surface = r.Log(60e3, 500e3)
		d.quads = math.Max(d.quads, r.Log(1e6, 20e6))
		d.prims = math.Min(d.prims, d.quads/30)
		d.verts = d.prims * 1.5
		d.bytes = simulate.Pick(r, 8.0, 8, 16)
		if r.Chance(0.3) {
			d.targets, d.bytes = 4, 32
		}
		if d.bytes == 16 {
			d.slow = 0.95
		}
		d.compress = r.Between(0.3, 0.6)
		d.main = pixelProgram(r, r.Between(6, 30), float64(r.Whole(0, 1)))
		d.early, d.hierarchical, d.full, d.block = 0, 0, 0.97, 0.93
		d.main.infinity = r.Between(0.8, 0.95)
		return d
	},
}

var memoryPlants = map[int]pass{
	bandwidth: func(r simulate.Random, f *frame) draw {
		if r.Chance(0.25) {
			d := graphics["clear"](r, f)
			d.bytes, d.compress = 16, 1
			d.quads *= r.Between(1, 3)
			d.main.infinity = r.Between(0, 0.3)
			return d
		}
		d := computes[simulate.Pick(r, "copy", "vector", "activate")](r, f)
		d.groups = math.Max(d.groups, 20e3)
		d.main.hit0, d.main.hit1, d.main.hit2 = r.Between(0, 0.2), r.Between(0, 0.1), r.Between(0, 0.1)
		d.main.infinity = r.Between(0, 0.4)
		d.main.vgprs = r.Whole(16, 48)
		d.main.rounds = math.Min(d.main.rounds, 4)
		return d
	},
	latency: func(r simulate.Random, f *frame) draw {
		d := computes[simulate.Pick(r, "chase", "sparse")](r, f)
		p := &d.main
		p.loads = r.Between(20, 150)
		p.loadLines = r.Between(1, 3)
		p.rounds = p.loads * r.Between(0.8, 1)
		p.valu = p.loads * r.Between(2, 8)
		p.vgprs, p.spread = r.Whole(96, 250), 2
		p.hit0, p.hit1, p.hit2 = r.Between(0, 0.5), r.Between(0, 0.3), r.Between(0.2, 0.8)
		p.stores = 0
		if r.Chance(0.4) {
			p.vgprs = 64
			d.groups = r.Between(20, 200) // too few to fill the GPU
		}
		return d
	},
	cache: func(r simulate.Random, f *frame) draw {
		d := computes[simulate.Pick(r, "stencil", "multiply", "vector")](r, f)
		d.groups = math.Max(d.groups, 4000)
		p := &d.main
		p.loads = math.Max(p.loads, r.Between(12, 40))
		p.loadLines = p.lanes * simulate.Pick(r, 4.0, 8, 16) / line
		p.loadLines = math.Max(1, p.loadLines)
		p.valu = p.loads * r.Between(3, 8)
		p.local = math.Min(p.local, p.loads)
		p.rounds = p.loads / r.Between(6, 12)
		p.hit0, p.hit1 = r.Between(0, 0.25), r.Between(0, 0.3)
		p.hit2 = r.Between(0.94, 0.99)
		p.vgprs, p.lds, p.stores = r.Whole(24, 56), 0, math.Min(p.stores, 0.5)
		return d
	},
}

// tiny is a draw or dispatch that is over before the GPU has filled.
func tiny(r simulate.Random, f *frame) draw {
	if r.Chance(0.5) {
		d := computes["small"](r, f)
		d.groups = r.Between(1, 12)
		d.main.rounds = math.Min(d.main.rounds, 2)
		d.main.valu = math.Min(d.main.valu, 100)
		return d
	}
	d := graphics["layers"](r, f)
	d.quads = r.Log(20, 8e3)
	d.prims, d.verts = 2*float64(r.Whole(1, 20)), 8
	d.main.samples = math.Min(d.main.samples, 1)
	return d
}
