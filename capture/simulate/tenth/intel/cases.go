package intel

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families of this package.
var Names = []string{"intel-bmg-tenth"}

// Kinds are the kinds of cases that a family has.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return simulate.Kinds()
}

// plants are what cases of one limiter are meant to be limited by.
var plants = func() []simulate.Candidate {
	out := slices.Clone(stations[:])
	return append(out, simulate.LaunchOverhead, simulate.QueuesInTurn, simulate.CPUApp, simulate.CPUDriver,
		simulate.CPUSync, simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower, simulate.DisplayVsync,
		simulate.DisplayCap, simulate.DisplayRequest)
}()

// New makes a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) || !slices.Contains(simulate.Kinds(), kind) {
		return nil, fmt.Errorf("intel: no cases %q of %q", kind, name)
	}
	d := newDraft(kind, seed)
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	switch kind {
	case simulate.KindArchetype:
		d.archetypes()
	case simulate.KindSingle:
		plant := plants[seed%uint64(len(plants))]
		c.Plant = plant.String()
		d.single(plant)
	case simulate.KindSerial:
		d.serial(d.r.Chance(0.55))
	case simulate.KindHealthy:
		d.healthy(d.r.IntN(3))
	case simulate.KindTwoPhase:
		d.twoPhase()
	case simulate.KindRandom:
		d.random()
	}
	d.lengths()
	p := d.p
	c.Text = p.text()
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return record(c, p, o) }
	c.Judge = func() (*simulate.Truth, error) { return judge(p) }
	return c, nil
}

func (p *program) text() string {
	s := ""
	for i, c := range p.contents {
		if i > 0 {
			s += ", then "
		}
		s += c.name
	}
	switch g := &p.pacing; {
	case g.request > 0:
		s += fmt.Sprintf(", %.4g requests/s at %.4g Hz", 1e9/float64(g.request), hz(g.refresh))
	case g.refresh > 0 && g.adaptive:
		s += fmt.Sprintf(", adaptive up to %.4g Hz", hz(g.refresh))
	case g.refresh > 0:
		s += fmt.Sprintf(", %.4g Hz by %d, %d buffers", hz(g.refresh), max(1, g.stay), g.buffers)
	}
	if p.pacing.cap > 0 {
		s += fmt.Sprintf(", capped at %.4g frames/s", hz(p.pacing.cap))
	}
	return s
}

func hz(ns int64) float64 {
	if ns <= 0 {
		return 0
	}
	return 1e9 / float64(ns)
}

func period(hz float64) int64 { return int64(1e9 / hz) }

// free lets frames go as fast as they can, with or without a display that shows the last.
func (d *draft) free() {
	r, g := d.r, &d.p.pacing
	if !d.p.unknown && r.Chance(0.25) {
		g.refresh, g.adaptive, g.buffers = period(simulate.Pick(r, 240.0, 360)), true, 3
	} else if !d.p.unknown && r.Chance(0.12) {
		g.refresh, g.buffers = period(simulate.Pick(r, 144.0, 165, 240)), 3
	}
	if l := &d.p.limits; r.Chance(0.5) {
		l.governor, l.favour, l.lazy = true, 1, r.Between(0.55, 0.85)
	}
}

func (d *draft) archetypes() {
	r := d.r
	c := d.archetype(r.Chance(0.75), nil)
	d.p.contents = []*content{c}
	d.free()
	switch {
	case r.Chance(0.1):
		d.hold(simulate.Pick(r, cGovernor, cThermal, cPower), r.Between(0.55, 0.85))
	case r.Chance(0.1):
		c.app *= r.Between(1.5, 4)
	case r.Chance(0.05):
		d.p.sync = true
	}
}

// hold keeps the clock down, near a share of the highest.
func (d *draft) hold(cause int, v float64) {
	l, load := &d.p.limits, d.r.Between(0.55, 0.7)
	watts := l.idle + l.dynamic*load*v*v*v
	switch cause {
	case cGovernor:
		l.governor, l.favour, l.lazy = true, v, 0
	case cPower:
		l.power = watts
	case cThermal:
		l.heat, l.ambient = d.r.Between(84, 96), d.r.Between(25, 45)
		l.perWatt, l.timeConst = (l.heat-l.ambient)/watts, d.r.Between(0.15e9, 0.6e9)
	}
}

