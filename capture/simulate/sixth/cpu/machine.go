package cpu

import (
	"fmt"

	"astrolabe/capture/simulate"
)

// events says which events the kernel has for a core, and what they count there.
type events uint8

const (
	intelMetrics events = iota // from Ice Lake on: a register of slots, by what became of them
	intelSlots                 // Skylake: slots from events of issue and retirement
	zenOld                     // Zen 2 and 3: none of slots
	zenSlots                   // from Zen 4 on: slots to dispatch in
	armPMU                     // PMUv3
)

// core is a kind of core.
type core struct {
	events  events
	width   float64 // slots in a cycle
	penalty float64 // cycles that a wrong guess takes until operations arrive again
	find    float64 // how much of a program's parallelism it finds, by its window; 1 is that of Skylake
	lines   float64 // cache lines that it can have on their way
	hide    float64 // share of an L2 hit that it does not wait for
	l2      float64 // cycles of an L2 hit
	hz      float64 // highest clock
	watts   float64 // at that clock, always busy
}

// site is a CPU as the kernel lists it.
type site struct {
	cluster int
	sibling int // the other thread of its core, -1 for none
}

// cluster is CPUs that share a clock.
type cluster struct {
	core core
	cpus []int
}

// disk is a device that reads and writes.
type disk struct {
	name  string
	ns    float64 // that an access takes by itself
	slots int     // accesses that it serves at a time
	bytes float64 // in a ns
}

// machine is what a program runs on.
type machine struct {
	model, vendor string
	clusters      []cluster
	sites         []site
	llc           float64 // bytes
	llcNs, dramNs float64 // of a hit and of a miss there
	bandwidth     float64 // bytes in a ns that are reached, not the peak
	disk          disk
	clock         clockRule
	kernel        string
	tick          float64 // ns between two ticks of the scheduler
	switchNs      float64 // of a switch to another task
	wakeNs        float64 // until an idle core runs again
	guest         bool    // a virtual machine
	steal         float64 // share of busy time that its host takes
	pressure      bool    // the kernel tells of stalls
	phone         bool
	memory        float64 // bytes
}

// model is a machine before a case's draw.
type model struct {
	name, vendor  string
	parts         []modelPart
	smt           bool
	llc           float64 // MiB per 8 cores
	llcNs, dramNs float64
	bandwidth     float64 // GB/s of the peak per 8 cores of a big machine, or of all of a small one
	least, most   int     // cores of the first part
	server, phone bool
	allCore       float64 // clock with all cores busy, as a share of the highest
	watts         float64 // of the package's limit per core, 0 for none
	throttle      float64 // °C
}

type modelPart struct {
	core  core
	count int // cores; 0 is drawn
}

