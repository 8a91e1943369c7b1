package amd

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// plants are what single cases are limited by, in turn.
var plants = []simulate.Candidate{candidates[alu], candidates[tex], candidates[ls], candidates[lds], candidates[ge],
	candidates[pa], candidates[sc], candidates[db], candidates[cb], candidates[bw], candidates[causeLatency],
	candidates[l2], candidates[causeLaunch], simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync,
	simulate.ClockThermal, simulate.ClockPower, simulate.QueuesInTurn, simulate.ClockGovernor}

// passesLimited are the kinds of passes that each resource can limit.
func passesLimited(limit int) []int {
	var out []int
	for k := range passKinds {
		if slices.Contains(limitsOf(k), limit) {
			out = append(out, k)
		}
	}
	return out
}

// planted is content that a resource, memory latency or the launch of passes limits.
func (d *draw) planted(limit int, ns float64) content {
	r := d.r
	c := content{name: candidates[limit].String()}
	if limit == causeLaunch {
		n := r.Whole(36, 80)
		ns *= 0.5
		work := r.Between(0.2, 0.45)
		for range n {
			k := simulate.Pick(r, uiPass, depthOnly, postPass, csGeneral, csStream, forward)
			j := drawPass(r, d.p.m, k, ns/float64(n)*work*r.Spread(0.4), -1, 2)
			j.launch, j.drain = ns/float64(n)*(1-work)*r.Spread(0.3), true
			c.jobs = append(c.jobs, j)
		}
		d.finish(&c)
		for i := range c.jobs {
			c.jobs[i].submit = 0.1 * float64(i) / float64(n)
		}
		return c
	}
	kinds := passesLimited(limit)
	n := r.Whole(1, 3)
	rest := r.Between(0.05, 0.18)
	for range n {
		j := drawPass(r, d.p.m, simulate.Pick(r, kinds...), ns*(1-rest)/float64(n)*r.Spread(0.3), limit, d.knots+2)
		j.launch = min(j.launch, ns*0.01)
		d.place(&c, j)
	}
	for range r.Whole(1, 2) {
		d.place(&c, drawPass(r, d.p.m, r.IntN(passKinds), ns*rest*r.Between(0.3, 0.7), -1, d.knots))
	}
	r.Shuffle(len(c.jobs), func(i, k int) { c.jobs[i], c.jobs[k] = c.jobs[k], c.jobs[i] })
	for i := range c.jobs {
		c.jobs[i].after = nil
		if c.jobs[i].queue == compute && i > 0 {
			c.jobs[i].after = []dependency{{0, i - 1, false}}
		}
		if i > 0 && c.jobs[i-1].queue == compute && c.jobs[i].queue == graphics {
			c.jobs[i].after = []dependency{{0, i - 1, false}}
		}
	}
	d.finish(&c)
	return c
}

// even is content that several resources limit, each for a while, so that none has much of it.
func (d *draw) even(ns float64) content {
	r := d.r
	c := content{name: "a bit of everything"}
	limits := []int{alu, tex, ls, db, cb, lds, l2, sc}
	r.Shuffle(len(limits), func(i, k int) { limits[i], limits[k] = limits[k], limits[i] })
	n := r.Whole(4, 6)
	for i := range n {
		kinds := passesLimited(limits[i])
		c.jobs = append(c.jobs, drawPass(r, d.p.m, simulate.Pick(r, kinds...), ns/float64(n)*r.Spread(0.15), limits[i], d.knots))
	}
	d.finish(&c)
	return c
}

