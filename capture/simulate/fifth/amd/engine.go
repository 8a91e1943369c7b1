package amd

import (
	"fmt"
	"math"

	"astrolabe/capture/simulate"
)

// relief is what one simulation makes easier. Its zero value relieves nothing.
type relief struct {
	cause   int // that is relieved, -1 for none; causeLatency and causeLaunch too
	queue   int // all work of it, -1 for none
	gpu     bool
	cpu     bool
	app     bool
	driver  bool
	wait    bool
	loose   bool
	highest bool
}

var nothing = relief{cause: -1, queue: -1}

const faster = 1.5

// flow is a stream that runs.
type flow struct {
	s     *stream
	done  float64 // share of its work
	rate  float64 // per ns
	knot  int
	limit uint8
	lat   float64            // ns that its waves would take to wait, all together
	cost  [resources]float64 // ns of each resource for the whole stream, as things stand
}

// running is a job on a queue.
type running struct {
	frame, job int
	j          *job
	queue      uint8
	from       int64 // when its launch is over
	began      int64
	begun      bool
	ease       float64
	scale      float64
	f          [2]flow
	n          int
	starved    bool // the second flow has all that the first one made
	held       bool // the first flow has no room behind it
	issued     bool
	node       int32
	cause      uint8
}

type jobState struct {
	submit           int64
	submitNode       int32
	end              int64
	endNode          int32
	submitted, ended bool
}

type frameState struct {
	begin, gpuBegin, done, flip int64
	doneNode, flipNode          int32
	left, missed                int
	complete                    bool
}

type queueState struct {
	frame, pos          int
	issued, endNs       int64 // of the job before
	issuedNode, endNode int32
	active              int
	fresh               bool  // its next job is the first of a frame
	blockedFrom         int64 // since when only a needless dependency holds its next job up, -1
}

type stretch struct {
	start, end int64
	queue      uint8
}

type clockChange struct {
	at    int64
	share float64
}

// engine is one simulation. Work flows at rates that hold until something happens: nothing is counted in pieces.
type engine struct {
	p       *program
	r       relief
	t       int64
	path    simulate.Path
	rec     *recorder
	act     []running
	queues  [queueCount]queueState
	jobs    []jobState
	first   []int
	frames  []frameState
	shown   int
	host    hostState
	clock   clockState
	per     [resources]float64 // factor of the times of each resource at the moment
	load    float64            // of the memory, as it is felt
	use     [resources]float64 // share of each resource's time in the step
	blocked []stretch
	busy    []stretch
	steps   int
	beside  int64 // when another program draws next
}

// run simulates a program.
func (e *engine) run(p *program, r relief, keep bool, rec *recorder) error {
	e.p, e.r, e.rec, e.path.Keep = p, r, rec, keep
	e.t, e.shown, e.load, e.steps = 0, 0, 0, 0
	e.path.Begin(causeRequest)
	e.act, e.jobs, e.first, e.frames = e.act[:0], e.jobs[:0], e.first[:0], e.frames[:0]
	e.blocked, e.busy = e.blocked[:0], e.busy[:0]
	for i := range p.frames {
		n := len(p.contents[p.frames[i].content].jobs)
		e.first = append(e.first, len(e.jobs))
		for range n {
			e.jobs = append(e.jobs, jobState{})
		}
		e.frames = append(e.frames, frameState{left: n, gpuBegin: -1})
	}
	for q := range e.queues {
		e.queues[q] = queueState{blockedFrom: -1}
	}
	e.host = hostState{}
	e.clock.reset(&p.m.clock, r.highest)
	e.setPer()
	e.beside = math.MaxInt64
	if len(p.beside) > 0 {
		e.beside = p.every / 3
	}
	for e.shown < len(p.frames) {
		if e.steps++; e.steps > 4_000_000 {
			return fmt.Errorf("simulation of %s takes too many steps", p.text)
		}
		e.advanceHost()
		next := e.startJobs()
		if e.shown >= len(p.frames) {
			break
		}
		if e.t >= e.beside {
			e.startBeside()
		}
		end := min(next, e.beside)
		if !e.clock.still() {
			end = min(end, e.clock.next)
		}
		for i := range e.act {
			a := &e.act[i]
			if !a.begun {
				end = min(end, a.from)
			}
		}
		e.rates()
		if dt := e.until(); dt < math.MaxInt64/8 {
			end = min(end, e.t+dt)
		}
		if next == math.MaxInt64 && !e.ours() {
			return fmt.Errorf("simulation of %s came to a stop after frame %d: jobs wait for each other", p.text, e.shown)
		}
		e.advance(max(end, e.t+1))
	}
	return nil
}

