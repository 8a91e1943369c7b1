package cpu

import (
	"container/heap"
	"math"
)

// Times are whole ns.

const (
	chunkNs = 200_000   // the longest stretch of code that is simulated in one piece
	sliceNs = 3_000_000 // that a thread runs while others wait for the CPU
	tickNs  = 4_000_000 // between two decisions about the clock
)

// Why a thread waits.
const (
	waitNone = iota
	waitIO
	waitLock
	waitTurn
	waitDate
	waitBarrier
	waitCPU
)

// span is a stretch of a thread's time: a chunk of code, or a wait.
type span struct {
	start, end int64
	wait       int8
	onTime     bool           // of a date: the date before was waited for, too
	since      int64          // of a date: the date before
	from       int32          // of a barrier: the thread that came last
	part       [parts]float32 // of a chunk: shares of its time
	lost       float32        // the share of its time that a clock below the highest costs
	why        int8           // which limit holds the clock
}

type thread struct {
	id     int
	script script
	phase  int
	other  bool
	nice   bool

	at       int // step
	round    int // how often the script was run
	left     float64
	cpu      int // where it runs, or ran last
	running  bool
	ran      int64 // since it got the CPU
	ready    int64 // since when it waits for a CPU
	from     int64 // since when it waits
	why      int8
	onTime   bool
	since    int64
	waker    int32
	date     int // number of dates so far
	log      []span
	finished bool
	order    int // of turns
	io       bool
}

