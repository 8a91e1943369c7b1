package cpu

import (
	"container/heap"
	"fmt"
	"math"

	"astrolabe/capture/simulate"
)

// What a thread does, or waits for.
const (
	doesNothing  = iota // it waits for a part of a unit
	isReady             // it waits for a CPU
	runs                // it has a CPU
	waitsLock           // it sleeps until a lock is free
	waitsStorage        // it sleeps until storage has answered
	waitsDate           // a program beside ours sleeps
)

// thread is one of the program's, or a program beside it.
type thread struct {
	id, group int
	other     *other
	bursts    int

	does       int
	cpu, last  int
	unit       int // and which part of which stage of it
	stage      int
	part       int
	at         int // the segment
	read, held bool
	spins      bool
	before     float64 // instructions of the kernel before the segment's own
	left       float64 // instructions
	waited     float64 // virtual time of the scheduler
	util       float64
	slept      float64
	instant    rate
}

func (t *thread) app() bool { return t.other == nil }

// rate is how fast a thread gets on at the moment.
type rate struct {
	profile, class int
	m              *misses
	s              stack
	speed          float64 // instructions/ns
	ghz            float64
	slots          float64 // of a cycle that are the thread's
}

type cpuState struct {
	thread  *thread
	since   float64
	busy    float64 // ns since the governor looked
	stolen  bool
	emptied float64 // when its last thread left
	pending int     // tasks that last ran here and wait for storage
}

type part struct{ unit, stage, part int }

type event struct {
	at   float64
	kind uint8 // what happens, and to which
	id   int
}

const (
	evDate = iota
	evStorage
	evWake
	evSteal
	evClock
)

type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	a, b := h[i], h[j]
	if a.at != b.at {
		return a.at < b.at
	}
	return a.kind < b.kind || a.kind == b.kind && a.id < b.id
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *events) Push(x any)   { *h = append(*h, x.(event)) }
func (h *events) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// engine simulates a scene. Between two events all threads go on at constant rates.
type engine struct {
	s      *scene
	relief simulate.Candidate
	rec    *recorder // nil where nothing is recorded

	now     float64
	threads []*thread
	cpus    []cpuState
	ready   []*thread
	queue   events
	locks   map[int]*thread
	queued  map[int][]*thread
	free    []float64 // per channel of storage
	clock   clockState
	changed bool
	known   map[[3]int]*misses
	load    float64 // of the memory's bus, to begin the next search with
	events  int

	p                  *program
	phase              int
	offset             int       // frames of the phases before
	begun, done, asked int       // units, and of which the date is waited for
	started            float64   // when the phase began
	left               []int     // per unit: parts of its stage that are not done
	todo               [][]part  // per group
	first              []float64 // per frame: when it began
	frameEnd           []float64
	missed             []int
	pace               [shares]float64 // thread ns by what set the pace
	paces              [][shares]float64
}

func newEngine(s *scene, relief simulate.Candidate, rec *recorder) *engine {
	e := &engine{s: s, relief: relief, rec: rec, locks: map[int]*thread{}, queued: map[int][]*thread{},
		known: map[[3]int]*misses{}, cpus: make([]cpuState, len(s.m.cpus)), free: make([]float64, s.device.channels)}
	for i := range s.others {
		t := &thread{id: len(e.threads), other: &s.others[i], does: waitsDate, cpu: -1, last: i % len(e.cpus), util: 0.5}
		e.threads = append(e.threads, t)
		e.push(s.size(i, 7, 0, 1)*0.3*t.other.every, evWake, t.id)
	}
	if s.m.steal > 0 {
		for i := range e.cpus {
			e.push(1e6*float64(i+1), evSteal, i)
		}
	}
	e.clock.reset(e)
	e.push(clockPeriod, evClock, 0)
	return e
}

func (e *engine) push(at float64, kind uint8, id int) { heap.Push(&e.queue, event{at, kind, id}) }

// most is how many events a simulation may take: a case of more is a mistake of its drawing.
const most = 400000

// run simulates all phases.
func (e *engine) run() error {
	for e.begin(); e.p != nil; {
		if e.changed {
			e.rates()
		}
		at, which := e.queue[0].at, -1
		for i := range e.cpus {
			c := &e.cpus[i]
			t := c.thread
			if t == nil {
				continue
			}
			if len(e.ready) > 0 {
				if end := max(e.now, c.since+slice); end < at {
					at, which = end, i
				}
			}
			if !c.stolen && !t.spins {
				if end := e.now + (t.before/e.speedBefore(t) + t.left/t.instant.speed); end < at {
					at, which = end, i
				}
			}
		}
		e.advance(at)
		if e.events++; e.events > most {
			return fmt.Errorf("%s takes more than %d events", e.p.name, most)
		}
		if which < 0 {
			e.happen(heap.Pop(&e.queue).(event))
			continue
		}
		t := e.cpus[which].thread
		if t.left <= 1e-3 && t.before <= 1e-3 && !t.spins {
			e.finish(t)
		} else {
			e.turn(which)
		}
	}
	return nil
}

