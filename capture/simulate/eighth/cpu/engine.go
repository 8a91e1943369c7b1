package cpu

import (
	"fmt"

	"astrolabe/capture/simulate"
)

// What a thread does, or waits for.
const (
	hasNothing   = iota // it waits for a part of a unit
	isReady             // it waits for a CPU
	runs                // it has a CPU
	waitsLock           // it sleeps until a lock is free
	waitsStorage        // it sleeps until storage has answered
	waitsDate           // a program beside ours sleeps
)

// thread is one of the program's, or a program beside it.
type thread struct {
	id, group  int
	other      *other
	bursts     int
	does       int
	cpu, last  int
	part       part    // what it works on; unit -1 is nothing
	at         int     // the segment
	read, held bool    // the segment's data is there, its lock is held
	before     float64 // instructions of the kernel before the segment's own
	left       float64 // instructions
	waited     float64 // the scheduler's virtual time
	util       float64 // share of the last 32 ms or so in which it ran
	slept      float64

	// How it gets on at the moment.
	code  int
	class *class
	m     *misses
	s     stack
	speed float64 // instructions/ns
	ghz   float64
}

type part struct{ unit, stage, part int }

type cpuState struct {
	thread         *thread
	since, emptied float64 // when its thread came, and when the last one went
	busy           float64 // ns since the governor looked
	stolen         bool
	pending        int // threads that last ran here and wait for storage
}

// event is what happens at a time that is known before.
type event struct {
	at   float64
	does func()
}

// engine simulates a scene. Between two events all threads go on at constant rates.
type engine struct {
	s       *scene
	relief  simulate.Candidate
	rec     *recorder // nil where nothing is recorded
	now     float64
	threads []*thread // others come first
	cpus    []cpuState
	ready   []*thread
	events  []event
	holder  *thread // of the lock
	queued  []*thread
	free    []float64 // per channel of storage
	clock   clockState
	changed bool
	known   map[[3]int]*misses
	steps   int

	p                  *program
	phase              int
	begun, done, asked int      // units, and of which the date is waited for
	started            float64  // when the phase began
	left               []int    // per unit: parts of its stage that are not done
	todo               [][]part // per group
	first, end         []float64
	missed             []int // per frame
	pace               [shares]float64
	paces              [][shares]float64 // thread ns by what set the pace, per frame
}

func newEngine(s *scene, relief simulate.Candidate, rec *recorder) *engine {
	e := &engine{s: s, relief: relief, rec: rec, known: map[[3]int]*misses{}, cpus: make([]cpuState, len(s.m.cpus)),
		free: make([]float64, s.channels), clock: newClock(s.m)}
	for i := range s.others {
		t := &thread{id: i, other: &s.others[i], does: waitsDate, cpu: -1, last: i % len(e.cpus), util: 0.5}
		e.threads = append(e.threads, t)
		e.burst(t, s.size(i, 7, 0, 1)*0.3*t.other.every)
	}
	for i := 0; i < len(e.cpus) && s.m.steal > 0; i++ {
		e.steal(i)
	}
	var look func()
	look = func() { e.look(); e.settle(); e.when(e.now+clockPeriod, look) }
	look()
	return e
}

func (e *engine) when(at float64, does func()) { e.events = append(e.events, event{at, does}) }

// less is what relief of a candidate leaves of a time or of work.
func (e *engine) less(of simulate.Candidate) float64 {
	if e.relief == of {
		return 1 / simulate.Faster
	}
	return 1
}

// burst is one computation of another program.
func (e *engine) burst(t *thread, at float64) {
	e.when(at, func() {
		t.left = t.other.instructions * e.s.size(t.bursts, 60+t.id, 0, 0.3) * e.less(cpuOthers)
		t.code = t.other.code
		e.wake(t)
	})
}

// steal lets the host take a CPU now and then.
func (e *engine) steal(cpu int) {
	c := &e.cpus[cpu]
	mean := 6e6 * e.s.size(int(e.now/1e6), 70, cpu, 0.6)
	ns := mean * (1 - e.s.m.steal)
	if c.stolen {
		ns = mean * e.s.m.steal * e.less(cpuOthers)
	}
	e.changed = true
	e.when(e.now+max(1e4, ns), func() { c.stolen = !c.stolen; e.steal(cpu) })
}

const most = 400000 // steps that a simulation may take: more are a mistake of the drawing

