package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// shader is what a wave of 32 lanes of some stage does.
type shader struct {
	waves  float64
	alu    float64 // instructions
	tex    float64 // samples of textures, as instructions
	filter float64 // clocks of a sample by those of a bilinear one
	loads  float64 // instructions that load or store without a sampler
	stores float64
	lines  float64 // lines of 128 bytes that one of them touches
	lds    float64 // instructions of local memory
	banks  float64 // clocks more for each, by conflicts
	deps   float64 // accesses that wait for each other
	held   float64 // share of the slots for waves that registers and local memory let it use
}

// work is a pass: one draw or dispatch, or many alike.
type work struct {
	label   string
	compute bool

	verts, prims float64
	cull, clip   float64 // shares of the primitives
	quads        float64 // that cover something
	hiz, early   float64 // shares of the quads that the coarse and the fine depth test reject
	tess         bool    // primitives are tessellated
	late         bool    // depth is tested after shading
	tests        float64 // times the usual cost of a depth test
	vs, ps       shader  // ps is that of compute too
	keeps        float64 // share of what colour and depth blocks move that stays in L2 or is compressed away
	targets      float64 // colour targets
	format       float64 // clocks of a pixel in a colour block, by those of 4 bytes
	bytes        float64 // of a pixel in all targets
	blend        bool
	zwrite       bool

	l0, l1, l2, last float64 // shares of requests that caches answer
	rays             float64 // tests of rays with boxes and triangles, in a wave
	draws            float64 // commands
	overhead         float64 // ns of each, before and after
	eff              [servers]float64
	missing          float64 // packets' requests that may be under way, as a share of those in flight
	lanes            float64 // share of lanes that are switched on
	spread           float64
	seed             uint64
}

// quad pixels and others by the blocks that see them.
func (w *work) tested() float64     { return w.quads * (1 - w.hiz) }
func (w *work) shaded() float64     { return w.tested() * (1 - w.early) }
func (w *work) survive() float64    { return w.prims * (1 - w.cull) }
func (w *work) pixels() float64     { return 3.3 * w.shaded() } // some lanes of a quad cover nothing
func (s *shader) requests() float64 { return s.waves * (s.tex*4 + (s.loads+s.stores)*s.lines) }

// requests of lines of 128 bytes to the L0 caches.
func (w *work) requests() float64 { return w.vs.requests() + w.ps.requests() }

// asked is how many requests reach L1, L2 and what is behind it. Colour and depth go to L2 at once.
func (w *work) asked() (l1, l2, out float64) {
	l1 = w.requests() * (1 - w.l0)
	l2 = l1 * (1 - w.l1)
	out = l2*(1-w.l2) + w.leaves()/128
	return l1, l2 + w.output()/128, out
}

// leaves are the bytes of colour and depth that go to memory.
func (w *work) leaves() float64 { return w.output() * (1 - w.keeps) }

// output are the bytes that colour and depth blocks move.
func (w *work) output() float64 {
	r, c := w.depthBytes()
	a, b := w.colourBytes()
	return r + c + a + b
}

// depthBytes are read and written, compressed.
func (w *work) depthBytes() (read, written float64) {
	if w.compute {
		return 0, 0
	}
	read = w.tested() * 16 * 0.35
	if w.zwrite {
		written = w.shaded() * 16 * 0.4
	}
	return read, written
}

func (w *work) colourBytes() (read, written float64) {
	if w.compute {
		return 0, 0
	}
	written = w.pixels() * w.bytes
	if w.blend {
		read = written * 0.9
	}
	return read, written
}

// stored are the bytes that shaders write.
func (w *work) stored() float64 {
	return (w.vs.waves*w.vs.stores*w.vs.lines + w.ps.waves*w.ps.stores*w.ps.lines) * 128
}

