package cpu

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

// state of a thread.
type state uint8

const (
	blocked state = iota
	ready
	running
)

// stall is what the kernel counts a blocked thread as.
type stall uint8

const (
	stallNone   stall = iota
	stallIO           // waits for I/O: iowait, procs_blocked, pressure of io
	stallMemory       // waits for memory that comes back from disk: that, and pressure of memory
)

// thread is a task while it is simulated.
type thread struct {
	id     int
	role   *role
	pc     int
	round  int
	state  state
	cpu    int     // where it runs, or ran last
	code   int     // place in the simulation's codes
	left   float64 // instructions
	date   int64
	late   bool
	ran    float64 // ns on a CPU, forgotten over time
	ready  int64   // since when
	node   int32
	stall  stall
	repeat float64 // of the step that it blocked in
	net    bool    // woken by an interrupt
	lock   int     // that it spins at, -1
	spin   int64   // until when it spins
	gens   []int   // by barrier: how often it was there
}

// cpuState is a CPU while it is simulated.
type cpuState struct {
	cur       *thread
	queue     []*thread
	wakes     int64 // until when the core wakes up
	starts    int64 // when the thread's own work begins, behind the switch
	slice     int64 // when its turn ends
	idle      int64 // since when it idles
	p         pace
	speed     float64 // instructions in a ns
	waitIO    int     // threads that wait for I/O and ran here last
	waitMem   int
	node      int32
	busy      float64 // ns in this period of the governor
	ours      float64 // of these, ns of the program
	switching float64 // share of the switch that is an interrupt's
}

type lockState struct {
	holder   *thread
	spinners []*thread
	sleepers []*thread
}

type creditState struct {
	have    int
	waiters []*thread
}

type barrierState struct {
	members []*thread
	waiters []*thread
}

// memory is what the sets and the load on memory come to.
type memoryState struct{ fit, queue float64 }

// sim is one simulation.
type sim struct {
	m      *machine
	phases []phase
	r      relief
	seed   uint64
	rec    *recorder
	path   simulate.Path

	now     int64
	phase   int
	units   int     // done in this phase
	target  []int   // units of each phase, nil where length ends it
	length  []int64 // ns of each phase
	begun   int64   // when this phase began
	done    []doneUnit
	starts  []int // by phase: its first unit in done
	missed  []int64
	threads []*thread
	cpus    []cpuState
	locks   []lockState
	credits []creditState
	bars    []barrierState
	heap    timers
	clk     *clocks
	tick    int64 // of the governor
	dirty   bool
	memo    map[uint64]memoryState
	codes   []*code     // of this phase, and what spins
	press   [][]float64 // by cluster and code
	slots   []int64     // when each slot of the disk is free
	bus     int64       // when its bus is
	bytes   float64     // that memory moves in a ns
	weight  float64     // CPUs that ran the program, added up over looks
	spun    float64     // ns at locks
	worked  float64     // ns of the program on CPUs
	ended   bool
}

type doneUnit struct {
	t    int64
	node int32
}

func newSim(m *machine, phases []phase, seed uint64, r relief, target []int, length []int64) *sim {
	s := &sim{m: m, phases: phases, seed: seed, r: r, target: target, length: length, memo: map[uint64]memoryState{},
		clk: newClocks(m), cpus: make([]cpuState, len(m.sites)),
		slots: make([]int64, m.disk.slots)}
	if r.highest {
		for k := range s.clk.share {
			s.clk.share[k] = 1
		}
	}
	s.tick = int64(m.clock.period)
	s.path.Begin(causeStart)
	return s
}

// most is what bounds a relieved simulation: it should take less time than the one that it is compared with.
const most = 3

// run simulates all phases.
func (s *sim) run() error {
	for s.phase = range s.phases {
		s.begin()
		deadline := int64(math.MaxInt64)
		if s.target == nil {
			deadline = s.now + s.length[s.phase]
		} else if s.length != nil {
			deadline = s.now + most*s.length[s.phase] + 1e9
		}
		for !s.ended {
			next := min(s.next(), deadline)
			if next == math.MaxInt64 {
				return fmt.Errorf("%s: nothing goes on at %d ns", s.phases[s.phase].name, s.now)
			}
			s.advance(next)
			if s.now >= deadline {
				break
			}
			s.handle()
		}
	}
	return nil
}

