package amd

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

const gpaCatalogue = "amd-gpa-rdna"

// sheet collects the values of the counters, sample by sample, in the order in which they are first put.
type sheet struct {
	names []string
	cols  map[string][]float64
	row   int
}

func (s *sheet) put(name string, v float64) {
	if s.row == 0 {
		s.names = append(s.names, name)
		s.cols[name] = nil
	}
	s.cols[name] = append(s.cols[name], math.Round(v*1e6)/1e6) // files have six decimals
}

// record makes the capture. Counters are measured in passes that repeat the same draws.
func (f *frame) record(c *simulate.Case, seed uint64, o simulate.Options) (*capture.Capture, error) {
	r := rand.New(rand.NewPCG(seed, 1))
	sh := &sheet{cols: map[string][]float64{}}
	api := []string{"DX12", "VK"}[r.IntN(2)]
	conflicts := 1 + 0.5*r.Float64()
	started := math.Floor(1e12 * r.Float64())
	for i := range f.works {
		sh.row = i
		x := &reading{f: f, w: &f.works[i], o: &f.runs[i], r: r, sheet: sh, api: api, conflicts: conflicts,
			time: f.measured[i], start: started}
		x.noise = 0.004
		if o.Noise != 0 {
			x.noise *= max(0, o.Noise)
		}
		x.fill()
		started += f.measured[i] + math.Round(2e4*r.ExpFloat64())
	}
	without := telling.Left(&o, telling.GPA)
	cfg := capture.Config{Name: c.Family + "-" + c.Kind + "-" + strconv.FormatUint(c.Seed, 10), Format: "gpa",
		GPU:        gpaCatalogue,
		Device:     capture.Device{Name: f.p.name, Vendor: "AMD", ID: "0x1002:" + f.p.device},
		Properties: []capture.Property{{Name: "generation", Text: f.p.generation, IsText: true}},
		Warnings:   []string{"the file has no times: samples follow each other, each as long as its GPUTime"}}
	n := len(f.works)
	cfg.Axis = &capture.Axis{Clock: "samples", Start: make([]int64, n), End: make([]int64, n)}
	session, sample := make([]string, n), make([]string, n)
	now := int64(0)
	for i := range n {
		cfg.Axis.Start[i] = now
		now += int64(f.measured[i])
		cfg.Axis.End[i] = now
		session[i], sample[i] = "1", strconv.Itoa(i)
	}
	cat, err := metrics.Get(gpaCatalogue)
	if err != nil {
		return nil, err
	}
	for _, name := range sh.names {
		if slices.Contains(without, name) {
			continue
		}
		meta := capture.Meta{Name: name, Title: name, Source: "gpa", GPU: gpaCatalogue}
		if e := cat.Titled(name); e != nil {
			meta.Unit, meta.Doc = e.Unit, e.Doc
			if meta.Kind = e.Kind; meta.Kind == capture.Derived {
				meta.Kind = capture.Delta
			}
			if e.Usage == "percentage" || e.Usage == "ratio" {
				meta.Kind = capture.Gauge
			}
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: meta, Axis: cfg.Axis,
			Col: capture.NewColumn(capture.Data{F: sh.cols[name]})})
	}
	cfg.Labels = []*capture.Label{capture.NewLabel("session", session, nil), capture.NewLabel("sample", sample, nil)}
	return capture.New(cfg)
}

// reading is the counters of one sample.
type reading struct {
	*sheet
	f           *frame
	w           *work
	o           *outcome
	r           *rand.Rand
	api         string
	conflicts   float64
	noise       float64
	time, start float64
}

// about is a count that repeats only nearly.
func (x *reading) about(v float64) float64 {
	return math.Round(v * max(0, 1+x.noise*x.r.NormFloat64()))
}

