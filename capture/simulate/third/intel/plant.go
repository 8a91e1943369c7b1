package intel

import "math/rand/v2"

// grow multiplies the work of a pass, but not what each thread or vertex takes.
func (p *pass) grow(by float64) {
	p.draws *= by
	p.verts *= by
	p.prims *= by
	p.pixels *= by
	p.groups *= by
}

// fit makes the passes take about ns at the highest clock.
func (m *machine) fit(passes []*pass, ns float64) {
	for range 3 {
		fixed := 0.0
		for _, p := range passes {
			fixed += p.fixed
		}
		by := (ns - min(fixed, 0.9*ns)) / max(1, m.took(passes)-fixed)
		for _, p := range passes {
			p.grow(by)
		}
	}
}

// free is a program that nothing paces: frames go as fast as the GPU can, with the processor well ahead.
func free(r *rand.Rand, text string, passes []*pass, ns float64) *program {
	return &program{text: text, passes: passes, app: ns * (0.15 + 0.3*r.Float64()), driver: ns * (0.08 + 0.2*r.Float64()),
		helpers: ns * r.Float64(), apart: r.IntN(5) < 2, early: r.IntN(2) == 0, buffers: 2 + r.IntN(2), hold: 1, holder: none}
}

// frames is how many make a capture of two to three seconds.
func frames(r *rand.Rand, ns float64) int {
	return int(min(700, max(50, (1.8e9+1.2e9*r.Float64())/ns)))
}

var plants = []leaf{arithmetic, texture, loadStore, localMemory, vertexFetch, clipper, setup, rasterizer,
	hierarchicalDepth, earlyDepth, pixelBackend, bandwidth, latency, cache, overhead, app, driver, syncs, inTurn, vsync,
	capped, request, thermal, power, governor}

// plain is a pass of pixels without much of anything.
func plain(r *rand.Rand, name string) *pass {
	p := usual(r, name)
	p.draws, p.verts, p.prims, p.pixels = 20, 2000, 1000, 2e6
	p.ps, p.tex, p.texMiss, p.l3Miss, p.color, p.lines, p.fixed, p.trips = 16, 0, 0.05, 0.1, 4, 0, 6e3, 1
	p.resident, p.stays, p.reuse, p.thin, p.stencil, p.crossing, p.elements = 1, 0.9, 0.8, 0.1, 0, 0.1, 2
	return p
}

// limited is a pass that one unit limits.
func (m *machine) limited(r *rand.Rand, l leaf) *pass {
	name := candidates[l].Name
	p := plain(r, name)
	compute := func() {
		p.verts, p.prims, p.pixels, p.color, p.vs = 0, 0, 0, 0, 0
		p.groups, p.draws = 1e5, 4
	}
	few := float64(m.eus) / 8 // threads of Gen12 share samplers and ports with more EUs
	switch l {
	case arithmetic:
		if r.IntN(2) == 0 {
			compute()
		}
		p.ps, p.second = between2(r, 600, 2000)*2, 0.3+0.5*r.Float64()
		p.tex = between2(r, 2, 8)
	case texture:
		p.ps, p.tex, p.filter = 60, between2(r, 16, 40), between2(r, 2, 6)
		p.texMiss = 0.05
	case loadStore:
		compute()
		p.ps, p.lines, p.l3Miss, p.stores, p.parallel = 40, between2(r, 24, 60), 0.02, 0.3, 3
	case localMemory:
		compute()
		p.ps, p.slm, p.barriers, p.parallel = 60, between2(r, 60, 200)*few, 2, 3
	case vertexFetch:
		p.verts, p.prims, p.culled, p.stride, p.pixels, p.vs = 1e6, 0.35e6, 0.2, 48, 2e5, 30
		p.elements, p.reuse = 8+8*r.Float64(), 0.95
	case clipper:
		p.verts, p.prims, p.culled, p.stride, p.pixels, p.vs = 3e5, 1e6, 0.8, 12, 3e5, 20
		p.crossing, p.reuse = 0.5+0.4*r.Float64(), 0.95
	case setup:
		p.verts, p.prims, p.culled, p.stride, p.pixels, p.vs = 2.5e5, 1e6, 0, 12, 4e5, 20
		p.crossing, p.reuse = 0, 0.95
	case rasterizer:
		p.ps, p.color, p.depth, p.small = 0, 0, true, between2(r, 1, 2)
		p.hiz, p.z = 0.97, 0
	case hierarchicalDepth:
		p.ps, p.color, p.depth, p.hiz, p.small = 0, 0, true, 0.96, 0
		p.thin = 1.5 + 1.5*r.Float64()
	case earlyDepth:
		p.ps, p.color, p.depth, p.hiz, p.z, p.small = 0, 0, true, 0, 0.92, 0
		p.stencil, p.stays = 1+2*r.Float64(), 0.95
	case pixelBackend:
		p.blend, p.color, p.ps, p.stays = 0.95, 8, 12, 0.97
	case bandwidth:
		if r.IntN(2) == 0 {
			compute()
			p.ps, p.lines, p.l3Miss, p.parallel, p.stores = 60, between2(r, 6, 16), 0.95, 3, 0.4*r.Float64()
		} else {
			p.ps, p.tex, p.texMiss, p.l3Miss, p.parallel = 60, 8, 0.9, 0.9, 3
		}
	case latency:
		compute()
		p.ps, p.lines, p.l3Miss, p.parallel, p.trips = 100, 12, 0.2, 1, between2(r, 30, 90)
		p.resident = 0.15 + 0.1*r.Float64()
	case cache:
		compute()
		p.ps, p.tex, p.texMiss, p.filter, p.l3Miss, p.lines, p.parallel = 60, 12, 1.3, 1, 0.03, 16, 3
		p.tex *= 1.5
	}
	return cut(r, p, 12)
}

