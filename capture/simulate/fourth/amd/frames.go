package amd

import "math"

// frame is one frame: what it shows, and how much of everything it takes.
type frame struct {
	content  int
	scale    []float64 // of jobs
	app, drv float64   // ns
}

// pacing is what frames wait for.
type pacing struct {
	refresh float64 // ns between dates of the display, or that must lie between frames where it follows them; 0 for none
	follows bool    // the display follows the frames (VRR)
	limit   float64 // ns that the application leaves between the starts of frames
	asked   float64 // ns between requests for frames
	ahead   int     // frames between the application and the display
	threads int     // 2 where the driver has a thread of its own
	sync    bool    // the application reads what the GPU made of the frame before
	wake    float64 // ns from the end of GPU work until a waiting thread runs
	early   float64 // share of the driver's work that is left when the GPU begins
}

// shown is what became of a frame.
type shown struct {
	appStart, appEnd, drvStart, drvEnd, submit, done, flip int64
	why                                                    start
	missed                                                 int
}

// start is what an application's frame waited for.
type start uint8

const (
	byThread start = iota
	byFlip
	bySync
	byLimit
	byRequest
)

// film is a simulation.
type film struct {
	g      *gpu
	frames []shown
}

// play simulates the program.
func (p *program) play(rel relief, record bool) *film {
	g := newGPU(p, rel, record)
	out := &film{g: g, frames: make([]shown, len(p.frames))}
	y := &p.pace
	fs := out.frames
	expect := 1.0
	if y.refresh > 0 && !y.follows {
		expect = math.Max(1, math.Round(math.Max(y.limit, y.asked)/y.refresh-0.1))
	}
	for i := range fs {
		f, x := &p.frames[i], &fs[i]
		flip := func(k int) int64 {
			g.until(k)
			return p.flip(fs, k, g)
		}
		at := func(t int64, why start) {
			if t > x.appStart {
				x.appStart, x.why = t, why
			}
		}
		if i > 0 {
			at(fs[i-1].appEnd, byThread)
			if y.threads == 1 {
				at(fs[i-1].drvEnd, byThread)
			}
			if y.sync && !rel[syncs] {
				flip(i - 1)
				at(fs[i-1].done+int64(y.wake), bySync)
			}
		}
		if i >= y.ahead {
			at(flip(i-y.ahead), byFlip)
		}
		ready := x.appStart
		if i > 0 && y.limit > 0 {
			at(fs[i-1].appStart+int64(y.limit), byLimit)
			if (y.refresh == 0 || y.follows) && float64(ready-fs[i-1].appStart) > 1.03*y.limit {
				x.missed = 1
			}
		}
		if y.asked > 0 {
			date := int64(float64(i) * y.asked)
			at(date, byRequest)
			if float64(ready) > float64(date)+0.5*y.asked {
				x.missed = 1
			}
		}
		x.appEnd = x.appStart + int64(f.app*rel.with(app))
		x.drvStart = x.appEnd
		if i > 0 {
			x.drvStart = max(x.drvStart, fs[i-1].drvEnd)
		}
		drv := f.drv * rel.with(driver)
		x.drvEnd = x.drvStart + int64(drv)
		x.submit = x.drvEnd - int64(drv*y.early)
		g.submit = append(g.submit, x.submit)
	}
	for i := range fs {
		g.until(i)
		p.flip(fs, i, g)
		if i > 0 && y.follows && float64(fs[i].flip-fs[i-1].flip) > 1.15*max(y.refresh, y.limit, y.asked) {
			fs[i].missed = max(fs[i].missed, 1)
		}
		if y.refresh > 0 && !y.follows && i > 0 {
			gap := math.Round(float64(fs[i].flip-fs[i-1].flip) / y.refresh)
			// Frames of 24 a second come after 2 and 3 refreshes in turn.
			slack := 0.0
			if y.asked > 0 {
				slack = 1
			}
			if gap > expect+slack {
				fs[i].missed = max(fs[i].missed, int(gap-expect))
			}
		}
	}
	return out
}

