package mali

import "math/rand/v2"

// traits are how a pass does its work, beyond how much: what counters see of it.
type traits struct {
	width    float64 // cycles that the backend takes for two fragments, from 1 for 32 bits per pixel to 8
	overdraw float64 // fragments per pixel
	killed   float64 // share of the quads that no fragment is shaded of
	early    float64 // share of the killed that early depth tests kill; hidden surface removal kills the others
	late     float64 // share of the quads that are tested late
	partial  float64 // share of the quads that are covered in part
	bytes    float64 // of a pixel that are written
	texels   float64 // share of the reads from L2 that are the texture unit's
	writes   float64 // share of the traffic to memory that is written
	tileKill float64
	cvt, sfu float64 // issues of these pipes by those of the busiest
	top      int     // the busiest pipe: 0 FMA, 1 CVT, 2 SFU
	diverged float64
	full     float64 // share of the warps that are full
	regs     float64 // share of the warps that take all registers
	half     float64 // share of the varyings with 16 bits
	tri      float64 // share of the filtering that is trilinear, or of wide formats
	msgCost  float64 // filtering cycles per message of a quad
	readFull float64 // of loads and stores: shares of the issues
	readPart float64
	writFull float64
	writPart float64
	culled   float64 // share of the primitives
	reuse    float64 // of vertices
	hit      float64 // share of the traffic that misses L1 and hits L2 is implied; this is the share of TLB hits
	slot     float64 // issues of the second slot by those of the first
	boxes    bool    // more tests of boxes than of triangles
	coherent float64 // share of the nodes that many rays test at once
	far      float64 // how long its accesses to memory take, by the usual
	blend    float64 // share of the fragments that a shader blends
}

func newTraits(r *rand.Rand) traits {
	t := traits{width: 1, overdraw: between(r, 1.05, 2.4), killed: between(r, 0.1, 0.55), early: between(r, 0.2, 0.9),
		late: between(r, 0, 0.1), partial: between(r, 0.05, 0.3), bytes: pick(r, 4.0, 4, 8, 12), texels: between(r, 0.3, 0.8),
		writes: between(r, 0.2, 0.5), cvt: between(r, 0.2, 0.8), sfu: between(r, 0.05, 0.4), diverged: between(r, 0, 0.15),
		full: between(r, 0.6, 0.98), regs: between(r, 0, 0.3), half: between(r, 0.1, 0.9), tri: between(r, 0.05, 0.5),
		msgCost: between(r, 1.25, 2.6), far: between(r, 0.95, 1.2), culled: between(r, 0.3, 0.7), reuse: between(r, 0.4, 0.8), hit: between(r, 0.9, 0.99)}
	t.slot, t.boxes, t.coherent = between(r, 0.5, 0.95), r.IntN(3) > 0, between(r, 0.1, 0.8)
	if r.IntN(3) == 0 {
		t.tileKill = between(r, 0, 0.3)
	}
	if r.IntN(6) == 0 {
		t.blend = between(r, 0.05, 0.6)
	}
	if r.IntN(4) == 0 {
		t.top = 1 + r.IntN(2)
	}
	a, b, c, d := between(r, 0.3, 1), between(r, 0.05, 0.5), between(r, 0.1, 0.4), between(r, 0.02, 0.2)
	all := (a + b + c + d) * 1.02
	t.readFull, t.readPart, t.writFull, t.writPart = a/all, b/all, c/all, d/all
	return t
}

// stations are the leaves that a pass of a kind can be limited by, besides launches.
func stations(k kindOfPass) []int {
	switch k {
	case shading:
		return []int{arithmetic, texture, varying, loadStore, rasterizer, backend, cache, bandwidth, latency}
	case geometry:
		return []int{arithmetic, loadStore, tiler, cache, bandwidth, latency}
	}
	return []int{arithmetic, texture, loadStore, cache, bandwidth, latency}
}

