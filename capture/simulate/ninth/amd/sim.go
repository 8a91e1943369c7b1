package amd

import (
	"fmt"
	"math"

	"astrolabe/capture/simulate"
)

// part is a stretch of a job whose draws are alike.
type part struct {
	need   [units]float64 // ns that each unit works for it at the highest clock, if nothing holds it up
	launch float64        // ns before it in which the pipe empties, caches are flushed and commands are read
}

// job is a pass of draws, a row of dispatches or a copy.
type job struct {
	name   string
	queue  int
	parts  []part
	sharp  int     // 4, 8 or 16: how well work on different units overlaps
	submit float64 // where in the driver's work on the frame it is handed over
	after  []after
	hold   float64 // how far geometry is held up by what comes behind it: little where few triangles cover much
	behind float64 // how far the depth block keeps tiles whose shading is not over
	target float64 // share of the memory's traffic that is depth and colour
}

// after is a job of the same frame, or of one before, that must be over first.
type after struct {
	job, back int
	loose     bool // nothing in the content asks for it
}

type content struct {
	name string
	jobs []job
}

type frame struct {
	content     int
	app, driver float64   // ns of the threads
	scale       []float64 // of the jobs' work
	request     int64     // before which nobody asked for it
}

// load is a program: its frames and what paces them.
type load struct {
	contents []content
	frames   []frame
	warm     int
	pacing   pacing
	threads  int     // 1 where the application also submits
	wait     float64 // where in its frame the application waits for the first half of the same frame's jobs; 0 is never
	wake     float64 // ns from an interrupt to the thread that waits
}

// relief is what one simulation makes easier; the zero value is nothing. unit is a number of a unit or cause and 1.
type relief struct {
	unit                               int
	queue                              int // and 1
	gpu, app, driver, wait, loose, top bool
}

type jobState struct {
	known, done bool // submitted, over
	ready, end  int64
	readyNode   int32
	endNode     int32
}

// running is a job on its queue.
type running struct {
	frame, job int
	part       int
	launch     float64 // ns left before the part
	left       float64 // of the part, from 1 down to 0
	node       int32
	rate       float64 // parts per ns, at the moment
	weight     [units]float64
	use        [units]float64 // busy share of each unit by this job, at the moment
	launching  bool
	on         bool
}

type frameState struct {
	begin, gpu, done, shown int64
	doneNode, shownNode     int32
	left, missed            int
}

// sim is one simulation. Work flows like a fluid: at each moment every job on a queue proceeds at the rate that its
// tightest units allow, and rates change when a job or a part of one begins or ends, or the firmware turns the clock.
type sim struct {
	m      *machine
	w      *load
	r      relief
	path   simulate.Path
	clock  clock
	rec    *recording // nil where nothing is recorded
	jobs   [][]jobState
	frames []frameState
	queue  [queues]running
	head   [queues][2]int // frame and job that comes next
	host   host
	now    int64
	next   int64 // decision of the firmware
	done   [units]float64
	busy   float64
	kept   []kept
}

func (s *sim) run(m *machine, w *load, r relief, keep bool, rec *recording) error {
	path := s.path // with its memory
	*s = sim{m: m, w: w, r: r, rec: rec, next: tick}
	s.path = path
	s.path.Keep = keep
	s.path.Begin(cRequest)
	s.clock.reset(m, r.top)
	s.frames = make([]frameState, len(w.frames))
	for i := range w.frames {
		n := len(w.contents[w.frames[i].content].jobs)
		s.jobs = append(s.jobs, make([]jobState, n))
		s.frames[i].left, s.frames[i].gpu = n, math.MaxInt64
	}
	for q := range queues {
		s.seek(q, 0, -1)
	}
	for {
		s.advanceHost()
		next, any := s.begin()
		if !any && next == math.MaxInt64 {
			break
		}
		s.step(next, any)
	}
	if s.host.shown < len(s.frames) {
		return fmt.Errorf("%d of %d frames were shown: jobs wait for each other", s.host.shown, len(s.frames))
	}
	return nil
}

