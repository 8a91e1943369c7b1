package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// clock is what holds the clocks of the groups of CPUs, looked at every tick: what the governor asks for, what the
// power limit allows, and what the heat does.
type clock struct {
	m       *machine
	rl      relief
	share   []float64 // of the highest, by group
	why     []uint8
	util    []float64 // by CPU, smoothed
	power   float64   // share that the power limit allows
	thermal float64   // share that heat has come to allow
	cut     float64   // the same, with what is done at once about each degree
	watts   float64
	degrees float64
	log     []clockNote
	sum, n  float64
}

// clockNote is what sensors would show from a time on.
type clockNote struct {
	at      int64
	share   []float64
	degrees float64
	watts   float64
}

// Reasons of a clock below its highest.
const (
	whyGovernor uint8 = iota
	whyPower
	whyThermal
	whys
)

var reasons = [whys]simulate.Candidate{simulate.ClockGovernor, simulate.ClockPower, simulate.ClockThermal}

func (c *clock) begin(s *sim) {
	c.m, c.rl = s.m, s.rl
	c.share = make([]float64, len(s.m.groups))
	c.why = make([]uint8, len(s.m.groups))
	c.util = make([]float64, s.m.cpus())
	c.power, c.thermal, c.cut = 1, 1, 1
	for g := range c.share {
		c.share[g] = 1
	}
	threads := 0
	for i := range s.p.threads {
		if s.p.dates == nil || s.p.threads[i].other {
			threads++
		}
	}
	// It has been as warm for long as the load makes it.
	watts := min(s.m.limit, s.m.idle+0.6*(s.m.draw(threads)-s.m.idle))
	if s.m.governor == "capped" || s.m.governor == "slow" {
		watts = s.m.idle + (watts-s.m.idle)*math.Pow(s.m.cap, steep)
	}
	c.watts = watts
	c.degrees = min(s.m.hot-1, s.m.ambient+s.m.cooling*watts)
	if s.m.cooling*s.m.most() > (s.m.hot - s.m.ambient) {
		c.thermal, c.cut = 0.7, 0.7
	}
	if s.m.limit < s.m.most() {
		c.power = 0.75
	}
	if s.rl.thermal {
		c.thermal, c.cut = 1, 1
	}
	if s.rl.power {
		c.power = 1
	}
	c.decide(0)
}

// ghz is the clock of a group.
func (c *clock) ghz(g int) float64 { return c.m.groups[g].kind.max * c.share[g] }

func (c *clock) top(g int) float64 { return c.m.groups[g].kind.max }

func (c *clock) reason(g int) uint8 { return c.why[g] }

// steep is how power grows with the clock: voltage grows with it.
const steep = 2.5

// tick looks at the last few ms.
func (c *clock) tick(s *sim, at int64) {
	watts := c.m.idle
	for i := range s.cpus {
		cpu := &s.cpus[i]
		busy := min(1, float64(cpu.busy)/tickNs)
		watts += c.m.kind(i).watts * cpu.heat / tickNs * math.Pow(c.share[c.m.cpuOf[i]], steep)
		c.util[i] = 0.7*c.util[i] + 0.3*busy
		cpu.busy, cpu.heat = 0, 0
	}
	c.watts = 0.7*c.watts + 0.3*watts
	c.degrees += (c.m.ambient + c.m.cooling*c.watts - c.degrees) * (1 - math.Exp(-tickNs/c.m.inertia))
	low := c.m.groups[0].kind.min / c.m.groups[0].kind.max
	if c.rl.power {
		c.power = 1
	} else {
		room := max(0.05, c.m.limit-c.m.idle) / max(0.01, c.watts-c.m.idle)
		c.power = min(1, max(low, c.power*math.Pow(min(1.2, max(0.8, room)), 0.5/steep)))
	}
	switch over := c.degrees - c.m.hot; {
	case c.rl.thermal:
		c.thermal, c.cut = 1, 1
	default:
		c.thermal = min(1, max(low, c.thermal*(1-min(0.03, max(-0.02, 0.004*(over+1))))))
		c.cut = min(1, c.thermal*(1-0.02*min(6, max(-3, over+1))))
	}
	c.decide(at)
}

// decide sets the clocks.
func (c *clock) decide(at int64) {
	changed := false
	for g := range c.share {
		k := &c.m.groups[g].kind
		want := 1.0
		switch {
		case c.rl.governor:
		case c.m.governor == "capped":
			want = c.m.cap
		case c.m.governor == "follows" && at > 0:
			u := 0.0
			for i, v := range c.util {
				if c.m.cpuOf[i] == g {
					u = max(u, v)
				}
			}
			want = min(1, 1.3*u)
		case c.m.governor == "slow" && at > 0:
			// It looks at the mean of all CPUs of the group, as bad settings do.
			u, n := 0.0, 0.0
			for i, v := range c.util {
				if c.m.cpuOf[i] == g {
					u, n = u+v, n+1
				}
			}
			want = min(1, c.m.cap*(0.9+0.1*u/n))
		}
		f, why := want, whyGovernor
		if c.power < f {
			f, why = c.power, whyPower
		}
		if c.cut < f {
			f, why = c.cut, whyThermal
		}
		f = max(f, k.min/k.max)
		f = math.Round(f*k.max*10) / 10 / k.max // steps of 100 MHz
		f = min(1, max(f, k.min/k.max))
		changed = changed || f != c.share[g]
		c.share[g], c.why[g] = f, why
	}
	c.sum, c.n = c.sum+c.share[0], c.n+1
	if changed || at == 0 || len(c.log) == 0 || at-c.log[len(c.log)-1].at > 50_000_000 {
		c.log = append(c.log, clockNote{at, append([]float64(nil), c.share...), c.degrees, c.watts})
	}
}