// run simulates all phases.
func (e *engine) run() error {
	for e.begin(); e.p != nil; {
		if e.changed {
			e.rates()
		}
		next, which := 0, -1
		for i := range e.events {
			if e.events[i].at < e.events[next].at {
				next = i
			}
		}
		at := e.events[next].at
		for i := range e.cpus {
			c := &e.cpus[i]
			if c.thread == nil {
				continue
			}
			if end := max(e.now, c.since+slice); len(e.ready) > 0 && end < at {
				at, which = end, i
			}
			if t := c.thread; !c.stolen {
				if end := e.now + t.before/(kernelRate*t.ghz) + t.left/t.speed; end < at {
					at, which = end, i
				}
			}
		}
		e.advance(at)
		if e.steps++; e.steps > most {
			return fmt.Errorf("%s takes more than %d steps", e.p.name, most)
		}
		if which < 0 {
			does := e.events[next].does
			e.events = append(e.events[:next], e.events[next+1:]...)
			does()
		} else if t := e.cpus[which].thread; t.left <= 1e-3 && t.before <= 1e-3 {
			e.finish(t)
		} else {
			e.turn(which)
		}
	}
	return nil
}

const kernelRate = 0.7 // instructions a cycle while the kernel switches threads

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
		c, t := &e.cpus[i], e.cpus[i].thread
		if t == nil {
			continue
		}
		c.busy += dt
		t.waited += dt / e.weight(t)
		t.util += (1 - t.util) * min(1, dt/32e6)
		if c.stolen {
			if t.other == nil {
				e.pace[paceOthers] += dt
			}
			continue
		}
		before := min(dt, t.before/(kernelRate*t.ghz))
		if t.before -= before * kernelRate * t.ghz; t.before < 1e-3 {
			t.before = 0
		}
		t.left = max(0, t.left-(dt-before)*t.speed)
		if t.other == nil {
			e.ran(t, dt-before)
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
		e.burst(t, max(e.now+1e3, float64(t.bursts)*t.other.every))
		return
	}
	if t.held { // who sleeps for a lock is woken and tries again; a thread that comes by may be faster
		t.held, e.holder = false, nil
		if len(e.queued) > 0 {
			x := e.queued[0]
			e.queued = e.queued[1:]
			e.wake(x)
		}
	}
	t.read = false
	t.at++
	e.resume(t)
}

// resume lets a thread that has a CPU, unless it was taken meanwhile, go on with what it stands at.
func (e *engine) resume(t *thread) {
	if t.does != runs {
		return
	}
	if t.part.unit >= 0 && t.at == len(e.p.stages[t.part.stage].segments) {
		unit, stage := t.part.unit, t.part.stage
		t.part.unit = -1
		if e.left[unit]--; e.left[unit] == 0 {
			if stage < len(e.p.stages)-1 {
				e.offer(unit, stage+1)
			} else if e.unitDone(unit); e.p == nil {
				return
			}
		}
		if t.does != runs {
			return
		}
	}
	if t.part.unit < 0 && !e.take(t) {
		e.sleep(t, hasNothing)
		return
	}
	seg := &e.p.stages[t.part.stage].segments[t.at]
	t.code, e.changed = seg.code, true
	if seg.reads > 0 && !t.read {
		t.read = true
		e.request(t, seg.reads)
		return
	}
	if seg.lock && e.relief != cpuLock {
		if e.holder != nil {
			e.queued = append(e.queued, t)
			e.sleep(t, waitsLock)
			return
		}
		e.holder, t.held = t, true
	}
	t.left = seg.instructions * e.s.size(t.part.unit, t.part.stage*8+t.at, t.part.part, e.p.spread)
}

// request asks storage for bytes; channels serve one request each.
func (e *engine) request(t *thread, bytes float64) {
	k := 0
	for i := range e.free {
		if e.free[i] < e.free[k] {
			k = i
		}
	}
	time := (e.s.latency + bytes/e.s.rate) * e.s.size(t.part.unit, 100+t.part.stage*8+t.at, t.part.part, 0.3) * e.less(cpuIO)
	e.free[k] = max(e.now, e.free[k]) + time
	home := &e.cpus[t.cpu]
	home.pending++
	e.when(e.free[k], func() {
		home.pending--
		if e.rec != nil {
			e.rec.interrupts++
		}
		e.wake(t)
	})
	e.sleep(t, waitsStorage)
}