// simple is content of some passes with these limiters, and light on the processor.
func (d *draft) simple(name string, frame float64, kinds ...int) *content {
	c := &content{name: name, wobble: d.r.Between(0.02, 0.06), app: frame * d.r.Between(0.1, 0.4),
		driver: frame * d.r.Between(0.05, 0.3)}
	for _, k := range kinds {
		p := d.p.m.planted(d.r, k, false, &d.eff, 0.7)
		q := qRender
		d.add(c, q, p, frame/float64(len(kinds))*d.r.Between(0.85, 1.15))
	}
	c.submits()
	return c
}

// varied are core stations that differ, so that none limits most of a frame.
func (d *draft) varied() []int {
	all := []int{sALU, sTex, sSLM, sLSC, sPB, sVF, sIZ, sL3}
	d.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:d.r.Whole(4, 6)]
}

func (d *draft) single(plant simulate.Candidate) {
	r, p := d.r, d.p
	frame := r.Log(4e6, 16e6)
	var c *content
	switch plant {
	case simulate.LaunchOverhead:
		c = d.simple("many small dispatches", frame*0.3, d.varied()...)
		for i := range c.jobs {
			for _, k := range c.jobs[i].chunks {
				k.launches = 0.7 * frame / p.overhead / float64(len(c.jobs)*len(c.jobs[i].chunks))
				k.amounts[qKernels] = k.launches
				if k.stage == 0 {
					k.amounts[qDraws], k.amounts[qKernels] = k.launches, 0
				}
			}
		}
		c.app, c.driver = frame*0.3, frame*0.5
	case simulate.QueuesInTurn:
		d.inTurn(frame, r.Between(0.42, 0.58))
		return
	case simulate.CPUSync:
		c = d.simple("reads back each frame", frame, d.varied()...)
		c.app, c.driver = frame*r.Between(0.7, 0.9), frame*r.Between(0.1, 0.3)
		p.sync = true
	case simulate.CPUApp:
		c = d.simple("heavy on the processor", frame*0.5, d.varied()...)
		c.app, c.driver = frame*r.Between(0.9, 1.2), frame*r.Between(0.2, 0.5)
	case simulate.CPUDriver:
		c = d.simple("many draws", frame*0.5, d.varied()...)
		c.app, c.driver = frame*r.Between(0.3, 0.5), frame*r.Between(0.9, 1.2)
	case simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower:
		c = d.simple("slow clock", frame, d.varied()...)
		d.hold(slices.Index(causes[:], plant), r.Between(0.45, 0.6))
	case simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest:
		d.healthy(map[simulate.Candidate]int{simulate.DisplayVsync: 0, simulate.DisplayCap: 1, simulate.DisplayRequest: 2}[plant])
		return
	default:
		k := slices.Index(stations[:], plant)
		kinds := []int{k}
		if r.Chance(0.5) {
			kinds = append(kinds, k, k)
		}
		c = d.simple(plant.Name, frame, kinds...)
	}
	p.contents = []*content{c}
	d.unpaced()
}

// unpaced keeps the pacing of frames free, and the clock at its highest where nothing else was drawn.
func (d *draft) unpaced() {
	if d.r.Chance(0.3) {
		d.p.pacing = pacing{refresh: period(360), adaptive: true, buffers: 3}
	}
}

// inTurn is work on two engines that could overlap, and does not. part is the second's share of the time.
func (d *draft) inTurn(frame, part float64) {
	r, p := d.r, d.p
	front := simulate.Pick(r, sVF, sClip, sIZ, sPB, sHZ, sTex)
	beside := simulate.Pick(r, sALU, sMem, sSLM, sLSC)
	c := d.simple("render, then compute", frame*(1-part), front, simulate.Pick(r, front, sTex, sHZ))
	n := len(c.jobs)
	q := qCompute
	if r.Chance(0.2) {
		q = qCopy
	}
	for i := range r.Whole(1, 2) {
		var j *job
		if q == qCopy {
			j = d.add(c, q, pass{name: "readback", stage: 2, copied: mega, spread: 0.1, chunks: 2}, frame*part)
		} else {
			j = d.add(c, q, d.p.m.planted(r, beside, true, &d.eff, 0.6), frame*part)
		}
		if i == 0 {
			j.deps = []dep{{job: n - 1}}
		}
		if q == qCopy || r.Chance(0.5) {
			break
		}
		part *= 0.2
	}
	c.jobs[0].deps = []dep{{job: len(c.jobs) - 1, back: 1, needless: true}}
	c.app, c.driver = frame*r.Between(0.1, 0.35), frame*r.Between(0.1, 0.3)
	c.submits()
	p.contents = []*content{c}
	p.ahead = 3
}

