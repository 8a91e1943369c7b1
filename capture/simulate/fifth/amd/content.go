package amd

import (
	"astrolabe/capture/simulate"
)

const noQueue = simulate.NoQueue

// stream is work that flows through resources: the vertices of a pass and its primitives, its pixels, or threads of
// compute.
type stream struct {
	work    [resources]float64 // ns that each resource needs for all of it at the highest clocks
	used    []uint8            // resources with work
	latCore float64            // ns that its waves wait for caches and memory, divided by those that can wait at once
	latMem  float64
	soft    int // 2, 3 or 4: how little resources that are nearly as busy disturb each other
	// mods is how the work differs along the stream: a part of a picture has more textures, another more layers. The
	// last is of waiting: few waves are there at the beginning and the end.
	mods []mod
}

type mod [resources + 1]float64

// job is a pass, or some draws of one.
type job struct {
	name    string
	kind    int // of pass
	queue   int
	streams []stream // geometry and pixels, or compute alone
	lag     float64  // share of the first stream before the second has anything
	room    float64  // by which the first can be ahead
	launch  float64  // ns
	after   []dependency
	drain   bool // waits until the job before has ended
	image   bool // writes into what the display shows
	submit  float64
	jitter  []float64 // of its work from frame to frame
	facts   facts
}

type dependency struct {
	back, job int
	loose     bool // nothing in the content needs it
}

// weigh is how its work is different in a frame.
func (j *job) weigh(frame int) float64 {
	if len(j.jitter) == 0 {
		return 1
	}
	return j.jitter[frame%len(j.jitter)]
}

type content struct {
	name string
	jobs []job
}

type frame struct {
	content     int
	scale       float64
	app, driver float64 // ns
	request     int64
}

// program is a machine with what it does.
type program struct {
	text     string
	m        *machine
	contents []content
	frames   []frame
	pacing   simulate.Pacing
	threads  int
	sync     bool // the application waits for the end of each frame before it begins the next
	warm     int
	// handover is the ns from the end of a frame on a queue to the beginning of the next, where the kernel's scheduler hands
	// frames over one by one; 0 where the ring holds them.
	handover float64
	beside   []job   // what another program, such as a compositor, draws at each of its own dates
	every    int64   // ns between them
	hitches  float64 // chance that the application takes some times as long for a frame
	host     hostContent
}

// hostContent is what the processor does beside the two threads: all drawn.
type hostContent struct {
	cpus       int
	background float64 // mean load of other threads on each CPU
	kernel     float64 // share of the driver's time in the kernel
	appKernel  float64
	iowait     float64
	irqs       float64 // interrupts per second beside those of frames
	switches   float64
	perFrame   float64   // switches per frame
	irqsFrame  float64   // interrupts per frame
	workers    []float64 // threads that help the application, each for a share of the time in which it works
	niced      bool
	migrate    float64 // chance that a thread changes its CPU at a frame
	upload     float64 // share of the time in which copies run
	video      bool
}

// Kinds of passes.
const (
	shadow = iota
	gbuffer
	lighting
	forward
	alpha
	postPass
	uiPass
	videoPass
	depthOnly
	csGeneral
	csMatrix
	csStream
	csGather
	csSort
	csBlur
	csParticles
	passKinds
)

// recipe is what a kind of pass asks of the machine, as times in relation to each other: geometry, then pixels or
// threads. It is assumed, from what frame captures of such passes show in public talks; draws are wide around it.
type recipe struct {
	name string
	g, p [resources]float64
	lat  float64
	ms   [2]float64 // of a typical pass
}

