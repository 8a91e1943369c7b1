package mali

import "astrolabe/capture/simulate"

// dominated adds a pass or kernel that one station limits on nearly every machine.
func (a *author) dominated(station int, reads ...int) int {
	r := a.r
	w, h := a.resolution()
	d := a.pass("scene", w, h, r.Between(1, 2), shader{})
	d.vertices = r.Log(5e3, 4e4)
	d.sigma = r.Between(0.05, 0.25)
	// light asks for little of everything.
	light := shader{fma: r.Between(5, 14), cvt: r.Between(2, 6), tex: r.Between(0, 1), texCost: 1, texWide: 0.6,
		texL2: r.Between(8, 24), v32: r.Between(1, 4), rd: r.Between(0.2, 1.5), part: 0.5, ldL2: 8, chain: 1, hit: 0.97,
		texHit: r.Between(0.85, 0.96), narrow: r.Between(0.1, 0.7)}
	d.shade = light
	k := a.kernel("kernel")
	k.sigma = r.Between(0.03, 0.2)
	ks := light
	ks.tex, ks.texCost, ks.v32, ks.wr, ks.stL2, ks.group = 0, 0, 0, 0.5, 16, r.Between(0.5, 1)
	k.shade, k.warps = ks, r.Log(4e4, 3e5)
	kernel := r.Chance(0.4)
	s := &d.shade
	if kernel {
		s = &k.shade
	}
	switch station {
	case stArith:
		s.fma = r.Log(250, 1200)
		s.cvt, s.sfu = s.fma*r.Between(0.1, 0.7), s.fma*r.Between(0, 0.05)
		if r.Chance(0.25) {
			s.sfu = s.fma * r.Between(0.3, 0.6) // special functions
		}
		s.tex, s.heavy = r.Between(0, 3), r.Chance(0.4)
		if kernel {
			s.tex = 0
		}
	case stTex:
		kernel, s = false, &d.shade
		s.tex, s.texCost = r.Between(7, 16), r.Between(1.2, 4)
		s.texL2, s.texHit = r.Log(8, 30), r.Between(0.9, 0.98)
		busy := s.tex * s.texCost * r.Between(0.2, 0.8)
		s.fma, s.cvt = busy*0.7, busy*0.3
	case stVary:
		kernel, s = false, &d.shade
		cycles := r.Between(40, 100)
		s.v32 = cycles * a.m.varRate * r.Between(0.4, 1)
		s.v16 = cycles*a.m.varRate - s.v32
		s.fma, s.cvt, s.tex = r.Between(6, 20), r.Between(3, 8), r.Between(0, 1)
	case stLS:
		s.rd, s.wr = r.Between(40, 160), r.Between(0, 10)
		s.part = r.Between(0.1, 0.9)
		s.ldL2, s.hit = s.rd*r.Between(2, 8), r.Between(0.95, 0.99)
		s.fma, s.cvt = r.Between(8, 35), r.Between(4, 15)
		if r.Chance(0.2) {
			s.atomic = s.rd * r.Between(0.05, 0.3)
		}
	case stRT:
		if !a.m.five {
			return a.dominated(stArith, reads...)
		}
		a.trace(s, r.Log(150, 700))
		s.chain, s.texHit = r.Between(2, 6), 0.6
		s.fma, s.cvt = r.Between(15, 60), r.Between(10, 30)
		if s.heavy = r.Chance(0.5); kernel {
			s.group = 0.7
		}
	case stRast:
		kernel = false
		d.layers, d.early, d.kill = r.Between(8, 24), 1, r.Between(0.93, 0.98)
		d.hidden = r.Between(0.1, 0.5)
		d.perTile = r.Log(4, 30)
		if r.Chance(0.4) {
			d.shaded, d.kill, d.hidden, d.bpp = false, r.Between(0.5, 0.9), 0, 2
		}
		d.blend = 1
	case stPixel:
		kernel = false
		d.layers, d.kill, d.hidden, d.opaque = r.Between(4, 14), 0, 0, r.Between(0, 0.2)
		d.blend, d.late = r.Between(4, 9), r.Between(0, 1)
		d.shade.fma, d.shade.cvt = r.Between(2, 7), r.Between(1, 3)
		d.early = 1 - d.late
		d.shade.tex = r.Between(0, 0.7)
		d.fill = r.Between(0.9, 1)
	case stTiler:
		d.w, d.h, d.layers = 1280, 720, 1
		d.vertices, d.reuse, d.visible = r.Log(1e6, 3e6), r.Between(1.6, 2.2), r.Between(0.01, 0.06)
		d.tileCost, d.fifo = r.Between(1.4, 3), r.Log(60, 160)
		d.position = shader{fma: r.Between(8, 16), cvt: 4, rd: 2, wr: 1, part: 0.3, ldL2: r.Between(20, 60), stL2: 30, chain: 1,
			hit: r.Between(0.8, 0.95)}
		d.varying, d.deferred = a.vertex(0.6), r.Between(0.5, 1)
		d.shade, d.perTile = light, r.Log(3, 12)
		kernel = false
	case stCache:
		s.rd = r.Between(8, 24)
		s.ldL2 = r.Between(1500, 5000) * max(1, 4/float64(a.m.cores)) * float64(a.m.slices) / 2
		s.rd = max(s.rd, s.ldL2/256)
		s.hit, s.chain = r.Between(0.975, 0.995), 1
		s.fma, s.cvt = r.Between(8, 25), r.Between(4, 10)
	case stBus:
		s.ldL2, s.stL2 = r.Log(400, 1600), r.Log(30, 600)
		s.rd, s.wr = max(2, s.ldL2/160), max(1, s.stL2/160)
		s.hit, s.chain = r.Between(0, 0.25), 1
		if !kernel && r.Chance(0.25) { // wide pictures that are read again
			d.bpp, d.load, d.layers = r.Between(16, 40), r.Between(0, 24), 1
			s.ldL2, s.rd, s.stL2, s.wr = 8, 1, 0, 0
		} else if !kernel && r.Chance(0.5) { // large textures without compression
			s.tex, s.texL2, s.texHit = r.Between(3, 8), r.Between(100, 250), r.Between(0.05, 0.3)
			s.ldL2, s.rd, s.stL2, s.wr = 8, 1, 0, 0
		}
	case stLat:
		if kernel = r.Chance(0.65); kernel {
			s = &k.shade
		} else {
			s = &d.shade
			s.tex, s.texHit, s.texL2 = r.Between(2, 5), r.Between(0.2, 0.6), r.Between(16, 40)
			d.fill = r.Between(0.6, 0.95)
		}
		s.chain, s.rd = r.Between(20, 70), r.Between(10, 30)
		s.ldL2, s.hit = s.rd*r.Between(16, 40), r.Between(0.1, 0.5)
		s.heavy, s.group = r.Chance(0.5), r.Log(0.04, 0.14)
		s.fma, s.cvt, s.diverged = r.Between(15, 60), r.Between(10, 30), r.Between(0.1, 0.6)
	}
	if kernel {
		return a.dispatch(k, reads...)
	}
	return a.render(d, reads...)
}

