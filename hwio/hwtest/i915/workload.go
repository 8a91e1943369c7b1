package i915

import "math/rand/v2"

// Contexts of the workload, by hardware id: an application, the compositor, and a compute job in every third frame.
const (
	ctxIdle       = 0
	ctxApp        = 0x20
	ctxCompositor = 0x21
	ctxCompute    = 0x22
)

// span is a stretch of time in which the GPU does one thing.
type span struct {
	t0, t1         uint64 // ticks since the device appeared
	ctx            uint32
	slice, unslice uint64 // clock ratios, in units of 50/3 MHz
	gated          bool   // powered down: clocks stand still
	sig            *signals
	// spurious is a time from which one report says that the context id is not valid; 0: none.
	spurious uint64
	// silent: the switch to this span's context gives no report.
	silent bool
}

// workload is the GPU's day, a function of the seed and of time alone.
type workload struct {
	d     *device
	seed  uint64
	frame uint64
	spans []span // of the frame
}

// frameTicks is a sixtieth of a second.
func (w *workload) frameTicks() uint64 { return w.d.part.TimestampHz / 60 }

func newWorkload(d *device) *workload {
	w := &workload{d: d, seed: d.set.Rand("workload").Uint64()}
	w.load(0)
	return w
}

// at is the span in which a time lies.
func (w *workload) at(t uint64) span {
	if f := t / w.frameTicks(); f != w.frame {
		w.load(f)
	}
	for _, s := range w.spans {
		if t < s.t1 {
			return s
		}
	}
	return w.spans[len(w.spans)-1]
}

func (w *workload) load(frame uint64) {
	w.frame, w.spans = frame, w.spans[:0]
	r := rand.New(rand.NewPCG(w.seed, frame))
	start, end := frame*w.frameTicks(), (frame+1)*w.frameTicks()
	ratio, un := uint64(usualMHz*3/50), uint64(usualMHz*3/50)
	if w.d.has("clock-change") {
		top := uint64(w.d.part.MaxMHz * 3 / 50)
		ratio = 18 + r.Uint64N(top-17)
		un = max(18, ratio-r.Uint64N(4))
	}
	t := start
	add := func(ctx uint32, phase func(*rand.Rand) *signals, us uint64) {
		sig := phase(r)
		sig.active = min(sig.active, sig.loaded) // a pipe needs a thread, or the stalls between them would count backwards
		s := span{t0: t, t1: min(end, t+us*w.d.part.TimestampHz/1_000_000), ctx: ctx, slice: ratio, unslice: un, sig: sig}
		if s.t1 > s.t0 {
			w.spans = append(w.spans, s)
			t = s.t1
		}
	}
	whole := uint64(1_000_000) // longer than a frame
	switch {
	case w.d.has("idle"):
		add(ctxIdle, idlePhase, whole)
	case w.d.has("one-context"):
		add(ctxApp, geometryPhase, 5000)
		add(ctxApp, pixelPhase, whole)
	default:
		add(ctxApp, geometryPhase, 1500+r.Uint64N(1000))
		add(ctxApp, pixelPhase, 4000+r.Uint64N(2000))
		add(ctxApp, computePhase, 1000+r.Uint64N(1000))
		if frame%3 == 2 {
			add(ctxCompute, computePhase, 2000+r.Uint64N(500))
		}
		add(ctxCompositor, compositePhase, 500+r.Uint64N(500))
		add(ctxIdle, idlePhase, whole)
	}
	for i := range w.spans {
		s := &w.spans[i]
		s.t1 = max(s.t1, s.t0)
		if s.ctx == ctxIdle {
			s.gated = w.d.has("rc6")
		}
		if w.d.has("spurious-invalid") && i == len(w.spans)/2-1 {
			s.spurious = (s.t0 + s.t1) / 2
		}
		if w.d.has("missed-switch") && i > 0 {
			s.silent = r.IntN(3) == 0
		}
	}
	w.spans[len(w.spans)-1].t1 = end
}

