package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// drawn is where a pass comes from: random numbers, and the pixels of the screen.
type drawn struct {
	simulate.Random
	px float64
	d  *device
}

// screenOf draws the pixels of a screen that suits the device.
func (r *drawn) screenOf() {
	switch {
	case r.d.cu < 20:
		r.px = simulate.Pick(r.Random, 1280*800.0, 1280*720, 1920*1080)
	case r.d.cu < 50:
		r.px = simulate.Pick(r.Random, 1920*1080.0, 1920*1080, 2560*1440)
	default:
		r.px = simulate.Pick(r.Random, 2560*1440.0, 3440*1440, 3840*2160)
	}
}

// base is a pass that nothing is special about.
func (r *drawn) base(label string) *work {
	w := &work{label: label, tests: 1, format: 1, draws: 1, spread: r.Between(0.1, 0.6), seed: r.Uint64(),
		cull: r.Between(0.35, 0.6), clip: r.Between(0, 0.02), hiz: r.Between(0.1, 0.5), early: r.Between(0.05, 0.35),
		l0: r.Between(0.6, 0.93), l1: r.Between(0.2, 0.55), l2: r.Between(0.5, 0.9), last: r.Between(0.3, 0.8),
		overhead: r.Between(900, 3200), missing: r.Between(0.35, 1.3), keeps: r.Between(0.2, 0.5), lanes: r.Between(0.6, 1)}
	for i := range w.eff {
		w.eff[i] = r.Between(0.74, 0.96)
	}
	return w
}

// vertices gives a pass geometry. quads is how many of them a primitive that is not culled covers.
func (r *drawn) vertices(w *work, prims, quads float64) {
	w.prims, w.verts = prims, prims*r.Between(0.55, 1.3)
	w.quads, w.tess = w.survive()*quads, prims > 5e4 && r.Chance(0.06)
	w.vs = shader{waves: w.verts / 32 * 1.05, alu: r.Between(25, 110), loads: r.Between(2, 6), lines: r.Between(1.5, 5),
		filter: 1, deps: r.Between(1, 2.5), held: r.Between(0.4, 1)}
}

// pixels gives a pass what its pixels do; its quads are known.
func (r *drawn) pixels(w *work, alu, tex float64) {
	w.ps = shader{waves: w.shaded() / 8, alu: alu, tex: tex, filter: r.filter(), loads: r.Between(0, 3),
		lines: r.Between(1, 2), deps: 1 + r.Between(0, 0.35)*tex, held: r.Between(0.3, 0.9)}
	if tex == 0 {
		w.ps.deps = 0.5
	}
}

// filter is what samples cost: trilinear ones twice, anisotropic ones more.
func (r *drawn) filter() float64 {
	if r.Chance(0.35) {
		return 1
	}
	return r.Between(1.1, 2.6)
}

// screen makes a pass one of the whole screen, or a share of it.
func (r *drawn) screen(w *work, share float64) {
	w.prims, w.verts, w.cull, w.hiz, w.early = 2, 4, 0, 0, 0
	w.quads = r.px / 4 * share
	w.vs = shader{waves: 1, alu: 12, filter: 1, held: 1}
	w.l0, w.targets = r.Between(0.75, 0.95), 1
}

