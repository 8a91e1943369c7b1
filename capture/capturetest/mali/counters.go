package mali

import (
	"math"

	"astrolabe/capture/capturetest"
)

// names of the counters that the two GPUs call differently, the G615's first.
var names = map[string][2]string{
	"active":       {"MaliGPUCyclesAnyQueueActive", "MaliGPUCyclesGPUActive"},
	"main":         {"MaliGPUQueuedCyclesFragmentQueued", "MaliGPUQueuedCyclesMainPhaseQueued"},
	"mainWait":     {"MaliGPUWaitCyclesFragmentQueueEndpointStall", "MaliGPUWaitCyclesMainPhaseQueueEndpointStall"},
	"bin":          {"MaliGPUQueuedCyclesVertexQueued", "MaliGPUQueuedCyclesBinningPhaseQueued"},
	"binWait":      {"MaliGPUWaitCyclesVertexQueueEndpointStall", "MaliGPUWaitCyclesBinningPhaseQueueEndpointStall"},
	"tasks":        {"MaliGPUTasksFragmentTasks", "MaliGPUTasksMainPhaseTasks"},
	"coreMain":     {"MaliShaderCoreCyclesFragmentActive", "MaliShaderCoreCyclesMainPhaseActive"},
	"coreNonFrag":  {"MaliShaderCoreCyclesNonFragmentActive", "MaliShaderCoreCyclesComputeOrBinningPhaseActive"},
	"comp":         {"MaliGPUQueuedCyclesComputeQueued", "MaliGPUQueuedCyclesComputeQueued"},
	"compWait":     {"MaliGPUWaitCyclesComputeQueueEndpointStall", "MaliGPUWaitCyclesComputeQueueEndpointStall"},
	"scissorStage": {"", "MaliPrimitiveCullingScissorTestCulledPrimitives"},
}

// part is a counter and the share that falls on it.
type part struct {
	name  string
	share float64
}

func name(gpu, key string) string {
	if gpu == "mali-g615" {
		return names[key][0]
	}
	return names[key][1]
}

// sample writes the counters of what the GPU did in so many cycles.
func (p *pipeline) sample(t *capturetest.Table, i int, s stage, cycles float64) {
	c, gpu := p.c, p.gpu
	n, q := p.shares(s, cycles)
	set := func(name string, v float64) { t.Count("Mali"+name, i, math.Floor(max(0, v)+1e-6)) }
	key := func(k string, v float64) { t.Count(name(gpu, k), i, math.Floor(max(0, v)+1e-6)) }
	share := func(x float64) float64 { return max(0, min(1, x*p.small.Small())) }

	// Queues. The GPU is active while any of them holds work: what is not at work waits for the command processor or
	// for memory.
	key("active", cycles)
	rest := max(0, cycles-q[0]-q[1]-q[2])
	key("main", min(cycles, q[0]+rest+0.02*cycles))
	key("mainWait", min(cycles, q[0]+rest+0.02*cycles)-q[0])
	key("bin", q[1])
	key("binWait", 0)
	key("comp", q[2])
	key("compWait", 0)
	mcu := c.mcu / s.pace * cycles
	set("CSFCyclesMCUActive", min(cycles, mcu*share(1)))
	set("GPUCyclesGPUInterruptActive", cycles*share(c.interrupt))

	// Geometry.
	prims := n[1] * c.prims
	off := prims * share(c.frustum)
	cut := 0.0
	if gpu == "mali-g720" {
		cut = (prims - off) * share(c.scissor)
		key("scissorStage", cut)
	}
	back := (prims - off - cut) * share(c.facing)
	if gpu == "mali-g615" { // the facing test comes first there
		back = prims * share(c.facing)
		off = (prims - back) * share(c.frustum)
	}
	small := (prims - off - cut - back) * share(c.tiny)
	seen := prims - off - cut - back - small
	set("PrimitiveCullingFrustumTestCulledPrimitives", off)
	set("PrimitiveCullingFacingTestCulledPrimitives", back)
	set("PrimitiveCullingSampleTestCulledPrimitives", small)
	set("PrimitiveCullingVisiblePrimitives", seen)
	set("TilerShadingRequestsPositionShadingRequests", prims*c.positions*p.small.Small()/4)
	set("TilerShadingRequestsVaryingShadingRequests", seen*c.varyings*p.small.Small()/4)

	p.core(t, i, s, n, cycles, prims, seen)
}

