package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
)

// op is a step of a thread.
type op struct {
	kind  opKind
	code  int
	n     float64 // instructions, ns of storage, or a date in ns: of a frame the last at which it is in time, if any
	id    int     // of a lock or an event, or the phase whose begin a date counts from
	count int     // of the event that is waited for
	loose int     // the count that would do, where the wait is needless; else as count
	spin  bool    // it waits without giving the CPU away
	times int     // how many such waits it stands for
}

type opKind uint8

const (
	opWork opKind = iota
	opLock
	opUnlock
	opStorage
	opWait
	opSignal
	opDate // waits for a date
	opMark // a frame ends
)

// program is what threads do, with everything drawn.
type program struct {
	text   string
	codes  []code
	ops    [][]op // by thread
	locks  int
	events int
	frames int
	phases []int // the first frame of each
	gate   int   // the event from which the second's dates count, and how often it is signalled before
	before int
	swaps  bool // storage holds what has no room in memory
	small  int  // operations that one lock stands for
}

// maker puts a program together.
type maker struct {
	r *rand.Rand
	m *machine
	p *program
	// ns is the time per instruction of each code alone.
	ns []float64
	// scale is how much more each phase is than its program says, phase the one that is being made.
	scale []scale
	phase int
	// first is what a further thread does first.
	first []op
}

func newMaker(r *rand.Rand, m *machine, by []scale) *maker {
	mk := &maker{r: r, m: m, p: &program{}, scale: by}
	// With an instruction that pauses in the loop it completes few, without one many.
	mk.code(code{core: mk.between(0.4, 1) * math.Pow(12, r.Float64()), branch: 0.25, loads: 0.25, l1: 0.0005, flight: 4, warm: 0.55, spin: true})
	return mk
}

const spinning = 0 // the code of threads that wait without giving the CPU away

func (k *maker) between(lo, hi float64) float64 { return lo + (hi-lo)*k.r.Float64() }

// scale is how many times the frames a phase has, and how much longer each of them takes: it is many requests then.
type scale struct {
	more int
	long float64
}

func (k *maker) stretch() scale {
	if k.phase >= len(k.scale) {
		return scale{1, 1}
	}
	return k.scale[k.phase]
}

// amount is the instructions that take so many ms alone, more or less.
func (k *maker) amount(code int, ms, spread float64) float64 {
	long := k.stretch().long
	return ms * 1e6 * long / k.ns[code] * (1 + spread*(2*k.r.Float64()-1))
}

func (k *maker) threads(n int) {
	for len(k.p.ops) < n {
		k.p.ops = append(k.p.ops, slices.Clone(k.first))
	}
}

func (k *maker) lock() int  { k.p.locks++; return k.p.locks - 1 }
func (k *maker) event() int { k.p.events++; return k.p.events - 1 }

func (k *maker) code(c code) int {
	k.p.codes = append(k.p.codes, c)
	k.ns = append(k.ns, k.m.alone(c))
	return len(k.p.codes) - 1
}

func (k *maker) add(thread int, o op) { k.p.ops[thread] = append(k.p.ops[thread], o) }

// work appends what takes so many ms alone, more or less.
func (k *maker) work(thread, code int, ms, spread float64) {
	k.add(thread, op{kind: opWork, code: code, n: k.amount(code, ms, spread)})
}

// locked is work under a lock, of which the last third could do without.
func (k *maker) locked(thread, lock, code int, ms, spread float64, spin bool) {
	n := k.amount(code, ms, spread)
	long := k.stretch().long
	k.add(thread, op{kind: opLock, id: lock, spin: spin, times: int(math.Ceil(long * float64(k.p.small)))})
	k.add(thread, op{kind: opWork, code: code, n: n * 2 / 3})
	k.add(thread, op{kind: opUnlock, id: lock, loose: 1})
	k.add(thread, op{kind: opWork, code: code, n: n / 3})
	k.add(thread, op{kind: opUnlock, id: lock})
}

func (k *maker) storage(thread int, ms, spread float64) {
	long := k.stretch().long
	k.add(thread, op{kind: opStorage, n: ms * 1e6 * long * (1 + spread*k.r.ExpFloat64()) / (1 + spread), times: int(math.Ceil(long))})
}

func (k *maker) wait(thread, event, count, loose int, spin bool) {
	k.add(thread, op{kind: opWait, id: event, count: count, loose: loose, spin: spin})
}

func (k *maker) date(thread int, date float64) {
	k.add(thread, op{kind: opDate, n: date, id: k.phase})
}

func (k *maker) signal(thread, event int) { k.add(thread, op{kind: opSignal, id: event}) }

func (k *maker) mark(thread int, due float64) {
	k.add(thread, op{kind: opMark, n: due, id: k.phase})
	k.p.frames++
}

// barrier lets all threads wait for each other.
func (k *maker) barrier(threads int, spin bool) {
	e := k.event()
	for t := range threads {
		k.signal(t, e)
		k.wait(t, e, threads, threads, spin)
	}
}

// gate lets all threads, also those still to come, wait for the end of what there is so far.
func (k *maker) gate() {
	k.phase++
	n := len(k.p.ops)
	k.first = []op{{kind: opWait, id: k.event(), count: n, loose: n}}
	for t := range n {
		k.signal(t, k.first[0].id)
		k.add(t, k.first[0])
	}
	k.p.gate, k.p.before = k.first[0].id, n
}
