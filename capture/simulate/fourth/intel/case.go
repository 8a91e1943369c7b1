package intel

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// spec is a case with everything drawn.
type spec struct {
	kind     string
	seed     uint64
	text     string
	plant    leaf // of KindSingle
	machine  *machine
	contents []content
	frames   []frame
	warm     int
	turn     int // the first frame of the second phase; 0 is none
	pacing   pacing
	clocking clocking
	others   background
	start    float64 // GHz
	noise    [3]float64
	each     float64 // ns of a frame, about
}

// Kinds are the kinds of cases of a family; nil where there is no such family.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return simulate.Kinds()
}

// New draws a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no family %q; there are %v", name, Names)
	}
	if !slices.Contains(simulate.Kinds(), kind) {
		return nil, fmt.Errorf("family %s has no kind %q; it has %v", name, kind, simulate.Kinds())
	}
	s, err := draw(name, kind, seed)
	if err != nil {
		return nil, err
	}
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: s.text, Judge: s.judge,
		Record: func(o simulate.Options) (*capture.Capture, error) { return s.record(o) }}
	if kind == simulate.KindSingle {
		c.Plant = candidates[s.plant].String()
	}
	return c, nil
}

func draw(name, kind string, seed uint64) (*spec, error) {
	s := &spec{kind: kind, seed: seed}
	if kind != simulate.KindHealthy {
		r := simulate.NewRandom(seed, name+" "+kind)
		s.machine = newMachine(name, r)
		s.fill(newMaker(s.machine, r))
		return s, nil
	}
	for try := range 40 {
		r := simulate.NewRandom(seed, fmt.Sprint(name, " healthy ", try))
		s = &spec{kind: kind, seed: seed, machine: newMachine(name, r)}
		k := newMaker(s.machine, r)
		s.healthy(k, simulate.Pick(r, vsync, vsync, frameCap, request))
		ok, err := s.isHealthy()
		if err != nil || ok {
			return s, err
		}
	}
	return s, nil
}

// isHealthy reports whether no date is missed and there is room.
func (s *spec) isHealthy() (bool, error) {
	x, err := s.simulate(&relief{}, nil)
	if err != nil {
		return false, err
	}
	whole, _ := s.parts()
	for k := whole.first; k < whole.end; k++ {
		if x.frames[k].missed > 0 {
			return false, nil
		}
	}
	busy := x.busyShare(x.from(whole), x.to(whole))
	return busy > 0.2 && busy < 0.75, nil
}

// fill draws what a kind other than the healthy one is.
func (s *spec) fill(k *maker) {
	r := k.r
	switch s.kind {
	case simulate.KindArchetype:
		s.contents = []content{k.archetype()}
		s.usual(k)
	case simulate.KindRandom:
		s.contents = []content{k.mixture()}
		s.usual(k)
	case simulate.KindSerial:
		c := k.archetype()
		s.contents = []content{c}
		s.plain(k)
		if r.Chance(0.5) {
			k.inTurn(&s.contents[0], r.Between(0.35, 1.1))
		} else {
			k.waiting(&s.contents[0], r.Between(0.35, 1.3))
		}
		s.text = s.contents[0].text
	case simulate.KindTwoPhase:
		list := plants(s.machine.family)
		units := list[:slices.Index(list, cpuSync)]
		a := units[r.IntN(len(units))]
		b := units[r.IntN(len(units))]
		for b == a {
			b = units[r.IntN(len(units))]
		}
		for _, l := range []leaf{a, b} {
			c := k.planted(l)
			k.fit(&c, r.Log(1, 5))
			s.contents = append(s.contents, c)
		}
		s.plain(k)
		for i, l := range []leaf{a, b} {
			k.processor(&s.contents[i], l)
		}
		s.text = s.contents[0].text + ", then " + s.contents[1].text
	case simulate.KindSingle:
		s.single(k)
		return
	}
	s.lay(k)
}

