package amd

import (
	"slices"

	"astrolabe/capture/simulate"
)

// draw is a program in the making.
type draw struct {
	r     simulate.Random
	p     *program
	knots int
}

func newDraw(seed uint64, purpose string, products []product) *draw {
	r := simulate.NewRandom(seed, "fifth "+purpose)
	d := &draw{r: r, p: &program{}, knots: r.Whole(4, 7)}
	d.p.m = drawMachine(r, products[r.IntN(len(products))])
	d.p.threads = r.Whole(1, 2)
	d.p.pacing.Ahead = r.Whole(2, 3)
	d.p.warm = 6
	if r.Chance(0.45) {
		d.p.handover = r.Log(8e3, 1.5e5)
	}
	if r.Chance(0.3) { // a compositor, or another program in its window
		every := 1e9 / simulate.Pick(r, 60.0, 60, 75, 120, 144)
		d.p.every = int64(every)
		for range r.Whole(1, 2) {
			d.p.beside = append(d.p.beside, drawPass(r, d.p.m, simulate.Pick(r, uiPass, uiPass, postPass), every*r.Log(0.005, 0.06), -1, 2))
		}
	}
	if r.Chance(0.3) {
		d.p.hitches = r.Log(0.004, 0.04)
	}
	cpus := simulate.Pick(r, 4, 6, 8, 12, 16)
	d.p.host = hostContent{cpus: cpus, background: r.Log(0.003, 0.15), kernel: r.Between(0.3, 0.85), appKernel: r.Log(0.01, 0.12),
		irqs: r.Log(150, 4000), switches: r.Log(300, 9000), perFrame: r.Log(3, 60), niced: r.Chance(0.15), migrate: r.Log(0.002, 0.3)}
	d.p.host.irqsFrame = r.Log(1, 14)
	for range r.Weighted([]float64{3, 2, 1, 1, 1}) {
		if len(d.p.host.workers) < cpus-2 {
			d.p.host.workers = append(d.p.host.workers, r.Between(0.1, 0.95))
		}
	}
	if r.Chance(0.3) {
		d.p.host.iowait = r.Log(0.001, 0.05)
	}
	return d
}

// passesOf are the passes of a scene: kinds with shares of the time, as archetypes have them.
type passesOf struct {
	name   string
	kinds  []int
	shares []float64
	cpu    float64 // of the processor's time beside the GPU's, typically
}

var scenes = []passesOf{
	{"game with shadows, opaque and transparent passes", []int{shadow, forward, alpha, postPass}, []float64{.18, .5, .15, .17}, .6},
	{"deferred renderer", []int{shadow, gbuffer, lighting, alpha, postPass}, []float64{.15, .3, .3, .08, .17}, .6},
	{"forward renderer with depth pass and much that is transparent", []int{depthOnly, forward, alpha, alpha, postPass}, []float64{.12, .3, .25, .2, .13}, .5},
	{"compositor of a user interface", []int{uiPass, uiPass, uiPass}, []float64{.4, .35, .25}, .4},
	{"camera preview with filters", []int{videoPass, csBlur, postPass, uiPass}, []float64{.3, .35, .2, .15}, .3},
	{"video playback", []int{videoPass, videoPass, uiPass}, []float64{.5, .2, .3}, .3},
	{"inference of a network", []int{csMatrix, csStream, csMatrix, csStream, csGather}, []float64{.4, .12, .3, .1, .08}, .2},
	{"simulation on the compute queue", []int{csGeneral, csParticles, csSort, csGather}, []float64{.35, .25, .2, .2}, .25},
	{"loading screen", []int{uiPass, csStream}, []float64{.6, .4}, 2.2},
	{"menu over a blurred scene", []int{forward, csBlur, uiPass}, []float64{.45, .3, .25}, .4},
	{"game with asynchronous compute", []int{shadow, gbuffer, csGeneral, lighting, csParticles, postPass}, []float64{.13, .28, .14, .25, .06, .14}, .6},
	{"ray traced shading by kernels", []int{gbuffer, csGather, csBlur, lighting, postPass}, []float64{.25, .33, .15, .17, .1}, .4},
}

// scene draws a content of a scene that takes about so many ns on the GPU.
func (d *draw) scene(s *passesOf, ns float64) content {
	r := d.r
	c := content{name: s.name}
	for i, k := range s.kinds {
		share := ns * s.shares[i] * r.Spread(0.35)
		// Some passes are limited by something that is drawn, as bad content is.
		limit := -1
		if r.Chance(0.3) {
			limit = limitsOf(k)[r.IntN(len(limitsOf(k)))]
		}
		j := drawPass(r, d.p.m, k, share, limit, d.knots)
		d.place(&c, j)
	}
	if r.Chance(0.25) { // a compositor puts the picture among others
		c.jobs = append(c.jobs, drawPass(r, d.p.m, uiPass, ns*r.Log(0.01, 0.08), -1, 2))
	} else if pure(s.kinds) && r.Chance(0.6) { // a program of compute alone
		for i := range c.jobs {
			c.jobs[i].queue, c.jobs[i].after = compute, nil
		}
	}
	d.finish(&c)
	return c
}

// pure says that all passes are of compute.
func pure(kinds []int) bool {
	return !slices.ContainsFunc(kinds, func(k int) bool { return !isCompute(k) })
}

