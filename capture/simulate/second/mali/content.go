package mali

import (
	"math"
	"math/rand/v2"
)

// mix draws how much of each resource a job of a queue would need, where the first needs most.
func (d *drawing) mix(queue int, top leaf) (l [resources]float64) {
	some := func(of leaf, low, high float64) { l[of] = between(d.r, low, high) }
	some(cacheRate, 0.1, 0.45)
	some(bandwidth, 0.15, 0.55)
	some(latency, 0.12, 0.5)
	some(arithmetic, 0.2, 0.6)
	some(loadStore, 0.05, 0.35)
	switch queue {
	case mainQueue:
		some(texture, 0.1, 0.55)
		some(varying, 0.05, 0.35)
		some(rasterizer, 0.12, 0.4)
		some(backend, 0.1, 0.4)
	case binningQueue:
		some(tiler, 0.3, 0.7)
	default:
		some(loadStore, 0.1, 0.5)
		if d.r.Float64() < 0.5 {
			some(texture, 0.05, 0.5)
		}
	}
	switch top {
	case rasterizer: // what it makes is killed before it is shaded
		some(backend, 0.08, 0.25)
		some(arithmetic, 0.08, 0.35)
		some(texture, 0.02, 0.25)
		some(varying, 0.02, 0.2)
	case backend: // many thin layers
		some(arithmetic, 0.1, 0.4)
	case latency: // each load waits for the one before
		some(bandwidth, 0.15, 0.4)
	}
	if d.plain { // what several jobs at once need together does not limit either
		for _, of := range []leaf{cacheRate, bandwidth, latency} {
			l[of] *= 0.6
		}
	}
	l[top] = 1
	// A second one is often as high.
	if !d.plain {
		if second := leaf(d.r.IntN(int(resources))); second != top && l[second] > 0 {
			l[second] = between(d.r, 0.5, 0.97)
		}
	}
	return l
}

// builder puts the jobs of a frame together.
type builder struct {
	d *drawing
	content
}

// job adds a job that is limited by top.
func (b *builder) job(queue int, seconds float64, top leaf, after ...int) int {
	w := want{queue: queue, seconds: seconds, loads: b.d.mix(queue, top), precise: b.d.plain,
		quads: top == backend, fine: top == rasterizer && b.d.r.Float64() < 0.5}
	j := newJob(b.d.m, b.d.r, w)
	j.after = after
	b.jobs = append(b.jobs, j)
	return len(b.jobs) - 1
}

// pass adds a render pass: its binning takes a share of the time of its main phase.
func (b *builder) pass(seconds, share float64, top leaf, after ...int) int {
	binning := b.job(binningQueue, seconds*share, pick(b.d.r, tiler, tiler, tiler, tiler, latency, arithmetic, loadStore))
	return b.job(mainQueue, seconds, top, append(after, binning)...)
}

// scenes are kinds of content, each drawn for a time of the GPU per frame.
var scenes = []struct {
	name string
	draw func(d *drawing, t float64) content
}{
	{"a forward renderer with shadows and post processing", (*drawing).forward},
	{"a deferred renderer", (*drawing).deferred},
	{"effects of many transparent layers", (*drawing).layers},
	{"a user interface", (*drawing).interfaces},
	{"video or a camera's pictures", (*drawing).video},
	{"inference of a network", (*drawing).inference},
	{"a simulation by compute shaders", (*drawing).simulation},
	{"a loading screen", (*drawing).loading},
	{"a model of very many triangles", (*drawing).geometry},
	{"a scene with ray queries", (*drawing).queries},
	{"a chain of small post passes", (*drawing).chain},
}

func (d *drawing) processor(c *content, t, low, high float64) content {
	c.app, c.driver = t*between(d.r, low, high), t*between(d.r, low, high)*0.6
	return *c
}

