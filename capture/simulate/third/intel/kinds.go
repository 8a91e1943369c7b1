package intel

import (
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// programs are what a case runs, and what it is meant to be limited by.
func (m *machine) programs(r *rand.Rand, kind string, seed uint64) ([]*program, string) {
	switch kind {
	case simulate.KindSingle:
		l := plants[seed%uint64(len(plants))]
		return []*program{m.finish(r, m.single(r, l))}, candidates[l].String()
	case simulate.KindHealthy:
		return []*program{m.healthy(r)}, ""
	case simulate.KindSerial:
		return []*program{m.finish(r, m.serial(r))}, ""
	case simulate.KindRandom:
		return []*program{m.finish(r, m.anything(r))}, ""
	case simulate.KindTwoPhase:
		return m.two(r), ""
	}
	return []*program{m.finish(r, m.archetype(r))}, ""
}

// period is about what a frame takes, for the number of frames.
func (m *machine) period(p *program) float64 {
	ns := m.took(p.passes) / p.hold
	if !p.apart {
		ns = max(ns, p.app+p.driver)
	}
	ns = max(ns, p.app, p.driver, p.cap, p.ask*1.2)
	if p.refresh > 0 {
		ns = max(ns, p.refresh)
		if len(p.every) > 0 {
			ns = max(ns, p.refresh*float64(p.every[0]))
		}
	}
	if p.sync || p.inTurn {
		ns += p.app + p.driver + p.other
	}
	return ns
}

// finish draws the frames of a program.
func (m *machine) finish(r *rand.Rand, p *program) *program {
	return p.draw(r, frames(r, m.period(p)))
}

// archetype is an application with everything drawn.
func (m *machine) archetype(r *rand.Rand) *program {
	ns := between2(r, 6e6, 40e6)
	text, passes := m.busyContent(r, ns)
	ns = m.took(passes)
	p := free(r, text, passes, ns)
	p.app, p.driver = ns*between2(r, 0.1, 0.9), ns*between2(r, 0.08, 0.5)
	if r.IntN(5) == 0 { // scripts, physics, or thousands of calls
		p.app, p.driver = ns*between2(r, 0.5, 1.8), ns*between2(r, 0.2, 1.5)
	}
	switch r.IntN(10) {
	case 0, 1:
		p.refresh, p.every = 1e9/60, []int{1}
	case 2:
		p.refresh, p.adaptive = 1e9/144, true
	case 3:
		p.refresh, p.buffers = 1e9/60, 3 // mailbox: the newest frame at each refresh, without dates
	}
	m.govern(r, p)
	return p
}

// govern draws what holds the clock. Laptops run into the limit of power that the processor shares; small ones get hot.
func (m *machine) govern(r *rand.Rand, p *program) {
	switch r.IntN(10) {
	case 0, 1:
		p.hold, p.holder = 0.55+0.4*r.Float64(), power
	case 2:
		p.hold, p.holder = 0.4+0.5*r.Float64(), thermal
	case 3, 4, 5, 6:
		p.lag, p.holder = 10e6+20e6*r.Float64(), governor
	}
}

// healthy is paced content that keeps every date, with work that is drawn smaller until it does.
func (m *machine) healthy(r *rand.Rand) *program {
	dates := []struct {
		refresh float64
		every   []int
		text    string
	}{
		{60, []int{3, 2}, "24 frames on 60 Hz"}, {60, []int{2}, "30 frames on 60 Hz"}, {48, []int{1}, "48 Hz"},
		{60, []int{1}, "60 Hz"}, {60, []int{1}, "60 Hz"}, {72, []int{1}, "72 Hz"}, {90, []int{1}, "90 Hz"},
		{120, []int{1}, "120 Hz"}, {144, []int{1}, "144 Hz"}, {120, []int{2}, "60 frames on 120 Hz"},
		{50, []int{2}, "25 frames on 50 Hz"},
	}
	d := dates[r.IntN(len(dates))]
	ns := 1e9 / d.refresh
	p := &program{hold: 1, holder: none, buffers: 2 + r.IntN(2), apart: r.IntN(3) == 0, early: r.IntN(2) == 0}
	mode, text := r.IntN(10), d.text
	switch {
	case mode < 5:
		p.refresh, p.every = ns, d.every
		ns *= float64(d.every[len(d.every)-1])
	case mode < 6: // the display follows what a cap just below its highest rate lets through
		p.refresh, p.adaptive, p.cap, text = 1e9/144, true, 1e9/(40+95*r.Float64()), "adaptive refresh under a cap"
		ns = p.cap
	case mode < 8:
		p.cap, text = 1e9/[]float64{30, 40, 60, 90, 120}[r.IntN(5)], "cap"
		ns = p.cap
	default: // a compositor that has something to show now and then: a cursor that blinks, a clock, a line of text
		p.refresh, p.ask, text = 1e9/60, between2(r, 50e6, 400e6), "screen that mostly idles"
		ns = 1e9 / 60
	}
	kind := r.IntN(9)
	if p.ask > 0 {
		kind = 3
	}
	name, passes := m.content(r, kind)
	p.text, p.passes = name+", "+text, passes
	load := 0.2 + 0.5*r.Float64()
	m.fit(passes, ns*load)
	p.app, p.driver, p.helpers = ns*(0.08+0.3*r.Float64()), ns*(0.05+0.15*r.Float64()), ns*0.5*r.Float64()
	switch r.IntN(4) {
	case 0:
		p.hold, p.holder = 0.6+0.3*r.Float64(), power
	case 1, 2:
		p.lag, p.holder = 10e6+15e6*r.Float64(), governor
	}
	m.finish(r, p)
	for range 8 {
		k := &timings{m: m, relieved: none, kept: map[*pass]map[int]*timing{}}
		if p.simulate(k, 0, warm).healthy() {
			break
		}
		for _, x := range passes {
			x.grow(0.8)
			x.fixed *= 0.8
		}
		p.app, p.driver = p.app*0.8, p.driver*0.8
	}
	return p
}

// serial is a program whose parts work in turn although they have room for more.
func (m *machine) serial(r *rand.Rand) *program {
	ns := between2(r, 3e6, 16e6)
	kind := r.IntN(9)
	if r.IntN(3) == 0 {
		kind = 5 + r.IntN(2) // results of computing are read back before the next step is known
	}
	text, passes := m.content(r, kind)
	m.fit(passes, ns)
	p := free(r, text, passes, ns)
	p.buffers = 3 + r.IntN(2)
	if r.IntN(5) < 3 {
		cpu := ns * between2(r, 0.4, 1.6)
		p.text += ", results read back every time"
		p.app, p.driver, p.sync = cpu*0.65, cpu*0.35, true
		// The driver raises the clock for whoever waits, unless it was told not to.
		if r.IntN(3) == 0 {
			p.lag, p.holder = 10e6+20e6*r.Float64(), governor
		}
		return p
	}
	p.text += ", after another engine in turn"
	p.app, p.driver = ns*(0.1+0.2*r.Float64()), ns*(0.05+0.15*r.Float64())
	p.other, p.inTurn = ns*between2(r, 0.35, 1.3), true
	return p
}

// anything is passes of any kind in any mixture, paced in any way.
func (m *machine) anything(r *rand.Rand) *program {
	var passes []*pass
	pixels := between2(r, 0.5e6, 4e6)
	for range 2 + r.IntN(9) {
		var p *pass
		switch r.IntN(8) {
		case 0:
			p = m.shadow(r)
		case 1:
			p = m.opaque(r, pixels)
		case 2:
			p = m.transparent(r, pixels)
		case 3:
			p = m.screen(r, pixels)
		case 4:
			p = m.layers(r, pixels)
		case 5:
			p = m.dispatch(r, r.IntN(5))
		default:
			p = m.limited(r, leaf(r.IntN(int(overhead))))
		}
		m.fit([]*pass{p}, between2(r, 0.3e6, 8e6))
		passes = append(passes, p)
	}
	ns := m.took(passes)
	p := free(r, "any passes", passes, ns)
	p.app, p.driver = ns*between2(r, 0.05, 1.5), ns*between2(r, 0.05, 0.8)
	switch r.IntN(12) {
	case 0:
		p.refresh, p.every = 1e9/60, []int{1 + r.IntN(2)}
	case 1:
		p.cap = ns * between2(r, 0.6, 2)
	case 2:
		p.sync = true
	case 3:
		p.other, p.inTurn = ns*between2(r, 0.2, 1), true
	}
	m.govern(r, p)
	return p
}

// two is one content and then another with another limit: a menu and then the game, a scene and then the next.
func (m *machine) two(r *rand.Rand) []*program {
	draw := func(other leaf) (*program, leaf) {
		switch r.IntN(5) {
		case 0:
			return m.healthy(r), none
		case 1, 2:
			return m.finish(r, m.archetype(r)), none
		}
		l := other
		for l == other {
			l = plants[r.IntN(len(plants))]
		}
		return m.finish(r, m.single(r, l)), l
	}
	a, l := draw(none)
	b, _ := draw(l)
	return []*program{a, b}
}
