package amd

import "astrolabe/capture/simulate"

// Resources of the line.
const (
	rGE = iota
	rPA
	rSC
	rDB
	rCB
	rVALU
	rTA
	rLDS
	rCache
	rMem
	resources
)

// relief says how long each candidate's work takes, as a share of what it takes.
type relief [leaves]float64

// relieved is half as fast again for one candidate, as in every model; for none with -1.
func relieved(leaf int) (r relief) {
	for i := range r {
		r[i] = 1
	}
	if leaf >= 0 {
		r[leaf] = 1 / simulate.Faster
	}
	return r
}

// work is what a stage of shaders asks for, per draw, in ns of the whole machine.
type work struct {
	on      bool
	of      [resources]float64 // with what is lost where phases of several units collide
	bare    [resources]float64
	texture float64         // share of the addresser's time
	by      [leaves]float64 // ns of a wave that is alone, by what it waits for
	alone   float64         // all of them
	slots   float64         // chunks that fit
	long    float64         // how many times a wave's life a chunk lasts at least, where it is more waves than fit
	req0    float64         // requests to the caches
	req1    float64
	req2    float64
	miss2   float64
	read    float64 // bytes
	written float64
	spread  float64 // share of the compute units that have a wave
}

// demand is what a draw asks of a machine.
type demand struct {
	ghz        float64
	launch     float64
	vs, ps, cs work
	ge, pa     float64
	sc, db, cb float64
	paOut      float64 // ns of the primitives that leave assembly
	dbMem      float64 // ns of the memory
	cbMem      float64
	dbRead     float64
	dbWrite    float64
	cbRead     float64
	cbWrite    float64
	toVS       int // chunks that fit between stages
	toSC       int
	toPS       int
	toCB       int
}

// memTime is how long the memory takes for bytes, of which a share is in the cache behind L2.
func (m *machine) memTime(bytes, mall, eff float64) float64 {
	if m.mall == 0 {
		mall = 0
	}
	return max(bytes*(1-mall)/(m.dram*m.dramEff*eff), bytes/m.mallBW)
}

func (m *machine) work(d *draw, s *shader, r *relief) (w work) {
	if s.waves <= 0 {
		return w
	}
	ghz := m.clock * d.clock
	w.on = true
	groups := s.waves
	if d.compute {
		groups = max(1, s.waves*32/max(32, s.group))
	}
	w.spread = min(1, max(1, groups)/m.cus)
	cus := m.cus * w.spread
	n := s.waves
	valu := n * s.valu / (2 * cus * (1 + m.dual) * ghz)
	tex := n * (s.tex*s.texClocks + s.rays*2) / (cus * ghz)
	ls := n * (s.load + s.store) * max(s.lsClocks, s.lines) / (cus * ghz)
	w.req0 = n * ((s.load+s.store)*s.lines + s.tex*4 + s.rays*2)
	stores := n * s.store * s.lines
	loads := w.req0 - stores
	w.req1 = loads*(1-s.hit0) + stores
	w.req2 = loads*(1-s.hit0)*(1-s.hit1) + stores
	if m.generation == gfx12 {
		w.req1 = 0
		w.req2 = loads*(1-s.hit0)*(1-s.hit1*0.6) + stores
	}
	reads := w.req2 - stores
	w.read = reads * (1 - s.hit2) * s.fetch
	w.written = stores * (1 - 0.5*s.hit2) * 128 / max(1, s.lines/4)
	w.miss2 = reads*(1-s.hit2) + stores*(1-0.5*s.hit2)
	cache := max(w.req1*128/(m.engines*2*256*ghz), w.req2*128/(m.slices*m.l2Bytes*ghz))
	w.bare[rVALU] = valu * r[arithmetic]
	w.bare[rTA] = tex*r[texture] + ls*r[loadStore]
	w.bare[rLDS] = n * s.lds * s.ldsClocks * (1 + s.conflict) / (cus * ghz) * r[localMemory]
	w.bare[rCache] = cache * r[cacheRate]
	w.bare[rMem] = m.memTime(w.read+w.written, s.mall, d.eff) * r[bandwidth]
	if t := w.bare[rTA]; t > 0 {
		w.texture = tex * r[texture] / t
	}
	for i := range w.of {
		other := 0.0
		for j := range w.bare {
			if j != i {
				other = max(other, min(w.bare[j], w.bare[i]))
			}
		}
		w.of[i] = w.bare[i] + s.clash*other
	}
	miss0 := 1 - s.hit0
	miss2 := 1 - s.hit2
	lat := m.latL0 + miss0*(m.latL2+miss2*m.latMem*(1-0.45*s.mall))
	w.by[latency] = s.rounds * lat * r[latency]
	w.by[arithmetic] = s.valu * s.ilp / ghz * r[arithmetic]
	w.by[localMemory] = (s.lds*s.ldsClocks*(1+s.conflict)*4 + 30*min(1, s.lds)) / ghz * r[localMemory]
	w.by[texture] = (s.tex*s.texClocks + s.rays*2) / ghz * r[texture]
	w.by[loadStore] = (s.load + s.store) * max(s.lsClocks, s.lines) / ghz * r[loadStore]
	for _, t := range w.by {
		w.alone += t
	}
	fit := cus * 2 * s.occupancy
	per := n / chunks
	w.slots = fit / per
	w.long = 1
	if w.slots < 2 {
		w.long, w.slots = 2/w.slots, 2
	}
	return w
}

