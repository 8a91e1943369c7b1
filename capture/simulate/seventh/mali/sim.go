package mali

import (
	"fmt"
	"math"

	"astrolabe/capture/simulate"
)

// simulate lets a load run on a chip. Between events everything goes at a constant speed, which the network of
// queues gives, so that time goes from event to event.
func (m *machine) simulate() error {
	m.path.nodes = append(m.path.nodes[:0], event{before: -1, cause: causeRequest, queue: -1})
	m.cur = m.flowOf()
	for limit := 0; m.shown < len(m.frames); limit++ {
		for m.host() || m.start() {
			m.show()
		}
		m.show()
		m.settleNow()
		if m.shown == len(m.frames) {
			break
		}
		t := m.next()
		if t >= never || limit > 4_000_000 {
			return fmt.Errorf("seventh/mali: nothing happens after %d ns in frame %d of %d", m.now, m.shown, len(m.frames))
		}
		m.advance(t)
	}
	if m.rec != nil {
		for end := m.frames[len(m.frames)-1].flip; m.now < end; {
			m.advance(min(end, m.rec.until(m.now)))
		}
	}
	return nil
}

// settleNow finds how fast everything goes from now on, and notes where another station sets the pace than did before.
func (m *machine) settleNow() {
	before := m.cur
	m.cur = m.flowOf()
	if before == m.cur || !m.path.keep {
		return
	}
	for q := range m.queues {
		s := &m.queues[q]
		if s.running && before.index[q] >= 0 && before.holds[q] != m.cur.holds[q] && s.left < 1 {
			s.node = m.path.at(m.now, before.holds[q], q, s.node)
		}
	}
}

// next is when something happens.
func (m *machine) next() int64 {
	t := m.dial.next
	if m.rec != nil {
		t = min(t, m.rec.until(m.now))
	}
	if m.app.working {
		t = min(t, m.app.end)
	} else if m.app.frame < len(m.frames) {
		if at, _, ok := m.appStart(); ok {
			t = min(t, max(at, m.now+1))
		}
	}
	for q := range m.queues {
		s := &m.queues[q]
		switch {
		case s.running:
			f := &m.w.frames[s.frame]
			t = min(t, m.now+max(1, int64(math.Ceil(s.left*f.scale/m.cur.speed[q]))))
		case s.launching:
			t = min(t, s.until)
		default:
			if at, _, ok := m.ready(q); ok {
				t = min(t, max(at, m.now+1))
			}
		}
	}
	return t
}

// advance lets time go to t.
func (m *machine) advance(t int64) {
	dt := float64(t - m.now)
	active := false
	for q := range m.queues {
		s := &m.queues[q]
		active = active || s.running || s.launching
		if s.running {
			done := dt * m.cur.speed[q] / m.w.frames[s.frame].scale
			if m.rec != nil {
				m.rec.work(m, &m.jobOf(q).parts[s.part], min(done, s.left)*m.w.frames[s.frame].scale)
			}
			if s.left -= done; s.left < 1e-9 {
				s.left = 0
			}
		}
	}
	if m.rec != nil {
		m.rec.spend(m, t, active)
	}
	if active {
		m.busy += dt
		m.dial.busy += dt
	}
	m.clock += dt * m.dial.share
	m.now = t
	if m.path.keep {
		m.marks = append(m.marks, mark{t, m.busy, m.clock})
	}
	if t >= m.dial.next {
		m.dial.look()
	}
}

// ready is when the next job of a queue may begin, as far as that is known.
func (m *machine) ready(q int) (at int64, node int32, ok bool) {
	s := &m.queues[q]
	s.waits = false
	for {
		if s.frame >= len(m.frames) {
			return 0, 0, false
		}
		list := m.byQ[m.w.frames[s.frame].content][q]
		if s.pos < len(list) {
			s.job = list[s.pos]
			break
		}
		s.frame, s.pos = s.frame+1, 0
	}
	state := &m.jobs[s.frame][s.job]
	if !state.submitted {
		return 0, 0, false
	}
	j := m.jobOf(q)
	at, node = state.submit, state.submitNode
	s.waits = at <= m.now
	if s.node > 0 && m.path.keep && m.path.nodes[s.node].t >= at { // the queue itself was busy
		at, node = m.path.nodes[s.node].t, s.node
	}
	strict := at
	turn := int32(-1)
	for _, d := range j.after {
		if s.frame < d.back || d.loose && m.r.loose {
			continue
		}
		f := s.frame - d.back
		var t int64
		var n int32
		if d.job < 0 {
			if m.frames[f].left > 0 {
				return 0, 0, false
			}
			t, n = m.frames[f].done, m.frames[f].doneNode
		} else {
			x := &m.jobs[f][d.job]
			if !x.done {
				return 0, 0, false
			}
			t, n = x.end, x.endNode
		}
		if m.c.softDeps && !m.c.modern && (d.job < 0 || m.queueOf(f, d.job) != q) {
			// The driver learns of the end by an interrupt, and submits what waited for it.
			t += int64(0.5 * m.c.interrupt * m.launchEase(q))
			n = m.path.at(t, causeLaunch, q, n)
		}
		if d.loose {
			if t > at {
				at, turn = t, n
			}
			continue
		}
		if strict = max(strict, t); t >= at {
			at, node, turn = t, n, -1
		}
	}
	if p := &m.w.pace; j.image && p.refresh > 0 && s.frame >= p.buffers-1 && p.buffers > 1 {
		f := &m.frames[s.frame-p.buffers+1]
		if !f.shown {
			return 0, 0, false
		}
		if f.flip > at {
			at, node, turn = f.flip, f.flipNode, -1
		}
	}
	if turn >= 0 {
		node = m.path.held(at, turn)
	}
	return at, node, true
}

