package cpu

import (
	"math"
)

// causes of time on the path, in the order of candidates.
const (
	causeCore = iota
	causeBranch
	causeFetch
	causeLatency
	causeBandwidth
	causeIO
	causeLock
	causeTurn
	causeThermal
	causePower
	causeTimer
	numCauses
)

type causes [numCauses]float64

// turn makes a share of the time one that would not have been but for needless turns.
func (c *causes) turn(share float64) {
	for k := range c {
		cut := c[k] * share
		c[k] -= cut
		c[causeTurn] += cut
	}
}

type state uint8

const (
	idle   state = iota // waits for others, or a date
	waking              // is about to run
	running
	blocked  // waits for a lock
	reading  // waits for storage
	spinning // looks at a lock again and again
	ended
)

// thread is a thread at an instant.
type thread struct {
	parts    []part
	at, step int
	state    state
	why      int     // cause of the time that it takes to wake up
	until    float64 // of waking and reading
	left     float64 // instructions
	mix      uint8
	spent    causes // in this part
	slept    bool   // until it was woken for it
	since    float64
	wants    int8 // the lock that it will try for once it is awake, -1 for none
}

// stageState is how far a stage is.
type stageState struct {
	done  int
	spent causes
	long  float64 // the longest part
	sum   float64
	ended bool
}

// outcome is what a run gave.
type outcome struct {
	begins, ends []float64 // of frames
	spent        []causes
	missed       int
	clock        float64 // mean, as a share of the highest
}

// engine runs a program.
type engine struct {
	m      *machine
	p      *program
	r      *relief
	s      *solver
	t      float64
	thr    []thread
	stages [][]stageState
	long   []float64 // of each frame, the longest stage
	owner  []int8
	queue  [][]int8
	device []float64 // when each command slot is free
	moved  float64   // when the transfers of storage are free

	clock, capClock    float64
	capBy              int // cause that holds the clock
	power, temperature float64
	active, util       float64 // averages of busy threads
	nextTick           float64
	stirred            bool // a part has ended, so that others may go on
	out                outcome
	tape               *tape
}

// run lets a program run on a machine that is better by a relief. A tape keeps what a recorder would see; it may be nil.
func run(m *machine, p *program, r relief, tp *tape) *outcome {
	e := &engine{m: m, p: p, r: &r, tape: tp}
	e.s = newSolver(m, p.mixes, e.r)
	e.thr = make([]thread, len(p.threads))
	for i := range e.thr {
		e.thr[i] = thread{parts: p.threads[i], wants: -1}
	}
	for _, f := range p.frames {
		e.stages = append(e.stages, make([]stageState, len(f)))
	}
	e.owner = make([]int8, p.locks)
	for i := range e.owner {
		e.owner[i] = -1
	}
	e.queue = make([][]int8, p.locks)
	e.device = make([]float64, max(1, m.slots))
	n := len(p.frames)
	e.long = make([]float64, n)
	e.out = outcome{begins: make([]float64, n), ends: make([]float64, n), spent: make([]causes, n)}
	for i := range e.out.begins {
		e.out.begins[i] = math.Inf(1)
	}
	e.warm()
	e.stirred = true
	e.loop()
	return &e.out
}

// ready reports whether a thread may begin its next part, and from when on.
func (e *engine) ready(i int) (float64, bool) {
	t := &e.thr[i]
	p := &t.parts[t.at]
	ahead := e.p.ahead
	if e.p.between && e.r.turns {
		ahead = 1
	}
	if f := p.frame - 1 - ahead; p.stage == 0 && f >= 0 && !e.frameDone(f) {
		return 0, false
	}
	if p.stage > 0 && !e.stages[p.frame][p.stage-1].ended {
		return 0, false
	}
	if p.order > 0 && e.p.frames[p.frame][p.stage].turn && !e.r.turns && e.stages[p.frame][p.stage].done < p.order {
		return 0, false
	}
	if e.p.dates != nil {
		return e.p.dates[p.frame], true
	}
	return 0, true
}

func (e *engine) frameDone(f int) bool {
	s := e.stages[f]
	return s[len(s)-1].ended
}

