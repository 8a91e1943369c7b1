package mali

import "math"

// total is a counter that is the sum of others by its description.
type total struct {
	of    string
	parts []string
}

var totals = []total{
	{"MaliExtBusRd", []string{"MaliExtBusRdOTQ1", "MaliExtBusRdOTQ2", "MaliExtBusRdOTQ3", hidden("MaliExtBusRdOTQ4")}},
	{"MaliExtBusWr", []string{"MaliExtBusWrOTQ1", "MaliExtBusWrOTQ2", "MaliExtBusWrOTQ3", hidden("MaliExtBusWrOTQ4")}},
	{"MaliExtBusRdBt", []string{"MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256",
		"MaliExtBusRdLat320", hidden("MaliExtBusRdLat384")}},
	{"MaliL2CacheLookup", []string{"MaliL2CacheRdLookup", "MaliL2CacheWrLookup", "MaliL2CacheSnpLookup"}},
	{"MaliGeomVisiblePrim", []string{"MaliGeomFrontFacePrim", "MaliGeomBackFacePrim"}},
	{"MaliGeomTrianglePrim", []string{"MaliGeomVisiblePrim", "MaliGeomFaceXYPlaneCullPrim", "MaliGeomZPlaneCullPrim",
		"MaliGeomFaceCullPrim", "MaliGeomPlaneCullPrim", "MaliGeomScissorCullPrim", "MaliGeomSampleCullPrim"}},
}

// bound says that counters together are no more than another, times the number of cores or slices where it says so.
type bound struct {
	parts         []string
	of            string
	cores, slices bool
}

func one(of string, parts ...string) (out []bound) {
	for _, p := range parts {
		out = append(out, bound{parts: []string{p}, of: of})
	}
	return out
}

const clockCycles = "gpu_clock_cycles"