// plain draws a machine that nothing but the work holds up: an uncapped frame rate at a steady clock.
func (s *spec) plain(k *maker) {
	r := k.r
	for i := range s.contents {
		k.fit(&s.contents[i], r.Log(1, 5))
		k.processor(&s.contents[i], leaves)
	}
	s.text = s.contents[0].text
	s.pacing = pacing{images: 3, ahead: r.Whole(2, 3)}
	s.steady(k)
	s.noise = [3]float64{r.Between(0.01, 0.08), r.Between(0.03, 0.15), r.Between(0, 0.01)}
}

// steady draws a governor that lets the clock rise with the load.
func (s *spec) steady(k *maker) {
	r := k.r
	s.clocking = clocking{tick: r.Between(8e6, 16e6), up: r.Between(0.82, 0.93), down: r.Between(0.5, 0.7),
		rise: s.machine.step * float64(r.Whole(2, 5)), fall: s.machine.step * float64(r.Whole(1, 2)), boost: r.Chance(0.6)}
	s.start = s.machine.highest
}

// usual draws what surrounds content on the machines that people have.
func (s *spec) usual(k *maker) {
	r := k.r
	s.plain(k)
	c := &s.contents[0]
	switch r.Weighted([]float64{6, 1.5, 0.9, 0.6, 0.35}) {
	case 1:
		k.processor(c, cpuApp)
		c.app *= r.Between(0.7, 1)
	case 2:
		k.processor(c, cpuDriver)
		c.driver *= r.Between(0.7, 1)
	case 3:
		k.waiting(c, r.Between(0.3, 1))
	case 4:
		k.inTurn(c, r.Between(0.2, 0.8))
	}
	s.text = c.text
	render, _ := k.gpu(c)
	switch r.Weighted([]float64{5.5, 2, 1.2, 0.6}) {
	case 1:
		s.pacing.refresh = 1e9 / simulate.Pick(r, s.machine.refresh...)
		if render < s.pacing.refresh/2 && r.Chance(0.7) { // what is watched this closely seldom has that much room
			k.fit(c, s.pacing.refresh/2.5e6*r.Between(0.4, 1.2))
			k.processor(c, leaves)
		}
		s.pacing.images = r.Whole(2, 3)
		s.text += ", with the display's refresh"
	case 2:
		s.pacing.refresh, s.pacing.variable = 1e9/simulate.Pick(r, 144.0, 165, 120), true
		s.text += ", on a display of variable refresh"
	case 3:
		s.pacing.cap, s.pacing.by = 1e9/simulate.Pick(r, 30, 48, 60, 90.0), frameCap
		s.text += ", with a limit on the frame rate"
	}
	if c.text == "video with scaling" && r.Chance(0.7) {
		s.pacing = pacing{images: 3, ahead: 2, cap: 1e9 / simulate.Pick(r, 24, 25, 30, 60.0), by: request}
	}
	switch r.Weighted([]float64{6, 1.2, 1.2, 0.8}) {
	case 1:
		s.throttle(k, thermal, r.Between(0.6, 0.92))
	case 2:
		s.throttle(k, power, r.Between(0.6, 0.92))
	case 3: // a profile that saves power
		s.clocking.up, s.clocking.rise, s.clocking.boost = 0.97, s.machine.step, false
		s.start = s.machine.highest * 0.6
	}
	if r.Chance(0.35) && s.pacing.refresh == 0 {
		w := k.ui()
		w.name = "desktop"
		p := pass{work: w}
		for k.alone(&p) > min(1.2e6, 0.15*render) {
			p.scale(0.5)
			p.draws *= 0.5
		}
		s.others = background{pass: p, every: 1e9 / 60, offset: r.Between(0, 1e7)}
	}
}

