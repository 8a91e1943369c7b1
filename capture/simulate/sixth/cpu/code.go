package cpu

import "astrolabe/capture/simulate"

// code is what a stretch of a program asks of a core, by instruction.
type code struct {
	name     string
	ilp      float64 // instructions in a cycle that dependencies and ports allow on Skylake
	ops      float64 // operations
	branches float64
	missed   float64 // share of branches that is guessed wrongly
	fetch    float64 // cycles in which nothing is decoded, beside misses
	icache   float64 // misses of the first-level instruction cache
	itlb     float64
	loads    float64
	l1       float64 // misses of the first level
	l2       float64 // misses of the second
	set      float64 // bytes that are gone through again and again beyond the second level
	cold     float64 // share of the misses of the second level that no cache holds: used once
	flight   float64 // lines that the code lets be on their way at once
	overlap  float64 // share of the shorter of work and waiting for memory that goes on beside the other
	extra    float64 // lines on the bus beside each that is waited for: written back, fetched for nothing
	dtlb     float64
	faults   float64 // minor page faults
	kernel   float64 // share in the kernel
	private  bool    // each thread has a set of its own
	spin     bool
}

// Kinds of code.
const (
	codeInteger = iota
	codeVector
	codeChain
	codeBranchy
	codeInterpreter
	codeLarge
	codeChase
	codeStream
	codeGraph
	codeKernel
	codeMixed
	codeKinds
)

const mib = 1 << 20