// kinds of passes of pictures and of compute.
var passKinds = map[string]func(r *drawn) *work{
	"shadow map": func(r *drawn) *work {
		w := r.base("shadow map")
		r.vertices(w, r.Log(5e4, 9e5), r.Log(1.5, 20))
		w.zwrite, w.tests, w.draws = true, r.Between(1, 2), r.Log(1, 10)
		return w
	},
	"depth prepass": func(r *drawn) *work {
		w := r.base("depth prepass")
		prims := r.Log(5e4, 1e6)
		r.vertices(w, prims, r.px/4*r.Between(1, 2.5)/(prims*(1-w.cull)))
		w.zwrite, w.draws = true, r.Log(1, 8)
		return w
	},
	"geometry": func(r *drawn) *work {
		w := r.base("geometry")
		prims := r.Log(5e4, 1.5e6)
		r.vertices(w, prims, r.px/4*r.Between(1.2, 3)/(prims*(1-w.cull)))
		w.early = r.Between(0.3, 0.6)
		r.pixels(w, r.Log(50, 220), math.Round(r.Between(2, 8)))
		w.targets = math.Round(r.Between(2, 5))
		w.bytes, w.format, w.zwrite, w.draws = 4*w.targets+r.Between(0, 8), w.targets*r.Between(1, 1.4), true, r.Log(1, 12)
		return w
	},
	"forward": func(r *drawn) *work {
		w := r.base("forward")
		prims := r.Log(3e4, 8e5)
		r.vertices(w, prims, r.px/4*r.Between(1.3, 3.5)/(prims*(1-w.cull)))
		w.early = r.Between(0.3, 0.6)
		r.pixels(w, r.Log(120, 700), math.Round(r.Between(4, 14)))
		w.targets, w.bytes, w.format, w.zwrite, w.draws = 1, r.Between(4, 8), r.Between(1, 2), true, r.Log(1, 12)
		return w
	},
	"lighting": func(r *drawn) *work {
		w := r.base("lighting")
		r.screen(w, 1)
		r.pixels(w, r.Log(150, 900), math.Round(r.Between(4, 10)))
		w.ps.filter, w.bytes, w.format = 1, 8, 2
		return w
	},
	"occlusion": func(r *drawn) *work {
		w := r.base("occlusion")
		r.screen(w, simulate.Pick(r.Random, 0.25, 1))
		r.pixels(w, r.Log(90, 250), math.Round(r.Between(10, 32)))
		w.ps.filter, w.bytes, w.l0, w.l2 = 1, 1, r.Between(0.5, 0.85), r.Between(0.6, 0.95)
		return w
	},
	"particles": func(r *drawn) *work {
		w := r.base("particles")
		prims := r.Log(2e3, 6e4)
		r.vertices(w, prims, r.px/4*r.Log(0.5, 8)/(prims*(1-w.cull)))
		w.cull, w.early, w.blend, w.keeps = 0.02, r.Between(0, 0.2), true, r.Between(0.4, 0.85)
		r.pixels(w, r.Log(15, 90), math.Round(r.Between(1, 3)))
		w.bytes, w.format, w.l0, w.draws = 8, r.Between(1.6, 4), r.Between(0.85, 0.97), r.Log(1, 5)
		return w
	},
	"post": func(r *drawn) *work {
		w := r.base("post")
		r.screen(w, r.Log(0.25, 1))
		r.pixels(w, r.Log(20, 140), math.Round(r.Between(1, 9)))
		w.ps.filter, w.bytes, w.l2, w.last = 1, simulate.Pick(r.Random, 4.0, 8), r.Between(0.1, 0.6), r.Between(0.1, 0.6)
		return w
	},
	"interface": func(r *drawn) *work {
		w := r.base("interface")
		prims := r.Log(100, 8e3)
		r.vertices(w, prims, r.px/4*r.Between(0.1, 1.2)/prims)
		w.cull, w.hiz, w.early, w.blend, w.draws = 0, 0, 0, true, r.Log(3, 40)
		r.pixels(w, r.Log(8, 40), 1)
		w.ps.filter, w.bytes, w.format, w.overhead = 1, 4, r.Between(1, 2), r.Between(300, 1200)
		return w
	},
	"foliage": func(r *drawn) *work {
		w := r.base("foliage")
		prims := r.Log(2e5, 3e6)
		r.vertices(w, prims, r.Between(0.8, 3))
		w.cull, w.late, w.early = r.Between(0, 0.2), true, 0
		r.pixels(w, r.Log(40, 160), math.Round(r.Between(1, 4)))
		w.bytes, w.format, w.zwrite, w.draws = 8, r.Between(1, 2), true, r.Log(2, 12)
		return w
	},
	"multisampled": func(r *drawn) *work {
		w := r.base("multisampled")
		prims := r.Log(3e4, 5e5)
		r.vertices(w, prims, r.px/4*r.Between(1.5, 5)/(prims*(1-w.cull)))
		w.tests, w.early = simulate.Pick(r.Random, 4.0, 8), r.Between(0.4, 0.7)
		r.pixels(w, r.Log(40, 200), math.Round(r.Between(1, 5)))
		w.bytes, w.format, w.zwrite, w.draws = 8, r.Between(1, 2), true, r.Log(1, 8)
		return w
	},
	"culling": func(r *drawn) *work {
		return r.kernel("culling", r.Log(500, 3e4), r.Log(60, 250), r.Between(4, 14), 0)
	},
	"light lists": func(r *drawn) *work {
		return r.kernel("light lists", r.px/32/16, r.Log(200, 1500), r.Between(10, 60), r.Between(10, 80))
	},
	"blur": func(r *drawn) *work {
		w := r.kernel("blur", r.px/32, r.Log(30, 150), r.Between(1, 3), r.Between(8, 60))
		w.l2 = r.Between(0.1, 0.6)
		return w
	},
	"simulation": func(r *drawn) *work {
		w := r.kernel("simulation", r.Log(2e3, 6e4), r.Log(60, 900), r.Between(6, 40), r.Between(0, 20))
		w.ps.lines = r.Log(1.5, 24)
		return w
	},
	"rays": func(r *drawn) *work {
		w := r.kernel("rays", r.px/32*r.Log(0.25, 1), r.Log(150, 900), r.Between(10, 40), r.Between(0, 20))
		w.rays, w.ps.lines, w.ps.deps, w.ps.held = r.Between(10, 60), r.Log(3, 14), r.Between(8, 40), r.Between(0.2, 0.6)
		w.l0, w.l2 = r.Between(0.4, 0.7), r.Between(0.4, 0.8)
		return w
	},
	"matrices": func(r *drawn) *work {
		w := r.kernel("matrices", r.Log(2e3, 4e4), r.Log(800, 6000), r.Between(20, 80), r.Between(100, 700))
		w.l0, w.l2, w.ps.held = r.Between(0.3, 0.6), r.Between(0.85, 0.98), r.Between(0.2, 0.5)
		return w
	},
	"copy": func(r *drawn) *work {
		w := r.kernel("copy", r.Log(5e3, 2e5), 12, 4, 0)
		w.ps.stores, w.ps.lines, w.l0, w.l1, w.l2, w.last = 4, 4, 0, 0, r.Between(0, 0.1), r.Between(0, 0.3)
		return w
	},
	"histogram": func(r *drawn) *work {
		w := r.kernel("histogram", r.px/32/4, 60, 4, r.Between(8, 20))
		w.ps.banks = r.Log(1, 12)
		return w
	},
}

