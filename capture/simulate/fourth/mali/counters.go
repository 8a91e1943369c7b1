package mali

import (
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
)

// plain are counters, by Arm's machine names, that count an event.
var plain = map[string]int{
	"MaliGeomTrianglePrim": evTri, "MaliGeomLinePrim": evLine, "MaliGeomPointPrim": evPoint, "MaliGeomVisiblePrim": evVisible,
	"MaliGeomFaceCullPrim": evFace, "MaliGeomPlaneCullPrim": evPlane, "MaliGeomSampleCullPrim": evSample, "MaliGeomScissorCullPrim": evScissor,
	"MaliGeomVisibleDVSPrim": evDVS, "MaliTilerRdBt": evTilerRd, "MaliGeomPosShadTask": evPosTask, "MaliGeomVarShadTask": evVarTask,
	"MaliTilerPosCacheHit": evPosHit, "MaliTilerPosCacheMiss": evPosMiss, "MaliTilerVarCacheHit": evVarHit, "MaliTilerVarCacheMiss": evVarMiss,
	"MaliFragRdPrim": evLoadPrim, "MaliFragRastPrim": evRastPrim, "MaliFragRastQd": evQuad, "MaliFragRastPartQd": evPartQuad,
	"MaliFragRastCoarseQd": evCoarse, "MaliFragEZSTestQd": evEZSTest, "MaliFragEZSUpdateQd": evEZSUpdate, "MaliFragEZSKillQd": evEZSKill,
	"MaliFragLZSTestQd": evLZSTest, "MaliFragLZSKillQd": evLZSKill, "MaliFragOpaqueQd": evOpaque, "MaliFragTile": evTile,
	"MaliFragTileKill": evTileKill, "MaliFragWarp": evFragWarp, "MaliFragThread": evFragThread, "MaliFragQueueTask": evFragTask,
	"MaliMainQueueTask": evFragTask, "MaliNonFragWarp": evOtherWarp, "MaliNonFragTask": evNonFragTask,
	"MaliCompQueueTask": evCompTask, "MaliCoreAllRegsWarp": evRegs, "MaliCoreFullWarp": evFull, "MaliEngFMAInstr": evFMA,
	"MaliEngCVTInstr": evCVT, "MaliEngSFUInstr": evSFU, "MaliEngNarrowInstr": evNarrow, "MaliEngDivergedInstr": evDiverged,
	"MaliEngICacheMiss": evICacheMiss, "MaliEngSWBlendInstr": evBlendCall, "MaliTexOutMsg": evTexMsg, "MaliTexOutSingleMsg": evTexSingle,
	"MaliTexFiltIssueCy": evTexFilt, "MaliTexInBt": evTexIn, "MaliTexOutBt": evTexOut, "MaliTexIndexCy": evTexIndex,
	"MaliTexCacheLookupCy": evTexLook, "MaliTexCacheSimpleLoadCy": evTexSimple, "MaliTexCacheComplexLoadCy": evTexComplex,
	"MaliTexL1CacheLoadCy": evTexL1Load, "MaliTexL1CacheOutputCy": evTexL1Out, "MaliTexL1CacheLookupCy": evTexL1Look,
	"MaliTexFullBiFiltCy": evTexBi, "MaliTexFullTriFiltCy": evTexTri, "MaliLSFullRd": evLSFullRd, "MaliLSPartRd": evLSPartRd,
	"MaliLSFullWr": evLSFullWr, "MaliLSPartWr": evLSPartWr, "MaliLSAtomic": evLSAtomic, "MaliVarInstr": evVarInstr,
	"MaliVar32IssueSlot": evV32, "MaliVar16IssueSlot": evV16, "MaliAttrInstr": evAttr, "MaliSCBusFFEL2RdBt": evFFEL2,
	"MaliSCBusFFEExtRdBt": evFFEExt, "MaliSCBusLSL2RdBt": evLSL2, "MaliSCBusLSExtRdBt": evLSExt, "MaliSCBusTexL2RdBt": evTexL2,
	"MaliSCBusTexExtRdBt": evTexExt, "MaliSCBusOtherL2RdBt": evOther, "MaliSCBusLSOtherWrBt": evLSOtherWr, "MaliSCBusTileWrBt": evTileWr,
	"MaliSCBusLSWBWrBt": evLSWB, "MaliRTURay": evRay, "MaliRTUBox": evBox, "MaliRTUTri": evTriTest, "MaliRTUBoxIssueCy": evBoxCy,
	"MaliRTUTriIssueCy": evTriCy, "MaliL2CacheRdLookup": evRdLine, "MaliL2CacheWrLookup": evWrLine,
}