// begin starts a phase: what the one before left is gone.
func (s *sim) begin() {
	p := &s.phases[s.phase]
	s.units, s.begun, s.ended = 0, s.now, false
	s.starts = append(s.starts, len(s.done))
	s.threads, s.heap = nil, s.heap[:0]
	s.locks, s.credits = make([]lockState, len(p.locks)), make([]creditState, len(p.credits))
	s.bars = make([]barrierState, len(p.barriers))
	clear(s.memo)
	s.codes = nil
	for i := range p.codes {
		s.codes = append(s.codes, &p.codes[i])
	}
	s.codes = append(s.codes, &spinning)
	s.press = nil
	for k := range s.m.clusters {
		var list []float64
		for _, c := range s.codes {
			list = append(list, c.pressure(&s.m.clusters[k].core, s.m))
		}
		s.press = append(s.press, list)
	}
	for i := range s.cpus {
		s.cpus[i] = cpuState{idle: s.now, busy: s.cpus[i].busy, ours: s.cpus[i].ours}
	}
	for i := range s.slots {
		s.slots[i] = s.now
	}
	s.bus = s.now
	for i, c := range p.credits {
		s.credits[i].have = c.start
		if c.loose && s.r.loose {
			s.credits[i].have += slack
		}
	}
	for i := range p.roles {
		for range p.roles[i].count {
			t := &thread{id: len(s.threads), role: &p.roles[i], lock: -1, repeat: 1, gens: make([]int, len(p.barriers)),
				date: s.now, node: 0}
			t.cpu = t.id % len(s.cpus)
			if c := t.role.cluster; c >= 0 {
				list := s.m.clusters[c].cpus
				t.cpu = list[t.id%len(list)]
			} else if s.m.phone { // the fastest cluster is the last
				t.cpu = len(s.cpus) - 1 - t.cpu
			}
			s.threads = append(s.threads, t)
			for _, st := range t.role.steps {
				if b := &s.bars; st.do == doBarrier && !slices.Contains((*b)[st.at].members, t) {
					(*b)[st.at].members = append((*b)[st.at].members, t)
				}
			}
		}
	}
	for _, t := range s.threads {
		s.wake(t, 0)
	}
	s.dirty = true
}

// next is when something happens.
func (s *sim) next() int64 {
	if s.dirty {
		s.rates()
	}
	at := s.tick
	if len(s.heap) > 0 {
		at = min(at, s.heap[0].at)
	}
	if s.rec != nil {
		at = min(at, s.rec.bound())
	}
	for i := range s.cpus {
		c := &s.cpus[i]
		if c.cur == nil {
			continue
		}
		if len(c.queue) > 0 {
			at = min(at, max(s.now, c.slice))
		}
		if c.cur.lock >= 0 {
			if c.cur.spin < math.MaxInt64 {
				at = min(at, max(c.starts, c.cur.spin))
			}
			continue
		}
		if c.speed > 0 {
			at = min(at, max(s.now, c.starts)+int64(math.Ceil(c.cur.left/c.speed)))
		}
	}
	return max(at, s.now)
}

// advance lets time pass until t.
func (s *sim) advance(t int64) {
	if s.rec != nil && t > s.now {
		s.rec.pass(s, t)
	}
	for i := range s.cpus {
		c := &s.cpus[i]
		if c.cur == nil {
			continue
		}
		if ns := t - max(s.now, c.wakes); ns > 0 {
			c.busy += float64(ns)
			if !c.cur.role.other {
				c.ours += float64(ns)
			}
		}
		if ns := float64(t - max(s.now, c.starts)); ns > 0 {
			c.cur.left -= ns * c.speed
			c.cur.ran += ns
			if !c.cur.role.other {
				s.worked += ns
				if c.cur.lock >= 0 {
					s.spun += ns
				}
			}
		}
	}
	s.now = t
}

// handle does what is due.
func (s *sim) handle() {
	if s.rec != nil && s.now >= s.rec.bound() {
		s.rec.close(s)
	}
	if s.now >= s.tick {
		s.look()
	}
	for len(s.heap) > 0 && s.heap[0].at <= s.now {
		t := s.heap.pop().t
		s.unstall(t)
		s.wake(t, t.node)
	}
	for i := range s.cpus {
		c := &s.cpus[i]
		if s.ended {
			return
		}
		if c.cur == nil {
			continue
		}
		t := c.cur
		switch {
		case t.lock >= 0:
			if s.now >= t.spin && s.now >= c.starts {
				s.sleepAt(t)
			}
		case s.now >= c.starts && t.left <= c.speed*0.5:
			s.finish(t, c)
			s.goOn(i)
		}
		if c.cur != nil && len(c.queue) > 0 && s.now >= c.slice {
			s.preempt(i)
		}
	}
}

// finish ends a thread's run of code: its time goes to the path by what it was made of.
func (s *sim) finish(t *thread, c *cpuState) {
	t.left = 0
	if !s.path.Keep || t.role.other {
		return
	}
	start := s.path.Time(t.node)
	whole := float64(s.now - start)
	at := float64(start)
	for _, part := range [...]struct {
		share float64
		cause uint8
	}{{c.p.branch, causeBranch}, {c.p.front, causeFront}, {c.p.wait, causeBandwidth}, {c.p.memory - c.p.wait, causeLatency}} {
		if c.p.ns > 0 && part.share > 0 {
			at += whole * part.share / c.p.ns
			t.node = s.path.At(min(s.now, int64(at)), part.cause, simulate.NoQueue, t.node)
		}
	}
	t.node = s.path.At(s.now, causeCore, simulate.NoQueue, t.node)
}

// look lets the governor decide, moves threads to better CPUs, and lets the scheduler forget.
func (s *sim) look() {
	period := s.m.clock.period
	s.tick += int64(period)
	busy, ours := make([]float64, len(s.cpus)), make([]float64, len(s.m.clusters))
	for i := range s.cpus {
		busy[i] = min(1, s.cpus[i].busy/period)
		ours[s.m.sites[i].cluster] += min(1, s.cpus[i].ours/period)
		s.cpus[i].busy, s.cpus[i].ours = 0, 0
	}
	for _, x := range ours {
		s.weight += x
	}
	if !s.r.highest && s.clk.look(s.m, busy, s.bytes, ours) {
		s.dirty = true
	}
	for _, t := range s.threads {
		t.ran *= 0.92
	}
	s.balance()
}
