package cpu

import "astrolabe/capture/simulate"

// Candidates of processors beside those that all machines have.
var (
	unitCore   = simulate.Candidate{Level: simulate.LevelUnit, Name: "core"}
	unitBranch = simulate.Candidate{Level: simulate.LevelUnit, Name: "branch"}
	unitFront  = simulate.Candidate{Level: simulate.LevelUnit, Name: "front_end"}
	cpuLock    = simulate.Candidate{Level: simulate.LevelCPU, Name: "lock"}
	cpuIO      = simulate.Candidate{Level: simulate.LevelCPU, Name: "io"}
	cpuFaults  = simulate.Candidate{Level: simulate.LevelCPU, Name: "faults"}
	cpuOthers  = simulate.Candidate{Level: simulate.LevelCPU, Name: "others"} // other programs, or the host's other guests
	timer      = simulate.Candidate{Level: simulate.LevelDisplay, Name: "timer"}
)

// Costs of the kernel (see doc.go).
const (
	faultInstructions, faultCycles = 900, 1700 // with the page that is cleared
	switchInstructions             = 2600      // of a wake-up and two switches
)

// misses are what caches and predictors of one class of core let through, per instruction. They depend on who else
// uses the last level, and on no clock.
type misses struct {
	l1, l2, llc           float64 // loads
	code1, code2, codeLLC float64 // lines of code
	targets               float64 // branches whose target is not known in time
	dataPages, codePages  float64 // loads, and lines of code, whose page is in no buffer
	bytes                 float64 // to and from memory
	seen, blind           float64 // lines from memory that prefetchers foresee, and others
	base, wrong           float64 // cycles where nothing misses; branches predicted wrongly
}

func missesOf(p *profile, c *class, llc float64) *misses {
	const dataReach, codeReach, targetReach = 6 * mb, 512, 256 // KiB
	llc = max(llc, c.l2)
	m := &misses{l1: p.loads * p.far(c.l1d), base: p.uops / min(c.width, p.ilp), wrong: p.branches * p.miss}
	if c.window < 16 { // cores that work in order find less to do at a time
		m.base = p.uops / min(c.width, max(0.8, 0.45*p.ilp))
	}
	m.l2 = min(m.l1, p.loads*p.far(c.l2))
	m.llc = min(m.l2, p.loads*p.far(llc))
	m.code1, m.code2, m.codeLLC = p.jumpy*p.farCode(c.l1i), p.jumpy*p.farCode(c.l2*0.7), 0.15*p.jumpy*p.farCode(llc)
	m.targets = p.branches * 0.25 * p.farCode(targetReach)
	m.dataPages = 0.35 * p.loads * p.far(dataReach) * (1 - 0.9*p.stream)
	m.codePages = 0.3 * p.jumpy * p.farCode(codeReach)
	m.bytes = 64 * (m.llc*(1+p.writes) + m.codeLLC)
	m.seen, m.blind = m.llc*p.stream, m.llc*(1-p.stream)
	return m
}

// stack is where the cycles of an instruction go.
type stack struct {
	base, branch, front, latency, bandwidth, fault float64
	resolve                                        float64 // cycles from a wrong guess until it is known
}

func (s *stack) cycles() float64 {
	return s.base + s.branch + s.front + s.latency + s.bandwidth + s.fault
}

// conditions are what surrounds a thread that runs.
type conditions struct {
	ghz, beside  float64 // beside: share of cycles in which the core's other thread executes
	waiting      float64 // ns that a line waits for the memory's bus
	llcNs, memNs float64
}

// stackOf is the interval model: a base rate, and for each kind of miss what it adds.
func stackOf(p *profile, c *class, m *misses, at *conditions, relief simulate.Candidate) (s stack) {
	less := func(of simulate.Candidate) float64 {
		if relief == of {
			return 1 / simulate.Faster
		}
		return 1
	}
	llc, mem, far := at.llcNs*at.ghz, at.memNs*at.ghz, less(simulate.MemoryLatency)
	s.base = m.base * (1 + 0.6*at.beside) * less(unitCore)
	// Code that is fetched ahead hides a part of its misses. Reading code is the front end's time, not data's latency.
	s.front = less(unitFront) * (m.code1*c.l2Cycles*0.45 + m.code2*llc*0.6 + m.codeLLC*mem*0.6 + m.targets*8 + m.codePages*24 +
		0.1*p.branches*min(c.width, p.ilp)) // a taken branch wastes a part of what is fetched
	// What the window holds goes on while a load is waited for. A core in order stops at the first use.
	hidden := 0.35 * c.window / min(c.width, max(1, p.ilp))
	stop := func(latency, parallel float64) float64 { return max(0.12*latency, latency-hidden) / parallel }
	parallel := min(p.parallel, c.fill, max(1, c.window*p.loads/4))
	deep := 28.0 // lines that prefetchers have under way
	if c.window < 16 {
		deep = 8
	}
	l2 := c.l2Cycles * far
	llc, mem = llc*far, mem*far
	s.latency = (m.l1-m.l2)*stop(l2, max(1, 0.8*parallel)) + (m.l2-m.llc)*stop(llc, parallel) + m.blind*stop(mem, parallel) +
		m.seen*mem/deep + m.dataPages*28*far/max(1, parallel/2)
	s.bandwidth = at.waiting * at.ghz * (m.blind/parallel + m.seen/deep + 0.1*m.codeLLC)
	// A branch that waits for a load is known late; such loads miss twice as often as others do.
	s.resolve = 7 + p.late*2/p.loads*((m.l1-m.l2)*l2+(m.l2-m.llc)*llc+m.blind*(mem+at.waiting*at.ghz))
	s.branch = m.wrong * (c.depth + s.resolve) * less(unitBranch)
	s.fault = p.faults * faultCycles * less(cpuFaults)
	// While the back end is full, missing code is not missed.
	stalls := s.latency + s.bandwidth
	s.front *= 1 - 0.6*stalls/(stalls+s.base+s.branch+s.front)
	return s
}
