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
	queue  int
	parts  []part
	sharp  int     // 4, 8 or 16: how well work on different units overlaps
	submit float64 // where in the driver's work on the frame it is handed over
	after  []after
	hold   float64 // how far geometry is held up by what comes behind it: little where few triangles cover much
	behind float64 // how far the depth block keeps tiles whose shading is not over
	target float64 // share of the memory's traffic that is depth and colour
}

// after is a job of the same frame, or of one before, that must be over first; loose where nothing in the content asks
// for it.
type after struct {
	job, back int
	loose     bool
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
	contents   []content
	frames     []frame
	warm       int
	pacing     pacing
	threads    int     // 1 where the application also submits
	wait, wake float64 // where in its frame it waits for the first half of its jobs, 0 is never; ns from interrupt to thread
}

// relief is what one simulation makes easier; the zero value is nothing. Unit (or cause) and queue are numbers and 1.
type relief struct {
	unit, queue                        int
	gpu, app, driver, wait, loose, top bool
}

// faster is by how much a relieved thing of the GPU is.
func (r *relief) faster(unit, queue int) float64 {
	if r.gpu || r.unit == unit+1 || r.queue == queue+1 {
		return simulate.Faster
	}
	return 1
}

type jobState struct {
	known, done        bool // submitted, over
	ready, end         int64
	readyNode, endNode int32
}

// running is a job on its queue.
type running struct {
	frame, job, part int
	launch, left     float64 // ns before the part, and how much there is of it, from 1 down to 0
	node             int32
	on               bool
	rate             float64        // parts per ns, at the moment
	weight, use      [units]float64 // how much each unit slows the part down, and is busy by it, at the moment
}

type frameState struct {
	begin, gpu, done, shown int64
	doneNode, shownNode     int32
	left, missed            int
}

// turn is a ms of what the firmware knows.
type turn struct {
	share, memory, watts, heat, busy, traffic, threads float64
	why                                                int
}

// sim is one simulation. Work flows like a fluid: at each moment every job on a queue proceeds at the rate that its
// tightest units allow, and rates change when a job or a part of one begins or ends, or the firmware turns the clock.
type sim struct {
	m         *machine
	w         *load
	r         relief
	path      simulate.Path
	clock     clock
	rec       *recording // nil where nothing is recorded
	jobs      [][]jobState
	frames    []frameState
	queue     [queues]running
	order     [queues][][2]int // frames and jobs that are still to come
	host      host
	now, next int64 // next is the firmware's next decision
	done      [units]float64
	busy      float64
	turns     []turn
}

