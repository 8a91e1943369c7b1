package intel

// settle does what can be done at this moment, and reports whether it did anything. What waits for a later moment
// notes that in until.
func (e *engine) settle() bool {
	done := e.finish()
	done = e.display() || done
	done = e.driver() || done
	done = e.application() || done
	for q := range e.queues {
		done = e.begin(q) || done
	}
	return done
}

func (e *engine) wait(t int64) { e.until = min(e.until, t) }

// finish ends what has nothing left.
func (e *engine) finish() (did bool) {
	for q := range e.queues {
		st := &e.queues[q]
		if !st.running || st.left > 0 {
			continue
		}
		did = true
		of := st.order[st.at]
		f := &e.frames[of.frame]
		j := &e.p.contents[e.p.contentOf(of.frame)].jobs[of.job]
		if st.launch {
			st.launch, st.left = false, 1
			continue
		}
		if st.part++; st.part < len(j.chunks) {
			e.part(st, j)
			continue
		}
		st.running = false
		n := e.node(e.now, st.startNode, causeQueue, q)
		st.freeNode = n
		f.end[of.job], f.endNode[of.job] = e.now, n
		st.at++
		if f.left--; f.left == 0 {
			f.gpuEnd, f.doneNode = e.now, n
		}
	}
	return did
}

// part begins a job's next part: with a launch, if it has one.
func (e *engine) part(st *queueState, j *job) {
	c := j.chunks[st.part]
	st.left = c.launches * e.p.overhead / e.r.launch
	if e.r.queue == j.queue {
		st.left /= faster
	}
	if st.launch = st.left >= 1; !st.launch {
		st.left = 1
	}
}

// begin starts the next job of a queue.
func (e *engine) begin(q int) bool {
	st := &e.queues[q]
	if st.running || st.at >= len(st.order) {
		return false
	}
	of := st.order[st.at]
	f := &e.frames[of.frame]
	j := &e.p.contents[e.p.contentOf(of.frame)].jobs[of.job]
	last, could := f.readyNode[of.job], f.ready[of.job]
	if st.freeNode > 0 && e.nodes[st.freeNode].at >= could {
		last, could = st.freeNode, e.nodes[st.freeNode].at
	}
	needed := could
	for _, d := range j.deps {
		of := of.frame - d.back
		if of < 0 || d.needless && e.r.noTurn || d.job >= len(e.frames[of].end) {
			continue
		}
		g := &e.frames[of]
		at := g.end[d.job]
		if at < 0 {
			return false
		}
		if at > e.nodes[last].at {
			last = g.endNode[d.job]
		}
		if !d.needless {
			needed = max(needed, at)
		}
	}
	st.running, st.part = true, 0
	st.startNode = e.node(e.now, last, cLaunch, q)
	if needed < e.now {
		e.turns[st.startNode] = turn{needed, of.frame, q}
	}
	if f.gpuBegin == 0 {
		f.gpuBegin = e.now
	}
	e.part(st, j)
	return true
}

// display shows the next frame.
func (e *engine) display() bool {
	i := e.shown
	if i >= len(e.frames) || e.frames[i].left > 0 {
		return false
	}
	p := &e.p.pacing
	f := &e.frames[i]
	at, n, cause := f.gpuEnd, f.doneNode, uint8(cVsync)
	if p.refresh > 0 {
		earliest := int64(0)
		if i > 0 {
			earliest = e.frames[i-1].flip + p.refresh*max(1, p.stay)
			if p.request > 0 {
				earliest = e.frames[i-1].flip + p.refresh
			}
		}
		if earliest >= at && i > 0 {
			at, n = earliest, e.frames[i-1].flipNode
		}
		if !p.adaptive {
			at = (at + p.refresh - 1) / p.refresh * p.refresh
		}
	}
	if at > e.now {
		e.wait(at)
		return false
	}
	f.flip = max(at, f.gpuEnd)
	f.flipNode = e.node(f.flip, n, cause, -1)
	e.shown++
	f.missed = e.missed(i)
	return true
}

// missed is how many dates a frame was late.
func (e *engine) missed(i int) int {
	if i == 0 {
		return 0
	}
	p, f, g := &e.p.pacing, &e.frames[i], &e.frames[i-1]
	switch {
	case p.request > 0:
		if late := f.flip - e.request(i); late > 2*p.request+p.refresh {
			return 1
		}
	case p.cap > 0:
		if d := f.begin - g.begin; d > p.cap*3/2 {
			return int(float64(d)/float64(p.cap) - 0.5)
		}
	case p.refresh > 0 && p.adaptive:
		if f.flip > g.flip+p.refresh+p.refresh/20 {
			return 1
		}
	case p.refresh > 0:
		return int((f.flip - g.flip - p.refresh*max(1, p.stay) + p.refresh/2) / p.refresh)
	}
	return 0
}

