package simulate

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// engines are kept with their memory, because a case is simulated many times.
var engines = sync.Pool{New: func() any { return &engine{} }}

// spans are the frames of the whole load, and of each phase.
func (w *Load) spans() []Stretch {
	return Stretches(len(w.Frames), w.Warm, 3, func(i int) int { return w.Frames[i].Content },
		func(c int) string { return w.Contents[c].Name })
}

// times is how long each span of frames took.
func (e *engine) times(spans []Stretch) []int64 {
	out := make([]int64, len(spans))
	for i, s := range spans {
		out[i] = e.frames[s.Last].flip - e.frames[s.First-1].flip
	}
	return out
}

// Judge finds out by relief what limits a load on a machine.
func Judge(m *Machine, w *Load) (*Truth, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	rec := newRecorder(m, w, NewBounds(math.MaxInt64/4, nil)) // one sample: only totals are of interest
	if err := e.run(m, w, Relief{}, true, rec); err != nil {
		return nil, err
	}
	spans := w.spans()
	base := e.times(spans)
	parts := make([]Part, len(spans))
	for i, s := range spans {
		parts[i] = e.part(s)
	}
	truth := &Truth{}
	for i := range w.Frames {
		f := &e.frames[i]
		truth.Each = append(truth.Each, FrameTruth{w.Frames[i].Content, f.begin, f.gpuBegin, f.done, f.flip, f.missed,
			i >= w.Warm})
	}
	worked := workOf(w)
	cause, slow := e.clock.held.cause(e.frames[len(e.frames)-1].flip)
	var list []Candidate
	for u := range m.Units {
		list = append(list, m.Units[u].Candidate)
	}
	leaves := append(list, LaunchOverhead, CPUApp, CPUDriver, CPUSync)
	if hasLoose(w) {
		leaves = append(leaves, QueuesInTurn)
	}
	if slow {
		leaves = append(leaves, cause)
	}
	var queues []Candidate
	for _, q := range m.Queues {
		queues = append(queues, Candidate{LevelQueue, q})
	}
	relieve := func(c Candidate, put func(p *Part, g Gain)) error {
		r, ok := reliefOf(c)
		if !ok {
			return nil
		}
		simulated := needs(c, m, worked, &parts[0])
		var times []int64
		if simulated {
			if err := e.run(m, w, r, false, nil); err != nil {
				return err
			}
			times = e.times(spans)
		}
		for i := range parts {
			g := Gain{Candidate: c, Simulated: simulated}
			if simulated && base[i] > 0 {
				g.Percent = 100 * float64(base[i]-times[i]) / float64(base[i])
			}
			put(&parts[i], g)
		}
		return nil
	}
	for _, c := range leaves {
		if err := relieve(c, func(p *Part, g Gain) { p.Leaves = append(p.Leaves, g) }); err != nil {
			return nil, err
		}
	}
	if len(queues) > 1 {
		if hasLoose(w) {
			queues = append(queues, QueuesInTurn)
		}
		for _, c := range queues {
			if err := relieve(c, func(p *Part, g Gain) { p.Queues = append(p.Queues, g) }); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range []Candidate{WholeCPU, WholeGPU} {
		if err := relieve(c, func(p *Part, g Gain) { p.Whole = append(p.Whole, g) }); err != nil {
			return nil, err
		}
	}
	for i := range parts {
		p := &parts[i]
		p.Conclude()
	}
	truth.Part = parts[0]
	truth.Phases = parts[1:]
	truth.Hold(float64(w.Pacing.Refresh))
	return truth, nil
}

// work says which units have any work, and whether jobs take time to launch.
type work struct {
	unit   [maxUnits]bool
	launch bool
}

func workOf(w *Load) work {
	out := work{launch: w.Interrupt > 0}
	for c := range w.Contents {
		for j := range w.Contents[c].Jobs {
			job := &w.Contents[c].Jobs[j]
			out.launch = out.launch || job.Launch > 0
			for s := range job.Streams {
				st := &job.Streams[s]
				for _, list := range [][]Serve{st.Front, st.Core, st.Back} {
					for _, v := range list {
						out.unit[v.Unit] = out.unit[v.Unit] || v.Time > 0
					}
				}
			}
		}
	}
	return out
}

// needs reports whether a candidate has to be simulated. Its relief shortens nothing where it has no work. Where the
// path of the whole never waited for it, the last frame would come no sooner either: that frame's time is the length
// of the path, which relief elsewhere leaves as long. Less work can still let the clock rise where heat or power
// holds it, so then everything that works is simulated.
func needs(c Candidate, m *Machine, worked work, whole *Part) bool {
	if u := m.UnitOf(c); u >= 0 {
		return worked.unit[u] && (m.Clock.Heat != nil || m.Clock.Power != nil || whole.ShareOf(c) > 0)
	}
	if c == LaunchOverhead {
		return worked.launch
	}
	return true
}

func hasLoose(w *Load) bool {
	for c := range w.Contents {
		for j := range w.Contents[c].Jobs {
			if slices.ContainsFunc(w.Contents[c].Jobs[j].After, func(d Dependency) bool { return d.Loose }) {
				return true
			}
		}
	}
	return false
}

// part is what the simulation itself says about a span of frames: who set the pace, dates, load.
func (e *engine) part(s Stretch) Part {
	p := Part{Name: s.Name, First: s.First, Frames: s.Last - s.First + 1, Start: e.frames[s.First-1].flip,
		End: e.frames[s.Last].flip}
	var leaf [causes]int64
	var other [causes]int64 // of what belongs to no queue
	queues := make([]int64, len(e.queues))
	turn := int64(0)
	e.path.Walk(e.frames[s.Last].flipNode, p.Start, func(start, end int64, cause, queue uint8) {
		leaf[cause] += end - start
		if queue == NoQueue {
			other[cause] += end - start
			return
		}
		held := e.blockedWithin(start, end, queue)
		turn += held
		queues[queue] += end - start - held
	})
	add := func(list *[]Share, c Candidate, ns int64) {
		if ns == 0 {
			return
		}
		for i := range *list {
			if (*list)[i].Candidate == c {
				(*list)[i].Ns += ns
				return
			}
		}
		*list = append(*list, Share{c, ns})
	}
	for c := range leaf {
		if leaf[c] > 0 {
			add(&p.Shares, e.candidateOf(uint8(c)), leaf[c])
		}
		if other[c] > 0 {
			add(&p.QueueShares, e.candidateOf(uint8(c)), other[c])
		}
	}
	for q, ns := range queues {
		add(&p.QueueShares, Candidate{LevelQueue, e.m.Queues[q]}, ns)
	}
	add(&p.QueueShares, QueuesInTurn, turn)
	SortShares(p.Shares)
	SortShares(p.QueueShares)
	for i := s.First; i <= s.Last; i++ {
		p.Missed += e.frames[i].missed
	}
	p.GPUBusy, p.ClockMean = e.busyWithin(p.Start, p.End), e.clockWithin(p.Start, p.End)
	return p
}

// SortShares puts the longest first.
func SortShares(list []Share) {
	slices.SortStableFunc(list, func(a, b Share) int { return cmp.Compare(b.Ns, a.Ns) })
}

// blockedWithin is how much of a time, in which one queue set the pace, another queue had work that only a needless
// dependency held back.
func (e *engine) blockedWithin(start, end int64, queue uint8) int64 {
	sum := int64(0)
	at := start
	for i := range e.blocked {
		b := &e.blocked[i]
		if b.queue == queue || b.end <= at {
			continue
		}
		if b.start >= end {
			continue
		}
		from, to := max(at, b.start), min(end, b.end)
		if to > from {
			sum += to - from
			at = to
		}
	}
	return min(sum, end-start)
}

// busyWithin is the share of a time in which some job was on a queue.
func (e *engine) busyWithin(start, end int64) float64 {
	type iv struct{ a, b int64 }
	var list []iv
	for i := range e.frames {
		for j := e.first[i]; j < e.first[i]+len(e.w.Contents[e.w.Frames[i].Content].Jobs); j++ {
			if s := &e.jobs[j]; s.done {
				list = append(list, iv{max(start, s.began), min(end, s.end)})
			}
		}
	}
	slices.SortFunc(list, func(x, y iv) int { return int(min(1, max(-1, x.a-y.a))) })
	sum, edge := int64(0), start
	for _, x := range list {
		if x.a = max(x.a, edge); x.b > x.a {
			sum += x.b - x.a
			edge = x.b
		}
	}
	if end <= start {
		return 0
	}
	return float64(sum) / float64(end-start)
}

// clockWithin is the mean of the clock's share of its highest.
func (e *engine) clockWithin(start, end int64) float64 {
	if end <= start {
		return 1
	}
	return clockTime(e.clock.changes, start, end) / float64(end-start)
}

// clockTime is the integral of the clock's share over a time.
func clockTime(changes []clockChange, start, end int64) float64 {
	sum := 0.0
	for i, c := range changes {
		until := end
		if i+1 < len(changes) {
			until = min(end, changes[i+1].at)
		}
		if from := max(start, c.at); until > from {
			sum += c.share * float64(until-from)
		}
	}
	return sum
}
