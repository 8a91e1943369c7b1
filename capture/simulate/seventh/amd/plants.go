package amd

import "astrolabe/capture/simulate"

// plants are what cases of KindSingle are limited by, in turn.
var plants = func() (out []simulate.Candidate) {
	for u := range units {
		out = append(out, candidates[u])
	}
	return append(out, simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync, simulate.QueuesInTurn, simulate.ClockThermal,
		simulate.ClockPower, simulate.ClockGovernor, simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest)
}()

// pass makes a pass in which one unit has work all the time, and others at most a share of it.
func (s *scene) pass(u int, ns, most float64) int {
	var d vector
	d[u] = ns
	sh, q := threads, simulate.Pick(s.Random, graphics, compute)
	drawn := u >= uVertex && u <= uPixel || (u == uTexture || u == uArithmetic || u == uBandwidth || u == uCommand) && s.Chance(0.6)
	beside := func(list ...int) {
		for _, v := range list {
			if d[v] == 0 {
				d[v] = ns * s.Log(0.04, most)
			}
		}
	}
	switch {
	case u == uCopy, u == uVideo:
		sh, q = none, map[int]int{uCopy: copying, uVideo: video}[u]
		d[uBandwidth] = ns * s.Between(0.05, 0.3)
	case drawn:
		sh, q = meshes, graphics
		if u == uDepth && s.Chance(0.5) {
			sh = onlyZ
		}
		beside(uVertex, uPrimitive, uRaster, uDepth, uArithmetic, uCache, uBandwidth)
		if sh != onlyZ {
			beside(uPixel, uTexture)
		}
	default:
		beside(uArithmetic, uLoadStore, uCache, uBandwidth)
		if s.Chance(0.5) {
			beside(uLocal)
		}
		if s.Chance(0.4) {
			beside(uTexture)
		}
	}
	if u == uPCIe && !drawn {
		d[uCopy] = 0
	}
	s.content.jobs = append(s.content.jobs, job{name: "pass", queue: q, shape: sh, fixed: s.Between(3e3, 8e3),
		parts: spreadParts(s.Random, d, s.Whole(1, 4), 0.12), scatter: s.Between(0.02, 0.3)})
	return len(s.content.jobs) - 1
}

// limited is a program that a unit limits: some passes on one queue, all of them limited by it, and a little of others.
func limited(s *scene, u int) program {
	ns := s.Log(1.2e6, 26e6)
	q := -1
	for range s.Whole(1, 4) {
		k := s.pass(u, ns*s.Between(0.6, 1.4), 0.5)
		if q < 0 {
			q = s.content.jobs[k].queue
		}
		if s.content.jobs[k].shape == threads {
			s.content.jobs[k].queue = q
		}
	}
	if u == uCommand {
		for i := range s.content.jobs {
			s.content.jobs[i].fixed = s.Between(10e3, 60e3)
		}
	}
	last := len(s.content.jobs) - 1
	if q == graphics && s.Chance(0.6) {
		last = s.pass(uPixel, ns*0.04, 0.5)
	}
	c := s.done(last)
	longest, _ := c.alone()
	p := program{content: c, app: longest * s.Between(0.05, 0.45), driver: longest * s.Between(0.02, 0.15), screen: q == graphics}
	if u == uPCIe && s.Chance(0.7) {
		p.full = true
		p.evict = eviction{bytes: ns * s.c.link * s.Between(0.1, 0.5), buffers: s.Log(4, 60)}
	}
	return p
}

// balanced is a program whose passes ask for several units alike, so that only the clock of all of them counts.
func balanced(s *scene) program {
	ns := s.Log(3e6, 20e6)
	for range 5 {
		var d vector
		for _, u := range []int{uCache, uArithmetic, uTexture, uLoadStore, uLocal, uRaster} {
			d[u] = ns * s.Between(0.85, 1)
		}
		d[uPixel], d[uDepth], d[uBandwidth] = ns*s.Between(0.5, 0.9), ns*s.Between(0.4, 0.8), ns*s.Between(0.1, 0.3)
		s.content.jobs = append(s.content.jobs, job{name: "pass", queue: graphics, shape: meshes, fixed: 5e3,
			parts: spreadParts(s.Random, d, 2, 0.03), scatter: 0.1})
	}
	c := s.done(4)
	longest, _ := c.alone()
	return program{content: c, app: longest * s.Between(0.1, 0.4), driver: longest * 0.1, screen: true}
}

