package rdna

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// public gives the public counters of a draw or dispatch.
func (p *run) public(i int, res *result, v jitter) map[string]float64 {
	t := p.total(i, res, v)
	j, m, clock := &p.rows[i].job, p.m, p.rows[i].clock
	out := map[string]float64{}
	clocks := t.clocks
	ns := clocks / clock
	// cycles states a time of a unit, in clocks and as a share of those in which the GPU was busy.
	cycles := func(name string, x float64) float64 {
		x = min(clocks, math.Round(max(0, x)))
		out[name+"Cycles"], out[name] = x, 100*x/clocks
		return x
	}
	out["GPUTime"] = ns
	out["ExecutionDuration"] = ns + 900
	out["GPUBusyCycles"], out["GPUBusy"] = clocks, min(100, 100*clocks/(clocks+40))
	stage := func(name string, share float64) {
		out[strings.TrimSuffix(name, "Busy")+"Time"] = cycles(name, share*clocks) / clocks * ns
	}
	stage("VsGsBusy", res.to[0]-res.from[0])
	stage("PSBusy", res.to[1]-res.from[1])
	computing := 0.0
	if !j.draw {
		computing = t.busy / clocks
	}
	stage("CSBusy", computing)

	one := ease(-1)
	s := j.stages(m, m.wgps, clock, one)
	vertices := j.vertex.waves / m.wgps
	units := j.units / m.wgps
	prims := whole(j.vertex.waves * j.prims)
	if !j.draw {
		vertices, units, prims, s = 0, 0, 0, stageCosts{}
	}
	union := func(waits float64) float64 { return t.busy * (1 - math.Exp(-waits/max(1, t.busy))) }
	culled := whole(prims * j.culled)
	out["PrimitivesIn"], out["CulledPrims"], out["ClippedPrims"] = prims, culled, whole(prims*0.002)
	cycles("PrimitiveAssemblyBusy", 1.03*s.setup*vertices)
	cycles("PAStalledOnRasterizer", min(res.stalled[scan], clocks*0.98))
	colorHeld := union(res.stalled[color])
	tests := (s.early + s.late) * units
	if j.draw && !j.tested {
		tests = 64 / (8 * m.rops) * j.units
	}
	if j.colors > 0 {
		tests += 0.35 * colorHeld
	}
	cycles("DepthStencilTestBusy", 1.04*tests)
	cycles("ZUnitStalled", 0.85*colorHeld)
	cycles("PSExportStalls", min(clocks*0.98, colorHeld+union(res.stalled[depth])))
	busy := cycles("TexUnitBusy", 1.03*t.l0Busy)
	cycles("MemUnitBusy", busy)
	cycles("MemUnitStalled", min(busy, 1.03*(t.l0Held+t.tagWaits)))
	out["L0TagConflictReadStalledCycles"] = whole(min(busy, 0.5*t.tagWaits))
	cycles("WriteUnitStalled", 0.8*t.memoryHeld*t.busy*(t.w64+t.w32)/max(1, t.m128+t.m64+t.m32+t.w64+t.w32))
	p.depthAndPixels(out, j)
	p.caches(out, j, &t)
	p.stages(out, j, res, &t)
	return out
}

