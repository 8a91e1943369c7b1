package amd

import (
	"math"
	"strings"
)

// publics are the public counters of the generation, in groups as AMD's manual has them.
var publics = func() (list []public) {
	list = items(list, inTiming, "GPUTime", "ns", func(x *row) float64 { return x.time })
	list = items(list, inTiming, "ExecutionDuration", "ns", func(x *row) float64 { return x.exec })
	list = items(list, inTiming, "ExecutionStart", "ns", func(x *row) float64 { return x.at })
	list = items(list, inTiming, "ExecutionEnd", "ns", func(x *row) float64 { return x.at + x.exec })
	list = append(list,
		public{"GPUBusy", "percent", inTiming, false, func(x *row, _ repeat) float64 { return ratio100(x.w.clocks, x.w.always) }},
		public{"GPUBusyCycles", "cycles", inTiming, false, func(x *row, p repeat) float64 { return x.w.clocks * p.time }})

	// Shaders, as the shader processor's input sees them: something of theirs is resident.
	for _, s := range []struct {
		name   string
		clocks func(x *row) float64
	}{
		{"VsGs", drawn(func(x *row) float64 { return x.w.vertexBusy })},
		{"PS", drawn(func(x *row) float64 { return x.w.mainBusy })},
		{"CS", threads(func(x *row) float64 { return x.w.mainBusy })},
	} {
		list = busy(list, inSPI, s.name+"Busy", s.clocks)
		list = append(list, public{s.name + "Time", "ns", inSPI, false, func(x *row, p repeat) float64 {
			return x.percent(p, s.clocks(x)) / 100 * x.time
		}})
	}
	list = items(list, inSQ, "VsGsVALUInstCount", "items", drawn(func(x *row) float64 { return x.d.vertex.valu + x.d.vertex.trans }))
	list = items(list, inSQ, "VsGsSALUInstCount", "items", drawn(func(x *row) float64 { return x.d.vertex.salu }))
	list = items(list, inSPI, "GSVerticesOut", "items", func(x *row) float64 { return x.n.verts })
	list = items(list, inSX, "PSPixelsOut", "items", func(x *row) float64 { return x.n.pixels })
	list = busy(list, inSX, "PSExportStalls", func(x *row) float64 { return x.w.exportWait })

	// Primitives. AMD's definition of the busy one takes off the clocks in which the rasterizer holds the unit up and
	// those in which it hands a primitive on: the rest is what is culled, clipped and waited for.
	list = items(list, inPA, "PrimitivesIn", "items", func(x *row) float64 { return x.n.prims })
	list = items(list, inPA, "CulledPrims", "items", func(x *row) float64 { return x.n.culled })
	list = items(list, inPA, "ClippedPrims", "items", func(x *row) float64 { return x.n.clipped })
	list = busy(list, inPA, "PrimitiveAssemblyBusy", func(x *row) float64 {
		return math.Max(0, x.w.clip-x.w.stalledOnRaster-x.w.outPrims)
	})
	list = busy(list, inPA, "PAStalledOnRasterizer", func(x *row) float64 { return x.w.stalledOnRaster })

	dispatch := func(name string, of func(p *program) float64) {
		list = items(list, inSQ, name, "items", threads(func(x *row) float64 { return of(&x.d.main) }))
	}
	dispatch("CSVALUInsts", func(p *program) float64 { return p.valu + p.trans })
	dispatch("CSSALUInsts", func(p *program) float64 { return p.salu })
	dispatch("CSSFetchInsts", func(p *program) float64 { return p.smem })
	dispatch("CSVFetchInsts", func(p *program) float64 { return p.samples + p.loads })
	dispatch("CSVWriteInsts", func(p *program) float64 { return p.stores + p.atomics })
	dispatch("CSLDSInsts", func(p *program) float64 { return p.local })
	dispatch("CSThreadGroupSize", func(p *program) float64 { return p.group * p.lanes })
	list = items(list, inSQ, "CSVALUUtilization", "percent", threads(func(x *row) float64 { return 100 * x.d.main.active }))
	list = items(list, inSPI, "CSThreadGroupsLaunched", "items", func(x *row) float64 { return x.n.groups })
	list = items(list, inSPI, "CSWavefrontsLaunched", "items", threads(func(x *row) float64 { return x.n.waves }))
	list = items(list, inSQ, "CSThreadsLaunched", "items", func(x *row) float64 { return x.n.threads })
	list = busy(list, inSQ, "CSALUStalledByLDS", threads(func(x *row) float64 { return x.w.ldsWait }))
	list = append(list, public{"CSALUStalledByLDSPerWave", "percent", inSQ, true, func(x *row, p repeat) float64 {
		level := x.o.resident[ofMain] * x.m.clock / 1e9 // waves times clocks, as the hardware adds the level up
		if !x.d.compute || level <= 0 {
			return 0
		}
		return x.percent(p, x.w.ldsWait*x.n.waves/level)
	}})
	list = busy(list, inSQC, "CSLDSBankConflict", threads(func(x *row) float64 {
		p := &x.d.main
		return x.n.waves * p.local * p.lanes / simdLanes * (p.bank - 1) / (2 * x.m.units)
	}))

	// Two names for the same counter of the hardware.
	for _, name := range []string{"TexUnitBusy", "MemUnitBusy"} {
		list = busy(list, inTA, name, func(x *row) float64 { return x.w.pipe })
	}
	list = busy(list, inTCP, "MemUnitStalled", func(x *row) float64 { return x.w.pipeStalled })
	list = items(list, inTCP, "L0TagConflictReadStalledCycles", "cycles", func(x *row) float64 { return math.Round(x.w.tags) })
	list = items(list, inTA, "TexTriFilteringCount", "items", func(x *row) float64 { return 4 * x.n.double })
	list = items(list, inTA, "NoTexTriFilteringCount", "items", func(x *row) float64 { return 4 * x.n.single })
	list = items(list, inTA, "TexTriFilteringPct", "percent", func(x *row) float64 { return ratio100(x.n.double, x.n.single+x.n.double) })
	list = items(list, inTA, "TexVolFilteringCount", "items", func(x *row) float64 { return 4 * x.n.doubleVolume })
	list = items(list, inTA, "NoTexVolFilteringCount", "items", func(x *row) float64 { return 4 * x.n.singleVolume })
	list = items(list, inTA, "TexVolFilteringPct", "percent", func(x *row) float64 {
		return ratio100(x.n.doubleVolume, x.n.singleVolume+x.n.doubleVolume)
	})
	list = items(list, inTA, "TexAveAnisotropy", "", func(x *row) float64 {
		if x.n.single+x.n.double == 0 {
			return 0
		}
		return math.Min(16, x.d.main.aniso)
	})

	list = hits(list, inTCP, "L0Cache", func(x *row) (float64, float64) { return x.n.l0, x.n.miss0 })
	list = hits(list, inGL1, "L1Cache", func(x *row) (float64, float64) { return x.n.l1, math.Min(x.n.l1, x.n.miss1) })
	list = hits(list, inGL2, "L2Cache", func(x *row) (float64, float64) { return x.n.l2, x.n.miss2 })
	list = append(list, public{"L2CacheMiss", "percent", inGL2, false, func(x *row, p repeat) float64 {
		return ratio100(math.Min(x.n.l2, math.Round(x.n.miss2*p.ratio)), x.n.l2)
	}})
	list = hits(list, inSQC, "InstCache", func(x *row) (float64, float64) {
		return x.n.instHits + x.n.instMisses, x.n.instMisses
	})
	list = hits(list, inSQC, "ScalarCache", func(x *row) (float64, float64) {
		return x.n.scalarHits + x.n.scalarMisses, x.n.scalarMisses
	})
	list = items(list, inGL2, "FetchSize", "bytes", func(x *row) float64 { return x.n.fetched })
	list = items(list, inGL2, "WriteSize", "bytes", func(x *row) float64 { return x.n.written })
	list = items(list, inGL2, "LocalVidMemBytes", "bytes", func(x *row) float64 { return x.n.fetched + x.n.written })
	list = busy(list, inGL2, "WriteUnitStalled", func(x *row) float64 { return x.w.refused })

	list = append(list, tests()...)
	for _, l := range []struct {
		name    string
		class   int
		by      int
		compute bool
	}{{"CSLimitedByVgpr", ofMain, byRegisters, true}, {"CSLimitedByLds", ofMain, byLocal, true},
		{"PSLimitedByVgpr", ofMain, byRegisters, false}, {"ESGSLimitedByVgpr", ofVertices, byRegisters, false},
		{"ESGSLimitedByLds", ofVertices, byLocal, false}} {
		list = append(list, public{l.name, "percent", inSPI, true, limitedBy(l.class, l.by, l.compute)})
	}
	list = append(list,
		public{"VSLimitedByExport", "percent", inSX, true, func(x *row, p repeat) float64 {
			return x.percent(p, x.o.full[stVertex]*x.m.clock/1e9)
		}},
		public{"WaveOccupancyPct", "percent", inSQ, true, func(x *row, p repeat) float64 {
			return ratio100(x.o.resident[0]+x.o.resident[1], x.o.flow*2*x.m.units*mostWaves)
		}})
	for _, z := range nothing {
		for _, name := range strings.Fields(z.names) {
			of := func(*row, repeat) float64 { return 0 }
			if z.unit == "12" {
				list = append(list, public{name, "percent", inSPI, true, of})
				continue
			}
			list = append(list, public{name, z.unit, inSPI, false, of})
		}
	}
	return list
}()

