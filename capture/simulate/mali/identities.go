package mali

// relation says that counters add up to no more than another.
type relation struct {
	whole string
	parts []string
}

// times are the relations of times in which the GPU worked, the larger ones first.
var times = []relation{
	{"MaliGPUActiveCy", []string{"MaliGPUAnyQueueActiveCy"}},
	{"MaliGPUAnyQueueActiveCy", []string{"MaliCSFMCUActiveCy"}},
	{"MaliGPUAnyQueueActiveCy", []string{"MaliGPUIRQActiveCy"}},
	{"MaliGPUActiveCy", []string{"MaliGPUIRQActiveCy"}},
	{"MaliGPUActiveCy", []string{"MaliTilerActiveCy"}},
	{"MaliGPUAnyQueueActiveCy", []string{"MaliTilerActiveCy"}},
	{"MaliTilerActiveCy", []string{"MaliTilerPosShadFIFOFullCy"}},
	{"MaliFragQueueActiveCy", []string{"MaliFragQueueWaitFlushCy", "MaliFragQueueWaitRdCy", "MaliFragQueueWaitIssueCy",
		"MaliFragQueueWaitFinishCy"}},
	{"MaliNonFragQueueActiveCy", []string{"MaliNonFragQueueWaitFlushCy", "MaliNonFragQueueWaitRdCy",
		"MaliNonFragQueueWaitIssueCy", "MaliNonFragQueueWaitFinishCy"}},
	{"MaliAnyActiveCy", []string{"MaliCoreActiveCy"}},
	{"MaliAnyActiveCy", []string{"MaliFragActiveCy"}},
	{"MaliAnyActiveCy", []string{"MaliNonFragActiveCy"}},
	{"MaliAnyActiveCy", []string{"MaliMainActiveCy"}},
	{"MaliAnyActiveCy", []string{"MaliCompOrBinningActiveCy"}},
	{"MaliFragActiveCy", []string{"MaliFragFPKActiveCy"}},
	{"MaliMainActiveCy", []string{"MaliFragFPKActiveCy"}},
}

// parts are the relations of what units did.
var parts = []relation{
	{"MaliExtBusRdBt", []string{"MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256",
		"MaliExtBusRdLat320"}},
	{"MaliL2CacheLookup", []string{"MaliL2CacheWrLookup", "MaliL2CacheRdLookup"}},
	{"MaliL2CacheRdLookup", []string{"MaliExtBusRd"}},
	{"MaliL2CacheWrLookup", []string{"MaliExtBusWr"}},
	{"MaliGeomVisiblePrim", []string{"MaliGeomFrontFacePrim", "MaliGeomBackFacePrim"}},
	{"MaliGeomVisiblePrim", []string{"MaliGeomVisibleDVSPrim"}},
	{"MaliGeomPosShadTask", []string{"MaliGeomPosShadPartTask"}},
	{"MaliGeomVarShadTask", []string{"MaliGeomVarShadPartTask"}},
	{"MaliFragRastQd", []string{"MaliFragRastCoarseQd"}},
	{"MaliFragRastQd", []string{"MaliFragRastPartQd"}},
	{"MaliFragRastQd", []string{"MaliFragEZSTestQd"}},
	{"MaliFragEZSTestQd", []string{"MaliFragEZSKillQd", "MaliFragEZSUpdateQd"}},
	{"MaliFragRastQd", []string{"MaliFragEZSKillQd", "MaliFragOpaqueQd"}},
	{"MaliFragRastQd", []string{"MaliFragEZSKillQd", "MaliFragPrepassTestQd"}},
	{"MaliFragPrepassTestQd", []string{"MaliFragPrepassKillQd"}},
	{"MaliFragPrepassTestQd", []string{"MaliFragPrepassEZSUpdateQd"}},
	{"MaliFragLZSTestQd", []string{"MaliFragLZSKillQd"}},
	{"MaliFragWarp", []string{"MaliFragPartWarp"}},
	{"MaliFragWarp", []string{"MaliFragPrepassWarp"}},
	{"MaliSCBusTexL2RdBt", []string{"MaliSCBusTexExtRdBt"}},
	{"MaliSCBusLSL2RdBt", []string{"MaliSCBusLSExtRdBt"}},
	{"MaliSCBusFFEL2RdBt", []string{"MaliSCBusFFEExtRdBt"}},
	{"MaliCoreActiveCy", []string{"MaliLSFullRd", "MaliLSPartRd", "MaliLSFullWr", "MaliLSPartWr", "MaliLSAtomic"}},
	{"MaliTexFiltIssueCy", []string{"MaliTexFullBiFiltCy", "MaliTexFullTriFiltCy"}},
	{"MaliTexOutMsg", []string{"MaliTexOutSingleMsg"}},
	{"MaliTexQuadPass", []string{"MaliTexQuads"}},
	{"MaliTexQuads", []string{"MaliTexQuadPassTri"}},
	{"MaliEngInstr", []string{"MaliEngDivergedInstr"}},
	{"MaliEngSlotAnyIssueCy", []string{"MaliEngSlot1IssueCy"}},
}

