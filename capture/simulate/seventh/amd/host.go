package amd

import "astrolabe/capture/simulate"

// hostLook is what the processor looks like while it does what the load says.
type hostLook struct {
	cpus, workers int
	helped        float64 // share of the application's time in which the workers run too
	spins         bool    // it waits by asking again and again
	kernel        float64 // share of the driver's time that is in the kernel
	background    float64 // share of a processor that other programs take
	hz            float64 // clock of the processor
	held          float64 // share of the clock that it has
}

// hostShare is about how much of the processor's time is in use, for its part of an APU's power.
func (l *load) hostShare() float64 {
	app, frame := 0.0, 1.0
	for i := range l.frames {
		app += l.frames[i].app*(1+float64(l.host.workers)*l.host.helped) + l.frames[i].driver
		longest, _ := l.contents[l.frames[i].content].alone()
		frame += max(longest, l.frames[i].app+l.frames[i].driver, float64(l.pacing.Interval()))
	}
	return min(1, app/frame/4)
}

// hostState is how far the application and the thread that records commands have come.
type hostState struct {
	frame, part         int
	app, driver         int64 // when each is free
	appNode, driverNode int32
	took                int64 // when the frame before was taken for recording
	tookNode            int32
	cap                 int64
	capNode             int32
	waited              int64 // since when the application waits
}

// advanceHost lets the application go on as far as everything that it waits for is known, and shows pictures.
func (e *engine) advanceHost() {
	for {
		e.show()
		if e.host.frame >= len(e.frames) || !e.hostStep() {
			return
		}
	}
}

// known is when the processor knows that something ended.
func (e *engine) known(t int64, node int32) (int64, int32) {
	notice := e.l.notice
	if e.relief.unit == uCommand || e.relief.gpu {
		notice /= simulate.Faster
	}
	t += int64(notice)
	return t, e.path.At(t, uCommand, simulate.NoQueue, node)
}

func (e *engine) hostStep() bool {
	h := &e.host
	f := &e.l.frames[h.frame]
	jobs := e.l.contents[f.content].jobs
	wait := e.l.wait
	if e.relief.wait {
		wait = nil
	}
	at, node := h.app, h.appNode
	if h.part == 1 {
		s := &e.jobs[e.first[h.frame]+wait.job]
		if !s.done {
			return false
		}
		if t, n := e.known(s.at, s.node); t > at {
			at, node = t, n
		}
	} else {
		var ok bool
		if at, node, ok = e.frameStart(); !ok {
			return false
		}
		e.frames[h.frame].begin, e.frames[h.frame].beginNode = at, node
	}
	share, from, until := 1.0, 0.0, 1.0
	if wait != nil {
		until = jobs[wait.job].submit
		share = wait.at
		if h.part == 1 {
			share, from, until = 1-wait.at, until, 1
		}
	}
	app, driver := f.app*share, f.driver*(until-from)
	if e.relief.app {
		app /= simulate.Faster
	}
	if e.relief.driver {
		driver /= simulate.Faster
	}
	end := at + int64(app)
	endNode := e.path.At(end, causeApp, simulate.NoQueue, node)
	start, startNode := end, endNode
	if e.l.threads > 1 && h.driver > start {
		start, startNode = h.driver, h.driverNode
	}
	done := start + int64(driver)
	doneNode := e.path.At(done, causeDriver, simulate.NoQueue, startNode)
	if e.rec != nil {
		e.rec.thread(0, at, end)
		e.rec.thread(min(1, e.l.threads-1), start, done)
		if e.l.threads > 1 {
			e.rec.driver(start, done)
		} else {
			e.rec.driver(end, done)
		}
		if e.l.host.spins {
			e.rec.spin(h.app, at)
		}
	}
	for j := range jobs {
		s := &e.jobs[e.first[h.frame]+j]
		if s.submitted || jobs[j].submit > until {
			continue
		}
		done := 1.0
		if until > from {
			done = max(0, (jobs[j].submit-from)/(until-from))
		}
		s.submit, s.submitted = start+int64(driver*done), true
		s.submitNode = e.path.At(s.submit, causeDriver, simulate.NoQueue, startNode)
	}
	h.took, h.tookNode = start, startNode
	h.driver, h.driverNode = done, doneNode
	h.app, h.appNode = end, endNode
	if e.l.threads <= 1 {
		h.app, h.appNode = done, doneNode
	}
	if wait != nil && h.part == 0 {
		h.part = 1
		return true
	}
	e.frames[h.frame].submitted, e.frames[h.frame].all = done, true
	h.frame, h.part = h.frame+1, 0
	return true
}

