package intel

import (
	"errors"
	"slices"

	"astrolabe/capture/simulate"
)

// spans are all frames after the warm-up, and those of each phase.
func (p *program) spans() []simulate.Stretch {
	return simulate.Stretches(len(p.frames), p.warm, 3, func(i int) int { return p.frames[i].content },
		func(c int) string { return p.contents[c].name })
}

func (s *sim) times(spans []simulate.Stretch) []float64 {
	out := make([]float64, len(spans))
	for i, x := range spans {
		out[i] = s.frames[x.Last].flip.t - s.frames[x.First-1].flip.t
	}
	return out
}

// judge finds out by relief what limits a program.
func judge(p *program) (*simulate.Truth, error) {
	base, err := simulateOnce(p, nothing, true, nil)
	if err != nil {
		return nil, err
	}
	spans := p.spans()
	times := base.times(spans)
	parts := make([]simulate.Part, len(spans))
	for i, x := range spans {
		parts[i] = base.part(x)
	}
	total := base.frames[len(base.frames)-1].flip.t
	cause, slow := base.clk.cause(total)
	put := func(to func(p *simulate.Part) *[]simulate.Gain, c simulate.Candidate, works bool, set func(r *relief)) error {
		var after []float64
		if works {
			r := nothing
			set(&r)
			s, err := simulateOnce(p, r, false, nil)
			if err != nil {
				return err
			}
			after = s.times(spans)
		}
		for i := range parts {
			g := simulate.Gain{Candidate: c, Simulated: works}
			if works && times[i] > 0 {
				g.Percent = 100 * (times[i] - after[i]) / times[i]
			}
			list := to(&parts[i])
			*list = append(*list, g)
		}
		return nil
	}
	leaf := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	queue := func(p *simulate.Part) *[]simulate.Gain { return &p.Queues }
	whole := func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }
	loose, worked, used := p.loose(), p.worked(), 0
	for e := range engines {
		if len(base.order[e]) > 0 {
			used++
		}
	}
	turns := func(r *relief) { r.loose = true }
	errs := []error{put(leaf, simulate.CPUApp, true, func(r *relief) { r.app = true }),
		put(leaf, simulate.CPUDriver, true, func(r *relief) { r.driver = true }),
		put(leaf, simulate.CPUSync, true, func(r *relief) { r.wait = true }),
		put(whole, simulate.WholeCPU, true, func(r *relief) { r.app, r.driver, r.wait = true, true, true }),
		put(whole, simulate.WholeGPU, true, func(r *relief) { r.gpu = true })}
	for u, c := range candidates {
		if p.m.discrete || unit(u) != rays {
			errs = append(errs, put(leaf, c, worked[u], func(r *relief) { r.unit = unit(u) }))
		}
	}
	if slow {
		errs = append(errs, put(leaf, cause, true, func(r *relief) { r.top = true }))
	}
	if loose {
		errs = append(errs, put(leaf, simulate.QueuesInTurn, true, turns))
	}
	for e, name := range engineNames {
		if used > 1 && len(base.order[e]) > 0 {
			errs = append(errs, put(queue, simulate.Candidate{Level: simulate.LevelQueue, Name: name}, true, func(r *relief) { r.engine = e }))
		}
	}
	if loose && used > 1 {
		errs = append(errs, put(queue, simulate.QueuesInTurn, true, turns))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for i := range parts {
		x := &parts[i]
		x.Conclude()
	}
	truth := &simulate.Truth{Part: parts[0], Phases: parts[1:], Each: base.truths()}
	truth.Hold(float64(p.pacing.Refresh))
	return truth, nil
}

func (p *program) loose() bool {
	for _, c := range p.contents {
		for _, j := range c.jobs {
			if slices.ContainsFunc(j.after, func(d dependency) bool { return d.loose }) {
				return true
			}
		}
	}
	return false
}

// worked says which units have anything to do.
func (p *program) worked() (out [units]bool) {
	passes := []*pass{}
	for _, c := range p.contents {
		passes = append(passes, c.jobs...)
	}
	if p.other.pass != nil {
		passes = append(passes, p.other.pass)
	}
	out[command] = true
	for _, j := range passes {
		for s, n := range j.items {
			if u := unitAt[s]; n > 0 && u < units {
				out[u] = true
			}
		}
		for _, t := range []*threads{&j.vs, &j.ps} {
			for i, w := range t.work {
				out[arith+unit(i)] = out[arith+unit(i)] || w > 0
			}
			out[latency] = out[latency] || t.wait > 0
		}
	}
	return out
}

// part is what the simulation itself says of a span.
func (s *sim) part(x simulate.Stretch) simulate.Part {
	from, to := int64(s.frames[x.First-1].flip.t), int64(s.frames[x.Last].flip.t)
	p := simulate.Part{Name: x.Name, First: x.First, Frames: x.Last - x.First + 1, Start: from, End: to}
	add := func(list *[]simulate.Share, c simulate.Candidate, ns int64) {
		if ns == 0 {
			return
		}
		for i := range *list {
			if (*list)[i].Candidate == c {
				(*list)[i].Ns += ns
				return
			}
		}
		*list = append(*list, simulate.Share{Candidate: c, Ns: ns})
	}
	s.path.Walk(s.frames[x.Last].flip.node, from, func(a, b int64, cause, queue uint8) {
		add(&p.Shares, candidateOf(cause), b-a)
		if queue == simulate.NoQueue {
			add(&p.QueueShares, candidateOf(cause), b-a)
			return
		}
		turn := s.heldWithin(a, b, int(queue))
		add(&p.QueueShares, simulate.QueuesInTurn, turn)
		add(&p.QueueShares, simulate.Candidate{Level: simulate.LevelQueue, Name: engineNames[queue]}, b-a-turn)
	})
	simulate.SortShares(p.Shares)
	simulate.SortShares(p.QueueShares)
	for i := x.First; i <= x.Last; i++ {
		p.Missed += s.frames[i].missed
	}
	busy := 0.0
	for _, b := range s.busy {
		busy += max(0, min(b.share, float64(to))-max(b.at, float64(from)))
	}
	if to > from {
		p.GPUBusy = busy / float64(to-from)
	}
	p.ClockMean = s.clk.mean(float64(from), float64(to))
	return p
}

// heldWithin is how much of a time, in which an engine set the pace, another was kept from work by a loose dependency.
func (s *sim) heldWithin(a, b int64, engine int) int64 {
	sum, at := int64(0), a
	for _, h := range s.held {
		if h.engine == engine {
			continue
		}
		if from, to := max(at, int64(h.from)), min(b, int64(h.to)); to > from {
			sum += to - from
			at = to
		}
	}
	return sum
}