// speedBefore is how fast a thread goes through the kernel's work before its own.
func (e *engine) speedBefore(t *thread) float64 { return 0.7 * t.instant.ghz }

// advance lets a time pass.
func (e *engine) advance(to float64) {
	dt := to - e.now
	if dt <= 0 {
		return
	}
	if e.rec != nil {
		e.rec.pass(e, e.now, to)
	}
	for i := range e.cpus {
		c := &e.cpus[i]
		t := c.thread
		if t == nil {
			continue
		}
		c.busy += dt
		weight := 1.0
		if t.other != nil && t.other.nice {
			weight = 15.0 / 1024 // of nice 19, by the scheduler's table
		}
		if t.other != nil && e.relief == cpuOthers {
			weight /= 2 // so that those who always want a CPU have 2/3 of the half that is theirs
		}
		t.waited += dt / weight
		t.util += (1 - t.util) * min(1, dt/32e6)
		if c.stolen {
			if t.app() {
				e.pace[paceOthers] += dt
			}
			continue
		}
		mine := dt
		if t.before > 0 {
			v := e.speedBefore(t)
			used := min(dt, t.before/v)
			if t.before -= used * v; t.before < 1e-3 {
				t.before = 0
			}
			mine -= used
		}
		if t.app() {
			e.pacing(t, mine)
		}
		if !t.spins {
			t.left = max(0, t.left-mine*t.instant.speed)
		}
	}
	e.waits(dt)
	e.now = to
}

// finish ends a thread's segment.
func (e *engine) finish(t *thread) {
	t.left, t.before = 0, 0
	if t.other != nil {
		t.bursts++
		e.sleep(t, waitsDate)
		e.push(max(e.now+1e3, float64(t.bursts)*t.other.every), evWake, t.id)
		return
	}
	seg := &e.p.stages[t.stage].segments[t.at]
	if t.held {
		t.held = false
		e.unlock(seg.lock)
	}
	t.read = false
	t.at++
	e.resume(t)
}

// resume lets a thread that has a CPU, unless it was taken meanwhile, go on with what it stands at.
func (e *engine) resume(t *thread) {
	switch {
	case t.does != runs:
	case t.unit >= 0 && t.at < len(e.p.stages[t.stage].segments):
		e.enter(t)
	case t.unit >= 0:
		e.partDone(t)
	case t.group >= 0 && len(e.todo[t.group]) > 0:
		e.take(t)
		e.enter(t)
	default:
		e.sleep(t, doesNothing)
	}
}

// enter begins the segment that a running thread stands at.
func (e *engine) enter(t *thread) {
	seg := &e.p.stages[t.stage].segments[t.at]
	if seg.reads > 0 && !t.read {
		t.read = true
		e.request(t, seg.reads)
		return
	}
	if seg.lock > 0 && e.relief != cpuLock {
		if holder := e.locks[seg.lock]; holder != nil {
			e.queued[seg.lock] = append(e.queued[seg.lock], t)
			if t.spins = e.p.spin; t.spins {
				e.changed = true
			} else {
				e.sleep(t, waitsLock)
			}
			return
		}
		e.locks[seg.lock], t.held = t, true
	}
	t.left = seg.instructions * e.s.size(t.unit, t.stage*8+t.at, t.part, e.p.stages[t.stage].spread)
	e.changed = true
}

// unlock frees a lock. Who sleeps for it is woken and tries again; a thread that comes by may be faster. Who spins has
// it at once.
func (e *engine) unlock(lock int) {
	delete(e.locks, lock)
	list := e.queued[lock]
	if len(list) == 0 {
		return
	}
	k := 0
	if e.p.spin {
		for k < len(list)-1 && list[k].does != runs {
			k++
		}
	}
	t := list[k]
	e.queued[lock] = append(list[:k:k], list[k+1:]...)
	if t.spins {
		t.spins = false
		e.resume(t)
		return
	}
	e.wake(t)
}

// request asks storage for bytes; channels serve one request each.
func (e *engine) request(t *thread, bytes float64) {
	k := 0
	for i := range e.free {
		if e.free[i] < e.free[k] {
			k = i
		}
	}
	d := &e.s.device
	time := (d.latency + bytes/d.rate) * e.s.size(t.unit, 100+t.stage*8+t.at, t.part, d.spread)
	if e.relief == cpuIO {
		time /= simulate.Faster
	}
	e.free[k] = max(e.now, e.free[k]) + time
	e.push(e.free[k], evStorage, t.id)
	e.cpus[t.cpu].pending++
	e.sleep(t, waitsStorage)
}