// demandOf works out what a draw asks for.
func (m *machine) demandOf(d *draw, r *relief) (q demand) {
	ghz := m.clock * d.clock
	q.ghz = ghz
	q.launch = (d.launch + m.front) * 1000 * r[launch]
	if d.compute {
		q.cs = m.work(d, &d.cs, r)
		return q
	}
	q.vs, q.ps = m.work(d, &d.vs, r), m.work(d, &d.ps, r)
	e := m.engines * ghz
	q.ge = max(d.prims/(m.geRate*e), d.verts/(1.6*m.geRate*e)) * r[vertexFetch]
	left := d.prims * (1 - d.culled)
	q.paOut = left / e
	q.pa = (max(d.prims/(m.cullRate*e), q.paOut) + d.prims*d.clipped*m.clipClocks/e) * r[primitiveAssembly]
	kept := d.quads * (1 - d.hiz)
	// A primitive takes a clock even where it covers little; tiles that the coarse test rejects go four times as fast.
	q.sc = max(left*1.05, (kept+(d.quads-kept)/4)/m.quadRate+left*0.35) / e * r[rasterizer]
	if d.depth {
		tests := kept
		q.db = (tests*4*d.samples*d.zClocks/(m.rops*m.zRate) + (d.quads-kept)/(m.rops*2)) / ghz * r[depthTest]
		bytes := tests * d.zBytes
		q.dbRead, q.dbWrite = bytes*0.45, bytes*0.55
		q.dbMem = m.memTime(bytes, d.mall, d.eff) * r[bandwidth]
	}
	if d.colors() {
		pixels := d.out() * 4 * d.targets
		q.cb = pixels * d.cbClocks * max(1, d.samples*0.5) / (m.rops * ghz) * r[pixelBackend]
		q.cbWrite = pixels * d.bytes * d.compressed
		if d.blend {
			q.cbRead = q.cbWrite * 0.9
		}
		q.cbMem = m.memTime(q.cbRead+q.cbWrite, d.mall, d.eff) * r[bandwidth]
	}
	room := func(holds, all float64) int { return int(max(1, min(6, holds/(all/chunks+1)))) }
	q.toVS = room(m.engines*1024, d.verts)
	q.toSC = room(m.engines*512, left)
	q.toPS = room(m.engines*2048, kept)
	q.toCB = room(m.rops*64, d.out())
	return q
}
