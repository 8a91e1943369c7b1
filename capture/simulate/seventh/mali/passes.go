package mali

import "astrolabe/capture/simulate"

// shading is what the pixels of a pass ask for.
type shading struct {
	pixels      float64
	layers      float64 // quads for each quad of the picture, before any test
	killed      float64 // share of them that an early depth test removes
	hidden      float64 // share of the rest that a later opaque quad removes before it is shaded
	transparent float64 // share of the rest that blends
	triangles   float64
	spread      float64 // tiles that a triangle is in

	fma, cvt, sfu float64 // instructions of a warp
	samples       float64 // of textures, a pixel
	filter        float64 // clocks of a sample: 1 bilinear, 2 trilinear, more with anisotropy
	wide          bool    // formats of 32 bits a channel
	texBytes      float64 // that a quad's sample reads from L2
	texExternal   float64 // share of them that comes from memory
	varyings      float64 // components of a thread
	half          float64 // share of them that has 16 bits
	reads, writes float64 // of buffers, by a warp
	lsExternal    float64
	out           float64 // bytes that a pixel of the picture writes to memory
	blend         float64 // clocks of the backend for a pixel, in those that a plain one takes
	chain, missed float64
	registers     float64 // share of warps that need all registers
	discards      float64 // share of quads that are tested late
	unchanged     float64 // share of tiles that are not written
	pieces        int
}

// geometry is what the triangles of a pass ask for.
type geometry struct {
	primitives    float64
	visible       float64 // share
	vertices      float64 // that are shaded for a primitive
	fma, cvt, sfu float64 // of a warp of positions
	varying       float64 // instructions of what is shaded of visible vertices, as a share of those of positions
	attributes    float64 // accesses of a warp
	external      float64 // share of what they read that comes from memory
	chain, missed float64
	pieces        int
}

// kernel is a dispatch.
type kernel struct {
	threads       float64
	fma, cvt, sfu float64 // of a warp
	reads, writes float64
	atomics       float64
	beats         float64 // that a read gets from L2: the rest hits the load/store cache
	external      float64
	samples       float64
	rays          float64 // a thread
	boxes, tris   float64 // nodes a ray
	chain, missed float64
	registers     float64
	groupSize     float64 // threads of a workgroup
	starts        float64 // dispatches
	pieces        int
}

// builder draws passes for a chip. ids number all parts of a case.
type builder struct {
	c  *chip
	r  simulate.Random
	id int
}

func (b *builder) part(list []part, p part) []part {
	p.id = b.id
	b.id++
	return append(list, p)
}

