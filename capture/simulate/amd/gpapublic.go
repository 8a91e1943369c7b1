package amd

import (
	"slices"
	"strings"

	"astrolabe/capture/simulate"
)

// gpaRuns is how many times the frame is drawn.
const gpaRuns = 4

// counter is a public counter, with the run that measures it: blocks have few counters, so that those of different
// blocks are measured together and those of one block in several runs.
type counter struct {
	name, unit string
	run        int
	value      func(m *measurement) float64
	tells      []string // candidates that it tells of
}

func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// public are the counters for D3D12 and Vulkan. The first gives the samples their length.
var public = slices.Concat([]counter{
	{"GPUTime", "ms", 0, func(m *measurement) float64 { return m.time / 1e6 }, nil},
	{"GPUBusy", "percent", 0, func(m *measurement) float64 { return m.percent(m.time) }, nil},
	{"GPUBusyCycles", "cycles", 0, func(m *measurement) float64 { return m.clocks(m.time) }, nil},
	{"TessellatorBusy", "percent", 0, func(m *measurement) float64 {
		return m.percent(0.2 * m.p.Shape.Hull * m.by[vertices][unitFetch])
	}, nil},
	{"PrimitiveAssemblyBusy", "percent", 0, func(m *measurement) float64 { return m.percent(m.served[unitAssembly]) },
		[]string{"unit/primitive_assembly"}},
	{"PrimitiveAssemblyBusyCycles", "cycles", 0, func(m *measurement) float64 {
		return m.clocks(m.served[unitAssembly])
	}, []string{"unit/primitive_assembly"}},
	{"TexUnitBusy", "percent", 1, func(m *measurement) float64 { return m.percent(m.in(unitTexture, unitLoadStore)) },
		[]string{"unit/texture", "unit/load_store"}},
	{"TexUnitBusyCycles", "cycles", 1, func(m *measurement) float64 {
		return m.clocks(m.in(unitTexture, unitLoadStore))
	}, []string{"unit/texture", "unit/load_store"}},
	{"DepthStencilTestBusy", "percent", 2, func(m *measurement) float64 { return m.percent(m.in(unitDepth)) },
		[]string{"unit/depth"}},
	{"DepthStencilTestBusyCount", "cycles", 2, func(m *measurement) float64 { return m.clocks(m.in(unitDepth)) },
		[]string{"unit/depth"}},
	{"VSVerticesIn", "items", 1, func(m *measurement) float64 { return m.items(m.c.vertices) }, nil},
	{"HSPatches", "items", 1, func(m *measurement) float64 { return m.items(m.c.vertices * m.p.Shape.Hull / 3) }, nil},
	{"PrimitivesIn", "items", 1, func(m *measurement) float64 { return m.items(m.c.primitives) }, nil},
	{"CulledPrims", "items", 1, func(m *measurement) float64 { return m.items(m.c.culled) }, nil},
	{"ClippedPrims", "items", 1, func(m *measurement) float64 { return m.items(m.c.clipped) }, nil},
	{"PAStalledOnRasterizer", "percent", 1, func(m *measurement) float64 { return m.percent(m.assemblyHeld()) },
		[]string{"unit/rasterizer"}},
	{"PAStalledOnRasterizerCycles", "cycles", 1, func(m *measurement) float64 { return m.clocks(m.assemblyHeld()) },
		[]string{"unit/rasterizer"}},
	{"PSPixelsOut", "items", 3, func(m *measurement) float64 { return m.items(m.c.pixels) }, nil},
	{"PSExportStalls", "percent", 3, func(m *measurement) float64 { return m.percent(m.exportHeld()) },
		[]string{"unit/pixel_backend"}},
	{"PSExportStallsCycles", "cycles", 3, func(m *measurement) float64 { return m.clocks(m.exportHeld()) },
		[]string{"unit/pixel_backend"}},
	{"TexTriFilteringPct", "percent", 2, func(m *measurement) float64 {
		return 100 * min(1, m.served[unitTexture]) * m.p.Shader.Trilinear
	}, nil},
	{"TexAveAnisotropy", "", 2, func(m *measurement) float64 {
		if m.served[unitTexture] <= 0 {
			return 0 // GPA makes 0 of a division by the samples that there are not
		}
		return 1 + m.p.Shader.Wide
	}, nil},
	{"HiZTilesAccepted", "percent", 3, func(m *measurement) float64 {
		if m.c.quads <= 0 {
			return 0
		}
		return 100 - m.coarse()
	}, nil},
	{"HiZQuadsCulled", "percent", 3, func(m *measurement) float64 { return m.coarse() }, nil},
	{"PreZQuadsCulled", "percent", 3, func(m *measurement) float64 {
		return 100 * ratio(m.c.killed, m.c.quads) * (1 - m.p.Shape.CoarseZ)
	}, nil},
	{"PostZQuads", "percent", 3, func(m *measurement) float64 {
		return 100 * ratio(m.c.quads-m.c.tested, m.c.quads)
	}, nil},
	{"PreZSamplesPassing", "items", 2, func(m *measurement) float64 {
		return m.items(4 * (m.c.tested - m.c.killed))
	}, nil},
	{"PreZSamplesFailingZ", "items", 2, func(m *measurement) float64 { return m.items(4 * m.c.killed) }, nil},
	{"PreZSamplesFailingS", "items", 2, func(*measurement) float64 { return 0 }, nil},
	{"PostZSamplesPassing", "items", 2, func(m *measurement) float64 {
		return m.items(4 * (m.c.quads - m.c.tested) * (1 - m.p.Shape.LateKill))
	}, nil},
	{"PostZSamplesFailingZ", "items", 2, func(m *measurement) float64 {
		return m.items(4 * (m.c.quads - m.c.tested) * m.p.Shape.LateKill)
	}, nil},
	{"PostZSamplesFailingS", "items", 2, func(*measurement) float64 { return 0 }, nil},
	{"ZUnitStalled", "percent", 2, func(m *measurement) float64 { return m.percent(m.depthHeld()) },
		[]string{"unit/pixel_backend"}},
	{"ZUnitStalledCycles", "cycles", 2, func(m *measurement) float64 { return m.clocks(m.depthHeld()) },
		[]string{"unit/pixel_backend"}},
	{"DBMemRead", "bytes", 2, func(m *measurement) float64 { return m.items(m.c.depthRead) },
		[]string{"memory/bandwidth"}},
	{"DBMemWritten", "bytes", 2, func(m *measurement) float64 { return m.items(m.c.depth) },
		[]string{"memory/bandwidth"}},
	{"CBMemRead", "bytes", 3, func(m *measurement) float64 { return m.items(m.c.colourRead) },
		[]string{"memory/bandwidth"}},
	{"CBMemWritten", "bytes", 3, func(m *measurement) float64 { return m.items(m.c.colour) },
		[]string{"memory/bandwidth"}},
	{"CBSlowPixelPct", "percent", 3, func(m *measurement) float64 {
		if m.p.Shape.PixelSize >= 8 && m.c.pixels > 0 {
			return 100
		}
		return 0
	}, nil},
	{"CBSlowPixelCount", "items", 3, func(m *measurement) float64 {
		if m.p.Shape.PixelSize >= 8 {
			return m.items(m.c.pixels)
		}
		return 0
	}, nil},
}, stageCounters("VS", vertices), stageCounters("PS", pixels), stageCounters("HS", none), stageCounters("GS", none),
	[]counter{
		{"CSBusy", "percent", 0, func(m *measurement) float64 { return m.percent(m.held[groups]) }, nil},
		{"CSBusyCycles", "cycles", 0, func(m *measurement) float64 { return m.clocks(m.held[groups]) }, nil},
		{"CSTime", "ms", 0, func(m *measurement) float64 { return m.held[groups] / 1e6 }, nil},
		{"CSThreadGroups", "items", 0, func(m *measurement) float64 {
			return m.items(m.c.waves[groups] * 64 / float64(m.p.Shader.GroupSize))
		}, nil},
		{"CSWavefronts", "items", 0, func(m *measurement) float64 { return m.items(m.c.waves[groups]) }, nil},
		{"CSThreads", "items", 1, func(m *measurement) float64 {
			return m.items(m.c.waves[groups] * 64 * m.p.Shader.Filled)
		}, nil},
		{"CSVALUInsts", "items", 1, func(m *measurement) float64 { return m.each(groups, m.c.vector[groups]) },
			[]string{"unit/arithmetic"}},
		{"CSSALUInsts", "items", 1, func(m *measurement) float64 { return m.each(groups, m.c.scalar[groups]) }, nil},
		{"CSVALUUtilization", "percent", 1, func(m *measurement) float64 {
			return 100 * ratio(m.c.waves[groups], m.c.waves[groups]) * (1 - 0.5*m.p.Shader.Diverged)
		}, nil},
		{"CSVALUBusy", "percent", 2, func(m *measurement) float64 { return m.percent(m.vector(groups)) },
			[]string{"unit/arithmetic"}},
		{"CSVALUBusyCycles", "cycles", 2, func(m *measurement) float64 { return m.clocks(m.vector(groups)) },
			[]string{"unit/arithmetic"}},
		{"CSSALUBusy", "percent", 2, func(m *measurement) float64 { return m.percent(m.scalar(groups)) }, nil},
		{"CSVFetchInsts", "items", 2, func(m *measurement) float64 { return m.each(groups, m.c.fetches) },
			[]string{"unit/load_store"}},
		{"CSVWriteInsts", "items", 2, func(m *measurement) float64 { return m.each(groups, m.c.stores) },
			[]string{"unit/load_store"}},
		{"CSLDSInsts", "items", 3, func(m *measurement) float64 { return m.each(groups, m.c.local) },
			[]string{"unit/local_memory"}},
		{"CSLDSBankConflict", "percent", 3, func(m *measurement) float64 {
			return m.percent(m.by[groups][unitLocal] * m.p.Shader.Conflicts)
		}, []string{"unit/local_memory"}},
		{"CSALUStalledByLDS", "percent", 3, func(m *measurement) float64 { return m.compute(m.wait(unitLocal)) },
			[]string{"unit/local_memory"}},
		{"CSMemUnitBusy", "percent", 1, func(m *measurement) float64 {
			return m.compute(m.in(unitTexture, unitLoadStore))
		}, []string{"unit/load_store"}},
		{"CSMemUnitBusyCycles", "cycles", 1, func(m *measurement) float64 {
			return m.clocks(m.in(unitTexture, unitLoadStore))
		}, []string{"unit/load_store"}},
		{"CSMemUnitStalled", "percent", 3, func(m *measurement) float64 { return m.compute(m.dataHeld()) },
			[]string{"memory/cache", "memory/latency"}},
		{"CSMemUnitStalledCycles", "cycles", 3, func(m *measurement) float64 { return m.clocks(m.dataHeld()) },
			[]string{"memory/cache", "memory/latency"}},
		{"CSWriteUnitStalled", "percent", 0, func(m *measurement) float64 { return m.compute(m.writesHeld()) },
			[]string{"memory/bandwidth"}},
		{"CSWriteUnitStalledCycles", "cycles", 0, func(m *measurement) float64 { return m.clocks(m.writesHeld()) },
			[]string{"memory/bandwidth"}},
		{"CSFetchSize", "KiB", 1, func(m *measurement) float64 { return m.size(m.c.reads) },
			[]string{"memory/bandwidth"}},
		{"CSWriteSize", "KiB", 1, func(m *measurement) float64 { return m.size(m.c.writes) },
			[]string{"memory/bandwidth"}},
		{"CSL1CacheHit", "percent", 2, func(m *measurement) float64 {
			return 100 * ratio(m.c.accesses-m.c.requests, m.c.accesses)
		}, []string{"memory/cache"}},
	}, cacheCounters("CSL2Cache"), cacheCounters("CSCache"))

