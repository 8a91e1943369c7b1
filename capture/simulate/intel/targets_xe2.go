package intel

// utilization is a percentage of all units' clocks that a kind of threads keeps one of the pipes busy, the number in
// the symbol.
func utilization(first, last int) target {
	return func(m *moment, at place) float64 { return m.percent(m.over(first, last, at.pipe()) / float64(m.d.eus)) }
}

// executed counts the instructions of a kind of threads in one of the pipes: one in each clock that the pipe works.
func executed(first, last int) target {
	return func(m *moment, at place) float64 { return m.over(first, last, at.pipe()) }
}

// pipe is the one with the number in the symbol.
func (p place) pipe() func(m *moment, stage int) float64 {
	return [3]func(m *moment, stage int) float64{firstPipe, secondPipe, matrixPipe}[min(2, p.number(0))]
}

// issued is a share of the instructions of one of the pipes.
func issued(of func(m *moment, stage int) float64, share func(m *moment) float64) target {
	return func(m *moment, _ place) float64 { return share(m) * m.over(0, shaders-1, of) }
}

func fixedShare(x float64) func(m *moment) float64 { return func(*moment) float64 { return x } }

// stalledBy is a percentage of all units' clocks that one reason stalls them.
func stalledBy(reason int) target {
	return engines(func(m *moment) float64 { return m.stalls[reason] })
}

// paired is a percentage of the clocks in which two pipes work.
func paired(m *moment, at place) float64 {
	pipe := bothPipes
	if at.number(1) == 2 {
		pipe = besidePipe
	}
	return m.percent(m.over(0, shaders-1, pipe) / float64(m.d.eus))
}

