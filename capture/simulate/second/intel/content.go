package intel

import (
	"math"
	"math/rand/v2"
)

// artist draws passes for a machine.
type artist struct {
	*rand.Rand
	m      *machine
	pixels float64 // of the screen
}

func newArtist(r *rand.Rand, m *machine) *artist {
	sizes := []float64{1280 * 720, 1366 * 768, 1600 * 900, 1920 * 1080, 1920 * 1080, 2560 * 1440}
	return &artist{r, m, sizes[r.IntN(len(sizes))]}
}

func (a *artist) of(lo, hi float64) float64 { return span(a.Rand, lo, hi) }

// log draws evenly in the logarithm.
func (a *artist) log(lo, hi float64) float64 { return lo * math.Pow(hi/lo, a.Float64()) }

func (a *artist) chance(p float64) bool { return a.Float64() < p }

// scenery is geometry seen from a camera: what most render passes of games are.
func (a *artist) scenery(name string) draw3D {
	return draw3D{name: name, pixels: a.pixels, overdraw: a.of(1.3, 3.2), hiz: a.of(0.1, 0.45), early: a.of(0.05, 0.3),
		kill: a.of(0, 0.08), verts: a.log(6e4, 9e5), visible: a.of(0.35, 0.6), attrs: a.of(2, 5),
		vsInstr: a.of(30, 110), psInstr: a.log(25, 160), samples: a.of(1.5, 6), texCost: a.of(1, 2.6),
		texLine: a.log(0.03, 0.2), texMiss: a.of(0.25, 0.7), loads: a.of(0.3, 3), trips: a.of(0.6, 2),
		miss: a.of(0.15, 0.4), bytes: 4, blend: a.of(0, 0.1), draws: a.log(150, 2500), msaa: 1, stencil: 1, depth: true,
		slope: a.of(0.25, 0.6)}
}

func (a *artist) shadow() draw3D {
	d := a.scenery("shadow")
	d.pixels, d.overdraw = a.log(1e6, 4e6), a.of(1, 2)
	d.psInstr, d.samples, d.loads, d.trips = 4, a.of(0, 0.3), 0, 0.3
	d.bytes, d.blend, d.post = 4, 0, 0.9 // hardly any color is written
	d.attrs = a.of(1, 2)
	return d
}

// screen is a pass of one triangle or a few quads over the whole target.
func (a *artist) screen(name string, scale float64) draw3D {
	// Every input is read about once, whatever the number of samples of it: four bytes of a texel are a quarter of a
	// line for four pixels.
	samples := a.of(1, 10)
	return draw3D{name: name, pixels: a.pixels * scale, overdraw: 1, verts: 6, visible: 1, attrs: 1, vsInstr: 8,
		psInstr: a.log(15, 120), samples: samples, texCost: a.of(1, 2), texLine: a.log(0.2, 0.9) / max(1.5, samples),
		texMiss: a.of(0.5, 0.95), loads: a.of(0, 1), trips: a.of(0.5, 1.5), miss: a.of(0.3, 0.7), bytes: 4, draws: 2,
		msaa: 1, stencil: 1, slope: a.of(0.05, 0.15)}
}

func (a *artist) particles() draw3D {
	d := a.screen("particles", a.of(0.5, 1))
	d.overdraw, d.blend, d.depth, d.hiz, d.early = a.of(3, 12), 1, true, a.of(0.05, 0.3), a.of(0.02, 0.15)
	d.psInstr, d.samples = a.of(8, 40), a.of(1, 2.5)
	d.texLine, d.texMiss = a.of(0.05, 0.15), a.of(0.1, 0.4)
	d.verts, d.draws, d.slope = a.log(2e3, 4e4), a.of(5, 60), a.of(0.2, 0.5)
	if a.chance(0.5) {
		d.bytes = 8 // a target in half floats
	}
	return d
}

func (a *artist) interfaces(layers float64) draw3D {
	d := a.screen("interface", 1)
	d.overdraw, d.blend = layers, a.of(0.3, 0.9)
	d.psInstr, d.samples = a.of(6, 20), a.of(0.8, 1.3)
	d.verts, d.draws, d.slope = a.log(1e3, 2e4), a.log(40, 900), a.of(0.2, 0.5)
	d.texLine, d.texMiss = a.of(0.15, 0.4), a.of(0.4, 0.8)
	return d
}