// levels are counters of the time that something was so.
var levels = map[string]int{
	"MaliGPUActiveCy": stGPU, "MaliGPUAnyQueueActiveCy": stAny, "MaliGPUIRQActiveCy": stIRQ, "MaliGPUIRQ": stIRQs, "MaliL2CacheFlushCy": stFlush,
	"MaliL2CacheFlush": stFlushes, "MaliCSFMCUActiveCy": stMCU, "MaliCSFCEUActiveCy": stCEU, "MaliCSFLSUActiveCy": stLSU,
	"MaliBinningQueuedCy": stQueued + queueGeometry, "MaliBinningQueueJob": stJobs + queueGeometry,
	"MaliBinningQueueAssignStallCy": stStall + queueGeometry, "MaliTilerQueueDrainStallCy": stDrain + queueGeometry,
	"MaliCompQueuedCy": stQueued + queueCompute, "MaliCompQueueJob": stJobs + queueCompute, "MaliCompQueueAssignStallCy": stStall + queueCompute,
	"MaliCompQueueDrainStallCy": stDrain + queueCompute, "MaliMainQueuedCy": stQueued + queueFragment, "MaliMainQueueJob": stJobs + queueFragment,
	"MaliMainQueueAssignStallCy": stStall + queueFragment,
	// Drivers give geometry, fragments and compute a stream each.
	"MaliCSFCS0ActiveCy": stStream + queueGeometry, "MaliCS0WaitStallCy": stWait + queueGeometry, "MaliCSFCS1ActiveCy": stStream + queueFragment,
	"MaliCS1WaitStallCy": stWait + queueFragment, "MaliCSFCS2ActiveCy": stStream + queueCompute, "MaliCS2WaitStallCy": stWait + queueCompute,
	"MaliTilerActiveCy": stTiler, "MaliTilerPosShadStallCy": stPosStall, "MaliTilerVarShadStallCy": stVarStall,
	"MaliTilerPosShadFIFOFullCy": stPosFull, "MaliTilerPrimAsPosShadStallCy": stAssembly,
	"MaliMainActiveCy": stFrag, "MaliFragActiveCy": stFrag, "MaliFragFPKActiveCy": stFPK, "MaliCompOrBinningActiveCy": stOther,
	"MaliNonFragActiveCy": stOther, "MaliCoreActiveCy": stCore, "MaliAnyActiveCy": stWork, "MaliEngStarveCy": stStarve,
	"MaliTexDescStallCy": stTexDesc, "MaliTexDataFetchStallCy": stTexFetch, "MaliTexFiltStallCy": stTexFilt, "MaliTexClkStarvedCy": stTexStarve,
	"MaliTexClkActiveCy": stTexClock, "MaliL2CacheRdStallCy": stL2Rd, "MaliL2CacheWrStallCy": stL2Wr, "MaliExtBusRdStallCy": stExtRd,
	"MaliExtBusWrStallCy": stExtWr, "MaliFragQueueJob": stJobs + queueFragment, "MaliNonFragQueueJob": stJobs + queueGeometry,
	"MaliExtBusRdLat0": stLatency, "MaliExtBusRdLat128": stLatency + 1, "MaliExtBusRdLat192": stLatency + 2, "MaliExtBusRdLat256": stLatency + 3,
	"MaliExtBusRdLat320": stLatency + 4, "MaliExtBusRdOTQ1": stReads, "MaliExtBusRdOTQ2": stReads + 1, "MaliExtBusRdOTQ3": stReads + 2,
	"MaliExtBusWrOTQ1": stWrites, "MaliExtBusWrOTQ2": stWrites + 1, "MaliExtBusWrOTQ3": stWrites + 2,
}