// models are real machines; numbers are listed with their sources in doc.go.
var models = []model{
	{name: "Intel Xeon Platinum 8375C", vendor: "GenuineIntel", smt: true, llc: 12, llcNs: 24, dramNs: 92, bandwidth: 51,
		least: 2, most: 12, server: true, allCore: 0.88, watts: 9.4,
		parts: []modelPart{{core{intelMetrics, 5, 17, 1.25, 24, 0.72, 14, 3.5e9, 9}, 0}}},
	{name: "Intel Xeon Platinum 8488C", vendor: "GenuineIntel", smt: true, llc: 15, llcNs: 33, dramNs: 115, bandwidth: 51,
		least: 2, most: 12, server: true, allCore: 0.84, watts: 8,
		parts: []modelPart{{core{intelMetrics, 6, 17, 1.4, 30, 0.75, 15, 3.8e9, 9}, 0}}},
	{name: "Intel Core i7-9700", vendor: "GenuineIntel", llc: 12, llcNs: 11, dramNs: 62, bandwidth: 42,
		least: 4, most: 8, allCore: 0.95, watts: 12,
		parts: []modelPart{{core{intelSlots, 4, 16, 1, 16, 0.7, 12, 4.7e9, 17}, 0}}},
	{name: "Intel Xeon Gold 6248", vendor: "GenuineIntel", smt: true, llc: 11, llcNs: 21, dramNs: 85, bandwidth: 56,
		least: 4, most: 10, server: true, allCore: 0.82, watts: 7.5,
		parts: []modelPart{{core{intelSlots, 4, 16, 1, 16, 0.7, 14, 3.9e9, 9}, 0}}},
	{name: "Intel Core i5-12500", vendor: "GenuineIntel", smt: true, llc: 24, llcNs: 15, dramNs: 82, bandwidth: 70,
		least: 6, most: 6, allCore: 0.89, watts: 11, throttle: 100,
		parts: []modelPart{{core{intelMetrics, 6, 17, 1.4, 28, 0.75, 15, 4.6e9, 16}, 0}}},
	{name: "AMD Ryzen 9 5900X", vendor: "AuthenticAMD", smt: true, llc: 32, llcNs: 11, dramNs: 76, bandwidth: 51,
		least: 4, most: 8, allCore: 0.92, watts: 11, throttle: 90,
		parts: []modelPart{{core{zenOld, 6, 13, 1.2, 24, 0.72, 12, 4.8e9, 14}, 0}}},
	{name: "AMD EPYC 9R14", vendor: "AuthenticAMD", llc: 32, llcNs: 16, dramNs: 118, bandwidth: 50,
		least: 4, most: 16, server: true, allCore: 0.95, watts: 5.5,
		parts: []modelPart{{core{zenSlots, 6, 13, 1.3, 28, 0.74, 14, 3.7e9, 6}, 0}}},
	{name: "AMD Ryzen 7 7700", vendor: "AuthenticAMD", smt: true, llc: 32, llcNs: 10, dramNs: 78, bandwidth: 76,
		least: 4, most: 8, allCore: 0.93, watts: 9, throttle: 95,
		parts: []modelPart{{core{zenSlots, 6, 13, 1.3, 28, 0.74, 14, 5.3e9, 13}, 0}}},
	{name: "AMD Ryzen 9 9950X", vendor: "AuthenticAMD", smt: true, llc: 32, llcNs: 9, dramNs: 80, bandwidth: 80,
		least: 4, most: 8, allCore: 0.92, watts: 11, throttle: 95,
		parts: []modelPart{{core{zenSlots, 8, 14, 1.5, 32, 0.76, 14, 5.7e9, 15}, 0}}},
	{name: "Neoverse-N1", vendor: "ARM", llc: 8, llcNs: 27, dramNs: 98, bandwidth: 26, least: 4, most: 16,
		server: true, allCore: 1, parts: []modelPart{{core{armPMU, 4, 11, 0.95, 20, 0.68, 11, 2.5e9, 2.5}, 0}}},
	{name: "Neoverse-V2", vendor: "ARM", llc: 8, llcNs: 30, dramNs: 112, bandwidth: 45, least: 4, most: 16,
		server: true, allCore: 1, parts: []modelPart{{core{armPMU, 8, 12, 1.4, 32, 0.74, 10, 2.8e9, 3.5}, 0}}},
	{name: "Snapdragon 888", vendor: "Qualcomm", llc: 4, llcNs: 16, dramNs: 125, bandwidth: 34, phone: true, allCore: 1,
		throttle: 85, watts: 0.75, parts: []modelPart{{core{armPMU, 2, 8, 0.6, 4, 0.2, 9, 1.8e9, 0.35}, 4},
			{core{armPMU, 6, 11, 1.05, 16, 0.68, 11, 2.42e9, 1.3}, 3}, {core{armPMU, 8, 11, 1.25, 24, 0.72, 11, 2.84e9, 3.2}, 1}}},
	{name: "Dimensity 8100", vendor: "MediaTek", llc: 4, llcNs: 17, dramNs: 130, bandwidth: 36, phone: true, allCore: 1,
		throttle: 80, watts: 0.9, parts: []modelPart{{core{armPMU, 2, 8, 0.6, 4, 0.2, 9, 2.0e9, 0.4}, 4},
			{core{armPMU, 6, 11, 1.05, 16, 0.68, 11, 2.85e9, 1.8}, 4}}},
	{name: "Cortex-A76 (RK3588)", vendor: "Rockchip", llc: 3, llcNs: 19, dramNs: 140, bandwidth: 20, phone: true,
		allCore: 1, throttle: 80, watts: 0.75, parts: []modelPart{{core{armPMU, 2, 8, 0.6, 4, 0.2, 9, 1.8e9, 0.4}, 4},
			{core{armPMU, 4, 11, 0.95, 14, 0.65, 11, 2.4e9, 1.7}, 4}}},
}

