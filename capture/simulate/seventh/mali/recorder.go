package mali

import "astrolabe/capture/simulate"

// row is what a sample holds.
type row struct {
	n      [amounts]float64
	s      [stateCount]float64
	jobs   [3]float64
	irqs   float64
	thread [2]float64 // ns that the application and the driver ran
	share  float64    // of the highest clock, at its end
	heat   float64
}

// recorder adds up what a machine does, sample by sample.
type recorder struct {
	bounds *simulate.Bounds
	rows   []row
	at     int // the sample of now
	jobs   [3]float64
	irqs   float64
}

func (r *recorder) until(now int64) int64 {
	for r.bounds.At(r.at+1) <= now {
		r.at++
	}
	return r.bounds.At(r.at + 1)
}

func (r *recorder) row(i int) *row {
	for len(r.rows) <= i {
		r.rows = append(r.rows, row{})
	}
	return &r.rows[i]
}

// work adds a share of a part to the sample of now.
func (r *recorder) work(m *machine, p *part, share float64) {
	r.until(m.now)
	to := r.row(r.at)
	for i := range to.n {
		to.n[i] += p.n[i] * share
	}
}

// thread adds time of one of the processor's threads.
func (r *recorder) thread(which int, from, to int64) {
	for i := r.bounds.Index(from); from < to; i++ {
		end := min(to, r.bounds.At(i+1))
		r.row(i).thread[which] += float64(end - from)
		from = end
	}
}

// spend adds the time up to t, in which everything stays as it is.
func (r *recorder) spend(m *machine, t int64, active bool) {
	r.until(m.now)
	to := r.row(r.at)
	dt := float64(t - m.now)
	if m.cur.state == nil {
		m.cur.state = m.statesOf(m.cur)
	}
	for i := range to.s[:sClock] {
		to.s[i] += m.cur.state[i] * dt
	}
	c := m.c
	cy := c.hz * m.dial.share / 1e9 * dt
	to.s[sClock] += cy
	to.share, to.heat = m.dial.share, m.dial.degrees
	for q := range c.queues() {
		to.jobs[q] += r.jobs[q]
		r.jobs[q] = 0
	}
	to.irqs += r.irqs
	to.s[sIRQ] += min(r.irqs*c.interrupt*0.3*c.hz*m.dial.share/1e9, cy)
	r.irqs = 0
	running := 0
	for q := range m.queues {
		if m.queues[q].running {
			running++
		}
	}
	flushing := c.flush / (c.flush + c.launch)
	if active {
		to.s[sGPU] += cy
		if running > 0 {
			to.s[sAnyQueue] += cy
		} else {
			to.s[sAnyQueue] += cy * (1 - 0.5*flushing)
		}
	}
	starting := 0.0
	for q := range m.queues {
		s := &m.queues[q]
		add := func(state int, share float64) { to.s[state+q] += cy * share }
		switch {
		case s.launching:
			starting++
			if c.modern {
				add(sQueued0, 0.5)
				add(sAssign0, 0.2)
			} else { // a job slot holds its job from when it reads it
				add(sQueued0, 1)
			}
			add(sStream0, 1)
			add(sBlocked0, 0.3)
			add(sWaitFlush0, flushing)
			add(sWaitRead0, 0.25*(1-flushing))
			add(sWaitIssue0, 0.6*(1-flushing))
		case s.running:
			add(sQueued0, 1)
			add(sStream0, 1)
			add(sBlocked0, c.waitShare)
			if m.jobOf(q).parts[s.part].tail {
				add(sFinish0, 1)
			} else { // tasks are there, and cores are full of others
				add(sWaitIssue0, c.full)
			}
		case s.drains:
			for _, state := range []int{sQueued0, sAssign0, sDrain0, sStream0} {
				add(state, 1)
			}
		case s.waits:
			add(sStream0, 1)
			add(sBlocked0, 1)
			if !c.softDeps && active {
				add(sWaitDep0, 1)
				if !c.modern {
					add(sQueued0, 1)
				}
			}
		}
	}
	to.s[sFlush] += cy * min(1, starting) * flushing
	to.s[sMCU] += cy * min(0.5, 0.02*min(1, float64(running))+0.25*starting)
	to.s[sCEU] += cy * min(0.5, 0.01*min(1, float64(running))+0.35*starting)
	to.s[sLSU] += cy * min(0.5, 0.01*min(1, float64(running))+0.15*starting)
}
