package mali

import "math"

// rates finds how fast each pass goes beside the others. What one leaves of a resource the others may have, and each
// has a fair part at least.
func (e *engine) rates() {
	e.dirty = false
	e.rate = e.rate[:0]
	var ts [queues][resources]float64
	sharing := 0
	for i := range e.run {
		a := &e.run[i]
		e.rate = append(e.rate, 0)
		a.use, a.longest = [resources]float64{}, 0
		if a.launching {
			continue
		}
		sharing++
		ts[i] = e.t[e.p.of[a.frame]][a.pass][a.chunk]
		size := e.p.gpu[a.frame]
		for r := range ts[i] {
			ts[i][r] *= size
			if clocked(r) {
				ts[i][r] /= e.share
			}
		}
	}
	if sharing == 0 {
		e.memory = 0
		return
	}
	fair := 1 / float64(sharing)
	e.memory = 0
	for round := range 10 {
		moved := 0.0
		queue := crowding(e.memory)
		memory := 0.0
		for i := range e.run {
			a := &e.run[i]
			if a.launching {
				continue
			}
			sum, longest := 0.0, 0.0
			for r, t := range ts[i] {
				if t == 0 {
					continue
				}
				if r == rLatency {
					t *= queue
				}
				others := 0.0
				for k := range e.run {
					if k != i {
						others += e.run[k].use[r]
					}
				}
				t /= max(fair, 1-others)
				longest = max(longest, t)
				sum += power6(t)
			}
			whole := root6(sum)
			rate := 1 / whole
			if round > 0 {
				rate = 0.5 * (rate + e.rate[i])
				moved = max(moved, math.Abs(rate/e.rate[i]-1))
			}
			e.rate[i], a.longest = rate, longest*rate
			for r, t := range ts[i] {
				if r == rLatency {
					t *= queue
				}
				a.use[r] = rate * t
			}
			memory += a.use[rBandwidth]
		}
		e.memory = memory
		if round > 0 && moved < 1e-3 {
			break
		}
	}
}

// crowding is how much longer reads take where memory is nearly full and they wait for each other.
func crowding(memory float64) float64 { return 1 + 2*power6(min(1, memory)) }

// bind gives the time since the last step to what each pass was bound by.
func (e *engine) bind(d float64) {
	for i := range e.run {
		a := &e.run[i]
		b := &e.frames[a.frame].passes[a.pass].bound
		if a.launching {
			b[bLaunch] += d
			continue
		}
		best, most := 0, -1.0
		for r := range a.use {
			taken := 0.0
			for k := range e.run {
				taken += e.run[k].use[r]
			}
			// Of a resource that several share, what all of them take of it counts.
			if v := taken; a.use[r] > 0.1 && v > most {
				best, most = r, v
			}
		}
		slow := 0.0
		if clocked(best) && e.share < 1 {
			slow = d * (1 - e.share)
			if e.capped() {
				b[bCap] += slow
			} else {
				b[bGovernor] += slow
			}
		}
		b[best] += d - slow
	}
}

// capped says whether the limit, and not the governor, holds the clock.
func (e *engine) capped() bool {
	caps := e.p.clock.caps
	return caps != nil && caps[int(e.now/capWindow+1e-9)%len(caps)] < min(e.target, e.p.clock.policy)
}