// busy puts a share of the cycles in both forms. The most active of several instances counts, each pass takes its own
// time, and no share is above all.
func (x *reading) busy(name string, ns float64) {
	share := min(1, ns/x.o.time*(1+2*x.noise*math.Abs(x.r.NormFloat64())))
	cycles := x.about(x.o.time * x.f.clock)
	busy := math.Round(share * cycles)
	x.put(name, 100*busy/cycles)
	x.put(name+"Cycles", busy)
}

// stage is busy with the time that the share is of the sample's.
func (x *reading) stage(name, time string, ns float64) {
	x.busy(name, ns)
	col := x.cols[name]
	x.put(time, x.time*col[len(col)-1]/100)
}

func (x *reading) fill() {
	o, t := x.o, &x.o.traffic
	r103 := x.f.p.generation == "GFX103"
	x.put("GPUTime", x.time)
	x.put("ExecutionDuration", x.time+math.Round(60+40*x.r.Float64())*10)
	x.put("ExecutionStart", x.start)
	x.put("ExecutionEnd", x.start+x.cols["ExecutionDuration"][x.row])
	cycles := x.about(o.time * x.f.clock)
	x.put("GPUBusy", 100*cycles/(cycles+math.Round(20+60*x.r.Float64())))
	x.put("GPUBusyCycles", cycles)
	x.geometry(r103)
	x.pixels(t, r103)
	x.compute(r103)
	x.textures()
	x.caches(t)
}

func (x *reading) geometry(r103 bool) {
	w, o := x.w, x.o
	x.stage("VsGsBusy", "VsGsTime", spanOf(&o.vs, !w.compute))
	// The public formula takes from the time in which the clipper is busy what the rasterizer stalls, and the cycles in
	// which primitives leave.
	clipper := min(o.time, o.busy[servePA]+o.paOnSC.sum)
	leaving := w.input * (1 - w.culled) / (x.f.p.engines * x.f.clock)
	x.busy("PrimitiveAssemblyBusy", max(0, clipper-o.paOnSC.sum-leaving))
	x.busy("PAStalledOnRasterizer", o.paOnSC.sum)
	x.put("PrimitivesIn", w.input)
	x.put("CulledPrims", math.Round(w.input*w.culled))
	x.put("ClippedPrims", math.Round(w.input*w.clipped*(1-w.culled)))
	ran := math.Round(w.vs.waves * 32 * w.vs.lanes)
	if w.vertices < 32 {
		ran = w.vertices
	}
	if r103 {
		x.put("GSVerticesOut", ran)
		x.put("VsGsVALUInstCount", w.vs.valu)
		x.put("VsGsSALUInstCount", w.vs.salu)
	} else {
		x.put("VsGsVerticesIn", ran)
		x.put("VsGsPrimsIn", w.input)
	}
}

func spanOf(u *union, on bool) float64 {
	if !on {
		return 0
	}
	return u.sum
}

func (x *reading) pixels(t *traffic, r103 bool) {
	w, o := x.w, x.o
	shades := !w.compute && w.ps.waves > 0
	x.stage("PSBusy", "PSTime", spanOf(&o.ps, shades))
	pass := 0.0
	if !w.compute {
		pass = w.covered * (1 - w.hiz) / (4 * x.f.p.rops * x.f.clock) // quads go through the block without a test too
	}
	// What is exported goes to the depth block first, which waits for the colour block before shaders wait for it.
	stalled := 0.9 * o.psOnCB.sum
	x.busy("DepthStencilTestBusy", max(o.busy[serveDB], pass)+stalled)
	x.busy("ZUnitStalled", stalled)
	x.busy("PSExportStalls", o.psOnCB.sum)
	out := 0.0
	if shades {
		out = math.Round(w.pixelsShaded())
	}
	x.put("PSPixelsOut", out)
	x.put("DBMemRead", 32*x.about(t.depthRead/32))
	x.put("DBMemWritten", 32*x.about(t.depthWrite/32))
	if r103 {
		meta := 0.03
		read, written := x.about(t.colourRead/32), x.about(t.colourWrite/32)
		x.put("CBMemRead", 32*read)
		x.put("CBMemWritten", 32*written)
		x.put("CBColorAndMaskRead", 32*(read+math.Round(meta*(read+written))))
		x.put("CBColorAndMaskWritten", 32*(written+math.Round(meta*written)))
	}
	x.tests()
}

