package amd

import (
	"math"
	"math/rand/v2"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

const liveName = "amd-live-third"

// director draws scenes.
type director struct {
	r *rand.Rand
	s *scene
}

func (d *director) in(lo, hi float64) float64 { return lo + (hi-lo)*d.r.Float64() }

func (d *director) maker() *maker {
	p := d.s.p
	m := &maker{r: d.r, p: p, scale: p.units / 50}
	m.pixels = []float64{1280 * 800, 1920 * 1080, 2560 * 1440, 3840 * 2160}[min(3, d.r.IntN(3)+int(p.units/60))]
	if p.shared {
		m.pixels = 1280 * 800
	}
	return m
}

// base is a content of no pace with an unhurried processor.
func (d *director) base(name string, works []work) content {
	works = works[:min(len(works), 34)]
	c := content{name: name, works: [2][]work{works}, spread: d.in(0.01, 0.08), ahead: 2 + d.r.IntN(2), power: 1, heat: 1, amount: 1}
	return c
}

// drawn is one of the kinds of frames, or a mixture of passes of several.
func (d *director) drawn(mixed bool) content {
	m := d.maker()
	k := d.r.IntN(len(contents))
	contents[k].make(m)
	if !mixed {
		return d.base(contents[k].name, m.works)
	}
	for range 2 {
		contents[d.r.IntN(len(contents))].make(m)
	}
	d.r.Shuffle(len(m.works), func(i, j int) { m.works[i], m.works[j] = m.works[j], m.works[i] })
	return d.base("mixture of passes", m.works[:min(len(m.works), 6+d.r.IntN(30))])
}

// async moves dispatches to the compute queue.
func (d *director) async(c *content) bool {
	var left []work
	for _, w := range c.works[0] {
		if w.compute && len(c.works[1]) < 8 {
			c.works[1] = append(c.works[1], w)
		} else {
			left = append(left, w)
		}
	}
	c.works[0] = left
	return len(left) > 0 && len(c.works[1]) > 0
}

func (d *director) gpu(c *content) float64 {
	c.prepare(d.s.p, false, true)
	t, _, _ := c.gpuTime(plain, 1, !c.inTurn)
	return t
}

// processor gives a content processor work of so much of the GPU's.
func (d *director) processor(c *content, app, driver float64) {
	t := d.gpu(c)
	if t < 2.5e6 { // such frames come in batches
		c.amount = d.in(2.5e6, 9e6) / t
	}
	c.app, c.driver = app*t*c.amount, driver*t*c.amount
}

func (d *director) archetype(mixed bool) content {
	c := d.drawn(mixed)
	if d.r.IntN(3) == 0 && d.async(&c) {
		c.inTurn = d.r.IntN(3) == 0
	}
	ratio := math.Exp(d.in(math.Log(0.25), math.Log(3.2)))
	part := d.in(0.1, 0.65)
	d.processor(&c, ratio*(1-part), ratio*part)
	t := d.gpu(&c)
	c.one, c.sync = d.r.IntN(5) == 0, d.r.IntN(9) == 0
	if d.r.IntN(3) == 0 {
		c.refresh, c.buffers = 1e9/[]float64{60, 75, 120, 144, 165}[d.r.IntN(5)], 2+d.r.IntN(2)
		c.adaptive = d.r.IntN(3) == 0
		if longest := max(c.app, c.driver, t*c.amount); longest < c.refresh { // too much for the display's dates
			k := d.in(1.02, 1.9) * c.refresh / longest
			c.app, c.driver, c.amount = k*c.app, k*c.driver, k*c.amount
		}
	}
	switch d.r.IntN(6) {
	case 0, 1:
		c.power = d.in(0.7, 0.98)
	case 2:
		c.heat = d.in(0.55, 0.95)
	}
	return c
}

func (d *director) serial() content {
	c := d.drawn(d.r.IntN(3) == 0)
	kind := d.r.IntN(3)
	for try := 0; kind == 0 && try < 5; try++ {
		if d.async(&c) {
			c.inTurn = true
			d.processor(&c, d.in(0.2, 0.5), d.in(0.05, 0.3))
			return c
		}
		c = d.drawn(try > 2)
	}
	d.processor(&c, d.in(0.5, 1.2), d.in(0.1, 0.4))
	c.sync, c.one = true, kind == 2
	return c
}

// paced keeps its dates.
func (d *director) paced() content {
	c := d.drawn(false)
	c.spread = d.in(0.01, 0.04)
	period := 0.0
	every := func(hz float64) { c.refresh, period = 1e9/hz, 1e9/hz }
	c.buffers = 2 + d.r.IntN(2)
	switch d.r.IntN(7) {
	case 0:
		every(60)
	case 1:
		every([]float64{72, 90, 120, 144}[d.r.IntN(4)])
	case 2:
		every(60)
		c.pulldown, period = true, 2e9/60
	case 3:
		every(60)
		c.cap, period = 1e9/30, 1e9/30
	case 4:
		c.adaptive = true
		every([]float64{48, 90, 120, 144}[d.r.IntN(4)])
		c.cap = period * d.in(1.2, 1.6)
		period = c.cap
	case 5:
		c.cap = 1e9 / []float64{30, 48, 60, 90}[d.r.IntN(4)]
		period = c.cap
	case 6: // windows of which something changes now and then
		every(60)
		c.request = d.in(30e6, 120e6)
	}
	t := d.gpu(&c)
	c.amount = d.in(0.2, 0.7) * period / t
	c.app, c.driver = d.in(0.05, 0.4)*period, d.in(0.03, 0.25)*period
	return c
}

func (d *director) plant(k int) content {
	m := d.maker()
	s := d.s
	if k < labels {
		f := &frame{p: s.p, clock: s.p.clock, flows: true}
		f.plant(m, k)
		c := d.base("planted", f.works)
		d.processor(&c, d.in(0.2, 0.4), d.in(0.05, 0.2))
		return c
	}
	c := d.drawn(false)
	switch k {
	case app:
		d.processor(&c, d.in(1.5, 2.5), d.in(0.1, 0.4))
	case driver:
		d.processor(&c, d.in(0.2, 0.5), d.in(1.5, 2.5))
	case syncing:
		d.processor(&c, d.in(0.7, 1.1), d.in(0.1, 0.2))
		c.sync = true
	case inTurn:
		m.opaque(1.5, 8)
		m.alpha()
		c = d.base("graphics, then compute", m.works)
		m.works = nil
		m.matrix()
		m.matrix()
		c.works[1] = m.works
		c.inTurn = true
		d.gpu(&c)
		scale := c.costs[plain][0].time[2] / c.costs[plain][1].time[2]
		for i := range c.works[1] { // as much as of the other queue
			c.works[1][i].ps.waves = math.Ceil(c.works[1][i].ps.waves * scale)
		}
		c.ready = [3]int{}
		d.processor(&c, d.in(0.2, 0.4), d.in(0.05, 0.2))
	case thermal:
		d.bound(&c)
		c.heat = d.in(0.35, 0.5)
	case power:
		d.bound(&c)
		c.power = d.in(0.35, 0.5)
	case governor: // a profile that saves power
		d.bound(&c)
		s.target, s.least = 1.6, d.in(0.33, 0.48)
	}
	return c
}

// bound makes frames of passes that the clock decides, of several kinds.
func (d *director) bound(c *content) {
	m := d.maker()
	m.pixels = min(m.pixels, 1920*1080)
	m.lighting()
	plant(m, arithmetic, 0.3)
	plant(m, texture, 0.3)
	plant(m, localMemory, 0.15)
	d.r.Shuffle(len(m.works), func(i, j int) { m.works[i], m.works[j] = m.works[j], m.works[i] })
	*c = d.base("many passes", m.works)
	d.processor(c, d.in(0.1, 0.2), d.in(0.03, 0.08))
}

// liveCase makes a program that a recorder watched.
func liveCase(c *simulate.Case, r *rand.Rand) {
	s := &scene{p: &parts[r.IntN(len(parts))], least: 1, target: 0.7, warm: 8}
	d := &director{r: r, s: s}
	if r.IntN(2) == 0 || c.Kind == simulate.KindHealthy {
		s.least, s.target = d.in(0.35, 0.9), d.in(0.6, 0.85)
	}
	switch c.Kind {
	case simulate.KindArchetype:
		s.contents = []content{d.archetype(false)}
	case simulate.KindRandom:
		s.contents = []content{d.archetype(true)}
	case simulate.KindSerial:
		s.least = max(s.least, 0.8)
		s.contents = []content{d.serial()}
	case simulate.KindHealthy:
		s.contents = []content{d.paced()}
	case simulate.KindTwoPhase:
		a, b := d.archetype(false), d.archetype(d.r.IntN(2) == 0)
		a.sync, b.sync = false, d.r.IntN(4) == 0
		s.contents = []content{a, b}
	case simulate.KindSingle:
		s.least = 1
		k := int(c.Seed % vsync)
		s.contents = []content{d.plant(k)}
		c.Plant = candidate(k).String()
	}
	for i := range s.contents {
		s.contents[i].prepare(s.p, false, s.steady())
		if c.Text != "" {
			c.Text += ", then "
		}
		c.Text += s.contents[i].name
	}
	c.Text += " on " + s.p.name
	d.length(c.Kind == simulate.KindHealthy)
	seed := r.Uint64()
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return s.record(c, seed, o) }
	c.Judge = func() (*simulate.Truth, error) { return s.truth(), nil }
}

