package mali

// relief is what is faster in a simulation.
type relief struct {
	speed [leaves]float64 // 0 is 1
	queue [queues]float64
	free  [leaves]bool // what is taken away: waits, launches, and what holds the clock down
}

// record is a stretch of time in which something was done that something later waited for.
type record struct {
	start, end int64
	slow       int64 // of it, for a clock below the highest
	free       int64 // when it could have begun but for a needless wait; only where over says which
	prev       int32 // what it waited for last, -1 for nothing
	leaf       int8
	over       int8 // syncWait or inTurn, -1 for neither
	why        int8 // what held the clock down
	queue      int8
}

type eventKind uint8

const (
	appEnds eventKind = iota
	driverEnds
	submitted
	launched
	stepEnds
	jobEnds
	shown
	wake // of the application, by a timer
	tick // of the governor
)

type event struct {
	at   int64
	seq  int32
	kind eventKind
	a    int32 // frame, or task
	b    int32 // pass
	rec  int32
}

// task is a bundle of warps on its way.
type task struct {
	job   int32
	step  int32
	noise float64
}

// job is a pass of a frame.
type job struct {
	pass      *pass
	frame     int
	submit    int32 // record, -1 while not submitted
	end       int32 // record, -1 while not done
	issued    int
	left      int
	inFlight  int
	launched  bool
	begin     int64
	first     int64 // task
	lastIssue int64
	lastTask  int64
	at        int64 // when it was done
}

// sim is a simulation: events in a queue, servers that know when they are free, and closed loops of tasks.
type sim struct {
	*program
	relief
	sink *sink

	heap []event
	seq  int32
	now  int64
	recs []record

	freeAt [servers]int64
	lastOf [servers]int32

	jobs   []job // of all frames, in the order of frames
	jobOf  []int // by frame: the first of its jobs
	queue  [queues][]int32
	head   [queues]int
	at     [queues]int32 // job that runs, -1 for none
	before [queues]int32 // record of the job before's end
	tasks  []task
	idle   []int32

	frame []frameState

	appNext, driverNext int
	appRec, driverRec   int32 // what ended last, -1
	appBusy, driverBusy bool
	lastShown           int32 // record
	showNext            int
	nextDue             int64 // of a cap
	capRec, askRec      int32
	waking              bool

	share    float64 // of the highest clock
	why      int8
	degrees  float64
	hot      float64 // highest share that heat allows
	poor     float64 // and the budget of power
	busy     int64   // ns since the last tick
	since    int64   // when the GPU became busy
	working  int     // jobs under way
	cpuBusy  int64
	clock    []clockSpan
	busySpan []span
	finished bool
}

type span struct{ start, end int64 }

type clockSpan struct {
	at    int64
	share float64
	heat  float64
}

type frameState struct {
	left                 int // jobs
	begin                int64
	gpuBegin             int64
	done                 int32 // record
	shown                int32
	driverBegan          bool
	driverBegin          int64
	appDone              int32
	doneAt, shownAt, due int64
}

func newSim(p *program, r relief, sink *sink) *sim {
	s := &sim{program: p, relief: r, sink: sink, appRec: -1, driverRec: -1, lastShown: -1, capRec: -1, askRec: -1}
	for i := range s.speed {
		if s.speed[i] == 0 {
			s.speed[i] = 1
		}
	}
	for i := range s.relief.queue {
		if s.relief.queue[i] == 0 {
			s.relief.queue[i] = 1
		}
	}
	for i := range s.lastOf {
		s.lastOf[i] = -1
	}
	s.at, s.before = [queues]int32{-1, -1, -1}, [queues]int32{-1, -1, -1}
	for f := range p.frames {
		s.jobOf = append(s.jobOf, len(s.jobs))
		passes := p.contents[p.content(f)].passes
		for _, q := range passes {
			s.jobs = append(s.jobs, job{pass: q, frame: f, submit: -1, end: -1, left: q.tasks})
		}
		s.frame = append(s.frame, frameState{left: len(passes), done: -1, shown: -1, appDone: -1, gpuBegin: -1})
	}
	s.jobOf = append(s.jobOf, len(s.jobs))
	s.hot, s.poor = 1, 1
	s.degrees = p.heat.degrees
	s.setClock(1)
	if !p.heat.always {
		s.setClock(p.heat.top * 0.8)
	}
	return s
}

