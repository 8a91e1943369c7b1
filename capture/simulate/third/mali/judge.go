package mali

import (
	"cmp"
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

// candidates are all that a machine can have.
func candidates(gen5 bool) []simulate.Candidate {
	out := []simulate.Candidate{}
	for r, c := range leafOf {
		if r != rRayTracing || gen5 {
			out = append(out, c)
		}
	}
	return append(out, simulate.LaunchOverhead, simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync,
		simulate.QueuesInTurn, simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower)
}

// stretch is some of the frames: from the one after first-1 to last.
type stretch struct {
	name        string
	first, last int
}

func (e *engine) start(s stretch) float64 { return e.frames[s.first-1].shown }
func (e *engine) end(s stretch) float64   { return e.frames[s.last].shown }

func (p *program) stretches() (whole stretch, phases []stretch) {
	whole = stretch{first: p.warm, last: len(p.of) - 1}
	for n := p.warm; n < len(p.of); n++ {
		if n == p.warm || p.of[n] != p.of[n-1] {
			phases = append(phases, stretch{name: p.contents[p.of[n]].text, first: n})
		}
		phases[len(phases)-1].last = n
	}
	if len(phases) == 1 {
		phases = nil
	}
	return whole, phases
}

// judge simulates the program again without each of its limits.
func (p *program) judge() *simulate.Truth {
	e := p.run(false)
	whole, phases := p.stretches()
	all := append([]stretch{whole}, phases...)
	parts := make([]simulate.Part, len(all))
	origin := e.start(whole)
	for i, s := range all {
		parts[i] = e.part(s, origin)
	}
	gain := func(c simulate.Candidate) []simulate.Gain {
		out := make([]simulate.Gain, len(all))
		q, ok := p.relieved(c)
		var f *engine
		if ok {
			f = q.run(false)
		}
		for i, s := range all {
			out[i] = simulate.Gain{Candidate: c, Simulated: ok}
			if ok {
				out[i].Percent = 100 * (1 - (f.end(s)-f.start(s))/(e.end(s)-e.start(s)))
			}
		}
		return out
	}
	for _, c := range candidates(p.m.gen5) {
		for i, g := range gain(c) {
			parts[i].Leaves = append(parts[i].Leaves, g)
		}
	}
	for _, c := range []simulate.Candidate{simulate.WholeCPU, simulate.WholeGPU} {
		for i, g := range gain(c) {
			parts[i].Whole = append(parts[i].Whole, g)
		}
	}
	for i := range parts {
		parts[i].Rank()
	}
	t := &simulate.Truth{Part: parts[0], Phases: parts[1:]}
	for n := range e.frames {
		f := &e.frames[n]
		at := func(v float64) int64 { return int64(math.Round(v - origin)) }
		t.Each = append(t.Each, simulate.FrameTruth{Content: p.of[n], Begin: at(f.app), GPUBegin: at(f.begin), GPUEnd: at(f.end),
			Shown: at(f.shown), Missed: f.missed, Judged: n >= p.warm})
	}
	t.Hold(p.pacing.refresh)
	return t
}

func (e *engine) part(s stretch, origin float64) simulate.Part {
	out := simulate.Part{Name: s.name, First: s.first, Frames: s.last - s.first + 1,
		Start: int64(math.Round(e.start(s) - origin)), End: int64(math.Round(e.end(s) - origin))}
	out.Shares = e.shares(s, out.End-out.Start)
	out.QueueShares = out.Shares
	display, busy, clocked := 0.0, 0.0, 0.0
	for _, g := range out.Shares {
		if g.Candidate.Level == simulate.LevelDisplay {
			display += float64(g.Ns)
		}
	}
	until := e.start(s)
	for n := s.first; n <= s.last; n++ {
		f := &e.frames[n]
		out.Missed += f.missed
		if f.end > until {
			busy += f.end - max(until, f.begin)
			until = f.end
		}
		for k := range f.passes {
			for b, v := range f.passes[k].bound {
				if b == bGovernor || b == bCap {
					clocked += v
				}
			}
		}
	}
	length := e.end(s) - e.start(s)
	out.GPUBusy = min(1, busy/length)
	out.ClockMean = 1 - clocked/max(busy, clocked, 1)
	out.Healthy = out.Missed == 0 && display >= 0.9*length
	return out
}

// working is the share of a stretch in which any queue works on a pass.
func (e *engine) working(s stretch) float64 {
	var list [][2]float64
	for n := range e.frames {
		for k := range e.frames[n].passes {
			list = append(list, [2]float64{e.frames[n].passes[k].start, e.frames[n].passes[k].end})
		}
	}
	slices.SortFunc(list, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	sum, until := 0.0, e.start(s)
	for _, p := range list {
		if end := min(p[1], e.end(s)); end > until {
			sum += end - max(until, p[0])
			until = end
		}
	}
	return sum / (e.end(s) - e.start(s))
}

// tally adds up how long each leaf set the pace. It walks back from the last frame shown, from each event to the one
// that it waited for last.
type tally struct {
	e     *engine
	from  float64
	at    float64 // how far the walk is
	order []simulate.Candidate
	ns    map[simulate.Candidate]float64
}

// to gives the time back to t to c.
func (y *tally) to(t float64, c simulate.Candidate) {
	t = max(t, y.from)
	if t >= y.at {
		return
	}
	if _, ok := y.ns[c]; !ok {
		y.order = append(y.order, c)
	}
	y.ns[c] += y.at - t
	y.at = t
}

// pass gives the time of a pass to what bound it.
func (y *tally) pass(n, k int) {
	r := &y.e.frames[n].passes[k]
	start := max(r.start, y.from)
	length, total := y.at-start, 0.0
	if length <= 0 {
		return
	}
	for _, v := range r.bound {
		total += v
	}
	for b, v := range r.bound {
		c := simulate.LaunchOverhead
		switch {
		case b < resources:
			c = leafOf[b]
		case b == bGovernor:
			c = simulate.ClockGovernor
		case b == bCap:
			c = y.e.p.clock.kind
		}
		if v > 0 {
			y.to(y.at-length*v/total, c)
		}
	}
	y.at = start
}

func (e *engine) shares(s stretch, ns int64) []simulate.Share {
	y := &tally{e: e, from: e.start(s), at: e.end(s), ns: map[simulate.Candidate]float64{}}
	pc := &e.p.pacing
	paced := simulate.DisplayVsync
	n, k, where := s.last, 0, whyShown
	lastPass := func() {
		k = 0
		for i := range e.frames[n].passes {
			if e.frames[n].passes[i].end >= e.frames[n].passes[k].end {
				k = i
			}
		}
	}
	follow := func(r reason) {
		n, k, where = r.frame, r.pass, r.kind
		switch r.kind {
		case whyTurn:
			y.to(r.alone, simulate.QueuesInTurn)
			where = whyPass
		case whySync:
			lastPass()
			y.to(max(r.alone, e.frames[n].begin), simulate.CPUSync)
			where = whyPass
		case whyPass:
			if k < 0 {
				lastPass()
			}
		}
	}
	for y.at > y.from && n >= 0 && where != whyNothing {
		f := &e.frames[n]
		switch where {
		case whyShown:
			switch {
			case n > 0 && f.byDisplay && (!pc.capped && !pc.asked):
				y.to(e.frames[n-1].shown, paced)
				n--
			default:
				if pc.refresh > 0 {
					c := paced
					if pc.capped || pc.asked {
						c = e.dated()
					}
					y.to(f.end, c)
				}
				lastPass()
				where = whyPass
			}
		case whyPass:
			y.pass(n, k)
			r := f.passes[k].why
			y.to(f.passes[k].start, simulate.LaunchOverhead)
			follow(r)
		case whyDriver:
			y.to(f.driver, simulate.CPUDriver)
			follow(f.driverWhy)
		case whyApp:
			y.to(f.app, simulate.CPUApp)
			follow(f.appWhy)
		case whyDate: // r.frame is the frame before the one that was waited for
			y.to(f.app, e.dated())
			follow(f.appWhy)
		}
	}
	// What is left is before the first event of the program.
	y.to(y.from, simulate.CPUApp)
	var out []simulate.Share
	var sum int64
	for i, c := range y.order {
		v := int64(math.Round(y.ns[c]))
		if i == len(y.order)-1 {
			v = ns - sum
		}
		sum += v
		out = append(out, simulate.Share{Candidate: c, Ns: v})
	}
	return out
}

// dated is what sets the dates of frames.
func (e *engine) dated() simulate.Candidate {
	if e.p.pacing.capped {
		return simulate.DisplayCap
	}
	return simulate.DisplayRequest
}
