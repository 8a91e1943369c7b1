package cpu

import (
	"sort"

	"astrolabe/capture/simulate"
)

// Candidates that this family has beside those of package simulate.
var (
	unitCore   = simulate.Candidate{Level: simulate.LevelUnit, Name: "core"}
	unitFront  = simulate.Candidate{Level: simulate.LevelUnit, Name: "front_end"}
	unitBranch = simulate.Candidate{Level: simulate.LevelUnit, Name: "branch"}
	cpuIO      = simulate.Candidate{Level: simulate.LevelCPU, Name: "io"}
	cpuLock    = simulate.Candidate{Level: simulate.LevelCPU, Name: "lock"}
	cpuFaults  = simulate.Candidate{Level: simulate.LevelCPU, Name: "faults"}
	cpuOthers  = simulate.Candidate{Level: simulate.LevelCPU, Name: "others"}
	timer      = simulate.Candidate{Level: simulate.LevelDisplay, Name: "timer"}
)

// leaves are the candidates that relief is tried on, with what it is.
var leaves = []struct {
	c  simulate.Candidate
	rl relief
}{
	{unitCore, relief{role: -1, core: true}},
	{unitFront, relief{role: -1, front: true}},
	{unitBranch, relief{role: -1, branch: true}},
	{simulate.MemoryLatency, relief{role: -1, latency: true}},
	{simulate.MemoryBandwidth, relief{role: -1, bandwidth: true}},
	{cpuIO, relief{role: -1, io: true}},
	{cpuLock, relief{role: -1, lock: true}},
	{cpuFaults, relief{role: -1, faults: true}},
	{cpuOthers, relief{role: -1, others: true}},
	{simulate.QueuesInTurn, relief{role: -1, loose: true}},
	{simulate.ClockGovernor, relief{role: -1, governor: true}},
	{simulate.ClockPower, relief{role: -1, power: true}},
	{simulate.ClockThermal, relief{role: -1, thermal: true}},
}

func partCandidate(part int, reason uint8) simulate.Candidate {
	switch part {
	case partFront:
		return unitFront
	case partBranch:
		return unitBranch
	case partLatency:
		return simulate.MemoryLatency
	case partBandwidth:
		return simulate.MemoryBandwidth
	case partFaults:
		return cpuFaults
	case partClock:
		return reasons[reason]
	}
	return unitCore
}

// sums are times by candidate, made whole at the end.
type sums struct {
	order []simulate.Candidate
	ns    map[simulate.Candidate]float64
}

func (s *sums) add(c simulate.Candidate, ns float64) {
	if ns == 0 {
		return
	}
	if _, ok := s.ns[c]; !ok {
		s.order = append(s.order, c)
		if s.ns == nil {
			s.ns = map[simulate.Candidate]float64{}
		}
	}
	s.ns[c] += ns
}

// shares are whole ns that add up to all; the longest takes what rounding leaves.
func (s *sums) shares(all int64) []simulate.Share {
	var out []simulate.Share
	rest := all
	for _, c := range s.order {
		ns := int64(s.ns[c])
		out = append(out, simulate.Share{Candidate: c, Ns: ns})
		rest -= ns
	}
	simulate.SortShares(out)
	if len(out) > 0 {
		out[0].Ns += rest
	}
	return out
}

// loose are the stretches of a thread that waited for its needless turn.
func (s *sim) looseWaits() []record {
	var out []record
	for i := range s.threads {
		for _, r := range s.threads[i].recs {
			if r.loose {
				r.from = int32(i)
				out = append(out, r)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].start < out[j].start })
	return out
}

// walk goes back from the end of an iteration to a time, over what each moment waited for.
func (s *sim) walk(last int, start, end int64, waits []record) (leaf, queue sums) {
	th := s.finisher(last)
	at := end
	for at > start {
		recs := s.threads[th].recs
		i := sort.Search(len(recs), func(i int) bool { return recs[i].end >= at })
		if i == len(recs) || recs[i].start >= at {
			// Before its first record: the simulation began.
			leaf.add(unitCore, float64(at-start))
			queue.add(unitCore, float64(at-start))
			return
		}
		r := &recs[i]
		lo := max(start, r.start)
		ns := float64(at - lo)
		plain := func(c simulate.Candidate) {
			leaf.add(c, ns)
			queue.add(c, ns)
		}
		switch r.kind {
		case recRun:
			sum := 0.0
			for _, p := range r.parts {
				sum += float64(p)
			}
			for p, x := range r.parts {
				leaf.add(partCandidate(p, r.reason), ns*float64(x)/sum)
			}
			turn := 0.0
			k := sort.Search(len(waits), func(i int) bool { return waits[i].end > lo })
			for ; k < len(waits) && waits[k].start < at; k++ {
				if int(waits[k].from) != th {
					turn += float64(min(at, waits[k].end) - max(lo, waits[k].start))
				}
			}
			turn = min(turn, ns)
			queue.add(simulate.QueuesInTurn, turn)
			queue.add(simulate.Candidate{Level: simulate.LevelQueue, Name: s.p.roles[s.threads[th].t.role]}, ns-turn)
		case recReady:
			c := unitCore
			if s.hogs {
				c = cpuOthers
			}
			plain(c)
		case recIO:
			plain(cpuIO)
		case recLock:
			plain(cpuLock)
		case recSem:
			th = int(r.from)
			continue // who signalled sets the pace
		default: // a date is set by the date before, and so on
			lo, ns = start, float64(at-start)
			plain(timer)
		}
		at = lo
	}
	return
}

