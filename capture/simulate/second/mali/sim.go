package mali

import (
	"fmt"
	"math"
)

// A queue is one of the iterators of the command stream front end.
const (
	computeQueue = iota
	binningQueue
	mainQueue
	queues
)

// chunk is a part of a job whose mixture of work stays the same.
type chunk struct {
	loads  [resources]float64 // seconds that each resource alone needs for it at the highest clock
	dram   float64            // of the waiting in loads[latency], the share that external memory is the reason of
	fixed  float64            // seconds in which a job starts; 0 where it has work
	width  float64            // share of the cores that have some of it
	steady float64            // share of a core's time in which its next task is there when one ends
	tail   bool               // the queue may start its next job
	counts [counts]float64
}

// job is a dispatch, or half of a render pass.
type job struct {
	queue    int
	chunks   []chunk
	squares  int   // sharpness of the overlap of units: the norm of order 2^squares
	after    []int // jobs of the frame that it needs
	needless []int // and those that it waits for although it needs nothing of them
	// waits for these jobs of the frame before: needed and not
	before, beforeNeedless []int
}

// content is what a frame consists of.
type content struct {
	jobs        []job
	app, driver float64 // seconds
}

// frame is one frame's draws.
type frame struct {
	content     int
	app, driver float64   // seconds
	scale       []float64 // of the work of each job
	date        float64   // of its beginning, 0 where it has none
	due         float64   // when it is to be shown, 0 where it has no date
}

// pacing is how frames follow each other.
type pacing struct {
	ahead     int     // frames under way at most
	refresh   float64 // seconds between the display's refreshes; 0 where frames are shown as they are done
	side      leaf    // what a date or a refresh stands for
	sync      bool    // the application waits for the frame before
	oneThread bool    // the application's thread is the driver's
	early     bool    // jobs are handed over one by one
}

// program is everything drawn of a case: the machine, and frame by frame what runs on it.
type program struct {
	m        *machine
	contents []content
	frames   []frame
	pacing   pacing
	first    int // frame that is judged
	last     int
	// limit of the clock, as a share of the highest, and what holds it there
	limit  float64
	holder leaf
	tick   float64 // seconds between decisions of the governor
	eager  float64 // share of busy time from which on the governor takes the highest step
}

// relief changes one thing of a run; the zero value changes nothing.
type relief struct {
	faster [resources]float64 // 0 is 1
	spared [leaves]float64    // share of times that is left out
	lifted [leaves]bool       // dependencies that are gone, limits of the clock that do not hold
}

// node is something that happened on the way to a frame, with what it waited for last.
type node struct {
	start, end float64
	freed      float64 // of a job: when its queue could go on
	cause      int     // node, -1 for none
	fromStart  bool    // it counts from the start of its cause
	gap        leaf    // what is between the cause and the start
	times      [leaves]float64
}

// running is a job at work.
type running struct {
	frame, job int
	spec       *job
	chunk      int
	left       float64 // share of the chunk
	rate       float64 // shares per second
	limit      leaf
	node       int
	scale      float64
	tail       bool
}

// segment is a stretch of time in which nothing changes.
type segment struct {
	start, end float64
	clock      float64
	used       [resources]float64
	parts      []part
	pending    [queues]bool // the queue holds a job that cannot start yet
}

// part is what one job did in a segment.
type part struct {
	chunk *chunk
	queue int
	share float64 // of the chunk's counts
	rate  float64 // of the chunk's counts per second
	limit leaf
	done  bool // the job ended
}

// shown is what became of a frame.
type shown struct {
	begin, driven        float64
	appNode, driverNode  int
	jobNodes             []int
	left                 int
	gpuBegin, gpuEnd, at float64
	endNode, shownNode   int
	driverStart          float64
}

type sim struct {
	p        *program
	r        relief
	record   bool
	nodes    []node
	out      []shown
	segments []segment

	t         float64
	app       int // frame whose application's work is next or at work
	appEnd    float64
	driver    int
	driverEnd float64
	next      [queues]cursor
	active    []running
	clock     float64
	busy      float64 // seconds since the governor's last decision
	decision  float64
	queueLast [queues]int // one more than the node of a queue's latest job
}

