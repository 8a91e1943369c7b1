package mali

import (
	"fmt"
	"slices"

	"astrolabe/capture/simulate"
)

// Names are the families of this model.
var Names = []string{"mali-g720-fifth", "mali-g710-fifth"}

// Kinds are the kinds of cases of a family; nil where it is none of Names.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return simulate.Kinds()
}

// program is what a case is of.
type program struct {
	m     *machine
	w     *load
	text  string
	plant string
}

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no family %q in this model; there are %v", name, Names)
	}
	if !slices.Contains(simulate.Kinds(), kind) {
		return nil, fmt.Errorf("%s has no cases of kind %q; there are %v", name, kind, simulate.Kinds())
	}
	p, err := draw(name, kind, seed)
	if err != nil {
		return nil, fmt.Errorf("%s %s %d: %w", name, kind, seed, err)
	}
	rec := drawRecorder(simulate.NewRandom(seed, name+" "+kind+" recorder"), p)
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: p.text, Plant: p.plant, Record: rec.record,
		Judge: func() (*simulate.Truth, error) { return judge(p.m, p.w) }}, nil
}

func draw(name, kind string, seed uint64) (*program, error) {
	five := name == Names[0]
	r := simulate.NewRandom(seed, name+" "+kind)
	m := drawMachine(simulate.NewRandom(seed, name+" "+kind+" machine"), five)
	a := newAuthor(r, m)
	p := &program{m: m}
	var s scene
	var err error
	switch kind {
	case simulate.KindArchetype:
		s = a.archetype()
	case simulate.KindSingle:
		list := plantsOf(five)
		plant := list[seed%uint64(len(list))]
		s, err = a.planted(plant)
		if p.plant = plant.String(); plant == simulate.DisplayVsync {
			p.plant = s.shown.String()
		}
	case simulate.KindSerial:
		plant := simulate.QueuesInTurn
		if seed%2 == 1 {
			plant = simulate.CPUSync
		}
		s, err = a.planted(plant)
	case simulate.KindHealthy:
		s, err = a.healthy()
	case simulate.KindTwoPhase:
		s, err = a.twoPhases()
	default:
		s = scene{parts: []part{{content: a.any()}}}
		if a.r.Chance(0.2) {
			overdone(&s.parts[0].content)
		}
		a.paceFreely(&s)
	}
	if err != nil {
		return nil, err
	}
	if p.w, err = a.assemble(&s); err != nil {
		return nil, err
	}
	if s.shown.Level != "" {
		if err := a.keepDates(p, &s); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, x := range s.parts {
		names = append(names, x.content.name)
	}
	p.text = fmt.Sprintf("%v on %s with %d cores, %s", names, m.product.name, m.cores, s.pacing.Name())
	if m.clock.period == 0 {
		p.text += ", highest clock"
	}
	return p, nil
}

// part is a phase of a program: what it draws, and how long that takes the GPU at its highest clock, and the processor.
type part struct {
	content          content
	gpu, app, driver float64 // ns; gpu 0 leaves the work as it is
	even             float64 // if not 0, the work of the first queue in relation to that of the others
}

// scene is a program before its frames are drawn.
type scene struct {
	parts   []part
	pacing  simulate.Pacing
	threads int
	wait    *wait
	shown   simulate.Candidate // of what is healthy: what the display's side waits for
	calm    bool               // no other program
	rough   bool               // the processor's work differs much from frame to frame
}

// paceFreely draws what sets the pace, and how much work there is in relation to that.
func (a *author) paceFreely(s *scene) {
	r := a.r
	p := &s.pacing
	p.Ahead, p.Buffers = simulate.Pick(r, 1, 2, 2, 2, 3, 3, 3, 3), r.Whole(2, 3)
	s.threads = r.Whole(1, 2)
	rate := float64(simulate.Pick(r, 60, 60, 90, 120, 144))
	interval := r.Log(3.5e6, 3.2e7)
	switch r.IntN(10) {
	case 0, 1, 2, 3: // as fast as it goes, off screen or with pictures thrown away
		p.Ahead = r.Whole(2, 3)
	case 4, 5, 6:
		p.Refresh = int64(1e9 / rate)
		p.Align = r.Chance(0.4)
		interval = float64(p.Refresh)
	case 7:
		rate := simulate.Pick(r, 30.0, 40, 60)
		p.Cap, interval = int64(1e9/rate), 1e9/rate
	default:
		p.Refresh, p.Adaptive = int64(1e9/rate), true
		interval = float64(p.Refresh)
	}
	gpu, app, driver := r.Log(0.3, 1.9), r.Log(0.1, 1.3), r.Log(0.04, 0.6)
	if p.Refresh == 0 && p.Cap == 0 {
		gpu, app, driver = 1, r.Log(0.08, 1.4), r.Log(0.04, 0.7)
	}
	for i := range s.parts {
		x := &s.parts[i]
		f := r.Between(0.8, 1.25)
		x.gpu, x.app, x.driver = gpu*interval*f, app*interval*r.Between(0.8, 1.25), driver*interval*f
	}
	if r.Chance(0.08) {
		s.wait = &wait{at: r.Between(0.1, 0.9), back: r.IntN(2), job: -1}
	}
}

func (a *author) archetype() scene {
	list := []func() content{a.game, a.game, a.deferredShading, a.alpha, a.ui, a.camera, a.inference, a.simulation, a.loading, a.ui}
	i := a.r.IntN(len(list))
	s := scene{parts: []part{{content: list[i]()}}}
	a.paceFreely(&s)
	x := &s.parts[0]
	switch i {
	case 8: // loading: the processor reads and unpacks
		x.app, x.driver = x.app*a.r.Between(1.5, 4), x.driver*a.r.Between(1.5, 3)
		s.rough = true
	case 9: // a menu at the display's pace
		x.content.name = "menu"
		x.gpu, x.app = x.gpu*0.4, x.app*0.5
	case 4:
		if s.pacing.Refresh > 0 && !s.pacing.Adaptive && a.r.Chance(0.5) {
			s.pacing.Requests = true
			x.gpu, x.app, x.driver = x.gpu*0.4, x.app*0.4, x.driver*0.4
		}
	case 6:
		if a.r.Chance(0.5) {
			s.wait = &wait{at: a.r.Between(0.3, 1), back: 0, job: -1}
		}
	}
	if a.r.Chance(0.2) {
		overdone(&x.content)
	}
	if c := &a.m.clock; c.period > 0 && a.r.Chance(0.3) {
		a.heated(a.r.Between(0.5, 0.95), a.r.Chance(0.7))
	} else if c.period > 0 && a.r.Chance(0.08) { // a battery saver
		c.ceiling = max(c.floor, a.r.IntN(len(a.m.steps)))
	}
	return s
}

// heated lets heat, or the power, hold the clock at about a share of its highest.
func (a *author) heated(share float64, hot bool) {
	c, r := &a.m.clock, a.r
	c.period = simulate.Pick(r, 10e6, 16e6, 20e6, 50e6)
	top := a.m.top()
	step := len(a.m.steps) - 1
	for step > 1 && a.m.steps[step]/top > share {
		step--
	}
	share = a.m.steps[step] / top
	c.floor, c.start = min(c.floor, step/2), len(a.m.steps)-1
	power := share * share * (0.4 + 0.6*share)
	if !hot {
		c.power = &powerLimit{power * r.Between(0.97, 1.05), r.Log(5e7, 4e8), step}
		return
	}
	ambient, trip := r.Between(28, 45), r.Between(68, 90)
	c.hot = &heat{start: trip, ambient: ambient, trip: trip, rise: (trip - ambient) / power * r.Between(0.97, 1.03),
		time: r.Log(1e9, 2e10), hold: r.Between(0.3, 2), allowed: step}
}

// planted is a program that one thing limits.
func (a *author) planted(plant simulate.Candidate) (s scene, err error) {
	r, c := a.r, &a.m.clock
	c.start = len(a.m.steps) - 1
	s.threads, s.calm = r.Whole(1, 2), r.Chance(0.8)
	p := &s.pacing
	p.Ahead, p.Buffers = r.Whole(2, 3), 3
	if r.Chance(0.3) {
		p.Refresh, p.Adaptive = int64(1e9/simulate.Pick(r, 90.0, 120, 144)), true
	}
	least := max(5e6, 1.25*float64(p.Refresh))
	x := part{gpu: r.Log(least, 3e7)}
	x.app, x.driver = x.gpu*r.Between(0.1, 0.45), x.gpu*r.Between(0.03, 0.25)
	switch plant {
	case simulate.LaunchOverhead:
		*p = simulate.Pacing{Ahead: r.Whole(2, 3), Buffers: 3}
		x.content, x.gpu = a.small(), 0
		took := float64(len(x.content.jobs)) * a.launch
		x.app, x.driver = took*r.Between(0.1, 0.45), took*r.Between(0.05, 0.3)
	case simulate.CPUApp, simulate.CPUDriver:
		x.content = []func() content{a.game, a.alpha, a.ui, a.simulation}[r.IntN(4)]()
		x.app = x.gpu
		x.gpu = x.app * r.Between(0.2, 0.6)
		x.driver = x.app * r.Between(0.08, 0.45)
		if s.threads == 1 {
			x.driver = min(x.driver, x.app*0.3)
		}
		if plant == simulate.CPUDriver {
			x.app, x.driver = x.driver, x.app
		}
	case simulate.CPUSync:
		x.content = []func() content{a.game, a.alpha, a.inference, a.simulation, a.camera}[r.IntN(5)]()
		x.app = x.gpu * r.Between(0.6, 1.5)
		x.driver = x.app * r.Between(0.04, 0.15)
		if r.Chance(0.5) {
			s.wait = &wait{at: r.Between(0.05, 0.95), back: 0, job: -1}
		} else {
			p.Ahead = 1
		}
		*p = simulate.Pacing{Ahead: p.Ahead, Buffers: 3}
	case simulate.QueuesInTurn:
		*p = simulate.Pacing{Ahead: 3, Buffers: 3}
		x.even = r.Between(0.75, 1.1)
		segs := len(a.b.segs)
		x.app, x.driver = x.gpu*r.Between(0.1, 0.35), x.gpu*r.Between(0.03, 0.15)
		for range 12 { // until the overlap would be worth something
			a.b.segs = a.b.segs[:segs]
			x.content = a.inTurn()
			ok, err := a.worthwhile(x)
			if err != nil || ok {
				return scene{parts: []part{x}, pacing: *p, threads: s.threads, calm: s.calm}, err
			}
		}
	case simulate.ClockThermal, simulate.ClockPower:
		*p = simulate.Pacing{Ahead: r.Whole(2, 3), Buffers: 3}
		x.content = a.balanced()
		c.jump, c.ceiling = r.Chance(0.5), -1
		a.heated(r.Between(0.42, 0.62), plant == simulate.ClockThermal)
		x.gpu = r.Log(4e6, 1.4e7)
		x.app, x.driver = x.gpu*r.Between(0.1, 0.6), x.gpu*r.Between(0.03, 0.25)
	case simulate.DisplayVsync:
		return a.healthy()
	default:
		x.content = a.single(stationOf(plant))
	}
	s.parts = []part{x}
	return s, nil
}

// healthy is a program that keeps its dates.
func (a *author) healthy() (s scene, err error) {
	r := a.r
	list := []func() content{a.game, a.deferredShading, a.alpha, a.ui, a.ui, a.camera, a.simulation}
	s.parts = []part{{content: list[r.IntN(len(list))]()}}
	p := &s.pacing
	s.threads, p.Buffers, p.Ahead = r.Whole(1, 2), r.Whole(2, 3), r.Whole(2, 3)
	s.shown = simulate.DisplayVsync
	refresh := func(hz float64) { p.Refresh = int64(1e9 / hz) }
	switch r.IntN(10) {
	case 0:
		refresh(60)
		p.Cadence = simulate.CadenceOf(60, 24)
	case 1:
		refresh(60)
		p.Cadence = []int{2}
	case 2:
		p.Cap, s.shown = int64(1e9/simulate.Pick(r, 30.0, 48, 60)), simulate.DisplayCap
	case 3:
		refresh(144)
		p.Cadence = []int{simulate.Pick(r, 2, 3)}
	case 4:
		refresh(simulate.Pick(r, 90.0, 120, 144))
		p.Adaptive = true
	case 5, 6:
		refresh(simulate.Pick(r, 60.0, 60, 90, 120))
		p.Requests, s.shown = true, simulate.DisplayRequest
		s.parts[0].content = a.ui()
	default:
		refresh(simulate.Pick(r, 60.0, 60, 72, 90, 120, 144))
	}
	p.Align = p.Refresh > 0 && !p.Adaptive && r.Chance(0.4)
	iv := float64(p.Interval())
	x := &s.parts[0]
	x.gpu, x.app, x.driver = iv*r.Between(0.2, 0.55), iv*r.Between(0.08, 0.5), iv*r.Between(0.03, 0.2)
	return s, nil
}

// keepDates changes the load of a program until it keeps its dates and the GPU is neither idle nor busy.
func (a *author) keepDates(p *program, s *scene) error {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	for try := range 40 {
		if err := e.run(p.m, p.w, asItIs, true, nil); err != nil {
			return err
		}
		x := e.part(p.w.spans()[0])
		shown := int64(0)
		for _, v := range x.Shares {
			if v.Candidate.Level == simulate.LevelDisplay {
				shown += v.Ns
			}
		}
		y := &s.parts[0]
		switch {
		case x.Missed > 0 || 3*shown < 2*(x.End-x.Start) || x.GPUBusy > 0.7:
			y.gpu, y.app, y.driver = y.gpu*0.85, y.app*0.8, y.driver*0.8
			if try > 6 && x.Missed > 0 { // a clock that is too slow to follow
				p.m.clock.floor = min(p.m.clock.floor+1, len(p.m.steps)-1)
				p.m.clock.start = max(p.m.clock.start, p.m.clock.floor)
			}
			if try > 12 {
				s.calm = true
			}
		case x.GPUBusy < 0.23:
			y.gpu *= 1.25
		default:
			return nil
		}
		var err error
		if p.w, err = a.assemble(s); err != nil {
			return err
		}
	}
	return fmt.Errorf("no load was found that keeps its dates")
}

func (a *author) twoPhases() (s scene, err error) {
	list := plantsOf(a.m.five)
	var before simulate.Candidate
	for range 2 {
		plant := before
		for plant == before || plant.Level == simulate.LevelClock || plant == simulate.CPUSync || plant == simulate.QueuesInTurn ||
			plant.Level == simulate.LevelDisplay {
			plant = list[a.r.IntN(len(list))]
		}
		before = plant
		one, err := a.planted(plant)
		if err != nil {
			return s, err
		}
		if a.r.Chance(0.2) {
			one.parts[0].content = a.game()
		}
		one.parts = append(s.parts, one.parts...)
		s = one
	}
	s.pacing.Refresh, s.pacing.Adaptive = 0, false
	return s, nil
}
