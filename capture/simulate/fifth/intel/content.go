package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// builder draws a program. Amounts of work are drawn as content has them; then a pass is made so many times as much
// that it takes the time it is to take, as scenes and resolutions vary.
type builder struct {
	r     simulate.Random
	m     *machine
	p     *program
	plant int     // station or other of plants that the content is to be limited by, -1 for none
	sigma float64 // of segments
	views int     // of a scene, beside the first
	heavy float64 // how often a pass is heavy in one thing
}

func (b *builder) top() float64 { return b.p.clock.steps[len(b.p.clock.steps)-1] }

// solo is how long a load takes alone at the highest clock.
func (b *builder) solo(l *load) float64 {
	w := newFlow(b.m, [classes]*load{l}, b.top(), &relief{}, false)
	return 1 / w.class[0].rate
}

// pass makes a pass that takes so long, with fill, drain and differences between its draws.
func (b *builder) pass(name string, queue int, l load, ns float64, after ...dep) pass {
	r := b.r
	if queue != qCopy {
		thrift := r.Between(0.35, 1) // of compressed surfaces
		l.read, l.write = l.read*thrift, l.write*thrift
		b.emphasise(&l)
	}
	l = l.times(ns / b.solo(&l))
	x := pass{name: name, queue: queue, after: after}
	for range 1 + b.views {
		x.others = append(x.others, b.segments(l, ns))
	}
	x.segs, x.others = x.others[0], x.others[1:]
	return x
}

// segments cuts a pass into the time in which its threads fill the GPU, groups of its draws, and the time in which they
// run out.
func (b *builder) segments(l load, ns float64) (out []segment) {
	r := b.r
	put := func(part load, launch float64) {
		b.p.loads = append(b.p.loads, part)
		out = append(out, segment{len(b.p.loads) - 1, launch})
	}
	fill := min(0.2, b.m.fill*r.Between(0.5, 1.2)/ns)
	drain := min(0.15, b.m.fill*r.Between(0.3, 1.5)/ns)
	first := l.times(fill)
	first.grain *= r.Between(0.2, 0.5)
	first.room *= r.Between(0.3, 0.7)
	put(first, r.Between(1.5e3, 6e3))
	n := 1 + min(9, int(ns/350e3)) + r.IntN(2)
	var shares []float64
	sum := 0.0
	for range n {
		shares = append(shares, r.Spread(0.5))
		sum += shares[len(shares)-1]
	}
	for _, s := range shares {
		part := l.times((1 - fill - drain) * s / sum)
		put(part.vary(r, b.sigma), 0)
	}
	last := l.times(drain)
	last.grain *= r.Between(0.15, 0.5)
	last.room *= r.Between(0.2, 0.6)
	put(last, 0)
	if b.plant == plantLaunch {
		for i := range out {
			out[i].launch = ns / float64(len(out)) * r.Between(1.3, 2.6)
		}
	} else if r.Chance(0.3) { // flushes between draws
		for i := range out {
			out[i].launch += r.Between(0.5e3, 5e3)
		}
	}
	return out
}

// Plants that are no stations.
const (
	plantLatency = stations + iota
	plantLaunch
	plantOther // content as it comes
)

// emphasise makes a load one that the plant limits.
func (b *builder) emphasise(l *load) {
	r := b.r
	d, w := b.m.demand(l, b.top())
	ratio := r.Between(1.55, 3.2)
	if b.heavy > 0 {
		ratio = r.Between(1.05, 2.5)
	}
	most := 0.0
	for i, x := range d {
		if b.plant < stations && causeOf[i] == causeOf[b.plant] {
			continue
		}
		most = max(most, x)
	}
	switch {
	case b.plant == plantLatency:
		l.memWaits *= ratio * most / max(1e-9, w[0])
		return
	case b.plant >= stations:
		return
	}
	most = max(most, w[0]+w[1])
	if b.plant == sRT && l.clocks[sRT] == 0 {
		l.clocks[sRT] = 1
		l.rays = 1
	}
	if d[b.plant] <= 0 && b.plant != sRT {
		return
	}
	d, _ = b.m.demand(l, b.top())
	l.raise(b.plant, ratio*most/d[b.plant], r.Between(0.5, 1), ratio*most/1.7/max(d[sRAS], 1e-9))
	if b.plant == sSMP { // more texels ask more of the caches too
		l.missed = min(l.missed, l.texels*r.Between(0.05, 0.3))
	}
}