// quantity is what a counter of a machine name holds in a sample.
type quantity func(x *sums) float64

// quantities are the counters that are neither.
func (m *machine) quantities(t *tally, r simulate.Random) map[string]quantity {
	back, coherent := r.Between(0.02, 0.4), simulate.Pick[float64](r, 0, 0, r.Between(0.02, 0.1))
	pages := r.Log(0.004, 0.03)
	// What hardware and drivers do beside, which differs between them: habits.
	h := simulate.NewRandom(t.s.p.seed, "fourth habits")
	walked, second, partial := h.Between(0.1, 0.4), h.Between(0.1, 0.4), h.Log(0.01, 0.2)
	snooped, evicted, clean, inner := h.Log(0.003, 0.08), h.Log(0.01, 0.12), h.Log(0.005, 0.05), h.Log(0.003, 0.03)
	readWait, flushWait, issueWait := h.Between(0.15, 0.4), h.Between(0.1, 0.3), h.Between(0.2, 0.4)
	out := map[string]quantity{}
	st := func(name string, i int, share float64) {
		out[name] = func(x *sums) float64 { return share * x.st[i] }
	}
	ev := func(name string, i int, share float64) {
		out[name] = func(x *sums) float64 { return share * x.ev[i] }
	}
	ev("MaliExtBusRd", evRdBytes, 1.0/64)
	ev("MaliExtBusRdNoSnoop", evRdBytes, (1-coherent)/64)
	ev("MaliExtBusRdUnique", evRdBytes, coherent*0.3/64)
	ev("MaliExtBusRdBt", evRdBytes, 1/m.bus)
	ev("MaliExtBusWr", evWrBytes, 1.0/64)
	ev("MaliExtBusWrBt", evWrBytes, 1/m.bus)
	ev("MaliExtBusWrNoSnoopFull", evWrBytes, (1-partial-coherent)/64)
	ev("MaliExtBusWrNoSnoopPart", evWrBytes, partial/64)
	ev("MaliExtBusWrSnoopFull", evWrBytes, coherent/64)
	out["MaliL2CacheLookup"] = func(x *sums) float64 { return x.ev[evRdLine] + x.ev[evWrLine] }
	ev("MaliMMULookup", evRdLine, pages)
	ev("MaliMMUL3Hit", evRdLine, pages*(1-walked-second*(1-walked)))
	ev("MaliMMUL2Hit", evRdLine, pages*second*(1-walked))
	ev("MaliMMUL3Rd", evRdLine, pages*walked)
	ev("MaliMMUL2Rd", evRdLine, pages*walked*second)
	ev("MaliL2CacheRd", evRdLine, 0.98)
	ev("MaliL2CacheWr", evWrLine, 1-snooped)
	ev("MaliL2CacheSnp", evWrLine, snooped)
	ev("MaliL2CacheL1Wr", evWrLine, inner/2)
	ev("MaliL2CacheL1Rd", evWrLine, inner)
	ev("MaliL2CacheEvict", evWrLine, evicted)
	ev("MaliL2CacheCleanUnique", evWrLine, clean)
	st("MaliL2CacheL1RdStallCy", stL2Rd, 0.01)
	ev("MaliGeomBackFacePrim", evVisible, back)
	ev("MaliGeomFrontFacePrim", evVisible, 1-back)
	// Early Valhall counts what lies outside the picture at its edges with what faces away.
	out["MaliGeomFaceXYPlaneCullPrim"] = func(x *sums) float64 { return x.ev[evFace] + x.ev[evScissor] + 0.8*x.ev[evPlane] }
	ev("MaliGeomZPlaneCullPrim", evPlane, 0.2)
	out["MaliBinningQueueTask"] = func(x *sums) float64 { return x.ev[evPosTask] / 16 }
	out["MaliNonFragQueueTask"] = func(x *sums) float64 { return x.ev[evPosTask]/16 + x.ev[evCompTask] }
	for i, q := range []string{"Binning", "Comp", "Main"} {
		of := [...]int{queueGeometry, queueCompute, queueFragment}[i]
		st("Mali"+q+"QueueIRQActiveCy", stJobs+of, 300)
	}
	for of, q := range []string{"MaliFragQueue", "MaliNonFragQueue"} {
		out[q+"ActiveCy"] = func(x *sums) float64 { return x.st[stQueued+of] + t.hard*x.st[stWait+of] }
		st(q+"WaitDepCy", stWait+of, t.hard)
		st(q+"WaitRdCy", stIssue+of, readWait)
		out[q+"WaitIssueCy"] = func(x *sums) float64 { return issueWait*x.st[stIssue+of] + x.st[stStall+of] }
		st(q+"WaitFlushCy", stIssue+of, flushWait)
		st(q+"WaitFinishCy", stEnding+of, 1)
	}
	bins := func(name string, of int, shares ...float64) {
		for i, b := range [...]string{"1", "5", "9", "13"} {
			ev(name+b, of, shares[i])
		}
	}
	bins("MaliRTUTriBin", evTriCy, 0.3, 0.3, 0.25, 0.15)
	bins("MaliRTUBoxBin", evBoxCy, 0.2, 0.3, 0.3, 0.2)
	ev("MaliRTUOpaqueHit", evRay, 0.6)
	ev("MaliRTUNonOpaqueHit", evRay, 0.08)
	ev("MaliRTUFirstHitTerm", evRay, 0.2)
	ev("MaliRTUMiss", evRay, 0.35)
	for of, name := range map[int]string{queueGeometry: "TILER_TOTAL_IDVS_TASK", queueCompute: "COMP_TOTAL_TASK", queueFragment: "FRAG_TOTAL_TASK"} {
		st("ITER_"+name+"_ACTIVE_CYCLES", stTasks+of, 1)
	}
	for name, i := range plain {
		ev(name, i, 1)
	}
	for name, i := range levels {
		st(name, i, 1)
	}
	return out
}

