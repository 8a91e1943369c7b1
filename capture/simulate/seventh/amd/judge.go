package amd

import (
	"cmp"
	"slices"
	gosync "sync"

	"astrolabe/capture/simulate"
)

var engines = gosync.Pool{New: func() any { return &engine{} }}

// part is a row of frames that are judged together.
type part struct {
	name        string
	first, last int
}

// parts are all frames behind those that warm up, and of a case of two contents each content's, without the first ones.
func (l *load) parts() []part {
	out := []part{{"", l.warm, len(l.frames) - 1}}
	if len(l.contents) < 2 {
		return out
	}
	begin := l.warm
	for i := l.warm; i <= len(l.frames); i++ {
		if i == len(l.frames) || l.frames[i].content != l.frames[begin].content {
			out = append(out, part{l.contents[l.frames[begin].content].name, begin + 4, i - 1})
			begin = i
		}
	}
	return out
}

func (e *engine) times(parts []part) []int64 {
	out := make([]int64, len(parts))
	for i, p := range parts {
		out[i] = e.frames[p.last].flip - e.frames[p.first-1].flip
	}
	return out
}

// judge finds out by relief what limits a load.
func (l *load) judge() (*simulate.Truth, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	if err := e.run(l, noRelief(), true, nil); err != nil {
		return nil, err
	}
	parts := l.parts()
	base := e.times(parts)
	truth := make([]simulate.Part, len(parts))
	for i, p := range parts {
		truth[i] = e.partOf(p)
	}
	out := &simulate.Truth{}
	for i := range e.frames {
		f := &e.frames[i]
		out.Each = append(out.Each, simulate.FrameTruth{Content: l.frames[i].content, Begin: f.begin, GPUBegin: f.gpuBegin,
			GPUEnd: f.done, Shown: f.flip, Missed: f.missed, Judged: i >= l.warm})
	}
	total, used := e.now, e.used
	cause, slow := e.clock.slow(total)
	relieve := func(c simulate.Candidate, r relief, needed bool, put func(p *simulate.Part, g simulate.Gain)) error {
		var times []int64
		if needed {
			if err := e.run(l, r, false, nil); err != nil {
				return err
			}
			times = e.times(parts)
		}
		for i := range truth {
			g := simulate.Gain{Candidate: c, Simulated: needed}
			if needed && base[i] > 0 {
				g.Percent = 100 * float64(base[i]-times[i]) / float64(base[i])
			}
			put(&truth[i], g)
		}
		return nil
	}
	leaf := func(c simulate.Candidate, needed bool, set func(r *relief)) error {
		r := noRelief()
		set(&r)
		return relieve(c, r, needed, func(p *simulate.Part, g simulate.Gain) { p.Leaves = append(p.Leaves, g) })
	}
	list := []error{}
	for u := range units {
		// What works for less than a fiftieth of the time hardly counts in any sum.
		list = append(list, leaf(candidates[u], u == uCommand || used[u] > 0.02*float64(total), func(r *relief) { r.unit = u }))
	}
	list = append(list, leaf(simulate.CPUApp, true, func(r *relief) { r.app = true }),
		leaf(simulate.CPUDriver, true, func(r *relief) { r.driver = true }),
		leaf(simulate.CPUSync, true, func(r *relief) { r.wait = true }))
	loose := l.loose()
	if loose {
		list = append(list, leaf(simulate.QueuesInTurn, true, func(r *relief) { r.loose = true }))
	}
	if slow {
		list = append(list, leaf(cause, true, func(r *relief) { r.highest = true }))
	}
	for q, name := range queueNames {
		r := noRelief()
		r.queue = q
		list = append(list, relieve(simulate.Candidate{Level: simulate.LevelQueue, Name: name}, r, l.has(q),
			func(p *simulate.Part, g simulate.Gain) { p.Queues = append(p.Queues, g) }))
	}
	if loose {
		r := noRelief()
		r.loose = true
		list = append(list, relieve(simulate.QueuesInTurn, r, true,
			func(p *simulate.Part, g simulate.Gain) { p.Queues = append(p.Queues, g) }))
	}
	whole := func(p *simulate.Part, g simulate.Gain) { p.Whole = append(p.Whole, g) }
	cpu, gpu := noRelief(), noRelief()
	cpu.app, cpu.driver, cpu.wait, gpu.gpu = true, true, true, true
	list = append(list, relieve(simulate.WholeCPU, cpu, true, whole), relieve(simulate.WholeGPU, gpu, true, whole))
	for _, err := range list {
		if err != nil {
			return nil, err
		}
	}
	for i := range truth {
		p := &truth[i]
		simulate.SortGains(p.Leaves)
		simulate.SortGains(p.Queues)
		simulate.SortGains(p.Whole)
		display := int64(0)
		for _, s := range p.Shares {
			if s.Candidate.Level == simulate.LevelDisplay {
				display += s.Ns
			}
		}
		p.Healthy = p.Missed == 0 && 2*display > p.End-p.Start && p.Leaves[0].Percent < simulate.ClearGain
	}
	out.Part, out.Phases = truth[0], truth[1:]
	if !l.pacing.Adaptive {
		out.Hold(float64(l.pacing.Refresh))
	}
	return out, nil
}