// kernel is a general dispatch.
func (a *artist) kernel(name string) grid {
	return grid{name: name, threads: a.log(2e4, 2e5), instr: a.log(60, 600), loads: a.of(4, 24), stores: a.of(1, 6),
		trips: a.of(1, 4), miss: a.of(0.1, 0.6), l3Miss: a.of(0.1, 0.5), dispatches: a.log(1, 30), skew: 1,
		typed: a.of(0, 0.5), slope: a.of(0.05, 0.25)}
}

func (a *artist) matrix(name string) grid {
	g := a.kernel(name)
	g.instr, g.loads, g.stores = a.log(400, 1600), a.of(12, 40), a.of(1, 3)
	g.slmReads, g.slmWrites, g.barriers = a.of(0, 60), a.of(2, 12), a.of(1, 8)
	g.l3Miss, g.miss, g.trips = a.of(0.02, 0.15), a.of(0.05, 0.2), a.of(0.5, 2)
	return g
}

func (a *artist) stream(name string) grid {
	g := a.kernel(name)
	g.instr, g.loads, g.stores = a.of(20, 60), a.of(4, 12), a.of(2, 8)
	g.l3Miss, g.miss, g.trips = a.of(0.8, 1), a.of(0.7, 1), a.of(0.5, 1.5)
	return g
}

// archetype is a kind of application.
type archetype struct {
	name   string
	draw   func(a *artist) []*pass
	app    [2]float64 // ms of the processor beside a frame of the GPU of a millisecond
	driver [2]float64
}

