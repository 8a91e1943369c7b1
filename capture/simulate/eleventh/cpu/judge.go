package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// leaves are the candidates that are relieved, with what relief changes.
var leaves = []struct {
	c      simulate.Candidate
	relief func(*rates)
}{
	{unitCore, func(r *rates) { r.of[inCore] = 1 / 1.5 }},
	{unitFront, func(r *rates) { r.of[inFront] = 1 / 1.5 }},
	{unitBranch, func(r *rates) { r.of[inBranch] = 1 / 1.5 }},
	{simulate.MemoryLatency, func(r *rates) { r.of[inLatency] = 1 / 1.5 }},
	{simulate.MemoryBandwidth, func(r *rates) { r.of[inBandwidth] = 1 / 1.5 }},
	{cpuIO, func(r *rates) { r.noIO = true }},
	{cpuLock, func(r *rates) { r.noLocks = true }},
	{cpuFaults, func(r *rates) { r.of[inFaults] = 0 }},
	{cpuOthers, func(r *rates) { r.noOthers = true }},
	{simulate.QueuesInTurn, func(r *rates) { r.noTurns = true }},
	{simulate.ClockThermal, func(r *rates) { r.noThermal = true }},
	{simulate.ClockPower, func(r *rates) { r.noPower = true }},
	{simulate.ClockGovernor, func(r *rates) { r.noGovern = true }},
}

var partLeaf = [parts]simulate.Candidate{unitCore, unitFront, unitBranch, simulate.MemoryLatency,
	simulate.MemoryBandwidth, cpuFaults}

var whyLeaf = map[int8]simulate.Candidate{byGovernor: simulate.ClockGovernor, byThermal: simulate.ClockThermal,
	byPower: simulate.ClockPower}

// bounds are the times of a stretch of frames in a run.
func (r *run) bounds(s simulate.Stretch) (start, end int64) {
	if s.First > 0 {
		start = r.frames[s.First-1].done
	}
	return start, r.frames[s.Last].done
}

// shares walks back from the stretch's end over what each moment waited for. A wait that relief ends counts for itself;
// a wait for all of a team goes on with the thread that came last; one for a date goes on with the date before.
func (r *run) shares(s simulate.Stretch) map[simulate.Candidate]float64 {
	start, at := r.bounds(s)
	out := map[simulate.Candidate]float64{}
	t := r.threads[r.firstOf[r.frames[s.Last].phase]]
	for at > start {
		i := len(t.log) - 1
		lo := 0
		for hi := i; lo < hi; { // the last that begins before at
			mid := (lo + hi + 1) / 2
			if t.log[mid].start < at {
				lo = mid
			} else {
				hi = mid - 1
			}
		}
		if i < 0 || t.log[lo].start >= at {
			// Before its phase began: the phase before goes on.
			if t.phase > 0 {
				t = r.threads[r.firstOf[t.phase-1]]
				continue
			}
			out[unitCore] += float64(at - start)
			break
		}
		x := &t.log[lo]
		if x.end < at { // an instant between steps
			at = max(start, x.end)
			continue
		}
		from := max(start, x.start)
		ns := float64(at - from)
		switch x.wait {
		case waitNone:
			fast := 1 - float64(x.lost)
			clocked := 0.0
			for k := range parts {
				if k != inBandwidth {
					clocked += float64(x.part[k])
				}
			}
			for k := range parts {
				share := float64(x.part[k])
				if k != inBandwidth && clocked > 0 {
					share *= (fast - float64(x.part[inBandwidth])) / clocked
				}
				out[partLeaf[k]] += ns * share
			}
			if c, ok := whyLeaf[x.why]; ok {
				out[c] += ns * float64(x.lost)
			} else {
				out[unitCore] += ns * float64(x.lost)
			}
		case waitIO:
			out[cpuIO] += ns
		case waitLock:
			out[cpuLock] += ns
		case waitTurn:
			out[simulate.QueuesInTurn] += ns
		case waitCPU:
			out[cpuOthers] += ns
		case waitBarrier:
			if x.end == at {
				t = r.threads[x.from]
				// The thread that came last ran until now.
				if n := len(t.log); n > 0 && t.log[0].start < at {
					continue
				}
			}
			out[unitCore] += ns
		case waitDate:
			if x.onTime { // from the date before it is the timer's, whatever ran
				from = max(start, min(x.start, x.since))
				out[timer] += float64(at - from)
			} else {
				out[timer] += ns
			}
		}
		at = from
	}
	return out
}