// length decides of how many frames a scene is, and draws them. Healthy ones are made lighter until they keep every date.
func (d *director) length(healthy bool) {
	s := d.s
	s.frames = make([]int, len(s.contents))
	seeds := [2]uint64{d.r.Uint64(), d.r.Uint64()}
	draw := func(frames int) {
		r := rand.New(rand.NewPCG(seeds[0], seeds[1]))
		s.loads, s.threads, s.requests = nil, nil, nil
		for k := range s.contents {
			s.frames[k] = frames
			if k == 0 {
				s.frames[k] += s.warm
			}
			spread := s.contents[k].spread
			wander := 0.0
			for range s.frames[k] {
				wander = 0.9*wander + spread*r.NormFloat64()
				s.loads = append(s.loads, math.Exp(0.7*wander+0.5*spread*r.NormFloat64()))
				s.threads = append(s.threads, math.Exp(1.5*spread*r.NormFloat64()))
				s.requests = append(s.requests, 0.4+0.6*r.ExpFloat64())
			}
		}
	}
	draw(30)
	first := s.run(all)
	mean := first.frames[len(first.frames)-1].flip / float64(len(first.frames))
	draw(int(min(500, max(24, d.in(2.4e9, 3.6e9)/mean/float64(len(s.contents))))))
	for range 12 {
		if !healthy || s.healthy(s.run(all), s.warm, len(s.loads)) {
			return
		}
		c := &s.contents[0]
		c.amount, c.app, c.driver = 0.8*c.amount, 0.8*c.app, 0.8*c.driver
	}
}

