package mali

import "math"

// tally adds to counters by Arm's machine names. Those that a layout does not have are left out.
type tally struct {
	index map[string]int
	out   []float64
}

func (t tally) add(name string, v float64) {
	if i, ok := t.index[name]; ok {
		t.out[i] += v
	}
}

// rates are what the running segments count in a ns.
func (x *run) rates(f *flows, index map[string]int) []float64 {
	t := tally{index, make([]float64, len(index))}
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
			t.add("MaliNonFragQueueTask", rate*float64(m.warp)/256)
			t.add("MaliCompQueueTask", rate*float64(m.warp)/256)
		}
	}
	active := core * (1 - idle)
	t.add("MaliCoreActiveCy", active)
	t.add("MaliEngStarveCy", .96*max(0, active-issue))
	t.add("MaliEngStarveICacheCy", .012*max(0, active-issue))
	if fragment {
		t.add("MaliFragActiveCy", core)
		t.add("MaliMainActiveCy", core)
	}
	t.add("MaliNonFragActiveCy", core*other)
	t.add("MaliCompOrBinningActiveCy", core*other)
	any := max(active, core*other)
	if fragment {
		any = core
	}
	t.add("MaliAnyActiveCy", any)
	full := func(queue float64, u float64, room float64) float64 { // a message to the unit does not go out
		return active * u * queue / (queue + room)
	}
	u := f.busy
	t.add("MaliEngTexBackpressureCy", full(texQueue, u[stTex], 8))
	t.add("MaliEngLSBackpressureCy", full(lsQueue, u[stLS], 8))
	t.add("MaliEngVarBackpressureCy", full(varQueue, u[stVary], 6))
	t.add("MaliEngBlendBackpressureCy", .9*full(backQueue, u[stBack], 6))
	t.add("MaliEngZSBackpressureCy", .1*full(backQueue, u[stBack], 6))
	t.add("MaliEngRTUBackpressureCy", full(rayQueue, u[stRay], 4))
	t.add("MaliEngAttrBackpressureCy", .02*full(lsQueue, u[stLS], 8))
	t.add("MaliRTUActiveCy", core*(1-math.Exp(-2*rayQueue)))
	t.add("MaliTexClkActiveCy", core*(1-math.Exp(-2*texQueue-.3*texWait)))
	if resident > 0 {
		t.add("MaliTexClkStarvedCy", active*(1-f.busy[stArith])*texQueue/resident)
	}
	pending := 1 - math.Exp(-.15*texWait)
	t.add("MaliTexDataFetchStallCy", core*u[stTex]*.6*pending)
	t.add("MaliTexFiltStallCy", core*(1-u[stTex])*pending*math.Min(1, texQueue))
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
	t.add("MaliEngSFUInstr", sfu)
	t.add("MaliEngFMAInstr", (instr-sfu)*.62)
	t.add("MaliEngCVTInstr", (instr-sfu)*.38)
	t.add("MaliEngSlot1IssueCy", instr*(1-slot0))
	t.add("MaliEngSlotAnyIssueCy", instr*(slot0+.03*(1-slot0)))
	t.add("MaliEngNarrowInstr", instr*s.half*.6)
	t.add("MaliEngDivergedInstr", instr*s.diverged)
	if s.registers {
		t.add("MaliCoreAllRegsWarp", rate)
	}
	t.add("MaliCoreFullWarp", rate*s.fill*s.fill)
	if s.kind != kindFrag {
		t.add("MaliNonFragWarp", rate)
		t.add("MaliNonFragTask", rate/4)
	}
	quads := rate * s.quads
	t.add("MaliTexQuads", quads)
	pass := quads * min(s.filter, 2)
	t.add("MaliTexQuadPass", quads)
	t.add("MaliTexQuadPassDescMiss", quads*.002)
	t.add("MaliTexQuadPassMip", quads*s.mip)
	t.add("MaliTexQuadPassTri", quads*s.mip*s.trilinear)
	t.add("MaliTexCacheFetch", quads*s.lines)
	t.add("MaliTexCacheCompressFetch", quads*s.lines*s.compressed)
	t.add("MaliTexCacheLookup", min(pass, rate*m.texCycles(s)))
	cy := quads / m.texQuads
	t.add("MaliTexFiltIssueCy", cy*s.filter)
	t.add("MaliTexCacheLookupCy", cy*min(s.filter, 1.4)*.8)
	t.add("MaliTexIndexCy", cy*.7)
	t.add("MaliTexInBt", cy*.8)
	t.add("MaliTexOutBt", cy*.75)
	t.add("MaliTexOutMsg", quads*.56) // quads come in pairs, but for one in eight
	t.add("MaliTexOutSingleMsg", quads*.12)
	t.add("MaliTexL1CacheLookupCy", cy*s.lines)
	t.add("MaliTexL1CacheLoadCy", cy*s.lines*.9)
	t.add("MaliTexL1CacheOutputCy", cy*s.lines*lineFill)
	t.add("MaliTexCacheSimpleLoadCy", cy*s.lines*(1-s.compressed)*lineFill)
	t.add("MaliTexCacheComplexLoadCy", cy*s.lines*s.compressed*lineFill)
	t.add("MaliVar16IssueSlot", rate*s.slots*s.half)
	t.add("MaliVar32IssueSlot", rate*s.slots*(1-s.half))
	t.add("MaliVarInstr", rate*s.slots/2)
	t.add("MaliLSFullRd", rate*s.lsRead*s.full)
	t.add("MaliLSPartRd", rate*s.lsRead*(1-s.full))
	t.add("MaliLSFullWr", rate*s.lsWrite*s.full)
	t.add("MaliLSPartWr", rate*s.lsWrite*(1-s.full))
	t.add("MaliLSAtomic", rate*s.atomic*2)
	if s.kind == kindGeom {
		t.add("MaliAttrInstr", rate*s.lsRead)
		t.add("MaliAttrIssueCy", rate*s.lsRead*.5)
	}
	t.rays(s, rate)
	beats := rate * 4
	t.add("MaliSCBusTexL2RdBt", beats*s.quads*s.lines)
	t.add("MaliSCBusTexExtRdBt", beats*s.quads*s.lines*s.miss)
	t.add("MaliSCBusLSL2RdBt", beats*s.lsLines)
	t.add("MaliSCBusLSExtRdBt", beats*s.lsLines*s.miss)
	t.add("MaliSCBusFFEL2RdBt", beats*s.tileLists())
	t.add("MaliSCBusFFEExtRdBt", beats*s.tileLists()*s.miss)
	t.add("MaliSCBusRTUL2RdBt", beats*s.rayLines())
	t.add("MaliSCBusRTUExtRdBt", beats*s.rayLines()*s.miss)
	t.add("MaliSCBusOtherL2RdBt", beats*.02)
	t.add("MaliSCBusLSWBWrBt", beats*s.lsWriteLines*.4)
	t.add("MaliSCBusLSOtherWrBt", beats*s.lsWriteLines*.6)
	t.add("MaliSCBusLSWrBt", beats*s.lsWriteLines)
	t.add("MaliSCBusOtherWrBt", beats*.004)
	t.add("MaliSCBusTileWrBt", rate*s.tileBytes/16)
}