func (b *builder) pixels() float64 {
	list := []float64{1280 * 720, 1600 * 900, 1920 * 1080, 1920 * 1080, 2560 * 1440}
	if b.m.base == "intel-dg2" {
		list = append(list, 3440*1440, 3840*2160)
	}
	return simulate.Pick(b.r, list...)
}

// usual is a surface as most are.
func (b *builder) usual(over float64) surface {
	r := b.r
	return surface{pixels: b.pixels(), over: over, hz: r.Between(0.05, 0.5), ez: r.Between(0.03, 0.3), kill: r.Between(0, 0.08),
		late: r.Between(0, 0.02), blend: r.Between(0, 0.1), targets: 1, bytes: simulate.Pick(r, 4.0, 4, 8),
		wide: simulate.Pick(r, 8.0, 16, 16, 32), ops: r.Log(60, 600), em: r.Log(4, 60), fetches: r.Between(2, 8),
		filter: r.Between(1, 2.8), miss: r.Between(0.04, 0.35), deep: r.Between(0.1, 0.6), loads: r.Between(0.5, 6), depth: true,
		rasCost: r.Between(1, 2), hzCost: r.Between(1, 2), ezC: r.Between(1, 1.8), pbCost: r.Between(1, 1.9)}
}

func (b *builder) scene() mesh {
	r := b.r
	v := r.Log(60e3, 900e3)
	g := mesh{vertices: v, prims: v * r.Between(0.7, 1.9), culled: r.Between(0.2, 0.65), fat: r.Between(0.6, 2.2),
		clip: r.Between(1, 1.5), ops: r.Log(50, 400), sends: r.Between(3, 12)}
	if r.Chance(0.12) {
		g.hull = r.Between(0.1, 0.8)
	}
	if r.Chance(0.08) {
		g.geometry = r.Between(0.1, 0.7)
	}
	return g
}

// newLoad is one with the room that its threads find in EUs.
func (b *builder) newLoad() load {
	return load{room: b.r.Between(0.55, 1), grain: b.r.Between(0.7, 1.5)}
}

// Kinds of passes.
var renders = []string{"shadow", "opaque", "g-buffer", "alpha", "lighting", "post", "interface", "particles"}
var computes = []string{"arithmetic", "matrix", "stream", "gather", "reduce", "scatter", "atomic", "blur"}

// draw makes the load of a kind of pass.
func (b *builder) draw(kind string) load {
	r := b.r
	l := b.newLoad()
	s := b.usual(1)
	flat := func() { // a rectangle over the screen
		l.mesh(mesh{vertices: 4, prims: 2, fat: 1, clip: 1, ops: 40, sends: 4})
		s.depth, s.rasCost, s.hz, s.ez = false, 1, 0, 0
	}
	switch kind {
	case "shadow":
		l.mesh(b.scene())
		s.pixels, s.over, s.targets, s.ops = simulate.Pick(r, 1024.0*1024, 2048*2048, 4096*2048), r.Between(1, 3), 0, 0
		if r.Chance(0.3) {
			s.ops, s.fetches, s.em = r.Between(20, 60), 1, 2
		}
	case "g-buffer":
		l.mesh(b.scene())
		s.over, s.targets = r.Between(1.3, 3), float64(r.Whole(3, 5))
	case "alpha", "particles":
		g := b.scene()
		g.vertices, g.prims = g.vertices*0.1, g.prims*0.1
		l.mesh(g)
		s.over, s.blend, s.ops, s.fetches = r.Between(2, 10), r.Between(0.8, 1), r.Log(20, 150), r.Between(1, 3)
	case "lighting":
		flat()
		s.ops, s.fetches, s.filter, s.em = r.Log(150, 900), r.Between(4, 9), 1, r.Between(10, 90)
	case "post":
		flat()
		s.ops, s.fetches, s.filter = r.Log(30, 300), r.Between(2, 14), r.Between(1, 1.5)
	case "interface":
		l.mesh(mesh{vertices: 8e3, prims: 6e3, culled: 0.1, fat: 0.7, clip: 1, ops: 40, sends: 4})
		s.depth, s.over, s.blend, s.ops, s.em, s.fetches = false, r.Between(1, 3), r.Between(0.3, 0.9), r.Log(12, 60), 1, 1
	default:
		l.mesh(b.scene())
		s.over = r.Between(1.2, 3.5)
		s.fetches = r.Between(3, 12)
	}
	if s.ops > 0 {
		s.ops *= s.wide / 16
		s.em *= s.wide / 16
	}
	l.surface(s)
	return l
}

