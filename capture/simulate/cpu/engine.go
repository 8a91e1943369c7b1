package cpu

import (
	"container/heap"
	"fmt"

	"astrolabe/capture/simulate"
)

// Causes of events: parts of bursts first.
const (
	causeLock = parts + iota
	causeIO
	causeTimer
	causeStart
	causes
)

func candidate(cause uint8) simulate.Candidate {
	return [...]simulate.Candidate{Core, Branches, FrontEnd, simulate.MemoryLatency, simulate.MemoryBandwidth, Lock,
		IO, Timer, Timer}[cause]
}

// relief is what one simulation makes easier.
type relief struct {
	part    [parts]float64 // factors of times; 0 is 1
	io      float64
	noLock  bool
	longer  bool // queues take more
	highest bool
	cores   bool
}

// state is a thread at work.
type state struct {
	of   *thread
	id   int
	at   int // the next step
	item int
	node int32 // the event that it is at
	cpu  int   // that it ran on last, -1 before
	from int64 // of the item
	next int64 // date
	tick int32 // the event of the last date
	left [parts]float64
	held int // locks
	date int64
	wish int64 // when it became ready to run
}

// event is when a burst or an I/O ends, or a date comes.
type event struct {
	t     int64
	order int
	th    *state
	cpu   int // that becomes free, -1 for none
	cause uint8
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].t < e[j].t || e[i].t == e[j].t && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

// done is an item that was finished.
type done struct {
	from, to int64
	node     int32
	missed   int
}

type lock struct {
	held    bool
	node    int32 // of the last release
	waiting []*state
}

type device struct {
	free []int64
	node []int32
}

type queue struct {
	items, room int
	put, got    int32 // events of the last
	full, empty []*state
}

// engine is one simulation.
type engine struct {
	m     *machine
	p     *program
	r     relief
	rnd   []float32 // factors of the work of items, in the order of threads and items
	items int       // to be finished
	path  simulate.Path
	trace *trace
	now   int64
	order int

	events  events
	threads []state
	free    []bool // per CPU
	freeAt  []int32
	ready   []*state
	stream  []float64 // per CPU: share of the bandwidth that its burst asks for
	locks   []lock
	devices []device
	queues  []queue
	done    []done
	late    []done // items of other threads that were finished after their date
}

const slice = 4e6 // ns that a thread may run while others wait

func (e *engine) run() error {
	cpus := e.m.cpus
	if e.r.cores {
		cpus = (cpus*3 + 1) / 2
	}
	e.path.Begin(causeStart)
	e.free, e.freeAt, e.stream = make([]bool, cpus), make([]int32, cpus), make([]float64, cpus)
	for i := range e.free {
		e.free[i] = true
	}
	e.locks = make([]lock, e.p.locks)
	e.devices = make([]device, len(e.p.devices))
	for i, n := range e.p.devices {
		e.devices[i] = device{make([]int64, n), make([]int32, n)}
	}
	e.queues = make([]queue, len(e.p.queues))
	for i, n := range e.p.queues {
		if e.r.longer {
			n += 4
		}
		e.queues[i].room = n
	}
	e.threads = make([]state, len(e.p.threads))
	for i := range e.threads {
		e.threads[i] = state{of: &e.p.threads[i], id: i, cpu: -1}
		e.start(&e.threads[i])
	}
	for i := range e.threads {
		e.advance(&e.threads[i])
	}
	for len(e.done) < e.items {
		if len(e.events) == 0 {
			return fmt.Errorf("%s: all threads wait after %d items", e.p.name, len(e.done))
		}
		x := heap.Pop(&e.events).(event)
		e.now = x.t
		if x.cpu >= 0 {
			e.release(x.cpu, x.th)
		}
		e.advance(x.th)
		e.fill()
	}
	return nil
}

// factor is the factor of a thread's item.
func (e *engine) factor(s *state) float64 {
	return float64(e.rnd[(s.id*7919+s.item*31)%len(e.rnd)])
}

func (e *engine) start(s *state) {
	s.at, s.from = 0, e.now
	e.load(s)
}

// load takes up the burst of the next step.
func (e *engine) load(s *state) {
	if s.at < len(s.of.steps) && s.of.steps[s.at].kind == stepRun {
		by := 1.0
		if s.of.spread > 0 {
			by = 1 + s.of.spread*(e.factor(s)-1)
		}
		for i, ns := range s.of.steps[s.at].ns {
			s.left[i] = ns * max(0.05, by)
			if f := e.r.part[i]; f > 0 {
				s.left[i] *= f
			}
			if i <= front { // the core's own time follows its clock
				if !e.r.highest {
					s.left[i] /= e.m.share
				}
			}
		}
	}
}

func (e *engine) push(t int64, th *state, cpu int, cause uint8) {
	e.order++
	heap.Push(&e.events, event{t, e.order, th, cpu, cause})
}

