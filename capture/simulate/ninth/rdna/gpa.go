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
	j, m := &p.rows[i].job, p.m
	out, clocks := map[string]float64{}, t.clocks
	ns := clocks / p.rows[i].clock
	// cycles states a time of a unit, in clocks and as a share of those in which the GPU was busy.
	cycles := func(name string, x float64) float64 {
		x = min(clocks, whole(x))
		out[name+"Cycles"], out[name] = x, 100*x/clocks
		return x
	}
	out["GPUTime"], out["ExecutionDuration"] = ns, ns+900
	out["GPUBusyCycles"], out["GPUBusy"] = clocks, 100*clocks/(clocks+40)
	res.from[ofCompute], res.to[ofCompute] = 0, t.busy/clocks
	for stage, name := range []string{"CS", "VsGs", "PS"} {
		share := res.to[stage] - res.from[stage]
		if j.draw == (stage == ofCompute) {
			share = 0
		}
		out[name+"Time"] = cycles(name+"Busy", share*clocks) / clocks * ns
	}
	s, vertices, units, prims := stageCosts{}, j.vertex.waves/m.wgps, j.units/m.wgps, whole(j.vertex.waves*j.prims)
	if j.draw {
		s = j.stages(m, m.wgps, p.rows[i].clock, ease(-1))
	}
	union := func(by int) float64 { return t.busy * busyOf(res.stalled[by]/t.busy) }
	put(out, "PrimitivesIn CulledPrims ClippedPrims", prims, prims*j.culled, prims*0.002)
	cycles("PrimitiveAssemblyBusy", 1.03*s.setup*vertices)
	cycles("PAStalledOnRasterizer", min(res.stalled[scan], clocks*0.98))
	tests := (s.early+s.late)*units + 0.35*min(1, j.colors)*union(color)
	if j.draw && j.tested == 0 {
		tests += 8 / m.rops * j.units // quads pass through
	}
	cycles("DepthStencilTestBusy", 1.04*tests)
	cycles("ZUnitStalled", 0.85*union(color))
	cycles("PSExportStalls", min(clocks*0.98, union(color)+union(depth)))
	busy := cycles("TexUnitBusy", 1.03*t.l0Busy)
	cycles("MemUnitBusy", busy)
	cycles("MemUnitStalled", min(busy, 1.03*(t.l0Held+t.tagWaits)))
	cycles("WriteUnitStalled", 0.8*t.memoryHeld*t.busy*(t.w64+t.w32)/max(1, t.m128+t.m64+t.m32+t.w64+t.w32))
	out["L0TagConflictReadStalledCycles"] = whole(min(busy, 0.5*t.tagWaits))
	p.caches(out, &t)
	depthAndColor(out, j)
	p.shaders(out, j, res, &t)
	return out
}

// caches counts requests, hits and misses.
func (p *run) caches(out map[string]float64, t *totals) {
	read2 := t.x128 + t.x64 + t.x32
	passed := read2 + t.write2 + t.blocks2
	for name, x := range map[string][2]float64{"L0": {t.read0 + t.write2, t.miss0 + t.write2},
		"L1": {t.wide1 + t.narrow1 + t.scalar + t.code + t.write2 + t.blocks2, passed}, "L2": {passed, whole(t.m128 + t.m64 + t.m32 + t.w64*0.2)},
		"Scalar": {t.scalar * 40, t.scalar}, "Inst": {t.code * 60, t.code}} {
		asked, lacks := x[0], min(x[0], x[1])
		if name == "L1" {
			asked = max(x[0], x[1])
			lacks = x[1]
		}
		name += "Cache"
		out[name+"RequestCount"], out[name+"MissCount"], out[name+"HitCount"] = asked, lacks, asked-lacks
		out[name+"Hit"], out[name+"Miss"] = 100*(asked-lacks)/max(1, asked), 100*lacks/max(1, asked)
	}
	out["FetchSize"], out["WriteSize"] = 128*t.m128+64*t.m64+32*t.m32, 64*t.w64+32*t.w32
	out["LocalVidMemBytes"], out["PcieBytes"] = out["FetchSize"]+out["WriteSize"], 32*whole(8+t.waves*0.001)
}

