package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// content is what frames of a phase consist of.
type content struct {
	name     string
	sections []section
	merged   []section // with what is loose side by side
}

type frame struct {
	content     int
	app, driver float64 // ns
	scale       []float64
}

// clock is what sets the GPU's clock.
type clock struct {
	governed   bool // else it is held at its highest as far as heat and power let it
	limit      float64
	hot        bool    // the limit is one of heat
	gpu, other float64 // W of the GPU at its highest, and of the rest
}

type load struct {
	contents []content
	frames   []frame
	pacing   simulate.Pacing
	warm     int
	threads  int
	clock    clock
}

// busy is a stretch in which the GPU works at a section.
type busy struct {
	from, launched, to int64
	share              float64
	index              int // of the section in all contents
	r                  *result
}

type moment struct {
	at    int64
	share float64
}

// course is a simulation of all frames.
type course struct {
	path    simulate.Path
	each    []simulate.FrameTruth
	nodes   []int32
	busy    []busy
	threads [2][][2]int64
	clocks  []moment
	watts   float64
	slow    [2]float64 // ns below the highest clock by limit, and by the governor
}

const interrupt = 25e3 // ns from the end of a frame to when the processor knows

// run simulates the frames.
func (w *load) run(v *solver, r relief, keep bool) *course {
	c := &course{}
	c.path.Keep = keep
	c.path.Begin(start)
	var appFree, driverFree, gpuFree, capAt int64
	var appNode, driverNode, gpuNode, capNode int32
	done, doneNode := make([]int64, len(w.frames)), make([]int32, len(w.frames))
	share, ceiling := 1.0, 1.0
	if w.clock.governed {
		share = 0.6
	}
	if w.clock.limit > 0 {
		c.watts = w.clock.limit
		ceiling = 0.85
	}
	if r.highest {
		share, ceiling = 1, 1
	}
	looked, worked, waited := int64(0), int64(0), false
	p := &w.pacing
	c.clocks = append(c.clocks, moment{0, v.m.share(min(share, ceiling))})
	for i := range w.frames {
		f := &w.frames[i]
		at, n := appFree, appNode
		later := func(t int64, cause uint8, node int32) bool {
			if t <= at {
				return false
			}
			at, n = t, node
			if cause != 0 {
				n = c.path.At(t, cause, simulate.NoQueue, node)
			}
			return true
		}
		ahead := p.Ahead
		if r.noSync {
			ahead = max(ahead, 1) + 2
		}
		if i >= ahead && later(done[i-ahead]+int64(interrupt/v.ease[launch]), launch, doneNode[i-ahead]) {
			waited = true
		}
		if p.Refresh > 0 && i > p.Buffers {
			b := i - p.Buffers - 1
			later(c.each[b].Shown, 0, c.nodes[b])
		}
		if p.Cap > 0 && i > 0 {
			later(capAt, 0, capNode)
		}
		begin := at
		capAt = begin + p.Cap
		capNode = c.path.At(capAt, cap_, simulate.NoQueue, n)
		end := at + int64(f.app/r.app)
		appNode = c.path.At(end, app, simulate.NoQueue, n)
		c.threads[0] = append(c.threads[0], [2]int64{at, end})
		from, fromNode := end, appNode
		if w.threads > 1 && driverFree > from {
			from, fromNode = driverFree, driverNode
		}
		took := f.driver / r.driver
		driverFree = from + int64(took)
		driverNode = c.path.At(driverFree, driver, simulate.NoQueue, fromNode)
		if appFree = end; w.threads <= 1 {
			appFree, appNode = driverFree, driverNode
		} else if from > appFree { // one frame of commands may wait for the driver
			appFree, appNode = from, fromNode
		}
		c.threads[w.threads-1] = append(c.threads[w.threads-1], [2]int64{from, driverFree})
		list, base := w.contents[f.content].sections, 0
		for k := range f.content {
			base += len(w.contents[k].sections)
		}
		if r.noTurns {
			list = w.contents[f.content].merged
		}
		gpuBegin := int64(math.MaxInt64)
		for j := range list {
			submit := from + int64(took*float64(j+1)/float64(len(list)))
			g, gn := submit, c.path.At(submit, driver, simulate.NoQueue, fromNode)
			if gpuFree > g {
				g, gn = gpuFree, gpuNode
			}
			if b := i - p.Buffers + 1; p.Refresh > 0 && j == len(list)-1 && b > 0 && b < i && c.each[b-1].Shown > g {
				g, gn = c.each[b-1].Shown, c.nodes[b-1] // the picture must be free
			}
			now := v.m.share(min(share, ceiling))
			res := v.take(&list[j], f.scale[j%len(f.scale)], now)
			gpuFree = g + max(1, int64(res.ns))
			gpuNode = c.path.At(gpuFree, uint8(firstSection+base+j), 0, gn)
			c.busy = append(c.busy, busy{g, g + int64(res.launch), gpuFree, now, base + j, &res})
			gpuBegin = min(gpuBegin, g)
			worked += gpuFree - g
		}
		done[i], doneNode[i] = gpuFree, gpuNode
		shown, node, missed := w.show(c, i, done[i], doneNode[i])
		if p.Cap > 0 && i > 0 && begin-c.each[i-1].Begin > p.Cap*103/100 {
			missed++
		}
		c.each = append(c.each, simulate.FrameTruth{Content: f.content, Begin: begin, GPUBegin: gpuBegin, GPUEnd: done[i], Shown: shown,
			Missed: missed, Judged: i >= w.warm})
		c.nodes = append(c.nodes, node)
		if since := done[i] - looked; since > 8e6 {
			load := min(1, float64(worked)/float64(since))
			now := v.m.share(min(share, ceiling))
			if now < 1 {
				k := 1
				if ceiling < share {
					k = 0
				}
				c.slow[k] += float64(since)
			}
			if !r.highest {
				share, ceiling = w.govern(c, share, ceiling, load, float64(since), waited)
			}
			if next := v.m.share(min(share, ceiling)); next != now {
				c.clocks = append(c.clocks, moment{done[i], next})
			}
			looked, worked, waited = done[i], 0, false
		}
	}
	return c
}

