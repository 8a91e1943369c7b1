package mali

import (
	"cmp"
	"slices"
	"sync"

	"astrolabe/capture/simulate"
)

// engines keep their memory.
var engines = sync.Pool{New: func() any { return &engine{} }}

// span is a row of frames that are judged together, both included.
type span struct {
	name        string
	first, last int
}

// spans are all frames after the warm-up, and those of each phase but its first three, which the one before still has a
// part in.
func (w *load) spans() []span {
	all := []span{{"", w.warm, len(w.frames) - 1}}
	if len(w.contents) < 2 {
		return all
	}
	const settle = 3
	begin := w.warm
	for i := w.warm + 1; i <= len(w.frames); i++ {
		if i < len(w.frames) && w.frames[i].content == w.frames[begin].content {
			continue
		}
		all = append(all, span{w.contents[w.frames[begin].content].name, begin + settle, i - 1})
		begin = i
	}
	return all
}

// judge finds by relief what limits a load.
func judge(m *machine, w *load) (*simulate.Truth, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	if err := e.run(m, w, asItIs, true, nil); err != nil {
		return nil, err
	}
	spans := w.spans()
	took := func() (out []int64) {
		for _, s := range spans {
			out = append(out, e.frames[s.last].flip-e.frames[s.first-1].flip)
		}
		return out
	}
	base := took()
	parts := make([]simulate.Part, len(spans))
	for i, s := range spans {
		parts[i] = e.part(s)
	}
	truth := &simulate.Truth{Each: e.each()}
	slowed, slow := e.clock.cause(e.now)
	relieve := func(c simulate.Candidate, r relief, worth bool, put func(p *simulate.Part, g simulate.Gain)) error {
		var times []int64
		if worth {
			if err := e.run(m, w, r, false, nil); err != nil {
				return err
			}
			times = took()
		}
		for i := range parts {
			g := simulate.Gain{Candidate: c, Simulated: worth}
			if worth && base[i] > 0 {
				g.Percent = 100 * float64(base[i]-times[i]) / float64(base[i])
			}
			put(&parts[i], g)
		}
		return nil
	}
	leaf := func(p *simulate.Part, g simulate.Gain) { p.Leaves = append(p.Leaves, g) }
	queue := func(p *simulate.Part, g simulate.Gain) { p.Queues = append(p.Queues, g) }
	whole := func(p *simulate.Part, g simulate.Gain) { p.Whole = append(p.Whole, g) }
	type task struct {
		c     simulate.Candidate
		r     func(r *relief)
		worth bool
		put   func(p *simulate.Part, g simulate.Gain)
	}
	var tasks []task
	worked, used := w.worked()
	for k, c := range candidates {
		if k != stRT || m.five {
			tasks = append(tasks, task{c, func(r *relief) { r.station = k }, worked[k], leaf})
		}
	}
	loose := w.loose()
	tasks = append(tasks,
		task{simulate.LaunchOverhead, func(r *relief) { r.launch = true }, true, leaf},
		task{simulate.CPUApp, func(r *relief) { r.app = true }, true, leaf},
		task{simulate.CPUDriver, func(r *relief) { r.driver = true }, true, leaf},
		task{simulate.CPUSync, func(r *relief) { r.wait = true }, true, leaf})
	if loose {
		tasks = append(tasks, task{simulate.QueuesInTurn, func(r *relief) { r.loose = true }, true, leaf},
			task{simulate.QueuesInTurn, func(r *relief) { r.loose = true }, true, queue})
	}
	if slow {
		tasks = append(tasks, task{slowed, func(r *relief) { r.clock = true }, true, leaf})
	}
	for i, name := range queueNames {
		tasks = append(tasks, task{simulate.Candidate{Level: simulate.LevelQueue, Name: name},
			func(r *relief) { r.queue = i }, used[i], queue})
	}
	tasks = append(tasks, task{simulate.WholeCPU, func(r *relief) { r.app, r.driver, r.wait = true, true, true }, true, whole},
		task{simulate.WholeGPU, func(r *relief) { r.gpu = true }, true, whole})
	for _, t := range tasks {
		r := asItIs
		t.r(&r)
		if err := relieve(t.c, r, t.worth, t.put); err != nil {
			return nil, err
		}
	}
	for i := range parts {
		parts[i].Conclude()
	}
	truth.Part, truth.Phases = parts[0], parts[1:]
	truth.Hold(float64(w.pacing.Refresh))
	return truth, nil
}

// worked says which stations and queues have any work.
func (w *load) worked() (st [stations]bool, q [queues]bool) {
	for c := range w.contents {
		for _, j := range w.contents[c].jobs {
			q[j.queue] = true
			for _, i := range j.segs {
				for k := range stations {
					st[k] = st[k] || w.segs[i].need[k] > 0 || k == stBus && w.segs[i].rd+w.segs[i].wr > 0
				}
			}
		}
	}
	return st, q
}