// published reports whether GPA has the counter on a generation: on GFX8 L2 is the only data cache that it tells of.
func (c *counter) published(generation int) bool {
	switch {
	case strings.HasPrefix(c.name, "CSL1Cache"), strings.HasPrefix(c.name, "CSL2Cache"):
		return generation >= 9
	case strings.HasPrefix(c.name, "CSCache"):
		return generation < 9
	}
	return true
}

// cacheCounters are the counters of L2, whose names differ by generation.
func cacheCounters(cache string) []counter {
	tells := []string{"memory/cache"}
	return []counter{
		{cache + "Hit", "percent", 2, func(m *measurement) float64 {
			if m.p.Groups == nil {
				return 0
			}
			return 100 * ratio(m.c.hits, m.c.hits+m.c.misses)
		}, tells},
		{cache + "HitCount", "items", 2, func(m *measurement) float64 { return m.items(m.c.hits) }, tells},
		{cache + "MissCount", "items", 2, func(m *measurement) float64 { return m.items(m.c.misses) }, tells},
	}
}

// none is the kind of streams that no pass has: hull and geometry shaders are not told from vertex shaders.
const none = kind(99)

// stageCounters are the counters that each stage of a draw has.
func stageCounters(stage string, k kind) []counter {
	of := func(value func(m *measurement) float64) func(m *measurement) float64 {
		if k == none {
			return func(*measurement) float64 { return 0 }
		}
		return value
	}
	arithmetic := []string{"unit/arithmetic"}
	return []counter{
		{stage + "Busy", "percent", 0, of(func(m *measurement) float64 { return m.percent(m.held[k]) }), nil},
		{stage + "BusyCycles", "cycles", 0, of(func(m *measurement) float64 { return m.clocks(m.held[k]) }), nil},
		{stage + "Time", "ms", 0, of(func(m *measurement) float64 { return m.held[k] / 1e6 }), nil},
		{stage + "VALUBusy", "percent", 1, of(func(m *measurement) float64 {
			return m.percent(m.vector(k))
		}), arithmetic},
		{stage + "VALUBusyCycles", "cycles", 1, of(func(m *measurement) float64 { return m.clocks(m.vector(k)) }),
			arithmetic},
		{stage + "VALUInstCount", "items", 2, of(func(m *measurement) float64 { return m.each(k, m.c.vector[k]) }),
			arithmetic},
		{stage + "SALUBusy", "percent", 1, of(func(m *measurement) float64 { return m.percent(m.scalar(k)) }), nil},
		{stage + "SALUBusyCycles", "cycles", 1, of(func(m *measurement) float64 { return m.clocks(m.scalar(k)) }), nil},
		{stage + "SALUInstCount", "items", 2, of(func(m *measurement) float64 {
			return m.each(k, m.c.scalar[k])
		}), nil},
	}
}

