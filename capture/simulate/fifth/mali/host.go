package mali

// host is the processor's side: the application, and what records and submits for it.
type host struct {
	frame   int // of the application
	part    int // 1 after a wait within the frame
	running bool
	begun   bool // the application waits for its own submission
	until   int64
	node    int32
	free    int64
	from    float64 // share of the driver's work that is done
	job     int     // the first that was not handed over
	cap     int64
	capNode int32
	driver  driver
}

// driver hands the jobs of frames over.
type driver struct {
	list         []piece
	head         int
	busy         bool
	start, until int64
	startNode    int32
	length       float64
	job          int
	free         int64
	freeNode     int32
	took         int64
	tookNode     int32
	done         int // pieces
}

// piece is a stretch of the driver's work on a frame.
type piece struct {
	frame, first, last int     // jobs
	from, to           float64 // of its work
	at                 int64
	node               int32
}

func (e *engine) notify() int64 {
	if e.relief.launch || e.relief.gpu {
		return int64(e.w.notify / faster)
	}
	return int64(e.w.notify)
}

// stepApp takes the application further.
func (e *engine) stepApp() (changed bool, next int64) {
	h := &e.host
	if h.frame >= len(e.w.frames) && !h.running {
		return false, never
	}
	w := e.w.wait
	if e.relief.wait {
		w = nil
	}
	inside := w != nil && w.back == 0
	if h.running {
		if e.now < h.until {
			return false, h.until
		}
		h.running = false
		f := &e.w.frames[h.frame]
		jobs := e.w.contents[f.content].jobs
		last, to := len(jobs)-1, 1.0
		if inside && h.part == 0 {
			last = min(w.job, last)
			if w.job < 0 {
				last = len(jobs) - 1
			}
			to = jobs[last].submit
		}
		d := &h.driver
		d.list = append(d.list, piece{h.frame, h.job, last, h.from, to, e.now, h.node})
		h.from, h.job = to, last+1
		if inside && h.part == 0 {
			h.part = 1
		} else {
			h.frame, h.part, h.from, h.job = h.frame+1, 0, 0, 0
		}
		h.free, h.begun = e.now, e.w.threads <= 1
		return true, never
	}
	at, n := h.free, h.node
	if h.begun { // one thread does both
		d := &h.driver
		if d.done < len(d.list) {
			return false, never
		}
		at, n = d.free, d.freeNode
		h.free, h.node, h.begun = at, n, false
	}
	share := 1.0
	if h.part == 1 {
		if w == nil {
			h.part = 0
		} else {
			t, tn, known := e.doneOf(h.frame, w.job)
			if !known {
				return false, never
			}
			if t += e.notify(); t > at {
				at, n = t, e.at(t, causeLaunch, -1, tn)
			}
			share = 1 - w.at
		}
	} else {
		var ok bool
		if at, n, ok = e.frameStart(w, at, n); !ok {
			return false, never
		}
		if inside {
			share = w.at
		}
	}
	if at > e.now {
		return false, at
	}
	f := &e.w.frames[h.frame]
	if h.part == 0 {
		e.frames[h.frame].begin, e.frames[h.frame].beginNode = e.now, n
		if p := &e.w.pacing; p.Cap > 0 {
			if h.frame == 0 || e.now-h.cap > p.Cap/2 {
				h.cap = e.now
			}
			h.cap += p.Cap
			h.capNode = n
		}
	}
	app := f.app * share
	if e.relief.app {
		app /= faster
	}
	h.running, h.until = true, e.now+int64(app)
	h.node = e.at(h.until, causeApp, -1, n)
	if e.tape != nil {
		e.tape.ran(0, e.now, h.until)
	}
	return true, h.until
}

// frameStart is when the next frame can begin.
func (e *engine) frameStart(w *wait, at int64, n int32) (int64, int32, bool) {
	h, p := &e.host, &e.w.pacing
	i := h.frame
	later := func(t int64, tn int32) {
		if t > at {
			at, n = t, tn
		}
	}
	if e.w.threads > 1 {
		d := &h.driver
		if d.head < len(d.list) { // one frame of commands may wait
			return 0, 0, false
		}
		later(d.took, d.tookNode)
	}
	ahead := p.Ahead
	if e.relief.wait {
		ahead = max(ahead, 1) + 2
	}
	after := func(frame, job int) bool {
		if frame < 0 {
			return true
		}
		t, tn, known := e.doneOf(frame, job)
		if !known {
			return false
		}
		if t += e.notify(); t > at {
			later(t, e.at(t, causeLaunch, -1, tn))
		}
		return true
	}
	if ahead > 0 && !after(i-ahead, -1) {
		return 0, 0, false
	}
	if w != nil && w.back > 0 && !after(i-w.back, w.job) {
		return 0, 0, false
	}
	if p.Refresh > 0 {
		if before := i - p.Buffers - 1; before >= 0 {
			if before >= e.shown {
				return 0, 0, false
			}
			later(e.frames[before].flip, e.frames[before].flipNode)
		}
	}
	if p.Cap > 0 && i > 0 && h.cap > at {
		later(h.cap, e.at(h.cap, causeCap, -1, h.capNode))
	}
	if t := e.w.frames[i].request; p.Requests && t > at {
		later(t, e.at(t, causeRequest, -1, 0))
	}
	if p.Align && p.Refresh > 0 {
		if i > 0 {
			if t := e.frames[i-1].begin + p.Refresh*stay(p.Cadence, i-1); t > at {
				later(t, e.at(t, causeVsync, -1, e.frames[i-1].beginNode))
			}
		}
		if t := tick(at, p.Refresh); t > at {
			later(t, e.at(t, causeVsync, -1, n))
		}
	}
	return at, n, true
}