// tests are of depth, by tiles of 64 pixels, quads and samples.
func (x *reading) tests() {
	w := x.w
	quads := math.Ceil(w.quads())
	tiles := math.Ceil(w.covered / 64 * 1.25)
	if w.compute {
		quads, tiles = 0, 0
	}
	if !w.depthOn {
		w2 := *w
		w2.hiz, w2.earlyZ = 0, 0
		w = &w2
	}
	rejected := math.Round(tiles * w.hiz)
	share := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return 100 * a / b
	}
	x.put("HiZTilesAccepted", share(tiles-rejected, tiles))
	x.put("HiZTilesAcceptedCount", tiles-rejected)
	x.put("HiZTilesRejectedCount", rejected)
	kept := math.Round(quads * (1 - w.hiz))
	x.put("HiZQuadsCulled", share(quads-kept, quads))
	x.put("HiZQuadsCulledCount", quads-kept)
	x.put("HiZQuadsAcceptedCount", kept)
	early := kept
	if !w.late {
		early = math.Round(kept * (1 - w.earlyZ))
	}
	x.put("PreZQuadsCulled", share(kept-early, quads))
	x.put("PreZQuadsCulledCount", kept-early)
	x.put("PreZQuadsSurvivingCount", early)
	x.put("PostZQuads", share(early, quads))
	x.put("PostZQuadCount", early)
	samples := 0.0
	if w.depthOn {
		samples = math.Round(w.covered * w.samples * (1 - w.hiz))
	}
	failing := math.Round(samples * w.earlyZ)
	pre, post := 1.0, 0.0
	if w.late {
		pre, post = 0, 1
	}
	x.put("PreZSamplesPassing", (samples-failing)*pre)
	x.put("PreZSamplesFailingZ", failing*pre)
	x.put("PostZSamplesPassing", (samples-failing)*post)
	x.put("PostZSamplesFailingZ", failing*post)
}

func (x *reading) compute(r103 bool) {
	w, o := x.w, x.o
	h := &w.ps
	on := 0.0
	if w.compute {
		on = 1
	}
	x.stage("CSBusy", "CSTime", spanOf(&o.ps, w.compute))
	groups := math.Ceil(on * h.waves / max(1, h.group))
	x.put("CSThreadGroupsLaunched", groups)
	x.put("CSWavefrontsLaunched", on*h.waves)
	x.put("CSThreadsLaunched", on*h.waves*32)
	size := 0.0
	if groups > 0 {
		size = h.waves * 32 / groups
	}
	x.put("CSThreadGroupSize", size)
	if r103 {
		x.put("CSVALUInsts", on*h.valu)
		x.put("CSVALUUtilization", on*100*h.lanes)
		x.put("CSSALUInsts", on*h.salu)
		x.put("CSVFetchInsts", on*(h.tex+h.loads))
		x.put("CSVWriteInsts", on*h.stores)
		x.put("CSSFetchInsts", on*h.smem)
		x.put("CSLDSInsts", on*h.lds)
	}
	conflict := on * h.waves * h.lds * max(0, h.banks-1) / (2 * x.f.p.units) // cycles by SIMD
	x.busy("CSLDSBankConflict", conflict/x.f.clock)
	x.busy("CSALUStalledByLDS", on*o.ldsWait/float64(o.pieces))
	if x.api == "DX12" {
		full := on * o.crowded
		vgpr, lds := full, 0.0
		if h.lds > 0 && h.slots < 8 {
			vgpr, lds = 0.3*full, 0.7*full
		}
		x.limited("CSLimitedByVgpr", vgpr)
		x.limited("CSLimitedByLds", lds)
	}
}