// fit are sums that cannot be more than others: counts are cut into whole numbers, each for itself.
type fit struct {
	parts   []string
	of      []string
	less    []string
	by      float64
	perCore bool // times the cores
	perPart bool // times the slices of the cache
}

func under(of string, by float64, parts ...string) fit {
	return fit{of: []string{of}, by: by, parts: parts}
}

// fits are in the order in which they hold.
var fits = []fit{
	under("gpu_clock_cycles", 1, "MaliGPUActiveCy"), under("MaliGPUActiveCy", 1, "MaliGPUAnyQueueActiveCy"),
	under("MaliGPUActiveCy", 1, "MaliCSFCEUActiveCy"), under("MaliGPUActiveCy", 1, "MaliCSFMCUActiveCy"), under("MaliGPUActiveCy", 1, "MaliCSFLSUActiveCy"),
	under("MaliGPUActiveCy", 1, "MaliGPUIRQActiveCy"), under("MaliGPUActiveCy", 1, "MaliTilerActiveCy"), under("MaliGPUActiveCy", 1, "MaliL2CacheFlushCy"),
	under("MaliGPUAnyQueueActiveCy", 1, "MaliBinningQueuedCy"), under("MaliGPUAnyQueueActiveCy", 1, "MaliMainQueuedCy"),
	under("MaliGPUAnyQueueActiveCy", 1, "MaliCompQueuedCy"), under("MaliBinningQueuedCy", 1, "MaliBinningQueueAssignStallCy"),
	under("MaliMainQueuedCy", 1, "MaliMainQueueAssignStallCy"), under("MaliCompQueuedCy", 1, "MaliCompQueueAssignStallCy"),
	under("MaliGPUActiveCy", 1, "MaliFragQueueActiveCy"), under("MaliGPUActiveCy", 1, "MaliNonFragQueueActiveCy"),
	under("MaliCSFCS0ActiveCy", 1, "MaliCS0WaitStallCy"), under("MaliCSFCS1ActiveCy", 1, "MaliCS1WaitStallCy"), under("MaliCSFCS2ActiveCy", 1, "MaliCS2WaitStallCy"),
	under("MaliTilerActiveCy", 1, "MaliTilerPosShadStallCy"), under("MaliTilerActiveCy", 1, "MaliTilerVarShadStallCy"),
	under("MaliTilerActiveCy", 1, "MaliTilerPosShadFIFOFullCy"), under("MaliTilerActiveCy", 1, "MaliTilerPrimAsPosShadStallCy"),
	{of: []string{"MaliGPUActiveCy"}, by: 1, perCore: true, parts: []string{"MaliAnyActiveCy"}},
	{of: []string{"MaliGPUActiveCy"}, by: 1, perCore: true, parts: []string{"MaliFragActiveCy"}},
	{of: []string{"MaliGPUActiveCy"}, by: 1, perCore: true, parts: []string{"MaliNonFragActiveCy"}},
	{of: []string{"MaliGPUActiveCy"}, by: 1, perCore: true, parts: []string{"MaliCoreActiveCy"}},
	under("MaliAnyActiveCy", 1, "MaliMainActiveCy"), under("MaliAnyActiveCy", 1, "MaliCompOrBinningActiveCy"), under("MaliAnyActiveCy", 1, "MaliCoreActiveCy"),
	under("MaliMainActiveCy", 1, "MaliFragFPKActiveCy"), under("MaliFragActiveCy", 1, "MaliFragFPKActiveCy"),
	under("MaliCoreActiveCy", 1, "MaliEngStarveCy"), under("MaliCoreActiveCy", 1, "MaliTexClkActiveCy"),
	{of: []string{"MaliGPUActiveCy"}, by: 1, perPart: true, parts: []string{"MaliExtBusRdStallCy"}},
	{of: []string{"MaliGPUActiveCy"}, by: 1, perPart: true, parts: []string{"MaliExtBusWrStallCy"}},
	{of: []string{"MaliGPUActiveCy"}, by: 1, perPart: true, parts: []string{"MaliL2CacheRdStallCy"}},
	{of: []string{"MaliGPUActiveCy"}, by: 1, perPart: true, parts: []string{"MaliExtBusRdBt"}},
	{of: []string{"MaliGPUActiveCy"}, by: 1, perPart: true, parts: []string{"MaliExtBusWrBt"}},
	{of: []string{"MaliGPUActiveCy"}, by: 1, perPart: true, parts: []string{"MaliL2CacheRdLookup", "MaliL2CacheWrLookup"}},
	under("MaliL2CacheRdLookup", 1, "MaliExtBusRd"), under("MaliL2CacheWrLookup", 1, "MaliExtBusWr"),
	under("MaliExtBusRd", 1, "MaliExtBusRdNoSnoop"), under("MaliExtBusRd", 1, "MaliExtBusRdOTQ1", "MaliExtBusRdOTQ2", "MaliExtBusRdOTQ3"),
	under("MaliExtBusWr", 1, "MaliExtBusWrOTQ1", "MaliExtBusWrOTQ2", "MaliExtBusWrOTQ3"),
	under("MaliExtBusWr", 1, "MaliExtBusWrNoSnoopFull", "MaliExtBusWrNoSnoopPart", "MaliExtBusWrSnoopFull"),
	under("MaliExtBusRdBt", 1, "MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256", "MaliExtBusRdLat320"),
	{of: []string{"MaliCoreActiveCy"}, by: 0.25, parts: []string{"MaliEngSFUInstr"}},
	under("MaliCoreActiveCy", 1, "MaliEngCVTInstr"), under("MaliCoreActiveCy", 1, "MaliTexFiltIssueCy"), under("MaliCoreActiveCy", 1, "MaliTexInBt"),
	under("MaliCoreActiveCy", 1, "MaliTexOutBt"), under("MaliCoreActiveCy", 1, "MaliTexIndexCy"), under("MaliCoreActiveCy", 1, "MaliTexCacheLookupCy"),
	under("MaliCoreActiveCy", 1, "MaliTexCacheSimpleLoadCy"), under("MaliCoreActiveCy", 1, "MaliTexCacheComplexLoadCy"),
	under("MaliCoreActiveCy", 1, "MaliTexL1CacheLookupCy"), under("MaliCoreActiveCy", 1, "MaliTexL1CacheOutputCy"),
	under("MaliTexFiltIssueCy", 1, "MaliTexFullBiFiltCy", "MaliTexFullTriFiltCy"),
	under("MaliCoreActiveCy", 1, "MaliLSFullRd", "MaliLSPartRd", "MaliLSFullWr", "MaliLSPartWr", "MaliLSAtomic"),
	under("MaliCoreActiveCy", 1, "MaliRTUBoxIssueCy"), under("MaliCoreActiveCy", 1, "MaliRTUTriIssueCy"), under("MaliTexOutMsg", 1, "MaliTexOutSingleMsg"),
	under("MaliFragRastQd", 1, "MaliFragRastPartQd"), under("MaliFragRastQd", 1, "MaliFragRastCoarseQd"), under("MaliFragRastQd", 1, "MaliFragEZSTestQd"),
	under("MaliFragEZSTestQd", 1, "MaliFragEZSKillQd"), under("MaliFragRastQd", 1, "MaliFragEZSUpdateQd"), under("MaliFragRastQd", 1, "MaliFragLZSTestQd"),
	under("MaliFragLZSTestQd", 1, "MaliFragLZSKillQd"), {of: []string{"MaliFragRastQd"}, by: 1, less: []string{"MaliFragEZSKillQd"}, parts: []string{"MaliFragOpaqueQd"}},
	{of: []string{"MaliFragRastQd"}, by: 0.25, less: []string{"MaliFragEZSKillQd"}, parts: []string{"MaliFragWarp"}},
	under("MaliFragWarp", 16, "MaliFragThread"), under("MaliFragWarp", 0.25, "MaliEngSWBlendInstr"),
	{of: []string{"MaliFragWarp", "MaliNonFragWarp"}, by: 1, parts: []string{"MaliCoreAllRegsWarp"}},
	{of: []string{"MaliFragWarp", "MaliNonFragWarp"}, by: 1, parts: []string{"MaliCoreFullWarp"}},
	under("MaliGeomVisiblePrim", 1, "MaliGeomVisibleDVSPrim"), under("MaliSCBusFFEL2RdBt", 1, "MaliSCBusFFEExtRdBt"),
	under("MaliSCBusLSL2RdBt", 1, "MaliSCBusLSExtRdBt"), under("MaliSCBusTexL2RdBt", 1, "MaliSCBusTexExtRdBt"),
}

