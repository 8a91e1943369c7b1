package amd

import (
	"math"
	"sync"

	"astrolabe/capture/simulate"
)

// cost is what works of one queue take at the clocks of steps, whole frames of them.
type cost struct {
	time  [3]float64 // ns
	paced [3][labels]float64
	busy  [servers]float64 // at the highest clock
}

// steps are shares of the highest clock at which works are simulated; between them times go with the clock's inverse.
var steps = [3]float64{0.3, 0.6, 1}

// between is where a share of the highest clock lies: the step below, and how far on the way to the next.
func between(clock float64) (k int, part float64) {
	if clock > steps[1] {
		k = 1
	}
	return k, (1/clock - 1/steps[k]) / (1/steps[k+1] - 1/steps[k])
}

func (c *cost) at(clock float64) float64 {
	k, part := between(clock)
	return c.time[k] + part*(c.time[k+1]-c.time[k])
}

func (c *cost) add(o *outcome, step int) {
	c.time[step] += o.time
	for k, ns := range o.paced {
		c.paced[step][k] += ns
	}
	if step == len(steps)-1 {
		for k, ns := range o.busy {
			c.busy[k] += ns
		}
	}
}

// content is what frames of a phase do, and what paces them. Times are ns.
type content struct {
	name        string
	works       [2][]work // of the graphics queue and of the compute queue
	app, driver float64
	one         bool    // thread for both
	spread      float64 // of frames
	ahead       int     // frames that the processor may be before the display
	sync        bool    // the application waits for each frame's results
	inTurn      bool    // a needless dependency between the queues
	refresh     float64 // of the display, 0 where frames are shown when they are ready
	adaptive    bool
	buffers     int
	cap         float64 // between frames, 0 for none
	pulldown    bool    // two and three refreshes in turn
	request     float64 // mean time between requests of a frame, 0 where the application wants all it can get
	amount      float64 // of frames' work, beside what the works are
	power       float64 // share of the highest clock that power allows; 1 is no limit
	heat        float64

	runs  [2][]outcome        // at the highest clock
	costs [labels + 1][2]cost // with a label relieved, and as it is
	done  bool                // with labels relieved
	ready [3]int              // what the costs are of: works of each queue, and the first step
}

const plain = labels // the cost as it is

// prepare simulates the works, each label relieved too where deep is set. Where the clock is always the highest the other
// steps are not needed.
func (c *content) prepare(p *part, deep, highest bool) {
	s, from := new(pipe), 0
	if highest {
		from = len(steps) - 1
	}
	fill := func(label, q int) {
		x := &c.costs[label][q]
		*x = cost{}
		for i := range c.works[q] {
			w := &c.works[q][i]
			for k := from; k < len(steps); k++ {
				o := s.run(p, steps[k]*p.clock, w, label)
				x.add(o, k)
				if label == plain && k == len(steps)-1 {
					c.runs[q] = append(c.runs[q], *o)
				}
			}
		}
	}
	ready := [3]int{1 + len(c.works[0]), len(c.works[1]), from}
	if c.ready != ready {
		c.ready = ready
		for q := range c.works {
			c.runs[q] = c.runs[q][:0]
			for i := range c.works[q] {
				c.works[q][i].settle()
				c.works[q][i].flows = true
			}
			fill(plain, q)
		}
	}
	if !deep || c.done {
		return
	}
	c.done = true
	for label := range labels {
		for q := range c.works {
			if x := &c.costs[plain][q]; x.paced[0][label]+x.paced[2][label] == 0 {
				c.costs[label][q] = *x
			} else {
				fill(label, q)
			}
		}
	}
}

// gpuTime is how long the GPU takes for a frame: together, and of each queue alone.
func (c *content) gpuTime(label int, clock float64, together bool) (all, graphics, compute float64) {
	g, a := c.costs[label][0].at(clock), c.costs[label][1].at(clock)
	if g == 0 || a == 0 || !together { // a queue without work takes no time, and of no server
		return g + a, g, a
	}
	all = max(g, a)
	for k := range servers { // what both need is shared
		x, y := &c.costs[label][0], &c.costs[label][1]
		all = max(all, (x.busy[k]/x.time[2]*g+y.busy[k]/y.time[2]*a)/0.92)
	}
	return min(all, g+a), g, a
}

// Candidates of the processor's side, the display's and the clock, beside the GPU's labels.
const (
	app = labels + iota
	driver
	syncing
	inTurn
	thermal
	power
	governor
	vsync
	capped
	requested
	all
	wholeCPU
	wholeGPU
)

func candidate(k int) simulate.Candidate {
	if k < labels {
		return candidates[k]
	}
	return [...]simulate.Candidate{simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync, simulate.QueuesInTurn,
		simulate.ClockThermal, simulate.ClockPower, simulate.ClockGovernor, simulate.DisplayVsync, simulate.DisplayCap,
		simulate.DisplayRequest}[k-labels]
}

