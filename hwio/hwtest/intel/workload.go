package intel

import "math/rand/v2"

// Contexts of the workload, by hardware id: an application, the compositor, and a compute job in every third frame.
const (
	Idle          = 0
	App           = 0x20
	ctxCompositor = 0x21
	ctxCompute    = 0x22
)

// Span is a stretch of time in which the GPU does one thing.
type Span struct {
	T0, T1         uint64 // ticks since the device appeared
	Ctx            uint32
	Slice, Unslice uint64 // clock ratios, in units of 50/3 MHz
	Gated          bool   // powered down: clocks stand still
	Phase          Phase  // the kind of work
	Chance         uint64 // how the work of this span differs from others of its kind
	// Spurious is a time from which one report says that the context id is not valid; 0: none.
	Spurious uint64
	// Silent: the switch to this span's context gives no report.
	Silent bool
}

// Phase is a kind of work.
type Phase uint32

// Kinds of work.
const (
	Nothing Phase = iota
	Geometry
	Pixel
	Computing
	Composite
)

// Workload is the GPU's day, a function of the seed and of time alone.
type Workload struct {
	part  *Part
	has   func(string) bool
	seed  uint64
	frame uint64
	spans []Span // of the frame
}

// lowestRatio is the least in the scenario of changing clocks.
const lowestRatio = 18

func newWorkload(g *GPU) *Workload {
	w := &Workload{part: g.Part, has: g.Has, seed: g.Settings.Rand("workload").Uint64()}
	w.load(0)
	return w
}

// At is the span in which a time lies.
func (w *Workload) At(t uint64) Span {
	// A frame is a sixtieth of a second.
	if f := t / (w.part.TimestampHz / 60); f != w.frame {
		w.load(f)
	}
	for _, s := range w.spans {
		if t < s.T1 {
			return s
		}
	}
	return w.spans[len(w.spans)-1]
}

func (w *Workload) load(frame uint64) {
	w.frame, w.spans = frame, w.spans[:0]
	r := rand.New(rand.NewPCG(w.seed, frame))
	long := w.part.TimestampHz / 60
	start, end := frame*long, (frame+1)*long
	ratio, un := w.part.Ratio, w.part.Ratio
	if w.has("clock-change") {
		top := uint64(w.part.MaxMHz * 3 / 50)
		ratio = lowestRatio + r.Uint64N(top-lowestRatio+1)
		un = max(lowestRatio, ratio-r.Uint64N(4))
	}
	t := start
	add := func(ctx uint32, phase Phase, us uint64) {
		s := Span{T0: t, T1: min(end, t+us*w.part.TimestampHz/1_000_000), Ctx: ctx, Slice: ratio, Unslice: un,
			Phase: phase, Chance: r.Uint64()}
		if s.T1 > s.T0 {
			w.spans = append(w.spans, s)
			t = s.T1
		}
	}
	whole := uint64(1_000_000) // longer than a frame
	switch {
	case w.has("idle"):
		add(Idle, Nothing, whole)
	case w.has("one-context"):
		add(App, Geometry, 5000)
		add(App, Pixel, whole)
	default:
		add(App, Geometry, 1500+r.Uint64N(1000))
		add(App, Pixel, 4000+r.Uint64N(2000))
		add(App, Computing, 1000+r.Uint64N(1000))
		if frame%3 == 2 {
			add(ctxCompute, Computing, 2000+r.Uint64N(500))
		}
		add(ctxCompositor, Composite, 500+r.Uint64N(500))
		add(Idle, Nothing, whole)
	}
	for i := range w.spans {
		s := &w.spans[i]
		if s.Ctx == Idle {
			s.Gated = w.has("rc6")
		}
		if w.has("spurious-invalid") && i == len(w.spans)/2-1 {
			s.Spurious = (s.T0 + s.T1) / 2
		}
		if w.has("missed-switch") && i > 0 {
			s.Silent = r.IntN(3) == 0
		}
	}
	w.spans[len(w.spans)-1].T1 = end
}
