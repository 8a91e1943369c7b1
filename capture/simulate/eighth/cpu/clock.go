package cpu

import "astrolabe/capture/simulate"

// clockPeriod is the time between two looks of the governor and the firmware, in ns.
const clockPeriod = 4e6

// clockState is the clock of each cluster, and what holds it.
type clockState struct {
	governor []float64 // share of the highest that the governor asks for, by cluster
	ceiling  float64   // share that heat and power allow
	byHeat   bool
	celsius  float64
	watts    float64    // averaged
	held     [3]float64 // ns by governor, thermal, power
}

var clockCauses = [3]simulate.Candidate{simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower}

func (c *clockState) reset(e *engine) {
	m := e.s.m
	*c = clockState{governor: make([]float64, len(m.classes)), ceiling: 1, celsius: 40}
	for i := range c.governor {
		c.governor[i] = m.governed
		if m.schedutil {
			c.governor[i] = 0.6 * m.governed
		}
	}
	if m.heat != nil {
		c.celsius = m.heat.start
	}
	if m.limit > 0 {
		c.watts = 0.8 * m.limit
		c.ceiling = 0.9 // it has run for a while
	}
}

// share is the clock of a CPU's cluster by its highest.
func (c *clockState) share(e *engine, cpu int) float64 {
	if e.relief.Level == simulate.LevelClock {
		return 1
	}
	k := e.s.m.cpus[cpu].class
	lowest := e.s.m.classes[k].lowest / e.s.m.classes[k].highest
	return max(lowest, min(c.governor[k], c.ceiling))
}

func (c *clockState) ghz(e *engine, cpu int) float64 {
	return e.s.m.classes[e.s.m.cpus[cpu].class].highest * c.share(e, cpu)
}

// look lets governor and firmware decide. Power goes with the clock and the square of a voltage that follows it.
func (c *clockState) look(e *engine) {
	m := e.s.m
	watts := m.idleWatts
	busiest := make([]float64, len(m.classes))
	running := false
	for i := range e.cpus {
		x := &e.cpus[i]
		k := m.cpus[i].class
		f := c.share(e, i)
		used := x.busy / clockPeriod
		x.busy = 0
		if x.thread == nil {
			watts += used * m.classes[k].watts * f * f * f * 0.6
		} else {
			t := x.thread
			p := e.s.profiles[t.instant.profile]
			// A core that waits clocks its units off.
			full := min(1, t.instant.m.filled(&t.instant, m.classes[k].width))
			w := m.classes[k].watts * used * f * f * f * (0.45 + 0.55*full*max(0.3, p.intensity))
			if b := m.cpus[i].sibling; b >= 0 && e.cpus[b].thread != nil {
				w *= 0.62
			}
			watts += w
			running = running || t.app()
			busiest[k] = max(busiest[k], t.util, used)
		}
		busiest[k] = max(busiest[k], used*0.8)
	}
	c.hold(e, running)
	if m.schedutil {
		for k := range c.governor {
			// Its clock is a quarter above what the load needs (schedutil's formula).
			c.governor[k] = m.governed * min(1, max(0.2, 1.25*busiest[k]*c.governor[k]/m.governed), 1)
			if busiest[k] > 0.95 {
				c.governor[k] = min(m.governed, c.governor[k]*1.3)
			}
		}
	}
	c.watts += (watts - c.watts) * 0.05
	hot := false
	if h := m.heat; h != nil {
		c.celsius += (h.ambient + h.perWatt*watts - c.celsius) * clockPeriod / h.time
		hot = c.celsius > h.trip
	}
	const step = 0.02
	switch {
	case hot:
		c.ceiling, c.byHeat = max(0.3, c.ceiling-step), true
	case m.limit > 0 && c.watts > m.limit:
		c.ceiling, c.byHeat = max(0.3, c.ceiling-step), false
	case (m.heat == nil || c.celsius < m.heat.trip-0.7) && (m.limit == 0 || c.watts < 0.96*m.limit):
		c.ceiling = min(1, c.ceiling+step)
	}
	e.changed = true
	e.settle()
}

// filled is the share of slots in which operations are executed.
func (m *misses) filled(x *rate, width float64) float64 {
	if m == nil || x.ghz == 0 {
		return 0
	}
	return m.base * x.speed / x.ghz
}

// hold counts what held the clock while the program ran.
func (c *clockState) hold(e *engine, running bool) {
	if !running {
		return
	}
	switch {
	case min(c.ceiling, c.governor[0]) > 0.985:
	case c.governor[0] <= c.ceiling:
		c.held[0] += clockPeriod
	case c.byHeat:
		c.held[1] += clockPeriod
	default:
		c.held[2] += clockPeriod
	}
}