// each are counters of which every one is no larger than the execution core's cycles.
var each = append([]string{"MaliEngInstr", "MaliEngStarveCy", "MaliEngSlotAnyIssueCy", "MaliEngCVTInstr",
	"MaliEngTexBackpressureCy", "MaliEngVarBackpressureCy", "MaliEngLSBackpressureCy", "MaliEngBlendBackpressureCy",
	"MaliEngRTUBackpressureCy", "MaliBlendIssueCy", "MaliTexCacheLookup", "MaliRTUActiveCy", "MaliRTUBoxIssueCy",
	"MaliRTUTriIssueCy"}, textureStages[:]...)

// limit takes from the row's value of a counter, if the layout has it, what is above the limit.
func (t *table) limit(name string, most uint64) {
	if at, ok := t.at[name]; ok {
		t.cols.Limit(at, most)
	}
}

// last is the row's value of a counter as it was rounded; 0 where the layout lacks the counter.
func (t *table) last(name string) uint64 {
	if at, ok := t.at[name]; ok {
		return t.cols.Last(at)
	}
	return 0
}

func (t *table) keep(list []relation) {
	for _, x := range list {
		if _, ok := t.at[x.whole]; !ok {
			continue
		}
		left := t.last(x.whole)
		for _, name := range x.parts {
			t.limit(name, left)
			left -= t.last(name)
		}
	}
}

// identities keeps what the hardware keeps, where rounding and the moments at which samples end would break it by a
// count or two.
func (t *table) identities() {
	d := t.d
	clock := t.cols.Last(t.clock)
	t.limit("MaliGPUActiveCy", clock)
	t.limit("MaliGPUAnyQueueActiveCy", clock)
	busy := max(t.last("MaliGPUActiveCy"), t.last("MaliGPUAnyQueueActiveCy"))
	for _, names := range iterators {
		for _, name := range names {
			t.limit("Mali"+name+"QueuedCy", busy)
			t.limit("Mali"+name+"QueueAssignStallCy", t.last("Mali"+name+"QueuedCy"))
		}
	}
	t.limit("MaliFragQueueActiveCy", busy)
	t.limit("MaliNonFragQueueActiveCy", busy)
	all := uint64(float64(busy) * float64(d.cores) * d.shader)
	for _, name := range []string{"MaliAnyActiveCy", "MaliCoreActiveCy", "MaliFragActiveCy", "MaliNonFragActiveCy"} {
		t.limit(name, all)
	}
	// A slice looks up a line in a cycle: more than that was looked up before, while it waited for memory.
	t.limit("MaliL2CacheLookup", uint64(d.slices)*clock)
	t.keep(times)
	exec := t.last("MaliCoreActiveCy")
	for _, name := range each {
		t.limit(name, exec)
	}
	t.keep(parts)
	t.pipes(exec)
	t.limit("MaliVar16IssueSlot", uint64(d.slots)*exec)
	t.limit("MaliVar32IssueSlot", uint64(d.slots)*exec-t.last("MaliVar16IssueSlot"))
	warps := t.last("MaliFragWarp") + t.last("MaliNonFragWarp")
	t.limit("MaliCoreFullWarp", warps)
	t.limit("MaliCoreAllRegsWarp", warps)
	t.limit("MaliFragThread", uint64(d.warp)*t.last("MaliFragWarp"))
	if d.calls > 0 {
		t.limit("MaliEngSWBlendInstr", t.last("MaliFragWarp")/uint64(d.calls))
	}
	t.limit("MaliFragTileKill", uint64(d.kills)*t.last("MaliFragTile"))
}

// pipes keeps what the arithmetic pipes share.
func (t *table) pipes(exec uint64) {
	t.limit("MaliEngSFUInstr", exec/4)
	special := t.last("MaliEngSFUInstr")
	switch t.d.issue {
	case byInstruction:
		return
	case bySide:
		t.limit("MaliEngFMAInstr", exec)
	case inTurn:
		t.limit("MaliEngCVTInstr", exec-special)
		t.limit("MaliEngFMAInstr", exec-special-t.last("MaliEngCVTInstr"))
	case twoAdds:
		t.limit("MaliEngCVTInstr", exec-special)
		t.limit("MaliEngFMAInstr", 2*exec-special-t.last("MaliEngCVTInstr"))
	case twoSlots:
		// An instruction of the first slot is issued in each of the cycles that have any.
		second := t.last("MaliEngSlot1IssueCy")
		most := t.last("MaliEngSlotAnyIssueCy") + second
		t.limit("MaliEngSFUInstr", most)
		special = t.last("MaliEngSFUInstr")
		t.limit("MaliEngCVTInstr", most-special)
		t.limit("MaliEngFMAInstr", most-special-t.last("MaliEngCVTInstr"))
	}
	all := special + t.last("MaliEngCVTInstr") + t.last("MaliEngFMAInstr")
	t.limit("MaliEngNarrowInstr", all)
	t.limit("MaliEngDivergedInstr", all)
}
