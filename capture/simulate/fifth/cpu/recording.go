package cpu

import "astrolabe/capture/simulate"

// Events of a core, in the order of a row of the recording.
const (
	eCycles = iota
	eNominal
	eInstructions
	eSlots
	eRetired
	eWrong   // slots whose operations are thrown away, or that recovery leaves empty
	eFetch   // slots without operations
	eBack    // slots that the back end holds up
	eMemory  // those of memory
	eLoads   // cycles whose oldest operation is a load
	eOldest  // cycles whose oldest operation is not complete
	eStallFE // cycles in which nothing is dispatched for the front end
	eStallBE
	eBranches
	eMisses // of branches
	eL1Loads
	eL1Misses
	eL2Misses
	eLLCMisses
	eAhead
	eCode // code's accesses to the second level
	eDTLB
	eITLB
	eFaults
	eRan // ns
	events
)

// States of a CPU, as /proc/stat has them.
const (
	inUser = iota
	inNice
	inSystem
	inIdle
	inIOWait
	inIRQ
	inSoftIRQ
	stolen
	inGuest
	states
)

// Pressure of a CPU, in ns.
const (
	someCPU = iota
	someIO
	fullIO
	nonIdle
	pressures
)

// row is what happened on a CPU in a sample.
type row struct {
	own      [events]float64 // of the program
	all      [events]float64 // of everything
	times    [states]float64
	pressure [pressures]float64
	switches float64
	left     float64 // switches from a thread of the program
	moves    float64
	ownMoves float64
	devices  float64 // interrupts
}

// level is what gauges show at the end of a sample.
type level struct{ running, blocked int }

// recording is what counters need.
type recording struct {
	bounds *simulate.Bounds
	n      int // CPUs
	rows   []row
	levels []level
	at     int
	per    [][events]float64 // by CPU: events per ns
	next   []int64           // ticks

	// Where there are more events than counters, groups of them take turns: turned is by sample and group how long each
	// counted, in ns, and inTurn what it counted, by sample, CPU and group.
	groups  int
	program bool // of the program only
	phase   int64
	turned  []float64
	inTurn  [][events]float64
}

const rotation = 4e6 // ns, perf_event_mux_interval_ms

func newRecording(m *machine, bounds *simulate.Bounds, r simulate.Random, k *recorder) *recording {
	rec := &recording{bounds: bounds, n: len(m.cpus), per: make([][events]float64, len(m.cpus)), groups: k.groups(m),
		program: k.program, phase: int64(r.Float64() * rotation)}
	tick := 1e9 / float64(m.hz)
	for range m.cpus {
		rec.next = append(rec.next, int64(r.Float64()*tick))
	}
	rec.grow()
	return rec
}

func (rec *recording) grow() {
	for len(rec.rows) < (rec.at+1)*rec.n {
		rec.rows = append(rec.rows, row{})
	}
	if rec.groups > 1 {
		for len(rec.turned) < (rec.at+1)*rec.groups {
			rec.turned = append(rec.turned, 0)
		}
		for len(rec.inTurn) < len(rec.rows)*rec.groups {
			rec.inTurn = append(rec.inTurn, [events]float64{})
		}
	}
}

func (rec *recording) row(cpu int) *row { return &rec.rows[rec.at*rec.n+cpu] }

func (rec *recording) switched(cpu int, own bool) {
	rec.row(cpu).switches++
	if own {
		rec.row(cpu).left++
	}
}

func (rec *recording) moved(cpu int, own bool) {
	rec.row(cpu).moves++
	if own {
		rec.row(cpu).ownMoves++
	}
}

func (rec *recording) interrupt(cpu int) { rec.row(cpu).devices++ }