// xe2Pipes are those of threads and of the pipes of vector engines, on Xe2.
var xe2Pipes = map[string]target{
	"GPU_BUSY":                           clocks(func(m *moment) float64 { return m.busy }),
	"COMMAND_PARSER_COMPUTE_ENGINE_BUSY": clocks((*moment).computing),
	"COMMAND_PARSER_RENDER_ENGINE_BUSY":  clocks((*moment).render),
	"COMMAND_PARSER_COPY_ENGINE_BUSY":    none,
	"COMMAND_PARSER_COMPUTE_ENGINE_DISPATCH_KERNEL_COUNT": count(func(m *moment) float64 {
		return m.v[asyncCount] / 300
	}),
	"COMMAND_PARSER_RENDER_ENGINE_DISPATCH_KERNEL_COUNT": of(groupCount, 1.0/300),
	"COMMAND_PARSER_RENDER_ENGINE_DRAW_COUNT":            of(triangleCount, 1.0/900),
	"COMMAND_PARSER_FLUSH_COUNT":                         of(triangleCount, 1.0/50000),
	"GPGPU_THREADGROUP_COUNT":                            of(groupCount, 1),
	"ASYNC_GPGPU_THREADGROUP_COUNT":                      of(asyncCount, 1),
	"ASYNC_GPGPU_THREAD_EXIT_COUNT":                      of(perThreads+asyncCompute, 1),
	"GPGPU_DISPATCH": clocks(func(m *moment) float64 {
		return min(0.3*m.clocks, 4*(m.v[perThreads+compute]+m.v[perThreads+asyncCompute])/float64(m.d.subs))
	}),

	"XVE_ACTIVE": every(active), "XVE_STALL": every(stalled), "XVE_THREADS_OCCUPANCY_ALL": occupied,
	"XVE_INST_EXECUTED_ALU#_ALL": executed(0, shaders-1), "XVE_INST_EXECUTED_ALU#_CS": executed(compute, asyncCompute),
	"XVE_INST_EXECUTED_ALU#_PS": executed(pixel, pixel), "XVE_INST_EXECUTED_ALU#_VS": executed(vertex, vertex),
	"XVE_INST_EXECUTED_SEND_ALL": count(func(m *moment) float64 { return m.over(0, shaders-1, sendPipe) }),
	"XVE_INST_ISSUED_ALL": count(func(m *moment) float64 {
		return 1.04 * m.over(0, shaders-1, func(m *moment, s int) float64 {
			return firstPipe(m, s) + secondPipe(m, s) + matrixPipe(m, s) + sendPipe(m, s)
		})
	}),
	"XVE_INST_EXECUTED_ALU#_ALL_UTILIZATION":      utilization(0, shaders-1),
	"XVE_INST_EXECUTED_ALU#_VS_UTILIZATION":       utilization(vertex, vertex),
	"XVE_INST_EXECUTED_ALU#_PS_UTILIZATION":       utilization(pixel, pixel),
	"XVE_INST_EXECUTED_ALU#_CS_UTILIZATION":       utilization(compute, compute),
	"XVE_INST_EXECUTED_ALU#_ASYNC_CS_UTILIZATION": utilization(asyncCompute, asyncCompute),
	// No content shades meshes, or hits of rays in shaders of their own: rays are traced out of compute shaders.
	"XVE_INST_EXECUTED_ALU#_MS_UTILIZATION": none, "XVE_INST_EXECUTED_ALU#_TS_UTILIZATION": none,
	"XVE_INST_EXECUTED_ALU#_RT_AHS": none, "XVE_INST_EXECUTED_ALU#_RT_CHS": none, "XVE_INST_EXECUTED_ALU#_RT_MS": none,
	"XVE_INST_EXECUTED_ALU#_RT_AHS_UTILIZATION": none, "XVE_INST_EXECUTED_ALU#_RT_CHS_UTILIZATION": none,
	"XVE_INST_EXECUTED_ALU#_RT_MS_UTILIZATION": none,
	"XVE_PIPE_ALU#_AND_ALU#_ACTIVE":            paired,
	"XVE_MULTIPLE_PIPE_ACTIVE": engines(func(m *moment) float64 {
		return m.over(0, shaders-1, bothPipes) + m.over(0, shaders-1, besidePipe)
	}),

	// The first pipe calculates with floats, the second with integers and extended math.
	"XVE_INST_EXECUTED_FP#": func(m *moment, at place) float64 {
		first := m.over(0, shaders-1, firstPipe)
		half := min(m.v[narrow], first)
		switch at.number(0) {
		case 16:
			return half
		case 32:
			return 0.97 * (first - half)
		}
		return 0
	},
	"XVE_INST_EXECUTED_FP#_#ND": none,
	"XVE_INST_EXECUTED_INT#": func(m *moment, at place) float64 {
		share := map[int]float64{16: 0.1, 32: 0.6, 64: 0.02}[at.number(0)]
		return share * m.over(0, shaders-1, secondPipe)
	},
	"XVE_INST_EXECUTED_MATH":         issued(secondPipe, fixedShare(0.2)),
	"XVE_INST_EXECUTED_BITCONV":      issued(secondPipe, fixedShare(0.08)),
	"XVE_INST_EXECUTED_CONTROL_ALL":  issued(firstPipe, fixedShare(0.04)),
	"XVE_INST_EXECUTED_PREDICATION":  issued(firstPipe, fixedShare(0.03)),
	"XVE_INST_EXECUTED_NONDIVERGENT": issued(firstPipe, func(m *moment) float64 { return m.floats }),
	"XVE_INST_EXECUTED_BARRIER":      of(barriers, 1),
	"XVE_INST_EXECUTED_XMX_BF#":      issued(matrixPipe, fixedShare(0.3)),
	"XVE_INST_EXECUTED_XMX_FP#":      issued(matrixPipe, fixedShare(0.4)),
	"XVE_INST_EXECUTED_XMX_INT#": func(m *moment, at place) float64 {
		if at.number(0) != 8 {
			return 0
		}
		return 0.3 * m.over(0, shaders-1, matrixPipe)
	},

	"XVE_SHARED_FUNCTION_ACCESS_HOLD": stalledBy(stallSend), "XVE_STALL_SENDWR": stalledBy(stallSend),
	"XVE_STALL_SBID": stalledBy(stallScoreboard), "XVE_STALL_PIPESTALL": stalledBy(stallPipe),
	"XVE_STALL_ALUWR": stalledBy(stallResult), "XVE_STALL_BARRIER": stalledBy(stallBarrier),
	"XVE_STALL_CONTROL": stalledBy(stallControl), "XVE_STALL_INSTFETCH": stalledBy(stallFetch),
	"XVE_STALL_PS_DEPENDENCY": stalledBy(stallPixel), "XVE_STALL_OTHER": stalledBy(stallOther),

	"THREAD_DISPATCH_INPUT_AVAILABLE": clocks(func(m *moment) float64 { return m.otherWait() + m.streamWait(1) }),
	"THREAD_DISPATCH_PS_ACTIVE":       clocks(func(m *moment) float64 { return m.launching(pixel, pixel) }),
	// Queue 0 has threads of the ring for rendering, queue 1 those of compute's.
	"THREAD_DISPATCH_QUEUE#_ACTIVE":              queued((*moment).launchingRender, (*moment).launchingCompute),
	"THREAD_DISPATCH_QUEUE#_STALL":               queued((*moment).renderWait, (*moment).computeWait),
	"THREADGROUP_DISPATCH_QUEUE#_RESOURCE_STALL": queued((*moment).groupWait, (*moment).computeWait),
	"TASK_THREAD_EXIT_COUNT":                     none, "TASK_THREADGROUP_COUNT": none,
}