// ours says whether the measured program has work on the GPU.
func (e *engine) ours() bool {
	for i := range e.act {
		if e.act[i].frame >= 0 {
			return true
		}
	}
	return false
}

// startBeside lets another program draw. Its passes run beside those of the measured one, and nothing waits for them.
func (e *engine) startBeside() {
	for i := range e.p.beside {
		j := &e.p.beside[i]
		a := running{frame: -1, j: j, queue: graphics, began: e.t, from: e.t + int64(j.launch), ease: 1, scale: 1, n: len(j.streams)}
		for k := range j.streams {
			a.f[k].s = &j.streams[k]
		}
		e.act = append(e.act, a)
	}
	e.beside += e.p.every
}

// setPer notes how long resources take at the clock of the moment.
func (e *engine) setPer() {
	for u := range e.per {
		f := 1 / e.clock.share
		if u == bw {
			f = 1 / e.p.m.memShare
		}
		if e.r.cause == u || e.r.gpu {
			f /= faster
		}
		e.per[u] = f
	}
}

// startJobs starts what can start now, and says when something else can; MaxInt64 where that is not known.
func (e *engine) startJobs() (next int64) {
	for again := true; again; {
		again, next = false, math.MaxInt64
		for q := range e.queues {
			at, n, ok := e.ready(q)
			if !ok {
				continue
			}
			if at > e.t {
				next = min(next, at)
				continue
			}
			e.start(q, n)
			again = true
		}
	}
	return next
}

// ready is when the next job of a queue can start.
func (e *engine) ready(qi int) (at int64, n int32, ok bool) {
	q := &e.queues[qi]
	var j *job
	for {
		if q.frame >= len(e.p.frames) {
			return 0, 0, false
		}
		list := e.p.contents[e.p.frames[q.frame].content].jobs
		for q.pos < len(list) && list[q.pos].queue != qi {
			q.pos++
		}
		if q.pos < len(list) {
			j = &list[q.pos]
			break
		}
		q.frame, q.pos, q.fresh = q.frame+1, 0, true
	}
	s := &e.jobs[e.first[q.frame]+q.pos]
	if !s.submitted || q.active > 1 || q.active == 1 && j.drain {
		return 0, 0, false
	}
	if q.active == 1 { // the job before must have issued all of its first stream
		for i := range e.act {
			if a := &e.act[i]; int(a.queue) == qi && a.frame >= 0 && !a.issued {
				return 0, 0, false
			}
		}
	}
	at, n = s.submit, s.submitNode
	later := func(t int64, tn int32) {
		if t > at {
			at, n = t, tn
		}
	}
	h := e.p.handover
	if h > 0 && q.fresh && q.frame > 0 { // the path has this time in the launch that follows
		if q.active > 0 {
			return 0, 0, false
		}
		if e.r.cause == causeLaunch || e.r.gpu || e.r.queue == qi {
			h /= faster
		}
		later(q.endNs+int64(h), q.endNode)
	} else if q.active == 1 {
		later(q.issued, q.issuedNode)
	} else {
		later(q.endNs, q.endNode)
	}
	var loose int64
	var looseNode int32
	known := true
	for _, d := range j.after {
		f := q.frame - d.back
		if f < 0 || d.loose && e.r.loose {
			continue
		}
		o := &e.jobs[e.first[f]+d.job]
		switch {
		case !o.ended && !d.loose:
			return 0, 0, false
		case !o.ended:
			known = false
		case d.loose && o.end > loose:
			loose, looseNode = o.end, o.endNode
		case !d.loose:
			later(o.end, o.endNode)
		}
	}
	if j.image && e.p.pacing.Refresh > 0 {
		if before := q.frame - e.p.pacing.Buffers + 1; before >= 0 {
			if before >= e.shown {
				return 0, 0, false
			}
			later(e.frames[before].flip, e.frames[before].flipNode)
		}
	}
	if !known {
		if q.blockedFrom < 0 && at <= e.t {
			q.blockedFrom = at
		}
		return 0, 0, false
	}
	if loose > at {
		if q.blockedFrom < 0 {
			q.blockedFrom = at
		}
		later(loose, looseNode)
	}
	return at, n, true
}