// columns makes the counters of a layout.
func (m *machine) columns(cat *metrics.Catalogue, axis *capture.Axis, t *tally, base string, r simulate.Random) *simulate.Columns {
	c := simulate.NewColumns(axis)
	fill := m.quantities(t, r)
	at := map[string]int{}
	var of []quantity
	add := func(name string, meta capture.Meta, q quantity) int {
		i := c.Counter(meta)
		at[name] = i
		of = append(of, q)
		return i
	}
	clock := func(name, title string, state int) {
		add(name, capture.Meta{Name: name, Title: title, Unit: "cycles", Block: "clock", Source: m.reader()}, func(x *sums) float64 { return x.st[state] })
	}
	clock("gpu_clock_cycles", "GPU clock cycles", stClock)
	if m.csf && (m.coreRatio < 1 || r.Chance(0.4)) {
		clock("shader_clock_cycles", "Shader core clock cycles", stCoreClock)
	}
	whole := r.Chance(0.5)
	weights, parts := simulate.Near(r, m.cores, 0.03), simulate.Near(r, m.slices, 0.02)
	for _, e := range cat.Entries() {
		if e.IsMetric() || e.Index == 0 || e.GPU != base {
			continue
		}
		k := slices.IndexFunc(e.Aliases, func(a string) bool { return fill[a] != nil })
		q := func(*sums) float64 { return 0 } // what such programs do not do
		key := e.Name
		if k >= 0 {
			key = e.Aliases[k]
			q = fill[key]
		}
		i := add(key, capture.Meta{Name: e.Name, Title: e.Title, Unit: e.Unit, GPU: base, Block: e.Block, Aliases: e.Aliases, Source: m.reader()}, q)
		if e.Scaler > 1 {
			c.Scaled(i, e.Scaler)
		}
		switch {
		case whole:
		case e.Block == "core":
			c.Split(i, simulate.Numbers(m.cores), weights)
		case e.Block == "memory" && m.slices > 1:
			c.Split(i, simulate.Numbers(m.slices), parts)
		}
	}
	frequency := c.Gauge(capture.Meta{Name: "gpu_frequency", Title: "GPU frequency", Unit: "Hz", Block: "gpu", Source: m.reader()})
	heat := -1
	if r.Chance(0.7) {
		heat = c.Gauge(capture.Meta{Name: "gpu_temperature", Title: "GPU temperature", Unit: "celsius", Block: "gpu", Source: m.reader()})
	}
	m.rows(c, t, at, of, frequency, heat, r)
	return c
}