// show is when the display shows a picture that is done, and how many dates it missed.
func (w *load) show(c *course, i int, done int64, node int32) (shown int64, n int32, missed int) {
	p := &w.pacing
	if p.Refresh == 0 {
		return done, node, 0
	}
	stay := int64(1)
	if len(p.Cadence) > 0 {
		stay = int64(p.Cadence[i%len(p.Cadence)])
	}
	date, dn := int64(0), int32(0)
	if i > 0 {
		date, dn = c.each[i-1].Shown+stay*p.Refresh, c.nodes[i-1]
	}
	if done <= date {
		return date, c.path.At(date, vsync, simulate.NoQueue, dn), 0
	}
	shown = (done + p.Refresh - 1) / p.Refresh * p.Refresh
	if p.Adaptive {
		shown = done
	}
	if i > 0 && !p.Adaptive {
		missed = int((shown - date + p.Refresh - 1) / p.Refresh)
	}
	return shown, c.path.At(shown, vsync, simulate.NoQueue, node), missed
}

// govern is a look of what sets the clock: the driver's or the firmware's governor, which follows how busy the GPU is
// and goes up at once where a program waits for it, and a limit of power or heat, which both go on slowly.
func (w *load) govern(c *course, share, ceiling, load, ns float64, waited bool) (float64, float64) {
	k := &w.clock
	if k.governed {
		switch {
		case waited && load > 0.5:
			share = 1
		case load > 0.92:
			share = min(1, share+0.2)
		case load < 0.7:
			share = max(0.3, share-0.08)
		}
	}
	if k.limit > 0 {
		now := min(share, ceiling)
		watts := k.other + k.gpu*now*now*now*(0.2+0.8*load)
		c.watts += (watts - c.watts) * min(1, ns/120e6)
		switch {
		case c.watts > k.limit:
			ceiling = max(0.3, ceiling-0.04)
		case c.watts < 0.97*k.limit:
			ceiling = min(1, ceiling+0.04)
		}
	}
	return share, ceiling
}
