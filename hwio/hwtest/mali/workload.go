package mali

import "math"

// frameNs is the time of a frame of the imaginary game: 60 a second.
const frameNs = 16_666_667

// Work of an average frame in clock cycles.
const (
	binWork  = 1.2e6
	fragWork = 6.0e6
	compWork = 1.0e6
)

// window is a span of time in ns.
type window struct{ from, to float64 }

// overlap is the part of the window that lies in [from, to).
func (w window) overlap(from, to float64) float64 {
	return max(0, min(w.to, to)-max(w.from, from))
}

// frame is one frame of the workload: when which queue is busy, in ns since the frame's start.
type frame struct {
	from, to        int64   // absolute
	rate            float64 // top-level clock cycles per ns
	bin, frag, comp window
}

// frameAt is the frame that is under way at a time.
func (g *gpu) frameAt(t int64) frame {
	n := max(t-g.epoch, 0) / frameNs
	f := frame{from: g.epoch + n*frameNs, rate: g.mhzAt(g.epoch+n*frameNs) * g.speed / 1000}
	f.to = f.from + frameNs
	if g.idle {
		return f
	}
	if g.level {
		f.ofLevel(n, g.plant != nil)
		return f
	}
	if g.plant != nil {
		g.plant.frame(&f)
		return f
	}
	// The load swings slowly, and one frame of every second is heavy, so that a report has something to find.
	load := 1 + 0.25*math.Sin(2*math.Pi*(float64(n)/45+g.phase))
	if n%60 == 59 {
		load *= 1.5
	}
	clock := f.rate / g.speed
	end := func(from, work float64) window { return window{from, min(from+work*load/clock, frameNs)} }
	f.bin = end(0.3e6, binWork)
	f.frag = end(f.bin.from+0.7*(f.bin.to-f.bin.from), fragWork)
	f.comp = end(min(f.frag.to+0.2e6, frameNs), compWork)
	return f
}

// ofLevel makes it the nth frame of the scenario level, whose frames of the level itself end late where something limits
// them.
func (f *frame) ofLevel(n int64, limited bool) {
	const level, late = 72, 108 // the first frames of the level, and the one for which nothing comes
	switch {
	case n < level:
		f.bin, f.frag = window{0, 0.1 * frameNs}, window{0.05 * frameNs, 0.35 * frameNs}
	case n == late:
	case limited:
		f.bin, f.frag = window{0, 0.2 * frameNs}, window{0, 0.97 * frameNs}
	default:
		f.bin, f.frag = window{0, 0.2 * frameNs}, window{0.1 * frameNs, 0.72 * frameNs}
	}
}

// mhzAt is the clock at a time.
func (g *gpu) mhzAt(t int64) float64 {
	if !g.dvfs {
		return g.spec.mhz[0]
	}
	return g.spec.mhz[[]int{0, 1, 2, 1}[max(t-g.epoch, 0)/dvfsStep%4]]
}

// part is one of the disjoint parts of time: what is counted by itself is a sum of them, so that no queue is ever busy
// for longer than the GPU.
type part int

const (
	partIdle    part = iota
	partBinOnly      // binning alone
	partBoth         // binning and fragment work
	partFragOnly
	partComp
	partCount
)

// parts are the ns of each part of the time between two offsets in a frame. share shortens the fragment work, as that
// of a core which gets fewer tiles than another.
func (f *frame) parts(from, to, share float64) (p [partCount]float64) {
	w := window{f.frag.from, f.frag.from + (f.frag.to-f.frag.from)*share}
	if both := (window{max(f.bin.from, w.from), min(f.bin.to, w.to)}); both.to > both.from {
		p[partBoth] = both.overlap(from, to)
	}
	p[partBinOnly] = max(0, f.bin.overlap(from, to)-p[partBoth])
	p[partFragOnly] = max(0, w.overlap(from, to)-p[partBoth])
	p[partComp] = f.comp.overlap(from, to)
	p[partIdle] = max(0, to-from-p[partBoth]-p[partBinOnly]-p[partFragOnly]-p[partComp])
	return p
}

// protectedAt reports whether protected content runs, which takes the last three tenths of every second.
func (g *gpu) protectedAt(t int64) bool {
	return g.protected && max(t-g.epoch, 0)%1e9 >= 700e6
}

// coreOffAt reports whether the highest core is off.
func (g *gpu) coreOffAt(t int64) bool {
	return g.coreOff && g.started != 0 && t >= g.started+coreOffFrom && t < g.started+coreOffTo
}

// edgeAfter is the next time after t, at most until, at which a rate may change.
func (g *gpu) edgeAfter(t, until int64) int64 {
	at := func(edge int64) {
		if edge > t && edge < until {
			until = edge
		}
	}
	n := max(t-g.epoch, 0)
	at(g.epoch + (n/frameNs+1)*frameNs)
	if g.protected {
		at(g.epoch + n/1e9*1e9 + 700e6)
		at(g.epoch + (n/1e9+1)*1e9)
	}
	if g.coreOff && g.started != 0 {
		at(g.started + coreOffFrom)
		at(g.started + coreOffTo)
	}
	return until
}