// rows fills in the samples.
func (m *machine) rows(c *simulate.Columns, t *tally, at map[string]int, of []quantity, frequency, heat int, r simulate.Random) {
	plan := &t.s.p.clock
	degrees := plan.cold + r.Between(0, 12)
	if plan.holder == simulate.ClockThermal {
		degrees = plan.hot
	}
	for _, row := range t.rows {
		x := &t.of[row-t.from]
		for i, q := range of {
			c.Add(i, q(x))
		}
		for i := range fits {
			fits[i].apply(c, at, m)
		}
		m.issue(c, at)
		// Sums of counters are made of what they are cut to.
		c.Fix(at["MaliL2CacheLookup"], c.Last(at["MaliL2CacheRdLookup"])+c.Last(at["MaliL2CacheWrLookup"]))
		c.Fix(at["MaliGeomFrontFacePrim"], c.Last(at["MaliGeomVisiblePrim"])-min(c.Last(at["MaliGeomBackFacePrim"]), c.Last(at["MaliGeomVisiblePrim"])))
		step := 0
		for _, k := range t.s.clocks {
			if k.at > float64(t.bounds.At(row+1)) {
				break
			}
			step = k.step
		}
		c.Set(frequency, m.hz*m.steps[step])
		if heat >= 0 {
			degrees += r.Between(-0.08, 0.08)
			c.Set(heat, float64(int(degrees*10))/10)
		}
	}
}