// newCode draws code of a kind.
func newCode(r simulate.Random, kind int) code {
	c := code{ops: r.Between(1.02, 1.2), branches: r.Between(0.1, 0.2), missed: r.Log(0.001, 0.006), fetch: r.Between(0.01, 0.04),
		icache: r.Log(0.0001, 0.001), itlb: r.Log(1e-6, 3e-5), loads: r.Between(0.2, 0.32), l1: r.Log(0.002, 0.012),
		l2: r.Log(0.0002, 0.0012), set: r.Log(1, 24) * mib, cold: r.Between(0.02, 0.15), flight: r.Between(3, 6),
		overlap: r.Between(0.2, 0.45), extra: r.Between(0.2, 0.8), dtlb: r.Log(3e-5, 4e-4), ilp: r.Between(2.3, 3.4),
		faults: r.Log(1e-9, 1e-7), kernel: r.Between(0.005, 0.04)}
	switch kind {
	case codeInteger:
		c.name, c.ilp = "integer", r.Between(2.4, 3.6)
	case codeVector:
		c.name, c.ilp, c.ops = "vector", r.Between(1.8, 3), r.Between(1, 1.1)
		c.branches, c.missed, c.loads, c.l1 = r.Between(0.03, 0.09), r.Log(0.0005, 0.004), r.Between(0.25, 0.4), r.Log(0.004, 0.02)
	case codeChain:
		c.name, c.ilp = "chain", r.Between(0.5, 1.2)
		c.l1, c.overlap = r.Log(0.001, 0.006), r.Between(0.5, 0.8)
	case codeBranchy:
		c.name, c.branches, c.missed = "branchy", r.Between(0.17, 0.24), r.Between(0.045, 0.12)
		c.ilp = r.Between(2.4, 3.4)
	case codeInterpreter:
		c.name, c.branches, c.missed = "interpreter", r.Between(0.19, 0.24), r.Log(0.008, 0.04)
		c.ops, c.fetch, c.icache = r.Between(1.05, 1.25), r.Between(0.03, 0.12), r.Log(0.002, 0.014)
		c.l1, c.l2, c.faults = r.Log(0.006, 0.02), r.Log(0.0004, 0.002), r.Log(1e-8, 2e-6)
	case codeLarge:
		c.name, c.branches, c.missed = "large", r.Between(0.18, 0.23), r.Log(0.006, 0.024)
		c.fetch, c.icache, c.itlb = r.Between(0.06, 0.18), r.Log(0.014, 0.06), r.Log(1e-4, 8e-4)
		c.l1, c.l2, c.kernel, c.ilp = r.Log(0.012, 0.035), r.Log(0.0015, 0.008), r.Between(0.03, 0.15), r.Between(2.4, 3.4)
	case codeChase:
		c.name, c.l1, c.l2 = "chase", r.Between(0.02, 0.06), r.Between(0.008, 0.035)
		c.set, c.cold, c.flight, c.overlap = r.Log(64, 4000)*mib, r.Between(0.1, 0.4), r.Between(1, 2.2), r.Between(0.05, 0.3)
		c.dtlb, c.missed, c.extra = r.Log(0.002, 0.012), r.Log(0.003, 0.02), r.Between(0.05, 0.5)
	case codeStream:
		c.name, c.l1, c.l2 = "stream", r.Between(0.03, 0.09), r.Between(0.025, 0.08)
		c.set, c.cold, c.flight, c.overlap = r.Log(200, 8000)*mib, r.Between(0.9, 1), r.Between(20, 60), r.Between(0.75, 0.95)
		c.branches, c.missed, c.extra, c.dtlb = r.Between(0.04, 0.1), r.Log(0.0005, 0.003), r.Between(0.4, 1.2), r.Log(1e-4, 8e-4)
	case codeGraph:
		c.name, c.l1, c.l2 = "graph", r.Between(0.02, 0.05), r.Between(0.008, 0.03)
		c.set, c.cold, c.flight, c.overlap = r.Log(64, 4000)*mib, r.Between(0.2, 0.6), r.Between(4, 10), r.Between(0.3, 0.6)
		c.dtlb, c.missed = r.Log(0.001, 0.008), r.Log(0.01, 0.05)
	case codeKernel:
		c.name, c.kernel, c.branches, c.missed = "kernel", r.Between(0.85, 1), r.Between(0.17, 0.22), r.Log(0.006, 0.02)
		c.fetch, c.icache, c.l1, c.l2 = r.Between(0.04, 0.12), r.Log(0.006, 0.025), r.Log(0.01, 0.03), r.Log(0.001, 0.005)
		c.ilp = r.Between(1.8, 2.8)
	case codeMixed:
		c.name, c.ilp = "mixed", r.Between(2.4, 3.9)
		c.missed, c.icache, c.l1, c.l2 = r.Log(0.005, 0.06), r.Log(0.001, 0.03), r.Log(0.008, 0.04), r.Log(0.0008, 0.012)
		c.set, c.cold, c.flight = r.Log(4, 400)*mib, r.Between(0.1, 0.6), r.Between(2, 8)
		c.dtlb, c.kernel, c.faults = r.Log(1e-4, 3e-3), r.Between(0.01, 0.12), r.Log(1e-8, 3e-6)
	}
	c.private = r.Chance(0.4)
	return c
}

// blend makes the code one whose instructions are in part those of another.
func (c *code) blend(o code, part float64) {
	mix := func(a *float64, b float64) { *a += (b - *a) * part }
	misses, branches := c.branches*c.missed, o.branches*o.missed
	mix(&misses, branches)
	cold, other := c.l2*c.cold, o.l2*o.cold
	mix(&cold, other)
	flight := 1 / c.flight
	mix(&flight, 1/o.flight)
	cycles := 1 / c.ilp
	mix(&cycles, 1/o.ilp)
	for _, x := range []struct {
		a *float64
		b float64
	}{{&c.ops, o.ops}, {&c.branches, o.branches}, {&c.fetch, o.fetch}, {&c.icache, o.icache}, {&c.itlb, o.itlb}, {&c.loads, o.loads},
		{&c.l1, o.l1}, {&c.l2, o.l2}, {&c.overlap, o.overlap}, {&c.extra, o.extra}, {&c.dtlb, o.dtlb}, {&c.faults, o.faults},
		{&c.kernel, o.kernel}} {
		mix(x.a, x.b)
	}
	c.set = max(c.set, o.set)
	c.missed, c.cold, c.flight, c.ilp = misses/c.branches, cold/c.l2, 1/flight, 1/cycles
}

