package intel

import "astrolabe/capture/simulate"

// relief is what of the frames' side a simulation makes easier; units are eased by the solver.
type relief struct {
	app, driver              float64
	noSync, noTurns, highest bool
}

var none = relief{app: 1, driver: 1}

// span is a row of frames that are judged together.
type span struct {
	name        string
	first, last int
}

// spans are all frames behind the warm-up, and those of each phase without its first, which it shares with the other.
func (w *load) spans() []span {
	all := []span{{"", w.warm, len(w.frames) - 1}}
	if len(w.contents) > 1 {
		half := w.warm
		for w.frames[half].content == 0 {
			half++
		}
		all = append(all, span{w.contents[0].name, w.warm + 2, half - 1}, span{w.contents[1].name, half + 3, len(w.frames) - 1})
	}
	return all
}

func (c *course) time(s span) float64 { return float64(c.each[s.last].Shown - c.each[s.first-1].Shown) }

// judge finds out by relief what limits a load.
func judge(m *machine, w *load) *simulate.Truth {
	v := newSolver(m)
	v.keep = true
	base := w.run(v, none, true)
	spans := w.spans()
	truth := &simulate.Truth{Each: base.each}
	parts := make([]simulate.Part, len(spans))
	paced := make([]bool, len(spans))
	for i, s := range spans {
		parts[i], paced[i] = base.part(m, s)
	}
	against := func(c simulate.Candidate, other *course, put func(*simulate.Part) *[]simulate.Gain) {
		for i, s := range spans {
			g := simulate.Gain{Candidate: c, Simulated: other != nil}
			if before := base.time(s); other != nil && before > 0 {
				g.Percent = 100 * (before - other.time(s)) / before
			}
			list := put(&parts[i])
			*list = append(*list, g)
		}
	}
	leaves := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	whole := func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }
	for cause := range gpuCauses {
		if cause == rayTracing && !m.xe2 {
			continue
		}
		var other *course
		if parts[0].ShareOf(candidates[cause]) > 0 || w.clock.limit > 0 && cause != rayTracing {
			eased := newSolver(m, cause)
			eased.base, eased.cause = v, cause
			other = w.run(eased, none, false)
		}
		against(candidates[cause], other, leaves)
	}
	easier := func(change func(*relief)) *course {
		r := none
		change(&r)
		return w.run(v, r, false)
	}
	against(simulate.CPUApp, easier(func(r *relief) { r.app = simulate.Faster }), leaves)
	against(simulate.CPUDriver, easier(func(r *relief) { r.driver = simulate.Faster }), leaves)
	against(simulate.CPUSync, easier(func(r *relief) { r.noSync = true }), leaves)
	if w.loose() {
		against(simulate.QueuesInTurn, easier(func(r *relief) { r.noTurns = true }), leaves)
	}
	if c, ok := w.cause(base); ok {
		against(c, easier(func(r *relief) { r.highest = true }), leaves)
	}
	against(simulate.WholeCPU, easier(func(r *relief) {
		r.app, r.driver, r.noSync = simulate.Faster, simulate.Faster, true
	}), whole)
	var all []int
	for cause := range gpuCauses {
		all = append(all, cause)
	}
	against(simulate.WholeGPU, w.run(newSolver(m, all...), none, false), whole)
	for i := range parts {
		p := &parts[i]
		p.Rank()
		p.Healthy = p.Missed == 0 && paced[i] && p.Leaves[0].Percent < simulate.ClearGain
	}
	truth.Part, truth.Phases = parts[0], parts[1:]
	if len(truth.Phases) == 0 {
		truth.Phases = nil
	}
	truth.Hold(float64(w.pacing.Refresh))
	return truth
}

func (w *load) loose() bool {
	for i := range w.contents {
		if len(w.contents[i].merged) < len(w.contents[i].sections) {
			return true
		}
	}
	return false
}

// cause is what held the clock below its highest for the longest, if anything did for a noticeable time.
func (w *load) cause(c *course) (simulate.Candidate, bool) {
	by, most := simulate.ClockGovernor, c.slow[1]
	if c.slow[0] > most {
		by, most = simulate.ClockPower, c.slow[0]
		if w.clock.hot {
			by = simulate.ClockThermal
		}
	}
	return by, most*50 > float64(c.each[len(c.each)-1].Shown)
}

// part is what a simulation itself says of frames: what set the pace, missed dates, and how busy the GPU was.
func (c *course) part(m *machine, s span) (p simulate.Part, paced bool) {
	p = simulate.Part{Name: s.name, First: s.first, Frames: s.last - s.first + 1, Start: c.each[s.first-1].Shown, End: c.each[s.last].Shown}
	var sums [firstSection]float64
	c.path.Walk(c.nodes[s.last], p.Start, func(from, to int64, cause, _ uint8) {
		if cause < firstSection {
			sums[cause] += float64(to - from)
			return
		}
		i := 0
		for lo, hi := 0, len(c.busy); lo < hi; { // the section that ended then
			if i = (lo + hi) / 2; c.busy[i].to < to {
				lo = i + 1
				i = lo
			} else {
				hi = i
			}
		}
		b := &c.busy[i]
		all := float64(to - from)
		started := max(0, min(all, float64(b.launched-from)))
		sums[launch] += started
		for k, share := range b.r.shares {
			sums[k] += (all - started) * share
		}
	})
	left, most := p.End-p.Start, -1
	display := int64(0)
	byName := map[simulate.Candidate]int{}
	for k, ns := range sums {
		whole := int64(ns)
		if whole <= 0 {
			continue
		}
		left -= whole
		at, ok := byName[candidates[k]]
		if !ok {
			at = len(p.Shares)
			byName[candidates[k]] = at
			p.Shares = append(p.Shares, simulate.Share{Candidate: candidates[k]})
		}
		p.Shares[at].Ns += whole
		if candidates[k].Level == simulate.LevelDisplay {
			display += whole
		}
		if most < 0 || p.Shares[at].Ns > p.Shares[most].Ns {
			most = at
		}
	}
	if most >= 0 {
		p.Shares[most].Ns += left // of rounding
	}
	simulate.SortShares(p.Shares)
	for i := s.first; i <= s.last; i++ {
		p.Missed += c.each[i].Missed
	}
	for i := range c.busy {
		b := &c.busy[i]
		p.GPUBusy += float64(max(0, min(b.to, p.End)-max(b.from, p.Start)))
	}
	p.GPUBusy /= float64(p.End - p.Start)
	p.ClockMean = c.clock(p.Start, p.End) / float64(p.End-p.Start)
	return p, 2*display > p.End-p.Start
}

// clock is the integral of the clock's share of its highest.
func (c *course) clock(from, to int64) (sum float64) {
	for i, m := range c.clocks {
		until := to
		if i+1 < len(c.clocks) {
			until = min(to, c.clocks[i+1].at)
		}
		if begin := max(from, m.at); until > begin || i == 0 && until > from {
			sum += m.share * float64(until-max(from, m.at))
		}
	}
	return sum
}