// apply cuts what is above the limit.
func (f *fit) apply(c *simulate.Columns, at map[string]int, m *machine) {
	room := 0.0
	for _, name := range f.of {
		i, ok := at[name]
		if !ok {
			return
		}
		room += float64(c.Last(i))
	}
	for _, name := range f.less {
		room -= float64(c.Last(at[name]))
	}
	room *= f.by
	if f.perCore {
		room *= float64(m.cores)
	}
	if f.perPart {
		room *= float64(m.slices)
	}
	for _, name := range f.parts {
		i, ok := at[name]
		if !ok {
			continue
		}
		c.Limit(i, uint64(max(0, room)))
		room -= float64(c.Last(i))
	}
}

// issue cuts instructions and interpolation to what the cores' cycles have room for.
func (m *machine) issue(c *simulate.Columns, at map[string]int) {
	core := c.Last(at["MaliCoreActiveCy"])
	cvt, sfu := at["MaliEngCVTInstr"], at["MaliEngSFUInstr"]
	fma := at["MaliEngFMAInstr"]
	if m.csf {
		c.Limit(cvt, core-min(core, c.Last(sfu)))
		c.Limit(fma, 2*core-min(2*core, c.Last(sfu)+c.Last(cvt)))
	} else {
		c.Limit(fma, core)
	}
	all := c.Last(fma) + c.Last(cvt) + c.Last(sfu)
	for _, name := range []string{"MaliEngNarrowInstr", "MaliEngDivergedInstr"} {
		if i, ok := at[name]; ok {
			c.Limit(i, all)
		}
	}
	room := uint64(m.slots) * core
	c.Limit(at["MaliVar32IssueSlot"], room)
	c.Limit(at["MaliVar16IssueSlot"], room-c.Last(at["MaliVar32IssueSlot"]))
}