// demand is the time in ns that each server needs for a pass, at a clock in GHz.
type demand struct {
	ge, pa, sc, db, cb float64
	alu, tex, ls, lds  [2]float64 // of vertices, and of pixels or compute
	l2, dram           [2]float64
	out                float64 // of colour and depth
	wait               [2]float64
}

func (w *work) demand(d *device, ghz float64) (x demand) {
	per := func(n, rate float64, server int) float64 { return n / (rate * ghz * w.eff[server]) }
	if !w.compute {
		x.ge = per(w.verts, d.pipes, sGE)
		x.pa = per(w.prims, d.pipes, sPA)
		// Up to 8 quads of a primitive leave a clock.
		x.sc = per(w.survive()+w.quads/8, d.pipes, sSC)
		x.db = per(w.tested()*w.tests, d.rops/2, sDB)
		x.cb = per(w.pixels()*w.format, d.rops, sCB)
	}
	l1, l2, out := w.asked()
	far := w.far(d)
	out *= 128
	mem := max(0, out-w.leaves())
	x.out = w.leaves() / far
	sum := w.requests()
	for k, s := range []*shader{&w.vs, &w.ps} {
		x.alu[k] = per(s.waves*s.alu, d.simds(), sALU)
		x.tex[k] = per(s.waves*s.tex*8*s.filter, d.cu, sTA)
		x.ls[k] = per(s.waves*((s.loads+s.stores)*(1+s.lines)+w.rays*b2f(k == 1)*4), d.cu, sTA)
		x.lds[k] = per(s.waves*s.lds*(1+s.banks), d.cu, sLDS)
		part := 0.0
		if sum > 0 {
			part = s.requests() / sum
		}
		x.l2[k] = per((l2*128-w.output()+0.3*l1*128)*part, d.channels*64, sL2)
		x.dram[k] = mem * part / far
		// A request that goes far takes some hundred ns more, whatever the clock.
		miss0, miss1, miss2 := 1-w.l0, (1-w.l0)*(1-w.l1), (1-w.l0)*(1-w.l1)*(1-w.l2)
		one := (110+90*miss0+120*miss1)/ghz + miss2*(290-130*w.last*b2f(d.mall > 0))
		x.wait[k] = s.deps * one
	}
	return x
}

// far is how many bytes move in a ns behind L2: to memory, and to the last cache where there is one.
func (w *work) far(d *device) float64 {
	memory := d.dram * 0.88 * w.eff[sDRAM]
	if d.mall == 0 {
		return memory
	}
	return min(d.dram*d.mall, memory/max(0.05, 1-w.last))
}

