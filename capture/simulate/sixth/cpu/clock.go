package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// clockHold is what a case means to hold the clock.
type clockHold uint8

const (
	clockMild clockHold = iota // drawn, and no more than a part of what could be
	clockFree                  // nothing, as far as the machine allows
	heldByHeat
	heldByPower
	heldByGovernor
)

// clockRule is how a machine sets its clocks. Shares are of a cluster's highest clock.
type clockRule struct {
	follows  bool    // the clock follows the load, as schedutil has it; otherwise it is as high as limits allow
	fixed    float64 // a share that somebody set, 0 for none
	least    float64
	allCore  float64 // with all cores busy
	period   float64 // ns between two looks
	limit    float64 // W of the package, 0 for none
	window   float64 // ns over which power is averaged
	throttle float64 // °C, 0 for none
	start    float64 // °C
	ambient  float64
	heating  float64 // °C per W
	mass     float64 // ns of the time constant
	rest     float64 // W without work
	perByte  float64 // W per byte in a ns
}

// newClockRule draws how a machine's clock is set.
func newClockRule(r simulate.Random, b *model, m *machine, hold clockHold) clockRule {
	c := clockRule{least: r.Between(0.2, 0.35), allCore: b.allCore, period: 4e6, window: r.Log(20e6, 200e6),
		rest: 0.15 * float64(len(m.sites)), perByte: 0.12, ambient: r.Between(24, 34), mass: r.Log(1.5e9, 8e9)}
	if b.phone {
		c.rest, c.perByte, c.window = 0.15, 0.03, r.Log(10e6, 60e6)
	}
	full := c.rest
	for k := range m.clusters {
		threads := 1.0
		if m.sites[m.clusters[k].cpus[0]].sibling >= 0 {
			threads = 2
		}
		full += m.clusters[k].core.watts * float64(len(m.clusters[k].cpus)) / threads
	}
	mild := hold == clockMild
	if mild {
		hold = simulate.Pick(r, clockFree, clockFree, clockFree, clockFree, clockFree, clockFree, heldByPower, heldByPower,
			heldByHeat, heldByGovernor)
	}
	c.follows = b.phone || !b.server && r.Chance(0.25)
	part := 1.0
	if mild {
		part = r.Between(1, 4)
	}
	// Limits are in every machine; whether they are reached is the load's and the draw's.
	if b.watts > 0 {
		cores := 0
		for k := range m.clusters {
			cores += len(m.clusters[k].cpus)
		}
		if m.sites[0].sibling >= 0 {
			cores /= 2
		}
		c.limit = b.watts * float64(cores) * r.Between(1.1, 1.6)
	}
	c.throttle = b.throttle
	c.heating = (max(60, b.throttle) - c.ambient) / (full * r.Between(1.05, 1.6))
	c.start = c.ambient + c.heating*full*r.Between(0.25, 0.6)
	switch hold {
	case heldByHeat:
		if c.throttle > 0 {
			// A clogged fan, a case in the sun: heat leaves only as fast as at a part of the highest power.
			c.heating = (c.throttle - c.ambient) / (full * r.Between(0.1, 0.3) * part)
			c.start, c.limit, c.mass = c.throttle-r.Between(0, 2), 0, r.Log(0.5e9, 3e9)
		}
	case heldByPower:
		if c.limit > 0 {
			c.limit = full * min(0.9, r.Between(0.12, 0.4)*part)
			c.throttle = 0
		}
	case heldByGovernor:
		switch {
		case !b.phone && r.Chance(0.6):
			c.fixed = r.Between(0.4, 0.8+0.05*part) // somebody saves power, or a hypervisor does
		default:
			c.follows = true
		}
	}
	return c
}

// steps is how many clocks a cluster can have between its least and its highest.
const steps = 16

// clocks is the state of a machine's clocks.
type clocks struct {
	rule    *clockRule
	share   []float64 // by cluster
	ceiling float64   // of all, by heat
	cap     float64   // of all, by power
	heat    float64   // °C
	watts   float64   // averaged
	util    []float64 // by CPU: busy share, averaged as the scheduler does
	held    [3]float64
}

const (
	byGovernor = iota
	byHeat
	byPower
)

