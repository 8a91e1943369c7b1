package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// shares walks back from the end over what everything waited for, and says how long each leaf set the pace, and each
// queue. What is in neither is of the leaf alone.
func (s *sim) shares(from, to int64, rec int32) (leaf [leaves]int64, queue [queues]int64, other [leaves]int64) {
	cur := to
	over, free := int8(-1), int64(0)
	give := func(l int8, q int8, ns int64) {
		leaf[l] += ns
		if q < queues {
			queue[q] += ns
		} else {
			other[l] += ns
		}
	}
	for cur > from {
		if rec < 0 {
			give(app, noQueue, cur-from)
			break
		}
		r := &s.recs[rec]
		lo := max(from, min(cur, r.start))
		took := cur - lo
		if over >= 0 && cur > free {
			part := cur - max(lo, free)
			give(over, noQueue, part)
			took -= part
		}
		if took > 0 {
			slow := int64(0)
			if r.slow > 0 && r.end > r.start {
				slow = min(took, int64(float64(took)*float64(r.slow)/float64(r.end-r.start)))
			}
			give(r.leaf, r.queue, took-slow)
			if slow > 0 {
				give(r.why, r.queue, slow)
			}
		}
		if r.over >= 0 && (over < 0 || r.free < free) {
			over, free = r.over, r.free
		}
		cur, rec = lo, r.prev
	}
	return leaf, queue, other
}

// wholeOf are the leaves of the processor's side.
var wholeOf = []int{app, driver}

// judge finds the truth.
func (p *program) judge() *simulate.Truth {
	base := newSim(p, relief{}, nil)
	base.run()
	stretches := simulate.Stretches(p.frames, p.warm, 3, p.content, func(c int) string { return p.contents[c].name })
	parts := make([]simulate.Part, len(stretches))
	for i, st := range stretches {
		parts[i] = base.part(st)
	}
	gain := func(r relief, c simulate.Candidate, list func(*simulate.Part) *[]simulate.Gain, run bool) {
		var other *sim
		if run {
			other = newSim(p, r, nil)
			other.run()
		}
		for i, st := range stretches {
			g := simulate.Gain{Candidate: c}
			if run {
				was, is := base.length(st), other.length(st)
				g.Percent, g.Simulated = 100*(1-float64(is)/float64(was)), true
			}
			l := list(&parts[i])
			*l = append(*l, g)
		}
	}
	leafList := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	for _, l := range relievable {
		var r relief
		switch l {
		case launch, syncWait, inTurn, governor, thermal, power:
			r.free[l] = true
		default:
			r.speed[l] = 1.5
		}
		waited := false
		for i := range parts {
			if parts[i].ShareOf(candidates[l]) > 0.004 {
				waited = true
			}
		}
		gain(r, candidates[l], leafList, waited)
	}
	for q := range p.queueNames {
		var r relief
		r.queue[q] = 1.5
		gain(r, p.queueNames[q], func(p *simulate.Part) *[]simulate.Gain { return &p.Queues }, true)
	}
	var r relief
	for _, l := range wholeOf {
		r.speed[l] = 1.5
	}
	whole := func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }
	gain(r, simulate.WholeCPU, whole, true)
	r = relief{queue: [queues]float64{1.5, 1.5, 1.5}}
	gain(r, simulate.WholeGPU, whole, true)
	for i := range parts {
		parts[i].Conclude()
		parts[i].Held = !parts[i].Healthy && p.pace.display && !p.pace.adaptive && parts[i].ShareOf(simulate.DisplayVsync) > 0.3
	}
	t := &simulate.Truth{Part: parts[0]}
	if len(parts) > 1 {
		t.Phases = parts[1:]
	}
	for f := range p.frames {
		fs := &base.frame[f]
		t.Each = append(t.Each, simulate.FrameTruth{Content: p.content(f), Begin: fs.begin, GPUBegin: fs.gpuBegin,
			GPUEnd: fs.doneAt, Shown: fs.shownAt, Missed: base.missed(f), Judged: f >= p.warm})
	}
	return t
}

// length is how long the frames of a stretch took, by when the GPU was done with them.
func (s *sim) length(st simulate.Stretch) int64 {
	return s.frame[st.Last].doneAt - s.frame[st.First-1].doneAt
}

func (s *sim) part(st simulate.Stretch) simulate.Part {
	p := simulate.Part{Name: st.Name, First: st.First, Frames: st.Last - st.First + 1,
		Start: s.frame[st.First-1].shownAt, End: s.frame[st.Last].shownAt}
	leaf, queue, other := s.shares(p.Start, p.End, s.frame[st.Last].shown)
	for l, ns := range leaf {
		p.Shares = append(p.Shares, simulate.Share{Candidate: candidates[l], Ns: ns})
	}
	for q, ns := range queue[:len(s.queueNames)] {
		p.QueueShares = append(p.QueueShares, simulate.Share{Candidate: s.queueNames[q], Ns: ns})
	}
	for l, ns := range other {
		if ns != 0 {
			p.QueueShares = append(p.QueueShares, simulate.Share{Candidate: candidates[l], Ns: ns})
		}
	}
	for f := st.First; f <= st.Last; f++ {
		p.Missed += s.missed(f)
	}
	busy := int64(0)
	for _, b := range s.busySpan {
		busy += max(0, min(b.end, p.End)-max(b.start, p.Start))
	}
	p.GPUBusy = float64(busy) / float64(p.End-p.Start)
	p.ClockMean = (s.cyclesAt(p.End) - s.cyclesAt(p.Start)) / (float64(p.End-p.Start) * s.maxHz / 1e9)
	return p
}

// missed is how many dates a frame missed.
func (s *sim) missed(f int) int {
	if !s.pace.display || f == 0 {
		return 0
	}
	fs, was := &s.frame[f], &s.frame[f-1]
	took := float64(fs.shownAt - was.shownAt)
	every := float64(s.pace.refresh)
	switch {
	case s.pace.asked != nil:
		// A frame that is asked for is due a few refreshes later.
		late := float64(fs.shownAt - s.pace.asked[f])
		return int(max(0, math.Floor((late-3.2*every)/every)))
	case s.pace.cap > 0:
		// Frames begin at the cap's dates, and the display rounds up to a refresh.
		late := float64(fs.shownAt-fs.due) - float64(s.pace.cap) - 2.2*every
		if float64(fs.begin-fs.due) > 0.15*float64(s.pace.cap) {
			return 1
		}
		return int(max(0, math.Ceil(late/every)))
	}
	if took < 1.4*every {
		return 0
	}
	return max(0, int(math.Round(took/every))-1)
}
