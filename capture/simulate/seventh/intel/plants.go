package intel

import (
	"errors"

	"astrolabe/capture/simulate"
)

// plants are what content of one limit may be limited by.
func plants(m *machine) (out []simulate.Candidate) {
	for u, c := range candidates {
		if unit(u) != rays || m.discrete {
			out = append(out, c)
		}
	}
	return append(out, simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync, simulate.ClockGovernor, simulate.ClockThermal,
		simulate.ClockPower, simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest, simulate.QueuesInTurn)
}

// plant makes content that one thing is meant to limit. Whether it does is found by relief as of any other.
func (d *drawer) plant(p *program, c simulate.Candidate) string {
	r := d.r
	time := d.frameTime()
	app, driver := time*r.Between(0.1, 0.4), time*r.Between(0.03, 0.2)+20e3
	p.split, p.pacing = r.Chance(0.5), simulate.Pacing{Ahead: r.Whole(2, 3), Buffers: 3}
	p.gov = governor{first: 1}
	one := d.archetype(time)
	text := one.name
	at := units
	for u, x := range candidates {
		if x == c {
			at = unit(u)
		}
	}
	if at < units {
		one = d.leaning(at, time)
		text = one.name
	}
	p.contents = []content{one}
	switch c {
	case simulate.CPUApp:
		app = time * r.Between(1.8, 3.5)
	case simulate.CPUDriver:
		driver = time * r.Between(1.8, 3.5)
	case simulate.CPUSync:
		app = time * r.Between(0.6, 1.2)
		p.wait, p.pacing.Ahead = &wait{back: r.IntN(2), job: -1, at: r.Between(0.2, 0.8)}, 1
		if p.wait.back == 0 {
			p.wait.job = 1 << 20
		}
	case simulate.ClockGovernor: // a profile that saves power
		p.contents = []content{d.leaning(simulate.Pick(r, arith, texture), time)}
		p.gov = governor{period: 10e6, first: r.Between(0.3, 0.5), up: 2, down: 0.1}
	case simulate.ClockThermal, simulate.ClockPower:
		p.contents = []content{d.leaning(simulate.Pick(r, arith, arith, texture), time)}
		p.gov = governor{first: 1, period: 5e6, up: 0.8, down: 0.3}
		if c == simulate.ClockThermal {
			d.hot(p, r.Between(0.12, 0.25))
		} else {
			d.capped(p, r.Between(0.12, 0.25))
		}
		p.gov.first = r.Between(0.45, 0.6)
	case simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest:
		switch c {
		case simulate.DisplayVsync:
			p.pacing.Refresh = int64(1e9 / simulate.Pick(r, refreshes...))
		case simulate.DisplayCap:
			p.pacing.Cap = int64(1e9 / simulate.Pick(r, 24.0, 30, 60, 90, 120))
		default:
			p.pacing.Refresh, p.pacing.Requests = 16666667, true
		}
		every := float64(max(p.pacing.Interval(), p.pacing.Cap))
		time = every * r.Between(0.2, 0.45)
		app, driver = every*r.Between(0.05, 0.3), every*r.Between(0.02, 0.1)
		p.contents = []content{d.archetype(time)}
	case simulate.QueuesInTurn:
		p.contents = []content{d.turns(time)}
	}
	d.frames(p, time, app, driver, r.Between(0.005, 0.06))
	d.requests(p)
	return text
}

// requests gives frames the times at which they are asked for.
func (d *drawer) requests(p *program) {
	if !p.pacing.Requests {
		return
	}
	t := 0.0
	for i := range p.frames {
		p.frames[i].request = t
		t += float64(p.pacing.Refresh) * d.r.Between(1.5, 4)
	}
}

// leaning is content in which one unit works much longer than all others.
func (d *drawer) leaning(u unit, time float64) content {
	s := map[unit]sort{command: dispatches, arith: dispatches, port: dispatches, local: dispatches, rays: dispatches,
		cache: dispatches, latency: dispatches, memory: fullScreen, texture: fullScreen}[u]
	if (u == arith || u == texture || u == memory) && d.r.Chance(0.5) {
		s = draws
	}
	if (u == fetch || u == setup || u == coarse) && d.r.Chance(0.5) {
		s = depthOnly
	}
	x := d.vary(like(s, nil), 0.2, command, 0)
	for v := range x {
		x[v] *= 0.5
	}
	x[u] = 1
	if u != arith {
		x[arith] *= 0.7
	}
	if u == command {
		for v := range x {
			x[v] *= 0.4
		}
		x[u] = 2 // it stands behind the threads of each kernel
	}
	n := d.r.Whole(1, 3)
	list := []template{}
	for range n {
		list = append(list, template{"lean", s, 1 / float64(n), x})
	}
	c := content{name: "work for " + candidates[u].Name}
	for _, t := range list {
		c.jobs = append(c.jobs, d.pass(t.name, t.sort, t.weight*time, t.at))
	}
	d.order(&c)
	for _, p := range c.jobs {
		p.engine, p.after = render, nil
	}
	return c
}

