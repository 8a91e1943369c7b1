package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// author writes programs for a machine.
type author struct {
	r      simulate.Random
	m      *machine
	b      *builder
	jobs   []job
	launch float64
}

func newAuthor(r simulate.Random, m *machine) *author {
	return &author{r: r, m: m, b: &builder{m: m, r: r}, launch: r.Log(2500, 20000)}
}

func (a *author) add(j job) int {
	j.launch, j.size = a.launch*a.r.Between(0.7, 1.4), 1
	a.jobs = append(a.jobs, j)
	return len(a.jobs) - 1
}

// render adds a render pass that reads what the jobs of reads made, and returns its fragments' job.
func (a *author) render(d *drawing, reads ...int) int {
	var after []dep
	for _, i := range reads {
		after = append(after, dep{job: i})
	}
	if d.vertices > 0 {
		i := a.add(job{queue: qBinning, segs: a.b.binning(d)})
		after = append(after, dep{job: i})
	}
	return a.add(job{queue: qMain, segs: a.b.main(d), after: after})
}

func (a *author) dispatch(k *kernel, reads ...int) int {
	j := job{queue: qCompute, segs: a.b.compute(k)}
	for _, i := range reads {
		j.after = append(j.after, dep{job: i})
	}
	return a.add(j)
}

// done ends a frame: the last of its render passes, or else jobs, writes the picture, and jobs are handed over one
// after the other within the driver's work.
func (a *author) done(name string) content {
	n := len(a.jobs)
	image := n - 1
	for i := range a.jobs {
		if a.jobs[i].queue == qMain {
			image = i
		}
		a.jobs[i].submit = min(1, (float64(i)+a.r.Between(0.5, 1))/float64(n))
	}
	a.jobs[image].image = true
	a.jobs[n-1].submit = 1
	out := content{name, a.jobs}
	a.jobs = nil
	return out
}

// overdone lets each pass's vertices wait for the fragments before them, as programs do that wait for everything everywhere.
func overdone(c *content) {
	last, first := -1, -1
	for i := range c.jobs {
		if c.jobs[i].queue == qMain {
			last = i
		}
	}
	for i := range c.jobs {
		switch j := &c.jobs[i]; {
		case j.queue == qMain:
			first = i
		case j.queue == qBinning && first >= 0:
			j.after = append(j.after, dep{first, 0, true})
		case j.queue == qBinning && last >= 0:
			j.after = append(j.after, dep{last, 1, true})
		}
	}
}

// lit is a material of a game; weight 1 is a usual one.
func (a *author) lit(weight float64) shader {
	r := a.r
	fma := r.Log(12, 95) * weight
	if !a.m.five {
		fma *= 0.65 // programs for smaller GPUs have smaller shaders
	}
	s := shader{fma: fma, cvt: fma * r.Between(0.2, 0.6), sfu: fma * r.Between(0.02, 0.1), narrow: r.Between(0.1, 0.6),
		diverged: r.Between(0, 0.15), tex: r.Between(2, 9), texCost: r.Between(1, 2.6), texWide: r.Between(0.6, 1.4),
		single: r.Between(0, 0.15), texL2: r.Log(16, 110), v16: r.Between(4, 30), v32: r.Between(2, 24),
		rd: r.Between(1, 7), wr: r.Between(0, 0.3), part: r.Between(0.2, 0.8), ldL2: r.Log(8, 80), stL2: 4,
		chain: r.Between(1, 4), hit: r.Between(0.85, 0.98), texHit: r.Between(0.5, 0.92), heavy: r.Chance(0.35)}
	// Studios have their own ways to make a picture.
	switch r.IntN(7) {
	case 0:
		s.fma, s.cvt = s.fma*r.Between(1.3, 3), s.cvt*r.Between(1, 2.5)
	case 1: // many layers of materials
		s.tex, s.texCost = s.tex*r.Between(1.3, 2.2), s.texCost*r.Between(1.1, 1.6)
		s.texL2 *= 0.6
	case 2: // all per vertex
		s.v32, s.v16 = s.v32*r.Between(2, 5)+16, s.v16*2
	case 3: // lights and bones in buffers
		s.rd = s.rd*r.Between(2, 6) + 12
		s.ldL2 += s.rd * 8
	case 4: // textures without compression or mipmaps
		s.texL2, s.texHit = s.texL2*r.Between(1.5, 3), s.texHit*r.Between(0.3, 0.8)
	case 5: // shaders that branch and look up one thing after the other
		s.chain, s.diverged, s.heavy, s.group = s.chain*r.Between(3, 8), r.Between(0.1, 0.5), true, r.Between(0.1, 0.5)
	}
	return s
}

