package intel

import (
	"cmp"
	"slices"

	"astrolabe/capture/simulate"
)

// spans are all frames after the warm-up, and those of each phase.
func (p *program) spans() []simulate.Stretch {
	return simulate.Stretches(len(p.frames), p.warm, 3, func(i int) int { return p.frames[i].content },
		func(c int) string { return p.contents[c].name })
}

func (e *engine) times(spans []simulate.Stretch) (out []int64) {
	for _, s := range spans {
		out = append(out, e.frames[s.Last].flip-e.frames[s.First-1].flip)
	}
	return out
}

// judge finds out by relief what limits a program.
func judge(m *machine, p *program) (*simulate.Truth, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	if err := e.simulate(m, p, relief{}, true, nil); err != nil {
		return nil, err
	}
	spans := p.spans()
	base := e.times(spans)
	var parts []simulate.Part
	for _, s := range spans {
		parts = append(parts, e.part(s))
	}
	truth := &simulate.Truth{}
	for i := range p.frames {
		f := &e.frames[i]
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: p.frames[i].content, Begin: f.begin, GPUBegin: f.gpuBegin,
			GPUEnd: f.done, Shown: f.flip, Missed: f.missed, Judged: i >= p.warm})
	}
	held := e.clock.held
	end := float64(e.frames[len(e.frames)-1].flip)
	limited := p.clock.limit.cause != limitNone
	put := func(c simulate.Candidate, r relief, simulated bool, to func(*simulate.Part) *[]simulate.Gain) error {
		var times []int64
		if simulated {
			if err := e.simulate(m, p, r, false, nil); err != nil {
				return err
			}
			times = e.times(spans)
		}
		for i := range parts {
			g := simulate.Gain{Candidate: c, Simulated: simulated}
			if simulated && base[i] > 0 {
				g.Percent = 100 * float64(base[i]-times[i]) / float64(base[i])
			}
			list := to(&parts[i])
			*list = append(*list, g)
		}
		return nil
	}
	leaves := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	for c := cArithmetic; c <= cDriver; c++ {
		if c == cRay && m.base != "intel-dg2" {
			continue
		}
		// What the path never waited for shortens nothing, unless less work lets the clock rise.
		needed := limited || p.clock.period > 0 && c < cApp || parts[0].ShareOf(candidates[c]) > 0
		if err := put(candidates[c], relief{cause: c + 1, app: c == cApp, driver: c == cDriver}, needed, leaves); err != nil {
			return nil, err
		}
	}
	if err := put(simulate.CPUSync, relief{wait: true}, true, leaves); err != nil {
		return nil, err
	}
	if p.loose() {
		if err := put(simulate.QueuesInTurn, relief{loose: true}, true, leaves); err != nil {
			return nil, err
		}
	}
	which := limitNone
	if p.clock.limit.cause != limitNone && held[p.clock.limit.cause] > held[limitNone] {
		which = p.clock.limit.cause
	}
	if held[which] > 0.02*end {
		c := [...]simulate.Candidate{simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower}[which]
		if err := put(c, relief{highest: true}, true, leaves); err != nil {
			return nil, err
		}
	}
	byQueue := func(p *simulate.Part) *[]simulate.Gain { return &p.Queues }
	if used := p.queues(); len(used) > 1 {
		for _, q := range used {
			c := simulate.Candidate{Level: simulate.LevelQueue, Name: queueNames[q]}
			if err := put(c, relief{queue: q + 1}, true, byQueue); err != nil {
				return nil, err
			}
		}
		if p.loose() {
			if err := put(simulate.QueuesInTurn, relief{loose: true}, true, byQueue); err != nil {
				return nil, err
			}
		}
	}
	whole := func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }
	if err := put(simulate.WholeCPU, relief{app: true, driver: true, wait: true}, true, whole); err != nil {
		return nil, err
	}
	if err := put(simulate.WholeGPU, relief{gpu: true}, true, whole); err != nil {
		return nil, err
	}
	for i := range parts {
		parts[i].Conclude()
	}
	truth.Part, truth.Phases = parts[0], parts[1:]
	truth.Hold(float64(p.pacing.Refresh))
	return truth, nil
}

