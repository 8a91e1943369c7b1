package amd

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

const gpaCatalogue = "amd-gpa-rdna"

// table collects columns row by row, in the order of the first row.
type table struct {
	names  []string
	values map[string][]float64
}

func (t *table) set(name string, v float64) {
	if _, ok := t.values[name]; !ok {
		t.names = append(t.names, name)
	}
	t.values[name] = append(t.values[name], v)
}

// record makes the capture that the reader of GPUPerfAPI's files would.
func (g *gpaFrame) record(o simulate.Options) (*capture.Capture, error) {
	cat, err := metrics.Get(gpaCatalogue)
	if err != nil {
		return nil, err
	}
	without := telling.Left(&o, telling.GPA)
	t := &table{values: map[string][]float64{}}
	n := rand.New(rand.NewPCG(g.noise, 2))
	var s sim
	var now int64
	axis := &capture.Axis{Clock: "samples"}
	var sessions, samples []string
	for i := range g.draws {
		d := &g.draws[i]
		out := s.run(g.m.flow(d), none)
		g.count(t, d, &out, float64(now), float64(g.length[i]), n)
		axis.Start, axis.End = append(axis.Start, now), append(axis.End, now+g.length[i])
		now += g.length[i]
		sessions, samples = append(sessions, "1"), append(samples, strconv.Itoa(i))
	}
	cfg := capture.Config{Name: "frame", Format: "gpa", GPU: gpaCatalogue, Axis: axis,
		Device: capture.Device{Name: g.m.name, Vendor: "AMD", ID: g.m.id},
		Properties: []capture.Property{{Name: "generation", Text: g.m.generation, IsText: true},
			{Name: "api", Text: g.api, IsText: true}, {Name: "num_shader_engines", Number: g.m.engines},
			{Name: "num_cus", Number: g.m.cus}, {Name: "num_simds", Number: g.m.simds()}},
		Labels: []*capture.Label{capture.NewLabel("session", sessions, nil), capture.NewLabel("sample", samples, nil)},
	}
	for _, name := range t.names {
		e := cat.Titled(name)
		if e == nil || !g.has(e) || slices.Contains(without, name) {
			continue
		}
		meta := capture.Meta{Name: name, Title: name, Source: "gpa", GPU: gpaCatalogue, Unit: e.Unit, Doc: e.Doc}
		if e.Usage == "percentage" || e.Usage == "ratio" {
			meta.Kind = capture.Gauge
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: meta, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: t.values[name]})})
	}
	return capture.New(cfg)
}

// has reports whether a counter exists on this generation through this interface.
func (g *gpaFrame) has(e *metrics.Entry) bool {
	for _, v := range e.Variants {
		if slices.ContainsFunc(v.Generations, func(s string) bool { return strings.EqualFold(s, g.m.generation) }) &&
			slices.ContainsFunc(v.APIs, func(s string) bool { return strings.EqualFold(s, g.api) }) {
			return true
		}
	}
	return false
}

