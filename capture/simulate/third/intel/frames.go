package intel

import (
	"math"
	"math/rand/v2"
)

// program is one content with what drives it.
type program struct {
	text    string
	passes  []*pass
	app     float64 // ns per frame of the application's thread
	driver  float64 // and of the driver's
	apart   bool    // the driver has a thread of its own
	early   bool    // passes are handed to the GPU one by one, while the driver is at the next
	helpers float64 // ns per frame of other threads, which nobody waits for
	sync    bool    // the application waits for the GPU before it begins the next frame
	other   float64 // ns that another engine, for video or copies, works on a frame before it is rendered
	inTurn  bool    // that engine needlessly waits for the rendering of the frame before
	buffers int

	refresh  float64 // ns; 0 shows frames at once
	adaptive bool    // the display waits for frames
	every    []int   // refreshes per frame, taken in turn: the dates that are kept; none takes the next refresh
	cap      float64 // ns between frames that the application keeps
	ask      float64 // mean ns between requests, at least two refreshes

	hold   float64 // share of the highest clock that is allowed
	holder leaf    // by what
	lag    float64 // of the governor, ns; 0 keeps the highest clock that is allowed

	frames int
	scale  []float64 // per frame, of the content
	think  []float64 // of the processor's work
	wishes []float64 // times between requests
	jitter [][]float64
}

const warm = 5 // frames before the capture

// draw draws what differs from frame to frame, once for all simulations.
func (p *program) draw(r *rand.Rand, frames int) *program {
	p.frames = frames
	view, noise := 0.0, 0.02+0.05*r.Float64()
	for range frames + warm {
		view = 0.97*view + 0.02*r.NormFloat64()
		p.scale = append(p.scale, math.Exp(view))
		p.think = append(p.think, math.Exp(view*0.5+noise*r.NormFloat64()))
		p.wishes = append(p.wishes, p.ask*(0.75+0.5*r.ExpFloat64()))
		j := make([]float64, len(p.passes))
		for i := range j {
			j[i] = math.Exp(0.025 * r.NormFloat64())
		}
		p.jitter = append(p.jitter, j)
	}
	return p
}

// stretch is time of the processor, another engine or the GPU.
type stretch struct{ from, to float64 }

// rendered is one pass on the time line.
type rendered struct {
	stretch
	t     *timing
	scale float64
}

type frame struct {
	app, driver, other, gpu stretch
	shown                   float64
	missed                  int
	clock                   float64
	passes                  []rendered
	busy                    float64 // the GPU's time
}

type result struct {
	program *program
	frames  []frame // without those before the capture
	start   float64
	end     float64
	shares  [leafCount]float64
	busy    float64
	clock   float64
	missed  int
}

// node is a moment of the graph of what waits for what: what went before, and what the time between is due to, which for
// the GPU is what set the pace of the pass.
type node struct {
	at   float64
	from int
	by   leaf
	f    int
	t    *timing // of the GPU's work
}

// timings keeps passes by clock; they only differ in size from frame to frame.
type timings struct {
	m        *machine
	relieved leaf
	kept     map[*pass]map[int]*timing
}

const clockStep = 50e6 / 3 // of the ratios

func (k *timings) of(p *pass, clock float64) *timing {
	step := int(clock/clockStep + 0.5)
	if k.kept[p] == nil {
		k.kept[p] = map[int]*timing{}
	}
	t := k.kept[p][step]
	if t == nil {
		t = k.m.run(p, float64(step)*clockStep, k.relieved)
		k.kept[p][step] = t
	}
	return t
}

