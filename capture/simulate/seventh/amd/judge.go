package amd

import (
	"cmp"
	"slices"
	"sync"

	"astrolabe/capture/simulate"
)

// engines are kept with their memory, because a case is simulated many times.
var engines = sync.Pool{New: func() any { return &engine{} }}

// part is a row of frames that are judged together.
type part struct {
	name        string
	first, last int
}

// parts are all frames behind those that warm up, and of a case of two contents each content's, without its first ones.
func (l *load) parts() []part {
	out := []part{{"", l.warm, len(l.frames) - 1}}
	for i, begin := l.warm, l.warm; i <= len(l.frames) && len(l.contents) > 1; i++ {
		if i == len(l.frames) || l.frames[i].content != l.frames[begin].content {
			out = append(out, part{l.contents[l.frames[begin].content].name, begin + 4, i - 1})
			begin = i
		}
	}
	return out
}

// loose reports whether a queue waits for another for no need.
func (l *load) loose() bool {
	return slices.ContainsFunc(l.contents, func(c content) bool {
		return slices.ContainsFunc(c.jobs, func(j job) bool { return slices.ContainsFunc(j.after, func(n need) bool { return n.loose }) })
	})
}

// judge finds out by relief what limits a load.
func (l *load) judge() (*simulate.Truth, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	if err := e.run(l, relief{unit: -1, queue: -1}, true, nil); err != nil {
		return nil, err
	}
	parts, out := l.parts(), &simulate.Truth{}
	truth := make([]simulate.Part, len(parts))
	for i, p := range parts {
		truth[i] = e.partOf(p)
	}
	for i := range e.frames {
		f := &e.frames[i]
		out.Each = append(out.Each, simulate.FrameTruth{Content: l.frames[i].content, Begin: f.begin.at, GPUBegin: f.gpuBegin,
			GPUEnd: f.done.at, Shown: f.flip.at, Missed: f.missed, Judged: i >= l.warm})
	}
	total, used := e.now, e.used
	cause, slow := e.clock.slow(total)
	var failed error
	relieve := func(list func(*simulate.Part) *[]simulate.Gain, c simulate.Candidate, needed bool, set func(r *relief)) {
		r := relief{unit: -1, queue: -1}
		set(&r)
		if needed && failed == nil {
			failed = e.run(l, r, false, nil)
		}
		for i := range truth {
			g := simulate.Gain{Candidate: c, Simulated: needed}
			if base := truth[i].End - truth[i].Start; needed && base > 0 {
				g.Percent = 100 * float64(base-(e.frames[parts[i].last].flip.at-e.frames[parts[i].first-1].flip.at)) / float64(base)
			}
			*list(&truth[i]) = append(*list(&truth[i]), g)
		}
	}
	leaves := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	lines := func(p *simulate.Part) *[]simulate.Gain { return &p.Queues }
	whole := func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }
	for u, c := range candidates { // what works for less than a fiftieth of the time hardly counts in any sum
		relieve(leaves, c, u == uCommand || used[u] > 0.02*float64(total), func(r *relief) { r.unit = u })
	}
	relieve(leaves, simulate.CPUApp, true, func(r *relief) { r.app = true })
	relieve(leaves, simulate.CPUDriver, true, func(r *relief) { r.driver = true })
	relieve(leaves, simulate.CPUSync, true, func(r *relief) { r.wait = true })
	if slow {
		relieve(leaves, cause, true, func(r *relief) { r.highest = true })
	}
	for q, name := range queueNames {
		relieve(lines, simulate.Candidate{Level: simulate.LevelQueue, Name: name}, true, func(r *relief) { r.queue = q })
	}
	if l.loose() {
		relieve(leaves, simulate.QueuesInTurn, true, func(r *relief) { r.loose = true })
		relieve(lines, simulate.QueuesInTurn, true, func(r *relief) { r.loose = true })
	}
	relieve(whole, simulate.WholeCPU, true, func(r *relief) { r.app, r.driver, r.wait = true, true, true })
	relieve(whole, simulate.WholeGPU, true, func(r *relief) { r.gpu = true })
	for i := range truth {
		truth[i].Conclude()
	}
	out.Part, out.Phases = truth[0], truth[1:]
	if !l.pacing.Adaptive {
		out.Hold(float64(l.pacing.Refresh))
	}
	return out, failed
}

// partOf is what the simulation itself says of some frames: who set the pace, dates, load.
func (e *engine) partOf(x part) simulate.Part {
	p := simulate.Part{Name: x.name, First: x.first, Frames: x.last - x.first + 1, Start: e.frames[x.first-1].flip.at,
		End: e.frames[x.last].flip.at}
	add := func(list *[]simulate.Share, c simulate.Candidate, ns int64) {
		if i := slices.IndexFunc(*list, func(s simulate.Share) bool { return s.Candidate == c }); i >= 0 {
			(*list)[i].Ns += ns
			return
		}
		*list = append(*list, simulate.Share{Candidate: c, Ns: ns})
	}
	e.path.Walk(e.frames[x.last].flip.node, p.Start, func(start, end int64, cause, queue uint8) {
		leaf := simulate.DisplayRequest
		if cause < units {
			leaf = candidates[cause]
		} else if cause < causes {
			leaf = causeNames[cause-units]
		}
		add(&p.Shares, leaf, end-start)
		if queue != simulate.NoQueue {
			leaf = simulate.Candidate{Level: simulate.LevelQueue, Name: queueNames[queue]}
		}
		add(&p.QueueShares, leaf, end-start)
	})
	simulate.SortShares(p.Shares)
	simulate.SortShares(p.QueueShares)
	for i := x.first; i <= x.last; i++ {
		p.Missed += e.frames[i].missed
	}
	slices.SortFunc(e.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	busy, edge := int64(0), p.Start
	for _, s := range e.spans {
		if from, to := max(s.from, edge), min(s.to, p.End); to > from {
			busy, edge = busy+to-from, to
		}
	}
	p.GPUBusy, p.ClockMean = float64(busy)/float64(max(1, p.End-p.Start)), e.clock.mean(p.Start, p.End)
	return p
}
