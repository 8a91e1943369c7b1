package mali

import (
	"math"
	"math/rand/v2"
)

// builder draws a program.
type builder struct {
	*machine
	r *rand.Rand
}

// depend lets passes wait for those whose results they need: shading for its geometry and for the last compute, and
// compute for the last shading.
func (c *content) depend() {
	geo, shade, comp := -1, -1, -1
	for i, p := range c.passes {
		p.after = nil
		switch p.kind {
		case geometry:
			geo = i
		case shading:
			if geo >= 0 {
				p.after = append(p.after, geo)
				geo = -1
			}
			if comp >= 0 {
				p.after = append(p.after, comp)
				comp = -1
			}
			shade = i
		case compute:
			if shade >= 0 {
				p.after = append(p.after, shade)
			}
			comp = i
		}
	}
}

// part is a pass of a template.
type part struct {
	name  string
	kind  kindOfPass
	share float64 // of the frame
	by    []int
}

type template struct {
	name    string
	parts   []part
	display bool
	app     [2]float64 // of the GPU's time
	driver  [2]float64
}

var templates = []template{
	{"forward game", []part{
		{"shadow geometry", geometry, 0.07, []int{tiler, loadStore}}, {"shadow", shading, 0.08, []int{rasterizer, bandwidth}},
		{"main geometry", geometry, 0.14, []int{tiler, arithmetic, latency}},
		{"main", shading, 0.55, []int{arithmetic, texture, varying}},
		{"post", shading, 0.12, []int{bandwidth, texture}}, {"interface", shading, 0.04, []int{backend}},
	}, true, [2]float64{0.2, 0.7}, [2]float64{0.15, 0.6}},
	{"deferred game", []part{
		{"shadow geometry", geometry, 0.06, []int{tiler}}, {"shadow", shading, 0.06, []int{rasterizer}},
		{"geometry", geometry, 0.12, []int{tiler, loadStore}}, {"g-buffer", shading, 0.24, []int{backend, texture, bandwidth}},
		{"lighting", shading, 0.4, []int{arithmetic, loadStore, latency, cache}}, {"bloom", compute, 0.08, []int{bandwidth, cache}},
		{"tone mapping", shading, 0.08, []int{bandwidth, arithmetic}},
	}, true, [2]float64{0.2, 0.7}, [2]float64{0.15, 0.6}},
	{"game with smoke and foliage", []part{
		{"geometry", geometry, 0.1, []int{tiler, arithmetic}}, {"opaque", shading, 0.24, []int{texture, arithmetic}},
		{"particles", compute, 0.06, []int{loadStore}}, {"alpha", shading, 0.5, []int{backend, rasterizer, varying}},
		{"post", shading, 0.1, []int{bandwidth}},
	}, true, [2]float64{0.2, 0.6}, [2]float64{0.15, 0.5}},
	{"strategy game of small triangles", []part{
		{"shadow geometry", geometry, 0.2, []int{tiler}}, {"shadow", shading, 0.08, []int{rasterizer}},
		{"geometry", geometry, 0.45, []int{tiler, tiler, loadStore, latency}}, {"main", shading, 0.2, []int{rasterizer, varying}},
		{"interface", shading, 0.07, []int{backend}},
	}, true, [2]float64{0.3, 0.7}, [2]float64{0.2, 0.7}},
	{"compositor", []part{
		{"blur", shading, 0.3, []int{texture, cache}}, {"windows", shading, 0.52, []int{bandwidth, backend, texture}},
		{"corners", shading, 0.1, []int{varying}}, {"pointer", shading, 0.08, []int{launch}},
	}, true, [2]float64{0.1, 0.4}, [2]float64{0.1, 0.4}},
	{"video player with filters", []part{
		{"deinterlace", compute, 0.25, []int{loadStore, cache}}, {"denoise", compute, 0.5, []int{bandwidth, cache, loadStore, texture}},
		{"scale", shading, 0.15, []int{texture}}, {"overlay", shading, 0.1, []int{backend}},
	}, true, [2]float64{0.1, 0.5}, [2]float64{0.1, 0.3}},
	{"inference", []part{
		{"stem", compute, 0.08, []int{texture, bandwidth}}, {"convolution 1", compute, 0.3, []int{arithmetic, loadStore, cache}},
		{"normalise", compute, 0.06, []int{bandwidth}}, {"convolution 2", compute, 0.32, []int{arithmetic, loadStore}},
		{"attention", compute, 0.14, []int{latency, cache}}, {"softmax", compute, 0.04, []int{launch}},
		{"head", compute, 0.06, []int{bandwidth, latency}},
	}, false, [2]float64{0.05, 0.3}, [2]float64{0.1, 0.4}},
	{"simulation in compute", []part{
		{"sort", compute, 0.18, []int{loadStore, latency}}, {"neighbours", compute, 0.5, []int{latency, cache, loadStore}},
		{"integrate", compute, 0.2, []int{bandwidth, arithmetic}}, {"reduce", compute, 0.12, []int{launch, latency}},
	}, false, [2]float64{0.05, 0.3}, [2]float64{0.1, 0.4}},
	{"loading screen", []part{
		{"upload", compute, 0.4, []int{bandwidth, loadStore}}, {"transcode", compute, 0.3, []int{arithmetic, loadStore}},
		{"spinner", shading, 0.3, []int{texture, backend}},
	}, true, [2]float64{1.5, 3}, [2]float64{0.3, 1.2}},
	{"menu of many small draws", []part{
		{"geometry", geometry, 0.15, []int{launch, tiler}}, {"background", shading, 0.35, []int{backend, texture}},
		{"cards", shading, 0.3, []int{backend, launch}}, {"glow", shading, 0.2, []int{texture, launch}},
	}, true, [2]float64{0.3, 0.9}, [2]float64{0.8, 2}},
}

