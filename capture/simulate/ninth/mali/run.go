package mali

import (
	"errors"
	"math"

	"astrolabe/capture/simulate"
)

// States of a queue.
const (
	stateIdle = iota
	stateDepend
	stateLaunch
	stateRun
	stateFinish
)

// flows are how the work of up to three queues goes on together.
type flows struct {
	segment [queues]int // -1 where a queue has none
	flow    [queues]flow
	class   [queues]class
	share   float64   // of the highest clock
	rates   []float64 // of counters, per ns; made when a recorder asks
	busy    [stations]float64
}

type queueState struct {
	state   int
	list    []int // of jobs that were submitted, frame<<8 | job, in order
	segment int   // of the job
	left    float64
	until   float64 // of launching and finishing
	node    int32
}

type doneJob struct {
	done bool
	node int32
}

// run is one simulation.
type run struct {
	m    *machine
	w    *load
	r    *relief
	path simulate.Path
	rec  *recorder

	now      float64
	queue    [queues]queueState
	jobs     [][]doneJob // by frame
	left     []int       // jobs of a frame
	frames   []simulate.FrameTruth
	shown    []int32 // nodes
	gpuDone  []bool
	busyAt   []float64 // by frame: ns of GPU work until it was done
	clockAt  []float64 // and the integral of the clock's share
	busy     float64
	clockSum float64
	solved   map[[queues + 1]int]*flows
	clock    governor
	host     hostState
}

// simulateLoad runs the load once.
func simulateLoad(m *machine, w *load, r *relief, keep bool, rec *recorder) (*run, error) {
	x := &run{m: m, w: w, r: r, rec: rec, solved: map[[queues + 1]int]*flows{}}
	x.path.Keep = keep
	x.path.Begin(causeStart)
	n := len(w.frames)
	x.frames, x.shown, x.gpuDone = make([]simulate.FrameTruth, n), make([]int32, n), make([]bool, n)
	x.busyAt, x.clockAt, x.jobs, x.left = make([]float64, n), make([]float64, n), make([][]doneJob, n), make([]int, n)
	for i := range w.frames {
		k := len(w.contents[w.frames[i].content].jobs)
		x.jobs[i], x.left[i] = make([]doneJob, k), k
		x.frames[i] = simulate.FrameTruth{Content: w.frames[i].content, GPUBegin: -1, Judged: i >= w.warm}
	}
	x.clock.reset(&m.clock, r.highest)
	for steps := 0; !x.gpuDone[n-1]; steps++ {
		if steps > 5e6 {
			return nil, errors.New("the simulation does not end")
		}
		for x.host.advance(x) || x.advanceQueues() {
		}
		if x.gpuDone[n-1] {
			break
		}
		f := x.flows()
		next := min(x.host.next(x), x.clock.next)
		for q := range x.queue {
			s := &x.queue[q]
			switch s.state {
			case stateLaunch, stateFinish:
				next = min(next, s.until)
			case stateRun:
				next = min(next, x.now+math.Ceil(s.left/(f.flow[q].rate*float64(x.m.cores))))
			}
		}
		if math.IsInf(next, 0) {
			return nil, errors.New("the simulation stands still")
		}
		x.pass(f, next)
		if x.now >= x.clock.next {
			x.clock.look()
		}
	}
	if rec != nil {
		x.pass(x.flows(), float64(x.frames[n-1].Shown)) // until the last picture is shown
	}
	return x, nil
}

// pass lets time pass until a moment at which something changes.
func (x *run) pass(f *flows, until float64) {
	if until <= x.now {
		return
	}
	dt := until - x.now
	any := false
	for q := range x.queue {
		s := &x.queue[q]
		any = any || s.state >= stateLaunch
		if s.state == stateRun {
			s.left -= dt * f.flow[q].rate * float64(x.m.cores)
		}
	}
	if any {
		x.busy += dt
		x.clock.busy += dt
	}
	x.clockSum += dt * x.clock.share()
	if x.rec != nil {
		x.rec.pass(x, f, x.now, until)
	}
	x.now = until
}