func (d *draw) single(plant simulate.Candidate) {
	r, p := d.r, d.p
	ns := r.Log(5e6, 24e6)
	cpu := ns * r.Log(0.08, 0.5)
	split := r.Between(0.3, 0.7)
	switch plant {
	case simulate.CPUApp, simulate.CPUDriver:
		c := d.scene(&scenes[r.IntN(len(scenes))], ns)
		by := r.Between(1.5, 3)
		app, driver := ns*by, ns*by*r.Between(0.1, 0.4)
		if plant == simulate.CPUDriver {
			app, driver = driver, app
		}
		d.run(d.count(ns*by, len(c.jobs)), app, driver, c)
		d.fit(ns)
	case simulate.CPUSync:
		c := d.even(ns)
		p.sync, p.pacing.Ahead = true, 1
		if r.Chance(0.5) { // it waits because the swap chain allows one frame only
			p.sync = false
		}
		by := r.Between(0.6, 1.4)
		d.run(d.count(ns*(1+by), len(c.jobs)), ns*by*split, ns*by*(1-split), c)
		d.fit(ns)
	case simulate.ClockThermal, simulate.ClockPower, simulate.ClockGovernor:
		c := d.even(ns)
		share := r.Between(0.55, 0.78)
		switch plant {
		case simulate.ClockThermal:
			p.m.heated(r, share, r.Between(0.55, 0.8))
		case simulate.ClockPower:
			p.m.powered(share, r.Between(0.6, 0.85))
		default:
			p.m.governed(r, share)
			p.m.clock.top = share + r.Between(0, 0.06)
		}
		d.run(d.count(ns/share, len(c.jobs)), cpu*split, cpu*(1-split), c)
	case simulate.QueuesInTurn:
		d.inTurn(ns)
	default:
		limit := slices.Index(candidates[:], plant)
		c := d.planted(limit, ns)
		d.run(d.count(ns, len(c.jobs)), cpu*split, cpu*(1-split), c)
	}
	if plant.Level != simulate.LevelClock && plant.Level != simulate.LevelCPU && r.Chance(0.25) {
		p.m.governed(r, r.Between(0.7, 1))
	}
	p.text = "limited by " + plant.String()
}

// inTurn is content whose queues work in turn, although they ask for different things and need nothing of each other at
// once.
func (d *draw) inTurn(ns float64) {
	r := d.r
	c := content{name: "queues in turn"}
	share := r.Between(0.35, 0.65)
	first := simulate.Pick(r, cb, sc, db, pa, tex, ge)
	second := simulate.Pick(r, alu, lds, causeLatency, ls)
	if first == tex && second == ls {
		second = alu
	}
	n := r.Whole(1, 2)
	for range n {
		c.jobs = append(c.jobs, drawPass(r, d.p.m, simulate.Pick(r, passesLimited(first)...), ns*share/float64(n), first, d.knots))
		if isCompute(c.jobs[len(c.jobs)-1].kind) {
			c.jobs[len(c.jobs)-1] = drawPass(r, d.p.m, simulate.Pick(r, shadow, gbuffer, alpha), ns*share/float64(n), first, d.knots)
		}
	}
	var kinds []int
	for _, k := range passesLimited(second) {
		if isCompute(k) {
			kinds = append(kinds, k)
		}
	}
	at := len(c.jobs)
	for range r.Whole(1, 2) {
		c.jobs = append(c.jobs, drawPass(r, d.p.m, simulate.Pick(r, kinds...), ns*(1-share), second, d.knots))
	}
	by := ns * (1 - share) / (ns * (1 - share) * float64(len(c.jobs)-at))
	for i := at; i < len(c.jobs); i++ {
		one := content{jobs: c.jobs[i : i+1]}
		one.scaleWork(by)
	}
	d.finish(&c)
	for i := range c.jobs {
		c.jobs[i].after = nil
		c.jobs[i].submit = 0.3
		if i >= at {
			c.jobs[i].queue, c.jobs[i].image = compute, false
		}
	}
	c.jobs[at].after = []dependency{{0, at - 1, true}}
	c.jobs[0].after = []dependency{{1, len(c.jobs) - 1, true}}
	c.jobs[at-1].image = true
	d.p.pacing.Ahead = 3
	cpu := ns * r.Log(0.08, 0.4)
	d.run(d.count(ns, len(c.jobs)), cpu*0.5, cpu*0.5, c)
	d.p.text = "queues in turn"
}