func (w *load) loose() bool {
	for _, c := range w.contents {
		for _, j := range c.jobs {
			if slices.ContainsFunc(j.after, func(d dep) bool { return d.loose }) {
				return true
			}
		}
	}
	return false
}

func (e *engine) each() (out []simulate.FrameTruth) {
	for i := range e.frames {
		f := &e.frames[i]
		out = append(out, simulate.FrameTruth{Content: e.w.frames[i].content, Begin: f.begin, GPUBegin: f.first,
			GPUEnd: f.done, Shown: f.flip, Missed: f.missed, Judged: i >= e.w.warm})
	}
	return out
}

// part is what the simulation itself says about some frames.
func (e *engine) part(s span) simulate.Part {
	p := simulate.Part{Name: s.name, First: s.first, Frames: s.last - s.first + 1, Start: e.frames[s.first-1].flip,
		End: e.frames[s.last].flip}
	var leaf, apart ledger
	queue := make([]int64, queues)
	turn := int64(0)
	for n := e.frames[s.last].flipNode; ; {
		x := e.path[n]
		if x.t <= p.Start || x.prev < 0 {
			if x.t > p.Start {
				leaf.add(simulate.DisplayRequest, x.t-p.Start)
				apart.add(simulate.DisplayRequest, x.t-p.Start)
			}
			break
		}
		from := max(p.Start, e.path[x.prev].t)
		if x.t > from {
			e.account(&leaf, x.cause, int(x.queue), x.t-from)
			if x.queue >= 0 {
				held := e.heldWithin(from, x.t, x.queue)
				turn += held
				queue[x.queue] += x.t - from - held
			} else {
				e.account(&apart, x.cause, -1, x.t-from)
			}
		}
		n = x.prev
	}
	for i, ns := range queue {
		apart.add(simulate.Candidate{Level: simulate.LevelQueue, Name: queueNames[i]}, ns)
	}
	apart.add(simulate.QueuesInTurn, turn)
	p.Shares, p.QueueShares = leaf.sorted(), apart.sorted()
	for i := s.first; i <= s.last; i++ {
		p.Missed += e.frames[i].missed
	}
	all := float64(max(1, p.End-p.Start))
	for _, b := range e.busyAt {
		p.GPUBusy += float64(max(0, min(p.End, b.end)-max(p.Start, b.start))) / all
	}
	for _, c := range e.clockAt {
		p.ClockMean += float64(max(0, min(p.End, c.end)-max(p.Start, c.start))) / all * e.m.steps[c.queue] / e.m.top()
	}
	if n := len(e.clockAt); n > 0 && p.End > e.clockAt[n-1].end { // the last frame waits for the display
		c := e.clockAt[n-1]
		p.ClockMean += float64(p.End-max(p.Start, c.end)) / all * e.m.steps[c.queue] / e.m.top()
	}
	return p
}

// account gives a time to its cause; that of a mixture to its stations in whole ns, of which the largest gets the rest.
func (e *engine) account(l *ledger, cause int32, queue int, ns int64) {
	switch cause {
	case causeLaunch:
		l.add(simulate.LaunchOverhead, ns)
	case causeApp:
		l.add(simulate.CPUApp, ns)
	case causeDriver:
		l.add(simulate.CPUDriver, ns)
	case causeVsync:
		l.add(simulate.DisplayVsync, ns)
	case causeCap:
		l.add(simulate.DisplayCap, ns)
	case causeRequest, causeStart:
		l.add(simulate.DisplayRequest, ns)
	default:
		shares := e.list[cause].shares[queue]
		best, left := 0, ns
		for k, v := range shares {
			if v > shares[best] {
				best = k
			}
		}
		for k, v := range shares {
			if x := int64(v * float64(ns)); k != best {
				l.add(candidates[k], x)
				left -= x
			}
		}
		l.add(candidates[best], left)
	}
}

// heldWithin is how much of a time of one queue another's work was held back by a needless dependency only.
func (e *engine) heldWithin(start, end int64, queue int8) (sum int64) {
	at := start
	for _, b := range e.blocked {
		if b.queue != queue && b.end > at && b.start < end {
			if from, to := max(at, b.start), min(end, b.end); to > from {
				sum += to - from
				at = to
			}
		}
	}
	return sum
}

// ledger adds up times by candidate.
type ledger []simulate.Share

func (l *ledger) add(c simulate.Candidate, ns int64) {
	if ns == 0 {
		return
	}
	for i := range *l {
		if (*l)[i].Candidate == c {
			(*l)[i].Ns += ns
			return
		}
	}
	*l = append(*l, simulate.Share{Candidate: c, Ns: ns})
}

func (l ledger) sorted() []simulate.Share {
	slices.SortStableFunc(l, func(a, b simulate.Share) int { return cmp.Compare(b.Ns, a.Ns) })
	return l
}