// stay is how many refreshes frame i stays on the display.
func (e *engine) stay(i int) int64 {
	if c := e.l.pacing.Cadence; len(c) > 0 {
		return int64(c[i%len(c)])
	}
	return 1
}

// onDate is the first refresh at or after t.
func (e *engine) onDate(t int64) int64 {
	r := e.l.pacing.Refresh
	return (t + r - 1) / r * r
}

// frameStart is when the application may begin its next frame; ok is false while that is not known.
func (e *engine) frameStart() (at int64, node int32, ok bool) {
	h, p := &e.host, &e.l.pacing
	i := h.frame
	at, node = h.app, h.appNode
	later := func(t int64, n int32) {
		if t > at {
			at, node = t, n
		}
	}
	if e.l.threads > 1 {
		later(h.took, h.tookNode)
	}
	ahead := p.Ahead
	if e.relief.wait {
		ahead += 2
	}
	if ahead > 0 && i >= ahead {
		f := &e.frames[i-ahead]
		if f.left > 0 {
			return 0, 0, false
		}
		if f.done+int64(e.l.notice) > at {
			later(e.known(f.done, f.doneNode))
		}
	}
	if p.Refresh > 0 {
		if before := i - p.Buffers - 1; before >= 0 {
			if before >= e.shown {
				return 0, 0, false
			}
			later(e.frames[before].flip, e.frames[before].flipNode)
		}
	}
	if p.Cap > 0 && i > 0 {
		later(h.cap, h.capNode)
	}
	if p.Requests {
		if t := e.l.frames[i].request; t > at {
			later(t, e.path.At(t, causeRequest, simulate.NoQueue, 0))
		}
	}
	if p.Align && p.Refresh > 0 {
		if i > 0 {
			if t := e.frames[i-1].begin + p.Refresh*e.stay(i-1); t > at {
				later(t, e.path.At(t, causeVsync, simulate.NoQueue, e.frames[i-1].beginNode))
			}
		}
		if t := e.onDate(at); t > at {
			later(t, e.path.At(t, causeVsync, simulate.NoQueue, node))
		}
	}
	if p.Cap > 0 {
		if i == 0 || at-h.cap > p.Cap/2 { // much lateness is not caught up
			h.cap = at
		}
		h.cap += p.Cap
		h.capNode = e.path.At(h.cap, causeCap, simulate.NoQueue, node)
	}
	return at, node, true
}

// show decides when pictures that are ready are shown.
func (e *engine) show() {
	p := &e.l.pacing
	for e.shown < len(e.frames) {
		i := e.shown
		f := &e.frames[i]
		if f.left > 0 || !f.all {
			return
		}
		e.shown++
		f.flip, f.flipNode = f.done, f.doneNode
		if p.Refresh > 0 {
			earliest, before := int64(0), int32(0)
			if i > 0 {
				earliest, before = e.frames[i-1].flip+p.Refresh*e.stay(i-1), e.frames[i-1].flipNode
				if p.Adaptive {
					earliest = e.frames[i-1].flip + p.Refresh
				}
			}
			t := max(f.done, earliest)
			if !p.Adaptive {
				t = e.onDate(t)
			}
			if t > f.done {
				prev := f.doneNode
				if earliest >= f.done && i > 0 {
					prev = before
				}
				f.flip, f.flipNode = t, e.path.At(t, causeVsync, simulate.NoQueue, prev)
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
		every := float64(p.Refresh)
		if p.Refresh == 0 {
			every = 16.7e6
		}
		return max(0, int(float64(f.flip-e.l.frames[i].request)/every)-p.Ahead-2)
	case p.Cap > 0:
		return max(0, int(float64(f.begin-before.begin)/float64(p.Cap)-0.6))
	case p.Refresh > 0 && p.Adaptive:
		if f.flip > before.flip+p.Refresh+p.Refresh/20 {
			return 1
		}
	case p.Refresh > 0:
		return int((f.flip - before.flip - p.Refresh*e.stay(i-1)) / p.Refresh)
	}
	return 0
}