func (d *draw) serial(seed uint64) {
	if seed%2 == 0 {
		d.inTurn(d.r.Log(5e6, 24e6))
		return
	}
	r, p := d.r, d.p
	ns := r.Log(4e6, 20e6)
	c := d.scene(&scenes[r.IntN(len(scenes))], ns)
	p.sync, p.pacing.Ahead = r.Chance(0.6), 1
	by, split := r.Between(0.5, 1.6), r.Between(0.25, 0.75)
	d.run(d.count(ns*(1+by), len(c.jobs)), ns*by*split, ns*by*(1-split), c)
	d.fit(ns)
	if r.Chance(0.4) { // at half load a governor stays low
		p.m.governed(r, r.Between(0.5, 0.9))
	}
	p.text = "processor and GPU in turn: " + c.name
}

func (d *draw) archetype() {
	r := d.r
	s := &scenes[r.IntN(len(scenes))]
	ns := r.Log(3e6, 28e6)
	c := d.scene(s, ns)
	cpu := ns * s.cpu * r.Spread(0.6)
	split := r.Between(0.3, 0.75)
	if s.name == "loading screen" {
		d.p.host.upload, d.p.host.iowait = r.Between(0.2, 0.8), r.Log(0.02, 0.3)
	}
	d.p.host.video = s.kinds[0] == videoPass
	d.pace(max(ns, cpu))
	d.clocked()
	d.run(d.count(max(ns, cpu), len(c.jobs)), cpu*split, cpu*(1-split), c)
	d.p.text = s.name
}

func (d *draw) random() {
	r := d.r
	ns := r.Log(2e6, 35e6)
	c := content{name: "random passes"}
	n := r.Whole(2, 9)
	for range n {
		k := r.IntN(passKinds)
		limit := -1
		if r.Chance(0.4) {
			limit = simulate.Pick(r, limitsOf(k)...)
		}
		j := drawPass(r, d.p.m, k, ns/float64(n)*r.Spread(0.8), limit, d.knots)
		if r.Chance(0.15) {
			j.launch = r.Log(2e4, 4e5)
		}
		d.place(&c, j)
	}
	d.finish(&c)
	cpu, split := ns*r.Log(0.1, 1.8), r.Between(0.2, 0.8)
	d.p.sync = r.Chance(0.12)
	d.pace(max(ns, cpu))
	d.clocked()
	d.run(d.count(max(ns, cpu), n), cpu*split, cpu*(1-split), c)
	d.p.text = "random passes"
}

func (d *draw) twoPhase() {
	r, p := d.r, d.p
	ns := r.Log(5e6, 20e6)
	limits := []int{alu, tex, ls, lds, ge, pa, sc, db, cb, bw, l2, causeLatency, causeApp, causeDriver}
	r.Shuffle(len(limits), func(i, k int) { limits[i], limits[k] = limits[k], limits[i] })
	var contents []content
	for _, limit := range limits[:2] {
		if limit < causeApp {
			contents = append(contents, d.planted(limit, ns*r.Between(0.7, 1.4)))
			continue
		}
		contents = append(contents, d.scene(&scenes[r.IntN(len(scenes))], ns*r.Between(0.3, 0.6)))
		contents[len(contents)-1].name = candidates[limit].String()
	}
	cpu, split := ns*r.Log(0.08, 0.4), r.Between(0.3, 0.7)
	d.run(max(60, d.count(ns, max(len(contents[0].jobs), len(contents[1].jobs)))), cpu*split, cpu*(1-split), contents...)
	for i := range p.frames {
		f := &p.frames[i]
		switch limits[f.content] {
		case causeApp:
			f.app *= 1.2 * ns / (cpu * split)
		case causeDriver:
			f.driver *= 1.2 * ns / (cpu * (1 - split))
		}
	}
	p.text = fmt.Sprintf("%s, then %s", contents[0].name, contents[1].name)
}