// scalar is the time in which the scalar units worked for a kind of waves: a compute unit has one for its four SIMDs.
func (m *measurement) scalar(k kind) float64 {
	return min(m.cores, m.vector(k)*ratio(m.c.scalar[k], m.c.vector[k]))
}

// each is a count for each wave.
func (m *measurement) each(k kind, x float64) float64 { return ratio(x, m.c.waves[k]) }

// compute is a time as a share where the row is a dispatch, else 0. GPA's programs do so for shares alone: those for
// cycles and counts, and for the hits of L1, give what the blocks count, whatever shaders or fixed functions cause it.
func (m *measurement) compute(ns float64) float64 {
	if m.p.Groups == nil {
		return 0
	}
	return m.percent(ns)
}

// size is so many bytes that passed between L2 and memory, in KiB. The programs for GFX8 give it for dispatches alone.
// Those for GFX9 mean to as well, but look whether L2 counts reads of 32 bytes or writes of 64 where they should look
// for work groups; hardly a draw has neither.
func (m *measurement) size(bytes float64) float64 {
	if m.p.Groups == nil && m.d.model.generation < 9 {
		return 0
	}
	return m.items(bytes) / 1024
}

// coarse is the share of quads, in percent, that whole tiles of depth reject.
func (m *measurement) coarse() float64 { return 100 * ratio(m.c.killed, m.c.quads) * m.p.Shape.CoarseZ }

