package telling

import "astrolabe/capture/simulate"

// GPA are the public counters of AMD's GPUPerfAPI.
var GPA = map[simulate.Candidate][]string{
	unit("arithmetic"):         {"CSVALUInsts", "CSVALUUtilization", "VsGsVALUInstCount"},
	unit("texture"):            {"TexUnitBusy", "TexUnitBusyCycles", "TexTriFilteringPct", "TexTriFilteringCount", "NoTexTriFilteringCount", "TexAveAnisotropy"},
	unit("load_store"):         {"MemUnitBusy", "MemUnitBusyCycles", "CSVFetchInsts", "CSVWriteInsts", "L0TagConflictReadStalledCycles"},
	unit("local_memory"):       {"CSLDSInsts", "CSLDSBankConflict", "CSLDSBankConflictCycles", "CSALUStalledByLDS", "CSALUStalledByLDSCycles"},
	unit("primitive_assembly"): {"PrimitiveAssemblyBusy", "PrimitiveAssemblyBusyCycles", "PrimitivesIn", "CulledPrims", "ClippedPrims"},
	unit("vertex_fetch"):       {"VsGsBusy", "VsGsBusyCycles", "VsGsTime", "VsGsVerticesIn", "GSVerticesOut"},
	unit("rasterizer"):         {"PAStalledOnRasterizer", "PAStalledOnRasterizerCycles"},
	unit("depth"):              {"DepthStencilTestBusy", "DepthStencilTestBusyCycles", "ZUnitStalled", "ZUnitStalledCycles", "DBMemRead", "DBMemWritten"},
	unit("pixel_backend"):      {"PSExportStalls", "PSExportStallsCycles", "CBMemRead", "CBMemWritten", "CBColorAndMaskRead", "CBColorAndMaskWritten"},
	simulate.MemoryBandwidth:   {"FetchSize", "WriteSize", "LocalVidMemBytes", "WriteUnitStalled", "WriteUnitStalledCycles"},
	cache:                      {"L0CacheHit", "L0CacheHitCount", "L0CacheMissCount", "L0CacheRequestCount", "L1CacheHit", "L1CacheHitCount", "L1CacheMissCount", "L1CacheRequestCount", "L2CacheRequestCount", "L2CacheHitCount"},
	simulate.MemoryLatency:     {"MemUnitStalled", "MemUnitStalledCycles", "L2CacheHit", "L2CacheMiss", "L2CacheMissCount"},
	simulate.LaunchOverhead:    {"CSWavefrontsLaunched", "CSThreadGroupsLaunched", "ExecutionDuration", "ExecutionStart", "ExecutionEnd"},
}

// AMD are what the driver and the status registers of a Radeon tell.
var AMD = map[simulate.Candidate][]string{
	unit("texture"):            {"busy_ta_ones", "busy_ta_error"},
	unit("load_store"):         {"busy_ta_ones", "busy_ta_error"},
	unit("arithmetic"):         {"busy_spi_ones", "busy_spi_error"},
	unit("local_memory"):       {"busy_spi_ones", "busy_spi_error"},
	unit("primitive_assembly"): {"busy_pa_ones", "busy_pa_error"},
	unit("vertex_fetch"):       {"busy_ge_ones", "busy_ge_error"},
	unit("rasterizer"):         {"busy_sc_ones", "busy_sc_error"},
	unit("depth"):              {"busy_db_ones", "busy_db_error"},
	unit("pixel_backend"):      {"busy_cb_ones", "busy_cb_error"},
	simulate.MemoryBandwidth:   {"busy_ea_ones", "busy_ea_error", "mem_busy_percent", "gpu_metrics_average_umc_activity"},
	cache:                      {"busy_tc_ones", "busy_tc_error"},
	simulate.MemoryLatency:     {"busy_ea_ones", "busy_ea_error"},
	simulate.LaunchOverhead:    {"busy_cp_ones", "busy_cp_error", "busy_cpg_ones", "busy_cpg_error", "busy_cpf_ones", "busy_cpf_error"},
	simulate.CPUApp:            {"cpu_user"},
	simulate.CPUDriver:         {"cpu_system"},
	simulate.CPUSync:           {"ctxt"},
	simulate.QueuesInTurn:      {"engine_compute", "busy_cpc_ones", "busy_cpc_error"},
	simulate.ClockThermal:      {"temperature", "sensor_temperature", "gpu_metrics_temperature_edge", "gpu_metrics_temperature_hotspot", "throttled_by_heat", "gpu_metrics_indep_throttle_status"},
	simulate.ClockPower:        {"power", "power_now", "power_cap", "sensor_power", "gpu_metrics_average_socket_power", "throttled_by_power", "gpu_metrics_indep_throttle_status"},
	simulate.ClockGovernor:     {"sensor_sclk", "frequency", "dpm_sclk", "gpu_metrics_average_gfxclk_frequency", "gpu_metrics_current_gfxclk"},
}

// RDNA are the counters of AMD's profiler of compute.
var RDNA = map[simulate.Candidate][]string{
	simulate.LaunchOverhead: {"GRBM_GUI_ACTIVE", "GRBM_COUNT", "GRBM_SPI_BUSY", "SPI_BUSY"},
	unit("wave_launch"):     {"SPI_BUSY", "GRBM_SPI_BUSY", "SPI_CSN_WAVE"},
	unit("arithmetic"):      {"SQ_INSTS_VALU", "SQ_INSTS_VALU_sum", "SQ_INSTS_VALU_TRANS_sum", "SQ_INSTS_VALU_DP_sum"},
	unit("load_store"): {"GRBM_TA_BUSY", "TCP_REQ_sum", "TCP_REQ_READ_sum", "TCP_REQ_WRITE_sum", "TCP_TCP_TA_REQ_STALL_sum",
		"TCP_GATE_EN2", "TCP_GATE_EN2_sum"},
	unit("local_memory"): {"SQ_INST_CYCLES_LDS_sum", "SQC_LDS_IDX_ACTIVE_sum", "SQC_LDS_BANK_CONFLICT", "SQC_LDS_BANK_CONFLICT_sum",
		"SQ_WAIT_INST_LDS_sum"},
	cache: {"GL2C_REQ_sum", "GL2C_READ_sum", "GL2C_WRITE_sum", "GL2C_BUSY_sum", "GRBM_GL2C_BUSY",
		"GL1C_STALL_GL2_GL1_sum"},
	simulate.MemoryBandwidth: {"GCEA_RDRAM_SIZE_REQ_sum", "GCEA_WDRAM_SIZE_REQ_sum", "GCEA_SARB_BUSY", "GCEA_SARB_BUSY_sum",
		"GCEA_SARB_STALLED", "GCEA_SARB_STALLED_sum", "GL2C_EA_RDREQ_128B_sum", "GL2C_EA_RDREQ_DRAM_sum",
		"GL2C_MC_WRREQ_sum", "GL2C_EA_WRREQ_64B_sum", "GL2C_EA_WRREQ_DRAM_sum"},
	simulate.MemoryLatency: {"GL1C_GL2_REQ_READ_LATENCY_sum", "SQ_WAIT_CNT_ANY", "SQ_WAIT_ANY"},
}
