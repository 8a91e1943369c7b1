package amd

import (
	"errors"
	"math"

	"astrolabe/capture/simulate"
)

// Causes of events beyond the units.
const (
	causeApp = units + iota
	causeDriver
	causeVsync
	causeCap
	causeRequest
	causes
)

var causeNames = [...]simulate.Candidate{simulate.CPUApp, simulate.CPUDriver, simulate.DisplayVsync, simulate.DisplayCap,
	simulate.DisplayRequest}

// relief is what one simulation makes easier: units and queues by number, -1 for none.
type relief struct {
	unit, queue                            int
	gpu, app, driver, wait, loose, highest bool
}

// engine lets work flow: at each moment every running job goes on at a rate that the units allow together, until one of
// them comes to its next part or ends, a job can start, or the firmware looks at the clock.
type engine struct {
	l      *load
	relief relief
	path   simulate.Path
	rec    *recorder
	now    int64
	next   int64 // look of the firmware
	clock  control
	queue  [queues]running
	cursor [queues]struct{ frame, k int } // the next job
	last   [queues]moment                 // end of the last one
	first  []int                          // of a frame's jobs
	jobs   []jobState
	frames []frameState
	host   hostState
	shown  int

	busy, active, memory float64 // ns in this tick: of the graphics core, weighted by what switches, of the memory
	used                 vector  // ns of all work, for which units need relief
	spans                []span  // in which a queue had a job
}

type span struct{ from, to int64 }

// moment is an event: its time, and its node of the path.
type moment struct {
	at   int64
	node int32
}

func (m *moment) later(x moment) {
	if x.at > m.at {
		*m = x
	}
}

// jobState is a job of a frame.
type jobState struct {
	submitted, done bool
	submit, end     moment
	began           int64
}

// running is what a queue works on.
type running struct {
	on         bool
	frame, k   int
	job        *job
	part       int     // -1 while it is started
	left, rate float64 // of the part; per ns
	bound      uint8   // the unit that limits it
	demand     vector
	node       int32
}

type frameState struct {
	begin, done, flip   moment
	submitted, gpuBegin int64
	left, missed        int
	all                 bool // handed over
}

func (e *engine) run(l *load, r relief, keep bool, rec *recorder) error {
	*e = engine{l: l, relief: r, rec: rec, first: e.first[:0], jobs: e.jobs[:0], frames: e.frames[:0], path: e.path,
		spans: e.spans[:0], clock: e.clock, next: tick}
	e.path.Keep = keep
	e.path.Begin(causeRequest)
	for i := range l.frames {
		n := len(l.contents[l.frames[i].content].jobs)
		e.first = append(e.first, len(e.jobs))
		e.jobs = append(e.jobs, make([]jobState, n)...)
		e.frames = append(e.frames, frameState{left: n})
	}
	e.clock.reset(l.card, &l.firmware, r.highest, l.hostShare())
	for q := range e.cursor {
		e.cursor[q].k = -1
		e.forward(q)
	}
	e.advanceHost()
	for e.shown < len(e.frames) {
		if err := e.turn(); err != nil {
			return err
		}
	}
	return nil
}

// of is a job and its state.
func (e *engine) of(frame, k int) (*job, *jobState) {
	return &e.l.contents[e.l.frames[frame].content].jobs[k], &e.jobs[e.first[frame]+k]
}

// forward moves a queue's cursor to its next job.
func (e *engine) forward(q int) {
	c := &e.cursor[q]
	for c.k++; c.frame < len(e.frames); c.frame, c.k = c.frame+1, 0 {
		jobs := e.l.contents[e.l.frames[c.frame].content].jobs
		for ; c.k < len(jobs); c.k++ {
			if jobs[c.k].queue == q {
				return
			}
		}
	}
}

// ready is when the next job of a queue can start, as far as that is known.
func (e *engine) ready(q int) (m moment, ok bool) {
	c := &e.cursor[q]
	if c.frame >= len(e.frames) {
		return m, false
	}
	j, s := e.of(c.frame, c.k)
	if !s.submitted {
		return m, false
	}
	m = s.submit
	m.later(e.last[q])
	if p := &e.l.pacing; j.image && p.Refresh > 0 && c.frame >= p.Buffers { // the picture must be free
		if c.frame-p.Buffers >= e.shown {
			return m, false
		}
		m.later(e.frames[c.frame-p.Buffers].flip)
	}
	for _, d := range j.after {
		i := c.frame - d.back
		if i < 0 || d.loose && e.relief.loose || e.l.frames[i].content != e.l.frames[c.frame].content {
			continue
		}
		_, s := e.of(i, d.job)
		if !s.done {
			return m, false
		}
		m.later(s.end)
	}
	return m, true
}

