package mali

import "astrolabe/capture/simulate"

// governor is what sets the clock: a driver that looks at how busy the GPU was, and limits of heat and power.
type governor struct {
	period   int64 // ns between looks; 0 keeps the clock
	start    int
	up, down float64
	jump     bool // to the highest at once, as ondemand does

	heat     bool
	degrees  float64 // at first
	ambient  float64
	throttle float64
	watts    float64 // at the highest clock, always busy
	perWatt  float64
	constant float64 // ns

	limit  float64 // W that the battery's side allows; 0 for none
	window float64 // ns
}

// dial is the clock in a simulation.
type dial struct {
	g       *governor
	steps   []float64
	step    int
	ceiling int
	byHeat  bool
	next    int64
	share   float64
	degrees float64
	mean    float64 // W
	busy    float64 // ns since the last look
	below   [3]int64
}

const never = int64(1) << 60

func newDial(g *governor, steps []float64, highest bool) *dial {
	d := &dial{g: g, steps: steps, step: g.start, ceiling: len(steps) - 1, next: never, degrees: g.degrees}
	if g.limit > 0 {
		d.mean = g.limit * 0.95
	}
	switch {
	case highest:
		d.step = len(steps) - 1
	case g.period > 0:
		d.next = g.period
	}
	d.share = steps[d.step]
	return d
}

// look is one decision.
func (d *dial) look() {
	g := d.g
	d.next += g.period
	load := min(1, d.busy/float64(g.period))
	d.busy = 0
	top := len(d.steps) - 1
	if d.share < 1 {
		which := 0
		if d.ceiling < d.step {
			if which = 2; d.byHeat {
				which = 1
			}
		}
		d.below[which] += g.period
	}
	// Voltage rises with the clock: power goes with its third power, and a part flows whenever the GPU is on.
	watts := g.watts * (0.08 + 0.92*load) * d.share * d.share * d.share
	if g.heat {
		aim := g.ambient + g.perWatt*watts
		d.degrees += (aim - d.degrees) * min(1, float64(g.period)/g.constant)
		switch {
		case d.degrees > g.throttle && d.ceiling > 0:
			d.ceiling, d.byHeat = max(0, min(d.ceiling, d.step)-1), true
		case d.degrees < g.throttle-2 && d.ceiling < top:
			d.ceiling++
		}
	}
	if g.limit > 0 {
		d.mean += (watts - d.mean) * min(1, float64(g.period)/g.window)
		switch {
		case d.mean > g.limit && d.ceiling > 0:
			d.ceiling, d.byHeat = max(0, min(d.ceiling, d.step)-1), false
		case d.mean < 0.85*g.limit && d.ceiling < top:
			d.ceiling++
		}
	}
	switch {
	case load > g.up && g.jump:
		d.step = top
	case load > g.up && d.step < top:
		d.step++
	case load < g.down && d.step > 0:
		d.step--
	}
	d.share = d.steps[min(d.step, d.ceiling)]
}

// holder is what held the clock below its highest for longest, if anything did for a fiftieth of the time.
func (d *dial) holder(total int64) (c simulate.Candidate, ok bool) {
	names := [3]simulate.Candidate{simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower}
	best := 0
	for i := range d.below {
		if d.below[i] > d.below[best] {
			best = i
		}
	}
	return names[best], d.below[best]*50 > total
}
