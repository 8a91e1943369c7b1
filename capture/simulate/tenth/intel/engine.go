package intel

import (
	"errors"
	"math"

	"astrolabe/capture/simulate"
)

// node is an event: when it was, and what it waited for since another.
type node struct {
	at    int64
	prev  int32
	cause uint8 // a leaf, or causeQueue
	queue int8
}

// Leaves in the order of causes: the stations, then these.
const (
	cLaunch = nStation + iota
	cTurn
	cApp
	cDriver
	cSync
	cVsync
	cCap
	cRequest
	cGovernor
	cThermal
	cPower
	nCause
	causeQueue = 200 // what the queue's stretches say
)

var causes = func() (out [nCause]simulate.Candidate) {
	copy(out[:], stations[:])
	copy(out[nStation:], []simulate.Candidate{simulate.LaunchOverhead, simulate.QueuesInTurn, simulate.CPUApp,
		simulate.CPUDriver, simulate.CPUSync, simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest,
		simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower})
	return out
}()

// stretch is a time in which nothing changes.
type stretch struct {
	from, to int64
	flows    [2]*flow // of the chunks that run
	chunks   [2]*chunk
	queues   [2]int8 // -1 for none
	launch   [nQueue]bool
	mhz      float64
	held     uint8 // what holds the clock
	highest  float64
	app, drv bool
}

type frameState struct {
	begin, submitted, gpuBegin, gpuEnd, flip int64
	beginNode, doneNode, flipNode            int32
	left                                     int
	missed                                   int
	ready                                    []int64 // when each job was submitted; -1 before
	readyNode                                []int32
	end                                      []int64
	endNode                                  []int32
	app, driver, gpu                         float64 // factors of work
}

type queueState struct {
	order           []ref // jobs that are submitted, in order
	at              int
	running, launch bool
	part            int
	left            float64 // ns of the launch, or share of the chunk that is left
	freeNode        int32   // of the job before
	startNode       int32
}

type ref struct{ frame, job int }

type key struct {
	a, b int
	mhz  int
}

// engine simulates a program once.
type engine struct {
	p      *program
	r      relief
	now    int64
	frames []frameState
	nodes  []node
	queues [nQueue]queueState
	log    []stretch
	keep   bool // the log
	cache  map[key]*[2]flow
	turns  map[int32]turn // by the node of a start

	// The processor's threads.
	appFrame, drvFrame int
	appTo, drvTo       int64 // -1 when they wait
	appNode, drvNode   int32
	drvNext            int // job that is submitted next
	drvStart           int64
	drvStartNode       int32
	appEnd             []int32 // nodes; 0 before
	took               []int32
	shown              int
	until              int64 // the next moment that the application or the display waits for
	clock              clockState
	trace              bool // sets of pace are wanted
}

// turn is a start that came later than it could have, because of a wait that nothing demands.
type turn struct {
	could int64
	frame int
	queue int // -1 for the application
}

func newEngine(p *program, r relief, trace, keep bool) *engine {
	e := &engine{p: p, r: r, trace: trace, keep: keep, cache: map[key]*[2]flow{},
		turns: map[int32]turn{}}
	e.frames = make([]frameState, p.frames)
	rnd := simulate.NewRandom(p.seed, "frames")
	slow := 0.0
	for i := range e.frames {
		f := &e.frames[i]
		c := p.contents[p.contentOf(i)]
		slow = 0.9*slow + 0.44*c.wobble*rnd.NormFloat64() // scenes change slowly
		f.gpu = math.Exp(slow) * rnd.Spread(c.wobble*0.3)
		f.app, f.driver = math.Exp(0.5*slow)*rnd.Spread(c.wobble), math.Exp(0.5*slow)*rnd.Spread(c.wobble*0.7)
		f.left = len(c.jobs)
		f.ready, f.readyNode = make([]int64, f.left), make([]int32, f.left)
		f.end, f.endNode = make([]int64, f.left), make([]int32, f.left)
		for j := range f.ready {
			f.ready[j], f.end[j] = -1, -1
		}
		f.flip = -1
	}
	e.appEnd, e.took = make([]int32, p.frames), make([]int32, p.frames)
	e.nodes = append(e.nodes, node{prev: -1, cause: cApp})
	e.appTo, e.drvTo = -1, -1
	e.clock.reset(e)
	return e
}

func (e *engine) node(at int64, prev int32, cause uint8, queue int) int32 {
	if prev >= 0 && e.nodes[prev].at > at {
		at = e.nodes[prev].at
	}
	e.nodes = append(e.nodes, node{at, prev, cause, int8(queue)})
	return int32(len(e.nodes) - 1)
}

