package simulate

// hostState is the processor's side: how far the application and the driver have come.
type hostState struct {
	frame int
	part  int // of the frame: 1 after a wait within it

	app, driver         int64 // when each thread is free
	appNode, driverNode int32
	took                int64 // when the driver took the work of the frame before
	tookNode            int32
	cap                 int64 // earliest start by the application's own limit
	capNode             int32
	from                float64 // share of the driver's work on the frame that is done
}

// advanceHost lets the processor's threads go on as far as everything that they wait for is known, and shows pictures
// that are ready.
func (e *engine) advanceHost() {
	for {
		e.show()
		if e.host.frame >= len(e.w.Frames) || !e.hostStep() {
			return
		}
	}
}

// hostStep takes the application to its next wait, or to the end of its frame.
func (e *engine) hostStep() bool {
	h := &e.host
	f := &e.w.Frames[h.frame]
	state := &e.frames[h.frame]
	wait := e.w.Wait
	if e.relief.Wait {
		wait = nil
	}
	inside := wait != nil && wait.Back == 0
	var at int64
	var n int32
	switch {
	case h.part == 1: // after the wait for a result of this very frame
		t, tn, known := e.doneOf(h.frame, wait.Job)
		if !known {
			return false
		}
		at, n = h.app, h.appNode
		if t += int64(e.interrupt()); t > at {
			at, n = t, e.at(t, causeInterrupt, NoQueue, tn)
		}
	default:
		var ok bool
		if at, n, ok = e.frameStart(wait); !ok {
			return false
		}
		state.begin, state.beginNode = at, n
	}
	share, until := 1.0, 1.0 // of the application's work, and of the driver's up to the end of this part
	jobs := e.w.Contents[f.Content].Jobs
	last := len(jobs) - 1
	if inside {
		j := wait.Job
		if j < 0 || j > last {
			j = last
		}
		if h.part == 0 {
			share, until, last = wait.At, jobs[j].Submit, j
		} else {
			share = 1 - wait.At
		}
	}
	app, driver := f.App*share, f.Driver*(until-h.from)
	if e.relief.App {
		app /= Faster
	}
	if e.relief.Driver {
		driver /= Faster
	}
	end := at + int64(app)
	endNode := e.at(end, causeApp, NoQueue, n)
	if e.rec != nil {
		e.rec.thread(0, at, end)
	}
	start, startNode := end, endNode
	if e.w.Threads > 1 && h.driver > start {
		start, startNode = h.driver, h.driverNode
	}
	if e.rec != nil {
		e.rec.thread(min(1, e.w.Threads-1), start, start+int64(driver))
	}
	for j := range jobs {
		s := &e.jobs[e.first[h.frame]+j]
		if j > last || s.submitted {
			continue
		}
		done := 1.0
		if until > h.from {
			done = max(0, (jobs[j].Submit-h.from)/(until-h.from))
		}
		s.submit = start + int64(driver*min(1, done))
		s.submitNode = e.at(s.submit, causeDriver, NoQueue, startNode)
		s.submitted = true
	}
	done := start + int64(driver)
	doneNode := e.at(done, causeDriver, NoQueue, startNode)
	h.took, h.tookNode = start, startNode
	h.driver, h.driverNode = done, doneNode
	h.app, h.appNode = end, endNode
	if e.w.Threads <= 1 {
		h.app, h.appNode = done, doneNode
	}
	if inside && h.part == 0 {
		h.part, h.from = 1, until
		return true
	}
	state.submitted = done
	h.frame, h.part, h.from = h.frame+1, 0, 0
	return true
}

func (e *engine) interrupt() float64 {
	if e.relief.Unit == LaunchOverhead || e.relief.GPU {
		return e.w.Interrupt / Faster
	}
	return e.w.Interrupt
}