// turn goes to the next event.
func (e *engine) turn() error {
	next := int64(math.MaxInt64)
	for q := range e.queue {
		if e.queue[q].on {
			continue
		}
		m, ok := e.ready(q)
		switch {
		case ok && m.at <= e.now:
			e.start(q, m.node)
		case ok:
			next = min(next, m.at)
		}
	}
	e.rates()
	for q := range e.queue {
		if r := &e.queue[q]; r.on {
			next = min(next, e.now+max(1, int64(math.Ceil(r.left/r.rate))))
		}
	}
	if next == math.MaxInt64 {
		return errors.New("amd: nothing can go on")
	}
	e.flow(min(next, e.next))
	for q := range e.queue {
		if r := &e.queue[q]; r.on && r.left <= r.rate*0.5 {
			e.advance(q)
		}
	}
	if e.now >= e.next {
		busy, memory := e.busy/tick, min(1, e.memory/tick)
		e.clock.look(busy, e.active/tick, memory)
		if e.rec != nil {
			e.rec.look(e, busy, memory)
		}
		e.busy, e.active, e.memory = 0, 0, 0
		e.next += tick
	}
	return nil
}

// eased is a time of a unit on a queue as the relief makes it.
func (e *engine) eased(ns float64, unit, queue int) float64 {
	if e.relief.gpu || e.relief.unit == unit || e.relief.queue == queue && queue >= 0 {
		return ns / simulate.Faster
	}
	return ns
}

func (e *engine) start(q int, node int32) {
	c := e.cursor[q]
	j, s := e.of(c.frame, c.k)
	s.began = e.now
	if f := &e.frames[c.frame]; f.gpuBegin == 0 {
		f.gpuBegin = e.now
	}
	e.queue[q] = running{on: true, frame: c.frame, k: c.k, job: j, part: -1, node: node, bound: uCommand,
		left: max(1, e.eased(j.fixed, uCommand, q))}
	e.forward(q)
}

// advance takes a queue's job to its next part, or ends it.
func (e *engine) advance(q int) {
	r := &e.queue[q]
	r.node = e.path.At(e.now, r.bound, uint8(q), r.node)
	if r.part++; r.part < len(r.job.parts) {
		for u, x := range r.job.parts[r.part] {
			r.demand[u] = e.eased(x*e.l.frames[r.frame].scale[r.k], u, q)
			e.used[u] += r.demand[u]
		}
		r.left = 1
		return
	}
	r.on = false
	_, s := e.of(r.frame, r.k)
	s.done, s.end = true, moment{e.now, r.node}
	e.last[q] = s.end
	e.spans = append(e.spans, span{s.began, e.now})
	f := &e.frames[r.frame]
	if f.left--; f.left == 0 {
		f.done = s.end
	}
	e.advanceHost()
}

// rates finds how fast each running job goes: as it does alone, but where all together ask a unit for more than it can
// do, those that use it are slowed alike. Each waits for memory by itself.
func (e *engine) rates() {
	var load vector
	var own [queues]vector
	f := e.clock.f
	for q := range e.queue {
		r := &e.queue[q]
		if r.rate = 1; !r.on || r.part < 0 {
			continue
		}
		r.rate = 1 / max(1, imperfect(&r.demand, f))
		most := 0.0
		for u, x := range r.demand {
			y := x * slowed(u, f)
			if own[q][u] = y * r.rate; u != uLatency {
				load[u] += own[q][u]
			}
			if y > most {
				most, r.bound = y, uint8(u)
			}
		}
	}
	for q := range e.queue {
		r := &e.queue[q]
		if !r.on || r.part < 0 {
			continue
		}
		slow := 1.0
		for u, x := range load {
			if x > slow && own[q][u] > 0.01 {
				slow, r.bound = x, uint8(u)
			}
		}
		r.rate /= slow
	}
}

// flow lets time pass.
func (e *engine) flow(to int64) {
	dt := float64(to - e.now)
	if e.rec != nil {
		e.rec.add(e, to)
	}
	var use vector
	core := false
	for q := range e.queue {
		r := &e.queue[q]
		if !r.on {
			continue
		}
		core = core || q == graphics || q == compute
		r.left -= r.rate * dt
		if r.part >= 0 {
			for u, x := range r.demand {
				use[u] += r.rate * x * slowed(u, e.clock.f)
			}
		}
	}
	if core {
		e.busy += dt
	}
	// Vector ALUs and their register files take most of the power.
	a := 0.5*use[uArithmetic] + 0.15*use[uTexture] + 0.12*(use[uLoadStore]+use[uLocal]+use[uCache]+use[uBandwidth]) +
		0.06*(use[uRaster]+use[uDepth]+use[uVertex]+use[uPrimitive]) + 0.1*use[uPixel]
	e.active += min(1, 0.18*min(1, a*4)+0.95*a) * dt
	e.memory += use[uBandwidth] * dt
	e.now = to
}
