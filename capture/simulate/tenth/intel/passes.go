package intel

import "astrolabe/capture/simulate"

// drawn and those below draw passes of a kind. All amounts are those of content for a part of a millisecond or so; sized scales them.
const mega = 1e6

func drawn(r simulate.Random, name string) pass {
	return pass{name: name, verts: r.Log(0.1, 0.5) * mega, prims: r.Log(0.08, 0.3) * mega, culled: r.Between(0.3, 0.6),
		clipped: r.Between(0, 0.01), blocks: r.Between(1, 3), cover: r.Between(9, 22), hzFail: r.Between(0.1, 0.45),
		hzPass: r.Between(0.1, 0.3), ezFail: r.Between(0.05, 0.3), kill: r.Between(0, 0.03), writes: 1,
		blend: r.Between(0, 0.1), wide: 1, vsALU: r.Between(40, 120), zBytes: r.Between(0.4, 1.2), cBytes: 4,
		alu0: r.Between(30, 70), alu1: r.Between(10, 30), send: r.Between(4, 9), quads: r.Between(6, 14),
		filter: r.Between(1, 1.6), texMiss: r.Between(0.04, 0.12), lsc: r.Between(1, 3), lscWrite: 0,
		lscMiss: r.Between(0.1, 0.4), conflict: 1, l3Miss: r.Between(0.15, 0.4), occupancy: r.Between(0.6, 0.95),
		rounds: r.Between(2, 4), deep: r.Between(0.1, 0.3), launches: 1, group: 4, compress: r.Between(0.4, 0.8),
		spread: r.Between(0.1, 0.25), chunks: r.Whole(3, 6), burst: r.Log(6, 40), fetchMiss: r.Between(0.3, 0.8)}
}

func kernel(r simulate.Random, name string) pass {
	return pass{name: name, stage: 1, items: r.Log(0.1, 0.3) * mega, alu0: r.Between(80, 300), alu1: r.Between(30, 120),
		send: r.Between(6, 20), lsc: r.Between(8, 24), lscWrite: r.Between(0.1, 0.4), lscMiss: r.Between(0.15, 0.45),
		slm: 0, conflict: 1, texMiss: r.Between(0.04, 0.12), filter: 1, l3Miss: r.Between(0.15, 0.4),
		occupancy: r.Between(0.6, 1), rounds: r.Between(3, 8), deep: r.Between(0.1, 0.3), launches: 1,
		group: simulate.Pick(r, 4.0, 8, 16), compress: r.Between(0.6, 1), spread: r.Between(0.08, 0.25),
		chunks: r.Whole(2, 5), burst: r.Log(6, 40), barrier: r.Between(0, 2)}
}

