package intel

import (
	"fmt"

	"astrolabe/capture/capturetest"
)

// writer turns the state of a sample into counts of the unit.
type writer struct {
	t      *capturetest.Table
	i      int     // sample
	clocks float64 // with work
	eus    float64
	slices float64
	f      *frame
	s      state
}

// share counts clocks of one signal.
func (w *writer) share(name string, x float64) {
	w.t.Count(name, w.i, w.clocks*max(0, min(1, x)))
}

// rate counts what a unit does x times for a piece of work, on a GPU of one slice.
func (w *writer) rate(name string, u unit, x float64) {
	w.t.Count(name, w.i, w.clocks/w.s.pace*w.s.scale[u]*w.slices*x)
}

// slice counts what a unit does x times for a piece of work, in one slice.
func (w *writer) slice(name string, u unit, x float64) {
	w.t.Count(name, w.i, w.clocks/w.s.pace*w.s.scale[u]*x)
}

// flex counts a share of the clocks of all EUs.
func (w *writer) flex(n int, x float64) {
	w.t.Count(fmt.Sprintf("A%d", n), w.i, w.clocks*w.eus*max(0, min(1, x)))
}

// fixed writes the counters that mean the same in every set, and zero for those that no set has programmed.
func (w *writer) fixed() {
	f, s := w.f, w.s
	for n := 7; n <= 20; n++ {
		w.flex(n, 0)
	}
	for n := range 8 {
		w.share(fmt.Sprintf("B%d", n), 0)
		w.share(fmt.Sprintf("C%d", n), 0)
	}
	w.t.Count("A0", w.i, w.clocks)
	w.flex(7, s.active)
	w.flex(8, s.loaded-s.active)
	pixels := 0.5 // 2x2s rasterized
	if f.compute {
		pixels = 0
	}
	shaded := pixels * (1 - f.early)
	w.rate("A1", vs, 0.012*f.demand[vs]/base[vs])
	w.rate("A2", hs, 0.02*f.demand[hs])
	w.rate("A3", ds, 0.02*f.demand[ds])
	w.rate("A5", gs, 0.02*f.demand[gs])
	w.rate("A6", raster, shaded*4/f.wide)
	w.rate("A21", raster, pixels)
	w.rate("A22", raster, pixels*f.early*0.6)
	w.rate("A23", raster, pixels*f.early*0.4)
	w.rate("A24", raster, shaded*f.late*0.5)
	w.rate("A25", raster, shaded*f.late*0.5)
	written := shaded * (1 - f.late) * f.samples
	w.rate("A26", raster, written)
	w.rate("A27", raster, written*f.blended)
	w.rate("A28", sampler, f.texels())
	w.rate("A29", sampler, f.texels()*f.texelMiss)
	w.rate("A30", slm, f.slmMessages()*0.7)
	w.rate("A31", slm, f.slmMessages()*0.3)
	w.rate("A32", data, f.dataMessages())
	w.rate("A33", data, f.dataMessages()*0.3)
	w.rate("A34", data, f.dataMessages()*f.atomics)
	threads := 0.0
	if f.compute {
		threads = 0.02
	}
	w.rate("A4", flow, threads)
	w.rate("A35", flow, threads*f.barriers)
}

// stages writes the pipes of vertex and pixel shaders, as most sets of graphics have them.
func (w *writer) stages() {
	f, s := w.f, w.s
	w.flex(9, s.active*f.both)
	w.flex(10, s.active*f.vertex*f.fpu0)
	w.flex(11, s.active*f.vertex*f.fpu1)
	w.flex(12, s.active*f.vertex*f.send)
	if f.compute {
		return
	}
	pixel := 1 - f.vertex
	w.flex(15, s.active*pixel*f.fpu0)
	w.flex(16, s.active*pixel*f.fpu1)
	w.flex(17, s.active*pixel*f.send)
	w.flex(18, s.active*pixel*f.both)
}

// pipes writes the pipes of all shaders, as sets of compute have them.
func (w *writer) pipes() {
	f, s := w.f, w.s
	w.flex(9, s.active*f.both)
	w.flex(10, s.active*f.fpu0)
	w.flex(11, s.active*f.fpu1)
	w.flex(12, s.active*f.send)
}

// occupancy counts loaded threads: the counter advances once for every eight.
func (w *writer) occupancy(n int) { w.flex(n, w.s.threads*threadSlots/8) }