func (l *load) loose() bool {
	for i := range l.contents {
		for k := range l.contents[i].jobs {
			if slices.ContainsFunc(l.contents[i].jobs[k].after, func(n need) bool { return n.loose }) {
				return true
			}
		}
	}
	return false
}

func (l *load) has(q int) bool {
	for i := range l.contents {
		if slices.ContainsFunc(l.contents[i].jobs, func(j job) bool { return j.queue == q }) {
			return true
		}
	}
	return false
}

// partOf is what the simulation itself says of some frames: who set the pace, dates, load.
func (e *engine) partOf(x part) simulate.Part {
	p := simulate.Part{Name: x.name, First: x.first, Frames: x.last - x.first + 1, Start: e.frames[x.first-1].flip,
		End: e.frames[x.last].flip}
	var byQueue [queues]int64
	turn := int64(0)
	add := func(list *[]simulate.Share, c simulate.Candidate, ns int64) {
		if ns == 0 {
			return
		}
		if i := slices.IndexFunc(*list, func(s simulate.Share) bool { return s.Candidate == c }); i >= 0 {
			(*list)[i].Ns += ns
			return
		}
		*list = append(*list, simulate.Share{Candidate: c, Ns: ns})
	}
	e.path.Walk(e.frames[x.last].flipNode, p.Start, func(start, end int64, cause, queue uint8) {
		add(&p.Shares, candidateOf(cause), end-start)
		if queue == simulate.NoQueue {
			add(&p.QueueShares, candidateOf(cause), end-start)
			return
		}
		held := e.heldWithin(start, end, queue)
		turn += held
		byQueue[queue] += end - start - held
	})
	for q, ns := range byQueue {
		add(&p.QueueShares, simulate.Candidate{Level: simulate.LevelQueue, Name: queueNames[q]}, ns)
	}
	add(&p.QueueShares, simulate.QueuesInTurn, turn)
	simulate.SortShares(p.Shares)
	simulate.SortShares(p.QueueShares)
	for i := x.first; i <= x.last; i++ {
		p.Missed += e.frames[i].missed
	}
	slices.SortFunc(e.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	busy, edge := int64(0), p.Start
	for _, s := range e.spans {
		if from, to := max(s.from, edge), min(s.to, p.End); to > from {
			busy += to - from
			edge = to
		}
	}
	p.GPUBusy = float64(busy) / float64(max(1, p.End-p.Start))
	p.ClockMean = e.clock.mean(p.Start, p.End)
	return p
}

// heldWithin is how much of a time, in which one queue set the pace, a needless dependency held another.
func (e *engine) heldWithin(start, end int64, queue uint8) int64 {
	sum, at := int64(0), start
	for i := range e.block {
		b := &e.block[i]
		if b.queue == queue || b.to <= at || b.from >= end {
			continue
		}
		if from, to := max(at, b.from), min(end, b.to); to > from {
			sum += to - from
			at = to
		}
	}
	return sum
}
