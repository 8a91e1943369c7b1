package amd

import "astrolabe/capture/simulate"

// What holds the clock below the highest that the chip reaches.
const (
	byNothing = iota
	byGovernor
	byPower
	byHeat
)

// tick is the ns between two decisions of the firmware.
const tick = 1e6

// clock is the firmware's power management during a simulation.
type clock struct {
	m                   *machine
	top                 bool // relieved: always the highest
	share, wish         float64
	capped, cool        float64 // the most that power and heat allow
	memory, watts, heat float64
	load                float64 // busy share, smoothed
	why                 int
	held                [byHeat + 1]float64 // ns with work
}

func (c *clock) reset(m *machine, top bool) {
	*c = clock{m: m, top: top, wish: 1, capped: 1, cool: 1, memory: 1, load: 1, watts: 0.7 * m.limit}
	c.heat = m.sink + m.perWatt*c.watts
	c.set()
}

func (c *clock) set() {
	c.why, c.share = byGovernor, c.wish
	if c.m.fixed > 0 {
		c.share = c.m.fixed
	}
	if c.capped < c.share {
		c.why, c.share = byPower, c.capped
	}
	if c.cool < c.share {
		c.why, c.share = byHeat, c.cool
	}
	if c.share = max(c.share, c.m.low); c.top || c.share > 0.99 {
		c.why = byNothing
	}
	if c.top {
		c.share = 1
	}
}

// volts is the supply voltage by the highest one, which energy goes with the square of.
func volts(share float64) float64 { return 0.62 + 0.38*share }

// weights are what units take of the graphics core's power when they are all busy, in percent, above the clock's.
var weights = [units]float64{4, 2, 4, 30, 8, 16, 10, 5, 8, 8, 22, 0}

// power is the W of a ms: done is the ns of each unit's work, busy the ns with any, threads those of the processors.
func (c *clock) power(done *[units]float64, busy, threads float64) float64 {
	v2 := power(volts(c.share), 2)
	dynamic := 0.1*v2 + 0.22*c.share*v2*(0.15+0.85*busy/tick)
	for u, w := range weights {
		if u != uMemory {
			w *= v2
		}
		dynamic += w / 100 * done[u] / tick
	}
	return c.m.idle + c.m.full*dynamic + c.m.backdrop + c.m.core*threads/tick
}

// look is one decision.
func (c *clock) look(done *[units]float64, busy, threads float64) turn {
	c.held[c.why] += busy
	now := c.power(done, busy, threads)
	out := turn{c.share, c.memory, now, c.heat, busy / tick, done[uMemory] / c.memory / tick, threads / tick, c.why}
	c.watts += (now - c.watts) * tick / c.m.window
	c.heat += (c.m.sink + c.m.perWatt*now - c.heat) * tick / 250e6
	c.load += (busy/tick - c.load) * 0.08
	ease := func(at *float64, room float64) { // a controller that follows slowly, and faster down than up
		if room < 0 {
			*at = min(*at, c.share)
		}
		*at = min(1, max(c.m.low, *at+min(0.004, max(-0.02, 0.05*room))))
	}
	ease(&c.capped, (c.m.limit-c.watts)/c.m.limit)
	ease(&c.cool, (c.m.heat-c.heat)/20)
	switch {
	case c.load > c.m.up:
		c.wish = min(1, c.wish+c.m.rise)
	case c.load < c.m.down:
		c.wish = max(c.m.low, c.wish-c.m.fall)
	}
	switch {
	case c.load > 0.2 || c.top:
		c.memory = 1
	case c.load < 0.08:
		c.memory = 0.5
	}
	c.set()
	return out
}

// cause is what held the clock for longest; ok is false where nothing did for a noticeable part of the work.
func (c *clock) cause() (out simulate.Candidate, ok bool) {
	best, all := byGovernor, 0.0
	for k, ns := range c.held {
		if all += ns; k > byNothing && ns > c.held[best] {
			best = k
		}
	}
	return [...]simulate.Candidate{{}, simulate.ClockGovernor, simulate.ClockPower, simulate.ClockThermal}[best],
		c.held[best]*50 > all
}
