package rdna

import (
	"math"

	"astrolabe/capture/simulate"
)

// sketch draws a job of a frame, whose picture has so many pixels.
type sketch struct {
	name string
	draw func(r simulate.Random, pixels float64) job
}

// shaded64 is a program of wave64 that samples textures.
func shaded64(r simulate.Random, vectors, samples, filter float64) program {
	p := plain(0, 1)
	p.lanes, p.group, p.slots = 64, 1, simulate.Pick(r, 16.0, 24, 32, 32, 40)
	p.valu, p.trans, p.tex, p.filter, p.parallel = vectors, vectors*0.06, samples, filter, r.Between(1.5, 3)
	p.rounds = math.Ceil(max(1, samples/3))
	p.valu, p.trans, p.tex = p.valu/p.rounds, p.trans/p.rounds, p.tex/p.rounds
	p.miss = [4]float64{r.Between(0.06, 0.25), r.Between(0.5, 0.85), r.Between(0.2, 0.7), r.Between(0.2, 0.8)}
	p.salu, p.smem, p.spread, p.active = 6, 2, 0.25, 1
	return p
}

// meshed makes a draw of so many triangles that covers so many pixels, as rasterized.
func meshed(r simulate.Random, triangles, pixels float64) job {
	j := job{draw: true, tested: true, zwrite: true, samples: 1, colors: 4, passes: 1, squeeze: r.Between(0.35, 0.8)}
	v := plain(0, 1)
	v.lanes, v.group, v.slots = 64, 1, 32
	v.valu, v.loads, v.lookups, v.wide, v.parallel = r.Between(40, 160), r.Between(1, 4), r.Between(4, 12), r.Between(4, 12), 2.5
	v.miss, v.spread = [4]float64{0.5, 0.9, r.Between(0.2, 0.8), r.Between(0.3, 0.9)}, 0.15
	reuse := r.Between(0.55, 1.3) // vertices shaded for a triangle
	v.waves = math.Ceil(triangles * reuse / 64)
	j.vertex, j.prims = v, min(64/reuse, triangles)
	j.culled = r.Between(0.3, 0.65)
	j.setPixels(pixels)
	return j
}

// setPixels says how many pixels are inside of primitives: small ones leave much of their quads empty.
func (j *job) setPixels(pixels float64) {
	each := pixels / max(1, j.vertex.waves*j.prims*(1-j.culled)) // of a triangle
	j.cover = min(0.97, max(0.25, 1-1.3/math.Sqrt(each+1)))
	j.units = pixels / 64 / j.cover
	j.shader.waves = 1
}

// screen is a triangle over a part of the picture.
func screen(r simulate.Random, pixels float64) job {
	j := meshed(r, 1, pixels)
	j.vertex.loads, j.vertex.valu, j.culled, j.tested, j.cover = 0, 15, 0, false, 0.99
	j.units = pixels / 64 / j.cover
	return j
}

// computed is a dispatch over a picture.
func computed(r simulate.Random, pixels, vectors, samples float64) job {
	p := shaded64(r, vectors, samples, 1)
	p.lanes, p.group, p.waves = 32, simulate.Pick(r, 2, 4, 8), math.Ceil(pixels/32)
	p.stores, p.written = 1/p.rounds, r.Between(0.3, 1)
	return job{shader: p}
}

