package mali

// Counters, by their places in a chunk's counts. Those of events come with the work; those of time are filled in when
// the case is recorded.
const (
	gpuActive = iota
	mcuActive
	iterActive
	irqActive
	irqCount
	flushCycles
	flushes
	tilerQueued
	tilerJobs
	tilerTasks
	tilerIRQ
	tilerBlocked
	tilerDrain
	compQueued
	compJobs
	compTasks
	compIRQ
	compBlocked
	compDrain
	mainQueued
	mainJobs
	mainTasks
	mainIRQ
	mainBlocked
	ceuActive
	lsuActive
	cs0Enabled
	cs0Wait
	cs1Enabled
	cs1Wait
	cs2Enabled
	cs2Wait
	tilerActive
	triangles
	lines
	points
	frontFacing
	backFacing
	primVisible
	primFaceCulled
	primFrustumCulled
	primSampleCulled
	tilerRead
	posShadReq
	posShadStall
	posFIFOFull
	vcacheHit
	vbuHit
	vbuMiss
	varShadReq
	varShadStall
	primAssemblyWait
	primScissorCulled
	primDVS
	mmuRequests
	mmuReadsL3
	mmuReadsL2
	mmuHitL3
	mmuHitL2
	l2Evict
	l2CleanUnique
	l2Rd
	l2RdStall
	l2Wr
	l2WrStall
	l2RdOut
	l2RdOutStall
	l2WrOut
	l2Any
	l2ReadLookup
	l2WriteLookup
	extRead
	extReadNoSnoop
	extReadUnique
	extReadBeats
	extReadStall
	extReadQ1
	extReadQ2
	extReadQ3
	extLat0
	extLat128
	extLat192
	extLat256
	extLat320
	extWrite
	extWriteNoSnoopFull
	extWriteNoSnoopPart
	extWriteSnoopFull
	extWriteSnoopPart
	extWriteBeats
	extWriteStall
	extWriteQ1
	extWriteQ2
	extWriteQ3
	fragActive
	instrNarrow
	fragPrims
	fpkActive
	fragWarps
	partialQuads
	quadsRast
	ezsTest
	ezsUpdate
	ezsKill
	lzsTest
	lzsKill
	warpRegs64
	tiles
	tileKills
	fpkKiller
	fullWarps
	computeActive
	computeTasks
	computeWarps
	execActive
	instrFMA
	instrCVT
	instrSFU
	instrDiverged
	icacheMiss
	starveArith
	blendShader
	texIn
	texDescStall
	texFetchStall
	texFilterStall
	texFilter
	texFullBi
	texFullTri
	texMessages
	texOut
	lsReadFull
	lsReadShort
	lsWriteFull
	lsWriteShort
	lsAtomic
	varyInstr
	varySlot32
	varySlot16
	attrInstr
	coreActive
	beatsRdFTC
	beatsRdFTCExt
	beatsRdLSC
	beatsRdLSCExt
	beatsRdTex
	beatsRdTexExt
	beatsRdOther
	beatsWrLSCOther
	beatsWrTIB
	beatsWrLSCWB
	quadsCoarse
	fragThreads
	rtTri
	rtBox
	rtTriBin1
	rtTriBin5
	rtTriBin9
	rtTriBin13
	rtBoxBin1
	rtBoxBin5
	rtBoxBin9
	rtBoxBin13
	rtOpaque
	rtNonOpaque
	rtFirstHit
	rtMiss
	rtRays
	rtBoxIssue
	rtTriIssue
	texL1Load
	texSimpleLoad
	texL1Output
	texL1Lookup
	texSingle
	texLookup
	texComplexLoad
	texIndex
	texStarved
	texClock
	counts // how many of them
)