// depthAndColor counts quads, samples, pixels and their bytes.
func depthAndColor(out map[string]float64, j *job) {
	quads := whole(j.units * 16)
	hidden := whole(quads * j.hidden * j.tested)
	failing := whole((quads - hidden) * j.failing * j.tested * (1 - j.late))
	left := quads - hidden - failing
	put(out, "HiZQuadsCulledCount HiZQuadsAcceptedCount PreZQuadsCulledCount PreZQuadsSurvivingCount PostZQuadCount", hidden, quads-hidden, failing, left, left)
	out["HiZQuadsCulled"], out["PreZQuadsCulled"], out["PostZQuads"] = 100*hidden/max(1, quads), 100*failing/max(1, quads), 100*left/max(1, quads)
	samples := whole((quads - hidden) * 4 * j.cover * j.samples * j.tested)
	lost := whole(samples * j.failing)
	early, late := 1-j.late, j.late
	put(out, "PreZSamplesPassing PreZSamplesFailingZ PreZSamplesFailingS PostZSamplesPassing PostZSamplesFailingZ PostZSamplesFailingS",
		(samples-lost)*early, lost*early, 0, (samples-lost)*late, lost*late, 0)
	tested, shaded := j.units*j.depthBytes()*j.squeeze/2, j.units*j.shaded()*min(1, j.colors)
	colored := shaded * j.colorBytes() * j.squeeze
	put(out, "DBMemRead DBMemWritten PSPixelsOut CBMemRead CBMemWritten CBColorAndMaskRead CBColorAndMaskWritten", tested*(2-j.zwrite), tested*j.zwrite,
		shaded*64*j.cover, colored*j.blend/2, colored*(1-j.blend/2), colored*(j.blend/2*1.03+0.01), colored*(1-j.blend/2)*1.03)
}

// shaders counts what waves do.
func (p *run) shaders(out map[string]float64, j *job, res *result, t *totals) {
	s, v, waves, computed := &j.shader, &j.vertex, j.shader.waves, 1.0
	if j.draw {
		waves, computed = j.units*j.shaded(), 0
	}
	rounds := max(1, s.rounds)
	tex, smooth := whole(s.tex*rounds*waves*s.lanes), min(1, max(0, s.filter-1))
	put(out, "TexTriFilteringCount NoTexTriFilteringCount", tex*smooth, tex-whole(tex*smooth))
	out["TexTriFilteringPct"], out["TexAveAnisotropy"] = 100*whole(tex*smooth)/max(1, tex), max(1, s.filter/(1+smooth))*min(1, tex)
	put(out, "VsGsVerticesIn GSVerticesOut VsGsPrimsIn", v.waves*v.lanes, v.waves*v.lanes, v.waves*j.prims)
	out["VsGsVALUInstCount"], out["VsGsSALUInstCount"] = v.valu*v.rounds, v.salu*v.rounds
	threads, groups := s.waves*s.lanes*computed, math.Ceil(s.waves/max(1, s.group))*computed
	put(out, "CSWavefrontsLaunched CSThreadsLaunched CSThreadGroupsLaunched CSThreadGroupSize CSGDSInsts", s.waves*computed, threads, groups, threads/max(1, groups), 0)
	for name, x := range map[string]float64{"CSVALUInsts": s.valu, "CSSALUInsts": s.salu, "CSSFetchInsts": s.smem, "CSVFetchInsts": s.loads + s.tex + s.atomics,
		"CSVWriteInsts": s.stores, "CSLDSInsts": s.lds, "CSVALUUtilization": 100 * s.active / rounds} {
		out[name] = x * rounds * computed
	}
	// Conflicts are divided by the SIMDs, and waits by the waves.
	for name, x := range map[string]float64{"CSLDSBankConflict": s.waves * rounds * s.lds * s.conflict / (4 * p.m.wgps),
		"CSALUStalledByLDS": res.sums.local / max(1, s.waves)} {
		x = min(x*computed, t.clocks)
		out[name+"Cycles"], out[name] = x, 100*x/t.clocks
	}
}

