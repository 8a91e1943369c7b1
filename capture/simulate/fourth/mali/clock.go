package mali

import "astrolabe/capture/simulate"

// Governors.
const (
	governHighest = iota // the highest clock that is allowed
	governDemand         // follows the load, up at once and down in proportion
	governStep           // a step up or down by two thresholds
	governThrifty        // a policy that keeps the clock low, whatever the load
	governors
)

// clockPlan is how the clock is set.
type clockPlan struct {
	governor  int
	tick      float64 // ns between decisions
	up, down  float64 // loads
	thrifty   int     // the step that a thrifty policy allows
	holder    simulate.Candidate
	ceiling   []int // by tick: the highest step that heat or power allow, nil where they do not hold it
	start     int
	hot, cold float64 // temperatures, for show
}

func drawClock(m *machine, r simulate.Random, governor int) clockPlan {
	c := clockPlan{governor: governor, tick: 1e6 * r.Between(8, 32), up: r.Between(0.75, 0.92), down: r.Between(0.45, 0.65),
		thrifty: len(m.steps) - 1, start: len(m.steps) - 1, cold: r.Between(38, 58), hot: r.Between(80, 98)}
	if governor == governDemand || governor == governStep {
		c.start = r.IntN(len(m.steps))
	}
	return c
}

// hold gives the plan a ceiling: heat moves it slowly, a budget of power at each decision.
func (c *clockPlan) hold(m *machine, by simulate.Candidate, r simulate.Random) {
	c.holder = by
	top := len(m.steps) - 1
	if by == simulate.ClockGovernor {
		c.governor = governThrifty
		c.thrifty = m.step(r.Between(0.35, 0.68))
		c.start = c.thrifty
		return
	}
	level := float64(m.step(r.Between(0.4, 0.72)))
	at := level
	keep := 0
	for range 400 {
		if by == simulate.ClockThermal {
			if keep--; keep < 0 {
				keep = r.Whole(4, 20)
				at = level + float64(r.Whole(-1, 1))
			}
		} else {
			at = level + float64(r.Whole(-1, 1))*float64(r.IntN(2))
		}
		c.ceiling = append(c.ceiling, int(min(max(at, 0), float64(top-1))))
	}
	c.start = c.ceiling[0]
}

// step is the lowest step of at least a share of the highest clock, below the highest.
func (m *machine) step(share float64) int {
	for i, s := range m.steps {
		if s >= share {
			return min(i, len(m.steps)-2)
		}
	}
	return len(m.steps) - 2
}

// decide is the next step, by the load since the last decision.
func (c *clockPlan) decide(m *machine, tick, now int, load float64, free simulate.Candidate) int {
	top := len(m.steps) - 1
	next := top
	governor := c.governor
	if free == simulate.ClockGovernor {
		governor = governHighest
	}
	switch governor {
	case governThrifty:
		next = c.thrifty
	case governDemand:
		next = now
		if load > c.up {
			next = top
		} else if load < c.up-0.1 {
			want := m.steps[now] * load / (c.up - 0.05)
			for next = 0; next < top && m.steps[next] < want; next++ {
			}
		}
	case governStep:
		next = now
		if load > c.up {
			next++
		} else if load < c.down {
			next--
		}
	}
	if c.ceiling != nil && free != c.holder {
		next = min(next, c.ceiling[tick%len(c.ceiling)])
	}
	return min(max(next, 0), top)
}