var sketches = []sketch{
	0: {"shadow map", func(r simulate.Random, px float64) job {
		j := meshed(r, r.Log(300, 3e5), r.Log(2e4, 2e6))
		j.colors, j.hidden, j.failing = 0, r.Between(0, 0.4), 0.2
		return j
	}},
	1: {"depth prepass", func(r simulate.Random, px float64) job {
		j := meshed(r, r.Log(300, 2e5), px*r.Log(0.02, 1))
		j.colors, j.hidden, j.failing = 0, r.Between(0, 0.5), 0.2
		return j
	}},
	2: {"opaque geometry", func(r simulate.Random, px float64) job {
		j := meshed(r, r.Log(200, 2e5), px*r.Log(0.005, 0.6))
		j.colors, j.passes = simulate.Pick(r, 8, 16.0, 20, 24), simulate.Pick(r, 2, 4.0, 5)
		j.hidden, j.failing = r.Between(0.05, 0.5), r.Between(0.05, 0.5)
		j.shader = shaded64(r, r.Log(50, 200), float64(r.Whole(3, 7)), r.Between(1, 4))
		return j
	}},
	3: {"forward geometry", func(r simulate.Random, px float64) job {
		j := meshed(r, r.Log(200, 1e5), px*r.Log(0.01, 0.8))
		j.colors, j.passes, j.samples = 8, 1, simulate.Pick(r, 1, 1, 2, 4.0)
		j.hidden, j.failing = r.Between(0.05, 0.5), r.Between(0.05, 0.5)
		j.shader = shaded64(r, r.Log(100, 600), float64(r.Whole(4, 12)), r.Between(1, 4))
		return j
	}},
	4: {"foliage", func(r simulate.Random, px float64) job {
		j := meshed(r, r.Log(5e3, 3e5), px*r.Log(0.05, 1))
		j.late, j.hidden, j.colors, j.passes = true, 0.1, 12, 3
		j.shader = shaded64(r, r.Log(40, 150), float64(r.Whole(2, 4)), r.Between(1, 3))
		return j
	}},
	5: {"particles", func(r simulate.Random, px float64) job {
		j := meshed(r, r.Log(200, 4e4), px*r.Log(0.2, 6))
		j.zwrite, j.blend, j.colors, j.passes, j.culled = false, true, 8, 2, 0.05
		j.hidden, j.failing, j.squeeze = 0.1, r.Between(0, 0.4), r.Between(0.5, 1)
		j.shader = shaded64(r, r.Log(15, 120), float64(r.Whole(1, 3)), r.Between(1, 2))
		return j
	}},
	6: {"user interface", func(r simulate.Random, px float64) job {
		j := meshed(r, r.Log(2, 3e3), px*r.Log(0.001, 0.8))
		j.tested, j.blend, j.culled = false, true, 0
		j.shader = shaded64(r, r.Log(8, 40), 1, 1)
		return j
	}},
	7: {"post processing", func(r simulate.Random, px float64) job {
		j := screen(r, px)
		j.colors = simulate.Pick(r, 4, 8.0)
		j.shader = shaded64(r, r.Log(30, 500), float64(r.Whole(1, 20)), r.Between(1, 2))
		return j
	}},
	8: {"small targets", func(r simulate.Random, px float64) job {
		j := screen(r, px*r.Log(0.0005, 0.06))
		j.colors = 8
		j.shader = shaded64(r, r.Log(20, 60), float64(r.Whole(4, 13)), 1)
		return j
	}},
	9: {"lighting", func(r simulate.Random, px float64) job {
		j := computed(r, px, r.Log(200, 1500), float64(r.Whole(6, 16)))
		j.shader.slots = simulate.Pick(r, 16.0, 24, 32)
		return j
	}},
	10: {"ambient occlusion", func(r simulate.Random, px float64) job {
		j := computed(r, px*simulate.Pick(r, 0.25, 1), r.Log(80, 400), float64(r.Whole(8, 32)))
		j.shader.miss[0] = r.Between(0.2, 0.6)
		return j
	}},
	11: {"temporal filter", func(r simulate.Random, px float64) job {
		j := computed(r, px, r.Log(120, 400), float64(r.Whole(9, 20)))
		j.shader.miss[2] = r.Between(0.5, 0.9)
		return j
	}},
	12: {"blur through local memory", func(r simulate.Random, px float64) job {
		j := computed(r, px*simulate.Pick(r, 0.25, 1), r.Log(60, 200), 2)
		j.shader.lds, j.shader.conflict, j.shader.barrier = r.Between(16, 80), r.Between(0, 3), true
		return j
	}},
	13: {"ray traversal", func(r simulate.Random, px float64) job {
		j := computed(r, px*simulate.Pick(r, 0.25, 0.5, 1), 0, 0)
		p := &j.shader
		p.rounds, p.loads, p.wide, p.lookups, p.valu = r.Between(10, 40), 1, 20, 20, r.Between(40, 90)
		p.slots, p.spread, p.active, p.parallel = simulate.Pick(r, 16.0, 20, 24), 0.7, 0.6, 1.3
		p.miss = [4]float64{r.Between(0.3, 0.7), 0.8, r.Between(0.1, 0.5), 0.5}
		p.stores /= p.rounds
		return j
	}},
	14: {"culling of instances", func(r simulate.Random, px float64) job {
		j := computed(r, r.Log(500, 2e5), r.Log(60, 200), 0)
		j.shader.loads, j.shader.wide, j.shader.miss = 4, 4, [4]float64{1, 0.9, 0.8, 0.6}
		return j
	}},
	15: {"network layer", func(r simulate.Random, px float64) job {
		j := computed(r, px*r.Log(0.1, 1), r.Log(1000, 4000), 0)
		p := &j.shader
		p.lds, p.conflict, p.loads, p.barrier, p.rounds, p.slots = r.Between(20, 60), 1, 3, true, r.Between(4, 16), 24
		p.valu, p.dual = p.valu/p.rounds, 0.3
		vectors(p)
		p.miss = [4]float64{0.8, 0.5, 0.3, 0.4}
		return j
	}},
	16: {"wireframe of a large model", func(r simulate.Random, px float64) job {
		j := meshed(r, r.Log(1e5, 3e6), px*r.Log(0.02, 0.5))
		j.culled = r.Between(0.05, 0.9)
		j.shader = shaded64(r, r.Log(8, 40), 0, 1)
		return j
	}},
	17: {"clear and copy", func(r simulate.Random, px float64) job {
		j := screen(r, px*r.Log(0.05, 2))
		j.colors, j.passes, j.squeeze = simulate.Pick(r, 4, 8, 16.0), simulate.Pick(r, 1, 2.0), 1
		j.shader = shaded64(r, 4, simulate.Pick(r, 0, 1.0), 1)
		j.shader.miss = [4]float64{1, 0.95, 1, 0.9}
		return j
	}},
	18: {"decals", func(r simulate.Random, px float64) job {
		j := meshed(r, 12, px*r.Log(0.001, 0.1))
		j.blend, j.zwrite, j.colors, j.passes = true, false, 16, 4
		j.shader = shaded64(r, r.Log(60, 160), 4, 2)
		return j
	}},
	19: {"terrain", func(r simulate.Random, px float64) job {
		j := meshed(r, r.Log(2e4, 6e5), px*r.Between(0.3, 0.7))
		j.colors, j.passes, j.hidden = 16, 4, 0.2
		j.shader = shaded64(r, r.Log(150, 500), float64(r.Whole(8, 20)), r.Between(2, 8))
		return j
	}},
}

