package cpu

import "math"

// class is what decides how fast a thread goes, apart from the load on memory.
type class struct {
	cluster, code, beside int // beside is the code of the other thread of the core, -1 for none
}

// classOf is the class of the thread on a CPU.
func (s *sim) classOf(i int) class {
	site := s.m.sites[i]
	out := class{site.cluster, s.cpus[i].cur.code, -1}
	if o := site.sibling; o >= 0 && s.cpus[o].cur != nil {
		out.beside = s.cpus[o].cur.code
	}
	return out
}

// hash mixes a class with the clock of its cluster.
func (c class) hash(share float64) uint64 {
	h := math.Float64bits(share) ^ uint64(c.cluster+1)*0x9e3779b97f4a7c15 ^ uint64(c.code+1)*0x94d049bb133111eb
	h = (h ^ h>>31) * 0xff51afd7ed558ccd
	h ^= uint64(c.beside+2) * 0xc4ceb9fe1a85ec53
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// rates works out how fast every running thread goes, with what all of them make of the last level and of memory.
func (s *sim) rates() {
	s.dirty = false
	key := uint64(0)
	for i := range s.cpus {
		if s.cpus[i].cur != nil {
			c := s.classOf(i)
			key += c.hash(s.clk.share[c.cluster])
		}
	}
	mem, ok := s.memo[key]
	if !ok {
		mem = s.solve()
		s.memo[key] = mem
	}
	s.bytes = 0
	for i := range s.cpus {
		c := &s.cpus[i]
		if c.cur == nil {
			continue
		}
		c.p = s.pace(s.classOf(i), mem)
		c.speed = (1 - s.m.steal) / c.p.ns
		s.bytes += c.speed * c.p.lines * 64
	}
}

// pace is how fast threads of a class go.
func (s *sim) pace(c class, mem memoryState) pace {
	k := &s.m.clusters[c.cluster].core
	b := beside{hz: k.hz / 1e9 * s.clk.share[c.cluster], fit: mem.fit, queue: mem.queue}
	if c.beside >= 0 {
		b.press = s.press[c.cluster][c.beside]
	}
	return paceOf(s.codes[c.code], k, s.m, &s.r, b)
}

// solve finds the waits at memory that go with the traffic that they leave: the more of the bandwidth is in use, the
// longer a miss waits, as in a queue with one server, and the less traffic there is.
func (s *sim) solve() memoryState {
	sets := 0.0
	var list []class
	var count []float64
	seen := make([]bool, len(s.codes))
next:
	for i := range s.cpus {
		t := s.cpus[i].cur
		if t == nil {
			continue
		}
		if c := s.codes[t.code]; c.private || !seen[t.code] {
			seen[t.code] = true
			sets += c.set * (1 - c.cold)
		}
		c := s.classOf(i)
		for k := range list {
			if list[k] == c {
				count[k]++
				continue next
			}
		}
		list, count = append(list, c), append(count, 1)
	}
	out := memoryState{fit: 1}
	if sets > s.m.llc {
		out.fit = s.m.llc / sets
	}
	bandwidth := s.m.bandwidth / s.r.bandwidth
	// used is the share of the bandwidth that a wait of load/(1-load) leaves in use.
	used := func(ratio float64) float64 {
		out.queue = 0.11 * s.m.dramNs * ratio
		sum := 0.0
		for k, c := range list {
			p := s.pace(c, out)
			sum += count[k] * p.lines * 64 / p.ns
		}
		return sum * (1 - s.m.steal) / bandwidth
	}
	lo, hi := -10.0, 8.0 // logarithms of load/(1-load)
	if used(0) < 0.02 {
		out.queue = 0
		return out
	}
	for range 14 {
		mid := (lo + hi) / 2
		ratio := float64(float32(math.Exp(mid)))
		if used(ratio) > ratio/(1+ratio) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return out
}