// healthy keeps every date. Work is made as long as a drawn share of the time between two dates.
func (d *draw) healthy() error {
	r, p := d.r, d.p
	s := &scenes[r.IntN(len(scenes))]
	pace := &p.pacing
	pace.Buffers, pace.Cadence, pace.Align = r.Whole(2, 3), []int{1}, r.Chance(0.35)
	load := r.Between(0.24, 0.66)
	var interval float64
	dense := 1.0 // share of dates that are asked for
	switch r.IntN(7) {
	case 0:
		pace.Refresh, pace.Cadence, interval = hz(60), []int{3, 2}, 1e9/24
		pace.Align = false
	case 1:
		pace.Refresh, pace.Cadence, interval = hz(60), []int{2}, 1e9/30
	case 2:
		rate := simulate.Pick(r, 30.0, 48, 60, 72, 90, 120)
		pace.Cap, interval = hz(rate), 1e9/rate
		pace.Align = false
	case 3:
		rate := simulate.Pick(r, 48.0, 60, 72, 90, 120, 144)
		pace.Refresh, pace.Adaptive, interval = hz(rate), true, 1e9/rate
		pace.Align = false
	case 4: // a browser or a compositor: now and then nothing changes
		pace.Refresh, pace.Requests, pace.Align, interval = hz(60), true, false, 1e9/60
		dense = r.Between(0.45, 0.9)
		s = &scenes[3]
		load = min(0.62, load/dense) * 0.95
	default:
		rate := simulate.Pick(r, 60.0, 60, 72, 90, 120, 144)
		pace.Refresh, interval = hz(rate), 1e9/rate
		if rate == 144 && r.Chance(0.4) {
			pace.Cadence, interval = []int{3}, 3e9/rate
		}
	}
	c := d.scene(s, interval*load)
	cpu, split := interval*r.Between(0.12, 0.5), r.Between(0.3, 0.7)
	if pace.Align {
		cpu *= 0.6
	}
	d.p.hitches = 0
	d.run(d.count(interval/dense, len(c.jobs)), cpu*split, cpu*(1-split), c)
	if r.Chance(0.4) {
		p.m.governed(r, r.Between(0.6, 1))
		p.m.clock.low = max(p.m.clock.low, 0.5)
	}
	at := interval
	for i := range p.frames {
		p.frames[i].request = int64(at)
		at += interval
		for r.Chance(1 - dense) {
			at += interval
		}
	}
	// The mean says how long the work really is; dates that are missed make it shorter.
	for try := range 12 {
		e := engines.Get().(*engine)
		err := e.run(p, nothing, true, nil)
		if err != nil {
			engines.Put(e)
			return err
		}
		all := e.part(simulate.Stretch{First: p.warm, Last: len(p.frames) - 1})
		engines.Put(e)
		switch want := load * dense; {
		case all.Missed > 0:
			p.contents[0].scaleWork(0.85)
			if try > 1 {
				for i := range p.frames {
					p.frames[i].app, p.frames[i].driver = p.frames[i].app*0.8, p.frames[i].driver*0.8
				}
			}
		case all.GPUBusy < min(0.25, want*0.85) && try < 8:
			p.contents[0].scaleWork(min(1.6, want/all.GPUBusy))
		case all.GPUBusy > 0.72:
			p.contents[0].scaleWork(0.68 / all.GPUBusy)
		default:
			p.text = "healthy " + c.name
			return nil
		}
	}
	p.text = "healthy " + c.name
	return nil
}

// newLive draws a program with what a live recording shows of it.
func newLive(kind string, seed uint64) (*simulate.Case, error) {
	d := newDraw(seed, "live "+kind, products)
	c := &simulate.Case{Family: LiveName, Kind: kind, Seed: seed}
	switch kind {
	case simulate.KindArchetype:
		d.archetype()
	case simulate.KindSingle:
		plant := plants[seed%uint64(len(plants))]
		c.Plant = plant.String()
		d.single(plant)
	case simulate.KindSerial:
		d.serial(seed)
	case simulate.KindHealthy:
		if err := d.healthy(); err != nil {
			return nil, err
		}
	case simulate.KindTwoPhase:
		d.twoPhase()
	case simulate.KindRandom:
		d.random()
	default:
		return nil, fmt.Errorf("%s has no kind %q; it has %v", LiveName, kind, simulate.Kinds())
	}
	p := d.p
	c.Text = fmt.Sprintf("%s on %s, %s", p.text, p.m.name, p.pacing.Name())
	c.Judge = p.judge
	draws := drawRecording(d.r)
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return p.record(draws, seed, c, o) }
	return c, nil
}
