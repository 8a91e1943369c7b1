package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// content is what a kind of frame has the GPU do.
type content struct {
	name   string
	passes []*pass
	video  float64 // ns on the media engine for each frame, before the render engine's part of it; 0 is none
	turn   bool    // the media engine waits until the render engine has done with the frame before
	blit   bool    // it is the blitter in place of the media engine
}

// pacing is what the display's side asks for.
type pacing struct {
	refresh float64 // ns; 0 shows every frame at once
	buffers int
	period  float64 // ns that the application keeps between frames: a cap, or the rate of a video
	request bool    // period is how often somebody asks for a frame
	jitter  float64 // share of period by which requests vary
	due     float64 // ns after a request by which a frame has to be shown
}

// frame is what was drawn for one frame.
type frame struct {
	content          int
	gpu, app, driver float64 // gpu is a factor, the others are ns
	ask              float64 // share of the period by which the request is late
}

// scene is a program on a machine, with everything drawn.
type scene struct {
	m        *machine
	contents []content
	frames   []frame
	warm     int // frames before the first that is judged
	pace     pacing
	ahead    int  // frames that the application may be before the GPU
	sync     bool // the application waits for results of the GPU in every frame
	single   bool // one thread does the work of application and driver
	clock    clock
	threads  float64 // processors that other work keeps busy
	idle     float64 // ns from the end of a frame until the engine takes up the next
	submit   float64 // ns from then to the first pass
}

// shownFrame is what became of a frame.
type shownFrame struct {
	appStart, appDone, driverDone float64
	gpuStart, gpuDone, shown      float64
	missed                        int
	paced                         simulate.Candidate // of the display, where it set the pace
}

// side is an interval on a thread or an engine beside the render engine.
type side struct{ from, to float64 }

// played is a scene that was simulated.
type played struct {
	frames []shownFrame
	track  []clockPoint
	busy   []side // of the render engine
	video  []side
	app    []side
	driver []side
	near   [numUnits]float64
}

// play simulates a scene. out may be nil.
func (sc *scene) play(r *relief, out sink) *played {
	gov := newGovernor(sc.clock, sc.m, r.clock)
	g := &gpu{m: sc.m, r: r, out: out}
	res := &played{frames: make([]shownFrame, len(sc.frames))}
	f := res.frames
	var gpuFree, videoFree, driverFree, threadFree float64
	for i := range sc.frames {
		w, x := &sc.frames[i], &f[i]
		c := &sc.contents[w.content]
		app, driver := w.app*r.app, w.driver*r.driver

		// The application begins when it is allowed to.
		x.appStart = threadFree
		var why simulate.Candidate
		wait := func(t float64, c simulate.Candidate) {
			if t > x.appStart {
				x.appStart, why = t, c
			}
		}
		if sc.sync && !r.noSync && i > 0 {
			wait(f[i-1].gpuDone+15e3, simulate.CPUSync)
		}
		if i >= sc.ahead {
			wait(f[i-sc.ahead].gpuDone, simulate.Candidate{})
		}
		ask := 0.0
		if p := sc.pace.period; p > 0 {
			if sc.pace.request {
				ask = p * (float64(i) + w.ask)
				wait(ask, simulate.DisplayRequest)
			} else if i > 0 {
				ask = f[i-1].appStart + p
				wait(ask, simulate.DisplayCap)
			}
		}
		if why.Level == simulate.LevelDisplay {
			x.paced = why
		}
		x.appDone = x.appStart + app
		begin := max(x.appDone, driverFree)
		x.driverDone = begin + driver
		driverFree = x.driverDone
		threadFree = x.appDone
		if sc.single {
			threadFree = x.driverDone
		}
		res.app = append(res.app, side{x.appStart, x.appDone})
		res.driver = append(res.driver, side{begin, x.driverDone})

		// The driver hands work over in parts. The media engine decodes first.
		ready := begin + 0.35*driver
		if c.video > 0 {
			from := max(ready, videoFree)
			if c.turn && !r.noTurn && i > 0 {
				from = max(from, f[i-1].gpuDone)
			}
			videoFree = from + c.video*w.gpu
			res.video = append(res.video, side{from, videoFree})
			ready = videoFree + 10e3
		}
		start := max(gpuFree, ready)
		shownBefore := 0.0
		if k := i - sc.pace.buffers + 1; sc.pace.refresh > 0 && k >= 0 {
			shownBefore = f[k].shown
			start = max(start, shownBefore)
		}
		if out != nil && start > gpuFree {
			sc.blame(out, gpuFree, start, x, begin, ready, shownBefore, why, c.video > 0, c.turn)
		}
		gov.spend(gpuFree, start, false)
		if start > gpuFree+1e6 {
			g.load = 0
		}
		// The engine takes up what is queued after a moment.
		if out != nil {
			out.pace(start, start+sc.idle*r.launch, simulate.LaunchOverhead)
		}
		start += sc.idle * r.launch
		at := start
		x.gpuStart = start
		sw := sc.submit * r.launch
		g.overhead(at, at+sw)
		gov.spend(at, at+sw, true)
		at += sw
		n := float64(len(c.passes))
		for k, p := range c.passes {
			// Later passes may be handed over later.
			if due := begin + driver*(0.35+0.65*float64(k+1)/n); due > at {
				if out != nil {
					out.pace(at, due, simulate.CPUDriver)
				}
				gov.spend(at, due, false)
				res.busy = append(res.busy, side{x.gpuStart, at})
				x.gpuStart, at = due, due
			}
			to := g.run(p, w.gpu, at, gov.ghz)
			gov.spend(at, to, true)
			at = to
		}
		res.busy = append(res.busy, side{x.gpuStart, at})
		x.gpuStart, x.gpuDone, gpuFree = start, at, at
		sc.show(i, f, ask, gov)
	}
	res.track, res.near = gov.track, g.near
	return res
}

