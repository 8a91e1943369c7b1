package mali

import "astrolabe/capture/simulate"

// pass is one of the two.
type pass struct {
	render   *render
	dispatch *dispatch
}

// recipe is what a frame is made of, before a machine is asked what it takes.
type recipe struct {
	name   string
	passes []pass
	turns  bool // passes wait for others that they do not read
}

func (c *recipe) draw(p *render) int {
	c.passes = append(c.passes, pass{render: p})
	return len(c.passes) - 1
}

func (c *recipe) compute(p *dispatch) int {
	c.passes = append(c.passes, pass{dispatch: p})
	return len(c.passes) - 1
}

// scale makes the frame larger: more pixels, primitives and warps.
func (c *recipe) scale(f float64) {
	for _, p := range c.passes {
		if p.render != nil {
			p.render.pixels *= f
			p.render.prims *= f
		} else {
			p.dispatch.warps *= f
		}
	}
}

// content is a kind of frame on a machine.
type content struct {
	name string
	jobs []job
	app  float64 // ns of the application's thread
	drv  float64 // ns of the driver's work
	sync int     // the job of the frame before that the application waits for, -1 for none
}

// content is the recipe's work on a machine. The same random numbers make every build alike.
func (c *recipe) content(m *machine, seed uint64) content {
	r := simulate.NewRandom(seed, "fourth mali work")
	out := content{name: c.name, sync: -1}
	last := make([]int, len(c.passes)) // the job that ends a pass
	previous := -1
	for i, p := range c.passes {
		if p.render != nil {
			binning, shading := m.renderJobs(p.render, r)
			if c.turns {
				if previous >= 0 {
					binning.deps = append(binning.deps, dep{job: previous, needless: true})
				} else {
					binning.deps = append(binning.deps, dep{job: -1, before: true, needless: true})
				}
			}
			out.jobs = append(out.jobs, binning)
			shading.deps = append(shading.deps, dep{job: len(out.jobs) - 1})
			for _, a := range p.render.after {
				shading.deps = append(shading.deps, dep{job: last[a]})
			}
			out.jobs = append(out.jobs, shading)
			previous = len(out.jobs) - 1
		} else {
			j := m.dispatchJob(p.dispatch, r)
			for _, a := range p.dispatch.after {
				j.deps = append(j.deps, dep{job: last[a]})
			}
			if c.turns && previous >= 0 && out.jobs[previous].queue != j.queue {
				j.deps = append(j.deps, dep{job: previous, needless: true})
			} else if c.turns && previous < 0 {
				j.deps = append(j.deps, dep{job: -1, before: true, needless: true})
			}
			out.jobs = append(out.jobs, j)
			previous = len(out.jobs) - 1
		}
		last[i] = len(out.jobs) - 1
	}
	n := float64(len(out.jobs))
	for i := range out.jobs {
		j := &out.jobs[i]
		j.submit = 0.15 + 0.85*(float64(i)+1)/n
		for k := range j.deps {
			if j.deps[k].job < 0 {
				j.deps[k].job = len(out.jobs) - 1
			}
		}
	}
	return out
}

// sized scales a recipe so that its jobs take a time one after the other.
func (c *recipe) sized(m *machine, seed uint64, ns float64) content {
	for range 2 {
		x := c.content(m, seed)
		c.scale(ns / x.alone())
	}
	return c.content(m, seed)
}

func power(r simulate.Random) int { return simulate.Pick[int](r, 4, 8, 8, 16) }

func picture(r simulate.Random) float64 {
	return 1e6 * simulate.Pick[float64](r, 0.9, 1.3, 2.1, 2.6, 3.7) * r.Between(0.7, 1)
}

