package amd

import (
	"sync"

	"astrolabe/capture/simulate"
)

// engines are kept with their memory, because a case is simulated many times.
var engines = sync.Pool{New: func() any { return &engine{} }}

func stay(p *simulate.Pacing, i int) int64 {
	if len(p.Cadence) == 0 {
		return 1
	}
	return int64(p.Cadence[i%len(p.Cadence)])
}

func tick(refresh, t int64) int64 { return (t + refresh - 1) / refresh * refresh }

// spans are all frames after the warm-up, and those of each phase.
func (p *program) spans() []simulate.Stretch {
	return simulate.Stretches(len(p.frames), p.warm, 4, func(i int) int { return p.frames[i].content },
		func(c int) string { return p.contents[c].name })
}

func (e *engine) times(spans []simulate.Stretch) []int64 {
	out := make([]int64, len(spans))
	for i, s := range spans {
		out[i] = e.frames[s.Last].flip - e.frames[s.First-1].flip
	}
	return out
}

// reliefOf is the relief of a candidate.
func reliefOf(c simulate.Candidate) relief {
	r := nothing
	for i, known := range candidates[:causeApp] {
		if known == c {
			r.cause = i
			return r
		}
	}
	switch {
	case c.Level == simulate.LevelClock:
		r.highest = true
	case c.Level == simulate.LevelQueue:
		for q, name := range queueNames {
			if name == c.Name {
				r.queue = q
			}
		}
	case c == simulate.CPUApp:
		r.app = true
	case c == simulate.CPUDriver:
		r.driver = true
	case c == simulate.CPUSync:
		r.wait = true
	case c == simulate.QueuesInTurn:
		r.loose = true
	case c == simulate.WholeCPU:
		r.cpu, r.wait = true, true
	case c == simulate.WholeGPU:
		r.gpu = true
	}
	return r
}

// works says which causes a program has any work of, whether it has needless dependencies, and which queues it uses.
func (p *program) works() (cause [causes]bool, loose bool, queues [queueCount]bool) {
	cause[causeLaunch] = p.m.irq > 0
	for c := range p.contents {
		for i := range p.contents[c].jobs {
			j := &p.contents[c].jobs[i]
			queues[j.queue] = true
			for s := range j.streams {
				for _, u := range j.streams[s].used {
					cause[u] = true
				}
				cause[causeLatency] = cause[causeLatency] || j.streams[s].latCore+j.streams[s].latMem > 0
			}
			for _, d := range j.after {
				loose = loose || d.loose
			}
		}
	}
	return
}

var clockCauses = [...]simulate.Candidate{clockGovernor: simulate.ClockGovernor, clockHeat: simulate.ClockThermal,
	clockPower: simulate.ClockPower}

