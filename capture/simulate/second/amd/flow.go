package amd

import "math"

// server is a place where batches of work queue up, one behind the other.
type server int8

const (
	geometryEngine server = iota
	assembler
	scanner
	depthBlock
	colorBlock
	valu
	addresser // texture addresser, through which buffer loads and stores go as well
	lds
	l2
	dram
	servers
	wait = servers // no queue: a latency that everybody has for himself
)

// pool is room that batches take before a step and give back later.
type pool int8

const (
	noPool     pool = iota
	parameters      // parameter and position caches between vertex and pixel shading
	vertexSlot      // wave slots
	pixelSlot
	colorFIFO // between export and color blocks
	pools
)

// follows says with what of a batch the time of a step varies.
type follows int8

const (
	batches follows = iota // nothing: all alike
	vertices
	pixels
)

// step is one visit of a batch to a server.
type step struct {
	at     server
	why    cause
	by     follows
	shader bool    // its requests come from a shader
	ns     float64 // for the mean batch
	take   pool    // before it queues up
	give   pool    // when it is done
}

// flow is a draw or dispatch as batches that take the same steps.
type flow struct {
	steps  []step
	n      int
	room   [pools]int
	seed   uint64
	uneven float64 // how much batches differ
	fifo   int     // batches before the scan converter that hold up the assembler
	setup  float64 // ns before the first batch
	drain  float64 // ns behind the last
}

// flowed is what became of a flow: times are ns.
type flowed struct {
	total float64
	path  [allCauses]float64 // of the chain of steps that ends last
	busy  [servers]float64

	memStalled   float64 // requests of shaders stand before L2 or memory
	addrActive   float64 // the addresser works, or is held up so
	paHeld       float64 // more waits before the scan converter than its FIFO takes
	paActive     float64 // the assembler has anything
	dbActive     float64 // depth blocks test, or are held up by color blocks
	dbHeld       float64
	exportHeld   float64
	writeHeld    float64 // memory is behind by several batches
	vertexActive float64 // waves of a stage are in flight
	pixelActive  float64
	ldsWaited    float64 // summed over batches
	n            int     // of batches
}

// visit is a step that was taken, and whose end let it begin.
type visit struct {
	start, end float64
	why        cause
	before     int32
}

type batch struct {
	step   int32
	cause  int32 // the visit that let it go on
	queued float64
	scale  [3]float64
}

type event struct {
	at    float64
	batch int32
}

// line is a first-in first-out queue whose memory is used again.
type line struct {
	items []int32
	head  int
}

func (l *line) len() int     { return len(l.items) - l.head }
func (l *line) push(i int32) { l.items = append(l.items, i) }
func (l *line) pop() int32 {
	i := l.items[l.head]
	if l.head++; l.head == len(l.items) {
		l.items, l.head = l.items[:0], 0
	}
	return i
}

// sim runs flows and keeps its memory between them.
type sim struct {
	f       *flow
	scale   [allCauses]float64 // of the times, by cause
	heap    []event
	jobs    []batch
	visits  []visit
	queue   [servers]line
	works   [servers]int32 // the batch in service, -1 for none
	waiting [pools]line
	free    [pools]int
	shaders [servers]int // batches of shaders in the queue
	now     float64
	out     flowed
}

// run simulates a flow with one cause relieved.
func (s *sim) run(f *flow, relief cause) flowed {
	s.f = f
	for i := range s.scale {
		s.scale[i] = 1
	}
	if relief != none {
		s.scale[relief] = relieved
	}
	s.heap, s.visits, s.jobs = s.heap[:0], s.visits[:0], s.jobs[:0]
	for i := range s.queue {
		s.queue[i], s.works[i], s.shaders[i] = line{items: s.queue[i].items[:0]}, -1, 0
	}
	for i := range s.waiting {
		s.waiting[i], s.free[i] = line{items: s.waiting[i].items[:0]}, f.room[i]
	}
	s.out = flowed{n: f.n}
	s.now = f.setup * s.scale[overhead]
	s.visits = append(s.visits, visit{0, s.now, overhead, -1})
	x := f.seed
	for range f.n {
		s.jobs = append(s.jobs, batch{scale: [3]float64{1, uneven(&x, f.uneven), uneven(&x, f.uneven)}})
	}
	for i := range s.jobs {
		s.enter(int32(i))
	}
	for len(s.heap) > 0 {
		e := s.pop()
		s.pass(e.at)
		s.finish(e.batch)
	}
	last := int32(len(s.visits) - 1)
	for i := range s.visits {
		if s.visits[i].end > s.visits[last].end {
			last = int32(i)
		}
	}
	for i := last; i >= 0; i = s.visits[i].before {
		s.out.path[s.visits[i].why] += s.visits[i].end - s.visits[i].start
	}
	end := f.drain * s.scale[overhead]
	s.out.path[overhead] += end
	s.out.total = s.now + end
	return s.out
}

