package mali

import (
	"math"
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// kinds of content: each makes the passes of a frame, whose size is set afterwards. app and driver are the processor's
// times as shares of the GPU's.
type scenario struct {
	text        string
	app, driver [2]float64 // from, to
	make        func(k *maker)
}

const fullHD = 1920 * 1080.0

var scenarios = []scenario{
	{"game with a shadow map, a forward pass and post-processing", [2]float64{0.2, 0.8}, [2]float64{0.15, 0.6}, func(k *maker) {
		shadow := drawLook(k.r)
		shadow.fma, shadow.cvt, shadow.sfu, shadow.messages, shadow.slots, shadow.reads = 4, 2, 0, 0, 2, 0
		shadow.blend, shadow.size, shadow.hidden = 0.7, uniform(k.r, 20, 60), 0
		s := k.scene("shadow", shadow, 0.5*fullHD)
		main := k.scene("main", drawLook(k.r), fullHD, edge{pass: s})
		k.post(fullHD, main)
	}},
	{"deferred renderer with lighting in a compute pass", [2]float64{0.2, 0.7}, [2]float64{0.2, 0.6}, func(k *maker) {
		g := drawLook(k.r)
		g.bytes, g.blend, g.overdraw = uniform(k.r, 12, 20), uniform(k.r, 1.5, 2.5), uniform(k.r, 1.2, 2)
		b := k.scene("g-buffer", g, fullHD)
		l := drawLook(k.r)
		l.fma, l.messages, l.texBeats, l.texMiss, l.slots, l.writes, l.filter = uniform(k.r, 90, 260), 14, 4, 0.7, 0, 2, 1
		c := k.add("lighting", compute, computed(&l, fullHD/16), 1, edge{pass: b})
		k.post(fullHD, c)
	}},
	{"particles and smoke: many blended layers", [2]float64{0.2, 0.6}, [2]float64{0.1, 0.4}, func(k *maker) {
		l := drawLook(k.r)
		l.overdraw, l.killed, l.hidden, l.blend = uniform(k.r, 5, 14), 0.05, 0, uniform(k.r, 2, 4)
		l.fma, l.messages, l.slots, l.size = uniform(k.r, 4, 16), uniform(k.r, 2, 5), uniform(k.r, 6, 16), 3000
		l.cvt, l.sfu, l.reads, l.texMiss = uniform(k.r, 2, 8), 0.5, 0.5, uniform(k.r, 0.02, 0.15)
		k.scene("smoke", l, fullHD)
	}},
	{"surfaces put together by a compositor", [2]float64{0.3, 1}, [2]float64{0.3, 1}, func(k *maker) {
		l := drawLook(k.r)
		l.overdraw, l.fma, l.cvt, l.sfu, l.messages, l.slots = uniform(k.r, 2, 5), uniform(k.r, 3, 10), 6, 0, 2, 4
		l.size, l.texMiss, l.texBeats, l.reads, l.killed, l.hidden = 1e5, uniform(k.r, 0.7, 0.95), 4, 0.2, 0, 0.1
		k.scene("layers", l, 2*fullHD)
	}},
	{"camera: frames filtered by compute passes, then shown", [2]float64{0.1, 0.4}, [2]float64{0.1, 0.3}, func(k *maker) {
		last := -1
		for range 2 + k.r.IntN(4) {
			l := drawLook(k.r)
			l.slots, l.writes, l.texMiss, l.texBeats = 0, uniform(k.r, 1, 4), uniform(k.r, 0.4, 0.9), uniform(k.r, 2, 4)
			last = k.add("filter", compute, computed(&l, 2*fullHD/16), 1, k.after(last)...)
		}
		k.post(fullHD, last)
	}},
	{"inference: many small layers, one after the other", [2]float64{0.05, 0.2}, [2]float64{0.3, 0.9}, func(k *maker) {
		last := -1
		k.launch = uniform(k.r, 8e3, 20e3)
		for i := range 12 + k.r.IntN(16) {
			l := drawLook(k.r)
			l.messages, l.slots, l.fma, l.cvt = 0, 0, uniform(k.r, 100, 400), uniform(k.r, 10, 120)
			l.reads, l.writes, l.loadMiss = uniform(k.r, 10, 60), uniform(k.r, 0.5, 4), uniform(k.r, 0.05, 0.5)
			l.occupancy = uniform(k.r, 0.25, 1)
			wide := min(1, uniform(k.r, 0.3, 1.6))
			last = k.add("layer", compute, computed(&l, uniform(k.r, 0.2, 1)*2e4*math.Pow(0.93, float64(i))), wide, k.after(last)...)
		}
		k.passes[last].last = true
	}},
	{"compute: bodies and grids", [2]float64{0.05, 0.3}, [2]float64{0.1, 0.3}, func(k *maker) {
		last := -1
		for range 2 + k.r.IntN(3) {
			l := drawLook(k.r)
			l.messages, l.slots, l.reads, l.writes = 0, 0, uniform(k.r, 8, 60), uniform(k.r, 0.5, 8)
			l.fma, l.loadMiss, l.atomics = uniform(k.r, 40, 500), uniform(k.r, 0.03, 0.6), pick(k.r, 0, 0, uniform(k.r, 1, 8))
			l.occupancy, l.scattered = uniform(k.r, 0.15, 1), k.r.IntN(2) == 0
			last = k.add("step", compute, computed(&l, 1e5), 1, k.after(last)...)
		}
		k.scene("points", drawLook(k.r), 0.3*fullHD, edge{pass: last})
	}},
	{"construction drawing with very many triangles", [2]float64{0.2, 0.6}, [2]float64{0.2, 0.7}, func(k *maker) {
		l := drawLook(k.r)
		l.size, l.fma, l.cvt, l.messages, l.slots = uniform(k.r, 1.5, 6), uniform(k.r, 6, 20), 4, 0.5, uniform(k.r, 6, 14)
		k.scene("model", l, fullHD)
	}},
	{"game with long shaders and ray queries", [2]float64{0.2, 0.6}, [2]float64{0.2, 0.5}, func(k *maker) {
		l := drawLook(k.r)
		l.fma, l.cvt, l.sfu = uniform(k.r, 100, 300), uniform(k.r, 20, 90), uniform(k.r, 4, 20)
		if k.m.gen5 {
			l.boxes, l.occupancy = uniform(k.r, 60, 500), uniform(k.r, 0.3, 0.7)
		}
		main := k.scene("main", l, fullHD)
		k.post(fullHD, main)
	}},
	{"loading screen: a picture turns while data are unpacked", [2]float64{2, 5}, [2]float64{0.5, 2}, func(k *maker) {
		l := drawLook(k.r)
		l.overdraw, l.fma, l.messages = 1.1, 8, 2
		k.scene("picture", l, 0.5*fullHD)
		c := drawLook(k.r)
		c.messages, c.slots, c.writes, c.reads, c.loadMiss = 0, 0, 6, 8, 0.7
		k.add("upload", compute, computed(&c, 2e4), 1)
	}},
	{"menu over a blurred scene: a chain of small passes", [2]float64{0.2, 0.6}, [2]float64{0.3, 0.9}, func(k *maker) {
		l := drawLook(k.r)
		s := k.scene("scene", l, 0.5*fullHD)
		pixels := fullHD / 4
		for range 3 + k.r.IntN(4) {
			s = k.full("blur", pixels, s)
			pixels /= 2
		}
		k.full("menu", fullHD, s)
	}},
	{"map: many draws with thin lines and text", [2]float64{0.4, 1.5}, [2]float64{0.6, 2}, func(k *maker) {
		l := drawLook(k.r)
		l.size, l.slots, l.fma, l.messages, l.overdraw = uniform(k.r, 8, 40), uniform(k.r, 30, 70), uniform(k.r, 6, 20), 2, uniform(k.r, 2, 5)
		k.scene("map", l, fullHD)
	}},
	{"terrain with many anisotropic textures", [2]float64{0.2, 0.6}, [2]float64{0.1, 0.5}, func(k *maker) {
		l := drawLook(k.r)
		l.messages, l.filter, l.fma, l.cvt = uniform(k.r, 16, 44), uniform(k.r, 1.6, 4), uniform(k.r, 20, 70), uniform(k.r, 4, 20)
		l.texMiss, l.texBeats = uniform(k.r, 0.03, 0.25), uniform(k.r, 0.5, 1.6)
		k.scene("terrain", l, fullHD)
	}},
	{"sorting and counting on the GPU", [2]float64{0.1, 0.4}, [2]float64{0.1, 0.4}, func(k *maker) {
		last := -1
		for range 3 + k.r.IntN(5) {
			l := drawLook(k.r)
			l.messages, l.slots, l.fma, l.cvt, l.sfu = 0, 0, uniform(k.r, 5, 30), uniform(k.r, 10, 50), 0
			l.reads, l.writes, l.atomics = uniform(k.r, 20, 70), uniform(k.r, 5, 30), uniform(k.r, 0, 25)
			l.loadMiss, l.scattered, l.occupancy = uniform(k.r, 0.01, 0.12), true, uniform(k.r, 0.2, 1)
			last = k.add("sort", compute, computed(&l, uniform(k.r, 0.3, 1)*1e5), 1, k.after(last)...)
		}
		k.full("show", 0.5*fullHD, last)
	}},
	{"walking trees that do not fit the cache", [2]float64{0.1, 0.4}, [2]float64{0.1, 0.4}, func(k *maker) {
		l := drawLook(k.r)
		l.messages, l.slots, l.fma, l.cvt, l.sfu = 0, 0, uniform(k.r, 10, 40), uniform(k.r, 5, 30), 0
		l.reads, l.writes, l.loadMiss, l.scattered = uniform(k.r, 8, 30), 0.5, uniform(k.r, 0.2, 0.6), true
		l.occupancy, l.waited = uniform(k.r, 0.03, 0.15), 0.95
		p := k.add("walk", compute, computed(&l, 1e5), 1)
		k.full("show", 0.3*fullHD, p)
	}},
	{"glasses: two eyes", [2]float64{0.2, 0.7}, [2]float64{0.2, 0.6}, func(k *maker) {
		l := drawLook(k.r)
		s := k.scene("left", l, fullHD)
		k.scene("right", l, fullHD, edge{pass: s})
		k.full("warp", 2*fullHD, len(k.passes)-1)
	}},
}

func (k *maker) after(p int) []edge {
	if p < 0 {
		return nil
	}
	return []edge{{pass: p}}
}

// full adds a fragment pass that covers the screen once and samples what was drawn before.
func (k *maker) full(name string, pixels float64, after int) int {
	l := drawLook(k.r)
	l.overdraw, l.size, l.killed, l.hidden = 1, 1e6, 0, 0
	l.slots, l.messages, l.texBeats, l.texMiss = 2, uniform(k.r, 4, 20), uniform(k.r, 0.8, 2.2), uniform(k.r, 0.2, 0.65)
	return k.add(name, fragment, drawn(&l, pixels), 1, k.after(after)...)
}

// post adds what comes after a scene.
func (k *maker) post(pixels float64, after int) {
	for range 1 + k.r.IntN(3) {
		after = k.full("post", pixels, after)
	}
}

// frame makes a content of a scenario, whose busiest queue takes ns at the highest clock.
func (s *scenario) frame(r *rand.Rand, m *machine, ns float64) content {
	k := newMaker(r, m)
	s.make(k)
	sized(m, k.passes, ns)
	k.passes[len(k.passes)-1].last = true
	return content{text: s.text, passes: k.passes, app: ns * uniform(r, s.app[0], s.app[1]),
		driver: ns * uniform(r, s.driver[0], s.driver[1]), oneThread: r.IntN(3) == 0}
}

// mixture makes passes of any kind.
func mixture(r *rand.Rand, m *machine, ns float64) content {
	k := newMaker(r, m)
	last := -1
	for range 1 + r.IntN(6) {
		l := drawLook(r)
		for _, v := range []*float64{&l.fma, &l.sfu, &l.messages, &l.slots, &l.reads, &l.blend, &l.bytes, &l.overdraw, &l.size, &l.texBeats} {
			*v *= math.Exp(0.8 * r.NormFloat64())
		}
		l.occupancy = uniform(r, 0.1, 1)
		l.overdraw, l.blend = max(l.overdraw, 0.3), min(max(l.blend, 1), 4)
		if m.gen5 && r.IntN(3) == 0 {
			l.boxes = uniform(r, 5, 150)
		}
		switch r.IntN(4) {
		case 0:
			l.slots, l.writes = 0, uniform(r, 0, 6)
			last = k.add("dispatch", compute, computed(&l, uniform(r, 0.1, 1)*1e5), min(1, uniform(r, 0.3, 2)), k.maybe(last)...)
		case 1:
			last = k.full("full screen", uniform(r, 0.2, 2)*fullHD, last)
		default:
			last = k.scene("scene", l, uniform(r, 0.2, 1.5)*fullHD, k.maybe(last)...)
		}
	}
	sized(m, k.passes, ns)
	k.passes[len(k.passes)-1].last = true
	cpu := math.Exp(uniform(r, -2.5, 0.3))
	return content{text: "passes of any kind", passes: k.passes, app: ns * cpu, driver: ns * cpu * uniform(r, 0.3, 1.5),
		oneThread: r.IntN(3) == 0}
}

func (k *maker) maybe(p int) []edge {
	if k.r.IntN(3) == 0 {
		return nil
	}
	return k.after(p)
}

// planted makes content that only the candidate limits. What is not of a unit or of memory needs more than passes: see
// single.
func planted(r *rand.Rand, m *machine, c simulate.Candidate, ns float64) content {
	resource, queue := -1, fragment
	for i, leaf := range leafOf {
		if leaf == c {
			resource = i
		}
	}
	k := newMaker(r, m)
	k.launch = uniform(r, 10e3, 20e3)
	k.uneven = uniform(r, 0.02, 0.12)
	l := drawLook(r)
	if resource == rBackend {
		l = layered(r)
	}
	if m.gen5 {
		l.boxes = 0.01
		if resource == rRayTracing {
			l.boxes = 40
		}
	}
	if resource != rTiler && (resource == rLatency || resource == rCache || resource == rLoadStore || resource == rArithmetic) && r.IntN(2) == 0 {
		queue = compute
		l.slots, l.writes = 0, uniform(r, 0.5, 2)
		if resource == rLoadStore {
			l.writes = 4
		}
		p := k.add("main", compute, computed(&l, 1e5), 1)
		k.full("show", 0.05*fullHD, p)
	} else {
		if resource != rTiler && resource != rRasterizer && resource != rBackend {
			l.size = uniform(r, 200, 900)
		}
		if resource == rTiler {
			queue = binning
			l.size = uniform(r, 10, 40)
		}
		k.scene("main", l, fullHD)
	}
	if resource >= 0 {
		m.plant(k.passes, queue, resource, uniform(r, 1.7, 2.6))
	}
	sized(m, k.passes, ns)
	// One queue is the limit, and the others leave it alone.
	m.level(k.passes, queue, ns)
	for q := range queues {
		if q != queue && m.alone(k.passes, q) > 0.35*ns {
			m.level(k.passes, q, 0.35*ns)
		}
	}
	k.passes[len(k.passes)-1].last = true
	return content{text: "limited by " + c.String(), passes: k.passes, app: ns * uniform(r, 0.1, 0.4), driver: ns * uniform(r, 0.1, 0.35)}
}