// disks are devices that a machine may have; those of phones stand last.
var disks = []disk{
	{"NVMe", 80e3, 48, 3.2}, {"NVMe", 65e3, 64, 6.5}, {"SATA SSD", 140e3, 12, 0.52}, {"disk", 6.2e6, 1, 0.19},
	{"cloud disk", 650e3, 16, 0.25}, {"cloud disk", 480e3, 24, 0.6}, {"UFS 3.1", 130e3, 16, 1.6}, {"eMMC", 280e3, 4, 0.25},
}

// newMachine draws a machine. clock, if not drawn, is what holds its clock.
func newMachine(r simulate.Random, clock clockHold) *machine {
	all := models
	if clock == heldByHeat { // servers are cooled
		all = nil
		for _, m := range models {
			if m.throttle > 0 {
				all = append(all, m)
			}
		}
	}
	if clock == heldByPower {
		all = nil
		for _, m := range models {
			if m.watts > 0 {
				all = append(all, m)
			}
		}
	}
	b := simulate.Pick(r, all...)
	m := &machine{model: b.name, vendor: b.vendor, phone: b.phone, kernel: simulate.Pick(r, "5.10", "5.15", "6.1", "6.6", "6.12")}
	cores := 0
	for _, p := range b.parts {
		n := p.count
		if n == 0 {
			n = r.Whole(b.least, b.most)
		}
		cores += n
		c := cluster{core: p.core}
		c.core.watts *= r.Between(0.85, 1.15)
		for range n {
			c.cpus = append(c.cpus, len(m.sites))
			m.sites = append(m.sites, site{len(m.clusters), -1})
		}
		m.clusters = append(m.clusters, c)
	}
	m.guest = b.server && r.Chance(0.4) && clock != heldByPower
	if b.smt && r.Chance(0.75) {
		// Second threads have the numbers behind all first ones, as Linux lists them on x86.
		for i := range cores {
			k := m.sites[i].cluster
			m.clusters[k].cpus = append(m.clusters[k].cpus, len(m.sites))
			m.sites[i].sibling = len(m.sites)
			m.sites = append(m.sites, site{k, i})
		}
	}
	eighths := 1.0
	if b.server {
		eighths = float64(cores) / 8
	}
	m.llc = b.llc * eighths * (1 << 20) * r.Between(0.85, 1.1)
	m.llcNs, m.dramNs = b.llcNs*r.Between(0.95, 1.1), b.dramNs*r.Between(0.95, 1.12)
	m.bandwidth = b.bandwidth * eighths * r.Between(0.72, 0.86)
	if m.guest {
		// What a guest has of the last level and of memory depends on its neighbours.
		m.llc *= r.Between(0.6, 1.2)
		m.bandwidth *= r.Between(0.7, 1.3)
		if r.Chance(0.35) {
			m.steal = r.Log(0.004, 0.12)
		}
	}
	switch {
	case b.phone:
		m.disk = disks[6+r.IntN(2)]
	case m.guest:
		m.disk = disks[4+r.IntN(2)]
	default:
		m.disk = disks[r.IntN(4)]
	}
	m.disk.ns *= r.Between(0.8, 1.3)
	m.disk.bytes *= r.Between(0.8, 1.1)
	m.tick = 1e9 / simulate.Pick(r, 250.0, 250, 1000, 100)
	m.switchNs, m.wakeNs = r.Between(1200, 2600), r.Log(4e3, 60e3)
	if b.phone {
		m.switchNs, m.wakeNs = r.Between(3e3, 7e3), r.Log(30e3, 250e3)
	}
	m.pressure = r.Chance(0.75)
	m.memory = float64(cores) * simulate.Pick(r, 2.0, 4, 8) * (1 << 30)
	m.clock = newClockRule(r, &b, m, clock)
	return m
}

// name describes the machine in a few words.
func (m *machine) name() string {
	s := fmt.Sprintf("%s, %d CPUs", m.model, len(m.sites))
	if m.guest {
		s += ", guest"
	}
	return s + ", " + m.disk.name
}

// coreOf is the kind of core that a CPU is of.
func (m *machine) coreOf(cpu int) *core { return &m.clusters[m.sites[cpu].cluster].core }
