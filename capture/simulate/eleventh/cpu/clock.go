package cpu

// Which limit holds a clock.
const (
	byNone = iota
	byGovernor
	byThermal
	byPower
)

// clock is the processor's: the least of what governor, heat and power budget leave, as a share of each core's highest.
type clock struct {
	m       *machine
	govern  float64
	thermal float64
	power   float64
	share   float64
	why     int
	heat    float64   // celsius
	watts   float64   // over the last tick
	joules  float64   // since the beginning
	used    []float64 // by CPU: of late, for the governor
	busyNs  []float64 // by CPU: in this tick
	heatOf  []float64 // by CPU: power of what it runs, times ns
	ticks   int
}

func (c *clock) begin(m *machine) {
	n := len(m.cpus)
	*c = clock{m: m, govern: 1, thermal: 1, power: 1, share: 1, heat: m.start,
		used: make([]float64, n), busyNs: make([]float64, n), heatOf: make([]float64, n)}
	switch m.policy {
	case ceiling:
		c.govern = m.ceiling
	case utilisation:
		c.govern = 0.6
	}
	if m.plantThermal > 0 {
		c.thermal = m.plantThermal
	}
	if m.plantPower > 0 {
		c.power = m.plantPower
	}
	c.settle(plain())
}

// settle finds the share that the limits leave.
func (c *clock) settle(r rates) {
	c.share, c.why = 1, byNone
	for _, x := range []struct {
		share float64
		off   bool
		why   int
	}{{c.govern, r.noGovern, byGovernor}, {c.thermal, r.noThermal, byThermal}, {c.power, r.noPower, byPower}} {
		if !x.off && x.share < c.share {
			c.share, c.why = x.share, x.why
		}
	}
	for _, d := range c.m.cpus {
		c.share = max(c.share, d.minHz/d.maxHz)
	}
}

// of is the clock of a CPU now, and what holds it.
func (c *clock) of(cpu int) (hz float64, why int) {
	return c.m.cpus[cpu].maxHz * c.share, c.why
}

// tick decides about the clock for the next stretch: power and heat follow from what ran, and the governor sees use.
func (c *clock) tick(r *run) {
	c.ticks++
	watts := c.m.uncore
	most := 0.0
	for i, d := range c.m.cpus {
		heat := 0.0
		if b := r.busy[i]; b != nil {
			heat = 1
			if b.at < len(b.script) && b.script[b.at].kind == stepRun {
				heat = b.script[b.at].work.heat
			}
			c.used[i] += (1 - c.used[i]) * 0.12
			watts += d.power(c.share, heat)
		} else {
			c.used[i] -= c.used[i] * 0.12
			watts += d.watts * idlePower
		}
		most = max(most, c.used[i])
	}
	c.watts += (watts - c.watts) * 0.3
	if c.ticks == 1 {
		c.watts = watts
	}
	const dt = tickNs / 1e9
	c.joules += watts * dt
	c.heat += (c.m.ambient + watts*c.m.degrees - c.heat) * dt / c.m.tau
	// Heat: steps down above the trip point, slowly up below it.
	switch {
	case c.heat > c.m.trip:
		c.thermal = max(0.2, c.thermal-0.008)
	case c.heat < c.m.trip-0.4:
		c.thermal = min(1, c.thermal+0.004)
	}
	over := c.watts / c.m.budget
	switch {
	case over > 1:
		c.power = max(0.2, min(c.power, c.share+0.02)*(1-0.12*min(1, over-1)))
	case over < 0.98:
		c.power = min(1, c.power+0.01*min(1, 1-over)/0.1)
	}
	if c.m.policy == utilisation {
		target := min(1, max(0.25, 1.25*most))
		if target > c.govern {
			c.govern = target
		} else if c.ticks%3 == 0 {
			c.govern += (target - c.govern) * 0.5
		}
	}
	c.settle(r.rates)
}