// single is a frame that a station limits, with a little else.
func (a *author) single(station int) content {
	last := a.dominated(station)
	if a.r.Chance(0.4) {
		last = a.dominated(station, last)
	}
	w, h := a.resolution()
	if a.r.Chance(0.4) {
		last = a.render(a.screen("post", w/2, h/2, a.filter()), last)
	}
	if a.r.Chance(0.4) {
		a.render(a.widgets(w*a.r.Between(0.2, 0.7), h*a.r.Between(0.2, 0.7)), last)
	}
	return a.done("limited by " + candidates[station].Name)
}

// small is a frame of many jobs that hardly do anything.
func (a *author) small() content {
	a.launch = a.r.Log(9e3, 3e4)
	last := -1
	if a.r.Chance(0.4) { // pictures of a few tiles, each of which reads the one before
		for range a.r.Whole(10, 25) {
			size := simulate.Pick(a.r, 32.0, 64, 128)
			d := a.pass("small", size, size, 1, a.flat())
			d.vertices, d.perTile, d.parts = a.r.Log(16, 200), 3, 1
			reads := []int{last}
			if last < 0 {
				reads = nil
			}
			last = a.render(d, reads...)
			if a.r.Chance(0.7) { // its vertices need the result as well
				a.jobs[last-1].after = append(a.jobs[last-1].after, a.jobs[last].after[:len(a.jobs[last].after)-1]...)
			}
		}
		return a.done("small pictures")
	}
	for i := range a.r.Whole(25, 60) {
		k := a.kernel("step")
		k.warps, k.parts = a.r.Log(30, 500), 1
		s := &k.shade
		s.fma, s.cvt, s.ldL2, s.chain, s.atomic, s.rd = a.r.Log(10, 60), 10, 64, 1, 0, 3
		if i == 0 {
			last = a.dispatch(k)
		} else {
			last = a.dispatch(k, last)
		}
	}
	return a.done("small dispatches")
}