func (d *drawing) forward(t float64) content {
	b := builder{d: d}
	r := d.r
	shadow := b.pass(t*between(r, 0.08, 0.22), between(r, 0.3, 0.8), pick(r, rasterizer, ofDepth(r), bandwidth))
	after := []int{shadow}
	if r.Float64() < 0.4 {
		after = append(after, b.job(computeQueue, t*between(r, 0.03, 0.1), pick(r, arithmetic, latency, loadStore)))
	}
	scene := b.pass(t*between(r, 0.4, 0.6), between(r, 0.15, 0.4),
		pick(r, arithmetic, arithmetic, texture, varying, latency), after...)
	for range 1 + r.IntN(4) {
		scene = b.pass(t*between(r, 0.04, 0.12), 0.02, pick(r, bandwidth, bandwidth, texture, arithmetic), scene)
	}
	b.pass(t*between(r, 0.03, 0.08), between(r, 0.05, 0.2), pick(r, backend, texture), scene)
	return d.processor(&b.content, t, 0.3, 0.8)
}

// ofDepth is what a depth-only main phase is limited by.
func ofDepth(r *rand.Rand) leaf { return pick(r, rasterizer, cacheRate) }

func (d *drawing) deferred(t float64) content {
	b := builder{d: d}
	r := d.r
	g := b.pass(t*between(r, 0.25, 0.4), between(r, 0.2, 0.5), pick(r, bandwidth, backend, varying, texture))
	light := 0
	if r.Float64() < 0.4 {
		light = b.job(computeQueue, t*between(r, 0.25, 0.4), pick(r, arithmetic, latency, cacheRate), g)
	} else {
		light = b.pass(t*between(r, 0.25, 0.4), 0.03, pick(r, arithmetic, arithmetic, latency, bandwidth), g)
	}
	post := b.pass(t*between(r, 0.1, 0.2), 0.02, pick(r, bandwidth, texture), light)
	b.pass(t*0.05, 0.2, backend, post)
	return d.processor(&b.content, t, 0.3, 0.8)
}

func (d *drawing) layers(t float64) content {
	b := builder{d: d}
	r := d.r
	scene := b.pass(t*between(r, 0.2, 0.4), between(r, 0.1, 0.3), pick(r, arithmetic, texture))
	particles := b.job(computeQueue, t*between(r, 0.03, 0.1), loadStore)
	b.pass(t*between(r, 0.5, 0.7), between(r, 0.1, 0.25),
		pick(r, backend, backend, texture, varying, rasterizer), scene, particles)
	return d.processor(&b.content, t, 0.25, 0.7)
}

func (d *drawing) interfaces(t float64) content {
	b := builder{d: d}
	for range 2 + d.r.IntN(4) {
		b.pass(t*between(d.r, 0.15, 0.4), between(d.r, 0.05, 0.3), pick(d.r, backend, bandwidth, texture, rasterizer))
	}
	return d.processor(&b.content, t, 0.4, 1.2)
}

func (d *drawing) video(t float64) content {
	b := builder{d: d}
	last := b.job(computeQueue, t*between(d.r, 0.15, 0.4), pick(d.r, bandwidth, loadStore, texture))
	for range 1 + d.r.IntN(4) {
		if d.r.Float64() < 0.5 {
			last = b.job(computeQueue, t*between(d.r, 0.1, 0.3), pick(d.r, bandwidth, cacheRate, texture, arithmetic), last)
		} else {
			last = b.pass(t*between(d.r, 0.1, 0.3), 0.01, pick(d.r, bandwidth, texture), last)
		}
	}
	return d.processor(&b.content, t, 0.1, 0.4)
}

func (d *drawing) inference(t float64) content {
	b := builder{d: d}
	r := d.r
	n := 12 + r.IntN(40)
	kind := pick(r, arithmetic, arithmetic, cacheRate, bandwidth, loadStore)
	last := b.job(computeQueue, t*0.02, bandwidth)
	for range n {
		top := kind
		if r.Float64() < 0.35 {
			top = pick(r, bandwidth, latency, loadStore, arithmetic)
		}
		last = b.job(computeQueue, t/float64(n)*between(r, 0.3, 1.7), top, last)
	}
	return d.processor(&b.content, t, 0.05, 0.5)
}

