package intel

import "math/rand/v2"

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

// signals are those of the span.
func (s *Span) signals() *signals {
	r := rand.New(rand.NewPCG(s.Chance, uint64(s.Phase)))
	sig := phases[s.Phase](func(x float64) float64 { return x * (0.9 + 0.2*r.Float64()) }) // give or take a tenth
	// A pipe needs a thread, or the stalls between them would count backwards.
	sig.active = min(sig.active, sig.loaded)
	return sig
}

var phases = [...]func(j func(float64) float64) *signals{
	Nothing: func(func(float64) float64) *signals { return &signals{} },
	Geometry: func(j func(float64) float64) *signals {
		return &signals{
			busy: 1, loaded: j(0.55), active: j(0.28), fpu0: j(0.22), fpu1: j(0.14), fpuBoth: j(0.10), send: j(0.06),
			occupancy: j(2.2), stage: [7]float64{0, 0.7, 0.05, 0.05, 0.02, 0.18, 0},
			threads: [6]float64{j(0.02), j(0.001), j(0.002), 0, j(0.0005), j(0.004)},
			raster:  j(0.12), sampler: j(0.08), texels: j(0.05), memory: j(0.02), read: j(0.35), write: j(0.08),
		}
	},
	Pixel: func(j func(float64) float64) *signals {
		return &signals{
			busy: 1, loaded: j(0.88), active: j(0.55), fpu0: j(0.42), fpu1: j(0.31), fpuBoth: j(0.24), send: j(0.11),
			occupancy: j(5.1), stage: [7]float64{0, 0.04, 0, 0, 0, 0.96, 0},
			threads: [6]float64{j(0.001), 0, 0, 0, 0, j(0.03)}, raster: j(0.8), sampler: j(0.62), texels: j(0.9),
			memory: j(0.05), atomics: j(0.001), read: j(0.5), write: j(0.2),
		}
	},
	Computing: func(j func(float64) float64) *signals {
		return &signals{
			busy: 1, loaded: j(0.85), active: j(0.7), fpu0: j(0.55), fpu1: j(0.5), fpuBoth: j(0.4), send: j(0.12),
			occupancy: j(6), stage: [7]float64{0, 0, 0, 0, 0, 0, 1}, threads: [6]float64{0, 0, 0, j(0.01), 0, 0},
			slm: j(0.4), memory: j(0.25), atomics: j(0.02), sampler: j(0.05), texels: j(0.04), read: j(0.45),
			write: j(0.25),
		}
	},
	Composite: func(j func(float64) float64) *signals {
		return &signals{
			busy: 1, loaded: j(0.5), active: j(0.15), fpu0: j(0.1), fpu1: j(0.06), fpuBoth: j(0.03), send: j(0.05),
			occupancy: j(2.8), stage: [7]float64{0, 0.01, 0, 0, 0, 0.99, 0},
			threads: [6]float64{j(0.0005), 0, 0, 0, 0, j(0.02)}, raster: j(0.9), sampler: j(0.8), texels: j(0.95),
			memory: j(0.01), read: j(0.7), write: j(0.35),
		}
	},
}
