package cpu

import (
	"container/heap"
	"math"
)

// relief is what one simulation makes easier.
type relief struct {
	core, front, branch, latency, bandwidth bool
	io, lock, faults, others, loose         bool
	governor, thermal, power                bool
	role                                    int // of threads that are faster; -1 for none
	whole                                   bool
}

var none = relief{role: -1}

// Kinds of records of a thread's time.
type recKind uint8

const (
	recRun recKind = iota
	recReady
	recIO
	recSleep
	recDate
	recLock
	recSem
)

// Parts of a chunk's time.
const (
	partCore = iota
	partFront
	partBranch
	partLatency
	partBandwidth
	partFaults
	partClock
	parts
)

// record is a stretch of a thread's time, kept for the walk back.
type record struct {
	start, end int64
	kind       recKind
	reason     uint8 // of the clock
	loose      bool
	from       int32 // who signalled
	parts      [parts]float32
}

type threadState struct {
	t        *thread
	id       int
	iter     int
	pc       int
	left     float64 // of the operation
	begun    bool
	chunks   int
	cpu      int // where it runs or ran last
	vr       float64
	since    int64 // when its state began
	slice    int64 // ran since it was put on its CPU
	overhead float64
	need     float64 // units of a semaphore
	running  bool
	ready    bool
	done     bool
	recs     []record
}

type cpuState struct {
	th   *threadState
	busy int64 // in this tick
	heat float64
}

type semaphore struct {
	n       float64
	waiters []*threadState
}

// frame is an iteration.
type frame struct{ begin, end int64 }

type sim struct {
	m       *machine
	p       *program
	rl      relief
	n       int   // iterations
	horizon int64 // ends there, if not 0
	keep    bool
	rec     *tape

	heap    events
	seq     int64
	threads []threadState
	cpus    []cpuState
	order   []int // of CPUs, the best first
	queue   []*threadState
	sems    []semaphore
	locked  []*threadState
	lockers [][]*threadState
	frames  []frame
	ended   int
	hogs    bool
	minVR   float64
	free    float64 // when memory has served all that is booked
	clock   clock
	io      int
}

// The length of chunks of work, the slice after which another thread may have the CPU, and what a switch and the way
// out of idling cost, in ns. They are round numbers of the right size for Linux.
const (
	chunkNs   = 240_000.0
	sliceNs   = 2_800_000
	switchNs  = 1500.0
	exitNs    = 3500.0
	requestNs = 4000.0 // of the kernel, for a request of a device
	tickNs    = 4_000_000
)

// run simulates n iterations, or up to the horizon.
func run(m *machine, p *program, rl relief, n int, horizon int64, keep bool, rec *tape) *sim {
	s := &sim{m: m, p: p, rl: rl, n: n, horizon: horizon, keep: keep, rec: rec}
	s.threads = make([]threadState, len(p.threads))
	s.cpus = make([]cpuState, m.cpus())
	for i := range s.cpus {
		s.order = append(s.order, i)
	}
	s.sems = make([]semaphore, len(p.tokens))
	for i, t := range p.tokens {
		s.sems[i].n = float64(t)
	}
	if rl.loose && p.loose >= 0 {
		s.sems[p.loose].n += 2
	}
	s.locked = make([]*threadState, p.locks)
	s.lockers = make([][]*threadState, p.locks)
	s.clock.begin(s)
	if rec != nil {
		rec.begin(m, len(p.threads))
	}
	for i := range s.threads {
		th := &s.threads[i]
		*th = threadState{t: &p.threads[i], id: i, cpu: i % len(s.cpus)}
		if th.t.other {
			if rl.others {
				continue
			}
			s.hogs = true
			th.pc = (i * 2) % len(th.t.scripts[0])
		}
		s.wake(th, 0)
	}
	s.push(tickNs, evTick, 0)
	for len(s.heap) > 0 && s.ended < n {
		ev := heap.Pop(&s.heap).(event)
		if horizon > 0 && ev.at > horizon {
			break
		}
		switch ev.kind {
		case evChunk:
			s.chunkDone(ev.id, ev.at)
		case evWake:
			th := &s.threads[ev.id]
			if s.op(th).kind == opIO {
				s.io--
				th.overhead += requestNs
				s.note(th, recIO, ev.at)
				s.tapeIO(th.cpu, ev.at, -1)
			} else if s.op(th).kind == opDate {
				s.note(th, recDate, ev.at)
				s.frames[th.iter].begin = ev.at
			} else {
				s.note(th, recSleep, ev.at)
			}
			th.next()
			s.wake(th, ev.at)
		case evTick:
			s.clock.tick(s, ev.at)
			s.push(ev.at+tickNs, evTick, 0)
		}
	}
	return s
}