// assemblyHeld is the time in which triangles waited for the scan converter.
func (m *measurement) assemblyHeld() float64 {
	return m.span(simulate.StreamSpan(queueGraphics, 0, simulate.StreamHeld))
}

// exportHeld is the time in which pixels waited for the depth and colour blocks behind the shaders.
func (m *measurement) exportHeld() float64 { return m.wait(unitColour) }

// depthHeld is the time in which the depth blocks waited for the colour blocks.
func (m *measurement) depthHeld() float64 { return 0.7 * m.wait(unitColour) }

// dataHeld is the time in which the L1 caches waited for data.
func (m *measurement) dataHeld() float64 {
	return min(m.busy, 0.8*m.wait(unitCache)+0.6*m.wait(simulate.UnitBandwidth)+0.4*m.wait(simulate.UnitLatency))
}

// writesHeld is the time in which writes of L2 waited for memory.
func (m *measurement) writesHeld() float64 {
	return m.wait(simulate.UnitBandwidth) * ratio(m.c.writes, m.c.traffic)
}

// gpaCounters are the counters that tell of a candidate.
func gpaCounters(c simulate.Candidate) (out []string) {
	for i := range public {
		if slices.Contains(public[i].tells, c.String()) {
			out = append(out, public[i].name)
		}
	}
	return out
}
