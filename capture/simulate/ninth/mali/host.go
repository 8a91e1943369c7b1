package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// hostState is how far the application's thread and the driver's have come.
type hostState struct {
	frame              int // the application's, of which working says whether it has begun
	working            bool
	appUntil, appFree  float64
	appNode, beginNode int32
	handed             int     // frames that the application has given to the driver
	ready              []int32 // when the application was done, by frame
	driver             int     // the driver's frame
	driving            bool
	from, until        float64
	driverNode         int32
	jobs               int // of its frame that are submitted
	submitted          map[int]int32
	lastShown          int64
	lastBegin          float64
}

// begins is when the next frame may begin and what it waits for; it is infinite where that is not known yet.
func (h *hostState) begins(x *run) (at float64, cause uint8, node int32) {
	i, p := h.frame, &x.w.pace
	if h.working || i >= len(x.w.frames) {
		return math.Inf(1), 0, 0
	}
	at, node = h.appFree, h.appNode
	later := func(t float64, n int32) {
		if t > at {
			at, node = t, n
		}
	}
	if x.w.single && h.handed > h.driver {
		return math.Inf(1), 0, 0
	}
	if x.w.single {
		later(h.until, h.driverNode)
	}
	ahead := p.Ahead
	wait := x.w.contents[x.w.frames[i].content].wait && !x.r.wait
	if x.r.wait {
		ahead += 2
	}
	if wait {
		ahead = 1
	}
	if j := i - ahead; j >= 0 {
		if !x.gpuDone[j] {
			return math.Inf(1), 0, 0
		}
		t := float64(x.frames[j].GPUEnd)
		if wait || ahead == 1 {
			t += x.overhead(-2, x.m.interrupt)
		}
		later(t, x.jobsEnd(j))
	}
	if j := i - p.Buffers; p.Refresh > 0 && j >= 0 {
		if !x.gpuDone[j] {
			return math.Inf(1), 0, 0
		}
		later(float64(x.frames[j].Shown), x.shown[j])
	}
	cause = causeApp
	if c := h.lastBegin + float64(p.Cap); p.Cap > 0 && i > 0 && c > at {
		at, node, cause = c, h.beginNode, causeCap
	}
	if p.Align && p.Refresh > 0 {
		tick := math.Ceil(at/float64(p.Refresh)-1e-9) * float64(p.Refresh)
		if tick > at+1 {
			at, cause = tick, causeVsync
		}
	}
	if at > x.now && cause == causeApp && wait {
		cause = causeLaunch // until the interrupt is served
	}
	return max(at, x.now), cause, node
}

func (x *run) jobsEnd(i int) int32 {
	n := int32(0)
	for _, j := range x.jobs[i] {
		n = x.later(n, j.node)
	}
	return n
}

// advance does what is due at this moment. It reports whether anything changed.
func (h *hostState) advance(x *run) (changed bool) {
	if h.submitted == nil {
		h.submitted = map[int]int32{}
	}
	at := int64(x.now)
	if t, cause, node := h.begins(x); t <= x.now {
		if x.path.Keep && at > x.path.Time(node) {
			node = x.path.At(at, cause, simulate.NoQueue, node)
		}
		f := &x.w.frames[h.frame]
		took := math.Round(x.w.contents[f.content].app * f.cpu / faster(x.r.app))
		h.working, h.appUntil, h.beginNode, h.lastBegin = true, x.now+took, node, x.now
		x.frames[h.frame].Begin = at
		changed = true
	}
	if h.working && h.appUntil <= x.now {
		h.appNode = x.path.At(at, causeApp, simulate.NoQueue, h.beginNode)
		h.working, h.appFree = false, x.now
		h.ready = append(h.ready, h.appNode)
		h.handed++
		h.frame++
		changed = true
	}
	if !h.driving && h.driver < h.handed {
		h.driverNode = x.later(h.driverNode, h.ready[h.driver])
		f := &x.w.frames[h.driver]
		h.driving, h.from, h.jobs = true, x.now, 0
		h.until = x.now + math.Round(x.w.contents[f.content].driver*f.cpu/faster(x.r.driver))
		changed = true
	}
	if h.driving {
		c := x.w.contents[x.w.frames[h.driver].content]
		for h.jobs < len(c.jobs) && h.due(c) <= x.now {
			h.driverNode = x.path.At(at, causeDriver, simulate.NoQueue, h.driverNode)
			id := h.driver<<8 | h.jobs
			h.submitted[id] = h.driverNode
			q := &x.queue[c.jobs[h.jobs].queue]
			q.list = append(q.list, id)
			h.jobs++
			changed = true
		}
		if h.jobs == len(c.jobs) && h.until <= x.now {
			h.driverNode = x.path.At(at, causeDriver, simulate.NoQueue, h.driverNode)
			h.driving = false
			h.driver++
			changed = true
		}
	}
	return changed
}

func faster(yes bool) float64 {
	if yes {
		return simulate15
	}
	return 1
}

// due is when the driver hands over its next job.
func (h *hostState) due(c *content) float64 {
	return h.from + math.Round((h.until-h.from)*c.jobs[h.jobs].at)
}

// next is when something is due.
func (h *hostState) next(x *run) float64 {
	t, _, _ := h.begins(x)
	if h.working {
		t = min(t, h.appUntil)
	}
	if h.driving {
		c := x.w.contents[x.w.frames[h.driver].content]
		if h.jobs < len(c.jobs) {
			t = min(t, h.due(c))
		} else {
			t = min(t, h.until)
		}
	}
	return t
}

// finished notes that the GPU has done a frame, and when it is shown.
func (h *hostState) finished(x *run, i int, node int32) {
	f, p, at := &x.frames[i], &x.w.pace, int64(x.now)
	x.gpuDone[i], f.GPUEnd = true, at
	x.busyAt[i], x.clockAt[i] = x.busy, x.clockSum
	shown := at
	if p.Refresh > 0 {
		stay := p.Refresh
		if len(p.Cadence) > 0 {
			stay *= int64(p.Cadence[i%len(p.Cadence)])
		}
		first := h.lastShown + stay
		shown = max(first, (at+p.Refresh-1)/p.Refresh*p.Refresh)
		if i > 0 && shown > first {
			f.Missed = int((shown - first) / p.Refresh)
		}
		before := node
		if i > 0 && first > at && x.path.Keep {
			before = x.shown[i-1]
		}
		if shown > at {
			node = x.path.At(shown, causeVsync, simulate.NoQueue, before)
		}
	} else if shown <= h.lastShown {
		shown = h.lastShown
	}
	f.Shown, h.lastShown, x.shown[i] = shown, shown, node
}
