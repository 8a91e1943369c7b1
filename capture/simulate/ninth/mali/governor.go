package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// governor sets the clock: devfreq's by the share of busy time, and a thermal one that caps it.
type governor struct {
	c                         *simulate.Clock
	step, ceiling             int
	next, busy, heat          float64
	byGovernor, byHeat, total float64
}

func (g *governor) reset(c *simulate.Clock, highest bool) {
	*g = governor{c: c, step: c.Start, ceiling: len(c.Steps) - 1, next: float64(c.Period)}
	if c.Heat != nil {
		g.heat = c.Heat.Start
	}
	if highest {
		g.step, g.next = len(c.Steps)-1, math.Inf(1)
	}
}

func (g *governor) at() int        { return min(g.step, g.ceiling) }
func (g *governor) share() float64 { return g.c.Steps[g.at()] }

// look is one decision.
func (g *governor) look() {
	period := float64(g.c.Period)
	busy := g.busy / period
	g.next, g.busy, g.total = g.next+period, 0, g.total+period
	share := g.share()
	switch {
	case share >= 1:
	case g.ceiling <= g.step && g.ceiling < len(g.c.Steps)-1:
		g.byHeat += period
	default:
		g.byGovernor += period
	}
	if h := g.c.Heat; h != nil {
		// Power goes with the clock and the square of the voltage, which rises by about half of what the clock does.
		watts := h.Full * share * (0.5 + 0.5*share) * (0.5 + 0.5*share) * (0.15 + 0.85*busy)
		g.heat += (h.Ambient + h.Resistance*watts - g.heat) * min(1, period/h.Time)
		switch {
		case g.heat > h.Throttle && g.ceiling > 0:
			g.ceiling = min(g.ceiling, g.step+1) - 1
		case g.heat < h.Throttle-2 && g.ceiling < len(g.c.Steps)-1:
			g.ceiling++
		}
	}
	switch {
	case busy > g.c.Up:
		g.step = len(g.c.Steps) - 1
	case busy < g.c.Down && g.step > 0:
		g.step--
	case busy > (g.c.Up+g.c.Down)/2 && g.c.Up < 1 && g.step < len(g.c.Steps)-1:
		g.step++
	}
}

// cause is what held the clock for a noticeable time.
func (g *governor) cause() (simulate.Candidate, bool) {
	c, most := simulate.ClockGovernor, g.byGovernor
	if g.byHeat > most {
		c, most = simulate.ClockThermal, g.byHeat
	}
	return c, most > 0.02*g.total
}
