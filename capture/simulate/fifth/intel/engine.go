package intel

import (
	"errors"
	"math"
	"sync"
)

// A simulation goes from one change of what runs to the next: between them all rates are those of one flow.

type job struct {
	frame, pass int
	p           *pass
	scale       float64
	submit      int64
	submitNode  int32
	done        bool
	end         int64
	node        int32
	begun       int64
}

type engine struct {
	m     *machine
	p     *program
	r     relief
	path  path
	clock clockState
	rec   *recorder

	now    int64
	jobs   []job // of all frames, in order
	first  []int // by frame: its first job
	left   []int
	fifo   [queues][]int32
	head   [queues]int
	run    [queues]running
	last   [queues]int32 // node of the last end
	ended  [queues]int64
	host   hostState
	frames []frameState
	shown  int
	behind behindState

	flows   map[flowKey]*flow
	blocked []blockedSpan
	cycles  float64 // that passed, in clocked ns
	clocked float64
}

type flowKey struct {
	load [queues]int32
	step int16
}

type running struct {
	on     bool
	behind bool
	job    int32
	seg    int
	launch float64 // ns that are left
	rest   float64 // share of the segment that is left, times its scale
	scale  float64
	segs   []segment
	vec    [causes]float64
	begin  int32 // node
}

type behindState struct {
	n       int
	pending bool
	from    int64
	begun   int64
	end     int64
	vec     [causes]float64
}

type blockedSpan struct {
	queue      int
	start, end int64
}

type frameState struct {
	begin, gpuBegin, done, flip   int64
	beginNode, doneNode, flipNode int32
	submitted, finished, begun    bool
	missed                        int
}

var engines = sync.Pool{New: func() any { return &engine{flows: map[flowKey]*flow{}} }}

var errEndless = errors.New("simulate: the program does not come to an end")

// simulate runs the program once.
func (e *engine) simulate(m *machine, p *program, r relief, keep bool, rec *recorder) error {
	e.m, e.p, e.r, e.rec = m, p, r, rec
	e.path.begin(keep)
	e.clock.begin(&p.clock, r.highest)
	clear(e.flows)
	e.now, e.shown, e.blocked, e.behind = 0, 0, e.blocked[:0], behindState{}
	e.host, e.cycles, e.clocked = hostState{}, 0, 0
	e.jobs, e.first, e.left, e.frames = e.jobs[:0], e.first[:0], e.left[:0], e.frames[:0]
	for q := range e.fifo {
		e.fifo[q], e.head[q], e.run[q], e.last[q], e.ended[q] = e.fifo[q][:0], 0, running{}, 0, 0
	}
	for i := range p.frames {
		f := &p.frames[i]
		c := &p.contents[f.content]
		e.first = append(e.first, len(e.jobs))
		e.left = append(e.left, len(c.passes))
		for j := range c.passes {
			e.jobs = append(e.jobs, job{frame: i, pass: j, p: &c.passes[j], scale: f.scale[j]})
		}
		e.frames = append(e.frames, frameState{})
	}
	e.advance()
	for rounds := 0; e.shown < len(e.frames); rounds++ {
		if rounds > 4_000_000 {
			return errEndless
		}
		e.start()
		w := e.flow()
		t := e.until(w)
		if t >= math.MaxInt64/8 {
			return errEndless
		}
		e.pass(w, t)
		e.now = t
		e.finish()
		if t >= e.clock.next {
			e.clock.look()
		}
		if b := p.behind; b != nil && t >= e.nextBehind() {
			e.behind.pending, e.behind.from = true, t
			e.behind.n++
		}
		e.advance()
	}
	return nil
}

func (e *engine) nextBehind() int64 {
	b := e.p.behind
	return int64(b.phase + float64(e.behind.n)*b.period)
}

// ready is when a job may begin but for its queue, and the event that it waited for last; ok is false while that is not
// known. without is the same if loose dependencies were none.
func (e *engine) ready(j *job) (t int64, n int32, without int64, ok bool) {
	t, n = j.submit, j.submitNode
	without = t
	for _, d := range j.p.after {
		f := j.frame - d.back
		if f < 0 || d.loose && e.r.loose || e.p.frames[f].content != e.p.frames[j.frame].content {
			continue
		}
		other := &e.jobs[e.first[f]+d.pass]
		if !other.done {
			return 0, 0, 0, false
		}
		if other.end > t {
			t, n = other.end, other.node
		}
		if !d.loose {
			without = max(without, other.end)
		}
	}
	return t, n, without, true
}

