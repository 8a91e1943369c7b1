package amd

import "math"

// hostState is how far the processor's threads have come.
type hostState struct {
	frame               int
	app, driver, took   int64 // when the threads are free, and when the driver took the frame before
	appNode, driverNode int32
	tookNode            int32
	cap                 int64
	capNode             int32
}

// advanceHost shows what is ready and lets threads go on as far as everything that they wait for is known.
func (e *engine) advanceHost() {
	for {
		e.show()
		if e.host.frame >= len(e.p.frames) || !e.appStep() {
			return
		}
	}
}

// appStep takes the application and the driver through a frame; false while it is not known when it can begin.
func (e *engine) appStep() bool {
	h, p := &e.host, e.p
	i := h.frame
	fr := &p.frames[i]
	at, n := h.app, h.appNode
	later := func(t int64, tn int32) {
		if t > at {
			at, n = t, tn
		}
	}
	irq := p.m.irq
	if e.r.cause == causeLaunch || e.r.gpu {
		irq /= faster
	}
	fence := func(k int) bool { // of the end of frame k
		if k < 0 {
			return true
		}
		f := &e.frames[k]
		if !f.complete {
			return false
		}
		if t := f.done + int64(irq); t > at {
			later(t, e.path.At(t, causeLaunch, noQueue, f.doneNode))
		}
		return true
	}
	if p.threads > 1 {
		later(h.took, h.tookNode)
	}
	ahead := p.pacing.Ahead
	if e.r.wait {
		ahead += 2
	} else if p.sync && !fence(i-1) {
		return false
	}
	if !fence(i - ahead) {
		return false
	}
	if p.pacing.Refresh > 0 {
		if k := i - p.pacing.Buffers - 1; k >= 0 {
			if k >= e.shown {
				return false
			}
			later(e.frames[k].flip, e.frames[k].flipNode)
		}
	}
	if p.pacing.Requests && fr.request > at {
		later(fr.request, e.path.At(fr.request, causeRequest, noQueue, 0))
	}
	if p.pacing.Align && p.pacing.Refresh > 0 {
		if i > 0 {
			b := &e.frames[i-1]
			if t := b.begin + p.pacing.Refresh*stay(&p.pacing, i-1); t > at {
				later(t, e.path.At(t, causeVsync, noQueue, n))
			}
		}
		if t := tick(p.pacing.Refresh, at); t > at {
			later(t, e.path.At(t, causeVsync, noQueue, n))
		}
	}
	if p.pacing.Cap > 0 {
		if i > 0 && h.cap > at {
			later(h.cap, h.capNode)
		}
		if i == 0 || at-h.cap > p.pacing.Cap/3 {
			h.cap = at
		}
		h.cap += p.pacing.Cap
		h.capNode = e.path.At(h.cap, causeCap, noQueue, n)
	}
	e.frames[i].begin = at
	app, driver := fr.app, fr.driver
	if e.r.app || e.r.cpu {
		app /= faster
	}
	if e.r.driver || e.r.cpu {
		driver /= faster
	}
	end := at + int64(app)
	endNode := e.path.At(end, causeApp, noQueue, n)
	start, startNode := end, endNode
	if p.threads > 1 && h.driver > start {
		start, startNode = h.driver, h.driverNode
	}
	if e.rec != nil {
		e.rec.thread(0, at, end)
		e.rec.thread(min(1, p.threads-1), start, start+int64(driver))
	}
	for k := range p.contents[fr.content].jobs {
		s := &e.jobs[e.first[i]+k]
		s.submit = start + int64(driver*p.contents[fr.content].jobs[k].submit)
		s.submitNode = e.path.At(s.submit, causeDriver, noQueue, startNode)
		s.submitted = true
	}
	h.took, h.tookNode = start, startNode
	h.driver = start + int64(driver)
	h.driverNode = e.path.At(h.driver, causeDriver, noQueue, startNode)
	h.app, h.appNode = end, endNode
	if p.threads < 2 {
		h.app, h.appNode = h.driver, h.driverNode
	}
	h.frame++
	return true
}

// show puts pictures on the display in their order.
func (e *engine) show() {
	p := &e.p.pacing
	for e.shown < len(e.frames) {
		i := e.shown
		f := &e.frames[i]
		if !f.complete {
			return
		}
		e.shown++
		f.flip, f.flipNode = f.done, f.doneNode
		var before *frameState
		if i > 0 {
			before = &e.frames[i-1]
			if f.flip < before.flip { // an overlapping frame: pictures keep their order
				f.flip, f.flipNode = before.flip, before.flipNode
			}
		}
		if p.Refresh > 0 {
			due := int64(0)
			if before != nil {
				due = before.flip + p.Refresh*stay(p, i-1)
				if p.Adaptive {
					due = before.flip + p.Refresh
				}
			}
			switch {
			case p.Adaptive && due > f.done:
				f.flip, f.flipNode = due, e.path.At(due, causeVsync, noQueue, before.flipNode)
			case p.Adaptive:
			case before != nil && due >= f.done:
				f.flip, f.flipNode = due, e.path.At(due, causeVsync, noQueue, before.flipNode)
			default:
				f.flip = tick(p.Refresh, f.done)
				f.flipNode = e.path.At(f.flip, causeVsync, noQueue, f.doneNode)
			}
		}
		if before != nil {
			f.missed = e.missed(i)
		}
	}
}