// kernel makes the load of a compute pass.
func (b *builder) kernel(kind string) load {
	r := b.r
	l := b.newLoad()
	n := 65536.0 // threads
	simd := simulate.Pick(r, 8.0, 16, 16, 32)
	line := simd * 4 / 64 // lines of a message of a dword for each lane
	ops, em, sends := r.Log(60, 400)*simd/16, r.Between(1, 12), 6.0
	slm := func(reads, writes, cost float64) {
		l.slmRead += n * reads
		l.slmWrite += n * writes
		l.clocks[sSLM] += n * (reads + writes) * cost
		l.l3Waits += n * (reads + writes) * 0.15
		sends += (reads + writes) / 3
	}
	access := func(perThread, deep, lines float64) {
		l.access(n*perThread, deep)
		l.clocks[sL3] += n * perThread * max(0, lines-1)
		l.read += n * perThread * deep * max(0, lines-1) * 48
		sends += perThread / 3
	}
	l.barriers = n * float64(r.IntN(3))
	switch kind {
	case "arithmetic":
		ops *= r.Between(3, 8)
		em *= r.Between(2, 30)
		access(4, r.Between(0.1, 0.5), line)
	case "matrix":
		ops *= r.Between(2, 6)
		slm(r.Between(10, 40), r.Between(2, 8), r.Between(1, 1.4))
		access(r.Between(4, 12), r.Between(0.05, 0.3), line)
		l.barriers = n * r.Between(2, 16)
		l.room = r.Between(0.3, 0.9)
	case "stream":
		access(r.Between(8, 20), r.Between(0.7, 1), max(1, line))
		ops *= 0.4
	case "gather":
		access(r.Between(6, 16), r.Between(0.3, 0.8), r.Between(1, 3))
		l.memWaits *= r.Between(2, 5)
		l.room = r.Between(0.3, 0.9)
	case "reduce":
		slm(r.Between(10, 30), r.Between(6, 20), r.Between(1, 2.5))
		access(4, r.Between(0.4, 1), line)
		l.barriers = n * r.Between(4, 12)
	case "scatter":
		access(r.Between(6, 14), r.Between(0.03, 0.15), r.Between(4, 12))
	case "atomic":
		access(r.Between(3, 8), r.Between(0.05, 0.2), 1)
		l.atomics = l.accesses * r.Between(0.2, 0.8)
		l.clocks[sHDC] += l.atomics * r.Between(1, 4)
	case "rays":
		access(r.Between(3, 8), r.Between(0.2, 0.5), 1)
		l.rays = n * r.Between(2, 8)
		l.clocks[sRT] += l.rays * r.Between(0.5, 2) * 8
		l.memWaits *= 2
	default: // blur
		l.fetch(n*simd/4*r.Between(4, 12), 1, r.Between(0.05, 0.3), r.Between(0.1, 0.6), n*r.Between(4, 12))
		slm(r.Between(2, 8), r.Between(1, 4), 1)
		access(2, 0.5, line)
		sends += 8
	}
	l.shade(cs, n, ops, em, sends)
	return l
}

// transfer is what the copy engine, or the media engine, does.
func (b *builder) transfer() load {
	r := b.r
	l := load{room: 0.02, grain: 1}
	l.read, l.write = 4e6*r.Between(0.5, 1), 4e6*r.Between(0.5, 1)
	l.clocks[sL3] = (l.read + l.write) / 64 * r.Between(0.2, 0.6)
	l.memWaits = (l.read + l.write) / 64 * r.Between(0.002, 0.01)
	return l
}

// noise lets frames differ: each is like the one before, and now and then one is dearer.
func (b *builder) noise(c *content, frames int, sigma, spikes float64) [][]float64 {
	r := b.r
	out := make([][]float64, frames)
	x := make([]float64, len(c.passes))
	all := 0.0
	for i := range out {
		all = 0.85*all + 0.53*r.NormFloat64()
		more := 1.0
		if r.Chance(spikes) {
			more = r.Between(1.1, 1.6)
		}
		for j := range x {
			x[j] = 0.7*x[j] + 0.71*r.NormFloat64()
			out[i] = append(out[i], more*steady(math.Exp(sigma*(0.7*all+0.7*x[j]))))
		}
	}
	return out
}
