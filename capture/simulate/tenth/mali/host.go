package mali

import "math"

// tryApp begins the application's work on the next frame, if nothing holds it back any more.
func (s *sim) tryApp() {
	f := s.appNext
	if s.appBusy || f >= s.frames {
		return
	}
	if f > 0 && !s.frame[f-1].driverBegan {
		return
	}
	needed := s.appRec
	if f > 0 {
		if r := s.frame[f-1].appDone; r < 0 {
			return
		}
		// The driver's begin was waited for, where it was late.
		if b := s.frame[f-1].driverBegin; b > s.endOf(needed) {
			needed = s.driverGate(f - 1)
		}
	}
	all := needed
	if s.contents[s.content(f)].wait && !s.free[syncWait] && f > 0 {
		done := s.frame[f-1].done
		if done < 0 {
			return
		}
		all = s.latest(all, done)
	}
	start := s.now
	over, free := int8(-1), int64(0)
	if all != needed {
		over, free = syncWait, s.endOf(needed)
	}
	if s.pace.cap > 0 && f > 0 {
		if s.nextDue > s.now {
			s.wakeAt(s.nextDue)
			return
		}
		if s.endOf(all) < s.nextDue {
			s.capRec = s.add(record{start: max(s.nextDue-s.pace.cap, s.endOf(s.capRec)), end: start, prev: s.capRec, leaf: limit, over: -1, queue: noQueue})
			all, over = s.capRec, -1
		}
	}
	if s.pace.asked != nil {
		at := s.pace.asked[f]
		if at > s.now {
			s.wakeAt(at)
			return
		}
		if s.endOf(all) < at {
			from := int64(0)
			if f > 0 {
				from = max(s.pace.asked[f-1], s.endOf(s.askRec))
			}
			s.askRec = s.add(record{start: from, end: start, prev: s.askRec, leaf: request, over: -1, queue: noQueue})
			all, over = s.askRec, -1
		}
	}
	if s.pace.cap > 0 {
		s.frame[f].due = max(s.nextDue, 0)
		if start > s.nextDue+s.pace.cap/8 {
			s.nextDue = start
		}
		if s.capRec < 0 || s.endOf(s.capRec) != start {
			// The next wait begins here, and what came before is what this waited for.
			s.capRec = all
		}
		s.nextDue += s.pace.cap
	}
	if s.pace.asked != nil {
		s.frame[f].due = s.pace.asked[f]
		if s.askRec < 0 || s.endOf(s.askRec) != start {
			s.askRec = all
		}
	}
	s.appNext++
	s.appBusy = true
	s.frame[f].begin = start
	took := int64(s.contents[s.content(f)].app*s.cpuScale[0][f]/s.speed[app]) + 1
	id := s.add(record{start: start, end: start + took, free: free, prev: all, leaf: app, over: over, queue: noQueue})
	s.cpuBusy += took
	if s.sink != nil {
		s.sink.cpu(0, start, start+took, 0.07)
	}
	s.push(start+took, appEnds, int32(f), 0, id)
}

func (s *sim) wakeAt(at int64) {
	if !s.waking {
		s.waking = true
		s.push(at, wake, 0, 0, -1)
	}
}

// driverGate is what the driver waited for last when it began a frame.
func (s *sim) driverGate(f int) int32 {
	if f == 0 {
		return s.frame[0].appDone
	}
	return s.latest(s.frame[f].appDone, s.driverEnd(f-1), s.buffer(f))
}

// driverEnd is the record that ended the driver's work on a frame.
func (s *sim) driverEnd(f int) int32 {
	j := s.jobOf[f+1] - 1
	return s.jobs[j].submit
}

// buffer is the record that gave a frame a place to draw to, -1 where there was always one.
func (s *sim) buffer(f int) int32 {
	if !s.pace.display {
		if f < s.pace.buffers {
			return -1
		}
		return s.frame[f-s.pace.buffers].done
	}
	if f < s.pace.buffers {
		return -1
	}
	return s.frame[f-s.pace.buffers+1].shown
}

func (s *sim) tryDriver() {
	f := s.driverNext
	if s.driverBusy || f >= s.frames || s.frame[f].appDone < 0 {
		return
	}
	gate := s.buffer(f)
	if gate < 0 && f >= s.pace.buffers {
		return
	}
	s.driverNext++
	s.driverBusy = true
	fs := &s.frame[f]
	fs.driverBegan, fs.driverBegin = true, s.now
	prev := s.latest(fs.appDone, s.driverRec, gate)
	c := s.contents[s.content(f)]
	took := c.driver * s.cpuScale[1][f] / s.speed[driver]
	at := s.now
	for k := range c.passes {
		end := s.now + int64(took*float64(k+1)/float64(len(c.passes))) + int64(k) + 1
		id := s.add(record{start: at, end: end, prev: prev, leaf: driver, over: -1, queue: noQueue})
		s.push(end, submitted, int32(f), int32(k), id)
		at, prev = end, id
	}
	s.cpuBusy += at - s.now
	if s.sink != nil {
		s.sink.cpu(1, s.now, at, c.system)
	}
	s.push(at, driverEnds, int32(f), 0, prev)
	s.tryApp()
}

// complete is the end of a frame's last job: it goes to the display, or to whoever waits for its fence.
func (s *sim) complete(f int) {
	if !s.pace.display {
		s.frame[f].shown, s.frame[f].shownAt = s.frame[f].done, s.now
		if f == s.frames-1 {
			s.finished = true
			return
		}
		s.tryDriver()
		s.tryApp()
		return
	}
	s.flip()
	s.tryApp()
}

// flip lets the display take the next frame, once the one before is shown.
func (s *sim) flip() {
	f := s.showNext
	if f >= s.frames || s.frame[f].done < 0 || f > 0 && s.frame[f-1].shown < 0 {
		return
	}
	done := s.frame[f].doneAt
	at, prev := done, s.frame[f].done
	last := int64(math.MinInt64 / 2)
	if f > 0 {
		last = s.frame[f-1].shownAt
	}
	if s.pace.adaptive {
		if last+s.pace.refresh > at {
			at, prev = last+s.pace.refresh, s.frame[f-1].shown
		}
	} else {
		n := (done + s.pace.refresh - 1) / s.pace.refresh
		at = n * s.pace.refresh
		if last >= at {
			at = last + s.pace.refresh
		}
		if f > 0 && last > done {
			prev = s.frame[f-1].shown
		}
	}
	s.showNext++
	start := s.endOf(prev)
	id := s.add(record{start: start, end: at, prev: prev, leaf: vsync, over: -1, queue: noQueue})
	s.push(at, shown, int32(f), 0, id)
}

func (s *sim) show(f int, rec int32) {
	s.frame[f].shown, s.frame[f].shownAt = rec, s.now
	s.lastShown = rec
	if f == s.frames-1 {
		s.finished = true
		return
	}
	s.flip()
	s.tryDriver()
	s.tryApp()
}