// limitsOf are the resources that can limit a kind of pass.
func limitsOf(kind int) []int {
	out := []int{causeLatency}
	rc := &recipes[kind]
	for u := range resources {
		if rc.p[u] > 0.25 || rc.g[u] > 0.4 {
			out = append(out, u)
		}
	}
	return out
}

// place adds a pass with what it depends on: the one before on its queue or the other.
func (d *draw) place(c *content, j job) {
	r := d.r
	if n := len(c.jobs); isCompute(j.kind) && n > 0 && r.Chance(0.4) {
		j.queue = compute
		// It needs something of an earlier pass, or of the frame before.
		if r.Chance(0.6) {
			j.after = append(j.after, dependency{0, r.IntN(n), false})
		}
	} else if n > 0 && c.jobs[n-1].queue == compute && r.Chance(0.5) {
		j.after = append(j.after, dependency{0, n - 1, false})
	}
	c.jobs = append(c.jobs, j)
}

// finish says when the driver hands passes over, and which one is for the display.
func (d *draw) finish(c *content) {
	r := d.r
	at := r.Between(0.1, 0.5)
	for i := range c.jobs {
		c.jobs[i].submit = min(1, at)
		at += (1 - at) * r.Between(0.15, 0.7)
		c.jobs[i].image = false
		c.jobs[i].jitter = jitters(r, 160, r.Log(0.005, 0.12), r.Log(0.003, 0.06))
	}
	for i := len(c.jobs) - 1; i >= 0; i-- {
		if c.jobs[i].queue == graphics {
			c.jobs[i].image = true
			c.jobs[i].drain = true
			for k := range c.jobs[:i] { // the picture needs what the other queue made in time
				if c.jobs[k].queue == compute && r.Chance(0.5) {
					c.jobs[i].after = append(c.jobs[i].after, dependency{0, k, false})
				}
			}
			break
		}
	}
}

// run frames of the contents in a row, and leaves the processor's work in them.
func (d *draw) run(n int, app, driver float64, contents ...content) {
	r, p := d.r, d.p
	p.contents = contents
	a, b, s := jitters(r, n, 0.04, r.Log(0.01, 0.12)), jitters(r, n, 0.04, r.Log(0.01, 0.1)), jitters(r, n, r.Log(0.005, 0.08), 0.004)
	for i := range n {
		f := frame{content: i * len(contents) / n, scale: s[i], app: app * a[i], driver: driver * b[i]}
		if r.Chance(p.hitches) {
			f.app *= r.Between(1.5, 4)
		}
		p.frames = append(p.frames, f)
	}
}

// fit makes the processor's work longer or shorter as the GPU's really is, which was meant to take so many ns.
func (d *draw) fit(ns float64) {
	q := *d.p
	q.pacing, q.sync = simulate.Pacing{Ahead: 1}, false
	q.frames = append([]frame(nil), q.frames[:min(len(q.frames), 10)]...)
	for i := range q.frames {
		q.frames[i].app, q.frames[i].driver = 1e5, 1e5
	}
	e := engines.Get().(*engine)
	defer engines.Put(e)
	if e.run(&q, nothing, false, nil) != nil {
		return // the case itself will tell
	}
	gpu := 0.0
	for _, s := range e.busy {
		gpu += float64(s.end - s.start)
	}
	by := gpu / float64(len(q.frames)) / ns
	for i := range d.p.frames {
		f := &d.p.frames[i]
		f.app, f.driver = f.app*by, f.driver*by
	}
}

// scaleWork makes all work of the GPU longer.
func (c *content) scaleWork(by float64) {
	for i := range c.jobs {
		for s := range c.jobs[i].streams {
			st := &c.jobs[i].streams[s]
			for u := range st.work {
				st.work[u] *= by
			}
			st.latCore, st.latMem = st.latCore*by, st.latMem*by
		}
	}
}

// count is how many frames make a recording of some length, within what can be simulated.
func (d *draw) count(frameNs float64, jobs int) int {
	seconds := d.r.Log(0.9, 3)
	n := int(seconds * 1e9 / frameNs)
	most := 150
	if jobs > 8 {
		most = 1200 / jobs
	}
	return min(most, max(30, n))
}

// rates are the rates of displays.
var rates = []float64{60, 60, 60, 60, 72, 75, 90, 120, 144, 165}

func hz(rate float64) int64 { return int64(1e9/rate + 0.5) }

// pace draws what paces a program that is not healthy: often nothing.
func (d *draw) pace(frameNs float64) {
	r, p := d.r, &d.p.pacing
	p.Buffers = r.Whole(2, 3)
	switch r.Weighted([]float64{5, 2, 1, 1}) {
	case 1:
		p.Refresh = hz(simulate.Pick(r, rates...))
		p.Cadence = []int{1}
		p.Align = r.Chance(0.3)
	case 2:
		p.Refresh, p.Adaptive, p.Cadence = hz(simulate.Pick(r, 120.0, 144, 165)), true, []int{1}
	case 3:
		p.Cap = int64(frameNs * r.Between(0.6, 1.3))
	}
}

// clocked draws what sets the clock.
func (d *draw) clocked() {
	r := d.r
	switch r.Weighted([]float64{5, 2, 1.5, 1.5}) {
	case 1:
		d.p.m.governed(r, r.Between(0.4, 1))
	case 2:
		d.p.m.heated(r, r.Between(0.6, 0.97), r.Between(0.5, 0.8))
	case 3:
		d.p.m.powered(r.Between(0.6, 0.97), r.Between(0.55, 0.85))
	}
}