func (m *machine) queueOf(frame, job int) int {
	return m.w.contents[m.w.frames[frame].content].jobs[job].queue
}

// start begins and ends what queues do now. It reports whether anything changed.
func (m *machine) start() (changed bool) {
	for q := range m.queues {
		s := &m.queues[q]
		switch {
		case s.launching && m.now >= s.until:
			s.launching, s.running, s.part, s.left = false, true, 0, 1
			s.node = m.path.at(m.now, causeLaunch, q, s.node)
			changed = true
		case s.running && s.left <= 0:
			s.node = m.path.at(m.now, m.cur.holds[q], q, s.node)
			if s.part++; s.part < len(m.jobOf(q).parts) {
				s.left = 1
			} else {
				m.finish(q)
			}
			changed = true
		case !s.running && !s.launching:
			at, node, ok := m.ready(q)
			if !ok || at > m.now {
				continue
			}
			s.node, s.waits = node, false
			j := m.jobOf(q)
			ns := m.c.launch*(1+0.35*(j.starts-1)) + m.c.flush + j.launch
			s.launching, s.until = true, m.now+max(1, int64(ns*m.launchEase(q)))
			if f := &m.frames[s.frame]; f.gpuBegin == 0 {
				f.gpuBegin = m.now
			}
			changed = true
		}
	}
	return changed
}

// finish ends the job of a queue.
func (m *machine) finish(q int) {
	s := &m.queues[q]
	x := &m.jobs[s.frame][s.job]
	x.done, x.end, x.endNode = true, m.now, s.node
	if m.rec != nil {
		m.rec.jobs[q] += m.jobOf(q).starts
	}
	f := &m.frames[s.frame]
	if f.left--; f.left == 0 {
		f.done, f.doneNode = m.now, s.node
		if m.rec != nil {
			m.rec.irqs++
		}
	}
	s.running, s.pos = false, s.pos+1
}

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
	if p := &m.w.pace; p.cap > 0 {
		if a.frame == 0 || m.now-a.cap > p.cap/2 { // what is a lot late is not caught up
			a.cap = m.now
		}
		a.cap += p.cap
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
	ahead := p.ahead
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
	if p.refresh > 0 && i >= p.buffers {
		f := &m.frames[i-p.buffers]
		if !f.shown {
			return 0, 0, false
		}
		later(f.flip, f.flipNode)
	}
	if p.cap > 0 && i > 0 {
		later(a.cap, a.capNode)
	}
	if t := m.w.frames[i].request; p.request && t > at {
		later(t, m.path.at(t, causeRequest, -1, 0))
	}
	if p.align && p.refresh > 0 && !p.adaptive {
		if i > 0 {
			later(m.frames[i-1].begin+p.refresh*p.stay(i-1), m.path.at(m.frames[i-1].begin+p.refresh*p.stay(i-1), causeVsync, -1, m.frames[i-1].beginNode))
		}
		if t := up(at, p.refresh); t > at {
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
		if p.refresh > 0 {
			date, from := int64(0), f.doneNode
			if last != nil {
				date = last.flip + p.refresh*p.stay(i-1)
				if p.adaptive {
					date = last.flip + p.refresh
				}
			}
			if last != nil && date >= f.done {
				from = last.flipNode
			}
			t := max(f.done, date)
			if !p.adaptive {
				t = up(t, p.refresh)
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
	case p.request:
		return max(0, int(float64(f.flip-m.w.frames[i].request)/float64(max(p.refresh, 16e6)))-4)
	case p.cap > 0:
		return max(0, int(float64(f.begin-last.begin)/float64(p.cap)-0.6))
	case p.adaptive:
		if f.flip > last.flip+p.refresh+p.refresh/20 {
			return 1
		}
	case p.refresh > 0:
		return int((f.flip - last.flip - p.refresh*p.stay(i-1)) / p.refresh)
	}
	return 0
}
