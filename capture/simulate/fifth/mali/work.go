package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// shader is what one warp of 16 threads asks for.
type shader struct {
	fma, cvt, sfu    float64 // arithmetic instructions
	narrow, diverged float64 // shares of them
	tex              float64 // texture instructions
	texCost          float64 // filter cycles of a message, which has two quads: 1 is bilinear
	texWide          float64 // beats of a message's result
	single           float64 // share of messages with one quad
	texL2            float64 // bytes from L2 per texture instruction
	v16, v32         float64 // slots of interpolation
	rd, wr, atomic   float64 // accesses
	part             float64 // share of them that are partial
	ldL2, stL2       float64 // bytes from and to L2
	box, tri         float64 // issues of the ray tracing unit
	chain            float64 // accesses one after the other, for which a warp waits where they miss
	hit, texHit      float64 // shares that L2 holds
	heavy            bool    // needs more than 32 registers
	group            float64 // threads wait for each other: share of the warps' room that can be used
}

// spread varies a shader from draw to draw.
func (s shader) spread(r simulate.Random, sigma float64) shader {
	for _, list := range [][]*float64{{&s.fma, &s.cvt, &s.sfu}, {&s.tex, &s.texL2}, {&s.v16, &s.v32},
		{&s.rd, &s.wr, &s.atomic, &s.ldL2, &s.stL2}, {&s.box, &s.tri}, {&s.chain}} {
		f := r.Spread(sigma)
		for _, p := range list {
			*p *= f
		}
	}
	s.cvt *= r.Spread(sigma / 3)
	s.hit, s.texHit = min(0.99, s.hit*r.Spread(sigma/5)), min(0.99, s.texHit*r.Spread(sigma/5))
	return s
}

// drawing is a render pass.
type drawing struct {
	name      string
	w, h      float64
	layers    float64 // quads rasterized per quad of the picture
	early     float64 // share of quads tested early
	kill      float64 // share of the tested that are killed
	hidden    float64 // share of the rest that others in front of them kill
	late      float64 // share of the shaded tested late
	opaque    float64
	fill      float64 // share of a warp's quads that are there
	partial   float64
	coarse    float64 // quads to shade per quad, with variable rates
	shaded    bool
	shade     shader
	perTile   float64 // primitives of a tile
	blend     float64 // cycles of the pixel back end for a quad
	bpp       float64 // bytes written for a pixel, after compression
	load      float64 // bytes read for a pixel at a tile's start
	unchanged float64 // share of tiles not written
	swBlend   float64 // blend shaders per warp

	vertices, reuse     float64 // shaded positions, and primitives per position
	visible             float64 // share of primitives
	position, varying   shader  // of a warp of vertices
	deferred            float64 // share of visible primitives whose vertices are shaded late
	tileCost, fifo      float64 // tiler cycles per primitive; warps of positions that may be in the making
	parts               int
	sigma               float64
	lines, points, back float64 // shares
}

// kernel is a dispatch of compute.
type kernel struct {
	name    string
	warps   float64
	perTask float64 // warps
	shade   shader
	parts   int
	sigma   float64
}

// builder makes segments of passes for a machine.
type builder struct {
	m    *machine
	r    simulate.Random
	segs []segment
}

