package mali

import "math"

// advance lets time pass until something changes, at the latest at wake.
func (s *sim) advance(wake float64) {
	used := s.settle()
	until := min(wake, s.decision)
	for i := range s.active {
		a := &s.active[i]
		until = min(until, s.t+a.left/a.rate)
	}
	dt := max(until-s.t, 0)
	if len(s.active) > 0 {
		s.busy += dt
	}
	var seg segment
	if s.record {
		seg = segment{start: s.t, end: until, clock: s.clock, used: used, parts: make([]part, 0, len(s.active))}
		for q := range queues {
			c := s.next[q]
			seg.pending[q] = c.frame < len(s.p.frames) && s.handed(c.frame, c.job) <= s.t
		}
	}
	s.t = until
	keep := s.active[:0]
	for _, a := range s.active {
		done := min(a.left, a.rate*dt)
		if a.left <= a.rate*(dt+1e-12) { // less than a double can tell apart
			done = a.left
		}
		a.left -= done
		n := &s.nodes[a.node]
		s.blame(n, a.limit, dt)
		c := &a.spec.chunks[a.chunk]
		if s.record {
			seg.parts = append(seg.parts, part{chunk: c, queue: a.spec.queue, share: done * a.scale, rate: a.rate * a.scale,
				limit: a.limit, done: a.left == 0 && a.chunk == len(a.spec.chunks)-1})
		}
		if a.left > 0 {
			keep = append(keep, a)
			continue
		}
		if a.chunk++; a.chunk == len(a.spec.chunks) {
			n.end = s.t
			if n.freed == 0 {
				n.freed = s.t
			}
			s.finish(&a)
			continue
		}
		a.left = 1
		if a.spec.chunks[a.chunk].tail {
			a.tail, n.freed = true, s.t
		}
		keep = append(keep, a)
	}
	s.active = keep
	if s.record && dt > 0 {
		s.segments = append(s.segments, seg)
	}
	if s.t >= s.appEnd {
		s.app, s.appEnd = s.app+1, never
	}
	if s.t >= s.driverEnd {
		s.driver, s.driverEnd = s.driver+1, never
	}
	if s.t >= s.decision {
		s.govern()
	}
}

// blame says what the time of a job went to. A clock that is held below its highest has its share of what runs at it.
func (s *sim) blame(n *node, l leaf, dt float64) {
	if l < resources && l.clocked() && s.clock < 1 {
		by := governor
		if s.p.limit > 0 && !s.r.lifted[s.p.holder] && s.clock >= s.p.limit*0.9 {
			by = s.p.holder
		}
		n.times[by] += dt * (1 - s.clock)
		dt *= s.clock
	}
	n.times[l] += dt
}

// finish ends a job, and the frame with its last.
func (s *sim) finish(a *running) {
	o := &s.out[a.frame]
	if o.left--; o.left > 0 {
		return
	}
	o.gpuEnd, o.endNode = s.t, a.node
	p := &s.p.pacing
	n := node{start: s.t, cause: a.node, gap: p.side}
	at := max(s.t, s.p.frames[a.frame].due)
	if a.frame > 0 {
		if before := &s.out[a.frame-1]; before.at > at {
			at = before.at // frames of several queues may end out of order
		}
	}
	if p.refresh > 0 {
		if a.frame > 0 {
			if before := &s.out[a.frame-1]; before.at+0.5*p.refresh > at {
				at = before.at + 0.5*p.refresh
				if before.at > s.t {
					n.start, n.cause = before.at, before.shownNode
				}
			}
		}
		at = math.Ceil(at/p.refresh-1e-6) * p.refresh
	}
	n.end = at
	n.times[p.side] = n.end - n.start
	o.at, o.shownNode = at, s.add(n)
}

