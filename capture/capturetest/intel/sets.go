package intel

import "fmt"

// set is a metric set: what it routes to the counters that it may program, beside those that mean the same in all.
type set struct {
	compute bool // the usual work is a compute job
	write   func(w *writer)
}

var sets = map[string]set{
	"RenderBasic":               {write: renderBasic},
	"ComputeBasic":              {compute: true, write: computeBasic},
	"RenderPipeProfile":         {write: renderPipeProfile},
	"MemoryReads":               {write: memoryReads},
	"MemoryWrites":              {write: memoryWrites},
	"ComputeExtended":           {compute: true, write: computeExtended},
	"ComputeL3Cache":            {compute: true, write: computeL3Cache},
	"HDCAndSF":                  {write: hdcAndSF},
	"L3_1":                      {write: l3Banks},
	"RasterizerAndPixelBackend": {write: rasterizer},
	"Sampler":                   {write: samplers},
	"TDL_1":                     {write: dispatcher},
	"PMA_Stall":                 {write: pma},
	"VMEPipe":                   {compute: true, write: vmePipe},
	"GpuBusyness":               {write: busyness},
	"AsyncCompute":              {compute: true, write: asyncCompute},
}

func renderBasic(w *writer) {
	f, s := w.f, w.s
	w.stages()
	for i, scale := range []float64{1, 0.97} { // two of the samplers have counters
		w.share(fmt.Sprintf("B%d", i), (s.occupied[sampler]+0.7*s.texWait)*scale) // holding a sample that misses is busy, too
		w.share(fmt.Sprintf("B%d", 2+i), (s.held[sampler]+s.texWait/2)*scale)
	}
	lines := f.texLines() / 8
	if w.slices > 1 { // one counter for each half
		w.rate("B4", gti, lines/2)
		w.rate("B5", gti, lines/2)
	} else {
		w.rate("B4", gti, lines)
	}
	b := f.bytes
	w.rate("B6", gti, b[srcVertex]/64*0.6)
	w.rate("B7", gti, b[srcVertex]/64*0.4)
	w.rate("C0", gti, b[srcDepth]/64*reads[srcDepth])
	w.rate("C1", gti, b[srcDepth]/64*(1-reads[srcDepth]))
	w.rate("C2", gti, b[srcColor]/64*reads[srcColor])
	w.rate("C3", gti, b[srcColor]/64*(1-reads[srcColor]))
	w.rate("C4", gti, f.l3Reads())
	w.rate("C5", gti, f.dataMessages()*0.3)
	read, written := f.traffic()
	w.rate("C6", gti, read/64)
	w.rate("C7", gti, written/64)
}

func computeBasic(w *writer) {
	f := w.f
	w.pipes()
	w.occupancy(13)
	// Each counter is that of a subslice of the first slice; the equations multiply by the number of slices.
	for _, name := range []string{"B0", "B1", "B2"} {
		w.slice(name, data, f.dataMessages()/3*0.05)
	}
	for _, name := range []string{"B3", "B4", "B5"} {
		w.slice(name, data, f.dataMessages()/3*0.05)
	}
	for _, name := range []string{"B6", "B7", "C0"} {
		w.slice(name, data, f.dataMessages()/3*0.6)
	}
	for _, name := range []string{"C1", "C2", "C3"} {
		w.slice(name, data, f.dataMessages()/3*0.3)
	}
	read, written := f.traffic()
	w.rate("C4", gti, read/64)
	w.rate("C5", gti, written/64)
}

func renderPipeProfile(w *writer) {
	s := w.s
	for name, u := range map[string]unit{"C0": vf, "B0": vs, "B1": hs, "B2": ds, "B3": gs, "B4": so, "B5": cl, "B6": sf,
		"C6": hiz, "B7": iz, "C7": bc} {
		w.share(name, s.held[u])
	}
	for name, u := range map[string]unit{"C1": hs, "C2": ds, "C3": so, "C4": cl, "C5": sf} {
		w.share(name, s.blocked[u])
	}
}

// parts spreads a source's lines over the units behind it.
func (w *writer) parts(names []string, lines float64) {
	for _, n := range names {
		w.rate(n, gti, lines/float64(len(names)))
	}
}

func memoryReads(w *writer) {
	b := w.f.bytes
	lines := func(src int) float64 { return b[src] * reads[src] / 64 }
	w.parts([]string{"B0", "B2"}, lines(srcCommand))
	w.rate("B1", gti, lines(srcVertex))
	w.parts([]string{"B3", "B4"}, lines(srcColor))
	w.parts([]string{"B5", "B6", "B7"}, lines(srcDepth))
	w.parts([]string{"C4", "C5", "C6", "C7"}, lines(srcL3))
	read, written := w.f.traffic()
	w.rate("C0", gti, read/64)
	w.rate("C3", gti, (read+written)/64/2)
}

