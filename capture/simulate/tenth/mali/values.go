package mali

import (
	"math/rand/v2"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// counters makes the GPU's counters, in the order of the driver's blocks.
func (rec *recorder) counters(s *sim, k *sink, p *plan, axis *capture.Axis, r *rand.Rand) []*capture.Counter {
	cols := simulate.NewColumns(axis)
	for _, c := range rec.layout.counters {
		raw := strings.ToLower(c.block) + "_" + c.index
		at := cols.Counter(capture.Meta{Name: c.name, Title: c.title, Unit: c.unit, Kind: capture.Delta, GPU: rec.gpu,
			Block: c.block, Source: "kbase", Aliases: []string{c.hardware, c.machine, raw}})
		cols.Scaled(at, c.scale)
		switch c.block {
		case "core":
			cols.Split(at, simulate.Numbers(rec.cores), rec.weights)
		case "memory":
			if strings.Contains(c.name, "MMUTranslations") {
				continue // in the first slice only
			}
			cols.Split(at, simulate.Numbers(rec.slices), rec.sliceWeights)
		}
	}
	clock := cols.Counter(capture.Meta{Name: "gpu_clock_cycles", Title: "GPU clock cycles", Unit: "cycles", Kind: capture.Delta,
		Block: "clock", Source: "kbase"})
	level := cols.Gauge(capture.Meta{Name: "gpu_frequency", Title: "GPU frequency", Unit: "Hz", Block: "gpu", Source: "kbase"})
	hot := cols.Gauge(capture.Meta{Name: "gpu_temperature", Title: "GPU temperature", Unit: "celsius", Block: "gpu", Source: "kbase"})

	for _, b := range s.busySpan {
		k.spread(k.gpu, b.start, b.end, 1)
	}
	list := make([]*factors, len(k.list))
	for i, q := range k.list {
		list[i] = rec.factorsOf(q)
	}
	v := make([]float64, len(rec.layout.counters))
	last := rec.heat.degrees
	span := 0
	for i := range p.lost {
		from, to := p.edges[i], p.edges[i+1]
		cycles := s.cyclesAt(to) - s.cyclesAt(from)
		for span+1 < len(s.clock) && s.clock[span+1].at <= to {
			span++
		}
		last += 0.3*(s.clock[span].heat-last) + 0.02*r.NormFloat64()
		if p.lost[i] {
			continue
		}
		rec.sample(v, list, k, i, float64(to-from), cycles)
		for j, x := range v {
			cols.Add(j, x)
		}
		cols.Add(clock, cycles)
		rec.bound(cols, clock)
		cols.Set(level, s.clock[span].share*rec.maxHz)
		cols.Set(hot, float64(int(last*10))/10)
	}
	return cols.Counters(p.without)
}

// sample works out what the hardware counts in a sample.
func (rec *recorder) sample(v []float64, list []*factors, k *sink, i int, ns, cycles float64) {
	clear(v)
	far, weight := 0.0, 0.0
	for c, f := range list {
		for leaf := range f.of {
			w := k.work[i][c*(servers+1)+leaf]
			if w == 0 {
				continue
			}
			for _, x := range f.of[leaf] {
				v[x.at] += x.per * w
			}
		}
		w := k.work[i][c*(servers+1)+bandwidth]
		far, weight = far+w*k.list[c].like.far, weight+w
	}
	if weight > 0 {
		far /= weight
	}
	set := func(name string, x float64) {
		if at, ok := rec.find(name); ok {
			v[at] += max(0, x)
		}
	}
	get := func(name string) float64 {
		if at, ok := rec.find(name); ok {
			return v[at]
		}
		return 0
	}
	hz := cycles / ns // per ns
	cores, slices := float64(rec.cores), float64(rec.slices)

	set("GPUActiveCy", k.gpu[i]*hz)
	set("GPUIRQActiveCy", k.irq[i]*hz*0.8)
	if rec.fifth {
		rec.streams(set, k, i, hz)
	}
	for q, name := range []string{"FragQueue", "NonFragQueue"} {
		set(name+"Job", k.jobs[q][i])
		set(name+"ActiveCy", k.jobSpan[q][i]*hz)
		set(name+"WaitRdCy", k.read[q][i]*hz)
		set(name+"WaitIssueCy", k.issue[q][i]*hz*0.8)
		set(name+"WaitFinishCy", k.finish[q][i]*hz)
		set(name+"WaitFlushCy", k.flush[q][i]*hz)
		set(name+"WaitDepCy", k.read[q][i]*hz*0.4)
	}
	set("L2CacheFlush", k.jobs[0][i]+0.5*(k.jobs[1][i]+k.jobs[2][i]))

	any, exec := k.any[i]*hz*cores, k.inCore[i]*hz*cores
	set("AnyActiveCy", any)
	set("FragActiveCy", k.tasks[fragment][i]*hz*cores)
	set("NonFragActiveCy", k.other[i]*hz*cores)
	set("MainActiveCy", k.tasks[fragment][i]*hz*cores)
	set("CompOrBinningActiveCy", k.other[i]*hz*cores)
	set("CoreActiveCy", exec)
	set("FragFPKActiveCy", min(k.tasks[fragment][i], k.busyOf[rasterizer][i]+0.5*k.tasks[fragment][i])*hz*cores*0.95)

	waits := 0.0 // share of the tasks' time in which they wait for memory
	if k.all[i] > 0 {
		waits = k.memory[i] / k.all[i]
	}
	busiest := max(get("EngFMAInstr"), get("EngCVTInstr"), 4*get("EngSFUInstr"))
	if rec.fifth {
		busiest = max(get("EngSlotAnyIssueCy"), 4*get("EngSFUInstr"))
		for leaf, name := range map[int]string{texture: "Tex", varying: "Var", backend: "Blend", loadStore: "LS"} {
			set("Eng"+name+"BackpressureCy", min(k.stall[leaf][i]*0.55*hz*cores, exec))
		}
		set("EngZSBackpressureCy", min(k.stall[backend][i]*0.05*hz*cores, exec))
	}
	set("EngStarveCy", 0.9*(exec-busiest))
	filter := get("TexFiltIssueCy")
	if filter > 0 {
		set("TexFiltStallCy", (exec-filter)*waits*0.6)
		set("TexDataFetchStallCy", (exec-filter)*waits*waits*0.4+0.3*k.stall[texture][i]*hz*cores*waits)
		set("TexClkActiveCy", filter+(exec-filter)*0.6)
		set("TexClkStarvedCy", (exec-filter)*0.3)
	}

	on := k.tilerOn[i] * hz
	busy := k.busyOf[tiler][i] * hz
	on = max(on, busy)
	set("TilerActiveCy", on)
	set("TilerPosShadStallCy", (on-busy)*0.5)
	set("TilerPosShadFIFOFullCy", k.stall[tiler][i]*hz*0.6)
	set("TilerVarShadStallCy", (on-busy)*0.3)
	set("TilerPrimAsPosShadStallCy", (on-busy)*0.4)

	set("L2CacheRdStallCy", (k.stall[cache][i]*0.7+k.stall[bandwidth][i]*0.2)*hz*slices)
	set("L2CacheWrStallCy", (k.stall[cache][i]*0.25+k.stall[bandwidth][i]*0.1)*hz*slices)
	set("L2CacheL1RdStallCy", k.stall[cache][i]*0.02*hz*slices)

	// The queue in front of memory makes accesses take longer.
	use := min(1, k.busyOf[bandwidth][i]/ns)
	queue := min(1, k.stall[bandwidth][i]/ns)
	mean := rec.dramNs * hz * far * (1 + 0.25*use + 0.7*queue)
	beats := get("ExtBusRdBt")
	was := 0.0
	for _, b := range []struct {
		name  string
		limit float64
	}{{"ExtBusRdLat0", 128}, {"ExtBusRdLat128", 192}, {"ExtBusRdLat192", 256}, {"ExtBusRdLat256", 320}, {"ExtBusRdLat320", 384}} {
		is := below(b.limit, mean, 26)
		set(b.name, beats*(is-was))
		was = is
	}
	quarters := func(kind, count string, most float64) {
		n := get(count)
		held := n / max(1, cycles) * mean / slices / most // by Little's law
		was := 0.0
		for b, limit := range []float64{0.25, 0.5, 0.75} {
			is := below(limit, held, 0.07)
			set(kind+[]string{"Q1", "Q2", "Q3"}[b], n*(is-was))
			was = is
		}
	}
	quarters("ExtBusRdOT", "ExtBusRd", 96)
	quarters("ExtBusWrOT", "ExtBusWr", 64)
	set("ExtBusRdStallCy", k.stall[bandwidth][i]*hz*slices*0.5)
	set("ExtBusWrStallCy", k.stall[bandwidth][i]*hz*slices*0.2)
}

// bound keeps counts of a sample, which arise from services that the edges of samples cut, within what the hardware can
// count: what is above goes to later samples.
func (rec *recorder) bound(cols *simulate.Columns, clock int) {
	get := func(name string) uint64 {
		if at, ok := rec.find(name); ok {
			return cols.Last(at)
		}
		return 0
	}
	cut := func(most uint64, names ...string) {
		for _, n := range names {
			if at, ok := rec.find(n); ok {
				cols.Limit(at, most)
			}
		}
	}
	all := cols.Last(clock)
	cut(all, "GPUActiveCy", "TilerActiveCy", "GPUIRQActiveCy")
	gpu := get("GPUActiveCy")
	cut(gpu, "FragQueueActiveCy", "NonFragQueueActiveCy", "TilerActiveCy")
	for _, q := range []string{"FragQueue", "NonFragQueue"} {
		cut(get(q+"ActiveCy"), q+"WaitRdCy", q+"WaitIssueCy", q+"WaitFinishCy", q+"WaitFlushCy", q+"WaitDepCy")
	}
	cut(get("TilerActiveCy"), "TilerPosShadStallCy", "TilerPosShadFIFOFullCy", "TilerVarShadStallCy", "GeomTrianglePrim",
		"GeomVisiblePrim", "TilerRdBt")
	cut(gpu*uint64(rec.cores), "AnyActiveCy")
	any := get("AnyActiveCy")
	cut(any, "FragActiveCy", "NonFragActiveCy", "MainActiveCy", "CompOrBinningActiveCy", "CoreActiveCy")
	cut(max(get("FragActiveCy"), get("MainActiveCy")), "FragFPKActiveCy", "FragRastQd")
	exec := get("CoreActiveCy")
	if rec.fifth {
		cut(exec, "EngSlotAnyIssueCy", "EngSlot1IssueCy", "RTUBoxIssueCy", "RTUTriIssueCy", "TexClkActiveCy", "TexClkStarvedCy",
			"TexCacheLookupCy", "TexCacheSimpleLoadCy", "TexCacheComplexLoadCy", "EngTexBackpressureCy", "EngVarBackpressureCy",
			"EngBlendBackpressureCy", "EngLSBackpressureCy", "EngZSBackpressureCy")
		cut(4*exec, "Var16IssueSlot")
		cut(4*exec-get("Var16IssueSlot"), "Var32IssueSlot")
		cut(2*exec, "EngFMAInstr", "EngCVTInstr")
		cut(gpu, "CSFMCUActiveCy", "GPUAnyQueueActiveCy", "CompQueuedCy", "MainQueuedCy", "BinningQueuedCy", "CSFCS0ActiveCy",
			"CSFCS1ActiveCy")
	} else {
		cut(exec, "Var16IssueSlot", "EngFMAInstr", "EngCVTInstr")
		cut(exec-get("Var16IssueSlot"), "Var32IssueSlot")
	}
	cut(exec, "EngStarveCy", "TexFiltIssueCy", "TexInBt", "TexOutBt",
		"LSFullRd", "LSPartRd", "LSFullWr", "LSPartWr", "LSAtomic", "TexFiltStallCy", "TexDataFetchStallCy")
	cut(exec/4, "EngSFUInstr")
	cut(get("TexFiltIssueCy"), "TexFullBiFiltCy")
	cut(max(get("TexFiltIssueCy"), get("TexFullBiFiltCy"))-get("TexFullBiFiltCy"), "TexFullTriFiltCy")
	cut(all*uint64(rec.slices), "ExtBusRdBt", "ExtBusWrBt", "ExtBusRdStallCy", "ExtBusWrStallCy", "L2CacheRdStallCy", "L2CacheWrStallCy",
		"L2CacheLookup")
	left := get("ExtBusRdBt")
	for _, n := range []string{"ExtBusRdLat0", "ExtBusRdLat128", "ExtBusRdLat192", "ExtBusRdLat256", "ExtBusRdLat320"} {
		cut(left, n)
		left -= get(n)
	}
	for _, kind := range []string{"ExtBusRd", "ExtBusWr"} {
		left := get(kind)
		for _, n := range []string{"OTQ1", "OTQ2", "OTQ3"} {
			cut(left, kind+n)
			left -= get(kind + n)
		}
	}
}

// streams counts what the front-end of the 5th generation does: queues that hold work, and streams of commands. Binning and
// the main phase come from the first stream, compute from the second.
func (rec *recorder) streams(set func(string, float64), k *sink, i int, hz float64) {
	gpu := k.gpu[i] * hz
	set("GPUAnyQueueActiveCy", gpu)
	irq, jobs := k.irq[i]*hz, 0.0
	for q, name := range [queues]string{"Main", "Binning", "Comp"} {
		set(name+"QueuedCy", k.jobSpan[q][i]*hz)
		set(name+"QueueAssignStallCy", k.read[q][i]*hz*0.5)
		set(name+"QueueJob", k.jobs[q][i])
		jobs += k.jobs[q][i]
	}
	set("CompQueueDrainStallCy", k.finish[computing][i]*hz*0.5)
	set("TilerQueueDrainStallCy", k.finish[nonFragment][i]*hz*0.5)
	set("MainQueueIRQActiveCy", irq*0.2)
	set("GPUIRQ", jobs)
	set("L2CacheFlushCy", (k.flush[0][i]+k.flush[1][i]+k.flush[2][i])*hz*0.7)
	set("CSFMCUActiveCy", min(gpu, 0.02*gpu+irq))
	set("CSFCEUActiveCy", 0.03*gpu)
	set("CSFLSUActiveCy", 0.012*gpu)
	set("CSDoorbellIRQCy", jobs*300)
	set("CSFCS0ActiveCy", gpu)
	set("CS0WaitStallCy", gpu*0.7)
	own := k.jobSpan[computing][i] * hz
	set("CSFCS1ActiveCy", own)
	set("CS1WaitStallCy", own*0.7)
}
