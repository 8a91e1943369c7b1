package mali

// relation says that counters add up to no more than another.
type relation struct {
	whole string
	parts []string
}

// coreTimes are the relations of times in which the cores worked, the larger ones first.
var coreTimes = []relation{
	{"active", []string{"MaliCSFCyclesMCUActive"}},
	{"active", []string{"MaliGPUCyclesGPUInterruptActive"}},
	{"MaliShaderCoreCyclesAnyWorkloadActive", []string{"MaliShaderCoreCyclesExecutionCoreActive"}},
	{"MaliShaderCoreCyclesAnyWorkloadActive", []string{"fragmentCores"}},
	{"MaliShaderCoreCyclesAnyWorkloadActive", []string{"otherCores"}},
	{"fragmentCores", []string{"MaliShaderCoreCyclesFragmentFPKBufferActive"}},
}

// parts are the relations of what units did.
var parts = []relation{
	{"MaliExternalBusBeatsReadBeats", []string{"MaliExternalBusReadLatency0127Cycles",
		"MaliExternalBusReadLatency128191Cycles", "MaliExternalBusReadLatency192255Cycles",
		"MaliExternalBusReadLatency256319Cycles", "MaliExternalBusReadLatency320383Cycles"}},
	{"MaliFragmentQuadsRasterizedFineQuads", []string{"MaliFragmentQuadsRasterizedCoarseQuads"}},
	{"MaliFragmentQuadsRasterizedFineQuads", []string{"MaliFragmentQuadsPartialRasterizedFineQuads"}},
	{"MaliFragmentQuadsRasterizedFineQuads", []string{"MaliFragmentZSQuadsEarlyZSTestedQuads"}},
	{"MaliFragmentZSQuadsEarlyZSTestedQuads", []string{"MaliFragmentZSQuadsEarlyZSKilledQuads",
		"MaliFragmentZSQuadsEarlyZSUpdatedQuads"}},
	{"MaliFragmentZSQuadsLateZSTestedQuads", []string{"MaliFragmentZSQuadsLateZSKilledQuads"}},
	{"MaliShaderCoreL2ReadsTextureL2ReadBeats", []string{"MaliShaderCoreExternalReadsTextureExternalReadBeats"}},
	{"MaliShaderCoreL2ReadsLoadStoreL2ReadBeats", []string{"MaliShaderCoreExternalReadsLoadStoreExternalReadBeats"}},
	{"MaliShaderCoreL2ReadsFragmentL2ReadBeats", []string{"MaliShaderCoreExternalReadsFragmentExternalReadBeats"}},
	{"MaliShaderCoreCyclesExecutionCoreActive", []string{"MaliLoadStoreUnitCyclesFullRead",
		"MaliLoadStoreUnitCyclesPartialRead", "MaliLoadStoreUnitCyclesFullWrite",
		"MaliLoadStoreUnitCyclesPartialWrite", "MaliLoadStoreUnitCyclesAtomicAccess"}},
	{"MaliTextureUnitCyclesTextureFilteringActive", []string{"MaliTextureUnitCyclesFullBilinearFilterActive",
		"MaliTextureUnitCyclesFullTrilinearFilterActive"}},
	{"MaliTextureUnitQuadsTextureMessages", []string{"MaliTextureUnitQuadsTextureMessagesWithSingleQuad"}},
}

// each are counters of which every one is no larger than the execution core's cycles.
var each = []string{"MaliTextureUnitCyclesTextureFilteringActive", "MaliTextureUnitBusOutputBeats",
	"MaliTextureUnitBusInputBeats", "MaliTextureUnitCacheCyclesCacheLookupActive",
	"MaliTextureUnitCacheCyclesSimpleLoadActive", "MaliTextureUnitCacheCyclesComplexLoadActive",
	"MaliTextureUnitCacheCyclesL1OutputActive", "MaliTextureUnitCacheCyclesL1LookupActive",
	"MaliTextureUnitCyclesIndexCalculationActive", "MaliRayTracingUnitCyclesBoxTesterActive",
	"MaliRayTracingUnitCyclesTriangleTesterActive", "MaliALUInstructionsCVTPipeInstructions"}

// identities keeps what the hardware keeps, where rounding and the moments at which samples end would break it by a
// count or two.
func (t *table) identities() {
	d, c := t.d, t.cols
	n := names[d.gpu]
	place := func(name string) (int, bool) {
		if own, ok := n[name]; ok {
			name = own
		}
		at, ok := t.at[name]
		return at, ok
	}
	active := t.at[n["active"]]
	c.Limit(active, c.Last(t.clock))
	busy := c.Last(active)
	for _, q := range []string{n["geometry"], n["fragment"], "Compute"} {
		queued, stalled := t.at["MaliGPUQueuedCycles"+q+"Queued"], t.at["MaliGPUWaitCycles"+q+"QueueEndpointStall"]
		c.Limit(queued, busy)
		c.Limit(stalled, c.Last(queued))
	}
	any := t.at["MaliShaderCoreCyclesAnyWorkloadActive"]
	c.Limit(any, uint64(float64(busy)*float64(d.cores)*d.shader))
	keep := func(list []relation) {
		for _, x := range list {
			whole, ok := place(x.whole)
			if !ok {
				continue
			}
			left := c.Last(whole)
			for _, name := range x.parts {
				if at, ok := place(name); ok {
					c.Limit(at, left)
					left -= c.Last(at)
				}
			}
		}
	}
	keep(coreTimes)
	exec := c.Last(t.at["MaliShaderCoreCyclesExecutionCoreActive"])
	for _, name := range each {
		if at, ok := t.at[name]; ok {
			c.Limit(at, exec)
		}
	}
	keep(parts)
	c.Limit(t.at["MaliALUInstructionsSFUPipeInstructions"], exec/4)
	c.Limit(t.at["MaliALUInstructionsCVTPipeInstructions"], exec-c.Last(t.at["MaliALUInstructionsSFUPipeInstructions"]))
	rest := c.Last(t.at["MaliALUInstructionsSFUPipeInstructions"]) +
		c.Last(t.at["MaliALUInstructionsCVTPipeInstructions"])
	c.Limit(t.at["MaliALUInstructionsFMAPipeInstructions"], 2*exec-rest)
	all := rest + c.Last(t.at["MaliALUInstructionsFMAPipeInstructions"])
	c.Limit(t.at["MaliALUInstructionsNarrowInstructions"], all)
	c.Limit(t.at["MaliALUInstructionsDivergedInstructions"], all)
	v16 := t.at["MaliVaryingUnitIssues16BitInterpolationIssues"]
	c.Limit(v16, 4*exec)
	c.Limit(t.at["MaliVaryingUnitIssues32BitInterpolationIssues"], 4*exec-c.Last(v16))
	fragment, other := t.at["MaliShaderWarpsFragmentWarps"], t.at["MaliShaderWarpsNonFragmentWarps"]
	warps := c.Last(fragment) + c.Last(other)
	c.Limit(t.at["MaliShaderWarpsFullWarps"], warps)
	c.Limit(t.at["MaliShaderWarpsAllRegisterWarps"], warps)
	c.Limit(t.at["MaliShaderThreadsFragmentThreads"], 16*c.Last(fragment))
	c.Limit(t.at["MaliALUInstructionsBlendShaderCalls"], c.Last(fragment)/4)
	c.Limit(t.at["MaliShaderCoreTilesKilledUnchangedTiles"], 4*c.Last(t.at["MaliShaderCoreTilesTiles"]))
}
