package amd

// pacing is what decides when frames begin and are shown.
type pacing struct {
	refresh  int64 // ns; 0 where pictures are shown at once
	adaptive bool  // the display waits for the picture, and refresh is its shortest time
	buffers  int
	cap      int64 // least ns between the starts of frames
	every    int64 // ns between requests for frames, about; 0 where nobody has to ask
	ahead    int   // frames that may be in the making
}

// event is when something happened, and its number in the path.
type event struct {
	at   int64
	node int32
}

func later(a, b event) event {
	if b.at > a.at {
		return b
	}
	return a
}

// host is how far the threads have come.
type host struct {
	frame, half       int
	app, driver, took event // when each thread is free, and when the driver began its last frame
	date              event // of the application's own limit
	shown             int
	last              [queues]jobState // that each queue ended
	work              []stint          // of threads
	seen              int              // stints before are over
}

// stint is a time in which a thread ran.
type stint struct {
	from, to int64
	thread   int
}

// spent is the threads' time in the ms before now.
func (h *host) spent(now int64) (ns float64) {
	for h.seen < len(h.work) && h.work[h.seen].to < now-20*tick {
		h.seen++
	}
	for i := h.seen; i < len(h.work); i++ {
		ns += float64(max(0, min(now, h.work[i].to)-max(now-tick, h.work[i].from)))
	}
	return ns
}

// advanceHost lets threads go on, and pictures be shown, as far as all that they wait for has happened.
func (s *sim) advanceHost() {
	for s.show(); s.host.frame < len(s.frames) && s.hostStep(); {
		s.show()
	}
}

// over is when a thread knows that a frame's jobs up to one are done; ok is false where that is still to come.
func (s *sim) over(f, last int) (out event, ok bool) {
	for j := range s.jobs[f][:last] {
		d := &s.jobs[f][j]
		if !d.done {
			return out, false
		}
		out = later(out, event{d.end, d.endNode})
	}
	out.at += int64(s.w.wake)
	out.node = s.path.At(out.at, cLaunch, noQueue, out.node)
	return out, true
}

// works lets a thread run from an event on.
func (s *sim) works(from event, ns float64, cause uint8, thread int) event {
	to := from.at + int64(ns)
	s.host.work = append(s.host.work, stint{from.at, to, thread})
	return event{to, s.path.At(to, cause, noQueue, from.node)}
}

func (s *sim) hostStep() bool {
	h, i := &s.host, s.host.frame
	fr, jobs := &s.w.frames[i], s.jobs[i]
	first, middle, last := 0, (len(jobs)+1)/2, len(jobs)
	share, lo, hi := 1.0, 0.0, 1.0
	at, ok := h.app, true
	if h.half == 0 {
		at, ok = s.frameStart()
	} else if e, done := s.over(i, middle); true {
		at, ok = later(at, e), done
	}
	if !ok {
		return false
	}
	wait := s.w.wait > 0 && !s.r.wait
	switch {
	case wait && h.half == 0:
		last, share, hi = middle, s.w.wait, float64(middle)/float64(last)
	case wait:
		first, share, lo = middle, 1-s.w.wait, float64(middle)/float64(last)
	}
	if h.half == 0 {
		s.frames[i].begin = at.at
	}
	app, driver, thread := fr.app*share, fr.driver*share, 0
	if s.r.app {
		app /= 1.5
	}
	if s.r.driver {
		driver /= 1.5
	}
	h.app = s.works(at, app, cApp, 0)
	h.took = h.app
	if s.w.threads > 1 {
		h.took, thread = later(h.app, h.driver), 1
	}
	for j := first; j < last; j++ {
		part := min(1, max(0, (s.jobOf(i, j).submit-lo)/(hi-lo+1e-9)))
		ready := h.took.at + int64(driver*part)
		jobs[j].known, jobs[j].ready, jobs[j].readyNode = true, ready, s.path.At(ready, cDriver, noQueue, h.took.node)
	}
	if h.driver = s.works(h.took, driver, cDriver, thread); thread == 0 {
		h.app = h.driver
	}
	if h.half++; h.half == 2 || !wait {
		h.frame, h.half = i+1, 0
	}
	return true
}

// frameStart is when the application may begin its next frame.
func (s *sim) frameStart() (at event, ok bool) {
	h, p, i, ahead := &s.host, &s.w.pacing, s.host.frame, s.w.pacing.ahead
	if at = h.app; s.w.threads > 1 {
		at = later(at, h.took) // one frame may wait for the driver's thread
	}
	if s.r.wait {
		ahead += 2
	}
	if i >= ahead {
		done, known := s.over(i-ahead, len(s.jobs[i-ahead]))
		if !known {
			return at, false
		}
		at = later(at, done)
	}
	// A picture's memory is free again when the one after it is shown.
	if before := i - p.buffers + 1; p.refresh > 0 && before >= 0 {
		if before >= h.shown {
			return at, false
		}
		at = later(at, event{s.frames[before].shown, s.frames[before].shownNode})
	}
	if t := s.w.frames[i].request; p.every > 0 && t > at.at {
		at = event{t, s.path.At(t, cRequest, noQueue, at.node)}
	}
	if p.cap > 0 {
		at = later(at, h.date)
		if i == 0 || at.at-h.date.at > p.cap/2 { // a little lateness is caught up
			h.date.at = at.at
		}
		h.date.at += p.cap
		h.date.node = s.path.At(h.date.at, cCap, noQueue, at.node)
	}
	return at, true
}

// show decides when pictures that are ready are shown.
func (s *sim) show() {
	p := &s.w.pacing
	for ; s.host.shown < len(s.frames); s.host.shown++ {
		i := s.host.shown
		f := &s.frames[i]
		if f.left > 0 || s.host.frame <= i {
			return
		}
		before := &s.frames[max(0, i-1)]
		at := event{f.done, f.doneNode}
		if p.refresh > 0 && i > 0 {
			at = later(at, event{before.shown + p.refresh, before.shownNode})
		}
		if p.refresh > 0 && !p.adaptive {
			at.at = (at.at + p.refresh - 1) / p.refresh * p.refresh
		}
		if f.shown, f.shownNode = f.done, f.doneNode; at.at > f.done {
			f.shown, f.shownNode = at.at, s.path.At(at.at, cVsync, noQueue, at.node)
		}
		switch {
		case i == 0:
		case p.every > 0:
			f.missed = int((f.shown - s.w.frames[i].request) / p.every)
		case p.cap > 0:
			f.missed = max(0, int(float64(f.begin-before.begin)/float64(p.cap)-0.6))
		case p.refresh > 0:
			f.missed = max(0, int((f.shown-before.shown-p.refresh/20)/p.refresh))
		}
	}
}
