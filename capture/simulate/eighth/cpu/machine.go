package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// pmu says which events a machine's cores offer.
type pmu uint8

const (
	pmuNone  pmu = iota // a virtual machine without hardware events
	pmuSlots            // Intel since Ice Lake: the core's own account of all slots
	pmuIssue            // Intel before: events by issue
	pmuZen              // AMD since Zen 4: slots to dispatch in
	pmuZen2             // AMD before: stalled cycles of the front end
	pmuArm              // stalled cycles of both ends
)

// class is one kind of core.
type class struct {
	width, window   float64 // slots of a cycle; operations in flight
	depth           float64 // cycles from a wrong guess to the first operation of the right path
	l1i, l1d, l2    float64 // KiB; of a shared L2 the core's part
	l2Cycles        float64
	fill            float64 // misses of L1 that can be under way
	highest, lowest float64 // GHz
	watts           float64 // of a core at its highest clock with a full pipeline
}

var (
	golden    = class{6, 512, 17, 32, 48, 1280, 15, 16, 4.9, 0.8, 16}
	skylake   = class{4, 224, 16, 32, 32, 256, 12, 12, 4.2, 0.8, 15}
	gracemont = class{5, 256, 13, 64, 32, 512, 17, 12, 3.4, 0.8, 4}
	zen3      = class{6, 256, 13, 32, 32, 512, 12, 24, 4.7, 2.2, 13}
	zen4      = class{6, 320, 13, 32, 32, 1024, 14, 24, 5.2, 0.5, 14}
	n1        = class{4, 128, 11, 64, 64, 1024, 11, 20, 2.6, 1, 2.5}
	v1        = class{8, 256, 12, 64, 64, 1024, 11, 32, 2.6, 1, 4}
	a76       = class{4, 128, 11, 64, 64, 512, 9, 20, 2.4, 0.4, 1.5}
	a55       = class{2, 8, 8, 32, 32, 128, 7, 3, 1.8, 0.4, 0.35} // in order
)

// model is a computer as it is sold.
type model struct {
	vendor, name string
	pmu          pmu
	classes      []class
	cores        [2]int // least and most of each class, as sold
	smt          bool
	llc          float64 // KiB; in the table for each core
	llcNs, memNs float64 // latencies from the core
	bandwidth    float64 // bytes/ns; in the table the bus's peak
	idle, limit  float64 // W; in the table the limit is for each core. 0 is none
	schedutil    bool    // the clock may follow the load
	mobile       bool    // heat limits it before power does
}

// machine is one of a model: what the table gives for each core is that of all.
type machine struct {
	model
	cpus                          []place
	governed                      float64 // share of the highest clock that a policy allows; 1 usually
	start, trip, perWatt, inertia float64 // °C at first and where throttling begins; °C/W; ns
	steal                         float64 // share of each CPU that a host takes
}

type place struct{ class, sibling int } // sibling is -1 without a second thread

const ambient = 30 // °C

var models = []model{
	{"GenuineIntel", "12th Gen Intel Core", pmuSlots, []class{golden}, [2]int{4, 8}, true, 3072, 15, 88, 76.8, 8, 9.5, false, false},
	{"GenuineIntel", "Intel Xeon, 4th generation", pmuSlots, []class{golden}, [2]int{6, 8}, true, 1920, 26, 112, 70, 20, 8, false, false},
	{"GenuineIntel", "Intel Core, Skylake", pmuIssue, []class{skylake}, [2]int{4, 4}, true, 2048, 10, 70, 34.1, 4, 11, false, false},
	{"GenuineIntel", "Intel N100", pmuSlots, []class{gracemont}, [2]int{4, 4}, false, 1536, 17, 100, 38.4, 2, 2.2, false, true},
	{"AuthenticAMD", "AMD Ryzen 7 5800", pmuZen2, []class{zen3}, [2]int{6, 8}, true, 4096, 10, 78, 51.2, 14, 8.5, true, false},
	{"AuthenticAMD", "AMD Ryzen 7 7700", pmuZen, []class{zen4}, [2]int{6, 8}, true, 4096, 10, 80, 83.2, 16, 8, true, false},
	{"AuthenticAMD", "AMD EPYC 9004", pmuZen, []class{zen4}, [2]int{8, 12}, true, 4096, 12, 108, 76.8, 25, 7, false, false},
	{"ARM", "Ampere Altra", pmuArm, []class{n1}, [2]int{8, 16}, false, 1024, 30, 105, 60, 15, 3, false, false},
	{"ARM", "AWS Graviton3", pmuArm, []class{v1}, [2]int{4, 16}, false, 1024, 28, 110, 75, 15, 5, false, false},
	{"ARM", "Rockchip RK3588", pmuArm, []class{a76, a55}, [2]int{4, 4}, false, 384, 14, 130, 34.1, 0.8, 1.7, true, true},
	{"ARM", "Broadcom BCM2712", pmuArm, []class{a76}, [2]int{4, 4}, false, 512, 14, 125, 17.1, 1.2, 1.8, true, true},
}

