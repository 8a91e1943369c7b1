package cpu

import "astrolabe/capture/simulate"

const clockPeriod = 4e6 // ns between two looks of the governor and the firmware

// clockState is the clock of each class of cores, and what holds it.
type clockState struct {
	governor []float64 // share of the highest that the governor asks for
	ceiling  float64   // share that heat and power allow
	byHeat   bool
	celsius  float64
	watts    float64    // averaged
	held     [3]float64 // ns by clockCauses
}

var clockCauses = [3]simulate.Candidate{simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower}

func newClock(m *machine) clockState {
	c := clockState{governor: make([]float64, len(m.classes)), ceiling: 1, celsius: m.start}
	for i := range c.governor {
		c.governor[i] = m.governed
	}
	if m.limit > 0 { // it has run for a while
		c.watts, c.ceiling = 0.8*m.limit, 0.9
	}
	return c
}

// share is the clock of a CPU by its highest.
func (e *engine) share(cpu int) float64 {
	if e.relief.Level == simulate.LevelClock {
		return 1
	}
	c := &e.s.m.classes[e.s.m.cpus[cpu].class]
	return max(c.lowest/c.highest, min(e.clock.governor[e.s.m.cpus[cpu].class], e.clock.ceiling))
}

func (e *engine) ghz(cpu int) float64 {
	return e.s.m.classes[e.s.m.cpus[cpu].class].highest * e.share(cpu)
}

// look lets governor and firmware decide. Power goes with the clock and the square of a voltage that follows it.
func (e *engine) look() {
	m, c := e.s.m, &e.clock
	watts, running := m.idle, false
	busiest := make([]float64, len(m.classes))
	for i := range e.cpus {
		x, k := &e.cpus[i], m.cpus[i].class
		f, used, full := e.share(i), x.busy/clockPeriod, 0.3
		if t := x.thread; t != nil && t.speed > 0 {
			full = min(1, t.m.base*t.speed/t.ghz) * max(0.3, e.s.codes[t.code].intensity) // a core that waits gates its units
			running = running || t.other == nil
			busiest[k] = max(busiest[k], t.util)
		}
		w := m.classes[k].watts * used * f * f * f * (0.45 + 0.55*full)
		if b := m.cpus[i].sibling; b >= 0 && e.cpus[b].thread != nil {
			w *= 0.62
		}
		watts += w
		busiest[k] = max(busiest[k], used)
		x.busy = 0
	}
	switch {
	case !running || min(c.ceiling, c.governor[0]) > 0.985:
	case c.governor[0] <= c.ceiling:
		c.held[0] += clockPeriod
	case c.byHeat:
		c.held[1] += clockPeriod
	default:
		c.held[2] += clockPeriod
	}
	for k := range c.governor {
		if m.schedutil { // a quarter above what the load needs
			c.governor[k] = m.governed * max(0.2, min(1, 1.25*busiest[k]*c.governor[k]/m.governed))
		}
	}
	c.watts += (watts - c.watts) * 0.05
	c.celsius += (ambient + m.perWatt*watts - c.celsius) * clockPeriod / m.inertia
	const step = 0.02
	switch hot, over := c.celsius > m.trip, m.limit > 0 && c.watts > m.limit; {
	case hot || over:
		c.ceiling, c.byHeat = max(0.3, c.ceiling-step), hot
	case c.celsius < m.trip-0.7 && (m.limit == 0 || c.watts < 0.96*m.limit):
		c.ceiling = min(1, c.ceiling+step)
	}
	e.changed = true
}