func (t tally) rays(s *segment, rate float64) {
	rays := rate * s.rays
	t.add("MaliRTUBoxIssueCy", rate*s.box)
	t.add("MaliRTUTriIssueCy", rate*s.tri)
	t.add("MaliRTUBoxIssue", rate*s.box)
	t.add("MaliRTUTLASBoxIssue", rate*s.box*.3)
	t.add("MaliRTUTriCull", rate*s.tri)
	t.add("MaliRTUPrimCull", rate*s.tri*.35)
	t.add("MaliRTUBLASIssue", rays*1.6)
	t.add("MaliRTUBLASCull", rays*.3)
	t.add("MaliRTURay", rays)
	t.add("MaliRTUOpaqueHit", rays*.5)
	t.add("MaliRTUNonOpaqueHit", rays*.08)
	t.add("MaliRTUFirstHitTerm", rays*.25)
	t.add("MaliRTUMiss", rays*.4)
	t.add("MaliRTUStackOverflows", rays*.001)
	t.add("MaliRTUNewTraceInstr", rays/10)
	t.add("MaliRTUResumeTraceInstr", rays/60)
	t.add("MaliRTUResumeTraceRays", rays/8)
	t.add("MaliRTUCacheHit", rate*(2*(s.box+s.tri)+s.rays-s.rayLines()))
	t.add("MaliRTUCacheMiss", rate*s.rayLines())
}