func (x *reading) limited(name string, ns float64) {
	x.put(name, 100*min(1, max(0, 0.93*ns/x.o.time*(1+2*x.noise*x.r.NormFloat64()))))
}

func (x *reading) textures() {
	w, o := x.w, x.o
	// The address unit is busy while what follows does not take its requests.
	ta := o.busy[serveTA] + o.taOnCache.sum
	x.busy("TexUnitBusy", ta)
	x.busy("MemUnitBusy", ta)
	x.busy("MemUnitStalled", o.taOnCache.sum)
	// Pieces are large, and their writes wait for each other where those of single waves find room between them.
	full := min(1, max(o.busy[serveFabric], o.busy[serveDRAM])/o.time)
	x.busy("WriteUnitStalled", o.onWrites.sum*full*full)
	quads := w.ps.waves * w.ps.tex * 8 * (1 - w.ps.rayTest)
	tri := min(0.85, max(0, w.ps.filter-1))
	two := math.Round(quads * tri)
	x.put("TexTriFilteringCount", 4*two)
	x.put("NoTexTriFilteringCount", 4*math.Round(quads-two))
	pct, aniso := 0.0, 0.0
	if quads > 0 {
		pct, aniso = 100*two/quads, max(1, w.ps.filter/(1+tri))
	}
	x.put("TexTriFilteringPct", pct)
	x.put("TexAveAnisotropy", aniso)
	tests := math.Round(w.ps.waves * w.ps.tex * 32 * w.ps.lanes * w.ps.rayTest)
	box := math.Round(tests * 0.78)
	x.put("RayBoxTests", box)
	x.put("RayTriTests", tests-box)
	x.put("TotalRayTests", tests)
}

func (x *reading) caches(t *traffic) {
	level := func(name string, requests, misses float64) {
		requests = x.about(requests)
		misses = min(requests, x.about(misses))
		hit := 0.0
		if requests > 0 {
			hit = 100 * (requests - misses) / requests
		}
		x.put(name+"CacheHit", hit)
		x.put(name+"CacheHitCount", requests-misses)
		x.put(name+"CacheMissCount", misses)
		x.put(name+"CacheRequestCount", requests)
	}
	s := func(i int) float64 { return t.shader[0][i] + t.shader[1][i] }
	level("L0", s(0), s(1))
	level("L1", s(1), s(2))
	fixed := (t.colourRead + t.colourWrite + t.depthRead + t.depthWrite) / 64
	level("L2", s(2)+fixed+t.index/64, s(3)+fixed+t.index/128)
	if n := x.cols["L2CacheRequestCount"][x.row]; n > 0 {
		x.put("L2CacheMiss", 100*x.cols["L2CacheMissCount"][x.row]/n)
	} else {
		x.put("L2CacheMiss", 0)
	}
	waves := x.w.vs.waves + x.w.ps.waves
	code := x.w.vs.waves*(x.w.vs.valu+x.w.vs.salu)/10 + x.w.ps.waves*(x.w.ps.valu+x.w.ps.salu)/10
	level("Inst", code, code*0.004+min(waves, 400))
	level("Scalar", x.w.vs.waves*x.w.vs.smem+x.w.ps.waves*x.w.ps.smem, 0.03*waves+min(4*waves, 300))
	x.put("FetchSize", 32*x.about(t.read(x.w)/32))
	x.put("WriteSize", 32*x.about(t.written(x.w)/32))
	// Requests for memory are counted before the last level, which lies beside the memory: in the public capture of
	// gfx1151 the same block counts 950 bytes per ns of a memory of 256.
	x.put("LocalVidMemBytes", 32*x.about((t.read(x.w)+t.written(x.w))/32))
	// Caches refuse accesses to lines that share a row of tags with what is on its way.
	x.put("L0TagConflictReadStalledCycles", x.about(x.o.busy[serveTA]*x.f.clock*0.004*x.conflicts))
}