// uneven draws how much larger than the mean a batch is.
func uneven(x *uint64, by float64) float64 {
	*x = *x*6364136223846793005 + 1442695040888963407
	u := float64(*x>>11) / (1 << 53)
	return 1 + by*(2*u-1)
}

// pass lets time go by and notes who was busy in it.
func (s *sim) pass(to float64) {
	dt := to - s.now
	s.now = to
	if dt <= 0 {
		return
	}
	o := &s.out
	for i, w := range s.works {
		if w >= 0 {
			o.busy[i] += dt
		}
	}
	stalled := s.shaders[l2]+s.shaders[dram] >= 2
	if stalled {
		o.memStalled += dt
	}
	if stalled || s.works[addresser] >= 0 {
		o.addrActive += dt
	}
	held := s.queue[scanner].len()+s.waiting[pixelSlot].len() >= s.f.fifo
	if held {
		o.paHeld += dt
	}
	if held || s.works[assembler] >= 0 {
		o.paActive += dt
	}
	exports := s.queue[colorBlock].len() + s.waiting[colorFIFO].len()
	if exports >= 1 {
		o.exportHeld += dt
	}
	if exports >= 2 {
		o.dbHeld += dt
	}
	if exports >= 2 || s.works[depthBlock] >= 0 {
		o.dbActive += dt
	}
	if s.queue[dram].len() >= 3 {
		o.writeHeld += dt
	}
	// waves that cannot get room for what they export stay in flight
	if s.free[vertexSlot] < s.f.room[vertexSlot] || s.waiting[parameters].len() > 0 {
		o.vertexActive += dt
	}
	if s.free[pixelSlot] < s.f.room[pixelSlot] {
		o.pixelActive += dt
	}
}

// enter brings a batch to its step, where it may have to wait for room first.
func (s *sim) enter(i int32) {
	j := &s.jobs[i]
	if int(j.step) == len(s.f.steps) {
		return
	}
	if p := s.f.steps[j.step].take; p != noPool {
		if s.free[p] == 0 {
			s.waiting[p].push(i)
			return
		}
		s.free[p]--
	}
	s.arrive(i)
}

func (s *sim) arrive(i int32) {
	j := &s.jobs[i]
	st := &s.f.steps[j.step]
	if st.at == wait {
		s.serve(i, j.cause)
		return
	}
	j.queued = s.now
	if s.works[st.at] >= 0 {
		s.queue[st.at].push(i)
		if st.shader {
			s.shaders[st.at]++
		}
		return
	}
	s.works[st.at] = i
	s.serve(i, j.cause)
}

func (s *sim) serve(i, before int32) {
	j := &s.jobs[i]
	st := &s.f.steps[j.step]
	if st.at == lds {
		s.out.ldsWaited += s.now - j.queued
	}
	end := s.now + st.ns*j.scale[st.by]*s.scale[st.why]
	j.cause = int32(len(s.visits))
	s.visits = append(s.visits, visit{s.now, end, st.why, before})
	s.push(event{end, i})
}

// finish ends the step of a batch and lets go on who waited for that.
func (s *sim) finish(i int32) {
	j := &s.jobs[i]
	st := &s.f.steps[j.step]
	done := j.cause
	if st.at != wait {
		s.works[st.at] = -1
		if q := &s.queue[st.at]; q.len() > 0 {
			next := q.pop()
			if s.f.steps[s.jobs[next].step].shader {
				s.shaders[st.at]--
			}
			s.works[st.at] = next
			s.serve(next, done)
		}
	}
	give := st.give
	j.step++
	s.enter(i)
	if give == noPool {
		return
	}
	if w := &s.waiting[give]; w.len() > 0 {
		next := w.pop()
		s.jobs[next].cause = done
		s.arrive(next)
	} else {
		s.free[give]++
	}
}

func (s *sim) push(e event) {
	h := append(s.heap, e)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !earlier(e, h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
	s.heap = h
}

func (s *sim) pop() event {
	h := s.heap
	top, e := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	i := 0
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && earlier(h[c+1], h[c]) {
			c++
		}
		if !earlier(h[c], e) {
			break
		}
		h[i] = h[c]
		i = c
	}
	if len(h) > 0 {
		h[i] = e
	}
	s.heap = h
	return top
}

func earlier(a, b event) bool { return a.at < b.at || a.at == b.at && a.batch < b.batch }

func clamp(x, low, high float64) float64 { return math.Min(math.Max(x, low), high) }
