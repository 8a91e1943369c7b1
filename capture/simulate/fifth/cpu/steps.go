package cpu

import "astrolabe/capture/simulate"

// dispatch puts threads that are ready on CPUs that are idle: the one where it ran last, else the fastest.
func (s *sim) dispatch() {
	for len(s.queue) > 0 {
		t := s.queue[0]
		th := &s.ths[t]
		best := -1
		for i := range s.cpus {
			if s.cpus[i].thread >= 0 {
				continue
			}
			other := s.p.threads[t].other
			switch {
			case best < 0:
				best = i
			case s.m.cpus[i] != s.m.cpus[best]:
				if (s.m.cpus[i] < s.m.cpus[best]) != other {
					best = i
				}
			case i == th.cpu:
				best = i
			}
		}
		if best < 0 {
			if best = s.victim(t); best < 0 {
				return
			}
			s.preempt(best)
		}
		s.queue = s.queue[1:]
		c := &s.cpus[best]
		if th.woken < s.now && c.free > 0 { // it waited until the CPU was free
			th.node = c.free
		}
		if s.rec != nil {
			if c.freed < s.now {
				s.rec.switched(best, false)
			}
			if best != th.cpu {
				s.rec.moved(best, !s.p.threads[t].other)
			}
		}
		c.thread, c.start = t, s.now
		th.state, th.cpu, th.since = running, best, s.now
		th.swap = s.m.swap
		s.dirty = true
		if !th.busy && !th.spins {
			s.step(t)
		}
	}
}

// victim is a CPU that runs a thread of low priority, which a thread that just woke takes it from; -1 where there is none.
func (s *sim) victim(t int) int {
	if s.p.threads[t].nice || !s.ths[t].slept {
		return -1
	}
	for i := range s.cpus {
		if s.p.threads[s.cpus[i].thread].nice {
			return i
		}
	}
	return -1
}

// block takes a thread from its CPU.
func (s *sim) block(t int) {
	th := &s.ths[t]
	th.state = blocked
	s.vacate(th.cpu, th.node)
}

// step takes a running thread to its next operation that takes time.
func (s *sim) step(t int) {
	th, spec := &s.ths[t], &s.p.threads[t]
	for {
		var o op
		switch {
		case th.jpc < len(th.job):
			o = th.job[th.jpc]
			th.jpc++
		case th.pc < len(spec.ops):
			o = spec.ops[th.pc]
			th.pc++
		case spec.other:
			th.pc = 0
			continue
		default:
			th.state = ended
			s.vacate(th.cpu, th.node)
			return
		}
		switch o.do {
		case opRun:
			th.seg, th.rem, th.busy, s.dirty = o.what, o.x, true, true
			return
		case opTake:
			if n := s.pools[o.what]; n < len(s.p.pools[o.what]) {
				s.pools[o.what]++
				th.job, th.jpc = s.p.pools[o.what][n], 0
				th.pc--
			}
		case opBegin:
			s.begun = append(s.begun, s.now)
		case opDone:
			s.done = append(s.done, frame{s.now, th.node})
			if len(s.done) >= s.p.frames {
				return
			}
		case opLock:
			if !s.acquire(t, o.what) {
				return
			}
		case opUnlock:
			s.release(t, o.what)
		case opPost:
			x := &s.sems[o.what]
			if len(x.waiters) > 0 {
				s.wake(x.waiters[0], th.node)
				x.waiters = x.waiters[1:]
			} else {
				x.count++
			}
		case opWait:
			if x := &s.sems[o.what]; x.count > 0 {
				x.count--
			} else {
				x.waiters = append(x.waiters, t)
				s.block(t)
				return
			}
		case opBarrier:
			if s.left[o.what]--; s.left[o.what] > 0 {
				th.date = int32(-2 - o.what)
				s.block(t)
				return
			}
			s.left[o.what] = s.p.barriers[o.what]
			for i := range s.ths {
				if x := &s.ths[i]; x.state == blocked && x.date == int32(-2-o.what) {
					x.date = -1
					s.wake(i, th.node)
				}
			}
		case opIO:
			s.request(t, o.what, o.x)
			return
		case opDate:
			if s.untilDate(t, o.what) {
				return
			}
		}
	}
}

func (s *sim) acquire(t, which int) bool {
	l, th := &s.locks[which], &s.ths[t]
	if s.r.lock {
		return true
	}
	if l.owner < 0 {
		l.owner = t
		th.held++
		return true
	}
	l.waiters = append(l.waiters, t)
	if s.p.locks[which].spins {
		th.spins, s.dirty = true, true
		return false
	}
	s.block(t)
	return false
}

func (s *sim) release(t, which int) {
	if s.r.lock {
		return
	}
	l := &s.locks[which]
	s.ths[t].held--
	l.owner = -1
	if len(l.waiters) == 0 {
		return
	}
	next := l.waiters[0]
	l.waiters = l.waiters[1:]
	l.owner = next
	n := &s.ths[next]
	n.held++
	if n.spins {
		n.spins, s.dirty = false, true
		n.node, n.since, n.spent = s.ths[t].node, s.now, [parts + 1]float64{}
		n.rem, n.busy, n.seg, n.swap = 1, true, max(0, n.seg), 0
		return
	}
	s.wake(next, s.ths[t].node)
}

// request lets a device serve a thread.
func (s *sim) request(t, device int, ns float64) {
	th := &s.ths[t]
	if s.r.io {
		ns /= faster
	}
	best := &s.slots[device][0]
	for i := range s.slots[device] {
		if x := &s.slots[device][i]; x.free < best.free {
			best = x
		}
	}
	from, node := s.now, th.node
	if best.free > s.now {
		from, node = best.free, best.node
	}
	best.free = from + int64(ns) + 1
	best.node = s.path.At(best.free, byIO, simulate.NoQueue, node)
	before := th.node
	s.block(t)
	s.cpus[th.cpu].free = before
	th.node, th.wakeAt, th.inIO = best.node, best.free, true
}

// untilDate lets a thread wait for its timer's next date, and reports whether it has to.
func (s *sim) untilDate(t, which int) bool {
	d, spec := &s.dates[which], &s.p.timers[which]
	th := &s.ths[t]
	at := d.next
	node := s.dateNode(which)
	if at > s.now {
		th.wakeAt, th.date, th.dated = at, int32(which), node
		s.block(t)
		return true
	}
	if !spec.other && s.now > at {
		s.missed = append(s.missed, s.now)
	}
	if s.now > d.next { // what is lost is not caught up
		d.next += ((s.now-d.next)/spec.period + 1) * spec.period
		d.node = th.node
	}
	return false
}

// dateNode is the event of a date. A date comes because the one before was.
func (s *sim) dateNode(which int) int32 {
	d := &s.dates[which]
	d.node = s.path.At(d.next, byTimer, simulate.NoQueue, d.node)
	d.next += s.p.timers[which].period
	return d.node
}