func (s *sim) push(at int64, kind uint8, id int) {
	s.seq++
	heap.Push(&s.heap, event{at, s.seq, kind, id})
}

func (th *threadState) next() { th.pc, th.begun, th.chunks = th.pc+1, false, 0 }

// script is what a thread does in its iteration.
func (s *sim) script(th *threadState) []op {
	if th.t.other {
		return th.t.scripts[0]
	}
	return th.t.scripts[s.contentOf(th.iter)]
}

func (s *sim) contentOf(i int) int {
	if i < len(s.p.content) {
		return int(s.p.content[i])
	}
	return s.p.rest
}

func (s *sim) op(th *threadState) *op { return &s.script(th)[th.pc] }

// scaleOf is how much work an iteration is, beside the mean.
func (s *sim) scaleOf(th *threadState) float64 {
	if th.t.other {
		return 1
	}
	return s.p.scale[th.iter%len(s.p.scale)]
}

// note keeps how a thread spent the time since its state began.
func (s *sim) note(th *threadState, kind recKind, at int64) *record {
	if !s.keep || at <= th.since {
		th.since = at
		return nil
	}
	th.recs = append(th.recs, record{start: th.since, end: at, kind: kind, from: -1})
	th.since = at
	return &th.recs[len(th.recs)-1]
}

// wake makes a thread runnable, and runs it where a CPU is idle.
func (s *sim) wake(th *threadState, at int64) {
	th.vr = max(th.vr, s.minVR-sliceNs)
	th.since = at
	if c := s.idle(th); c >= 0 {
		th.overhead += exitNs
		s.put(th, c, at)
		return
	}
	th.ready = true
	s.queue = append(s.queue, th)
	s.tapeLevel(at)
}

// idle is the best idle CPU for a thread, -1 where there is none. Of CPUs of one design it is the one where it ran.
func (s *sim) idle(th *threadState) int {
	best := -1
	for _, c := range s.order {
		if s.cpus[c].th != nil {
			continue
		}
		if best < 0 {
			best = c
		}
		if c == th.cpu && s.m.cpuOf[c] == s.m.cpuOf[best] {
			best = c
		}
	}
	return best
}

// put runs a thread on a CPU.
func (s *sim) put(th *threadState, c int, at int64) {
	s.note(th, recReady, at)
	if th.cpu != c {
		s.tapeAdd(c, th, at, kMigrations, 1)
	}
	th.ready, th.running, th.cpu, th.slice = false, true, c, 0
	th.overhead += switchNs
	s.cpus[c].th = th
	s.tapeCPU(c, at, true)
	s.tapeAdd(c, th, at, kSwitches, 1)
	s.tapeLevel(at)
	s.advance(th, at)
}

// leave takes a thread from its CPU, which goes on with another.
func (s *sim) leave(th *threadState, at int64) {
	c := th.cpu
	th.running = false
	s.cpus[c].th = nil
	if len(s.queue) > 0 {
		s.pick(c, at)
		return
	}
	s.tapeCPU(c, at, false)
	s.tapeAdd(c, th, at, kSwitches, 1)
	s.tapeLevel(at)
}

// first is the place in the queue of the thread that has had the least time.
func (s *sim) first() int {
	best := 0
	for i, th := range s.queue {
		if th.vr < s.queue[best].vr {
			best = i
		}
	}
	return best
}

func (s *sim) pick(c int, at int64) {
	i := s.first()
	th := s.queue[i]
	s.queue = append(s.queue[:i], s.queue[i+1:]...)
	s.minVR = max(s.minVR, th.vr)
	s.put(th, c, at)
}

