package mali

import "astrolabe/capture/simulate"

// Kinds of content. What real frames of them look like is assumed from published captures and guides; sizes are drawn
// over magnitudes.
var archetypes = []string{"shadowed game", "deferred game", "forward game with much alpha", "flat game", "interface",
	"video", "inference", "particles by compute", "much geometry", "emulator", "map", "rays"}

var screens = []float64{1280 * 720, 1600 * 720, 1920 * 1080, 2400 * 1080, 2560 * 1440, 3200 * 1440}

// base is shading as usual in a game's main pass.
func (b *builder) base(pixels float64) shading {
	r := b.r
	power := 1.0 // programs for the larger GPU have longer shaders
	if b.c.modern {
		power = 1.7
	}
	return shading{pixels: pixels, layers: r.Between(1.3, 3), killed: r.Between(0.1, 0.45), hidden: r.Between(0, 0.35),
		transparent: r.Between(0.05, 0.3), triangles: r.Log(15e3, 400e3), spread: r.Between(1.3, 3),
		fma: power * r.Log(12, 100), cvt: power * r.Log(6, 45), sfu: power * r.Log(0.5, 6), samples: r.Between(1, 7), filter: r.Between(1, 2.5),
		texBytes: r.Between(12, 40), texExternal: r.Between(0.1, 0.45), varyings: r.Between(4, 20), half: r.Between(0.1, 0.7),
		reads: r.Between(1, 8), writes: r.Between(0, 0.3), lsExternal: r.Between(0.02, 0.2), out: r.Between(2, 4.5),
		blend: r.Between(1, 1.8), chain: r.Between(2, 6), missed: r.Between(0.1, 0.4), registers: r.Between(0, 0.7),
		discards: r.Between(0, 0.15), unchanged: r.Between(0, 0.1), pieces: r.Whole(3, 6)}
}

// plain is a pass over all pixels with little geometry.
func (b *builder) plain(pixels float64) shading {
	r := b.r
	s := b.base(pixels)
	s.layers, s.killed, s.hidden, s.triangles, s.transparent = 1, 0, 0, 2, 0
	s.fma, s.cvt, s.samples, s.varyings = r.Log(10, 80), r.Log(6, 40), r.Between(1, 13), 2
	s.texExternal, s.pieces, s.discards = r.Between(0.15, 0.6), r.Whole(2, 3), 0
	return s
}

func (b *builder) mesh(primitives float64) geometry {
	r := b.r
	return geometry{primitives: primitives, visible: r.Between(0.3, 0.65), vertices: r.Between(0.55, 1.2), fma: r.Log(25, 90),
		cvt: r.Log(8, 30), sfu: r.Between(0.2, 2), varying: r.Between(0.8, 2.5), attributes: r.Between(2, 5),
		external: r.Between(0.3, 0.8), chain: r.Between(2, 4), missed: r.Between(0.2, 0.6), pieces: r.Whole(2, 4)}
}

func (b *builder) task(threads float64) kernel {
	r := b.r
	return kernel{threads: threads, fma: r.Log(20, 400), cvt: r.Log(10, 120), sfu: r.Log(0.5, 8), reads: r.Log(3, 50),
		writes: r.Log(0.5, 6), beats: r.Between(0.3, 2.5), external: r.Between(0.05, 0.6), chain: r.Between(3, 14),
		missed: r.Between(0.1, 0.5), registers: r.Between(0, 1), groupSize: simulate.Pick(r, 64.0, 128, 256), starts: 1,
		pieces: r.Whole(1, 3)}
}

// frameOf puts passes together: each fragment pass waits for its geometry and what is named before.
type frameOf struct {
	b    *builder
	jobs []job
}

// pass adds geometry and the pixels that wait for it, and returns the pixels' place.
func (f *frameOf) pass(name string, g geometry, s shading, after ...int) int {
	geo := len(f.jobs)
	f.jobs = append(f.jobs, f.b.geometry(name+" geometry", g))
	s.triangles = g.primitives * g.visible
	p := f.b.fragment(name, s)
	p.after = []dependency{{job: geo}}
	for _, a := range after {
		p.after = append(p.after, dependency{job: a})
	}
	f.jobs = append(f.jobs, p)
	return geo + 1
}

// full adds a pass over a picture: two triangles.
func (f *frameOf) full(name string, s shading, after ...int) int {
	g := f.b.mesh(200)
	g.pieces = 1
	return f.pass(name, g, s, after...)
}

// run adds a dispatch.
func (f *frameOf) run(name string, k kernel, after ...int) int {
	j := f.b.compute(name, k)
	for _, a := range after {
		j.after = append(j.after, dependency{job: a})
	}
	f.jobs = append(f.jobs, j)
	return len(f.jobs) - 1
}

// done marks the picture's pass, and when the driver hands jobs over.
func (f *frameOf) done(name string) content {
	last := 0
	for i := range f.jobs {
		f.jobs[i].submit = 0.25 + 0.75*float64(i+1)/float64(len(f.jobs))
		if f.jobs[i].queue == f.b.c.fragmentQueue() {
			last = i
		}
	}
	f.jobs[last].image = true
	return content{name, f.jobs}
}

