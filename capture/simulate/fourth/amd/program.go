package amd

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

// program is an application in front of a Radeon.
type program struct {
	c        *simulate.Case
	d        *device
	contents []content
	frames   []frame
	warm     int
	cut      int // frame at which the second phase begins, 0 where there is none
	pace     pacing

	clockBy  cand // thermal, power or governor, whichever holds the clock
	held     float64
	swing    float64 // of a clock that heat holds
	wave     float64 // ns between its highs
	lively   bool    // the governor follows the load
	budget   float64 // dynamic power that the limit allows, as a share
	heatMean float64
	calm     bool // nothing is loaded, and the camera does not cut
	seed     uint64
}

// content is what a stretch of frames shows.
type content struct {
	text     string
	jobs     []job
	app, drv float64 // ns
}

// clockAt is the share of the highest clock that firmware sets, in whole MHz.
func (p *program) clockAt(t int64, load, watts float64, r *relief) float64 {
	return math.Round(p.wanted(t, load, watts, r)*p.d.mhz) / p.d.mhz
}

func (p *program) wanted(t int64, load, watts float64, r *relief) float64 {
	if r[p.clockBy] {
		return 1
	}
	switch {
	case p.clockBy == thermal:
		return p.held * (1 + p.swing*math.Sin(2*math.Pi*float64(t)/p.wave))
	case p.clockBy == power:
		if watts <= p.budget {
			return 1
		}
		// Power follows the clock with a power of some 2.4, for voltage falls with it.
		return math.Max(0.42, math.Exp2(math.Log2(p.budget/watts)/2.4))
	case p.lively:
		return math.Min(1, math.Max(p.held, 0.1+1.25*load))
	}
	return p.held
}

// afford finds out what power the passes draw, and sets its budget so that the clock is what is to be held.
func (p *program) afford(pipe *pipe) {
	q, heat, sum := p.prepared(pipe, &relief{}), 0.0, 0.0
	for _, j := range q.contents[0].jobs {
		heat, sum = heat+j.heat*j.full, sum+j.full
	}
	p.heatMean = heat / sum
	p.budget = p.heatMean * math.Exp2(2.4*math.Log2(p.held))
}

// usual sets a clock that nothing holds.
func (p *program) usual() { p.clockBy, p.held = governor, 1 }

// newProgram draws a case of the live recorder.
func newProgram(c *simulate.Case) *program {
	r := &drawn{Random: simulate.NewRandom(c.Seed, liveName+c.Kind)}
	r.d = &devices[r.IntN(len(devices))]
	r.screenOf()
	p := &program{c: c, d: r.d, warm: 6, seed: r.Uint64(), heatMean: 0.6}
	p.usual()
	n := r.Whole(45, 110)
	var pipe pipe
	switch c.Kind {
	case simulate.KindSingle:
		plants := append([]cand(nil), plantsLive...)
		k := plants[c.Seed%uint64(len(plants))]
		c.Plant, c.Text = names[k].String(), "limited by "+names[k].String()
		p.plantLive(r, k, &pipe)
	case simulate.KindTwoPhase:
		a := plantsPhases[r.IntN(len(plantsPhases))]
		b := plantsPhases[r.IntN(len(plantsPhases))]
		for b == a {
			b = plantsPhases[r.IntN(len(plantsPhases))]
		}
		c.Text = fmt.Sprintf("%v, then %v", names[a], names[b])
		p.plantLive(r, a, &pipe)
		p.plantLive(r, b, &pipe)
		p.cut = p.warm + n/2
	case simulate.KindSerial:
		c.Text = "in turn"
		if r.Chance(0.5) {
			p.plantLive(r, inTurn, &pipe)
		} else {
			p.plantLive(r, syncs, &pipe)
		}
	case simulate.KindHealthy:
		p.healthy(r, &pipe)
	default:
		p.mixed(r, &pipe)
	}
	p.script(r, n)
	p.afford(&pipe)
	c.Text += " on " + r.d.name
	c.Record, c.Judge = p.recordCase, p.judge
	return p
}

