package mali

import (
	"fmt"
	"math"
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// drawing draws a case.
type drawing struct {
	r     *rand.Rand
	m     *machine
	seed  uint64
	plain bool // content with one limit
	plant string

	contents []content
	pacing   pacing
	limit    float64
	holder   leaf
	eager    float64
	interval float64 // seconds of a paced frame; 0 where frames come as they can
	cadence  []int   // of refreshes
	jitter   float64 // of requests, as a share of the interval
	bursts   bool    // of requests
	lead     float64 // seconds from a frame's date to when it is due
	noise    float64
	seconds  float64 // about a frame
}

// draw draws the content of a kind, and says what it is.
func (d *drawing) draw(kind string) string {
	r := d.r
	d.eager = between(r, 0.8, 0.92)
	d.noise = between(r, 0.005, 0.05)
	d.seconds = math.Exp(between(r, math.Log(4e-3), math.Log(34e-3)))
	d.pacing = pacing{ahead: 2 + r.IntN(2), side: vsync, oneThread: r.Float64() < 0.2, early: r.Float64() < 0.3}
	switch kind {
	case simulate.KindArchetype:
		s := scenes[r.IntN(len(scenes))]
		d.contents = []content{s.draw(d, d.seconds)}
		d.loosely()
		return s.name
	case simulate.KindRandom:
		d.contents = []content{d.mixture(d.seconds)}
		d.loosely()
		return "passes of any kind"
	case simulate.KindSingle:
		tops := plants(d.m)
		by := tops[d.seed%uint64(len(tops))]
		d.plant = candidates[by].String()
		d.single(by)
		return "content limited by " + d.plant
	case simulate.KindSerial:
		by := pick(r, inTurn, cpuSync)
		d.single(by)
		return "work in turn: " + candidates[by].String()
	case simulate.KindTwoPhase:
		return d.phases()
	}
	return d.healthy()
}

// plants are what a single case can be limited by.
func plants(m *machine) []leaf {
	var out []leaf
	for l := range vsync {
		if l != rayTracing || m.rays {
			out = append(out, l)
		}
	}
	return out
}

// loosely draws what programs often have beside: a display, a hot phone, barriers that need not be.
func (d *drawing) loosely() {
	r := d.r
	if r.Float64() < 0.4 {
		d.pacing.refresh = 1 / pick(r, 60.0, 90, 120, 120, 144)
	}
	if r.Float64() < 0.2 {
		d.limit, d.holder = between(r, 0.55, 0.95), pick(r, thermal, thermal, power, governor)
	}
	if r.Float64() < 0.1 {
		d.pacing.sync = true
	}
	if r.Float64() < 0.15 {
		jobs := d.contents[0].jobs
		for k := 1; k < len(jobs); k++ {
			if jobs[k].queue == binningQueue {
				jobs[k].needless = []int{k - 1}
			}
		}
	}
}

func (d *drawing) single(by leaf) {
	r := d.r
	if by == cpuApp || by == cpuDriver {
		d.pacing.oneThread = false
	}
	switch by {
	case cpuSync:
		d.pacing.sync = true
	case inTurn:
		d.pacing.ahead = 3
	case thermal:
		d.limit = between(r, 0.4, 0.62)
	case power, governor:
		d.limit = between(r, 0.42, 0.62)
	}
	if d.limit > 0 {
		d.holder = by
	}
	d.contents = []content{d.limited(by, d.seconds)}
}

// phases draws two contents that follow each other.
func (d *drawing) phases() string {
	r := d.r
	of := append(mainTops(d.m), tiler, overhead, cpuApp, cpuDriver)
	one := func() (content, string) {
		if r.Float64() < 0.3 {
			s := scenes[r.IntN(len(scenes))]
			return s.draw(d, d.seconds), s.name
		}
		by := pick(r, of...)
		return d.limited(by, d.seconds), candidates[by].String()
	}
	a, first := one()
	d.seconds *= between(r, 0.6, 1.6)
	b, second := one()
	d.pacing.oneThread = false
	d.contents = []content{a, b}
	return fmt.Sprintf("%s, then %s", first, second)
}

// healthy draws content that has time to spare at every date.
func (d *drawing) healthy() string {
	r := d.r
	p := &d.pacing
	text := ""
	switch r.IntN(5) {
	case 0, 1: // as the display refreshes
		hz := pick(r, 60.0, 60, 72, 90, 120, 144)
		p.refresh, d.cadence = 1/hz, []int{1}
		text = fmt.Sprintf("frames at every refresh of %g Hz", hz)
	case 2: // a cap below it
		x := pick(r, [2]int{60, 2}, [2]int{120, 2}, [2]int{120, 4}, [2]int{144, 3}, [2]int{90, 2})
		p.refresh, d.cadence, p.side = 1/float64(x[0]), []int{x[1]}, capped
		text = fmt.Sprintf("a cap of %d on a display of %d Hz", x[0]/x[1], x[0])
	case 3: // a film
		p.refresh, p.side = 1.0/60, request
		d.cadence = pick(r, []int{3, 2}, []int{3, 2}, []int{2}, []int{1})
		text = "a film"
	default:
		if r.Float64() < 0.5 {
			d.interval, p.side = 1/between(r, 38, 75), capped
			text = "a cap on a display that waits for frames"
			break
		}
		p.refresh, p.side, d.bursts = 1.0/pick(r, 60.0, 90, 120), request, true
		d.interval = p.refresh * float64(2+r.IntN(6))
		d.jitter = between(r, 0, 0.4)
		text = "a user interface that is drawn when something happens"
	}
	if d.cadence != nil {
		sum := 0
		for _, n := range d.cadence {
			sum += n
		}
		d.interval = p.refresh * float64(sum) / float64(len(d.cadence))
	}
	shortest := d.interval
	if p.refresh > 0 {
		shortest = min(shortest, max(p.refresh, d.interval*(1-d.jitter)))
	}
	d.seconds = shortest * between(r, 0.12, 0.6)
	p.ahead = 3
	d.lead = 2.5 * max(d.interval, p.refresh)
	if r.Float64() < 0.4 { // double buffering
		p.ahead, d.lead = 2, 1.6*max(d.interval, p.refresh)
	}
	if p.refresh == 0 {
		d.lead = 1.9 * d.interval
	}
	s := scenes[r.IntN(len(scenes))]
	for s.name == "a loading screen" {
		s = scenes[r.IntN(len(scenes))]
	}
	c := s.draw(d, d.seconds)
	c.app = min(c.app, 0.45*d.interval)
	c.driver = min(c.driver, 0.3*d.interval)
	d.contents = []content{c}
	return text + ": " + s.name
}

// warm is how many frames go before those that are judged: the clock has settled by then.
const warm = 14

// finish draws the frames.
func (d *drawing) finish() *program {
	r := d.r
	p := &program{m: d.m, contents: d.contents, pacing: d.pacing, limit: d.limit, holder: d.holder, eager: d.eager,
		tick: pick(r, 0.010, 0.016, 0.020, 0.033)}
	about := max(d.interval, d.seconds)
	n := int(min(150, max(36, 1.2/about)))
	if len(d.contents) > 1 {
		n = int(min(200, max(72, 1.6/about)))
	}
	// Programs of very many jobs are simulated for fewer frames.
	n = max(36, min(n, 5000/max(len(d.contents[0].jobs), len(d.contents[len(d.contents)-1].jobs))))
	p.first, p.last = warm, warm+n-1
	tick := 0
	walk, request := 0.0, 0.0
	for f := range p.last + 4 {
		one := frame{}
		if len(d.contents) > 1 && f >= warm+n/2 {
			one.content = 1
		}
		c := &d.contents[one.content]
		walk = 0.8*walk + 0.6*d.noise*r.NormFloat64()
		common := math.Exp(walk)
		if r.Float64() < 0.01 {
			common *= 1.2
		}
		one.app = c.app * math.Exp(2*d.noise*r.NormFloat64())
		one.driver = c.driver * math.Exp(2*d.noise*r.NormFloat64())
		for range c.jobs {
			one.scale = append(one.scale, common*math.Exp(0.5*d.noise*r.NormFloat64()))
		}
		switch {
		case d.cadence != nil:
			tick += d.cadence[f%len(d.cadence)]
			one.due = d.lead + 0.05 + float64(tick)*d.pacing.refresh
			one.due = math.Ceil(one.due/d.pacing.refresh-1e-6) * d.pacing.refresh
		case d.bursts:
			request += d.interval * (1 + d.jitter*(2*r.Float64()-1))
			if r.Float64() < 0.06 { // nothing happens for a while
				request += d.interval * between(r, 2, 10)
			}
			one.due = math.Ceil((request+0.05+d.lead)/d.pacing.refresh) * d.pacing.refresh
		case d.interval > 0:
			one.due = 0.05 + d.lead + float64(f)*d.interval
		}
		if one.due > 0 {
			one.date = one.due - d.lead
		}
		p.frames = append(p.frames, one)
	}
	if d.interval > 0 {
		d.lighten(p)
	}
	return p
}

// lighten takes work from a paced program until it keeps its dates.
func (d *drawing) lighten(p *program) {
	for range 20 {
		s := run(p, relief{}, false)
		late := 0
		for f := p.first; f <= p.last; f++ {
			late += s.missed(f)
		}
		if late == 0 {
			return
		}
		for f := range p.frames {
			one := &p.frames[f]
			one.app, one.driver = one.app*0.85, one.driver*0.85
			for k := range one.scale {
				one.scale[k] *= 0.85
			}
		}
	}
}