// shares cuts a pass into pieces, of which neighbours differ.
func (b *builder) shares(n int) []float64 {
	out, sum := make([]float64, max(1, n)), 0.0
	for i := range out {
		out[i] = b.r.Spread(0.5)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// ended adds what is left when the last tasks run: about half a task for each core, on half of the cores.
func (b *builder) ended(list []part, tasks float64) []part {
	k := float64(b.c.cores)
	if b.c.cores < 2 {
		return list
	}
	left := min(0.35, 0.4*k/max(1, tasks))
	last := list[len(list)-1]
	for i := range list {
		for a := range list[i].n {
			list[i].n[a] *= 1 - left
		}
	}
	for a := range last.n { // of the whole pass's mixture the last part's is as good as any
		last.n[a] *= left * float64(len(list))
	}
	last.cores, last.tail = max(1, b.c.cores/2), true
	return b.part(list, last)
}

// groups is how many groups of warps a core holds, of which some need all registers.
func (c *chip) groups(registers float64) float64 { return 64 / c.convoy * (1 - 0.5*registers) }

// fragment makes a pass of pixels.
func (b *builder) fragment(name string, s shading) job {
	c, r := b.c, b.r
	j := job{name: name, queue: c.fragmentQueue(), starts: 1}
	uneven := r.Between(0.05, 0.35)
	for _, w := range b.shares(s.pieces) {
		p := part{chain: s.chain * r.Spread(uneven), missed: s.missed, groups: c.groups(s.registers), cores: c.cores, convoy: c.convoy}
		n := &p.n
		px := s.pixels * w
		layers := max(1, s.layers*r.Spread(uneven))
		n[nQuad] = px / 4 * layers
		n[nPartQuad] = n[nQuad] * min(0.6, 0.05+0.3*s.triangles/max(1, s.pixels/40))
		n[nCoarse] = n[nQuad] * 0.98
		n[nEarlyTest] = n[nQuad] * (1 - 0.8*s.discards)
		n[nEarlyKill] = n[nEarlyTest] * s.killed
		rest := n[nQuad] - n[nEarlyKill]
		shaded := rest * (1 - s.hidden)
		fill := r.Between(0.92, 1)
		n[nFragWarp] = min(rest, shaded/fill) / 4
		n[nFragQuad] = n[nFragWarp] * 4 * fill
		n[nOpaque] = rest * (1 - s.transparent) * (1 - s.discards)
		n[nEarlyUpdate] = (n[nEarlyTest] - n[nEarlyKill]) * (1 - s.transparent)
		n[nLateTest] = n[nFragQuad] * s.discards
		n[nLateKill] = n[nLateTest] * 0.3
		n[nTile] = px / c.tileSide / c.tileSide
		n[nTileKill] = n[nTile] * s.unchanged
		if c.modern {
			n[nTileKill] *= 4
		}
		n[nFragTask] = px / c.taskSide / c.taskSide
		n[nRastPrim] = s.triangles * w * s.spread
		n[nReadPrim] = n[nRastPrim] * 1.2
		n[nFrontBeat] = n[nReadPrim]*1.5 + n[nTile]*8
		n[nFrontExt] = n[nFrontBeat] * 0.6
		wp := n[nFragWarp]
		b.arithmetic(&p, wp, s.fma, s.cvt, s.sfu, uneven)
		b.textures(&p, wp*4*s.samples*r.Spread(uneven), s.filter, s.wide, s.texBytes, s.texExternal)
		comps := wp * s.varyings
		n[nVar16], n[nVar32] = comps*s.half/2, comps*(1-s.half)
		n[nVarInstr] = comps / 2.5
		b.buffers(&p, wp, s.reads, s.writes, 0, 1.2, s.lsExternal, uneven)
		n[nTileWrite] = px * s.out * (1 - s.unchanged) / 16
		n[nBlend] = n[nFragQuad] * 4 / c.pixels * s.blend
		n[nBlendShader] = wp * s.transparent * 0.02
		n[nAllRegs], n[nFull] = wp*s.registers, wp*(2*fill-1)*0.95
		if c.modern { // vertices that are shaded late
			n[nOtherWarp] = s.triangles * w * 0.5 / 16
			n[nOtherTask] = n[nOtherWarp] / 2
			b.arithmetic(&p, n[nOtherWarp], 60, 15, 2, 0.1)
		}
		p.gather(0.95)
		j.parts = b.part(j.parts, p)
	}
	j.parts = b.ended(j.parts, s.pixels/c.taskSide/c.taskSide)
	return j
}

// geometry makes a pass of vertices and triangles.
func (b *builder) geometry(name string, g geometry) job {
	c, r := b.c, b.r
	j := job{name: name, queue: queueGeometry, starts: 1}
	uneven := r.Between(0.05, 0.3)
	for _, w := range b.shares(g.pieces) {
		// The buffer of positions in the making, not the cores, bounds what is in flight.
		p := part{chain: g.chain * r.Spread(uneven), missed: g.missed, groups: 24 / c.convoy, cores: c.cores, convoy: c.convoy}
		n := &p.n
		all := g.primitives * w
		n[nLine], n[nPoint] = all*0.002, all*0.001
		n[nTriangle] = all - n[nLine] - n[nPoint]
		n[nVisible] = all * min(0.95, g.visible*r.Spread(uneven))
		lost := all - n[nVisible]
		n[nFace], n[nPlane], n[nSample], n[nScissor] = lost*0.55, lost*0.3, lost*0.13, lost*0.02
		n[nBack] = n[nVisible] * 0.06
		vertices := all * g.vertices
		n[nPosTask] = vertices / 4
		n[nPosMiss], n[nPosHit] = vertices, all*3-min(all*3, vertices)
		late := 0.0
		if c.modern {
			n[nDeferred] = n[nVisible] * 0.85
			late = 0.85
		}
		n[nVarTask] = vertices / 4 * g.visible * (1 - late)
		n[nVarMiss] = n[nVarTask] * 4
		n[nVarHit] = n[nVarMiss] * 2.2
		n[nTilerRead] = all*12/16 + vertices*0.5
		positions, rest := n[nPosTask]/4, n[nVarTask]/4
		n[nOtherWarp] = positions + rest
		n[nOtherTask] = n[nOtherWarp]
		n[nQueueTask] = max(1, n[nPosTask]/64)
		b.arithmetic(&p, positions+rest*g.varying, g.fma, g.cvt, g.sfu, uneven)
		n[nAttr] = n[nOtherWarp] * g.attributes
		b.buffers(&p, n[nOtherWarp], g.attributes, 1.5, 0, 2.5, g.external, uneven)
		n[nFull] = n[nOtherWarp] * 0.85
		p.gather(0.7)
		j.parts = b.part(j.parts, p)
	}
	return j
}

// compute makes a job of dispatches.
func (b *builder) compute(name string, k kernel) job {
	c, r := b.c, b.r
	j := job{name: name, queue: c.computeQueue(), starts: max(1, k.starts)}
	uneven := r.Between(0.02, 0.3)
	teams := k.threads / max(16, k.groupSize) / j.starts
	for _, w := range b.shares(k.pieces) {
		p := part{chain: k.chain * r.Spread(uneven), missed: k.missed, groups: c.groups(k.registers), convoy: c.convoy,
			cores: max(1, min(c.cores, int(teams)))}
		n := &p.n
		wp := k.threads * w / 16
		n[nOtherWarp] = wp
		n[nOtherTask], n[nQueueTask] = wp/max(1, k.groupSize/16), wp/max(1, k.groupSize/16)
		b.arithmetic(&p, wp, k.fma, k.cvt, k.sfu, uneven)
		b.textures(&p, wp*4*k.samples, 1, false, 24, k.external)
		b.buffers(&p, wp, k.reads, k.writes, k.atomics, k.beats, k.external, uneven)
		if k.rays > 0 && c.rays {
			rays := wp * 16 * k.rays
			n[nRay] = rays
			n[nBoxNode], n[nTriNode] = rays*k.boxes/9, rays*k.tris/7 // rays of a warp go together, not all of them
		}
		n[nAllRegs], n[nFull] = wp*k.registers, wp*0.97
		p.gather(0.8)
		j.parts = b.part(j.parts, p)
	}
	if teams/float64(c.cores) > 1 {
		j.parts = b.ended(j.parts, teams)
	}
	return j
}

func (b *builder) arithmetic(p *part, warps, fma, cvt, sfu, uneven float64) {
	n := &p.n
	by := b.r.Spread(uneven)
	n[nFMA] += warps * fma * by
	n[nCVT] += warps * cvt * by
	n[nSFU] += warps * sfu * by
	all := warps * (fma + cvt + sfu) * by
	n[nDiverged] += all * 0.03
	n[nNarrow] += all * 0.2
	n[nICache] += all * 1e-4
	n[nOtherBeat] += warps*0.15 + all*4e-4
}

func (b *builder) textures(p *part, quads, filter float64, wide bool, bytes, external float64) {
	c, n := b.c, &p.n
	messages := quads
	if c.modern {
		n[nTexSingle] = quads * 0.06
		messages = (quads + n[nTexSingle]) / 2
	}
	n[nTexQuad] = quads
	n[nTexFilter] = messages * filter
	if filter < 1.05 {
		n[nTexBilinear] = n[nTexFilter] * 0.7
	} else {
		n[nTexTrilinear] = n[nTexFilter] * 0.4
		n[nTexBilinear] = n[nTexFilter] * 0.2
	}
	n[nTexIn] = messages * 0.9
	n[nTexOut] = messages * 0.95
	if wide {
		n[nTexOut] *= 2
		n[nTexFilter] *= 2
		n[nTexBilinear] *= 0.2
	}
	n[nTexBeat] = quads * bytes / 16
	n[nTexExt] = n[nTexBeat] * external
	n[nTexL1] = min(n[nTexFilter], n[nTexBeat]*0.6)
	n[nTexComplex], n[nTexSimple] = n[nTexL1]*0.7, n[nTexL1]*0.25
}

func (b *builder) buffers(p *part, warps, reads, writes, atomics, beats, external, uneven float64) {
	n := &p.n
	by := warps * b.r.Spread(uneven)
	n[nReadFull], n[nReadPart] = by*reads*0.55, by*reads*0.45
	n[nWriteFull], n[nWritePart] = by*writes*0.6, by*writes*0.4
	n[nAtomic] = by * atomics
	n[nLSBeat] = by * reads * beats
	n[nLSExt] = n[nLSBeat] * external
	n[nLSWrite], n[nLSBack] = by*writes*0.6, by*writes*2.2
}