var bounds = func() (out []bound) {
	out = one(clockCycles, "MaliGPUActiveCy")
	out = append(out, one("MaliGPUActiveCy", "MaliGPUAnyQueueActiveCy", "MaliGPUIRQActiveCy", "MaliFragQueueActiveCy", "MaliNonFragQueueActiveCy",
		"MaliBinningQueuedCy", "MaliMainQueuedCy", "MaliCompQueuedCy", "MaliTilerActiveCy", "MaliCSFMCUActiveCy", "MaliCSFCEUActiveCy",
		"MaliCSFLSUActiveCy", "MaliL2CacheFlushCy")...)
	out = append(out, bound{[]string{"MaliFragQueueWaitDepCy", "MaliFragQueueWaitFlushCy", "MaliFragQueueWaitRdCy", "MaliFragQueueWaitIssueCy",
		"MaliFragQueueWaitFinishCy"}, "MaliFragQueueActiveCy", false, false},
		bound{[]string{"MaliNonFragQueueWaitDepCy", "MaliNonFragQueueWaitFlushCy", "MaliNonFragQueueWaitRdCy", "MaliNonFragQueueWaitIssueCy",
			"MaliNonFragQueueWaitFinishCy"}, "MaliNonFragQueueActiveCy", false, false})
	for _, q := range []string{"Binning", "Main", "Comp"} {
		out = append(out, one("Mali"+q+"QueuedCy", "Mali"+q+"QueueAssignStallCy", "Mali"+q+"QueueDrainStallCy", "Mali"+q+"QueueIRQActiveCy")...)
	}
	for _, n := range []string{"0", "1", "2"} {
		out = append(out, one("MaliCSFCS"+n+"ActiveCy", "MaliCS"+n+"WaitStallCy")...)
	}
	out = append(out, one("MaliTilerActiveCy", "MaliTilerPosShadFIFOFullCy", "MaliTilerPosShadStallCy", "MaliTilerPrimAsPosShadStallCy",
		"MaliTilerVarShadStallCy")...)
	for _, p := range []string{"MaliAnyActiveCy", "MaliFragActiveCy", "MaliNonFragActiveCy"} {
		out = append(out, bound{[]string{p}, "MaliGPUActiveCy", true, false})
	}
	for _, p := range []string{"MaliExtBusRdStallCy", "MaliExtBusWrStallCy", "MaliL2CacheRdStallCy", "MaliL2CacheWrStallCy"} {
		out = append(out, bound{[]string{p}, "MaliGPUActiveCy", false, true})
	}
	out = append(out, bound{[]string{"MaliCoreActiveCy"}, "MaliGPUActiveCy", true, false})
	out = append(out, one("MaliAnyActiveCy", "MaliMainActiveCy", "MaliCompOrBinningActiveCy", "MaliCoreActiveCy")...)
	out = append(out, one("MaliMainActiveCy", "MaliFragFPKActiveCy", "MaliFragMainPassStallCy")...)
	out = append(out, one("MaliFragActiveCy", "MaliFragFPKActiveCy")...)
	out = append(out, one("MaliCoreActiveCy", "MaliEngInstr", "MaliEngSlot1IssueCy", "MaliEngSlotAnyIssueCy", "MaliEngStarveCy", "MaliTexFiltIssueCy",
		"MaliTexCacheLookup", "MaliTexCacheLookupCy", "MaliTexInBt", "MaliTexOutBt", "MaliTexIndexCy", "MaliTexL1CacheOutputCy", "MaliTexL1CacheLookupCy",
		"MaliTexCacheSimpleLoadCy", "MaliTexCacheComplexLoadCy", "MaliRTUBoxIssueCy", "MaliRTUTriIssueCy", "MaliBlendIssueCy", "MaliAttrIssueCy",
		"MaliEngTexBackpressureCy", "MaliEngLSBackpressureCy", "MaliEngVarBackpressureCy", "MaliEngBlendBackpressureCy", "MaliEngRTUBackpressureCy",
		"MaliEngZSBackpressureCy", "MaliEngAttrBackpressureCy")...)
	out = append(out, bound{parts: []string{"MaliLSFullRd", "MaliLSPartRd", "MaliLSFullWr", "MaliLSPartWr", "MaliLSAtomic"}, of: "MaliCoreActiveCy"})
	out = append(out, one("MaliFragRastQd", "MaliFragEZSTestQd", "MaliFragRastPartQd")...)
	out = append(out, one("MaliFragEZSTestQd", "MaliFragEZSKillQd", "MaliFragEZSUpdateQd")...)
	out = append(out, one("MaliFragLZSTestQd", "MaliFragLZSKillQd")...)
	out = append(out, one("MaliFragWarp", "MaliFragPartWarp", "MaliFragPrepassWarp")...)
	out = append(out, one("MaliFragTile", "MaliFragTileKill")...)
	out = append(out, one("MaliFragPrepassTestQd", "MaliFragPrepassKillQd")...)
	out = append(out, one("MaliL2CacheRdLookup", "MaliL2CacheRd")...)
	out = append(out, one("MaliL2CacheWrLookup", "MaliL2CacheWr")...)
	out = append(out, one("MaliTexQuadPass", "MaliTexQuadPassMip")...)
	out = append(out, one("MaliTexQuads", "MaliTexQuadPassTri", "MaliTexOutMsg")...)
	out = append(out, one("MaliTexOutMsg", "MaliTexOutSingleMsg")...)
	out = append(out, one("MaliTexCacheFetch", "MaliTexCacheCompressFetch")...)
	for _, u := range []string{"Tex", "LS", "FFE"} {
		out = append(out, one("MaliSCBus"+u+"L2RdBt", "MaliSCBus"+u+"ExtRdBt")...)
	}
	out = append(out, one("MaliSCBusRTUL2RdBt", "MaliSCBusRTUExtRdBt")...)
	out = append(out, bound{parts: []string{"MaliExtBusRdNoSnoop", "MaliExtBusRdUnique"}, of: "MaliExtBusRd"})
	out = append(out, bound{parts: []string{"MaliExtBusWrNoSnoopFull", "MaliExtBusWrNoSnoopPart", "MaliExtBusWrSnoopFull", "MaliExtBusWrSnoopPart"}, of: "MaliExtBusWr"})
	return out
}()

// whole turns sums into the numbers that hardware counts, a row after the other: what is less than one event is left
// for the next row, and so is what a bound takes away.
type whole struct {
	rec    *recorder
	carry  []float64
	values []float64 // of the last row
}

func (w *whole) next(r *row, clocks float64) {
	rec := w.rec
	scale := func(i int) float64 {
		if i < len(rec.entries) && rec.entries[i].Scaler > 1 {
			return float64(rec.entries[i].Scaler)
		}
		return 1
	}
	for i, v := range r.counts {
		v += w.carry[i]
		w.values[i] = math.Floor(v/scale(i)+1e-9) * scale(i)
		w.carry[i] = v - w.values[i]
	}
	for _, t := range totals {
		at, ok := rec.index[t.of]
		if !ok {
			continue
		}
		w.values[at] = 0
		for _, p := range t.parts {
			if i, ok := rec.index[p]; ok {
				w.values[at] += w.values[i]
			}
		}
	}
	for _, b := range bounds {
		most := clocks
		if b.of != clockCycles {
			at, ok := rec.index[b.of]
			if !ok {
				continue
			}
			most = w.values[at]
		}
		if b.cores {
			most *= float64(rec.m.cores)
		}
		if b.slices {
			most *= float64(rec.m.slices)
		}
		for _, p := range b.parts {
			i, ok := rec.index[p]
			if !ok {
				continue
			}
			if over := w.values[i] - most; over > 0 {
				w.values[i] -= over
				w.carry[i] += over
			}
			most -= w.values[i]
		}
	}
}