// flat is a shader of pictures and widgets.
func (a *author) flat() shader {
	r := a.r
	return shader{fma: r.Between(2, 11), cvt: r.Between(1, 5), sfu: r.Between(0, 0.5), narrow: r.Between(0.2, 0.9),
		tex: r.Between(1, 2), texCost: 1, texWide: r.Between(0.5, 1), texL2: r.Log(24, 130), v16: r.Between(0, 4),
		v32: r.Between(2, 6), rd: r.Between(0, 2), part: 0.5, ldL2: 8, chain: r.Between(1, 2), hit: 0.97,
		texHit: r.Between(0.15, 0.7)}
}

// filter is a pass of image processing.
func (a *author) filter() shader {
	r := a.r
	taps := r.Between(2, 13)
	return shader{fma: taps * r.Log(0.8, 9), cvt: taps * r.Log(0.3, 3), sfu: r.Between(0, 2), narrow: r.Between(0.3, 0.9),
		tex: taps, texCost: simulate.Pick(r, 1.0, 1, 1, 2), texWide: r.Between(0.7, 1.6), texL2: r.Log(20, 70), v32: r.Between(2, 6),
		rd: r.Between(0, 3), part: 0.4, ldL2: 8, chain: r.Between(1, 3), hit: 0.97, texHit: r.Between(0.55, 0.93)}
}

func (a *author) vertex(weight float64) shader {
	r := a.r
	fma := r.Log(16, 70) * weight
	return shader{fma: fma, cvt: fma * r.Between(0.2, 0.6), sfu: r.Between(0, 2), diverged: 0.01, rd: r.Between(3, 9),
		wr: r.Between(1, 4), part: r.Between(0.2, 0.7), ldL2: r.Log(120, 500), stL2: r.Log(100, 320), chain: r.Between(1, 3),
		hit: r.Between(0.25, 0.75), heavy: r.Chance(0.2)}
}

// pass is a render pass of so many pixels with everything drawn.
func (a *author) pass(name string, w, h, layers float64, sh shader) *drawing {
	r := a.r
	return &drawing{name: name, w: w, h: h, layers: layers, early: r.Between(0.8, 1), kill: r.Between(0.1, 0.5),
		hidden: r.Between(0, 0.35), late: r.Between(0, 0.15), opaque: r.Between(0.6, 0.98), fill: r.Between(0.75, 0.97),
		partial: r.Between(0.05, 0.4), coarse: 1, shaded: true, shade: sh, perTile: r.Log(4, 60), blend: r.Between(1, 1.6),
		bpp: 4 * r.Between(0.4, 1), unchanged: 0, vertices: r.Log(1.5e4, 5e5), reuse: r.Between(1.1, 1.9),
		visible: r.Between(0.25, 0.6), position: a.vertex(1), varying: a.vertex(1.4), deferred: r.Between(0.3, 1),
		tileCost: r.Between(1, 1.6), fifo: r.Log(8, 64), parts: r.Whole(3, 5), sigma: r.Between(0.15, 0.5),
		lines: 0, points: r.Between(0, 0.01), back: r.Between(0.01, 0.2)}
}

// screen is a pass over the whole screen, of two triangles.
func (a *author) screen(name string, w, h float64, sh shader) *drawing {
	d := a.pass(name, w, h, 1, sh)
	d.early, d.kill, d.hidden, d.late, d.opaque, d.fill, d.partial = 0, 0, 0, 0, 1, 1, 0.01
	d.perTile, d.vertices, d.reuse, d.visible, d.parts, d.sigma = 1.1, 64, 0.5, 1, 2, a.r.Between(0.02, 0.15)
	if a.r.Chance(0.5) {
		d.vertices = 0 // a transfer of the driver's, without geometry
	}
	return d
}

func (a *author) shadow() *drawing {
	size := simulate.Pick(a.r, 1024.0, 1536, 2048, 2048)
	d := a.pass("shadow", size, size, a.r.Between(0.7, 2), shader{})
	d.shaded, d.hidden, d.late, d.early, d.bpp, d.deferred = false, 0, 0, 1, 2, 0
	d.vertices *= a.r.Between(0.6, 1.6)
	d.varying = shader{}
	return d
}

// resolution is a size of pictures.
func (a *author) resolution() (w, h float64) {
	s := simulate.Pick(a.r, [2]float64{1280, 720}, [2]float64{1600, 720}, [2]float64{1920, 1080}, [2]float64{2400, 1080},
		[2]float64{1560, 720})
	return s[0], s[1]
}

