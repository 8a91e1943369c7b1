package mali

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// countersCSV holds the counters of the two layouts as this project's reader of the driver names them: layout, block,
// index, name, unit, scaler and aliases, of which the last is the machine name of Arm's database.
//
//go:embed counters.csv
var countersCSV string

// place is a counter of a layout.
type place struct {
	meta    capture.Meta
	machine string
	scale   uint64
}

func places(layout, gpu string) (out []place) {
	for line := range strings.Lines(countersCSV) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if f[0] != layout {
			continue
		}
		scale, _ := strconv.ParseUint(f[5], 10, 64)
		aliases := strings.Fields(f[6])
		m := capture.Meta{Name: f[3], Unit: f[4], Kind: capture.Delta, GPU: gpu, Block: f[1], Source: "kbase",
			Aliases: append(slices.Clone(aliases), f[1]+"_"+f[2])}
		out = append(out, place{m, aliases[len(aliases)-1], max(1, scale)})
	}
	return out
}

// values are a row's counters by machine name.
type values map[string]float64

// countable works out what the counters count in a row, apart from rounding.
func (p *program) countable(r *row, irq, busy float64) values {
	m, v, s := p.m, values{}, &r.state
	for i, units := range r.units {
		if units > 0 {
			for name, x := range p.w.segs[i].count {
				v[name] += x * units
			}
		}
	}
	binning, fragment := "Vert", "Frag"
	if m.five {
		binning, fragment = "Binning", "Main"
	}
	v["MaliGPUActiveCy"], v["MaliGPUAnyQueueActiveCy"] = s[sGPU], s[sAny]
	jobs := 0.0
	for i, q := range []string{binning, fragment, "Comp"} {
		queued := "Mali" + q + "QueuedCy"
		v[queued] = min(s[sAny], s[sQueued+i])
		v["Mali"+q+"QueueAssignStallCy"] = min(s[sQueued+i], s[sAssign+i]+s[sAssignMix+i])
		v["Mali"+q+"QueueJob"] = r.jobs[i]
		v["Mali"+q+"QueueIRQActiveCy"] = r.jobs[i] * m.irqNs * 0.1 * r.freq
		jobs += r.jobs[i]
	}
	v["MaliTilerQueueDrainStallCy"], v["MaliCompQueueDrainStallCy"] = s[sDrainMix+qBinning], s[sDrainMix+qCompute]
	v["ITER_TILER_TOTAL_IDVS_TASK_ACTIVE_CYCLES"] = s[sTasks+qBinning]
	v["ITER_COMP_TOTAL_TASK_ACTIVE_CYCLES"] = s[sTasks+qCompute]
	v["ITER_FRAG_TOTAL_TASK_ACTIVE_CYCLES"] = s[sTasks+qMain]
	for i := range 4 {
		n := string(rune('0' + i))
		v["MaliCSFCS"+n+"ActiveCy"] = s[sStream+i]
		v["MaliCS"+n+"WaitStallCy"] = s[sWait+i]
	}
	v["MaliGPUIRQ"] = r.jobs[qMain]*irq + r.jobs[qCompute]*irq*0.5
	v["MaliGPUIRQActiveCy"] = min(s[sGPU], v["MaliGPUIRQ"]*m.irqNs*r.freq)
	v["MaliCSFCEUActiveCy"], v["MaliCSFLSUActiveCy"] = s[sCEU], s[sLSU]
	v["MaliCSFMCUActiveCy"] = min(s[sGPU], s[sMCU]+jobs*m.irqNs*0.2*r.freq)
	v["MaliL2CacheFlushCy"], v["MaliL2CacheFlush"] = s[sFlush], s[sFlushes]

	main, other := "MaliFragActiveCy", "MaliNonFragActiveCy"
	if m.five {
		main, other = "MaliMainActiveCy", "MaliCompOrBinningActiveCy"
	}
	v[main], v[other] = s[sMain], s[sNonFrag]
	// A sample never has more issued than cycles with warps, as rounding and the means of the model might.
	v["MaliCoreActiveCy"] = max(s[sCore], v.most(m)+2)
	if v["MaliCoreActiveCy"] == 2 {
		v["MaliCoreActiveCy"] = s[sCore]
	}
	v["MaliAnyActiveCy"] = min(float64(m.cores)*s[sGPU], max(s[sCores], v["MaliCoreActiveCy"], s[sMain], s[sNonFrag]))
	v["MaliEngStarveCy"] = s[sStarve]
	v["MaliTexDescStallCy"], v["MaliTexDataFetchStallCy"], v["MaliTexFiltStallCy"] = s[sTexDesc], s[sTexFetch], s[sTexFilt]
	v["MaliTexClkStarvedCy"] = s[sTexStarved]
	v["MaliTexClkActiveCy"] = max(s[sTexClock], v["MaliTexFiltIssueCy"], v["MaliTexOutBt"], v["MaliTexInBt"], v["MaliTexIndexCy"])
	v["MaliFragFPKActiveCy"] = min(s[sMain], s[sFPK])
	v["MaliTilerActiveCy"] = s[sTiler]
	v["MaliTilerPosShadStallCy"], v["MaliTilerPosShadFIFOFullCy"] = s[sPosStall], s[sPosFull]
	v["MaliTilerVarShadStallCy"], v["MaliTilerPrimAsPosShadStallCy"] = s[sVarStall], s[sPrimWait]
	p.memory(v, s, busy)
	return v
}

