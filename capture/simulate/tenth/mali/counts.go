package mali

import "math"

// factor is how much a ns of a station's work counts.
type factor struct {
	at  int
	per float64
}

// factors are what the work of a pass counts, by leaf.
type factors struct {
	*layout
	of [servers + 1][]factor
}

// add is for counters of either layout: those that a GPU lacks are passed over.
func (f *factors) add(leaf int, name string, per float64) {
	if at, ok := f.find(name); ok && per > 0 {
		f.of[leaf] = append(f.of[leaf], factor{at, per})
	}
}

// factorsOf says what a pass counts.
func (m *machine) factorsOf(p *pass) *factors {
	f := &factors{layout: m.layout}
	t := &p.like
	cycle := m.maxHz / 1e9 // per ns at the highest clock
	cores := float64(m.cores)
	per := func(leaf int) float64 { return cycle * m.eff[leaf] * cores }
	frag := p.kind == shading

	x := per(arithmetic)
	pipes := m.pipes(t)
	f.add(arithmetic, "EngFMAInstr", x*pipes[0])
	f.add(arithmetic, "EngCVTInstr", x*pipes[1])
	f.add(arithmetic, "EngSFUInstr", x*pipes[2])
	f.add(arithmetic, "EngSlot1IssueCy", x*pipes[3])
	f.add(arithmetic, "EngSlotAnyIssueCy", x*(pipes[0]+pipes[1]+pipes[2]-pipes[3]))
	f.add(arithmetic, "EngNarrowInstr", x*(pipes[0]+pipes[1])*0.5*t.half)
	f.add(arithmetic, "EngDivergedInstr", x*t.diverged*(pipes[0]+pipes[1]+pipes[2]))
	f.add(arithmetic, "EngICacheMiss", x*2e-4)

	x = per(texture)
	f.add(texture, "TexFiltIssueCy", x)
	f.add(texture, "TexFullTriFiltCy", x*t.tri*0.6)
	f.add(texture, "TexFullBiFiltCy", x*(1-t.tri))
	f.add(texture, "TexOutMsg", x/t.msgCost)
	f.add(texture, "TexInBt", x/t.msgCost*1.1)
	f.add(texture, "TexOutBt", x/t.msgCost*1.05)
	f.add(texture, "TexDescStallCy", x*0.01)
	f.add(texture, "TexOutSingleMsg", x/t.msgCost*0.2)
	f.add(texture, "TexCacheLookupCy", x*(0.5+0.3*t.tri))
	f.add(texture, "TexCacheSimpleLoadCy", x*0.5*(1-t.tri))
	f.add(texture, "TexCacheComplexLoadCy", x*0.4*t.tri)
	f.add(texture, "TexL1CacheLookupCy", x*0.6)
	f.add(texture, "TexL1CacheOutputCy", x*0.55)
	f.add(texture, "TexL1CacheLoadCy", x*0.3)
	f.add(texture, "TexIndexCy", x*0.7)

	x = per(rayTracing)
	box, tri := x, x*0.45
	if !t.boxes {
		box, tri = x*0.5, x
	}
	f.add(rayTracing, "RTUBoxIssueCy", box)
	f.add(rayTracing, "RTUTriIssueCy", tri)
	f.add(rayTracing, "RTUBox", box*6)
	f.add(rayTracing, "RTUTri", tri*0.5)
	f.add(rayTracing, "RTURay", x/35)
	f.add(rayTracing, "RTUMiss", x/35*0.4)
	f.add(rayTracing, "RTUFirstHitTerm", x/35*0.25)
	f.add(rayTracing, "RTUOpaqueHit", x/35*0.6)
	f.add(rayTracing, "RTUNonOpaqueHit", x/35*0.1)
	for i, name := range []string{"Bin1", "Bin5", "Bin9", "Bin13"} {
		at := []float64{0.5 * (1 - t.coherent), 0.3 * (1 - t.coherent), 0.2*(1-t.coherent) + 0.3*t.coherent, 0.7 * t.coherent}[i]
		f.add(rayTracing, "RTUTri"+name, tri*0.5*at)
		f.add(rayTracing, "RTUBox"+name, box*at)
	}

	x = per(varying) * m.varyingSlots
	f.add(varying, "Var16IssueSlot", x*t.half)
	f.add(varying, "Var32IssueSlot", x*(1-t.half))
	f.add(varying, "VarInstr", x*0.4)

	x = per(loadStore)
	f.add(loadStore, "LSFullRd", x*t.readFull)
	f.add(loadStore, "LSPartRd", x*t.readPart)
	f.add(loadStore, "LSFullWr", x*t.writFull)
	f.add(loadStore, "LSPartWr", x*t.writPart)
	f.add(loadStore, "LSAtomic", x*max(0, 1-t.readFull-t.readPart-t.writFull-t.writPart))
	if p.kind == geometry {
		f.add(loadStore, "AttrInstr", x*0.3)
	}

	through := m.memory / 1e9 // bytes per ns
	written := through * t.writes
	switch {
	case frag:
		m.fragmentFactors(p, f, written)
	case p.kind == geometry:
		m.tilerFactors(p, f)
	default:
		warps := per(arithmetic) / 180
		f.add(arithmetic, "NonFragWarp", warps)
		f.add(arithmetic, "CoreFullWarp", warps*t.full)
		f.add(arithmetic, "CoreAllRegsWarp", warps*t.regs)
		f.add(arithmetic, "NonFragTask", warps/8)
		f.add(arithmetic, "NonFragQueueTask", warps/8)
		f.add(arithmetic, "CompQueueTask", warps/8)
	}

	l2 := cycle * m.eff[cache] * float64(m.slices) * cacheSlice // bytes per ns
	out := 0.7 * t.writes * l2
	in := l2 - out
	tex := t.texels
	if p.work[texture] < 0.02*p.work[cache] {
		tex = 0
	}
	front := 0.0
	if frag {
		front = 0.06
	}
	split := func(leaf int, bytes float64, where string) {
		f.add(leaf, "SCBusFFE"+where+"RdBt", bytes*front/16)
		f.add(leaf, "SCBusTex"+where+"RdBt", bytes*tex*0.9/16)
		f.add(leaf, "SCBusLS"+where+"RdBt", bytes*(1-tex*0.9-front-0.03)/16)
	}
	split(cache, in, "L2")
	f.add(cache, "SCBusOtherL2RdBt", in*0.03/16)
	f.add(cache, "L2CacheRd", in/line)
	f.add(cache, "L2CacheRdLookup", in/line)
	f.add(cache, "L2CacheWr", out/line)
	f.add(cache, "L2CacheWrLookup", out/line)
	f.add(cache, "L2CacheLookup", l2/line)
	f.add(cache, "L2CacheL1Wr", out/line*0.05)
	f.add(cache, "L2CacheL1Rd", in/line*0.03)
	f.add(cache, "MMULookup", l2/line*0.02)
	f.add(cache, "MMUL3Rd", l2/line*0.02*(1-t.hit))
	f.add(cache, "MMUL3Hit", l2/line*0.02*t.hit*0.8)
	f.add(cache, "MMUL2Rd", l2/line*0.004*(1-t.hit))
	f.add(cache, "MMUL2Hit", l2/line*0.02*t.hit*0.2)
	tiles := 0.0 // bytes of tiles per ns of the cache's work
	if frag && p.work[cache] > 0 {
		tiles = min(0.95*out, m.tileBytes(p, written)/p.work[cache])
	}
	f.add(cache, "SCBusLSWBWrBt", (out-tiles)*0.8/16)
	f.add(cache, "SCBusLSOtherWrBt", (out-tiles)*0.2/16)

	read := through - written
	split(bandwidth, read*0.97, "Ext")
	f.add(bandwidth, "ExtBusRdBt", read/beat)
	f.add(bandwidth, "ExtBusRd", read/line*1.04)
	f.add(bandwidth, "ExtBusRdNoSnoop", read/line*0.9)
	f.add(bandwidth, "ExtBusRdUnique", read/line*0.02)
	f.add(bandwidth, "ExtBusWrBt", written/beat)
	f.add(bandwidth, "ExtBusWr", written/line*1.1)
	f.add(bandwidth, "ExtBusWrNoSnoopFull", written/line*0.8)
	f.add(bandwidth, "ExtBusWrNoSnoopPart", written/line*0.12)
	f.add(bandwidth, "ExtBusWrSnoopFull", written/line*0.1)
	f.add(bandwidth, "ExtBusWrSnoopPart", written/line*0.02)
	return f
}

