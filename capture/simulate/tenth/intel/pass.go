package intel

import "astrolabe/capture/simulate"

// pass is what one pass of drawing, or one kernel, does in all, in the numbers of its content.
type pass struct {
	name  string
	stage int // 0 pixels, 1 compute, 2 copy

	// Of drawing.
	verts, prims   float64
	culled         float64 // share of primitives that the clipper or the culling drops
	clipped        float64 // share that a plane cuts
	blocks         float64 // of the rasterizer, per primitive that is left
	cover          float64 // samples in a block of 32
	hzFail, hzPass float64 // of samples
	ezFail         float64 // of those that early depth tests
	late           float64 // share of pixels that are tested after shading
	kill           float64
	writes, blend  float64 // per pixel that is shaded: outputs, and the share of them that is blended
	wide           float64 // cost of a pixel's format in the pixel backend: 1, or more
	vsALU          float64 // instructions per thread of vertices
	zBytes, cBytes float64 // traffic per sample and per output

	// Of threads of 16 pixels, or of 16 items.
	items            float64 // threads of compute
	alu0, alu1, alu2 float64
	send             float64
	quads, filter    float64 // 2x2 blocks of texels per thread, and clocks for each
	texMiss          float64 // of accesses to the texture cache
	lsc, lscWrite    float64 // accesses of 64 bytes per thread, of which so many write
	lscMiss          float64
	slm, conflict    float64 // bytes per thread, and the factor of bank conflicts
	rays, steps      float64 // per thread
	bvhMiss          float64
	l3Miss           float64
	occupancy        float64 // share of threads that registers and local memory leave room for
	rounds           float64 // times that a thread waits for memory, one after the other
	deep             float64 // share of these waits that go to memory
	barrier          float64
	copied           float64 // bytes of a copy
	launches         float64 // dispatches that wait for the one before
	group            float64 // threads of a thread group
	burst            float64 // threads that go together
	compress         float64
	spread           float64 // from chunk to chunk
	chunks           int
	fetchMiss        float64
}

// chunks makes the pass's parts, alike but for the variation of content.
func (m *machine) chunks(p *pass, eff *[nStation]float64, r simulate.Random, next *int) []*chunk {
	out := make([]*chunk, p.chunks)
	for i := range out {
		var v [nStation]float64 // how much of each kind this part has
		size := r.Spread(p.spread)
		for k := range v {
			v[k] = size * r.Spread(p.spread*0.5)
		}
		out[i] = m.chunk(p, eff, 1/float64(p.chunks), &v)
		out[i].id = *next
		*next++
	}
	return out
}