// cursor is the next job of a queue.
type cursor struct{ frame, job int }

const never = math.MaxFloat64

// run simulates all frames.
func run(p *program, r relief, record bool) *sim {
	s := &sim{p: p, r: r, record: record, out: make([]shown, len(p.frames)), appEnd: never, driverEnd: never}
	s.nodes = make([]node, 0, len(p.frames)*(4+len(p.contents[0].jobs)))
	s.clock = s.ceiling(0)
	s.decision = p.tick
	for q := range s.next {
		s.next[q] = s.forward(cursor{0, 0}, q)
	}
	for s.out[len(p.frames)-1].at == 0 {
		if s.t > 600 {
			panic(fmt.Sprintf("mali: nothing happens any more: app %d, driver %d, queues %v", s.app, s.driver, s.next))
		}
		wake := s.start()
		s.advance(wake)
	}
	return s
}

func (s *sim) specs(f int) []job { return s.p.contents[s.p.frames[f].content].jobs }

// forward finds the next job of a queue, at the cursor or behind it.
func (s *sim) forward(c cursor, queue int) cursor {
	for ; c.frame < len(s.p.frames); c = (cursor{c.frame + 1, 0}) {
		for jobs := s.specs(c.frame); c.job < len(jobs); c.job++ {
			if jobs[c.job].queue == queue {
				return c
			}
		}
	}
	return c
}

// ceiling is the highest clock that is allowed at a time. What holds it moves a little to and fro, as limits do that
// follow a temperature or a current.
func (s *sim) ceiling(t float64) float64 {
	p := s.p
	if p.limit == 0 || s.r.lifted[p.holder] {
		return 1
	}
	if p.holder == governor {
		return p.limit
	}
	period := 0.31
	if p.holder == power {
		period = 0.09
	}
	return p.limit * (1 + 0.035*math.Sin(2*math.Pi*t/period))
}

func (s *sim) add(n node) int {
	s.nodes = append(s.nodes, n)
	return len(s.nodes) - 1
}

// start starts whatever can start now and returns the next time at which something else could.
func (s *sim) start() (wake float64) {
	wake = never
	for again := true; again; {
		again = false
		if s.appEnd == never && s.app < len(s.p.frames) {
			if at, n, ok := s.appStart(); ok && at <= s.t {
				n.start, n.end = s.t, s.t+s.p.frames[s.app].app*(1-s.r.spared[cpuApp])
				n.times[cpuApp] = n.end - n.start
				o := &s.out[s.app]
				o.begin, o.appNode = n.start, s.add(n)
				s.appEnd, again = n.end, true
			} else if ok {
				wake = min(wake, at)
			}
		}
		if s.driverEnd == never && s.driver < s.app {
			s.startDriver()
			again = true
		}
	}
	for q := range s.next {
		for s.startJob(q, &wake) {
		}
	}
	return min(wake, s.appEnd, s.driverEnd)
}

// appStart is when the next frame's work on the processor may begin, with its cause. ok is false while that is open.
func (s *sim) appStart() (at float64, n node, ok bool) {
	p, i := &s.p.pacing, s.app
	n.cause = -1
	hard := func(t float64, cause int) {
		if t >= at {
			at, n.cause = t, cause
		}
	}
	if i > 0 {
		o := &s.out[i-1]
		hard(s.nodes[o.appNode].end, o.appNode)
		if p.oneThread {
			if s.driver < i || s.driverEnd != never {
				return 0, n, false
			}
			hard(o.driven, o.driverNode)
		}
	}
	if i >= p.ahead {
		o := &s.out[i-p.ahead]
		if o.at == 0 {
			return 0, n, false
		}
		if p.refresh > 0 {
			hard(o.at, o.shownNode)
		} else {
			hard(o.gpuEnd+s.p.m.interrupt, o.endNode)
			if n.cause == o.endNode {
				n.gap = overhead
			}
		}
	}
	if n.cause < 0 || n.gap != overhead {
		n.gap = cpuApp
	}
	if i > 0 && p.sync && !s.r.lifted[cpuSync] {
		o := &s.out[i-1]
		if o.at == 0 {
			return 0, n, false
		}
		if t := o.gpuEnd + s.p.m.interrupt; t > at {
			at, n.gap = t, cpuSync
		}
	}
	if date := s.p.frames[i].date; date > at {
		at, n.gap = date, p.side
		if i > 0 {
			n.cause, n.fromStart = s.out[i-1].appNode, true
		}
	}
	return at, n, true
}