// rate says what a CPU counts per ns from now on.
func (rec *recording) rate(s *sim, cpu int, c *cost, t, late, line float64) {
	th := &s.ths[s.cpus[cpu].thread]
	seg, m := s.segmentOf(th), s.m
	typ := &m.types[m.cpus[cpu]]
	clock := typ.highest * s.share * (1 - m.steal)
	r := th.rate
	e := &rec.per[cpu]
	ideal := seg.uops / typ.width
	lost := c.core - ideal // cycles in which units or results are waited for
	waits := (t - c.computing) * typ.highest * s.share
	shown := 1 - m.hides*(1-c.computing/t)
	memory := waits + min(lost, m.loads*min(1, late/t)*lost+min(0.5*lost, 5*(seg.l1-seg.l2)))
	*e = [events]float64{
		eCycles: clock, eNominal: m.nominal * (1 - m.steal), eInstructions: r, eSlots: typ.width * clock,
		eRetired:  seg.uops * r,
		eWrong:    (1 - m.onward) * typ.width * c.branch * r,
		eFetch:    typ.width * (c.fetch + m.onward*c.branch) * shown * r,
		eLoads:    memory * r,
		eOldest:   (memory + m.others*max(0, waits+lost-memory)) * r,
		eStallFE:  (0.8*c.fetch + 0.7*c.branch) * shown * r,
		eStallBE:  (0.92*waits + m.empty*lost) * r,
		eBranches: seg.branches * r, eMisses: seg.wrong * r, eL1Loads: seg.loads * r, eL1Misses: seg.l1 * r,
		eL2Misses: seg.l2 * r, eLLCMisses: seg.misses * r, eAhead: seg.ahead * r, eCode: 0.03 * seg.fetch * r,
		eDTLB: seg.dtlb * r, eITLB: seg.itlb * r, eFaults: seg.faults * r, eRan: 1,
	}
	e[eBack] = max(0, e[eSlots]-e[eRetired]-e[eWrong]-e[eFetch])
	e[eMemory] = min(e[eBack], typ.width*memory*r)
	e[eLoads] = min(e[eLoads], e[eOldest])
}

// pass lets the counters count from one time to another.
func (rec *recording) pass(s *sim, from, to int64) {
	for from < to {
		end := rec.bounds.At(rec.at + 1)
		until := min(to, end)
		if rec.groups > 1 {
			until = min(until, (from+rec.phase)/rotation*rotation+rotation-rec.phase)
			rec.turned[rec.at*rec.groups+rec.group(from)] += float64(until - from)
		}
		rec.count(s, from, until)
		if until == end {
			rec.level(s)
			rec.at++
			rec.grow()
		}
		from = until
	}
}

// group is which events count at a time.
func (rec *recording) group(at int64) int {
	return int((at + rec.phase) / rotation % int64(rec.groups))
}

func (rec *recording) level(s *sim) {
	l := level{running: len(s.queue) + 1} // the recorder runs too
	for i := range s.ths {
		if s.ths[i].inIO {
			l.blocked++
		}
	}
	for i := range s.cpus {
		if s.cpus[i].thread >= 0 {
			l.running++
		}
	}
	rec.levels = append(rec.levels, l)
}

func (rec *recording) count(s *sim, from, to int64) {
	dt := float64(to - from)
	var io, queued uint32
	for i := range s.ths {
		if s.ths[i].inIO {
			io |= 1 << s.ths[i].cpu
		}
	}
	for _, t := range s.queue {
		queued |= 1 << s.ths[t].cpu
	}
	tick := int64(1e9 / float64(s.m.hz))
	for i := range s.cpus {
		x := rec.row(i)
		t := s.cpus[i].thread
		state := inIdle
		if io&(1<<i) != 0 {
			state = inIOWait
			x.pressure[someIO] += dt
			if t < 0 {
				x.pressure[fullIO] += dt
			}
		}
		if t >= 0 && queued&(1<<i) != 0 {
			x.pressure[someCPU] += dt
		}
		if t >= 0 || state == inIOWait {
			x.pressure[nonIdle] += dt
		}
		if t < 0 {
			x.times[state] += dt
			for rec.next[i] < to {
				rec.next[i] += tick
			}
			continue
		}
		th, spec := &s.ths[t], &s.p.threads[t]
		for k, v := range rec.per[i] {
			x.all[k] += v * dt
		}
		if !spec.other {
			for k, v := range rec.per[i] {
				x.own[k] += v * dt
			}
		}
		if rec.groups > 1 && !(rec.program && spec.other) {
			in := &rec.inTurn[(rec.at*rec.n+i)*rec.groups+rec.group(from)]
			for k, v := range rec.per[i] {
				in[k] += v * dt
			}
		}
		switch {
		case s.segmentOf(th).kernel:
			state = inSystem
		case spec.nice:
			state = inNice
		default:
			state = inUser
		}
		x.times[stolen] += dt * s.m.steal
		ran := 1 - s.m.steal
		switched := from // up to when it is the kernel that switches threads
		if th.swap > 0 && !th.spins {
			switched = max(from, min(to, s.now+int64(th.swap/th.rate)))
		}
		if !s.m.tick {
			x.times[inSystem] += float64(switched-from) * ran
			x.times[state] += float64(to-switched) * ran
			continue
		}
		for rec.next[i] < to {
			at := state
			if rec.next[i] < switched {
				at = inSystem
			}
			rec.next[i] += tick
			x.times[at] += float64(tick) * ran
		}
	}
}
