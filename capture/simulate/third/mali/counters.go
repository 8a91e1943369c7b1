package mali

import (
	"math"
	"math/rand/v2"
)

// table collects counters by Arm's machine names, sample by sample.
type table struct {
	index map[string]int
	names []string
	row   []float64 // of the segment at hand
	cols  [][]float64
	n     int
	next  int // where the next name is where it was the last time: segments ask for them in much the same order
}

func (t *table) reset() {
	clear(t.row)
	t.next = 0
}

func (t *table) add(name string, v float64) {
	if t.next < len(t.names) && t.names[t.next] == name {
		t.row[t.next] += v
		t.next++
		return
	}
	i, ok := t.index[name]
	t.next = i + 1
	if !ok {
		i = len(t.names)
		t.index[name], t.next = i, i+1
		t.names, t.row, t.cols = append(t.names, name), append(t.row, 0), append(t.cols, make([]float64, t.n))
	}
	t.row[i] += v
}

// habits are what a program and its compiler make the same throughout.
type habits struct {
	partial, opaque, full, registers, diverged, narrow, single, writeBack float64
	face, plane, sample, scissor                                          float64 // parts of what is culled
	updated, late, lateKilled, unchanged                                  float64 // parts of quads, of late tests, of tiles
	position, varying, assembly                                           float64 // how much of a wait for shaders each stall sees
	written                                                               float64 // part of writes to memory that is no full line
}

// cull divides what is culled by why, as scenes differ.
func (h *habits) cull(r *rand.Rand) {
	h.face, h.plane, h.sample, h.scissor = uniform(r, 0.2, 0.9), logarithmic(r, 0.05, 0.8), logarithmic(r, 0.01, 0.4), logarithmic(r, 0.001, 0.1)
	sum := h.face + h.plane + h.sample + h.scissor
	for _, x := range []*float64{&h.face, &h.plane, &h.sample, &h.scissor} {
		*x /= sum
	}
}

// queueNames are the front end's names of the queues before and since the 5th generation.
var queueNames = [2][queues]string{{"Vert", "Comp", "Frag"}, {"Binning", "Comp", "Main"}}

func (p *program) queue(q int) string {
	if p.m.gen5 {
		return queueNames[1][q]
	}
	return queueNames[0][q]
}

