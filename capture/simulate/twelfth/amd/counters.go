package amd

import "math"

// counter is one of GPA's public counters.
type counter struct {
	name string
	run  int
	of   func(r *reading) float64
}

// pair makes the two forms of a time: a percentage and clocks.
func pair(name, cycles string, run int, ns func(r *reading) float64) []counter {
	return []counter{{name, run, func(r *reading) float64 { return r.pct(ns(r)) }},
		{cycles, run, func(r *reading) float64 { return r.clocks(ns(r)) }}}
}

// cache makes the four counters of a cache.
func cache(name string, run int, of func(r *reading) (all, miss float64)) []counter {
	part := func(f func(all, miss float64) float64) func(r *reading) float64 {
		return func(r *reading) float64 { return f(of(r)) }
	}
	return []counter{
		{name + "Hit", run, part(func(all, miss float64) float64 { return 100 * ratio(all-miss, all) })},
		{name + "RequestCount", run, part(func(all, _ float64) float64 { return all })},
		{name + "HitCount", run, part(func(all, miss float64) float64 { return all - miss })},
		{name + "MissCount", run, part(func(_, miss float64) float64 { return miss })},
	}
}

// quads is a share of the quads of a draw.
func (r *reading) quads(part float64) float64 { return math.Round(r.ofDraws(r.d.quads * part)) }

