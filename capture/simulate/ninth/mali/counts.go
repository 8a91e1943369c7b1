package mali

import "math"

// tally adds to counters by Arm's machine names. Those that a layout does not have are left out.
type tally struct {
	index map[string]int
	out   []float64
}

func (t tally) add(name string, v float64) tally {
	if i, ok := t.index[name]; ok {
		t.out[i] += v
	}
	return t
}

// rates are what the running segments count in a ns.
func (x *run) rates(f *flows) []float64 {
	t := tally{x.rec.index, make([]float64, x.rec.columns)}
	m := x.m
	core := m.ghz(f.share) * float64(m.cores) // clocks of all cores in a ns
	idle, resident, waiting := 1.0, 0.0, 0.0
	var issue, texQueue, lsQueue, varQueue, backQueue, rayQueue, texWait float64
	fragment, other := false, 0.0
	for q, id := range f.segment {
		if id < 0 {
			continue
		}
		s, fl, cl := &x.w.segments[id], &f.flow[q], &f.class[q]
		inside := max(0.05, cl.places-fl.queue[stRast]-fl.queue[stTiler])
		idle *= math.Exp(-inside)
		resident += inside
		waiting += fl.rate * cl.think
		rate := fl.rate * float64(m.cores)
		issue += rate * m.arithCycles(s) / m.pus
		texQueue, lsQueue, varQueue = texQueue+fl.queue[stTex], lsQueue+fl.queue[stLS], varQueue+fl.queue[stVary]
		backQueue, rayQueue = backQueue+fl.queue[stBack], rayQueue+fl.queue[stRay]
		if s.quads > 0 {
			texWait += fl.rate * s.lines * (m.l2Latency/m.ghz(f.share) + s.miss*m.latency)
		}
		t.warps(m, s, rate)
		switch s.kind {
		case kindFrag:
			fragment = true
			t.fragments(m, s, rate, core, fl)
		case kindGeom:
			other = max(other, 1-math.Exp(-1.5*inside))
			t.geometry(m, s, rate, f, fl)
		default:
			other = 1
			t.add("MaliNonFragQueueTask", rate*float64(m.warp)/256).add("MaliCompQueueTask", rate*float64(m.warp)/256)
		}
	}
	active := core * (1 - idle)
	t.add("MaliCoreActiveCy", active).add("MaliEngStarveCy", .96*max(0, active-issue)).add("MaliEngStarveICacheCy", .012*max(0, active-issue))
	if fragment {
		t.add("MaliFragActiveCy", core).add("MaliMainActiveCy", core)
	}
	t.add("MaliNonFragActiveCy", core*other).add("MaliCompOrBinningActiveCy", core*other)
	any := max(active, core*other)
	if fragment {
		any = core
	}
	t.add("MaliAnyActiveCy", any)
	full := func(queue float64, u float64, room float64) float64 { // a message to the unit does not go out
		return active * u * queue / (queue + room)
	}
	u := f.busy
	t.add("MaliEngTexBackpressureCy", full(texQueue, u[stTex], 8)).add("MaliEngLSBackpressureCy", full(lsQueue, u[stLS], 8))
	t.add("MaliEngVarBackpressureCy", full(varQueue, u[stVary], 6)).add("MaliEngBlendBackpressureCy", .9*full(backQueue, u[stBack], 6))
	t.add("MaliEngZSBackpressureCy", .1*full(backQueue, u[stBack], 6)).add("MaliEngRTUBackpressureCy", full(rayQueue, u[stRay], 4))
	t.add("MaliEngAttrBackpressureCy", .02*full(lsQueue, u[stLS], 8)).add("MaliRTUActiveCy", core*(1-math.Exp(-2*rayQueue)))
	t.add("MaliTexClkActiveCy", core*(1-math.Exp(-2*texQueue-.3*texWait)))
	if resident > 0 {
		t.add("MaliTexClkStarvedCy", active*(1-f.busy[stArith])*texQueue/resident)
	}
	pending := 1 - math.Exp(-.15*texWait)
	t.add("MaliTexDataFetchStallCy", core*u[stTex]*.6*pending).add("MaliTexFiltStallCy", core*(1-u[stTex])*pending*math.Min(1, texQueue))
	t.add("MaliTexDescStallCy", core*.004*u[stTex])
	t.memory(x, f)
	return t.out
}

func hidden(name string) string { return "hidden " + name }