// stepDriver takes the driver further.
func (e *engine) stepDriver() (changed bool, next int64) {
	d := &e.host.driver
	if d.busy {
		x := d.list[d.done]
		f := &e.w.frames[x.frame]
		jobs := e.w.contents[f.content].jobs
		for d.job <= x.last {
			j := &jobs[d.job]
			part := 1.0
			if x.to > x.from {
				part = min(1, max(0, (j.submit-x.from)/(x.to-x.from)))
			}
			t := d.start + int64(d.length*part)
			if t > e.now {
				return changed, t
			}
			q := &e.q[j.queue]
			q.list = append(q.list, ref{int32(x.frame), int32(d.job), e.now, e.at(e.now, causeDriver, -1, d.startNode)})
			d.job++
			changed = true
		}
		if e.now < d.until {
			return changed, d.until
		}
		d.busy, d.free, d.freeNode = false, e.now, e.at(e.now, causeDriver, -1, d.startNode)
		d.done++
		changed = true
	}
	if d.head >= len(d.list) {
		return changed, never
	}
	x := d.list[d.head]
	at, n := x.at, x.node
	if d.free > at {
		at, n = d.free, d.freeNode
	}
	if at > e.now {
		return changed, at
	}
	d.head++
	d.length = e.w.frames[x.frame].driver * (x.to - x.from)
	if e.relief.driver {
		d.length /= faster
	}
	d.busy, d.start, d.startNode, d.until = true, e.now, n, e.now+int64(d.length)
	d.job = x.first
	d.took, d.tookNode = e.now, n
	if e.tape != nil {
		e.tape.ran(min(1, e.w.threads-1)+1, e.now, d.until)
	}
	return true, e.now
}

func stay(cadence []int, i int) int64 {
	if len(cadence) == 0 {
		return 1
	}
	return int64(cadence[i%len(cadence)])
}

// tick is the first refresh at or after t.
func tick(t, refresh int64) int64 { return (t + refresh - 1) / refresh * refresh }

// show puts pictures that are done onto the display, in their order.
func (e *engine) show() (changed bool) {
	p := &e.w.pacing
	for e.shown < len(e.frames) && e.frames[e.shown].left == 0 && e.host.frame > e.shown {
		i := e.shown
		f := &e.frames[i]
		e.shown++
		f.flip, f.flipNode = f.done, f.doneNode
		var before *frameState
		if i > 0 {
			before = &e.frames[i-1]
		}
		switch {
		case p.Refresh == 0 && i > 0 && f.flip < before.flip:
			f.flip, f.flipNode = before.flip, before.flipNode
		case p.Refresh == 0:
		case p.Adaptive:
			if i > 0 && before.flip+p.Refresh > f.done {
				f.flip = before.flip + p.Refresh
				f.flipNode = e.at(f.flip, causeVsync, -1, before.flipNode)
			}
		default:
			from, n := f.done, f.doneNode
			if i > 0 {
				if t := before.flip + p.Refresh*stay(p.Cadence, i-1); t >= from {
					from, n = t, before.flipNode
				}
			}
			f.flip = tick(from, p.Refresh)
			f.flipNode = e.at(f.flip, causeVsync, -1, n)
		}
		if i > 0 {
			f.missed = e.missedBy(i)
		}
		changed = true
	}
	return changed
}

// missedBy is how many dates a frame was late.
func (e *engine) missedBy(i int) int {
	p, f, before := &e.w.pacing, &e.frames[i], &e.frames[i-1]
	switch {
	case p.Requests && p.Refresh > 0:
		return max(0, int((f.flip-tick(e.w.frames[i].request, p.Refresh))/p.Refresh)-p.Ahead-2)
	case p.Cap > 0:
		return max(0, int(float64(f.begin-before.begin)/float64(p.Cap)-0.6))
	case p.Refresh > 0 && p.Adaptive:
		if f.flip > before.flip+p.Refresh+p.Refresh/20 {
			return 1
		}
	case p.Refresh > 0:
		return int((f.flip - before.flip - p.Refresh*stay(p.Cadence, i-1)) / p.Refresh)
	}
	return 0
}
