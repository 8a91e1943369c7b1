package amd

import (
	"math"
	"math/rand/v2"
	"sync"

	"astrolabe/capture/simulate"
)

// program is what runs for some frames, and what holds it back.
type program struct {
	scene       scene
	frames      int
	app, driver float64 // ns of the processor for a frame
	sync        bool    // the application waits for the frame before it begins the next
	inTurn      bool    // queues wait for each other for no reason
	level       float64 // of the clock, 1 the highest
	hold        cause   // of the clock below its highest, none for nothing
	uneven      float64
	light       bool // the firmware lowers clocks, and power with them

	refresh float64 // ns of the display; 0 where it takes a frame whenever there is one
	buffers int
	cap     float64 // ns that the application leaves between frames
	request float64 // ns between what somebody asks for
}

// pace is the time between frames that a display, a cap or requests allow; 0 where nothing does.
func (p *program) pace() float64 { return math.Max(p.refresh, math.Max(p.cap, p.request)) }

// swing is how far firmware lets the clock go up and down around its mean.
func (p *program) swing() float64 {
	switch p.hold {
	case thermal:
		return 0.05
	case power:
		return 0.02
	case governor:
		if p.light {
			return 0.04
		}
	}
	return 0
}

// live is a recording of a program while it runs, or of two in turn.
type live struct {
	m        *machine
	text     string
	plant    string
	programs []program
	seed     uint64

	mu    sync.Mutex // of what runs keep for each other
	costs map[costKey]*cost
	sim   sim
}

type costKey struct {
	program int
	relief  cause
	level   float64
}

func (l *live) cost(k int, relief cause) *cost {
	p := &l.programs[k]
	level := p.level
	if relief != none && relief == p.hold {
		level = 1
	}
	if relief >= gpuCauses {
		relief = none
	}
	key := costKey{k, relief, level}
	c, ok := l.costs[key]
	if !ok {
		c = l.sim.costOf(l.m, &p.scene, level, relief)
		l.costs[key] = c
	}
	return c
}

// node is something that took its time on the way of a frame. before is what let it begin.
type node struct {
	start, end float64
	why        cause // theGPU where it is the GPU's work, whose causes are those of the scene
	program    int
	before     int
}

const (
	theGPU   = allCauses + iota // the cause of a node until those of its scene take its place
	wholeCPU                    // reliefs of everything that a side does
	wholeGPU
)

// frame is when a frame was where.
type frame struct {
	program                    int
	app, appEnd, drive, driven float64
	gpu, gpuEnd, shown         float64
	work                       float64 // ns of the GPU
	level                      float64 // of the clock
	shownBy                    int     // node
}

const (
	warmUp = 4
	ahead  = 3 // frames that an application may be ahead of the GPU
)

