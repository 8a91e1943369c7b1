package intel

import (
	"math"
	"strings"
)

// unitsOf is over how many units a counter of clocks adds up, 0 for counters of events.
func (m *machine) unitsOf(symbol string) float64 {
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.HasPrefix(symbol, p) {
				return true
			}
		}
		return false
	}
	x := float64(m.xecores)
	switch {
	case symbol == "COLOR_PIPE_CACHE_LATENCY2_STALL", symbol == "GPU_BUSY", symbol == "COMMAND_PARSER_RENDER_ENGINE_BUSY",
		symbol == "COMMAND_PARSER_COPY_ENGINE_BUSY", symbol == "COMMAND_PARSER_COMPUTE_ENGINE_BUSY":
		return 1 // there is one engine of compute
	case symbol == "XVE_THREADS_OCCUPANCY_ALL":
		return m.xves()
	case strings.HasPrefix(symbol, "XVE_INST_EXECUTED") && strings.HasSuffix(symbol, "_UTILIZATION"):
		return m.xves()
	case has("XVE_ACTIVE", "XVE_STALL", "XVE_MULTIPLE", "XVE_PIPE", "XVE_SHARED"):
		return m.xves()
	case has("XVE_INST_EXECUTED_ALU"):
		return m.xves()
	case has("L3_BUSY", "L3_INPUT", "L3_OUTPUT", "L3_STALL", "L3_SUPERQ"):
		return float64(m.banks)
	case has("GPU_MEMORY_REQUEST", "GPU_MEMORY_ACTIVE"):
		return float64(m.nodes)
	case has("RENDER_CACHE_INPUT", "RENDER_CACHE_OUTPUT"):
		return float64(2 * m.nodes)
	case has("COPY_ENGINE_REQUEST_STALL"):
		return float64(m.copies)
	case has("COLOR_PIPE", "PIXEL_POST", "HIZ_SUBSPAN", "IZ_OUTPUT", "IZ_SUBSPAN"):
		return float64(2 * m.slices)
	case has("CLIPPER_INPUT_AV", "CLIPPER_OUTPUT_R", "STRIPSFAN_OUTPUT", "VERTEX_FETCH_", "VS_OUTPUT", "AMFS_STALL",
		"RASTERIZER_INPUT", "RASTERIZER_OUTPUT"):
		return float64(m.slices)
	case has("GPGPU_DISPATCH", "LOAD_STORE_CACHE_INPUT", "LOAD_STORE_CACHE_OUTPUT", "PS_OUTPUT", "RT_MESSAGE_STALL",
		"RT_REQUEST_COLLISION", "RT_TRAVERSAL_STALL", "SAMPLER_ACTIVE", "SAMPLER_INPUT", "SAMPLER_MEMORY", "SAMPLER_OUTPUT",
		"THREAD_DISPATCH", "THREADGROUP_DISPATCH"):
		return x
	}
	return 0
}

// raw is what a counter that is programmed with an event counts in a row. n is over how many units it adds up.
func (m *machine) raw(symbol string, n float64, w *row) float64 {
	if n > 0 {
		v := m.clocksOf(symbol, w, n)
		return math.Min(v, n*w.clocks)
	}
	return eventsOf(symbol, w)
}

func (w *row) all(q int) float64 { return w.sum[0][q] + w.sum[1][q] }

// works is in how many clocks a station works or is held up for a moment, which is less than it has work.
func (m *machine) works(k int, w *row) float64 {
	busy := math.Min(w.clocks, w.all(qBusy+k)/m.peak[k])
	return busy + 0.4*math.Max(0, w.has[k]-busy)
}

