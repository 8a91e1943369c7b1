package mali

import (
	"fmt"
	"math"
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
	s.waits, s.drains = false, false
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
	if p := &m.w.pace; j.image && p.Refresh > 0 && s.frame >= p.Buffers-1 && p.Buffers > 1 {
		f := &m.frames[s.frame-p.Buffers+1]
		if !f.shown {
			return 0, 0, false
		}
		if f.flip > at {
			at, node, turn = f.flip, f.flipNode, -1
		}
	}
	if m.c.modern && q < m.c.fragmentQueue() { // geometry and compute take the cores in turn
		rival := &m.queues[1-q]
		if rival.running || rival.launching {
			s.drains = at <= m.now
			return 0, 0, false
		}
		if m.path.keep && rival.node > 0 && m.path.nodes[rival.node].t > at {
			at, node, turn = m.path.nodes[rival.node].t, rival.node, -1
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
		if !m.c.modern { // a job manager tells of every job
			m.rec.irqs++
		}
	}
	f := &m.frames[s.frame]
	if f.left--; f.left == 0 {
		f.done, f.doneNode = m.now, s.node
		if m.rec != nil && m.c.modern {
			m.rec.irqs++
		}
	}
	s.running, s.pos = false, s.pos+1
}