var recipes = [passKinds]recipe{
	shadow:      {"shadow map", [resources]float64{alu: .5, ls: .3, ge: .8, pa: .9, bw: 0.2, l2: .3}, [resources]float64{alu: .12, tex: .1, sc: .6, db: .9, bw: 0.36, l2: .1}, .15, [2]float64{.4, 2}},
	gbuffer:     {"g-buffer", [resources]float64{alu: .45, ls: .3, ge: .6, pa: .6, bw: 0.16, l2: .3}, [resources]float64{alu: .6, tex: .8, ls: .1, sc: .3, db: .35, cb: .7, bw: 0.64, l2: .4}, .35, [2]float64{1, 5}},
	lighting:    {"lighting", [resources]float64{alu: .01, ge: .01, pa: .01}, [resources]float64{alu: .9, tex: .7, ls: .25, sc: .1, db: .1, cb: .3, bw: 0.48, l2: .5}, .4, [2]float64{.8, 4}},
	forward:     {"opaque", [resources]float64{alu: .4, ls: .25, ge: .45, pa: .5, bw: 0.12, l2: .2}, [resources]float64{alu: .9, tex: .8, ls: .15, sc: .25, db: .3, cb: .45, bw: 0.48, l2: .4}, .4, [2]float64{1.5, 7}},
	alpha:       {"transparent", [resources]float64{alu: .2, ls: .1, ge: .2, pa: .2, bw: 0.08}, [resources]float64{alu: .5, tex: .7, ls: .1, sc: .35, db: .3, cb: .9, bw: 0.56, l2: .3}, .25, [2]float64{.5, 4}},
	postPass:    {"post", [resources]float64{alu: .005, ge: .005, pa: .005}, [resources]float64{alu: .5, tex: .9, sc: .12, db: .03, cb: .4, bw: 0.6, l2: .45}, .3, [2]float64{.3, 2}},
	uiPass:      {"user interface", [resources]float64{alu: .1, ls: .05, ge: .12, pa: .1, bw: 0.024}, [resources]float64{alu: .2, tex: .55, sc: .3, db: .05, cb: .8, bw: 0.48, l2: .2}, .2, [2]float64{.2, 2}},
	videoPass:   {"video", [resources]float64{alu: .005, ge: .005, pa: .005}, [resources]float64{alu: .35, tex: .7, sc: .15, db: .02, cb: .5, bw: 0.68, l2: .35}, .25, [2]float64{.3, 2.5}},
	depthOnly:   {"depth pass", [resources]float64{alu: .45, ls: .25, ge: .7, pa: .8, bw: 0.2, l2: .2}, [resources]float64{alu: .03, sc: .7, db: .8, bw: 0.32}, .1, [2]float64{.3, 2}},
	csGeneral:   {"kernel", [resources]float64{}, [resources]float64{alu: .8, tex: .15, ls: .5, lds: .2, bw: 0.4, l2: .45}, .45, [2]float64{.3, 3}},
	csMatrix:    {"matrix product", [resources]float64{}, [resources]float64{alu: .95, ls: .4, lds: .75, bw: 0.24, l2: .45}, .25, [2]float64{.5, 5}},
	csStream:    {"elementwise", [resources]float64{}, [resources]float64{alu: .2, ls: .5, bw: 0.76, l2: .55}, .4, [2]float64{.2, 2}},
	csGather:    {"gather", [resources]float64{}, [resources]float64{alu: .2, ls: .5, tex: .1, bw: 0.36, l2: .6}, .9, [2]float64{.3, 3}},
	csSort:      {"sort", [resources]float64{}, [resources]float64{alu: .45, ls: .6, lds: .8, bw: 0.32, l2: .5}, .4, [2]float64{.3, 2}},
	csBlur:      {"filter", [resources]float64{}, [resources]float64{alu: .5, tex: .7, ls: .3, lds: .5, bw: 0.4, l2: .45}, .35, [2]float64{.2, 2}},
	csParticles: {"particles", [resources]float64{}, [resources]float64{alu: .55, ls: .85, lds: .2, bw: 0.44, l2: .5}, .5, [2]float64{.2, 2}},
}

func isCompute(kind int) bool { return kind >= csGeneral }