// warps are the counters of any warps in cores.
func (t tally) warps(m *machine, s *segment, rate float64) {
	instr := rate * s.instr / m.pus // one processing unit is counted
	t.add("MaliEngInstr", instr)
	sfu := instr * s.sfu
	t.add("MaliEngSFUInstr", sfu).add("MaliEngFMAInstr", (instr-sfu)*.62).add("MaliEngCVTInstr", (instr-sfu)*.38)
	t.add("MaliEngSlot1IssueCy", instr*(1-slot0)).add("MaliEngSlotAnyIssueCy", instr*(slot0+.03*(1-slot0))).add("MaliEngNarrowInstr", instr*s.half*.6)
	t.add("MaliEngDivergedInstr", instr*s.diverged)
	if s.registers {
		t.add("MaliCoreAllRegsWarp", rate)
	}
	t.add("MaliCoreFullWarp", rate*s.fill*s.fill)
	if s.kind != kindFrag {
		t.add("MaliNonFragWarp", rate).add("MaliNonFragTask", rate/4)
	}
	quads := rate * s.quads
	t.add("MaliTexQuads", quads)
	pass := quads * min(s.filter, 2)
	t.add("MaliTexQuadPass", quads).add("MaliTexQuadPassDescMiss", quads*.002).add("MaliTexQuadPassMip", quads*s.mip)
	t.add("MaliTexQuadPassTri", quads*s.mip*s.trilinear).add("MaliTexCacheFetch", quads*s.lines)
	t.add("MaliTexCacheCompressFetch", quads*s.lines*s.compressed).add("MaliTexCacheLookup", min(pass, rate*m.texCycles(s)))
	cy := quads / m.texQuads
	t.add("MaliTexFiltIssueCy", cy*s.filter).add("MaliTexCacheLookupCy", cy*min(s.filter, 1.4)*.8).add("MaliTexIndexCy", cy*.7)
	t.add("MaliTexInBt", cy*.8).add("MaliTexOutBt", cy*.75)
	t.add("MaliTexOutMsg", quads*.56) // quads come in pairs, but for one in eight
	t.add("MaliTexOutSingleMsg", quads*.12).add("MaliTexL1CacheLookupCy", cy*s.lines).add("MaliTexL1CacheLoadCy", cy*s.lines*.9)
	t.add("MaliTexL1CacheOutputCy", cy*s.lines*lineFill).add("MaliTexCacheSimpleLoadCy", cy*s.lines*(1-s.compressed)*lineFill)
	t.add("MaliTexCacheComplexLoadCy", cy*s.lines*s.compressed*lineFill).add("MaliVar16IssueSlot", rate*s.slots*s.half)
	t.add("MaliVar32IssueSlot", rate*s.slots*(1-s.half)).add("MaliVarInstr", rate*s.slots/2).add("MaliLSFullRd", rate*s.lsRead*s.full)
	t.add("MaliLSPartRd", rate*s.lsRead*(1-s.full)).add("MaliLSFullWr", rate*s.lsWrite*s.full).add("MaliLSPartWr", rate*s.lsWrite*(1-s.full))
	t.add("MaliLSAtomic", rate*s.atomic*2)
	if s.kind == kindGeom {
		t.add("MaliAttrInstr", rate*s.lsRead).add("MaliAttrIssueCy", rate*s.lsRead*.5)
	}
	t.rays(s, rate)
	beats := rate * 4
	t.add("MaliSCBusTexL2RdBt", beats*s.quads*s.lines).add("MaliSCBusTexExtRdBt", beats*s.quads*s.lines*s.miss)
	t.add("MaliSCBusLSL2RdBt", beats*s.lsLines).add("MaliSCBusLSExtRdBt", beats*s.lsLines*s.miss).add("MaliSCBusFFEL2RdBt", beats*s.tileLists())
	t.add("MaliSCBusFFEExtRdBt", beats*s.tileLists()*s.miss).add("MaliSCBusRTUL2RdBt", beats*s.rayLines())
	t.add("MaliSCBusRTUExtRdBt", beats*s.rayLines()*s.miss).add("MaliSCBusOtherL2RdBt", beats*.02).add("MaliSCBusLSWBWrBt", beats*s.lsWriteLines*.4)
	t.add("MaliSCBusLSOtherWrBt", beats*s.lsWriteLines*.6).add("MaliSCBusLSWrBt", beats*s.lsWriteLines).add("MaliSCBusOtherWrBt", beats*.004)
	t.add("MaliSCBusTileWrBt", rate*s.tileBytes/16)
}

func (t tally) rays(s *segment, rate float64) {
	rays := rate * s.rays
	t.add("MaliRTUBoxIssueCy", rate*s.box).add("MaliRTUTriIssueCy", rate*s.tri).add("MaliRTUBoxIssue", rate*s.box)
	t.add("MaliRTUTLASBoxIssue", rate*s.box*.3).add("MaliRTUTriCull", rate*s.tri).add("MaliRTUPrimCull", rate*s.tri*.35)
	t.add("MaliRTUBLASIssue", rays*1.6).add("MaliRTUBLASCull", rays*.3).add("MaliRTURay", rays).add("MaliRTUOpaqueHit", rays*.5)
	t.add("MaliRTUNonOpaqueHit", rays*.08).add("MaliRTUFirstHitTerm", rays*.25).add("MaliRTUMiss", rays*.4).add("MaliRTUStackOverflows", rays*.001)
	t.add("MaliRTUNewTraceInstr", rays/10).add("MaliRTUResumeTraceInstr", rays/60).add("MaliRTUResumeTraceRays", rays/8)
	t.add("MaliRTUCacheHit", rate*(2*(s.box+s.tri)+s.rays-s.rayLines())).add("MaliRTUCacheMiss", rate*s.rayLines())
}