// signals is what the GPU does in a span. Shares are of one; rates are per GPU clock.
type signals struct {
	busy                 float64 // share of clocks in which the GPU is not idle
	loaded, active       float64 // share of an EU's clocks with a thread loaded, with a pipe active
	fpu0, fpu1, fpuBoth  float64 // of an EU's clocks; both is in each of the two
	send                 float64
	occupancy            float64    // threads loaded on an EU, 0 to 7, on average
	stage                [7]float64 // share of EU work by thread stage: index is the coarse filter's code, 1 to 6
	threads              [6]float64 // VS, HS, DS, CS, GS, PS threads dispatched
	raster               float64    // 2x2s rasterised
	sampler, texels      float64    // share of clocks a sampler is busy; 2x2 texels asked of it
	slm, memory, atomics float64
	read, write          float64 // messages of 64 bytes over the GTI
}

func idlePhase(*rand.Rand) *signals { return &signals{} }

// jitter is x give or take a tenth.
func jitter(r *rand.Rand, x float64) float64 { return x * (0.9 + 0.2*r.Float64()) }

func geometryPhase(r *rand.Rand) *signals {
	j := func(x float64) float64 { return jitter(r, x) }
	return &signals{
		busy: 1, loaded: j(0.55), active: j(0.28), fpu0: j(0.22), fpu1: j(0.14), fpuBoth: j(0.10), send: j(0.06),
		occupancy: j(2.2),
		stage:     [7]float64{0, 0.7, 0.05, 0.05, 0.02, 0.18, 0}, threads: [6]float64{j(0.02), j(0.001), j(0.002), 0,
			j(0.0005), j(0.004)},
		raster: j(0.12), sampler: j(0.08), texels: j(0.05), memory: j(0.02), read: j(0.35), write: j(0.08),
	}
}

func pixelPhase(r *rand.Rand) *signals {
	j := func(x float64) float64 { return jitter(r, x) }
	return &signals{
		busy: 1, loaded: j(0.88), active: j(0.55), fpu0: j(0.42), fpu1: j(0.31), fpuBoth: j(0.24), send: j(0.11),
		occupancy: j(5.1),
		stage:     [7]float64{0, 0.04, 0, 0, 0, 0.96, 0}, threads: [6]float64{j(0.001), 0, 0, 0, 0, j(0.03)},
		raster: j(0.8), sampler: j(0.62), texels: j(0.9), memory: j(0.05), atomics: j(0.001), read: j(0.5),
		write: j(0.2),
	}
}

func computePhase(r *rand.Rand) *signals {
	j := func(x float64) float64 { return jitter(r, x) }
	return &signals{
		busy: 1, loaded: j(0.85), active: j(0.7), fpu0: j(0.55), fpu1: j(0.5), fpuBoth: j(0.4), send: j(0.12),
		occupancy: j(6),
		stage:     [7]float64{0, 0, 0, 0, 0, 0, 1}, threads: [6]float64{0, 0, 0, j(0.01), 0, 0},
		slm: j(0.4), memory: j(0.25), atomics: j(0.02), sampler: j(0.05), texels: j(0.04), read: j(0.45),
		write: j(0.25),
	}
}

func compositePhase(r *rand.Rand) *signals {
	j := func(x float64) float64 { return jitter(r, x) }
	return &signals{
		busy: 1, loaded: j(0.5), active: j(0.15), fpu0: j(0.1), fpu1: j(0.06), fpuBoth: j(0.03), send: j(0.05),
		occupancy: j(2.8),
		stage:     [7]float64{0, 0.01, 0, 0, 0, 0.99, 0}, threads: [6]float64{j(0.0005), 0, 0, 0, 0, j(0.02)},
		raster: j(0.9), sampler: j(0.8), texels: j(0.95), memory: j(0.01), read: j(0.7), write: j(0.35),
	}
}
