package amd

import (
	"math"
	"math/rand/v2"
	"slices"

	"astrolabe/capture/simulate"
)

// stage sets up live captures.
type stage struct {
	*author
	l *live
}

func newLive(r *rand.Rand, kind string, seed uint64) *live {
	l := &live{m: &machines[r.IntN(len(machines))], seed: r.Uint64(), costs: map[costKey]*cost{}}
	s := &stage{newAuthor(r, l.m), l}
	switch kind {
	case simulate.KindSingle:
		c := cause(seed % uint64(vsync))
		l.plant, l.text = candidates[c].String(), "only "+candidates[c].Name
		l.programs = []program{s.planted(c)}
	case simulate.KindSerial:
		l.programs = []program{s.planted([]cause{cpuSync, inTurn}[seed%2])}
		l.text = "work in turn"
	case simulate.KindHealthy:
		s.healthy()
	case simulate.KindTwoPhase:
		first := s.anything()
		second := s.anything()
		for s.slowest(&second) == s.slowest(&first) {
			second = s.anything()
		}
		for _, p := range []*program{&first, &second} { // heat and settings do not change so fast
			p.level, p.hold = 1, none
		}
		l.text = first.scene.name + ", then " + second.scene.name
		l.programs = []program{first, second}
	case simulate.KindRandom:
		l.text = "passes of any kind"
		l.programs = []program{s.random()}
	default:
		l.programs = []program{s.archetype()}
		l.text = l.programs[0].scene.name
	}
	l.last()
	return l
}

// last gives every program the frames of a recording of some seconds.
func (l *live) last() {
	r := rand.New(rand.NewPCG(l.seed, 5))
	for k := range l.programs {
		p := &l.programs[k]
		g := l.cost(k, none).ns
		each := math.Max(math.Max(g, p.pace()), math.Max(p.app, p.driver))
		if p.sync {
			each = g + p.app + p.driver
		}
		p.frames = int(clamp((1.6e9+1.6e9*r.Float64())/each/float64(len(l.programs)), 24, 360))
	}
}

// slowest is what takes longest of a program.
func (s *stage) slowest(p *program) cause {
	c := s.l.sim.costOf(s.l.m, &p.scene, 1, none)
	switch {
	case p.sync:
		return cpuSync
	case p.app > c.ns && p.app > p.driver:
		return cpuApp
	case p.driver > c.ns:
		return cpuDriver
	}
	return most(&c.path)
}

// most is the cause of most time.
func most(path *[allCauses]float64) (out cause) {
	for c := range path {
		if path[c] > path[out] {
			out = cause(c)
		}
	}
	return out
}

// scene makes a scene whose draws together take about as long as the target, at the highest clock.
func (s *stage) scene(name string, graphics, compute []draw, target float64) (scene, float64) {
	for _, draws := range [][]draw{graphics, compute} {
		for i := 1; i < len(draws); i++ {
			if d := &draws[i]; d.name == draws[i-1].name && d.setup < 4000 {
				d.setup, d.drain = d.setup*0.3, d.drain*0.3 // begins while the one before ends
			}
		}
	}
	sc := scene{name, graphics, compute}
	all := s.l.sim.costOf(s.l.m, &sc, 1, none)
	fit := func(draws []draw, stretches []stretch, target float64) []draw {
		sum := 0.0
		for _, st := range stretches {
			sum += st.ns
		}
		if times := math.Floor(target / sum); times > 1 {
			for i := range draws {
				draws[i].times = times
			}
			return draws
		}
		var kept []draw
		left := target
		for i, st := range stretches { // the first ones that have room
			if st.ns <= left {
				kept, left = append(kept, draws[i]), left-st.ns
			}
		}
		return kept
	}
	n := len(graphics)
	share := 1.0
	if len(compute) > 0 {
		share = 0.5
	}
	sc.graphics = fit(graphics, all.stretches[:n], share*target)
	sc.compute = fit(compute, all.stretches[n:], (1-share)*target)
	return sc, s.l.sim.costOf(s.l.m, &sc, 1, none).ns
}

// content makes a scene as applications have them.
func (s *stage) content(target float64) (scene, float64) {
	for {
		k := s.IntN(len(contents))
		sc, ns := s.scene(contents[k].name, contents[k].make(s.author), nil, target)
		if ns > 0.3*target {
			return sc, ns
		}
	}
}

