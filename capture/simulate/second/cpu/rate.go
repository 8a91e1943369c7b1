package cpu

const mostMixes = 16

// load is what runs at an instant.
type load struct {
	counts [mostMixes]uint8
	clock  uint16 // steps of clockStep
}

const clockStep = 0.025

// speed is what a thread of each mix does under a load.
type speed struct {
	share  float64                      // of a processor that each has
	rate   [mostMixes]float64           // instructions per ns
	parts  [mostMixes][numParts]float64 // shares of the time, adding up to 1
	slower float64                      // latency of memory by that of idle memory
}

// solver finds speeds, and keeps them.
type solver struct {
	m     *machine
	mixes []mix
	r     *relief
	known map[load]*speed
}

func newSolver(m *machine, mixes []mix, r *relief) *solver {
	return &solver{m: m, mixes: mixes, r: r, known: map[load]*speed{}}
}

// queueing is how steeply latency grows with the load on memory.
const queueing = 0.14

// bound is how much of the waits for memory is for its bandwidth: all of them once it is nearly as loaded as can be.
func bound(slower float64) float64 {
	u := (slower - 1) / (slower - 1 + queueing)
	return max(0, min(1, (u-0.6)/0.3))
}

func (s *solver) at(l load) *speed {
	if v, ok := s.known[l]; ok {
		return v
	}
	n := 0.0
	for i := range s.mixes {
		n += float64(l.counts[i])
	}
	clock := float64(l.clock) * clockStep
	out := &speed{share: 1, slower: 1}
	free := float64(s.m.cpu.threads()) - s.m.others
	if n > free {
		out.share = free / n
	}
	sibling := 1.0
	if cores := float64(s.m.cpu.cores); s.m.cpu.smt && n+s.m.others > cores {
		// Of the threads some have a core to themselves; two on one do about 1.25 times the work of one.
		sharing := min(1, 2*(min(n+s.m.others, 2*cores)-cores)/min(n+s.m.others, 2*cores))
		sibling = 1 + 0.6*sharing
	}
	demand := func(slower float64) float64 {
		sum := s.m.background
		for i := range s.mixes {
			if l.counts[i] > 0 {
				_, cycles := s.m.cpu.cost(&s.mixes[i], s.r, clock, slower, sibling)
				sum += float64(l.counts[i]) * out.share * clock / cycles * s.mixes[i].traffic()
			}
		}
		return sum
	}
	capacity := s.m.cpu.bandwidth * s.r.bandwidth
	// The load on memory at which it is slower by just so much that this is the load: between none and what would be
	// without queues, by false position (Illinois).
	slower := func(u float64) float64 { return 1 + queueing*u/(1-u) }
	over := func(u float64) float64 { return demand(slower(u)) - capacity*u }
	lo, hi := 0.0, min(0.997, demand(1)/capacity)
	above, below := demand(1), over(hi)
	u := hi
	for range 24 {
		if below >= 0 || hi-lo < 1e-6 {
			break
		}
		u = (lo*below - hi*above) / (below - above)
		switch v := over(u); {
		case v > 1e-6*capacity:
			lo, above, below = u, v, below/2
		case v < -1e-6*capacity:
			hi, below, above = u, v, above/2
		default:
			lo, hi = u, u
		}
	}
	out.slower = slower(u)
	for i := range s.mixes {
		if l.counts[i] == 0 {
			continue
		}
		parts, cycles := s.m.cpu.cost(&s.mixes[i], s.r, clock, out.slower, sibling)
		out.rate[i] = out.share * clock / cycles
		for k := range parts {
			out.parts[i][k] = parts[k] / cycles
		}
	}
	s.known[l] = out
	return out
}