// advance lets a thread go on until it has to wait.
func (e *engine) advance(s *state) {
	for {
		if s.at >= len(s.of.steps) {
			e.finish(s)
			continue
		}
		x := &s.of.steps[s.at]
		switch x.kind {
		case stepRun:
			if s.left[compute]+s.left[branch]+s.left[front]+s.left[latency]+s.left[bandwidth] < 1 {
				e.step(s)
				continue
			}
			s.wish = e.now
			e.ready = append(e.ready, s)
			e.fill()
			return
		case stepLock:
			l := &e.locks[x.index]
			if l.held && !e.r.noLock {
				l.waiting = append(l.waiting, s)
				return
			}
			l.held, s.held = true, s.held+1
			e.step(s)
		case stepUnlock:
			l := &e.locks[x.index]
			s.held--
			l.node = s.node
			e.step(s)
			if len(l.waiting) > 0 {
				next := l.waiting[0]
				l.waiting = l.waiting[1:]
				next.node, next.held = l.node, next.held+1
				e.step(next)
				e.advance(next)
			} else {
				l.held = false
			}
		case stepIO:
			d := &e.devices[x.index]
			best := 0
			for i := range d.free {
				if d.free[i] < d.free[best] {
					best = i
				}
			}
			at, n := e.now, s.node
			if d.free[best] > at {
				at, n = d.free[best], d.node[best]
			}
			ns := x.wait * e.factor(s)
			if e.r.io > 0 {
				ns *= e.r.io
			}
			end := at + int64(ns)
			s.node = e.path.At(end, causeIO, simulate.NoQueue, n)
			d.free[best], d.node[best] = end, s.node
			if e.trace != nil {
				e.trace.io(e.now, end)
			}
			e.step(s)
			e.push(end, s, -1, causeIO)
			return
		case stepTimer:
			if s.next == 0 {
				s.next, s.tick = e.now, s.node
			}
			s.date = s.next
			s.next += s.of.period
			e.step(s)
			if s.date > e.now {
				s.node = e.path.At(s.date, causeTimer, simulate.NoQueue, s.tick)
				s.tick = s.node
				e.push(s.date, s, -1, causeTimer)
				return
			}
			s.tick = s.node
			if e.now-s.date > s.of.period { // too late to catch up
				s.next = e.now + s.of.period
			}
			s.from = s.date
		case stepPut:
			q := &e.queues[x.index]
			if q.items >= q.room {
				q.full = append(q.full, s)
				return
			}
			e.put(q, s)
		case stepGet:
			q := &e.queues[x.index]
			if q.items == 0 {
				q.empty = append(q.empty, s)
				return
			}
			e.get(q, s)
		}
	}
}

func (e *engine) put(q *queue, s *state) {
	q.items++
	q.put = s.node
	e.step(s)
	if len(q.empty) > 0 {
		next := q.empty[0]
		q.empty = q.empty[1:]
		if e.path.Keep && e.path.Time(q.put) >= e.path.Time(next.node) {
			next.node = q.put
		}
		e.get(q, next)
		e.advance(next)
	}
}

func (e *engine) get(q *queue, s *state) {
	q.items--
	q.got = s.node
	e.step(s)
	if len(q.full) > 0 {
		next := q.full[0]
		q.full = q.full[1:]
		if e.path.Keep && e.path.Time(q.got) >= e.path.Time(next.node) {
			next.node = q.got
		}
		e.put(q, next)
		e.advance(next)
	}
}

func (e *engine) step(s *state) {
	s.at++
	e.load(s)
}

// finish counts an item and begins the next.
func (e *engine) finish(s *state) {
	d := done{from: s.from, to: e.now, node: s.node}
	if s.of.period > 0 && e.now > s.date+s.of.period {
		d.missed = int((e.now - s.date - 1) / s.of.period)
	}
	switch {
	case s.of.counts:
		e.done = append(e.done, d)
	case d.missed > 0:
		e.late = append(e.late, d)
	}
	s.item++
	e.start(s)
}

// fill gives free processors to threads that are ready.
func (e *engine) fill() {
	for len(e.ready) > 0 {
		s := e.ready[0]
		cpu := -1
		for i, free := range e.free {
			if free && (cpu < 0 || i == s.cpu) {
				cpu = i
			}
		}
		if cpu < 0 {
			return
		}
		e.ready = e.ready[1:]
		e.burst(s, cpu)
	}
}

// burst runs a thread on a processor until its burst or its slice is over.
func (e *engine) burst(s *state, cpu int) {
	n := s.node
	if e.path.Keep && e.path.Time(n) < e.now {
		n = e.freeAt[cpu] // it waited for the processor
		if e.path.Time(n) < e.now {
			n = e.path.At(e.now, causeStart, simulate.NoQueue, n)
		}
	}
	sum := 0.0
	for _, ns := range s.left {
		sum += ns
	}
	// Bursts that move data share what the memory gives.
	asked := 0.0
	for _, x := range e.stream {
		asked += x
	}
	mine := e.p.share * s.left[bandwidth] / sum
	stretch := max(1, asked+mine)
	total := sum + s.left[bandwidth]*(stretch-1)
	take := 1.0
	if total > slice {
		take = slice / total
	}
	e.stream[cpu] = mine
	at := e.now
	var spent [parts]float64
	for i := range s.left {
		ns := s.left[i] * take
		s.left[i] -= ns
		if i == bandwidth {
			ns *= stretch
		}
		spent[i] = ns
		if ns < 0.5 {
			continue
		}
		at += int64(ns + 0.5)
		cause := uint8(i)
		if s.held > 0 && e.contended() {
			cause = causeLock
		}
		n = e.path.At(at, cause, simulate.NoQueue, n)
	}
	if at == e.now {
		at++
		n = e.path.At(at, compute, simulate.NoQueue, n)
	}
	if e.trace != nil {
		e.trace.burst(s, cpu, e.now, at, &spent, stretch)
	}
	s.node, s.cpu = n, cpu
	e.free[cpu] = false
	e.push(at, s, cpu, compute)
}

// contended reports whether others wait for a lock while some thread holds one.
func (e *engine) contended() bool {
	for i := range e.locks {
		if len(e.locks[i].waiting) > 0 {
			return true
		}
	}
	return false
}

func (e *engine) release(cpu int, s *state) {
	e.free[cpu], e.freeAt[cpu], e.stream[cpu] = true, s.node, 0
}
