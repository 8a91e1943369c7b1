package mali

import "astrolabe/capture/simulate"

// dep is a job that another waits for.
type dep struct {
	job, back int  // in the list of the frame that many before
	loose     bool // the content does not need it
}

// job is what one queue gets of a frame.
type job struct {
	queue  int
	segs   []int16
	after  []dep
	launch float64 // ns of the front end before work begins
	image  bool    // writes the picture for the display
	submit float64 // where in the driver's work it is handed over
	size   float64 // by which its work is multiplied
	rare   float64 // if not 0, the share of frames that have this work; the others have next to none
}

type content struct {
	name string
	jobs []job
}

type frame struct {
	content     int
	app, driver float64 // ns
	scale       []float64
	request     int64
}

// wait lets the application wait for a job's result: of the same frame in the midst of its work, or of one before.
type wait struct {
	at        float64
	back, job int
}

// other is a program beside the measured one that draws now and then, as a compositor does.
type other struct {
	binning, main []int16
	period        float64
	phase, spread float64
	scale         []float64
}

// load is a row of frames and everything that paces them.
type load struct {
	segs     []segment
	contents []content
	frames   []frame
	pacing   simulate.Pacing
	warm     int
	threads  int
	wait     *wait
	notify   float64 // ns from the end of work until the processor knows
	other    *other
	press    float64 // share of the memory's bandwidth that other devices take in some times
	pressed  []int64 // when they begin and end, in turn
}

// clockPolicy is what sets the GPU's clock.
type clockPolicy struct {
	period   float64 // ns between two looks; 0 is a fixed clock
	start    int
	jump     bool // goes to what the load needs at once, as simple_ondemand does; else a step at a time
	up, down float64
	floor    int // steps that the policy of the system allows
	ceiling  int // -1 is all
	hot      *heat
	power    *powerLimit
	idle     float64 // share of power without work
}

// heat is one mass that warms up, with a trip above which steps are taken away.
type heat struct {
	start, ambient, trip, rise float64 // °C; rise is at full power
	time                       float64 // ns
	hold                       float64 // °C below the trip at which a step is given back
	allowed                    int     // steps that are left at first; 0 is all
}

// powerLimit takes steps away while the mean power, as a share of the full, is above the limit.
type powerLimit struct {
	limit, window float64
	allowed       int
}

func drawClock(r simulate.Random, steps int) clockPolicy {
	c := clockPolicy{period: simulate.Pick(r, 8e6, 16e6, 20e6, 50e6, 100e6), jump: r.Chance(0.5), up: r.Between(0.75, 0.95),
		ceiling: -1, idle: r.Between(0.08, 0.3)}
	c.down = c.up - r.Between(0.15, 0.35)
	c.start = steps - 1
	if r.Chance(0.4) {
		c.start = r.IntN(steps)
	}
	if r.Chance(0.3) {
		c.period = 0
		c.start = steps - 1
	}
	if c.period > 0 && r.Chance(0.5) {
		c.floor = r.IntN(1 + steps/2)
		c.start = max(c.start, c.floor)
	}
	return c
}

// governor is a clock during a simulation.
type governor struct {
	p       *clockPolicy
	steps   []float64
	step    int
	allowed int // the highest step that heat and power leave
	byHeat  bool
	next    int64
	temp    float64
	watts   float64
	busy    float64  // ns since the last look
	held    [3]int64 // by policy, heat, power
}

func (g *governor) reset(m *machine, top bool) {
	*g = governor{p: &m.clock, steps: m.steps, allowed: len(m.steps) - 1, step: m.clock.start, next: never}
	if top {
		g.step = len(m.steps) - 1
		return
	}
	if g.p.ceiling >= 0 {
		g.step = min(g.step, g.p.ceiling)
	}
	if g.p.period > 0 {
		g.next = int64(g.p.period)
	}
	if h := g.p.hot; h != nil {
		if g.temp = h.start; h.allowed > 0 {
			g.allowed, g.byHeat = h.allowed, true
		}
	}
	if l := g.p.power; l != nil {
		if g.watts = l.limit; l.allowed > 0 {
			g.allowed = l.allowed
		}
	}
}

func (g *governor) now() int { return min(g.step, g.allowed) }

// look decides on the clock, and reports whether it changed.
func (g *governor) look() bool {
	p, before, top := g.p, g.now(), len(g.steps)-1
	busy := min(1, g.busy/p.period)
	g.busy = 0
	g.next += int64(p.period)
	share := g.steps[before] / g.steps[top]
	if before < top {
		switch {
		case g.allowed > g.step || g.allowed == top:
			g.held[0] += int64(p.period)
		case g.byHeat:
			g.held[1] += int64(p.period)
		default:
			g.held[2] += int64(p.period)
		}
	}
	power := share * share * (0.4 + 0.6*share) * (p.idle + (1-p.idle)*busy)
	if h := p.hot; h != nil {
		g.temp += (h.ambient + h.rise*power - g.temp) * min(1, p.period/h.time)
		switch {
		case g.temp > h.trip && g.allowed > 0:
			g.allowed, g.byHeat = max(0, min(g.allowed, g.step)-1), true
		case g.temp < h.trip-h.hold && g.allowed < top:
			g.allowed++
		}
	}
	if l := p.power; l != nil {
		g.watts += (power - g.watts) * min(1, p.period/l.window)
		switch {
		case g.watts > l.limit && g.allowed > 0:
			g.allowed, g.byHeat = max(0, min(g.allowed, g.step)-1), false
		case g.watts < 0.93*l.limit && g.allowed < top:
			g.allowed++
		}
	}
	most := top
	if p.ceiling >= 0 {
		most = p.ceiling
	}
	switch {
	case busy > p.up && p.jump:
		g.step = most
	case busy > p.up:
		g.step = min(most, g.step+1)
	case busy < p.down && p.jump:
		need := busy * g.steps[g.now()] / p.up
		for g.step = p.floor; g.step < most && g.steps[g.step] < need; g.step++ {
		}
	case busy < p.down:
		g.step = max(p.floor, g.step-1)
	}
	return g.now() != before
}

// cause is what held the clock below its highest for longest.
func (g *governor) cause(total int64) (c simulate.Candidate, ok bool) {
	list := [3]simulate.Candidate{simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower}
	best := 0
	for i, ns := range g.held {
		if ns > g.held[best] {
			best = i
		}
	}
	return list[best], g.held[best]*50 > total
}

const never = int64(1) << 62