// run plays all frames. The same draws are used for every relief.
func (l *live) run(relief cause) (frames []frame, nodes []node) {
	r := rand.New(rand.NewPCG(l.seed, 3))
	nodes = append(nodes, node{before: -1, why: vsync})
	type at struct{ app, driver, gpu, cap, request int }
	last := at{}
	var appNodes, gpuNodes []int
	add := func(n node) int {
		nodes = append(nodes, n)
		return len(nodes) - 1
	}
	end := func(i int) float64 { return nodes[i].end }
	for k := range l.programs {
		p := &l.programs[k]
		c := l.cost(k, relief)
		n := p.frames
		if k == 0 {
			n += warmUp
		}
		appScale, driverScale := 1.0, 1.0
		if relief == cpuApp || relief == wholeCPU {
			appScale = relieved
		}
		if relief == cpuDriver || relief == wholeCPU {
			driverScale = relieved
		}
		work := c.ns
		if len(p.scene.compute) > 0 && (!p.inTurn || relief == inTurn) {
			work = c.beside
		}
		if relief == wholeGPU {
			work *= relieved
		}
		for range n {
			i := len(frames)
			rough := 1 + p.uneven*r.NormFloat64()
			if r.Float64() < 0.015 {
				rough += 4 * p.uneven
			}
			f := frame{program: k, level: p.level}
			app := p.app * appScale * clamp(1+1.3*p.uneven*r.NormFloat64(), 0.5, 2)
			drive := p.driver * driverScale * clamp(1+p.uneven*r.NormFloat64(), 0.5, 2)
			f.work = work * clamp(rough, 0.6, 1.8)
			if swing := 1 + p.swing()*math.Sin(float64(i)*0.11); p.hold != none && relief != p.hold {
				f.level *= swing
				f.work *= 0.2 + 0.8/swing // memory keeps its clock
			}

			// the application
			from := last.app
			consider := func(other int) {
				if end(other) > end(from) {
					from = other
				}
			}
			if i >= ahead {
				consider(gpuNodes[i-ahead])
			}
			waits := p.sync && relief != cpuSync && i > 0
			if waits {
				consider(gpuNodes[i-1])
			}
			if p.cap > 0 && i > 0 {
				began := nodes[appNodes[i-1]]
				last.cap = add(node{began.start, began.start + p.cap, frameCap, k, began.before})
				consider(last.cap)
			}
			if p.request > 0 {
				start := end(last.request)
				if i > 0 && frames[i-1].program != k {
					start = math.Max(start, end(last.app))
				}
				last.request = add(node{start, start + p.request, request, k, last.request})
				consider(last.request)
			}
			why := cpuApp
			driverWhy := cpuDriver
			if waits && from == gpuNodes[i-1] {
				why, driverWhy = cpuSync, cpuSync
			}
			f.app = end(from)
			f.appEnd = f.app + app
			last.app = add(node{f.app, f.appEnd, why, k, from})
			appNodes = append(appNodes, last.app)

			// the driver's thread
			from = last.app
			if last.driver != 0 {
				consider(last.driver)
			}
			f.drive = end(from)
			f.driven = f.drive + drive
			last.driver = add(node{f.drive, f.driven, driverWhy, k, from})

			// the GPU may begin with what was submitted first
			first := add(node{f.drive, f.drive + 0.4*drive, driverWhy, k, from})
			from = first
			if last.gpu != 0 {
				consider(last.gpu)
			}
			if p.refresh > 0 && i >= p.buffers-1 {
				consider(frames[i-p.buffers+1].shownBy)
			}
			f.gpu = end(from)
			f.gpuEnd = f.gpu + f.work
			start := f.gpu
			if tail := f.driven + 0.15*f.work; tail > f.gpuEnd { // and ends with what was last
				f.gpuEnd, from, start = tail, last.driver, f.driven
			}
			last.gpu = add(node{start, f.gpuEnd, theGPU, k, from})
			gpuNodes = append(gpuNodes, last.gpu)
			f.shownBy, f.shown = last.gpu, f.gpuEnd

			// the display
			if p.refresh > 0 {
				ready := math.Ceil(f.gpuEnd/p.refresh) * p.refresh
				next := 0.0
				if i > 0 {
					next = (math.Floor(frames[i-1].shown/p.refresh+1e-6) + 1) * p.refresh
				}
				if next >= ready && i > 0 { // it could not be shown earlier, however early it was done
					f.shownBy = add(node{frames[i-1].shown, next, vsync, k, frames[i-1].shownBy})
					f.shown = next
				} else {
					f.shownBy = add(node{f.gpuEnd, ready, vsync, k, last.gpu})
					f.shown = ready
				}
			}
			frames = append(frames, f)
		}
	}
	return frames, nodes
}

// pathOf is what set the pace between two frames, on the way back from when the later was shown.
func (l *live) pathOf(frames []frame, nodes []node, first, last int) (path [allCauses]float64) {
	from := frames[first-1].shown
	for i := frames[last-1].shownBy; i >= 0 && nodes[i].end > from; i = nodes[i].before {
		n := &nodes[i]
		ns := n.end - math.Max(n.start, from)
		if n.why == theGPU {
			l.divide(&path, n.program, ns)
		} else {
			path[n.why] += ns
		}
	}
	return path
}

