package mali

import "math/rand/v2"

// want is what a job is to be like: how long it takes alone at the highest clock, and how much of that each resource
// would need.
type want struct {
	queue   int
	seconds float64
	loads   [resources]float64
	// seldom drawn otherwise than at random
	quads   bool // no shading to speak of: depth only, or UI
	fine    bool // small triangles
	precise bool // units overlap well
}

// newJob makes the job, in chunks of starting, filling, working and draining.
func newJob(m *machine, r *rand.Rand, w want) job {
	j := job{queue: w.queue, squares: pick(r, 2, 3, 3, 4)}
	if w.precise {
		j.squares = 4
	}
	loads := w.loads
	scale := w.seconds / max(norm(&loads, j.squares), 1e-9)
	var work [resources]float64
	for l := range resources {
		work[l] = loads[l] * scale * m.rate(l)
	}
	var n [counts]float64
	switch w.queue {
	case mainQueue:
		mainCounts(m, r, w, &work, &n)
	case binningQueue:
		binningCounts(m, r, &work, &n)
	default:
		computeCounts(r, &work, &n)
	}
	shaderCounts(m, r, &work, &n)
	memoryCounts(m, r, &work, &n)
	for l := range resources {
		loads[l] = work[l] / m.rate(l)
	}
	dram := between(r, 0.6, 0.9)
	steady := between(r, 0.9, 0.995)
	add := func(share, width float64, tail bool) {
		c := chunk{width: width, tail: tail, dram: dram, steady: steady}
		for l := range resources {
			c.loads[l] = loads[l] * share
		}
		for i := range n {
			c.counts[i] = n[i] * share
		}
		j.chunks = append(j.chunks, c)
	}
	j.chunks = append(j.chunks, chunk{fixed: m.launch * between(r, 0.7, 1.5), width: 0})
	fill, drain := between(r, 0.005, 0.03), between(r, 0.01, 0.05)
	add(fill, between(r, 0.4, 0.7), false)
	// The body's mixture is not the same throughout: sky, ground and crowd of one picture.
	body, tilt := 1-fill-drain, between(r, 0, 0.25)
	add(body*0.5, 1, false)
	add(body*0.5, 1, false)
	a, b := &j.chunks[2], &j.chunks[3]
	lean := func(x, y *float64, by float64) { *x, *y = *x*(1+by), *y*(1-by) }
	for l := range resources {
		// What belongs together in counters moves together.
		by := tilt
		switch l {
		case arithmetic, loadStore, latency:
			by = -tilt
		}
		lean(&a.loads[l], &b.loads[l], by)
	}
	for i := range n {
		by := tilt
		switch {
		case i == instrFMA || i == instrCVT || i == instrSFU || i == instrNarrow || i == instrDiverged,
			i >= lsReadFull && i <= lsAtomic:
			by = -tilt
		}
		lean(&a.counts[i], &b.counts[i], by)
	}
	add(drain, between(r, 0.3, 0.7), true)
	return j
}