// depthAndPixels counts quads, samples and pixels.
func (p *run) depthAndPixels(out map[string]float64, j *job) {
	quads := whole(j.units * 16)
	early := j.tested && !j.late
	hidden, failing := 0.0, 0.0
	if j.tested {
		hidden = whole(quads * j.hidden)
	}
	if early {
		failing = whole((quads - hidden) * j.failing)
	}
	share := func(x float64) float64 { return 100 * x / max(1, quads) }
	out["HiZQuadsCulledCount"], out["HiZQuadsAcceptedCount"], out["HiZQuadsCulled"] = hidden, quads-hidden, share(hidden)
	out["PreZQuadsCulledCount"], out["PreZQuadsSurvivingCount"], out["PreZQuadsCulled"] = failing, quads-hidden-failing, share(failing)
	out["PostZQuadCount"], out["PostZQuads"] = quads-hidden-failing, share(quads-hidden-failing)
	for _, name := range []string{"PreZSamplesPassing", "PreZSamplesFailingZ", "PreZSamplesFailingS", "PostZSamplesPassing",
		"PostZSamplesFailingZ", "PostZSamplesFailingS"} {
		out[name] = 0
	}
	prefix := "PreZ"
	if j.late {
		prefix = "PostZ"
	}
	if j.tested {
		samples := whole((quads - hidden) * 4 * j.cover * max(1, j.samples))
		lost := whole(samples * j.failing)
		out[prefix+"SamplesFailingZ"], out[prefix+"SamplesPassing"] = lost, samples-lost
		out["DBMemRead"] = whole(j.units * j.depthBytes() * j.squeeze * 0.5)
		out["DBMemWritten"] = 0
		if j.zwrite {
			out["DBMemWritten"] = whole(j.units * j.depthBytes() * j.squeeze * 0.5)
		}
	} else {
		out["DBMemRead"], out["DBMemWritten"] = 0, 0
	}
	shaded := j.units * j.shaded()
	out["PSPixelsOut"] = whole(shaded * 64 * j.cover)
	if !j.draw || j.colors == 0 {
		out["PSPixelsOut"], shaded = 0, 0
	}
	bytes := whole(shaded * j.colorBytes() * j.squeeze)
	read := 0.0
	if j.blend {
		read = whole(bytes / 2)
	}
	out["CBMemRead"], out["CBMemWritten"] = read, bytes-read
	out["CBColorAndMaskRead"], out["CBColorAndMaskWritten"] = whole(read*1.03+bytes*0.01), whole((bytes-read)*1.03)
}

// caches counts requests, hits and misses.
func (p *run) caches(out map[string]float64, j *job, t *totals) {
	cache := func(name string, asked, missed float64) {
		asked = max(asked, missed)
		out[name+"RequestCount"], out[name+"MissCount"], out[name+"HitCount"] = asked, missed, asked-missed
		out[name+"Hit"] = 100 * (asked - missed) / max(1, asked)
	}
	cache("L0Cache", t.read0+t.write0+t.atomic0, t.miss0+t.write0+t.atomic0)
	read2 := t.read2x128 + t.read2x64 + t.r2x32
	blocks := t.blocks2
	cache("L1Cache", t.wide1+t.narrow1+t.scalar+t.instructions+t.write2+blocks, read2+t.write2+blocks)
	cache("L2Cache", read2+t.write2+blocks, min(read2+t.write2+blocks, t.missM+t.w64*0.2))
	out["L2CacheMissCount"] = whole(out["L2CacheMissCount"])
	out["L2CacheHitCount"] = out["L2CacheRequestCount"] - out["L2CacheMissCount"]
	out["L2CacheMiss"] = 100 * out["L2CacheMissCount"] / max(1, out["L2CacheRequestCount"])
	out["L2CacheHit"] = 0
	if out["L2CacheRequestCount"] > 0 {
		out["L2CacheHit"] = 100 - out["L2CacheMiss"]
	}
	cache("ScalarCache", t.scalar*40, t.scalar)
	cache("InstCache", t.instructions*60, t.instructions)
	out["FetchSize"] = 128*t.m128 + 64*t.m64 + 32*t.m32
	out["WriteSize"] = 64*t.w64 + 32*t.w32
	out["LocalVidMemBytes"] = out["FetchSize"] + out["WriteSize"]
	out["PcieBytes"] = 32 * whole(8+t.waves*0.001)
}