// missed is how many dates a frame was late.
func (e *engine) missed(i int) int {
	p, f, b := &e.p.pacing, &e.frames[i], &e.frames[i-1]
	switch {
	case p.Requests && p.Refresh > 0:
		return max(0, int((f.flip-e.p.frames[i].request)/p.Refresh)-p.Ahead-2)
	case p.Cap > 0:
		return max(0, int(float64(f.begin-b.begin)/float64(p.Cap)-0.5))
	case p.Refresh > 0 && p.Adaptive:
		if f.flip > b.flip+p.Refresh+p.Refresh/16 {
			return 1
		}
	case p.Refresh > 0:
		return int((f.flip - b.flip - p.Refresh*stay(p, i-1)) / p.Refresh)
	}
	return 0
}

// clockState is the clock during a simulation.
type clockState struct {
	c           *clockSetting
	highest     bool
	share       float64
	next        int64
	busy, all   float64 // ns since the last look
	energy      float64 // W x ns since then
	mean        float64 // W, over the window
	load        float64 // share of busy time, over the governor's window
	temperature float64
	watts       float64 // of the step
	changes     []clockChange
}

func (s *clockState) reset(c *clockSetting, highest bool) {
	changes := s.changes
	*s = clockState{c: c, highest: highest, share: c.start, next: c.period, temperature: c.temperature,
		mean: c.watts(c.start, 0.5), load: (c.up + c.down) / 2, changes: changes[:0]}
	if c.mode == clockPower {
		s.mean = c.limit
	}
	if highest || c.mode == clockFixed {
		s.share = 1
	}
	s.changes = append(s.changes, clockChange{0, s.share})
}

// loadWindow is the ns over which the governor averages: assumed.
const loadWindow = 4e7

// still says that the clock never changes.
func (s *clockState) still() bool { return s.highest || s.c.mode == clockFixed }

// activity is how much of the core switches: units at work, and what every clock costs while there is work at all.
func (e *engine) activity() float64 {
	if len(e.act) == 0 {
		return 0.02
	}
	sum := 0.0
	for u, w := range switching {
		sum += w * min(1, e.use[u])
	}
	return min(1, 0.3+sum)
}

// switching is the part of the power that each resource takes at full use: assumed.
var switching = [resources]float64{alu: 0.36, tex: 0.15, ls: 0.12, lds: 0.08, ge: 0.06, pa: 0.05, sc: 0.06, db: 0.08, cb: 0.11, bw: 0.25,
	l2: 0.12}

func (s *clockState) work(e *engine, dt float64) {
	s.watts = s.c.watts(s.share, e.activity())
	if len(e.act) > 0 {
		s.busy += dt
	}
	s.all += dt
	s.energy += s.watts * dt
	x := dt / s.c.tau
	s.temperature = (s.temperature + x*(s.c.ambient+s.c.resistance*s.watts)) / (1 + x)
}

// look is what the firmware does now and then; true where the clock changed.
func (s *clockState) look(e *engine) bool {
	s.next += s.c.period
	if s.all == 0 {
		return false
	}
	busy, watts := s.busy/s.all, s.energy/s.all
	x := s.all / s.c.window
	s.mean = (s.mean + x*watts) / (1 + x)
	x = s.all / loadWindow
	s.load = (s.load + x*busy) / (1 + x)
	s.busy, s.all, s.energy = 0, 0, 0
	if s.still() {
		return false
	}
	was := s.share
	switch s.c.mode {
	case clockGovernor:
		if s.load > s.c.up {
			s.share += s.c.step
		} else if s.load < s.c.down {
			s.share -= s.c.step
		}
	case clockHeat:
		switch over := s.temperature - s.c.throttle; {
		case over > 0:
			s.share -= s.c.step * min(1, 0.3+over/2)
		case over < -0.4:
			s.share += s.c.step * 0.5
		}
	case clockPower:
		switch over := s.mean/s.c.limit - 1; {
		case over > 0.005:
			s.share -= min(s.c.step, over*0.25)
		case over < -0.01:
			s.share += min(s.c.step, -over*0.2)
		}
	}
	s.share = min(s.c.top, max(s.c.low, s.share))
	if math.Abs(s.share-was) < 1e-9 {
		return false
	}
	s.changes = append(s.changes, clockChange{e.t, s.share})
	return true
}

// mean of the clock's share between two times.
func (s *clockState) over(start, end int64) float64 {
	sum := 0.0
	for i, c := range s.changes {
		until := end
		if i+1 < len(s.changes) {
			until = min(end, s.changes[i+1].at)
		}
		if from := max(start, c.at); until > from {
			sum += c.share * float64(until-from)
		}
	}
	return sum / float64(max(1, end-start))
}
