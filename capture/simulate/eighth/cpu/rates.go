package cpu

import "astrolabe/capture/simulate"

// rates works out how fast every thread gets on: by who shares cores, the last level of cache and the memory's bus.
func (e *engine) rates() {
	e.changed = false
	m, n := e.s.m, 0
	for i := range e.cpus {
		if e.cpus[i].thread != nil {
			n++
		}
	}
	for i := range e.cpus {
		if t := e.cpus[i].thread; t != nil {
			t.class, t.m, t.ghz = &m.classes[m.cpus[i].class], e.missesOf(t.code, m.cpus[i].class, n), e.ghz(i)
		}
	}
	// A line waits longer the busier the bus is, and the longer it waits the less busy it is: found by halving.
	width := m.bandwidth / e.less(simulate.MemoryBandwidth)
	demand := func(load float64) (sum float64) {
		for i := range e.cpus {
			t := e.cpus[i].thread
			if t == nil {
				continue
			}
			at := conditions{ghz: t.ghz, waiting: 30 * load * load * load * load / (1 - load), llcNs: m.llcNs, memNs: m.memNs}
			if b := m.cpus[i].sibling; b >= 0 && e.cpus[b].thread != nil {
				at.beside = 0.4
				if y := e.cpus[b].thread; y.speed > 0 {
					at.beside = min(1, y.m.base*y.speed/y.ghz)
				}
			}
			t.s = stackOf(e.s.codes[t.code], t.class, t.m, &at, e.relief)
			t.speed = t.ghz / t.s.cycles()
			if !e.cpus[i].stolen {
				sum += t.speed * t.m.bytes / width
			}
		}
		return sum
	}
	if demand(0) < 0.12 {
		return
	}
	lo, hi := 0.0, 0.995
	for range 11 {
		if load := (lo + hi) / 2; demand(load) > load {
			lo = load
		} else {
			hi = load
		}
	}
}

// missesOf keeps what caches let through for so many threads that run.
func (e *engine) missesOf(code, class, running int) *misses {
	key := [3]int{code, class, running}
	m := e.known[key]
	if m == nil {
		p := e.s.codes[code]
		m = missesOf(p, &e.s.m.classes[class], e.s.m.llc/(1+float64(running-1)*(1-p.shared)))
		e.known[key] = m
	}
	return m
}