type event struct {
	at     int64
	seq    int
	thread *thread // nil for a tick
	wake   bool    // else the end of a chunk
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

type lock struct {
	owner *thread
	queue []*thread
}

// frame is when a frame, or a batch, was done.
type frame struct {
	done   int64
	phase  int
	missed int // dates before it, since the frame before
}

// run is one simulation.
type run struct {
	m       *machine
	c       *content
	rates   rates
	seed    uint64
	limit   int64 // ends the simulation of each phase; 0 for the phases' own numbers of frames
	watch   watcher
	keepLog bool

	now     int64
	seq     int
	queue   events
	threads []*thread
	first   int       // the first thread of the phase
	busy    []*thread // by CPU
	ready   []*thread
	phase   int
	phaseAt int64
	left    int // threads of the phase that are not finished
	locks   map[int]*lock
	turn    int
	barrier []*thread
	disk    []int64 // when each of its slots is free
	dates   []int64
	missed  int
	frames  []frame
	counts  []int // frames of each phase
	over    bool

	memory float64 // ns: when the memory has served all that it was asked for
	load   float64 // of the memory, of late
	loadAt int64

	clock   clock
	clocks  []float64 // its share of the highest, at each tick
	firstOf []int     // the first thread of each phase
}

// watcher is told what happens, to count.
type watcher interface {
	chunk(cpu int, t *thread, start, end int64, instructions float64, c *cost, hz float64)
	state(at int64, running, ready, blocked int)
	busyCPU(at int64, cpu int, busy bool)
	ioOn(at int64, cpu int, delta int)
	switched(at int64, cpu int, t *thread, migrated bool)
	tick(at int64, r *run)
}

func simulateCase(m *machine, c *content, seed uint64, rt rates, limit int64, keepLog bool, w watcher) *run {
	r := &run{m: m, c: c, seed: seed, rates: rt, limit: limit, keepLog: keepLog, watch: w, locks: map[int]*lock{},
		busy: make([]*thread, len(m.cpus)), counts: make([]int, len(c.phases))}
	r.clock.begin(m)
	r.beginPhase(0)
	r.push(tickNs, nil, false)
	for !r.over && len(r.queue) > 0 {
		e := heap.Pop(&r.queue).(event)
		r.now = e.at
		switch {
		case e.thread == nil:
			r.clock.tick(r)
			r.clocks = append(r.clocks, r.clock.share)
			if w != nil {
				w.tick(r.now, r)
			}
			r.push(r.now+tickNs, nil, false)
		case e.wake:
			r.wake(e.thread)
		default:
			r.chunkDone(e.thread)
		}
		r.dispatch()
	}
	return r
}

func (r *run) push(at int64, t *thread, wake bool) {
	r.seq++
	heap.Push(&r.queue, event{at, r.seq, t, wake})
}

// beginPhase starts the threads of a phase.
func (r *run) beginPhase(k int) {
	r.phase, r.phaseAt, r.turn, r.barrier = k, r.now, 0, nil
	p := r.c.phases[k]
	r.first, r.left = len(r.threads), len(p.threads)
	r.firstOf = append(r.firstOf, r.first)
	r.dates = append(r.dates[:0], r.now)
	r.missed = 0
	r.disk = make([]int64, max(1, p.devices))
	for i, s := range p.threads {
		t := &thread{id: len(r.threads), script: s, phase: k, order: i, cpu: i % len(r.m.cpus), from: r.now}
		r.threads = append(r.threads, t)
		r.proceed(t)
	}
	if r.rates.noOthers {
		return
	}
	for i, s := range p.others {
		t := &thread{id: len(r.threads), script: s, phase: k, other: true, nice: p.nice,
			cpu: (len(p.threads) + i) % len(r.m.cpus), from: r.now}
		r.threads = append(r.threads, t)
		r.proceed(t)
	}
}

func (r *run) lockOf(id int) *lock {
	if r.locks[id] == nil {
		r.locks[id] = &lock{}
	}
	return r.locks[id]
}

// proceed takes a thread through steps until it runs or sleeps. It is not on a CPU queue before.
func (r *run) proceed(t *thread) {
	for !t.finished && !r.over {
		if t.other && t.phase != r.phase {
			t.finished = true
			return
		}
		if t.at == len(t.script) {
			t.at = 0
			t.round++
		}
		s := &t.script[t.at]
		switch s.kind {
		case stepRun:
			t.left = s.amount * r.drawn(t, s.spread)
			r.want(t)
			return
		case stepIO:
			t.at++
			if r.rates.noIO && !t.other {
				continue
			}
			slot := 0
			for i, free := range r.disk {
				if free < r.disk[slot] {
					slot = i
				}
			}
			r.disk[slot] = max(r.now, r.disk[slot]) + int64(s.amount*r.drawn(t, s.spread))
			t.io = true
			if r.watch != nil {
				r.watch.ioOn(r.now, t.cpu, 1)
			}
			r.sleep(t, waitIO)
			r.push(r.disk[slot]+int64(r.m.wakeNs), t, true)
			return
		case stepLock:
			t.at++
			if r.rates.noLocks {
				continue
			}
			l := r.lockOf(s.id)
			if l.owner == nil {
				l.owner = t
				continue
			}
			l.queue = append(l.queue, t)
			r.sleep(t, waitLock)
			return
		case stepUnlock:
			t.at++
			if r.rates.noLocks {
				continue
			}
			l := r.lockOf(s.id)
			l.owner = nil
			if len(l.queue) > 0 {
				l.owner = l.queue[0]
				l.queue = l.queue[1:]
				r.push(r.now+int64(r.m.wakeNs), l.owner, true)
			}
		case stepTake:
			t.at++
			if r.rates.noTurns || r.turn == t.order {
				continue
			}
			r.sleep(t, waitTurn)
			return
		case stepPass:
			t.at++
			r.turn = (r.turn + 1) % max(1, r.c.phases[t.phase].turns)
			for _, o := range r.threads[r.first:] {
				if o.why == waitTurn && o.order == r.turn && !o.finished {
					o.why = waitTurn
					r.push(r.now+int64(r.m.wakeNs), o, true)
				}
			}
		case stepBarrier:
			t.at++
			r.barrier = append(r.barrier, t)
			if len(r.barrier) < r.left {
				r.sleep(t, waitBarrier)
				return
			}
			came := r.barrier
			r.barrier = nil
			for _, o := range came {
				if o != t {
					o.waker = int32(t.id)
					r.wakeNow(o)
				}
			}
		case stepDate:
			t.at++
			if r.await(t) {
				return
			}
		case stepFrame:
			t.at++
			r.frames = append(r.frames, frame{r.now, t.phase, r.missed})
			r.missed = 0
			r.counts[t.phase]++
			p := r.c.phases[t.phase]
			if r.limit > 0 && r.now-r.phaseAt >= r.limit || r.limit == 0 && r.counts[t.phase] >= p.frames {
				r.endPhase()
				return
			}
		}
	}
}

// endPhase stops all threads of the phase, and starts those of the next.
func (r *run) endPhase() {
	if r.phase+1 == len(r.c.phases) {
		r.over = true
		return
	}
	for _, t := range r.threads[r.first:] {
		t.finished = true
		if t.io && r.watch != nil {
			r.watch.ioOn(r.now, t.cpu, -1)
		}
		t.io = false
	}
	kept := r.ready[:0]
	for _, t := range r.ready {
		if !t.finished {
			kept = append(kept, t)
		}
	}
	r.ready = kept
	for cpu, t := range r.busy {
		if t != nil && !t.running { // it stands in its last step now
			r.release(cpu)
		}
	}
	r.locks = map[int]*lock{}
	r.beginPhase(r.phase + 1)
}

// await sleeps until the next date. It reports whether the thread sleeps.
func (r *run) await(t *thread) bool {
	p := r.c.phases[t.phase]
	t.date++
	for len(r.dates) <= t.date {
		n := len(r.dates)
		gap := p.period
		if p.bursts > 0 {
			gap *= spreadOf(r.seed+uint64(t.phase)*7919, uint64(n), p.bursts)
		}
		r.dates = append(r.dates, r.dates[n-1]+int64(gap))
	}
	late := r.now > r.dates[t.date]
	if late && p.bursts == 0 { // dates that passed are skipped
		for late {
			r.missed++
			t.date++
			for len(r.dates) <= t.date {
				r.dates = append(r.dates, r.dates[len(r.dates)-1]+int64(p.period))
			}
			late = r.now > r.dates[t.date]
		}
		t.onTime = false
	} else {
		t.onTime = true
		if late { // a request waits in its queue
			if float64(r.now-r.dates[t.date]) > 3*p.period {
				r.missed++
			}
			return false
		}
	}
	t.since = r.dates[t.date-1]
	r.sleep(t, waitDate)
	r.push(r.dates[t.date]+int64(r.m.wakeNs), t, true)
	return true
}

// sleep says that a thread waits from now on.
func (r *run) sleep(t *thread, why int8) {
	t.why, t.from = why, r.now
	r.noteState()
}

// wake ends a wait.
func (r *run) wake(t *thread) {
	if t.finished {
		return
	}
	if t.io {
		t.io = false
		if r.watch != nil {
			r.watch.ioOn(r.now, t.cpu, -1)
		}
	}
	r.wakeNow(t)
}

func (r *run) wakeNow(t *thread) {
	r.note(t, span{start: t.from, end: r.now, wait: t.why, onTime: t.onTime, since: t.since, from: t.waker})
	t.why = waitNone
	r.proceed(t)
}

func (r *run) note(t *thread, s span) {
	if r.keepLog && s.end > s.start {
		t.log = append(t.log, s)
	}
}

// want puts a thread that has something to run where CPUs find it.
func (r *run) want(t *thread) {
	t.ready = r.now
	r.ready = append(r.ready, t)
	r.noteState()
}

func (r *run) noteState() {
	if r.watch == nil {
		return
	}
	running, blocked := 0, 0
	for _, t := range r.busy {
		if t != nil {
			running++
		}
	}
	for _, t := range r.threads {
		if t.io && !t.finished {
			blocked++
		}
	}
	r.watch.state(r.now, running, len(r.ready), blocked)
}

// dispatch gives idle CPUs to threads that wait.
func (r *run) dispatch() {
	for len(r.ready) > 0 {
		t := r.ready[0]
		cpu := t.cpu
		if r.busy[cpu] != nil || r.m.slow(cpu) {
			best := -1
			for i, b := range r.busy {
				if b == nil && (best < 0 || !r.m.slow(i) && r.m.slow(best)) {
					best = i
				}
			}
			if best < 0 {
				return
			}
			if r.busy[cpu] != nil || !r.m.slow(best) {
				cpu = best
			}
		}
		r.ready = r.ready[1:]
		r.place(t, cpu)
	}
}

func (r *run) place(t *thread, cpu int) {
	r.note(t, span{start: t.ready, end: r.now, wait: waitCPU})
	if r.watch != nil {
		r.watch.switched(r.now, cpu, t, t.cpu != cpu)
		r.watch.busyCPU(r.now, cpu, true)
	}
	t.cpu, t.ran = cpu, 0
	r.busy[cpu] = t
	r.noteState()
	r.startChunk(t)
}

// release takes the CPU's thread from it.
func (r *run) release(cpu int) {
	r.busy[cpu] = nil
	if r.watch != nil {
		r.watch.busyCPU(r.now, cpu, false)
	}
	r.noteState()
}

// drawn is a factor with mean 1 that depends on thread, step and round alone, so that relief changes no work.
func (r *run) drawn(t *thread, sigma float64) float64 {
	if sigma == 0 {
		return 1
	}
	return spreadOf(r.seed^uint64(t.id)*0x9e3779b97f4a7c15, uint64(t.round)<<8|uint64(t.at), sigma)
}

// spreadOf is a factor of mean 1: a gamma-like sum of four draws, which is the same on every machine.
func spreadOf(seed, n uint64, sigma float64) float64 {
	x := seed + n*0xbf58476d1ce4e5b9
	sum := 0.0
	for range 4 {
		x += 0x9e3779b97f4a7c15
		z := x
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		sum += float64(z>>11) / (1 << 53)
	}
	// The sum has mean 2 and variance 1/3.
	return max(0.05, 1+sigma*(sum-2)*math.Sqrt(3))
}
