package amd

import (
	"slices"

	"astrolabe/capture/simulate"
)

// column is a counter of GPUPerfAPI: what it is of, in which pass it is measured, and how it is made.
type column struct {
	name  string
	group string  // of the same hardware block: measured in the same pass, and left out together
	form  form    // how the value is made of the quantity
	only  string  // generation, "" for both
	of    []class // candidates that it tells of directly
	value func(m *measured, d *device) float64
}

type form uint8

const (
	count  form = iota
	cycles      // clocks, at most those of the pass
	share       // clocks, as a share of those of the pass in percent
	ratio       // as it is, without noise
)

// pair is a counter of clocks with its share of the time.
func pair(name, group string, of []class, value func(m *measured, d *device) float64) []column {
	all := []column{{name: name + "Cycles", group: group, form: cycles, of: of, value: value},
		{name: name, group: group, form: share, of: of, value: value}}
	return all
}

func counted(name, group string, of []class, value func(m *measured, d *device) float64) []column {
	return []column{{name: name, group: group, of: of, value: value}}
}

func part(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

func of(c ...class) []class { return c }

type (
	ms = *measured
	dv = *device
)

// stage is how long a stage of the pipeline has work.
func stage(name string, value func(m *measured, d *device) float64) []column {
	return append(pair(name+"Busy", "SPI", nil, value), column{name: name + "Time", group: "SPI", form: cycles, value: value})
}

// tessellates is one number of draws that tessellate, and another of those that do not.
func (m *measured) tessellates(yes, no float64) float64 {
	if m.tess {
		return yes
	}
	return no
}

// hits is the four counters of a cache.
func hits(name, group string, both string, req, miss func(m *measured, d *device) float64) []column {
	c := of(cache)
	if group == "SQC" || group == "TCP" {
		c = nil
	}
	return []column{
		{name: name + "Hit", group: group, form: ratio, of: c, only: both, value: func(m ms, d dv) float64 {
			return 100 * (1 - part(miss(m, d), req(m, d))) * sign(req(m, d))
		}},
		{name: name + "HitCount", group: group, of: c, value: func(m ms, d dv) float64 { return req(m, d) - miss(m, d) }},
		{name: name + "MissCount", group: group, of: c, value: miss},
		{name: name + "RequestCount", group: group, of: c, value: req},
	}
}

func sign(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

// columns are the counters of GPUPerfAPI in the order of its tables.
func columns() []column {
	var all []column
	add := func(c ...[]column) {
		for _, x := range c {
			all = append(all, x...)
		}
	}
	add(
		pair("GPUBusy", "CPF", of(launch), func(m ms, d dv) float64 { return m.clocks }),
		pair("TessellatorBusy", "GE", nil, func(m ms, d dv) float64 { return m.busy[vertexFetch] * m.tessellates(.9, 0) }),
		stage("VsGs", func(m ms, d dv) float64 { return m.span(m.o.any[inGeometry]) * m.tessellates(0, 1) }),
		stage("PreTessellation", func(m ms, d dv) float64 { return m.span(m.o.any[inGeometry]) * m.tessellates(.8, 0) }),
		stage("PostTessellation", func(m ms, d dv) float64 { return m.span(m.o.any[inGeometry]) * m.tessellates(.97, 0) }),
		stage("PS", func(m ms, d dv) float64 { return m.span(m.o.any[inPixel]) }),
		stage("CS", func(m ms, d dv) float64 { return m.span(m.o.any[inCompute]) }),
		pair("PrimitiveAssemblyBusy", "PA", of(primAssembly), func(m ms, d dv) float64 {
			// Clocks of the unit less those in which it hands primitives on.
			return max(0, min(m.clocks, m.busy[primAssembly]*d.uneven)-m.q.outPrims*m.done[primAssembly]/d.engines)
		}),
		pair("TexUnitBusy", "TA", of(texture), func(m ms, d dv) float64 { return m.address }),
		pair("DepthStencilTestBusy", "DB", of(depth), func(m ms, d dv) float64 {
			return m.busy[depth]*d.uneven + .4*m.span(m.o.queued[pixelBackend])*part(m.busy[depth], m.clocks)
		}),
	)
	graphics := func(f func(m ms, d dv) float64) func(m ms, d dv) float64 {
		return func(m ms, d dv) float64 {
			if m.compute {
				return 0
			}
			return f(m, d)
		}
	}
	compute := func(f func(m ms, d dv) float64) func(m ms, d dv) float64 {
		return func(m ms, d dv) float64 {
			if !m.compute {
				return 0
			}
			return f(m, d)
		}
	}
	add(
		[]column{
			{name: "VsGsVerticesIn", group: "GE", only: "gfx11", of: of(vertexFetch), value: func(m ms, d dv) float64 {
				return m.q.vertices * m.done[vertexFetch] * m.tessellates(0, 1)
			}},
			{name: "VsGsPrimsIn", group: "GE", only: "gfx11", of: of(vertexFetch), value: func(m ms, d dv) float64 {
				return m.q.prims * m.done[vertexFetch] * m.tessellates(0, 1)
			}},
			{name: "PreTessVerticesIn", group: "GE", of: of(vertexFetch), value: func(m ms, d dv) float64 {
				return m.q.vertices * m.done[vertexFetch] * m.tessellates(.1, 0)
			}},
			{name: "PostTessPrimsOut", group: "GE", of: of(vertexFetch), value: func(m ms, d dv) float64 {
				return m.q.prims * m.done[vertexFetch] * m.tessellates(1, 0)
			}},
		},
		counted("PrimitivesIn", "PA", of(primAssembly), func(m ms, d dv) float64 { return m.q.prims * m.done[primAssembly] }),
		counted("CulledPrims", "PA", of(primAssembly), func(m ms, d dv) float64 {
			return m.q.prims * m.shape.culled * m.done[primAssembly]
		}),
		counted("ClippedPrims", "PA", nil, func(m ms, d dv) float64 {
			return m.q.prims * m.shape.clipped * m.done[primAssembly]
		}),
		pair("PAStalledOnRasterizer", "PA", of(rasterizer), func(m ms, d dv) float64 {
			return min(m.span(m.o.full[behindPA]), max(0, m.clocks-m.busy[primAssembly])) * .98
		}),
		counted("PSPixelsOut", "SX", of(pixelBackend), func(m ms, d dv) float64 { return m.q.out * m.done[pixelBackend] }),
		pair("PSExportStalls", "SX", of(pixelBackend), func(m ms, d dv) float64 {
			x := m.span(m.o.queued[pixelBackend])
			if m.late {
				x = max(x, m.span(m.o.queued[depth]))
			}
			return x * .97
		}),
	)
	tiles := func(m ms) float64 { return m.q.rastered * m.done[rasterizer] / 64 / .7 }
	culled := func(m ms) float64 { return tiles(m) * m.shape.hidden * m.shape.byTile }
	quads := func(m ms) float64 { return m.q.rastered * m.done[rasterizer] / 4 }
	accepted := func(m ms) float64 { return m.q.tested * m.done[rasterizer] / 4 }
	surviving := func(m ms) float64 { return quads(m) * (1 - m.shape.hidden) }
	tested := func(m ms) float64 { return m.q.tested * m.done[depth] * min(m.shape.samples, 8) }
	early := func(m ms) float64 {
		if m.late {
			return 0
		}
		return tested(m)
	}
	passing := func(m ms) float64 {
		return part((1-m.shape.hidden)*1, 1-m.shape.hidden*m.shape.byTile)
	}
	postz := func(m ms) float64 { return tested(m) - early(m) }
	z := of(depth)
	add(
		[]column{
			{name: "HiZTilesAccepted", group: "DB", form: ratio, of: z, value: func(m ms, d dv) float64 { return 100 * part(tiles(m)-culled(m), tiles(m)) }},
			{name: "HiZTilesAcceptedCount", group: "DB", of: z, value: func(m ms, d dv) float64 { return tiles(m) - culled(m) }},
			{name: "HiZTilesRejectedCount", group: "DB", of: z, value: func(m ms, d dv) float64 { return culled(m) }},
			{name: "PreZTilesDetailSurvivingCount", group: "DB", of: z, value: func(m ms, d dv) float64 { return tiles(m) }},
			{name: "HiZQuadsCulled", group: "SC", form: ratio, of: z, value: func(m ms, d dv) float64 { return 100 * part(quads(m)-accepted(m), quads(m)) }},
			{name: "HiZQuadsCulledCount", group: "SC", of: z, value: func(m ms, d dv) float64 { return quads(m) - accepted(m) }},
			{name: "HiZQuadsAcceptedCount", group: "SC", of: z, value: func(m ms, d dv) float64 { return accepted(m) }},
			{name: "PreZQuadsCulled", group: "SC", form: ratio, of: z, value: func(m ms, d dv) float64 { return 100 * part(accepted(m)-surviving(m), quads(m)) }},
			{name: "PreZQuadsCulledCount", group: "SC", of: z, value: func(m ms, d dv) float64 { return accepted(m) - surviving(m) }},
			{name: "PreZQuadsSurvivingCount", group: "SC", of: z, value: func(m ms, d dv) float64 { return surviving(m) }},
			{name: "PostZQuads", group: "SC", form: ratio, of: z, value: func(m ms, d dv) float64 { return 100 * part(surviving(m), quads(m)) }},
			{name: "PostZQuadCount", group: "SC", of: z, value: func(m ms, d dv) float64 { return surviving(m) }},
			{name: "PreZSamplesPassing", group: "DB", of: z, value: func(m ms, d dv) float64 { return early(m) * passing(m) }},
			{name: "PreZSamplesFailingS", group: "DB", of: z, value: func(m ms, d dv) float64 { return 0 }},
			{name: "PreZSamplesFailingZ", group: "DB", of: z, value: func(m ms, d dv) float64 { return early(m) * (1 - passing(m)) }},
			{name: "PostZSamplesPassing", group: "DB", of: z, value: func(m ms, d dv) float64 { return postz(m) * (1 - m.shape.failing) }},
			{name: "PostZSamplesFailingS", group: "DB", of: z, value: func(m ms, d dv) float64 { return 0 }},
			{name: "PostZSamplesFailingZ", group: "DB", of: z, value: func(m ms, d dv) float64 { return postz(m) * m.shape.failing }},
		},
		pair("ZUnitStalled", "DB", of(pixelBackend), graphics(func(m ms, d dv) float64 { return m.span(m.o.queued[pixelBackend]) * .8 })),
		counted("DBMemRead", "DB", z, func(m ms, d dv) float64 { return m.q.depthReads * m.done[depth] }),
		counted("DBMemWritten", "DB", z, func(m ms, d dv) float64 { return m.q.depthWrites * m.done[depth] }),
	)
	for _, name := range []string{"CBMemRead", "CBColorAndMaskRead"} {
		all = append(all, column{name: name, group: "CB", only: "gfx103", of: of(pixelBackend), value: func(m ms, d dv) float64 {
			return m.q.colourReads * m.done[pixelBackend]
		}})
	}
	for _, name := range []string{"CBMemWritten", "CBColorAndMaskWritten"} {
		all = append(all, column{name: name, group: "CB", only: "gfx103", of: of(pixelBackend), value: func(m ms, d dv) float64 {
			return m.q.colourWrites * m.done[pixelBackend]
		}})
	}
	slow := func(m ms) float64 {
		if m.shape.perPixel < 1 {
			return .9
		}
		return 0
	}
	all = append(all,
		column{name: "CBSlowPixelPct", group: "CB", only: "gfx103", form: ratio, of: of(pixelBackend), value: graphics(func(m ms, d dv) float64 {
			return 100 * slow(m) * sign(m.q.out)
		})},
		column{name: "CBSlowPixelCount", group: "CB", only: "gfx103", of: of(pixelBackend), value: func(m ms, d dv) float64 {
			return m.q.out / 4 * slow(m) * m.done[pixelBackend]
		}})
	groups := func(m ms) float64 { return m.q.computeWaves * m.wide * 32 / m.shape.groupSize }
	waves := func(m ms) float64 { return m.q.computeWaves * m.wide }
	add(
		counted("CSThreadGroupsLaunched", "SPI", nil, func(m ms, d dv) float64 { return groups(m) }),
		counted("CSWavefrontsLaunched", "SPI", nil, func(m ms, d dv) float64 { return waves(m) }),
		counted("CSThreadsLaunched", "SQ", nil, func(m ms, d dv) float64 { return waves(m) * 32 }),
		[]column{{name: "CSThreadGroupSize", group: "SQ", form: ratio, value: compute(func(m ms, d dv) float64 { return m.shape.groupSize })}},
		pair("CSLDSBankConflict", "SQ", of(localMemory), compute(func(m ms, d dv) float64 {
			return m.busy[localMemory] * m.shape.conflicts * d.rate[localMemory] / d.peak[localMemory] / 2
		})),
		pair("CSALUStalledByLDS", "SQ", of(localMemory), compute(func(m ms, d dv) float64 {
			// The clocks of all waves divided by the number of waves: those of a mean wave, which lives for a part of
			// the sample.
			life := float64(m.slots[0]) / float64(m.tokens)
			return m.span(m.o.queued[localMemory]) * life * .8
		})),
	)
	perWave := func(x func(m ms, d dv) float64) func(m ms, d dv) float64 {
		return compute(func(m ms, d dv) float64 { return part(x(m, d), waves(m)) })
	}
	for _, c := range []column{
		{name: "CSVALUInsts", of: of(arithmetic), value: perWave(func(m ms, d dv) float64 { return m.q.mainALU * m.done[arithmetic] })},
		{name: "CSVALUUtilization", of: of(arithmetic), value: compute(func(m ms, d dv) float64 { return 100 * m.shape.lanes })},
		{name: "CSSALUInsts", of: of(arithmetic), value: perWave(func(m ms, d dv) float64 { return m.q.mainALU * m.shape.scalar * m.done[arithmetic] })},
		{name: "CSVFetchInsts", of: of(loadStore), value: perWave(func(m ms, d dv) float64 {
			return m.q.loads*m.done[loadStore] + m.q.quads*m.done[texture]/8
		})},
		{name: "CSSFetchInsts", value: perWave(func(m ms, d dv) float64 { return m.q.mainALU * m.shape.scalar * .15 * m.done[arithmetic] })},
		{name: "CSVWriteInsts", of: of(loadStore), value: perWave(func(m ms, d dv) float64 { return m.q.stores * m.done[loadStore] })},
		{name: "CSLDSInsts", of: of(localMemory), value: perWave(func(m ms, d dv) float64 {
			return m.q.by[localMemory] * (1 - m.shape.conflicts) / 2 * m.done[localMemory]
		})},
		{name: "CSGDSInsts", value: func(m ms, d dv) float64 { return 0 }},
		{name: "VsGsVALUInstCount", of: of(arithmetic), value: func(m ms, d dv) float64 {
			if m.tess {
				return 0
			}
			return part(m.q.vertexALU, m.q.vertexWaves)
		}},
		{name: "VsGsSALUInstCount", value: func(m ms, d dv) float64 {
			if m.tess {
				return 0
			}
			return part(m.q.vertexALU, m.q.vertexWaves) * m.shape.scalar
		}},
	} {
		c.group, c.form, c.only = "SQinsts", ratio, "gfx103"
		all = append(all, c)
	}
	tri := func(m ms) float64 { return m.q.quads * (1 - m.shape.bilinear) * m.done[texture] * 4 }
	bi := func(m ms) float64 { return m.q.quads * m.shape.bilinear * m.done[texture] * 4 }
	t := of(texture)
	add([]column{
		{name: "TexTriFilteringPct", group: "TAfilter", form: ratio, of: t, value: func(m ms, d dv) float64 { return 100 * part(tri(m), tri(m)+bi(m)) }},
		{name: "TexTriFilteringCount", group: "TAfilter", of: t, value: func(m ms, d dv) float64 { return tri(m) }},
		{name: "NoTexTriFilteringCount", group: "TAfilter", of: t, value: func(m ms, d dv) float64 { return bi(m) }},
		{name: "TexVolFilteringPct", group: "TAfilter", form: ratio, of: t, value: func(m ms, d dv) float64 { return 100 * m.shape.volumes * sign(m.q.quads) }},
		{name: "TexVolFilteringCount", group: "TAfilter", of: t, value: func(m ms, d dv) float64 { return (tri(m) + bi(m)) * m.shape.volumes }},
		{name: "NoTexVolFilteringCount", group: "TAfilter", of: t, value: func(m ms, d dv) float64 { return (tri(m) + bi(m)) * (1 - m.shape.volumes) }},
		{name: "TexAveAnisotropy", group: "TAfilter", form: ratio, of: t, value: func(m ms, d dv) float64 { return m.shape.aniso * sign(m.q.quads) }},
	})
	code := func(m ms) float64 { return (m.q.mainALU + m.q.vertexALU) * m.done[arithmetic] }
	add(
		hits("InstCache", "SQC", "", func(m ms, d dv) float64 { return code(m) * .2 }, func(m ms, d dv) float64 { return code(m) * .2 * .004 }),
		hits("ScalarCache", "SQC", "", func(m ms, d dv) float64 { return code(m) * m.shape.scalar * .15 }, func(m ms, d dv) float64 { return code(m) * m.shape.scalar * .15 * .03 }),
		hits("L0Cache", "TCP", "", func(m ms, d dv) float64 { return m.q.l0 * m.done[cache] }, func(m ms, d dv) float64 { return m.q.l0Miss * m.done[cache] }),
		hits("L1Cache", "GL1C", "", func(m ms, d dv) float64 { return m.q.l0Miss * m.done[cache] }, func(m ms, d dv) float64 { return m.q.l1Miss * m.done[cache] }),
		hits("L2Cache", "GL2C", "", func(m ms, d dv) float64 { return m.q.l2 * m.done[cache] }, func(m ms, d dv) float64 { return m.q.l2Miss * m.done[cache] }),
		[]column{{name: "L2CacheMiss", group: "GL2C", form: ratio, of: of(cache), value: func(m ms, d dv) float64 { return 100 * part(m.q.l2Miss, m.q.l2) }}},
	)
	for i, name := range []string{"Read", "Write", "Atomic"} {
		all = append(all, column{name: "L0TagConflict" + name + "StalledCycles", group: "TCP", form: cycles, value: func(m ms, d dv) float64 {
			return m.busy[loadStore] * []float64{.02, .01, 0}[i]
		}})
	}
	b := of(bandwidth)
	add(
		counted("FetchSize", "GL2C", b, func(m ms, d dv) float64 { return m.q.read * m.done[bandwidth] }),
		counted("WriteSize", "GL2C", b, func(m ms, d dv) float64 { return m.q.written * m.done[bandwidth] }),
		pair("MemUnitBusy", "TA", of(loadStore, texture), func(m ms, d dv) float64 { return m.address }),
		pair("MemUnitStalled", "TCP", of(bandwidth, cache, latency), func(m ms, d dv) float64 { return m.held }),
		pair("WriteUnitStalled", "GL2C", b, func(m ms, d dv) float64 {
			return m.span(m.o.queued[bandwidth]) * part(m.q.written, m.q.read+m.q.written) * .6
		}),
		counted("LocalVidMemBytes", "GCEA", b, func(m ms, d dv) float64 { return (m.q.read + m.q.written) * m.done[bandwidth] * .995 }),
		counted("PcieBytes", "GCEA", b, func(m ms, d dv) float64 { return (m.q.read + m.q.written) * m.done[bandwidth] * .002 }),
	)
	rays := func(m ms) float64 { return m.shape.rays * m.q.loads * m.done[loadStore] }
	add(
		counted("RayTriTests", "TD", nil, func(m ms, d dv) float64 { return rays(m) * .2 }),
		counted("RayBoxTests", "TD", nil, func(m ms, d dv) float64 { return rays(m) * .8 }),
		counted("TotalRayTests", "TD", nil, func(m ms, d dv) float64 { return rays(m) }),
		counted("RayTestsPerWave", "TD", nil, func(m ms, d dv) float64 { return rays(m) / 32 }),
	)
	return all
}

// tells reports whether a counter tells of one of the candidates directly.
func tells(of []class, withheld []simulate.Candidate) bool {
	return slices.ContainsFunc(of, func(c class) bool { return slices.Contains(withheld, candidates[c]) })
}