// basic is a program that nothing but the scene holds back.
func (s *stage) basic(sc scene, ns float64) program {
	return program{scene: sc, app: ns * s.between(0.15, 0.6), driver: ns * s.between(0.1, 0.5), level: 1, hold: none,
		uneven: s.between(0.02, 0.07), buffers: 3}
}

func (s *stage) target() float64 { return s.wide(3e6, 25e6) }

// planted makes a program that one cause limits.
func (s *stage) planted(c cause) program {
	if c < gpuCauses {
		sc, ns := s.only(c, s.target())
		return s.basic(sc, ns)
	}
	switch c {
	case cpuSync:
		sc, ns := s.content(s.target())
		p := s.basic(sc, ns)
		p.sync, p.app, p.driver = true, ns*s.between(0.5, 0.9), ns*s.between(0.1, 0.25)
		return p
	case inTurn:
		g := []cause{primitiveAssembly, vertexFetch, rasterizer, depthTest, pixelBackend}[s.IntN(5)]
		k := []cause{arithmetic, localMemory, loadStore, bandwidth, latency}[s.IntN(5)]
		draws := func(c cause) []draw {
			return repeat(s.count(4, 9), func() draw {
				for {
					if d := s.single(c); c != arithmetic || d.compute {
						return d
					}
				}
			})
		}
		sc, ns := s.scene("two queues", draws(g), draws(k), s.target())
		p := s.basic(sc, ns)
		p.inTurn = true
		p.app, p.driver = 0.6*p.app, 0.6*p.driver
		return p
	}
	sc, ns := s.content(s.target())
	p := s.basic(sc, ns)
	switch c {
	case cpuApp:
		p.app = ns * s.between(1.7, 3.2)
		p.driver = p.app * s.between(0.1, 0.5)
	case cpuDriver:
		p.driver = ns * s.between(1.7, 3)
		p.app = p.driver * s.between(0.1, 0.5)
	case thermal, power, governor:
		p.hold, p.level = c, s.between(0.48, 0.64)
		for !s.scales(&p.scene) {
			p.scene, ns = s.content(s.target())
		}
		p.app, p.driver = ns*s.between(0.15, 0.6), ns*s.between(0.1, 0.5)
	}
	return p
}

// scales reports whether a scene gains more from a higher clock than from any unit alone.
func (s *stage) scales(sc *scene) bool {
	c := s.l.sim.costOf(s.l.m, sc, 0.55, none)
	return c.path[bandwidth]+c.path[latency] < 0.25*c.ns && slices.Max(c.path[:]) < 0.75*c.ns
}

// only makes a scene that one of the GPU's causes limits.
func (s *stage) only(c cause, target float64) (scene, float64) {
	for {
		draws := repeat(s.count(4, 10), func() draw { return s.single(c) })
		if sc, ns := s.scene(candidates[c].Name, draws, nil, target); ns > 0.2*target {
			return sc, ns
		}
	}
}

// held may hold the clock down a little.
func (s *stage) held(p *program, chance float64) {
	if s.chance(chance) {
		p.hold = []cause{thermal, power, power, governor}[s.IntN(4)]
		p.level = s.between(0.55, 0.92)
	}
}

func (s *stage) archetype() program {
	sc, ns := s.content(s.target())
	p := s.basic(sc, ns)
	switch x := s.Float64(); {
	case x < 0.5: // as fast as the GPU can, or slower than the display
		switch s.IntN(3) {
		case 0:
			p.refresh = s.refreshBelow(ns)
		case 1:
			p.cap = ns * s.between(0.5, 0.9)
		}
		s.held(&p, 0.35)
	case x < 0.75: // the processor is about as slow, or slower
		p.app = ns * s.between(0.8, 2.4)
		p.driver = ns * s.between(0.3, 2)
	case x < 0.85:
		p.sync = true
		p.app = ns * s.between(0.1, 1)
	default:
		p.refresh = s.refreshAbove(ns / s.between(0.5, 0.8))
		p.buffers = 2 + s.IntN(2)
	}
	return p
}

// refreshBelow is the interval of a display that could show more frames than there are; 0 where none could.
func (s *stage) refreshBelow(ns float64) float64 {
	rates := []float64{60, 90, 120, 144, 165}
	for _, k := range s.Perm(len(rates)) {
		if 1e9/rates[k] < 0.97*ns {
			return 1e9 / rates[k]
		}
	}
	return 0
}

