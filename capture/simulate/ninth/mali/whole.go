package mali

import (
	"math"
	"strings"
)

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

const clockCycles = "gpu_clock_cycles"

// limits are, by line, a counter and those that are each no more than it, or all together where it has a plus. The
// names lack the Mali that all begin with.
const limits = `
GPUActiveCy: GPUAnyQueueActiveCy GPUIRQActiveCy FragQueueActiveCy NonFragQueueActiveCy BinningQueuedCy MainQueuedCy CompQueuedCy
GPUActiveCy: TilerActiveCy CSFMCUActiveCy CSFCEUActiveCy CSFLSUActiveCy L2CacheFlushCy
GPUActiveCy*cores: AnyActiveCy FragActiveCy NonFragActiveCy CoreActiveCy
GPUActiveCy*slices: ExtBusRdStallCy ExtBusWrStallCy L2CacheRdStallCy L2CacheWrStallCy
FragQueueActiveCy+: FragQueueWaitDepCy FragQueueWaitFlushCy FragQueueWaitRdCy FragQueueWaitIssueCy FragQueueWaitFinishCy
NonFragQueueActiveCy+: NonFragQueueWaitDepCy NonFragQueueWaitFlushCy NonFragQueueWaitRdCy NonFragQueueWaitIssueCy NonFragQueueWaitFinishCy
BinningQueuedCy: BinningQueueAssignStallCy TilerQueueDrainStallCy BinningQueueIRQActiveCy
MainQueuedCy: MainQueueAssignStallCy MainQueueIRQActiveCy
CompQueuedCy: CompQueueAssignStallCy CompQueueDrainStallCy CompQueueIRQActiveCy
CSFCS0ActiveCy: CS0WaitStallCy
CSFCS1ActiveCy: CS1WaitStallCy
CSFCS2ActiveCy: CS2WaitStallCy
TilerActiveCy: TilerPosShadFIFOFullCy TilerPosShadStallCy TilerPrimAsPosShadStallCy TilerVarShadStallCy
AnyActiveCy: MainActiveCy CompOrBinningActiveCy CoreActiveCy
MainActiveCy: FragFPKActiveCy FragMainPassStallCy
FragActiveCy: FragFPKActiveCy
CoreActiveCy: EngInstr EngSlot1IssueCy EngSlotAnyIssueCy EngStarveCy BlendIssueCy AttrIssueCy RTUBoxIssueCy RTUTriIssueCy
CoreActiveCy: TexFiltIssueCy TexCacheLookup TexCacheLookupCy TexInBt TexOutBt TexIndexCy TexL1CacheOutputCy TexL1CacheLookupCy
CoreActiveCy: TexCacheSimpleLoadCy TexCacheComplexLoadCy EngTexBackpressureCy EngLSBackpressureCy EngVarBackpressureCy
CoreActiveCy: EngBlendBackpressureCy EngRTUBackpressureCy EngZSBackpressureCy EngAttrBackpressureCy
CoreActiveCy+: LSFullRd LSPartRd LSFullWr LSPartWr LSAtomic
FragRastQd: FragEZSTestQd FragRastPartQd
FragEZSTestQd: FragEZSKillQd FragEZSUpdateQd
FragLZSTestQd: FragLZSKillQd
FragWarp: FragPartWarp FragPrepassWarp
FragTile: FragTileKill
FragPrepassTestQd: FragPrepassKillQd
L2CacheRdLookup: L2CacheRd
L2CacheWrLookup: L2CacheWr
TexQuadPass: TexQuadPassMip
TexQuads: TexQuadPassTri
TexOutMsg: TexOutSingleMsg
TexCacheFetch: TexCacheCompressFetch
SCBusTexL2RdBt: SCBusTexExtRdBt
SCBusLSL2RdBt: SCBusLSExtRdBt
SCBusFFEL2RdBt: SCBusFFEExtRdBt
SCBusRTUL2RdBt: SCBusRTUExtRdBt
ExtBusRd+: ExtBusRdNoSnoop ExtBusRdUnique
ExtBusWr+: ExtBusWrNoSnoopFull ExtBusWrNoSnoopPart ExtBusWrSnoopFull ExtBusWrSnoopPart`

var bounds = func() []bound {
	out := []bound{{parts: []string{"MaliGPUActiveCy"}, of: clockCycles}}
	for line := range strings.Lines(limits[1:]) {
		of, list, _ := strings.Cut(line, ":")
		of, together := strings.CutSuffix(of, "+")
		of, cores := strings.CutSuffix(of, "*cores")
		of, slices := strings.CutSuffix(of, "*slices")
		b := bound{nil, "Mali" + of, cores, slices}
		for _, name := range strings.Fields(list) {
			if b.parts = append(b.parts, "Mali"+name); !together {
				out, b.parts = append(out, b), nil
			}
		}
		if together {
			out = append(out, b)
		}
	}
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