func (m *machine) chunk(p *pass, eff *[nStation]float64, share float64, v *[nStation]float64) *chunk {
	c := &chunk{stage: p.stage, launches: p.launches * share}
	a := &c.amounts
	var busy [nStation]float64 // clocks of the whole station at its peak, memory in bytes
	if p.stage == 2 {
		m.copyChunk(p, c, share*v[sMem])
		busy[sL3] = a[qL3Read] + a[qL3Write]
		m.finish(c, eff, &busy)
		return c
	}
	core := p.items * share * v[sALU]
	vs := 0.0
	if p.stage == 0 {
		vs, core = m.front(p, a, &busy, share, v)
	}
	c.threads = vs + core
	a[qFlush] = c.launches
	// Instructions.
	a[qALU0VS], a[qALU1VS] = vs*p.vsALU, vs*p.vsALU*0.45
	ps, cs := core, core
	if p.stage == 0 {
		cs = 0
	} else {
		ps = 0
	}
	va := v[sALU] / v[sRast] // pixels vary with the rasterizer's part already
	if p.stage == 1 {
		va = 1
	}
	a[qALU0PS], a[qALU1PS] = ps*p.alu0*va, ps*p.alu1*va
	a[qALU0CS], a[qALU1CS] = cs*p.alu0, cs*p.alu1
	a[qALU2] = core * p.alu2 * va
	a[qSend] = core*p.send + vs*4
	a[qMath], a[qCtrl] = 0.08*(a[qALU1PS]+a[qALU1CS]), 0.05*(a[qALU0PS]+a[qALU0CS]+a[qALU0VS])
	a[qBarrier] = core * p.barrier
	zero := a[qALU0VS] + a[qALU0PS] + a[qALU0CS]
	one := a[qALU1VS] + a[qALU1PS] + a[qALU1CS]
	busy[sALU] = max(zero, one, a[qALU2]) + 0.12*min(zero, one)
	// Textures.
	a[qTex] = core * p.quads * v[sTex] / v[sRast]
	if p.stage == 1 {
		a[qTex] = core * p.quads * v[sTex] / v[sALU]
	}
	busy[sTex] = a[qTex] * p.filter
	a[qTexAcc] = a[qTex] * 1.3
	a[qTexMiss] = a[qTexAcc] * p.texMiss
	a[qTexBusy] = busy[sTex]
	// Loads and stores.
	w := v[sLSC] / v[sALU]
	a[qLSC] = core*p.lsc*w + vs*2
	a[qLSCWriteB] = core * p.lsc * w * p.lscWrite * 64
	a[qLSCReadB] = a[qLSC]*64 - a[qLSCWriteB]
	a[qLSCHit] = a[qLSC] * (1 - p.lscMiss)
	a[qLSCReadMsg], a[qLSCWriteMsg] = a[qLSCReadB]/128, a[qLSCWriteB]/128
	busy[sLSC] = a[qLSC]
	slm := core * p.slm * v[sSLM] / v[sALU]
	a[qSLMReadB], a[qSLMWriteB] = slm*0.68, slm*0.32
	a[qSLMAcc] = slm / 128
	a[qSLMConflict] = slm / 128 * (p.conflict - 1)
	busy[sSLM] = slm * p.conflict
	// Rays.
	a[qRays] = core * p.rays
	a[qSteps] = core * p.rays * p.steps * v[sRT] / v[sALU]
	a[qQuads] = a[qSteps] * 0.22
	a[qBVHMiss] = a[qSteps] * p.bvhMiss
	busy[sRT] = a[qSteps]
	// What goes to L3, in blocks of 64 bytes.
	a[qL3Tex] = a[qTexMiss]
	a[qL3LSCRead] = a[qLSCReadB]/64*p.lscMiss + a[qBVHMiss]
	a[qL3LSCWrite] = a[qLSCWriteB] / 64
	a[qICHit] = (zero + one + a[qALU2]) / 16
	a[qICMiss] = a[qICHit] * 0.002
	a[qL3IC] = a[qICMiss]
	fetch := a[qVert] * p.fetchMiss * 32 / 64
	colorRead := a[qBlend] * p.cBytes / 64
	colorWrite := a[qWrite] * p.cBytes / 64
	a[qL3Color] = colorRead + colorWrite
	a[qCompIn] = colorWrite
	a[qCompOut] = colorWrite * p.compress
	a[qL3Read] = a[qL3Tex] + a[qL3LSCRead] + a[qL3IC] + fetch + colorRead + a[qL3Z]*0.6
	a[qL3Write] = a[qL3LSCWrite] + colorWrite + a[qL3Z]*0.4
	a[qL3Atomic] = a[qL3LSCWrite] * 0.01
	all := a[qL3Read] + a[qL3Write]
	a[qL3Miss] = all * p.l3Miss
	a[qL3Hit] = all - a[qL3Miss]
	hit := 1 - p.l3Miss
	a[qL3TexHit], a[qL3LSCHit] = a[qL3Tex]*hit, (a[qL3LSCRead]+a[qL3LSCWrite])*hit
	a[qL3ColorHit], a[qL3ZHit] = a[qL3Color]*hit, a[qL3Z]*hit
	a[qMemRead] = a[qL3Read] * p.l3Miss * 64
	a[qMemWrite] = a[qL3Write]*p.l3Miss*64*0.5*(1+p.compress) + a[qL3Write]*0.02*64
	a[qTLB] = a[qL3Miss] * 0.01
	a[qURBRead], a[qURBWrite] = a[qVert]*1.1+vs, a[qVert]*1.4+vs
	busy[sL3] = all
	busy[sMem] = a[qMemRead] + a[qMemWrite]
	a[qThreads] = c.threads
	if p.stage == 1 {
		a[qGroups] = core / p.group
		a[qKernels] = c.launches
	} else {
		a[qDraws] = c.launches * 6
	}
	c.slots = m.xves() * threads * p.occupancy
	c.burst = p.burst
	c.latClock = p.rounds*m.latCore + 60
	c.latNs = p.rounds * p.deep * m.latDRAM
	m.finish(c, eff, &busy)
	return c
}

