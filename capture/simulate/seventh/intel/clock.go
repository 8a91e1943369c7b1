package intel

import "astrolabe/capture/simulate"

// governor sets the core clock: by load as SLPC and RPS do, below what heat and power allow.
type governor struct {
	period  float64 // ns between two looks; 0 leaves the clock where it is
	first   float64 // share of the highest clock at first
	up      float64 // share of busy time from which the clock rises
	down    float64 // below which it falls
	boosts  bool    // to the highest while a program waits for the GPU
	limit   float64 // W on average; 0 for none
	window  float64 // ns
	heat    float64 // °C at first; 0 for none
	trip    float64
	ambient float64
	slow    float64 // ns of the time constant of heat
	rise    float64 // °C per W
}

// clockState is the clock in a simulation.
type clockState struct {
	g              *governor
	floor          float64
	wish, ceiling  float64 // shares of the highest
	next           float64
	busy, active   float64 // since the last look: ns with work, and of EUs at work
	waited         bool
	watts, degrees float64
	hot            bool
	held           [3]float64 // ns below the highest: by the governor, heat, power
	changes        []change
}

type change struct{ at, share float64 }

func (c *clockState) begin(g *governor, floor float64, top bool) {
	*c = clockState{g: g, floor: floor, wish: g.first, ceiling: 1, next: 1e18, degrees: g.heat, changes: c.changes[:0]}
	if top {
		c.wish = 1
	} else if g.period > 0 {
		c.next = g.period
	}
	// A program that has run for a while has its mean power already.
	c.watts = 0.97 * g.limit
	c.changes = append(c.changes, change{0, c.share()})
}

func (c *clockState) share() float64 { return max(c.floor, min(c.wish, c.ceiling)) }

// look is one decision.
func (c *clockState) look(watts float64) {
	g, was := c.g, c.share()
	busy := min(1, c.busy/g.period)
	if was < 0.995 {
		switch {
		case c.ceiling >= c.wish:
			c.held[0] += g.period
		case c.hot:
			c.held[1] += g.period
		default:
			c.held[2] += g.period
		}
	}
	power := watts * was * was * was * (0.12 + 0.38*busy + 0.5*min(1, c.active/g.period))
	const step = 1.0 / 40
	if g.limit > 0 {
		c.watts += (power - c.watts) * min(1, g.period/g.window)
		if c.watts > g.limit && c.ceiling > 0.3 {
			c.ceiling, c.hot = min(c.ceiling, was)-step, false
		} else if c.watts < 0.95*g.limit && c.ceiling < 1 {
			c.ceiling = min(1, c.ceiling+step)
		}
	}
	if g.heat > 0 {
		c.degrees += (g.ambient + g.rise*power - c.degrees) * min(1, g.period/g.slow)
		if c.degrees > g.trip && c.ceiling > 0.3 {
			c.ceiling, c.hot = min(c.ceiling, was)-step, true
		} else if c.degrees < g.trip-2 && c.ceiling < 1 {
			c.ceiling = min(1, c.ceiling+step)
		}
	}
	switch {
	case c.waited && g.boosts:
		c.wish = 1
	case busy > g.up:
		c.wish = min(1, c.wish+0.12)
	case busy < g.down:
		c.wish = max(c.floor, c.wish-0.06)
	}
	if now := c.share(); now != was {
		c.changes = append(c.changes, change{c.next, now})
	}
	c.busy, c.active, c.waited = 0, 0, false
	c.next += g.period
}

// cause is what held the clock down, if anything did for a noticeable time.
func (c *clockState) cause(total float64) (simulate.Candidate, bool) {
	list := [...]simulate.Candidate{simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower}
	best := 0
	for i := range c.held {
		if c.held[i] > c.held[best] {
			best = i
		}
	}
	return list[best], c.held[best]*50 > total
}

// mean is that of the clock's share over a time.
func (c *clockState) mean(from, to float64) float64 {
	if to <= from {
		return c.share()
	}
	sum := 0.0
	for i, x := range c.changes {
		until := to
		if i+1 < len(c.changes) {
			until = min(to, c.changes[i+1].at)
		}
		if start := max(from, x.at); until > start {
			sum += x.share * (until - start)
		}
	}
	return sum / (to - from)
}