// core writes the counters of the shader cores and of memory.
func (p *pipeline) core(t *capturetest.Table, i int, s stage, n [3]float64, cycles, prims, seen float64) {
	c, gpu := p.c, p.gpu
	set := func(name string, v float64) { t.Count("Mali"+name, i, math.Floor(max(0, v)+1e-6)) }
	key := func(k string, v float64) { t.Count(name(gpu, k), i, math.Floor(max(0, v)+1e-6)) }
	share := func(x float64) float64 { return max(0, min(1, x*p.small.Small())) }

	// Pixels and quads.
	taskPixels := 1024.0
	if gpu == "mali-g720" {
		taskPixels = 4096
	}
	pixels := n[0] * c.pixels
	key("tasks", pixels/taskPixels)
	frags := pixels * c.overdraw * c.shadingRate
	warps := frags / (warpWidth * c.fill)
	fine := n[0] * c.quads()
	set("FragmentQuadsRasterizedFineQuads", fine)
	set("FragmentQuadsRasterizedCoarseQuads", fine*c.shadingRate)
	set("FragmentQuadsPartialRasterizedFineQuads", fine*share(c.partial))
	late := fine * share(c.lateTested)
	set("FragmentZSQuadsLateZSTestedQuads", late)
	set("FragmentZSQuadsLateZSKilledQuads", min(late, fine*share(c.lateKilled)))
	early := (fine - late) * 0.98
	set("FragmentZSQuadsEarlyZSTestedQuads", early)
	set("FragmentZSQuadsEarlyZSUpdatedQuads", early*0.5)
	set("FragmentZSQuadsEarlyZSKilledQuads", min(early, fine*share(c.earlyKilled)))

	// Warps.
	vert := n[1] * s.vertWarps
	comp := n[2] * s.compWarps
	set("ShaderThreadsFragmentThreads", frags)
	set("ShaderWarpsFragmentWarps", warps)
	set("ShaderWarpsNonFragmentWarps", vert+comp)
	set("ShaderWarpsFullWarps", warps*share(c.fragmentFull)+vert*0.9+comp*share(c.computeFull))
	set("ShaderWarpsAllRegisterWarps", (warps+vert+comp)*share(c.wideWarps))
	set("ALUInstructionsBlendShaderCalls", warps*p.c.blended/4)

	// Cycles. Memory that is too slow keeps warps in the core for longer.
	wait := max(1, s.memory)
	room := cycles * cores
	exec := min(0.985*room, (n[0]*s.fragExec+n[1]*s.vertExec+n[2]*s.compExec)*wait)
	fragCore := min(0.99*room, n[0]*s.fragCore*wait)
	nonFrag := min(0.99*room, (n[1]*(s.vertExec*1.05)+n[2]*s.compExec*1.02)*wait)
	work := max(exec, min(0.995*room, max(fragCore, nonFrag)+0.5*min(fragCore, nonFrag)))
	if fragCore+nonFrag < work {
		fragCore = min(work, fragCore+work-fragCore-nonFrag)
	}
	set("ShaderCoreCyclesAnyWorkloadActive", work)
	set("ShaderCoreCyclesExecutionCoreActive", exec)
	key("coreMain", fragCore)
	key("coreNonFrag", min(work, nonFrag+1))
	filled := 0.97 - 0.5*c.lateTested*0.5
	if full := n[0] * s.fragExec * wait / max(1, fragCore); s.front > 0 {
		filled = min(filled, full)
	}
	set("ShaderCoreCyclesFragmentFPKBufferActive", fragCore*max(0.02, min(0.99, filled)))

	// Units. Vertices and compute work have a mix of their own that changes with nothing.
	rest := vert + comp
	mix := func(frag, other float64) float64 { return warps*frag + rest*other }
	limit := func(v float64) float64 { return min(v, exec) }
	a := mix(c.arithmetic(), 40)
	squeeze := 1.0
	if a > exec {
		squeeze = exec / a
	}
	fma, cvt, sfu := mix(c.fma, 56)*squeeze, mix(c.cvt, 18)*squeeze, mix(c.sfu, 3)*squeeze
	set("ALUInstructionsFMAPipeInstructions", fma)
	set("ALUInstructionsCVTPipeInstructions", cvt)
	set("ALUInstructionsSFUPipeInstructions", sfu)
	set("ALUInstructionsNarrowInstructions", (fma+cvt+sfu)*share(c.narrow))
	set("ALUInstructionsDivergedInstructions", (fma+cvt+sfu)*share(c.diverged))
	v32, v16 := limit(mix(c.vary32, 0)), mix(c.vary16, 0)
	set("VaryingUnitIssues32BitInterpolationIssues", 4*v32)
	set("VaryingUnitIssues16BitInterpolationIssues", 4*min(v16, exec-v32))
	filter := limit(warps * c.texQuads * c.texCycles)
	quads := filter / c.texCycles
	set("TextureUnitCyclesTextureFilteringActive", filter)
	if gpu == "mali-g615" {
		set("TextureUnitQuadsTextureMessages", quads/2)
		set("TextureUnitCyclesFullBilinearFilterActive", filter*0.8)
		set("TextureUnitCyclesFullTrilinearFilterActive", filter*0.15)
	} else {
		single := quads * 0.1
		set("TextureUnitQuadsTextureMessages", (quads+single)/2)
		set("TextureUnitQuadsTextureMessagesWithSingleQuad", single)
		for _, x := range []part{
			{"CacheCyclesCacheLookupActive", 0.6},
			{"CacheCyclesSimpleLoadActive", 0.1},
			{"CacheCyclesComplexLoadActive", c.texLoads},
			{"CacheCyclesL1OutputActive", 0.3},
			{"CacheCyclesL1LookupActive", 0.5},
			{"CyclesIndexCalculationActive", 0.7},
			{"BusInputBeats", c.texInput},
			{"BusOutputBeats", c.texOutput},
		} {
			set("TextureUnit"+x.name, limit(min(filter, quads*0.5)*x.share))
		}
	}
	fr, pr, fw, pw, at := mix(c.fullRead, 16), mix(c.partRead, 4), mix(c.fullWrite, 3), mix(c.partWrite, 1),
		mix(c.atomics, 0.2)
	if sum := fr + pr + fw + pw + at; sum > exec {
		k := exec / sum
		fr, pr, fw, pw, at = fr*k, pr*k, fw*k, pw*k, at*k
	}
	set("LoadStoreUnitCyclesFullRead", fr)
	set("LoadStoreUnitCyclesPartialRead", pr)
	set("LoadStoreUnitCyclesFullWrite", fw)
	set("LoadStoreUnitCyclesPartialWrite", pw)
	set("LoadStoreUnitCyclesAtomicAccess", at)
	box := limit(warps * c.box)
	set("RayTracingUnitCyclesBoxTesterActive", box)
	set("RayTracingUnitCyclesTriangleTesterActive", limit(warps*c.tri))
	p.rays(set, share, box, limit(warps*c.tri))

	p.memory(set, s, n, memoryWork{cycles, filter, fr + pr, fw + pw, seen, pixels})
}