// seek finds the queue's next job behind one of a frame.
func (s *sim) seek(q, f, j int) {
	for ; f < len(s.jobs); f, j = f+1, -1 {
		for j++; j < len(s.jobs[f]); j++ {
			if s.jobOf(f, j).queue == q {
				s.head[q] = [2]int{f, j}
				return
			}
		}
	}
	s.head[q] = [2]int{f, 0}
}

func (s *sim) jobOf(f, j int) *job { return &s.w.contents[s.w.frames[f].content].jobs[j] }

// begin lets queues take what is ready, and says when the next job will be.
func (s *sim) begin() (next int64, any bool) {
	next = math.MaxInt64
	for q := range s.queue {
		x := &s.queue[q]
		f, j := s.head[q][0], s.head[q][1]
		if !x.on && f < len(s.jobs) {
			if t, n, ok := s.ready(f, j); ok && t <= s.now {
				*x = running{frame: f, job: j, node: n, on: true}
				s.enter(x)
				s.frames[f].gpu = min(s.frames[f].gpu, s.now)
			} else if ok {
				next = min(next, t)
			}
		}
		any = any || x.on
	}
	return next, any
}

// ready is when a job that is at the head of its queue may begin.
func (s *sim) ready(f, j int) (t int64, n int32, ok bool) {
	st := &s.jobs[f][j]
	if !st.known {
		return 0, 0, false
	}
	t, n = st.ready, st.readyNode
	for _, a := range s.jobOf(f, j).after {
		if f < a.back || a.loose && s.r.loose {
			continue
		}
		if a.job >= len(s.jobs[f-a.back]) {
			continue // of another content
		}
		d := &s.jobs[f-a.back][a.job]
		if !d.done {
			return 0, 0, false
		}
		if d.end > t {
			t, n = d.end, d.endNode
		}
	}
	if q := &s.host.last[s.jobOf(f, j).queue]; q.end > t {
		t, n = q.end, q.endNode
	}
	return t, n, true
}

// enter begins the next part of a job.
func (s *sim) enter(x *running) {
	j := s.jobOf(x.frame, x.job)
	x.left, x.launch = 1, j.parts[x.part].launch
	x.launching = x.launch > 0
}

// factors are how much longer the units take than at the highest clock, without anybody else's work.
func (s *sim) factors() (f [units]float64) {
	for u := range f {
		switch u {
		case uMemory:
			f[u] = 1 / s.clock.memory
		case uLatency: // some of the way to memory is clocked with the core
			f[u] = 0.65 + 0.35/s.clock.share
		default:
			f[u] = 1 / s.clock.share
		}
		if s.r.unit == u+1 {
			f[u] /= simulate.Faster
		}
		if s.r.gpu {
			f[u] /= simulate.Faster
		}
	}
	return f
}

// power is x to a power of two.
func power(x float64, to int) float64 {
	for ; to > 1; to /= 2 {
		x *= x
	}
	return x
}

func root(x float64, of int) float64 {
	for ; of > 1; of /= 2 {
		x = math.Sqrt(x)
	}
	return x
}

// rates works out how fast each job proceeds. Alone, a part takes a little more than its longest unit, the more the more
// units are nearly as long. Jobs beside each other slow down as far as they need the same units.
func (s *sim) rates() {
	f := s.factors()
	var sum [units]float64
	sharp, lonely, n := 16, 0.0, 0
	for q := range s.queue {
		x := &s.queue[q]
		if x.rate = 0; !x.on || x.launching {
			continue
		}
		j := s.jobOf(x.frame, x.job)
		need := j.parts[x.part].need
		longest, scale := 0.0, s.w.frames[x.frame].scale[x.job]
		if s.r.queue == q+1 {
			scale /= simulate.Faster
		}
		for u := range need {
			need[u] *= f[u] * scale
			longest = max(longest, need[u])
		}
		// Requests wait for each other where the memory is loaded, so that an answer takes longer.
		loaded := need[uMemory] / longest
		need[uLatency] *= 1 + 0.6*loaded*loaded
		longest = max(longest, need[uLatency], 1)
		norm := 0.0
		for u := range need {
			x.weight[u] = power(need[u]/longest, j.sharp)
			norm += x.weight[u]
		}
		x.rate = 1 / (longest * root(norm, j.sharp))
		for u := range need {
			x.weight[u] /= norm
			x.use[u] = need[u] * x.rate
			if u != uLatency {
				sum[u] += x.use[u]
			}
		}
		lonely = max(lonely, x.use[uLatency])
		sharp = min(sharp, j.sharp)
		n++
	}
	if n < 2 {
		return
	}
	sum[uLatency] = lonely
	norm := 0.0
	for u := range sum {
		norm += power(sum[u], sharp)
	}
	slow := max(1, root(norm, sharp))
	for q := range s.queue {
		x := &s.queue[q]
		x.rate /= slow
		for u := range x.use {
			x.use[u] /= slow
		}
	}
}

