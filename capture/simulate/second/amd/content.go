package amd

import "math"

// content is a kind of frame: the passes of one.
type content struct {
	name string
	make func(*author) []draw
}

var contents = []content{
	{"deferred game", (*author).deferred},
	{"forward with much alpha", (*author).forward},
	{"open world", (*author).world},
	{"user interface", (*author).interfaces},
	{"video", (*author).video},
	{"inference", (*author).inference},
	{"simulation", (*author).simulation},
	{"path tracer", (*author).tracer},
	{"loading screen", (*author).loading},
	{"viewer of drawings", (*author).viewer},
	{"effects", (*author).effects},
	{"data processing", (*author).tables},
	{"stereo with multisampling", (*author).stereo},
}

// repeat makes several draws of a pass.
func repeat(n int, one func() draw) (out []draw) {
	for range n {
		out = append(out, one())
	}
	return out
}

// count draws a number of draws.
func (a *author) count(low, high int) int { return low + a.IntN(high-low+1) }

func (a *author) shadows(detail float64) []draw {
	size := a.wide(1024*1024, 4096*4096)
	return repeat(a.count(2, 6), func() draw {
		d := a.mesh("shadow", detail*a.wide(5e4, 6e5), size*a.between(0.5, 1.8))
		d.colorMiss = a.between(0.3, 0.8)
		if a.chance(0.3) { // foliage is tested by its alpha
			d = a.shaded(d, a.between(8, 20), 1, 0, 0)
			d.late = true
		}
		return d
	})
}

func (a *author) post() (out []draw) {
	p := a.pixels
	d := a.dispatch("temporal", p, a.between(120, 260), 3)
	d.ps.tex, d.ps.filter = a.between(8, 16), a.between(1, 1.6)
	out = append(out, d)
	for scale := 4.0; scale <= 64; scale *= 4 {
		out = append(out, a.screen("bloom", p/scale, a.between(30, 70), a.between(5, 13)))
	}
	d = a.screen("tone", p, a.between(60, 140), a.between(2, 5))
	d.texel, d.slow = 4, 1
	return append(out, d)
}

func (a *author) deferred() []draw {
	out := a.shadows(1)
	overdraw := a.between(1.2, 2.8)
	parts := a.count(5, 12)
	out = append(out, repeat(parts, func() draw {
		px := a.pixels * overdraw / float64(parts) * a.wide(0.4, 2)
		d := a.mesh("gbuffer", a.wide(3e4, 4e5), px)
		d = a.shaded(d, a.between(60, 180), a.between(3, 8), float64(3+a.IntN(2)), 16)
		d.ps.filter = a.between(1.6, 3.2)
		return d
	})...)
	ao := a.dispatch("occlusion", a.pixels/[]float64{1, 4}[a.IntN(2)], a.between(150, 320), 0)
	ao.ps.tex, ao.ps.filter, ao.ps.hit0 = a.between(12, 26), 1, a.between(0.6, 0.85)
	light := a.dispatch("lighting", a.pixels, a.wide(250, 1400), a.between(6, 14))
	light.ps.tex, light.ps.filter, light.ps.lds, light.ps.conflict = a.between(5, 9), 1.2, a.between(4, 25), 0.2
	out = append(out, ao, light)
	return append(out, a.post()...)
}

func (a *author) forward() []draw {
	out := a.shadows(0.6)
	out = append(out, repeat(a.count(5, 12), func() draw {
		d := a.mesh("opaque", a.wide(2e4, 2e5), a.pixels*a.between(0.1, 0.5))
		d.samples = []float64{1, 1, 2, 4}[a.IntN(4)]
		return a.shaded(d, a.wide(120, 500), a.between(4, 10), 1, 8*d.samples)
	})...)
	out = append(out, repeat(a.count(6, 14), func() draw {
		d := a.mesh("alpha", a.wide(2e3, 6e4), a.pixels*a.wide(0.3, 4))
		d.blend, d.depthOut, d.slow, d.quad = true, false, a.between(1, 2.4), a.between(0.8, 0.95)
		return a.shaded(d, a.between(20, 90), a.between(1, 4), 1, 8)
	})...)
	return append(out, a.post()...)
}

func (a *author) world() []draw {
	out := a.shadows(2)
	out = append(out, repeat(a.count(10, 25), func() draw { // what was not batched
		d := a.mesh("props", a.wide(100, 6000), a.wide(1000, 60000))
		d = a.shaded(d, a.between(40, 150), a.between(2, 6), 1, 8)
		d.setup = a.wide(2500, 8000)
		return d
	})...)
	out = append(out, repeat(a.count(4, 10), func() draw {
		prims := a.wide(2e5, 2e6)
		d := a.mesh("terrain", prims, prims*a.wide(0.5, 6))
		return a.shaded(d, a.between(40, 120), a.between(2, 5), 1, 8)
	})...)
	return append(out, a.post()...)
}