// offered are the counters that tools offer together, and the share of recorders that want them.
var offered = []struct {
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

// has reports whether the generation has a counter.
func (p *run) has(name string) bool {
	for generation, names := range only {
		if generation != p.m.generation && slices.Contains(strings.Fields(names), name) {
			return false
		}
	}
	return true
}

// gpa records draws as a tool over GPUPerfAPI does: the frame is played again for every set of counters that fit.
func (p *run) gpa(seed uint64, o simulate.Options) (*capture.Capture, error) {
	const gpu = "amd-gpa-rdna"
	r := simulate.NewRandom(seed, "ninth gpa")
	cat, err := metrics.Get(gpu)
	if err != nil {
		return nil, err
	}
	noise := 1.0
	if o.Noise != 0 {
		noise = max(0, o.Noise)
	}
	base, rows := p.results(), p.kept(o.Gaps, r.IntN)
	axis := &capture.Axis{Clock: "samples"}
	cfg := capture.Config{Name: fmt.Sprintf("ninth-%d", seed), Format: "gpa", GPU: gpu, Axis: axis, Device: capture.Device{Vendor: "AMD"},
		Properties: []capture.Property{{Name: "generation", Text: p.m.generation, IsText: true}}}
	if r.Chance(0.5) {
		cfg.Device.Name = p.m.name
	}
	left, everything := telling.Left(&o, telling.GPA), r.Chance(0.5)
	for g, group := range offered { // a counter and its cycles come from one replay
		values, now := make([]map[string]float64, len(rows)), int64(0)
		for k, i := range rows {
			res := base[i]
			x := p.public(i, &res, jitter{r.Spread(0.008 * noise), r.Spread(0.01 * noise)})
			x["ExecutionStart"], x["ExecutionEnd"] = 4e11+float64(now), 4e11+float64(now)+x["ExecutionDuration"]
			values[k] = x
			end := now + max(1, int64(x["GPUTime"]))
			if g == 0 {
				axis.Start, axis.End = append(axis.Start, now), append(axis.End, end)
			}
			now = end
		}
		if !everything && !r.Chance(group.share) {
			continue
		}
		for _, name := range strings.Fields(group.names) {
			if slices.Contains(left, name) || !p.has(name) {
				continue
			}
			e := cat.Titled(name)
			if e == nil {
				return nil, fmt.Errorf("%s has no counter %s", gpu, name)
			}
			meta := capture.Meta{Name: name, Title: name, Unit: e.Unit, Doc: e.Doc, Kind: capture.Delta, GPU: gpu, Source: "gpa"}
			if e.Usage == "percentage" || e.Usage == "ratio" {
				meta.Kind = capture.Gauge
			}
			f := make([]float64, len(rows))
			for k := range rows {
				f[k] = values[k][name]
			}
			cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: meta, Axis: axis, Col: capture.NewColumn(capture.Data{F: f})})
		}
	}
	var sessions, samples, passes []string
	for _, i := range rows {
		sessions, samples, passes = append(sessions, "1"), append(samples, strconv.Itoa(i)), append(passes, p.rows[i].job.name)
	}
	cfg.Labels = []*capture.Label{capture.NewLabel("session", sessions, nil), capture.NewLabel("sample", samples, nil)}
	if o.Marks.Of(r.Chance(0.5)) {
		cfg.Labels = append(cfg.Labels, capture.NewLabel("pass", passes, nil))
	}
	return capture.New(cfg)
}