func newClocks(m *machine) *clocks {
	c := &clocks{rule: &m.clock, ceiling: 1, cap: 1, heat: m.clock.start, util: make([]float64, len(m.sites))}
	c.watts = m.clock.limit * 0.95
	if m.clock.limit > 0 {
		c.cap = min(1, math.Cbrt(m.clock.limit/max(m.clock.limit, m.fullWatts())))
	}
	for range m.clusters {
		c.share = append(c.share, max(m.clock.least, 0.6))
	}
	return c
}

// fullWatts is the power with every core busy at its highest clock.
func (m *machine) fullWatts() float64 {
	full := m.clock.rest
	for i := range m.sites {
		k := m.coreOf(i)
		if m.sites[i].sibling >= 0 {
			full += k.watts / 2
		} else {
			full += k.watts
		}
	}
	return full
}

// look is one decision. busy is the share of the last period in which each CPU was busy, bytes what memory moved in a
// ns, ours how many CPUs ran the program's threads by cluster. It reports whether a clock changed.
func (c *clocks) look(m *machine, busy []float64, bytes float64, ours []float64) bool {
	rule := c.rule
	watts := rule.rest + rule.perByte*bytes
	active, all := 0.0, 0.0
	for i := range m.sites {
		s := c.share[m.sites[i].cluster]
		w := m.coreOf(i).watts * (0.35*s*s + 0.65*s*s*s)
		other := m.sites[i].sibling
		switch {
		case other < 0:
			active, all = active+busy[i], all+1
			watts += w * busy[i]
		case other > i: // two threads of a core need a quarter more than one
			watts += w * (max(busy[i], busy[other])*0.8 + 0.2*min(busy[i], busy[other]))
			active, all = active+max(busy[i], busy[other]), all+1
		}
		c.util[i] += (busy[i]*s - c.util[i]) * 0.12 // half of it is forgotten in 20 ms
	}
	c.heat += (rule.ambient + rule.heating*watts - c.heat) * min(1, rule.period/rule.mass)
	if rule.throttle > 0 {
		switch {
		case c.heat > rule.throttle:
			c.ceiling = max(rule.least, c.ceiling-1.0/steps/2)
		case c.heat < rule.throttle-0.8:
			c.ceiling = min(1, c.ceiling+1.0/steps/4)
		}
	}
	c.watts += (watts - c.watts) * min(1, rule.period/rule.window)
	if rule.limit > 0 {
		switch {
		case c.watts > rule.limit:
			c.cap = max(rule.least, min(c.cap, c.highest())-1.0/steps/4)
		case c.watts < 0.96*rule.limit:
			c.cap = min(1, c.cap+1.0/steps/8)
		}
	}
	turbo := 1.0
	if all > 1 {
		turbo = 1 - (1-rule.allCore)*max(0, min(1, (active-1)/(all-1)))
	}
	changed := false
	for k := range m.clusters {
		want, cause := 1.0, byGovernor
		if rule.follows {
			want = 0
			for _, i := range m.clusters[k].cpus {
				want = max(want, 1.25*c.util[i])
			}
		}
		if rule.fixed > 0 {
			want = min(want, rule.fixed)
		}
		for _, x := range []struct {
			most  float64
			cause int
		}{{turbo, byPower}, {c.cap, byPower}, {c.ceiling, byHeat}} {
			if x.most < want {
				want, cause = x.most, x.cause
			}
		}
		want = max(rule.least, min(1, math.Round(want*steps*2)/(steps*2)))
		if c.share[k] < 0.99 && ours[k] > 0 {
			c.held[cause] += ours[k] * (1 - c.share[k])
		}
		if want != c.share[k] {
			c.share[k], changed = want, true
		}
	}
	return changed
}

func (c *clocks) highest() float64 {
	most := 0.0
	for _, s := range c.share {
		most = max(most, s)
	}
	return most
}

// cause is what held the clocks of CPUs that ran the program, by how long and how far, and the share that it was
// below the highest on average over looks.
func (c *clocks) cause(weight float64) (simulate.Candidate, float64) {
	list := [...]simulate.Candidate{simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower}
	best := 0
	for i := range c.held {
		if c.held[i] > c.held[best] {
			best = i
		}
	}
	return list[best], c.held[best] / max(1, weight)
}