// simulate runs the program from a time on. Its first frames are not part of the result: they fill buffers and let the
// governor find its clock.
func (p *program) simulate(k *timings, from float64, first int) *result {
	relieved := k.relieved
	appSpeed, driverSpeed := faster(relieved, app), faster(relieved, driver)
	gpuSpeed := 1.0
	switch relieved {
	case wholeCPU:
		appSpeed, driverSpeed = 1.5, 1.5
	case wholeGPU:
		gpuSpeed = 1.5
	}
	waits, turns := p.sync && relieved != syncs, p.inTurn && relieved != inTurn
	most := k.m.maxClock * p.hold
	if relieved == p.holder {
		most = k.m.maxClock
	}
	clock, looked, worked := most, from, 0.0
	if p.lag > 0 && relieved != governor {
		clock = math.Max(k.m.minClock, most*0.6)
	}
	var nodes []node
	at := func(i int) float64 { return nodes[i].at }
	add := func(n node) int { nodes = append(nodes, n); return len(nodes) - 1 }
	// after is what begins when the last of others is there.
	after := func(f int, first int, others ...int) int {
		last := first
		for _, o := range others {
			if o >= 0 && at(o) > at(last) {
				last = o
			}
		}
		return add(node{at: at(last), from: last, by: app, f: f})
	}
	origin := add(node{at: from, from: -1, by: app})
	n := p.frames + warm
	frames := make([]frame, n)
	begun, made, told, filled, drawn, shown := make([]int, n), make([]int, n), make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	ref := func(list []int, i int) int {
		if i < 0 {
			return origin
		}
		return list[i]
	}
	wish := from
	for i := range n {
		f := &frames[i]
		// The application's thread is free, it has a buffer, and it is time.
		free := ref(made, i-1)
		if !p.apart {
			free = ref(told, i-1)
		}
		buffer := ref(shown, i-p.buffers)
		start := after(i, free, buffer)
		if waits {
			start = after(i, start, ref(drawn, i-1))
		}
		if p.cap > 0 && i > 0 {
			if due := at(begun[i-1]) + p.cap; due > at(start) {
				start = add(node{at: due, from: begun[i-1], by: capped, f: i})
			} else if at(start) > due+0.02*p.cap {
				f.missed = 1
			}
		}
		if p.ask > 0 {
			wish += p.wishes[i]
			if wish > at(start) {
				start = add(node{at: wish, from: start, by: request, f: i})
			}
		}
		begun[i] = start
		made[i] = add(node{at: at(start) + p.app*p.think[i]/appSpeed, from: start, by: app, f: i})
		driverStart := after(i, made[i], ref(told, i-1))
		told[i] = add(node{at: at(driverStart) + p.driver*p.think[i]/driverSpeed, from: driverStart, by: driver, f: i})
		ready := told[i]
		if p.other > 0 {
			begin := after(i, told[i], ref(filled, i-1))
			if turns {
				begin = after(i, begin, ref(drawn, i-1))
			}
			took := p.other * p.think[i]
			filled[i] = add(node{at: at(begin) + took, from: begin, by: app, f: i})
			f.other = stretch{at(begin), at(filled[i])}
			ready = filled[i]
		}
		if p.early && p.other == 0 {
			ready = driverStart
		}
		gpuStart := after(i, ready, ref(drawn, i-1))
		// The governor looks at how busy the GPU was, and steps up or down.
		if p.lag > 0 && relieved != governor {
			for looked+p.lag <= at(gpuStart) {
				busy := worked / p.lag
				switch {
				case busy > 0.85:
					clock *= 1.25
				case busy < 0.6:
					clock *= 0.9
				}
				worked, looked = math.Max(0, worked-p.lag), looked+p.lag
			}
			clock = math.Max(k.m.minClock, math.Min(most, clock))
		} else {
			clock = most
		}
		f.clock = math.Round(clock/clockStep) * clockStep
		last := gpuStart
		for j, ps := range p.passes {
			t := k.of(ps, f.clock)
			scale := p.scale[i] * p.jitter[i][j] / gpuSpeed
			if p.early {
				part := float64(j+1) / float64(len(p.passes))
				handed := at(driverStart) + (at(told[i])-at(driverStart))*part
				if handed > at(last) {
					last = add(node{at: handed, from: driverStart, by: driver, f: i})
				}
			}
			begin := at(last)
			last = add(node{begin + t.ns*scale, last, none, i, t})
			f.passes = append(f.passes, rendered{stretch{begin, at(last)}, t, scale})
			f.busy += t.ns * scale
		}
		drawn[i] = last
		worked += f.busy
		f.app, f.driver, f.gpu = stretch{at(start), at(made[i])}, stretch{at(driverStart), at(told[i])}, stretch{f.passes[0].from, at(last)}

		end, before := drawn[i], ref(shown, i-1)
		switch {
		case p.refresh == 0:
			shown[i] = end
		case p.adaptive:
			if due := at(before) + p.refresh; due > at(end) {
				end = add(node{at: due, from: before, by: vsync, f: i})
			}
			shown[i] = end
		default:
			step := 1
			if len(p.every) > 0 {
				step = p.every[i%len(p.every)]
			}
			due := from + p.refresh*(math.Round((at(before)-from)/p.refresh)+float64(step))
			if p.ask > 0 || p.cap > 0 { // dates are those of who asks
				due = 0
			}
			if at(end) <= due {
				shown[i] = add(node{at: due, from: before, by: vsync, f: i})
				break
			}
			next := from + p.refresh*math.Ceil((at(end)-from)/p.refresh)
			if due > 0 && i > 0 {
				f.missed = int(math.Round((next - due) / p.refresh))
			} else if p.ask > 0 && next > wish+3*p.refresh {
				f.missed = 1
			}
			shown[i] = add(node{at: next, from: end, by: vsync, f: i})
		}
		f.shown = at(shown[i])
	}
	return p.sumUp(nodes, frames, shown[n-1], from, first)
}

// sumUp walks back from the last frame along what each moment waited for.
func (p *program) sumUp(nodes []node, frames []frame, last int, from float64, first int) *result {
	r := &result{program: p, start: from, end: nodes[last].at, frames: frames[first:]}
	if first > 0 {
		r.start = frames[first-1].shown
	}
	for i := last; i >= 0 && nodes[i].at > r.start; i = nodes[i].from {
		x := &nodes[i]
		if x.from < 0 {
			break
		}
		took := x.at - math.Max(r.start, nodes[x.from].at)
		if took <= 0 {
			continue
		}
		if x.by != none {
			r.shares[x.by] += took
			continue
		}
		all := frames[x.f].busy
		// Where two work in turn for no need, what the shorter of them takes is due to that.
		turn := 0.0
		if p.sync {
			turn = math.Min(1, (p.app+p.driver)*p.think[x.f]/all)
			r.shares[syncs] += took * turn
		} else if p.inTurn {
			turn = math.Min(1, p.other*p.think[x.f]/all)
			r.shares[inTurn] += took * turn
		}
		for l, ns := range x.t.shares {
			r.shares[l] += took * (1 - turn) * ns / x.t.ns
		}
	}
	for i := range r.frames {
		f := &r.frames[i]
		r.busy += f.busy
		r.clock += f.clock / float64(len(r.frames))
		r.missed += f.missed
	}
	return r
}

// healthy reports whether every date was kept and the display's side sets the pace.
func (r *result) healthy() bool {
	if r.missed > 0 {
		return false
	}
	return r.shares[vsync]+r.shares[capped]+r.shares[request] > 0.5*(r.end-r.start)
}