func (a *author) interfaces() (out []draw) {
	out = repeat(a.count(15, 40), func() draw {
		d := a.mesh("widgets", a.wide(10, 2000), a.pixels*a.wide(0.002, 1))
		d.blend, d.depth, d.depthOut, d.hiZ, d.early, d.culled = a.chance(0.8), false, false, 0, 0, 0
		d.quad = a.between(0.7, 0.97)
		return a.shaded(d, a.between(8, 40), a.between(1, 2), 1, 4)
	})
	blur := a.screen("blur", a.pixels*a.between(0.1, 0.5), a.between(30, 60), a.between(9, 25))
	blur.ps.hit0 = a.between(0.85, 0.95)
	return append(out, blur)
}

func (a *author) video() (out []draw) {
	return repeat(a.count(6, 16), func() draw {
		px := a.pixels * a.between(0.3, 1)
		switch a.IntN(3) {
		case 0:
			d := a.dispatch("convert", px, a.between(25, 60), a.between(2, 4))
			d.ps.hit0, d.hit2 = a.between(0.1, 0.4), a.between(0.1, 0.3)
			return d
		case 1:
			return a.screen("scale", px, a.between(30, 80), a.between(4, 16))
		}
		d := a.dispatch("denoise", px, a.between(150, 500), a.between(4, 9))
		d.ps.lds, d.ps.conflict = a.between(20, 70), a.between(0, 0.8)
		return d
	})
}

func (a *author) inference() []draw {
	return repeat(a.count(15, 35), func() draw {
		switch k := a.IntN(5); k {
		case 0, 1:
			d := a.dispatch("matmul", a.wide(3e4, 8e5), a.wide(600, 3500), a.between(8, 24))
			d.ps.lds, d.ps.conflict = d.ps.valu*a.between(0.1, 0.35), a.between(0, 0.4)
			d.ps.occupancy, d.hit2 = math.Floor(a.between(3, 9)), a.between(0.6, 0.95)
			return d
		case 2:
			d := a.dispatch("depthwise", a.wide(1e5, 3e6), a.between(40, 120), a.between(5, 12))
			d.ps.hit0 = a.between(0.4, 0.8)
			return d
		case 3:
			d := a.dispatch("elementwise", a.wide(1e5, 6e6), a.between(8, 40), a.between(2, 4))
			d.ps.hit0, d.ps.hit1, d.hit2 = 0.05, 0, a.between(0.05, 0.5)
			return d
		}
		d := a.dispatch("reduce", a.wide(4e3, 4e5), a.between(30, 120), a.between(3, 6))
		d.ps.rounds, d.ps.lds = 3+a.IntN(5), a.between(6, 20)
		return d
	})
}

func (a *author) simulation() []draw {
	return repeat(a.count(10, 25), func() draw {
		threads := a.wide(6e4, 4e6)
		switch a.IntN(4) {
		case 0:
			d := a.dispatch("pairs", threads, a.wide(500, 3000), a.between(4, 10))
			d.ps.lds, d.ps.conflict = a.between(20, 120), a.between(0, 0.5)
			return d
		case 1:
			d := a.dispatch("stencil", threads, a.between(40, 130), a.between(5, 10))
			d.ps.hit0, d.hit2 = a.between(0.55, 0.8), a.between(0.1, 0.5)
			return d
		case 2:
			d := a.dispatch("sort", threads, a.between(60, 160), a.between(4, 8))
			d.ps.lds, d.ps.conflict, d.ps.spread = a.between(30, 110), a.between(0.3, 2), a.between(1.5, 3)
			return d
		}
		d := a.dispatch("scatter", threads, a.between(20, 80), a.between(3, 8))
		d.ps.spread, d.ps.hit0, d.hit2 = a.between(2, 7), a.between(0.1, 0.4), a.between(0.3, 0.9)
		return d
	})
}

func (a *author) tracer() []draw {
	out := repeat(a.count(5, 12), func() draw {
		d := a.chain("trace", a.pixels*a.between(0.3, 1), 5+a.IntN(8), a.between(1, 3), a.wide(12, 90))
		d.ps.spread, d.ps.active = a.between(1.5, 6), a.between(0.4, 0.8)
		d.ps.occupancy, d.ps.hit0 = math.Floor(a.between(3, 9)), a.between(0.35, 0.75)
		d.hit2 = a.between(0.5, 0.9)
		return d
	})
	return append(out, a.post()...)
}

