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
	causeStart
	causes
)

func candidateOf(cause uint8) simulate.Candidate {
	switch {
	case cause < units:
		return candidates[cause]
	case cause == causeApp:
		return simulate.CPUApp
	case cause == causeDriver:
		return simulate.CPUDriver
	case cause == causeVsync:
		return simulate.DisplayVsync
	case cause == causeCap:
		return simulate.DisplayCap
	}
	return simulate.DisplayRequest
}

// relief is what one simulation makes easier.
type relief struct {
	unit        int // -1 for none; uCommand takes the fixed times with it
	queue       int // -1 for none
	gpu         bool
	app, driver bool
	wait        bool
	loose       bool
	highest     bool
}

func noRelief() relief { return relief{unit: -1, queue: -1} }

// jobState is a job of a frame.
type jobState struct {
	submitted, done          bool
	submit, ready, began, at int64 // at is its end
	submitNode, node         int32
}

// running is the job that a queue works on.
type running struct {
	on       bool
	frame, k int
	job      *job
	part     int // -1 while it is started
	left     float64
	rate     float64 // per ns
	bound    uint8
	demand   vector
	node     int32
	from     int64
}

// engine lets work flow: at each moment every running job goes on at a rate that the units allow together, until one of
// them comes to its next part or ends, a job can start, or the firmware looks at the clock.
type engine struct {
	l      *load
	relief relief
	path   simulate.Path
	rec    *recorder

	now    int64
	clock  control
	queue  [queues]running
	cursor [queues]struct{ frame, k int }
	last   [queues]struct { // job that ended last
		at   int64
		node int32
	}
	first  []int // of a frame's jobs
	jobs   []jobState
	frames []frameState
	host   hostState
	shown  int
	busyNs int64 // of the graphics core in this tick, in ns
	active float64
	memory float64
	next   int64
	used   vector // ns of all work, for which units need relief
	spans  []span // in which a queue had a job
	block  []blockSpan
}

type span struct{ from, to int64 }

// blockSpan is a time in which only a needless dependency held a queue's job.
type blockSpan struct {
	span
	queue uint8
}

type frameState struct {
	begin, submitted, gpuBegin, done, flip int64
	beginNode, doneNode, flipNode          int32
	left, missed                           int
	all                                    bool // handed over
}