// limited draws a pass of which one station is meant to limit: content in which that station has the most to do. What
// it makes is checked by solving it.
func limited(r simulate.Random, k int, compute bool) pass {
	if k == sALU && r.Chance(0.5) || k == sLSC || k == sSLM || k == sL3 || compute || (k == sMem || k == sLat) && r.Chance(0.5) {
		p := kernel(r, "")
		switch k {
		case sALU:
			p.name, p.alu0, p.lsc = simulate.Pick(r, "matrix multiply", "particles", "lighting"), r.Between(500, 1200), r.Between(4, 10)
			if r.Chance(0.3) {
				p.alu2, p.name = p.alu0*r.Between(0.9, 1.2), "inference"
			}
		case sTex:
			p.name, p.quads, p.filter = simulate.Pick(r, "resize", "warp", "denoise"), r.Between(60, 140), r.Between(1, 2.5)
			p.alu0, p.alu1, p.texMiss, p.lsc, p.send = r.Between(60, 150), r.Between(20, 50), r.Between(0.02, 0.05), r.Between(2, 5), 40
		case sRT:
			return traced(r)
		case sLSC:
			p.name, p.lsc, p.lscMiss, p.alu0, p.alu1 = "gather", r.Between(60, 120), r.Between(0.02, 0.06), r.Between(60, 140), r.Between(30, 60)
			p.lscWrite, p.l3Miss, p.rounds, p.occupancy = r.Between(0.005, 0.03), r.Between(0.05, 0.2), r.Between(1, 3), r.Between(0.75, 1)
		case sSLM:
			p.name, p.slm, p.lsc, p.barrier = simulate.Pick(r, "transpose", "reduction", "blur"), r.Between(4000, 9000), r.Between(3, 6), r.Between(4, 12)
			p.conflict = r.Between(1, 2.5)
		case sL3:
			p.name, p.lsc, p.lscMiss, p.l3Miss = "stencil", r.Between(50, 90), r.Between(0.75, 0.95), r.Between(0.005, 0.02)
			p.alu0, p.alu1 = r.Between(60, 120), r.Between(20, 60)
			p.deep, p.occupancy = 0.02, r.Between(0.85, 1)
		case sMem:
			p.name, p.lsc, p.lscMiss, p.l3Miss = simulate.Pick(r, "copy", "stream", "reduce"), r.Between(20, 50), r.Between(0.8, 1), r.Between(0.75, 1)
			p.alu0, p.alu1, p.occupancy, p.deep = r.Between(40, 100), r.Between(10, 40), r.Between(0.85, 1), 0.8
			p.rounds = r.Between(2, 4)
		case sLat:
			p.name, p.rounds, p.deep, p.occupancy = simulate.Pick(r, "linked list", "tree walk", "hash"), r.Between(60, 120), r.Between(0.4, 0.9), r.Between(0.12, 0.35)
			p.alu0, p.alu1, p.lsc, p.lscMiss, p.l3Miss = r.Between(100, 300), r.Between(80, 200), r.Between(60, 120), r.Between(0.3, 0.6), r.Between(0.3, 0.5)
			p.lscWrite = 0.02
		}
		return p
	}
	p := drawn(r, "")
	few := func() { p.verts, p.prims, p.blocks = 0.05*mega, 0.02*mega, r.Between(20, 60) }
	light := func() {
		p.alu0, p.alu1, p.quads, p.lsc, p.send = r.Between(5, 10), r.Between(1, 4), r.Between(0.3, 1), 0.5, 2
		p.rounds, p.occupancy, p.vsALU = 1, 0.95, r.Between(20, 40)
		p.texMiss, p.l3Miss, p.zBytes = 0.03, 0.1, 0.3
	}
	switch k {
	case sALU:
		few()
		p.name, p.alu0, p.alu1, p.quads = simulate.Pick(r, "shading", "post", "ambient occlusion"), r.Between(250, 600), r.Between(80, 250), r.Between(4, 10)
	case sTex:
		few()
		p.name, p.quads, p.filter = simulate.Pick(r, "terrain", "upscale", "depth of field", "bloom"), r.Between(24, 60), r.Between(1.8, 3.5)
		p.alu0, p.alu1, p.texMiss = r.Between(50, 120), r.Between(15, 50), r.Between(0.02, 0.06)
	case sRT:
		return traced(r)
	case sMem:
		few()
		light()
		p.name, p.writes, p.wide, p.cBytes, p.compress, p.l3Miss = "g-buffer resolve", 1, 0.5, r.Between(12, 16), r.Between(0.95, 1), r.Between(0.85, 1)
		p.quads, p.texMiss = r.Between(4, 8), r.Between(0.3, 0.5)
		p.blend, p.deep = r.Between(0.6, 0.9), 0.7
	case sLat:
		few()
		p.name, p.rounds, p.deep, p.occupancy = simulate.Pick(r, "parallax", "screen-space reflections"), r.Between(40, 90), r.Between(0.3, 0.7), r.Between(0.12, 0.3)
		p.quads, p.filter, p.texMiss = r.Between(14, 30), 1, r.Between(0.1, 0.2)
	case sVF:
		light()
		p.name, p.verts, p.prims, p.culled = simulate.Pick(r, "crowd", "foliage"), 3*mega, 0.8*mega, r.Between(0.5, 0.8)
		p.vsALU, p.blocks = r.Between(10, 25), r.Between(0.5, 0.9)
	case sClip:
		light()
		p.name, p.verts, p.prims, p.culled, p.clipped = simulate.Pick(r, "cascades", "shadow volumes"), 1.2*mega, 1.1*mega, r.Between(0.65, 0.85), r.Between(0.08, 0.2)
		p.vsALU, p.blocks = r.Between(10, 25), r.Between(0.5, 0.9)
	case sSetup:
		light()
		p.name, p.verts, p.prims, p.culled, p.clipped = "fine geometry", 0.7*mega, 1.1*mega, r.Between(0, 0.04), 0
		p.vsALU, p.blocks, p.cover = r.Between(10, 25), r.Between(0.3, 0.5), r.Between(3, 6)
		p.clipped = 0
	case sRast:
		light()
		p.name, p.verts, p.prims, p.blocks, p.cover = simulate.Pick(r, "grass", "hair", "wires"), 0.25*mega, 0.3*mega, r.Between(5, 9), r.Between(3, 6)
		p.hzFail, p.hzPass = 0.05, r.Between(0.4, 0.6)
		p.culled = r.Between(0.2, 0.4)
	case sHZ:
		few()
		light()
		p.name, p.cover = simulate.Pick(r, "occluded city", "depth prepass"), r.Between(26, 31)
		p.hzFail, p.hzPass, p.blocks = r.Between(0.85, 0.95), r.Between(0.01, 0.04), r.Between(30, 80)
	case sIZ:
		few()
		light()
		p.name, p.cover = simulate.Pick(r, "shadow maps", "stencil"), r.Between(26, 31)
		p.hzFail, p.hzPass, p.ezFail, p.writes, p.kill = r.Between(0.01, 0.05), r.Between(0, 0.03), r.Between(0.6, 0.8), 1, 0
		p.alu0, p.alu1, p.quads, p.rounds = 3, 1, 0, 0.4
		if r.Chance(0.5) { // depth alone
			p.alu0, p.alu1, p.writes, p.send, p.lsc, p.ezFail = 0, 0, 0, 0, 0, r.Between(0.1, 0.6)
		}
	case sPB:
		few()
		light()
		p.name, p.cover = simulate.Pick(r, "particles", "smoke", "interface"), r.Between(24, 30)
		p.hzFail, p.hzPass, p.ezFail, p.blend = 0.02, r.Between(0.7, 0.9), 0.05, r.Between(0.8, 1)
		p.wide, p.compress, p.l3Miss = r.Between(1.3, 2), r.Between(0.3, 0.5), r.Between(0.02, 0.08)
	}
	return p
}