// shown is one frame.
type shown struct {
	content                                           int
	app, appEnd, driver, driverEnd, gpu, gpuEnd, flip float64
	split                                             float64 // when the graphics queue is done, where both work in turn
	clock                                             float64
	load                                              float64
	missed                                            int
	by                                                [4]int // what the application, the driver, the GPU and the display waited for
}

// scene is a program with its phases on a machine.
type scene struct {
	p        *part
	contents []content
	frames   []int     // of each content
	loads    []float64 // of each frame
	threads  []float64
	requests []float64 // between one request and the next, as shares of the mean
	least    float64   // clock that the governor does not go below, as a share
	target   float64   // load that the governor aims at
	warm     int
	deep     sync.Once // the reliefs of contents are simulated when the truth is first asked for
}

const (
	submit   = 45e3 // from the driver's call to the first packet
	readback = 70e3 // until a waiting thread runs again
	signal   = 18e3 // from one queue to the other
)

// simulated is a run of a scene.
type simulated struct {
	frames []shown
}

// What a step waited for.
const (
	bySelf = iota // its own thread, or the step before in the same frame
	byPrevious
	byDisplay
	byCap
	byRequest
	bySync
	byQueue // as the processor may not be further ahead
)

// run simulates all frames with one candidate relieved, or none for all.
func (s *scene) run(relief int) *simulated {
	out := &simulated{}
	label, cheap := plain, 1.0
	if relief < labels {
		label = relief
	}
	if relief == launch {
		cheap = 1 / 1.5
	}
	clock, loadMean, lastSet, worked := 1.0, 0.9, 0.0, 0.0
	governed := 1.0
	if s.least < 1 {
		governed = max(s.least, 0.7)
	}
	request, at := 0.0, 0
	for k, c := range s.contents {
		for range s.frames[k] {
			f := shown{content: k, load: s.loads[at]}
			var before, far shown
			if at > 0 {
				before = out.frames[at-1]
			}
			if at >= c.ahead {
				far = out.frames[at-c.ahead]
			}
			appNs, driverNs := c.app*s.threads[at], c.driver*s.threads[at]
			if relief == app {
				appNs /= 1.5
			}
			if relief == driver {
				driverNs /= 1.5
			}
			if relief == wholeCPU {
				appNs, driverNs = appNs/1.5, driverNs/1.5
			}
			// The application.
			f.app, f.by[0] = before.appEnd, byPrevious
			if c.one {
				f.app = before.driverEnd
			}
			later := func(t float64, by int) {
				if t > f.app {
					f.app, f.by[0] = t, by
				}
			}
			if far.flip > 0 {
				later(far.flip, byQueue)
			}
			if c.sync && relief != syncing && at > 0 {
				later(before.gpuEnd+readback*cheap, bySync)
			}
			if c.cap > 0 && at > 0 {
				later(before.app+c.cap, byCap)
			}
			if c.request > 0 {
				request += c.request * s.requests[at]
				later(request, byRequest)
			}
			f.appEnd = f.app + appNs
			f.driver, f.by[1] = f.appEnd, bySelf
			if before.driverEnd > f.driver && !c.one {
				f.driver, f.by[1] = before.driverEnd, byPrevious
			}
			f.driverEnd = f.driver + driverNs
			// The GPU.
			f.gpu, f.by[2] = f.driverEnd+submit*cheap, bySelf
			if before.gpuEnd > f.gpu {
				f.gpu, f.by[2] = before.gpuEnd, byPrevious
			}
			if c.refresh > 0 && c.buffers > 0 && at >= c.buffers-1 { // a buffer must be free to draw into
				if t := out.frames[at-c.buffers+1].flip; c.buffers > 1 && t > f.gpu {
					f.gpu, f.by[2] = t, byDisplay
				}
			}
			// The firmware looks every 10 ms at how busy the GPU was.
			if f.gpu-lastSet > 10e6 {
				busy := min(1, worked/(f.gpu-lastSet))
				loadMean = 0.6*loadMean + 0.4*busy
				governed = min(1, max(s.least, governed*min(1.25, max(0.88, loadMean/s.target))))
				lastSet, worked = f.gpu, 0
			}
			clock = 1
			if relief != governor {
				clock = min(clock, governed)
			}
			if relief != power {
				clock = min(clock, c.power)
			}
			if relief != thermal {
				clock = min(clock, c.heat)
			}
			f.clock = clock
			gpuNs, g, a := c.gpuTime(label, clock, !c.inTurn || relief == inTurn)
			if a > 0 && c.inTurn && relief != inTurn {
				gpuNs += 2 * signal * cheap
			}
			gpuNs *= f.load * c.amount
			if relief == wholeGPU {
				gpuNs /= 1.5
			}
			f.gpuEnd = f.gpu + gpuNs
			f.split = f.gpu + gpuNs*g/max(1, g+a)
			worked += gpuNs
			s.show(&f, &c, &before)
			out.frames = append(out.frames, f)
			at++
		}
	}
	return out
}