// count fills the row of a draw. A hardware counter is read once, in a run of its own, so that times differ a little
// from run to run; public counters that are made of the same hardware counters agree exactly.
func (g *gpaFrame) count(t *table, d *draw, out *flowed, begin, length float64, n *rand.Rand) {
	m := g.m
	differs := clamp(80/out.total, 0.004, 0.02) // some clocks of starting and reading are a larger part of a short draw
	again := func(ns float64) float64 { return math.Round(ns * m.clock * (1 + differs*n.NormFloat64())) }
	busy := math.Max(1, again(out.total*0.995))
	share := func(cycles float64) float64 { return 100 * cycles / busy }
	cycles := func(name string, v float64) {
		t.set(name, share(v))
		t.set(name+"Cycles", v)
	}
	stage := func(name string, ns float64) {
		v := again(ns)
		t.set(name+"Busy", math.Min(100, share(v)))
		t.set(name+"BusyCycles", v)
		t.set(name+"Time", math.Min(1, v/busy)*length)
	}
	items := func(name string, v float64) { t.set(name, math.Round(v)) }
	ratio := func(name string, part, whole float64) {
		if whole == 0 { // the programs guard against it, or GPUPerfAPI makes 0 of 0/0
			t.set(name, 0)
			return
		}
		t.set(name, 100*part/whole)
	}
	graphics := 1.0
	if d.compute {
		graphics = 0
	}

	t.set("GPUTime", length)
	t.set("ExecutionDuration", length+10*math.Round(n.Float64()*20))
	t.set("ExecutionStart", begin)
	t.set("ExecutionEnd", begin+length)
	t.set("GPUBusy", math.Min(100, 100*(0.995+0.004*n.Float64())))
	t.set("GPUBusyCycles", busy)
	stage("VsGs", graphics*out.vertexActive)
	stage("PS", graphics*out.pixelActive*b01(d.ps.waves > 0))
	stage("CS", (1-graphics)*out.pixelActive)
	visible := d.prims * (1 - d.culled) * graphics
	held := again(graphics * out.paHeld)
	cycles("PrimitiveAssemblyBusy", math.Max(0, again(graphics*out.paActive)-held-visible/m.engines))
	cycles("PAStalledOnRasterizer", held)
	addresser := again(out.addrActive)
	cycles("TexUnitBusy", addresser)
	cycles("DepthStencilTestBusy", again(graphics*out.dbActive*b01(d.depth)))
	cycles("MemUnitBusy", addresser)
	cycles("MemUnitStalled", math.Min(addresser, again(out.memStalled)))
	cycles("ZUnitStalled", again(out.dbHeld))
	cycles("PSExportStalls", again(out.exportHeld))

	items("PrimitivesIn", d.prims*graphics)
	items("CulledPrims", d.prims*d.culled*graphics)
	items("ClippedPrims", d.prims*d.clipped*graphics)
	items("VsGsVerticesIn", d.vertices*graphics)
	items("GSVerticesOut", d.vertices*graphics)
	items("VsGsPrimsIn", d.prims*graphics)
	t.set("VsGsVALUInstCount", d.vs.valu*graphics)
	t.set("VsGsSALUInstCount", d.vs.salu*graphics)
	items("PSPixelsOut", d.out*graphics)

	g.countCompute(t, d, out, again, cycles, items)
	g.countDepth(t, d, items, ratio)
	g.countMemory(t, d, out, again, cycles, items, ratio)
}