func (s *sim) run() {
	s.push(s.heat.tick, tick, 0, 0, -1)
	s.tryApp()
	for len(s.heap) > 0 && !s.finished {
		e := s.pop()
		s.now = e.at
		switch e.kind {
		case appEnds:
			s.appBusy = false
			s.appRec = e.rec
			s.frame[e.a].appDone = e.rec
			s.tryDriver()
			s.tryApp()
		case driverEnds:
			s.driverBusy = false
			s.driverRec = e.rec
			s.tryDriver()
			s.tryApp()
		case submitted:
			j := s.jobOf[e.a] + int(e.b)
			s.jobs[j].submit = e.rec
			q := s.jobs[j].pass.queue
			s.queue[q] = append(s.queue[q], int32(j))
			s.tryQueue(q)
		case launched:
			j := &s.jobs[e.a]
			j.launched, j.first = true, s.now
			s.issue(e.a, e.rec)
		case stepEnds:
			s.advance(e.a, e.rec)
		case jobEnds:
			s.endJob(e.a, e.rec)
		case shown:
			s.show(int(e.a), e.rec)
		case wake:
			s.waking = false
			s.tryApp()
		case tick:
			s.govern()
			s.push(s.now+s.heat.tick, tick, 0, 0, -1)
		}
	}
	s.note()
}

func (s *sim) add(r record) int32 {
	s.recs = append(s.recs, r)
	return int32(len(s.recs) - 1)
}

// endOf is when a record ended, and 0 where there is none.
func (s *sim) endOf(rec int32) int64 {
	if rec < 0 {
		return 0
	}
	return s.recs[rec].end
}

// latest is the record that ends last.
func (s *sim) latest(recs ...int32) int32 {
	best := int32(-1)
	for _, r := range recs {
		if r >= 0 && (best < 0 || s.recs[r].end > s.recs[best].end) {
			best = r
		}
	}
	return best
}

// ready reports whether a pass's job has all that it waits for, and what ended last, with the needless waits and
// without.
func (s *sim) ready(j int32) (ok bool, all, needed int32) {
	job := &s.jobs[j]
	base := s.jobOf[job.frame]
	needed = s.latest(job.submit, s.before[job.pass.queue])
	for _, k := range job.pass.after {
		end := s.jobs[base+k].end
		if end < 0 {
			return false, 0, 0
		}
		needed = s.latest(needed, end)
	}
	all = needed
	if s.free[inTurn] {
		return true, all, needed
	}
	for _, k := range job.pass.turn {
		end := s.jobs[base+k].end
		if end < 0 {
			return false, 0, 0
		}
		all = s.latest(all, end)
	}
	if job.pass.prior && job.frame > 0 {
		end := s.jobs[base-1].end
		if end < 0 {
			return false, 0, 0
		}
		all = s.latest(all, end)
	}
	return true, all, needed
}

func (s *sim) tryQueue(q int) {
	if s.at[q] >= 0 || s.head[q] >= len(s.queue[q]) {
		return
	}
	j := s.queue[q][s.head[q]]
	ok, all, needed := s.ready(j)
	if !ok {
		return
	}
	s.head[q]++
	s.at[q] = j
	job := &s.jobs[j]
	job.begin = s.now
	fs := &s.frame[job.frame]
	if fs.gpuBegin < 0 {
		fs.gpuBegin = s.now
	}
	if s.working == 0 {
		s.since = s.now
		s.busySpan = append(s.busySpan, span{s.now, s.now})
	}
	s.working++
	r := record{start: s.now, end: s.now + s.delay(job.pass.start, q), prev: all, leaf: launch, over: -1, queue: int8(q)}
	if all != needed {
		r.over, r.free = inTurn, s.endOf(needed)
	}
	s.push(r.end, launched, j, 0, s.add(r))
}

// delay is a launch's time.
func (s *sim) delay(ns float64, q int) int64 {
	if s.free[launch] {
		return 0
	}
	return int64(ns / s.relief.queue[q])
}

