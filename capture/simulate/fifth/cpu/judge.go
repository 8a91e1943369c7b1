package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

// Candidates of processors.
var (
	Core     = unit("core")
	Branch   = unit("branch")
	FrontEnd = unit("front_end")
	Lock     = simulate.Candidate{Level: simulate.LevelCPU, Name: "lock"}
	IO       = simulate.Candidate{Level: simulate.LevelCPU, Name: "io"}
	Timer    = simulate.Candidate{Level: simulate.LevelDisplay, Name: "timer"}
)

// candidateOf is what a cause is called. Threads begin at once: nobody sees the beginning after the warm-up.
func candidateOf(cause uint8) simulate.Candidate {
	switch cause {
	case byBranch:
		return Branch
	case byFetch:
		return FrontEnd
	case byLatency:
		return simulate.MemoryLatency
	case byBandwidth:
		return simulate.MemoryBandwidth
	case byLock:
		return Lock
	case byIO:
		return IO
	case byTimer, byStart:
		return Timer
	}
	return Core
}

// scenario is a program on a machine.
type scenario struct {
	m *machine
	p *program
}

// span is a row of frames that are judged together, both ends included.
type span struct {
	name        string
	first, last int
}

func (c *scenario) spans() []span {
	const settle = 2
	out := []span{{"", c.p.warm, c.p.frames - 1}}
	if len(c.p.phases) < 2 {
		return out
	}
	for i, ph := range c.p.phases {
		x := span{ph.name, ph.first + settle, c.p.frames - 1}
		if i == 0 {
			x.first = max(x.first, c.p.warm)
		}
		if i+1 < len(c.p.phases) {
			x.last = c.p.phases[i+1].first - 1
		}
		out = append(out, x)
	}
	return out
}

// reliefs are what is tried, and whether the scenario has any of it.
func (c *scenario) reliefs() (list []simulate.Candidate, of []relief, any []bool) {
	add := func(x simulate.Candidate, r relief, has bool) {
		list, of, any = append(list, x), append(of, r), append(any, has)
	}
	add(Core, relief{core: true}, true)
	add(Branch, relief{branch: true}, true)
	add(FrontEnd, relief{fetch: true}, true)
	add(simulate.MemoryLatency, relief{latency: true}, true)
	add(simulate.MemoryBandwidth, relief{bandwidth: true}, true)
	add(Lock, relief{lock: true}, len(c.p.locks) > 0)
	io := false
	for _, th := range c.p.threads {
		for _, o := range th.ops {
			io = io || o.do == opIO && !th.other
		}
	}
	for _, pool := range c.p.pools {
		for _, job := range pool {
			for _, o := range job {
				io = io || o.do == opIO
			}
		}
	}
	add(IO, relief{io: true}, io)
	loose := false
	for _, x := range c.p.semaphores {
		loose = loose || x.loose
	}
	add(simulate.QueuesInTurn, relief{turns: true}, loose)
	if k := &c.m.clock; k.cause.Name != "" {
		add(k.cause, relief{clock: true}, true)
	}
	return list, of, any
}

func times(s *sim, spans []span) []int64 {
	var out []int64
	for _, x := range spans {
		out = append(out, s.done[x.last].at-s.done[x.first-1].at)
	}
	return out
}

// judge finds out by relief what limits.
func (c *scenario) judge() (*simulate.Truth, error) {
	s := &sim{}
	s.reset(c.m, c.p, relief{}, true, nil)
	if err := s.run(); err != nil {
		return nil, err
	}
	spans := c.spans()
	base := times(s, spans)
	parts := make([]simulate.Part, len(spans))
	truth := &simulate.Truth{}
	for i, x := range spans {
		parts[i] = s.part(x)
	}
	phase := 0
	for i, f := range s.done {
		for phase+1 < len(c.p.phases) && i >= c.p.phases[phase+1].first {
			phase++
		}
		begin := f.at
		if i < len(s.begun) {
			begin = min(f.at, s.begun[i])
		}
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: phase, Begin: begin, GPUBegin: begin, GPUEnd: f.at,
			Shown: f.at, Judged: i >= c.p.warm})
	}
	list, reliefs, any := c.reliefs()
	spun := s.spun > 0.02*s.ran
	for k, x := range list {
		var relieved []int64
		if any[k] {
			s.reset(c.m, c.p, reliefs[k], false, nil)
			if err := s.run(); err != nil {
				return nil, err
			}
			relieved = times(s, spans)
		}
		for i := range parts {
			g := simulate.Gain{Candidate: x, Simulated: any[k]}
			if any[k] && base[i] > 0 {
				g.Percent = 100 * float64(base[i]-relieved[i]) / float64(base[i])
			}
			parts[i].Leaves = append(parts[i].Leaves, g)
		}
	}
	for i := range parts {
		p := &parts[i]
		simulate.SortGains(p.Leaves)
		paced := 2*p.ShareOf(Timer) > 1
		p.Healthy = p.Missed == 0 && paced && p.Leaves[0].Percent < simulate.ClearGain
		p.Held = spun && p.Leaves[0].Candidate == Lock
	}
	truth.Part = parts[0]
	if len(parts) > 1 {
		truth.Phases = parts[1:]
	}
	return truth, nil
}

// part is what the simulation itself says about frames.
func (s *sim) part(x span) simulate.Part {
	p := simulate.Part{Name: x.name, First: x.first, Frames: x.last - x.first + 1, Start: s.done[x.first-1].at,
		End: s.done[x.last].at}
	sums := map[simulate.Candidate]int64{}
	s.path.Walk(s.done[x.last].node, p.Start, func(start, end int64, cause, _ uint8) {
		sums[candidateOf(cause)] += end - start
	})
	for _, c := range []simulate.Candidate{Core, Branch, FrontEnd, simulate.MemoryLatency, simulate.MemoryBandwidth,
		Lock, IO, Timer} {
		if sums[c] > 0 {
			p.Shares = append(p.Shares, simulate.Share{Candidate: c, Ns: sums[c]})
		}
	}
	simulate.SortShares(p.Shares)
	for _, t := range s.missed {
		if t > p.Start && t <= p.End {
			p.Missed++
		}
	}
	p.ClockMean = s.meanClock(p.Start, p.End)
	return p
}

// meanClock is the mean share of the highest clock over a time.
func (s *sim) meanClock(start, end int64) float64 {
	sum := 0.0
	for i, c := range s.changes {
		until := end
		if i+1 < len(s.changes) {
			until = min(end, s.changes[i+1].at)
		}
		if from := max(start, c.at); until > from {
			sum += c.share * float64(until-from)
		}
	}
	return sum / math.Max(1, float64(end-start))
}