// turns is content whose engines wait for each other although nothing that they share makes it right: half of a
// frame's time on one, and half on another.
func (d *drawer) turns(time float64) content {
	r := d.r
	part := r.Between(0.4, 0.6)
	c := content{name: "engines in turn"}
	first := d.pass("draws", draws, time*part, d.vary(like(draws, map[unit]float64{backend: 1, raster: 0.9, memory: 0.2,
		arith: 0.2, texture: 0.2, latency: 0.15}), 0.1, command, 0))
	var second *pass
	if d.m.discrete && r.Chance(0.7) {
		second = d.pass("kernels", dispatches, time*(1-part), d.vary(like(dispatches, map[unit]float64{arith: 1, memory: 0.1,
			latency: 0.2, cache: 0.1, port: 0.1, local: 0.1}), 0.1, command, 0))
		second.engine = compute
	} else {
		by := 1.0
		if d.m.discrete {
			by = 0.03 // by what PCIe lets through
		}
		second = d.pass("copies", copies, time*(1-part)*by, like(copies, nil))
	}
	second.after = []dependency{{job: 0, loose: true}}
	first.after = []dependency{{job: 1, back: 1, loose: true}}
	first.submit, second.submit = 0.5, 1
	c.jobs = []*pass{first, second}
	return c
}

// serial is engines, or processor and GPU, that work in turn although each has room.
func (d *drawer) serial(p *program) string {
	r := d.r
	time := d.frameTime()
	p.split, p.pacing = r.Chance(0.5), simulate.Pacing{Ahead: r.Whole(2, 3), Buffers: 3}
	p.gov = governor{first: 1}
	app, driver := time*r.Between(0.1, 0.5), time*r.Between(0.03, 0.2)+20e3
	if r.Chance(0.5) {
		p.contents = []content{d.turns(time)}
	} else {
		p.contents = []content{d.archetype(time)}
		app = time * r.Between(0.4, 1.6)
		p.pacing.Ahead = 1
		p.wait = &wait{back: r.IntN(2), job: -1, at: r.Between(0.1, 0.9)}
		if p.wait.back == 0 {
			p.wait.job = 1 << 20
		}
	}
	d.frames(p, time, app, driver, r.Between(0.005, 0.08))
	return p.contents[0].name
}

// twoPhase is one content, then another.
func (d *drawer) twoPhase(p *program) string {
	r := d.r
	time := d.frameTime()
	pick := func() content {
		if r.Chance(0.6) {
			return d.leaning(unit(r.IntN(int(units))), time*r.Between(0.7, 1.4))
		}
		return d.archetype(time * r.Between(0.7, 1.4))
	}
	a, b := pick(), pick()
	for range 8 {
		if a.name != b.name {
			break
		}
		b = pick()
	}
	a.name, b.name = "first, "+a.name, "then, "+b.name
	p.contents = []content{a, b}
	d.host(p, time)
	p.wait = nil
	p.pacing = simulate.Pacing{Ahead: r.Whole(2, 3), Buffers: 3}
	d.clocks(p, 0.1)
	return a.name + "; " + b.name
}

// healthy is a program that keeps every date with the GPU busy for 20 to 75 % of the time.
func (d *drawer) healthy(p *program) (string, error) {
	r := d.r
	p.split, p.pacing = r.Chance(0.6), simulate.Pacing{Buffers: r.Whole(2, 3), Ahead: 3}
	switch r.IntN(5) {
	case 0, 1:
		p.pacing.Refresh = int64(1e9 / simulate.Pick(r, refreshes...))
	case 2:
		d.cadence(&p.pacing)
	case 3:
		p.pacing.Refresh, p.pacing.Adaptive = int64(1e9/simulate.Pick(r, 60.0, 90, 120, 144)), true
		if r.Chance(0.4) { // a cap below the display's range is what adaptive displays are used with
			p.pacing.Refresh, p.pacing.Adaptive = 0, false
			p.pacing.Cap = int64(1e9 / simulate.Pick(r, 57.0, 116, 138))
		}
	default:
		p.pacing.Cap = int64(1e9 / simulate.Pick(r, 24.0, 30, 48, 60, 72, 90, 120))
	}
	every := float64(p.pacing.Interval())
	load := r.Between(0.24, 0.7)
	one := d.archetype(every * load * 0.7)
	p.contents = []content{one}
	app := every * r.Log(0.05, 0.5)
	driver := every * r.Between(0.02, 0.12)
	if r.Chance(0.4) {
		p.other.load = r.Between(0.05, 0.5)
	}
	d.frames(p, every, app, driver, r.Between(0.005, 0.05))
	d.clocks(p, 0.4)
	p.gov.limit, p.gov.heat = 0, 0
	p.gov.down = min(p.gov.down, 0.6)
	for try := range 14 {
		s, err := simulateOnce(p, nothing, true, nil)
		if err != nil {
			return "", err
		}
		x := s.part(p.spans()[0])
		paced := int64(0)
		for _, sh := range x.Shares {
			if sh.Candidate.Level == simulate.LevelDisplay {
				paced += sh.Ns
			}
		}
		if x.Missed == 0 && x.GPUBusy > 0.22 && x.GPUBusy < 0.73 && 20*paced > 11*(x.End-x.Start) {
			if t, err := judge(p); err != nil || t.Healthy {
				return one.name, err
			}
		}
		by := min(1.6, max(0.4, load/max(0.01, x.GPUBusy)))
		if try > 3 && (x.Missed > 0 || by > 0.9) { // its parts wait for each other: less of all
			load = max(0.26, load*0.85)
			for i := range p.frames {
				p.frames[i].app *= 0.7
				p.frames[i].driver *= 0.8
			}
		}
		for _, j := range one.jobs {
			j.scale(by)
		}
	}
	return "", errors.New("intel: no healthy case was found")
}