// spinning is what waits at a lock without giving its CPU up: a load, a comparison and a pause, which takes some 40
// cycles on Zen and 140 from Skylake on.
var spinning = code{name: "spin", ilp: 0.08, ops: 1.3, branches: 0.33, missed: 0.0002, fetch: 0, loads: 0.33, l1: 0.002,
	flight: 1, overlap: 0.9, spin: true}

// pace is how one instruction's time is made up, in ns, on a core with everything that goes on beside.
type pace struct {
	ns         float64 // all of it
	cycles     float64
	slots      float64 // of the core's that were this thread's
	branch     float64 // ns of wrong guesses
	front      float64
	memory     float64 // ns of waiting for data that work did not hide
	wait       float64 // of these, ns that the load on memory makes
	work       float64 // the rest
	lines      float64 // cache lines on the bus
	miss       float64 // of the last level
	l1, l2, tb float64 // misses with what goes on beside
}

// relief is what one simulation makes easier.
type relief struct {
	core, branch, front, latency, bandwidth, io float64 // factors of times; 1 as it is
	lock, loose, highest                        bool
}

func noRelief() relief {
	return relief{core: 1, branch: 1, front: 1, latency: 1, bandwidth: 1, io: 1}
}

// beside is what shares a core or a machine with a thread.
type beside struct {
	hz    float64 // GHz, cycles in a ns
	press float64 // how much of the core's slots the other thread of the core asks for
	fit   float64 // share of the sets that the last level holds
	queue float64 // ns that a miss waits because others are under way
}

// paceOf is how fast code goes: cycles of an interval model (doc.go), waits in ns, and what of both goes on together.
func paceOf(c *code, k *core, m *machine, r *relief, b beside) (p pace) {
	s := b.press
	retire := c.ops / k.width * (1 + s)
	busy := max(0, 1/(c.ilp*k.find)-c.ops/k.width)*(1+0.6*s) + 0.03
	branch := c.branches * c.missed * k.penalty * (1 + 0.15*s)
	front := (c.fetch*4/k.width + c.icache*k.l2*0.8 + c.itlb*30) * (1 + 0.6*s)
	p.l1, p.l2, p.tb = c.l1*(1+0.15*s), c.l2*(1+0.2*s), c.dtlb*(1+0.3*s)
	second := p.l1 * k.l2 * (1 - k.hide) * (1 + 0.2*s)
	missing := c.cold + (1-c.cold)*(1-b.fit)
	p.miss = p.l2 * missing
	p.lines = p.miss * (1 + c.extra)
	flight := min(c.flight, k.lines/(1+0.5*s))
	p.wait = p.miss * b.queue / flight
	wait := (p.l2*(1-missing)*m.llcNs/min(flight, 4)+p.miss*m.dramNs/flight+p.tb*min(m.llcNs, 20)*0.6+second/b.hz)*r.latency + p.wait
	work := (retire + busy) * r.core / b.hz
	hidden := c.overlap * min(work, wait)
	p.branch, p.front = branch*r.branch/b.hz, front*r.front/b.hz
	p.work = work
	p.memory = wait - hidden
	if wait > 0 {
		p.wait *= p.memory / wait
	}
	p.ns = work + p.branch + p.front + p.memory
	p.cycles = p.ns * b.hz
	p.slots = p.cycles * k.width / (1 + s)
	return p
}

// pressure is how much of a core's slots code asks for: little where it waits for memory.
func (c *code) pressure(k *core, m *machine) float64 {
	r := noRelief()
	p := paceOf(c, k, m, &r, beside{hz: k.hz / 1e9, fit: 0.5})
	return 0.15 + 0.8*(p.work+0.6*p.front)/p.ns
}
