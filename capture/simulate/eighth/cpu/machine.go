package cpu

import "astrolabe/capture/simulate"

// pmu says which events a machine's cores offer.
type pmu uint8

const (
	pmuNone  pmu = iota // a virtual machine without hardware events
	pmuSlots            // Intel since Ice Lake: its own account of all slots
	pmuIssue            // Intel before: events by issue
	pmuZen              // AMD since Zen 4: slots to dispatch in
	pmuZen2             // AMD before: stalled cycles of the front end
	pmuArm              // stalled cycles of both ends
)

// class is one kind of core.
type class struct {
	name          string
	width, window float64 // slots of a cycle; operations in flight
	depth         float64 // cycles from a wrong guess to the first operation of the right path
	l1i, l1d, l2  float64 // bytes; of a shared L2 the core's part
	l2Cycles      float64
	fill          float64 // misses of L1 that can be under way
	highest       float64 // GHz
	lowest        float64
	watts         float64 // of a core at its highest clock with a full pipeline
}

// machine is a computer.
type machine struct {
	vendor, model string
	pmu           pmu
	classes       []class
	cpus          []place
	llc           float64 // bytes
	llcNs, memNs  float64 // latencies from the core
	bandwidth     float64 // bytes/ns that memory gives at most
	idleWatts     float64
	governed      float64 // share of the highest clock that a policy allows; 1 usually
	schedutil     bool    // the clock follows the load
	limit         float64 // W that firmware allows; 0 is no limit
	heat          *heat
	steal         float64 // share of each CPU that the host takes
	zones         string
}

type place struct{ class, cluster, sibling int } // sibling is -1 without a second thread

type heat struct{ start, ambient, trip, perWatt, time float64 }

const kb, mb = 1024.0, 1024.0 * 1024

// model is a machine that can be bought; cores and channels are drawn within what is sold.
type model struct {
	vendor, name  string
	pmu           pmu
	classes       []class
	cores         [][2]int // least and most, per class
	smt           bool
	llcPerCore    float64
	llcNs, memNs  float64
	bandwidth     float64 // theoretical peak in bytes/ns
	idle, limit   float64 // W; limit per core of the first class
	schedutil     bool
	mobile        bool // heat limits it before power does
	perWattSpread float64
}

var (
	golden    = class{"Golden Cove", 6, 512, 17, 32 * kb, 48 * kb, 1280 * kb, 15, 16, 4.9, 0.8, 16}
	skylake   = class{"Skylake", 4, 224, 16, 32 * kb, 32 * kb, 256 * kb, 12, 12, 4.2, 0.8, 15}
	gracemont = class{"Gracemont", 5, 256, 13, 64 * kb, 32 * kb, 512 * kb, 17, 12, 3.4, 0.8, 4}
	zen3      = class{"Zen 3", 6, 256, 13, 32 * kb, 32 * kb, 512 * kb, 12, 24, 4.7, 2.2, 13}
	zen4      = class{"Zen 4", 6, 320, 13, 32 * kb, 32 * kb, 1024 * kb, 14, 24, 5.2, 0.5, 14}
	n1        = class{"Neoverse N1", 4, 128, 11, 64 * kb, 64 * kb, 1024 * kb, 11, 20, 2.6, 1, 2.5}
	v1        = class{"Neoverse V1", 8, 256, 12, 64 * kb, 64 * kb, 1024 * kb, 11, 32, 2.6, 1, 4}
	a76       = class{"Cortex-A76", 4, 128, 11, 64 * kb, 64 * kb, 512 * kb, 9, 20, 2.4, 0.4, 1.5}
	a55       = class{"Cortex-A55", 2, 8, 8, 32 * kb, 32 * kb, 128 * kb, 7, 3, 1.8, 0.4, 0.35}
)