var counters = func() (out []counter) {
	add := func(list ...counter) { out = append(out, list...) }
	one := func(name string, run int, of func(r *reading) float64) { add(counter{name, run, of}) }
	zero := func(*reading) float64 { return 0 }
	stage := func(name string, ns func(r *reading) float64) {
		add(pair(name+"Busy", name+"BusyCycles", inSPI, ns)...)
		one(name+"Time", inSPI, func(r *reading) float64 { return r.pct(ns(r)) / 100 * r.ns * r.time[r.run] })
	}
	one("GPUTime", inTime, func(r *reading) float64 { return math.Round(r.ns*r.time[inTime]/10) * 10 })
	one("ExecutionDuration", inTime, func(r *reading) float64 {
		return math.Round((r.ns*r.time[inTime]+r.m.front*400)/10) * 10
	})
	one("GPUBusy", inBusy, func(r *reading) float64 { return 100 * r.busy() / r.ns })
	one("GPUBusyCycles", inBusy, func(r *reading) float64 { return r.busy() * r.time[inBusy] * r.q.ghz })
	stage("VsGs", func(r *reading) float64 { return r.o.vs.sum })
	stage("PS", func(r *reading) float64 { return r.o.ps.sum })
	stage("CS", func(r *reading) float64 { return r.o.cs.sum })
	stage("PreTessellation", zero)
	stage("PostTessellation", zero)
	add(pair("TessellatorBusy", "TessellatorBusyCycles", inSPI, zero)...)
	add(pair("PrimitiveAssemblyBusy", "PrimitiveAssemblyBusyCycles", inPA, func(r *reading) float64 { return r.assembly() })...)
	add(pair("TexUnitBusy", "TexUnitBusyCycles", inTA, func(r *reading) float64 { return r.ta() })...)
	add(pair("MemUnitBusy", "MemUnitBusyCycles", inTA, func(r *reading) float64 { return r.ta() })...)
	add(pair("MemUnitStalled", "MemUnitStalledCycles", inL0, func(r *reading) float64 { return r.busiest(r.o.taStall.sum) })...)
	add(pair("WriteUnitStalled", "WriteUnitStalledCycles", inMemory, func(r *reading) float64 { return r.busiest(r.o.wrStall.sum) })...)
	add(pair("DepthStencilTestBusy", "DepthStencilTestBusyCycles", inDB, func(r *reading) float64 { return r.ofDepth(r.busiest(r.o.dbBusy.sum)) })...)
	add(pair("ZUnitStalled", "ZUnitStalledCycles", inDB, func(r *reading) float64 { return r.ofPixels(r.o.zStall.sum) })...)
	add(pair("PSExportStalls", "PSExportStallsCycles", inSX, func(r *reading) float64 { return r.ofPixels(r.busiest(r.o.exports.sum)) })...)
	add(pair("PAStalledOnRasterizer", "PAStalledOnRasterizerCycles", inPA, func(r *reading) float64 { return r.busiest(r.o.paStall.sum) })...)
	add(pair("CSLDSBankConflict", "CSLDSBankConflictCycles", inSQ, func(r *reading) float64 { return r.conflicts() })...)
	add(pair("CSALUStalledByLDS", "CSALUStalledByLDSCycles", inSQ, func(r *reading) float64 { return r.ofCompute(r.o.ldsWait) })...)

	one("CSThreadGroupsLaunched", inSPI, func(r *reading) float64 { return r.groups() })
	one("CSThreadGroupSize", inSPI, func(r *reading) float64 { return r.ofCompute(ratio(r.d.cs.waves*32, r.groups())) })
	one("CSThreadsLaunched", inSPI, func(r *reading) float64 { return r.ofCompute(r.d.cs.waves * 32) })
	one("CSWavefrontsLaunched", inSPI, func(r *reading) float64 { return r.ofCompute(r.waves()) })
	one("CSVALUInsts", inSQ, func(r *reading) float64 { return r.ofCompute(r.s.valu) })
	one("CSVALUUtilization", inSQ, func(r *reading) float64 { return r.ofCompute(100 * r.s.lanes) })
	one("CSSALUInsts", inSQ, func(r *reading) float64 { return r.ofCompute(r.s.salu) })
	one("CSSFetchInsts", inSQ, func(r *reading) float64 { return r.ofCompute(r.s.smem) })
	one("CSVFetchInsts", inSQ, func(r *reading) float64 { return r.ofCompute(r.s.tex + r.s.load + r.s.rays) })
	one("CSVWriteInsts", inSQ, func(r *reading) float64 { return r.ofCompute(r.s.store) })
	one("CSLDSInsts", inSQ, func(r *reading) float64 { return r.ofCompute(r.s.lds) })
	one("CSGDSInsts", inSQ, zero)

	one("VsGsVALUInstCount", inSQ, func(r *reading) float64 { return r.ofDraws(r.d.vs.valu) })
	one("VsGsSALUInstCount", inSQ, func(r *reading) float64 { return r.ofDraws(r.d.vs.salu) })
	one("VsGsVerticesIn", inPA, func(r *reading) float64 { return math.Round(r.ofDraws(r.d.verts)) })
	one("VsGsPrimsIn", inPA, func(r *reading) float64 { return math.Round(r.ofDraws(r.d.prims)) })
	one("PrimitivesIn", inPA, func(r *reading) float64 { return math.Round(r.ofDraws(r.d.prims)) })
	one("CulledPrims", inPA, func(r *reading) float64 { return math.Round(r.ofDraws(r.d.prims * r.d.culled)) })
	one("ClippedPrims", inPA, func(r *reading) float64 { return math.Round(r.ofDraws(r.d.prims * r.d.clipped)) })
	one("PSPixelsOut", inSX, func(r *reading) float64 { return math.Round(r.ofPixels(r.d.out() * 4 * 0.93 * r.d.targets)) })

	early := func(r *reading) float64 { return (1 - r.d.hiz) * r.d.early * b2f(!r.d.late) }
	on := func(r *reading) float64 { return r.quads(1) - r.quads(r.d.hiz) - r.quads(early(r)) }
	one("HiZQuadsCulled", inSC, func(r *reading) float64 { return 100 * ratio(r.quads(r.d.hiz), r.quads(1)) })
	one("HiZQuadsCulledCount", inSC, func(r *reading) float64 { return r.quads(r.d.hiz) })
	one("HiZQuadsAcceptedCount", inSC, func(r *reading) float64 { return r.quads(1) - r.quads(r.d.hiz) })
	one("PreZQuadsCulled", inSC, func(r *reading) float64 { return 100 * ratio(r.quads(early(r)), r.quads(1)) })
	one("PreZQuadsCulledCount", inSC, func(r *reading) float64 { return r.quads(early(r)) })
	one("PreZQuadsSurvivingCount", inSC, func(r *reading) float64 { return on(r) })
	one("PostZQuads", inSC, func(r *reading) float64 { return 100 * ratio(on(r), r.quads(1)) })
	one("PostZQuadCount", inSC, func(r *reading) float64 { return on(r) })
	samples := func(name string, late bool, of func(d *draw) float64) {
		one(name, inDB, func(r *reading) float64 {
			return math.Round(r.ofDepth(r.d.quads*(1-r.d.hiz)*4*r.d.samples*0.93*of(r.d)) * b2f(r.d.late == late))
		})
	}
	for i, when := range []string{"PreZSamples", "PostZSamples"} {
		samples(when+"Passing", i == 1, func(d *draw) float64 { return 1 - d.early })
		samples(when+"FailingZ", i == 1, func(d *draw) float64 { return d.early })
		samples(when+"FailingS", i == 1, func(*draw) float64 { return 0 })
	}
	bytes := func(name string, run int, of func(r *reading) float64) {
		one(name, run, func(r *reading) float64 { return 32 * r.loose(of(r)/32) })
	}
	bytes("DBMemRead", inDB, func(r *reading) float64 { return r.q.dbRead })
	bytes("DBMemWritten", inDB, func(r *reading) float64 { return r.q.dbWrite })
	bytes("CBMemRead", inCB, func(r *reading) float64 { return r.q.cbRead })
	bytes("CBMemWritten", inCB, func(r *reading) float64 { return r.q.cbWrite })
	bytes("CBColorAndMaskRead", inCB, func(r *reading) float64 { return r.q.cbRead*1.04 + r.q.cbWrite*0.02 })
	bytes("CBColorAndMaskWritten", inCB, func(r *reading) float64 { return r.q.cbWrite * 1.05 })
	slow := func(r *reading) float64 { return b2f(r.d.colors() && r.d.cbClocks >= 2) }
	one("CBSlowPixelPct", inCB, func(r *reading) float64 { return 100 * slow(r) })
	one("CBSlowPixelCount", inCB, func(r *reading) float64 { return math.Round(slow(r) * r.ofPixels(r.d.out()*r.d.targets)) })

	add(cache("L0Cache", inL0, (*reading).l0)...)
	add(cache("L1Cache", inL1, (*reading).l1)...)
	add(cache("L2Cache", inL2, (*reading).l2)...)
	one("L2CacheMiss", inL2, func(r *reading) float64 { all, miss := r.l2(); return 100 * ratio(miss, all) })
	add(cache("ScalarCache", inScalar, func(r *reading) (float64, float64) {
		n := r.loose(r.s.smem * r.s.waves)
		return n, math.Round(n * r.s.missScalar)
	})...)
	add(cache("InstCache", inScalar, func(r *reading) (float64, float64) {
		n := r.loose(r.s.valu * r.s.waves / 10)
		return n, math.Round(n * r.s.missInst)
	})...)
	one("L0TagConflictReadStalledCycles", inL0, func(r *reading) float64 {
		return r.clocks(r.o.busy[rTA] * (1 - r.w.texture) * min(0.6, (r.s.lines-1)/40))
	})
	one("L0TagConflictWriteStalledCycles", inL0, func(r *reading) float64 {
		return r.clocks(r.o.busy[rTA] * (1 - r.w.texture) * 0.05 * min(1, r.s.store))
	})
	one("L0TagConflictAtomicStalledCycles", inL0, zero)
	one("FetchSize", inMemory, (*reading).read)
	one("WriteSize", inMemory, (*reading).written)
	one("LocalVidMemBytes", inMemory, func(r *reading) float64 { return r.read() + r.written() })
	one("PcieBytes", inMemory, zero)

	one("TexTriFilteringPct", inTA, func(r *reading) float64 { return 100 * r.s.trilinear * min(1, r.s.tex*1e6) })
	one("TexTriFilteringCount", inTA, func(r *reading) float64 { return math.Round(r.sampled() * r.s.trilinear) })
	one("NoTexTriFilteringCount", inTA, func(r *reading) float64 { return math.Round(r.sampled() * (1 - r.s.trilinear)) })
	one("TexVolFilteringPct", inTA, func(r *reading) float64 { return 100 * r.s.volume * min(1, r.s.tex*1e6) })
	one("TexVolFilteringCount", inTA, func(r *reading) float64 { return math.Round(r.sampled() * r.s.volume) })
	one("NoTexVolFilteringCount", inTA, func(r *reading) float64 { return math.Round(r.sampled() * (1 - r.s.volume)) })
	one("TexAveAnisotropy", inTA, func(r *reading) float64 { return min(16, r.s.aniso) * min(1, r.s.tex*1e6) })

	one("RayBoxTests", inTD, func(r *reading) float64 { boxes, _ := r.tests(); return boxes })
	one("RayTriTests", inTD, func(r *reading) float64 { _, triangles := r.tests(); return triangles })
	one("TotalRayTests", inTD, func(r *reading) float64 { boxes, triangles := r.tests(); return boxes + triangles })
	return out
}()

func (r *reading) groups() float64 {
	return r.ofCompute(math.Ceil(r.d.cs.waves * 32 / max(1, r.d.cs.group)))
}