// wakeIdle looks which of the idle threads may go on.
func (e *engine) wakeIdle() {
	for i := range e.thr {
		t := &e.thr[i]
		if t.state != idle {
			continue
		}
		from, ok := e.ready(i)
		if !ok {
			continue
		}
		p := &t.parts[t.at]
		t.state, t.spent = waking, causes{}
		t.why = -1
		if p.order > 0 && e.p.frames[p.frame][p.stage].turn {
			t.why = causeTurn
		}
		at := max(e.t, from)
		t.until = at + e.m.wake
		if at-t.since > 200e3 {
			t.until += e.m.deep
		}
		if e.t == 0 || e.t-t.since < 1 && from <= e.t {
			t.until = at // it goes on without having slept
		} else {
			t.slept = true
		}
		t.since = at
	}
}

func (e *engine) loop() {
	for {
		if e.stirred {
			e.stirred = false
			e.wakeIdle()
		}
		var l load
		next, some := math.Max(e.nextTick, e.t), false
		for i := range e.thr {
			t := &e.thr[i]
			switch t.state {
			case running:
				l.counts[t.mix]++
				some = true
			case spinning:
				l.counts[e.p.spin.mix]++
				next = min(next, t.until)
				some = true
			case waking, reading:
				next = min(next, t.until)
				some = true
			case idle, blocked:
				some = true
			}
		}
		if !some {
			break
		}
		l.clock = uint16(math.Round(e.clock / clockStep))
		v := e.s.at(l)
		for i := range e.thr {
			if t := &e.thr[i]; t.state == running {
				next = min(next, e.t+t.left/v.rate[t.mix])
			}
		}
		e.pass(next, v)
		if e.t >= e.nextTick {
			e.setClock(tick)
			e.nextTick = e.t + tick
		}
		for i := range e.thr {
			t := &e.thr[i]
			switch {
			case t.state == running && t.left < 0.5:
				t.step++
				e.proceed(i)
			case (t.state == waking || t.state == reading) && t.until <= e.t:
				e.awake(i)
			case t.state == spinning && t.until <= e.t:
				e.block(i, t.wants)
			}
		}
	}
	n := len(e.out.ends)
	e.out.clock /= e.out.ends[n-1]
}

// pass lets time go by until next.
func (e *engine) pass(next float64, v *speed) {
	dt := next - e.t
	busy := 0.0
	held := 0.0
	if e.capBy >= 0 && e.capClock > e.clock {
		held = 1 - e.clock/e.capClock
	}
	for i := range e.thr {
		t := &e.thr[i]
		if t.state == spinning {
			busy++
			t.spent[causeLock] += dt
		}
		if t.state != running {
			continue
		}
		busy++
		t.left -= dt * v.rate[t.mix]
		parts := &v.parts[t.mix]
		for k, share := range parts {
			t.spent[k] += dt * share
		}
		if held > 0 {
			cut := dt * held * (parts[partCore] + parts[partBranch] + parts[partFetch])
			for k := partCore; k <= partFetch; k++ {
				t.spent[k] -= dt * held * parts[k]
			}
			t.spent[e.capBy] += cut
		}
	}
	if dt > 0 {
		free := float64(e.m.cpu.threads())
		e.active += (min(busy, free) - e.active) * min(1, dt/30e6)
		// A governor sees the busiest processor.
		e.util += (min(1, busy) - e.util) * min(1, dt/25e6)
		e.out.clock += dt * e.clock / e.m.cpu.most
		if e.tape != nil {
			e.tape.span(e, next, v)
		}
	}
	e.t = next
}

// awake is a thread that has come to a processor again, or whose data has come.
func (e *engine) awake(i int) {
	t := &e.thr[i]
	if t.state == reading {
		t.spent[causeIO] += e.t - t.since
		t.step++
		t.state, t.why, t.since, t.until = waking, causeIO, e.t, e.t+e.m.wake
		return
	}
	if t.why >= 0 {
		t.spent[t.why] += e.t - t.since
	}
	if t.slept && e.tape != nil {
		e.tape.switches(i)
	}
	t.slept = false
	if t.wants >= 0 {
		k := t.wants
		t.wants = -1
		if e.owner[k] >= 0 { // another thread was quicker
			t.state, t.since = blocked, e.t
			e.queue[k] = append([]int8{int8(i)}, e.queue[k]...)
			return
		}
		e.owner[k] = int8(i)
		t.step++
	} else if t.step == 0 {
		p := &t.parts[t.at]
		e.out.begins[p.frame] = min(e.out.begins[p.frame], e.t)
	}
	e.proceed(i)
}