func b01(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (g *gpaFrame) countCompute(t *table, d *draw, out *flowed, again func(float64) float64,
	cycles, items func(string, float64)) {
	s, c := &d.ps, b01(d.compute)
	threads := math.Round(s.waves) * s.lanes * c
	groups := math.Ceil(threads / math.Max(1, d.group))
	items("CSThreadGroupsLaunched", groups)
	items("CSWavefrontsLaunched", s.waves*c)
	items("CSThreadsLaunched", threads)
	t.set("CSThreadGroupSize", threads/math.Max(1, groups))
	t.set("CSVALUInsts", s.valu*c)
	t.set("CSSALUInsts", s.salu*c)
	t.set("CSVFetchInsts", (s.tex+s.loads)*c)
	t.set("CSVWriteInsts", s.stores*c)
	t.set("CSLDSInsts", s.lds*c)
	t.set("CSVALUUtilization", 100*s.active*c)
	// of one wave on average, which is little of a dispatch of many
	cycles("CSALUStalledByLDS", c*again(out.ldsWaited/float64(out.n)))
	// counted per compute unit, divided by SIMDs, of which it has two
	cycles("CSLDSBankConflict", c*again(out.busy[lds]*unitRate*s.conflict/(1+s.conflict)/2))
}

func (g *gpaFrame) countDepth(t *table, d *draw, items func(string, float64), ratio func(string, float64, float64)) {
	v := b01(!d.compute)
	quads := math.Round(v * d.raster / d.quad / 4)
	accepted := math.Round(quads * (1 - d.hiZ))
	survive := math.Round(accepted * (1 - d.early))
	items("HiZQuadsAcceptedCount", accepted)
	items("HiZQuadsCulledCount", quads-accepted)
	ratio("HiZQuadsCulled", quads-accepted, quads)
	items("PreZQuadsCulledCount", accepted-survive)
	ratio("PreZQuadsCulled", accepted-survive, quads)
	items("PreZQuadsSurvivingCount", survive)
	items("PostZQuadCount", survive)
	ratio("PostZQuads", survive, quads)
	tiles := math.Round(quads / 16 * 1.5)
	rejected := math.Round(tiles * d.hiZ)
	items("HiZTilesAcceptedCount", tiles-rejected)
	items("HiZTilesRejectedCount", rejected)
	ratio("HiZTilesAccepted", tiles-rejected, tiles)
	tested := math.Round(v * d.tested() * b01(d.depth))
	passed := math.Round(tested * (1 - d.early))
	late := b01(d.late)
	items("PreZSamplesPassing", passed*(1-late))
	items("PreZSamplesFailingZ", (tested-passed)*(1-late))
	items("PostZSamplesPassing", passed*late)
	items("PostZSamplesFailingZ", (tested-passed)*late)
}

func (g *gpaFrame) countMemory(t *table, d *draw, out *flowed, again func(float64) float64,
	cycles, items func(string, float64), ratio func(string, float64, float64)) {
	var sum traffic
	var quads, two, clocks float64
	for _, s := range []*shader{&d.vs, &d.ps} {
		u := d.trafficOf(s)
		sum.l0, sum.l0Miss, sum.l1Miss = sum.l0+u.l0, sum.l0Miss+u.l0Miss, sum.l1Miss+u.l1Miss
		sum.l2Miss, sum.written, sum.stores = sum.l2Miss+u.l2Miss, sum.written+u.written, sum.stores+u.stores
		q := s.waves * s.active * s.tex * s.lanes / 4
		quads, two, clocks = quads+q, two+q*clamp(s.filter-1, 0, 1), clocks+q*math.Max(1, s.filter-1)
	}
	items("TexTriFilteringCount", 4*two)
	items("NoTexTriFilteringCount", 4*(quads-two))
	ratio("TexTriFilteringPct", two, quads)
	if quads > 0 {
		t.set("TexAveAnisotropy", clocks/quads)
	} else {
		t.set("TexAveAnisotropy", 0)
	}
	level := func(name string, requests, misses float64) {
		requests, misses = math.Round(requests), math.Round(misses)
		items(name+"CacheRequestCount", requests)
		items(name+"CacheHitCount", requests-misses)
		items(name+"CacheMissCount", misses)
		ratio(name+"CacheHit", requests-misses, requests)
	}
	level("L0", sum.l0, sum.l0Miss)
	level("L1", sum.l0Miss, sum.l1Miss)
	readC, wroteC := d.colorBytes()
	readZ, wroteZ := d.depthBytes()
	block := readC + wroteC + readZ + wroteZ
	requests := sum.l1Miss + block/128
	misses := sum.l2Miss + sum.written + block*d.colorMiss/128
	level("L2", requests, misses)
	ratio("L2CacheMiss", math.Round(misses), math.Round(requests))
	lines := func(bytes, of float64) float64 { return of * math.Round(bytes/of) }
	t.set("CBMemRead", lines(readC, 32))
	t.set("CBMemWritten", lines(wroteC, 32))
	t.set("CBColorAndMaskRead", lines(readC, 32)+lines(readC*0.04, 32))
	t.set("CBColorAndMaskWritten", lines(wroteC, 32)+lines(wroteC*0.04, 32))
	slow := math.Round(d.out * clamp((d.slow-1)*2, 0, 1) * b01(d.targets > 0))
	items("CBSlowPixelCount", slow)
	ratio("CBSlowPixelPct", slow, d.out)
	t.set("DBMemRead", lines(readZ, 32))
	t.set("DBMemWritten", lines(wroteZ, 32))
	fetch := lines(sum.l2Miss*128+(readC+readZ)*d.colorMiss, 32)
	write := lines(sum.written*128+(wroteC+wroteZ)*d.colorMiss, 32)
	t.set("FetchSize", fetch)
	t.set("WriteSize", write)
	t.set("LocalVidMemBytes", fetch+write)
	cycles("WriteUnitStalled", again(out.writeHeld*write/math.Max(1, fetch+write)))
}