func (a *author) loading() []draw {
	return repeat(a.count(12, 30), func() draw {
		if a.chance(0.6) {
			d := a.dispatch("upload", a.wide(1e4, 3e6), a.between(6, 20), a.between(1, 3))
			d.ps.hit0, d.ps.hit1, d.hit2, d.ps.rounds = 0, 0, a.between(0, 0.2), 1
			d.setup = a.wide(2000, 12000)
			return d
		}
		d := a.screen("mip", a.wide(1e3, 1e6), a.between(10, 20), a.between(1, 4))
		d.setup = a.wide(2000, 9000)
		return d
	})
}

func (a *author) viewer() []draw {
	indexed := a.chance(0.6)
	out := repeat(a.count(6, 16), func() draw {
		prims := a.wide(1e5, 3e6)
		d := a.mesh("solids", prims, math.Min(prims*a.wide(0.3, 5), 3*a.pixels))
		if !indexed {
			d.vertices = 3 * prims
			d.vs.waves = d.vertices / 31
		}
		d.culled, d.samples, d.zPacked = a.between(0.1, 0.6), []float64{1, 4, 8}[a.IntN(3)], a.between(0.04, 0.15)
		return a.shaded(d, a.between(15, 60), 0, 1, 4*d.samples)
	})
	return append(out, a.screen("resolve", a.pixels, a.between(10, 25), 4))
}

func (a *author) effects() []draw {
	half := []float64{1, 0.25}[a.IntN(2)]
	out := repeat(a.count(4, 8), func() draw {
		d := a.mesh("ground", a.wide(1e4, 1e5), a.pixels*a.between(0.1, 0.4))
		return a.shaded(d, a.between(40, 120), a.between(2, 5), 1, 8)
	})
	return append(out, repeat(a.count(6, 16), func() draw {
		d := a.mesh("smoke", a.wide(1e3, 4e4), a.pixels*half*a.wide(1, 8))
		d.blend, d.depthOut, d.slow, d.hiZ, d.early = true, false, a.between(1, 3), a.between(0, 0.15), a.between(0, 0.1)
		d.quad, d.culled = a.between(0.85, 0.96), 0
		return a.shaded(d, a.between(12, 60), a.between(1, 3), 1, 8)
	})...)
}

func (a *author) tables() []draw {
	return repeat(a.count(6, 16), func() draw {
		rows := a.wide(2e5, 6e6)
		switch a.IntN(3) {
		case 0:
			d := a.dispatch("scan", rows, a.between(20, 60), a.between(3, 8))
			d.ps.hit0, d.ps.hit1, d.hit2, d.ps.rounds = 0.05, 0, a.between(0.05, 0.3), 1
			return d
		case 1:
			d := a.chain("probe", rows*a.between(0.05, 0.3), 4+a.IntN(6), 1, a.between(8, 20))
			d.ps.spread, d.ps.stores, d.ps.occupancy = a.wide(1, 6), 0.2, math.Floor(a.between(2, 8))
			d.ps.hit0, d.ps.hit1, d.hit2 = a.between(0.05, 0.3), 0.1, a.between(0.3, 0.8)
			return d
		}
		d := a.dispatch("group", rows, a.between(60, 150), a.between(2, 5))
		d.ps.lds, d.ps.conflict = a.between(15, 60), a.between(0.3, 2)
		return d
	})
}

func (a *author) stereo() []draw {
	samples := []float64{2, 4, 4}[a.IntN(3)]
	detail := a.wide(0.4, 3)
	out := repeat(a.count(3, 8), func() draw {
		d := a.mesh("prepass", detail*a.wide(4e4, 4e5), 2*a.pixels*a.between(0.2, 0.8))
		d.samples, d.zPacked = samples, a.between(0.04, 0.12)
		return d
	})
	return append(out, repeat(a.count(5, 12), func() draw {
		d := a.mesh("opaque", detail*a.wide(4e4, 4e5), 2*a.pixels*a.between(0.05, 0.3))
		d.samples, d.zPacked, d.depthOut = samples, a.between(0.04, 0.12), false
		return a.shaded(d, a.between(60, 220), a.between(2, 6), 1, 4*samples)
	})...)
}

// mixture is passes of any kind.
func (a *author) mixture() []draw {
	return repeat(a.count(5, 18), func() draw {
		d := a.single(cause(a.IntN(int(gpuCauses))))
		for _, s := range []*shader{&d.vs, &d.ps} { // blur what it was made for
			s.valu *= a.wide(0.5, 4)
			s.tex *= a.wide(0.4, 2)
			s.loads *= a.wide(0.5, 2)
			s.lds *= a.wide(0.4, 2)
			s.hit0 *= a.between(0.7, 1)
			s.occupancy = math.Round(clamp(s.occupancy*a.wide(0.5, 2), 1, 16))
		}
		d.hit2 *= a.between(0.6, 1)
		return d
	})
}