const never = math.MaxInt64

var errStuck = errors.New("intel: the simulation stands still")

// run goes from event to event until all frames are shown.
func (e *engine) run() error {
	for step := 0; e.shown < len(e.frames); step++ {
		if step > 4_000_000 {
			return errStuck
		}
		for e.until = never; e.settle(); e.until = never {
		}
		if e.shown >= len(e.frames) {
			return nil
		}
		s := e.rates()
		next := e.clock.next
		sooner := func(t int64) { next = min(next, max(t, e.now+1)) }
		busy := false
		if e.appTo >= 0 {
			sooner(e.appTo)
			busy = true
		}
		if e.drvTo >= 0 {
			sooner(e.drvTo)
			busy = true
		}
		if e.until != never {
			sooner(e.until)
			busy = true
		}
		for q := range e.queues {
			st := &e.queues[q]
			if !st.running {
				continue
			}
			busy = true
			if st.launch {
				sooner(e.now + int64(math.Ceil(st.left)))
				continue
			}
			if t := e.timeOf(&s, q); t < math.Inf(1) {
				sooner(e.now + int64(math.Ceil(st.left*t)))
			}
		}
		if !busy {
			return errStuck
		}
		e.advance(&s, next)
	}
	return nil
}

func (e *engine) timeOf(s *stretch, q int) float64 {
	for i := range s.queues {
		if int(s.queues[i]) == q {
			st := &e.queues[q]
			return s.flows[i].time * e.frames[st.order[st.at].frame].gpu
		}
	}
	return math.Inf(1)
}

// rates are the flows of the chunks that run now. Of three engines at work, the copy engine does not slow the others.
func (e *engine) rates() stretch {
	s := stretch{from: e.now, mhz: e.clock.mhz, held: e.clock.cause, highest: e.p.m.maxMHz, queues: [2]int8{-1, -1},
		app: e.appTo >= 0, drv: e.drvTo >= 0}
	n := 0
	var list [nQueue]int
	for q := range e.queues {
		st := &e.queues[q]
		if st.running && st.launch {
			s.launch[q] = true
		} else if st.running && n < 2 {
			list[n] = q
			n++
		}
	}
	if n == 0 {
		return s
	}
	k := key{-1, -1, int(e.clock.mhz)}
	for i := range n {
		st := &e.queues[list[i]]
		of := st.order[st.at]
		s.chunks[i] = e.p.contents[e.p.contentOf(of.frame)].jobs[of.job].chunks[st.part]
		s.queues[i] = int8(list[i])
	}
	k.a = s.chunks[0].id
	if n == 2 {
		k.b = s.chunks[1].id
	}
	f := e.cache[k]
	if f == nil {
		f = new([2]flow)
		sa, sb := e.speedsOf(list[0]), e.speedsOf(list[1])
		if n == 1 {
			f[0], _ = solve(s.chunks[0], nil, sa, nil, e.clock.mhz)
		} else {
			f[0], f[1] = solve(s.chunks[0], s.chunks[1], sa, sb, e.clock.mhz)
		}
		if e.trace {
			if n == 1 {
				pace(&f[0], s.chunks[0], nil, sa, nil, e.clock.mhz)
			} else {
				pace(&f[0], s.chunks[0], s.chunks[1], sa, sb, e.clock.mhz)
				pace(&f[1], s.chunks[1], s.chunks[0], sb, sa, e.clock.mhz)
			}
		}
		e.cache[k] = f
	}
	for i := range n {
		s.flows[i] = &f[i]
	}
	return s
}

// speedsOf is what work of a queue is relieved of.
func (e *engine) speedsOf(q int) *speeds {
	s := e.r.speeds
	if q == e.r.queue {
		for k := range s.of {
			s.of[k] *= faster
		}
	}
	return &s
}

// advance goes to the next event.
func (e *engine) advance(s *stretch, to int64) {
	dt := float64(to - e.now)
	s.to = to
	busy := false
	for q := range e.queues {
		st := &e.queues[q]
		if !st.running {
			continue
		}
		busy = true
		if st.launch {
			st.left -= dt
			if st.left < 1e-6 {
				st.left = 0
			}
			continue
		}
		if st.left -= dt / e.timeOf(s, q); st.left < 1e-9 {
			st.left = 0
		}
	}
	if e.keep || e.trace {
		e.log = append(e.log, *s)
	}
	e.clock.work(s, dt, busy, e)
	e.now = to
	if e.clock.next <= to {
		e.clock.look(e, to)
	}
}