// flows finds how the running segments share the machine.
func (x *run) flows() *flows {
	key := [queues + 1]int{-1, -1, -1, x.clock.at()}
	n := 0
	for q := range x.queue {
		if s := &x.queue[q]; s.state == stateRun {
			key[q] = x.jobOf(s).segments[s.segment]
			n++
		}
	}
	if f := x.solved[key]; f != nil {
		return f
	}
	f := &flows{segment: [queues]int{key[0], key[1], key[2]}, share: x.clock.share()}
	var list []class
	for q := range queues {
		if key[q] >= 0 {
			f.class[q] = x.m.class(&x.w.segments[key[q]], f.share, x.r, n > 1)
			list = append(list, f.class[q])
		}
	}
	out := solve(list)
	k := 0
	for q := range queues {
		if key[q] < 0 {
			continue
		}
		f.flow[q] = out[k]
		for s := range stations {
			f.busy[s] += out[k].rate * f.class[q].demand[s]
		}
		k++
	}
	x.solved[key] = f
	return f
}

func (x *run) jobOf(s *queueState) *job {
	id := s.list[0]
	return &x.w.contents[x.w.frames[id>>8].content].jobs[id&255]
}

// longest is what a warp of the segment waits longest for.
func (f *flows) longest(q int) uint8 {
	cause, most := uint8(causeLatency), f.class[q].think
	for s, ns := range f.flow[q].wait {
		if ns > most {
			cause, most = uint8(s), ns
		}
	}
	return cause
}

// advanceQueues changes what queues do at this moment. It reports whether anything changed.
func (x *run) advanceQueues() (changed bool) {
	for q := range x.queue {
		s := &x.queue[q]
		at := int64(x.now)
		switch s.state {
		case stateIdle, stateDepend:
			if len(s.list) == 0 {
				continue
			}
			node, ok := x.ready(s)
			if !ok {
				s.state = stateDepend
				continue
			}
			s.node = x.later(s.node, node)
			if i := s.list[0] >> 8; x.frames[i].GPUBegin < 0 {
				x.frames[i].GPUBegin = at
			}
			s.state, s.until = stateLaunch, x.now+x.overhead(q, x.m.launch)
		case stateLaunch:
			if s.until > x.now {
				continue
			}
			s.node = x.path.At(at, causeLaunch, uint8(q), s.node)
			s.state, s.segment = stateRun, 0
			x.begin(s)
		case stateRun:
			if s.left > 1e-6 {
				continue
			}
			s.node = x.path.At(at, x.flows().longest(q), uint8(q), s.node)
			if s.segment++; s.segment < len(x.jobOf(s).segments) {
				x.begin(s)
			} else {
				s.state, s.until = stateFinish, x.now+x.overhead(q, x.m.finish)
			}
		case stateFinish:
			if s.until > x.now {
				continue
			}
			s.node = x.path.At(at, causeLaunch, uint8(q), s.node)
			id := s.list[0]
			s.list, s.state = s.list[1:], stateIdle
			x.jobs[id>>8][id&255] = doneJob{true, s.node}
			if x.left[id>>8]--; x.left[id>>8] == 0 {
				x.host.finished(x, id>>8, s.node)
			}
			if x.rec != nil {
				x.rec.job(x.now, q)
			}
		}
		changed = true
	}
	return changed
}

func (x *run) begin(s *queueState) {
	j := x.jobOf(s)
	s.left = x.w.segments[j.segments[s.segment]].warps * x.w.frames[s.list[0]>>8].gpu
}

// overhead is the time to start or end a job.
func (x *run) overhead(q int, ns float64) float64 {
	if x.r.cause == causeLaunch || x.r.gpu || x.r.queue == q {
		ns /= simulate15
	}
	return math.Round(ns)
}

// later is the later of two events.
func (x *run) later(a, b int32) int32 {
	if x.path.Keep && x.path.Time(b) > x.path.Time(a) {
		return b
	}
	return a
}

// ready reports whether the next job of a queue may start, and the event that it waited for last.
func (x *run) ready(s *queueState) (int32, bool) {
	id := s.list[0]
	node := x.host.submitted[id]
	for _, d := range x.jobOf(s).after {
		i := id >> 8
		if d.prior {
			i--
		}
		if i < 0 || d.loose && x.r.loose || d.job >= len(x.jobs[i]) {
			continue
		}
		if x.frames[i].Content != x.frames[id>>8].Content && d.prior {
			if !x.gpuDone[i] {
				return 0, false
			}
			continue
		}
		of := x.jobs[i][d.job]
		if !of.done {
			return 0, false
		}
		node = x.later(node, of.node)
	}
	return node, true
}