// queues are those that the program uses.
func (p *program) queues() (out []int) {
	for q := range queues {
		if slices.ContainsFunc(p.contents, func(c content) bool {
			return slices.ContainsFunc(c.passes, func(x pass) bool { return x.queue == q })
		}) {
			out = append(out, q)
		}
	}
	return out
}

func (p *program) loose() bool {
	return slices.ContainsFunc(p.contents, func(c content) bool {
		return slices.ContainsFunc(c.passes, func(x pass) bool {
			return slices.ContainsFunc(x.after, func(d dep) bool { return d.loose })
		})
	})
}

// part is what the simulation itself says about a span of frames.
func (e *engine) part(s simulate.Stretch) simulate.Part {
	p := simulate.Part{Name: s.Name, First: s.First, Frames: s.Last - s.First + 1, Start: e.frames[s.First-1].flip,
		End: e.frames[s.Last].flip}
	var leaf, other [causes]int64
	var byQueue [queues]int64
	turn, at := int64(0), uint8(noQueue)
	e.path.walk(e.frames[s.Last].flipNode, p.Start, func(start, end int64, queue uint8) {
		if at = queue; queue != noQueue {
			held := e.blockedIn(start, end, int(queue))
			turn += held
			byQueue[queue] += end - start - held
		}
	}, func(cause int, ns int64) {
		leaf[cause] += ns
		if at == noQueue {
			other[cause] += ns
		}
	})
	for c := range leaf {
		p.Shares = add(p.Shares, candidates[c], leaf[c])
		p.QueueShares = add(p.QueueShares, candidates[c], other[c])
	}
	for q, ns := range byQueue {
		p.QueueShares = add(p.QueueShares, simulate.Candidate{Level: simulate.LevelQueue, Name: queueNames[q]}, ns)
	}
	p.QueueShares = add(p.QueueShares, simulate.QueuesInTurn, turn)
	for _, list := range [][]simulate.Share{p.Shares, p.QueueShares} {
		slices.SortStableFunc(list, func(a, b simulate.Share) int { return cmp.Compare(b.Ns, a.Ns) })
	}
	for i := s.First; i <= s.Last; i++ {
		p.Missed += e.frames[i].missed
	}
	p.GPUBusy, p.ClockMean = e.busyIn(p.Start, p.End), e.clockMean()
	return p
}

func add(list []simulate.Share, c simulate.Candidate, ns int64) []simulate.Share {
	if ns <= 0 {
		return list
	}
	for i := range list {
		if list[i].Candidate == c {
			list[i].Ns += ns
			return list
		}
	}
	return append(list, simulate.Share{Candidate: c, Ns: ns})
}

// blockedIn is how much of a time another queue's work was held back only by a needless dependency.
func (e *engine) blockedIn(start, end int64, queue int) (sum int64) {
	for _, b := range e.blocked {
		if b.queue != queue && b.end > start && b.start < end {
			from, to := max(start, b.start), min(end, b.end)
			sum += to - from
			start = to
		}
	}
	return sum
}

// busyIn is the share of a time in which a pass of the program was on a queue.
func (e *engine) busyIn(start, end int64) float64 {
	var list []interval
	for i := range e.jobs {
		if j := &e.jobs[i]; j.end > start && j.begun < end {
			list = append(list, interval{max(start, j.begun), min(end, j.end)})
		}
	}
	slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.start, b.start) })
	sum, edge := int64(0), start
	for _, x := range list {
		if x.start = max(x.start, edge); x.end > x.start {
			sum += x.end - x.start
			edge = x.end
		}
	}
	return float64(sum) / float64(max(1, end-start))
}

// clockMean is the mean of the clock's share of its highest over the whole simulation.
func (e *engine) clockMean() float64 {
	n := len(e.p.clock.steps) - 1
	if e.clocked <= 0 {
		return 1
	}
	return e.cycles / e.clocked / e.p.clock.steps[n]
}