// whole makes shares of times that add up to the whole.
func whole(of map[simulate.Candidate]float64, order []simulate.Candidate, length int64) []simulate.Share {
	var out []simulate.Share
	sum, most := int64(0), 0
	for _, c := range order {
		if ns := int64(math.Floor(of[c])); ns > 0 {
			out = append(out, simulate.Share{Candidate: c, Ns: ns})
			sum += ns
			if ns > out[most].Ns {
				most = len(out) - 1
			}
		}
	}
	if len(out) == 0 {
		return []simulate.Share{{Candidate: order[0], Ns: length}}
	}
	out[most].Ns += length - sum
	return out
}

func (x *made) judge() (*simulate.Truth, error) {
	base := x.base(nil)
	stretches := x.stretches(base)
	parts := make([]simulate.Part, len(stretches))
	order := []simulate.Candidate{timer}
	for _, l := range leaves {
		order = append(order, l.c)
	}
	for i, s := range stretches {
		p := &parts[i]
		p.Name, p.First, p.Frames = s.Name, s.First, s.Last-s.First+1
		p.Start, p.End = base.bounds(s)
		of := base.shares(s)
		p.Shares = whole(of, order, p.End-p.Start)
		app := 0.0
		queues := map[simulate.Candidate]float64{}
		for _, c := range order { // sums in the same order, whose rounding is the same
			switch c {
			case cpuIO, cpuLock, cpuOthers, simulate.QueuesInTurn, timer:
				queues[c] = of[c]
			default:
				app += of[c]
			}
		}
		queues[simulate.CPUApp] = app
		p.QueueShares = whole(queues, append([]simulate.Candidate{simulate.CPUApp}, order...), p.End-p.Start)
		for _, f := range base.frames[s.First : s.Last+1] {
			p.Missed += f.missed
		}
		p.ClockMean = base.meanClock(p.Start, p.End)
	}
	gains := func(c simulate.Candidate, relief func(*rates)) (out []simulate.Gain) {
		rt := plain()
		relief(&rt)
		r := simulateCase(x.m, x.c, x.seed, rt, 0, false, nil)
		for _, s := range stretches {
			g := simulate.Gain{Candidate: c, Simulated: true}
			b0, b1 := base.bounds(s)
			if len(r.frames) > s.Last {
				a0, a1 := r.bounds(s)
				g.Percent = 100 * (1 - float64(a1-a0)/float64(b1-b0))
			}
			out = append(out, g)
		}
		return out
	}
	for _, l := range leaves {
		if !x.possible(l.c) {
			for i := range parts {
				parts[i].Leaves = append(parts[i].Leaves, simulate.Gain{Candidate: l.c})
			}
			continue
		}
		for i, g := range gains(l.c, l.relief) {
			parts[i].Leaves = append(parts[i].Leaves, g)
		}
	}
	for i, g := range gains(simulate.WholeCPU, func(r *rates) {
		for k := range r.of {
			r.of[k] = 1 / 1.5
		}
	}) {
		parts[i].Whole = []simulate.Gain{g}
		g.Candidate = simulate.CPUApp
		parts[i].Queues = []simulate.Gain{g}
	}
	for i := range parts {
		parts[i].Conclude()
	}
	out := &simulate.Truth{Part: parts[0], Phases: parts[1:]}
	begin := int64(0)
	for i, f := range base.frames {
		out.Each = append(out.Each, simulate.FrameTruth{Content: f.phase, Begin: begin, Shown: f.done, Missed: f.missed,
			Judged: i >= parts[0].First})
		begin = f.done
	}
	return out, nil
}

// possible reports whether relief can change anything.
func (x *made) possible(c simulate.Candidate) bool {
	for _, p := range x.c.phases {
		switch c {
		case cpuIO:
			if p.has(stepIO) {
				return true
			}
		case cpuLock:
			if p.has(stepLock) {
				return true
			}
		case simulate.QueuesInTurn:
			if p.turns > 1 {
				return true
			}
		case cpuOthers:
			if len(p.others) > 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// meanClock is the mean share of the highest clock between two times.
func (r *run) meanClock(start, end int64) float64 {
	sum, n := 0.0, 0
	for i, x := range r.clocks {
		if at := int64(i+1) * tickNs; at >= start && at <= end {
			sum, n = sum+x, n+1
		}
	}
	if n == 0 {
		return r.clock.share
	}
	return sum / float64(n)
}