func (s *sim) run(m *machine, w *load, r relief, keep bool, rec *recording) error {
	*s = sim{m: m, w: w, r: r, rec: rec, next: tick, frames: make([]frameState, len(w.frames)), path: s.path}
	s.path.Keep = keep
	s.path.Begin(cRequest)
	s.clock.reset(m, r.top)
	for i := range w.frames {
		jobs := w.contents[w.frames[i].content].jobs
		s.jobs = append(s.jobs, make([]jobState, len(jobs)))
		s.frames[i].left, s.frames[i].gpu = len(jobs), math.MaxInt64
		for j := range jobs {
			s.order[jobs[j].queue] = append(s.order[jobs[j].queue], [2]int{i, j})
		}
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

func (s *sim) jobOf(f, j int) *job { return &s.w.contents[s.w.frames[f].content].jobs[j] }

// begin lets queues take what is ready, and says when the next job will be.
func (s *sim) begin() (next int64, any bool) {
	next = math.MaxInt64
	for q := range s.queue {
		x := &s.queue[q]
		if !x.on && len(s.order[q]) > 0 {
			f, j := s.order[q][0][0], s.order[q][0][1]
			if t, n, ok := s.ready(f, j); ok && t <= s.now {
				*x = running{frame: f, job: j, node: n, on: true, left: 1, launch: s.jobOf(f, j).parts[0].launch}
				s.frames[f].gpu = min(s.frames[f].gpu, s.now)
				s.order[q] = s.order[q][1:]
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
	st, of := &s.jobs[f][j], s.jobOf(f, j)
	if t, n = st.ready, st.readyNode; !st.known {
		return 0, 0, false
	}
	waits := []*jobState{&s.host.last[of.queue]}
	for _, a := range of.after {
		if f >= a.back && a.job < len(s.jobs[f-a.back]) && !(a.loose && s.r.loose) {
			waits = append(waits, &s.jobs[f-a.back][a.job])
		}
	}
	for i, d := range waits {
		if i > 0 && !d.done {
			return 0, 0, false
		}
		if d.end > t {
			t, n = d.end, d.endNode
		}
	}
	return t, n, true
}

// power is x to a power of two, and root is the reverse: both are the same on every processor.
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

// together is how long work takes that needs the units so long: a little more than the longest, the more the more units
// are nearly as long.
func together(need *[units]float64, sharp int) float64 {
	longest, norm := 0.0, 0.0
	for _, v := range need {
		longest = max(longest, v)
	}
	for _, v := range need {
		norm += power(v/max(longest, 1e-9), sharp)
	}
	return max(1e-9, longest*root(norm, sharp))
}

// rates works out how fast each job proceeds. Jobs beside each other slow down as far as they need the same units.
func (s *sim) rates() {
	var sum [units]float64
	sharp, n := 16, 0
	for q := range s.queue {
		x := &s.queue[q]
		if x.rate = 0; !x.on || x.launch > 0 {
			continue
		}
		j := s.jobOf(x.frame, x.job)
		need := j.parts[x.part].need
		longest := 1.0
		for u := range need {
			f := 1 / s.clock.share
			switch u {
			case uMemory:
				f = 1 / s.clock.memory
			case uLatency: // some of the way to memory is clocked with the core
				f = 0.65 + 0.35*f
			}
			need[u] *= f * s.w.frames[x.frame].scale[x.job] / s.r.faster(u, q)
			longest = max(longest, need[u])
		}
		// Requests wait for each other where the memory is loaded, so that an answer takes longer.
		need[uLatency] *= 1 + 0.6*power(need[uMemory]/longest, 2)
		x.rate = 1 / together(&need, j.sharp)
		for u := range need {
			x.use[u] = need[u] * x.rate
			x.weight[u] = power(x.use[u], j.sharp)
			if u == uLatency { // which each waits for by itself
				sum[u] = max(sum[u], x.use[u])
			} else {
				sum[u] += x.use[u]
			}
		}
		sharp, n = min(sharp, j.sharp), n+1
	}
	if n < 2 {
		return
	}
	slow := max(1, together(&sum, sharp))
	for q := range s.queue {
		x := &s.queue[q]
		x.rate /= slow
		for u := range x.use {
			x.use[u] /= slow
		}
	}
}

// brisk is how fast a queue gets through what comes before a part: the command processor's share of it is clocked.
func (s *sim) brisk(q int) float64 { return s.r.faster(cLaunch, q) / (0.5 + 0.5/s.clock.share) }

// step goes to the next time at which something changes: at most to next.
func (s *sim) step(next int64, any bool) {
	until := min(next, s.next)
	if any {
		s.rates()
	}
	for q := range s.queue {
		if x := &s.queue[q]; x.on && x.launch > 0 {
			until = min(until, s.now+1+int64(x.launch/s.brisk(q)))
		} else if x.on {
			until = min(until, s.now+1+int64(x.left/x.rate))
		}
	}
	if s.rec != nil {
		s.rec.moment(s, until)
	}
	ns := float64(until - s.now)
	s.now = until
	for q := range s.queue {
		if s.queue[q].on {
			s.proceed(q, ns)
		}
	}
	if any {
		s.busy += ns
	}
	if s.now == s.next {
		s.next += tick
		s.turns = append(s.turns, s.clock.look(&s.done, s.busy, s.host.spent(s.now)))
		s.done, s.busy = [units]float64{}, 0
	}
}

// proceed lets the queue's job work for so long.
func (s *sim) proceed(q int, ns float64) {
	x := &s.queue[q]
	j, st, fr := s.jobOf(x.frame, x.job), &s.jobs[x.frame][x.job], &s.frames[x.frame]
	if x.launch > 0 {
		x.node = s.path.At(s.now, cLaunch, uint8(q), x.node)
		if x.launch -= ns * s.brisk(q); x.launch < 0.5 {
			x.launch = 0
		}
		return
	}
	for u := range x.use {
		s.done[u] += j.parts[x.part].need[u] * s.w.frames[x.frame].scale[x.job] * ns * x.rate
	}
	s.blame(x, uint8(q), ns)
	if x.left -= ns * x.rate; x.left > 1e-9 {
		return
	}
	if x.part++; x.part < len(j.parts) {
		x.left, x.launch = 1, j.parts[x.part].launch
		return
	}
	st.done, st.end, st.endNode = true, s.now, x.node
	s.host.last[q], x.on = *st, false
	if fr.left--; fr.left == 0 {
		fr.done, fr.doneNode = s.now, x.node
	}
}

// blame divides a stretch of time among the units by how much they slow the job down.
func (s *sim) blame(x *running, q uint8, ns float64) {
	if !s.path.Keep {
		return
	}
	last, at, sum := 0, s.now-int64(ns), 0.0
	for u, w := range x.weight {
		if w > x.weight[last] {
			last = u
		}
	}
	for u, w := range x.weight {
		if u != last && w > 0.02 {
			sum += w
			x.node = s.path.At(at+int64(sum*ns), uint8(u), q, x.node)
		}
	}
	x.node = s.path.At(s.now, uint8(last), q, x.node)
}