// issue gives tasks to the units while there is room for them.
func (s *sim) issue(j int32, rec int32) {
	job := &s.jobs[j]
	p := job.pass
	for job.issued < p.tasks && job.inFlight < p.slots {
		t := task{job: j, noise: s.noiseOf(job)}
		job.issued++
		job.inFlight++
		job.lastIssue = s.now
		if s.sink != nil {
			s.sink.resident(p.queue, s.now, 1)
		}
		var at int32
		if n := len(s.idle); n > 0 {
			at = s.idle[n-1]
			s.idle = s.idle[:n-1]
			s.tasks[at] = t
		} else {
			at = int32(len(s.tasks))
			s.tasks = append(s.tasks, t)
		}
		s.serve(at, rec)
	}
}

// noiseOf is how much larger a task is than others. It depends on frame and task alone.
func (s *sim) noiseOf(j *job) float64 {
	n := j.pass.noise
	return n[(j.issued+s.shift[j.frame])%len(n)] * s.scale[j.frame]
}

// serve begins a task's next step.
func (s *sim) serve(t int32, rec int32) {
	tk := &s.tasks[t]
	job := &s.jobs[tk.job]
	st := &job.pass.steps[tk.step]
	leaf := int(st.leaf)
	q := job.pass.queue
	work := st.work * tk.noise / s.speed[leaf] / s.relief.queue[q]
	took := int64(work*s.stretch(leaf, s.share)) + 1
	r := record{start: s.now, prev: rec, leaf: st.leaf, over: -1, why: s.why, queue: int8(q)}
	if leaf < servers {
		if f := s.freeAt[leaf]; f > s.now {
			r.start, r.prev = f, s.lastOf[leaf]
		}
	}
	r.end = r.start + took
	if s.share < 1 {
		r.slow = max(0, took-int64(work))
	}
	id := s.add(r)
	if leaf < servers {
		s.freeAt[leaf], s.lastOf[leaf] = r.end, id
	}
	if s.sink != nil {
		s.sink.served(job.pass, leaf, s.now, r.start, r.end, st.work*tk.noise)
		s.sink.inside(leaf, s.now, 1)
	}
	s.push(r.end, stepEnds, t, 0, id)
}

// advance is the end of a task's step.
func (s *sim) advance(t int32, rec int32) {
	tk := &s.tasks[t]
	job := &s.jobs[tk.job]
	if s.sink != nil {
		s.sink.inside(int(job.pass.steps[tk.step].leaf), s.now, -1)
	}
	tk.step++
	if int(tk.step) < len(job.pass.steps) {
		s.serve(t, rec)
		return
	}
	j := tk.job
	if s.sink != nil {
		s.sink.resident(job.pass.queue, s.now, -1)
	}
	s.idle = append(s.idle, t)
	job.inFlight--
	job.left--
	if job.left > 0 {
		s.issue(j, rec)
		return
	}
	q := job.pass.queue
	job.lastTask = s.now
	r := record{start: s.now, end: s.now + s.delay(job.pass.flush, q), prev: rec, leaf: launch, over: -1, queue: int8(q)}
	s.push(r.end, jobEnds, j, 0, s.add(r))
}

func (s *sim) endJob(j int32, rec int32) {
	job := &s.jobs[j]
	job.end, job.at = rec, s.now
	q := job.pass.queue
	s.at[q], s.before[q] = -1, rec
	s.working--
	if s.working == 0 {
		s.busy += s.now - s.since
		s.busySpan[len(s.busySpan)-1].end = s.now
	}
	if s.sink != nil {
		s.sink.ran(job)
	}
	f := &s.frame[job.frame]
	f.left--
	if f.left == 0 {
		f.done, f.doneAt = rec, s.now
		s.complete(job.frame)
	}
	for q := range queues {
		s.tryQueue(q)
	}
}

func (s *sim) push(at int64, kind eventKind, a, b, rec int32) {
	s.seq++
	s.heap = append(s.heap, event{at, s.seq, kind, a, b, rec})
	h := s.heap
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !less(&h[i], &h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func less(a, b *event) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }

func (s *sim) pop() event {
	h := s.heap
	top := h[0]
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	s.heap = h
	i := 0
	for {
		k := 2*i + 1
		if k >= n {
			break
		}
		if k+1 < n && less(&h[k+1], &h[k]) {
			k++
		}
		if !less(&h[k], &h[i]) {
			break
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
	return top
}