// divide gives time of the GPU to what limits the scene.
func (l *live) divide(path *[allCauses]float64, program int, ns float64) {
	p, c := &l.programs[program], l.cost(program, none)
	if p.inTurn && c.ns > c.beside {
		apart := ns * (c.ns - c.beside) / c.ns
		path[inTurn] += apart
		ns -= apart
	}
	sum := 0.0
	for k := range gpuCauses {
		sum += c.path[k]
	}
	for k := range gpuCauses {
		path[k] += ns * c.path[k] / sum
	}
}

// offset is the time of the simulation at which the capture begins.
func offset(frames []frame) float64 { return frames[warmUp-1].shown }

func (l *live) judge() *simulate.Truth {
	l.mu.Lock()
	defer l.mu.Unlock()
	frames, nodes := l.run(none)
	zero := offset(frames)
	reliefs := map[cause][]frame{}
	for c := range vsync {
		if l.applies(c) {
			reliefs[c], _ = l.run(c)
		}
	}
	lessCPU, _ := l.run(wholeCPU)
	lessGPU, _ := l.run(wholeGPU)
	ns := func(t float64) int64 { return int64(math.Round(t - zero)) }
	part := func(name string, first, last int) simulate.Part {
		span := func(f []frame) float64 { return f[last-1].shown - f[first-1].shown }
		times := map[cause]float64{}
		for c, f := range reliefs {
			times[c] = span(f)
		}
		p := simulate.Part{Name: name, First: first - warmUp, Frames: last - first, Start: ns(frames[first-1].shown),
			End: ns(frames[last-1].shown)}
		p.Leaves = gainsOf(span(frames), times)
		p.Whole = []simulate.Gain{
			{Candidate: simulate.WholeCPU, Percent: 100 * (1 - span(lessCPU)/span(frames)), Simulated: true},
			{Candidate: simulate.WholeGPU, Percent: 100 * (1 - span(lessGPU)/span(frames)), Simulated: true}}
		simulate.SortGains(p.Whole)
		path := l.pathOf(frames, nodes, first, last)
		p.Shares = sharesOf(p.End-p.Start, &path)
		p.QueueShares = p.Shares
		var display, whole, busy, clock float64
		paced := true
		for c, t := range path {
			if whole += t; cause(c) >= vsync {
				display += t
			}
		}
		for i := first; i < last; i++ {
			q := &l.programs[frames[i].program]
			busy += frames[i].work
			clock += frames[i].level / float64(last-first)
			paced = paced && q.pace() > 0
			if missed(q, frames[i].shown-frames[i-1].shown) {
				p.Missed++
			}
		}
		p.GPUBusy, p.ClockMean = math.Min(1, busy/span(frames)), clock
		p.Healthy = paced && p.Missed == 0 && display > 0.6*whole
		return p
	}
	truth := &simulate.Truth{Part: part("", warmUp, len(frames))}
	first := warmUp
	if len(l.programs) > 1 {
		for k := range l.programs {
			n := l.programs[k].frames
			truth.Phases = append(truth.Phases, part(l.programs[k].scene.name, first, first+n))
			first += n
		}
	}
	for i := warmUp; i < len(frames); i++ {
		f := &frames[i]
		one := simulate.FrameTruth{Content: f.program, Begin: ns(f.app), GPUBegin: ns(f.gpu), GPUEnd: ns(f.gpuEnd),
			Shown: ns(f.shown), Judged: true}
		if missed(&l.programs[f.program], f.shown-frames[i-1].shown) {
			one.Missed = 1
		}
		truth.Each = append(truth.Each, one)
	}
	truth.Hold(l.programs[0].refresh)
	return truth
}

// missed reports whether a frame came later behind the one before than its pace allows.
func missed(p *program, interval float64) bool {
	if p.refresh > 0 {
		return interval > p.pace()+0.7*p.refresh
	}
	return p.pace() > 0 && interval > 1.3*p.pace()
}

// applies reports whether there is something to relieve.
func (l *live) applies(c cause) bool {
	if c < gpuCauses || c == cpuApp || c == cpuDriver {
		return true
	}
	for k := range l.programs {
		p := &l.programs[k]
		if c == p.hold || c == cpuSync && p.sync || c == inTurn && p.inTurn && len(p.scene.compute) > 0 {
			return true
		}
	}
	return false
}