// hardware holds the hardware's names. A catalogue finds its counter by any of them; where it has none the product does
// not have the counter.
var hardware = [counts]string{
	"GPU_ACTIVE", "MCU_ACTIVE", "GPU_ITER_ACTIVE", "GPU_IRQ_ACTIVE", "GPU_IRQ_COUNT", "CACHE_FLUSH_CYCLES", "CACHE_FLUSH",
	"ITER_TILER_ACTIVE", "ITER_TILER_JOB_COMPLETED", "ITER_TILER_IDVS_TASK_COMPLETED", "ITER_TILER_IRQ_ACTIVE",
	"ITER_TILER_READY_BLOCKED", "ITER_TILER_EP_DRAIN",
	"ITER_COMP_ACTIVE", "ITER_COMP_JOB_COMPLETED", "ITER_COMP_TASK_COMPLETED", "ITER_COMP_IRQ_ACTIVE",
	"ITER_COMP_READY_BLOCKED", "ITER_COMP_EP_DRAIN",
	"ITER_FRAG_ACTIVE", "ITER_FRAG_JOB_COMPLETED", "ITER_FRAG_TASK_COMPLETED", "ITER_FRAG_IRQ_ACTIVE",
	"ITER_FRAG_READY_BLOCKED",
	"CEU_ACTIVE", "LSU_ACTIVE", "CSHWIF0_ENABLED", "CSHWIF0_WAIT_BLOCKED", "CSHWIF1_ENABLED", "CSHWIF1_WAIT_BLOCKED",
	"CSHWIF2_ENABLED", "CSHWIF2_WAIT_BLOCKED",
	"TILER_ACTIVE", "TRIANGLES", "LINES", "POINTS", "FRONT_FACING", "BACK_FACING", "PRIM_VISIBLE", "PRIM_FACE_CULLED",
	"PRIM_FRUSTUM_CULLED", "PRIM_SAMPLE_CULLED", "BUS_READ", "IDVS_POS_SHAD_REQ", "IDVS_POS_SHAD_STALL",
	"IDVS_POS_FIFO_FULL", "VCACHE_HIT", "IDVS_VBU_HIT", "IDVS_VBU_MISS", "IDVS_VAR_SHAD_REQ", "IDVS_VAR_SHAD_STALL",
	"PRIMASSY_POS_SHADER_WAIT", "PRIM_SCISSOR_CULLED", "PRIM_VISIBLE_DVS",
	"MMU_REQUESTS", "MMU_TABLE_READS_L3", "MMU_TABLE_READS_L2", "MMU_HIT_L3", "MMU_HIT_L2", "L2_RD_MSG_IN_EVICT",
	"L2_RD_MSG_IN_CU", "L2_RD_MSG_IN", "L2_RD_MSG_IN_STALL", "L2_WR_MSG_IN", "L2_WR_MSG_IN_STALL", "L2_RD_MSG_OUT",
	"L2_RD_MSG_OUT_STALL", "L2_WR_MSG_OUT", "L2_ANY_LOOKUP", "L2_READ_LOOKUP", "L2_WRITE_LOOKUP",
	"L2_EXT_READ", "L2_EXT_READ_NOSNP", "L2_EXT_READ_UNIQUE", "L2_EXT_READ_BEATS", "L2_EXT_AR_STALL",
	"L2_EXT_AR_CNT_Q1", "L2_EXT_AR_CNT_Q2", "L2_EXT_AR_CNT_Q3", "L2_EXT_RRESP_0_127", "L2_EXT_RRESP_128_191",
	"L2_EXT_RRESP_192_255", "L2_EXT_RRESP_256_319", "L2_EXT_RRESP_320_383",
	"L2_EXT_WRITE", "L2_EXT_WRITE_NOSNP_FULL", "L2_EXT_WRITE_NOSNP_PTL", "L2_EXT_WRITE_SNP_FULL", "L2_EXT_WRITE_SNP_PTL",
	"L2_EXT_WRITE_BEATS", "L2_EXT_W_STALL", "L2_EXT_AW_CNT_Q1", "L2_EXT_AW_CNT_Q2", "L2_EXT_AW_CNT_Q3",
	"FRAG_ACTIVE", "EXEC_INSTR_NARROW", "FRAG_PRIM_RAST", "FRAG_FPK_ACTIVE", "FRAG_WARPS", "FRAG_PARTIAL_QUADS_RAST",
	"FRAG_QUADS_RAST", "FRAG_QUADS_EZS_TEST", "FRAG_QUADS_EZS_UPDATE", "FRAG_QUADS_EZS_KILL", "FRAG_LZS_TEST",
	"FRAG_LZS_KILL", "WARP_REG_SIZE_64", "FRAG_PTILES", "FRAG_TRANS_ELIM", "QUAD_FPK_KILLER", "FULL_QUAD_WARPS",
	"COMPUTE_ACTIVE", "COMPUTE_TASKS", "COMPUTE_WARPS", "EXEC_CORE_ACTIVE", "EXEC_INSTR_FMA", "EXEC_INSTR_CVT",
	"EXEC_INSTR_SFU", "EXEC_INSTR_DIVERGED", "EXEC_ICACHE_MISS", "EXEC_STARVE_ARITH", "CALL_BLEND_SHADER",
	"TEX_MSGI_NUM_FLITS", "TEX_DFCH_CLK_STALLED", "TEX_TFCH_CLK_STALLED", "TEX_TFCH_STARVED_PENDING_DATA_FETCH",
	"TEX_FILT_NUM_OPERATIONS", "TEX_FILT_NUM_FXR_OPERATIONS", "TEX_FILT_NUM_FST_OPERATIONS", "TEX_MSGO_NUM_MSG",
	"TEX_RSPS_NUM_OPERATIONS", "LS_MEM_READ_FULL", "LS_MEM_READ_SHORT", "LS_MEM_WRITE_FULL", "LS_MEM_WRITE_SHORT",
	"LS_MEM_ATOMIC", "VARY_INSTR", "VARY_SLOT_32", "VARY_SLOT_16", "ATTR_INSTR", "SHADER_CORE_ACTIVE",
	"BEATS_RD_FTC", "BEATS_RD_FTC_EXT", "BEATS_RD_LSC", "BEATS_RD_LSC_EXT", "BEATS_RD_TEX", "BEATS_RD_TEX_EXT",
	"BEATS_RD_OTHER", "BEATS_WR_LSC_OTHER", "BEATS_WR_TIB", "BEATS_WR_LSC_WB", "FRAG_QUADS_COARSE",
	"FRAG_SHADER_THREADS", "RT_RAY_TRI", "RT_RAY_BOX", "RT_RAY_TRI_BIN_1_4", "RT_RAY_TRI_BIN_5_8",
	"RT_RAY_TRI_BIN_9_12", "RT_RAY_TRI_BIN_13_16", "RT_RAY_BOX_BIN_1_4", "RT_RAY_BOX_BIN_5_8", "RT_RAY_BOX_BIN_9_12",
	"RT_RAY_BOX_BIN_13_16", "RT_OPAQUE_HIT", "RT_NON_OPAQUE_HIT", "RT_TERM_FIRST_HIT", "RT_MISS", "RT_RAYS_STARTED",
	"RT_RAY_BOX_ISSUED", "RT_RAY_TRI_ISSUED", "TEX_CFCH_NUM_OUTPUT_OPERATIONS", "TEX_CFCH_NUM_DIRECT_PATH_OPERATIONS",
	"TEX_CFCH_NUM_L1_CL_OPERATIONS", "TEX_CFCH_NUM_L1_CT_OPERATIONS", "TEX_MSGO_NUM_SINGLE_QUAD_MSG",
	"TEX_TFCH_NUM_TCL_OPERATIONS", "TEX_CFCH_NUM_RP_OPERATIONS", "TEX_TIDX_NUM_OPERATIONS", "TEX_MSGI_CLK_STARVED",
	"TEX_TEXP_CLK_ACTIVE",
}