func (d *draft) serial(queues bool) {
	r, p := d.r, d.p
	frame := r.Log(5e6, 18e6)
	if queues {
		d.inTurn(frame, r.Between(0.3, 0.65))
	} else {
		c := d.simple("processor and GPU in turn", frame*r.Between(0.4, 0.6), d.varied()...)
		c.app, c.driver = frame*r.Between(0.25, 0.5), frame*r.Between(0.05, 0.15)
		p.sync = true
		p.contents = []*content{c}
	}
	d.unpaced()
}

func (d *draft) healthy(how int) {
	r, p := d.r, d.p
	g := &p.pacing
	rate := simulate.Pick(r, 24.0, 30, 48, 60, 60, 72, 90, 120, 144)
	g.buffers = r.Whole(2, 3)
	switch how {
	case 0:
		g.refresh, g.stay = period(rate), 1
		switch {
		case rate < 40 || r.Chance(0.15):
			g.refresh, g.stay = period(rate*2), 2
		case r.Chance(0.2):
			g.adaptive, g.buffers = true, 3
		}
	case 1:
		g.cap = period(rate)
		if r.Chance(0.3) {
			g.refresh, g.adaptive, g.buffers = period(rate*1.6), true, 3
		}
	case 2:
		g.request, g.refresh, g.buffers = period(rate), period(max(60, rate*2)), 3
	}
	interval := 1e9 / rate
	busy := r.Between(0.05, 0.9)
	room := 1.0
	if g.refresh > 0 && !g.adaptive && how == 0 && g.buffers == 2 {
		room = 0.8 // the processor's work and the GPU's must fit into the interval
	}
	c := d.archetype(false, new(bool))
	c.wobble *= 0.35
	t := 0.0
	for _, j := range c.jobs {
		t += d.alone(&j)
	}
	if l := &p.limits; busy < 0.6 && r.Chance(0.7) {
		l.governor, l.favour, l.lazy = true, r.Between(0.8, 1), r.Between(0.6, 0.8)
		room *= 0.7
	}
	by := interval * busy * 0.95 * room / t
	for i := range c.jobs {
		for _, k := range c.jobs[i].chunks {
			k.scale(by)
		}
	}
	cpu := interval * r.Between(0.05, 0.5)
	if how == 0 && g.buffers == 2 {
		cpu = min(cpu, interval*(0.9-busy*room)*0.7)
	}
	c.app, c.driver = max(1e4, cpu*0.6), max(1e4, cpu*0.4)
	p.contents = []*content{c}
}

// alone is how long a job takes at the highest clock with nothing beside it.
func (d *draft) alone(j *job) (sum float64) {
	s := normal()
	for _, c := range j.chunks {
		f, _ := solve(c, nil, &s, nil, d.p.m.maxMHz)
		sum += f.time + c.launches*d.p.overhead
	}
	return sum
}

// scale makes a chunk so many times as large.
func (c *chunk) scale(by float64) {
	c.threads *= by
	for k := sFront; k < nStation; k++ {
		c.demand[k] *= by
	}
	for i := range c.amounts {
		if i != qKernels && i != qDraws {
			c.amounts[i] *= by
		}
	}
}

func (d *draft) twoPhase() {
	r, p := d.r, d.p
	made := func(not int) (*content, int) {
		for {
			k := r.IntN(nStation)
			if k == not {
				continue
			}
			frame := r.Log(4e6, 14e6)
			kinds := []int{k, k}
			if other := r.IntN(nStation); r.Chance(0.6) {
				kinds = append(kinds, other)
			}
			return d.simple("mostly "+stations[k].Name, frame, kinds...), k
		}
	}
	a, k := made(-1)
	b, _ := made(k)
	if r.Chance(0.25) { // the second needs the processor
		frame := r.Log(6e6, 14e6)
		b = d.simple("scripts", frame*0.4, d.varied()...)
		b.app, b.driver = frame, frame*0.3
	}
	if a.name == b.name {
		b.name += " again"
	}
	p.contents = []*content{a, b}
	d.unpaced()
}

func (d *draft) random() {
	r := d.r
	d.p.contents = []*content{d.mixed()}
	d.free()
	if r.Chance(0.15) {
		d.hold(simulate.Pick(r, cGovernor, cThermal, cPower), r.Between(0.5, 0.9))
	}
	if r.Chance(0.1) {
		d.p.sync = true
	}
	if r.Chance(0.1) {
		d.p.pacing = pacing{cap: period(simulate.Pick(r, 30.0, 60, 90, 120))}
	}
}