// fragments are the counters of fragment work.
func (t tally) fragments(m *machine, s *segment, rate, core float64, fl *flow) {
	rast := rate * s.rast
	kill := rast * s.ezs
	shaded := rate * float64(m.warp) / 4 * s.fill
	t.add("MaliFragWarp", rate).add("MaliFragPartWarp", rate*(1-s.fill)).add("MaliFragThread", rate*float64(m.warp)*s.fill)
	t.add("MaliFragRastQd", rast).add("MaliFragRastPartQd", rast*min(.6, .03+.4*s.prims)).add("MaliFragEZSTestQd", rast*max(s.ezs, .97-s.lzs))
	t.add("MaliFragEZSKillQd", kill).add("MaliFragEZSUpdateQd", (rast-kill)*(1-s.alpha)*.95).add("MaliFragLZSTestQd", shaded*s.lzs)
	t.add("MaliFragLZSKillQd", shaded*s.lzs*.3).add("MaliFragOpaqueQd", (rast-kill)*(1-s.alpha)*.9)
	prims := rate * s.prims
	t.add("MaliFragRdPrim", prims*1.15).add("MaliFragRastPrim", prims).add("MaliFragPrim", prims*1.05).add("MaliFragPrepassPrim", prims*.5)
	t.add("MaliFragPrepassCullPrim", prims*.2).add("MaliFragPrepassSkippedPrim", prims*.1).add("MaliFragPrepassTestQd", rast*.8*(1-s.alpha))
	t.add("MaliFragPrepassKillQd", rast*.8*(1-s.alpha)*min(.9, s.fpk+s.ezs*.3)).add("MaliFragPrepassEZSUpdateQd", (rast-kill)*.5*(1-s.alpha))
	t.add("MaliFragPrepassWarp", rate*.03*(1-s.alpha)).add("MaliFragMainPassStallCy", core*.03*(1-s.alpha))
	t.add("MaliDefVertWarp", rate*min(.3, s.prims*.1))
	area := rate * s.area
	t.add("MaliFragQueueTask", area/1024).add("MaliMainQueueTask", area/4096)
	t.add("MaliFragTile", area/float64(map[bool]int{false: 256, true: 1024}[m.csf]))
	t.add("MaliFragTileKill", area/float64(map[bool]int{false: 256, true: 1024}[m.csf])*.02)
	// The buffer in front of the cores is empty for longer where places for warps are free.
	free := fl.queue[stRast]
	t.add("MaliFragFPKActiveCy", core*(.98-.55*free/(free+4))).add("MaliBlendIssueCy", rate*float64(m.warp)/m.pixels*(.5+.5*s.alpha)*s.blend)
}

// geometry are the tiler's counters and those of what it asks for.
func (t tally) geometry(m *machine, s *segment, rate float64, f *flows, fl *flow) {
	ghz := m.ghz(f.share)
	prims := rate * s.prims
	visible, culled := prims*(1-s.cull), prims*s.cull
	t.add("MaliGeomFrontFacePrim", visible*.93).add("MaliGeomBackFacePrim", visible*.07).add("MaliGeomVisibleDVSPrim", visible*.4)
	t.add("MaliGeomFaceXYPlaneCullPrim", culled*.86).add("MaliGeomZPlaneCullPrim", culled*.04).add("MaliGeomFaceCullPrim", culled*.62)
	t.add("MaliGeomPlaneCullPrim", culled*.27).add("MaliGeomScissorCullPrim", culled*.01).add("MaliGeomSampleCullPrim", culled*.1)
	t.add("MaliGeomLinePrim", 0)
	threads := rate * float64(m.warp)
	size := 4.0
	if m.csf {
		size = 16
	}
	pos := threads * .6
	t.add("MaliGeomPosShadTask", pos/size).add("MaliGeomPosShadPartTask", pos/size*.06).add("MaliGeomVarShadTask", (threads-pos)/size)
	t.add("MaliGeomVarShadPartTask", (threads-pos)/size*.1).add("MaliNonFragQueueTask", threads/256).add("MaliBinningQueueTask", threads/256)
	t.add("MaliTilerActiveCy", ghz*.985)
	u := min(1, f.busy[stTiler])
	starved := (1 - u) * (1 - u)
	// The buffer of positions is full of those being shaded, or of those that the tiler has not taken yet.
	t.add("MaliTilerPosShadFIFOFullCy", ghz*(.85*(1-u)+.45*u*u*u)).add("MaliTilerPosShadStallCy", ghz*.6*starved)
	t.add("MaliTilerPrimAsPosShadStallCy", ghz*.9*(1-u)).add("MaliTilerVarShadStallCy", ghz*.3*starved).add("MaliTilerPosCacheHit", prims*2.4)
	t.add("MaliTilerPosCacheMiss", prims*.6).add("MaliTilerVarCacheHit", visible*2.3).add("MaliTilerVarCacheMiss", visible*.7)
	t.add("MaliTilerRdBt", rate*s.tilerLines()*4).add("MaliTilerWrBt", rate*s.tilerWrites()*4)
}
