package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// What can limit, in the order of candidates.
const (
	byCore = iota
	byBranch
	byFrontEnd
	byBandwidth
	byLatency
	byIO
	byLock
	inTurn
	byHeat
	byPower
	nothing
)

var candidates = [...]simulate.Candidate{
	{Level: simulate.LevelUnit, Name: "core"}, {Level: simulate.LevelUnit, Name: "branch"}, {Level: simulate.LevelUnit, Name: "front_end"},
	simulate.MemoryBandwidth, simulate.MemoryLatency, {Level: simulate.LevelCPU, Name: "io"}, {Level: simulate.LevelCPU, Name: "lock"},
	simulate.QueuesInTurn, simulate.ClockThermal, simulate.ClockPower,
}

var displayTimer = simulate.Candidate{Level: simulate.LevelDisplay, Name: "timer"}

// maker is whose events a processor has.
type maker int

const (
	intel maker = iota
	amd
	arm
	olderIntel
)

// machine is a processor.
type machine struct {
	maker      maker
	name       string
	vendor     string
	cores      int
	ghz        float64 // the highest
	nominal    float64
	width      float64 // slots a cycle
	penalty    float64 // cycles of a wrong branch
	llc, far   float64 // ns to the last cache, and on to memory
	bus        float64 // bytes a ns
	wake       float64 // ns to wake a thread
	governed   float64 // share of the highest clock that the governor sets for a light load; 1 else
	hot        bool    // heat holds the clock
	capped     bool    // power does
	deepest    float64 // share of the highest clock where the limit holds it
	memory     float64 // bytes
	slots      int     // counters that count at a time
	background float64 // CPUs that other programs use
	warms      float64 // kelvin of all cores at the highest clock, where heat does not hold it
	dozes      bool    // processors that idle show a low clock
}

func newMachine(r simulate.Random) *machine {
	m := &machine{maker: maker(r.Weighted([]float64{4, 4, 3, 1.5})), penalty: r.Between(14, 20), llc: r.Between(9, 22), far: r.Between(65, 115),
		wake: r.Log(2500, 12000), governed: 1, memory: float64(simulate.Pick(r, 8, 16, 32, 64)) * (1 << 30), background: r.Log(0.01, 0.15), dozes: r.Chance(0.5), warms: r.Between(30, 55)}
	switch m.maker {
	case intel:
		m.name, m.vendor, m.width, m.slots = "13th Gen Intel(R) Core(TM) i7", "GenuineIntel", 6, 8
		m.cores, m.ghz, m.bus = simulate.Pick(r, 8, 12, 16), r.Between(3.8, 5.2), r.Between(45, 75)
	case amd:
		m.name, m.vendor, m.width, m.slots = "AMD Ryzen 7 7840U", "AuthenticAMD", 6, 6
		m.cores, m.ghz, m.bus = simulate.Pick(r, 6, 8, 12, 16), r.Between(4, 5.2), r.Between(45, 80)
	case arm:
		m.name, m.vendor, m.width, m.slots = "Cortex-A76", "ARM", 4, 6
		m.cores, m.ghz, m.bus = simulate.Pick(r, 4, 8), r.Between(1.8, 2.9), r.Between(10, 28)
		m.penalty = r.Between(11, 15)
	default:
		m.name, m.vendor, m.width, m.slots = "Intel(R) Core(TM) i5-7500", "GenuineIntel", 4, 4
		m.cores, m.ghz, m.bus = 4, r.Between(3, 4.2), r.Between(20, 34)
	}
	m.ghz = math.Round(m.ghz*100) / 100
	m.nominal = m.ghz * r.Between(0.55, 0.8)
	return m
}

// limit lets heat or power hold the clock.
func (m *machine) limit(r simulate.Random, heat bool, lo, hi float64) {
	m.hot, m.capped, m.deepest = heat, !heat, r.Between(lo, hi)
}

// mix is what instructions of a kind are like; numbers are per instruction but for rates.
type mix struct {
	base     float64 // cycles at least: width, and what instructions wait for each other
	branches float64
	wrong    float64 // of branches
	front    float64 // cycles without instructions
	llc      float64 // accesses to the last cache
	misses   float64 // of which go to memory
	mlp      float64 // under way at a time
	bytes    float64 // of the bus for a miss: with what is written back
	loads    float64
	l1       float64 // misses of loads
	dtlb     float64
	itlb     float64
	system   float64 // share of its time in the kernel
}

// cost is the time of an instruction in ns, by what takes it, at a clock, with the wait for the bus.
type cost struct{ core, branch, front, memory float64 }

func (c *cost) sum() float64 { return c.core + c.branch + c.front + c.memory }

const part = 2.0 / 3

func (x *mix) cost(m *machine, ghz, wait float64, relieved int) (c cost) {
	c.core = x.base / ghz
	c.branch = x.branches * x.wrong * m.penalty / ghz
	c.front = x.front / ghz
	latency := (x.llc*m.llc + x.misses*m.far) / x.mlp
	switch relieved {
	case byCore:
		c.core *= part
	case byBranch:
		c.branch *= part
	case byFrontEnd:
		c.front *= part
	case byLatency:
		latency *= part
	}
	c.memory = latency + x.misses*x.bytes/64*wait
	return c
}

// waits finds how long an access waits for the bus, in ns, where n[i] threads run mix i, each a share of the time.
func waits(m *machine, mixes []mix, n []float64, share, ghz float64, relieved int) float64 {
	bus := m.bus
	if relieved == byBandwidth {
		bus *= 1.5
	}
	wait := func(load float64) float64 { return 64 / bus * 4 * load / (1 - load) }
	demand := func(load float64) (sum float64) {
		for i, k := range n {
			if k > 0 {
				c := mixes[i].cost(m, ghz, wait(load), relieved)
				sum += k * share * mixes[i].misses * mixes[i].bytes / c.sum()
			}
		}
		return sum / bus
	}
	lo, hi := 0.0, 0.9995
	if demand(0) < 1e-3 {
		return 0
	}
	for range 18 {
		mid := (lo + hi) / 2
		if demand(mid) > mid {
			lo = mid
		} else {
			hi = mid
		}
	}
	return wait((lo + hi) / 2)
}

// watts are of a processor with so many threads that run, as a share of what all cores take at the highest clock.
func (m *machine) watts(running, ghz float64) float64 {
	return 0.08 + 0.92*running/float64(m.cores)*math.Pow(ghz/m.ghz, 2.6)
}