// settle finds how fast the active jobs are, and how much of each resource they use.
//
// A job alone is as fast as its resources let it, less what they wait for each other: the norm of what each alone would
// take. Several at once share each resource evenly until it is used up.
func (s *sim) settle() (used [resources]float64) {
	type wanted struct {
		loads [resources]float64
		alone float64 // shares per second
	}
	var want [2 * queues]wanted
	if len(s.active) > len(want) {
		panic("mali: more jobs at work than queues can have")
	}
	slow := 1 / s.clock
	var together [resources]float64 // what all would use of each resource, each as fast as alone
	for i := range s.active {
		a, w := &s.active[i], &want[i]
		c := &a.spec.chunks[a.chunk]
		if c.fixed > 0 {
			a.rate, a.limit = 1/max(c.fixed*(1-s.r.spared[overhead]), 1e-9), overhead
			continue
		}
		for l := range resources {
			t := c.loads[l] * a.scale
			switch {
			case l.clocked():
				t *= slow
			case l == bandwidth: // at a low clock the bus carries less than the memory gives
				t *= max(1, s.p.m.dram*slow/s.p.m.wires())
			}
			if f := s.r.faster[l]; f > 0 {
				t /= f
			}
			if l.ofCore() {
				t /= c.width
			}
			w.loads[l] = t
		}
		alone := 1 / max(norm(&w.loads, a.spec.squares), 1e-12)
		for l := range resources {
			together[l] += w.loads[l] * alone
		}
	}
	// Reads wait longer where many are under way.
	u := together[bandwidth] / max(1, together[largest(&together)])
	crowd := 1 + 0.2*u + 0.6*u*u*u*u
	for i := range s.active {
		a, w := &s.active[i], &want[i]
		c := &a.spec.chunks[a.chunk]
		if c.fixed > 0 {
			continue
		}
		wait := c.loads[latency] * a.scale
		w.loads[latency] = wait * (c.dram*crowd + (1-c.dram)*slow) / c.width * (1 - s.r.spared[latency])
		w.alone = 1 / max(norm(&w.loads, a.spec.squares), 1e-12)
		a.rate, a.limit = 0, open
	}
	// All rise together, each at its own pace, until a resource is used up: who needs it rises no more.
	level := 0.0
	for range len(s.active) + 1 {
		var slope [resources]float64
		rising := false
		for i := range s.active {
			if a := &s.active[i]; a.limit == open {
				rising = true
				for l := range resources {
					slope[l] += want[i].alone * want[i].loads[l]
				}
			}
		}
		if !rising {
			break
		}
		step, full := 1-level, resources
		for l := range resources {
			if slope[l] > 0 {
				if room := (1 - used[l]) / slope[l]; room < step {
					step, full = max(room, 0), l
				}
			}
		}
		level += step
		for l := range resources {
			used[l] += step * slope[l]
		}
		for i := range s.active {
			a := &s.active[i]
			if a.limit != open {
				continue
			}
			a.rate += step * want[i].alone
			switch {
			case full == resources: // as fast as alone
				a.limit = largest(&want[i].loads)
			case want[i].loads[full] > 0:
				a.limit = full
			}
		}
	}
	for i := range s.active { // a resource that is used up by others leaves a trickle
		if a := &s.active[i]; a.limit != overhead {
			a.rate = max(a.rate, 0.02*want[i].alone)
		}
	}
	return used
}

// norm is the norm of order 2^squares.
func norm(loads *[resources]float64, squares int) float64 {
	most := 0.0
	for _, x := range loads {
		most = max(most, x)
	}
	if most == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range loads {
		x /= most
		if x < 0.2 {
			continue
		}
		for range squares {
			x *= x
		}
		sum += x
	}
	for range squares {
		sum = math.Sqrt(sum)
	}
	return most * sum
}

func largest(loads *[resources]float64) leaf {
	best := leaf(0)
	for l := range resources {
		if loads[l] > loads[best] {
			best = l
		}
	}
	return best
}

// govern chooses the clock by how busy the GPU was, as frequency drivers of the kernel do.
func (s *sim) govern() {
	p := s.p
	share := s.busy / p.tick
	top := s.ceiling(s.t)
	target := top
	if share < p.eager && !s.r.lifted[governor] {
		target = min(top, s.clock*share/(p.eager-0.07))
	}
	s.clock = top
	for i := len(p.m.steps) - 1; i >= 0; i-- {
		if step := p.m.steps[i]; step >= target && step < s.clock {
			s.clock = step
		}
	}
	s.busy, s.decision = 0, s.decision+p.tick
}