// show puts a frame on the display.
func (sc *scene) show(i int, f []shownFrame, ask float64, gov *governor) {
	x := &f[i]
	x.shown = x.gpuDone
	before := 0.0
	if i > 0 {
		before = f[i-1].shown
		x.shown = max(x.shown, before)
	}
	late := func(by float64) {
		x.missed = int(math.Ceil(by - 1e-6))
		if x.missed > 0 {
			gov.waited(x.gpuDone)
		}
	}
	if v := sc.pace.refresh; v > 0 {
		const latch = 0.4e6 // ns that a flip takes before the display's blank
		x.shown = v * math.Ceil((x.gpuDone+latch)/v)
		if i > 0 {
			x.shown = max(x.shown, before+v)
		}
		if sc.pace.period > 0 {
			late((x.shown - ask - sc.pace.due) / v)
		} else {
			late((x.shown-before)/v - 1)
			if x.missed <= 0 {
				x.paced = simulate.DisplayVsync
			}
		}
	} else if sc.pace.period > 0 && i > 0 {
		late((x.gpuDone - ask - sc.pace.due) / sc.pace.period)
	}
	x.missed = max(0, x.missed)
	if x.missed > 0 {
		x.paced = simulate.Candidate{}
	}
}

// blame says whom the render engine waits for between two frames.
func (sc *scene) blame(out sink, from, to float64, x *shownFrame, driver, ready, buffer float64, why simulate.Candidate,
	video, turn bool) {
	tell := func(until float64, c simulate.Candidate) {
		if until = min(until, to); until > from {
			out.pace(from, until, c)
			from = until
		}
	}
	if buffer >= to {
		tell(to, simulate.DisplayVsync)
		return
	}
	if why == simulate.CPUSync {
		tell(ready, why)
	}
	idle := why
	if idle.Name == "" {
		idle = simulate.CPUApp
	}
	tell(x.appStart, idle)
	tell(x.appDone, simulate.CPUApp)
	if video {
		tell(driver, simulate.CPUDriver)
		if turn {
			tell(to, simulate.QueuesInTurn)
		}
		tell(to, simulate.CPUDriver)
		return
	}
	tell(to, simulate.CPUDriver)
}