// throttle holds the clock below its highest.
func (s *spec) throttle(k *maker, by leaf, to float64) {
	c, m := &s.clocking, s.machine
	c.by = by
	c.ceiling = max(m.lowest+m.step, math.Round(m.highest*to/m.step)*m.step)
	s.start = c.ceiling
	if by == thermal {
		c.swing, c.period = m.step*float64(k.r.Whole(1, 3)), k.r.Whole(4, 30)
		s.text += ", hot"
		return
	}
	// The budget is what the content takes at that clock.
	sum, all := 0.0, 0.0
	var f flow
	for _, content := range s.contents {
		for i := range content.passes {
			p := content.passes[i].profileOf(m, content.passes[i].queue, 0, m.highest, &relief{}, &f, false)
			sum += p.ns * (0.4 + 0.45*p.use[useEU] + 0.15*p.use[useMemory])
			all += p.ns
		}
	}
	v := c.ceiling / m.highest
	c.budget = 0.12 + 0.88*min(1, sum/all)*v*v*math.Sqrt(v)
	s.text += ", at its power limit"
}

// single draws content of one limit. Seeds take the limits in turn.
func (s *spec) single(k *maker) {
	list, r := plants(s.machine.family), k.r
	l := list[s.seed%uint64(len(list))]
	s.plant = l
	if l == vsync || l == frameCap || l == request {
		for try := range 40 {
			r := simulate.NewRandom(s.seed, fmt.Sprint(s.machine.family, " paced ", try))
			k := newMaker(s.machine, r)
			s.healthy(k, l)
			if ok, _ := s.isHealthy(); ok {
				break
			}
		}
		return
	}
	s.contents = []content{k.planted(l)}
	s.plain(k)
	c := &s.contents[0]
	k.processor(c, l)
	switch l {
	case cpuSync:
		k.waiting(c, r.Between(0.5, 1.2))
	case inTurn:
		k.inTurn(c, r.Between(0.6, 1.1))
	case thermal, power:
		s.throttle(k, l, r.Between(0.45, 0.68))
	case governor: // the GPU waits for the processor, which waits for the GPU, as it must
		s.pacing.ahead = 1
		c.app, c.driver, c.batches, c.threaded = c.app*1.3, c.driver*1.3, 1, false
		for i := range c.passes {
			c.passes[i].batch = 0
		}
		s.clocking.up, s.clocking.down, s.clocking.rise, s.clocking.boost = 0.97, 0.8, s.machine.step, false
		s.start = s.machine.lowest + 0.25*(s.machine.highest-s.machine.lowest)
	}
	if render, _ := k.gpu(c); r.Chance(0.2) && l <= launch && render > 2.2e9/165 {
		s.pacing.refresh, s.pacing.variable = 1e9/165, true
	}
	s.text = c.text + ": " + candidates[l].String()
	s.lay(k)
}

// healthy draws content with room beside dates that a display or a program sets.
func (s *spec) healthy(k *maker, by leaf) {
	r := k.r
	c := k.archetype()
	s.contents = []content{c}
	s.plain(k)
	hz := simulate.Pick(r, s.machine.refresh...)
	interval := 1e9 / hz
	s.others, s.pacing = background{}, pacing{refresh: interval, images: simulate.Pick(r, 2, 3, 3), ahead: 2}
	switch by {
	case frameCap:
		interval = 1e9 / simulate.Pick(r, 30, 40, 60.0)
		s.pacing = pacing{images: 3, ahead: 2, cap: interval, by: by}
		if r.Chance(0.4) {
			s.pacing.refresh, s.pacing.variable = 1e9/144, true
		}
	case request:
		interval = 1e9 / simulate.Pick(r, 24, 25, 30, 60.0)
		s.pacing = pacing{images: 3, ahead: 2, cap: interval, by: by}
	}
	p := &s.contents[0]
	want := interval * r.Between(0.2, 0.5)
	for range 6 {
		render, other := k.gpu(p)
		by := want / max(render, other)
		for i := range p.passes {
			p.passes[i].scale(by)
			if l := p.passes[i].launches; l > 4 {
				p.passes[i].launches = max(4, l*min(1.5, by))
			}
		}
	}
	k.processor(p, leaves)
	all := interval * r.Between(0.12, 0.45)
	p.driver = all * r.Between(0.15, 0.5)
	p.app = all - p.driver
	s.start = s.machine.highest * 0.7
	s.noise = [3]float64{r.Between(0.01, 0.06), r.Between(0.03, 0.1), 0}
	s.text = p.text + " with room"
	s.lay(k)
}