func memoryWrites(w *writer) {
	b := w.f.bytes
	lines := func(src int) float64 { return b[src] * (1 - reads[src]) / 64 }
	w.parts([]string{"B3", "B4"}, lines(srcColor))
	w.parts([]string{"B5", "B6", "B7"}, lines(srcDepth))
	w.parts([]string{"C4", "C5", "C6", "C7"}, lines(srcL3))
	read, written := w.f.traffic()
	w.rate("C0", gti, written/64)
	w.rate("C3", gti, (read+written)/64/2)
}

// computeExtended looks at one subslice: messages from the EUs, and the cache lines that they became.
func computeExtended(w *writer) {
	f := w.f
	w.pipes()
	w.occupancy(13)
	count := func(name string, x float64) { w.slice(name, data, f.dataMessages()/3*x) }
	count("C2", 0.1) // typed reads, typed writes, untyped reads, untyped writes
	count("C0", 0.1)
	count("C3", 0.5)
	count("C1", 0.3)
	count("B2", 0.1/f.lines)
	count("B3", 0.1/f.lines)
	count("B0", 0.5/f.lines)
	count("B1", 0.3/f.lines)
}

func computeL3Cache(w *writer) {
	f, s := w.f, w.s
	w.pipes()
	for i, kind := range []float64{0.03, 0.35, 0.62 - f.moves, f.moves} { // hybrid, ternary, binary, move
		w.flex(13+2*i, s.active*f.fpu0*kind)
		w.flex(14+2*i, s.active*f.fpu1*kind)
	}
	mean := (f.texLines() + f.dataMessages()) / 4
	rest := mean * (4 - f.bankSkew) / 3
	w.rate("C0", gti, mean*f.bankSkew/2) // each counts every second access of a bank
	w.rate("C1", gti, rest/2)
	w.rate("B2", gti, rest/2)
	w.rate("B3", gti, rest/2)
	w.rate("C4", gti, f.l3Reads()/2)
	w.rate("C5", gti, f.l3Reads()/2)
}

func hdcAndSF(w *writer) {
	s := w.s
	w.stages()
	w.share("B0", s.polygons)
	stalled := s.held[hdc] + 0.8*(s.held[data]+s.held[bank])
	for i, pair := range [][2]string{{"C7", "C6"}, {"C5", "C4"}, {"C3", "C2"}} {
		mine := stalled * (1 - 0.03*float64(i))
		through := min(s.busy[data], 1-mine)
		w.share(pair[0], through+mine)
		w.share(pair[1], through)
	}
}

func l3Banks(w *writer) {
	s := w.s
	w.stages()
	w.share("B0", s.held[bank])
	w.share("B4", s.held[bank]*0.6)
	w.share("C6", s.busy[bank])
	w.share("C7", s.busy[bank]/w.f.bankSkew)
}

func rasterizer(w *writer) {
	f, s := w.f, w.s
	w.stages()
	w.share("B0", max(s.busy[bc], s.ready)) // pixels behind the early tests
	w.share("B1", s.occupied[raster])
	w.share("C5", s.busy[raster]/f.cost[raster])
	w.share("C7", s.occupied[backend])
	w.share("C6", s.busy[backend]/f.cost[backend])
}

func samplers(w *writer) {
	w.stages()
	for i, name := range []string{"B2", "B0", "B1"} { // of subslices 0, 1, 2
		w.share(name, w.s.occupied[sampler]*(1-0.02*float64(i)))
	}
	for i, name := range []string{"C6", "C5", "C7"} {
		w.share(name, w.s.busy[sampler]/w.f.cost[sampler]*(1-0.02*float64(i)))
	}
}

func dispatcher(w *writer) {
	w.stages()
	for i, name := range []string{"B1", "B5", "B3"} { // threads of pixel shaders, subslices 0, 1, 2
		w.share(name, w.s.ready*(1-0.03*float64(i)))
	}
	for _, name := range []string{"B2", "B0", "B4"} { // other threads
		w.share(name, w.s.ready*0.3)
	}
}

func pma(w *writer) {
	w.share("B0", w.s.held[stencil])
	w.share("B1", w.s.held[stencil])
}

func vmePipe(w *writer) {
	w.flex(9, w.s.active*w.f.both)
	w.occupancy(10)
	w.share("B0", w.s.busy[vme])
	w.share("B3", w.s.busy[vme])
}

func busyness(w *writer) {
	all := w.t.Get("GPU_TICKS", w.i)
	w.share("C7", 1)
	w.t.Count("C6", w.i, all*w.f.ring)
	w.t.Count("B0", w.i, max(w.clocks, all*w.f.ring))
}

func asyncCompute(w *writer) {
	f, s := w.f, w.s
	w.flex(9, s.active*f.fpu0)
	w.flex(10, s.active*f.fpu1)
	for i, part := range []float64{0.1, 0.05, 0.85} { // pixel, vertex and compute shaders side by side
		w.flex(11+2*i, s.active*f.fpu0*part)
		w.flex(12+2*i, s.active*f.fpu1*part)
	}
	w.occupancy(17)
}