func (e *engine) run(l *load, r relief, keep bool, rec *recorder) error {
	path, clock := e.path, e.clock
	*e = engine{l: l, relief: r, rec: rec, first: e.first[:0], jobs: e.jobs[:0], frames: e.frames[:0], path: path,
		spans: e.spans[:0], block: e.block[:0], clock: clock}
	e.path.Keep = keep
	e.path.Begin(causeStart)
	for i := range l.frames {
		e.first = append(e.first, len(e.jobs))
		n := len(l.contents[l.frames[i].content].jobs)
		for range n {
			e.jobs = append(e.jobs, jobState{})
		}
		e.frames = append(e.frames, frameState{left: n})
	}
	e.clock.reset(l.card, &l.firmware, r.highest, l.hostShare())
	e.next = tick
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
// hard is when it could without needless dependencies.
func (e *engine) ready(q int) (at, hard int64, node int32, ok bool) {
	c := &e.cursor[q]
	if c.frame >= len(e.frames) {
		return 0, 0, 0, false
	}
	j := &e.l.contents[e.l.frames[c.frame].content].jobs[c.k]
	s := &e.jobs[e.first[c.frame]+c.k]
	if !s.submitted {
		return 0, 0, 0, false
	}
	at, node = s.submit, s.submitNode
	later := func(t int64, n int32) {
		if t > at {
			at, node = t, n
		}
	}
	later(e.last[q].at, e.last[q].node)
	if p := &e.l.pacing; j.image && p.Refresh > 0 {
		if i := c.frame - p.Buffers; i >= 0 {
			if i >= e.shown {
				return 0, 0, 0, false
			}
			later(e.frames[i].flip, e.frames[i].flipNode)
		}
	}
	hard = at
	for _, d := range j.after {
		i := c.frame - d.back
		if i < 0 || d.loose && e.relief.loose || e.l.frames[i].content != e.l.frames[c.frame].content {
			continue
		}
		s := &e.jobs[e.first[i]+d.job]
		if !s.done {
			return 0, 0, 0, false
		}
		if !d.loose {
			hard = max(hard, s.at)
		}
		later(s.at, s.node)
	}
	return at, hard, node, true
}

// turn goes to the next event.
func (e *engine) turn() error {
	next, any := int64(math.MaxInt64), false
	for q := range e.queue {
		if e.queue[q].on {
			any = true
			continue
		}
		at, hard, node, ok := e.ready(q)
		switch {
		case ok && at <= e.now:
			if at > hard {
				e.block = append(e.block, blockSpan{span{hard, at}, uint8(q)})
			}
			e.start(q, max(at, e.now), node)
			any = true
		case ok:
			next, any = min(next, at), true
		}
	}
	if !any {
		return errors.New("amd: nothing can go on")
	}
	e.rates()
	for q := range e.queue {
		if r := &e.queue[q]; r.on {
			if r.left*1.0000001 >= r.rate*1e15 {
				return errors.New("amd: a job never ends")
			}
			next = min(next, e.now+max(1, int64(math.Ceil(r.left/r.rate))))
		}
	}
	next = min(next, e.next)
	e.flow(next)
	for q := range e.queue {
		if r := &e.queue[q]; r.on && r.left <= r.rate*0.5 {
			e.forwardJob(q)
		}
	}
	if e.now >= e.next {
		e.clock.look(float64(e.busyNs)/tick, e.active/tick, min(1, e.memory/tick))
		if e.rec != nil {
			e.rec.look(&e.clock, float64(e.busyNs)/tick, min(1, e.memory/tick))
		}
		e.busyNs, e.active, e.memory = 0, 0, 0
		e.next += tick
	}
	return nil
}

func (e *engine) start(q int, at int64, node int32) {
	c := &e.cursor[q]
	j := &e.l.contents[e.l.frames[c.frame].content].jobs[c.k]
	s := &e.jobs[e.first[c.frame]+c.k]
	s.began, s.ready = at, at
	if f := &e.frames[c.frame]; f.gpuBegin == 0 {
		f.gpuBegin = at
	}
	r := &e.queue[q]
	*r = running{on: true, frame: c.frame, k: c.k, job: j, part: -1, node: node, from: at}
	fixed := j.fixed
	if e.relief.gpu || e.relief.unit == uCommand || e.relief.queue == q {
		fixed /= simulate.Faster
	}
	r.left, r.bound = max(1, fixed), uCommand
	e.forward(q)
}

// forwardJob takes a queue's job to its next part, or ends it.
func (e *engine) forwardJob(q int) {
	r := &e.queue[q]
	r.node = e.path.At(e.now, r.bound, uint8(q), r.node)
	r.from = e.now
	r.part++
	if r.part < len(r.job.parts) {
		scale := e.l.frames[r.frame].scale[r.k]
		r.demand = r.job.parts[r.part]
		for u := range r.demand {
			x := r.demand[u] * scale
			if e.relief.gpu || e.relief.unit == u || e.relief.queue == q {
				x /= simulate.Faster
			}
			r.demand[u] = x
			e.used[u] += x
		}
		r.left = 1
		return
	}
	r.on = false
	s := &e.jobs[e.first[r.frame]+r.k]
	s.done, s.at, s.node = true, e.now, r.node
	e.last[q].at, e.last[q].node = e.now, r.node
	e.spans = append(e.spans, span{s.began, e.now})
	f := &e.frames[r.frame]
	if f.left--; f.left == 0 {
		f.done, f.doneNode = e.now, r.node
	}
	e.advanceHost()
}

// rates finds how fast each running job goes. All rise together from nothing to what they reach alone; where a unit
// comes to its limit those that use it stop rising, and the others go on.
func (e *engine) rates() {
	var load vector
	var alone [queues]float64
	open := 0
	f := e.clock.f
	var slow vector
	for u := range slow {
		slow[u] = slowed(u, f)
	}
	var own [queues]vector
	for q := range e.queue {
		r := &e.queue[q]
		if !r.on {
			continue
		}
		if r.part < 0 {
			r.rate = 1
			continue
		}
		open |= 1 << q
		alone[q] = 1 / max(1, solo(&r.demand, f))
		most := 0.0
		for u, x := range r.demand {
			y := x * slow[u]
			if y > most {
				most, r.bound = y, uint8(u)
			}
			own[q][u] = y * alone[q]
		}
	}
	level := 0.0
	for open != 0 {
		rise, at := 1-level, -1
		for u := range units {
			if u == uLatency {
				continue // each has its own waits
			}
			sum := 0.0
			for q := range own {
				if open&(1<<q) != 0 {
					sum += own[q][u]
				}
			}
			if sum > 1e-9 && (1-load[u])/sum < rise {
				rise, at = max(0, (1-load[u])/sum), u
			}
		}
		level += rise
		for q := range own {
			if open&(1<<q) == 0 {
				continue
			}
			for u := range load {
				load[u] += own[q][u] * rise
			}
			if at < 0 || own[q][at] > 0.02 {
				e.queue[q].rate = alone[q] * max(level, 0.02)
				open &^= 1 << q
				if at >= 0 {
					e.queue[q].bound = uint8(at)
				}
			}
		}
		if at >= 0 && rise <= 0 { // only such as hardly use it are left
			for q := range own {
				if open&(1<<q) != 0 && own[q][at] > 0 {
					e.queue[q].rate = alone[q] * max(level, 0.02)
					open &^= 1 << q
				}
			}
		}
	}
}

// flow lets time pass.
func (e *engine) flow(to int64) {
	dt := to - e.now
	if dt <= 0 {
		return
	}
	var use vector
	core := false
	for q := range e.queue {
		r := &e.queue[q]
		if !r.on {
			continue
		}
		core = core || q == graphics || q == compute
		r.left -= r.rate * float64(dt)
		if r.part >= 0 {
			for u := range use {
				use[u] += r.rate * r.demand[u] * slowed(u, e.clock.f)
			}
		}
	}
	if core {
		e.busyNs += dt
	}
	act := activity(&use)
	e.active += act * float64(dt)
	e.memory += use[uBandwidth] * float64(dt)
	if e.rec != nil {
		e.rec.add(e, to, &use, core)
	}
	e.now = to
}

// activity is how much of the graphics core switches: vector ALUs and register files take most of the power.
func activity(use *vector) float64 {
	a := 0.5*use[uArithmetic] + 0.15*use[uTexture] + 0.12*use[uLoadStore] + 0.12*use[uLocal] + 0.12*use[uCache] +
		0.06*use[uRaster] + 0.1*use[uPixel] + 0.06*use[uDepth] + 0.06*use[uVertex] + 0.05*use[uPrimitive] + 0.12*use[uBandwidth]
	return min(1, 0.18*min(1, a*4)+0.95*a)
}