// front is what stages of fixed function do for a part of a draw: the threads of vertices and of pixels.
func (m *machine) front(p *pass, a *[nQuantity]float64, busy *[nStation]float64, share float64, v *[nStation]float64) (vs, ps float64) {
	a[qVert] = p.verts * share * v[sVF]
	a[qPrimIn] = p.prims * share * v[sVF]
	a[qPrimCull] = a[qPrimIn] * p.culled * 0.55
	a[qPrimClip] = a[qPrimIn] * p.clipped
	a[qPrimOut] = a[qPrimIn] - a[qPrimCull]
	a[qStripObj] = a[qPrimOut]
	a[qStripCull] = a[qPrimIn] * p.culled * 0.45
	left := a[qStripObj] - a[qStripCull]
	blocks := left * p.blocks * v[sRast] / v[sVF]
	a[qSamples] = blocks * p.cover
	s := a[qSamples]
	a[qHZFail], a[qHZPass] = s*p.hzFail, s*p.hzPass
	a[qHZAmbig] = s - a[qHZFail] - a[qHZPass]
	early := (s - a[qHZFail]) * (1 - p.late)
	a[qEZFail] = a[qHZAmbig] * (1 - p.late) * p.ezFail
	lit := s - a[qHZFail] - a[qEZFail]
	a[qLitEarly], a[qLitLate] = (early-a[qEZFail])/4, (lit-early+a[qEZFail])/4
	a[qKill] = lit * p.kill
	a[qAlpha] = a[qKill] * 0.1
	a[qPostFail] = a[qLitLate] * 4 * 0.3
	out := max(0, lit-a[qKill]-a[qPostFail]) * p.writes
	a[qWrite] = out
	a[qBlend] = out * p.blend
	a[qL3Z] = s * p.zBytes / 64
	busy[sVF] = a[qVert]
	busy[sClip] = a[qPrimIn] + 7*a[qPrimClip]
	busy[sSetup] = left + 0.3*a[qStripCull]
	busy[sRast] = blocks
	busy[sHZ] = blocks * (0.9 + 2.2*p.hzFail)
	busy[sIZ] = a[qHZAmbig] + 0.15*a[qHZPass]
	busy[sPB] = (a[qWrite] + a[qBlend]) * p.wide
	vs = a[qVert] / 16 * 0.6 // vertices that several primitives share are shaded once
	ps = lit / 16 / 0.88     // lanes of blocks at edges are empty
	if p.writes == 0 && p.alu0 == 0 {
		ps = 0 // depth alone needs no thread
	}
	return vs, ps
}

func (m *machine) copyChunk(p *pass, c *chunk, share float64) {
	a := &c.amounts
	bytes := p.copied * share
	a[qCopyRead], a[qCopyWrite] = bytes/64, bytes/64
	a[qL3Read], a[qL3Write] = bytes/64, bytes/64
	a[qL3Miss] = (a[qL3Read] + a[qL3Write]) * 0.97
	a[qL3Hit] = a[qL3Read] + a[qL3Write] - a[qL3Miss]
	a[qMemRead], a[qMemWrite] = a[qL3Read]*64*0.97, a[qL3Write]*64*0.97
	a[qTLB] = a[qL3Miss] * 0.01
	c.threads = bytes / 4096 // a thread stands for a request of the copy engine
	c.slots = 96
	c.latClock, c.latNs = m.latCore, m.latDRAM*2
}

// finish makes demands out of clocks at the peak.
func (m *machine) finish(c *chunk, eff *[nStation]float64, busy *[nStation]float64) {
	if c.stage == 2 {
		busy[sMem] = c.amounts[qMemRead] + c.amounts[qMemWrite]
	}
	c.threads = max(1, c.threads)
	if c.burst < 1 {
		c.burst = 1
	}
	for k := range nStation {
		if k == sLat {
			continue
		}
		c.amounts[qBusy+k] = busy[k]
		c.demand[k] = busy[k] / m.peak[k] / eff[k]
		if k < nCore {
			c.demand[k] /= c.threads
		}
	}
}