// advance takes a thread on CPU through its script, up to work or a wait.
func (s *sim) advance(th *threadState, at int64) {
	for {
		if !th.t.other && th.iter >= s.n {
			th.done = true
			s.leave(th, at)
			return
		}
		script := s.script(th)
		if len(script) == 0 && th.iter >= len(s.p.content) { // nothing to do ever after
			th.done = true
			s.leave(th, at)
			return
		}
		if th.pc >= len(script) {
			th.pc, th.begun = 0, false
			th.iter++
			continue
		}
		o := &script[th.pc]
		switch o.kind {
		case opCompute, opFault:
			if !th.begun {
				th.begun, th.left = true, o.n*s.scaleOf(th)
			}
			if th.left > 0 && !(o.kind == opFault && s.rl.faults) {
				s.start(th, o, at)
				return
			}
		case opIO, opSleep:
			if o.kind == opIO && s.rl.io {
				break
			}
			ns := o.n * s.noise(th)
			if o.kind == opIO {
				s.io++
				s.tapeIO(th.cpu, at, 1)
			}
			s.push(at+max(1, int64(ns)), evWake, th.id)
			s.leave(th, at)
			return
		case opDate:
			s.grow(th.iter)
			if d := s.dateOf(th.iter); d > at {
				s.push(d, evWake, th.id)
				s.leave(th, at)
				return
			}
			s.frames[th.iter].begin = at
		case opLock:
			if !s.rl.lock {
				if s.locked[o.id] != nil {
					s.lockers[o.id] = append(s.lockers[o.id], th)
					s.leave(th, at)
					return
				}
				s.locked[o.id] = th
			}
		case opUnlock:
			if !s.rl.lock {
				s.locked[o.id] = nil
				if list := s.lockers[o.id]; len(list) > 0 {
					w := list[0]
					s.lockers[o.id] = append(list[:0], list[1:]...)
					s.locked[o.id] = w
					s.note(w, recLock, at)
					w.next()
					s.wake(w, at)
				}
			}
		case opSignal:
			s.signal(th, o, at)
		case opWait:
			sem := &s.sems[o.id]
			if sem.n < o.n || len(sem.waiters) > 0 {
				th.need = o.n
				sem.waiters = append(sem.waiters, th)
				s.leave(th, at)
				return
			}
			sem.n -= o.n
		case opEnd:
			s.grow(th.iter)
			s.frames[th.iter].end = at
			s.ended = th.iter + 1
		}
		if th.id == 0 && th.pc == 0 && o.kind != opDate {
			s.grow(th.iter)
			s.frames[th.iter].begin = at
		}
		th.next()
	}
}

func (s *sim) grow(i int) {
	for len(s.frames) <= i {
		s.frames = append(s.frames, frame{})
	}
}

func (s *sim) dateOf(i int) int64 {
	if i < len(s.p.dates) {
		return s.p.dates[i]
	}
	return math.MaxInt64 / 4
}

// signal gives units to a semaphore, and wakes who waited for them.
func (s *sim) signal(th *threadState, o *op, at int64) {
	sem := &s.sems[o.id]
	sem.n += o.n
	for len(sem.waiters) > 0 && sem.n >= sem.waiters[0].need {
		w := sem.waiters[0]
		sem.waiters = sem.waiters[1:]
		sem.n -= w.need
		if r := s.note(w, recSem, at); r != nil {
			r.from, r.loose = int32(th.id), o.id == s.p.loose
		}
		if w.id == 0 && w.pc == 0 {
			s.grow(w.iter)
			s.frames[w.iter].begin = at
		}
		w.next()
		s.wake(w, at)
	}
}

// noise is the variation of a thread's next piece of work. It is the same in all simulations of a case.
func (s *sim) noise(th *threadState) float64 {
	th.chunks++
	h := uint32(th.id*7919+th.iter*104729+th.pc*1299709+th.chunks*15485863) * 2654435761
	return s.p.noise[h>>22]
}

// chunkDone ends a chunk: the thread goes on, or another has its turn.
func (s *sim) chunkDone(c int, at int64) {
	th := s.cpus[c].th
	if th.left <= 0 {
		th.next()
	}
	if len(s.queue) > 0 {
		w := s.queue[s.first()]
		if w.vr+1e6 < th.vr && th.slice > 700_000 || th.slice > sliceNs && w.vr < th.vr {
			th.running, th.ready = false, true
			s.cpus[c].th = nil
			s.queue = append(s.queue, th)
			s.pick(c, at)
			return
		}
	} else if s.m.hybrid && s.m.cpuOf[c] > 0 && th.slice > sliceNs {
		// A thread goes to a fast core as soon as one has nothing to do.
		if d := s.idle(th); d >= 0 && s.m.cpuOf[d] == 0 {
			th.running = false
			s.cpus[c].th = nil
			s.tapeCPU(c, at, false)
			s.put(th, d, at)
			return
		}
	}
	s.advance(th, at)
}