var archetypes = []archetype{
	{"game, forward", func(a *artist) []*pass {
		p := []*pass{a.render(a.shadow()), a.render(a.scenery("main"))}
		if a.chance(0.6) {
			p = append(p, a.render(a.particles()))
		}
		for range 1 + a.IntN(3) {
			p = append(p, a.render(a.screen("post", a.of(0.25, 1))))
		}
		return append(p, a.render(a.interfaces(a.of(0.1, 0.4))))
	}, [2]float64{0.3, 0.9}, [2]float64{0.2, 0.7}},
	{"game, deferred", func(a *artist) []*pass {
		g := a.scenery("geometry")
		g.bytes, g.psInstr = a.of(12, 20), a.of(20, 60)
		light := a.screen("lighting", 1)
		light.psInstr, light.samples = a.log(80, 400), a.of(4, 9)
		ao := a.screen("occlusion", a.of(0.25, 1))
		ao.samples, ao.texLine = a.of(8, 20), a.log(0.03, 0.2)
		p := []*pass{a.render(a.shadow()), a.render(g), a.render(ao)}
		if a.chance(0.4) {
			k := a.kernel("light culling")
			k.slmReads, k.slmWrites, k.atomics, k.barriers = a.of(4, 30), a.of(1, 6), a.of(0, 2), a.of(1, 4)
			p = append(p, a.dispatch(k))
		}
		return append(p, a.render(light), a.render(a.screen("post", 1)), a.render(a.interfaces(0.2)))
	}, [2]float64{0.3, 0.8}, [2]float64{0.2, 0.6}},
	{"forward with much blending", func(a *artist) []*pass {
		p := []*pass{a.render(a.scenery("opaque")), a.render(a.particles()), a.render(a.particles())}
		return append(p, a.render(a.screen("tone map", 1)))
	}, [2]float64{0.2, 0.7}, [2]float64{0.1, 0.5}},
	{"desktop compositor", func(a *artist) []*pass {
		p := []*pass{a.render(a.interfaces(a.of(1, 4)))}
		if a.chance(0.5) {
			b := a.screen("blur", a.of(0.1, 0.5))
			b.samples, b.texLine = a.of(6, 14), a.of(0.03, 0.1)
			p = append(p, a.render(b), a.render(b))
		}
		return p
	}, [2]float64{0.1, 0.6}, [2]float64{0.1, 0.4}},
	{"camera filter", func(a *artist) []*pass {
		var p []*pass
		for range 3 + a.IntN(4) {
			f := a.screen("filter", a.of(0.25, 1))
			f.samples, f.psInstr = a.log(4, 30), a.log(30, 200)
			f.texLine = a.log(0.2, 0.8) / f.samples
			if a.chance(0.3) {
				f.bytes = 8
			}
			p = append(p, a.render(f))
		}
		return p
	}, [2]float64{0.1, 0.5}, [2]float64{0.05, 0.3}},
	{"inference", func(a *artist) []*pass {
		var p []*pass
		for range 6 + a.IntN(10) {
			switch a.IntN(4) {
			case 0:
				p = append(p, a.dispatch(a.stream("element-wise")))
			case 1:
				k := a.kernel("depth-wise")
				k.samples, k.texCost, k.texLine, k.texMiss = a.of(0, 6), a.of(1, 2), a.of(0.1, 0.4), a.of(0.2, 0.6)
				p = append(p, a.dispatch(k))
			default:
				p = append(p, a.dispatch(a.matrix("convolution")))
			}
		}
		return p
	}, [2]float64{0.05, 0.4}, [2]float64{0.05, 0.4}},
	{"simulation", func(a *artist) []*pass {
		k := a.kernel("neighbours")
		k.trips, k.miss, k.instr = a.of(4, 14), a.of(0.4, 0.9), a.of(60, 200)
		sort := a.kernel("sort")
		sort.slmReads, sort.slmWrites, sort.barriers, sort.dispatches = a.of(10, 60), a.of(10, 40), a.of(2, 12), a.of(8, 60)
		return []*pass{a.dispatch(sort), a.dispatch(k), a.dispatch(a.stream("integrate")),
			a.render(a.particles()), a.render(a.interfaces(0.1))}
	}, [2]float64{0.05, 0.4}, [2]float64{0.05, 0.3}},
	{"loading screen", func(a *artist) []*pass {
		return []*pass{a.render(a.screen("background", 1)), a.render(a.interfaces(a.of(0.3, 1)))}
	}, [2]float64{1.2, 6}, [2]float64{0.3, 2}},
	{"menu", func(a *artist) []*pass {
		b := a.screen("blurred scene", a.of(0.5, 1))
		b.samples, b.texLine = a.of(5, 13), a.of(0.03, 0.1)
		return []*pass{a.render(a.scenery("model")), a.render(b), a.render(a.interfaces(a.of(0.5, 2)))}
	}, [2]float64{0.1, 0.5}, [2]float64{0.1, 0.4}},
	{"design viewer", func(a *artist) []*pass {
		d := a.scenery("assembly")
		d.verts, d.overdraw, d.visible = a.log(1e6, 6e6), a.of(0.4, 1.2), a.of(0.3, 0.9)
		d.psInstr, d.samples, d.draws = a.of(12, 50), a.of(0, 0.5), a.log(500, 9000)
		if a.chance(0.4) {
			d.msaa = a.of(1.5, 3)
		}
		return []*pass{a.render(d), a.render(a.interfaces(0.3))}
	}, [2]float64{0.2, 0.8}, [2]float64{0.3, 1.1}},
	{"map with vector graphics", func(a *artist) []*pass {
		d := a.interfaces(a.of(2, 5))
		d.stencil, d.depth, d.msaa, d.verts = a.of(1, 3), true, a.of(1, 3), a.log(1e5, 8e5)
		d.draws = a.log(800, 6000)
		return []*pass{a.render(d), a.render(a.interfaces(0.5))}
	}, [2]float64{0.2, 1}, [2]float64{0.4, 1.5}},
}

func (a *artist) render(d draw3D) *pass { return a.m.render(a.Rand, d) }
func (a *artist) dispatch(g grid) *pass { return a.m.dispatch(a.Rand, g) }

// fit scales the work of passes so that the GPU takes a time for them at its highest clock.
func (a *artist) fit(passes []*pass, ns float64) {
	for range 3 {
		r := noRelief()
		g := &gpu{m: a.m, r: &r}
		at, fixed := 0.0, 0.0
		for _, p := range passes {
			fixed += p.start + p.drain
			at = g.run(p, 1, at, a.m.maxGHz)
		}
		k := (ns - fixed) / (at - fixed)
		if k <= 0 {
			k = 0.05
		}
		for _, p := range passes {
			p.scale(k)
		}
	}
}