// pixelsOf is how many pixels a ns of the rasterizer's work makes.
func (m *machine) pixelsOf(p *pass) float64 {
	quads := m.maxHz / 1e9 * m.eff[rasterizer] * float64(m.cores)
	return quads * 4 * (1 - p.like.killed) / p.like.overdraw
}

// tileBytes is how much a pass writes of its tiles, at most nearly all that it writes to memory.
func (m *machine) tileBytes(p *pass, written float64) float64 {
	all := m.pixelsOf(p) * p.work[rasterizer] * p.like.bytes * (1 - p.like.tileKill)
	return min(all, 0.92*written*p.work[bandwidth], 0.9*p.work[backend]*m.maxHz/1e9*float64(m.cores)*16)
}

func (m *machine) fragmentFactors(p *pass, f *factors, written float64) {
	t := &p.like
	quads := m.maxHz / 1e9 * m.eff[rasterizer] * float64(m.cores)
	warps := quads * (1 - t.killed) / 4
	pixels := m.pixelsOf(p)
	f.add(rasterizer, "FragRastQd", quads)
	f.add(rasterizer, "FragRastPartQd", quads*t.partial)
	f.add(rasterizer, "FragRastCoarseQd", quads)
	f.add(rasterizer, "FragThread", warps*warpThreads*(1-0.5*t.partial))
	f.add(rasterizer, "FragRdPrim", quads*(0.03+0.2*t.partial))
	f.add(rasterizer, "FragPrim", quads*(0.03+0.2*t.partial))
	f.add(rasterizer, "FragRastPrim", quads*(0.02+0.16*t.partial))
	f.add(rasterizer, "FragEZSTestQd", quads*(0.97-t.late))
	f.add(rasterizer, "FragEZSUpdateQd", quads*0.6*(1-t.killed))
	f.add(rasterizer, "FragEZSKillQd", quads*t.killed*t.early)
	f.add(rasterizer, "FragLZSTestQd", quads*t.late)
	f.add(rasterizer, "FragLZSKillQd", quads*t.late*0.3)
	f.add(rasterizer, "FragOpaqueQd", quads*(1-t.killed*t.early)*0.55)
	f.add(rasterizer, "FragWarp", warps)
	f.add(rasterizer, "CoreFullWarp", warps*t.full*(1-0.5*t.partial))
	f.add(rasterizer, "CoreAllRegsWarp", warps*t.regs)
	f.add(rasterizer, "EngSWBlendInstr", warps*t.blend/m.blendWarps)
	f.add(rasterizer, "FragQueueTask", pixels/m.taskPixels)
	f.add(rasterizer, "MainQueueTask", pixels/m.taskPixels)
	f.add(rasterizer, "FragTile", pixels/m.tilePixels)
	f.add(rasterizer, "FragTileKill", pixels/m.tilePixels*t.tileKill)
	if p.work[backend] > 0 {
		f.add(backend, "SCBusTileWrBt", m.tileBytes(p, written)/p.work[backend]/16)
	}
}