// count adds what the hardware counts in a segment.
func (p *program) count(t *table, s *segment, h *habits) {
	m := p.m
	ns := s.end - s.start
	cycles := ns * s.share * m.hz * 1e-9
	running := 0.0
	if len(s.active) > 0 {
		running = cycles
	}
	waits := false
	for _, name := range []string{"MaliFragWarp", "MaliFragFPKActiveCy", "MaliNonFragWarp", "MaliNonFragTask", "MaliCompQueueTask",
		"MaliTilerPosShadStallCy", "MaliTilerVarShadStallCy", "MaliTilerPosShadFIFOFullCy"} {
		t.add(name, 0) // these are there even where nothing is counted
	}
	if m.gen5 {
		t.add("MaliTilerPrimAsPosShadStallCy", 0)
	}
	t.add("MaliGPUAnyQueueActiveCy", running)
	var done work
	var used [resources]float64
	var idle float64 = 1 // share of the cores that nothing has work for
	tiler, frag, other, texel := 0.0, 0.0, 0.0, 0.0
	var queued, launching [queues]float64
	contended := 0.0
	for _, a := range s.active {
		for r, u := range a.use {
			used[r] += u
		}
	}
	for _, u := range used {
		contended = max(contended, u)
	}
	for _, a := range s.active {
		ps := &p.contents[p.of[a.frame]].passes[a.pass]
		queued[ps.queue] = cycles
		if a.launching {
			launching[ps.queue] = cycles
			continue
		}
		c := &ps.chunks[a.chunk]
		w := c.w
		w.scale(a.amount)
		for i, v := range w {
			done[i] += v
		}
		cores := float64(m.cores) * c.cores * cycles
		share := c.cores
		switch ps.queue {
		case fragment:
			frag += cores
			t.add("MaliFragWarp", w[qWarp])
			// The buffer before the shader is empty where the rasterizer is what the pass waits for.
			t.add("MaliFragFPKActiveCy", cores*(0.97-0.6*math.Pow(a.use[rRasterizer]/max(a.longest, 1e-3), 4)))
		case binning:
			// Cores are busy with vertices for a part of the time where the tiler holds them up.
			busy := min(1, 0.1+1.15*max(a.use[rArithmetic], a.use[rLoadStore], a.use[rLatency], a.use[rBandwidth]))
			cores *= busy
			share *= busy
			tiler += cycles * min(1, 0.25+a.use[rTiler])
			t.add("MaliTilerPosShadStallCy", cycles*h.position*max(0, 0.9-a.use[rTiler]))
			t.add("MaliTilerVarShadStallCy", cycles*h.varying*max(0, 0.9-a.use[rTiler]))
			t.add("MaliTilerPosShadFIFOFullCy", cycles*0.5*max(0, a.use[rTiler]-0.4))
			if m.gen5 {
				t.add("MaliTilerPrimAsPosShadStallCy", cycles*h.assembly*max(0, 0.9-a.use[rTiler]))
			}
			fallthrough
		default:
			other += cores
			t.add("MaliNonFragWarp", w[qWarp])
			t.add("MaliNonFragTask", w[qWarp]/4)
			if ps.queue == compute {
				t.add("MaliCompQueueTask", w[qWarp]/4)
			}
		}
		idle *= 1 - share
		if len(s.active) > 1 && contended > 0.85 {
			t.add("Mali"+p.queue(ps.queue)+"QueueAssignStallCy", cycles*0.3*(contended-0.85)/0.15*pickShare(ps.queue))
		}
		texel = max(texel, a.use[rTexture])
	}
	for q := range queues {
		name := p.queue(q)
		t.add("Mali"+name+"QueuedCy", queued[q])
		t.add("Mali"+name+"QueueAssignStallCy", 0)
		stream := "MaliCS" + string(rune('0'+q))
		on := queued[q]
		stalled := 0.97 * queued[q]
		if s.waiting[q] {
			waits = true
			on, stalled = cycles, 0.99*cycles
		}
		t.add("MaliCSFCS"+string(rune('0'+q))+"ActiveCy", on)
		t.add(stream+"WaitStallCy", min(on, stalled))
	}
	awake := running
	if waits {
		awake = cycles
	}
	t.add("MaliGPUActiveCy", awake)
	start := max(launching[0], launching[1], launching[2])
	t.add("MaliCSFMCUActiveCy", 0.02*awake+0.2*start)
	t.add("MaliCSFCEUActiveCy", 0.004*awake+0.3*start)
	t.add("MaliCSFLSUActiveCy", 0.002*awake+0.1*start)
	t.add("MaliL2CacheFlushCy", 0.25*start)
	t.add("MaliTilerActiveCy", tiler)

	all := float64(m.cores) * cycles
	any := min(all, all*(1-idle))
	other = min(other, all) // binning and compute may be on the same cores
	any = max(any, frag, other)
	t.add("MaliAnyActiveCy", any)
	most := max(used[rArithmetic], used[rTexture], used[rVarying], used[rLoadStore], used[rRayTracing], used[rLatency])
	warps := max(most, used[rBandwidth]*0.9, used[rBackend]*0.9, used[rCache]*0.9)
	free := max(0, 1-warps)
	exec := any * min(1, max(most, 1-0.75*free*free))
	t.add("MaliCoreActiveCy", exec)
	alu := m.arithmetic(&done)
	t.add("MaliEngStarveCy", 0.8*max(0, exec-alu)*(0.4+0.6*min(1, warps)))
	p.countCore(t, &done, h, s, frag, other, exec, texel)
	p.countMemory(t, &done, h, s, cycles, used)
}

// pickShare says how much each queue gives way: fragment work has the lowest rank.
func pickShare(q int) float64 {
	if q == fragment {
		return 1
	}
	return 0.35
}