// most is the most cycles that any unit of a core issued in, by Arm's formulas.
func (v values) most(m *machine) float64 {
	fma, cvt, sfu := v["MaliEngFMAInstr"], v["MaliEngCVTInstr"], v["MaliEngSFUInstr"]
	return max(m.issue(fma, cvt, sfu), v["MaliTexFiltIssueCy"], v["MaliTexInBt"], v["MaliTexOutBt"], v["MaliTexIndexCy"],
		v["MaliTexCacheLookupCy"], v["MaliTexL1CacheLookupCy"], (v["MaliVar16IssueSlot"]+v["MaliVar32IssueSlot"])/m.varRate,
		v["MaliLSFullRd"]+v["MaliLSPartRd"]+v["MaliLSFullWr"]+v["MaliLSPartWr"]+v["MaliLSAtomic"],
		v["MaliRTUBoxIssueCy"], v["MaliRTUTriIssueCy"])
}

// memory are the counters of L2 and of the bus. busy is how busy other devices keep the coherent interconnect.
func (p *program) memory(v values, s *[states]float64, busy float64) {
	m := p.m
	read, write := v["read"]/64, v["write"]/64
	v["MaliExtBusRd"], v["MaliExtBusRdBt"] = read, v["read"]/m.bus
	v["MaliExtBusWr"], v["MaliExtBusWrBt"] = write, v["write"]/m.bus
	v["MaliExtBusRdNoSnoop"], v["MaliExtBusRdUnique"] = read*(1-m.snoop)*0.96, read*0.02
	v["MaliExtBusWrNoSnoopFull"], v["MaliExtBusWrNoSnoopPart"] = write*(1-m.snoop)*0.93, write*(1-m.snoop)*0.07
	v["MaliExtBusWrSnoopFull"], v["MaliExtBusWrSnoopPart"] = write*m.snoop*0.93, write*m.snoop*0.07
	v["MaliExtBusRdStallCy"], v["MaliExtBusWrStallCy"] = s[sBusRd], s[sBusWr]
	for i, name := range []string{"0", "128", "192", "256", "320"} {
		v["MaliExtBusRdLat"+name] = s[sLat+i]
	}
	for i := range 3 {
		n := string(rune('1' + i))
		v["MaliExtBusRdOTQ"+n], v["MaliExtBusWrOTQ"+n] = s[sReads+i], s[sWrites+i]
	}
	h := &m.habit
	v["MaliL2CacheEvict"], v["MaliL2CacheCleanUnique"] = v["MaliL2CacheWr"]*0.1*h[6], v["MaliL2CacheWr"]*0.03*h[7]
	v["MaliL2CacheSnp"], v["MaliL2CacheSnpStallCy"] = v["MaliL2CacheRd"]*0.002*h[7], v["MaliL2CacheRd"]*0.0002*h[6]
	v["MaliL2CacheRdStallCy"], v["MaliL2CacheWrStallCy"] = s[sL2Rd], s[sL2Wr]
	v["MaliL2CacheL1Rd"], v["MaliL2CacheL1Wr"] = v["MaliL2CacheRd"]*0.02, v["MaliL2CacheWr"]*0.01
	v["MaliL2CacheL1RdStallCy"] = s[sL1Rd]
	v["MaliL2CacheIncSnp"] = busy * m.snoop * s[sCycles] * 1e-3
	v["MaliL2CacheIncSnpStallCy"] = v["MaliL2CacheIncSnp"] * 0.3
	v["MaliL2CacheSnpLookup"] = v["MaliL2CacheIncSnp"]
	v["MaliL2CacheLookup"] = v["MaliL2CacheRdLookup"] + v["MaliL2CacheWrLookup"] + v["MaliL2CacheSnpLookup"]
	look := (v["MaliL2CacheRd"] + v["MaliL2CacheWr"]) * 0.05 * h[7]
	v["MaliMMULookup"], v["MaliMMUL3Rd"], v["MaliMMUL2Rd"] = look, look*0.08*h[6], look*0.015*h[5]
	v["MaliMMUL3Hit"], v["MaliMMUL2Hit"] = look*min(0.9, 0.6*h[4]), look*min(0.08, 0.05*h[3])
}