// mainCounts are those of the front end of fragments.
func mainCounts(m *machine, r *rand.Rand, w want, work *[resources]float64, n *[counts]float64) {
	thin := between(r, 0.05, 0.3)
	if w.fine {
		thin = between(r, 0.5, 0.75)
	}
	cost := pick(r, 1.0, 1, 1, 2) // cycles of a quad in the tile buffer: wide formats and several samples take more
	shaded := work[backend] / cost
	rastered := 2 * (1 - thin) * work[rasterizer]
	if rastered*0.98 < shaded {
		rastered = shaded / between(r, 0.9, 0.98)
		work[rasterizer] = rastered / 2 / (1 - thin)
	}
	killed := rastered - shaded
	early := killed * between(r, 0.5, 0.95)
	layers := between(r, 1.2, 4.5)
	if w.quads {
		layers = between(r, 1.0, 2.5)
	}
	pixels := rastered * 4 / layers
	if w.loads[rasterizer] < 1 { // but for depth alone, each pixel is shaded about once or more often
		pixels = min(pixels, shaded*4/between(r, 0.8, 1.6))
	}
	n[fragPrims] = thin * work[rasterizer]
	n[quadsRast], n[quadsCoarse] = rastered, rastered
	n[partialQuads] = rastered * between(r, 0.04, 0.15)
	if w.fine {
		n[partialQuads] = rastered * between(r, 0.4, 0.75)
	}
	tested := between(r, 0.75, 1)
	if early > tested*rastered {
		tested = 1
	}
	n[ezsTest], n[ezsKill] = rastered*tested, early
	n[ezsUpdate] = (rastered*tested - early) * between(r, 0.3, 0.95)
	n[lzsTest] = shaded * (1 - tested) * between(r, 0.5, 1)
	n[lzsKill] = n[lzsTest] * between(r, 0, 0.3)
	n[fpkKiller] = (rastered - early) * between(r, 0.3, 0.9)
	n[fragWarps] = shaded / 4
	// Quads at edges have lanes without a fragment.
	n[fragThreads] = 16 * n[fragWarps] * (1 - 0.45*n[partialQuads]/rastered)
	n[fullWarps] = n[fragWarps] * between(r, 0.8, 0.98)
	n[tiles] = pixels / 1024
	n[tileKills] = 4 * n[tiles] * pick(r, 0, 0, 0, between(r, 0.05, 0.5))
	size := 1024.0
	if m.late {
		size = 4096
	}
	n[mainTasks] = pixels / size
	if r.Float64() < 0.15 {
		n[blendShader] = n[fragWarps] * between(r, 0.02, 0.2)
	}
	bytes := pick(r, 2.0, 4, 4, 4, 8, 12) * pixels
	// Most of what tiles write is compressed; where the memory is hardly used not much can be written.
	if most := work[bandwidth] * 0.6; bytes > most/0.5 {
		bytes = max(most/0.5, pixels*0.5)
	}
	n[beatsWrTIB] = bytes / 16
	n[beatsRdFTC] = n[fragPrims]*0.4 + bytes/16*pick(r, 0, 0, 0.3, 1)
	if m.late { // vertices of the draws that are shaded late
		n[computeWarps] = n[fragPrims] * 0.3 / 16
		n[computeTasks] = n[computeWarps] / 4
	}
}

// binningCounts are those of the tiler and the shading for it.
func binningCounts(m *machine, r *rand.Rand, work *[resources]float64, n *[counts]float64) {
	seen := between(r, 0.2, 0.5)
	prims := work[tiler] / (0.8 + 1.2*seen)
	lists := 0.0
	if r.Float64() < 0.2 {
		lists = between(r, 0, 0.05)
	}
	n[triangles], n[lines], n[points] = prims*(1-lists), prims*lists*0.7, prims*lists*0.3
	n[primVisible] = prims * seen
	back := between(r, 0, 0.2)
	n[frontFacing], n[backFacing] = n[primVisible]*(1-back), n[primVisible]*back
	gone := prims - n[primVisible]
	face, plane := between(r, 0.5, 0.75), between(r, 0.08, 0.2)
	n[primFaceCulled], n[primFrustumCulled] = gone*face, gone*plane
	rest := gone - n[primFaceCulled] - n[primFrustumCulled]
	if m.late {
		n[primScissorCulled] = rest * between(r, 0, 0.2)
		n[primDVS] = n[primVisible] * pick(r, 1.0, 1, between(r, 0.3, 0.95))
	}
	n[primSampleCulled] = rest - n[primScissorCulled]
	verts := prims * between(r, 0.55, 1.1)
	n[posShadReq] = verts / 4
	n[vcacheHit] = prims * between(r, 1.6, 2.4)
	late := 1 - n[primDVS]/max(n[primVisible], 1e-9)
	n[varShadReq] = n[primVisible] * late * between(r, 0.6, 1.1) / 4
	n[vbuMiss] = n[varShadReq]
	n[vbuHit] = n[vbuMiss] * between(r, 2, 5)
	n[computeWarps] = (n[posShadReq] + n[varShadReq]) / 4
	n[computeTasks] = n[computeWarps] / between(r, 1.5, 4)
	n[tilerTasks] = n[computeTasks]
	n[fullWarps] = n[computeWarps] * between(r, 0.85, 0.99)
	n[attrInstr] = n[computeWarps] * float64(2+r.IntN(5))
	n[tilerRead] = prims * between(r, 0.4, 1)
	n[beatsRdOther] = prims * 0.1
}

func computeCounts(r *rand.Rand, work *[resources]float64, n *[counts]float64) {
	// The size of a shader differs by orders of magnitude; the number of warps is what is left.
	cycles := max(work[arithmetic], work[loadStore], work[texture], work[rayTracing], 1)
	n[computeWarps] = cycles / between(r, 25, 300)
	n[computeTasks] = n[computeWarps] / float64(2+r.IntN(7))
	n[compTasks] = n[computeTasks]
	n[fullWarps] = n[computeWarps] * between(r, 0.9, 1)
}