// drawPass draws a pass that takes about so many ns where it has the GPU alone. limit, where not negative, is what it is
// limited by: a resource, causeLatency or causeLaunch.
func drawPass(r simulate.Random, m *machine, kind int, ns float64, limit int, knots int) job {
	rc := &recipes[kind]
	j := job{name: rc.name, kind: kind, queue: graphics, drain: r.Chance(0.6), lag: r.Log(0.01, 0.08), submit: 1,
		launch: r.Log(2e3, 12e3)}
	// What lies between geometry and pixels holds all of a small mesh, and little of a large one.
	j.room = j.lag + r.Log(0.06, 1.6)
	if rc.g[pa] < 0.05 { // a few triangles over the whole picture
		j.lag, j.room = j.lag*0.2, 2
	}
	wide := r.Between(0.25, 0.75)
	draw := func(of *[resources]float64) (s stream) {
		for u, x := range of {
			if x > 0 {
				s.work[u] = x * r.Spread(wide)
			}
		}
		return s
	}
	if !isCompute(kind) {
		j.streams = append(j.streams, draw(&rc.g))
	}
	last := draw(&rc.p)
	lat := rc.lat * r.Spread(wide)
	j.streams = append(j.streams, last)
	main := len(j.streams) - 1
	if limit == ge || limit == pa {
		main = 0
	}
	if limit >= 0 && limit != causeLaunch {
		// What limits takes clearly longer than all else; how much longer is drawn.
		top := 0.02
		for s := range j.streams {
			for u, x := range j.streams[s].work {
				if s != main || u != limit {
					top = max(top, x)
				}
			}
		}
		ratio := r.Between(1.45, 3)
		if limit == causeLatency {
			lat = top * ratio
		} else {
			lat = min(lat, top*0.9)
			j.streams[main].work[limit] = top * ratio
		}
	}
	top := lat
	for s := range j.streams {
		for _, x := range j.streams[s].work {
			top = max(top, x)
		}
	}
	mem := r.Between(0.35, 0.85)
	if knots < 2 {
		knots = 2
	}
	for s := range j.streams {
		st := &j.streams[s]
		st.soft = r.Whole(2, 4)
		for u := range st.work {
			st.work[u] *= ns / top
			if st.work[u] > 0 {
				st.used = append(st.used, uint8(u))
			}
		}
		l := lat
		if s == 0 && len(j.streams) > 1 {
			l = lat * r.Between(0.05, 0.4)
		}
		st.latCore, st.latMem = l*ns/top*(1-mem), l*ns/top*mem
		st.drawMods(r, knots)
	}
	j.facts = drawFacts(r, m, &j)
	return j
}

// drawMods draws how the work varies along the stream. Neighbours are alike, and the mean is 1.
func (s *stream) drawMods(r simulate.Random, knots int) {
	s.mods = make([]mod, knots)
	for u := range resources + 1 {
		if u < resources && s.work[u] == 0 {
			continue
		}
		sigma := r.Log(0.04, 0.5)
		x, sum := r.NormFloat64(), 0.0
		for k := range s.mods {
			x = 0.5*x + 0.87*r.NormFloat64()
			v := max(0.15, 1+sigma*min(2.5, max(-2, x)))
			if u == causeLatency && knots > 3 && (k == 0 || k == knots-1) {
				v *= r.Between(1.1, 2)
			}
			s.mods[k][u] = v
			sum += v
		}
		for k := range s.mods {
			s.mods[k][u] *= float64(knots) / sum
		}
	}
}

// jitters is how the work of a pass changes from frame to frame: slowly with what is seen, and a little at random.
func jitters(r simulate.Random, n int, slow, fast float64) []float64 {
	out := make([]float64, n)
	x := r.NormFloat64()
	for i := range out {
		x = 0.97*x + 0.243*r.NormFloat64()
		out[i] = min(1.8, max(0.5, 1+slow*x+fast*r.NormFloat64()))
	}
	return out
}