// request is when a frame is asked for.
func (e *engine) request(i int) int64 {
	t := int64(i) * e.p.pacing.request
	h := uint64(i)*0x9e3779b97f4a7c15 ^ e.p.seed
	h ^= h >> 29
	return t + int64(h%1000)*e.p.pacing.request/16000
}

// application begins and ends the application's work on frames.
func (e *engine) application() bool {
	i := e.appFrame
	if i >= len(e.frames) {
		return false
	}
	if e.appTo >= 0 {
		if e.appTo > e.now {
			return false
		}
		e.appNode = e.node(e.appTo, e.frames[i].beginNode, cApp, -1)
		e.appEnd[i] = e.appNode
		e.appTo = -1
		e.appFrame++
		return true
	}
	p := &e.p.pacing
	at, last := e.nodes[e.appNode].at, e.appNode
	later := func(n int32) {
		if t := e.nodes[n].at; t >= at {
			at, last = t, n
		}
	}
	if i > 0 {
		if e.took[i-1] == 0 {
			return false
		}
		later(e.took[i-1])
	}
	gpu := func(back int) bool {
		if back <= 0 || i < back {
			return true
		}
		f := &e.frames[i-back]
		if f.left > 0 {
			return false
		}
		if t := f.gpuEnd + int64(e.p.inter/e.r.launch); t > at {
			later(e.node(t, f.doneNode, cLaunch, -1))
		}
		return true
	}
	ahead := e.p.ahead
	if e.r.noSync {
		ahead = max(ahead, 2) + 1
	}
	if !gpu(ahead) {
		return false
	}
	if p.refresh > 0 && i >= p.buffers-1 && p.buffers > 1 {
		f := &e.frames[i-p.buffers+1]
		if f.flip < 0 {
			return false
		}
		later(f.flipNode)
	}
	if i > 0 {
		before := e.frames[i-1].beginNode
		if t := e.frames[i-1].begin + p.cap; p.cap > 0 && t > at {
			later(e.node(t, before, cCap, -1))
		}
		if t := e.request(i); p.request > 0 && t > at {
			later(e.node(t, before, cRequest, -1))
		}
	}
	could := at
	if e.p.sync && !e.r.noSync {
		if !gpu(1) {
			return false
		}
	}
	if at > e.now {
		e.wait(at)
		return false
	}
	f := &e.frames[i]
	f.begin = e.now
	f.beginNode = e.node(e.now, last, cApp, -1)
	if could < e.now && e.p.sync && !e.r.noSync {
		e.turns[f.beginNode] = turn{could, i, -1}
	}
	e.appTo = e.now + max(1, int64(e.p.contents[e.p.contentOf(i)].app*f.app/e.r.app))
	return true
}

// driver takes frames of the application and hands over their jobs one by one.
func (e *engine) driver() bool {
	i := e.drvFrame
	if i >= len(e.frames) {
		return false
	}
	c := e.p.contents[e.p.contentOf(i)]
	f := &e.frames[i]
	all := c.driver * f.driver / e.r.driver
	when := func(j int) int64 {
		if j >= len(c.jobs) {
			return e.drvStart + max(1, int64(all))
		}
		return e.drvStart + int64(all*c.jobs[j].submit)
	}
	if e.drvTo < 0 {
		n := e.appEnd[i]
		if n == 0 {
			return false
		}
		if e.nodes[e.drvNode].at > e.nodes[n].at {
			n = e.drvNode
		}
		e.drvStart, e.drvNext = e.now, 0
		e.drvStartNode = e.node(e.now, n, cDriver, -1)
		e.took[i] = e.drvStartNode
		e.drvTo = when(0)
		return true
	}
	if e.drvTo > e.now {
		return false
	}
	n := e.node(e.drvTo, e.drvStartNode, cDriver, -1)
	if j := e.drvNext; j < len(c.jobs) {
		f.ready[j], f.readyNode[j] = e.drvTo, n
		st := &e.queues[c.jobs[j].queue]
		st.order = append(st.order, ref{i, j})
		e.drvNext++
		e.drvTo = when(e.drvNext)
		return true
	}
	e.drvNode = n
	f.submitted = e.now
	e.drvTo = -1
	e.drvFrame++
	return true
}
