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
	var parts []simulate.Part
	for _, x := range spans {
		parts = append(parts, s.part(x))
	}
	truth := &simulate.Truth{}
	for i, f := range s.frames {
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: w.frames[i].content, Begin: f.begin, GPUBegin: f.gpu,
			GPUEnd: f.done, Shown: f.shown, Missed: f.missed, Judged: i >= w.warm})
	}
	cause, slow := s.clock.cause()
	var needed [units]bool
	var used [queues]bool
	loose := false
	for _, c := range w.contents {
		for _, j := range c.jobs {
			used[j.queue] = true
			for _, a := range j.after {
				loose = loose || a.loose
			}
			for u, v := range j.parts[0].need {
				needed[u] = needed[u] || v > 0
			}
		}
	}
	var failed error
	relieve := func(to func(p *simulate.Part) *[]simulate.Gain, c simulate.Candidate, r relief, work bool) {
		if work && failed == nil {
			failed = s.run(m, w, r, false, nil)
		}
		for i, x := range spans {
			g := simulate.Gain{Candidate: c, Simulated: work}
			if work && failed == nil {
				g.Percent = 100 * (1 - float64(s.frames[x.Last].shown-s.frames[x.First-1].shown)/float64(parts[i].End-parts[i].Start))
			}
			*to(&parts[i]) = append(*to(&parts[i]), g)
		}
	}
	leaves := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	byQueue := func(p *simulate.Part) *[]simulate.Gain { return &p.Queues }
	whole := func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }
	for u, need := range needed {
		relieve(leaves, candidates[u], relief{unit: u + 1}, need)
	}
	relieve(leaves, simulate.LaunchOverhead, relief{unit: cLaunch + 1}, true)
	relieve(leaves, simulate.CPUApp, relief{app: true}, true)
	relieve(leaves, simulate.CPUDriver, relief{driver: true}, true)
	relieve(leaves, simulate.CPUSync, relief{wait: true}, true)
	if slow {
		relieve(leaves, cause, relief{top: true}, true)
	}
	for q, name := range queueNames {
		if used[q] {
			relieve(byQueue, simulate.Candidate{Level: simulate.LevelQueue, Name: name}, relief{queue: q + 1}, true)
		}
	}
	if loose {
		relieve(leaves, simulate.QueuesInTurn, relief{loose: true}, true)
		relieve(byQueue, simulate.QueuesInTurn, relief{loose: true}, true)
	}
	relieve(whole, simulate.WholeCPU, relief{app: true, driver: true, wait: true}, true)
	relieve(whole, simulate.WholeGPU, relief{gpu: true}, true)
	for i := range parts {
		parts[i].Conclude()
	}
	truth.Part, truth.Phases = parts[0], parts[1:]
	if !w.pacing.adaptive {
		truth.Hold(float64(w.pacing.refresh))
	}
	return truth, failed
}

// part is what the simulation itself says about a row of frames.
func (s *sim) part(x simulate.Stretch) simulate.Part {
	p := simulate.Part{Name: x.Name, First: x.First, Frames: x.Last - x.First + 1, Start: s.frames[x.First-1].shown,
		End: s.frames[x.Last].shown}
	var leaf, other [len(candidates)]int64
	var queue [queues]int64
	s.path.Walk(s.frames[x.Last].shownNode, p.Start, func(start, end int64, cause, q uint8) {
		if leaf[cause] += end - start; q == noQueue {
			other[cause] += end - start
		} else {
			queue[q] += end - start
		}
	})
	add := func(to *[]simulate.Share, c simulate.Candidate, ns int64) {
		if ns > 0 {
			*to = append(*to, simulate.Share{Candidate: c, Ns: ns})
		}
	}
	for k, c := range candidates {
		add(&p.Shares, c, leaf[k])
		add(&p.QueueShares, c, other[k])
	}
	for q, ns := range queue {
		add(&p.QueueShares, simulate.Candidate{Level: simulate.LevelQueue, Name: queueNames[q]}, ns)
	}
	simulate.SortShares(p.Shares)
	simulate.SortShares(p.QueueShares)
	for i := x.First; i <= x.Last; i++ {
		p.Missed += s.frames[i].missed
	}
	first := min(int(p.Start/tick), len(s.turns)-1)
	turns := s.turns[first:max(first+1, min(len(s.turns), int(p.End/tick)))]
	for i := range turns {
		p.GPUBusy += turns[i].busy / float64(len(turns))
		p.ClockMean += turns[i].share / float64(len(turns))
	}
	return p
}