// clocksOf counts clocks, added over n units.
func (m *machine) clocksOf(symbol string, w *row, n float64) float64 {
	symbol = strings.TrimSuffix(symbol, "_UTILIZATION")
	switch symbol {
	case "GPU_BUSY":
		return w.busy
	case "COMMAND_PARSER_RENDER_ENGINE_BUSY":
		return w.queue[qRender]
	case "COMMAND_PARSER_COMPUTE_ENGINE_BUSY":
		return w.queue[qCompute]
	case "COMMAND_PARSER_COPY_ENGINE_BUSY":
		return w.queue[qCopy]
	case "COPY_ENGINE_REQUEST_STALL":
		return w.queue[qCopy] * 0.6 * n / 3
	case "XVE_THREADS_OCCUPANCY_ALL":
		return w.loaded / threads
	case "XVE_ACTIVE":
		return w.active * n
	case "XVE_STALL":
		return w.stall * n
	case "XVE_STALL_ALUWR":
		return w.reasons[rALUWR] * n
	case "XVE_STALL_BARRIER":
		return w.reasons[rBarrier] * n
	case "XVE_STALL_CONTROL":
		return w.reasons[rControl] * n
	case "XVE_STALL_INSTFETCH":
		return w.reasons[rFetch] * n
	case "XVE_STALL_OTHER":
		return w.reasons[rOther] * n
	case "XVE_STALL_PIPESTALL":
		return w.reasons[rPipe] * n
	case "XVE_STALL_PS_DEPENDENCY":
		return w.reasons[rPS] * n
	case "XVE_STALL_SBID":
		return w.reasons[rSBID] * n
	case "XVE_STALL_SENDWR":
		return w.reasons[rSendWR] * n
	case "XVE_SHARED_FUNCTION_ACCESS_HOLD":
		return w.hold * n
	case "XVE_MULTIPLE_PIPE_ACTIVE":
		return w.multiple * n
	case "XVE_PIPE_ALU0_AND_ALU1_ACTIVE":
		return w.both01 * n
	case "XVE_PIPE_ALU0_AND_ALU2_ACTIVE":
		return w.both02 * n
	case "GPGPU_DISPATCH":
		return (w.sum[0][qGroups] + w.sum[1][qGroups]) * 4
	case "L3_BUSY":
		return n * math.Min(w.clocks, m.works(sL3, w)*1.1)
	case "L3_INPUT_AVAILABLE":
		return n * w.input[sL3]
	case "L3_OUTPUT_READY":
		return n * w.output[sL3]
	case "L3_STALL":
		return n * math.Min(w.clocks, 0.5*w.full[sL3]+0.35*w.full[sMem])
	case "L3_SUPERQ_FULL":
		return n * 0.85 * w.full[sMem]
	case "GPU_MEMORY_REQUEST_QUEUE_FULL":
		return n * 0.9 * w.full[sMem]
	case "GPU_MEMORY_ACTIVE":
		return n * w.has[sMem]
	case "LOAD_STORE_CACHE_INPUT_AVAILABLE":
		return n * math.Max(w.input[sLSC], w.input[sSLM])
	case "LOAD_STORE_CACHE_OUTPUT_READY":
		return n * math.Max(w.output[sLSC], w.output[sSLM])
	case "SAMPLER_ACTIVE":
		return n * m.works(sTex, w)
	case "SAMPLER_INPUT_AVAILABLE":
		return n * w.input[sTex]
	case "SAMPLER_OUTPUT_READY":
		return n * w.output[sTex]
	case "SAMPLER_MEMORY_LATENCY_STALL":
		return n * w.latency
	case "RT_TRAVERSAL_STALL":
		return n * (0.25*w.has[sRT] + 0.5*w.full[sRT])
	case "RT_MESSAGE_STALL":
		return n * 0.8 * w.full[sRT]
	case "RT_REQUEST_COLLISION":
		return n * 0.06 * w.has[sRT]
	case "VERTEX_FETCH_INPUT_AVAILABLE":
		return n * w.input[sVF]
	case "VERTEX_FETCH_OUTPUT_READY":
		return n * w.output[sVF]
	case "VS_OUTPUT_READY":
		return n * math.Max(w.output[sVF]*0.6, w.input[sClip]*0.95)
	case "CLIPPER_INPUT_AVAILABLE":
		return n * w.input[sClip]
	case "CLIPPER_OUTPUT_READY":
		return n * w.output[sClip]
	case "STRIPSFAN_OUTPUT_READY":
		return n * w.output[sSetup]
	case "RASTERIZER_INPUT_AVAILABLE":
		return n * w.input[sRast]
	case "RASTERIZER_OUTPUT_READY":
		return n * w.output[sRast]
	case "HIZ_SUBSPAN_LATENCY_FIFOFULL":
		return n * w.full[sHZ]
	case "IZ_SUBSPAN_LATENCY_FIFOFULL":
		return n * w.full[sIZ]
	case "IZ_OUTPUT_READY":
		return n * w.output[sIZ]
	case "PS_OUTPUT_AVAILABLE":
		return n * math.Max(w.input[sPB], 0.3*w.pixels)
	case "PIXEL_POST_PROCESS_INPUT_AVAILABLE":
		return n * w.input[sPB]
	case "PIXEL_POST_PROCESS_OUTPUT_READY":
		return n * w.output[sPB]
	case "RENDER_CACHE_INPUT_AVAILABLE":
		return n * math.Min(w.clocks, 0.5*w.output[sPB]+0.4*w.full[sMem])
	case "RENDER_CACHE_OUTPUT_READY":
		return n * 0.45 * w.output[sPB]
	case "COLOR_PIPE_CACHE_LATENCY1_STALL", "COLOR_PIPE_CACHE_LATENCY2_STALL":
		return n * math.Min(w.has[sPB], 0.5*w.full[sMem]*w.has[sPB]/math.Max(1, w.clocks)+0.03*w.has[sPB])
	case "THREAD_DISPATCH_INPUT_AVAILABLE":
		return n * math.Min(w.clocks, w.dispatch[0]+w.dispatch[1])
	case "THREAD_DISPATCH_PS_ACTIVE":
		return n * w.pixels
	case "THREAD_DISPATCH_QUEUE0_ACTIVE":
		return n * w.dispatch[0]
	case "THREAD_DISPATCH_QUEUE1_ACTIVE":
		return n * w.dispatch[1]
	case "THREAD_DISPATCH_QUEUE0_STALL":
		return n * w.blocked[0]
	case "THREAD_DISPATCH_QUEUE1_STALL":
		return n * w.blocked[1]
	case "THREADGROUP_DISPATCH_QUEUE0_RESOURCE_STALL":
		return n * w.blocked[0] * math.Min(1, w.sum[0][qGroups])
	case "THREADGROUP_DISPATCH_QUEUE1_RESOURCE_STALL":
		return n * w.blocked[1]
	}
	return eventsOf(symbol, w)
}