// usual is how busy a pass of a kind keeps a station that does not limit it.
func usual(r *rand.Rand, k kindOfPass, leaf int) float64 {
	switch leaf {
	case arithmetic:
		return between(r, 0.15, 0.6)
	case texture:
		if k == compute {
			return between(r, 0, 0.3)
		}
		return between(r, 0.1, 0.6)
	case varying:
		return between(r, 0.05, 0.35)
	case loadStore:
		return between(r, 0.1, 0.45)
	case tiler:
		return between(r, 0.2, 0.6)
	case rasterizer, backend:
		return between(r, 0.03, 0.22)
	case cache:
		return between(r, 0.12, 0.45)
	case bandwidth:
		return between(r, 0.1, 0.5)
	}
	return between(r, 0.1, 0.45)
}

// newPass draws a pass that takes about so many ns, limited by a leaf; calm says by how much less the others have to do.
func (m *machine) newPass(r *rand.Rand, name string, kind kindOfPass, ns float64, by int, calm float64) *pass {
	p := &pass{name: name, kind: kind, queue: nonFragment, like: newTraits(r), laps: 2,
		start: between(r, 9e3, 28e3), flush: between(r, 4e3, 14e3)}
	switch {
	case kind == shading:
		p.queue = fragment
	case kind == compute && m.fifth:
		p.queue = computing
	}
	p.tasks = int(max(14, min(42, ns/60e3)))
	p.slots = m.slots[p.queue]
	if p.like.regs > 0.25 {
		p.slots = p.slots * 3 / 4
	}
	if by == launch {
		// A job that is too small for its launch.
		p.start, p.flush = ns*between(r, 0.4, 0.5), ns*between(r, 0.2, 0.3)
		p.tasks, p.laps = 8, 1
		ns *= 0.22
	}
	lat := 0.0
	for _, leaf := range stations(kind) {
		u := usual(r, kind, leaf) * calm
		if leaf == by {
			u = 1
		}
		if leaf == latency {
			lat = u
			continue
		}
		p.work[leaf] = u * ns
	}
	switch by {
	case rayTracing:
		p.work[rayTracing] = ns
	case backend:
		// Most are thin shaders that blend, a few write wide formats.
		p.like.overdraw, p.like.killed = between(r, 2, 8), 0
		if r.IntN(6) > 0 {
			p.work[rasterizer] = ns * between(r, 0.45, 0.6)
		} else {
			p.like.bytes = 16
		}
	case rasterizer:
		p.like.overdraw = between(r, 1.5, 5)
	}
	if by == latency {
		p.slots = max(3, p.slots/2)
		p.like.regs, p.like.far, p.like.hit = between(r, 0.6, 0.95), between(r, 1.1, 1.8), between(r, 0.75, 0.95)
		for i := range p.work {
			p.work[i] *= 0.7
		}
	}
	p.wait = lat * ns * float64(p.slots) / float64(p.tasks)
	m.agree(p)
	p.noise = make([]float64, 29)
	for i := range p.noise {
		p.noise[i] = around(r, 0.16)
	}
	p.lay()
	return p
}

// agree makes the work of the stations such that hardware could have it: what is read from memory passes L2, and every
// fragment that is blended was rasterized.
func (m *machine) agree(p *pass) {
	through := p.work[bandwidth] * m.memory // bytes times ns per s
	l2 := float64(m.slices) * cacheSlice * m.maxHz * m.eff[cache]
	p.work[cache] = max(p.work[cache], through/l2*1.05)
	if p.kind != shading {
		return
	}
	t := &p.like
	quads := p.work[rasterizer] * m.eff[rasterizer] // per core, in cycles at the highest clock
	pairs := p.work[backend] * m.eff[backend]
	// Two fragments take width cycles, so that 2*pairs/width fragments are blended.
	fragments := 2 * pairs / t.width
	if most := 4 * quads * 0.97 * (1 - 0.5*t.partial); fragments > most {
		t.width = min(8, t.width*fragments/most)
		fragments = 2 * pairs / t.width
		if fragments > most {
			p.work[rasterizer] *= fragments / most
			quads = p.work[rasterizer] * m.eff[rasterizer]
		}
	}
	if t.width == 1 && fragments < 0.25*4*quads { // hardly more than three quarters of the quads are killed
		fragments = 0.25 * 4 * quads
		p.work[backend] = fragments / 2 / m.eff[backend]
	}
	t.killed = max(0, 1-fragments/(4*quads*(1-0.5*t.partial)))
}