func (m *machine) tilerFactors(p *pass, f *factors) {
	t := &p.like
	// A primitive that is culled takes a cycle, a visible one two.
	prims := m.maxHz / 1e9 * m.eff[tiler] / (2 - t.culled)
	seen := prims * (1 - t.culled)
	corners := prims * (1.8 - 1.4*t.reuse)
	outputs := corners * (1 - t.culled) * 0.8
	f.add(tiler, "GeomTrianglePrim", prims*0.99)
	f.add(tiler, "GeomLinePrim", prims*0.007)
	f.add(tiler, "GeomPointPrim", prims*0.003)
	f.add(tiler, "GeomVisiblePrim", seen)
	f.add(tiler, "GeomFrontFacePrim", seen*0.93)
	f.add(tiler, "GeomBackFacePrim", seen*0.07)
	f.add(tiler, "GeomFaceXYPlaneCullPrim", prims*t.culled*0.82)
	f.add(tiler, "GeomZPlaneCullPrim", prims*t.culled*0.05)
	f.add(tiler, "GeomFaceCullPrim", prims*t.culled*0.6)
	f.add(tiler, "GeomPlaneCullPrim", prims*t.culled*0.25)
	f.add(tiler, "GeomScissorCullPrim", prims*t.culled*0.02)
	f.add(tiler, "GeomSampleCullPrim", prims*t.culled*0.13)
	f.add(tiler, "TilerRdBt", prims*0.5)
	f.add(tiler, "GeomPosShadTask", corners/m.vertices)
	f.add(tiler, "GeomVarShadTask", outputs/m.vertices)
	f.add(tiler, "GeomPosShadPartTask", corners/m.vertices*0.08)
	f.add(tiler, "GeomVarShadPartTask", outputs/m.vertices*0.12)
	f.add(tiler, "TilerPosCacheMiss", corners)
	f.add(tiler, "TilerPosCacheHit", max(0, prims*3-corners))
	f.add(tiler, "TilerVarCacheMiss", outputs)
	f.add(tiler, "TilerVarCacheHit", max(0, seen*3-outputs))
	warps := (corners + outputs) / warpThreads * 1.03
	f.add(tiler, "NonFragWarp", warps)
	f.add(tiler, "CoreFullWarp", warps*t.full)
	f.add(tiler, "CoreAllRegsWarp", warps*t.regs)
	f.add(tiler, "NonFragTask", warps/3)
	f.add(tiler, "NonFragQueueTask", warps/12)
	f.add(tiler, "BinningQueueTask", warps/12)
}

// below is the share of what is spread around a mean that lies below a limit.
func below(limit, mean, spread float64) float64 { return 1 / (1 + math.Exp(-(limit-mean)/spread)) }