// happen is what an event does.
func (e *engine) happen(ev event) {
	switch ev.kind {
	case evDate:
		if ev.id == e.phase {
			e.start()
		}
	case evStorage:
		t := e.threads[ev.id]
		e.cpus[t.last].pending--
		e.wake(t)
		if e.rec != nil {
			e.rec.interrupts++
		}
	case evWake:
		t := e.threads[ev.id]
		t.left = t.other.instructions * e.s.size(t.bursts, 60+t.id, 0, 0.3)
		if e.relief == cpuOthers {
			t.left /= simulate.Faster
		}
		e.wake(t)
	case evSteal:
		c := &e.cpus[ev.id]
		c.stolen = !c.stolen
		k := int(e.now / 1e6)
		mean := 6e6 * e.s.size(k, 70, ev.id, 0.6)
		busy := mean * e.s.m.steal
		if e.relief == cpuOthers {
			busy /= simulate.Faster
		}
		if c.stolen {
			e.push(e.now+max(1e4, busy), evSteal, ev.id)
		} else {
			e.push(e.now+max(1e4, mean-mean*e.s.m.steal), evSteal, ev.id)
		}
		e.changed = true
	case evClock:
		e.clock.look(e)
		e.push(e.now+clockPeriod, evClock, 0)
	}
}

// rates works out how fast every thread gets on: by who shares cores, the last level of cache and the memory's bus.
func (e *engine) rates() {
	e.changed = false
	n := 0
	for i := range e.cpus {
		if c := &e.cpus[i]; c.thread != nil && !c.stolen {
			n++
		}
	}
	if n == 0 {
		return
	}
	at := func(i int) *rate { return &e.cpus[i].thread.instant }
	for i := range e.cpus {
		if e.cpus[i].thread == nil {
			continue
		}
		t, x := e.cpus[i].thread, at(i)
		x.class = e.s.m.cpus[i].class
		x.profile = e.profileOf(t)
		x.m = e.missesOf(x.profile, x.class, n)
		x.ghz = e.clock.ghz(e, i)
	}
	width := e.s.m.bandwidth
	if e.relief == simulate.MemoryBandwidth {
		width *= simulate.Faster
	}
	// A line waits longer the busier the bus is. The busier it is for a wait, the longer the wait, so that the load is
	// found by halving.
	demand := func(load float64) float64 {
		waiting := 30 * math.Pow(load, 4) / (1 - load)
		sum := 0.0
		for i := range e.cpus {
			c := &e.cpus[i]
			if c.thread == nil {
				continue
			}
			x := at(i)
			cl := &e.s.m.classes[x.class]
			cond := conditions{ghz: x.ghz, waiting: waiting, llcNs: e.s.m.llcNs, memNs: e.s.m.memNs}
			x.slots = cl.width
			if b := e.s.m.cpus[i].sibling; b >= 0 && e.cpus[b].thread != nil {
				y := at(b)
				if y.m == nil || y.speed == 0 {
					cond.beside = 0.4
				} else {
					cond.beside = min(1, y.m.base*y.speed/max(0.1, y.ghz))
				}
			}
			x.s = stackOf(e.s.profiles[x.profile], cl, x.m, &cond, e.relief)
			x.speed = x.ghz / x.s.cycles()
			if !c.stolen {
				sum += x.speed * x.m.bytes
			}
		}
		return sum / width
	}
	if demand(0) < 0.12 {
		e.load = 0
		return
	}
	lo, hi := 0.0, 0.995
	for range 11 {
		e.load = (lo + hi) / 2
		if demand(e.load) > e.load {
			lo = e.load
		} else {
			hi = e.load
		}
	}
}

func (e *engine) profileOf(t *thread) int {
	switch {
	case t.other != nil:
		return t.other.profile
	case t.spins:
		return 1
	}
	return e.p.stages[t.stage].segments[min(t.at, len(e.p.stages[t.stage].segments)-1)].profile
}

// missesOf keeps what caches let through for so many threads that run.
func (e *engine) missesOf(profile, class, running int) *misses {
	key := [3]int{profile, class, running}
	m := e.known[key]
	if m == nil {
		p := e.s.profiles[profile]
		own := e.s.m.llc / (1 + float64(running-1)*(1-p.shared))
		x := missesOf(p, &e.s.m.classes[class], own)
		m = &x
		e.known[key] = m
	}
	return m
}