// balanced is a frame of which no station limits much, all of them at the GPU's clock.
func (a *author) balanced() content {
	w, h := a.resolution()
	s := a.lit(1)
	s.texHit, s.hit, s.chain = a.r.Between(0.9, 0.97), 0.98, 1
	// As many cycles of each unit, so that relieving one moves the limit to the next.
	cy := a.m.issue(s.fma, s.cvt, s.sfu) / a.m.eff[stArith]
	s.texCost = a.r.Between(1, 1.5)
	s.tex = cy * a.r.Between(0.85, 1) * a.m.eff[stTex] / 2 / s.texCost
	s.texL2 = a.r.Log(8, 24)
	s.v32 = cy * a.r.Between(0.7, 1) * a.m.varRate * a.m.eff[stVary]
	s.v16 = 0
	d := a.pass("main", w, h, a.r.Between(1.2, 2.5), s)
	d.vertices = a.r.Log(1e4, 5e4)
	a.render(d)
	return a.done("balanced")
}

// inTurn is a frame whose queues could work at once and do not: each of two halves waits for the other although it needs
// only what the frame before made.
func (a *author) inTurn() content {
	first := -1
	if a.r.Chance(0.6) { // vertices and fragments: a barrier that names all stages
		w, h := a.resolution()
		d := a.pass("main", w, h, a.r.Between(1.2, 2.5), a.lit(0.8))
		d.vertices, d.fifo, d.position = a.r.Log(1.5e5, 6e5), a.r.Log(40, 120), a.vertex(0.5)
		d.tileCost, d.deferred = a.r.Between(1.5, 3), a.r.Between(0.6, 1)
		d.visible = a.r.Between(0.1, 0.3)
		first = a.render(d)
		a.jobs[first-1].after = append(a.jobs[first-1].after, dep{first, 1, true})
		return a.done("vertices and fragments in turn")
	}
	// Compute for the next frame beside a scene that other units limit.
	k := a.kernel("physics")
	s := &k.shade
	*s = shader{fma: a.r.Between(8, 30), cvt: 8, rd: 20, part: 0.2, wr: 2, ldL2: 300, stL2: 32, chain: a.r.Between(15, 40),
		hit: a.r.Between(0.3, 0.6), group: a.r.Between(0.08, 0.25), diverged: 0.2}
	k.warps = a.r.Log(1e4, 4e4)
	first = a.dispatch(k)
	w, h := a.resolution()
	d := a.pass("main", w, h, a.r.Between(1.2, 2.5), a.lit(1))
	d.vertices = a.r.Log(1e4, 5e4)
	last := a.render(d)
	a.jobs[first].after = append(a.jobs[first].after, dep{last, 1, true})
	a.jobs[last].after = append(a.jobs[last].after, dep{first, 0, true})
	return a.done("compute and fragments in turn")
}

var plants5 = []simulate.Candidate{candidates[stArith], candidates[stTex], candidates[stVary], candidates[stLS],
	candidates[stTiler], candidates[stRast], candidates[stPixel], candidates[stCache], simulate.MemoryBandwidth,
	simulate.MemoryLatency, simulate.LaunchOverhead, simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync,
	simulate.QueuesInTurn, simulate.ClockThermal, simulate.ClockPower, simulate.DisplayVsync, candidates[stRT]}

// plantsOf are what single cases of a generation are limited by; G710 has no ray tracing unit.
func plantsOf(five bool) []simulate.Candidate {
	if five {
		return plants5
	}
	return plants5[:len(plants5)-1]
}

func stationOf(c simulate.Candidate) int {
	for k, x := range candidates {
		if x == c {
			return k
		}
	}
	return -1
}