var models = []model{
	{"GenuineIntel", "12th Gen Intel Core", pmuSlots, []class{golden}, [][2]int{{4, 8}}, true, 3 * mb, 15, 88, 76.8, 8,
		9.5, false, false, 0.3},
	{"GenuineIntel", "Intel Xeon, Sapphire Rapids", pmuSlots, []class{golden}, [][2]int{{6, 8}}, true, 1.875 * mb, 26, 112, 70, 20,
		8, false, false, 0.15},
	{"GenuineIntel", "Intel Core, Skylake", pmuIssue, []class{skylake}, [][2]int{{4, 4}}, true, 2 * mb, 10, 70, 34.1, 4, 11,
		true, false, 0.5},
	{"GenuineIntel", "Intel N100", pmuSlots, []class{gracemont}, [][2]int{{4, 4}}, false, 1.5 * mb, 17, 100, 38.4, 2, 2.2,
		true, true, 2},
	{"AuthenticAMD", "AMD Ryzen 7 5800", pmuZen2, []class{zen3}, [][2]int{{6, 8}}, true, 4 * mb, 10, 78, 51.2, 14, 8.5, true,
		false, 0.3},
	{"AuthenticAMD", "AMD Ryzen 7 7700", pmuZen, []class{zen4}, [][2]int{{6, 8}}, true, 4 * mb, 10, 80, 83.2, 16, 8, true,
		false, 0.35},
	{"AuthenticAMD", "AMD EPYC, Genoa", pmuZen, []class{zen4}, [][2]int{{8, 12}}, true, 4 * mb, 12, 108, 76.8, 25, 7, false,
		false, 0.12},
	{"ARM", "Ampere Altra", pmuArm, []class{n1}, [][2]int{{8, 16}}, false, 1 * mb, 30, 105, 60, 15, 3, false, false, 0.15},
	{"ARM", "AWS Graviton3", pmuArm, []class{v1}, [][2]int{{4, 16}}, false, 1 * mb, 28, 110, 75, 15, 5, false, false, 0.1},
	{"ARM", "Rockchip RK3588", pmuArm, []class{a76, a55}, [][2]int{{4, 4}, {4, 4}}, false, 0.75 * mb, 14, 130, 34.1, 0.8, 1.7,
		true, true, 6},
	{"ARM", "Broadcom BCM2712", pmuArm, []class{a76}, [][2]int{{4, 4}}, false, 0.5 * mb, 14, 125, 17.1, 1.2, 1.8, true, true,
		7},
}

// efficiency is what of the peak bandwidth programs reach at most, by STREAM on such machines.
var efficiency = [2]float64{0.62, 0.85}

// newMachine draws a machine. stress says what holds its clocks down, if anything may.
func newMachine(r simulate.Random, virtual bool) *machine {
	mo := models[r.IntN(len(models))]
	if virtual {
		for mo.mobile || mo.schedutil && mo.vendor != "AuthenticAMD" {
			mo = models[r.IntN(len(models))]
		}
	}
	m := &machine{vendor: mo.vendor, model: mo.name, pmu: mo.pmu, llcNs: mo.llcNs * r.Between(0.92, 1.1),
		memNs: mo.memNs * r.Between(0.92, 1.15), idleWatts: mo.idle, governed: 1, zones: "x86_pkg_temp"}
	cores := 0
	for k, c := range mo.classes {
		c.highest *= r.Between(0.9, 1.04)
		m.classes = append(m.classes, c)
		n := r.Whole(mo.cores[k][0], mo.cores[k][1])
		cores += n
		for i := range n {
			p := place{k, k, -1}
			if mo.smt && !virtual {
				p.sibling = n + i
			}
			m.cpus = append(m.cpus, p)
		}
		if mo.smt && !virtual {
			for i := range n {
				m.cpus = append(m.cpus, place{k, k, i})
			}
		}
	}
	m.llc = mo.llcPerCore * float64(cores)
	m.bandwidth = mo.bandwidth * r.Between(efficiency[0], efficiency[1])
	if virtual {
		m.pmu, m.model, m.cpus, m.zones = pmuNone, "QEMU Virtual CPU", m.cpus[:min(len(m.cpus), r.Whole(2, 8))], ""
		m.bandwidth *= r.Between(0.3, 1)
		m.llc *= r.Between(0.3, 1)
		if r.Chance(0.4) {
			m.steal = r.Log(0.02, 0.5)
		}
		return m
	}
	if mo.vendor == "ARM" {
		m.zones = "soc-thermal"
	}
	m.schedutil = mo.schedutil && r.Chance(0.6)
	if r.Chance(0.07) {
		m.governed = r.Between(0.45, 0.85) // a powersave policy, or a laptop without its charger
	}
	full := float64(cores)*m.classes[0].watts + m.idleWatts
	m.limit = (mo.limit*float64(cores) + m.idleWatts) * r.Between(0.75, 1.5)
	// Fans are chosen so that the limit of power comes first; those without a fan are heated by what they use.
	trip := r.Between(85, 100)
	cool := (trip - 30) / (m.limit * r.Between(0.95, 1.7))
	if mo.mobile {
		cool = (trip - 30) / (full * r.Between(0.35, 1.5))
		m.limit *= 1.6
	}
	m.heat = &heat{start: trip - r.Between(1, 25), ambient: 30, trip: trip, perWatt: cool, time: r.Between(1e9, 6e9)}
	return m
}
