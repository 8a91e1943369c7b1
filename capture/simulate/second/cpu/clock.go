package cpu

import "math"

// tick is how often the firmware sets the clock.
const tick = 4e6

// warm puts the package into the state that it had come to before the recording.
func (e *engine) warm() {
	e.active, e.util = e.m.start, 1
	e.temperature = e.m.ambient
	e.power = e.m.idle + e.m.each*e.m.start*0.8
	if e.m.limit > 0 && !e.r.power {
		e.power = min(e.power, e.m.limit)
	}
	if e.m.cooled > 0 {
		p := e.power
		if !e.r.thermal {
			p = min(p, e.m.cooled)
		}
		e.temperature = e.m.ambient + (e.m.cpu.hot-e.m.ambient)*p/e.m.cooled - e.m.fresh
	}
	e.setClock(0)
}

// setClock is what firmware and governor do at every tick.
func (e *engine) setClock(dt float64) {
	busy := min(e.active+e.m.others, float64(e.m.cpu.threads()))
	cores := min(busy, float64(e.m.cpu.cores)) + 0.15*max(0, busy-float64(e.m.cpu.cores))
	top := e.m.cpu.turbo(cores)
	share := func(watts float64) float64 {
		if cores < 0.05 {
			return top
		}
		return e.m.cpu.most * math.Pow(max(0.02, (watts-e.m.idle)/(e.m.each*cores)), 1/2.7)
	}
	e.power += (e.watts(cores) - e.power) * min(1, dt/e.m.average)
	if e.m.cooled > 0 {
		to := e.m.ambient + (e.m.cpu.hot-e.m.ambient)*e.watts(cores)/e.m.cooled
		e.temperature += (to - e.temperature) * min(1, dt/e.m.inertia)
	}
	clock, by := top, -1
	if e.m.limit > 0 && !e.r.power {
		if c := share(e.m.limit + 0.5*max(0, e.m.limit-e.power)); c < clock {
			clock, by = c, causePower
		}
	}
	if e.m.cooled > 0 && !e.r.thermal {
		if c := share(e.m.cooled * (1 + 0.03*(e.m.cpu.hot-0.5-e.temperature))); c < clock {
			clock, by = c, causeThermal
		}
	}
	e.capClock = top
	if e.m.governor {
		if c := 1.25 * e.m.cpu.most * e.util; c < clock {
			clock, by = c, -1
		}
	}
	e.capBy = by
	step := clockStep
	if e.m.governor {
		step *= 4
	}
	e.clock = max(e.m.cpu.least, math.Round(clock/step)*step)
}

// watts is what the package takes at this clock.
func (e *engine) watts(cores float64) float64 {
	return e.m.idle + e.m.each*cores*math.Pow(e.clock/e.m.cpu.most, 2.7)
}