// sums are events that are one quantity, or a share of one.
var sums = map[string]struct {
	q  int
	by float64
}{
	"IA_VERTEX": {qVert, 1}, "IA_PRIMITIVE": {qPrimIn, 1}, "CLIPPER_INPUT_VERTEX": {qVert, 0.98},
	"CLIPPER_PRIMITIVE_CULL": {qPrimCull, 1}, "CLIPPER_PRIMITIVE_FAR_NEAR_CLIP": {qPrimClip, 1},
	"CLIPPER_PRIMITIVE_OUTPUT": {qPrimOut, 1}, "CLIPPER_TRANSACTION_OUTPUT": {qPrimOut, 1.2},
	"STRIPSFAN_OBJECT_COUNT": {qStripObj, 1}, "STRIPSFAN_OBJECT_CULL": {qStripCull, 1},
	"RASTERIZER_SAMPLE_OUTPUT": {qSamples, 1}, "RASTERIZER_TRANSACTION_OUTPUT": {qBusy + sRast, 1},
	"HIZ_DEPTH_TEST_PASS_P": {qHZPass, 1}, "HIZ_DEPTH_TEST_AMBIG_P": {qHZAmbig, 0.93},
	"HIZ_DEPTH_TEST_AMBIG_NP": {qHZAmbig, 0.07}, "HIZ_DEPTH_TEST_FAIL_P": {qHZFail, 0.95},
	"HIZ_DEPTH_TEST_FAIL_NP": {qHZFail, 0.05}, "EARLY_DEPTH_STENCIL_TEST_FAIL_P": {qEZFail, 0.9},
	"EARLY_DEPTH_STENCIL_TEST_FAIL_NP":          {qEZFail, 0.1},
	"PIXEL_2X2_LIT_POST_RASTERIZER_EARLY_DEPTH": {qLitEarly, 1},
	"PIXEL_2X2_LIT_POST_RASTERIZER_LATE_DEPTH":  {qLitLate, 1}, "SHADER_PIX_KILL": {qKill, 1},
	"POSTPS_ALPHA_TEST_FAIL": {qAlpha, 1}, "POSTPS_DEPTH_STENCIL_TEST_FAIL": {qPostFail, 1}, "PIXEL_WRITE": {qWrite, 1},
	"PIXEL_BLEND": {qBlend, 1}, "XVE_INST_EXECUTED_ALU2_ALL": {qALU2, 1}, "XVE_INST_EXECUTED_SEND_ALL": {qSend, 1},
	"XVE_INST_EXECUTED_MATH": {qMath, 1}, "XVE_INST_EXECUTED_CONTROL_ALL": {qCtrl, 1},
	"XVE_INST_EXECUTED_BARRIER": {qBarrier, 1}, "XVE_INST_EXECUTED_XMX_FP16": {qALU2, 0.6},
	"XVE_INST_EXECUTED_XMX_BF16": {qALU2, 0.25}, "XVE_INST_EXECUTED_XMX_INT8": {qALU2, 0.15},
	"SAMPLER_2X2_READ": {qTex, 1}, "SAMPLER_TEXTURE_CACHE_ACCESS": {qTexAcc, 1},
	"SAMPLER_TEXTURE_CACHE_MISS": {qTexMiss, 1}, "SAMPLER_L3_READ": {qL3Tex, 1}, "SAMPLER_L3_HIT": {qL3TexHit, 1},
	"LOAD_STORE_CACHE_ACCESS": {qLSC, 1}, "LOAD_STORE_CACHE_HIT": {qLSCHit, 1},
	"LOAD_STORE_CACHE_BYTE_READ": {qLSCReadB, 1}, "LOAD_STORE_CACHE_BYTE_WRITE": {qLSCWriteB, 1},
	"LOAD_STORE_CACHE_NUMBER_OF_BANK_ACCESS_COUNT": {qLSC, 1.1},
	"LOAD_STORE_CACHE_PARTIAL_WRITE_COUNT":         {qLSCWriteB, 0.1 / 64},
	"XVE_LOAD_STORE_CACHE_READ_MESSAGE_COUNT":      {qLSCReadMsg, 1},
	"XVE_LOAD_STORE_CACHE_WRITE_MESSAGE_COUNT":     {qLSCWriteMsg, 1},
	"XVE_LOAD_STORE_CACHE_ATOMIC_MESSAGE_COUNT":    {qL3Atomic, 1},
	"XVE_LOAD_STORE_CACHE_FENCE_MESSAGE_COUNT":     {qBarrier, 0.2},
	"XVE_LOAD_STORE_CACHE_REGISTER_REQUEST_COUNT":  {qLSC, 1}, "XVE_LOAD_STORE_CACHE_REGISTER_RESPONSE_COUNT": {qLSC, 0.95},
	"LOAD_STORE_CACHE_L3_READ": {qL3LSCRead, 1}, "LOAD_STORE_CACHE_L3_WRITE": {qL3LSCWrite, 1},
	"LOAD_STORE_CACHE_L3_HIT": {qL3LSCHit, 1}, "SLM_ACCESS_COUNT": {qSLMAcc, 1}, "SLM_BYTE_READ": {qSLMReadB, 1},
	"SLM_BYTE_WRITE": {qSLMWriteB, 1}, "SLM_BANK_CONFLICT_COUNT": {qSLMConflict, 1},
	"XVE_SLM_READ_MESSAGE_COUNT": {qSLMReadB, 1.0 / 64}, "XVE_SLM_WRITE_MESSAGE_COUNT": {qSLMWriteB, 1.0 / 64},
	"XVE_SLM_FENCE_MESSAGE_COUNT": {qBarrier, 1}, "RT_INPUT_MESSAGE_RAY_COUNT": {qRays, 1},
	"RT_INPUT_MESSAGE_SPAWN_COUNT": {qRays, 0.06}, "RT_TRAVERSAL_INPUT_RAY_COUNT": {qRays, 1.3},
	"RT_TRAVERSAL_OUTPUT_RAY_COUNT": {qRays, 1.3}, "RT_TRAVERSAL_STEP_RAY_COUNT": {qSteps, 1},
	"RT_INTERNAL_NODE_RAY_COUNT": {qSteps, 0.7}, "RT_QUAD_TEST_RAY_COUNT": {qQuads, 1}, "RT_QUAD_LEAF_RAY_COUNT": {qQuads, 0.9},
	"RT_INSTANCE_NODE_RAY_COUNT": {qSteps, 0.06}, "RT_TRANSFORM_RAY_COUNT": {qSteps, 0.06},
	"RT_CLOSEST_HIT_THREAD_RAY_DISPATCH": {qRays, 0.6}, "RT_MISS_THREAD_RAY_DISPATCH": {qRays, 0.35},
	"RT_ANY_HIT_THREAD_RAY_DISPATCH": {qRays, 0.1}, "RT_BVH_CACHE_MISS": {qBVHMiss, 1},
	"RT_LOAD_STORE_CACHE_READ_MESSAGE_COUNT":       {qBVHMiss, 1},
	"RT_LOAD_STORE_CACHE_WRITE_FROM_MESSAGE_COUNT": {qRays, 0.5}, "L3_READ": {qL3Read, 1}, "L3_WRITE": {qL3Write, 1},
	"L3_HIT": {qL3Hit, 1}, "L3_MISS": {qL3Miss, 1}, "L3_ATOMIC_ACCESS": {qL3Atomic, 1}, "COLOR_L3_ACCESS": {qL3Color, 1},
	"COLOR_L3_HIT": {qL3ColorHit, 1}, "Z_L3_ACCESS": {qL3Z, 1}, "Z_L3_HIT": {qL3ZHit, 1}, "ICACHE_L3_READ": {qL3IC, 1},
	"ICACHE_L3_HIT": {qL3IC, 0.97}, "ICACHE_HIT": {qICHit, 1}, "ICACHE_MISS": {qICMiss, 1}, "URB_READ": {qURBRead, 1},
	"URB_WRITE": {qURBWrite, 1}, "URB_CROSS_SLICE_READ": {qURBRead, 0.2}, "TLB_MISS": {qTLB, 1}, "COMPRESSOR_INPUT": {qCompIn, 1},
	"COMPRESSOR_OUTPUT": {qCompOut, 1}, "GPU_MEMORY_BYTE_READ": {qMemRead, 0.5}, "GPU_MEMORY_BYTE_WRITE": {qMemWrite, 0.5},
	"GPU_MEMORY_L3_READ": {qMemRead, 1.0 / 64}, "GPU_MEMORY_L3_WRITE": {qMemWrite, 1.0 / 64},
	"GPU_MEMORY_READ": {qMemRead, 1.0 / 64}, "GPU_MEMORY_WRITE": {qMemWrite, 1.0 / 64},
	"GPU_MEMORY_64B_TRANSACTION_READ": {qMemRead, 0.9 / 64}, "GPU_MEMORY_64B_TRANSACTION_WRITE": {qMemWrite, 0.8 / 64},
	"GPU_MEMORY_32B_TRANSACTION_READ": {qMemRead, 0.1 / 32}, "GPU_MEMORY_32B_TRANSACTION_WRITE": {qMemWrite, 0.2 / 32},
	"COPY_ENGINE_READ_REQUEST": {qCopyRead, 1}, "COPY_ENGINE_WRITE_REQUEST": {qCopyWrite, 1}, "RENDER_CACHE_ALLOC": {qL3Color, 1},
	"RENDER_CACHE_READ": {qBlend, 0.25}, "RENDER_CACHE_WRITE": {qWrite, 0.25}, "RENDER_CACHE_HIT": {qWrite, 0.2},
	"COMMAND_PARSER_RENDER_ENGINE_DRAW_COUNT": {qDraws, 1}, "COMMAND_PARSER_FLUSH_COUNT": {qFlush, 1},
	"XVE_INST_EXECUTED_ALU0_VS": {qALU0VS, 1}, "XVE_INST_EXECUTED_ALU1_VS": {qALU1VS, 1},
	"XVE_INST_EXECUTED_ALU0_PS": {qALU0PS, 1}, "XVE_INST_EXECUTED_ALU1_PS": {qALU1PS, 1},
}