// lay draws the frames.
func (s *spec) lay(k *maker) {
	s.each = 0
	for i := range s.contents {
		c := &s.contents[i]
		render, other := k.gpu(c)
		if s.clocking.ceiling > 0 {
			render *= 0.5 + 0.5*s.machine.highest/s.clocking.ceiling
		}
		cpu := c.app + c.driver
		if c.threaded {
			cpu = max(c.app, c.driver)
		}
		one := max(render, other, cpu)
		if c.sync || s.pacing.ahead == 1 {
			one = render + c.app + c.driver
		}
		for _, p := range c.passes {
			if len(p.needless) > 0 {
				one = max(one, render+other)
			}
		}
		if s.pacing.refresh > 0 {
			one = math.Ceil(one/s.pacing.refresh) * s.pacing.refresh
		}
		s.each = max(s.each, one, s.pacing.cap)
	}
	r := simulate.NewRandom(s.seed, s.machine.family+" length")
	frames := int(math.Round(r.Log(0.45e9, 2.4e9) / s.each))
	frames = max(26, min(frames, 170))
	s.warm = max(6, min(40, int(200e6/s.each)))
	if len(s.contents) > 1 {
		frames = max(frames, 40)
		s.turn = s.warm + frames/2
	}
	s.frames = make([]frame, s.warm+frames)
	s.drawFrames(simulate.NewRandom(s.seed, s.machine.family+" frames"), 1)
}

// drawFrames draws how frames differ.
func (s *spec) drawFrames(r simulate.Random, noise float64) {
	cut, level := -1, 1.0
	if s.kind == simulate.KindArchetype && r.Chance(0.25) {
		cut = s.warm + r.IntN(len(s.frames)-s.warm)
	}
	walk := 0.0
	for k := range s.frames {
		if k == cut {
			level = r.Between(0.75, 1.25)
		}
		walk = 0.8*walk + 0.6*r.NormFloat64()
		f := frame{variant: r.IntN(variants), gpu: level * math.Max(0.5, 1+noise*s.noise[0]*walk), app: r.Spread(noise * s.noise[1]),
			driver: r.Spread(noise * s.noise[1])}
		if r.Chance(s.noise[2]) { // something is loaded
			f.app *= 1 + 2*r.Float64()
		}
		if s.turn > 0 && k >= s.turn {
			f.content = 1
		}
		s.frames[k] = f
	}
}

// again is the case run once more, as differently as two runs are.
func (s *spec) again(n int, noise float64) *spec {
	if noise == 0 {
		noise = 1
	}
	out := *s
	out.frames = make([]frame, len(s.frames))
	out.drawFrames(simulate.NewRandom(s.seed, fmt.Sprint(s.machine.family, " frames again ", n)), max(0, noise))
	return &out
}

// drawPeriod draws the time between reports, so that there are neither few nor very many.
func (s *spec) drawPeriod(r simulate.Random, all float64) float64 {
	var fit []float64
	for e := 12; e < 21; e++ {
		p := math.Ldexp(1, e+1) / s.machine.oaClock * 1e9
		if n := all / p; p > 1e6 && p < 17e6 && n > 44 && n < 395 {
			fit = append(fit, p)
		}
	}
	if len(fit) == 0 {
		return s.exponent(all / 200)
	}
	return fit[r.IntN(len(fit))]
}

// drawSet draws the metric set that a capture has.
func (s *spec) drawSet(r simulate.Random, all []set) string {
	computes := true
	for _, c := range s.contents {
		for _, p := range c.passes {
			computes = computes && (p.compute || p.other)
		}
	}
	weights := make([]float64, len(all))
	for i, x := range all {
		switch weights[i] = 0.12; {
		case x.name == "RenderBasic":
			weights[i] = 1
			if computes {
				weights[i] = 0.4
			}
		case x.name == "ComputeBasic":
			if weights[i] = 0.3; computes {
				weights[i] = 1
			}
		case x.name == "RenderPipeProfile" && !computes:
			weights[i] = 0.25
		}
	}
	return all[r.Weighted(weights)].name
}