func (a *author) post(w, h float64, last int) int {
	for range a.r.IntN(4) {
		f := simulate.Pick(a.r, 0.25, 0.5, 1)
		last = a.render(a.screen("post", math.Ceil(w*f), math.Ceil(h*f), a.filter()), last)
	}
	return last
}

func (a *author) widgets(w, h float64) *drawing {
	d := a.pass("ui", w, h, a.r.Between(0.6, 3), a.flat())
	d.early, d.kill, d.hidden, d.opaque, d.vertices, d.perTile = 0.2, 0.05, a.r.Between(0, 0.1), a.r.Between(0.1, 0.6),
		a.r.Log(500, 8000), a.r.Log(1.5, 12)
	d.parts = 2
	return d
}

func (a *author) game() content {
	w, h := a.resolution()
	var reads []int
	for range a.r.IntN(3) {
		reads = append(reads, a.render(a.shadow()))
	}
	d := a.pass("main", w, h, a.r.Between(1.2, 3), a.lit(1))
	if a.r.Chance(0.2) {
		d.coarse = a.r.Between(0.4, 0.9)
	}
	if a.m.five && a.r.Chance(0.15) {
		a.trace(&d.shade, a.r.Log(5, 60))
	}
	last := a.render(d, reads...)
	if a.r.Chance(0.3) {
		last = a.dispatch(a.kernel("culling"), last)
	}
	last = a.post(w, h, last)
	if a.r.Chance(0.6) {
		a.render(a.widgets(w, h), last)
	}
	return a.done("game")
}

func (a *author) trace(s *shader, box float64) {
	s.box, s.tri, s.diverged = box, box*a.r.Between(0.15, 0.6), a.r.Between(0.1, 0.5)
	s.chain += a.r.Between(1, 5)
	s.rd += 2
}

func (a *author) deferredShading() content {
	w, h := a.resolution()
	var reads []int
	if a.r.Chance(0.7) {
		reads = append(reads, a.render(a.shadow()))
	}
	g := a.pass("gbuffer", w, h, a.r.Between(1.2, 2.5), a.lit(0.5))
	g.bpp, g.blend = a.r.Between(8, 16), a.r.Between(1.2, 2.5)
	last := a.render(g)
	l := a.screen("lighting", w, h, a.lit(a.r.Between(1, 2.5)))
	l.shade.tex, l.shade.texL2, l.shade.texHit = a.r.Between(4, 8), a.r.Log(60, 130), a.r.Between(0.05, 0.4)
	last = a.render(l, append(reads, last)...)
	a.post(w, h, last)
	return a.done("deferred")
}

func (a *author) alpha() content {
	w, h := a.resolution()
	d := a.pass("opaque", w, h, a.r.Between(1, 1.6), a.lit(0.7))
	t := a.pass("transparent", w, h, a.r.Between(3, 9), a.flat())
	t.opaque, t.hidden, t.kill, t.blend = a.r.Between(0, 0.1), 0, a.r.Between(0, 0.3), a.r.Between(1.2, 2.6)
	t.vertices, t.late = a.r.Log(4e3, 6e4), a.r.Between(0, 0.2)
	if a.r.Chance(0.2) {
		t.swBlend = a.r.Between(0.05, 0.24)
	}
	last := a.render(d)
	last = a.render(t, last)
	a.post(w, h, last)
	return a.done("transparency")
}

func (a *author) ui() content {
	w, h := a.resolution()
	for range a.r.Whole(0, 2) {
		a.render(a.widgets(w*a.r.Between(0.2, 1), h*a.r.Between(0.1, 0.6)))
	}
	d := a.widgets(w, h)
	d.unchanged = a.r.Between(0, 0.5)
	a.render(d)
	return a.done("compositor")
}

func (a *author) camera() content {
	w, h := a.resolution()
	last := -1
	for i := range a.r.Whole(2, 5) {
		k := a.kernel("image")
		k.warps = w * h / 16 * simulate.Pick(a.r, 0.25, 0.5, 1)
		k.shade = a.filter()
		k.shade.wr, k.shade.stL2, k.shade.v32 = 2, 64, 0
		if i == 0 {
			last = a.dispatch(k)
		} else {
			last = a.dispatch(k, last)
		}
	}
	a.render(a.screen("preview", w, h, a.flat()), last)
	return a.done("camera")
}

