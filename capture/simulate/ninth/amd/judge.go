package amd

import "astrolabe/capture/simulate"

const noQueue = simulate.NoQueue

// judge finds out by relief what limits a program on a machine.
func judge(m *machine, w *load) (*simulate.Truth, error) {
	var s sim
	if err := s.run(m, w, relief{}, true, nil); err != nil {
		return nil, err
	}
	spans := simulate.Stretches(len(w.frames), w.warm, 3, func(i int) int { return w.frames[i].content },
		func(c int) string { return w.contents[c].name })
	parts := make([]simulate.Part, len(spans))
	base := make([]int64, len(spans))
	for i, x := range spans {
		parts[i] = s.part(x)
		base[i] = parts[i].End - parts[i].Start
	}
	truth := &simulate.Truth{}
	for i := range s.frames {
		f := &s.frames[i]
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: w.frames[i].content, Begin: f.begin, GPUBegin: f.gpu,
			GPUEnd: f.done, Shown: f.shown, Missed: f.missed, Judged: i >= w.warm})
	}
	cause, slow := s.clock.cause()
	var needed [units]bool
	var used [queues]bool
	launches, loose := false, false
	for _, c := range w.contents {
		for _, j := range c.jobs {
			used[j.queue] = true
			for _, a := range j.after {
				loose = loose || a.loose
			}
			for _, x := range j.parts {
				launches = launches || x.launch > 0
				for u, v := range x.need {
					needed[u] = needed[u] || v > 0
				}
			}
		}
	}
	var failed error
	relieve := func(c simulate.Candidate, r relief, work bool, to func(p *simulate.Part) *[]simulate.Gain) {
		if work && failed == nil {
			failed = s.run(m, w, r, false, nil)
		}
		if failed != nil {
			return
		}
		for i, x := range spans {
			g := simulate.Gain{Candidate: c, Simulated: work}
			if work {
				ns := s.frames[x.Last].shown - s.frames[x.First-1].shown
				g.Percent = 100 * float64(base[i]-ns) / float64(base[i])
			}
			list := to(&parts[i])
			*list = append(*list, g)
		}
	}
	leaves := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	for u := range units {
		relieve(candidates[u], relief{unit: u + 1}, needed[u], leaves)
	}
	relieve(simulate.LaunchOverhead, relief{unit: cLaunch + 1}, launches, leaves)
	relieve(simulate.CPUApp, relief{app: true}, true, leaves)
	relieve(simulate.CPUDriver, relief{driver: true}, true, leaves)
	relieve(simulate.CPUSync, relief{wait: true}, true, leaves)
	if loose {
		relieve(simulate.QueuesInTurn, relief{loose: true}, true, leaves)
	}
	if slow {
		relieve(cause, relief{top: true}, true, leaves)
	}
	byQueue := func(p *simulate.Part) *[]simulate.Gain { return &p.Queues }
	for q := range queues {
		if used[q] {
			relieve(simulate.Candidate{Level: simulate.LevelQueue, Name: queueNames[q]}, relief{queue: q + 1}, true, byQueue)
		}
	}
	if loose {
		relieve(simulate.QueuesInTurn, relief{loose: true}, true, byQueue)
	}
	whole := func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }
	relieve(simulate.WholeCPU, relief{app: true, driver: true, wait: true}, true, whole)
	relieve(simulate.WholeGPU, relief{gpu: true}, true, whole)
	if failed != nil {
		return nil, failed
	}
	for i := range parts {
		parts[i].Conclude()
	}
	truth.Part, truth.Phases = parts[0], parts[1:]
	refresh := float64(w.pacing.refresh)
	if w.pacing.adaptive {
		refresh = 0
	}
	truth.Hold(refresh)
	return truth, nil
}

// part is what the simulation itself says about a row of frames.
func (s *sim) part(x simulate.Stretch) simulate.Part {
	p := simulate.Part{Name: x.Name, First: x.First, Frames: x.Last - x.First + 1, Start: s.frames[x.First-1].shown,
		End: s.frames[x.Last].shown}
	var leaf [len(candidates)]int64
	var other [len(candidates)]int64
	var queue [queues]int64
	s.path.Walk(s.frames[x.Last].shownNode, p.Start, func(start, end int64, cause, q uint8) {
		leaf[cause] += end - start
		if q == noQueue {
			other[cause] += end - start
		} else {
			queue[q] += end - start
		}
	})
	for k, c := range candidates {
		if leaf[k] > 0 {
			p.Shares = append(p.Shares, simulate.Share{Candidate: c, Ns: leaf[k]})
		}
		if other[k] > 0 {
			p.QueueShares = append(p.QueueShares, simulate.Share{Candidate: c, Ns: other[k]})
		}
	}
	for q, ns := range queue {
		if ns > 0 {
			c := simulate.Candidate{Level: simulate.LevelQueue, Name: queueNames[q]}
			p.QueueShares = append(p.QueueShares, simulate.Share{Candidate: c, Ns: ns})
		}
	}
	simulate.SortShares(p.Shares)
	simulate.SortShares(p.QueueShares)
	for i := x.First; i <= x.Last; i++ {
		p.Missed += s.frames[i].missed
	}
	busy, clock := 0.0, 0.0
	for _, k := range s.kept {
		if from, to := max(k.from, p.Start), min(k.to, p.End); to > from {
			part := float64(to-from) / float64(k.to-k.from)
			busy, clock = busy+k.busy*part, clock+k.share*float64(to-from)
		}
	}
	p.GPUBusy, p.ClockMean = min(1, busy/float64(p.End-p.Start)), clock/float64(p.End-p.Start)
	return p
}

// kept is a ms of the simulation.
type kept struct {
	from, to    int64
	busy, share float64
}