func (s *sim) startDriver() {
	i := s.driver
	o := &s.out[i]
	n := node{start: s.t, end: s.t + s.p.frames[i].driver*(1-s.r.spared[cpuDriver]), cause: o.appNode, gap: cpuDriver}
	if i > 0 && s.out[i-1].driven >= s.nodes[o.appNode].end {
		n.cause = s.out[i-1].driverNode
	}
	n.times[cpuDriver] = n.end - n.start
	o.driverNode, o.driverStart, o.driven = s.add(n), n.start, n.end
	o.jobNodes = make([]int, len(s.specs(i)))
	for k := range o.jobNodes {
		o.jobNodes[k] = -1
	}
	o.left = len(o.jobNodes)
	s.driverEnd = n.end
}

// handed is when a job is handed to the GPU, never while that is open.
func (s *sim) handed(f, k int) float64 {
	o := &s.out[f]
	if o.jobNodes == nil {
		return never
	}
	if s.p.pacing.early {
		return o.driverStart + (o.driven-o.driverStart)*float64(k+1)/float64(len(o.jobNodes))
	}
	return o.driven
}

// ended is when a job ended, never while it has not.
func (s *sim) ended(f, k int) (float64, int) {
	if f < 0 {
		return 0, -1
	}
	if o := &s.out[f]; o.jobNodes != nil && k < len(o.jobNodes) && o.jobNodes[k] >= 0 {
		if n := o.jobNodes[k]; s.nodes[n].end > 0 {
			return s.nodes[n].end, n
		}
	}
	return never, -1
}

// startJob starts the next job of a queue where that can be now.
func (s *sim) startJob(q int, wake *float64) bool {
	c := s.next[q]
	if c.frame >= len(s.p.frames) {
		return false
	}
	before := 0
	for i := range s.active {
		if a := &s.active[i]; a.spec.queue == q {
			if before++; !a.tail || before > 1 {
				return false
			}
		}
	}
	at := s.handed(c.frame, c.job)
	if at > s.t {
		*wake = min(*wake, at)
		return false
	}
	o := &s.out[c.frame]
	spec := &s.specs(c.frame)[c.job]
	n := node{start: s.t, cause: o.driverNode, gap: cpuDriver}
	real, soft := at, 0.0
	need := func(f int, list []int, needless bool) bool {
		for _, k := range list {
			end, cause := s.ended(f, k)
			switch {
			case end == never:
				return false
			case needless:
				soft = max(soft, end)
			case end >= real:
				real, n.cause, n.gap = end, cause, overhead
			}
		}
		return true
	}
	earlier := c.frame - 1
	if earlier >= 0 && s.p.frames[earlier].content != s.p.frames[c.frame].content {
		earlier = -1 // the contents' jobs have nothing to do with each other
	}
	if !need(c.frame, spec.after, false) || earlier >= 0 && !need(earlier, spec.before, false) {
		return false
	}
	if !s.r.lifted[inTurn] && (!need(c.frame, spec.needless, true) ||
		earlier >= 0 && !need(earlier, spec.beforeNeedless, true)) {
		return false
	}
	// What the queue did before may be what it waited for.
	if prev := s.queueLast[q]; prev > 0 && s.nodes[prev-1].freed > real {
		real, n.cause, n.gap = s.nodes[prev-1].freed, prev-1, overhead
	}
	if soft > real {
		n.gap = inTurn
	}
	id := s.add(n)
	o.jobNodes[c.job] = id
	if o.gpuBegin == 0 {
		o.gpuBegin = s.t
	}
	s.queueLast[q] = id + 1
	s.active = append(s.active, running{frame: c.frame, job: c.job, spec: spec, left: 1, node: id,
		scale: s.p.frames[c.frame].scale[c.job]})
	s.next[q] = s.forward(cursor{c.frame, c.job + 1}, q)
	return true
}