// kernel is a dispatch.
func (r *drawn) kernel(label string, waves, alu, loads, lds float64) *work {
	w := r.base(label)
	w.compute, w.draws = true, 1
	w.ps = shader{waves: waves, alu: alu, filter: 1, loads: loads, stores: r.Between(0.5, 3), lines: r.Between(1, 3), lds: lds,
		banks: r.Between(0, 0.6), deps: 1 + loads*r.Between(0.1, 0.5), held: r.Between(0.3, 1)}
	return w
}

// passes in the order in which frames have them, by what the content is.
var archetypes = []struct {
	text  string
	takes []string
	odds  []float64
}{
	{"deferred game", []string{"shadow map", "depth prepass", "geometry", "occlusion", "light lists", "lighting", "particles",
		"post", "post", "interface"}, []float64{0.9, 0.4, 1, 0.7, 0.5, 1, 0.6, 1, 0.7, 0.9}},
	{"forward game", []string{"shadow map", "culling", "depth prepass", "forward", "foliage", "particles", "post", "interface"},
		[]float64{0.8, 0.4, 0.6, 1, 0.5, 0.6, 0.8, 0.9}},
	{"driving simulator", []string{"shadow map", "multisampled", "particles", "post", "interface"}, []float64{0.9, 1, 0.5, 0.8, 1}},
	{"ray traced game", []string{"depth prepass", "geometry", "rays", "rays", "blur", "lighting", "post", "interface"},
		[]float64{0.6, 1, 1, 0.5, 0.8, 0.9, 1, 0.8}},
	{"modelling program", []string{"geometry", "multisampled", "foliage", "interface"}, []float64{0.5, 0.8, 0.6, 1}},
	{"desktop", []string{"interface", "interface", "post", "blur", "copy"}, []float64{1, 1, 0.5, 0.4, 0.2}},
	{"video player", []string{"copy", "post", "post", "interface"}, []float64{0.5, 1, 0.6, 1}},
	{"inference", []string{"matrices", "matrices", "copy", "simulation", "matrices", "histogram"}, []float64{1, 1, 0.5, 0.4, 0.6, 0.2}},
	{"fluid simulation", []string{"simulation", "simulation", "blur", "culling", "copy", "particles", "post"},
		[]float64{1, 0.8, 0.5, 0.4, 0.4, 0.6, 0.6}},
	{"menu", []string{"post", "interface", "interface"}, []float64{0.6, 1, 0.7}},
	{"loading screen", []string{"copy", "culling", "interface"}, []float64{1, 0.4, 1}},
	{"crowd of small draws", []string{"interface", "shadow map", "culling", "forward", "interface"}, []float64{1, 0.6, 0.4, 0.5, 1}},
}

// frame draws the passes of a frame.
func (r *drawn) frame(which int) (text string, out []*work) {
	a := &archetypes[which]
	for i, kind := range a.takes {
		if r.Chance(a.odds[i]) {
			out = append(out, passKinds[kind](r))
		}
	}
	return a.text, out
}

// mixture draws passes of any kind.
func (r *drawn) mixture() (out []*work) {
	for range r.Whole(3, 9) {
		out = append(out, passKinds[passNames[r.IntN(len(passNames))]](r))
	}
	return out
}

var passNames = []string{"shadow map", "depth prepass", "geometry", "forward", "lighting", "occlusion", "particles", "post",
	"interface", "foliage", "multisampled", "culling", "light lists", "blur", "simulation", "rays", "matrices", "copy",
	"histogram"}
