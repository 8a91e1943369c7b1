package amd

import "astrolabe/capture/simulate"

// plants are kinds that one candidate is meant to limit. What limits them in truth is found like that of all others.
var plants = [limits][]kind{
	arithmetic: {
		{name: "mathematics", flags: "regular", threads: span{1e5, 4e6}, shading: shading{valu: span{600, 20000}, loads: span{4, 12},
			stores: span{1, 1}, local: span{0, 100}, hit0: span{0.8, 0.95}, regs: span{24, 64}}},
		{name: "long pixel shader", prims: span{1e3, 30e3}, each: span{10, 100}, vertex: span{30, 100}, early: span{0.05, 0.5}, targets: span{1, 3},
			color: span{4, 12}, shading: shading{valu: span{600, 4000}, samples: span{1, 5}, filter: span{1, 1.3}, regs: span{32, 96}}},
	},
	texture: {
		{name: "filtered surfaces", prims: span{1e3, 30e3}, each: span{20, 100}, vertex: span{30, 100}, early: span{0.05, 0.5}, targets: span{1, 3},
			color: span{4, 8}, shading: shading{valu: span{80, 250}, samples: span{9, 24}, filter: span{2, 7}, batch: span{4, 8},
				regs: span{32, 64}, hit0: span{0.9, 0.97}, hit1: span{0.5, 0.8}}},
		{name: "filtered effect", flags: "untested", screen: span{0.25, 1}, targets: span{1, 1}, color: span{4, 8}, shading: shading{
			valu: span{40, 120}, samples: span{9, 25}, filter: span{1.5, 3}, batch: span{4, 8}, regs: span{32, 64}, hit0: span{0.9, 0.97}}},
		{name: "clouds", screen: span{0.06, 0.25}, shading: shading{valu: span{100, 400}, samples: span{30, 96}, filter: span{2, 4}, regs: span{40, 40},
			volume: span{0.8, 0.8}, stores: span{1, 1}, batch: span{6, 12}, hit0: span{0.9, 0.97}, hit2: span{0.6, 0.9}}},
	},
	loadStore: {{name: "scattered reads", threads: span{1e5, 5e6}, shading: shading{valu: span{50, 250}, loads: span{12, 60}, lines: span{8, 32},
		stores: span{0, 1}, batch: span{4, 12}, regs: span{24, 48}, conflict: span{0, 0.3}, hit0: span{0.93, 0.99}, hit1: span{0.5, 0.8},
		hit2: span{0.6, 0.9}}}},
	localMemory: {{name: "exchange", threads: span{1e5, 5e6}, shading: shading{valu: span{50, 300}, loads: span{1, 6}, stores: span{1, 2},
		local: span{50, 250}, bank: span{2, 12}, lds: span{2048, 8192}, regs: span{24, 64}}}},
	vertexFetch: {
		{name: "long strips", prims: span{200e3, 4e6}, each: span{0.1, 1}, reuse: span{1.6, 3}, culled: span{0.6, 0.9}, clipped: span{0, 0},
			vertex: span{12, 30}, fetched: span{6, 12}, early: span{0.05, 0.5}},
		{name: "points", prims: span{200e3, 3e6}, each: span{0.1, 1}, reuse: span{1.5, 2}, culled: span{0.5, 0.8}, clipped: span{0, 0},
			vertex: span{12, 40}, fetched: span{6, 12}, targets: span{1, 1}, color: span{4, 4}, shading: shading{valu: span{6, 30}}},
	},
	primitives: {{name: "cut triangles", prims: span{100e3, 3e6}, each: span{0.3, 2}, reuse: span{0.5, 0.7}, culled: span{0.1, 0.5},
		clipped: span{0.15, 0.6}, vertex: span{12, 40}, fetched: span{12, 12}, early: span{0.05, 0.5}}},
	rasterizer: {{name: "long and thin triangles", flags: "unwritten", prims: span{50e3, 2e6}, each: span{6, 60}, block: span{0.27, 0.45},
		reuse: span{0.55, 0.65}, coarse: span{0, 0.5}, early: span{0.5, 0.95}, vertex: span{20, 60}, fetched: span{12, 16}}},
	depth: {{name: "planes that do not compress", flags: "unwritten", prims: span{500, 20e3}, each: span{300, 4000}, culled: span{0, 0.3},
		reuse: span{0.6, 0.8}, stencil: span{0, 0.8}, early: span{0.6, 0.95}, expand: span{2, 4}, multi: span{1, 2}, vertex: span{20, 40},
		fetched: span{12, 12}, shading: shading{side: span{0.85, 0.97}}}},
	backend: {{name: "colors over colors", flags: "blend unwritten", prims: span{500, 60e3}, each: span{50, 1500}, culled: span{0, 0.1}, full: span{1, 1},
		vertex: span{20, 60}, targets: span{1, 4}, color: span{8, 32}, stay: span{0.3, 0.6}, surface: span{60e3, 500e3},
		shading: shading{valu: span{6, 30}, samples: span{0, 1}, side: span{0.8, 0.95}}}},
	bandwidth: {
		{name: "stream", flags: "regular", threads: span{5e6, 3e7}, shading: shading{valu: span{6, 60}, loads: span{1, 8}, stores: span{1, 2},
			bytes: span{4, 16}, regs: span{16, 48}, hit0: span{0, 0.2}, hit1: span{0, 0.1}, hit2: span{0, 0.1}, side: span{0, 0.4}}},
		{name: "wide fill", flags: "untested", screen: span{1, 3}, targets: span{1, 1}, color: span{16, 16}, stay: span{0.95, 1},
			shading: shading{valu: span{3, 10}, side: span{0, 0.3}}},
	},
	latency: {
		{name: "lists", threads: span{5e4, 1e6}, shading: shading{valu: span{60, 600}, loads: span{20, 150}, lines: span{1, 3}, batch: span{1, 1.25},
			regs: span{96, 250}, hit0: span{0, 0.5}, hit1: span{0, 0.3}, hit2: span{0.2, 0.8}}},
		{name: "few lists", threads: span{2e3, 2e4}, shading: shading{valu: span{60, 600}, loads: span{20, 150}, lines: span{1, 3}, batch: span{1, 1.25},
			regs: span{64, 64}, hit0: span{0, 0.5}, hit1: span{0, 0.3}, hit2: span{0.2, 0.8}}},
	},
	cache: {{name: "table in the second cache", threads: span{1e6, 2e7}, shading: shading{valu: span{40, 200}, loads: span{12, 40}, lines: span{1, 8},
		stores: span{0, 0.5}, batch: span{6, 12}, regs: span{24, 56}, hit0: span{0, 0.25}, hit1: span{0, 0.3}, hit2: span{0.94, 0.99}}}},
	launch: {
		{name: "single group", threads: span{64, 3e3}, shading: shading{valu: span{10, 100}, loads: span{1, 3}, stores: span{1, 1}, bytes: span{4, 4}}},
		{name: "small layer", flags: "blend untested", prims: span{2, 40}, each: span{4, 400}, reuse: span{2, 2}, culled: span{0, 0}, vertex: span{20, 20},
			targets: span{1, 1}, color: span{4, 4}, shading: shading{valu: span{6, 40}, samples: span{0, 1}}},
	},
}

