package cpu

import (
	"astrolabe/capture/simulate"
)

// Causes of the path.
const (
	causeStart = iota
	causeCore
	causeBranch
	causeFront
	causeLatency
	causeBandwidth
	causeIO
	causeTimer
)

func unitOf(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

// Candidates that limit programs. What comes from outside at its own dates, timers and requests, is the display of a
// program without one.
var (
	unitCore   = unitOf("core")      // slots and units that execute
	unitBranch = unitOf("branch")    // what wrong guesses take
	unitFront  = unitOf("front_end") // fetching and decoding
	cpuLock    = simulate.Candidate{Level: simulate.LevelCPU, Name: "lock"}
	cpuIO      = simulate.Candidate{Level: simulate.LevelCPU, Name: "io"} // of disks, and answers of other machines
	timerDate  = simulate.Candidate{Level: simulate.LevelDisplay, Name: "timer"}
)

var causes = [...]simulate.Candidate{causeStart: timerDate, causeCore: unitCore, causeBranch: unitBranch,
	causeFront: unitFront, causeLatency: simulate.MemoryLatency, causeBandwidth: simulate.MemoryBandwidth, causeIO: cpuIO,
	causeTimer: timerDate}

// load is a program on a machine.
type load struct {
	m      *machine
	phases []phase
	length []int64 // ns of each phase
	seed   uint64
}

// warm is the share of a phase that is not judged.
const warm = 0.12

// span is units that are judged together.
type span struct {
	name        string
	first, last int // in the list of units; the one before the first is where time begins
	phase       int
}

// base simulates a load as it is.
func (l *load) base(rec *recorder) (*sim, error) {
	s := newSim(l.m, l.phases, l.seed, noRelief(), nil, l.length)
	s.rec, s.path.Keep = rec, rec == nil
	err := s.run()
	return s, err
}

// spans are the phases' units after their warm-up.
func (s *sim) spans() (out []span) {
	for k := range s.phases {
		end := len(s.done)
		if k+1 < len(s.starts) {
			end = s.starts[k+1]
		}
		n := end - s.starts[k]
		if n < 4 {
			return nil
		}
		out = append(out, span{s.phases[k].name, s.starts[k] + max(1, int(warm*float64(n))), end - 1, k})
	}
	return out
}

// time is how long units of a span took.
func (s *sim) time(p span) int64 { return s.done[p.last].t - s.done[p.first-1].t }

// judge finds out by relief what limits a load.
func (l *load) judge() (*simulate.Truth, error) {
	base, err := l.base(nil)
	if err != nil {
		return nil, err
	}
	spans := base.spans()
	if spans == nil {
		// Too few units to judge: what it is, nobody can say.
		return &simulate.Truth{Part: simulate.Part{Frames: 1, Start: 0, End: 1, ClockMean: 1,
			Shares: []simulate.Share{{Candidate: timerDate, Ns: 1}}, Leaves: []simulate.Gain{{Candidate: unitCore}}}}, nil
	}
	target := make([]int, len(l.phases))
	for k, p := range spans {
		target[k] = p.last + 1 - base.starts[k]
	}
	parts := make([]simulate.Part, len(spans))
	for i, p := range spans {
		parts[i] = base.part(p)
	}
	whole := parts[0]
	if len(parts) > 1 {
		whole = joined(parts)
	}
	uses := l.uses()
	cause, share := base.clk.cause(base.weight)
	list := []simulate.Candidate{unitCore, unitBranch, unitFront, simulate.MemoryLatency, simulate.MemoryBandwidth, cpuLock, cpuIO,
		simulate.QueuesInTurn}
	if share > 0.02 {
		list = append(list, cause)
	}
	for _, c := range list {
		g := simulate.Gain{Candidate: c, Simulated: uses[c]}
		won, took := make([]float64, len(parts)), make([]float64, len(parts))
		if g.Simulated {
			s := newSim(l.m, l.phases, l.seed, reliefOf(c), target, l.length)
			if err := s.run(); err != nil {
				return nil, err
			}
			for i, p := range spans {
				took[i] = float64(base.time(p))
				shift := s.starts[i] - base.starts[i]
				last := p.last + shift
				if end := s.starts[i] + target[i] - 1; last > end {
					last = end
				}
				if last >= len(s.done) || p.first-1+shift < 0 {
					continue // it did not get there
				}
				won[i] = took[i] - float64(s.done[last].t-s.done[p.first-1+shift].t)
			}
		}
		all, sum := 0.0, 0.0
		for i := range parts {
			x := g
			if took[i] > 0 {
				x.Percent = 100 * won[i] / took[i]
			}
			parts[i].Leaves = append(parts[i].Leaves, x)
			all, sum = all+took[i], sum+won[i]
		}
		if all > 0 {
			g.Percent = 100 * sum / all
		}
		whole.Leaves = append(whole.Leaves, g)
	}
	truth := &simulate.Truth{Part: whole}
	finish := func(p *simulate.Part, k int) {
		simulate.SortGains(p.Leaves)
		p.Healthy = l.phases[k].dates && p.Missed == 0 && p.ShareOf(timerDate) > 0.5 && p.Leaves[0].Percent < simulate.ClearGain
		// What spins looks busy: nothing that is recorded tells it from work.
		p.Held = base.spun > 0.2*base.worked
	}
	finish(&truth.Part, 0)
	if len(parts) > 1 {
		for i := range parts {
			finish(&parts[i], i)
		}
		truth.Phases = parts
		truth.Healthy = parts[0].Healthy && parts[1].Healthy
	}
	for i, p := range spans {
		for n := p.first; n <= p.last; n++ {
			d := base.done[n]
			truth.Each = append(truth.Each, simulate.FrameTruth{Content: i, Begin: base.done[n-1].t, GPUBegin: base.done[n-1].t,
				GPUEnd: d.t, Shown: d.t, Judged: true})
		}
	}
	l.hold(truth, base)
	return truth, nil
}

// hold finds the parts that wait for the second of two dates with nearly every unit of work: such a capture looks like
// that of a program with half as many dates, which it keeps.
func (l *load) hold(t *simulate.Truth, base *sim) {
	of := func(p *simulate.Part, k int) bool {
		return l.phases[k].refresh > 0 && 10*p.Missed > 9*p.Frames
	}
	t.Held = t.Held || of(&t.Part, 0)
	for i := range t.Phases {
		t.Phases[i].Held = t.Phases[i].Held || of(&t.Phases[i], i)
	}
}

// part is what the simulation itself says of a span.
func (s *sim) part(p span) simulate.Part {
	before := s.done[p.first-1]
	out := simulate.Part{Name: p.name, First: p.first, Frames: p.last - p.first + 1, Start: before.t, End: s.done[p.last].t}
	var ns [len(causes)]int64
	s.path.Walk(s.done[p.last].node, out.Start, func(start, end int64, cause, _ uint8) { ns[cause] += end - start })
	// The path ends with the last node before the unit's end.
	total := int64(0)
	for _, x := range ns {
		total += x
	}
	ns[causeCore] += out.End - out.Start - total
	shares := map[simulate.Candidate]int64{}
	for c, x := range ns {
		shares[causes[c]] += x
	}
	for _, c := range causes[1:] {
		if x := shares[c]; x > 0 {
			out.Shares = append(out.Shares, simulate.Share{Candidate: c, Ns: x})
			delete(shares, c)
		}
	}
	simulate.SortShares(out.Shares)
	for _, t := range s.missed {
		if t > out.Start && t <= out.End {
			out.Missed++
		}
	}
	out.ClockMean = 1
	if s.weight > 0 {
		out.ClockMean = max(0, 1-(s.clk.held[0]+s.clk.held[1]+s.clk.held[2])/s.weight)
	}
	return out
}

// joined is several parts as one: it begins where the first does, and lasts as long as all together.
func joined(parts []simulate.Part) simulate.Part {
	out := simulate.Part{First: parts[0].First, Start: parts[0].Start, End: parts[0].Start, ClockMean: parts[0].ClockMean}
	sum := map[simulate.Candidate]int64{}
	for _, p := range parts {
		out.Frames += p.Frames
		out.Missed += p.Missed
		out.End += p.End - p.Start
		for _, x := range p.Shares {
			sum[x.Candidate] += x.Ns
		}
	}
	for _, c := range causes[1:] {
		if x := sum[c]; x > 0 {
			out.Shares = append(out.Shares, simulate.Share{Candidate: c, Ns: x})
			delete(sum, c)
		}
	}
	simulate.SortShares(out.Shares)
	return out
}

// reliefOf is the relief of a candidate.
func reliefOf(c simulate.Candidate) relief {
	r := noRelief()
	easier := 1 / simulate.Faster
	switch c {
	case unitCore:
		r.core = easier
	case unitBranch:
		r.branch = easier
	case unitFront:
		r.front = easier
	case simulate.MemoryLatency:
		r.latency = easier
	case simulate.MemoryBandwidth:
		r.bandwidth = easier
	case cpuLock:
		r.lock = true
	case cpuIO:
		r.io = easier
	case simulate.QueuesInTurn:
		r.loose = true
	default:
		r.highest = true
	}
	return r
}

// uses are the candidates that have any work.
func (l *load) uses() map[simulate.Candidate]bool {
	out := map[simulate.Candidate]bool{unitCore: true, unitBranch: true, unitFront: true, simulate.MemoryLatency: true,
		simulate.MemoryBandwidth: true, simulate.ClockGovernor: true, simulate.ClockThermal: true, simulate.ClockPower: true}
	for _, p := range l.phases {
		for _, c := range p.credits {
			out[simulate.QueuesInTurn] = out[simulate.QueuesInTurn] || c.loose
		}
		for i := range p.roles {
			for _, st := range p.roles[i].steps {
				switch st.do {
				case doLock:
					out[cpuLock] = true
				case doRead, doFetch, doSwap, doWrite, doAsk:
					out[cpuIO] = true
				case doBarrier:
					out[simulate.QueuesInTurn] = true
				}
			}
		}
	}
	return out
}

// enough reports whether a phase does a number of units that can be judged.
func (s *sim) enough() bool {
	for k := range s.starts {
		end := len(s.done)
		if k+1 < len(s.starts) {
			end = s.starts[k+1]
		}
		if end-s.starts[k] < 24 {
			return false
		}
	}
	return len(s.starts) == len(s.phases)
}
