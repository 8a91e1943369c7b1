package cpu

import (
	"fmt"

	"astrolabe/capture/simulate"
)

// design is what cores of one kind can do.
type design struct {
	name    string
	width   float64 // slots per cycle, as its own events count them
	attain  float64 // operations per cycle that the best code reaches
	maxHz   float64
	minHz   float64
	refHz   float64 // of reference cycles; 0 where there are none
	flush   float64 // cycles that a mispredicted branch costs
	l2Cyc   float64 // cycles of a hit in the second level
	l3Ns    float64 // ns of a hit in the last level
	faultCy float64 // cycles of a minor page fault, zeroing a page included
	watts   float64 // of one core at the highest clock with common work
}

// Machines of the family.
const (
	hybrid   = iota // Intel laptop with P and E cores
	desktop         // AMD Zen 5
	neoverse        // Arm Neoverse V2
	board           // Arm Cortex-A76
	machines
)

var (
	pCore = design{"P", 8, 6.0, 5.1e9, 0.4e9, 2.9e9, 20, 17, 14, 3600, 11}
	eCore = design{"E", 8, 5.0, 4.5e9, 0.4e9, 2.9e9, 16, 19, 17, 4000, 4.5}
	zen5  = design{"zen5", 8, 6.2, 5.5e9, 0.6e9, 4.2e9, 17, 14, 9, 3400, 13}
	v2    = design{"v2", 8, 6.0, 3.3e9, 1.0e9, 0, 14, 11, 24, 2600, 4.2}
	a76   = design{"a76", 4, 3.2, 2.4e9, 1.0e9, 0, 13, 10, 16, 3000, 1.5}
)

// machine is what a program runs on.
type machine struct {
	kind   int
	cpus   []*design // by number; the fastest first
	model  string
	vendor string
	kernel string

	bandwidth float64 // bytes per ns that memory attains
	dramNs    float64 // an idle memory's latency
	wakeNs    float64 // from an event to the first instruction of a thread that slept

	// Clock. Cores of all kinds are slowed by the same factor of their own highest clock.
	budget                   float64 // watts that the package may take for long
	uncore                   float64 // watts beside the cores
	trip                     float64 // celsius
	ambient                  float64 // what the case is at
	degrees                  float64 // per watt, at rest
	tau                      float64 // seconds of the heat's time constant
	start                    float64 // celsius when the simulation begins
	plantThermal, plantPower float64 // shares of the clock that these limits begin with; 0 for none
	policy                   int
	ceiling                  float64 // of a governor with a fixed one

	memTotal, memFree float64
}

// Governors.
const (
	performance = iota
	utilisation // follows the busiest CPU's use, late
	ceiling     // never above a share of the highest
)

func newMachine(r simulate.Random) *machine {
	m := &machine{kind: r.IntN(machines), kernel: simulate.Pick(r, "6.12.30", "6.14.0-29-generic", "6.17.8", "6.18.2")}
	add := func(n int, d *design) {
		for range n {
			m.cpus = append(m.cpus, d)
		}
	}
	m.policy, m.wakeNs = performance, r.Between(3e3, 25e3)
	m.tau = r.Between(0.6, 2.5)
	m.ambient = r.Between(28, 42)
	switch m.kind {
	case hybrid:
		p, e := simulate.Pick(r, 4, 6), simulate.Pick(r, 4, 8)
		add(p, &pCore)
		add(e, &eCore)
		m.model, m.vendor = "Intel(R) Core(TM) Ultra 7 255H", "GenuineIntel"
		if p == 4 {
			m.model = "Intel(R) Core(TM) Ultra 5 225H"
		}
		m.bandwidth, m.dramNs = r.Between(72, 92), r.Between(105, 130)
		m.uncore, m.trip, m.memTotal = 5, 100, 32<<30
		if r.Chance(0.3) {
			m.policy = utilisation
		}
	case desktop:
		n := simulate.Pick(r, 6, 8, 12)
		add(n, &zen5)
		m.model, m.vendor = map[int]string{6: "AMD Ryzen 5 9600X 6-Core Processor", 8: "AMD Ryzen 7 9700X 8-Core Processor",
			12: "AMD Ryzen 9 9900X 12-Core Processor"}[n], "AuthenticAMD"
		m.bandwidth, m.dramNs = r.Between(56, 70), r.Between(76, 95)
		m.uncore, m.trip, m.memTotal = 18, 95, 64<<30
	case neoverse:
		add(simulate.Pick(r, 8, 12, 16), &v2)
		m.model, m.vendor = "Neoverse-V2", "ARM"
		m.bandwidth, m.dramNs = r.Between(95, 140), r.Between(110, 135)
		m.uncore, m.trip, m.memTotal = 30, 105, 64<<30
	case board:
		add(4, &a76)
		m.model, m.vendor = "Cortex-A76", "ARM"
		m.bandwidth, m.dramNs = r.Between(9, 13), r.Between(120, 150)
		m.uncore, m.trip, m.memTotal = 1.2, 85, 8<<30
		if r.Chance(0.5) {
			m.policy = utilisation
		}
	}
	m.memFree = m.memTotal * r.Between(0.3, 0.85)
	// Without a plant there is room for all cores at the highest clock, with little to spare.
	full := m.uncore
	for _, d := range m.cpus {
		full += d.watts
	}
	m.budget = full * r.Between(1.05, 1.4)
	m.degrees = (m.trip - m.ambient) * r.Between(0.55, 0.85) / full
	m.start = m.ambient + full*m.degrees*r.Between(0.4, 0.8)
	m.ceiling = 1
	return m
}

// hot makes the machine one whose cooling takes away what a share of the highest clock makes; busy is how many CPUs work.
func (m *machine) hot(share float64, busy int, heat float64) {
	m.degrees = (m.trip - m.ambient) / m.wattsAt(share, busy, heat)
	m.start, m.plantThermal = m.trip-0.2, share
	m.budget *= 2
}

// starve makes the machine one whose power budget is what a share of the highest clock takes.
func (m *machine) starve(share float64, busy int, heat float64) {
	m.budget, m.plantPower = m.wattsAt(share, busy, heat), share
	m.start = m.ambient + (m.trip-m.ambient)*0.6
	m.degrees = (m.trip - m.ambient) * 0.65 / m.budget
}

// wattsAt is the power of the first busy CPUs at a share of their highest clock.
func (m *machine) wattsAt(share float64, busy int, heat float64) float64 {
	sum := m.uncore
	for i, d := range m.cpus {
		if i < busy {
			sum += d.power(share, heat)
		} else {
			sum += d.watts * idlePower
		}
	}
	return sum
}

// Voltage follows the clock, so that power grows with more than its square.
const (
	powerExponent = 2.6
	idlePower     = 0.03
)

func (d *design) power(share, heat float64) float64 {
	return d.watts * heat * (0.12 + 0.88*power26(share))
}

// slow reports whether the CPU is not of the fastest kind.
func (m *machine) slow(cpu int) bool { return m.cpus[cpu] != m.cpus[0] }

// unit is the kernel's name for the counters of a CPU.
func (m *machine) unit(cpu int) string {
	switch {
	case m.kind == hybrid && m.slow(cpu):
		return "cpu_atom"
	case m.kind == hybrid:
		return "cpu_core"
	case m.kind == desktop:
		return "cpu"
	case m.kind == board:
		return "armv8_cortex_a76"
	}
	return "armv8_pmuv3_0"
}

func (m *machine) String() string { return fmt.Sprintf("%d CPUs of %s", len(m.cpus), m.model) }
