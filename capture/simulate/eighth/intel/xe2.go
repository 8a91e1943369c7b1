package intel

// xe2 is the same for the metric sets of Xe2. A cluster is two Xe-cores, and what there is of it for a slice, a node or
// a pipe counts in all of them.
func (q *sample) xe2() map[string]float64 {
	t, eus := &q.t, float64(q.m.eus)
	cores := 2 * q.m.clusters
	reads := t[tLookups+opTexture] + t[tLookups+opLoad] + t[tLookups+opRay]
	misses := q.sum(tMisses, opKinds)
	drawn := max(t[tColor]/4, t[tColorWrite]) // lines that reach L2 from the color pipes
	depth := t[tDepthRead] + t[tDepthWrite]
	l3 := reads + t[tColorRead] + t[tDepthRead] + t[tVertexLines]
	l3writes := t[tLookups+opStore] + drawn + t[tDepthWrite]
	missed := misses + t[tColorRead] + t[tColorWrite] + depth + t[tVertexLines]
	fixed := func(cause, units int) float64 { return q.share(float64(units)*(t[tBusy+cause]+t[tWait+cause]), units) }
	out := map[string]float64{
		"COMMAND_PARSER_COMPUTE_ENGINE_BUSY":                 q.share(t[tAsync]+t[tBeside], 1),
		"COMMAND_PARSER_RENDER_ENGINE_DISPATCH_KERNEL_COUNT": t[tKernels], "COMMAND_PARSER_RENDER_ENGINE_DRAW_COUNT": t[tDraws],
		"COMMAND_PARSER_FLUSH_COUNT": t[tSections], "GPGPU_THREADGROUP_COUNT": t[tGroups],
		"GPGPU_DISPATCH": q.share(t[tReady+2]*float64(cores), cores), "IA_VERTEX": t[tVertices], "CLIPPER_INPUT_VERTEX": t[tVertices],
		"IA_PRIMITIVE": t[tTriangles], "STRIPSFAN_OBJECT_COUNT": t[tTriangles], "CLIPPER_PRIMITIVE_CULL": t[tCulled],
		"CLIPPER_PRIMITIVE_OUTPUT": t[tTriangles] - t[tCulled], "RASTERIZER_SAMPLE_OUTPUT": 4 * t[tQuads], "PIXEL_WRITE": 4 * t[tColor],
		"PIXEL_BLEND": 4 * t[tBlended], "SHADER_PIX_KILL": 4 * t[tKilled], "POSTPS_ALPHA_TEST_FAIL": 4 * t[tFailed],
		"POSTPS_DEPTH_STENCIL_TEST_FAIL": 4 * t[tFailed], "HIZ_DEPTH_TEST_FAIL_P": t[tHizFails],
		"HIZ_DEPTH_TEST_AMBIG_P": t[tQuads] - t[tHizFails], "EARLY_DEPTH_STENCIL_TEST_FAIL_P": t[tEarlyFails], "L3_READ": l3,
		"L3_WRITE": l3writes, "L3_HIT": l3 + l3writes - min(missed, l3+l3writes), "L3_MISS": min(missed, l3+l3writes),
		"L3_ATOMIC_ACCESS": t[tAtomics], "XVE_LOAD_STORE_CACHE_ATOMIC_MESSAGE_COUNT": t[tAtomics],
		"L3_BUSY": q.share(t[tBank]+drawn+depth, q.m.banks), "L3_INPUT_AVAILABLE": q.share(t[tBank]+drawn+depth, q.m.banks),
		"L3_OUTPUT_READY": q.share((t[tBank]+drawn)*0.9, q.m.banks), "L3_STALL": q.share(t[tBankStall], q.m.banks),
		"L3_SUPERQ_FULL": q.share(t[tFull]*float64(q.m.banks), q.m.banks), "GPU_MEMORY_REQUEST_QUEUE_FULL": q.share(2*t[tFull], 2),
		"GPU_MEMORY_ACTIVE": q.share(2*t[tBus], 2), "GPU_MEMORY_BYTE_READ": 32 * t[tReadLines], "GPU_MEMORY_BYTE_WRITE": 32 * t[tWriteLines],
		"GPU_MEMORY_64B_TRANSACTION_READ": t[tReadLines], "GPU_MEMORY_L3_READ": t[tReadLines], "GPU_MEMORY_READ": t[tReadLines],
		"GPU_MEMORY_64B_TRANSACTION_WRITE": t[tWriteLines], "GPU_MEMORY_L3_WRITE": t[tWriteLines], "GPU_MEMORY_WRITE": t[tWriteLines],
		"COMPRESSOR_INPUT": drawn, "COMPRESSOR_OUTPUT": 0.8 * drawn, "TLB_MISS": misses / 64, "SLM_BANK_CONFLICT_COUNT": t[tConflicts],
		"SLM_BYTE_READ": 64 * t[tLocalRead], "SLM_BYTE_WRITE": 64 * t[tLocalWrite], "SLM_ACCESS_COUNT": t[tLocalRead] + t[tLocalWrite],
		"XVE_SLM_READ_MESSAGE_COUNT": t[tLocalRead] / 2, "XVE_SLM_WRITE_MESSAGE_COUNT": t[tLocalWrite] / 2,
		"LOAD_STORE_CACHE_BYTE_READ": 64 * t[tLoads], "LOAD_STORE_CACHE_BYTE_WRITE": 64 * t[tStores],
		"LOAD_STORE_CACHE_ACCESS": t[tLoads] + t[tStores], "LOAD_STORE_CACHE_HIT": max(0, t[tLoads]-t[tLookups+opLoad]),
		"XVE_LOAD_STORE_CACHE_READ_MESSAGE_COUNT": t[tLoads] / 2, "XVE_LOAD_STORE_CACHE_WRITE_MESSAGE_COUNT": t[tStores] / 2,
		"LOAD_STORE_CACHE_L3_READ": t[tLookups+opLoad], "LOAD_STORE_CACHE_L3_HIT": t[tLookups+opLoad] - t[tMisses+opLoad],
		"LOAD_STORE_CACHE_L3_WRITE":        t[tLookups+opStore],
		"LOAD_STORE_CACHE_INPUT_AVAILABLE": q.share((t[tLoads]+t[tStores])/q.m.port*2, cores),
		"LOAD_STORE_CACHE_OUTPUT_READY":    q.share((t[tLoads]+t[tStores])/q.m.port*2, cores), "SAMPLER_L3_READ": t[tLookups+opTexture],
		"SAMPLER_L3_HIT": t[tLookups+opTexture] - t[tMisses+opTexture], "COLOR_L3_ACCESS": drawn + t[tColorRead],
		"COLOR_L3_HIT": drawn - t[tColorWrite], "Z_L3_ACCESS": depth, "SAMPLER_2X2_READ": t[tTexels],
		"SAMPLER_TEXTURE_CACHE_ACCESS": t[tTexels], "SAMPLER_TEXTURE_CACHE_MISS": t[tTexelMisses],
		"SAMPLER_ACTIVE": q.share(2*t[tSampler], cores), "SAMPLER_INPUT_AVAILABLE": q.share(2*t[tSampler], cores),
		"SAMPLER_OUTPUT_READY": q.share(2*t[tTexels]/q.m.sampler, cores), "URB_READ": t[tVertices] * 2, "URB_WRITE": t[tVertices] * 2,
		"ICACHE_HIT": (q.pipes(0) + q.pipes(1)) * eus / 4, "ICACHE_MISS": (q.pipes(0) + q.pipes(1)) * eus / 4000, "XVE_ACTIVE": q.active() * eus,
		"XVE_STALL": (t[tLoaded] - q.active()) * eus, "XVE_SHARED_FUNCTION_ACCESS_HOLD": q.share(t[tHold], q.m.clusters) * eus,
		"XVE_THREADS_OCCUPANCY_ALL": t[tOccupied] * eus / 8, "XVE_INST_EXECUTED_SEND_ALL": q.sum(tSend, 3) / 3 * eus,
		"XVE_INST_ISSUED_ALL": (q.pipes(0) + q.pipes(1) + q.sum(tSend, 3)/3) * eus * 1.04, "XVE_MULTIPLE_PIPE_ACTIVE": q.sum(tBoth, 3) * eus,
		"XVE_PIPE_ALU0_AND_ALU1_ACTIVE": q.sum(tBoth, 3) * eus, "XVE_INST_EXECUTED_FP32": q.pipes(0) * eus * 0.9,
		"XVE_INST_EXECUTED_INT32": q.pipes(1) * eus * 0.8, "XVE_INST_EXECUTED_BARRIER": t[tBarriers], "RT_INPUT_MESSAGE_RAY_COUNT": t[tRays],
		"RT_TRAVERSAL_INPUT_RAY_COUNT": t[tRays], "RT_TRAVERSAL_OUTPUT_RAY_COUNT": t[tRays], "RT_TRAVERSAL_STEP_RAY_COUNT": 20 * t[tRays],
		"RT_INTERNAL_NODE_RAY_COUNT": 20 * t[tRays], "RT_BVH_CACHE_MISS": t[tLookups+opRay],
		"CLIPPER_INPUT_AVAILABLE": q.share(2*t[tFixedHeld]+fixed(clipper, 2), 2),
		"CLIPPER_OUTPUT_READY":    q.share(2*t[tBusy+clipper]+2*t[tWait+setup], 2),
		"STRIPSFAN_OUTPUT_READY":  q.share(2*t[tBusy+setup]+2*t[tWait+rasterizer], 2), "VERTEX_FETCH_INPUT_AVAILABLE": fixed(vertexFetch, 2),
		"VERTEX_FETCH_OUTPUT_READY": q.share(2*t[tBusy+vertexFetch], 2), "VS_OUTPUT_READY": q.share(2*t[tFixedHeld]+2*t[tBusy+clipper], 2),
		"RASTERIZER_INPUT_AVAILABLE":   fixed(rasterizer, 2),
		"RASTERIZER_OUTPUT_READY":      q.share(2*t[tBusy+rasterizer]+2*t[tWait+hierarchicalDepth], 2),
		"HIZ_SUBSPAN_LATENCY_FIFOFULL": q.share(4*t[tWait+hierarchicalDepth], 4),
		"IZ_SUBSPAN_LATENCY_FIFOFULL":  q.share(4*t[tWait+earlyDepth], 4), "IZ_OUTPUT_READY": q.share(4*t[tBusy+earlyDepth], 4),
		"PIXEL_POST_PROCESS_INPUT_AVAILABLE": q.share(4*t[tColorBusy], 4), "PIXEL_POST_PROCESS_OUTPUT_READY": q.share(4*t[tColorBusy], 4),
		"RENDER_CACHE_INPUT_AVAILABLE": q.share(4*t[tColorBusy], 4), "RENDER_CACHE_OUTPUT_READY": q.share(4*t[tColorBusy], 4),
		"PS_OUTPUT_AVAILABLE":                        q.share(float64(cores)*t[tColorBusy], cores),
		"THREAD_DISPATCH_INPUT_AVAILABLE":            q.share(float64(cores)*q.sum(tReady, 3), cores),
		"THREAD_DISPATCH_QUEUE0_STALL":               q.share(float64(cores)*(t[tReady+1]+t[tReady+2]), cores),
		"THREADGROUP_DISPATCH_QUEUE0_RESOURCE_STALL": q.share(float64(cores)*(t[tReady+1]+t[tReady+2]), cores), "GPU_BUSY": q.share(t[tTime], 1),
		"COMMAND_PARSER_RENDER_ENGINE_BUSY": q.share(t[tTime]-t[tAsync], 1), "XVE_INST_EXECUTED_ALU0_ALL": q.pipes(0) * eus,
		"XVE_INST_EXECUTED_ALU0_ALL_UTILIZATION": q.pipes(0) * eus, "XVE_INST_EXECUTED_ALU0_VS": t[tPipe+2*vs+0] * eus,
		"XVE_INST_EXECUTED_ALU0_VS_UTILIZATION": t[tPipe+2*vs+0] * eus, "XVE_INST_EXECUTED_ALU0_PS": t[tPipe+2*ps+0] * eus,
		"XVE_INST_EXECUTED_ALU0_PS_UTILIZATION": t[tPipe+2*ps+0] * eus, "XVE_INST_EXECUTED_ALU0_CS": t[tPipe+2*cs+0] * eus,
		"XVE_INST_EXECUTED_ALU0_CS_UTILIZATION": t[tPipe+2*cs+0] * eus, "XVE_INST_EXECUTED_ALU1_ALL": q.pipes(1) * eus,
		"XVE_INST_EXECUTED_ALU1_ALL_UTILIZATION": q.pipes(1) * eus, "XVE_INST_EXECUTED_ALU1_VS": t[tPipe+2*vs+1] * eus,
		"XVE_INST_EXECUTED_ALU1_VS_UTILIZATION": t[tPipe+2*vs+1] * eus, "XVE_INST_EXECUTED_ALU1_PS": t[tPipe+2*ps+1] * eus,
		"XVE_INST_EXECUTED_ALU1_PS_UTILIZATION": t[tPipe+2*ps+1] * eus, "XVE_INST_EXECUTED_ALU1_CS": t[tPipe+2*cs+1] * eus,
		"XVE_INST_EXECUTED_ALU1_CS_UTILIZATION": t[tPipe+2*cs+1] * eus,
	}
	// Messages that find no room, instructions that wait for others before them, barriers, and the rest for messages.
	stall := (t[tLoaded] - q.active()) * eus
	send, own, barrier := min(0.9*stall, t[tHold]*eus), 0.05+0.45*q.active()/max(1, t[tLoaded]), 0.0
	if t[tBarriers] > 0 {
		barrier = 0.06
	}
	for reason, share := range map[string]float64{"ALUWR": own, "INSTFETCH": 0.02, "CONTROL": 0.01, "PIPESTALL": 0.01, "OTHER": 0.01,
		"BARRIER": barrier, "SBID": 1 - own - 0.05 - barrier} {
		out["XVE_STALL_"+reason] = (stall - send) * share
	}
	out["XVE_STALL_SENDWR"] = send
	return out
}
