package xe

import "math/rand/v2"

// Contexts of the workload, by hardware id: an application, the compositor, and a compute job in every third frame.
const (
	ctxIdle       = 0
	ctxApp        = 0x20
	ctxCompositor = 0x21
	ctxCompute    = 0x22
)

// frameTicks is a sixtieth of a second.
const frameTicks = timestampHz / 60

// usualRatio is the clock at which the workload runs, 1850 MHz, in units of 50/3 MHz.
const usualRatio = 111

// span is a stretch of time in which the GPU does one thing.
type span struct {
	t0, t1         uint64 // ticks since the device appeared
	ctx            uint32
	slice, unslice uint64  // clock ratios
	busy           float64 // share of the clocks in which the GPU is not idle
	work           float64 // how much it does, of 1
	phase          uint32  // kind of work, which decides what its events count
}

// workload is the GPU's day, a function of the seed and of time alone.
type workload struct {
	d     *device
	seed  uint64
	frame uint64
	spans []span // of the frame
}

func newWorkload(d *device) *workload {
	w := &workload{d: d, seed: d.set.Rand("workload").Uint64()}
	w.load(0)
	return w
}

// at is the span in which a time lies.
func (w *workload) at(t uint64) span {
	if f := t / frameTicks; f != w.frame {
		w.load(f)
	}
	for _, s := range w.spans {
		if t < s.t1 {
			return s
		}
	}
	return w.spans[len(w.spans)-1]
}

// Kinds of work.
const (
	phaseIdle = iota
	phaseGeometry
	phasePixel
	phaseCompute
	phaseComposite
)

func (w *workload) load(frame uint64) {
	w.frame, w.spans = frame, w.spans[:0]
	r := rand.New(rand.NewPCG(w.seed, frame))
	start, end := frame*frameTicks, (frame+1)*frameTicks
	ratio, un := uint64(usualRatio), uint64(usualRatio)
	if w.d.has("clock-change") {
		top := uint64(w.d.part.MaxMHz * 3 / 50)
		ratio = 24 + r.Uint64N(top-23)
		un = max(24, ratio-r.Uint64N(4))
	}
	t := start
	add := func(ctx, phase uint32, us uint64) {
		s := span{t0: t, t1: min(end, t+us*timestampHz/1_000_000), ctx: ctx, slice: ratio, unslice: un, phase: phase}
		if phase != phaseIdle {
			s.busy, s.work = 1, 0.6+0.4*r.Float64()
		}
		if s.t1 > s.t0 {
			w.spans = append(w.spans, s)
			t = s.t1
		}
	}
	whole := uint64(1_000_000) // longer than a frame
	switch {
	case w.d.has("idle"):
		add(ctxIdle, phaseIdle, whole)
	case w.d.has("one-context"):
		add(ctxApp, phaseGeometry, 5000)
		add(ctxApp, phasePixel, whole)
	default:
		add(ctxApp, phaseGeometry, 1500+r.Uint64N(1000))
		add(ctxApp, phasePixel, 4000+r.Uint64N(2000))
		add(ctxApp, phaseCompute, 1000+r.Uint64N(1000))
		if frame%3 == 2 {
			add(ctxCompute, phaseCompute, 2000+r.Uint64N(500))
		}
		add(ctxCompositor, phaseComposite, 500+r.Uint64N(500))
		add(ctxIdle, phaseIdle, whole)
	}
	w.spans[len(w.spans)-1].t1 = end
}