// show finds when a frame appears.
func (s *scene) show(f *shown, c *content, before *shown) {
	f.flip, f.by[3] = f.gpuEnd, bySelf
	if c.refresh == 0 {
		return
	}
	due := before.flip + c.refresh
	if c.pulldown { // refreshes of 60 Hz: two, then three
		tick := math.Round(before.flip / c.refresh)
		n := 2.0
		if math.Mod(tick, 5) != 0 {
			n = 3
		}
		due = before.flip + n*c.refresh
	}
	if c.adaptive {
		if due > f.flip {
			f.flip, f.by[3] = due, byDisplay
		}
		return
	}
	ready := math.Ceil(f.gpuEnd/c.refresh-1e-9) * c.refresh
	if due >= ready-1 {
		f.flip, f.by[3] = math.Round(due/c.refresh)*c.refresh, byDisplay
		return
	}
	f.flip = ready
	if !c.pulldown && c.cap == 0 && c.request == 0 {
		f.missed = int(math.Round((ready - due) / c.refresh))
	}
	if c.pulldown && ready > due+1 {
		f.missed = 1
	}
	if c.cap > 0 && f.gpuEnd-f.app > c.cap || c.request > 0 && f.gpuEnd-f.app > 2.2*c.refresh {
		f.missed = 1
	}
}

// walk follows what each frame of a range waited for, from the last one's showing back to the showing of the frame
// before the first, and adds up what set the pace.
func (s *scene) walk(r *simulated, from, to int) (shares [all]float64) {
	begin := r.frames[from-1].flip
	i, t := to-1, r.frames[to-1].flip
	give := func(k int, upto float64) {
		upto = max(upto, begin)
		if upto < t {
			shares[k] += t - upto
			t = upto
		}
	}
	stage := 3
	for i >= 0 && t > begin {
		f := &r.frames[i]
		c := &s.contents[f.content]
		switch stage {
		case 3:
			if f.by[3] == byDisplay && i > 0 {
				give(vsync, r.frames[i-1].flip)
				i--
				continue
			}
			give(vsync, f.gpuEnd)
			stage = 2
		case 2:
			s.giveGPU(f, c, t-max(begin, f.gpu), &shares)
			t = max(begin, f.gpu)
			switch {
			case f.by[2] == byPrevious:
				i--
			case f.by[2] == byDisplay:
				i, stage = i-c.buffers+1, 3
			default:
				give(launch, f.driverEnd)
				stage = 1
			}
		case 1:
			give(driver, f.driver)
			if f.by[1] == byPrevious {
				i--
			} else {
				stage = 0
			}
		case 0:
			give(app, f.app)
			switch f.by[0] {
			case byQueue:
				i, stage = i-c.ahead, 3
			case bySync:
				give(syncing, r.frames[i-1].gpuEnd)
				i, stage = i-1, 2
			case byCap:
				give(capped, r.frames[i-1].app)
				i--
			case byRequest:
				give(requested, begin) // and the one before asked when it would
			default:
				i--
				if c.one {
					stage = 1
				}
			}
		}
	}
	return shares
}

// giveGPU shares time on the GPU out among what held it up.
func (s *scene) giveGPU(f *shown, c *content, ns float64, shares *[all]float64) {
	now, g, a := c.gpuTime(plain, f.clock, !c.inTurn)
	if ns <= 0 || now <= 0 {
		return
	}
	if f.clock < 1 { // what a higher clock would save
		fast, _, _ := c.gpuTime(plain, 1, !c.inTurn)
		k := governor
		switch {
		case c.heat <= f.clock:
			k = thermal
		case c.power <= f.clock:
			k = power
		}
		held := ns * max(0, 1-fast/now)
		shares[k] += held
		ns -= held
	}
	if c.inTurn && a > 0 {
		together, _, _ := c.gpuTime(plain, f.clock, true)
		held := ns * max(0, 1-together/now)
		shares[inTurn] += held
		ns -= held
	}
	k, part := between(f.clock)
	var paced [labels]float64
	sum := 0.0
	for q, length := range [2]float64{g, a} {
		weight := 1.0
		if !c.inTurn && a > 0 && length < max(g, a) {
			weight = 0.3 // mostly hidden by the longer queue
		}
		x := &c.costs[plain][q]
		for l := range paced {
			v := weight * (x.paced[k][l] + part*(x.paced[k+1][l]-x.paced[k][l]))
			paced[l] += v
			sum += v
		}
	}
	for l, v := range paced {
		shares[l] += ns * v / sum
	}
}
