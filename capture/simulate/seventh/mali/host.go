package mali

import "astrolabe/capture/simulate"

// host lets the processor's threads go on.
func (m *machine) host() bool {
	a := &m.app
	if a.working {
		if m.now < a.end {
			return false
		}
		m.hand()
		return true
	}
	if a.frame >= len(m.frames) {
		return false
	}
	at, node, ok := m.appStart()
	if !ok || at > m.now {
		return false
	}
	f := &m.frames[a.frame]
	f.begin, f.beginNode = m.now, node
	ns := m.w.frames[a.frame].app
	if m.r.app {
		ns /= simulate.Faster
	}
	a.working, a.from, a.end, a.node = true, m.now, m.now+max(1, int64(ns)), node
	if p := &m.w.pace; p.Cap > 0 {
		if a.frame == 0 || m.now-a.cap > p.Cap/2 { // what is a lot late is not caught up
			a.cap = m.now
		}
		a.cap += p.Cap
		a.capNode = m.path.at(a.cap, causeCap, -1, node)
	}
	return true
}

// hand gives a frame that the application has made to the driver, which submits its jobs.
func (m *machine) hand() {
	a := &m.app
	w := &m.w.frames[a.frame]
	a.working = false
	a.node = m.path.at(a.end, causeApp, -1, a.node)
	start, node := a.end, a.node
	if m.w.threads > 1 && m.driver.free > start {
		start, node = m.driver.free, m.driver.node
	}
	ns := w.driver
	if m.r.driver {
		ns /= simulate.Faster
	}
	jobs := m.w.contents[w.content].jobs
	for k := range jobs {
		x := &m.jobs[a.frame][k]
		x.submitted, x.submit = true, start+int64(ns*jobs[k].submit)
		x.submitNode = m.path.at(x.submit, causeDriver, -1, node)
	}
	m.driver.free = start + int64(ns)
	m.driver.node = m.path.at(m.driver.free, causeDriver, -1, node)
	a.took, a.tookNode = start, node
	if m.rec != nil {
		m.rec.thread(0, a.from, a.end)
		m.rec.thread(1, start, m.driver.free)
	}
	if m.w.threads == 1 {
		a.end, a.node = m.driver.free, m.driver.node
	}
	a.frame++
}

// appStart is when the application may begin its next frame, as far as that is known.
func (m *machine) appStart() (at int64, node int32, ok bool) {
	a, p, i := &m.app, &m.w.pace, m.app.frame
	at, node = a.end, a.node
	later := func(t int64, n int32) {
		if t > at {
			at, node = t, n
		}
	}
	if m.w.threads > 1 {
		later(a.took, a.tookNode) // one frame may wait for the driver
	}
	told := func(t int64, n int32) {
		if t += int64(m.c.interrupt * m.launchEase(-2)); t > at {
			later(t, m.path.at(t, causeLaunch, -1, n))
		}
	}
	ahead := p.Ahead
	if m.r.wait {
		ahead += 2
	}
	if i >= ahead {
		f := &m.frames[i-ahead]
		if f.left > 0 {
			return 0, 0, false
		}
		told(f.done, f.doneNode)
	}
	if y := m.w.sync; y != nil && !m.r.wait && i > 0 {
		if y.job < 0 || y.job >= len(m.jobs[i-1]) {
			if m.frames[i-1].left > 0 {
				return 0, 0, false
			}
			told(m.frames[i-1].done, m.frames[i-1].doneNode)
		} else if x := &m.jobs[i-1][y.job]; x.done {
			told(x.end, x.endNode)
		} else {
			return 0, 0, false
		}
	}
	if p.Refresh > 0 && i >= p.Buffers {
		f := &m.frames[i-p.Buffers]
		if !f.shown {
			return 0, 0, false
		}
		later(f.flip, f.flipNode)
	}
	if p.Cap > 0 && i > 0 {
		later(a.cap, a.capNode)
	}
	if t := m.w.frames[i].request; p.Requests && t > at {
		later(t, m.path.at(t, causeRequest, -1, 0))
	}
	if p.Align && p.Refresh > 0 && !p.Adaptive {
		if i > 0 {
			t := m.frames[i-1].begin + p.Refresh*stay(p, i-1)
			later(t, m.path.at(t, causeVsync, -1, m.frames[i-1].beginNode))
		}
		if t := up(at, p.Refresh); t > at {
			later(t, m.path.at(t, causeVsync, -1, node))
		}
	}
	return at, node, true
}

// up is the next refresh at or after t.
func up(t, refresh int64) int64 { return (t + refresh - 1) / refresh * refresh }

// show decides when pictures that are ready are shown.
func (m *machine) show() {
	p := &m.w.pace
	for m.shown < len(m.frames) && m.frames[m.shown].left == 0 && m.app.frame > m.shown {
		i := m.shown
		f := &m.frames[i]
		m.shown++
		f.shown, f.flip, f.flipNode = true, f.done, f.doneNode
		var last *frameState
		if i > 0 {
			last = &m.frames[i-1]
		}
		if p.Refresh > 0 {
			date, from := int64(0), f.doneNode
			if last != nil {
				date = last.flip + p.Refresh*stay(p, i-1)
				if p.Adaptive {
					date = last.flip + p.Refresh
				}
			}
			if last != nil && date >= f.done {
				from = last.flipNode
			}
			t := max(f.done, date)
			if !p.Adaptive {
				t = up(t, p.Refresh)
			}
			if t > f.done {
				f.flip, f.flipNode = t, m.path.at(t, causeVsync, -1, from)
			}
		}
		if last != nil {
			f.missed = m.missed(i, f, last)
		}
	}
}

// missed is how many dates a frame was late.
func (m *machine) missed(i int, f, last *frameState) int {
	p := &m.w.pace
	switch {
	case p.Requests:
		return max(0, int(float64(f.flip-m.w.frames[i].request)/float64(max(p.Refresh, 16e6)))-4)
	case p.Cap > 0:
		return max(0, int(float64(f.begin-last.begin)/float64(p.Cap)-0.6))
	case p.Adaptive:
		if f.flip > last.flip+p.Refresh+p.Refresh/20 {
			return 1
		}
	case p.Refresh > 0:
		return int((f.flip - last.flip - p.Refresh*stay(p, i-1)) / p.Refresh)
	}
	return 0
}