// scene is the pass that shades the picture.
func scene(r simulate.Random, rich float64) *render {
	visible := r.Between(0.25, 0.6)
	rest := 1 - visible
	a, b := r.Between(0.3, 0.6), r.Between(0.1, 0.3)
	layers := r.Log(1.3, 4)
	return &render{name: "scene", pixels: picture(r), prims: r.Log(5e4, 9e5), face: rest * a, frustum: rest * b,
		small: rest * (1 - a - b) * r.Between(0.5, 1), reuse: r.Between(0.55, 1.1), deferred: r.Between(0, 0.7), tilesPer: r.Log(1.1, 3),
		position: position(r), surface: surface(r, rich), layers: layers, tested: r.Between(0.75, 1), killed: r.Between(0.1, 0.45),
		hidden: r.Between(0, 0.35), late: r.Log(0.005, 0.15), lateKill: r.Between(0.05, 0.4), opaque: r.Between(0.5, 0.95), filled: r.Between(0.7, 0.97),
		partial: r.Between(0.1, 0.5), blend: simulate.Pick[float64](r, 1, 1, 1, 2), load: simulate.Pick[float64](r, 0, 0, 0, 4), store: simulate.Pick[float64](r, 2, 3, 4, 8) * r.Between(0.4, 1),
		same: r.Log(0.001, 0.05), rate: simulate.Pick[float64](r, 1, 1, 1, r.Between(0.5, 0.9)), mlp: r.Log(20, 110), power: power(r), parts: r.Whole(4, 7)}
}

// shadow is a pass of depth only.
func shadow(r simulate.Random) *render {
	p := scene(r, 0.1)
	p.name, p.surface = "shadow map", shader{cvt: 1, fma: 1}
	p.pixels = 1e6 * simulate.Pick[float64](r, 1, 2.2, 4.2)
	p.prims = r.Log(4e4, 6e5)
	p.tested, p.killed, p.hidden, p.layers, p.store, p.load, p.blend, p.rate = 1, r.Between(0.2, 0.6), 0.3, r.Log(0.6, 2), 2.5, 0, 0.4, 1
	p.deferred, p.parts = 0, r.Whole(1, 2)
	return p
}

// fullscreen reads one picture and writes another.
func fullscreen(name string, r simulate.Random, after ...int) *render {
	return &render{name: name, pixels: picture(r) * simulate.Pick[float64](r, 1, 1, 0.25, 0.06), prims: 12, reuse: 1.5, tilesPer: 300, position: shader{fma: 4, cvt: 2, reads: 2, lsBytes: 16},
		surface: postShader(r), layers: 1, filled: 1, partial: 0.002, opaque: 1, blend: simulate.Pick[float64](r, 1, 1, 2), store: simulate.Pick[float64](r, 2, 4, 8) * r.Between(0.4, 1),
		rate: 1, mlp: r.Log(40, 140), power: power(r), parts: r.Whole(1, 3), after: after}
}

// overlay is a user interface over what is there.
func overlay(r simulate.Random, load float64) *render {
	return &render{name: "interface", pixels: picture(r), prims: r.Log(300, 1.5e4), frustum: 0.05, scissor: r.Between(0, 0.2), reuse: 0.9, tilesPer: r.Log(2, 20), position: shader{fma: 10, cvt: 6, reads: 3, full: .5, lsBytes: 24, lsMiss: 0.5},
		surface: simple(r), layers: r.Log(0.3, 3), tested: 0, hidden: r.Between(0, 0.1), opaque: r.Between(0, 0.4), filled: r.Between(0.8, 0.98), partial: r.Between(0.02, 0.15),
		blend: 1, load: load, store: r.Between(1.5, 4), same: r.Log(0.005, 0.7), rate: 1, mlp: r.Log(30, 110), power: power(r), parts: r.Whole(2, 3)}
}

// particles are layers that let the ones behind shine through.
func particles(r simulate.Random) *render {
	p := overlay(r, 4)
	p.name, p.layers, p.prims = "particles", r.Log(3, 14), r.Log(2e3, 6e4)
	p.surface.tex *= r.Between(1, 2)
	p.tested, p.killed, p.opaque, p.same, p.blend = 1, r.Between(0.05, 0.3), 0, 0, simulate.Pick[float64](r, 1, 1, 2)
	return p
}

func work(name string, r simulate.Random, after ...int) *dispatch {
	return &dispatch{name: name, warps: r.Log(2e3, 8e4), work: kernel(r), mlp: r.Log(8, 100), power: power(r), parts: r.Whole(1, 4), after: after}
}

