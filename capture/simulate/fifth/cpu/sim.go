package cpu

import (
	"fmt"

	"astrolabe/capture/simulate"
)

// Causes of time on the path.
const (
	byCore = iota
	byBranch
	byFetch
	byLatency
	byBandwidth
	parts  // of the time that code takes
	byLock = iota - 1
	byIO
	byTimer
	byStart
)

// relief is what a simulation makes easier. The zero value relieves nothing.
type relief struct {
	core, branch, fetch, latency, bandwidth, lock, io, turns, clock bool
}

const faster = 1.5

const never = int64(1) << 62

// States of a thread.
const (
	ready = iota
	running
	blocked
	ended
)

type threadState struct {
	state  int
	pc     int
	job    []op
	jpc    int
	rem    float64 // instructions of the operation under way
	seg    int
	busy   bool // an operation of opRun is under way
	swap   float64
	cpu    int // where it ran last
	inIO   bool
	slept  bool
	woken  int64
	since  int64 // of the stretch that the path does not have yet
	spent  [parts + 1]float64
	held   int // locks that it holds
	spins  bool
	wakeAt int64 // of a sleeper, never otherwise
	node   int32
	dated  int32
	date   int32 // -1, or the timer whose date it waits for

	rate  float64 // instructions per ns
	share [parts]float64
}

type cpuState struct {
	thread int // -1 when idle
	start  int64
	free   int32 // the event since which it has been free
	freed  int64
}

type lockState struct {
	owner   int
	waiters []int
}

type semState struct {
	count   int
	waiters []int
}

type timerState struct {
	next int64 // the date that the next wait is for
	node int32 // of the date before
}

// sim is one run of a program on a machine.
type sim struct {
	m   *machine
	p   *program
	r   relief
	rec *recording

	now   int64
	ths   []threadState
	cpus  []cpuState
	queue []int
	locks []lockState
	sems  []semState
	dates []timerState
	left  []int // of barriers
	pools []int // the next job of each
	slots [][]slot

	queued  float64 // ns that a line waits for memory
	dirty   bool
	share   float64 // of the clock
	heat    float64
	watts   float64
	look    int64
	looked  int64
	busyNs  float64 // watts times ns since the last look, at the highest clock
	below   float64 // ns times how far the clock was below
	changes []change

	path   simulate.Path
	begun  []int64
	done   []frame
	missed []int64
	spun   float64 // ns
	ran    float64
}

type slot struct {
	free int64
	node int32
}

type change struct {
	at    int64
	share float64
	heat  float64
	watts float64
}

// frame is one that is done.
type frame struct {
	at   int64
	node int32
}

func (s *sim) reset(m *machine, p *program, r relief, keep bool, rec *recording) {
	*s = sim{m: m, p: p, r: r, rec: rec, share: m.clock.start, dirty: true, path: s.path, changes: s.changes[:0]}
	s.path.Keep = keep
	s.path.Begin(byStart)
	if r.clock {
		s.share = 1
	}
	s.look = never
	if m.clock.period > 0 && !r.clock {
		s.look = m.clock.period
	}
	c := &m.clock
	if c.trip > 0 {
		s.heat = c.trip - 0.5
		if c.limit > 0 {
			s.heat = c.ambient + c.perWatt*c.limit
		}
	}
	s.watts = c.limit
	s.changes = append(s.changes, change{0, s.share, s.heat, s.watts})
	s.ths = make([]threadState, len(p.threads))
	for i := range s.ths {
		s.ths[i] = threadState{cpu: i % len(m.cpus), wakeAt: never, date: -1}
		s.queue = append(s.queue, i)
	}
	s.cpus = make([]cpuState, len(m.cpus))
	for i := range s.cpus {
		s.cpus[i].thread = -1
	}
	s.locks = make([]lockState, len(p.locks))
	for i := range s.locks {
		s.locks[i].owner = -1
	}
	s.sems = make([]semState, len(p.semaphores))
	for i, x := range p.semaphores {
		s.sems[i].count = x.start
		if x.loose && r.turns {
			s.sems[i].count += 2
		}
	}
	s.dates = make([]timerState, len(p.timers))
	for i, t := range p.timers {
		s.dates[i].next = t.first
	}
	s.left = append([]int(nil), p.barriers...)
	s.pools = make([]int, len(p.pools))
	s.slots = make([][]slot, len(m.devices))
	for i, d := range m.devices {
		s.slots[i] = make([]slot, d.slots)
	}
}