// start begins the jobs that can begin now.
func (e *engine) start() {
	for q := range e.run {
		k := &e.run[q]
		if k.on {
			continue
		}
		var j *job
		var at, without int64
		var n int32
		ok := false
		if e.head[q] < len(e.fifo[q]) {
			j = &e.jobs[e.fifo[q][e.head[q]]]
			at, n, without, ok = e.ready(j)
			ok = ok && at <= e.now
		}
		if b := &e.behind; q == qRender && b.pending && (!ok || b.from < at) {
			b.pending, b.begun = false, e.now
			*k = running{on: true, behind: true, segs: e.p.behind.job.segs}
			e.segment(k, q, e.p.behind.scale[b.n%len(e.p.behind.scale)])
			continue
		}
		if !ok {
			continue
		}
		if e.ended[q] > at {
			at, n = e.ended[q], e.last[q]
		}
		without = max(without, e.ended[q])
		if without < at && e.path.keep {
			e.blocked = append(e.blocked, blockedSpan{q, without, at})
		}
		if e.now > at { // another program's work was in the way
			n = e.path.mixed(e.now, &e.behind.vec, uint8(q), n)
		}
		j.begun = e.now
		if f := &e.frames[j.frame]; !f.begun {
			f.begun, f.gpuBegin = true, e.now
		}
		*k = running{on: true, job: e.fifo[q][e.head[q]], begin: n, segs: j.p.of(e.p.frames[j.frame].view)}
		e.head[q]++
		e.segment(k, q, j.scale)
	}
}

// segment begins the segment that k.seg says.
func (e *engine) segment(k *running, queue int, scale float64) {
	s := &k.segs[k.seg]
	k.rest, k.scale, k.launch = scale, scale, s.launch
	if e.r.gpu || e.r.cause == cLaunch+1 || e.r.queue == queue+1 {
		k.launch /= faster
	}
}

// flow is the state of what runs now.
func (e *engine) flow() *flow {
	key := flowKey{step: int16(e.clock.at())}
	var loads [classes]*load
	for q := range e.run {
		key.load[q] = -1
		if k := &e.run[q]; k.on && k.launch <= 0 {
			key.load[q] = int32(k.segs[k.seg].load)
			loads[q] = &e.p.loads[key.load[q]]
		}
	}
	if w := e.flows[key]; w != nil {
		return w
	}
	w := newFlow(e.m, loads, e.p.clock.steps[e.clock.at()], &e.r, e.path.keep)
	e.flows[key] = w
	return w
}

// until is when something changes next.
func (e *engine) until(w *flow) int64 {
	t := e.clock.next
	if e.p.behind != nil && !e.behind.pending {
		t = min(t, e.nextBehind())
	}
	for q := range e.run {
		switch k := &e.run[q]; {
		case k.on && k.launch > 0:
			t = min(t, e.now+max(1, int64(math.Ceil(k.launch))))
		case k.on:
			t = min(t, e.now+max(1, int64(math.Ceil(k.rest/w.class[q].rate))))
		case e.head[q] < len(e.fifo[q]):
			if at, _, _, ok := e.ready(&e.jobs[e.fifo[q][e.head[q]]]); ok {
				t = min(t, max(e.now+1, at))
			}
		}
	}
	return max(t, e.now+1)
}

// pass lets time go on to t.
func (e *engine) pass(w *flow, t int64) {
	ns := float64(t - e.now)
	busy := false
	for q := range e.run {
		k := &e.run[q]
		if !k.on {
			continue
		}
		busy = busy || q != qCopy
		if k.launch > 0 {
			k.launch -= ns
			if e.path.keep {
				k.vec[cLaunch] += ns
			}
			continue
		}
		k.rest -= w.class[q].rate * ns
		if e.path.keep {
			for c, x := range w.class[q].pace {
				k.vec[c] += x * ns
			}
		}
	}
	if busy {
		e.clock.busy += ns
	}
	e.cycles += ns * w.f
	e.clocked += ns
	if e.rec != nil {
		e.rec.span(e, w, e.now, t)
	}
}

// finish ends what is done.
func (e *engine) finish() {
	for q := range e.run {
		k := &e.run[q]
		if !k.on || k.launch > 1e-9 {
			continue
		}
		if k.launch != 0 {
			k.launch = 0
			continue
		}
		if k.rest > 1e-9 {
			continue
		}
		if k.seg+1 < len(k.segs) {
			k.seg++
			e.segment(k, q, k.scale)
			continue
		}
		k.on = false
		if k.behind {
			e.behind.vec, e.behind.end = k.vec, e.now
			continue
		}
		j := &e.jobs[k.job]
		j.done, j.end = true, e.now
		j.node = e.path.mixed(e.now, &k.vec, uint8(q), k.begin)
		e.last[q], e.ended[q] = j.node, e.now
		if e.left[j.frame]--; e.left[j.frame] == 0 {
			f := &e.frames[j.frame]
			f.finished, f.done, f.doneNode = true, e.now, j.node
		}
	}
}
