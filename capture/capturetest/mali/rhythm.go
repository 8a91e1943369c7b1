package mali

import (
	"math"

	"astrolabe/capture/capturetest"
)

type kind int

const (
	steady    kind = iota // work all the time, but for what the case says
	none                  // no work
	vsync                 // a frame for every refresh of the display, then a wait
	cpuBound              // the next frame comes when one thread of the CPU is done with it
	turns                 // CPU and GPU wait for each other
	irregular             // work comes now and then
)

// rhythm is when a program submits work.
type rhythm struct {
	kind kind
	busy float64 // share of the time in which the GPU has work
	cpu  float64 // share of the time in which the busiest CPU works
}

const (
	cpus    = 8
	refresh = 1.0 / 60
)

// shape sets the time with work of every sample, and gives the share of it in which each CPU works.
func (r rhythm) shape(k capturetest.Case, w *capturetest.Work) [][cpus]float64 {
	rnd := capturetest.NewRandom(k, "rhythm")
	n := w.Len()
	gpu, main := make([]float64, n), make([]float64, n)
	end := float64(w.End[n-1]) / 1e9
	fill := func(to []float64, a, b float64) { // adds the stretch a..b, in seconds
		for i := range to {
			lo, hi := max(a, float64(w.Start[i])/1e9), min(b, float64(w.End[i])/1e9)
			if hi > lo {
				to[i] += (hi - lo) / w.Seconds(i)
			}
		}
	}
	jitter := func(x float64) float64 { return x * max(0.4, min(1.9, 1+0.25*rnd.NormFloat64())) }
	switch r.kind {
	case steady:
		copy(gpu, w.Active)
		for i := range main {
			main[i] = r.cpu
		}
	case vsync:
		for t := 0.0; t < end; t += refresh {
			fill(gpu, t, t+refresh*min(0.9, r.busy*rnd.Small()))
			fill(main, t, t+refresh*r.cpu)
		}
	case cpuBound:
		for i := range main {
			main[i] = r.cpu
		}
		for t := 0.0; t < end; {
			frame := jitter(0.021)
			fill(gpu, t, t+frame*r.busy)
			t += frame
		}
	case turns:
		for t := 0.0; t < end; {
			a, b := jitter(0.024*(1-r.busy)), jitter(0.024*r.busy)
			fill(main, t, t+a)
			fill(gpu, t+a, t+a+b)
			t += a + b
		}
	case irregular:
		for t := 0.0; t < end; {
			frame := 0.020 * math.Exp(0.7*rnd.NormFloat64())
			frame = max(0.007, min(0.06, frame))
			fill(gpu, t, t+frame*r.busy)
			t += frame
		}
		for i := range main {
			main[i] = r.cpu
		}
	}
	out := make([][cpus]float64, n)
	for i := range out {
		if r.kind != steady {
			w.Active[i] = min(1, gpu[i])
		}
		for c := range out[i] {
			out[i][c] = 0.15
		}
		out[i][4] = min(1, main[i]*0.98+0.02)
	}
	return out
}