// kernel is a dispatch with everything drawn.
func (a *author) kernel(name string) *kernel {
	r := a.r
	s := shader{fma: r.Log(12, 250), diverged: r.Between(0, 0.3), narrow: r.Between(0, 0.8), rd: r.Log(3, 40),
		wr: r.Between(0.5, 5), part: r.Between(0.05, 0.6), ldL2: r.Log(64, 1500), stL2: r.Log(16, 128), chain: r.Between(1, 8),
		hit: r.Between(0.4, 0.95), heavy: r.Chance(0.5), group: r.Between(0.3, 1)}
	s.cvt, s.sfu = s.fma*r.Between(0.2, 0.9), s.fma*r.Between(0, 0.08)
	if r.Chance(0.2) {
		s.atomic = r.Between(0.2, 4)
	}
	switch r.IntN(6) {
	case 0:
		s.rd, s.ldL2, s.hit = s.rd*r.Between(1.5, 4), s.ldL2*0.5, 0.95
	case 1:
		s.ldL2, s.stL2, s.hit = s.ldL2*2, s.stL2*2, s.hit*r.Between(0.1, 0.6)
	case 2:
		s.chain, s.group = s.chain*r.Between(2, 6), r.Between(0.06, 0.3)
	case 3:
		s.ldL2, s.hit = s.ldL2*r.Between(2, 4), r.Between(0.95, 0.99)
	case 4:
		s.fma, s.cvt = s.fma*2, s.cvt*2
	}
	return &kernel{name, r.Log(8e3, 1.5e5), simulate.Pick(r, 4.0, 8, 16), s, r.Whole(1, 3), r.Between(0.05, 0.35)}
}

func (a *author) inference() content {
	last := -1
	for i := range a.r.Whole(6, 18) {
		k := a.kernel("layer")
		k.warps = a.r.Log(3e3, 6e4)
		s := &k.shade
		s.fma, s.narrow, s.diverged, s.hit = a.r.Log(150, 900), a.r.Between(0.6, 1), 0, a.r.Between(0.7, 0.97)
		s.cvt, s.sfu = s.fma*a.r.Between(0.1, 0.4), s.fma*0.005
		s.rd = s.fma * a.r.Log(0.03, 0.9)
		if a.r.Chance(0.35) { // an activation or a copy: all bytes, no arithmetic
			s.fma, s.cvt, s.hit, s.ldL2, s.stL2 = 12, 12, 0.1, 400, 256
		}
		k.parts = 1
		if i == 0 {
			last = a.dispatch(k)
		} else {
			last = a.dispatch(k, last)
		}
	}
	return a.done("inference")
}

func (a *author) simulation() content {
	last := -1
	for i := range a.r.Whole(2, 6) {
		k := a.kernel("step")
		if i == 0 {
			last = a.dispatch(k)
		} else {
			last = a.dispatch(k, last)
		}
	}
	if a.r.Chance(0.5) {
		w, h := a.resolution()
		d := a.pass("particles", w, h, a.r.Between(0.5, 3), a.flat())
		d.vertices = a.r.Log(5e4, 4e5)
		a.render(d, last)
	}
	return a.done("simulation")
}

func (a *author) loading() content {
	w, h := a.resolution()
	for range a.r.Whole(1, 4) {
		k := a.kernel("upload")
		k.warps = a.r.Log(4e3, 8e4)
		k.shade = shader{fma: 4, cvt: 10, narrow: 0.5, rd: 4, wr: 4, ldL2: 256, stL2: 256, chain: 1, hit: 0.05}
		a.jobs[a.dispatch(k)].rare = a.r.Between(0.1, 0.8)
	}
	a.render(a.widgets(w, h))
	return a.done("loading")
}

// any is passes of all kinds.
func (a *author) any() content {
	w, h := a.resolution()
	last := -1
	for range a.r.Whole(2, 6) {
		reads := []int{last}
		if last < 0 || a.r.Chance(0.3) {
			reads = nil
		}
		switch a.r.IntN(8) {
		case 0:
			last = a.render(a.shadow(), reads...)
		case 1, 2:
			last = a.render(a.pass("scene", w, h, a.r.Between(1, 4), a.lit(a.r.Log(0.3, 2.5))), reads...)
		case 3:
			last = a.render(a.screen("filter", w, h, a.filter()), reads...)
		case 4:
			last = a.render(a.widgets(w, h), reads...)
		case 5:
			last = a.dispatch(a.kernel("kernel"), reads...)
		default:
			last = a.dominated(a.r.IntN(stations), reads...)
		}
	}
	return a.done("mixture")
}
