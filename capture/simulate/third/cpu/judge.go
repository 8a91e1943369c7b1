package cpu

import (
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

// Candidates of the model.
var (
	unitCore     = simulate.Candidate{Level: simulate.LevelUnit, Name: "core"}
	unitBranch   = simulate.Candidate{Level: simulate.LevelUnit, Name: "branch"}
	unitFrontEnd = simulate.Candidate{Level: simulate.LevelUnit, Name: "front_end"}
	cpuIO        = simulate.Candidate{Level: simulate.LevelCPU, Name: "io"}
	cpuLock      = simulate.Candidate{Level: simulate.LevelCPU, Name: "lock"}
	displayTimer = simulate.Candidate{Level: simulate.LevelDisplay, Name: "timer"}
)

// reliefs are what is tried, each with all else as it was. Rates grow by half, waits shrink by a third.
var reliefs = []struct {
	of simulate.Candidate
	by func(r *relief)
}{
	{unitCore, func(r *relief) { r.core = 1 / 1.5 }},
	{unitBranch, func(r *relief) { r.branch = 1 / 1.5 }},
	{unitFrontEnd, func(r *relief) { r.fetch = 1 / 1.5 }},
	{simulate.MemoryLatency, func(r *relief) { r.latency = 2.0 / 3 }},
	{simulate.MemoryBandwidth, func(r *relief) { r.band = 1 / 1.5 }},
	{cpuIO, func(r *relief) { r.storage = 2.0 / 3 }},
	{cpuLock, func(r *relief) { r.lock = 2.0 / 3 }},
	{simulate.QueuesInTurn, func(r *relief) { r.loose = true }},
	{simulate.ClockThermal, func(r *relief) { r.cool = true }},
	{simulate.ClockPower, func(r *relief) { r.strong = true }},
}

// ofPart are the candidates of the parts of a running thread's time.
var ofPart = [parts]simulate.Candidate{unitCore, unitBranch, unitFrontEnd, simulate.MemoryLatency,
	simulate.MemoryBandwidth, simulate.ClockThermal, simulate.ClockPower}

// leaves are all that can set the pace.
var leaves = append(ofPart[:], cpuIO, cpuLock, simulate.QueuesInTurn, displayTimer)

// judge finds the truth of a simulated program by simulating it again.
func judge(base *run) *simulate.Truth {
	m, p := base.m, base.p
	times := make([][]float64, len(reliefs))
	for i, c := range reliefs {
		rel := none
		c.by(&rel)
		times[i] = play(m, p, rel, false).ends
	}
	t := &simulate.Truth{Part: part(m, p, base, times, 0, p.frames)}
	for i, first := range p.phases {
		last := p.frames
		if i+1 < len(p.phases) {
			last = p.phases[i+1]
		}
		ph := part(m, p, base, times, first, last)
		ph.Name = string(rune('A' + i))
		t.Phases = append(t.Phases, ph)
	}
	if len(p.phases) < 2 {
		t.Phases = nil
	}
	from := 0.0
	for i, e := range base.ends {
		f := simulate.FrameTruth{Begin: int64(from), GPUBegin: int64(from), GPUEnd: int64(e), Shown: int64(e), Judged: true}
		for k, first := range p.phases {
			if i >= first {
				f.Content = k
			}
		}
		if base.dues[i] > 0 && e > base.dues[i] {
			f.Missed = 1
		}
		t.Each = append(t.Each, f)
		from = e
	}
	return t
}

// part is the truth about the frames from first to before last.
func part(m *machine, p *program, base *run, relieved [][]float64, first, last int) simulate.Part {
	length := func(ends []float64) (from, to float64) {
		if first > 0 {
			from = ends[first-1]
		}
		return from, ends[last-1]
	}
	from, to := length(base.ends)
	out := simulate.Part{First: first, Frames: last - first, Start: int64(from), End: int64(to)}
	most := 0.0
	for i, c := range reliefs {
		a, b := length(relieved[i])
		g := simulate.Gain{Candidate: c.of, Percent: 100 * (1 - (b-a)/(to-from)), Simulated: true}
		most = max(most, g.Percent)
		out.Leaves = append(out.Leaves, g)
	}
	simulate.SortGains(out.Leaves)
	dates := true
	for i := first; i < last; i++ {
		if base.dues[i] == 0 {
			dates = false
		} else if base.ends[i] > base.dues[i] {
			out.Missed++
		}
	}
	out.Shares = base.shares(first, last, out.Start, out.End)
	out.QueueShares = slices.Clone(out.Shares)
	out.Held = out.Leaves[0].Candidate == cpuLock && base.spins(from, to)
	out.Healthy = dates && out.Missed == 0 && most < simulate.ClearGain && out.ShareOf(displayTimer) > 0.1
	busy, clock := 0.0, 0.0
	for _, s := range base.spans {
		a, b := max(s.from, from), min(s.to, to)
		if a >= b {
			continue
		}
		clock += (b - a) * s.state.clock / m.top
		if slices.ContainsFunc(s.running, func(n int) bool { return n > 0 }) {
			busy += b - a
		}
	}
	out.GPUBusy, out.ClockMean = busy/(to-from), clock/(to-from)
	return out
}

// spins reports whether threads that wait for locks mostly do so on their CPUs.
func (s *run) spins(from, to float64) bool {
	var all, busy float64
	for _, past := range s.past {
		for _, x := range past {
			if x.what != queuesUp {
				continue
			}
			d := max(0, min(x.to, to)-max(x.from, from))
			all += d
			if x.busy {
				busy += d
			}
		}
	}
	return 2*busy > all
}

// shares walks back along the path that led to each frame's end, to the end of the frame before of the same thread: of
// threads that work side by side each has a path of its own, and sets the pace as long as no other had ended a frame.
// Where the path's thread ran, the parts of its time count; where it waited for another thread's work, the path goes on
// with that thread.
func (s *run) shares(first, last int, start, end int64) []simulate.Share {
	ns := map[simulate.Candidate]float64{}
	begun := map[int]float64{}
	for f := range last {
		e := s.enders[f]
		from, before := begun[e], 0.0
		begun[e] = s.ends[f]
		if f > 0 {
			before = s.ends[f-1]
		}
		if f < first || s.ends[f] <= before {
			continue
		}
		path := map[simulate.Candidate]float64{}
		s.walk(e, min(from, before), s.ends[f], path)
		scale := (s.ends[f] - before) / (s.ends[f] - min(from, before))
		for _, g := range leaves {
			ns[g] += path[g] * scale
		}
	}
	var out []simulate.Share
	sum := int64(0)
	for _, c := range leaves {
		v := int64(math.Round(ns[c]))
		out = append(out, simulate.Share{Candidate: c, Ns: v})
		sum += v
	}
	slices.SortStableFunc(out, func(a, b simulate.Share) int { return int(b.Ns - a.Ns) })
	out[0].Ns += end - start - sum // what rounding leaves
	return out
}

func (s *run) walk(i int, from, to float64, ns map[simulate.Candidate]float64) {
	for to > from+0.5 {
		past := s.past[i]
		k, _ := slices.BinarySearchFunc(past, to-0.25, func(x stretch, t float64) int {
			if x.to < t {
				return -1
			}
			return 1
		})
		if k == len(past) || past[k].from > to-0.25 {
			ns[unitCore] += to - from // nothing is known of it: less than a step
			return
		}
		x := past[k]
		a := max(from, x.from)
		switch x.what {
		case does:
			s.split(x.code, a, to, ns)
		case queuesUp:
			ns[cpuLock] += to - a
		case stores:
			ns[cpuIO] += to - a
		case inTurn:
			ns[simulate.QueuesInTurn] += to - a
		case sleeps:
			ns[displayTimer] += to - a
		case follows:
			if x.by < 0 || x.by == i {
				ns[unitCore] += to - a
				break
			}
			// The kernel's work to wake it up comes after the signal.
			if told := max(a, x.to-s.wakeUp(&x)); told < to {
				ns[unitCore] += to - told
				to = told
			}
			i = x.by
			continue
		}
		to = a
	}
}

func (s *run) wakeUp(x *stretch) float64 { return min(s.m.wake, x.to-x.from) }

// split shares a time out among the parts of what code took in it.
func (s *run) split(c int, from, to float64, ns map[simulate.Candidate]float64) {
	k, _ := slices.BinarySearchFunc(s.spans, from, func(x span, t float64) int {
		if x.to <= t {
			return -1
		}
		return 1
	})
	for ; k < len(s.spans) && s.spans[k].from < to; k++ {
		x := &s.spans[k]
		d := min(to, x.to) - max(from, x.from)
		pc := &x.state.of[c]
		for i, v := range pc.ns {
			ns[ofPart[i]] += d * v / pc.total
		}
	}
}
