package amd

import "astrolabe/capture/simulate"

// hostState is how far the application, and the thread that records commands, have come.
type hostState struct {
	frame             int
	app, driver, took moment // when each is free; when the frame before was taken for recording
	cap               moment
}

// advanceHost lets the application go on as far as everything that it waits for is known, and shows pictures.
func (e *engine) advanceHost() {
	for {
		e.show()
		if e.host.frame >= len(e.frames) || !e.hostFrame() {
			return
		}
	}
}

// hostFrame makes the application's next frame; it reports false while it is not known when that begins.
func (e *engine) hostFrame() bool {
	h, p := &e.host, &e.l.pacing
	i := h.frame
	f, state := &e.l.frames[i], &e.frames[i]
	m := h.app
	if e.l.threads > 1 {
		m.later(h.took)
	}
	ahead := p.Ahead
	if e.relief.wait {
		ahead += 2
	}
	if i >= ahead {
		before := &e.frames[i-ahead]
		if before.left > 0 {
			return false
		}
		// It sleeps until an interrupt says that the frame is done.
		if t := before.done.at + int64(e.eased(e.l.notice, uCommand, -1)); t > m.at {
			m = moment{t, e.path.At(t, uCommand, simulate.NoQueue, before.done.node)}
		}
	}
	if p.Refresh > 0 && i > p.Buffers {
		if i-p.Buffers-1 >= e.shown {
			return false
		}
		m.later(e.frames[i-p.Buffers-1].flip)
	}
	if p.Cap > 0 {
		if i > 0 {
			m.later(h.cap)
		}
		at := h.cap.at
		if i == 0 || m.at-at > p.Cap/2 { // much lateness is not caught up
			at = m.at
		}
		h.cap = moment{at + p.Cap, e.path.At(at+p.Cap, causeCap, simulate.NoQueue, m.node)}
	}
	if p.Requests && f.request > m.at {
		m = moment{f.request, e.path.At(f.request, causeRequest, simulate.NoQueue, 0)}
	}
	state.begin = m
	app, driver := f.app, f.driver
	if e.relief.app {
		app /= simulate.Faster
	}
	if e.relief.driver {
		driver /= simulate.Faster
	}
	done := m.at + int64(app)
	start := moment{done, e.path.At(done, causeApp, simulate.NoQueue, m.node)}
	end := start
	if e.l.threads > 1 {
		start.later(h.driver)
	}
	done = start.at + int64(driver)
	h.took, h.driver = start, moment{done, e.path.At(done, causeDriver, simulate.NoQueue, start.node)}
	if e.rec != nil {
		e.rec.host(e, h.app.at, m.at, end.at, start.at, done)
	}
	if h.app = end; e.l.threads <= 1 {
		h.app = h.driver
	}
	for k := range e.l.contents[f.content].jobs {
		j, s := e.of(i, k)
		t := start.at + int64(driver*j.submit)
		s.submit, s.submitted = moment{t, e.path.At(t, causeDriver, simulate.NoQueue, start.node)}, true
	}
	state.submitted, state.all = done, true
	h.frame++
	return true
}

// stay is how many ns frame i stays on the display at least.
func (e *engine) stay(i int) int64 {
	if c := e.l.pacing.Cadence; len(c) > 0 {
		return int64(c[i%len(c)]) * e.l.pacing.Refresh
	}
	return e.l.pacing.Refresh
}

// show decides when pictures that are ready are shown.
func (e *engine) show() {
	p := &e.l.pacing
	for ; e.shown < len(e.frames); e.shown++ {
		i := e.shown
		f := &e.frames[i]
		if f.left > 0 || !f.all {
			return
		}
		f.flip = f.done
		if p.Refresh > 0 {
			prev, t := f.done.node, f.done.at
			if i > 0 {
				if earliest := e.frames[i-1].flip.at + e.stay(i-1); earliest >= t {
					prev, t = e.frames[i-1].flip.node, earliest
				}
			}
			if !p.Adaptive {
				t = (t + p.Refresh - 1) / p.Refresh * p.Refresh
			}
			if t > f.done.at {
				f.flip = moment{t, e.path.At(t, causeVsync, simulate.NoQueue, prev)}
			}
		}
		if i > 0 {
			f.missed = e.late(i)
		}
	}
}

// late is how many dates frame i missed.
func (e *engine) late(i int) int {
	p, f, before := &e.l.pacing, &e.frames[i], &e.frames[i-1]
	switch {
	case p.Requests:
		return max(0, int(float64(f.flip.at-e.l.frames[i].request)/16.7e6)-p.Ahead-2)
	case p.Cap > 0:
		return max(0, int(float64(f.begin.at-before.begin.at)/float64(p.Cap)-0.6))
	case p.Refresh > 0 && p.Adaptive && f.flip.at > before.flip.at+p.Refresh+p.Refresh/20:
		return 1
	case p.Refresh > 0 && !p.Adaptive:
		return int((f.flip.at - before.flip.at - e.stay(i-1)) / p.Refresh)
	}
	return 0
}
