package intel

// hostState is how far the application's thread and the driver's have come.
type hostState struct {
	frame               int
	half                bool // after a wait within the frame
	app, driver         int64
	appNode, driverNode int32
	took                int64
	tookNode            int32
	cap                 int64
	capNode             int32
	from                float64
}

// advance takes display and processor as far as what they wait for is known.
func (e *engine) advance() {
	for {
		e.show()
		if e.host.frame >= len(e.p.frames) || !e.step() {
			return
		}
	}
}

func (e *engine) interrupt() int64 {
	if e.r.gpu || e.r.cause == cLaunch+1 {
		return int64(e.p.interrupt / faster)
	}
	return int64(e.p.interrupt)
}

// told is when the application knows that something has ended on the GPU.
func (e *engine) told(t int64, n int32) (int64, int32) {
	t += e.interrupt()
	return t, e.path.at(t, cLaunch, noQueue, n)
}

// step takes the application to its next wait or the end of a frame; it is false where that is not known yet.
func (e *engine) step() bool {
	h, p := &e.host, e.p
	i := h.frame
	f, st := &p.frames[i], &e.frames[i]
	within := p.wait
	if e.r.wait {
		within = nil
	}
	passes := p.contents[f.content].passes
	last := len(passes) - 1
	var at int64
	var n int32
	if h.half {
		j := &e.jobs[e.first[i]+min(within.pass, last)]
		if !j.done {
			return false
		}
		at, n = h.app, h.appNode
		if t, tn := e.told(j.end, j.node); t > at {
			at, n = t, tn
		}
	} else {
		var ok bool
		if at, n, ok = e.begin(i); !ok {
			return false
		}
		st.begin, st.beginNode = at, n
	}
	share, until := 1.0, 1.0
	if within != nil && !h.half {
		last = min(within.pass, last)
		share, until = within.at, passes[last].submit
	} else if within != nil {
		share = 1 - within.at
	}
	app, driver := f.app*share, f.driver*(until-h.from)
	if e.r.app {
		app /= faster
	}
	if e.r.driver {
		driver /= faster
	}
	end := at + int64(app)
	endNode := e.path.at(end, cApp, noQueue, n)
	start, startNode := end, endNode
	if p.threads > 1 && h.driver > start {
		start, startNode = h.driver, h.driverNode
	}
	if e.rec != nil {
		e.rec.thread(0, at, end)
		e.rec.thread(min(1, p.threads-1), start, start+int64(driver))
	}
	for j := 0; j <= last; j++ {
		k := &e.jobs[e.first[i]+j]
		if k.submit > 0 {
			continue
		}
		part := 1.0
		if until > h.from {
			part = min(1, max(0, (passes[j].submit-h.from)/(until-h.from)))
		}
		k.submit = max(1, start+int64(driver*part))
		k.submitNode = e.path.at(k.submit, cDriver, noQueue, startNode)
		q := passes[j].queue
		e.fifo[q] = append(e.fifo[q], int32(e.first[i]+j))
	}
	done := start + int64(driver)
	doneNode := e.path.at(done, cDriver, noQueue, startNode)
	h.took, h.tookNode, h.driver, h.driverNode = start, startNode, done, doneNode
	h.app, h.appNode = end, endNode
	if p.threads <= 1 {
		h.app, h.appNode = done, doneNode
	}
	if within != nil && !h.half {
		h.half, h.from = true, until
		return true
	}
	st.submitted = true
	h.frame, h.half, h.from = i+1, false, 0
	return true
}

// begin is when frame i may begin.
func (e *engine) begin(i int) (at int64, n int32, ok bool) {
	h, p := &e.host, &e.p.pacing
	at, n = h.app, h.appNode
	later := func(t int64, tn int32) {
		if t > at {
			at, n = t, tn
		}
	}
	if e.p.threads > 1 {
		later(h.took, h.tookNode)
	}
	ahead := p.Ahead
	if e.r.wait {
		ahead = max(1, ahead) + 2
	}
	if ahead > 0 && i >= ahead {
		before := &e.frames[i-ahead]
		if !before.finished {
			return 0, 0, false
		}
		if before.done+e.interrupt() > at {
			later(e.told(before.done, before.doneNode))
		}
	}
	if before := i - p.Buffers - 1; p.Refresh > 0 && before >= 0 {
		if before >= e.shown {
			return 0, 0, false
		}
		later(e.frames[before].flip, e.frames[before].flipNode)
	}
	if p.Cap > 0 && i > 0 {
		later(h.cap, h.capNode)
	}
	if t := e.p.frames[i].request; p.Requests && t > at {
		later(t, e.path.at(t, cRequest, noQueue, 0))
	}
	if p.Align && p.Refresh > 0 {
		if i > 0 {
			if t := e.frames[i-1].begin + p.Refresh*e.stay(i-1); t > at {
				later(t, e.path.at(t, cVsync, noQueue, e.frames[i-1].beginNode))
			}
		}
		if t := e.tick(at); t > at {
			later(t, e.path.at(t, cVsync, noQueue, n))
		}
	}
	if p.Cap > 0 {
		if i == 0 || at-h.cap > p.Cap/2 {
			h.cap = at // much lateness is not caught up
		}
		h.cap += p.Cap
		h.capNode = e.path.at(h.cap, cCap, noQueue, n)
	}
	return at, n, true
}

func (e *engine) stay(i int) int64 {
	if c := e.p.pacing.Cadence; len(c) > 0 {
		return int64(c[i%len(c)])
	}
	return 1
}

func (e *engine) tick(t int64) int64 {
	r := e.p.pacing.Refresh
	return (t + r - 1) / r * r
}

// show flips pictures that are ready, in the order of frames.
func (e *engine) show() {
	p := &e.p.pacing
	for ; e.shown < len(e.frames); e.shown++ {
		i := e.shown
		f := &e.frames[i]
		if !f.finished || !f.submitted {
			return
		}
		f.flip, f.flipNode = f.done, f.doneNode
		if p.Refresh > 0 {
			least, before := int64(0), int32(0)
			if i > 0 {
				least, before = e.frames[i-1].flip+p.Refresh*e.stay(i-1), e.frames[i-1].flipNode
			}
			if p.Adaptive {
				if i > 0 {
					least = e.frames[i-1].flip + p.Refresh
				}
				if least > f.done {
					f.flip, f.flipNode = least, e.path.at(least, cVsync, noQueue, before)
				}
			} else if t := e.tick(max(f.done, least)); i > 0 && least >= f.done {
				f.flip, f.flipNode = t, e.path.at(t, cVsync, noQueue, before)
			} else {
				f.flip, f.flipNode = t, e.path.at(t, cVsync, noQueue, f.doneNode)
			}
		}
		if i > 0 {
			f.missed = e.missed(i)
		}
	}
}

// missed is how many dates frame i was late.
func (e *engine) missed(i int) int {
	p, f, before := &e.p.pacing, &e.frames[i], &e.frames[i-1]
	switch {
	case p.Requests && p.Refresh > 0:
		return max(0, int((f.flip-e.tick(e.p.frames[i].request))/p.Refresh)-p.Ahead-2)
	case p.Cap > 0:
		return max(0, int(float64(f.begin-before.begin)/float64(p.Cap)-0.6))
	case p.Refresh > 0 && p.Adaptive:
		if f.flip > before.flip+p.Refresh*21/20 {
			return 1
		}
	case p.Refresh > 0:
		return int((f.flip - before.flip - p.Refresh*e.stay(i-1)) / p.Refresh)
	}
	return 0
}
