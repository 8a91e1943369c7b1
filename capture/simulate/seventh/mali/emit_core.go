package mali

// emitPixels are the counters of the fragment front end and back end.
func (e *emitter) emitPixels(c *chip) {
	n := &e.row.n
	e.add("MaliFragRdPrim", n[nReadPrim])
	e.add("MaliFragRastPrim", n[nRastPrim])
	quads := e.add("MaliFragRastQd", n[nQuad])
	e.below("MaliFragRastPartQd", n[nPartQuad], quads)
	e.below("MaliFragRastCoarseQd", n[nCoarse], quads)
	tested := e.below("MaliFragEZSTestQd", n[nEarlyTest], quads)
	killed := e.below("MaliFragEZSKillQd", n[nEarlyKill], tested)
	e.below("MaliFragEZSUpdateQd", n[nEarlyUpdate], tested-killed)
	e.below("MaliFragOpaqueQd", n[nOpaque], quads-killed)
	warps := e.below("MaliFragWarp", n[nFragWarp], (quads-killed)/4)
	other := e.add("MaliNonFragWarp", n[nOtherWarp])
	e.add("MaliNonFragTask", n[nOtherTask])
	e.below("MaliFragThread", 4*n[nFragQuad], 16*warps)
	late := e.below("MaliFragLZSTestQd", n[nLateTest], 4*warps)
	e.below("MaliFragLZSKillQd", n[nLateKill], late)
	e.below("MaliCoreFullWarp", n[nFull], warps+other)
	e.below("MaliCoreAllRegsWarp", n[nAllRegs], warps+other)
	tiles := e.add("MaliFragTile", n[nTile])
	if c.modern {
		tiles *= 4
	}
	e.below("MaliFragTileKill", n[nTileKill], tiles)
	e.below("MaliEngSWBlendInstr", n[nBlendShader], warps/4)
}

// emitShaders are the counters of what programs do in the cores. Nothing issues more often than a core holds a warp.
func (e *emitter) emitShaders(c *chip, core uint64) {
	s, n := &e.row.s, &e.row.n
	fma := core
	if c.modern {
		fma *= 2
	}
	all := e.below("MaliEngFMAInstr", n[nFMA], fma) + e.below("MaliEngCVTInstr", n[nCVT], core) + e.below("MaliEngSFUInstr", n[nSFU], core/4)
	e.below("MaliEngNarrowInstr", n[nNarrow], all)
	e.below("MaliEngDivergedInstr", n[nDiverged], all)
	e.add("MaliEngICacheMiss", n[nICache])
	filter := e.below("MaliTexFiltIssueCy", n[nTexFilter], core)
	half := e.below("MaliTexFullBiFiltCy", n[nTexBilinear], filter)
	e.below("MaliTexFullTriFiltCy", n[nTexTrilinear], filter-half)
	if c.modern {
		messages := e.below("MaliTexOutMsg", (n[nTexQuad]+n[nTexSingle])/2, core)
		e.below("MaliTexOutSingleMsg", n[nTexSingle], messages)
		e.below("MaliTexIndexCy", 0.9*(n[nTexQuad]+n[nTexSingle])/2, core)
	} else {
		e.below("MaliTexOutMsg", n[nTexQuad], core)
	}
	e.below("MaliTexInBt", n[nTexIn], core)
	e.below("MaliTexOutBt", n[nTexOut], core)
	e.below("MaliTexCacheLookupCy", 0.97*n[nTexFilter], core)
	e.below("MaliTexCacheSimpleLoadCy", n[nTexSimple], core)
	e.below("MaliTexCacheComplexLoadCy", n[nTexComplex], core)
	e.below("MaliTexL1CacheLookupCy", n[nTexL1], core)
	e.below("MaliTexL1CacheOutputCy", 0.95*n[nTexL1], core)
	e.below("MaliTexL1CacheLoadCy", 0.3*n[nTexL1], core)
	clock := e.below("MaliTexClkActiveCy", s[sTexClock], core)
	if !c.modern {
		clock = core
	}
	e.below("MaliTexFiltStallCy", s[sTexFilter], clock)
	e.below("MaliTexDataFetchStallCy", s[sTexFetch], clock)
	e.below("MaliTexDescStallCy", s[sTexDescriptor], clock)
	e.below("MaliTexClkStarvedCy", s[sTexClock]-n[nTexOut], clock) // it could have answered, and did not
	left := core
	for _, x := range []struct {
		name   string
		amount int
	}{{"MaliLSFullRd", nReadFull}, {"MaliLSPartRd", nReadPart}, {"MaliLSFullWr", nWriteFull}, {"MaliLSPartWr", nWritePart},
		{"MaliLSAtomic", nAtomic}} {
		left -= e.below(x.name, n[x.amount], left)
	}
	slots := core * uint64(c.varSlots)
	slots -= e.below("MaliVar32IssueSlot", n[nVar32], slots)
	e.below("MaliVar16IssueSlot", n[nVar16], slots)
	e.add("MaliVarInstr", n[nVarInstr])
	e.add("MaliAttrInstr", n[nAttr])
	e.emitRays(core)
}

// emitRays are the counters of rays: each node is tested with 1 to 16 of a warp's.
func (e *emitter) emitRays(core uint64) {
	n := &e.row.n
	rays := e.add("MaliRTURay", n[nRay])
	boxes := e.below("MaliRTUBoxIssueCy", n[nBoxNode], core)
	nodes := e.below("MaliRTUTriIssueCy", n[nTriNode], core)
	e.whole("MaliRTUTri", nodes)
	e.whole("MaliRTUBox", boxes*5)
	for _, x := range []struct {
		name  string
		total uint64
		of    float64
	}{{"MaliRTUBoxBin", boxes, n[nBoxNode]}, {"MaliRTUTriBin", nodes, n[nTriNode]}} {
		left := x.total
		left -= e.below(x.name+"1", 0.2*x.of, left)
		left -= e.below(x.name+"5", 0.25*x.of, left)
		left -= e.below(x.name+"9", 0.3*x.of, left)
		e.whole(x.name+"13", left)
	}
	e.add("MaliRTUMiss", 3*n[nTriNode])
	e.add("MaliRTUOpaqueHit", 0.6*n[nRay])
	e.add("MaliRTUNonOpaqueHit", 0.1*n[nRay])
	e.below("MaliRTUFirstHitTerm", 0.3*n[nRay], rays)
}

// emitBeats are what units of the cores read from L2 and beyond, and write.
func (e *emitter) emitBeats() {
	n := &e.row.n
	for _, x := range []struct {
		unit      string
		beat, ext int
	}{{"FFE", nFrontBeat, nFrontExt}, {"LS", nLSBeat, nLSExt}, {"Tex", nTexBeat, nTexExt}} {
		e.below("MaliSCBus"+x.unit+"ExtRdBt", n[x.ext], e.add("MaliSCBus"+x.unit+"L2RdBt", n[x.beat]))
	}
	e.add("MaliSCBusOtherL2RdBt", n[nOtherBeat])
	e.add("MaliSCBusLSOtherWrBt", n[nLSWrite])
	e.add("MaliSCBusLSWBWrBt", n[nLSBack])
	e.add("MaliSCBusTileWrBt", n[nTileWrite])
}