// flip shows a frame that is done, and is when.
func (p *program) flip(fs []shown, i int, g *gpu) int64 {
	x, y := &fs[i], &p.pace
	if x.flip > 0 {
		return x.flip
	}
	if i > 0 {
		p.flip(fs, i-1, g)
	}
	x.done = max(g.done[i], x.drvEnd)
	x.flip = x.done
	if i > 0 {
		x.flip = max(x.flip, fs[i-1].flip)
	}
	if y.refresh > 0 {
		if y.follows {
			if i > 0 {
				x.flip = max(x.flip, fs[i-1].flip+int64(y.refresh))
			}
		} else {
			n := math.Ceil(float64(x.done) / y.refresh)
			if i > 0 {
				n = math.Max(n, math.Round(float64(fs[i-1].flip)/y.refresh)+1)
			}
			x.flip = int64(math.Round(n * y.refresh))
		}
	}
	return x.flip
}

// paced is how long each candidate set the pace between two frames, in ns.
type paced struct {
	own    [candidates]float64
	queues [2]float64
	turns  float64 // in which a needless dependency kept a queue waiting
}

// walk goes back from when a frame was shown to when another was, over what each event waited for.
func (f *film) walk(p *program, first, last int) *paced {
	out := &paced{}
	from := f.frames[first].flip
	clip := func(a, b int64) float64 { return float64(max(0, b-max(a, from))) }
	add := func(c cand, a, b int64) { out.own[c] += clip(a, b) }
	type event int
	const (
		flipped event = iota
		done
		driven
		applied
	)
	at, i, t := flipped, last, f.frames[last].flip
	for i >= 0 && t > from {
		x := &f.frames[i]
		thread := func() { // of the frame before
			if at = driven; p.pace.threads > 1 {
				at = applied
			}
			if i--; i < 0 {
				return
			}
			if t = f.frames[i].drvEnd; p.pace.threads > 1 {
				t = f.frames[i].appEnd
			}
		}
		switch at {
		case flipped:
			add(vsync, x.done, t)
			at, t = done, x.done
		case done:
			if t = x.drvEnd; x.done > x.drvEnd {
				i, t = f.jobs(i, p.clockBy, out, clip)
			}
			at = driven
		case driven:
			add(driver, f.frames[i].drvStart, t)
			if t = x.drvStart; t > x.appEnd && i > 0 {
				i--
				t = f.frames[i].drvEnd
			} else {
				at, t = applied, x.appEnd
			}
		case applied:
			add(app, x.appStart, t)
			switch t = x.appStart; x.why {
			case byThread:
				thread()
			case byFlip:
				i -= p.pace.ahead
				at = flipped
			case bySync:
				i--
				add(syncs, f.frames[i].done, t)
				at, t = done, f.frames[i].done
			case byLimit, byRequest:
				start, c := t, capped
				if x.why == byRequest {
					c = request
				}
				if thread(); i < 0 {
					add(c, from, start)
				} else {
					add(c, t, start)
				}
			}
		}
	}
	return out
}

// jobs goes back over the jobs that ended with frame i, to the frame whose submission they waited for.
func (f *film) jobs(i int, clock cand, out *paced, clip func(a, b int64) float64) (int, int64) {
	at := place{i, 0}
	for k := range f.g.runs[i] {
		if f.g.runs[i][k].end > f.g.runs[i][at.job].end {
			at.job = k
		}
	}
	needless := false
	for {
		x, j := &f.g.runs[at.frame][at.job], f.g.job(at)
		ns := clip(x.start, x.end)
		if ns > 0 {
			low := ns * x.slow / float64(x.end-x.start)
			out.own[clock] += low
			for c, v := range j.share {
				out.own[c] += (ns - low) * v / j.full
			}
			if needless {
				out.turns += ns
			} else {
				out.queues[j.queue] += ns
			}
		}
		if x.cause == bySubmit || ns == 0 {
			return at.frame, x.start
		}
		needless = x.cause == byNeedless
		at = place{x.frame, x.by}
	}
}