// contents are what programs on telephones draw and calculate.
var contents = []func(csf bool, r simulate.Random) *recipe{
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "forward game"}
		s := c.draw(shadow(r))
		x := scene(r, 1)
		x.after = []int{s}
		i := c.draw(x)
		for range r.Whole(0, 4) {
			i = c.draw(fullscreen("post", r, i))
		}
		c.draw(overlay(r, 4))
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "deferred game"}
		for range r.Whole(1, 3) {
			c.draw(shadow(r))
		}
		x := scene(r, 0.8)
		x.store, x.blend = x.store*r.Between(2, 4), simulate.Pick[float64](r, 2, 2, 4)
		i := c.draw(x)
		if r.Chance(0.6) {
			i = c.compute(work("light lists", r, i))
		}
		i = c.draw(fullscreen("lighting", r, i))
		for range r.Whole(1, 6) {
			i = c.draw(fullscreen("post", r, i))
		}
		c.draw(overlay(r, 4))
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "game with many particles"}
		c.draw(scene(r, 0.5))
		c.draw(particles(r))
		c.draw(overlay(r, 4))
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "map or model with many primitives"}
		x := scene(r, 0.3)
		x.prims, x.face, x.small = r.Log(8e5, 5e6), 0.45, r.Between(0.05, 0.3)
		c.draw(x)
		c.draw(overlay(r, 0))
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "interface"}
		for range r.Whole(0, 3) {
			c.draw(fullscreen("blur", r))
		}
		x := overlay(r, 0)
		x.layers = r.Log(1, 5)
		c.draw(x)
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "video or camera with filters"}
		i := c.draw(fullscreen("convert", r))
		for range r.Whole(1, 5) {
			if r.Chance(0.4) {
				i = c.compute(work("filter", r, i))
			} else {
				i = c.draw(fullscreen("filter", r, i))
			}
		}
		c.draw(overlay(r, 0))
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "inference"}
		i := -1
		a, b := work("layer", r), work("layer", r)
		for k := range r.Whole(12, 36) {
			d := *a
			if k%3 == 2 {
				d = *b
			}
			d.warps *= r.Log(0.3, 3)
			d.parts = 1
			if i >= 0 {
				d.after = []int{i}
			}
			i = c.compute(&d)
		}
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "simulation and its picture"}
		i := c.compute(work("step", r))
		for range r.Whole(1, 5) {
			i = c.compute(work("step", r, i))
		}
		x := scene(r, 0.4)
		if r.Chance(0.5) {
			x.after = []int{i}
		}
		c.draw(x)
		c.draw(overlay(r, 4))
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "virtual reality"}
		x := scene(r, 0.6)
		x.pixels, x.prims = 2*x.pixels, 1.6*x.prims
		x.blend *= 2 // four samples
		i := c.draw(x)
		c.draw(fullscreen("distortion", r, i))
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "game with traced reflections"}
		i := c.draw(scene(r, 0.7))
		d := work("reflections", r, i)
		if csf {
			addRays(&d.work, r)
			d.work.fma, d.work.reads = d.work.fma/3, d.work.reads/3
		}
		c.draw(fullscreen("denoise", r, c.compute(d)))
		c.draw(overlay(r, 4))
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "loading"} // little is drawn while files are unpacked
		x := overlay(r, 0)
		if r.Chance(0.5) {
			i := c.compute(work("unpack", r))
			x.after = []int{i}
		}
		c.draw(x)
		return c
	},
	func(csf bool, r simulate.Random) *recipe {
		c := &recipe{name: "menu"}
		x := scene(r, 0.6)
		x.prims *= 0.15
		i := c.draw(x)
		c.draw(fullscreen("blur", r, i))
		c.draw(overlay(r, 4))
		return c
	},
}

// mixture is passes of any kind.
func mixture(csf bool, r simulate.Random) *recipe {
	c := &recipe{name: "mixture"}
	for range r.Whole(2, 9) {
		var after []int
		if n := len(c.passes); n > 0 && r.Chance(0.5) {
			after = []int{r.IntN(n)}
		}
		switch r.IntN(7) {
		case 0:
			c.draw(shadow(r))
		case 1:
			x := scene(r, r.Log(0.2, 2))
			if csf && r.Chance(0.2) {
				addRays(&x.surface, r)
				x.surface.rays *= 0.2
			}
			x.after = after
			c.draw(x)
		case 2:
			c.draw(fullscreen("post", r, after...))
		case 3:
			c.draw(overlay(r, 4))
		case 4:
			c.draw(particles(r))
		default:
			c.compute(work("compute", r, after...))
		}
	}
	return c
}