// step goes to the next time at which something changes: at most to next.
func (s *sim) step(next int64, any bool) {
	until := min(next, s.next)
	if any {
		s.rates()
	}
	for q := range s.queue {
		x := &s.queue[q]
		switch {
		case !x.on:
		case x.launching:
			until = min(until, s.now+1+int64(x.launch/s.brisk(q)))
		default:
			until = min(until, s.now+1+int64(x.left/x.rate))
		}
	}
	ns := float64(until - s.now)
	if s.rec != nil {
		s.rec.moment(s, until)
	}
	from := s.now
	s.now = until
	for q := range s.queue {
		if s.queue[q].on {
			s.proceed(q, ns)
		}
	}
	if any {
		s.busy += float64(until - from)
	}
	if s.now == s.next {
		threads := s.host.spent(s.now)
		if s.path.Keep {
			s.kept = append(s.kept, kept{s.now - tick, s.now, s.busy, s.clock.share})
		}
		if s.rec != nil {
			s.rec.turn(s, threads)
		}
		s.clock.look(&s.done, s.busy, threads)
		s.done, s.busy = [units]float64{}, 0
		s.next += tick
	}
}

// brisk is how fast a queue gets through what comes before a job: the command processor's part is clocked.
func (s *sim) brisk(q int) float64 {
	v := 1 / (0.5 + 0.5/s.clock.share)
	if s.r.unit == cLaunch+1 || s.r.gpu || s.r.queue == q+1 {
		v *= simulate.Faster
	}
	return v
}

// proceed lets the queue's job work for so long.
func (s *sim) proceed(q int, ns float64) {
	x := &s.queue[q]
	j := s.jobOf(x.frame, x.job)
	if x.launching {
		x.node = s.path.At(s.now, cLaunch, uint8(q), x.node)
		if x.launch -= ns * s.brisk(q); x.launch > 0.5 {
			return
		}
		x.launching = false
		return
	}
	for u := range x.use {
		w := j.parts[x.part].need[u] * s.w.frames[x.frame].scale[x.job] * ns * x.rate
		s.done[u] += w
	}
	s.blame(x, uint8(q), ns)
	if x.left -= ns * x.rate; x.left > 1e-9 {
		return
	}
	if x.part++; x.part < len(j.parts) {
		s.enter(x)
		return
	}
	st := &s.jobs[x.frame][x.job]
	st.done, st.end, st.endNode = true, s.now, x.node
	s.host.last[q] = *st
	x.on = false
	s.seek(q, x.frame, x.job)
	fr := &s.frames[x.frame]
	if fr.left--; fr.left == 0 {
		fr.done, fr.doneNode = s.now, x.node
	}
}

// blame divides a stretch of time among the units by how much they slow the job down.
func (s *sim) blame(x *running, q uint8, ns float64) {
	if !s.path.Keep {
		return
	}
	at, last := s.now-int64(ns), 0
	sum := 0.0
	for u, w := range x.weight {
		if w > x.weight[last] {
			last = u
		}
	}
	for u, w := range x.weight {
		if u == last || w < 0.02 {
			continue
		}
		sum += w
		x.node = s.path.At(at+int64(sum*ns), uint8(u), q, x.node)
	}
	x.node = s.path.At(s.now, uint8(last), q, x.node)
}
