package cpu

import "astrolabe/capture/simulate"

// code is what a stretch of a program asks of a core, per instruction. It is made so that its parts take given shares
// of the time on one design of core; others run it with their own penalties.
type code struct {
	name     string
	ops      float64 // operations
	pace     float64 // operations per cycle that its dependencies and units allow, as a share of the width
	loads    float64
	stores   float64
	branches float64
	wrong    float64 // branches that are guessed wrongly
	decode   float64 // cycles in which nothing is decoded, without a miss
	fetches  float64 // misses of the instruction cache
	l1       float64 // misses of the first data cache that the second serves: hidden
	l2       float64 // loads that the last cache serves
	dram     float64 // loads that memory serves
	atOnce   float64 // loads under way together
	stream   float64 // bytes that are fetched ahead, and written
	pages    float64 // misses of the address buffers
	divide   float64 // share of the core's cycles in which the divider works
	shared   float64 // loads of lines that other cores changed
	kernel   float64 // share of time in the kernel
	activity float64 // of power
}

// mix is the time that the parts of code take on a core at its highest clock, in any unit.
type mix struct{ core, front, branch, latency, bandwidth float64 }

func (m mix) sum() float64 { return m.core + m.front + m.branch + m.latency }

// drawCode makes code of a mix for a machine's first kind of core. bandwidth is the rate that it asks of memory, as a
// share of what a core can pull.
func drawCode(r simulate.Random, m *machine, name string, x mix) *code {
	k := &m.groups[0].kind
	c := &code{name: name, ops: r.Between(1.02, 1.25), loads: r.Between(0.2, 0.32), stores: r.Between(0.06, 0.14),
		kernel: r.Between(0.005, 0.04)}
	share := x.core / x.sum()
	// Where code mostly waits, its few instructions would issue at any rate.
	c.pace = r.Between(0.45, 0.78)
	if share > 0.7 && r.Chance(0.4) {
		c.pace = r.Between(0.14, 0.4) // chains of dependent operations, divisions
		c.divide = simulate.Pick(r, 0, r.Between(0.1, 0.6))
	}
	core := c.ops / (k.width * c.pace)
	unit := core / x.core // cycles per unit of the mix
	c.branches = r.Between(0.08, 0.22)
	c.wrong = x.branch * unit / k.flush
	if most := c.branches * 0.15; c.wrong > most { // more branches rather than ones that nobody could guess
		c.branches = min(0.3, c.wrong/0.15)
	}
	part := r.Between(0.4, 0.75)
	c.fetches = x.front * unit * part / k.fetch
	c.decode = x.front * unit * (1 - part)
	c.atOnce = r.Between(1.1, 3)
	if x.latency < 0.3*x.sum() {
		c.atOnce = r.Between(2, 5)
	}
	ns := x.latency * unit / k.max // of latency per instruction
	part = r.Between(0.75, 0.97)
	c.dram = ns * part / m.latency * c.atOnce
	c.l2 = ns * (1 - part) / k.l3 * c.atOnce
	c.pages = c.dram * r.Between(0.05, 0.5)
	c.l1 = r.Log(0.002, 0.02)
	each := x.sum() * unit / k.max // ns per instruction
	c.stream = x.bandwidth * k.pull * each
	if x.bandwidth > 0.5 {
		c.l1 += c.stream / 64
	}
	c.loads = max(c.loads, (c.l1+c.l2+c.dram)*1.15)
	c.shared = simulate.Pick(r, 0, 0, r.Log(1e-6, 1e-4))
	c.activity = r.Between(0.85, 1.1) * (0.55 + 0.45*share)
	return c
}

// Mixes of code by what it is to be limited by, each with what others take.
func coreMix(r simulate.Random) mix {
	return mix{1, r.Between(0, 0.12), r.Between(0, 0.12), r.Between(0, 0.12), r.Between(0, 0.08)}
}

func frontMix(r simulate.Random) mix {
	return mix{r.Between(0.3, 0.55), 1, r.Between(0.05, 0.25), r.Between(0, 0.2), r.Between(0, 0.06)}
}

func branchMix(r simulate.Random) mix {
	return mix{r.Between(0.35, 0.6), r.Between(0, 0.2), 1, r.Between(0, 0.2), r.Between(0, 0.06)}
}

func latencyMix(r simulate.Random) mix {
	return mix{r.Between(0.08, 0.5), r.Between(0, 0.1), r.Between(0, 0.15), 1, r.Between(0, 0.05)}
}

// bandwidthMix asks for a share of what a core can pull.
func bandwidthMix(r simulate.Random) mix {
	return mix{1, r.Between(0, 0.08), r.Between(0, 0.08), r.Between(0, 0.15), 1}
}

// mixedMix has no part that stands out.
func mixedMix(r simulate.Random) mix {
	return mix{r.Between(0.35, 0.55), r.Between(0.1, 0.3), r.Between(0.1, 0.3), r.Between(0.05, 0.2), r.Between(0, 0.1)}
}

// cost is the time that instructions take on a core, in cycles per instruction and, where memory's own clock decides,
// in ns.
type cost struct{ core, front, branch, nsLatency float64 }

// costOf is the cost per instruction. A part of the work of the core goes on while loads are under way.
func costOf(c *code, k *coreKind, latency float64) cost {
	x := cost{core: c.ops / (k.width * c.pace), branch: c.wrong * k.flush, front: c.decode + c.fetches*k.fetch}
	x.nsLatency = (c.dram*latency + c.l2*k.l3 + c.pages*8) / c.atOnce
	return x
}
