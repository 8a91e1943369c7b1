package intel

import (
	"astrolabe/capture/simulate"
)

// times are how long each unit needs for a pass at the highest clock, and memory with it.
func (a *artist) times(p *pass) (t [numUnits]float64, memory float64) {
	r := noRelief()
	g := &gpu{m: a.m, r: &r}
	eus := float64(a.m.eus) * a.m.euShare
	for u := range t {
		t[u] = p.clk[u] / a.m.maxGHz
	}
	t[unVS] /= eus
	t[unEU] /= eus
	slots := float64(a.m.eus*a.m.threads) * p.fills
	if p.threads > 0 {
		t[unLat] = (p.threads*p.trips*g.trip(p) + p.clk[unEU]*1.5/a.m.maxGHz) / slots
	}
	lines := 0.0
	for s := range p.read {
		lines += p.read[s] + p.write[s]
	}
	return t, lines * 64 * (1 - a.m.llcHits) / a.m.bandwidth
}

// lines multiplies the traffic of all stages.
func (p *pass) lines(k float64) {
	for s := range p.read {
		p.read[s] *= k
		p.write[s] *= k
		for e := evCsRead; e <= evRing; e++ {
			p.count[s][e] *= k
		}
	}
}

// emphasize makes a unit need longer for a pass than all others, by a factor.
func (a *artist) emphasize(p *pass, c simulate.Candidate, factor float64) {
	t, memory := a.times(p)
	most := 0.0
	for u, v := range t {
		if leafOf[u] != c {
			most = max(most, v)
		}
	}
	if c == simulate.MemoryBandwidth {
		p.lines(max(1, factor*most/memory))
		return
	}
	for u := range t {
		if leafOf[u] != c || t[u] == 0 {
			continue
		}
		k := max(1, factor*most/t[u])
		if unit(u) == unLat {
			p.trips *= k
		} else {
			p.clk[u] *= k
		}
		most = max(most, 0.9*t[u]*k)
	}
	if memory > 0.5*most {
		p.lines(0.5 * most / memory)
	}
}

// planted is a pass that a candidate limits, made of content that stresses it.
func (a *artist) planted(c simulate.Candidate) *pass {
	var p *pass
	switch c {
	case arithmetic:
		if a.chance(0.5) {
			g := a.matrix("kernel")
			g.slmReads, g.slmWrites = 0, 0
			p = a.dispatch(g)
		} else {
			d := a.scenery("long shaders")
			d.samples, d.verts, d.draws = a.of(0.5, 2), a.log(2e4, 1e5), a.of(50, 300)
			p = a.render(d)
		}
	case texture:
		d := a.screen("filter", 1)
		if a.chance(0.5) {
			d = a.scenery("anisotropic")
			d.verts, d.draws = a.log(2e4, 1e5), a.of(50, 300)
		}
		d.samples, d.texCost, d.psInstr, d.texLine = a.of(6, 16), a.of(2, 6), a.of(15, 50), a.of(0.03, 0.1)
		p = a.render(d)
	case loadStore:
		g := a.kernel("gather")
		g.loads, g.instr, g.l3Miss, g.miss, g.trips = a.of(40, 90), a.of(50, 120), a.of(0.01, 0.06), a.of(0.02, 0.1), a.of(0.5, 1)
		p = a.dispatch(g)
	case localMemory:
		g := a.matrix("tiles in local memory")
		g.slmReads, g.slmWrites, g.instr = a.of(80, 200), a.of(20, 60), a.of(80, 250)
		p = a.dispatch(g)
	case vertexFetch, clipper, setup:
		d := a.scenery("dense geometry")
		d.verts, d.overdraw, d.psInstr, d.samples, d.draws = a.log(1e6, 4e6), a.of(0.2, 0.6), a.of(8, 20), 0.5, a.of(20, 100)
		d.vsInstr, d.visible, d.attrs = a.of(10, 25), 0.8, 1.5
		switch c {
		case vertexFetch:
			d.attrs, d.visible = a.of(5, 9), a.of(0.2, 0.4)
		case clipper:
			d.visible = a.of(0.05, 0.2) // most of it outside or behind
		}
		p = a.render(d)
	case rasterizer, hierarchical, earlyDepth:
		d := a.scenery("covered")
		d.verts, d.overdraw, d.draws = a.log(2e4, 1e5), a.of(3, 9), a.of(30, 200)
		d.psInstr, d.samples = a.of(6, 15), a.of(0, 0.5)
		switch c {
		case rasterizer:
			d.hiz, d.early = a.of(0.75, 0.95), a.of(0.2, 0.6)
		case hierarchical:
			d.hiz, d.early, d.verts = a.of(0.85, 0.97), a.of(0.2, 0.6), a.log(2e5, 8e5)
		case earlyDepth:
			d.hiz, d.early, d.msaa, d.stencil = a.of(0, 0.2), a.of(0.6, 0.9), a.of(2, 4), a.of(1, 2)
		}
		p = a.render(d)
	case pixelBackend:
		d := a.particles()
		d.bytes = a.of(8, 16)
		d.psInstr, d.samples = a.of(4, 12), a.of(0.5, 1)
		p = a.render(d)
	case simulate.MemoryBandwidth:
		if a.chance(0.5) {
			p = a.dispatch(a.stream("copy"))
		} else {
			d := a.screen("large textures", 1)
			d.samples, d.texLine, d.texMiss, d.psInstr = a.of(2, 6), a.of(0.6, 1.5), a.of(0.7, 1), a.of(10, 25)
			p = a.render(d)
		}
	case simulate.MemoryLatency:
		g := a.kernel("list walk")
		g.trips, g.miss, g.instr, g.loads, g.l3Miss = a.of(12, 40), a.of(0.5, 1), a.of(30, 90), a.of(6, 16), a.of(0.2, 0.6)
		p = a.dispatch(g)
		p.fills = a.of(0.3, 0.8) // registers leave room for few threads
	case cache:
		g := a.kernel("strided reads")
		g.loads, g.instr, g.l3Miss, g.miss, g.trips = a.of(30, 60), a.of(40, 90), a.of(0.01, 0.06), 0.05, 0.6
		g.skew = a.of(2, 3.5) // strides that fall on few banks
		p = a.dispatch(g)
	case simulate.LaunchOverhead:
		if a.chance(0.5) {
			d := a.interfaces(0.1)
			d.draws = a.log(3000, 12000)
			p = a.render(d)
		} else {
			g := a.kernel("tiny dispatches")
			g.threads, g.dispatches = a.log(2e3, 1e4), a.log(200, 1500)
			p = a.dispatch(g)
		}
	}
	a.emphasize(p, c, a.of(1.7, 3))
	return p
}