// shaderCounts are those of what shaders do.
func shaderCounts(m *machine, r *rand.Rand, work *[resources]float64, n *[counts]float64) {
	warps := n[fragWarps] + n[computeWarps]
	if r.Float64() < 0.35 {
		n[warpRegs64] = warps * between(r, 0.2, 1)
	}
	// Two pipes for multiplications, one that shares issue with conversions and the special functions.
	cycles := work[arithmetic]
	if r.Float64() < 0.12 { // special functions limit: four cycles each
		n[instrSFU] = cycles / 4
		n[instrCVT] = cycles * between(r, 0.2, 0.6)
		n[instrFMA] = cycles * between(r, 0.3, 0.9)
	} else {
		n[instrSFU] = cycles * between(r, 0.01, 0.15)
		n[instrCVT] = cycles*between(r, 0.3, 0.75) - n[instrSFU]
		other := n[instrSFU] + n[instrCVT]
		n[instrFMA] = other + 2*(cycles-other)
	}
	all := n[instrFMA] + n[instrCVT] + n[instrSFU]
	n[instrNarrow] = all * pick(r, between(r, 0.02, 0.3), between(r, 0.3, 0.8))
	n[instrDiverged] = all * pick(r, between(r, 0, 0.03), between(r, 0.03, 0.35))
	n[icacheMiss] = all * between(r, 0.0001, 0.004)

	textureCounts(r, work[texture], n)

	cycles = work[loadStore]
	atomics := 0.0
	if r.Float64() < 0.2 {
		atomics = between(r, 0.01, 0.2)
	}
	reads, full := between(r, 0.5, 0.9), between(r, 0.3, 0.95)
	n[lsAtomic] = cycles * atomics
	n[lsReadFull], n[lsReadShort] = cycles*(1-atomics)*reads*full, cycles*(1-atomics)*reads*(1-full)
	n[lsWriteFull], n[lsWriteShort] = cycles*(1-atomics)*(1-reads)*full, cycles*(1-atomics)*(1-reads)*(1-full)

	slots, narrow := 4*work[varying], between(r, 0.1, 0.8)
	n[varySlot16], n[varySlot32] = slots*narrow, slots*(1-narrow)
	n[varyInstr] = slots / between(r, 1.5, 3.5)

	if cycles = work[rayTracing]; cycles > 0 {
		box, tri := cycles, cycles*between(r, 0.3, 0.9)
		if r.Float64() < 0.3 {
			box, tri = tri, box
		}
		n[rtBoxIssue], n[rtTriIssue] = box, tri
		bins := func(total float64, to ...int) {
			left := total
			for _, i := range to[:len(to)-1] {
				n[i] = left * between(r, 0.25, 0.6)
				left -= n[i]
			}
			n[to[len(to)-1]] = left
		}
		n[rtBox], n[rtTri] = box*between(r, 2, 4), tri*between(r, 0.2, 0.5)
		bins(box*0.3, rtBoxBin1, rtBoxBin5, rtBoxBin9, rtBoxBin13)
		bins(n[rtTri], rtTriBin1, rtTriBin5, rtTriBin9, rtTriBin13)
		n[rtRays] = box / between(r, 8, 30)
		hits := between(r, 0.3, 0.9)
		n[rtMiss] = n[rtRays] * (1 - hits)
		n[rtFirstHit] = n[rtRays] * hits * between(r, 0.1, 0.9)
		n[rtOpaque] = n[rtRays] * hits * between(r, 1, 2)
		n[rtNonOpaque] = n[rtOpaque] * between(r, 0, 0.2)
	}
}

func textureCounts(r *rand.Rand, cycles float64, n *[counts]float64) {
	// Filtering is what takes longest, but for formats that have to be unpacked and scattered lookups.
	filter := cycles
	complexPath, lookup := between(r, 0.02, 0.3), between(r, 0.4, 0.95)
	switch x := r.Float64(); {
	case x < 0.08:
		filter, complexPath = cycles*between(r, 0.4, 0.85), 0
	case x < 0.14:
		filter, lookup = cycles*between(r, 0.5, 0.85), 0
	}
	per := pick(r, 1.0, 1, 1.5, 2, 3) // bilinear, in part trilinear, anisotropic
	quads := 2 * filter / per
	n[texFilter] = filter
	n[texFullBi] = filter * between(r, 0.2, 0.6)
	n[texFullTri] = (filter - n[texFullBi]) * min(1, per-0.9) * between(r, 0.3, 0.9)
	n[texSingle] = quads * between(r, 0.02, 0.12)
	n[texMessages] = (quads + n[texSingle]) / 2
	n[texIn] = n[texMessages] * between(r, 0.9, 1)
	n[texOut] = quads / 2 * pick(r, 0.9, 0.95, 1)
	n[texIndex] = filter * between(r, 0.6, 0.98)
	if n[texLookup] = filter * lookup; lookup == 0 {
		n[texLookup] = cycles
	}
	if n[texComplexLoad] = filter * complexPath; complexPath == 0 {
		n[texComplexLoad] = cycles
	}
	n[texSimpleLoad] = filter * between(r, 0.03, 0.3)
	n[texL1Load] = filter * between(r, 0.02, 0.2)
	n[texL1Lookup] = filter * between(r, 0.1, 0.5)
	n[texL1Output] = n[texL1Lookup] * between(r, 0.7, 1)
}