// traced are templates with rays.
var traced = []template{
	{"game with ray traced shadows", []part{
		{"geometry", geometry, 0.1, []int{tiler, arithmetic}}, {"g-buffer", shading, 0.2, []int{texture, backend}},
		{"rays", compute, 0.42, []int{rayTracing, rayTracing, rayTracing, latency}}, {"denoise", compute, 0.12, []int{bandwidth, loadStore}},
		{"lighting", shading, 0.16, []int{arithmetic, texture}},
	}, true, [2]float64{0.2, 0.6}, [2]float64{0.15, 0.5}},
	{"game with ray queries in fragments", []part{
		{"geometry", geometry, 0.12, []int{tiler}}, {"main with rays", shading, 0.62, []int{rayTracing, rayTracing, arithmetic, latency}},
		{"post", shading, 0.16, []int{bandwidth, texture}}, {"interface", shading, 0.06, []int{backend}},
	}, true, [2]float64{0.2, 0.6}, [2]float64{0.15, 0.5}},
}

// fromTemplate draws a content of about so many ns of work of the GPU.
func (b builder) fromTemplate(t *template, ns float64) *content {
	c := &content{name: t.name, app: ns * between(b.r, t.app[0], t.app[1]), driver: ns * between(b.r, t.driver[0], t.driver[1]),
		system: between(b.r, 0.2, 0.5)}
	calm := between(b.r, 0.55, 1)
	for _, p := range t.parts {
		c.passes = append(c.passes, b.newPass(b.r, p.name, p.kind, ns*p.share*between(b.r, 0.75, 1.25), pick(b.r, p.by...), calm))
	}
	c.depend()
	return c
}

// limited draws a content that one leaf limits, as far as a content can.
func (b builder) limited(by int, ns float64) *content {
	r := b.r
	c := &content{name: "limited by " + candidates[by].Name, app: ns * between(r, 0.1, 0.35), driver: ns * between(r, 0.1, 0.35),
		system: between(r, 0.2, 0.5)}
	calm := between(r, 0.3, 0.6)
	add := func(name string, k kindOfPass, share float64, by int) {
		c.passes = append(c.passes, b.newPass(r, name, k, ns*share, by, calm))
	}
	plain := by >= app // nothing of the GPU
	switch {
	case by == tiler:
		add("geometry", geometry, 0.85, tiler)
		add("main", shading, 0.35, arithmetic)
	case by == launch:
		for i := range 10 + r.IntN(8) {
			k := shading
			if i%3 == 0 {
				k = compute
			}
			add("small", k, 0.07, launch)
		}
	case plain:
		add("geometry", geometry, 0.15, tiler)
		add("shadow", shading, 0.2, rasterizer)
		add("main", shading, 0.3, pick(r, arithmetic, varying))
		add("light", shading, 0.3, pick(r, loadStore, texture))
		add("post", compute, 0.15, cache)
	case (by == cache || by == loadStore || by == latency || by == arithmetic || by == bandwidth) && r.IntN(3) == 0:
		add("kernel A", compute, 0.5, by)
		add("kernel B", compute, 0.4, by)
		add("show", shading, 0.1, texture)
	default:
		add("geometry", geometry, 0.12, tiler)
		add("main", shading, 0.6, by)
		add("second", shading, 0.3, by)
	}
	switch by {
	case app:
		c.app, c.driver = ns*between(r, 1.7, 3), ns*between(r, 0.2, 0.7)
	case driver:
		c.driver, c.app = ns*between(r, 1.7, 3), ns*between(r, 0.2, 0.7)
	}
	c.depend()
	return c
}