// queued is a percentage of the clocks for one of two queues, the number in the symbol.
func queued(first, second func(m *moment) float64) target {
	return func(m *moment, at place) float64 {
		if at.number(0) == 0 {
			return m.percent(first(m))
		}
		return m.percent(second(m))
	}
}

// launching is how many clocks the mean core launched threads of some kinds, which takes four clocks for each.
func (m *moment) launching(first, last int) float64 {
	n := 0.0
	for s := first; s <= last; s++ {
		n += m.v[perThreads+s]
	}
	return 4 * n / float64(m.d.subs)
}

func (m *moment) launchingRender() float64  { return m.launching(vertex, compute) }
func (m *moment) launchingCompute() float64 { return m.launching(asyncCompute, asyncCompute) }
func (m *moment) renderWait() float64       { return min(m.clocks, m.streamWait(0)+m.streamWait(1)) }
func (m *moment) groupWait() float64        { return m.streamWait(0) * m.computeShare }
func (m *moment) computeWait() float64      { return m.otherWait() - m.streamWait(0) }

// xe2Units are those of fixed functions, samplers, pixels and rays, on Xe2.
var xe2Units = map[string]target{
	"IA_VERTEX": of(fetchedCount, 1), "IA_PRIMITIVE": of(triangleCount, 1), "CLIPPER_INPUT_VERTEX": of(triangleCount, 3),
	"CLIPPER_PRIMITIVE_CULL":          of(culledCount, 0.6),
	"CLIPPER_PRIMITIVE_FAR_NEAR_CLIP": of(triangleCount, 0.01),
	"CLIPPER_PRIMITIVE_OUTPUT":        count((*moment).clipped),
	"CLIPPER_TRANSACTION_OUTPUT":      count((*moment).clipped),
	"STRIPSFAN_OBJECT_COUNT":          count((*moment).clipped),
	"STRIPSFAN_OBJECT_CULL":           of(culledCount, 0.4),
	"STREAMOUT_OUTPUT_VERTEX_COUNT":   none, "STREAMOUT_PRIMITIVE_WRITE_COUNT": none,
	"STREAMOUT_PRIMITIVE_STORAGE_NEED": none,

	"VERTEX_FETCH_INPUT_AVAILABLE":  clocks(func(m *moment) float64 { return m.v[stageWork] + m.wait(unitFetch) }),
	"VERTEX_FETCH_OUTPUT_READY":     clocks(func(m *moment) float64 { return 0.8*m.v[stageWork] + m.vertexWait() }),
	"VS_OUTPUT_READY":               clocks(func(m *moment) float64 { return 0.6*m.v[stageWork+1] + m.wait(unitClip) }),
	"CLIPPER_INPUT_AVAILABLE":       clocks(func(m *moment) float64 { return m.v[stageWork+1] + m.wait(unitClip) }),
	"CLIPPER_OUTPUT_READY":          clocks(func(m *moment) float64 { return 0.6*m.v[stageWork+2] + m.wait(unitSetup) }),
	"STRIPSFAN_OUTPUT_READY":        clocks(func(m *moment) float64 { return 0.4*m.v[stageWork+3] + m.held() }),
	"RASTERIZER_INPUT_AVAILABLE":    clocks(func(m *moment) float64 { return m.v[stageWork+3] + m.wait(unitRaster) }),
	"RASTERIZER_OUTPUT_READY":       clocks((*moment).rasterOutput),
	"RASTERIZER_TRANSACTION_OUTPUT": of(rasterized, 0.5), "RASTERIZER_SAMPLE_OUTPUT": of(rasterized, 4),
	"PIXEL_BLEND": of(blended, 4), "PIXEL_WRITE": of(written, 4), "POSTPS_ALPHA_TEST_FAIL": none,
	"SHADER_PIX_KILL": of(killed, 4), "POSTPS_DEPTH_STENCIL_TEST_FAIL": of(failedPost, 4),
	// _P are tests of whole planes, _NP the others.
	"EARLY_DEPTH_STENCIL_TEST_FAIL_NP": of(failedDepth, 4*0.3),
	"EARLY_DEPTH_STENCIL_TEST_FAIL_P":  of(failedDepth, 4*0.7),
	"HIZ_DEPTH_TEST_FAIL_NP":           of(failedFast, 4*0.1), "HIZ_DEPTH_TEST_FAIL_P": of(failedFast, 4*0.9),
	"HIZ_DEPTH_TEST_AMBIG_NP": count(func(m *moment) float64 { return 4 * 0.1 * m.coarsely() }),
	"HIZ_DEPTH_TEST_AMBIG_P":  count(func(m *moment) float64 { return 4 * 0.3 * m.coarsely() }),
	"HIZ_DEPTH_TEST_PASS_P":   count(func(m *moment) float64 { return 4 * 0.6 * m.coarsely() }),
	"PIXEL_#X#_LIT_POST_RASTERIZER_EARLY_DEPTH": count(func(m *moment) float64 {
		return 0.9 * max(0, m.coarsely()-m.v[failedDepth])
	}),
	"PIXEL_#X#_LIT_POST_RASTERIZER_LATE_DEPTH": count(func(m *moment) float64 {
		return 0.1 * max(0, m.coarsely()-m.v[failedDepth])
	}),
	"HIZ_SUBSPAN_LATENCY_FIFOFULL":       clocks(bottleneck(unitHierarchical)),
	"IZ_SUBSPAN_LATENCY_FIFOFULL":        clocks(bottleneck(unitDepth)),
	"IZ_OUTPUT_READY":                    clocks(func(m *moment) float64 { return 0.4*m.v[stageWork+5] + m.streamWait(1) }),
	"PS_OUTPUT_AVAILABLE":                clocks((*moment).colourInput),
	"PIXEL_POST_PROCESS_INPUT_AVAILABLE": clocks((*moment).colourInput),
	"PIXEL_POST_PROCESS_OUTPUT_READY":    clocks((*moment).colourOutput),
	"COLOR_PIPE_CACHE_LATENCY#_STALL":    clocks(func(m *moment) float64 { return 0.4 * m.pixelShare * m.memoryWait() }),

	"SAMPLER_#X#_READ": of(texels, 1), "SAMPLER_TEXTURE_CACHE_ACCESS": of(texels, 1),
	"SAMPLER_TEXTURE_CACHE_MISS": of(samplerMisses, 1), "SAMPLER_ACTIVE": clocks((*moment).sampling),
	"SAMPLER_INPUT_AVAILABLE": clocks((*moment).samplerInput),
	"SAMPLER_OUTPUT_READY":    clocks(func(m *moment) float64 { return 0.85 * m.sampling() }),
	"SAMPLER_MEMORY_LATENCY_STALL": clocks(func(m *moment) float64 {
		if m.v[texels] == 0 {
			return 0
		}
		return min(m.clocks-m.sampling(), 0.5*(m.wait(unitCache)+m.memoryWait())*min(1, m.v[samplerMisses]/m.v[texels]*3))
	}),
	"AMFS_STALL_ALL_INPUT": none, "AMFS_STALL_ANY_INPUT": none, "AMFS_#X#_SHADING_REQUEST": none, "AMFS_CACHE_HIT": none,
	"AMFS_CACHE_MISS": none, "AMFS_L#_ACCESS": none, "AMFS_L#_ATOMIC": none, "AMFS_L#_HIT": none, "AMFS_L#_WRITE": none,

	// A ray goes through some twenty nodes, tests four leaves and three triangles.
	"RT_INPUT_MESSAGE_RAY_COUNT": of(rayCount, 1), "RT_INPUT_MESSAGE_SPAWN_COUNT": of(rayCount, 1),
	"RT_TRAVERSAL_INPUT_RAY_COUNT": of(rayCount, 1), "RT_TRAVERSAL_OUTPUT_RAY_COUNT": of(rayCount, 1),
	"RT_TRAVERSAL_STEP_RAY_COUNT": of(rayCount, 24), "RT_INTERNAL_NODE_RAY_COUNT": of(rayCount, 17),
	"RT_INSTANCE_NODE_RAY_COUNT": of(rayCount, 1.5), "RT_TRANSFORM_RAY_COUNT": of(rayCount, 1.5),
	"RT_QUAD_LEAF_RAY_COUNT": of(rayCount, 4), "RT_QUAD_TEST_RAY_COUNT": of(rayCount, 3),
	"RT_PROCEDURAL_NODE_RAY_COUNT": none, "RT_ANY_HIT_THREAD_RAY_DISPATCH": none,
	"RT_CALLABLE_THREAD_RAY_DISPATCH": none, "RT_CLOSEST_HIT_THREAD_RAY_DISPATCH": none,
	"RT_INTERSECTION_THREAD_RAY_DISPATCH": none, "RT_MISS_THREAD_RAY_DISPATCH": none,
	"RT_MESSAGE_STALL": clocks(func(m *moment) float64 { return m.rayWait() }), "RT_BVH_CACHE_MISS": of(rayCount, 5),
	"RT_TRAVERSAL_STALL": clocks(func(m *moment) float64 {
		return min(m.clocks-m.v[rayWork], 0.5*m.v[rayWork]+0.2*m.memoryWait()*min(1, 4*m.v[rayWork]/max(1, m.clocks)))
	}),
	"RT_REQUEST_COLLISION":                         clocks(func(m *moment) float64 { return 0.03 * m.v[rayWork] }),
	"RT_LOAD_STORE_CACHE_READ_MESSAGE_COUNT":       of(rayCount, 30),
	"RT_LOAD_STORE_CACHE_WRITE_FROM_MESSAGE_COUNT": of(rayCount, 1),
}

// clipped are the triangles that the clipper passes on.
func (m *moment) clipped() float64 { return m.v[triangleCount] - 0.6*m.v[culledCount] }

// coarsely are the blocks of 2x2 that the hierarchical test lets through.
func (m *moment) coarsely() float64 { return max(0, m.v[rasterized]-m.v[failedFast]) }

// rayWait is how many clocks rays waited for the units that trace them.
func (m *moment) rayWait() float64 { return m.wait(unitRays) }