func (e *engine) start(qi int, n int32) {
	q := &e.queues[qi]
	frame := &e.p.frames[q.frame]
	j := &e.p.contents[frame.content].jobs[q.pos]
	if q.blockedFrom >= 0 {
		if e.t > q.blockedFrom {
			e.blocked = append(e.blocked, stretch{q.blockedFrom, e.t, uint8(qi)})
		}
		q.blockedFrom = -1
	}
	a := running{frame: q.frame, job: q.pos, j: j, queue: uint8(qi), began: e.t, ease: 1, scale: frame.scale * j.weigh(q.frame),
		n: len(j.streams), node: n, cause: causeLaunch}
	if e.r.queue == qi {
		a.ease = 1 / faster
	}
	launch := j.launch * a.ease
	if e.r.cause == causeLaunch || e.r.gpu {
		launch /= faster
	}
	a.from = e.t + int64(launch)
	for i := range j.streams {
		a.f[i].s = &j.streams[i]
	}
	f := &e.frames[q.frame]
	if f.gpuBegin < 0 {
		f.gpuBegin = e.t
	}
	if a.from <= e.t {
		a.begun = true
	}
	e.act = append(e.act, a)
	q.active++
	q.pos++
	q.fresh = false
}

// now is what sets the pace of a job.
func (a *running) now() uint8 {
	switch {
	case !a.begun:
		return causeLaunch
	case a.n == 1 || a.starved || a.f[1].rate == 0:
		return a.f[0].limit
	}
	return a.f[1].limit
}

// settle writes the path of a job up to now.
func (e *engine) settle(a *running) {
	if a.frame < 0 {
		return
	}
	a.node = e.path.At(e.t, a.cause, a.queue, a.node)
}

// advance lets everything flow to a time.
func (e *engine) advance(to int64) {
	dt := float64(to - e.t)
	for i := range e.act {
		a := &e.act[i]
		if c := a.now(); c != a.cause {
			if e.t > a.began {
				e.settle(a)
			}
			a.cause = c
		}
	}
	if len(e.act) == 0 {
		clear(e.use[:])
	}
	if e.rec != nil {
		e.rec.step(e, e.t, to)
	}
	if len(e.act) > 0 {
		if n := len(e.busy); n > 0 && e.busy[n-1].end == e.t {
			e.busy[n-1].end = to
		} else {
			e.busy = append(e.busy, stretch{e.t, to, 0})
		}
	}
	x := dt / e.p.m.memWindow
	e.load = (e.load + x*min(1, e.use[bw])) / (1 + x)
	e.clock.work(e, dt)
	e.t = to
	for i := range e.act {
		a := &e.act[i]
		if !a.begun {
			if a.from <= to {
				a.begun = true
			}
			continue
		}
		for k := range a.n {
			f := &a.f[k]
			if f.rate == 0 {
				continue
			}
			f.done += f.rate * dt
			if k == 1 && !a.f[0].finished() {
				f.done = min(f.done, max(0, a.f[0].done-a.j.lag))
			}
			for n := len(f.s.mods); f.knot < n-1 && f.done >= float64(f.knot+1)/float64(n)-1e-12; {
				f.knot++
			}
			if f.done >= 1-1e-12 {
				f.done = 1
			}
		}
	}
	for i := 0; i < len(e.act); i++ {
		a := &e.act[i]
		if !a.begun {
			continue
		}
		if !a.issued && a.frame >= 0 && a.f[0].finished() {
			a.issued = true
			e.settle(a)
			q := &e.queues[a.queue]
			q.issued, q.issuedNode = e.t, a.node
		}
		if a.f[a.n-1].finished() {
			if a.frame >= 0 {
				e.finish(a)
			}
			e.act = append(e.act[:i], e.act[i+1:]...)
			i--
		}
	}
	if e.clock.next <= e.t && e.clock.look(e) {
		e.setPer()
	}
}

// finish ends a job, and its frame if it was the last.
func (e *engine) finish(a *running) {
	if !a.issued || e.t > e.queues[a.queue].issued || a.node == 0 {
		e.settle(a)
	}
	s := &e.jobs[e.first[a.frame]+a.job]
	s.end, s.endNode, s.ended = e.t, a.node, true
	q := &e.queues[a.queue]
	q.active--
	q.endNs, q.endNode = e.t, a.node
	f := &e.frames[a.frame]
	if e.t >= f.done {
		f.done, f.doneNode = e.t, a.node
	}
	if f.left--; f.left == 0 {
		f.complete = true
	}
}