// alternating draws a content whose queues could work side by side.
func (b builder) alternating(ns float64) *content {
	r := b.r
	c := &content{name: "queues in turn", app: ns * between(r, 0.1, 0.3), driver: ns * between(r, 0.1, 0.3), system: 0.3}
	side := between(r, 0.35, 0.5)
	one, two := pick(r, tiler, latency), pick(r, arithmetic, texture, rasterizer, backend)
	c.passes = []*pass{
		b.newPass(r, "geometry", geometry, ns*side*0.6, tiler, 0.35),
		b.newPass(r, "geometry 2", geometry, ns*side*0.4, one, 0.35),
		b.newPass(r, "main", shading, ns*(1-side)*0.55, two, 0.4),
		b.newPass(r, "post", shading, ns*(1-side)*0.45, pick(r, varying, texture, backend, arithmetic), 0.4),
	}
	c.depend()
	c.passes[2].after = []int{0, 1}
	c.passes[0].prior = true
	return c
}

// scaleBy makes the GPU's work of a content larger or smaller.
func (c *content) scaleBy(f float64) {
	for _, p := range c.passes {
		for i := range p.work {
			p.work[i] *= f
		}
		p.wait *= f
		p.lay()
	}
}

// scaleCPU does the same to the processor's work.
func (c *content) scaleCPU(f float64) {
	c.app *= f
	c.driver *= f
}

// calmHeat is a clock that nothing holds down.
func (b builder) calmHeat() heat {
	return heat{tick: int64(between(b.r, 8e6, 20e6)), up: 0.88, down: 0.6, top: 1, always: true, degrees: between(b.r, 38, 52),
		ambient: 34, ohm: 6, tau: between(b.r, 2e9, 5e9), atTop: between(b.r, 3.2, 5), cpuWatts: between(b.r, 0.8, 1.6)}
}

// hold makes a clock that something holds down to about a share of the highest.
func (b builder) hold(h *heat, why int, share float64) {
	u := 0.6 + 0.4*share
	watts := b.idleWatts + h.atTop*share*u*u + h.cpuWatts*0.5
	switch why {
	case governor:
		h.always, h.top = false, share
	case thermal:
		h.trip = between(b.r, 68, 84)
		h.degrees = h.trip + between(b.r, -0.2, 0.4)
		h.ohm = (h.trip - h.ambient) / watts
		h.always = true
	case power:
		h.watts, h.always = watts, true
	}
}

// draw fills in what varies from frame to frame.
func (p *program) draw(r *rand.Rand, frames int, gpu, cpu float64) {
	p.frames = frames
	p.scale = make([]float64, frames)
	p.cpuScale = [2][]float64{make([]float64, frames), make([]float64, frames)}
	p.shift = make([]int, frames)
	slow := 0.0
	for f := range frames {
		slow = 0.9*slow + 0.1*r.NormFloat64()
		p.scale[f] = around(r, gpu) * math.Exp(gpu*1.5*slow)
		p.cpuScale[0][f], p.cpuScale[1][f] = around(r, cpu), around(r, cpu)
		p.shift[f] = r.IntN(29)
	}
}

// perFrame is how long a frame takes if nothing of the display's side holds it back, and how long the GPU works on it.
func (p *program) perFrame(which int) (whole, gpu float64) {
	q := *p
	q.contents = []*content{p.contents[which]}
	q.change, q.warm = 0, 0
	q.pace = pacing{buffers: 3}
	q.heat.always, q.heat.trip, q.heat.watts = true, 0, 0
	q.frames = min(16, len(p.scale))
	s := newSim(&q, relief{}, nil)
	s.run()
	first, last := &s.frame[3], &s.frame[q.frames-1]
	busy := int64(0)
	for _, b := range s.busySpan {
		busy += max(0, b.end-max(b.start, first.doneAt))
	}
	n := float64(q.frames - 4)
	return float64(last.doneAt-first.doneAt) / n, float64(busy) / n
}
