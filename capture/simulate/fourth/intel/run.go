package intel

import (
	"fmt"
	"math"
)

// pass is work in a queue of the GPU.
type pass struct {
	work
	queue    int
	batch    int   // with which it is submitted
	after    []int // passes of the frame that it needs
	needless []int // passes that it waits for without need
}

// content is what frames are made of.
type content struct {
	text        string
	passes      []pass
	app, driver float64 // ns of the processor
	batches     int
	threaded    bool // the driver has a thread of its own
	sync        bool // the application waits for each frame of the GPU
	wake        float64
}

// frame is what differs from frame to frame.
type frame struct {
	content, variant int
	gpu, app, driver float64 // factors
}

// pacing says when frames may begin and when they are shown.
type pacing struct {
	refresh  float64 // ns; 0 shows a frame at once
	variable bool    // refresh is the least time between frames
	images   int
	ahead    int     // frames that the processor may be ahead of the GPU
	cap      float64 // ns between frames that the application begins; 0 is none
	by       leaf    // who keeps the cap
}

// clocking is what sets the GPU's clock.
type clocking struct {
	tick, up, down float64 // ns; shares of time from which on the clock rises, and below which it falls
	rise, fall     float64 // GHz in a tick
	boost          bool    // a waiting application lets the clock jump
	ceiling        float64 // GHz that heat or power allow; 0 is all
	by             leaf    // thermal or power
	swing          float64 // GHz by which heat moves the ceiling, with a period in ticks
	period         int
	budget         float64 // of power, as a share of that at the highest clock with all EUs at work
}

// background is work of others, such as a compositor.
type background struct {
	pass   pass
	every  float64 // ns; 0 is none
	offset float64
}

// clockAt is a clock from a time on.
type clockAt struct{ at, ghz float64 }

// node is a stretch of time on the way to a frame, and what it waited for.
type node struct {
	start, end float64
	before     int32 // 0 is the beginning
	leaf       leaf  // of a processor's time or a wait; of a pass, leaves
	needless   bool  // it waited for the node before without need
	queue      int8
	share      *[leaves]float64
	held       [3]float64 // ns that a pass would not have taken at the highest clock: thermal, power, governor
}

// knots are the clocks at which passes are evaluated; between them times are those of a share that follows the clock
// and one that does not.
const knots = 3

type timing struct {
	at [knots]*profile
}

// simulation is one run of a case.
type simulation struct {
	s     *spec
	r     *relief
	rec   *recorder
	clock [knots]float64
	times [][][variants]timing // by content and pass; the last is the background's

	now     float64
	ghz     float64
	ceiling float64
	heat    float64 // of the clocking's power
	ticks   int
	clocks  []clockAt
	busy    float64 // ns since the last tick
	load    float64 // share of time that the governor sees
	nodes   []node

	frames    []shown
	queues    [queues]channel
	appFree   int32 // node after which the application's thread is free
	driveFree int32
	next      int // frame that the processor begins
	waited    bool
	nextTick  float64
	nextOther float64
}

const queues = 2

// channel is a queue of the GPU.
type channel struct {
	frame, pass int // the next to begin
	last        int32
	running     bool
	other       bool // the background's runs
	timing      *timing
	scale, left float64
	node        int32
	wentOn      float64 // share that is done
}

// simulate runs the case.
func (s *spec) simulate(r *relief, rec *recorder) (*simulation, error) {
	x := &simulation{s: s, r: r, rec: rec, nodes: make([]node, 1, 64*len(s.frames)), nextTick: s.clocking.tick, ghz: s.start, load: 0.8,
		nextOther: math.Inf(1)}
	if s.others.every > 0 {
		x.nextOther = s.others.offset
	}
	m := s.machine
	for i := range knots {
		x.clock[i] = m.lowest + (m.highest-m.lowest)*[knots]float64{0, 0.42, 1}[i]
	}
	var f flow
	evaluate := func(p *pass, variant int) (t timing) {
		for i, ghz := range x.clock {
			t.at[i] = p.profileOf(m, p.queue, variant, ghz, r, &f, rec != nil)
		}
		return t
	}
	for _, c := range s.contents {
		list := make([][variants]timing, len(c.passes))
		for i := range c.passes {
			for v := range variants {
				list[i][v] = evaluate(&c.passes[i], v)
			}
		}
		x.times = append(x.times, list)
	}
	if s.others.every > 0 {
		t := evaluate(&s.others.pass, 0)
		x.times = append(x.times, [][variants]timing{{t, t}})
	}
	x.frames = make([]shown, len(s.frames))
	x.ceiling = m.highest
	x.limit()
	x.ghz = min(x.ghz, x.ceiling)
	if r.of[governor] {
		x.ghz = x.ceiling
	}
	x.clocks = append(x.clocks, clockAt{0, x.ghz})
	for steps := 0; x.frames[len(x.frames)-1].finished == 0 || x.frames[len(x.frames)-1].flipped == 0; steps++ {
		if err := x.step(); err != nil || steps > 400*len(x.frames) {
			return nil, fmt.Errorf("%s at %.0f ns, frame %d: the simulation does not end (%v)", s.text, x.now, x.next, err)
		}
	}
	return x, nil
}