func (p *program) countCore(t *table, w *work, h *habits, s *segment, frag, other, exec, texel float64) {
	m := p.m
	fragName, otherName := "MaliFragActiveCy", "MaliNonFragActiveCy"
	if m.gen5 {
		fragName, otherName = "MaliMainActiveCy", "MaliCompOrBinningActiveCy"
	}
	t.add(fragName, frag)
	t.add(otherName, other)
	add := func(q int, names ...string) {
		for _, n := range names {
			t.add(n, w[q])
		}
	}
	add(qFMA, "MaliEngFMAInstr")
	add(qCVT, "MaliEngCVTInstr")
	add(qSFU, "MaliEngSFUInstr")
	arith := w[qFMA] + w[qCVT] + w[qSFU]
	t.add("MaliEngDivergedInstr", arith*h.diverged)
	t.add("MaliEngICacheMiss", 0.0005*arith)
	t.add("MaliCoreFullWarp", w[qWarp]*h.full)
	t.add("MaliCoreAllRegsWarp", w[qWarp]*h.registers)

	add(qMessage, "MaliTexOutMsg")
	t.add("MaliTexInBt", 0.9*w[qMessage])
	add(qTexOut, "MaliTexOutBt")
	add(qFilter, "MaliTexFiltIssueCy")
	fetch := exec * min(1, s.memory+0.1) * 0.35
	t.add("MaliTexFiltStallCy", min(exec-min(exec, m.texture(w)), fetch)*min(1, 4*texel))
	t.add("MaliTexDataFetchStallCy", 0.5*min(exec-min(exec, m.texture(w)), fetch)*min(1, 4*texel))
	t.add("MaliTexDescStallCy", 0.003*w[qFilter])
	if m.gen5 {
		t.add("MaliEngNarrowInstr", arith*h.narrow)
		t.add("MaliTexOutSingleMsg", w[qMessage]*h.single)
		add(qIndex, "MaliTexIndexCy")
		add(qLookup, "MaliTexCacheLookupCy")
		add(qComplex, "MaliTexCacheComplexLoadCy")
		t.add("MaliTexCacheSimpleLoadCy", 0.2*w[qLookup])
		t.add("MaliTexL1CacheLookupCy", 0.75*w[qLookup])
		t.add("MaliTexL1CacheOutputCy", 0.6*w[qLookup])
		t.add("MaliTexL1CacheLoadCy", 0.15*w[qLookup])
		t.add("MaliTexClkActiveCy", min(exec, 1.15*m.texture(w)))
		add(qBox, "MaliRTUBoxIssueCy")
		t.add("MaliRTUBox", 1.6*w[qBox])
		add(qTriangle, "MaliRTUTriIssueCy", "MaliRTUTri")
		add(qRay, "MaliRTURay")
		t.add("MaliRTUMiss", 0.3*w[qRay])
		t.add("MaliRTUOpaqueHit", 0.55*w[qRay])
		t.add("MaliRTUNonOpaqueHit", 0.1*w[qRay])
		t.add("MaliRTUFirstHitTerm", 0.25*w[qRay])
		for i, bin := range []string{"1", "5", "9", "13"} {
			share := [...]float64{0.45, 0.28, 0.16, 0.11}[i]
			t.add("MaliRTUTriBin"+bin, share*w[qTriangle])
			t.add("MaliRTUBoxBin"+bin, share*w[qBox])
		}
	} else {
		t.add("MaliTexFullBiFiltCy", 0.5*w[qFilter])
		t.add("MaliTexFullTriFiltCy", 0.12*w[qFilter])
	}
	add(qReadFull, "MaliLSFullRd")
	add(qReadPart, "MaliLSPartRd")
	add(qWriteFull, "MaliLSFullWr")
	add(qWritePart, "MaliLSPartWr")
	add(qAtomic, "MaliLSAtomic")
	add(qSlot32, "MaliVar32IssueSlot")
	add(qSlot16, "MaliVar16IssueSlot")
	t.add("MaliVarInstr", (w[qSlot32]+w[qSlot16])/4)

	add(qRastPrim, "MaliFragRastPrim")
	if !m.gen5 {
		t.add("MaliFragRdPrim", 1.1*w[qRastPrim])
	}
	add(qQuad, "MaliFragRastQd")
	t.add("MaliFragRastPartQd", min(w[qQuad], 0.5*w[qQuad]*h.partial+1.5*w[qRastPrim]))
	t.add("MaliFragEZSTestQd", w[qKilled]+0.9*(w[qQuad]-w[qKilled]))
	t.add("MaliFragEZSUpdateQd", h.updated*(w[qQuad]-w[qKilled]))
	add(qKilled, "MaliFragEZSKillQd")
	t.add("MaliFragLZSTestQd", h.late*(w[qQuad]-w[qKilled]))
	t.add("MaliFragLZSKillQd", h.late*h.lateKilled*(w[qQuad]-w[qKilled]))
	t.add("MaliFragOpaqueQd", h.opaque*(w[qQuad]-w[qKilled]))
	add(qTile, "MaliFragTile")
	t.add("MaliFragTileKill", 4*h.unchanged*w[qTile])
	add(qFrontRead, "MaliSCBusFFEL2RdBt")
	add(qMissFront, "MaliSCBusFFEExtRdBt")
	add(qLoadRead, "MaliSCBusLSL2RdBt")
	add(qMissLoad, "MaliSCBusLSExtRdBt")
	add(qTexRead, "MaliSCBusTexL2RdBt")
	add(qMissTex, "MaliSCBusTexExtRdBt")
	add(qOtherRead, "MaliSCBusOtherL2RdBt")
	t.add("MaliSCBusLSWBWrBt", h.writeBack*w[qLoadWrite])
	t.add("MaliSCBusLSOtherWrBt", (1-h.writeBack)*w[qLoadWrite])
	add(qTileWrite, "MaliSCBusTileWrBt")

	task := w[qTile]
	if m.gen5 {
		task /= 4
	}
	t.add("Mali"+p.queue(fragment)+"QueueTask", task)
	t.add("Mali"+p.queue(binning)+"QueueTask", w[qPosition]/64)

	add(qPosition, "MaliGeomPosShadTask")
	add(qVarying, "MaliGeomVarShadTask")
	add(qVisible, "MaliGeomVisiblePrim")
	culled := w[qPrimitive] - w[qVisible]
	if m.gen5 {
		t.add("MaliGeomFaceCullPrim", h.face*culled)
		t.add("MaliGeomPlaneCullPrim", h.plane*culled)
		t.add("MaliGeomScissorCullPrim", h.scissor*culled)
	} else {
		t.add("MaliGeomFaceXYPlaneCullPrim", (h.face+h.scissor+0.92*h.plane)*culled)
		t.add("MaliGeomZPlaneCullPrim", 0.08*h.plane*culled)
		misses := min(3*w[qPrimitive], 4*w[qPosition])
		t.add("MaliTilerPosCacheMiss", misses)
	}
	t.add("MaliGeomSampleCullPrim", h.sample*culled)
	t.add("MaliTilerPosCacheHit", 3*w[qPrimitive]-min(3*w[qPrimitive], 4*w[qPosition]))
	t.add("MaliTilerVarCacheMiss", min(3*w[qVisible], 4*w[qVarying]))
	t.add("MaliTilerVarCacheHit", 3*w[qVisible]-min(3*w[qVisible], 4*w[qVarying]))
	t.add("MaliTilerRdBt", 0.4*w[qTilerBeat])
}

