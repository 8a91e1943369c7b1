package mali

import (
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// balanced is content that no unit limits much more than others.
func balanced(r *rand.Rand, m *machine, ns float64) content {
	return scenarios[pick(r, 0, 1, 2, 8, 12)].frame(r, m, ns)
}

// single makes a program that only one thing limits.
func (p *program) single(r *rand.Rand, plant simulate.Candidate) {
	m := p.m
	ns := uniform(r, 6e6, 22e6)
	p.unpaced(r)
	var c content
	switch plant {
	case simulate.LaunchOverhead:
		k := newMaker(r, m)
		k.launch = uniform(r, 15e3, 40e3)
		last := -1
		for range 40 + r.IntN(60) {
			l := drawLook(r)
			l.slots, l.messages = 0, 0
			last = k.add("dispatch", compute, computed(&l, uniform(r, 0.5, 1.5)*1e3), 1, k.after(last)...)
		}
		k.passes[last].last = true
		launch := 0.0
		for i := range k.passes {
			launch += k.passes[i].launch
		}
		ns = launch * uniform(r, 1.2, 1.6)
		sized(m, k.passes, ns)
		c = content{text: "very many small dispatches", passes: k.passes, app: 0.1 * ns, driver: ns * uniform(r, 0.2, 0.6)}
	case simulate.CPUApp, simulate.CPUDriver:
		c = scenarios[pick(r, 0, 1, 3, 11)].frame(r, m, ns)
		ns = m.alone(c.passes, binning) + m.alone(c.passes, compute) + m.alone(c.passes, fragment)
		long, short := ns*uniform(r, 1.3, 2.5), ns*uniform(r, 0.1, 0.5)
		c.app, c.driver = long, short
		if plant == simulate.CPUDriver {
			c.app, c.driver = short, long
		}
		ns = long
	case simulate.CPUSync:
		c = balanced(r, m, ns)
		c.app, c.driver = ns*uniform(r, 0.3, 0.6), ns*uniform(r, 0.2, 0.4)
		c.sync = true
	case simulate.QueuesInTurn:
		k := newMaker(r, m)
		unit := pick(r, rArithmetic, rTexture, rBackend, rLoadStore)
		l := drawLook(r)
		l.size = uniform(r, 3, 6)
		if unit == rBackend {
			l = layered(r)
		}
		k.scene("scene", l, fullHD)
		m.plant(k.passes, binning, rTiler, 1.6)
		m.plant(k.passes, fragment, unit, 1.6)
		m.level(k.passes, fragment, ns)
		m.level(k.passes, binning, ns*uniform(r, 0.6, 0.9))
		k.passes[1].last = true
		c = content{text: "geometry that waits for the frame before", passes: k.passes, app: 0.2 * ns, driver: 0.2 * ns}
		inTurn(&c)
	case simulate.ClockThermal, simulate.ClockPower:
		c = balanced(r, m, ns)
		c.app, c.driver = 0.2*ns, 0.2*ns
		mean := uniform(r, 0.4, 0.53)
		p.limit(r, plant, mean)
		ns /= mean
	case simulate.ClockGovernor:
		c = balanced(r, m, ns)
		c.app, c.driver = 0.2*ns, 0.2*ns
		p.clock.policy = uniform(r, 0.4, 0.55) // a saving mode
		ns /= p.clock.policy
	case simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest:
		p.contents = nil
		p.paced(r, plant)
		return
	default:
		c = planted(r, m, plant, ns)
	}
	p.contents = []content{c}
	p.lengths(r, ns, uniform(r, 0.01, 0.04))
}

// level makes the work of a queue take ns.
func (m *machine) level(passes []pass, queue int, ns float64) {
	for range 3 {
		by := ns / m.alone(passes, queue)
		for i := range passes {
			if passes[i].queue == queue {
				for j := range passes[i].chunks {
					passes[i].chunks[j].w.scale(by)
				}
			}
		}
	}
}

func (p *program) serial(r *rand.Rand) {
	ns := uniform(r, 6e6, 20e6)
	p.unpaced(r)
	c := scenarios[pick(r, 0, 1, 2, 7, 8, 12, 13)].frame(r, p.m, ns)
	c.app, c.driver = ns*uniform(r, 0.1, 0.5), ns*uniform(r, 0.1, 0.3)
	switch r.IntN(3) {
	case 0:
		c.sync = true
	case 1:
		p.geometry(r, &c, ns*uniform(r, 0.4, 0.9))
		inTurn(&c)
	default:
		p.geometry(r, &c, ns*uniform(r, 0.3, 0.7))
		inTurn(&c)
		c.sync = r.IntN(2) == 0
	}
	if r.IntN(4) == 0 {
		p.governor(r)
	}
	p.contents = []content{c}
	p.lengths(r, ns, uniform(r, 0.01, 0.05))
}

// geometry makes a content's meshes so fine that its binning passes take ns, most of it in the tiler.
func (p *program) geometry(r *rand.Rand, c *content, ns float64) {
	p.m.plant(c.passes, binning, rTiler, uniform(r, 1.1, 1.8))
	p.m.level(c.passes, binning, ns)
}

func (p *program) healthy(r *rand.Rand) {
	p.paced(r, pick(r, simulate.DisplayVsync, simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest))
}

// paced makes a program that has time to spare.
func (p *program) paced(r *rand.Rand, by simulate.Candidate) {
	var frame float64
	switch by {
	case simulate.DisplayVsync:
		switch r.IntN(5) {
		case 0: // 24 pictures per second
			p.vsync(r, 60, 3, 2)
			frame = 1e9 / 30
		case 1:
			hz := pick(r, 60.0, 90, 120)
			p.vsync(r, hz, 2)
			frame = 2e9 / hz
		case 2:
			hz := pick(r, 48.0, 72, 90, 120, 144)
			frame = 1e9 / hz
			p.pacing = pacing{refresh: frame, pattern: []int{1}, adaptive: true, buffers: 3, ahead: 3}
		default:
			hz := pick(r, 48.0, 60, 60, 72, 90, 120, 144)
			p.vsync(r, hz, 1)
			frame = 1e9 / hz
		}
	case simulate.DisplayCap:
		fps := pick(r, 30.0, 30, 40, 45, 48, 60)
		p.pacing = pacing{refresh: 1e9 / pick(r, 60.0, 90, 120), capped: true, period: 1e9 / fps, buffers: 3, ahead: 3}
		frame = max(p.pacing.period, p.pacing.refresh)
		p.pacing.period = frame
	default:
		fps := pick(r, 10.0, 15, 24, 25, 30)
		frame = 1e9 / fps
		p.pacing = pacing{refresh: 1e9 / 60, asked: true, period: frame, buffers: 3, ahead: 3}
	}
	load := uniform(r, 0.2, 0.7)
	s := &scenarios[r.IntN(len(scenarios))]
	c := s.frame(r, p.m, frame*load*0.85)
	most := frame * uniform(r, 0.2, 0.45) // of the processor
	if p.pacing.buffers == 2 {
		most = frame * min(0.3, 0.9-load) // work of both sides has one period between them
	}
	if sum := c.app + c.driver; sum > most {
		c.app, c.driver = c.app*most/sum, c.driver*most/sum
	}
	p.contents = []content{c}
	if r.IntN(2) == 0 && load < 0.6 && p.pacing.buffers == 3 {
		p.governor(r)
		p.clock.up = uniform(r, 0.6, 0.8)
	}
	p.lengths(r, frame, uniform(r, 0.01, 0.04))
	if p.pacing.asked {
		p.request(r, frame, r.IntN(2) == 0)
	}
	p.relax()
}

// spare is the share of time that queues of a program that keeps its dates have work at most. Nobody could tell one
// whose queues work all the time from one that works as fast as it can.
const spare = 0.85

// relax takes work away until every date is kept with time to spare, and at last the governor, who may be too slow for
// it.
func (p *program) relax() {
	whole, _ := p.stretches()
	for try := range 16 {
		e := p.run(false)
		if part := e.part(whole, 0); part.Healthy && e.working(whole) <= spare {
			return
		}
		for i := range p.gpu {
			p.gpu[i] *= 0.88
			p.cpu[i] *= 0.88
		}
		if try == 4 {
			p.clock.governed = false
		}
	}
}

// request draws when frames are asked for: evenly, as a film does, or in bursts, as fingers do.
func (p *program) request(r *rand.Rand, frame float64, bursts bool) {
	at := 5e6
	for range p.of {
		p.pacing.dates = append(p.pacing.dates, at)
		at += frame * uniform(r, 0.99, 1.02)
		if bursts && r.IntN(9) == 0 {
			at += uniform(r, 20e6, 160e6)
		}
	}
}

func (p *program) twoPhase(r *rand.Rand) {
	ns := uniform(r, 6e6, 18e6)
	p.unpaced(r)
	units := candidates(p.m.gen5)
	for range 2 {
		size := ns * uniform(r, 0.6, 1.5)
		var c content
		switch r.IntN(4) {
		case 0, 1:
			c = planted(r, p.m, units[r.IntN(len(units)-8)], size)
		case 2:
			c = scenarios[r.IntN(len(scenarios))].frame(r, p.m, size)
		default:
			c = scenarios[9].frame(r, p.m, size*0.3)
		}
		p.contents = append(p.contents, c)
	}
	p.lengths(r, ns, uniform(r, 0.01, 0.04))
}

func (p *program) random(r *rand.Rand) {
	ns := uniform(r, 5e6, 25e6)
	c := mixture(r, p.m, ns)
	c.sync = r.IntN(8) == 0
	p.barriers(r, &c)
	p.contents = []content{c}
	p.environment(r, ns)
	p.lengths(r, ns, uniform(r, 0.01, 0.1))
}