// frameStart is when the application may begin its next frame; ok is false while that is not known.
func (e *engine) frameStart(wait *Wait) (at int64, n int32, ok bool) {
	h, p := &e.host, &e.w.Pacing
	i := h.frame
	at, n = h.app, h.appNode
	later := func(t int64, tn int32) {
		if t > at {
			at, n = t, tn
		}
	}
	if e.w.Threads > 1 {
		later(h.took, h.tookNode) // one frame of commands may wait for the driver
	}
	ahead := p.Ahead
	if e.relief.Wait {
		ahead = max(ahead, 1) + 2
	}
	if ahead > 0 && i >= ahead {
		t, tn, known := e.doneOf(i-ahead, -1)
		if !known {
			return 0, 0, false
		}
		if t += int64(e.interrupt()); t > at {
			later(t, e.at(t, causeInterrupt, NoQueue, tn))
		}
	}
	if wait != nil && wait.Back > 0 && i >= wait.Back {
		t, tn, known := e.doneOf(i-wait.Back, wait.Job)
		if !known {
			return 0, 0, false
		}
		if t += int64(e.interrupt()); t > at {
			later(t, e.at(t, causeInterrupt, NoQueue, tn))
		}
	}
	if p.Refresh > 0 {
		// The application may be as many pictures ahead of the display as there are.
		if before := i - p.Buffers - 1; before >= 0 {
			if before >= e.shown {
				return 0, 0, false
			}
			later(e.frames[before].flip, e.frames[before].flipNode)
		}
	}
	if p.Cap > 0 && i > 0 {
		if h.cap > at {
			later(h.cap, h.capNode)
		}
	}
	if p.Requests {
		if t := e.w.Frames[i].Request; t > at {
			later(t, e.at(t, causeRequest, NoQueue, 0))
		}
	}
	if p.Align && p.Refresh > 0 {
		if i > 0 {
			if t := e.frames[i-1].begin + p.Refresh*p.stay(i-1); t > at {
				later(t, e.at(t, causeVsync, NoQueue, e.frames[i-1].beginNode))
			}
		}
		if t := p.tick(at); t > at {
			later(t, e.at(t, causeVsync, NoQueue, n))
		}
	}
	if p.Cap > 0 {
		// A little lateness is caught up, a lot is not.
		if i == 0 || at-h.cap > p.Cap/2 {
			h.cap = at
		}
		h.cap += p.Cap
		h.capNode = e.at(h.cap, causeCap, NoQueue, n)
	}
	return at, n, true
}

// show decides when pictures that are ready are shown, in the order of frames.
func (e *engine) show() {
	p := &e.w.Pacing
	for e.shown < len(e.frames) {
		f := &e.frames[e.shown]
		if f.left > 0 || e.host.frame <= e.shown {
			return
		}
		i := e.shown
		e.shown++
		f.flip, f.flipNode = f.done, f.doneNode
		if p.Refresh > 0 {
			earliest, before := int64(0), int32(0)
			if i > 0 {
				earliest, before = e.frames[i-1].flip+p.Refresh*p.stay(i-1), e.frames[i-1].flipNode
				if p.Adaptive {
					earliest = e.frames[i-1].flip + p.Refresh
				}
			}
			switch t := p.tick(max(f.done, earliest)); {
			case p.Adaptive && earliest <= f.done:
			case p.Adaptive:
				f.flip, f.flipNode = earliest, e.at(earliest, causeVsync, NoQueue, before)
			case earliest >= f.done && i > 0:
				f.flip, f.flipNode = t, e.at(t, causeVsync, NoQueue, before)
			default:
				f.flip, f.flipNode = t, e.at(t, causeVsync, NoQueue, f.doneNode)
			}
		}
		if i > 0 {
			f.missed = e.missed(i)
		}
	}
}

// missed is how many dates frame i was late, 0 where it kept its own or has none.
func (e *engine) missed(i int) int {
	p, f, before := &e.w.Pacing, &e.frames[i], &e.frames[i-1]
	switch {
	case p.Requests && p.Refresh > 0:
		// From the request to the light: one refresh to begin, the frames that may be in the making, one to be shown.
		late := f.flip - p.tick(e.w.Frames[i].Request)
		return max(0, int(late/p.Refresh)-p.Ahead-2)
	case p.Cap > 0:
		return max(0, int((float64(f.begin-before.begin)/float64(p.Cap))-0.6))
	case p.Refresh > 0 && p.Adaptive:
		if f.flip > before.flip+p.Refresh+p.Refresh/20 {
			return 1
		}
	case p.Refresh > 0:
		return int((f.flip - before.flip - p.Refresh*p.stay(i-1)) / p.Refresh)
	}
	return 0
}
