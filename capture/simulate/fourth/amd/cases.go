package amd

import "astrolabe/capture/simulate"

// plantsLive are what live cases of KindSingle are limited by, in turn.
var plantsLive = []cand{arithmetic, texture, loadStore, localMemory, vertexFetch, assembly, rasterizer, depth, backend, bandwidth,
	latency, cache, launch, app, driver, syncs, inTurn, thermal, power, governor, vsync, capped, request}

// plantsPhases are those of which one can follow another without another clock, display or thread.
var plantsPhases = []cand{arithmetic, texture, loadStore, localMemory, vertexFetch, assembly, rasterizer, depth, backend, bandwidth,
	latency, cache, launch, app, driver}

const ms = 1e6

// free paces frames by nothing, or by a display that is faster than they are.
func (p *program) free(r *drawn, frame float64) {
	p.pace = pacing{ahead: r.Whole(2, 3), threads: r.Whole(1, 2), wake: r.Log(3e4, 2e5), early: r.Between(0, 0.7)}
	if r.Chance(0.35) {
		p.pace.refresh, p.pace.follows = min(1e9/simulate.Pick(r.Random, 120.0, 144, 165, 240), 0.45*frame), true
	}
}

// cpu sets what the processor has to do in a frame.
func (c *content) cpu(app, drv float64) { c.app, c.drv = app, drv }

// compose adds the desktop's compositor, which has its own turn in the graphics queue after each frame.
func (p *program) compose(r *drawn, x *content, pipe *pipe) {
	w := passKinds["interface"](r)
	w.label, w.draws = "compositor", 3
	for range 2 {
		w.scale(r.Between(0.15, 0.6) * ms / w.run(pipe, p.d, p.d.mhz/1000, &relief{}).total)
	}
	x.jobs = append(x.jobs, job{work: w})
}

// repeat makes a pass into a few that are alike.
func repeat(r *drawn, w *work, n int) (out []*work) {
	for i := range n {
		one := *w
		one.seed = r.Uint64()
		if i > 0 {
			one.scale(r.Between(0.4, 1.2))
		}
		out = append(out, &one)
	}
	return out
}

// plantLive adds a content that one thing limits, and paces it.
func (p *program) plantLive(r *drawn, c cand, pipe *pipe) {
	frame := r.Log(4, 25) * ms
	first := len(p.contents) == 0
	if first {
		p.free(r, frame)
	}
	text := names[c].String()
	if c < ofDraws {
		works := repeat(r, r.plant(c, pipe), r.Whole(1, 4))
		for range r.IntN(3) {
			w := passKinds[passNames[r.IntN(len(passNames))]](r)
			w.scale(0.05)
			works = append(works, w)
		}
		p.planted(r, c, works, frame, pipe).cpu(frame*r.Between(0.05, 0.45), frame*r.Between(0.03, 0.2))
		return
	}
	_, works := r.frame(r.IntN(4))
	if len(works) == 0 {
		works = r.mixture()
	}
	switch c {
	case app:
		p.add(text, works, frame*r.Between(0.15, 0.6), pipe).cpu(frame, frame*r.Between(0.03, 0.25))
	case driver:
		p.add(text, works, frame*r.Between(0.15, 0.6), pipe).cpu(frame*r.Between(0.1, 0.3), frame)
	case syncs:
		p.pace.sync, p.pace.ahead = true, 2
		p.add(text, works, frame*r.Between(0.4, 0.65), pipe).cpu(frame*r.Between(0.3, 0.5), frame*r.Between(0.05, 0.12))
	case inTurn:
		p.turns(r, frame, pipe)
	case thermal, power, governor:
		p.slowed(r, c, frame, pipe)
	case vsync, capped, request:
		p.dated(r, c, pipe)
	}
}