// weights divide a pass into parts.
func (b *builder) weights(n int) []float64 {
	out, sum := make([]float64, n), 0.0
	for i := range out {
		out[i] = b.r.Between(0.4, 1.6)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// finish adds the parts of a job. Of its last tasks some cores have none: the fewer tasks there are, the longer.
func (b *builder) finish(list []segment, tasks float64) (out []int16) {
	cores := float64(b.m.cores)
	for i := range list {
		list[i].cores = cores
	}
	switch last := &list[len(list)-1]; {
	case cores == 1:
	case tasks < 1.5*cores:
		for i := range list {
			list[i].cores = max(1, min(cores, math.Ceil(tasks*0.75)))
		}
	default:
		part := min(0.6, b.r.Between(0.3, 0.8)*cores/tasks*float64(len(list)))
		tail := *last
		tail.units, tail.cores, tail.tail = last.units*part, max(1, math.Round(cores*b.r.Between(0.35, 0.7))), true
		last.units -= tail.units
		list = append(list, tail)
	}
	for _, s := range list {
		out = append(out, int16(len(b.segs)))
		b.segs = append(b.segs, s)
	}
	return out
}

// warp adds what warps of a shader need and count, n of them to a unit.
func (b *builder) warp(s *segment, sh *shader, n float64) {
	m, c := b.m, s.count
	add := func(name string, x float64) { c[name] += n * x }
	s.need[stArith] += n * m.issue(sh.fma, sh.cvt, sh.sfu) / m.eff[stArith]
	arith := sh.fma + sh.cvt + sh.sfu
	add("MaliEngFMAInstr", sh.fma)
	add("MaliEngCVTInstr", sh.cvt)
	add("MaliEngSFUInstr", sh.sfu)
	add("MaliEngNarrowInstr", arith*sh.narrow)
	add("MaliEngDivergedInstr", arith*sh.diverged)
	add("MaliEngICacheMiss", (0.002+arith*0.0004)*m.habit[0])

	msg := 2 * sh.tex / (1 - sh.single/2)
	filter := msg * sh.texCost * (1 - sh.single*0.3)
	lines := sh.tex * sh.texL2 / 64
	texCy := filter
	if sh.tex > 0 {
		add("MaliTexOutMsg", msg)
		add("MaliTexOutSingleMsg", msg*sh.single)
		add("MaliTexFiltIssueCy", filter)
		full := filter * (0.5 + 0.5/sh.texCost)
		add("MaliTexFullBiFiltCy", full/sh.texCost)
		add("MaliTexFullTriFiltCy", full*(1-1/sh.texCost))
		in, out := msg*min(1.2, 0.8*m.habit[1]), msg*sh.texWide
		index := msg * (0.4 + 0.15*m.habit[2] + 0.35*sh.texCost)
		look := max(index*0.8, filter*0.7)
		add("MaliTexInBt", in)
		add("MaliTexOutBt", out)
		add("MaliTexIndexCy", index)
		add("MaliTexCacheLookupCy", look)
		l1 := min(look*0.95, lines*2)
		add("MaliTexL1CacheLookupCy", l1)
		add("MaliTexL1CacheOutputCy", l1*0.9)
		add("MaliTexL1CacheLoadCy", min(l1, lines))
		add("MaliTexCacheSimpleLoadCy", l1*0.3)
		add("MaliTexCacheComplexLoadCy", l1*0.55)
		texCy = max(filter, out, index, in)
	}
	s.need[stTex] += n * texCy / m.eff[stTex]

	slots := sh.v16 + sh.v32
	s.need[stVary] += n * slots / m.varRate / m.eff[stVary]
	add("MaliVar16IssueSlot", sh.v16)
	add("MaliVar32IssueSlot", sh.v32)
	add("MaliVarInstr", slots/(2+m.habit[3]))

	s.need[stLS] += n * (sh.rd + sh.wr + sh.atomic) / m.eff[stLS]
	add("MaliLSFullRd", sh.rd*(1-sh.part))
	add("MaliLSPartRd", sh.rd*sh.part)
	add("MaliLSFullWr", sh.wr*(1-sh.part))
	add("MaliLSPartWr", sh.wr*sh.part)
	add("MaliLSAtomic", sh.atomic)

	s.need[stRT] += n * max(sh.box, sh.tri) / m.eff[stRT]
	if sh.box > 0 {
		rays := 16 * sh.diverged * 2
		add("MaliRTUBoxIssueCy", sh.box)
		add("MaliRTUTriIssueCy", sh.tri)
		add("MaliRTUBox", sh.box*1.7)
		add("MaliRTUTri", sh.tri)
		add("MaliRTURay", rays)
		hit := sh.texHit * rays
		add("MaliRTUMiss", rays-hit)
		add("MaliRTUOpaqueHit", hit*0.8)
		add("MaliRTUNonOpaqueHit", hit*0.3)
		add("MaliRTUFirstHitTerm", hit*0.4)
		for i, f := range []float64{0.45, 0.25, 0.18, 0.12} {
			bin := []string{"1", "5", "9", "13"}[i]
			add("MaliRTUTriBin"+bin, sh.tri*f)
			add("MaliRTUBoxBin"+bin, sh.box*0.5*f)
		}
	}

	tex := sh.tex * sh.texL2
	add("MaliSCBusTexL2RdBt", tex/16)
	add("MaliSCBusTexExtRdBt", tex*(1-sh.texHit)/16)
	add("MaliSCBusLSL2RdBt", sh.ldL2/16)
	add("MaliSCBusLSExtRdBt", sh.ldL2*(1-sh.hit)/16)
	add("MaliSCBusOtherL2RdBt", arith*0.01*m.habit[4])
	add("MaliSCBusLSWBWrBt", sh.stL2*0.7/16)
	add("MaliSCBusLSOtherWrBt", sh.stL2*0.3/16)
	b.traffic(s, n*(tex+sh.ldL2+arith*0.16*m.habit[4]), n*(tex*(1-sh.texHit)+sh.ldL2*(1-sh.hit)), n*sh.stL2, n*sh.stL2)

	if reads := sh.tex + sh.rd; reads > 0 {
		miss := (sh.tex*(1-sh.texHit) + sh.rd*(1-sh.hit)) / reads
		s.need[stLat] += n * sh.chain * miss * m.lat
		s.texes += n * sh.chain * sh.tex * (1 - sh.texHit) / reads * m.lat
	}
	s.warps += n
	if sh.heavy {
		add("MaliCoreAllRegsWarp", 1)
	}
}

// traffic adds bytes that L2 serves, and how many of them come from or go to the memory.
func (b *builder) traffic(s *segment, read, missed, write, leave float64) {
	m, c := b.m, s.count
	leave *= 1 - m.kept
	c["MaliL2CacheRdLookup"] += read / 64
	c["MaliL2CacheWrLookup"] += write / 64
	c["MaliL2CacheRd"] += read / 64
	c["MaliL2CacheWr"] += write / 64
	s.need[stCache] += (read + write) / 64 / float64(m.slices) / m.eff[stCache]
	s.rd += missed
	s.wr += leave
	c["read"] += missed
	c["write"] += leave
}

// room is how many warps of a shader a core holds.
func (b *builder) room(sh *shader) float64 {
	w := b.m.warps
	if sh.heavy {
		w /= 2
	}
	if sh.group > 0 {
		w *= sh.group
	}
	return max(1, w)
}

// main makes the fragments' job of a render pass.
func (b *builder) main(d *drawing) []int16 {
	m, pixels := b.m, d.w*d.h
	var list []segment
	for _, w := range b.weights(d.parts) {
		s := segment{queue: qMain, count: map[string]float64{}}
		sh := d.shade.spread(b.r, d.sigma)
		quads := pixels / 4 * w * d.layers * b.r.Spread(d.sigma/2)
		tested := quads * d.early
		killed := tested * min(0.98, d.kill*b.r.Spread(d.sigma/2))
		shaded := (quads - killed) * (1 - d.hidden)
		warps := shaded * min(1, d.coarse) / (4 * d.fill)
		s.units = quads / 16
		if d.shaded {
			s.units = warps
		}
		per := func(x float64) float64 { return x / s.units }
		c := s.count
		c["MaliFragRastQd"] = per(quads)
		c["MaliFragRastCoarseQd"] = per(quads * min(1, d.coarse))
		c["MaliFragRastPartQd"] = per(quads * d.partial)
		c["MaliFragEZSTestQd"] = per(tested)
		c["MaliFragEZSKillQd"] = per(killed)
		c["MaliFragEZSUpdateQd"] = per((tested - killed) * d.opaque)
		c["MaliFragOpaqueQd"] = per((quads - killed) * d.opaque)
		late := shaded * d.late
		c["MaliFragLZSTestQd"] = per(late)
		c["MaliFragLZSKillQd"] = per(late * min(0.9, 0.15*m.habit[0]*m.habit[1]))
		tiles := pixels * w / 1024
		c["MaliFragTile"] = per(tiles)
		c["MaliFragTileKill"] = per(4 * tiles * d.unchanged)
		prims := tiles * d.perTile
		c["MaliFragRastPrim"] = per(prims)
		c["MaliFragRdPrim"] = per(prims * 1.2)
		c["MaliFragQueueTask"], c["MaliMainQueueTask"] = per(pixels*w/m.taskPx), per(pixels*w/m.taskPx)
		s.need[stRast] = per(quads+prims*1.3) / m.eff[stRast]
		if d.shaded {
			b.warp(&s, &sh, 1)
			c["MaliFragWarp"] = 1
			c["MaliFragThread"] = 16 * d.fill * (1 - d.partial*0.3)
			c["MaliCoreFullWarp"] = max(0, 2*d.fill-1)
			c["MaliEngSWBlendInstr"] = d.swBlend
		}
		if m.five && d.deferred > 0 {
			late := d.vertices * w * d.visible * d.deferred / 16
			v := d.varying.spread(b.r, d.sigma)
			b.warp(&s, &v, per(late))
			c["MaliNonFragWarp"] += per(late)
			c["MaliCoreFullWarp"] += per(late * 0.8)
		}
		front := prims*24 + pixels*w*d.load
		c["MaliSCBusFFEL2RdBt"] = per(front / 16)
		c["MaliSCBusFFEExtRdBt"] = per((prims*24*0.4 + pixels*w*d.load*0.9) / 16)
		out := pixels * w * d.bpp * (1 - d.unchanged)
		c["MaliSCBusTileWrBt"] = per(out / 16)
		b.traffic(&s, per(front), per(prims*24*0.4+pixels*w*d.load*0.9), per(out), per(out))
		s.need[stPixel] = per(max(shaded*d.blend+late, out/16)) / m.eff[stPixel]
		s.slots = b.room(&sh)
		s.hold = s.slots + b.m.warps/8 + 4
		if !d.shaded {
			s.slots, s.hold = 0.5, 10
		}
		list = append(list, s)
	}
	return b.finish(list, math.Ceil(d.w/64)*math.Ceil(d.h/64)*64*64/m.taskPx)
}

// binning makes the vertices' job of a render pass.
func (b *builder) binning(d *drawing) []int16 {
	m := b.m
	var list []segment
	parts := max(1, d.parts-2)
	for _, w := range b.weights(parts) {
		s := segment{queue: qBinning, count: map[string]float64{}}
		sh := d.position.spread(b.r, d.sigma)
		s.units = max(1, d.vertices*w/16)
		b.warp(&s, &sh, 1)
		c := s.count
		c["MaliNonFragWarp"] = 1
		prims := 16 * d.reuse * b.r.Spread(d.sigma/2)
		vis := prims * d.visible
		if m.five {
			c["MaliBinningQueueTask"] = 1.0 / 24
		} else {
			c["MaliVertQueueTask"] = 1.0 / 24
		}
		shades := vis / d.reuse / 4 // requests of the outputs that are not positions
		if m.five {
			shades *= 1 - d.deferred
			c["MaliGeomVisibleDVSPrim"] = vis * d.deferred
		}
		v := d.varying.spread(b.r, d.sigma)
		b.warp(&s, &v, shades/4)
		c["MaliNonFragWarp"] += shades / 4
		c["MaliCoreFullWarp"] = c["MaliNonFragWarp"] * 0.7
		c["MaliNonFragTask"] = c["MaliNonFragWarp"] / 4
		c["MaliAttrInstr"] = 2 + shades/2
		c["MaliGeomTrianglePrim"] = prims * (1 - d.lines - d.points)
		c["MaliGeomLinePrim"], c["MaliGeomPointPrim"] = prims*d.lines, prims*d.points
		c["MaliGeomVisiblePrim"] = vis
		c["MaliGeomBackFacePrim"] = vis * d.back
		c["MaliGeomFrontFacePrim"] = vis * (1 - d.back)
		gone := prims - vis
		c["MaliGeomFaceXYPlaneCullPrim"] = gone * 0.82
		c["MaliGeomZPlaneCullPrim"] = gone * 0.05
		c["MaliGeomFaceCullPrim"] = gone * 0.55
		c["MaliGeomPlaneCullPrim"] = gone * 0.3
		c["MaliGeomScissorCullPrim"] = gone * 0.02
		c["MaliGeomSampleCullPrim"] = gone * 0.13
		c["MaliGeomPosShadTask"] = 4
		c["MaliGeomVarShadTask"] = shades
		c["MaliTilerPosCacheHit"] = prims * (3 - 0.5*min(2, m.habit[5]))
		c["MaliTilerPosCacheMiss"] = 4
		c["MaliTilerVarCacheHit"] = shades * (3 + 3*m.habit[5])
		c["MaliTilerVarCacheMiss"] = shades
		read, out := prims*6, vis*(22+10*d.perTile/40)+16*12
		c["MaliTilerRdBt"] = read / 16
		b.traffic(&s, read, read*0.8, out, out)
		s.need[stTiler] = prims * d.tileCost / m.eff[stTiler]
		s.slots = max(0.5, min(d.fifo/float64(m.cores), b.room(&sh)))
		s.hold = s.slots + 2/float64(m.cores)
		list = append(list, s)
	}
	return b.finish(list, d.vertices/256+2)
}

// compute makes the job of a kernel.
func (b *builder) compute(k *kernel) []int16 {
	var list []segment
	for _, w := range b.weights(k.parts) {
		s := segment{queue: qCompute, count: map[string]float64{}, units: k.warps * w}
		sh := k.shade.spread(b.r, k.sigma)
		b.warp(&s, &sh, 1)
		s.count["MaliNonFragWarp"] = 1
		s.count["MaliCoreFullWarp"] = 0.95
		s.count["MaliNonFragTask"], s.count["MaliCompQueueTask"] = 1/k.perTask, 1/k.perTask
		s.slots = b.room(&sh)
		s.hold = s.slots
		list = append(list, s)
	}
	return b.finish(list, k.warps/k.perTask)
}