// content draws what frames of a kind consist of.
func (b *builder) content(kind string) content {
	r, f := b.r, &frameOf{b: b}
	px := simulate.Pick(r, screens...)
	switch kind {
	case "shadowed game", "deferred game", "much geometry":
		triangles := r.Log(60e3, 900e3)
		if kind == "much geometry" {
			triangles = r.Log(0.8e6, 4e6)
		}
		var before []int
		for range r.Whole(0, 3) {
			s := b.plain(r.Log(512*512, 2048*2048))
			s.fma, s.cvt, s.sfu, s.samples, s.varyings, s.out = 3, 2, 0, 0, 1, 4
			s.layers = r.Between(1.2, 3)
			before = append(before, f.pass("shadow", b.mesh(triangles*r.Between(0.2, 0.6)), s))
		}
		main := b.base(px * r.Between(0.5, 1))
		if kind == "deferred game" {
			main.blend, main.out, main.sfu = main.blend*2, main.out*r.Between(1, 3), 1
		}
		last := f.pass("main", b.mesh(triangles), main, before...)
		if r.Chance(0.4) {
			last = f.run("light", b.task(main.pixels*r.Log(0.05, 1)), last)
		}
		for range r.Whole(0, 4) { // bloom and the like
			last = f.full("post", b.plain(px*r.Log(0.06, 1)), last)
		}
		s := b.plain(px)
		s.layers, s.transparent = r.Between(1.05, 1.6), 0.5
		f.full("interface", s, last)
	case "forward game with much alpha":
		s := b.base(px)
		s.layers, s.transparent, s.killed, s.hidden = r.Between(4, 12), 0.85, 0.08, 0.02
		s.blend, s.fma, s.cvt, s.samples, s.discards = r.Between(1.2, 2.5), r.Log(6, 50), r.Log(5, 25), r.Between(1, 2.5), r.Between(0, 0.5)
		f.pass("main", b.mesh(r.Log(20e3, 300e3)), s)
	case "flat game", "interface", "map":
		s := b.plain(px)
		s.layers, s.transparent, s.varyings = r.Between(1.3, 5), 0.8, 3
		s.fma, s.cvt, s.samples, s.unchanged = r.Log(3, 25), r.Log(3, 20), 1, r.Between(0, 0.6)
		g := b.mesh(r.Log(500, 40e3))
		if kind == "map" {
			g.primitives *= 12
		}
		last := f.pass("main", g, s)
		for range r.Whole(0, 3) { // blur
			last = f.full("blur", b.plain(px*r.Log(0.05, 0.5)), last)
		}
		if last > 1 {
			f.full("last", s, last)
		}
	case "video":
		s := b.plain(px)
		s.samples, s.texBytes, s.texExternal, s.fma, s.cvt = r.Between(1, 9), r.Between(16, 48), r.Between(0.5, 0.95), r.Log(8, 60), r.Log(6, 40)
		if r.Chance(0.4) {
			k := b.task(px)
			k.external, k.reads = 0.8, r.Between(2, 9)
			f.full("show", s, f.run("enhance", k))
			break
		}
		f.full("show", s)
	case "inference":
		last := -1
		for range r.Whole(6, 20) { // layers
			k := b.task(r.Log(1e3, 300e3))
			k.fma, k.reads = r.Log(60, 1500), r.Log(10, 120)
			k.external, k.beats = r.Between(0.05, 0.9), r.Log(0.2, 2.5)
			k.starts = float64(r.Whole(1, 4))
			if last < 0 {
				last = f.run("layer", k)
			} else {
				last = f.run("layer", k, last)
			}
		}
		f.full("show", b.plain(px*0.3), last)
	case "particles by compute":
		last := f.run("move", b.task(r.Log(50e3, 2e6)))
		k := b.task(r.Log(20e3, 800e3))
		k.atomics, k.chain, k.missed = r.Between(0, 3), r.Between(4, 40), r.Between(0.3, 0.8)
		last = f.run("sort", k, last)
		s := b.base(px * r.Between(0.4, 1))
		s.layers, s.transparent, s.killed = r.Between(1.5, 5), 0.8, 0.1
		g := b.mesh(r.Log(50e3, 800e3))
		p := f.pass("draw", g, s, last)
		f.full("post", b.plain(px), p)
	case "emulator":
		last := -1
		for range r.Whole(4, 14) { // many small targets, each on what was before
			s := b.plain(r.Log(64*48, 1280*720))
			s.layers, s.out = r.Between(1, 3), 4
			g := b.mesh(r.Log(100, 30e3))
			if last < 0 {
				last = f.pass("target", g, s)
			} else {
				last = f.pass("target", g, s, last)
			}
		}
		f.full("show", b.plain(px), last)
	case "rays":
		p := f.pass("main", b.mesh(r.Log(80e3, 600e3)), b.base(px*0.6))
		k := b.task(px * r.Log(0.1, 0.6))
		k.fma, k.cvt = r.Log(30, 150), r.Log(20, 80)
		if b.c.rays {
			k.rays, k.boxes, k.tris = r.Between(0.5, 2.5), r.Log(10, 60), r.Log(2, 14)
		}
		f.full("post", b.plain(px), f.run("trace", k, p))
	}
	return f.done(kind)
}

// mixture is passes of any kind.
func (b *builder) mixture() content {
	r, f := b.r, &frameOf{b: b}
	last := -1
	for range r.Whole(1, 5) {
		var after []int
		if last >= 0 && r.Chance(0.6) {
			after = []int{last}
		}
		switch r.IntN(3) {
		case 0:
			last = f.run("compute", b.task(r.Log(5e3, 3e6)), after...)
		case 1:
			last = f.full("full", b.plain(r.Log(2e5, 4e6)), after...)
		default:
			last = f.pass("scene", b.mesh(r.Log(1e3, 2e6)), b.base(r.Log(2e5, 4e6)), after...)
		}
	}
	f.full("last", b.plain(r.Log(2e5, 3e6)))
	out := f.done("passes of any kind")
	for range r.Whole(0, 2) {
		b.stress(&out, r.IntN(stLatency+1), r.Log(1.5, 6))
	}
	return out
}