// tests are the counters of the depth tests and the color blocks.
func tests() (list []public) {
	add := func(name, unit string, of func(n *counts) float64) {
		list = items(list, inDB, name, unit, func(x *row) float64 { return of(&x.n) })
	}
	add("HiZTilesAccepted", "percent", func(n *counts) float64 { return ratio100(n.tiles-n.tilesCulled, n.tiles) })
	add("HiZTilesAcceptedCount", "items", func(n *counts) float64 { return n.tiles - n.tilesCulled })
	add("HiZTilesRejectedCount", "items", func(n *counts) float64 { return n.tilesCulled })
	add("PreZTilesDetailCulled", "percent", func(n *counts) float64 { return ratio100(n.tilesKilled, n.tiles) })
	add("PreZTilesDetailCulledCount", "items", func(n *counts) float64 { return n.tilesKilled })
	add("PreZTilesDetailSurvivingCount", "items", func(n *counts) float64 { return n.tiles }) // as AMD's program has it
	add("HiZQuadsAcceptedCount", "items", func(n *counts) float64 { return n.hiz })
	add("HiZQuadsCulled", "percent", func(n *counts) float64 { return ratio100(n.quads-n.hiz, n.quads) })
	add("HiZQuadsCulledCount", "items", func(n *counts) float64 { return n.quads - n.hiz })
	add("PreZQuadsCulled", "percent", func(n *counts) float64 { return ratio100(n.hiz-n.tested, n.quads) })
	add("PreZQuadsCulledCount", "items", func(n *counts) float64 { return n.hiz - n.tested })
	add("PreZQuadsSurvivingCount", "items", func(n *counts) float64 { return n.tested })
	add("PostZQuads", "percent", func(n *counts) float64 { return ratio100(n.tested, n.quads) })
	add("PostZQuadCount", "items", func(n *counts) float64 { return n.tested })
	for _, late := range []bool{false, true} {
		prefix := "PreZSamples"
		if late {
			prefix = "PostZSamples"
		}
		when := func(of func(n *counts) float64) func(x *row) float64 {
			return func(x *row) float64 {
				if x.d.late != late {
					return 0
				}
				return of(&x.n)
			}
		}
		list = items(list, inDB, prefix+"Passing", "items", when(func(n *counts) float64 { return n.passing }))
		list = items(list, inDB, prefix+"FailingS", "items", when(func(n *counts) float64 { return n.failingS }))
		list = items(list, inDB, prefix+"FailingZ", "items", when(func(n *counts) float64 { return n.failing }))
	}
	list = busy(list, inDB, "DepthStencilTestBusy", func(x *row) float64 { return x.w.test })
	list = busy(list, inDB, "ZUnitStalled", func(x *row) float64 { return x.w.colorWait })
	add("DBMemRead", "bytes", func(n *counts) float64 { return n.depthRead })
	add("DBMemWritten", "bytes", func(n *counts) float64 { return n.depthWritten })
	add("CBMemRead", "bytes", func(n *counts) float64 { return n.colorRead })
	add("CBMemWritten", "bytes", func(n *counts) float64 { return n.colorWritten })
	add("CBColorAndMaskRead", "bytes", func(n *counts) float64 { return n.maskRead })
	add("CBColorAndMaskWritten", "bytes", func(n *counts) float64 { return n.maskWritten })
	list = items(list, inSX, "CBSlowPixelCount", "items", func(x *row) float64 { return math.Round(x.n.tested * x.d.slow) })
	list = items(list, inSX, "CBSlowPixelPct", "percent", func(x *row) float64 {
		return ratio100(math.Round(x.n.tested*x.d.slow), x.n.tested)
	})
	return list
}
