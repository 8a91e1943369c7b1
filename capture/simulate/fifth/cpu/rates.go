package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// cost is what code costs per instruction on a type of core at the clock of the moment.
type cost struct {
	cycles, core, branch, fetch float64 // cycles, those of the front end in full
	computing                   float64 // ns of all of these
	far                         float64 // misses by how many are under way at once
	near                        float64 // ns
	lines                       float64
	norm                        int
}

func (s *sim) costOf(seg *segment, typ int) cost {
	t := &s.m.types[typ]
	c := cost{core: seg.core * t.slow, branch: seg.wrong * s.m.wrong * t.slow, fetch: seg.fetch * t.slow,
		far: seg.misses / max(0.05, seg.parallel), near: seg.near, lines: seg.lines, norm: seg.norm}
	c.core = max(c.core, seg.uops/t.width*1.02)
	if typ > 0 {
		c.far *= 1.6 // fewer misses fit into a small core
	}
	if s.r.core {
		c.core /= faster
	}
	if s.r.branch {
		c.branch /= faster
	}
	if s.r.fetch {
		c.fetch /= faster
	}
	c.cycles = c.core + c.branch + c.fetch
	c.computing = c.cycles / (t.highest * s.share)
	return c
}

// time is the ns per instruction when a line takes so long.
func (c *cost) time(line float64) float64 { return together(c.norm, c.computing, c.near+c.far*line) }

// together is how long two things take of which the more of the shorter is hidden, the higher the norm.
func together(norm int, a, b float64) float64 {
	switch norm {
	case 2:
		return math.Sqrt(a*a + b*b)
	case 4:
		a, b = a*a, b*b
		return math.Sqrt(math.Sqrt(a*a + b*b))
	}
	return a + b
}

// rates finds how fast every running thread is, and how long memory takes when all of them are that fast.
func (s *sim) rates() {
	s.dirty = false
	base, capacity, k := s.m.latency, s.m.capacity, s.m.queueing
	if s.r.latency {
		base /= faster
	}
	if s.r.bandwidth {
		capacity, k = capacity*faster, k/faster
	}
	var buffer [32]cost
	var of [32]int
	n := 0
	for i := range s.cpus {
		t := s.cpus[i].thread
		if t < 0 {
			continue
		}
		c := s.costOf(s.segmentOf(&s.ths[t]), s.m.cpus[i])
		if s.r.latency {
			c.near /= faster
		}
		buffer[n], of[n] = c, i
		n++
	}
	demand := func(queued float64) float64 {
		sum := 0.0
		for j := range n {
			sum += buffer[j].lines / buffer[j].time(base+queued)
		}
		return sum * (1 - s.m.steal) / capacity
	}
	wait := func(u float64) float64 { return k * u * u * u / (1 - u) }
	u := demand(0)
	if u > 0.15 {
		lo, hi := 0.0, min(u, 0.9995)
		for range 14 {
			mid := (lo + hi) / 2
			if demand(wait(mid)) > mid {
				lo = mid
			} else {
				hi = mid
			}
		}
		u = hi
	}
	s.queued = wait(min(u, 0.9995))
	for j := range n {
		c, th := &buffer[j], &s.ths[s.cpus[of[j]].thread]
		late := c.near + c.far*(base+s.queued)
		t := c.time(base + s.queued)
		th.rate = (1 - s.m.steal) / t
		// By Euler's theorem the parts add up: each is how much the whole changes with it.
		computing, memory := c.computing/t, late/t
		switch c.norm {
		case 2:
			computing, memory = computing*computing, memory*memory
		case 4:
			computing *= computing
			memory *= memory
			computing, memory = computing*computing, memory*memory
		}
		th.share = [parts]float64{byCore: computing * c.core / c.cycles, byBranch: computing * c.branch / c.cycles,
			byFetch: computing * c.fetch / c.cycles}
		if late > 0 {
			th.share[byBandwidth] = memory * c.far * s.queued / late
			th.share[byLatency] = memory - th.share[byBandwidth]
		}
		if s.rec != nil {
			s.rec.rate(s, of[j], c, t, late, base+s.queued)
		}
	}
}

// segmentOf is the code that a thread runs now.
func (s *sim) segmentOf(th *threadState) *segment {
	if th.spins {
		return &s.p.segments[len(s.p.segments)-1]
	}
	return &s.p.segments[th.seg]
}

// govern looks at heat and power and sets the clock. All cores share it.
func (s *sim) govern() {
	c := &s.m.clock
	s.look += c.period
	ns := float64(s.now - s.looked)
	s.looked = s.now
	if ns <= 0 {
		return
	}
	power := c.idleWatts + s.busyNs/ns*s.share*s.share*s.share
	s.busyNs = 0
	if c.settle > 0 {
		s.heat += (c.ambient + c.perWatt*power - s.heat) * min(1, ns/c.settle)
	}
	least := s.m.types[0].least / s.m.types[0].highest
	was := s.share
	if c.limit > 0 {
		s.watts += (power - s.watts) * min(1, ns/c.window)
		switch {
		case s.watts > c.limit:
			s.share = max(least, s.share-c.step)
		case s.watts < 0.97*c.limit:
			s.share = min(1, s.share+c.step)
		}
	} else if c.cause == simulate.ClockThermal {
		s.watts = power
		switch {
		case s.heat > c.trip:
			s.share = max(least, s.share-c.step)
		case s.heat < c.trip-0.8:
			s.share = min(1, s.share+c.step)
		}
	}
	if s.share != was {
		s.dirty = true
		// Code under way goes on at the new speed; what it spent is on the path already in its shares.
	}
	s.changes = append(s.changes, change{s.now, s.share, s.heat, s.watts})
}