// proceed starts the next step of a thread that is on a processor.
func (e *engine) proceed(i int) {
	t := &e.thr[i]
	for {
		p := &t.parts[t.at]
		if t.step == len(p.steps) {
			e.endPart(i)
			return
		}
		s := &p.steps[t.step]
		switch s.what {
		case compute:
			t.state, t.left, t.mix = running, s.amount, s.mix
			return
		case take:
			if e.owner[s.lock] >= 0 {
				if e.p.spin.ns == 0 {
					e.block(i, s.lock)
					return
				}
				t.state, t.wants, t.since, t.until = spinning, s.lock, e.t, e.t+e.p.spin.ns
				return
			}
			e.owner[s.lock] = int8(i)
		case early:
			if e.r.lock {
				e.release(s.lock)
			}
		case give:
			if !e.r.lock {
				e.release(s.lock)
			}
		case fetch:
			e.read(i, s)
			return
		}
		t.step++
	}
}

// block lets a thread sleep until a lock is given back.
func (e *engine) block(i int, lock int8) {
	t := &e.thr[i]
	t.state, t.since, t.wants = blocked, e.t, -1
	e.queue[lock] = append(e.queue[lock], int8(i))
	if e.tape != nil {
		e.tape.switches(i)
	}
}

// release frees a lock and wakes the thread that has waited longest. Until it runs another may take the lock.
func (e *engine) release(k int8) {
	e.owner[k] = -1
	first := -1
	for i := range e.thr {
		if t := &e.thr[i]; t.state == spinning && t.wants == k && (first < 0 || t.since < e.thr[first].since) {
			first = i
		}
	}
	if first >= 0 { // it sees at once that the lock is free
		t := &e.thr[first]
		e.owner[k], t.wants = int8(first), -1
		t.step++
		e.proceed(first)
		return
	}
	q := e.queue[k]
	if len(q) == 0 {
		return
	}
	w := &e.thr[q[0]]
	e.queue[k] = q[1:]
	w.spent[causeLock] += e.t - w.since
	w.state, w.why, w.wants, w.since = waking, causeLock, k, e.t
	wake := e.m.wake
	if e.r.lock {
		wake *= 2.0 / 3
	}
	w.until = e.t + wake
}

// read gives a command to the storage.
func (e *engine) read(i int, s *step) {
	t := &e.thr[i]
	k := 0
	for slot, free := range e.device {
		if free < e.device[k] {
			k = slot
		}
	}
	at := max(e.t, e.device[k]) + e.m.latency*s.spread*e.r.io
	e.moved = max(e.moved, at) + s.amount/e.m.transfers*e.r.io
	e.device[k] = e.moved
	t.state, t.since, t.until = reading, e.t, e.moved
	if e.tape != nil {
		e.tape.switches(i)
		e.tape.command(i)
	}
}

// endPart is a thread that has done its part.
func (e *engine) endPart(i int) {
	t := &e.thr[i]
	p := &t.parts[t.at]
	st := &e.stages[p.frame][p.stage]
	plan := &e.p.frames[p.frame][p.stage]
	st.done++
	sum := 0.0
	for _, v := range t.spent {
		sum += v
	}
	st.sum, st.long = st.sum+sum, max(st.long, sum)
	if plan.turn && !e.r.turns {
		for k, v := range t.spent {
			st.spent[k] += v
		}
	} else {
		st.spent = t.spent // the last to arrive set the pace
	}
	if st.done == plan.threads {
		st.ended = true
		e.endStage(p, plan, st)
	}
	e.stirred = true
	t.at, t.step, t.since = t.at+1, 0, e.t
	if t.state = idle; t.at == len(t.parts) {
		t.state = ended
	}
}

// endStage adds what the stage's path was made of to its frame.
func (e *engine) endStage(p *part, plan *stage, st *stageState) {
	if plan.turn && !e.r.turns && st.sum > 0 {
		st.spent.turn(1 - st.long/st.sum)
	}
	into := &e.out.spent[p.frame]
	length := 0.0
	for k, v := range st.spent {
		into[k] += v
		length += v
	}
	e.long[p.frame] = max(e.long[p.frame], length)
	if p.stage == len(e.stages[p.frame])-1 {
		if e.p.between && !e.r.turns {
			needless := 0.0
			for _, v := range into {
				needless += v
			}
			if needless > 0 {
				into.turn(1 - e.long[p.frame]/needless)
			}
		}
		e.out.ends[p.frame] = e.t
		if e.p.dates != nil && e.t > e.p.dates[p.frame]+e.p.period {
			e.out.missed++
		}
	}
}
