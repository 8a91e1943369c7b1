package amd

import "astrolabe/capture/simulate"

// plants are what cases of KindSingle are limited by, in turn.
var plants = append(candidates[:], simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync, simulate.QueuesInTurn,
	simulate.ClockThermal, simulate.ClockPower, simulate.ClockGovernor, simulate.DisplayVsync, simulate.DisplayCap,
	simulate.DisplayRequest)

// limited adds a pass in which one unit has work all the time, and others at most a share of it.
func (s *scene) limited(u int, ns, most float64) int {
	var d vector
	beside := func(list ...int) {
		for _, v := range list {
			d[v] = ns * s.Log(0.04, most)
		}
	}
	sh, q := threads, simulate.Pick(s.Random, graphics, compute)
	mixed := u == uTexture || u == uArithmetic || u == uBandwidth || u == uCommand
	switch {
	case u == uCopy || u == uVideo:
		sh, q = none, copying+u-uCopy
		beside(uBandwidth)
	case u >= uVertex && u <= uPixel || mixed && s.Chance(0.6):
		sh, q = meshes, graphics
		beside(uVertex, uPrimitive, uRaster, uDepth, uArithmetic, uCache, uBandwidth)
		if u == uDepth && s.Chance(0.5) {
			sh = onlyZ
		} else {
			beside(uPixel, uTexture)
		}
	default:
		beside(uArithmetic, uLoadStore, uCache, uBandwidth, simulate.Pick(s.Random, uLocal, uTexture, uArithmetic))
	}
	d[u] = ns
	return s.put("pass", q, sh, d, s.Whole(1, 4), 0.12, s.Between(3e3, 8e3))
}

// of is a program that a unit limits: some passes on one queue, all of them limited by it, and a little of others.
func (s *scene) of(u int) program {
	ns := s.Log(1.2e6, 26e6)
	jobs := func(k int) *job { return &s.content.jobs[k] }
	var moved eviction
	if u == uPCIe && s.Chance(0.7) {
		moved = s.short(ns * s.c.link * s.Between(0.1, 0.5))
	}
	first := len(s.content.jobs)
	for range s.Whole(1, 4) {
		if k := s.limited(u, ns*s.Between(0.6, 1.4), 0.5); jobs(k).shape == threads {
			jobs(k).queue = jobs(first).queue
		}
	}
	last := len(s.content.jobs) - 1
	for k := range s.content.jobs {
		if u == uCommand {
			jobs(k).fixed = s.Between(10e3, 60e3)
		}
	}
	drawn := jobs(first).queue == graphics
	if drawn && s.Chance(0.6) {
		last = s.limited(uPixel, ns*0.04, 0.5)
	}
	p := program{content: s.done(last), screen: drawn, compute: !drawn}
	ns = p.content.longest()
	p.app, p.driver = ns*s.Between(0.05, 0.45), ns*s.Between(0.02, 0.15)
	p.full, p.evict = moved.bytes > 0, moved
	return p
}

// balanced is a program whose passes ask for several units alike, so that only the clock of all of them counts.
func (s *scene) balanced() program {
	ns := s.Log(3e6, 20e6)
	for range 5 {
		var d vector
		for _, u := range []int{uCache, uArithmetic, uTexture, uLoadStore, uLocal, uRaster} {
			d[u] = ns * s.Between(0.85, 1)
		}
		d[uPixel], d[uDepth], d[uBandwidth] = ns*s.Between(0.5, 0.9), ns*s.Between(0.4, 0.8), ns*s.Between(0.1, 0.3)
		s.put("pass", graphics, meshes, d, 2, 0.03, 5e3)
	}
	return program{content: s.done(4), app: ns * s.Between(0.5, 2), driver: ns * 0.3, screen: true}
}

// inTurn is two queues of which one waits for the other for no need: graphics, and compute, copies or video.
func (s *scene) inTurn() program {
	ns := s.Log(1.5e6, 12e6)
	a := s.limited(uRaster, ns, 0.35)
	b := s.limited(simulate.Pick(s.Random, uLocal, uLatency, uLoadStore, uCopy, uVideo), ns*s.Between(0.8, 1.2), 0.35)
	if j := &s.content.jobs[b]; j.shape == threads {
		j.queue = compute
	}
	s.after(b, need{a, 0, true})
	s.after(a, need{b, 1, true})
	return program{content: s.done(a), screen: true, app: ns * s.Between(0.05, 0.4), driver: ns * s.Between(0.02, 0.15)}
}

func single(r simulate.Random, seed uint64) *load {
	at := int(seed % uint64(len(plants)))
	want, l := plants[at], machine(r)
	for want == pcie && l.card.apu() {
		l = machine(r)
	}
	s := newScene(r, l.card, "only "+want.String())
	l.plant, l.text = want.String(), s.content.name
	// Nothing but the plant limits: the firmware's limits are far away unless they are it.
	fw := &l.firmware
	fw.ppt, fw.sink, fw.easy = fw.ppt*1.6, 40, 0.3
	if at < units {
		return l.of(r, s.of(at))
	}
	if want.Level == simulate.LevelClock {
		switch p := s.balanced(); want {
		case simulate.ClockThermal:
			l.hot(r.Between(0.48, 0.66))
			return l.of(r, p)
		case simulate.ClockPower:
			fw.ppt, fw.cpu = l.card.idle+(l.card.ppt-l.card.idle)*r.Between(0.4, 0.58), 0
			return l.of(r, p)
		default:
			fw.ceiling = r.Between(0.4, 0.62)
			return l.of(r, p)
		}
	}
	if want == simulate.QueuesInTurn {
		return l.of(r, s.inTurn())
	}
	p := s.of(simulate.Pick(r, uBandwidth, uArithmetic, uTexture, uPixel, uCache))
	ns := p.content.longest()
	switch want {
	case simulate.CPUApp:
		p.app, p.driver, p.workers = ns*r.Between(1.6, 4), ns*r.Between(0.05, 0.25), r.Whole(0, 4)
	case simulate.CPUDriver:
		p.app, p.driver = ns*r.Between(0.05, 0.25), ns*r.Between(1.6, 4)
	case simulate.CPUSync:
		p.app, p.driver, p.sync, l.threads = ns*r.Between(0.75, 1.15), ns*0.05, true, 1
	default:
		return l.paced(r, p, want)
	}
	return l.of(r, p)
}