// within lists counters that are part of others: rounding must not make them larger.
var within = [][2]string{
	{"MaliGPUActiveCy", "gpu_clock_cycles"}, {"MaliCSFCS0ActiveCy", "gpu_clock_cycles"}, {"MaliCSFCS1ActiveCy", "gpu_clock_cycles"},
	{"MaliCSFCS2ActiveCy", "gpu_clock_cycles"}, {"MaliCSFCS3ActiveCy", "gpu_clock_cycles"},
	{"MaliGPUAnyQueueActiveCy", "MaliGPUActiveCy"}, {"MaliTilerActiveCy", "MaliGPUActiveCy"},
	{"MaliGPUIRQActiveCy", "MaliGPUActiveCy"}, {"MaliCSFMCUActiveCy", "MaliGPUActiveCy"},
	{"MaliCSFCEUActiveCy", "MaliGPUActiveCy"}, {"MaliCSFLSUActiveCy", "MaliGPUActiveCy"},
	{"MaliBinningQueuedCy", "MaliGPUAnyQueueActiveCy"}, {"MaliVertQueuedCy", "MaliGPUAnyQueueActiveCy"},
	{"MaliCompQueuedCy", "MaliGPUAnyQueueActiveCy"}, {"MaliMainQueuedCy", "MaliGPUAnyQueueActiveCy"},
	{"MaliFragQueuedCy", "MaliGPUAnyQueueActiveCy"},
	{"MaliBinningQueueAssignStallCy", "MaliBinningQueuedCy"}, {"MaliVertQueueAssignStallCy", "MaliVertQueuedCy"},
	{"MaliCompQueueAssignStallCy", "MaliCompQueuedCy"}, {"MaliMainQueueAssignStallCy", "MaliMainQueuedCy"},
	{"MaliFragQueueAssignStallCy", "MaliFragQueuedCy"},
	{"MaliCS0WaitStallCy", "MaliCSFCS0ActiveCy"}, {"MaliCS1WaitStallCy", "MaliCSFCS1ActiveCy"},
	{"MaliCS2WaitStallCy", "MaliCSFCS2ActiveCy"}, {"MaliCS3WaitStallCy", "MaliCSFCS3ActiveCy"},
	{"MaliMainActiveCy", "MaliAnyActiveCy"}, {"MaliFragActiveCy", "MaliAnyActiveCy"},
	{"MaliCompOrBinningActiveCy", "MaliAnyActiveCy"}, {"MaliNonFragActiveCy", "MaliAnyActiveCy"},
	{"MaliCoreActiveCy", "MaliAnyActiveCy"}, {"MaliEngStarveCy", "MaliCoreActiveCy"},
	{"MaliFragFPKActiveCy", "MaliMainActiveCy"}, {"MaliFragFPKActiveCy", "MaliFragActiveCy"},
	{"MaliTexFiltStallCy", "MaliCoreActiveCy"}, {"MaliTexDataFetchStallCy", "MaliCoreActiveCy"},
	{"MaliTexClkActiveCy", "MaliAnyActiveCy"}, {"MaliTexClkStarvedCy", "MaliEngStarveCy"},
	{"MaliFragRastPartQd", "MaliFragRastQd"}, {"MaliFragRastCoarseQd", "MaliFragRastQd"},
	{"MaliFragEZSTestQd", "MaliFragRastQd"}, {"MaliFragEZSKillQd", "MaliFragEZSTestQd"},
	{"MaliFragEZSUpdateQd", "MaliFragEZSTestQd"}, {"MaliFragLZSTestQd", "MaliFragRastQd"},
	{"MaliFragLZSKillQd", "MaliFragLZSTestQd"},
	{"MaliExtBusRd", "MaliL2CacheRdLookup"}, {"MaliExtBusWr", "MaliL2CacheWrLookup"},
	{"MaliSCBusTexExtRdBt", "MaliSCBusTexL2RdBt"}, {"MaliSCBusLSExtRdBt", "MaliSCBusLSL2RdBt"},
	{"MaliSCBusFFEExtRdBt", "MaliSCBusFFEL2RdBt"}, {"MaliTexOutSingleMsg", "MaliTexOutMsg"},
	{"MaliTexFullBiFiltCy", "MaliTexFiltIssueCy"}, {"MaliGeomFrontFacePrim", "MaliGeomVisiblePrim"},
	{"MaliGeomVisibleDVSPrim", "MaliGeomVisiblePrim"},
}

