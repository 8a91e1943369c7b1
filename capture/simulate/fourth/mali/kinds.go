package mali

import (
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

// drawer draws a program.
type drawer struct {
	m    *machine
	r    simulate.Random
	seed uint64
}

const ms = 1e6

// rates are the displays', in Hz.
func (d *drawer) refresh() float64 {
	return 1e9 / simulate.Pick[float64](d.r, 60, 60, 60, 72, 90, 90, 120, 120, 144)
}

// pace draws how frames are paced.
func (d *drawer) pace() pacing {
	r := d.r
	p := pacing{kind: paceVsync, refresh: d.refresh(), swap: 1, depth: simulate.Pick(r, 2, 3, 3, 3), aligned: r.Chance(0.4)}
	switch r.Weighted([]float64{40, 16, 24, 13, 7}) {
	case 0:
		if p.refresh < 12*ms && r.Chance(0.2) || r.Chance(0.1) {
			p.swap = 2
		}
	case 1:
		p.kind, p.aligned, p.depth = paceVRR, false, 3
	case 2:
		p.kind, p.refresh, p.aligned, p.depth = paceFree, 0, false, r.Whole(2, 3)
	case 3:
		p.kind, p.aligned = paceCap, false
		p.every = 1e9 / simulate.Pick[float64](r, 24, 30, 30, 40, 45, 60)
		p.depth = 3
		p.every = max(p.every, p.refresh*1.02)
		p.slack = 0.1 * p.every
	case 4:
		d.request(&p)
	}
	return p
}

func (d *drawer) request(p *pacing) {
	p.kind, p.aligned, p.depth = paceRequest, false, 3
	p.every = d.r.Log(max(p.refresh*1.1, 14*ms), 80*ms)
	p.slack = 0.3 * p.every
}

// tight is a pace that shows what limits: no display, or one whose refresh is well below the time of a frame.
func (d *drawer) tight(frame float64) pacing {
	r := d.r
	var fit []float64
	for _, hz := range []float64{60, 72, 90, 120, 144} {
		if 1e9/hz < 0.62*frame {
			fit = append(fit, 1e9/hz)
		}
	}
	switch {
	case len(fit) == 0 || r.Chance(0.45):
		return pacing{kind: paceFree, depth: r.Whole(2, 3), swap: 1}
	case r.Chance(0.4):
		return pacing{kind: paceVRR, depth: 3, refresh: fit[r.IntN(len(fit))], swap: 1}
	}
	return pacing{kind: paceVsync, depth: 3, refresh: fit[len(fit)-1], swap: 1}
}

// show draws the frames of a program that takes about that long for one, and a display that shows what limits it.
func (d *drawer) show(p *program, frame float64, least int) {
	p.pace = pacing{kind: paceFree, depth: 3, swap: 1}
	p.fill(max(least, d.count(frame)), true, d.r)
	rel := unrelieved()
	if s, err := p.simulate(&rel, false); err == nil {
		took := s.frames[len(s.frames)-1].shown - s.frames[p.warm-1].shown
		frame = took / float64(len(s.frames)-p.warm)
	}
	p.pace = d.tight(frame)
	if p.pace.kind == paceVsync && p.steady() {
		p.pace = pacing{kind: paceFree, depth: 3, swap: 1}
	}
}

// steady reports whether a display shows nearly all frames as many refreshes after the one before: nothing tells then
// what limits.
func (p *program) steady() bool {
	rel := unrelieved()
	s, err := p.simulate(&rel, false)
	if err != nil {
		return false
	}
	stays := map[int]int{}
	for i := p.warm; i < len(p.frames); i++ {
		n := int(math.Round((s.frames[i].shown - s.frames[i-1].shown) / p.pace.refresh))
		if stays[n]++; 10*stays[n] >= 9*(len(p.frames)-p.warm) {
			return true
		}
	}
	return false
}

// count is how many frames make a capture of half a second to two.
func (d *drawer) count(frame float64) int {
	return int(min(max(d.r.Between(0.5, 1.1)*1e9/frame, 14), 56))
}

// program is one of the contents.
func (d *drawer) program(c ...content) *program {
	return &program{m: d.m, contents: c, seed: d.seed, single: d.r.Chance(0.35), clock: drawClock(d.m, d.r, governHighest)}
}

// threads gives the processor's threads work, as shares of a frame's time.
func (c *content) threads(frame, app, drv float64) { c.app, c.drv = frame*app, frame*drv }

// usual is content of some kind with everything drawn.
func (d *drawer) usual(c *recipe) *program {
	r := d.r
	pace := d.pace()
	frame := max(pace.refresh*pace.swap, pace.every)
	if frame == 0 {
		frame = r.Log(5*ms, 30*ms)
	}
	gpu := r.Log(0.4, 2.5)
	if pace.refresh > 0 && r.Chance(0.3) { // the system puts windows together on the same GPU
		x := overlay(r, 0)
		x.name, x.layers, x.surface.tex = "composition", r.Between(1, 2.5), 1
		x.parts = 1
		c.draw(x)
	}
	if c.name == "interface" || c.name == "menu" || c.name == "loading" {
		gpu *= 0.6
	}
	x := c.sized(d.m, d.seed, frame*gpu)
	x.threads(frame, r.Log(0.1, 0.95), r.Log(0.04, 0.45))
	if c.name == "loading" {
		x.app *= r.Between(1.2, 3)
	}
	if r.Chance(0.05) { // it reads something back
		x.sync = len(x.jobs) - 1
		if r.Chance(0.5) {
			x.sync = r.IntN(len(x.jobs))
		}
	}
	p := d.program(x)
	p.pace = pace
	p.clock = drawClock(d.m, r, r.Weighted([]float64{4, 4, 2, 0.3}))
	if p.clock.governor == governThrifty {
		p.clock.hold(d.m, simulate.ClockGovernor, r)
	} else if r.Chance(0.1) {
		p.clock.hold(d.m, simulate.Pick(r, simulate.ClockThermal, simulate.ClockPower), r)
	}
	p.fill(d.count(frame*max(1, gpu)), false, r)
	return p
}

// limited is a program that a resource of the GPU limits.
func (d *drawer) limited(res int) content {
	frame := d.r.Log(5*ms, 30*ms)
	x := planted(d.m, res, d.seed, d.r).sized(d.m, d.seed, frame)
	x.threads(frame, d.r.Between(0.06, 0.32), d.r.Between(0.03, 0.16))
	return x
}

// single is content that only one thing limits.
func (d *drawer) single(plant simulate.Candidate) *program {
	r := d.r
	if res := slices.Index(leafOf[:], plant); res >= 0 {
		if res == resBus {
			res = resDRAM
		}
		c := d.limited(res)
		p := d.program(c)
		d.show(p, c.alone(), 0)
		return p
	}
	pick := simulate.Pick(r, contents...)
	frame := r.Log(6*ms, 30*ms)
	switch plant {
	case simulate.LaunchOverhead:
		return d.launches()
	case simulate.QueuesInTurn:
		return d.turns(frame)
	case simulate.CPUSync:
		return d.synced(frame)
	case simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest:
		return d.healthy(plant)
	}
	c := pick(d.m.csf, r).sized(d.m, d.seed, frame*r.Between(0.2, 0.55))
	var p *program
	switch plant {
	case simulate.CPUApp:
		c.threads(frame, 1, r.Between(0.05, 0.35))
		p = d.program(c)
	case simulate.CPUDriver:
		c.threads(frame, r.Between(0.1, 0.4), 1)
		p = d.program(c)
	default:
		c = d.several(frame)
		c.threads(frame, r.Between(0.06, 0.3), r.Between(0.03, 0.16))
		p = d.program(c)
		p.clock.hold(d.m, plant, r)
		frame /= d.m.steps[p.clock.start]
	}
	d.show(p, frame, 0)
	return p
}

// several is a frame of passes that different units of the clock limit, so that none of them is most of it.
func (d *drawer) several(frame float64) content {
	r := d.r
	out := &recipe{name: "passes with other limits each"}
	list := []int{resArith, resTexture, resVarying, resLoadStore, resRaster, resBackend}
	r.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	for _, res := range list[:r.Whole(4, 5)] {
		c := planted(d.m, res, d.seed, r)
		c.sized(d.m, d.seed, frame)
		first := len(out.passes)
		for _, p := range c.passes {
			if p.render != nil {
				for k := range p.render.after {
					p.render.after[k] += first
				}
			} else {
				for k := range p.dispatch.after {
					p.dispatch.after[k] += first
				}
				if first > 0 { // or it would run beside the others
					p.dispatch.after = append(p.dispatch.after, first-1)
				}
			}
			out.passes = append(out.passes, p)
		}
	}
	return out.sized(d.m, d.seed, frame)
}

// launches is many small jobs.
func (d *drawer) launches() *program {
	r := d.r
	c := &recipe{name: "many small passes"}
	for k := range r.Whole(24, 44) {
		after := []int{}
		if k > 0 {
			after = []int{k - 1}
		}
		if r.Chance(0.6) {
			x := work("small", r, after...)
			x.parts = 1
			c.compute(x)
		} else {
			x := fullscreen("small", r, after...)
			x.parts, x.power = 1, 8
			c.draw(x)
		}
	}
	x := c.content(d.m, d.seed)
	heavy := r.Log(1, 4) // caches are flushed between passes
	launch := heavy * d.m.launch * float64(len(x.jobs))
	x = c.sized(d.m, d.seed, launch*r.Between(0.25, 0.5))
	for i := range x.jobs {
		x.jobs[i].launch = heavy
	}
	frame := launch * 1.4
	x.threads(frame, r.Between(0.1, 0.35), r.Between(0.1, 0.35))
	p := d.program(x)
	d.show(p, frame, 0)
	return p
}

// turns is work of two queues that wait for each other although neither reads what the other makes.
func (d *drawer) turns(frame float64) *program {
	r := d.r
	c := planted(d.m, simulate.Pick(r, resArith, resTexture, resRaster, resBackend), d.seed, r)
	c.name, c.turns = "queues that wait for each other", true
	for len(c.passes) > 2 {
		c.passes = c.passes[:2]
	}
	for i := range c.passes {
		if c.passes[i].render != nil {
			c.passes[i].render.after = nil
		} else {
			c.passes[i].dispatch.after = nil
		}
	}
	if !slices.ContainsFunc(c.passes, func(p pass) bool { return p.render != nil && p.render.pixels > 4e5 }) {
		c.passes = nil
		c.draw(scene(r, 0.7))
	}
	x := c.content(d.m, d.seed)
	// The other queue's share: geometry, or compute that waits for memory.
	if geometry, shading := x.halves(); geometry < 0.5*shading {
		async := work("async", r)
		async.mlp, async.parts = r.Between(1, 3), r.Whole(2, 4)
		one := &recipe{passes: []pass{{dispatch: async}}}
		one.sized(d.m, d.seed, shading*r.Between(0.5, 1))
		c.compute(async)
	}
	x = c.sized(d.m, d.seed, frame)
	x.threads(frame, r.Between(0.1, 0.4), r.Between(0.04, 0.2))
	p := d.program(x)
	p.single = false
	d.show(p, frame, 0)
	p.pace.depth = 3
	return p
}

// synced is an application that waits for the GPU, which then waits for it.
func (d *drawer) synced(frame float64) *program {
	r := d.r
	cpu := r.Between(0.4, 0.6)
	c := simulate.Pick(r, contents...)(d.m.csf, r).sized(d.m, d.seed, frame*(1-cpu))
	drv := r.Between(0.2, 0.5)
	c.threads(frame, cpu*(1-drv), cpu*drv)
	c.sync = len(c.jobs) - 1
	p := d.program(c)
	p.single = false
	d.show(p, frame, 0)
	p.pace.depth = 3
	return p
}

// healthy keeps its dates.
func (d *drawer) healthy(by simulate.Candidate) *program {
	r := d.r
	pace := pacing{kind: paceVsync, refresh: d.refresh(), swap: 1, depth: 3, aligned: r.Chance(0.5)}
	switch by {
	case simulate.DisplayVsync:
		if r.Chance(0.25) {
			pace.kind, pace.aligned = paceVRR, false
		} else if pace.refresh < 12*ms && r.Chance(0.3) {
			pace.swap = 2
		}
	case simulate.DisplayCap:
		pace.kind, pace.aligned = paceCap, false
		pace.every = max(1e9/simulate.Pick[float64](r, 24, 30, 30, 40, 45, 60), 1.02*pace.refresh)
		pace.slack = 0.1 * pace.every
	case simulate.DisplayRequest:
		d.request(&pace)
	}
	frame := max(pace.refresh*pace.swap, pace.every)
	c := simulate.Pick(r, contents...)(d.m.csf, r)
	load := r.Between(0.2, 0.6)
	app, drv := r.Between(0.08, 0.4), r.Between(0.03, 0.2)
	governor := r.Weighted([]float64{3, 4, 3})
	clock := drawClock(d.m, r, governor)
	if governor != governHighest && r.Chance(0.5) {
		clock.start = d.m.step(load)
	}
	seed := r.Uint64()
	for {
		x := c.sized(d.m, d.seed, frame*load)
		x.threads(frame, app, drv)
		p := d.program(x)
		p.single, p.pace, p.clock = false, pace, clock
		p.fill(d.count(frame), true, simulate.NewRandom(seed, "healthy"))
		if p.keeps() || load < 0.05 {
			return p
		}
		load, app, drv = load*0.75, app*0.8, drv*0.8
	}
}

// keeps reports whether no date is missed and nothing but the display's side would make frames come sooner.
func (p *program) keeps() bool {
	rel := unrelieved()
	s, err := p.simulate(&rel, false)
	if err != nil {
		return false
	}
	for i := p.warm; i < len(p.frames); i++ {
		if s.missed(i) > 0 {
			return false
		}
	}
	for i := range rel.rate {
		rel.rate[i] = relieved
	}
	rel.app, rel.drv = shortened, shortened
	after, err := p.simulate(&rel, false)
	return err == nil && s.gain(after, &s.parts()[0]) < 4
}

// twoPhase is content and then other content, with other limits.
func (d *drawer) twoPhase() *program {
	list := []int{resArith, resTexture, resVarying, resLoadStore, resTiler, resRaster, resBackend, resCache, resDRAM, resLatency}
	if d.m.csf {
		list = append(list, resRays)
	}
	a := d.r.IntN(len(list))
	b := (a + 1 + d.r.IntN(len(list)-1)) % len(list)
	x, y := d.limited(list[a]), d.limited(list[b])
	if d.r.Chance(0.25) {
		y.app = y.alone() * d.r.Between(1.5, 2)
	}
	p := d.program(x, y)
	frame := min(x.alone(), y.alone())
	d.show(p, frame, 36)
	return p
}
