package cpu

import "astrolabe/capture/simulate"

// coreKind is one design of core. Times are in ns and rates in GHz.
type coreKind struct {
	name     string
	width    float64 // operations per cycle at most
	max, min float64 // GHz
	flush    float64 // cycles that a wrong guess costs
	fetch    float64 // cycles that a miss of the instruction cache costs
	l2       float64 // cycles from the second cache
	l3       float64 // ns from the last cache
	pull     float64 // GB/s that one core can take from memory
	watts    float64 // of one busy core at its highest clock, with code of mean activity
}

// group is a row of CPUs of one design, which share a clock.
type group struct {
	kind  coreKind
	cpus  int
	block string // name of the counter unit in sysfs
}

// machine is what a program runs on.
type machine struct {
	family  string // "hybrid", "zen5", "v2", "a76"
	model   string
	vendor  string
	driver  string
	groups  []group
	cpuOf   []int   // by CPU: its group
	memory  float64 // GB/s that programs reach
	latency float64 // ns of an access that memory answers, with nothing else under way
	ram     float64 // bytes
	idle    float64 // watts of all that isn't a core
	zones   []string
	hz      float64 // of the kernel's scheduler
	events  int     // hardware events that fit beside the clock's
	nominal float64 // GHz of the reference clock

	// What may hold the clock.
	governor string  // "performance", "follows" the load, "capped"
	cap      float64 // share of the highest that "capped" allows
	limit    float64 // watts that the package may take
	hot      float64 // degrees at which it slows down
	ambient  float64
	cooling  float64 // degrees per watt
	inertia  float64 // ns of the time constant of the die and its plate
	hybrid   bool
}

func (m *machine) cpus() int { return len(m.cpuOf) }

// Kernels of Neoverse V2: in a virtual machine, which has no sensors, and on the metal.
const (
	guest = "Linux 6.8.0-1025-aws"
	metal = "Linux 6.8.0-1025-nvidia-64k"
)

// drawMachine draws one of the machines.
func drawMachine(r simulate.Random) *machine {
	m := &machine{governor: "performance", cap: 1, limit: 1e9, inertia: 9e7, ambient: r.Between(28, 42), hz: 250}
	switch r.IntN(4) {
	case 0:
		m.family, m.vendor, m.hybrid, m.hz = "hybrid", "GenuineIntel", true, 1000
		m.driver = "Linux 6.1" + simulate.Pick(r, "2.31-generic", "4.0-29-generic", "7.4")
		p := coreKind{"P", 8, 4.8, 0.4, 19, 24, 17, 19, 38, 9}
		e := coreKind{"E", 8, 3.7, 0.4, 16, 20, 19, 24, 22, 3}
		switch r.IntN(2) {
		case 0:
			m.model = "Intel(R) Core(TM) Ultra 7 258V"
			m.groups = []group{{p, 4, "cpu_core"}, {e, 4, "cpu_atom"}}
			m.memory, m.latency, m.ram, m.nominal = r.Between(90, 102), r.Between(98, 112), 33e9, 3.3
		default:
			p.max, e.max = 5.3, 4.5
			m.model = "Intel(R) Core(TM) Ultra 7 265H"
			m.groups = []group{{p, 6, "cpu_core"}, {e, 8, "cpu_atom"}}
			m.memory, m.latency, m.ram, m.nominal = r.Between(72, 84), r.Between(104, 122), 33e9, 2.2
		}
		m.idle, m.hot = 4, 100
		m.zones, m.events = []string{"x86_pkg_temp", "acpitz"}, 8
	case 1:
		m.family, m.vendor = "zen5", "AuthenticAMD"
		m.driver = "Linux 6." + simulate.Pick(r, "12.10", "14.6-arch1-1", "17.9")
		z := coreKind{"Zen 5", 8, 5.5, 0.6, 15, 18, 14, 9.5, 48, 13}
		n := 8
		m.model = "AMD Ryzen 7 9700X 8-Core Processor"
		if r.Chance(0.4) {
			n, z.max, m.model = 6, 5.4, "AMD Ryzen 5 9600X 6-Core Processor"
		}
		m.groups = []group{{z, n, "cpu"}}
		m.memory, m.latency, m.ram, m.nominal = r.Between(56, 66), r.Between(74, 88), 33e9, 3.8
		m.idle, m.hot = 18, 95
		m.zones, m.events = nil, 6
	case 2:
		m.family, m.vendor = "v2", "ARM"
		m.driver = guest
		if r.Chance(0.5) {
			m.driver, m.zones = metal, []string{"acpitz"}
		}
		v := coreKind{"Neoverse V2", 8, 3.0, 1.0, 12, 16, 11, 26, 26, 4}
		v.max = r.Between(2.7, 3.4)
		v.max = float64(int(v.max*10)) / 10
		n := simulate.Pick(r, 8, 16)
		m.model = "Neoverse-V2"
		m.groups = []group{{v, n, "armv8_pmuv3_0"}}
		m.memory, m.latency, m.ram = float64(n)*r.Between(6, 9), r.Between(105, 135), float64(n)*4.1e9
		m.idle, m.hot, m.events = 12, 95, 6
	default:
		m.family, m.vendor = "a76", "ARM"
		m.driver = "Linux 6.12." + simulate.Pick(r, "25+rpt-rpi-2712", "34-v8-16k+")
		a := coreKind{"Cortex-A76", 4, 2.4, 1.5, 11, 14, 11, 20, 9, 1.9}
		m.model = "Cortex-A76"
		m.groups = []group{{a, 4, "armv8_cortex_a76"}}
		m.memory, m.latency, m.ram = r.Between(9, 12), r.Between(125, 150), 8.3e9
		m.idle, m.hot, m.events = 1.6, 80, 6
		m.zones = []string{"cpu-thermal"}
	}
	for g := range m.groups {
		for range m.groups[g].cpus {
			m.cpuOf = append(m.cpuOf, g)
		}
	}
	// Cooling that holds everything at its highest, unless a case wants otherwise.
	m.cooling = 0.8 * (m.hot - m.ambient) / m.most()
	if m.family != "v2" && r.Chance(0.5) {
		m.governor = "follows"
	}
	return m
}

// most is the power of all cores at their highest clock.
func (m *machine) most() float64 {
	p := m.idle
	for _, g := range m.groups {
		p += float64(g.cpus) * g.kind.watts
	}
	return p
}

// draw is the power of so many busy cores of the first kinds at their highest clock.
func (m *machine) draw(busy int) float64 {
	p := m.idle
	for c := range min(busy, m.cpus()) {
		p += m.groups[m.cpuOf[c]].kind.watts
	}
	return p
}

// kind is the design of a CPU.
func (m *machine) kind(cpu int) *coreKind { return &m.groups[m.cpuOf[cpu]].kind }