// eventsOf counts events.
func eventsOf(symbol string, w *row) float64 {
	if s, ok := sums[symbol]; ok {
		return w.all(s.q) * s.by
	}
	zero := w.all(qALU0VS) + w.all(qALU0PS) + w.all(qALU0CS)
	one := w.all(qALU1VS) + w.all(qALU1PS) + w.all(qALU1CS)
	switch symbol {
	case "GPGPU_THREADGROUP_COUNT":
		return w.sum[0][qGroups]
	case "ASYNC_GPGPU_THREADGROUP_COUNT":
		return w.sum[1][qGroups]
	case "ASYNC_GPGPU_THREAD_EXIT_COUNT":
		return w.sum[1][qThreads]
	case "COMMAND_PARSER_COMPUTE_ENGINE_DISPATCH_KERNEL_COUNT":
		return w.sum[1][qKernels]
	case "COMMAND_PARSER_RENDER_ENGINE_DISPATCH_KERNEL_COUNT":
		return w.sum[0][qKernels]
	case "XVE_INST_EXECUTED_ALU0_ALL":
		return zero
	case "XVE_INST_EXECUTED_ALU1_ALL":
		return one
	case "XVE_INST_EXECUTED_ALU0_CS":
		return w.sum[0][qALU0CS]
	case "XVE_INST_EXECUTED_ALU1_CS":
		return w.sum[0][qALU1CS]
	case "XVE_INST_EXECUTED_ALU0_ASYNC_CS":
		return w.sum[1][qALU0CS]
	case "XVE_INST_EXECUTED_ALU1_ASYNC_CS":
		return w.sum[1][qALU1CS]
	case "XVE_INST_ISSUED_ALL":
		return zero + one + w.all(qALU2) + w.all(qSend) + w.all(qCtrl)
	case "XVE_INST_EXECUTED_FP32":
		return 0.8 * zero
	case "XVE_INST_EXECUTED_FP16":
		return 0.15 * zero
	case "XVE_INST_EXECUTED_BITCONV":
		return 0.05 * zero
	case "XVE_INST_EXECUTED_INT32":
		return 0.75 * one
	case "XVE_INST_EXECUTED_INT16":
		return 0.1 * one
	case "XVE_INST_EXECUTED_NONDIVERGENT":
		return 0.9 * (zero + one)
	case "XVE_INST_EXECUTED_PREDICATION":
		return 0.1 * (zero + one)
	case "HOST_TO_GPUMEM_TRANSACTION_WRITE":
		return w.host
	case "SYSMEM_TRANSACTION_READ":
		return w.host*0.5 + w.frames*200
	case "SYSMEM_TRANSACTION_WRITE":
		return w.frames * 64
	}
	return 0
}
