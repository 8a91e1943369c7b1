package telling

import "astrolabe/capture/simulate"

// CPU are the events of processors and what Linux tells.
var CPU = map[simulate.Candidate][]string{
	unit("core"): {"topdown_retiring", "topdown_be_bound", "topdown_slots_retired", "amd_ops_dispatched", "amd_ops_retired", "amd_slots_held_up",
		"stalled_cycles_backend", "ex_ret_ops", "de_no_dispatch_per_slot.backend_stalls", "op_retired", "stall_slot_backend"},
	unit("branch"): {"branch_misses", "de_src_op_disp.all", "op_spec", "topdown_bad_spec", "topdown_recovery_bubbles", "topdown_slots_issued", "amd_ops_dispatched"},
	unit("front_end"): {"topdown_fe_bound", "topdown_fetch_bubbles", "amd_slots_without_ops", "de_no_dispatch_per_slot.no_ops_from_frontend",
		"stall_slot_frontend", "stalled_cycles_frontend", "iTLB_load_misses"},
	simulate.MemoryLatency: {"cache_misses", "cache_references", "topdown_mem_bound", "amd_cycles_of_loads",
		"LLC_loads", "LLC_load_misses", "dTLB_load_misses", "stalled_cycles_backend", "ex_no_retire.load_not_complete", "stall_backend_mem"},
	simulate.MemoryBandwidth: {"cache_misses", "cache_references", "topdown_mem_bound", "amd_cycles_of_loads",
		"LLC_loads", "LLC_load_misses", "stalled_cycles_backend", "ex_no_retire.load_not_complete", "stall_backend_mem"},
	{Level: simulate.LevelCPU, Name: "io"}:   {"cpu_iowait", "pressure_io_some", "pressure_io_full", "procs_blocked"},
	{Level: simulate.LevelCPU, Name: "lock"}: {"context_switches", "ctxt"},
	simulate.QueuesInTurn:                    {"context_switches", "ctxt"},
	simulate.ClockThermal:                    {"temperature", "cpu_frequency"},
	simulate.ClockPower:                      {"cpu_frequency", "hwmon_ina226_power1"},
}

// Mali are counters by Arm's machine names, and the recorder's own.
var Mali = map[simulate.Candidate][]string{
	unit("arithmetic"): {"MaliEngInstr", "MaliEngFMAInstr", "MaliEngCVTInstr", "MaliEngSFUInstr"},
	unit("texture"): {"MaliTexFiltIssueCy", "MaliTexOutMsg", "MaliTexInBt", "MaliTexOutBt", "MaliTexIndexCy",
		"MaliTexCacheLookupCy", "MaliTexCacheComplexLoadCy", "MaliTexCacheSimpleLoadCy", "MaliTexL1CacheLookupCy",
		"MaliTexL1CacheOutputCy", "MaliTexClkActiveCy"},
	unit("varying"):          {"MaliVar32IssueSlot", "MaliVar16IssueSlot", "MaliVarInstr"},
	unit("load_store"):       {"MaliLSFullRd", "MaliLSPartRd", "MaliLSFullWr", "MaliLSPartWr", "MaliLSAtomic"},
	unit("ray_tracing"):      {"MaliRTUBoxIssueCy", "MaliRTUTriIssueCy", "MaliRTUBox", "MaliRTUTri", "MaliRTURay"},
	unit("tiler"):            {"MaliTilerActiveCy", "MaliTilerPosShadFIFOFullCy", "MaliTilerPosShadStallCy"},
	unit("rasterizer"):       {"MaliFragFPKActiveCy", "MaliFragRastQd", "MaliFragRastPrim"},
	unit("pixel_backend"):    {"MaliSCBusTileWrBt", "MaliFragLZSTestQd", "MaliFragOpaqueQd"},
	cache:                    {"MaliL2CacheLookup", "MaliL2CacheRdLookup", "MaliL2CacheWrLookup", "MaliL2CacheRdStallCy", "MaliL2CacheRd"},
	simulate.MemoryBandwidth: {"MaliExtBusRdBt", "MaliExtBusWrBt", "MaliExtBusRdStallCy", "MaliExtBusWrStallCy"},
	simulate.MemoryLatency: {"MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256",
		"MaliExtBusRdLat320", "MaliExtBusRdOTQ1", "MaliExtBusRdOTQ2", "MaliExtBusRdOTQ3"},
	simulate.LaunchOverhead: {"MaliCSFCEUActiveCy", "MaliCSFMCUActiveCy", "MaliCompQueueJob", "MaliL2CacheFlushCy", "MaliFragQueueWaitIssueCy",
		"MaliFragQueueWaitRdCy", "MaliFragQueueWaitFlushCy", "MaliNonFragQueueWaitIssueCy", "MaliNonFragQueueWaitRdCy", "MaliNonFragQueueWaitFlushCy"},
	simulate.CPUApp:    {"cpu_user", "cpu_idle"},
	simulate.CPUDriver: {"cpu_system", "cpu_idle"},
	simulate.CPUSync:   {"cpu_idle", "ctxt"},
	simulate.QueuesInTurn: {"MaliCS0WaitStallCy", "MaliCS1WaitStallCy", "MaliCS2WaitStallCy", "MaliFragQueueWaitDepCy",
		"MaliNonFragQueueWaitDepCy"},
	simulate.ClockGovernor: {"gpu_frequency"},
	simulate.ClockPower:    {"gpu_frequency"},
	simulate.ClockThermal:  {"gpu_frequency", "gpu_temperature"},
}