// newMachine draws a machine; a free one is not held by heat, power or a policy.
func newMachine(r simulate.Random, virtual, free bool) *machine {
	m := machine{model: models[r.IntN(len(models))]}
	for virtual && (m.mobile || m.pmu == pmuIssue) {
		m.model = models[r.IntN(len(models))]
	}
	cores := 0
	m.classes = append([]class(nil), m.classes...)
	for k := range m.classes {
		m.classes[k].highest = math.Round(10*m.classes[k].highest*r.Between(0.9, 1.04)) / 10 // as sold
		n := r.Whole(m.cores[0], m.cores[1])
		cores += n
		for i := range n {
			m.cpus = append(m.cpus, place{k, -1})
			if m.smt && !virtual {
				m.cpus[i].sibling = n + i
			}
		}
		for i := 0; i < n && m.smt && !virtual; i++ {
			m.cpus = append(m.cpus, place{k, i})
		}
	}
	m.llc *= float64(cores)
	m.llcNs, m.memNs = m.llcNs*r.Between(0.92, 1.1), m.memNs*r.Between(0.92, 1.15)
	m.bandwidth *= r.Between(0.62, 0.85) // what STREAM reaches
	m.schedutil = m.schedutil && r.Chance(0.5)
	m.governed, m.trip, m.inertia = 1, r.Between(85, 100), r.Between(0.4e9, 3e9)
	if virtual {
		m.pmu, m.name, m.cpus, m.schedutil = pmuNone, "QEMU Virtual CPU", m.cpus[:min(len(m.cpus), r.Whole(2, 8))], false
		m.bandwidth *= r.Between(0.3, 1) // neighbours use the rest
		m.llc *= r.Between(0.3, 1)
		if !free && r.Chance(0.4) {
			m.steal = r.Log(0.02, 0.5)
		}
	}
	full := m.full()
	limit := (m.limit*float64(cores) + m.idle) * r.Log(0.45, 1.5)
	if m.limit = 0; free || virtual {
		m.start, m.perWatt = m.trip-r.Between(20, 40), (m.trip-ambient)/full/r.Between(1.3, 2)
		return &m
	}
	// Fans are chosen so that the limit of power comes first; those without a fan are heated by what they use.
	m.limit, m.perWatt, m.start = limit, (m.trip-ambient)/(limit*r.Between(0.95, 1.7)), m.trip-r.Between(0, 8) // it has run for a while
	if m.mobile {
		m.limit, m.perWatt = 1.6*limit, (m.trip-ambient)/(full*r.Between(0.35, 1.5))
	}
	if r.Chance(0.05) {
		m.governed = r.Between(0.45, 0.85) // a policy of saving power, or a laptop without its charger
	}
	return &m
}

// own is how many cores there are.
func (m *machine) own() (n int) {
	for i, c := range m.cpus {
		if c.sibling < 0 || c.sibling > i {
			n++
		}
	}
	return n
}

// full is what all cores take together at their highest clocks.
func (m *machine) full() float64 { return m.classes[0].watts*float64(m.own()) + m.idle }