// steady reports whether nothing ever holds the clock below the highest.
func (s *scene) steady() bool {
	return s.least == 1 && !slices.ContainsFunc(s.contents, func(c content) bool { return c.power < 1 || c.heat < 1 })
}

// healthy reports whether a range keeps every date and waits for the display's side.
func (s *scene) healthy(r *simulated, from, to int) bool {
	for _, f := range r.frames[from:to] {
		if f.missed > 0 {
			return false
		}
	}
	shares := s.walk(r, from, to)
	sum := shares[vsync] + shares[capped] + shares[requested]
	return sum > 0.85*(r.frames[to-1].flip-r.frames[from-1].flip)
}

func (s *scene) truth() *simulate.Truth {
	s.deep.Do(func() {
		for i := range s.contents {
			s.contents[i].prepare(s.p, true, s.steady())
		}
	})
	base := s.run(all)
	whole := [2]*simulated{s.run(wholeCPU), s.run(wholeGPU)}
	var relieved [vsync]*simulated
	for k := range relieved {
		relieved[k] = s.run(k)
	}
	n := len(s.loads)
	t := &simulate.Truth{Part: s.part("", base, &whole, &relieved, s.warm, n)}
	if len(s.contents) > 1 {
		split := s.frames[0]
		t.Phases = []simulate.Part{s.part(s.contents[0].name, base, &whole, &relieved, s.warm, split), s.part(s.contents[1].name, base, &whole, &relieved, split, n)}
	}
	zero := base.frames[s.warm-1].flip
	for i, f := range base.frames {
		ns := func(v float64) int64 { return int64(math.Round(v - zero)) }
		t.Each = append(t.Each, simulate.FrameTruth{Content: f.content, Begin: ns(f.app), GPUBegin: ns(f.gpu), GPUEnd: ns(f.gpuEnd),
			Shown: ns(f.flip), Missed: f.missed, Judged: i >= s.warm})
	}
	t.Hold(s.contents[0].refresh)
	return t
}

func (s *scene) part(name string, base *simulated, whole *[2]*simulated, relieved *[vsync]*simulated, from, to int) simulate.Part {
	span := func(r *simulated) float64 { return r.frames[to-1].flip - r.frames[from-1].flip }
	zero := base.frames[s.warm-1].flip
	p := simulate.Part{Name: name, First: from, Frames: to - from, Start: int64(math.Round(base.frames[from-1].flip - zero)),
		End: int64(math.Round(base.frames[to-1].flip - zero)), Healthy: s.healthy(base, from, to)}
	for _, f := range base.frames[from:to] {
		p.Missed += f.missed
		p.GPUBusy += (f.gpuEnd - f.gpu) / span(base)
		p.ClockMean += f.clock / float64(to-from)
	}
	p.GPUBusy = min(1, p.GPUBusy)
	shares := s.walk(base, from, to)
	p.Shares = spread(shares[:], p.End-p.Start)
	p.QueueShares = slices.Clone(p.Shares)
	gain := func(c simulate.Candidate, r *simulated) simulate.Gain {
		return simulate.Gain{Candidate: c, Percent: 100 * (1 - span(r)/span(base)), Simulated: true}
	}
	for k, r := range relieved {
		p.Leaves = append(p.Leaves, gain(candidate(k), r))
	}
	p.Whole = []simulate.Gain{gain(simulate.WholeCPU, whole[0]), gain(simulate.WholeGPU, whole[1])}
	p.Rank()
	return p
}