// planted scales a content, and makes passes beside the planted ones smaller until these limit clearly.
func (p *program) planted(r *drawn, c cand, works []*work, frame float64, pipe *pipe) *content {
	x := p.add(names[c].String(), works, frame, pipe)
	ghz := p.d.mhz / 1000
	all := func(rel *relief) (sum float64) {
		for _, w := range works {
			sum += w.run(pipe, p.d, ghz, rel).total
		}
		return sum
	}
	for range 8 {
		base := all(&relief{})
		own, second := 0.0, 0.0
		for k := range ofDraws {
			rel := only(k)
			if g := 1 - all(&rel)/base; k == c {
				own = g
			} else {
				second = max(second, g)
			}
		}
		if own > 0.12 && own > 1.6*second {
			break
		}
		for _, w := range works {
			more(c, w)
		}
	}
	return x
}

// turns makes a frame of graphics and of compute that want other things, each of which waits for the other.
func (p *program) turns(r *drawn, frame float64, pipe *pipe) {
	graphics := repeat(r, r.plant(simulate.Pick(r.Random, backend, rasterizer, assembly, depth), pipe), r.Whole(1, 3))
	compute := repeat(r, r.plant(simulate.Pick(r.Random, localMemory, latency, loadStore), pipe), r.Whole(1, 2))
	x := p.add("queues in turn", append(graphics, compute...), frame, pipe)
	p.balance(x, len(graphics), frame*r.Between(0.42, 0.58), frame, pipe)
	for i := range x.jobs {
		if i < len(graphics) {
			x.jobs[i].needless = i == 0
			continue
		}
		x.jobs[i].queue = 1
		if i == len(graphics) {
			x.jobs[i].after = []int{len(graphics) - 1}
		}
	}
	p.pace.ahead = 3
	x.cpu(frame*r.Between(0.1, 0.3), frame*r.Between(0.05, 0.15))
}

// balance makes the first n jobs of a content take so many ns of a frame.
func (p *program) balance(x *content, n int, first, frame float64, pipe *pipe) {
	for range 3 {
		var sums [2]float64
		for i := range x.jobs {
			sums[b2i(i >= n)] += x.jobs[i].work.run(pipe, p.d, p.d.mhz/1000, &relief{}).total
		}
		for i := range x.jobs {
			if i < n {
				x.jobs[i].work.scale(first / sums[0])
			} else {
				x.jobs[i].work.scale((frame - first) / sums[1])
			}
		}
	}
}

func b2i(b bool) int { return int(b2f(b)) }

// slowed makes a frame of many things, none of which limits it, at a clock that is held far below the highest.
func (p *program) slowed(r *drawn, c cand, frame float64, pipe *pipe) {
	var works []*work
	for _, k := range []cand{arithmetic, texture, loadStore, localMemory, cache, assembly} {
		w := r.plant(k, pipe)
		by := frame / 6 / w.run(pipe, p.d, p.d.mhz/1000, &relief{}).total
		w.scale(by)
		works = append(works, w)
	}
	r.Shuffle(len(works), func(i, j int) { works[i], works[j] = works[j], works[i] })
	p.add(names[c].String(), works, frame*0.6, pipe).cpu(frame*r.Between(0.05, 0.4), frame*r.Between(0.03, 0.2))
	p.hold(r, c, 0.45, 0.65)
}

// hold says what keeps the clock low, and how far.
func (p *program) hold(r *drawn, c cand, low, high float64) {
	p.clockBy, p.held = c, r.Between(low, high)
	if c == thermal {
		p.swing, p.wave = r.Between(0.01, 0.05), r.Between(0.3, 1.2)*1e9
	}
}