// rays writes what became of rays: nodes and batches by how many rays of a warp are tested together.
func (p *pipeline) rays(set func(string, float64), share func(float64) float64, box, tri float64) {
	c := share(p.c.coherent)
	for _, x := range []part{
		{"With1316Rays", 0.7 * c},
		{"With912Rays", 0.3 * c},
		{"With58Rays", 0.4 * (1 - c)},
		{"With14Rays", 0.6 * (1 - c)},
	} {
		set("RayTracingUnitBoxTestBoxNodes"+x.name, box*x.share)
		set("RayTracingUnitTriangleTestTriangleBatches"+x.name, tri*x.share)
	}
	started := box * 0.3
	set("RayTracingUnitRaysStartedRays", started)
	set("RayTracingUnitRaysMissedRays", started*0.3)
	set("RayTracingUnitRaysFirstHitTerminatedRays", started*0.2)
	set("RayTracingUnitTriangleWorkloadOpaqueTriangleHits", tri*0.5)
	set("RayTracingUnitTriangleWorkloadNonOpaqueTriangleHits", tri*0.05)
}

// memoryWork is what the cores asked for in a sample.
type memoryWork struct{ cycles, filter, reads, writes, seen, pixels float64 }

// memory writes the traffic: between the cores and the L2, from the L2 to memory, and how the bus fared.
func (p *pipeline) memory(set func(string, float64), s stage, n [3]float64, m memoryWork) {
	c := p.c
	tex, ls, front := m.filter*c.texMiss*p.small.Small(), m.reads*c.lsMiss*p.small.Small(),
		m.seen*c.frontMiss*p.small.Small()
	set("ShaderCoreL2ReadsTextureL2ReadBeats", max(tex, m.filter*c.texL2)/coreBytes)
	set("ShaderCoreExternalReadsTextureExternalReadBeats", tex/coreBytes)
	set("ShaderCoreL2ReadsLoadStoreL2ReadBeats", max(ls, m.reads*c.lsL2)/coreBytes)
	set("ShaderCoreExternalReadsLoadStoreExternalReadBeats", ls/coreBytes)
	set("ShaderCoreL2ReadsFragmentL2ReadBeats", max(front, m.seen*24)/coreBytes)
	set("ShaderCoreExternalReadsFragmentExternalReadBeats", front/coreBytes)
	stores := m.writes * c.lsWrite
	set("ShaderCoreWritesLoadStoreWriteBackWriteBeats", stores*0.8/coreBytes)
	set("ShaderCoreWritesLoadStoreOtherWriteBeats", stores*0.2/coreBytes)
	tiles := m.pixels / 1024
	set("ShaderCoreTilesTiles", tiles)
	set("ShaderCoreTilesKilledUnchangedTiles",
		min(4*math.Floor(tiles), 4*tiles*max(0, min(1, c.unchanged*p.small.Small()))))
	written := m.pixels * c.tileBytes * (1 - c.unchanged)
	set("ShaderCoreWritesTileUnitWriteBeats", written/coreBytes)

	bus := m.cycles * slices
	reads := min(0.6*bus, (tex+ls+front+2e6*n[0])/beatBytes)
	set("ExternalBusBeatsReadBeats", reads)
	set("ExternalBusBeatsWriteBeats", min(0.39*bus, (written+stores*0.7+8*m.seen)/beatBytes))
	st := stalls(s.memory)
	set("ExternalBusStallCyclesReadStall", bus*st*(1-c.writeShare)*p.small.Small())
	set("ExternalBusStallCyclesWriteStall", bus*st*max(0.15, c.writeShare)*p.small.Small())
	late := min(0.95, 0.06+0.5*max(0, min(1, (s.memory-0.7)/1.3))+c.slow)
	for _, x := range []part{
		{"0127", 0.6 * (1 - late)},
		{"128191", 0.28 * (1 - late)},
		{"192255", 0.12 * (1 - late)},
		{"256319", 0.6 * late},
		{"320383", 0.28 * late},
	} {
		set("ExternalBusReadLatency"+x.name+"Cycles", math.Floor(reads)*x.share)
	}
}