// judge finds out by relief what limits a program.
func (p *program) judge() (*simulate.Truth, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	if err := e.run(p, nothing, true, nil); err != nil {
		return nil, err
	}
	spans := p.spans()
	base := e.times(spans)
	parts := make([]simulate.Part, len(spans))
	for i, s := range spans {
		parts[i] = e.part(s)
	}
	truth := &simulate.Truth{}
	for i := range e.frames {
		f := &e.frames[i]
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: p.frames[i].content, Begin: f.begin, GPUBegin: max(0, f.gpuBegin),
			GPUEnd: f.done, Shown: f.flip, Missed: f.missed, Judged: i >= p.warm})
	}
	work, loose, queues := p.works()
	leaves := append([]simulate.Candidate{}, candidates[:causeApp]...)
	leaves = append(leaves, simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync)
	if loose {
		leaves = append(leaves, simulate.QueuesInTurn)
	}
	if p.m.clock.mode != clockFixed && e.clock.over(0, e.t) < 0.985 {
		leaves = append(leaves, clockCauses[p.m.clock.mode])
	}
	relieve := func(c simulate.Candidate, put func(*simulate.Part, simulate.Gain)) error {
		r := reliefOf(c)
		simulated := r.cause < 0 || work[r.cause]
		var times []int64
		if simulated {
			if err := e.run(p, r, false, nil); err != nil {
				return err
			}
			times = e.times(spans)
		}
		for i := range parts {
			g := simulate.Gain{Candidate: c, Simulated: simulated}
			if simulated && base[i] > 0 {
				g.Percent = 100 * float64(base[i]-times[i]) / float64(base[i])
			}
			put(&parts[i], g)
		}
		return nil
	}
	for _, c := range leaves {
		if err := relieve(c, func(p *simulate.Part, g simulate.Gain) { p.Leaves = append(p.Leaves, g) }); err != nil {
			return nil, err
		}
	}
	if queues[graphics] && queues[compute] {
		list := []simulate.Candidate{{Level: simulate.LevelQueue, Name: queueNames[graphics]},
			{Level: simulate.LevelQueue, Name: queueNames[compute]}}
		if loose {
			list = append(list, simulate.QueuesInTurn)
		}
		for _, c := range list {
			if err := relieve(c, func(p *simulate.Part, g simulate.Gain) { p.Queues = append(p.Queues, g) }); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range []simulate.Candidate{simulate.WholeCPU, simulate.WholeGPU} {
		if err := relieve(c, func(p *simulate.Part, g simulate.Gain) { p.Whole = append(p.Whole, g) }); err != nil {
			return nil, err
		}
	}
	for i := range parts {
		q := &parts[i]
		q.Conclude()
	}
	truth.Part, truth.Phases = parts[0], parts[1:]
	if !p.pacing.Adaptive {
		truth.Hold(float64(p.pacing.Refresh))
	}
	return truth, nil
}

// part is what the simulation itself says of some frames: who set the pace, dates, load.
func (e *engine) part(s simulate.Stretch) simulate.Part {
	p := simulate.Part{Name: s.Name, First: s.First, Frames: s.Last - s.First + 1, Start: e.frames[s.First-1].flip,
		End: e.frames[s.Last].flip}
	var leaf, other [causes]int64
	var queues [queueCount]int64
	turn := int64(0)
	e.path.Walk(e.frames[s.Last].flipNode, p.Start, func(start, end int64, cause, queue uint8) {
		leaf[cause] += end - start
		if queue == noQueue {
			other[cause] += end - start
			return
		}
		held := e.blockedWithin(start, end, queue)
		turn += held
		queues[queue] += end - start - held
	})
	for c := range leaf {
		if leaf[c] != 0 {
			p.Shares = append(p.Shares, simulate.Share{Candidate: candidates[c], Ns: leaf[c]})
		}
		if other[c] != 0 {
			p.QueueShares = append(p.QueueShares, simulate.Share{Candidate: candidates[c], Ns: other[c]})
		}
	}
	for q, ns := range queues {
		if ns != 0 {
			p.QueueShares = append(p.QueueShares, simulate.Share{Candidate: simulate.Candidate{Level: simulate.LevelQueue,
				Name: queueNames[q]}, Ns: ns})
		}
	}
	if turn != 0 {
		p.QueueShares = append(p.QueueShares, simulate.Share{Candidate: simulate.QueuesInTurn, Ns: turn})
	}
	simulate.SortShares(p.Shares)
	simulate.SortShares(p.QueueShares)
	for i := s.First; i <= s.Last; i++ {
		p.Missed += e.frames[i].missed
	}
	busy := int64(0)
	for _, b := range e.busy {
		busy += max(0, min(b.end, p.End)-max(b.start, p.Start))
	}
	p.GPUBusy = float64(busy) / float64(max(1, p.End-p.Start))
	p.ClockMean = e.clock.over(p.Start, p.End)
	return p
}

// blockedWithin is how much of a time, in which one queue set the pace, only a needless dependency held up another.
func (e *engine) blockedWithin(start, end int64, queue uint8) int64 {
	sum, at := int64(0), start
	for _, b := range e.blocked {
		if b.queue == queue || b.end <= at || b.start >= end {
			continue
		}
		if from, to := max(at, b.start), min(end, b.end); to > from {
			sum += to - from
			at = to
		}
	}
	return min(sum, end-start)
}
