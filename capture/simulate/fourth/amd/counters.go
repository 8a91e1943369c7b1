package amd

import (
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// Groups of counters that a replay of the draws measures together. Times differ a little from replay to replay.
const (
	ofTime = iota
	ofWaves
	ofGeometry
	ofPixels
	ofTexture
	ofCaches
	ofFar
	replays
)

// sample is a draw with what it did and what the replays made of it.
type sample struct {
	*work
	*result
	d      *device
	ghz    float64
	start  float64 // ns
	off    [replays]float64
	uneven float64 // the busiest instance's load by the mean
}

// table is the counters of a draw, by name.
type table struct {
	names  []string
	values map[string]float64
}

func (t *table) set(name string, v float64) {
	if math.IsNaN(v) || v < 0 {
		v = 0
	}
	t.names = append(t.names, name)
	t.values[name] = v
}

func (t *table) whole(name string, v float64) { t.set(name, math.Floor(v+0.5)) }

// busy sets a share of the cycles of the replay, and the cycles.
func (s *sample) busy(t *table, name string, ns float64, replay int) float64 {
	share := min(1, max(0, ns/s.total*s.off[replay]))
	t.set(name, 100*share)
	t.whole(name+"Cycles", share*s.total*s.ghz)
	return share
}

// hits sets a cache's counters.
func hits(t *table, cache string, requests, hit float64) {
	requests = math.Floor(requests + 0.5)
	n := math.Floor(requests*hit + 0.5)
	share := 0.0
	if requests > 0 {
		share = 100 * n / requests
	}
	t.set(cache+"CacheHit", share)
	t.set(cache+"CacheHitCount", n)
	t.set(cache+"CacheMissCount", requests-n)
	t.set(cache+"CacheRequestCount", requests)
	if cache == "L2" {
		t.set("L2CacheMiss", b2f(requests > 0)*(100-share))
	}
}

// measure is what GPUPerfAPI tells of a draw. Names and meanings are those of its public tables.
func (s *sample) measure() *table {
	t := &table{values: map[string]float64{}}
	time := math.Round(s.total)
	t.set("GPUTime", time)
	t.set("ExecutionDuration", time+40)
	t.set("ExecutionStart", s.start)
	t.set("ExecutionEnd", s.start+time+40)
	t.set("GPUBusy", 100)
	t.whole("GPUBusyCycles", s.total*s.ghz)
	s.stages(t)
	s.geometry(t)
	s.pixelBlocks(t)
	s.kernel(t)
	s.textures(t)
	s.caches(t)
	return t
}

func (s *sample) stages(t *table) {
	vs, ps, cs := s.waves(0), s.waves(1), 0.0
	if s.compute {
		ps, cs = 0, ps
	}
	hull, domain := 0.0, 0.0
	if s.tess {
		vs, hull, domain = 0, 0.4*vs, vs
	}
	for _, x := range []struct {
		name string
		ns   float64
	}{{"VsGs", vs}, {"PreTessellation", hull}, {"PostTessellation", domain}, {"PS", ps}, {"CS", cs}} {
		share := s.busy(t, x.name+"Busy", x.ns, ofWaves)
		t.set(x.name+"Time", share*math.Round(s.total))
	}
	s.busy(t, "TessellatorBusy", b2f(s.tess)*s.result.busy[sGE], ofGeometry)
	t.whole("PreTessVerticesIn", b2f(s.tess)*s.verts/12)
	t.whole("PostTessPrimsOut", b2f(s.tess)*s.prims)
}

func (s *sample) waves(stage int) float64 { return s.result.waves[stage] }

func (s *sample) geometry(t *table) {
	prims := math.Floor(s.prims)
	culled, clipped := math.Floor(prims*s.cull), math.Floor(prims*min(s.clip, 1-s.cull))
	// The public formula takes from the time in which the clipper is busy a clock for each primitive that leaves.
	leaving := (prims - culled) / (s.d.pipes * s.ghz)
	s.busy(t, "PrimitiveAssemblyBusy", (s.result.busy[sPA]-leaving)*min(1.1, s.uneven), ofGeometry)
	s.busy(t, "PAStalledOnRasterizer", min(0.92*s.stalled[pDB], s.total-s.result.busy[sPA]*1.1), ofGeometry)
	t.set("PrimitivesIn", prims)
	t.set("CulledPrims", culled)
	t.set("ClippedPrims", clipped)
	plain, tess := b2f(s.verts > 0 && !s.tess), b2f(s.tess)
	if s.d.gfx() == "gfx11" {
		t.set("VsGsPrimsIn", plain*prims)
		t.whole("VsGsVerticesIn", plain*s.verts)
		return
	}
	t.whole("GSVerticesOut", plain*s.verts)
	t.set("PostTessVALUInstCount", tess*math.Floor(s.vs.alu))
	if s.d.gfx() == "gfx103" {
		t.set("VsGsVALUInstCount", plain*math.Floor(s.vs.alu))
		t.set("VsGsSALUInstCount", plain*math.Floor(s.vs.alu*0.18))
	}
}

func (s *sample) pixelBlocks(t *table) {
	stalled := s.stalled[pCB]
	// Exports that are tested after shading wait for the depth blocks, and these for the colour blocks only where such wait.
	colour := stalled
	if s.late {
		colour = min(stalled, s.queued[sCB])
	}
	s.busy(t, "DepthStencilTestBusy", s.result.busy[sDB]*s.uneven+0.95*colour, ofPixels)
	s.busy(t, "ZUnitStalled", 0.9*colour, ofPixels)
	s.busy(t, "PSExportStalls", b2f(s.ps.waves > 0 && !s.compute)*stalled, ofPixels)
	exported := s.pixels() * b2f(s.ps.waves > 0 && !s.compute)
	t.whole("PSPixelsOut", exported*max(1, s.targets))
	quads := math.Floor(s.quads)
	hiz := math.Floor(quads * s.hiz)
	early := math.Floor((quads - hiz) * s.early)
	left := quads - hiz - early
	pct := func(v float64) float64 {
		if quads == 0 {
			return 0
		}
		return 100 * v / quads
	}
	tiles := math.Ceil(quads / 13)
	rejected := math.Floor(tiles * s.hiz * 0.8)
	t.set("HiZTilesAccepted", b2f(tiles > 0)*100*(tiles-rejected)/max(1, tiles))
	t.set("HiZTilesAcceptedCount", tiles-rejected)
	t.set("HiZTilesRejectedCount", rejected)
	t.set("HiZQuadsCulled", pct(hiz))
	t.set("HiZQuadsCulledCount", hiz)
	t.set("HiZQuadsAcceptedCount", quads-hiz)
	t.set("PreZQuadsCulled", pct(early))
	t.set("PreZQuadsCulledCount", early)
	t.set("PreZQuadsSurvivingCount", left)
	t.set("PostZQuads", pct(left))
	t.set("PostZQuadCount", left)
	detail := math.Floor((tiles - rejected) * 0.3 * s.early)
	t.set("PreZTilesDetailCulled", b2f(tiles > 0)*100*detail/max(1, tiles))
	t.set("PreZTilesDetailCulledCount", detail)
	t.set("PreZTilesDetailSurvivingCount", tiles)
	before, after := 1.0, 0.0
	if s.late {
		before, after = 0, 1
	}
	samples := max(1, math.Floor(min(s.tests, 8)))
	t.whole("PreZSamplesPassing", before*left*3.3*samples)
	t.whole("PreZSamplesFailingZ", before*early*3.3*samples)
	t.set("PreZSamplesFailingS", 0)
	t.whole("PostZSamplesPassing", after*left*3.3*samples)
	t.whole("PostZSamplesFailingZ", after*early*3.3*samples)
	t.set("PostZSamplesFailingS", 0)
	r, w := s.depthBytes()
	t.set("DBMemRead", bytes(r))
	t.set("DBMemWritten", bytes(w))
	if s.d.gfx() == "gfx11" {
		return
	}
	r, w = s.colourBytes()
	t.set("CBMemRead", bytes(r))
	t.set("CBMemWritten", bytes(w))
	t.set("CBColorAndMaskRead", bytes(r*1.03))
	t.set("CBColorAndMaskWritten", bytes(w*1.03))
	slow := b2f(s.format >= 2*max(1, s.targets)) * exported / 4
	t.whole("CBSlowPixelCount", slow)
	t.set("CBSlowPixelPct", b2f(slow > 0)*100)
}

// bytes are whole requests of 32 bytes.
func bytes(v float64) float64 { return 32 * math.Floor(v/32) }

func (s *sample) kernel(t *table) {
	k := shader{}
	if s.compute {
		k = s.ps
	}
	waves := math.Ceil(k.waves)
	group := []float64{1, 2, 4, 8}[s.seed%4]
	groups := math.Ceil(waves / group)
	waves = groups * group
	t.set("CSThreadGroupsLaunched", groups)
	t.set("CSWavefrontsLaunched", waves)
	t.set("CSThreadsLaunched", 32*waves)
	t.set("CSThreadGroupSize", b2f(waves > 0)*32*group)
	cycles := k.waves * k.lds * k.banks / s.d.simds()
	s.busy(t, "CSLDSBankConflict", cycles/s.ghz, ofWaves)
	s.busy(t, "CSALUStalledByLDS", b2f(s.compute)*s.waited[sLDS]/float64(s.size()), ofWaves)
	if s.d.gfx() == "gfx11" {
		return
	}
	t.set("CSVALUInsts", k.alu)
	t.set("CSVALUUtilization", b2f(waves > 0)*100*s.lanes)
	t.set("CSSALUInsts", k.alu*0.15)
	t.set("CSVFetchInsts", k.loads+k.tex)
	t.set("CSVWriteInsts", k.stores)
	t.set("CSSFetchInsts", k.alu*0.02+b2f(waves > 0))
	t.set("CSLDSInsts", k.lds)
	if s.d.gfx() == "gfx10" {
		s.busy(t, "CSVALUBusy", k.waves*k.alu/s.d.simds()/s.ghz, ofWaves)
		s.busy(t, "CSSALUBusy", k.waves*k.alu*0.15/s.d.simds()/s.ghz, ofWaves)
	}
}

func (s *sample) textures(t *table) {
	stalled := s.stalled[pMiss]
	ta := min(s.total, s.result.busy[sTA]*s.uneven+stalled)
	s.busy(t, "TexUnitBusy", ta, ofTexture)
	s.busy(t, "MemUnitBusy", ta, ofTexture)
	s.busy(t, "MemUnitStalled", min(ta, stalled*0.97), ofTexture)
	asked, clocks := s.ps.waves*s.ps.tex*32, s.ps.filter
	tri := min(0.8, max(0, clocks-1)*0.5)
	aniso := max(1, clocks/(1+tri))
	t.whole("TexTriFilteringCount", asked*tri)
	t.whole("NoTexTriFilteringCount", asked*(1-tri))
	t.set("TexTriFilteringPct", b2f(asked > 0)*100*tri)
	t.set("TexAveAnisotropy", b2f(asked > 0)*aniso)
	s.rayTests(t)
	// Lines that fall on one bank of the tags hold reads up.
	conflicts := s.ps.waves * s.ps.loads * max(0, s.ps.lines-1) * 0.15 / s.d.cu
	t.whole("L0TagConflictReadStalledCycles", min(conflicts, 0.3*s.total*s.ghz))
}

func (s *sample) rayTests(t *table) {
	if s.d.gfx() == "gfx10" {
		return
	}
	boxes, triangles := math.Floor(s.ps.waves*s.rays*24), math.Floor(s.ps.waves*s.rays*8)
	if !s.compute {
		boxes, triangles = 0, 0
	}
	t.set("RayBoxTests", boxes)
	t.set("RayTriTests", triangles)
	t.set("TotalRayTests", boxes+triangles)
}

func (s *sample) caches(t *table) {
	l1, l2, out := s.asked()
	n := s.requests()
	hits(t, "L0", n, s.l0)
	hits(t, "L1", l1, s.l1)
	miss := 0.0
	if l2 > 0 {
		miss = out / l2
	}
	hits(t, "L2", l2, 1-miss)
	insts := s.ps.waves*s.ps.alu + s.vs.waves*s.vs.alu
	hits(t, "Inst", insts/12, 1-0.01*float64(1+s.seed%5))
	hits(t, "Scalar", insts*0.02, 1-0.02*float64(1+s.seed%7))
	r, w := s.depthBytes()
	a, b := s.colourBytes()
	mem := max(0, out*128-s.leaves())
	stored := min(0.9*mem, 0.8*s.stored())
	read, written := bytes((mem-stored+(r+a)*(1-s.keeps))*s.off[ofFar]), bytes((stored+(w+b)*(1-s.keeps))*s.off[ofFar])
	t.set("FetchSize", read)
	t.set("WriteSize", written)
	t.set("LocalVidMemBytes", bytes((read+written)*min(1.02, max(0.98, s.off[ofCaches]))))
	t.set("PcieBytes", bytes(4096+0.001*read))
	part := 0.0
	if read+written > 0 {
		part = written / (read + written)
	}
	s.busy(t, "WriteUnitStalled", 0.85*s.queued[sDRAM]*math.Sqrt(part), ofCaches)
}

// record makes the capture, as the reader of the profiler's table does.
func (s *draws) record(o simulate.Options) (*capture.Capture, error) {
	cat, err := metrics.Get("amd-gpa-rdna")
	if err != nil {
		return nil, err
	}
	noise := o.Noise
	if noise == 0 {
		noise = 1
	}
	r := simulate.NewRandom(s.c.Seed, "replays")
	var p pipe
	n := len(s.works)
	axis := &capture.Axis{Clock: "samples"}
	var order []string
	columns := map[string][]float64{}
	now := int64(0)
	lost := 5e8 + r.Float64()*1e9 // the clock of the GPU
	for _, w := range s.works {
		res := *w.run(&p, s.d, s.ghz, &relief{})
		x := &sample{work: w, result: &res, d: s.d, ghz: s.ghz, start: math.Round(lost)}
		for k := range x.off {
			x.off[k] = 1
			if noise > 0 {
				x.off[k] = max(0.8, 1+0.012*noise*r.NormFloat64())
			}
		}
		x.uneven = 1 + r.Between(0.02, 0.12) + min(0.2, 4/math.Sqrt(1+w.ps.waves+w.vs.waves))
		t := x.measure()
		if order == nil {
			order = t.names
		}
		for _, name := range order {
			columns[name] = append(columns[name], t.values[name])
		}
		length := int64(math.Round(res.total))
		axis.Start, axis.End = append(axis.Start, now), append(axis.End, now+length)
		now += length
		lost += res.total + r.Between(2e4, 9e4)
	}
	cfg := capture.Config{Name: s.c.Family + "-" + s.c.Kind + "-" + strconv.FormatUint(s.c.Seed, 10), Format: "gpa",
		GPU: "amd-gpa-rdna", Device: capture.Device{Name: s.d.name, Vendor: "AMD", ID: s.d.pci}, Axis: axis,
		Properties: []capture.Property{{Name: "generation", Text: s.d.gfx(), IsText: true}},
		Warnings:   []string{"the file has no times: samples follow each other, each as long as its GPUTime"}}
	left := telling.Left(&o, telling.GPA)
	for _, name := range order {
		if slices.Contains(left, name) {
			continue
		}
		m := capture.Meta{Name: name, Title: name, Source: "gpa", GPU: cfg.GPU}
		if e := cat.Titled(name); e != nil {
			m.Unit, m.Doc = e.Unit, e.Doc
			if e.Usage == "percentage" || e.Usage == "ratio" {
				m.Kind = capture.Gauge
			}
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: m, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: columns[name]})})
	}
	sessions, samples := make([]string, n), make([]string, n)
	for i := range n {
		sessions[i], samples[i] = "1", strconv.Itoa(i)
	}
	cfg.Labels = []*capture.Label{capture.NewLabel("session", sessions, nil), capture.NewLabel("sample", samples, nil)}
	return capture.New(cfg)
}