// script draws the frames: neighbours are alike, cuts of the camera are not, and now and then something is loaded.
func (p *program) script(r *drawn, n int) {
	sigma, cuts, hitches := r.Between(0.01, 0.07), 0.0, 0.0
	if p.calm {
		sigma = r.Between(0.01, 0.04)
	} else {
		cuts = simulate.Pick(r.Random, 0, 0.01, 0.03)
		hitches = simulate.Pick(r.Random, 0, 0, 0.01)
	}
	most := 0
	for i := range p.contents {
		most = max(most, len(p.contents[i].jobs))
	}
	level, walk := make([]float64, most+2), make([]float64, most+2)
	for i := range n + p.warm {
		f := frame{}
		if p.cut > 0 && i >= p.cut {
			f.content = 1
		}
		x := &p.contents[f.content]
		cut := r.Chance(cuts)
		factor := func(k int) float64 {
			if cut {
				level[k] = 0.12 * r.NormFloat64()
			}
			walk[k] = 0.8*walk[k] + 0.6*sigma*r.NormFloat64()
			return max(0.4, 1+level[k]+walk[k])
		}
		for k := range x.jobs {
			f.scale = append(f.scale, factor(k))
		}
		f.app, f.drv = x.app*factor(most), x.drv*factor(most+1)
		if r.Chance(hitches) {
			f.app *= r.Between(3, 8)
		}
		p.frames = append(p.frames, f)
	}
}

// add makes a content of passes, scaled so that a frame takes so many ns of the GPU at its highest clock.
func (p *program) add(text string, works []*work, ns float64, pipe *pipe) *content {
	none := &relief{}
	total := func() (sum float64) {
		for _, w := range works {
			sum += w.run(pipe, p.d, p.d.mhz/1000, none).total
		}
		return sum
	}
	for range 3 {
		by := ns / total()
		for _, w := range works {
			w.scale(by)
			if by < 1 || w.draws > 1 {
				w.draws = max(1, w.draws*by)
			}
		}
	}
	c := content{text: text}
	for _, w := range works {
		c.jobs = append(c.jobs, job{work: w})
	}
	p.contents = append(p.contents, c)
	return &p.contents[len(p.contents)-1]
}

// prepared is the program with jobs as a relief has them.
func (p *program) prepared(pipe *pipe, r *relief) *program {
	q := *p
	q.contents = nil
	for _, c := range p.contents {
		jobs := append([]job(nil), c.jobs...)
		for i := range jobs {
			jobs[i].prepare(pipe, p.d, r)
		}
		q.contents = append(q.contents, content{c.text, jobs, c.app, c.drv})
	}
	return &q
}

