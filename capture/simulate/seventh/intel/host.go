package intel

import "astrolabe/capture/simulate"

// hostState is how far the application and the driver have come.
type hostState struct {
	frame       int
	inside      bool // it waits within its frame
	app, driver event
	took        event // when the driver began the frame before
	cap         event
}

// spell is a stretch of work of a thread: 0 the application's first, 1 the driver's, from 2 on its helpers.
type spell struct {
	thread   int
	from, to float64
}

// advanceHost shows pictures that are ready and lets the application go on as far as all that it waits for is known.
func (s *sim) advanceHost() {
	for {
		s.show()
		if s.host.frame >= len(s.frames) || !s.hostStep() {
			return
		}
	}
}

func (s *sim) interrupted(on event) event {
	t := s.p.interrupt / s.speed[command]
	return event{on.t + t, s.node(on.t+t, byInterrupt, -1, on.node)}
}

// ended is the end of a job of a frame, of its last where job is -1.
func (s *sim) ended(frame, job int) (event, bool) {
	f := &s.frames[frame]
	if job >= 0 && job < len(f.jobs) {
		return f.jobs[job].end, f.jobs[job].done
	}
	return f.done, f.left == 0
}

func (s *sim) hostStep() bool {
	h, i := &s.host, s.host.frame
	w := s.p.wait
	if s.rel.wait {
		w = nil
	}
	f, st := &s.p.frames[i], &s.frames[i]
	jobs := s.p.contents[f.content].jobs
	var at event
	from, until, last := 0.0, 1.0, len(jobs)-1 // shares of the driver's work
	share := 1.0
	switch {
	case h.inside:
		end, known := s.ended(i, min(w.job, last))
		if !known {
			return false
		}
		at = h.app
		at.later(s.interrupted(end))
		s.clk.waited = true
		from, share = jobs[min(w.job, last)].submit, 1-w.at
	default:
		var ok bool
		if at, ok = s.mayBegin(w); !ok {
			return false
		}
		st.begin = at
		if w != nil && w.back == 0 {
			last = min(w.job, last)
			until, share = jobs[last].submit, w.at
		}
	}
	app, driver := f.app*share, f.driver*(until-from)
	if s.rel.app {
		app /= simulate.Faster
	}
	if s.rel.driver {
		driver /= simulate.Faster
	}
	end := event{at.t + app, s.node(at.t+app, byApp, -1, at.node)}
	start := end
	thread := 0
	if s.p.split {
		start.later(h.driver)
		thread = 1
	}
	if s.rec != nil {
		s.rec.spells = append(s.rec.spells, spell{0, at.t, end.t}, spell{thread, start.t, start.t + driver})
		s.rec.driver = append(s.rec.driver, spell{thread, start.t, start.t + driver})
		for k := range s.p.workers {
			s.rec.spells = append(s.rec.spells, spell{2 + k, at.t + 0.2*app, at.t + 0.9*app})
		}
	}
	for j, p := range jobs[:last+1] {
		x := &st.jobs[j]
		if x.submitted {
			continue
		}
		part := 1.0
		if until > from {
			part = min(1, max(0, (p.submit-from)/(until-from)))
		}
		t := start.t + driver*part
		x.submit, x.submitted = event{t, s.node(t, byDriver, -1, start.node)}, true
	}
	h.took = start
	h.driver = event{start.t + driver, s.node(start.t+driver, byDriver, -1, start.node)}
	h.app = end
	if !s.p.split {
		h.app = h.driver
	}
	if !h.inside && w != nil && w.back == 0 {
		h.inside = true
		return true
	}
	st.submitted = h.driver
	h.frame, h.inside = i+1, false
	return true
}

// mayBegin is when the application may begin its next frame; ok is false while that is not known.
func (s *sim) mayBegin(w *wait) (at event, ok bool) {
	h, p, i := &s.host, &s.p.pacing, s.host.frame
	at = h.app
	if s.p.split {
		at.later(h.took)
	}
	on := func(back, job int) bool {
		if back <= 0 || i < back {
			return true
		}
		end, known := s.ended(i-back, job)
		if known {
			if end = s.interrupted(end); end.t > at.t {
				at = end
				s.clk.waited = true
			}
		}
		return known
	}
	ahead := p.Ahead
	if s.rel.wait {
		ahead += 2
	}
	if !on(ahead, -1) || w != nil && w.back > 0 && !on(w.back, w.job) {
		return at, false
	}
	if p.Refresh > 0 {
		if before := i - p.Buffers - 1; before >= 0 {
			if before >= s.shown {
				return at, false
			}
			at.later(s.frames[before].flip)
		}
	}
	if p.Cap > 0 && i > 0 {
		at.later(h.cap)
	}
	if t := s.p.frames[i].request; p.Requests && t > at.t {
		at = event{t, s.node(t, byRequest, -1, 0)}
	}
	if p.Cap > 0 { // a little lateness is made up for, a lot is not
		c := float64(p.Cap)
		if i == 0 || at.t-h.cap.t > c/2 {
			h.cap.t = at.t
		}
		h.cap = event{h.cap.t + c, s.node(h.cap.t+c, byCap, -1, at.node)}
	}
	return at, true
}

// stay is how many refreshes a frame is shown.
func (s *sim) stay(i int) float64 {
	if c := s.p.pacing.Cadence; len(c) > 0 {
		return float64(c[i%len(c)])
	}
	return 1
}

// show decides when ended frames are shown.
func (s *sim) show() {
	p := &s.p.pacing
	every := float64(p.Refresh)
	for ; s.shown < len(s.frames); s.shown++ {
		i := s.shown
		f := &s.frames[i]
		if f.left > 0 || s.host.frame <= i {
			return
		}
		f.flip = f.done
		if every > 0 {
			least := event{}
			if i > 0 {
				before := s.frames[i-1].flip
				least = event{before.t + every*s.stay(i-1), before.node}
			}
			if p.Adaptive {
				if i > 0 {
					least.t = s.frames[i-1].flip.t + every
				}
				if least.t > f.done.t {
					f.flip = event{least.t, s.node(least.t, byVsync, -1, least.node)}
				}
			} else {
				// A date is met by what is ready a little before it.
				t := every * float64(int64((max(f.done.t, least.t)+every-1)/every))
				prev := f.done.node
				if least.t >= f.done.t {
					prev = least.node
				}
				f.flip = event{t, s.node(t, byVsync, -1, prev)}
			}
		}
		if i > 0 {
			f.missed = s.missed(i)
		}
	}
}

// missed is how many dates a frame was late.
func (s *sim) missed(i int) int {
	p, f, before := &s.p.pacing, &s.frames[i], &s.frames[i-1]
	every := float64(p.Refresh)
	switch {
	case p.Requests && every > 0:
		return max(0, int((f.flip.t-s.p.frames[i].request)/every)-p.Ahead-2)
	case p.Cap > 0:
		return max(0, int((f.begin.t-before.begin.t)/float64(p.Cap)-0.6))
	case every > 0 && p.Adaptive:
		if f.flip.t > before.flip.t+1.05*every {
			return 1
		}
	case every > 0:
		return max(0, int((f.flip.t-before.flip.t)/every-s.stay(i-1)+0.01))
	}
	return 0
}