// stages counts what shaders do.
func (p *run) stages(out map[string]float64, j *job, res *result, t *totals) {
	s, rounds := &j.shader, max(1, j.shader.rounds)
	tex := s.tex * rounds * j.units * j.shaded() * s.lanes
	if !j.draw {
		tex = s.tex * rounds * s.waves * s.lanes
	}
	smooth := min(1, max(0, s.filter-1))
	out["TexTriFilteringCount"] = whole(tex * smooth)
	out["NoTexTriFilteringCount"] = whole(tex) - out["TexTriFilteringCount"]
	out["TexTriFilteringPct"] = 100 * out["TexTriFilteringCount"] / max(1, whole(tex))
	out["TexAveAnisotropy"] = 0
	if tex > 0 {
		out["TexAveAnisotropy"] = max(1, s.filter/(1+smooth))
	}
	v := &j.vertex
	vertices := v.waves * v.lanes
	out["VsGsVerticesIn"], out["VsGsPrimsIn"], out["GSVerticesOut"] = vertices, whole(v.waves*j.prims), vertices
	out["VsGsVALUInstCount"], out["VsGsSALUInstCount"] = v.valu*max(1, v.rounds), v.salu*max(1, v.rounds)
	for name, x := range map[string]float64{"CSVALUInsts": s.valu, "CSSALUInsts": s.salu, "CSSFetchInsts": s.smem, "CSVFetchInsts": s.loads + s.tex + s.atomics,
		"CSVWriteInsts": s.stores, "CSLDSInsts": s.lds} {
		out[name] = x * rounds
	}
	out["CSWavefrontsLaunched"], out["CSThreadsLaunched"] = s.waves, s.waves*s.lanes
	out["CSThreadGroupsLaunched"] = math.Ceil(s.waves / float64(max(1, s.group)))
	out["CSThreadGroupSize"] = s.waves * s.lanes / max(1, out["CSThreadGroupsLaunched"])
	out["CSVALUUtilization"] = 100 * s.active
	out["CSGDSInsts"] = 0
	conflicts := s.waves * rounds * s.lds * s.conflict * s.lanes / 32 / (4 * p.m.wgps)
	stalled := res.sums.local / max(1, s.waves)
	if j.draw {
		for name := range out {
			if strings.HasPrefix(name, "CS") && !strings.HasPrefix(name, "CSBusy") && name != "CSTime" {
				out[name] = 0
			}
		}
		conflicts, stalled = 0, 0
	}
	for name, x := range map[string]float64{"CSLDSBankConflict": conflicts, "CSALUStalledByLDS": stalled} {
		x = min(x, t.clocks)
		out[name+"Cycles"], out[name] = x, 100*x/t.clocks
	}
}

// groups are the counters that tools offer together, and the share of recorders that want them.
var groups = []struct {
	share float64
	names string
}{
	{1, "GPUTime GPUBusy GPUBusyCycles"},
	{0.9, "VsGsBusy VsGsBusyCycles VsGsTime PSBusy PSBusyCycles PSTime CSBusy CSBusyCycles CSTime"},
	{0.85, "PrimitiveAssemblyBusy PrimitiveAssemblyBusyCycles TexUnitBusy TexUnitBusyCycles DepthStencilTestBusy DepthStencilTestBusyCycles"},
	{0.3, "ExecutionDuration ExecutionStart ExecutionEnd"},
	{0.75, "VsGsVerticesIn VsGsPrimsIn GSVerticesOut VsGsVALUInstCount VsGsSALUInstCount PrimitivesIn CulledPrims ClippedPrims PAStalledOnRasterizer PAStalledOnRasterizerCycles"},
	{0.85, "PSPixelsOut PSExportStalls PSExportStallsCycles"},
	{0.7, "CSThreadGroupsLaunched CSWavefrontsLaunched CSThreadsLaunched CSThreadGroupSize CSVALUInsts CSSALUInsts CSSFetchInsts CSVFetchInsts CSVWriteInsts CSLDSInsts CSVALUUtilization"},
	{0.7, "CSLDSBankConflict CSLDSBankConflictCycles CSALUStalledByLDS CSALUStalledByLDSCycles CSGDSInsts"},
	{0.6, "TexTriFilteringPct TexTriFilteringCount NoTexTriFilteringCount TexAveAnisotropy"},
	{0.7, "HiZQuadsCulled HiZQuadsCulledCount HiZQuadsAcceptedCount PreZQuadsCulled PreZQuadsCulledCount PreZQuadsSurvivingCount PostZQuads PostZQuadCount PreZSamplesPassing PreZSamplesFailingZ PreZSamplesFailingS PostZSamplesPassing PostZSamplesFailingZ PostZSamplesFailingS ZUnitStalled ZUnitStalledCycles DBMemRead DBMemWritten"},
	{0.6, "CBMemRead CBMemWritten CBColorAndMaskRead CBColorAndMaskWritten"},
	{0.85, "L0CacheHit L0CacheRequestCount L0CacheHitCount L0CacheMissCount L1CacheHit L1CacheRequestCount L1CacheHitCount L1CacheMissCount L2CacheHit L2CacheMiss L2CacheRequestCount L2CacheHitCount L2CacheMissCount"},
	{0.4, "ScalarCacheHit ScalarCacheRequestCount ScalarCacheHitCount ScalarCacheMissCount InstCacheHit InstCacheRequestCount InstCacheHitCount InstCacheMissCount L0TagConflictReadStalledCycles"},
	{0.9, "FetchSize WriteSize MemUnitBusy MemUnitBusyCycles MemUnitStalled MemUnitStalledCycles WriteUnitStalled WriteUnitStalledCycles LocalVidMemBytes PcieBytes"},
}

