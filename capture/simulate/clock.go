package simulate

// Clock is the GPU's clock and what sets it.
type Clock struct {
	Highest float64   // Hz
	Steps   []float64 // shares of the highest that it can have, ascending; the last is 1
	Start   int       // the step at first
	// Period is the ns between two looks of the governor; 0 leaves the clock where it starts.
	Period int64
	// Up and Down are the shares of busy time above which the governor takes the next step up, below which the next
	// down.
	Up, Down float64
	Heat     *Heat
	Power    *PowerLimit
}

// Heat is a thermal model of one mass with one resistance, and a governor that takes a step down above a temperature.
type Heat struct {
	Start, Ambient, Throttle float64 // °C
	Full                     float64 // W at the highest clock when always busy
	Resistance               float64 // °C/W
	Time                     float64 // ns of its time constant
}

// PowerLimit lets firmware take steps down while the mean power is above a limit.
type PowerLimit struct {
	Full, Limit float64 // W
	Window      float64 // ns over which power is averaged
}

// FixedClock is a clock that never changes.
func FixedClock(hz float64) Clock { return Clock{Highest: hz, Steps: []float64{1}} }

// held counts the ns that the clock was below its highest, by what held it there.
type held struct{ governor, thermal, power int64 }

// cause is what held the clock below its highest for longest; ok is false where nothing did for a noticeable time.
func (h *held) cause(total int64) (c Candidate, ok bool) {
	c, most := ClockGovernor, h.governor
	if h.thermal > most {
		c, most = ClockThermal, h.thermal
	}
	if h.power > most {
		c, most = ClockPower, h.power
	}
	return c, most*50 > total
}

// clockChange is a step of the clock at a time.
type clockChange struct {
	at    int64
	share float64
}

// clockState is the clock during a simulation.
type clockState struct {
	c       *Clock
	step    int
	ceiling int // the highest step that heat and power allow
	next    int64
	share   float64
	heat    float64
	watts   float64
	held    held
	byHeat  bool // the ceiling is heat's
	changes []clockChange

	// Busy time of the GPU: what was counted, up to which time, and how much of it lay before the last look.
	busy, edge, seen int64
}

func (s *clockState) reset(c *Clock, top bool) {
	changes := s.changes[:0]
	*s = clockState{c: c, step: c.Start, ceiling: len(c.Steps) - 1, next: 1 << 62, changes: changes}
	if c.Period > 0 && !top {
		s.next = c.Period
	}
	if c.Heat != nil {
		s.heat = c.Heat.Start
	}
	if top {
		s.step = len(c.Steps) - 1
	}
	s.set(0)
}

func (s *clockState) set(at int64) {
	s.share = s.c.Steps[min(s.step, s.ceiling)]
	s.changes = append(s.changes, clockChange{at, s.share})
}

// work notes that the GPU works from t0 to t1.
func (s *clockState) work(t0, t1 int64) {
	if t0 < s.edge {
		t0 = s.edge
	}
	if t1 > t0 {
		s.busy += t1 - t0
		s.edge = t1
	}
}

// look is one decision of the governor. It reports whether the clock changed.
func (s *clockState) look() bool {
	at, c := s.next, s.c
	s.next += c.Period
	before := s.busy - max(0, s.edge-at)
	busy := min(1, max(0, float64(before-s.seen)/float64(c.Period)))
	s.seen = before
	switch {
	case s.share >= 1:
	case s.ceiling < s.step && s.byHeat:
		s.held.thermal += c.Period
	case s.ceiling < s.step:
		s.held.power += c.Period
	default:
		s.held.governor += c.Period
	}
	// Power goes with the third power of the clock, as the voltage rises with it; a fifth of it flows without work.
	load := s.share * s.share * s.share * (0.2 + 0.8*busy)
	top := len(c.Steps) - 1
	if h := c.Heat; h != nil {
		settled := h.Ambient + h.Resistance*h.Full*load
		s.heat += (settled - s.heat) * min(1, float64(c.Period)/h.Time)
		switch {
		case s.heat > h.Throttle && s.ceiling > 0:
			s.ceiling, s.byHeat = min(s.ceiling, s.step)-1, true
			s.ceiling = max(0, s.ceiling)
		case s.heat < h.Throttle-1.5 && s.ceiling < top:
			s.ceiling++
		}
	}
	if p := c.Power; p != nil {
		s.watts += (p.Full*load - s.watts) * min(1, float64(c.Period)/p.Window)
		switch {
		case s.watts > p.Limit && s.ceiling > 0:
			s.ceiling, s.byHeat = max(0, min(s.ceiling, s.step)-1), false
		case s.watts < 0.9*p.Limit && s.ceiling < top:
			s.ceiling++
		}
	}
	switch {
	case busy > c.Up && s.step < top:
		s.step++
	case busy < c.Down && s.step > 0:
		s.step--
	}
	was := s.share
	if share := c.Steps[min(s.step, s.ceiling)]; share != was {
		s.set(at)
		return true
	}
	return false
}
