package amd

import "math"

// rates works out how fast everything flows now.
func (e *engine) rates() {
	factor := 1 + e.p.m.latLoad*e.load*e.load*e.load
	if e.r.cause == causeLatency || e.r.gpu {
		factor /= faster
	}
	slow, memory := factor/e.clock.share, factor*(0.7+0.3/e.p.m.memShare) // most of it is not of the memory's clock
	for i := range e.act {
		a := &e.act[i]
		if !a.begun {
			continue
		}
		for k := range a.n {
			f := &a.f[k]
			f.rate = 0
			if f.done >= 1 || k == 1 && !a.f[0].finished() && a.f[0].done < a.j.lag {
				continue
			}
			s := f.s
			by := a.scale * a.ease
			row := &s.mods[f.knot]
			sum, top := 0.0, 0.0
			for _, u := range s.used {
				x := s.work[u] * by * row[u] * e.per[u]
				f.cost[u] = x
				if x > top {
					top, f.limit = x, u
				}
			}
			f.lat = by * row[causeLatency] * (s.latCore*slow + s.latMem*memory)
			if f.lat > top {
				top, f.limit = f.lat, causeLatency
			}
			for _, u := range s.used {
				sum += power(f.cost[u]/top, s.soft)
			}
			sum += power(f.lat/top, s.soft)
			f.rate = 1 / (top * root(sum, s.soft))
		}
	}
	e.couple(true)
	for range 6 {
		clear(e.use[:])
		for i := range e.act {
			for k := range e.act[i].n {
				if f := &e.act[i].f[k]; f.rate > 0 {
					for _, u := range f.s.used {
						e.use[u] += f.rate * f.cost[u]
					}
				}
			}
		}
		worst := 0
		for u := range e.use {
			if e.use[u] > e.use[worst] {
				worst = u
			}
		}
		over := e.use[worst]
		if over <= 1.0005 {
			break
		}
		for i := range e.act {
			for k := range e.act[i].n {
				if f := &e.act[i].f[k]; f.rate > 0 && f.cost[worst] > 0 {
					if f.rate*f.cost[worst] > 0.1 {
						f.limit = uint8(worst)
					}
					f.rate /= over
				}
			}
		}
	}
	e.couple(false)
}

func (f *flow) finished() bool { return f.done >= 1 }

// power and root are of few powers of two, so that they are exact to the last bit everywhere.
func power(x float64, soft int) float64 {
	for range soft {
		x *= x
	}
	return x
}

func root(x float64, soft int) float64 {
	for range soft {
		x = math.Sqrt(x)
	}
	return x
}

// couple holds the flows of a job to what lies between them.
func (e *engine) couple(begin bool) {
	const near = 1e-9
	for i := range e.act {
		a := &e.act[i]
		if begin {
			a.starved, a.held = false, false
		}
		if a.n < 2 || a.f[0].finished() || !a.begun {
			continue
		}
		g, p := &a.f[0], &a.f[1]
		lead := g.done - p.done
		switch {
		case g.done < a.j.lag:
			a.starved = true
		case lead <= a.j.lag+near && p.rate >= g.rate:
			a.starved = true
			p.rate = min(p.rate, g.rate)
		case lead >= a.j.room-near && g.rate >= p.rate:
			a.held = true
			g.rate = min(g.rate, p.rate)
		}
	}
}

// until is the ns to the next change of a flow.
func (e *engine) until() int64 {
	best := math.Inf(1)
	for i := range e.act {
		a := &e.act[i]
		for k := range a.n {
			f := &a.f[k]
			if f.rate > 0 {
				best = min(best, (float64(f.knot+1)/float64(len(f.s.mods))-f.done)/f.rate)
			}
		}
		if a.n < 2 || a.f[0].finished() {
			continue
		}
		g, p := &a.f[0], &a.f[1]
		switch lead := g.done - p.done; {
		case g.done < a.j.lag:
			if g.rate > 0 {
				best = min(best, (a.j.lag-g.done)/g.rate)
			}
		case p.rate > g.rate && !a.starved:
			best = min(best, (lead-a.j.lag)/(p.rate-g.rate))
		case g.rate > p.rate && !a.held:
			best = min(best, (a.j.room-lead)/(g.rate-p.rate))
		}
	}
	if math.IsInf(best, 1) || best > 1e15 {
		return math.MaxInt64 / 4
	}
	return max(1, int64(best)+1)
}