// refreshAbove is the shortest interval of usual displays that is not below ns.
func (s *stage) refreshAbove(ns float64) float64 {
	for _, hz := range []float64{165, 144, 120, 90, 72, 60, 48, 30} {
		if 1e9/hz >= ns {
			return 1e9 / hz
		}
	}
	return 1e9 / 24
}

// anything is a program of a phase.
func (s *stage) anything() program {
	switch s.IntN(3) {
	case 0:
		return s.archetype()
	case 1:
		return s.planted([]cause{cpuApp, cpuDriver}[s.IntN(2)])
	}
	return s.planted(cause(s.IntN(int(gpuCauses))))
}

func (s *stage) random() program {
	var compute []draw
	turn := s.chance(0.25)
	if turn {
		compute = repeat(s.count(3, 8), func() draw {
			return s.single([]cause{arithmetic, loadStore, localMemory, bandwidth, cacheRate}[s.IntN(5)])
		})
	}
	var sc scene
	var ns float64
	for target := s.target(); ns < 0.1*target; {
		sc, ns = s.scene("mixture", s.mixture(), compute, target)
	}
	p := s.basic(sc, ns)
	p.inTurn = turn && s.chance(0.6)
	p.app, p.driver = ns*s.wide(0.15, 1.8), ns*s.wide(0.1, 1.5)
	p.sync = s.chance(0.12)
	switch s.IntN(4) {
	case 0:
		p.refresh = 1e9 / []float64{60, 90, 144}[s.IntN(3)]
		p.buffers = 2 + s.IntN(2)
	case 1:
		p.cap = ns * s.wide(0.6, 2)
	}
	if !p.sync && p.refresh == 0 && p.cap == 0 && p.app+p.driver < ns {
		s.held(&p, 0.4)
	}
	return p
}

// paces are the dates of healthy content, in Hz.
var paces = []struct {
	text                  string
	refresh, cap, request float64
}{
	{"60 Hz", 60, 0, 0}, {"72 Hz", 72, 0, 0}, {"90 Hz", 90, 0, 0}, {"120 Hz", 120, 0, 0}, {"144 Hz", 144, 0, 0},
	{"48 Hz", 48, 0, 0}, {"24 in 3:2", 60, 0, 24}, {"30 capped on 60 Hz", 60, 30, 0}, {"40 capped on 120 Hz", 120, 40, 0},
	{"capped, adaptive refresh", 0, 55, 0}, {"capped at 60, no sync", 0, 60, 0}, {"30 requested", 60, 0, 30},
	{"idle compositor", 60, 0, 12}, {"25 requested on 50 Hz", 50, 0, 25},
}

// healthy draws until every date is kept.
func (s *stage) healthy() {
	hz := func(f float64) float64 {
		if f == 0 {
			return 0
		}
		return 1e9 / f
	}
	for {
		at := paces[s.IntN(len(paces))]
		p := program{refresh: hz(at.refresh), cap: hz(at.cap), request: hz(at.request), hold: none, level: 1,
			uneven: s.between(0.01, 0.03), buffers: 2 + s.IntN(2), light: true}
		pace := p.pace()
		load := s.between(0.2, 0.75) // of the time, at the clock that the firmware chose
		if p.request > 0 && p.refresh > 0 {
			load = s.between(0.2, 0.5) // a date is a refresh in which the frame has to be ready
		}
		if load < 0.65 && s.chance(0.7) {
			p.hold, p.level = governor, s.between(0.4, 0.9)
		}
		var ns float64
		p.scene, ns = s.content(math.Min(load*p.level*pace, 30e6))
		p.app, p.driver = pace*s.between(0.05, 0.35), pace*s.between(0.05, 0.25)
		s.l.text = at.text + ", " + p.scene.name
		s.l.programs = []program{p}
		clear(s.l.costs)
		s.l.last()
		frames, nodes := s.l.run(none)
		if ns > 0.1*p.level*pace && s.l.keeps(frames, nodes) {
			return
		}
	}
}

// keeps reports whether every date is kept and the display's side sets the pace.
func (l *live) keeps(frames []frame, nodes []node) bool {
	for i := warmUp; i < len(frames); i++ {
		if missed(&l.programs[frames[i].program], frames[i].shown-frames[i-1].shown) {
			return false
		}
	}
	path := l.pathOf(frames, nodes, warmUp, len(frames))
	var display, all float64
	for c, t := range path {
		if all += t; cause(c) >= vsync {
			display += t
		}
	}
	return display > 0.6*all
}
