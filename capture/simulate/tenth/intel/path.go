package intel

import (
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

// walk goes back from a node over what each event waited for, and says what set the pace in each span.
func (e *engine) walk(from int32, until int64, leaf *[nCause]float64, queue *[nQueue]float64, other *[nCause]float64) {
	over, overCause := int64(-1), 0 // a needless wait: from when on, and of which kind
	for n := from; n >= 0; n = e.nodes[n].prev {
		v := &e.nodes[n]
		if v.at <= until {
			return
		}
		if t, ok := e.turns[n]; ok {
			own := e.own(t)
			over, overCause = max(t.could, v.at-own), cTurn
			if t.queue < 0 {
				overCause = cSync
			}
		}
		if v.prev < 0 {
			// The very beginning.
			leaf[cApp] += float64(v.at - until)
			other[cApp] += float64(v.at - until)
			return
		}
		a, b := max(until, e.nodes[v.prev].at), v.at
		if a >= b {
			continue
		}
		if over >= 0 && b > over {
			lo := max(a, over)
			leaf[overCause] += float64(b - lo)
			other[overCause] += float64(b - lo)
			if b = lo; a >= b {
				continue
			}
		}
		over = -1
		if v.cause != causeQueue {
			leaf[v.cause] += float64(b - a)
			other[v.cause] += float64(b - a)
			continue
		}
		queue[v.queue] += float64(b - a)
		e.within(int(v.queue), a, b, leaf)
	}
}

// own is how long what waited needlessly then worked: that much could have been done while it waited.
func (e *engine) own(t turn) int64 {
	f := &e.frames[t.frame]
	if t.queue < 0 {
		return max(0, f.submitted-f.begin)
	}
	first, last := int64(-1), int64(0)
	for j := range e.p.contents[e.p.contentOf(t.frame)].jobs {
		if e.p.contents[e.p.contentOf(t.frame)].jobs[j].queue != t.queue {
			continue
		}
		start := e.nodes[e.nodes[f.endNode[j]].prev].at
		if first < 0 || start < first {
			first = start
		}
		last = max(last, f.end[j])
	}
	return max(0, last-first)
}

// within adds what set the pace of a queue in a span.
func (e *engine) within(q int, a, b int64, leaf *[nCause]float64) {
	i, _ := slices.BinarySearchFunc(e.log, a, func(s stretch, t int64) int {
		if s.to <= t {
			return -1
		}
		return 1
	})
	at := a
	for ; i < len(e.log) && at < b; i++ {
		s := &e.log[i]
		dt := float64(min(b, s.to) - at)
		at = min(b, s.to)
		var f *flow
		for k := range s.queues {
			if int(s.queues[k]) == q {
				f = s.flows[k]
			}
		}
		if f == nil {
			leaf[cLaunch] += dt
			continue
		}
		low := 0.0
		if s.held != 0 {
			low = f.clock * (1 - s.mhz/s.highest)
			leaf[s.held] += dt * low
		}
		for k, v := range f.set {
			leaf[k] += dt * v * (1 - low)
		}
	}
	if at < b {
		leaf[cLaunch] += float64(b - at)
	}
}

// whole makes whole ns that add up to the sum.
func whole(of []float64, sum int64) []int64 {
	out := make([]int64, len(of))
	left, most := sum, 0
	for i, v := range of {
		out[i] = int64(math.Floor(v))
		left -= out[i]
		if v > of[most] {
			most = i
		}
	}
	if len(out) > 0 {
		out[most] += left
	}
	return out
}

// partOf is the truth of a row of frames, but for the gains.
func (e *engine) partOf(s simulate.Stretch) simulate.Part {
	first, last := s.First, s.Last
	p := simulate.Part{Name: s.Name, First: first, Frames: last - first + 1, Start: e.frames[first-1].flip,
		End: e.frames[last].flip}
	var leaf, other [nCause]float64
	var queue [nQueue]float64
	e.walk(e.frames[last].flipNode, p.Start, &leaf, &queue, &other)
	all := append(slices.Clone(queue[:]), other[:]...)
	for i, ns := range whole(leaf[:], p.End-p.Start) {
		if ns != 0 {
			p.Shares = append(p.Shares, simulate.Share{Candidate: causes[i], Ns: ns})
		}
	}
	for i, ns := range whole(all, p.End-p.Start) {
		if ns == 0 {
			continue
		}
		c := simulate.Candidate{}
		if i < nQueue {
			c = queueCandidate(i)
		} else {
			c = causes[i-nQueue]
		}
		p.QueueShares = append(p.QueueShares, simulate.Share{Candidate: c, Ns: ns})
	}
	byTime := func(a, b simulate.Share) int { return int(min(1, max(-1, b.Ns-a.Ns))) }
	slices.SortStableFunc(p.Shares, byTime)
	slices.SortStableFunc(p.QueueShares, byTime)
	for i := first; i <= last; i++ {
		p.Missed += e.frames[i].missed
	}
	busy, clocks, sum := 0.0, 0.0, 0.0
	for i := range e.log {
		s := &e.log[i]
		a, b := max(s.from, p.Start), min(s.to, p.End)
		if a >= b {
			continue
		}
		dt := float64(b - a)
		sum += dt
		clocks += dt * s.mhz / s.highest
		if s.busy() {
			busy += dt
		}
	}
	if sum > 0 {
		p.GPUBusy, p.ClockMean = busy/sum, clocks/sum
	}
	return p
}

func (s *stretch) busy() bool {
	for _, l := range s.launch {
		if l {
			return true
		}
	}
	return s.queues[0] >= 0
}