// memoryCounts divide what the cache and the memory carry among those who ask for it.
func memoryCounts(m *machine, r *rand.Rand, work *[resources]float64, n *[counts]float64) {
	tile := n[beatsWrTIB] * 16
	written := tile*between(r, 0.45, 0.8) + 16*8*(n[primVisible]/64)
	stores := n[lsWriteFull] + n[lsWriteShort]
	stored := min(stores*between(r, 4, 24), max(work[bandwidth]-written, 0)*0.5)
	written += stored * 0.8
	work[bandwidth] = max(work[bandwidth], written*1.15)
	read := work[bandwidth] - written
	given := n[beatsRdFTC]*16 + n[tilerRead]*16 + n[beatsRdOther]*16
	fromL2 := max(work[cacheRate]-tile-stored, read*between(r, 1.05, 1.3), given*1.2)
	work[cacheRate] = fromL2 + tile + stored
	// The rest of what is read is for textures, loads and instructions, by how much those units do.
	rest := fromL2 - given
	tex := n[texFilter] * between(r, 0.6, 1.4)
	loads := (n[lsReadFull] + n[lsReadShort] + n[lsAtomic]) * between(r, 0.6, 1.4)
	sum := tex + loads + 1e-9
	other := rest * between(r, 0.01, 0.04)
	n[beatsRdOther] += other / 16
	n[beatsRdTex] = (rest - other) / 16 * tex / sum
	n[beatsRdLSC] = (rest - other) / 16 * (loads + 1e-9) / sum
	// External reads are a share of each.
	missed := min(0.97, read/max(fromL2, 1))
	n[beatsRdTexExt] = n[beatsRdTex] * missed * between(r, 0.9, 1)
	n[beatsRdLSCExt] = n[beatsRdLSC] * missed * between(r, 0.9, 1)
	n[beatsRdFTCExt] = n[beatsRdFTC] * missed * between(r, 0.9, 1)
	back := between(r, 0.2, 0.8)
	n[beatsWrLSCWB], n[beatsWrLSCOther] = stored/16*back, stored/16*(1-back)

	n[l2Rd], n[l2ReadLookup] = fromL2/64, fromL2/64
	n[l2Wr] = (tile + stored) / 64
	n[l2WriteLookup] = n[l2Wr]
	n[l2Evict], n[l2CleanUnique] = n[l2Wr]*between(r, 0.1, 0.4), n[l2Wr]*between(r, 0.01, 0.1)
	n[l2RdOut], n[l2WrOut] = n[l2Rd]*0.0005, 0
	n[mmuRequests] = (n[l2Rd] + n[l2Wr]) * between(r, 0.002, 0.02)
	n[mmuReadsL3] = n[mmuRequests] * between(r, 0.05, 0.3)
	n[mmuReadsL2] = n[mmuReadsL3] * between(r, 0.05, 0.3)
	n[mmuHitL2] = (n[mmuRequests] - n[mmuReadsL3]) * between(r, 0.1, 0.6)
	n[mmuHitL3] = n[mmuRequests] - n[mmuReadsL3] - n[mmuHitL2]
	n[l2Any] = n[l2ReadLookup] + n[l2WriteLookup] + n[l2Evict] + n[l2CleanUnique]
	n[extRead], n[extReadBeats] = read/64, read/m.bus
	n[extReadNoSnoop] = n[extRead] * between(r, 0.9, 0.99)
	n[extReadUnique] = (n[extRead] - n[extReadNoSnoop]) * between(r, 0, 0.5)
	n[extWriteBeats] = written / m.bus
	n[extWrite] = written / 64 / between(r, 0.85, 1)
	partly := between(r, 0.02, 0.2)
	n[extWriteNoSnoopPart] = n[extWrite] * partly
	n[extWriteSnoopFull], n[extWriteSnoopPart] = n[extWrite]*0.01, n[extWrite]*0.002
	n[extWriteNoSnoopFull] = n[extWrite] - n[extWriteNoSnoopPart] - n[extWriteSnoopFull] - n[extWriteSnoopPart]
}
