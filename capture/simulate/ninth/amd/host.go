package amd

// pacing is what decides when frames begin and are shown.
type pacing struct {
	refresh  int64 // ns; 0 where pictures are shown at once
	adaptive bool  // the display waits for the picture, and refresh is its shortest time
	buffers  int
	cap      int64 // least ns between the starts of frames
	every    int64 // ns between requests, about
	ahead    int   // frames that may be in the making
	requests bool
}

// host is how far the threads have come.
type host struct {
	frame, half         int
	app, driver         int64
	appNode, driverNode int32
	took                int64
	tookNode            int32
	date                int64 // of the application's own limit
	dateNode            int32
	shown               int
	last                [queues]jobState // that each queue ended
	work                []stint          // of threads
	seen                int              // stints before are over
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
	for {
		s.show()
		if s.host.frame >= len(s.frames) || !s.hostStep() {
			return
		}
	}
}

// over is when a frame's jobs up to one are done; ok is false where that is not known.
func (s *sim) over(f, last int) (t int64, n int32, ok bool) {
	for j := range s.jobs[f][:last] {
		d := &s.jobs[f][j]
		if !d.done {
			return 0, 0, false
		}
		if d.end >= t {
			t, n = d.end, d.endNode
		}
	}
	t += int64(s.w.wake)
	return t, s.path.At(t, cLaunch, noQueue, n), true
}

func (s *sim) hostStep() bool {
	h, i := &s.host, s.host.frame
	fr, jobs := &s.w.frames[i], s.jobs[i]
	wait := s.w.wait > 0 && !s.r.wait
	middle := (len(jobs) + 1) / 2
	var at int64
	var n int32
	if h.half == 1 {
		t, tn, ok := s.over(i, middle)
		if !ok {
			return false
		}
		if at, n = h.app, h.appNode; t > at {
			at, n = t, tn
		}
	} else {
		var ok bool
		if at, n, ok = s.frameStart(); !ok {
			return false
		}
		s.frames[i].begin = at
	}
	app, driver, first, last := fr.app, fr.driver, 0, len(jobs)
	if wait {
		share := s.w.wait
		if h.half == 0 {
			last = middle
		} else {
			first, share = middle, 1-share
		}
		app, driver = app*share, driver*share
	}
	if s.r.app {
		app /= 1.5
	}
	if s.r.driver {
		driver /= 1.5
	}
	end := at + int64(app)
	h.work = append(h.work, stint{at, end, 0})
	node := s.path.At(end, cApp, noQueue, n)
	h.app, h.appNode = end, node
	start, from, thread := end, node, 0
	if s.w.threads > 1 {
		if thread = 1; h.driver > start {
			start, from = h.driver, h.driverNode
		}
	}
	h.took, h.tookNode = start, from
	lo, hi := 0.0, 1.0
	if wait {
		lo, hi = float64(first)/float64(len(jobs)), float64(last)/float64(len(jobs))
	}
	for j := first; j < last; j++ {
		part := min(1, max(0, (s.jobOf(i, j).submit-lo)/max(1e-9, hi-lo)))
		st := &jobs[j]
		st.known, st.ready = true, start+int64(driver*part)
		st.readyNode = s.path.At(st.ready, cDriver, noQueue, from)
	}
	h.driver = start + int64(driver)
	h.driverNode = s.path.At(h.driver, cDriver, noQueue, from)
	h.work = append(h.work, stint{start, h.driver, thread})
	if s.w.threads == 1 {
		h.app, h.appNode = h.driver, h.driverNode
	}
	if wait && h.half == 0 {
		h.half = 1
		return true
	}
	h.frame, h.half = i+1, 0
	return true
}

// frameStart is when the application may begin its next frame.
func (s *sim) frameStart() (at int64, n int32, ok bool) {
	h, p, i := &s.host, &s.w.pacing, s.host.frame
	at, n = h.app, h.appNode
	later := func(t int64, tn int32) {
		if t > at {
			at, n = t, tn
		}
	}
	if s.w.threads > 1 {
		later(h.took, h.tookNode) // one frame may wait for the driver's thread
	}
	ahead := p.ahead
	if s.r.wait {
		ahead += 2
	}
	if i >= ahead {
		t, tn, known := s.over(i-ahead, len(s.jobs[i-ahead]))
		if !known {
			return 0, 0, false
		}
		later(t, tn)
	}
	if before := i - p.buffers - 1; p.refresh > 0 && before >= 0 {
		if before >= h.shown {
			return 0, 0, false
		}
		later(s.frames[before].shown, s.frames[before].shownNode)
	}
	if p.requests && s.w.frames[i].request > at {
		at = s.w.frames[i].request
		n = s.path.At(at, cRequest, noQueue, n)
	}
	if p.cap > 0 {
		if i > 0 {
			later(h.date, h.dateNode)
		}
		if i == 0 || at-h.date > p.cap/2 { // a little lateness is caught up
			h.date = at
		}
		h.date += p.cap
		h.dateNode = s.path.At(h.date, cCap, noQueue, n)
	}
	return at, n, true
}

// show decides when pictures that are ready are shown.
func (s *sim) show() {
	p := &s.w.pacing
	for s.host.shown < len(s.frames) {
		i := s.host.shown
		f := &s.frames[i]
		if f.left > 0 || s.host.frame <= i {
			return
		}
		s.host.shown++
		f.shown, f.shownNode = f.done, f.doneNode
		if p.refresh > 0 {
			earliest, node := int64(0), f.doneNode
			if i > 0 {
				earliest = s.frames[i-1].shown + p.refresh
			}
			if earliest > f.done {
				node = s.frames[i-1].shownNode
			}
			at := max(f.done, earliest)
			if !p.adaptive {
				at = (at + p.refresh - 1) / p.refresh * p.refresh
			}
			if at > f.shown {
				f.shown, f.shownNode = at, s.path.At(at, cVsync, noQueue, node)
			}
		}
		if i == 0 {
			continue
		}
		before := &s.frames[i-1]
		switch {
		case p.requests:
			f.missed = int(max(0, f.shown-s.w.frames[i].request) / max(1, p.every))
		case p.cap > 0:
			f.missed = max(0, int(float64(f.begin-before.begin)/float64(p.cap)-0.6))
		case p.refresh > 0:
			f.missed = max(0, int((f.shown-before.shown-p.refresh/20)/p.refresh))
		}
	}
}