// scenes are frames as programs draw them: sketches by their places, and how many of each at least and at most.
var scenes = []struct {
	name  string
	parts [][3]int
}{
	{"deferred game", [][3]int{{0, 2, 5}, {1, 1, 3}, {2, 6, 12}, {4, 0, 2}, {18, 0, 3}, {9, 1, 1}, {10, 1, 1}, {5, 1, 3}, {11, 1, 1}, {8, 2, 5}, {7, 1, 3}, {6, 1, 4}}},
	{"forward game", [][3]int{{0, 1, 3}, {1, 0, 4}, {3, 6, 14}, {5, 1, 4}, {7, 1, 3}, {8, 0, 4}, {6, 2, 6}}},
	{"open world", [][3]int{{0, 3, 6}, {19, 1, 2}, {4, 2, 5}, {2, 4, 9}, {14, 1, 2}, {9, 1, 2}, {11, 1, 1}, {7, 1, 3}}},
	{"effects", [][3]int{{3, 3, 6}, {5, 6, 14}, {7, 1, 3}, {8, 2, 5}, {6, 1, 3}}},
	{"strategy game of many small draws", [][3]int{{2, 16, 30}, {18, 6, 10}, {6, 6, 10}, {0, 2, 4}, {7, 1, 2}}},
	{"desktop and browser", [][3]int{{6, 10, 30}, {17, 1, 3}, {8, 2, 6}}},
	{"CAD viewer", [][3]int{{16, 3, 10}, {17, 1, 1}, {7, 0, 1}, {6, 1, 3}}},
	{"path tracer", [][3]int{{13, 2, 5}, {11, 1, 2}, {12, 1, 4}, {7, 1, 1}}},
	{"hybrid of rasterizer and rays", [][3]int{{2, 4, 8}, {13, 1, 2}, {9, 1, 1}, {12, 2, 4}, {11, 1, 1}, {7, 1, 2}}},
	{"upscaler", [][3]int{{15, 4, 10}, {17, 0, 2}, {11, 1, 1}, {7, 1, 1}}},
	{"video player", [][3]int{{17, 1, 3}, {7, 1, 3}, {6, 1, 6}}},
	{"geometry culled by the GPU", [][3]int{{14, 2, 5}, {1, 2, 4}, {16, 2, 5}, {2, 2, 5}, {9, 1, 1}}},
	{"filters of pictures", [][3]int{{12, 3, 8}, {10, 1, 3}, {17, 1, 3}, {7, 2, 6}}},
}