func single(r simulate.Random, at int) *load {
	want := plants[at]
	c := simulate.Pick(r, cards...)
	for want == pcie && c.apu() || want == simulate.ClockPower && c.gen == gfx8 && r.Chance(0.7) {
		c = simulate.Pick(r, cards...)
	}
	l := machine(r, c)
	l.plant, l.text = want.String(), "only "+want.String()
	s := newScene(r, c, l.text)
	l.pacing = simulate.Pacing{Ahead: r.Whole(2, 3)}
	l.threads = r.Whole(1, 2)
	// Nothing but the plant limits: the firmware's limits are far away unless they are it.
	l.firmware.ppt *= 1.6
	l.firmware.sink = 40
	l.firmware.easy = 0.3
	work := simulate.Pick(r, uBandwidth, uArithmetic, uTexture, uPixel, uCache)
	var p program
	if at < units {
		p = limited(s, at)
		l.of(r, p)
		return l
	}
	switch want {
	case simulate.CPUApp:
		p = limited(s, work)
		longest, _ := p.content.alone()
		p.app, p.driver, p.workers = longest*r.Between(1.6, 4), longest*r.Between(0.05, 0.25), r.Whole(0, 4)
	case simulate.CPUDriver:
		p = limited(s, work)
		longest, _ := p.content.alone()
		p.app, p.driver = longest*r.Between(0.05, 0.25), longest*r.Between(1.6, 4)
	case simulate.CPUSync:
		p = limited(s, work)
		longest, _ := p.content.alone()
		l.threads = 1
		p.app, p.driver = longest*r.Between(0.75, 1.15), longest*0.05
		l.pacing.Ahead = 1
	case simulate.QueuesInTurn:
		p = inTurn(s)
	case simulate.ClockThermal:
		p = balanced(s)
		l.hot(r.Between(0.1, 0.28))
		l.firmware.ppt = c.ppt * 1.6
	case simulate.ClockPower:
		p = balanced(s)
		l.firmware.ppt = c.idle + (c.ppt-c.idle)*r.Between(0.3, 0.45)
		l.firmware.cpu = 0
	case simulate.ClockGovernor:
		p = balanced(s)
		l.firmware.ceiling = r.Between(0.4, 0.62)
	default:
		p = limited(s, work)
		return l.paced(r, p, want)
	}
	l.of(r, p)
	return l
}

// inTurn is two queues of which one waits for the other for no need.
func inTurn(s *scene) program {
	ns := s.Log(1.5e6, 12e6)
	a := s.pass(uRaster, ns, 0.35)
	b := s.pass(simulate.Pick(s.Random, uArithmetic, uLocal, uLatency, uLoadStore), ns*s.Between(0.8, 1.2), 0.35)
	s.content.jobs[b].queue, s.content.jobs[b].shape = compute, threads
	for k := range s.content.jobs[b].parts {
		p := &s.content.jobs[b].parts[k]
		p[uVertex], p[uPrimitive], p[uRaster], p[uDepth], p[uPixel] = 0, 0, 0, 0, 0
	}
	if s.Chance(0.4) { // copies and video beside the work, too
		j := &s.content.jobs[b]
		u, q := uCopy, copying
		if s.Chance(0.5) {
			u, q = uVideo, video
		}
		var d vector
		d[u], d[uBandwidth] = ns*s.Between(0.8, 1.2), ns*0.15
		j.queue, j.shape, j.parts = q, none, spreadParts(s.Random, d, 2, 0.1)
	}
	s.after(b, need{a, 0, true})
	s.after(a, need{b, 1, true})
	p := program{content: s.done(a), screen: true}
	p.app, p.driver = ns*s.Between(0.05, 0.4), ns*s.Between(0.02, 0.15)
	return p
}