// busyContent is any content of an application, of about ns.
func (m *machine) busyContent(r *rand.Rand, ns float64) (string, []*pass) {
	kind := r.IntN(9)
	text, passes := m.content(r, kind)
	if kind == 5 || kind == 8 { // small work stays small
		fixed := 0.0
		for _, p := range passes {
			fixed += p.fixed
		}
		ns = min(ns, fixed*between2(r, 1.3, 8))
	}
	m.fit(passes, ns)
	return text, passes
}

// single is a program that one candidate limits.
func (m *machine) single(r *rand.Rand, l leaf) *program {
	ns := between2(r, 5e6, 22e6)
	var p *program
	switch {
	case l < overhead:
		passes := []*pass{m.limited(r, l)}
		m.fit(passes, ns)
		p = free(r, "limited by "+candidates[l].Name, passes, ns)
	case l == overhead:
		var passes []*pass
		for range 60 + r.IntN(150) {
			q := plain(r, "small")
			q.pixels, q.draws, q.fixed = between2(r, 2e3, 2e4), 2, ns/250*(0.8+0.4*r.Float64())
			passes = append(passes, cut(r, q, 3))
		}
		p = free(r, "many small passes", passes, m.took(passes))
	default:
		text, passes := m.busyContent(r, ns)
		if l == thermal || l == power || l == governor { // of what keeps to the caches, memory's clock stays as it is
			for _, q := range passes {
				q.l3Miss, q.stays, q.reuse = q.l3Miss*0.2, 0.9, 0.9
			}
			m.fit(passes, ns)
		}
		ns = m.took(passes)
		p = free(r, text, passes, ns)
		m.hinder(r, p, l, ns)
	}
	return p
}

// hinder lets something else than a unit of the GPU limit a program that takes ns.
func (m *machine) hinder(r *rand.Rand, p *program, l leaf, ns float64) {
	p.buffers = 3
	switch l {
	case app:
		p.app, p.driver, p.apart = ns*(1.6+r.Float64()), ns*0.3, r.IntN(2) == 0
	case driver:
		p.app, p.driver, p.apart = ns*0.4, ns*(1.6+r.Float64()), r.IntN(2) == 0
	case syncs:
		p.app, p.driver, p.sync = ns*(0.55+0.2*r.Float64()), ns*0.25, true
	case inTurn:
		p.app, p.driver = ns*0.2, ns*0.15
		p.other, p.inTurn, p.buffers = ns*(0.75+0.25*r.Float64()), true, 4
	case vsync:
		p.refresh = ns / (0.2 + 0.5*r.Float64())
		p.every = []int{1}
	case capped:
		p.cap = ns / (0.2 + 0.5*r.Float64())
	case request:
		p.refresh, p.ask = 1e9/60, max(ns*2.5, 50e6)
		p.app, p.driver = min(p.app, 6e6), min(p.driver, 4e6)
	case thermal, power:
		p.hold, p.holder = 0.3+0.15*r.Float64(), l
		p.app, p.driver = p.app*0.8, p.driver*0.8
	case governor:
		p.hold, p.holder = 0.28+0.15*r.Float64(), l
	}
}