// run simulates until all frames are done.
func (s *sim) run() error {
	for steps := 0; len(s.done) < s.p.frames; steps++ {
		if steps > 4_000_000 {
			return fmt.Errorf("the program does not end")
		}
		s.dispatch()
		if s.dirty {
			s.rates()
		}
		next := s.next()
		if next == never {
			return fmt.Errorf("all threads wait for each other, %d of %d frames done", len(s.done), s.p.frames)
		}
		s.advance(next)
		s.events()
	}
	return nil
}

// next is when something happens.
func (s *sim) next() int64 {
	at := s.look
	for i := range s.cpus {
		c := &s.cpus[i]
		if c.thread < 0 {
			continue
		}
		th := &s.ths[c.thread]
		if len(s.queue) > 0 {
			at = min(at, max(s.now+1, c.start+s.m.quantum))
		}
		if th.spins {
			continue
		}
		at = min(at, s.now+int64((th.swap+th.rem)/th.rate)+1)
	}
	for i := range s.ths {
		at = min(at, s.ths[i].wakeAt)
	}
	return max(at, s.now)
}

// advance lets time pass.
func (s *sim) advance(to int64) {
	dt := float64(to - s.now)
	if dt <= 0 {
		return
	}
	if s.rec != nil {
		s.rec.pass(s, s.now, to)
	}
	for i := range s.cpus {
		c := &s.cpus[i]
		if c.thread < 0 {
			continue
		}
		th := &s.ths[c.thread]
		s.ran += dt
		s.busyNs += dt * s.m.types[s.m.cpus[i]].watts
		if th.spins {
			s.spun += dt
			continue
		}
		n := th.rate * dt
		if th.swap > 0 {
			less := min(n, th.swap)
			th.swap -= less
			n -= less
		}
		th.rem -= n
		if th.held > 0 && s.waitedFor(c.thread) {
			th.spent[parts] += dt
			continue
		}
		for k, x := range th.share {
			th.spent[k] += dt * x
		}
	}
	s.below += dt * (1 - s.share)
	s.now = to
}

// waitedFor reports whether others wait for a lock that the thread holds.
func (s *sim) waitedFor(t int) bool {
	for i := range s.locks {
		if l := &s.locks[i]; l.owner == t && len(l.waiters) > 0 {
			return true
		}
	}
	return false
}

// settle gives the path what a thread spent since its last event.
func (s *sim) settle(th *threadState) {
	if s.now <= th.since {
		th.since = s.now
		return
	}
	if s.path.Keep {
		all := 0.0
		for _, x := range th.spent {
			all += x
		}
		at, sum := th.since, 0.0
		for k, x := range th.spent {
			if x <= 0 {
				continue
			}
			sum += x
			until := min(s.now, th.since+int64(sum/all*float64(s.now-th.since)+0.5))
			if until > at {
				cause := uint8(k)
				if k == parts {
					cause = byLock
				}
				th.node = s.path.At(until, cause, simulate.NoQueue, th.node)
				at = until
			}
		}
		if at < s.now {
			th.node = s.path.At(s.now, byCore, simulate.NoQueue, th.node)
		}
	}
	th.spent, th.since = [parts + 1]float64{}, s.now
}

// events handles everything that happens now.
func (s *sim) events() {
	if s.now >= s.look {
		s.govern()
	}
	for i := range s.ths {
		th := &s.ths[i]
		if th.wakeAt > s.now {
			continue
		}
		th.wakeAt = never
		if th.date >= 0 {
			th.node, th.date = th.dated, -1
		} else if s.rec != nil {
			s.rec.interrupt(th.cpu)
		}
		s.wake(i, th.node)
	}
	for i := range s.cpus {
		c := &s.cpus[i]
		if c.thread < 0 {
			continue
		}
		th := &s.ths[c.thread]
		if !th.spins && th.rem < 0.5 && th.swap <= 0 {
			th.busy = false
			s.settle(th)
			s.step(c.thread)
		}
		if c.thread >= 0 && len(s.queue) > 0 && s.now >= c.start+s.m.quantum {
			s.preempt(i)
		}
	}
}

func (s *sim) preempt(cpu int) {
	t := s.cpus[cpu].thread
	th := &s.ths[t]
	if !th.spins {
		s.settle(th)
	}
	th.state = ready
	th.woken, th.slept = s.now, false
	s.queue = append(s.queue, t)
	s.vacate(cpu, th.node)
}

func (s *sim) vacate(cpu int, node int32) {
	c := &s.cpus[cpu]
	if s.rec != nil {
		s.rec.switched(cpu, !s.p.threads[c.thread].other)
	}
	c.thread, c.free, c.freed = -1, node, s.now
	s.dirty = true
}

// wake makes a thread ready because of an event.
func (s *sim) wake(t int, node int32) {
	th := &s.ths[t]
	th.state, th.node, th.inIO, th.slept, th.woken = ready, node, false, true, s.now
	s.queue = append(s.queue, t)
}
