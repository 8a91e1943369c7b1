package simulate

import (
	"fmt"
	"math"
)

// engine is one simulation. It may be used again for another, with the memory that it has.
type engine struct {
	m      *Machine
	w      *Load
	relief Relief
	path   Path
	rec    *Recorder // nil where no counters are wanted

	factor [maxUnits]float64 // by which a unit's time is longer than at the highest clock, without relief
	clock  clockState
	unit   [maxUnits]unitState
	slots  []slot
	room1  int64 // when one slot is free, and when two are
	room2  int64
	queues []queue
	jobs   []jobState // of all frames
	first  []int      // per frame: its first job in jobs
	frames []frameState
	host   hostState
	byJob  [][][]int // per content and queue: its jobs, in order
	shown  int       // frames whose pictures are shown
	load   float64   // of the memory, smoothed
	loadAt int64

	blocked []blockedStretch
}

// unitState is a unit: when it is free, and the event at which its work without a pause began.
type unitState struct {
	free  int64
	since int32
}

// slot is a place for a chunk in the cores.
type slot struct {
	free  int64
	node  int32
	owner uint8 // the stream that took it last
}

type jobState struct {
	submit, began, end  int64
	submitNode, endNode int32
	submitted, done     bool
}

type frameState struct {
	begin, submitted int64 // of the application's work, and when the driver had handed over all of it
	gpuBegin         int64
	done, flip       int64
	beginNode        int32
	doneNode         int32
	flipNode         int32
	left             int // jobs that are not done
	missed           int // dates
}

// blockedStretch is a time in which a queue had work that only a dependency the content does not need held back.
type blockedStretch struct {
	start, end int64
	queue      uint8
}

// run simulates the load on the machine.
func (e *engine) run(m *Machine, w *Load, r Relief, keep bool, rec *Recorder) error {
	e.m, e.w, e.relief, e.path.Keep, e.rec = m, w, r, keep, rec
	e.reset()
	for {
		e.advanceHost()
		q, s, at := e.next()
		if q == nil {
			break
		}
		for e.clock.next <= at {
			if e.clock.look() {
				e.setFactors()
			}
		}
		e.dispatch(q, s, at)
	}
	e.advanceHost()
	if e.shown < len(w.Frames) {
		return fmt.Errorf("simulation of %d frames came to a stop after %d: jobs wait for each other in a circle",
			len(w.Frames), e.shown)
	}
	return nil
}

func (e *engine) reset() {
	e.path.Begin(causeStart)
	e.clock.reset(&e.m.Clock, e.relief.Highest)
	clear(e.unit[:])
	e.slots = append(e.slots[:0], make([]slot, e.m.Slots)...)
	e.load, e.loadAt, e.shown, e.room1, e.room2 = 0, 0, 0, 0, 0
	e.blocked = e.blocked[:0]
	if len(e.queues) != len(e.m.Queues) {
		e.queues = make([]queue, len(e.m.Queues))
	}
	for i := range e.queues {
		e.queues[i].reset(uint8(i), e.relief.GPU || e.relief.Queue == e.m.Queues[i])
	}
	e.byJob = make([][][]int, len(e.w.Contents))
	for c := range e.w.Contents {
		e.byJob[c] = make([][]int, len(e.queues))
		for j := range e.w.Contents[c].Jobs {
			q := e.w.Contents[c].Jobs[j].Queue
			e.byJob[c][q] = append(e.byJob[c][q], j)
		}
	}
	e.first, e.frames, e.jobs = e.first[:0], e.frames[:0], e.jobs[:0]
	for i := range e.w.Frames {
		n := len(e.w.Contents[e.w.Frames[i].Content].Jobs)
		e.first = append(e.first, len(e.jobs))
		for range n {
			e.jobs = append(e.jobs, jobState{})
		}
		e.frames = append(e.frames, frameState{left: n, gpuBegin: math.MaxInt64})
	}
	e.host = hostState{}
	e.setFactors()
}

// setFactors works out how long units take at the clock of the moment.
func (e *engine) setFactors() {
	for u := range e.m.Units {
		f := 1.0
		switch e.m.Units[u].Domain {
		case CoreClock:
			f = 1 / e.clock.share
		case MemoryClock:
			f = 1 / e.m.MemoryShare
		}
		if e.relief.Unit == e.m.Units[u].Candidate {
			f /= Faster
		}
		e.factor[u] = f
	}
}

// next finds the chunk that can enter the cores first, and when.
func (e *engine) next() (best *queue, stream int, at int64) {
	at = math.MaxInt64
	ready := int64(math.MaxInt64)
	running := 0
	for i := range e.queues {
		q := &e.queues[i]
		if q.running || e.begin(q) {
			running += len(q.streams)
		}
	}
	alone := running < 2
	for i := range e.queues {
		q := &e.queues[i]
		if !q.running {
			continue
		}
		for s := range q.streams {
			st := &q.streams[s]
			if st.k >= st.of.Chunks || !st.ready && !e.prepare(q, s) {
				continue
			}
			t := max(st.at, e.room(q.index*2+uint8(s), st.of.Weight, alone))
			if t < at || t == at && st.at < ready {
				best, stream, at, ready = q, s, t, st.at
			}
		}
	}
	return best, stream, at
}

// findRoom notes which two slots are free first. It is called whenever slots have changed.
func (e *engine) findRoom() {
	a, b := int64(math.MaxInt64), int64(math.MaxInt64)
	for i := range e.slots {
		switch f := e.slots[i].free; {
		case f < a:
			a, b = f, a
		case f < b:
			b = f
		}
	}
	e.room1, e.room2 = a, b
}

// room is when so many slots are free for a stream. Where several streams have work none may hold all slots: reserved
// places let the others go on while one waits behind the cores.
func (e *engine) room(owner uint8, weight int, alone bool) int64 {
	t := e.room1
	if weight > 1 {
		t = e.room2
	}
	if alone {
		return t
	}
	most := len(e.slots) - reserved - max(0, weight-1)
	for {
		held, next := 0, int64(math.MaxInt64)
		for i := range e.slots {
			if s := &e.slots[i]; s.owner == owner && s.free > t {
				held++
				next = min(next, s.free)
			}
		}
		if held < most {
			return t
		}
		t = next
	}
}

// reserved is how many slots the other streams can always have.
const reserved = 2

// serve lets a unit serve from an arrival on, and returns when it starts and ends.
func (e *engine) serve(u uint8, arrival int64, arrived int32, time int64) (start, end int64) {
	s := &e.unit[u]
	if arrival >= s.free {
		s.since = arrived
		s.free = arrival
	}
	start = s.free
	s.free += time
	return start, s.free
}