// finisher is the thread that ends iterations of a content.
func (s *sim) finisher(iter int) int {
	for i := range s.threads {
		if s.threads[i].t.other {
			continue
		}
		for _, o := range s.threads[i].t.scripts[s.contentOf(iter)] {
			if o.kind == opEnd {
				return i
			}
		}
	}
	return 0
}

// judge finds out by relief what limits.
func (l *load) judge() (*simulate.Truth, error) {
	l.size()
	base := run(l.m, l.p, none, l.n, 0, true, nil)
	spans := simulate.Stretches(l.n, l.p.warm, 3, func(i int) int { return base.contentOf(i) },
		func(c int) string { return l.p.names[c] })
	waits := base.looseWaits()
	parts := make([]simulate.Part, len(spans))
	times := func(s *sim) []int64 {
		out := make([]int64, len(spans))
		for i, sp := range spans {
			out[i] = s.frames[sp.Last].end - s.frames[sp.First-1].end
		}
		return out
	}
	was := times(base)
	truth := &simulate.Truth{}
	missed := make([]int, l.n)
	for i := range missed {
		if l.p.dates != nil && base.frames[i].end > l.p.dates[i]+l.p.within {
			missed[i] = 1
		}
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: base.contentOf(i), Begin: base.frames[i].begin,
			Shown: base.frames[i].end, Missed: missed[i], Judged: i >= l.p.warm})
	}
	for i, sp := range spans {
		p := &parts[i]
		*p = simulate.Part{Name: sp.Name, First: sp.First, Frames: sp.Last - sp.First + 1,
			Start: base.frames[sp.First-1].end, End: base.frames[sp.Last].end}
		leaf, queue := base.walk(sp.Last, p.Start, p.End, waits)
		p.Shares, p.QueueShares = leaf.shares(p.End-p.Start), queue.shares(p.End-p.Start)
		for k := sp.First; k <= sp.Last; k++ {
			p.Missed += missed[k]
		}
		p.ClockMean = base.clock.sum / base.clock.n
	}
	relieve := func(c simulate.Candidate, rl relief, needed bool, put func(*simulate.Part, simulate.Gain)) {
		now := was
		if needed {
			now = times(run(l.m, l.p, rl, l.n, 0, false, nil))
		}
		for i := range parts {
			g := simulate.Gain{Candidate: c, Simulated: needed}
			if was[i] > 0 {
				g.Percent = 100 * float64(was[i]-now[i]) / float64(was[i])
			}
			put(&parts[i], g)
		}
	}
	for _, leaf := range leaves {
		if leaf.rl.loose && l.p.loose < 0 {
			continue
		}
		needed := leaf.rl.loose
		for i := range parts {
			needed = needed || parts[i].ShareOf(leaf.c) > 0.001
		}
		if leaf.rl.others {
			needed = base.hogs
		}
		relieve(leaf.c, leaf.rl, needed, func(p *simulate.Part, g simulate.Gain) { p.Leaves = append(p.Leaves, g) })
	}
	if len(l.p.roles) > 1 {
		queue := func(p *simulate.Part, g simulate.Gain) { p.Queues = append(p.Queues, g) }
		for role, name := range l.p.roles {
			relieve(simulate.Candidate{Level: simulate.LevelQueue, Name: name}, relief{role: role}, true, queue)
		}
		if l.p.loose >= 0 {
			relieve(simulate.QueuesInTurn, relief{role: -1, loose: true}, true, queue)
		}
	}
	relieve(simulate.WholeCPU, relief{role: -1, whole: true}, true,
		func(p *simulate.Part, g simulate.Gain) { p.Whole = append(p.Whole, g) })
	for i := range parts {
		parts[i].Conclude()
	}
	truth.Part, truth.Phases = parts[0], parts[1:]
	return truth, nil
}