// fragments are the counters of fragment work.
func (t tally) fragments(m *machine, s *segment, rate, core float64, fl *flow) {
	rast := rate * s.rast
	kill := rast * s.ezs
	shaded := rate * float64(m.warp) / 4 * s.fill
	t.add("MaliFragWarp", rate)
	t.add("MaliFragPartWarp", rate*(1-s.fill))
	t.add("MaliFragThread", rate*float64(m.warp)*s.fill)
	t.add("MaliFragRastQd", rast)
	t.add("MaliFragRastPartQd", rast*min(.6, .03+.4*s.prims))
	t.add("MaliFragEZSTestQd", rast*max(s.ezs, .97-s.lzs))
	t.add("MaliFragEZSKillQd", kill)
	t.add("MaliFragEZSUpdateQd", (rast-kill)*(1-s.alpha)*.95)
	t.add("MaliFragLZSTestQd", shaded*s.lzs)
	t.add("MaliFragLZSKillQd", shaded*s.lzs*.3)
	t.add("MaliFragOpaqueQd", (rast-kill)*(1-s.alpha)*.9)
	prims := rate * s.prims
	t.add("MaliFragRdPrim", prims*1.15)
	t.add("MaliFragRastPrim", prims)
	t.add("MaliFragPrim", prims*1.05)
	t.add("MaliFragPrepassPrim", prims*.5)
	t.add("MaliFragPrepassCullPrim", prims*.2)
	t.add("MaliFragPrepassSkippedPrim", prims*.1)
	t.add("MaliFragPrepassTestQd", rast*.8*(1-s.alpha))
	t.add("MaliFragPrepassKillQd", rast*.8*(1-s.alpha)*min(.9, s.fpk+s.ezs*.3))
	t.add("MaliFragPrepassEZSUpdateQd", (rast-kill)*.5*(1-s.alpha))
	t.add("MaliFragPrepassWarp", rate*.03*(1-s.alpha))
	t.add("MaliFragMainPassStallCy", core*.03*(1-s.alpha))
	t.add("MaliDefVertWarp", rate*min(.3, s.prims*.1))
	area := rate * s.area
	t.add("MaliFragQueueTask", area/1024)
	t.add("MaliMainQueueTask", area/4096)
	t.add("MaliFragTile", area/float64(map[bool]int{false: 256, true: 1024}[m.csf]))
	t.add("MaliFragTileKill", area/float64(map[bool]int{false: 256, true: 1024}[m.csf])*.02)
	// The buffer in front of the cores is empty for longer where places for warps are free.
	free := fl.queue[stRast]
	t.add("MaliFragFPKActiveCy", core*(.98-.55*free/(free+4)))
	t.add("MaliBlendIssueCy", rate*float64(m.warp)/m.pixels*(.5+.5*s.alpha)*s.blend)
}

// geometry are the tiler's counters and those of what it asks for.
func (t tally) geometry(m *machine, s *segment, rate float64, f *flows, fl *flow) {
	ghz := m.ghz(f.share)
	prims := rate * s.prims
	visible, culled := prims*(1-s.cull), prims*s.cull
	t.add("MaliGeomFrontFacePrim", visible*.93)
	t.add("MaliGeomBackFacePrim", visible*.07)
	t.add("MaliGeomVisibleDVSPrim", visible*.4)
	t.add("MaliGeomFaceXYPlaneCullPrim", culled*.86)
	t.add("MaliGeomZPlaneCullPrim", culled*.04)
	t.add("MaliGeomFaceCullPrim", culled*.62)
	t.add("MaliGeomPlaneCullPrim", culled*.27)
	t.add("MaliGeomScissorCullPrim", culled*.01)
	t.add("MaliGeomSampleCullPrim", culled*.1)
	t.add("MaliGeomLinePrim", 0)
	threads := rate * float64(m.warp)
	size := 4.0
	if m.csf {
		size = 16
	}
	pos := threads * .6
	t.add("MaliGeomPosShadTask", pos/size)
	t.add("MaliGeomPosShadPartTask", pos/size*.06)
	t.add("MaliGeomVarShadTask", (threads-pos)/size)
	t.add("MaliGeomVarShadPartTask", (threads-pos)/size*.1)
	t.add("MaliNonFragQueueTask", threads/256)
	t.add("MaliBinningQueueTask", threads/256)
	t.add("MaliTilerActiveCy", ghz*.985)
	u := min(1, f.busy[stTiler])
	starved := (1 - u) * (1 - u)
	t.add("MaliTilerPosShadFIFOFullCy", ghz*.85*(1-u))
	t.add("MaliTilerPosShadStallCy", ghz*.6*starved)
	t.add("MaliTilerPrimAsPosShadStallCy", ghz*.9*(1-u))
	t.add("MaliTilerVarShadStallCy", ghz*.3*starved)
	t.add("MaliTilerPosCacheHit", prims*2.4)
	t.add("MaliTilerPosCacheMiss", prims*.6)
	t.add("MaliTilerVarCacheHit", visible*2.3)
	t.add("MaliTilerVarCacheMiss", visible*.7)
	t.add("MaliTilerRdBt", rate*s.tilerLines()*4)
	t.add("MaliTilerWrBt", rate*s.tilerWrites()*4)
}