func (d *drawing) simulation(t float64) content {
	b := builder{d: d}
	r := d.r
	last := b.job(computeQueue, t*between(r, 0.1, 0.25), pick(r, latency, loadStore, arithmetic))
	for range 1 + r.IntN(6) {
		last = b.job(computeQueue, t*between(r, 0.06, 0.2),
			pick(r, latency, arithmetic, loadStore, cacheRate, bandwidth), last)
	}
	b.pass(t*between(r, 0.15, 0.4), between(r, 0.1, 0.4), pick(r, arithmetic, backend, texture), last)
	return d.processor(&b.content, t, 0.1, 0.5)
}

func (d *drawing) loading(t float64) content {
	b := builder{d: d}
	b.pass(t*0.2, 0.1, pick(d.r, backend, texture))
	b.job(computeQueue, t*between(d.r, 0.05, 0.3), bandwidth) // uploads
	c := d.processor(&b.content, t, 0.2, 0.4)
	if d.r.Float64() < 0.7 {
		c.app = t * between(d.r, 1, 2)
	} else {
		c.driver = t * between(d.r, 1, 2)
	}
	return c
}

func (d *drawing) geometry(t float64) content {
	b := builder{d: d}
	r := d.r
	b.job(binningQueue, t*between(r, 0.6, 1.1), pick(r, tiler, tiler, tiler, latency, bandwidth, loadStore))
	b.job(mainQueue, t*between(r, 0.3, 0.9), pick(r, rasterizer, arithmetic, varying), 0)
	b.pass(t*between(r, 0.05, 0.15), 0.05, pick(r, bandwidth, backend), 1)
	return d.processor(&b.content, t, 0.15, 0.6)
}

func (d *drawing) queries(t float64) content {
	if !d.m.rays {
		return d.deferred(t)
	}
	b := builder{d: d}
	g := b.pass(t*between(d.r, 0.15, 0.3), between(d.r, 0.2, 0.5), pick(d.r, texture, varying, bandwidth))
	rays := b.job(pick(d.r, computeQueue, mainQueue), t*between(d.r, 0.4, 0.6),
		pick(d.r, rayTracing, rayTracing, latency), g)
	b.pass(t*between(d.r, 0.1, 0.2), 0.02, pick(d.r, bandwidth, texture), rays)
	return d.processor(&b.content, t, 0.2, 0.6)
}

func (d *drawing) chain(t float64) content {
	b := builder{d: d}
	last := b.pass(t*between(d.r, 0.2, 0.4), 0.3, pick(d.r, arithmetic, texture))
	n := 10 + d.r.IntN(25)
	for range n {
		each := t / float64(n) * between(d.r, 0.2, 0.8)
		if d.r.Float64() < 0.5 {
			last = b.job(computeQueue, each, pick(d.r, bandwidth, texture, latency), last)
		} else {
			last = b.pass(each, 0.02, pick(d.r, bandwidth, texture), last)
		}
	}
	return d.processor(&b.content, t, 0.2, 0.7)
}

// mixture is passes of any kind in any order.
func (d *drawing) mixture(t float64) content {
	b := builder{d: d}
	r := d.r
	n := 1 + r.IntN(9)
	for range n {
		each := t / float64(n) * math.Exp(r.NormFloat64()*0.9)
		var after []int
		if k := len(b.jobs); k > 0 && r.Float64() < 0.7 {
			after = []int{r.IntN(k)}
		}
		switch tops := mainTops(d.m); r.IntN(3) {
		case 0:
			b.job(computeQueue, each, pick(r, computeTops(d.m)...), after...)
		case 1:
			b.pass(each, between(r, 0.02, 1.3), pick(r, tops...), after...)
		default:
			b.pass(each, between(r, 0.02, 0.3), pick(r, tops...), after...)
		}
	}
	c := d.processor(&b.content, t, 0.1, 1.1)
	return c
}

func mainTops(m *machine) []leaf {
	l := []leaf{arithmetic, texture, varying, loadStore, rasterizer, backend, cacheRate, bandwidth, latency}
	if m.rays {
		l = append(l, rayTracing)
	}
	return l
}

func computeTops(m *machine) []leaf {
	l := []leaf{arithmetic, texture, loadStore, cacheRate, bandwidth, latency}
	if m.rays {
		l = append(l, rayTracing)
	}
	return l
}