// sketched is a draw or dispatch that one thing should limit.
func sketched(r simulate.Random, thing int, px float64) job {
	j := meshed(r, r.Log(500, 5e3), px*r.Between(0.4, 1.5))
	j.colors, j.hidden, j.squeeze = 4, 0, 0.3
	j.shader = shaded64(r, 20, 1, 1)
	j.shader.miss = [4]float64{0.08, 0.5, 0.2, 0.3}
	small := func(p *program) {
		*p = shaded64(r, r.Between(4, 10), 0, 1)
		p.slots = 40
	}
	switch thing {
	case valu, lds, access, cache, wait:
		j = computed(r, px, 20, 0)
		p := &j.shader
		q := planted(r, thing)
		q.lanes, q.waves, q.written = 32, p.waves/4, 0.5
		if thing == wait {
			q.waves = r.Log(60, 500)
			q.slots = simulate.Pick(r, 4.0, 8, 16)
			q.group = 4
		} else {
			q.rounds = r.Log(2, 12)
		}
		if thing == valu && r.Chance(0.5) {
			j = meshed(r, r.Log(500, 5e3), px*r.Between(0.4, 1.5))
			j.hidden = 0.1
			j.shader = shaded64(r, r.Between(500, 2000), 2, 1)
			j.shader.miss = [4]float64{0.08, 0.5, 0.2, 0.3}
			break
		}
		*p = q
	case filter:
		j.shader = shaded64(r, r.Between(30, 80), float64(r.Whole(6, 16)), r.Between(3, 8))
		j.shader.miss = [4]float64{r.Between(0.01, 0.03), 0.5, 0.2, 0.3}
	case memory:
		if r.Chance(0.5) {
			j = sketches[17].draw(r, px*3)
			j.colors, j.passes = 16, 1
			break
		}
		j = computed(r, px*2, 15, 0)
		j.shader.loads, j.shader.stores, j.shader.miss, j.shader.written, j.shader.rounds = 2, 1, [4]float64{1, 1, 1, 1}, 1, 1
		vectors(&j.shader)
	case fixed:
		j = meshed(r, r.Log(2, 100), px*r.Log(1e-5, 1e-3))
		j.shader = shaded64(r, r.Between(10, 60), 1, 1)
	case fetch:
		j = meshed(r, r.Log(1e5, 2e6), 5e3)
		j.vertex.valu, j.vertex.loads, j.vertex.slots = 10, 0.3, 64
		j.prims, j.culled = r.Between(16, 30), r.Between(0.5, 0.9)
		j.setPixels(5e3)
		j.shader = shaded64(r, 10, 0, 1)
	case setup:
		j = meshed(r, r.Log(3e5, 3e6), 5e3)
		j.vertex.valu, j.vertex.loads, j.vertex.slots = 10, 0.3, 64
		j.vertex.waves *= 0.6
		j.prims, j.culled = r.Between(130, 220), r.Between(0.02, 0.08)
		j.setPixels(5e3)
		j.units = max(j.units, j.vertex.waves)
		j.culled = 0.3
		j.shader = shaded64(r, 10, 0, 1)
	case scan:
		j = meshed(r, r.Log(500, 5e3), px*r.Between(2, 8))
		small(&j.shader)
		j.hidden, j.failing, j.zwrite, j.colors, j.cover = 0, 0.7, false, 4, r.Between(0.15, 0.4)
	case depth:
		j = meshed(r, r.Log(500, 5e3), px*r.Between(2, 8))
		j.samples, j.colors, j.failing, j.cover = simulate.Pick(r, 4, 8.0), 0, 0.9, 0.97
		j.squeeze, j.shader.miss = 0.06, [4]float64{1, 1, 1, 0.2}
	case color:
		j = meshed(r, r.Log(200, 2e3), px*r.Between(2, 6))
		small(&j.shader)
		j.blend, j.zwrite, j.colors, j.passes, j.squeeze = r.Chance(0.6), false, 8, simulate.Pick(r, 2, 4.0), r.Between(0.05, 0.25)
		j.shader.miss = [4]float64{1, 1, 1, 0.3}
	}
	return j
}