func traced(r simulate.Random) pass {
	p := kernel(r, simulate.Pick(r, "reflections", "global illumination", "traced shadows"))
	p.rays, p.steps, p.bvhMiss = r.Between(12, 16), r.Between(24, 60), r.Between(0.01, 0.03)
	p.alu0, p.alu1, p.lsc = r.Between(60, 200), r.Between(40, 100), r.Between(6, 14)
	return p
}

// sized scales a pass so that it takes a time when it runs alone at the highest clock.
func (m *machine) sized(p pass, eff *[nStation]float64, ns float64) pass {
	for range 4 {
		var v [nStation]float64
		for k := range v {
			v[k] = 1
		}
		c := m.chunk(&p, eff, 1, &v)
		s := normal()
		f, _ := solve(c, nil, &s, nil, m.maxMHz)
		by := ns / f.time
		p.verts, p.prims, p.items, p.copied = p.verts*by, p.prims*by, p.items*by, p.copied*by
	}
	return p
}

// soloLimiter is the station that sets the pace of a pass that runs alone, and how much.
func (m *machine) soloLimiter(p *pass, eff *[nStation]float64) (k int, much float64) {
	var v [nStation]float64
	for k := range v {
		v[k] = 1
	}
	c := m.chunk(p, eff, 1, &v)
	s := normal()
	f, _ := solve(c, nil, &s, nil, m.maxMHz)
	pace(&f, c, nil, &s, nil, m.maxMHz)
	for i, x := range f.set {
		if x > much {
			k, much = i, x
		}
	}
	return k, much
}

// planted draws passes until one is limited by what it is meant to be; most are at once.
func (m *machine) planted(r simulate.Random, k int, compute bool, eff *[nStation]float64, least float64) pass {
	best, most := pass{}, -1.0
	for range 24 {
		p := limited(r, k, compute)
		got, much := m.soloLimiter(&p, eff)
		if got != k {
			much = 0
		}
		if much > most {
			best, most = p, much
		}
		if much >= least {
			break
		}
	}
	return best
}