// sums lists counters whose parts are together no more than they.
var sums = []struct {
	whole string
	parts []string
}{
	{"MaliExtBusRdBt", []string{"MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256",
		"MaliExtBusRdLat320"}},
	{"MaliExtBusRd", []string{"MaliExtBusRdOTQ1", "MaliExtBusRdOTQ2", "MaliExtBusRdOTQ3"}},
	{"MaliExtBusWr", []string{"MaliExtBusWrOTQ1", "MaliExtBusWrOTQ2", "MaliExtBusWrOTQ3"}},
	{"MaliTexFiltIssueCy", []string{"MaliTexFullBiFiltCy", "MaliTexFullTriFiltCy"}},
	{"MaliFragRastQd", []string{"MaliFragEZSKillQd", "MaliFragOpaqueQd"}},
	{"MaliGeomVisiblePrim", []string{"MaliGeomFrontFacePrim", "MaliGeomBackFacePrim"}},
}

// table is the columns of a capture's GPU counters.
type table struct {
	cols  *simulate.Columns
	cores uint64
	list  []place
	at    map[string]int
}

// newTable makes columns of all counters but those that were not measured.
func (p *program) newTable(cols *simulate.Columns, left []string, r simulate.Random) *table {
	m := p.m
	t := &table{cols: cols, cores: uint64(m.cores), at: map[string]int{}}
	weights := map[string][]float64{"core": simulate.Near(r, m.cores, r.Between(0.005, 0.06)),
		"memory": simulate.Near(r, m.slices, r.Between(0.002, 0.03))}
	ids := map[string][]string{"core": m.coreIDs(), "memory": simulate.Numbers(m.slices)}
	for _, x := range places(m.layout, m.catalogue) {
		if slices.Contains(left, x.meta.Name) || slices.ContainsFunc(x.meta.Aliases, func(a string) bool { return slices.Contains(left, a) }) {
			continue
		}
		at := cols.Counter(x.meta)
		if x.scale > 1 {
			cols.Scaled(at, x.scale)
		}
		if len(ids[x.meta.Block]) > 1 {
			cols.Split(at, ids[x.meta.Block], weights[x.meta.Block])
		}
		t.at[x.machine] = at
		t.list = append(t.list, x)
	}
	return t
}

// add appends a row.
func (t *table) add(v values) {
	for i := range t.list {
		x := v[t.list[i].machine]
		if math.IsInf(x, 0) {
			x = math.NaN()
		}
		t.cols.Add(t.at[t.list[i].machine], max(0, x))
	}
	for i, pair := range within {
		if any, ok := t.at["MaliAnyActiveCy"]; ok && i == 5 { // of each core
			if gpu, ok := t.at["MaliGPUActiveCy"]; ok {
				t.cols.Limit(any, t.cores*t.cols.Last(gpu))
			}
		}
		part, okPart := t.at[pair[0]]
		whole, okWhole := t.at[pair[1]]
		if okPart && okWhole {
			t.cols.Limit(part, t.cols.Last(whole))
		}
	}
	for _, s := range sums {
		whole, ok := t.at[s.whole]
		if !ok {
			continue
		}
		left := t.cols.Last(whole)
		for _, name := range s.parts {
			if at, ok := t.at[name]; ok {
				t.cols.Limit(at, left)
				left -= t.cols.Last(at)
			}
		}
	}
}