// add appends a node.
func (x *simulation) add(n node) int32 {
	x.nodes = append(x.nodes, n)
	return int32(len(x.nodes) - 1)
}

func (x *simulation) end(n int32) float64 { return x.nodes[n].end }

// later is the node that ends later.
func (x *simulation) later(a, b int32) int32 {
	if x.end(b) > x.end(a) {
		return b
	}
	return a
}

// begin lets the processor begin frames as long as it is known when it can.
func (x *simulation) begin() {
	s, p := x.s, &x.s.pacing
	for x.next < len(s.frames) {
		k := x.next
		c := &s.contents[s.frames[k].content]
		before := x.appFree
		wait := false
		need := func(i int, shown bool) bool { // whether it is known when the frame is over
			if i < 0 {
				return true
			}
			f := &x.frames[i]
			n := f.end
			if shown {
				n = f.flipped
			}
			if n == 0 {
				return false
			}
			if x.end(n) > x.end(before) {
				before, wait = n, true
			}
			return true
		}
		x.waited = true
		if !need(k-p.ahead, false) || p.refresh > 0 && !need(k-p.images, true) {
			return
		}
		if c.sync && k > 0 && !x.r.of[cpuSync] {
			if !need(k-1, false) {
				return
			}
			if before == x.frames[k-1].end { // the thread wakes up
				before = x.add(node{start: x.end(before), end: x.end(before) + c.wake, before: before, leaf: cpuSync})
			}
		}
		x.waited = wait
		start := x.end(before)
		if p.cap > 0 {
			// Dates that were missed are left out.
			last := -p.cap
			if k > 0 {
				last = x.frames[k-1].begin
			}
			date := math.Floor(last/p.cap+1.0001) * p.cap
			if late := start - date; late > 0 && p.by == request && late > 0.3*p.cap {
				date = math.Ceil(start/p.cap) * p.cap
			}
			if k > 0 && date > last+1.5*p.cap {
				x.frames[k].missed += int(math.Round((date-last)/p.cap)) - 1
			} else if k > 0 && p.by == frameCap && start > last+1.02*p.cap {
				x.frames[k].missed++
			}
			if date > start {
				before = x.add(node{start: start, end: date, before: before, leaf: p.by})
				start = date
			}
		}
		x.submit(k, c, before, start)
		x.next++
	}
}

// submit is the processor's work for a frame, from a time on.
func (x *simulation) submit(k int, c *content, before int32, start float64) {
	d, f := &x.s.frames[k], &x.frames[k]
	f.begin = start
	app := c.app * d.app * x.r.factor(cpuApp, -1)
	n := x.add(node{start: start, end: start + app, before: before, leaf: cpuApp})
	x.appFree = n
	if c.threaded {
		n = x.later(n, x.driveFree)
	}
	drive := c.driver * d.driver * x.r.factor(cpuDriver, -1) / float64(c.batches)
	for range c.batches {
		n = x.add(node{start: x.end(n), end: x.end(n) + drive, before: n, leaf: cpuDriver})
		f.submit = append(f.submit, n)
	}
	x.driveFree = n
	if !c.threaded {
		x.appFree = n
	}
	f.passes = make([]int32, len(c.passes))
	if x.rec != nil {
		x.rec.processor(start, app, drive*float64(c.batches))
	}
}

// ready is the node after which the next pass of a queue can begin; ok is false where that is not known yet.
func (x *simulation) ready(q int) (before int32, needless, ok bool) {
	c := &x.queues[q]
	for c.frame < len(x.frames) {
		f := &x.frames[c.frame]
		if c.frame >= x.next {
			return 0, false, false
		}
		list := x.s.contents[x.s.frames[c.frame].content].passes
		if c.pass >= len(list) {
			c.frame, c.pass = c.frame+1, 0
			continue
		}
		p := &list[c.pass]
		if p.queue != q {
			c.pass++
			continue
		}
		before = x.later(f.submit[p.batch], c.last)
		for _, i := range p.after {
			if f.passes[i] == 0 || x.nodes[f.passes[i]].end == 0 {
				return 0, false, false
			}
			before = x.later(before, f.passes[i])
		}
		if !x.r.of[inTurn] {
			for _, i := range p.needless {
				g := f
				if i > c.pass { // of the frame before
					if c.frame == 0 {
						continue
					}
					g = &x.frames[c.frame-1]
				}
				if i >= len(g.passes) {
					continue
				}
				n := g.passes[i]
				if n == 0 || x.nodes[n].end == 0 {
					return 0, false, false
				}
				if x.end(n) > x.end(before) {
					before, needless = n, true
				}
			}
		}
		return before, needless, true
	}
	return 0, false, false
}