// beyond is the share of what memory can move at most, while it is asked for all that it gives. What the last cache
// answers does not come from memory.
func (w *work) beyond(d *device) float64 {
	return w.far(d) * (1 - w.last*b2f(d.mall > 0)) / d.dram
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// rounds is how often a packet alternates between arithmetic and memory.
const rounds = 2

// plan makes the steps of a pass's packets.
func (w *work) plan(d *device, ghz float64, r *relief, wt *[2][packets]float64, n int) *plan {
	x := w.demand(d, ghz)
	pl := &plan{n: n, weight: wt}
	k := float64(n)
	add := func(what action, at int) { pl.steps = append(pl.steps, step{what: what, at: at}) }
	does := func(at int, c cand, ns float64, shader bool) {
		if ns > 0 {
			pl.steps = append(pl.steps, step{serve, at, c, ns * r.with(c) / k, shader})
		}
	}
	overhead := w.overhead * w.draws * r.with(launch)
	pl.front, pl.back = 0.7*overhead, 0.3*overhead
	pl.room = [pools]int{pVS: 4, pParam: 7, pSC: 2, pDB: 3, pPS: 4, pCB: 3, pMiss: n}
	shade := func(stage int, s *shader, slots int) {
		// As many packets are in flight as their waves have slots; with fewer than some, each stands for more.
		fit := d.slots() * s.held * []float64{0.3, 1}[stage] / max(1, s.waves/k)
		inFlight := min(n, max(4, int(fit+0.5)))
		pl.room[slots] = inFlight
		delay := x.wait[stage] * max(1, float64(inFlight)/max(0.05, fit)) / rounds
		pl.room[pMiss] = max(2, int(w.missing*float64(inFlight)+0.5))
		if w.asksMore(s, d) {
			pl.room[pMiss] = min(pl.room[pMiss], inFlight-1)
		}
		asks := s.requests() > 0
		for range rounds {
			does(sALU, arithmetic, x.alu[stage]/rounds, true)
			does(sLDS, localMemory, x.lds[stage]/rounds, true)
			if !asks {
				continue
			}
			add(take, pMiss)
			does(sTA, texture, x.tex[stage]/rounds, true)
			does(sTA, loadStore, x.ls[stage]/rounds, true)
			add(ask, 0)
			does(sL2, cache, x.l2[stage]/rounds, true)
			does(sDRAM, bandwidth, x.dram[stage]/rounds, true)
			pl.steps = append(pl.steps, step{what: wait, c: latency, ns: delay * r.with(latency)})
			add(answered, 0)
			add(give, pMiss)
		}
	}
	if w.compute {
		add(take, pPS)
		add(begin, 1)
		shade(1, &w.ps, pPS)
		add(end, 1)
		add(give, pPS)
		return pl
	}
	add(take, pParam)
	// Waves start while the packet is still being fetched, and pixel waves while it is rasterized.
	add(begin, 0)
	does(sGE, vertexFetch, x.ge, false)
	add(take, pVS)
	shade(0, &w.vs, pVS)
	add(end, 0)
	add(give, pVS)
	add(take, pSC)
	does(sPA, assembly, x.pa, false)
	add(take, pDB)
	add(give, pSC)
	if w.ps.waves > 0 {
		add(begin, 1)
	}
	does(sSC, rasterizer, x.sc, false)
	add(give, pParam)
	if !w.late {
		does(sDB, depth, x.db, true)
	}
	if w.ps.waves > 0 {
		add(take, pPS)
		add(give, pDB)
		shade(1, &w.ps, pPS)
		add(take, pCB)
		add(end, 1)
		add(give, pPS)
	} else {
		add(take, pCB)
		add(give, pDB)
	}
	if w.late {
		does(sDB, depth, x.db, true)
	}
	does(sCB, backend, x.cb, true)
	add(ask, 0)
	does(sDRAM, bandwidth, x.out, true)
	add(answered, 0)
	add(give, pCB)
	return pl
}

// asksMore reports whether the waves that are in flight ask for more lines at once than L0 caches have, each of which can be
// under way once: the texture addressers then wait. A compute unit's has 16 KiB, 32 KiB since RDNA 3.
func (w *work) asksMore(s *shader, d *device) bool {
	lines := 128 * d.cu
	if d.gfx() == "gfx11" {
		lines *= 2
	}
	inFlight := min(s.waves, d.slots()*s.held)
	return inFlight*(s.tex*4+(s.loads+s.stores)*s.lines)/max(1, s.deps)*(1-w.l0) > lines
}

// size is the number of packets that a pass is cut into: small ones are of few waves.
func (w *work) size() int {
	n := (w.ps.waves + w.vs.waves + w.prims/64) / 6
	return int(min(packets, max(4, n)))
}

// run simulates a pass at a clock in GHz.
func (w *work) run(p *pipe, d *device, ghz float64, r *relief) *result {
	n := w.size()
	wt := weights(simulate.NewRandom(w.seed, "packets"), n, w.spread)
	return p.run(w.plan(d, ghz, r, wt, n))
}

// scale multiplies how much of everything there is.
func (w *work) scale(by float64) {
	for _, x := range []*float64{&w.verts, &w.prims, &w.quads, &w.vs.waves, &w.ps.waves} {
		*x = math.Max(*x*by, math.Min(*x, 1))
	}
}
