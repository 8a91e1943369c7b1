package mali

import (
	"astrolabe/capture/simulate"
)

// stretch is a stretch of time of the path of what waited for what, with the share that a leaf has in it.
type stretch struct {
	from, to float64
	leaf     simulate.Candidate
	queue    simulate.Candidate
	weight   float64
}

// walker goes back over what each event waited for, from the last frame shown.
type walker struct {
	s   *simulation
	out []stretch
	t   float64 // up to which the path is known
	by  map[int32][]int
}

func (w *walker) spend(to float64, leaf simulate.Candidate) {
	if to < w.t {
		w.out = append(w.out, stretch{from: to, to: w.t, leaf: leaf, weight: 1})
		w.t = to
	}
}

// path is the path from the first frame shown to the last.
func (s *simulation) path() []stretch {
	w := &walker{s: s, by: map[int32][]int{}}
	for i := range s.slices {
		w.by[s.slices[i].inst] = append(w.by[s.slices[i].inst], i)
	}
	last := len(s.frames) - 1
	w.t = s.frames[last].shown
	at := cause{causeShown, last, w.t}
	stop := s.frames[s.p.warm-1].shown
	for w.t > stop && at.kind != causeNone {
		at = w.back(at)
	}
	if w.t > stop {
		w.spend(stop, simulate.CPUApp)
	}
	return w.out
}

// back takes the path from an event to what it waited for.
func (w *walker) back(c cause) cause {
	s := w.s
	switch c.kind {
	case causeShown:
		f := &s.frames[c.n]
		if c.n > 0 && s.frames[c.n-1].shown > f.done {
			w.spend(s.frames[c.n-1].shown, simulate.DisplayVsync)
			return cause{kind: causeShown, n: c.n - 1}
		}
		w.spend(f.done, simulate.DisplayVsync)
		return cause{kind: causeDone, n: c.n}
	case causeDone:
		last, n := 0.0, 0
		for k := range s.p.contents[s.p.frames[c.n].content].jobs {
			if in := &s.insts[s.base[c.n]+k]; in.end >= last {
				last, n = in.end, s.base[c.n]+k
			}
		}
		w.spend(last, simulate.LaunchOverhead)
		return cause{kind: causeJob, n: n}
	case causeJob, causeTurn, causeSync:
		return w.job(c.n)
	case causeSubmit, causeDrv:
		f := &s.frames[c.n]
		if c.kind == causeDrv {
			w.spend(f.drvEnd, simulate.CPUDriver)
		}
		w.spend(f.drvStart, simulate.CPUDriver)
		return f.drvWhy
	case causeApp:
		f := &s.frames[c.n]
		w.spend(f.appEnd, simulate.CPUApp)
		w.spend(f.begin, simulate.CPUApp)
		return w.begin(c.n)
	}
	return cause{}
}

// begin is what the start of a frame in the application waited for. Where a date or the GPU held it back, it might
// have begun when the application was free.
func (w *walker) begin(n int) cause {
	f := &w.s.frames[n]
	free := cause{}
	if n > 0 {
		free = cause{kind: causeApp, n: n - 1}
	}
	switch f.why.kind {
	case causeDate, causeAlign:
		leaf := simulate.DisplayVsync
		if f.why.kind == causeDate {
			leaf = simulate.DisplayCap
			if w.s.p.pace.kind == paceRequest {
				leaf = simulate.DisplayRequest
			}
		}
		if n > 0 {
			w.spend(w.s.frames[n-1].appEnd, leaf)
		}
		return free
	case causeSync:
		w.spend(f.synced, simulate.CPUSync)
		if n > 0 {
			w.spend(w.s.frames[n-1].appEnd, simulate.CPUSync)
		}
		return free
	}
	return f.why
}

// job is the time of a job, by what its segments waited for, and before it its launch.
func (w *walker) job(n int) cause {
	s := w.s
	in := &s.insts[n]
	names := s.p.m.queueNames()
	queue := simulate.Candidate{Level: simulate.LevelQueue, Name: names[in.queue]}
	w.spend(in.end, simulate.LaunchOverhead) // an interrupt
	list := w.by[int32(n)]
	for k := len(list) - 1; k >= 0; k-- {
		x := &s.slices[list[k]]
		to, from := min(x.to, w.t), min(x.from, w.t)
		if to <= from {
			continue
		}
		low := 1 - s.p.m.steps[x.step]
		leaf := s.p.holds()
		for i, v := range x.weight {
			if v < 1e-3 {
				continue
			}
			weight := float64(v)
			if i <= resBus && low > 0 {
				w.out = append(w.out, stretch{from, to, leaf, queue, weight * low})
				weight *= 1 - low
			}
			w.out = append(w.out, stretch{from, to, leafOf[i], queue, weight})
		}
		w.t = from
	}
	w.spend(in.ready, simulate.LaunchOverhead)
	if in.why.kind == causeTurn && in.but.at < in.why.at {
		w.spend(in.but.at, simulate.QueuesInTurn)
		return in.but
	}
	return in.why
}

// holds is what keeps the clock below its highest.
func (p *program) holds() simulate.Candidate {
	if p.clock.holder.Level != "" {
		return p.clock.holder
	}
	return simulate.ClockGovernor
}
