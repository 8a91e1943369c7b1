package intel

import "math"

const clockPeriod = 5_000_000 // ns between two looks of the governor

// clockState is the clock, its governor and what the GPU takes and gives off. It moves in steps of 50 MHz.
type clockState struct {
	mhz         float64
	cause       uint8 // what holds it below the highest, 0 if nothing does
	next        int64
	busy, spent float64 // ns, and watts times ns, since the last look
	use         float64 // how busy the GPU was, smoothed
	watts, heat float64
	cool, tame  float64 // clocks that heat and power allow
}

func (c *clockState) reset(e *engine) {
	p := e.p
	l := &p.limits
	c.mhz, c.next, c.use = p.m.maxMHz, clockPeriod, 0.8
	c.cool, c.tame = c.mhz, c.mhz
	c.watts = l.idle
	if l.heat > 0 {
		c.heat = l.heat - 1.5
		c.cool = p.m.maxMHz * 0.75
	}
	if l.power > 0 {
		c.tame = p.m.maxMHz * 0.75
	}
	c.choose(e)
}

// work counts what the machine takes.
func (c *clockState) work(s *stretch, dt float64, busy bool, e *engine) {
	if busy {
		c.busy += dt
	}
	l := &e.p.limits
	load := 0.0
	for _, f := range s.flows {
		if f != nil {
			load += 0.35 + 0.35*f.used[sALU] + 0.2*f.used[sMem] + 0.1*f.used[sTex] + 0.1*f.used[sRT]
		}
	}
	for _, on := range s.launch {
		if on {
			load += 0.1
		}
	}
	v := s.mhz / e.p.m.maxMHz
	c.spent += dt * (l.idle + l.dynamic*math.Min(1, load)*v*v*v)
}

// look is the governor's decision.
func (c *clockState) look(e *engine, at int64) {
	l := &e.p.limits
	dt := float64(clockPeriod)
	use, watts := math.Min(1, c.busy/dt), c.spent/dt
	c.busy, c.spent = 0, 0
	c.use += 0.3 * (use - c.use)
	c.watts += 0.35 * (watts - c.watts)
	top := e.p.m.maxMHz
	if l.heat > 0 {
		c.heat += (l.ambient + l.perWatt*watts - c.heat) * dt / l.timeConst
		switch {
		case c.heat > l.heat:
			c.cool = math.Max(top*0.4, c.cool-50)
		case c.heat < l.heat-0.5:
			c.cool = math.Min(top, c.cool+50)
		}
	}
	if l.power > 0 {
		switch {
		case c.watts > l.power*1.01:
			c.tame = math.Max(top*0.35, c.tame-50)
		case c.watts < l.power*0.97:
			c.tame = math.Min(top, c.tame+50)
		}
	}
	c.choose(e)
	c.next = at - at%clockPeriod + clockPeriod
}

func (c *clockState) choose(e *engine) {
	p := e.p
	l := &p.limits
	top := p.m.maxMHz
	mhz, cause := top, uint8(0)
	if l.governor && !e.r.governor {
		want := top * l.favour
		if l.lazy > 0 {
			want = math.Min(want, math.Max(p.m.minMHz, top*c.use/l.lazy))
		}
		if want < mhz {
			mhz, cause = want, cGovernor
		}
	}
	if c.cool < mhz && l.heat > 0 && !e.r.thermal {
		mhz, cause = c.cool, cThermal
	}
	if c.tame < mhz && l.power > 0 && !e.r.power {
		mhz, cause = c.tame, cPower
	}
	c.mhz = math.Max(p.m.minMHz, math.Floor(mhz/50)*50)
	if c.mhz > top-50 {
		c.mhz, cause = top, 0
	}
	c.cause = cause
}