// judge finds out what limits the program.
func (p *program) judge() (*simulate.Truth, error) {
	var pipe pipe
	none := relief{}
	base := p.prepared(&pipe, &none)
	film := base.play(none, true)
	last := len(p.frames) - 1
	type stretch struct {
		name        string
		first, last int // frames; the first is that before
	}
	parts := []stretch{{"", p.warm - 1, last}}
	if p.cut > 0 {
		// Frames that are still under way when the content changes are of neither phase.
		parts = append(parts, stretch{"first", p.warm - 1, p.cut - 1}, stretch{"second", min(last-4, p.cut+p.pace.ahead+1), last})
	}
	length := func(f []shown, s stretch) float64 {
		return float64(f[s.last].flip - f[s.first].flip)
	}
	walks := make([]*paced, len(parts))
	for i, s := range parts {
		walks[i] = film.walk(base, s.first, s.last)
	}
	gains := func(r relief) (out []float64) {
		q := base
		if slices.Contains(r[:ofDraws], true) {
			q = p.prepared(&pipe, &r)
		}
		f := q.play(r, false)
		for _, s := range parts {
			out = append(out, 100*(1-length(f.frames, s)/length(film.frames, s)))
		}
		return out
	}
	out := make([]simulate.Part, len(parts))
	zero := film.frames[p.warm-1].flip
	for i, s := range parts {
		pt := &out[i]
		*pt = simulate.Part{Name: s.name, First: s.first + 1, Frames: s.last - s.first, Start: film.frames[s.first].flip - zero,
			End: film.frames[s.last].flip - zero}
		pt.Shares = portion(walks[i].own[:], pt.End-pt.Start)
		pt.QueueShares = walks[i].byQueue(pt.End - pt.Start)
		for k := s.first + 1; k <= s.last; k++ {
			pt.Missed += film.frames[k].missed
		}
		pt.GPUBusy, pt.ClockMean = film.g.activity(film.frames[s.first].flip, film.frames[s.last].flip)
	}
	for c := cand(0); c < relievable; c++ {
		touched := c >= ofDraws
		for _, w := range walks {
			touched = touched || w.own[c] > 0
		}
		skip := (c == thermal || c == power || c == governor) && c != p.clockBy
		g := make([]float64, len(parts))
		if touched && !skip {
			g = gains(only(c))
		}
		for i := range out {
			out[i].Leaves = append(out[i].Leaves, simulate.Gain{Candidate: names[c], Percent: g[i], Simulated: touched && !skip})
		}
	}
	var onGPU, onCPU relief
	for c := range ofDraws {
		onGPU[c] = true
	}
	onCPU[app], onCPU[driver] = true, true
	w, v := gains(onGPU), gains(onCPU)
	for i := range out {
		pt := &out[i]
		simulate.SortGains(pt.Leaves)
		pt.Whole = []simulate.Gain{{Candidate: simulate.WholeCPU, Percent: v[i], Simulated: true}, {Candidate: simulate.WholeGPU, Percent: w[i], Simulated: true}}
		simulate.SortGains(pt.Whole)
		pt.Queues = []simulate.Gain{{Candidate: ofGraphics, Percent: w[i], Simulated: true}}
		own := walks[i].own[vsync] + walks[i].own[capped] + walks[i].own[request]
		pt.Healthy = pt.Missed == 0 && own > 0.2*float64(pt.End-pt.Start) && pt.Leaves[0].Percent < 5
	}
	t := &simulate.Truth{Part: out[0], Phases: out[1:]}
	if len(t.Phases) == 0 {
		t.Phases = nil
	}
	for k := range film.frames {
		x := &film.frames[k]
		runs := film.g.runs[k]
		t.Each = append(t.Each, simulate.FrameTruth{Content: p.frames[k].content, Begin: x.appStart - zero, GPUBegin: runs[0].start - zero,
			GPUEnd: film.g.done[k] - zero, Shown: x.flip - zero, Missed: x.missed, Judged: k >= p.warm})
	}
	refresh := p.pace.refresh
	if p.pace.follows {
		refresh = 0
	}
	t.Hold(refresh)
	return t, nil
}

// byQueue are the shares of the queues, and of what is of none.
func (w *paced) byQueue(total int64) (out []simulate.Share) {
	left := total
	add := func(c simulate.Candidate, v float64) {
		if ns := min(left, int64(v)); ns > 0 {
			out = append(out, simulate.Share{Candidate: c, Ns: ns})
			left -= ns
		}
	}
	for c := ofDraws; c < candidates; c++ {
		if c != thermal && c != power && c != governor && c != inTurn {
			add(names[c], w.own[c])
		}
	}
	add(names[inTurn], w.turns)
	add(ofCompute, w.queues[1])
	return append(out, simulate.Share{Candidate: ofGraphics, Ns: left})
}

// activity is the share of a time in which the GPU worked, and the mean of its clock.
func (g *gpu) activity(from, until int64) (busy, clock float64) {
	var worked, all, sum float64
	for _, s := range g.timeline {
		ns := float64(min(s.end, until) - max(s.start, from))
		if ns <= 0 {
			continue
		}
		if all += ns; s.jobs[0] != nil || s.jobs[1] != nil {
			worked += ns
		}
		sum += ns * s.clock
	}
	if all == 0 {
		return 0, 1
	}
	return worked / float64(until-from), sum / all
}