// limited is content that only one thing limits.
func (d *drawing) limited(by leaf, t float64) content {
	d.plain = true
	defer func() { d.plain = false }()
	b := builder{d: d}
	r := d.r
	cpu := func(app, driver float64) content {
		c := b.content
		c.app, c.driver = t*app*between(r, 0.9, 1.1), t*driver*between(r, 0.9, 1.1)
		return c
	}
	switch by {
	case tiler:
		b.job(binningQueue, t, tiler)
		b.job(mainQueue, t*between(r, 0.25, 0.5), pick(r, arithmetic, texture, rasterizer), 0)
	case overhead:
		last := []int(nil)
		each := d.m.launch * between(r, 0.15, 0.6)
		n := max(20, min(120, int(t/(d.m.launch*1.4))))
		t = float64(n) * d.m.launch * 1.2
		d.seconds = t
		for range n {
			last = []int{b.job(computeQueue, each*between(r, 0.5, 1.5), pick(r, computeTops(d.m)...), last...)}
		}
	case cpuApp:
		d.small(&b, t*between(r, 0.3, 0.6))
		return cpu(1.2, between(r, 0.2, 0.5))
	case cpuDriver:
		d.small(&b, t*between(r, 0.3, 0.6))
		return cpu(between(r, 0.2, 0.5), 1.2)
	case cpuSync:
		d.small(&b, t*between(r, 0.45, 0.6))
		return cpu(between(r, 0.35, 0.5), between(r, 0.05, 0.12))
	case inTurn:
		d.turns(&b, t)
	case thermal, power, governor:
		last := []int(nil)
		for _, top := range []leaf{arithmetic, texture, rasterizer, varying, loadStore, backend} {
			if r.Float64() < 0.2 {
				continue
			}
			last = []int{b.pass(t*between(r, 0.15, 0.3), 0.15, top, last...)}
		}
		return cpu(between(r, 0.2, 0.4), between(r, 0.1, 0.3))
	default:
		last := []int(nil)
		n := 1 + r.IntN(3)
		for range n {
			each := t / float64(n) * between(r, 0.8, 1.2)
			main := by == varying || by == rasterizer || by == backend || by == texture && r.Float64() < 0.7 ||
				r.Float64() < 0.5
			if main {
				last = []int{b.pass(each, between(r, 0.02, 0.2), by, last...)}
			} else {
				last = []int{b.job(computeQueue, each, by, last...)}
			}
		}
	}
	return cpu(between(r, 0.1, 0.4), between(r, 0.05, 0.3))
}

// small is content of several limits that is not what the case is about.
func (d *drawing) small(b *builder, t float64) {
	first := b.pass(t*0.5, 0.15, pick(d.r, arithmetic, texture, backend))
	second := b.pass(t*0.3, 0.05, pick(d.r, bandwidth, rasterizer, latency), first)
	b.pass(t*0.2, 0.05, pick(d.r, varying, loadStore, texture), second)
}

// turns is content whose queues could work at the same time, and wait for each other without need.
func (d *drawing) turns(b *builder, t float64) {
	r := d.r
	share := between(r, 0.42, 0.58)
	switch r.IntN(3) {
	case 0: // what a dispatch does with a picture, and the next picture
		b.pass(t*share, 0.1, pick(r, texture, rasterizer, varying))
		b.job(computeQueue, t*(1-share), pick(r, arithmetic, loadStore), 1)
		b.jobs[1].beforeNeedless = []int{2}
		b.jobs[0].beforeNeedless = []int{2}
	case 1: // binning that waits for the main phase before it
		b.job(binningQueue, t*share, pick(r, tiler, tiler, latency))
		b.job(mainQueue, t*(1-share), pick(r, texture, backend, arithmetic), 0)
		b.jobs[0].beforeNeedless = []int{1}
	default: // barriers between all passes
		n := 2 + r.IntN(3)
		for k := range n {
			each := t / float64(n)
			b.job(binningQueue, each*share, tiler)
			b.job(mainQueue, each*(1-share), pick(r, texture, backend, arithmetic), 2*k)
			if k > 0 {
				b.jobs[2*k].needless = []int{2*k - 1}
				b.jobs[2*k+1].after = append(b.jobs[2*k+1].after, 2*k-1)
			}
		}
		b.jobs[0].beforeNeedless = []int{2*n - 1}
	}
}