// only lists counters that one generation has.
var only = map[string]string{
	"gfx103": "GSVerticesOut VsGsVALUInstCount VsGsSALUInstCount CSVALUInsts CSSALUInsts CSSFetchInsts CSVFetchInsts CSVWriteInsts CSLDSInsts CSVALUUtilization CSGDSInsts CBMemRead CBMemWritten CBColorAndMaskRead CBColorAndMaskWritten",
	"gfx11":  "VsGsVerticesIn VsGsPrimsIn",
}

// gpa records draws as a tool over GPUPerfAPI does: the frame is played again for every set of counters that fit.
func (p *run) gpa(seed uint64, o simulate.Options) (*capture.Capture, error) {
	r := simulate.NewRandom(seed, "ninth gpa")
	cat, err := metrics.Get("amd-gpa-rdna")
	if err != nil {
		return nil, err
	}
	noise := 1.0
	if o.Noise != 0 {
		noise = max(0, o.Noise)
	}
	base := p.results(-1)
	rows := kept(len(base), o.Gaps, r)
	// A counter and its cycles come from the same replay; groups mostly do.
	var values [][]map[string]float64
	everything := r.Chance(0.5)
	var wanted []int
	first := make([]float64, len(rows))
	for g := range groups {
		take := everything || r.Chance(groups[g].share)
		own := make([]map[string]float64, len(rows))
		for k, i := range rows {
			v := jitter{r.Spread(0.008 * noise), r.Spread(0.01 * noise)}
			if g == 0 {
				first[k] = v.time
			}
			own[k] = p.public(i, &base[i], v)
		}
		values = append(values, own)
		if take {
			wanted = append(wanted, g)
		}
	}
	axis := &capture.Axis{Clock: "samples"}
	now := int64(0)
	for k := range rows {
		ns := max(1, int64(values[0][k]["GPUTime"]))
		for g := range values { // stamps of one replay follow each other
			values[g][k]["ExecutionStart"] = 4e11 + float64(now)
			values[g][k]["ExecutionEnd"] = 4e11 + float64(now) + values[g][k]["ExecutionDuration"]
		}
		axis.Start, axis.End = append(axis.Start, now), append(axis.End, now+ns)
		now += ns
	}
	cfg := capture.Config{Name: fmt.Sprintf("ninth-%d", seed), Format: "gpa", GPU: "amd-gpa-rdna", Axis: axis,
		Device: capture.Device{Vendor: "AMD"}, Properties: []capture.Property{{Name: "generation", Text: p.m.generation, IsText: true}}}
	if r.Chance(0.5) {
		cfg.Device.Name = p.m.name
	}
	left := telling.Left(&o, telling.GPA)
	for _, g := range wanted {
		for _, name := range strings.Fields(groups[g].names) {
			if slices.Contains(left, name) || !p.has(name) {
				continue
			}
			e := cat.Titled(name)
			if e == nil {
				return nil, fmt.Errorf("GPUPerfAPI has no counter %s", name)
			}
			meta := capture.Meta{Name: name, Title: name, Unit: e.Unit, Doc: e.Doc, Kind: capture.Delta, GPU: cfg.GPU, Source: "gpa"}
			if e.Usage == "percentage" || e.Usage == "ratio" {
				meta.Kind = capture.Gauge
			}
			f := make([]float64, len(rows))
			for k := range rows {
				f[k] = values[g][k][name]
			}
			cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: meta, Axis: axis, Col: capture.NewColumn(capture.Data{F: f})})
		}
	}
	var sessions, samples, passes []string
	for _, i := range rows {
		sessions, samples = append(sessions, "1"), append(samples, strconv.Itoa(i))
		passes = append(passes, p.rows[i].job.name)
	}
	cfg.Labels = append(cfg.Labels, capture.NewLabel("session", sessions, nil), capture.NewLabel("sample", samples, nil))
	if o.Marks.Of(r.Chance(0.5)) {
		cfg.Labels = append(cfg.Labels, capture.NewLabel("pass", passes, nil))
	}
	return capture.New(cfg)
}

// has reports whether the generation has a counter.
func (p *run) has(name string) bool {
	for generation, names := range only {
		if generation != p.m.generation && slices.Contains(strings.Fields(names), name) {
			return false
		}
	}
	return true
}