// below is the share of a normal distribution below x.
func below(x, mean, deviation float64) float64 {
	return 0.5 * math.Erfc((mean-x)/(deviation*math.Sqrt2))
}

func (p *program) countMemory(t *table, w *work, h *habits, s *segment, cycles float64, used [resources]float64) {
	m := p.m
	per := beat / line
	reads := (w[qFrontRead] + w[qLoadRead] + w[qTexRead] + w[qOtherRead] + 0.4*w[qTilerBeat]) * per
	writes := (w[qLoadWrite] + w[qTileWrite] + 0.6*w[qTilerBeat]) * per
	t.add("MaliL2CacheRd", reads)
	t.add("MaliL2CacheWr", writes)
	t.add("MaliL2CacheRdLookup", reads)
	t.add("MaliL2CacheWrLookup", writes)
	t.add("MaliL2CacheLookup", reads+writes)
	slices := float64(m.slices) * cycles
	// Each is stalled as often as it is asked.
	part := func(x, other, by float64) float64 { return min(1, by*x/max(1e-9, x+other)) }
	t.add("MaliL2CacheRdStallCy", slices*part(reads, writes, 1.4)*0.5*math.Pow(min(1, max(used[rCache], 0.7*s.memory)), 5))
	t.add("MaliL2CacheWrStallCy", slices*part(writes, reads, 1.4)*0.5*math.Pow(min(1, max(used[rCache], 0.8*s.memory)), 6))

	beats := (w[qMissFront] + w[qMissLoad] + w[qMissTex] + w[qMissTiler]) * beat * 8 / float64(m.busBits)
	out := w[qMemWrite] * beat * 8 / float64(m.busBits)
	burst := line * 8 / float64(m.busBits)
	t.add("MaliExtBusRdBt", beats)
	t.add("MaliExtBusRd", beats/burst)
	t.add("MaliExtBusRdNoSnoop", beats/burst)
	t.add("MaliExtBusWrBt", out)
	t.add("MaliExtBusWr", out/burst)
	t.add("MaliExtBusWrNoSnoopFull", (1-h.written)*out/burst)
	t.add("MaliExtBusWrNoSnoopPart", h.written*out/burst)
	t.add("MaliExtBusRdStallCy", slices*part(beats, out, 1.6)*0.45*math.Pow(min(1, s.memory), 7))
	t.add("MaliExtBusWrStallCy", slices*part(out, beats, 1.6)*0.45*math.Pow(min(1, s.memory), 7))
	// Latencies lie around the mean with a long tail.
	mean := math.Log(max(1, s.latency*s.share*m.hz*1e-9))
	last := 0.0
	for i, upto := range []float64{128, 192, 256, 320, 384} {
		share := below(math.Log(upto), mean, 0.3)
		t.add([]string{"MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256", "MaliExtBusRdLat320"}[i],
			beats*(share-last))
		last = share
	}
	ns := s.end - s.start
	// By Little's law. A program whose reads wait for each other has few in flight, although it waits for nothing else.
	level := beats / burst / ns * s.latency / m.inFlight
	written := out / burst / ns * s.latency / m.inFlight * 1.5
	lastRead, lastWrite := 0.0, 0.0
	for i, q := range []string{"Q1", "Q2", "Q3"} {
		x := 0.25 * float64(i+1)
		r, v := below(x, level*1.3, 0.16), below(x, written*1.3, 0.16)
		t.add("MaliExtBusRdOT"+q, beats/burst*(r-lastRead))
		t.add("MaliExtBusWrOT"+q, out/burst*(v-lastWrite))
		lastRead, lastWrite = r, v
	}
}
