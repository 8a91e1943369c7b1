package mali

import "math"

// setClock changes the clock. What is under way keeps the clock it began with.
func (s *sim) setClock(share float64) {
	best := s.steps[0]
	for _, x := range s.steps {
		if x <= share+1e-9 {
			best = x
		}
	}
	if best != s.share || len(s.clock) == 0 {
		s.clock = append(s.clock, clockSpan{s.now, best, s.degrees})
	}
	s.share = best
}

// govern decides on the clock from the load since it last did, and from heat and power.
func (s *sim) govern() {
	h := &s.heat
	if s.working > 0 {
		s.busy += s.now - s.since
		s.since = s.now
	}
	load := float64(s.busy) / float64(h.tick)
	cpu := min(2, float64(s.cpuBusy)/float64(h.tick))
	s.busy, s.cpuBusy = 0, 0

	// Power goes with the clock and the square of a voltage that rises with it.
	v := 0.6 + 0.4*s.share
	gpu := s.idleWatts + h.atTop*s.share*v*v*load
	s.degrees += (h.ambient + h.ohm*(gpu+h.cpuWatts*cpu) - s.degrees) * (1 - math.Exp(-float64(h.tick)/h.tau))
	s.hot = 1
	if h.trip > 0 && !s.free[thermal] {
		// What the chip can lose at the trip point, and more or less as it is below or above it.
		s.hot = s.within((h.trip-h.ambient)/h.ohm+0.12*h.atTop*(h.trip-s.degrees), cpu, load)
	}
	if h.watts > 0 && !s.free[power] {
		s.poor = s.within(h.watts, cpu, load)
	} else {
		s.poor = 1
	}
	want := s.share
	switch {
	case h.always || s.free[governor]:
		want = 1
	case load > h.up && h.slowUp:
		want = min(h.top, s.above(s.share))
	case load > h.up:
		want = h.top
	case load < h.down:
		// The lowest clock at which the load would be in the middle of what the governor aims at.
		need := s.share * load / (0.5 * (h.up + h.down))
		want = s.steps[len(s.steps)-1]
		for i := len(s.steps) - 1; i >= 0 && s.steps[i] >= need; i-- {
			want = s.steps[i]
		}
		want = min(want, h.top)
	}
	s.why = governor
	if s.hot < want {
		want, s.why = s.hot, thermal
	}
	if s.poor < want {
		want, s.why = s.poor, power
	}
	s.setClock(want)
}

func (s *sim) above(x float64) float64 {
	for _, y := range s.steps {
		if y > x+1e-9 {
			return y
		}
	}
	return s.steps[len(s.steps)-1]
}

// within is the highest clock whose power is within a budget.
func (s *sim) within(watts, cpu, load float64) float64 {
	best := s.steps[0]
	for _, x := range s.steps {
		u := 0.6 + 0.4*x
		if s.heat.cpuWatts*cpu+s.idleWatts+s.heat.atTop*x*u*u*min(1, load*1.05) <= watts {
			best = x
		}
	}
	return best
}

// note closes what is open at the end.
func (s *sim) note() {
	if s.working > 0 {
		s.busySpan[len(s.busySpan)-1].end = s.now
	}
}

// cyclesAt is how many cycles the GPU's clock has made.
func (s *sim) cyclesAt(t int64) float64 {
	sum := 0.0
	for i, c := range s.clock {
		end := t
		if i+1 < len(s.clock) {
			end = min(t, s.clock[i+1].at)
		}
		if end > c.at {
			sum += float64(end-c.at) * c.share
		}
	}
	return sum * s.maxHz / 1e9
}