// single takes draws of one plant, and now and then another draw beside them: no program does one thing only.
func (c *content) single(r simulate.Random, seed uint64) {
	n := int(seed % limits)
	c.plant = candidates[n].String()
	c.text, c.names = "work of "+c.plant, []string{c.plant}
	f := drawFrame(r, &c.machine)
	for range r.Whole(1, 4) {
		c.add(r, &plants[n][r.IntN(len(plants[n]))], &f, r.Whole(2, 8), 1, 0)
	}
	if r.Chance(0.4) {
		c.add(r, anyKind(r), &f, 1, 0.3, 0)
	}
}

// twoPhases are two contents, one after the other, each mostly of one kind of draw. Each is a session of the profiler.
func (c *content) twoPhases(r simulate.Random) {
	first := r.IntN(limits)
	second := (first + r.Whole(1, limits-1)) % limits
	c.text = "first " + candidates[first].String() + ", then " + candidates[second].String()
	c.names = []string{"first", "second"}
	for phase, n := range []int{first, second} {
		f := drawFrame(r, &c.machine)
		for range r.Whole(1, 3) {
			c.add(r, &plants[n][r.IntN(len(plants[n]))], &f, r.Whole(3, 8), 1, phase)
		}
		if r.Chance(0.5) {
			c.add(r, anyKind(r), &f, r.Whole(1, 2), 0.3, phase)
		}
	}
}