// dated makes a frame that a date paces, with time left.
func (p *program) dated(r *drawn, c cand, pipe *pipe) {
	p.calm = true
	hz := simulate.Pick(r.Random, 60.0, 60, 72, 75, 90, 120, 144)
	between := 1e9 / hz
	p.pace = pacing{refresh: between, ahead: r.Whole(2, 3), threads: r.Whole(1, 2), wake: 5e4, early: r.Between(0, 0.7)}
	frame := between
	switch c {
	case capped:
		frame = 1e9 / simulate.Pick(r.Random, 30.0, 40, 48, 60)
		p.pace.limit, p.pace.refresh = frame, 0
	case request:
		frame = 1e9 / simulate.Pick(r.Random, 24.0, 25, 30, 50)
		p.pace.asked, p.pace.refresh = frame, 1e9/simulate.Pick(r.Random, 60.0, 120)
	case vsync:
		if r.Chance(0.25) {
			p.pace.refresh, p.pace.follows = between, true
		}
	}
	text, works := r.frame(r.IntN(len(archetypes)))
	if len(works) == 0 {
		text, works = "desktop", []*work{passKinds["interface"](r)}
	}
	p.c.Text = text + " at " + names[c].String()
	x := p.add(text, works, frame*r.Between(0.25, 0.58), pipe)
	x.cpu(frame*r.Between(0.05, 0.25), frame*r.Between(0.03, 0.12))
	if p.pace.refresh > 0 && r.Chance(0.3) {
		p.compose(r, x, pipe)
	}
	if r.Chance(0.4) {
		p.lively, p.held = true, r.Between(0.5, 0.8)
	}
}

// healthy draws a program that keeps its dates.
func (p *program) healthy(r *drawn, pipe *pipe) {
	for range 20 {
		p.contents = nil
		p.usual()
		p.lively = false
		p.dated(r, simulate.Pick(r.Random, vsync, vsync, vsync, capped, request), pipe)
		trial := *p
		trial.frames = nil
		again := &drawn{Random: simulate.NewRandom(p.seed, "trial"), px: r.px, d: r.d}
		trial.script(again, 60)
		if t, err := trial.judge(); err == nil && t.Healthy && t.GPUBusy > 0.22 && t.GPUBusy < 0.72 && t.Leaves[0].Percent < 2 {
			return
		}
	}
}

// mixed draws a program of some archetype, or of passes of any kind, with everything else drawn too.
func (p *program) mixed(r *drawn, pipe *pipe) {
	text, works := r.frame(r.IntN(len(archetypes)))
	if p.c.Kind == simulate.KindRandom {
		text, works = "passes of any kind", r.mixture()
	}
	if len(works) == 0 {
		works = r.mixture()
	}
	p.c.Text = text
	frame := r.Log(2.5, 28) * ms
	x := p.add(text, works, frame, pipe)
	x.cpu(frame*r.Log(0.1, 1.5), frame*r.Log(0.04, 0.6))
	if text == "loading screen" {
		x.app *= r.Between(2, 5)
	}
	p.free(r, frame)
	if r.Chance(0.15) {
		p.pace.sync, p.pace.ahead = true, 2
	}
	if r.Chance(0.4) { // compute in a queue of its own
		for i := range x.jobs {
			if x.jobs[i].compute && i > 0 {
				x.jobs[i].queue, x.jobs[i].after = 1, []int{i - 1}
				if i+1 < len(x.jobs) && r.Chance(0.6) {
					x.jobs[i+1].after = append(x.jobs[i+1].after, i)
				}
			}
		}
		if r.Chance(0.4) {
			x.jobs[0].needless = true
		}
	}
	switch r.IntN(10) {
	case 0, 1, 2, 3:
		p.pace.follows = false
		p.pace.refresh = 1e9 / simulate.Pick(r.Random, 60.0, 60, 75, 90, 120, 144)
	case 4:
		p.pace.limit = 1e9 / simulate.Pick(r.Random, 30.0, 60, 90, 120)
	}
	if r.Chance(0.3) {
		p.compose(r, x, pipe)
	}
	switch r.IntN(8) {
	case 0:
		p.hold(r, thermal, 0.55, 0.9)
	case 1, 2:
		p.hold(r, power, 0.6, 0.95)
	case 3:
		p.hold(r, governor, 0.4, 0.9)
	case 4:
		p.lively, p.held = true, r.Between(0.4, 0.8)
	}
}
