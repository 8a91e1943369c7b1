package intel

import "astrolabe/capture/simulate"

// Shader stages.
const (
	vs = iota
	hs
	ds
	cs
	gs
	ps
	stages
)

// load is what a pass asks of the GPU. Clocks are those that a station of perfect efficiency would need, summed over
// its parts (EU clocks, clocks of one sampler). What counters count stands beside them.
type load struct {
	clocks [stations]float64 // of sL3 requests; of sBW unused
	// Threads and EU clocks of each stage.
	threads        [stages]float64
	fpu, em, send  [stages]float64
	quads          float64 // 2x2 blocks rasterized
	hz, ez         float64 // of these rejected
	killed, late   float64
	written        float64
	blended        float64
	texels, missed float64 // 2x2 blocks
	accesses       float64 // messages to memory other than textures and render targets
	accessMisses   float64
	atomics        float64
	barriers       float64
	slmRead        float64
	slmWrite       float64
	read, write    float64 // bytes of memory
	memWaits       float64 // accesses that a thread waits for, that go to memory
	l3Waits        float64
	room           float64 // share of the EUs' thread slots that it can fill
	grain          float64 // of its tokens: how much work a thread makes at once
	rays           float64
}

// times is the load n times.
func (l load) times(n float64) load {
	for i := range l.clocks {
		l.clocks[i] *= n
	}
	for i := range stages {
		l.threads[i] *= n
		l.fpu[i] *= n
		l.em[i] *= n
		l.send[i] *= n
	}
	for _, x := range l.counts() {
		*x *= n
	}
	return l
}

func (l *load) counts() []*float64 {
	return []*float64{&l.quads, &l.hz, &l.ez, &l.killed, &l.late, &l.written, &l.blended, &l.texels, &l.missed, &l.accesses,
		&l.accessMisses, &l.atomics, &l.barriers, &l.slmRead, &l.slmWrite, &l.read, &l.write, &l.memWaits, &l.l3Waits,
		&l.rays}
}

// mesh adds geometry. fat is how much of vertex fetch a vertex takes, culled the share of primitives that end in the
// clipper, hull and so on the shares of vertices that come out of tessellation and geometry shaders.
type mesh struct {
	vertices, prims, culled float64
	fat, clip               float64
	ops, sends              float64 // of a thread of eight vertices
	hull, geometry          float64
}

func (l *load) mesh(g mesh) {
	l.clocks[sVF] += g.vertices * g.fat
	l.clocks[sCL] += g.prims * g.clip
	l.clocks[sSF] += g.prims * (1 - g.culled)
	l.shade(vs, g.vertices/8, g.ops, g.ops*0.04, g.sends)
	if g.hull > 0 {
		l.shade(hs, g.hull*g.vertices/16, g.ops*0.5, g.ops*0.03, g.sends)
		l.shade(ds, g.hull*g.vertices/4, g.ops*0.7, g.ops*0.05, g.sends)
	}
	if g.geometry > 0 {
		l.shade(gs, g.geometry*g.vertices/8, g.ops*0.6, g.ops*0.02, g.sends*1.5)
	}
	bytes := g.vertices * (12 + 20*g.fat)
	l.clocks[sL3] += bytes / 64
	l.read += bytes * 0.6
	l.l3Waits += g.vertices / 8 * 2
	l.memWaits += g.vertices / 8 * 0.3
}

// shade adds threads: ops and em are clocks of an EU's pipes for each.
func (l *load) shade(stage int, threads, ops, em, sends float64) {
	l.threads[stage] += threads
	l.fpu[stage] += threads * ops
	l.em[stage] += threads * em
	l.send[stage] += threads * (sends*2 + 1)
	l.clocks[sFPU] += threads * ops
	l.clocks[sEM] += threads * em
}

// surface adds pixels. over is how many layers lie on each, the rest are shares.
type surface struct {
	pixels, over         float64
	hz, ez, kill, late   float64
	blend, targets       float64
	bytes                float64 // of a pixel of one target
	wide                 float64 // pixels that a thread shades
	ops, em              float64 // clocks of a pipe for a thread
	fetches, filter      float64 // texture operations of a pixel, sampler clocks of a 2x2 block
	miss                 float64 // share of texel blocks that miss in the sampler
	deep                 float64 // share of these that miss in L3
	loads                float64 // buffer messages of a thread
	depth                bool
	rasCost, hzCost, ezC float64 // clocks of a block
	pbCost               float64
}

func (l *load) surface(s surface) {
	quads := s.pixels * s.over / 4
	l.quads += quads
	l.clocks[sRAS] += quads * s.rasCost
	seen := quads
	if s.depth {
		l.clocks[sHZ] += quads * s.hzCost
		l.hz += quads * s.hz
		seen *= 1 - s.hz
		l.clocks[sEZ] += seen * s.ezC
		l.ez += seen * s.ez
		l.clocks[sL3] += seen * 0.2
		l.read += seen * 4
		l.write += seen * 3
		seen *= 1 - s.ez
	}
	if s.targets == 0 && s.ops == 0 {
		return // depth only: no pixel shader runs
	}
	threads := seen * 4 / s.wide
	l.shade(ps, threads, s.ops, s.em, s.fetches*2+s.targets+s.loads)
	l.fetch(seen*s.fetches, s.filter, s.miss, s.deep, threads*s.fetches)
	l.access(threads*s.loads, 0.3)
	l.killed += seen * s.kill
	seen *= 1 - s.kill
	l.late += seen * s.late
	out := seen * (1 - s.late) * s.targets
	l.written += out
	l.blended += out * s.blend
	l.clocks[sPB] += seen * s.targets * s.pbCost * (1 + s.blend)
	l.clocks[sL3] += out * s.bytes * 4 / 64
	l.write += out * 4 * s.bytes * 0.8
	l.read += out * 4 * s.bytes * (0.1 + 0.6*s.blend)
}

// fetch adds texture operations of 2x2 blocks, of so many messages.
func (l *load) fetch(blocks, filter, miss, deep, messages float64) {
	l.texels += blocks
	l.missed += blocks * miss
	l.clocks[sSMP] += blocks * filter
	l.clocks[sL3] += blocks * miss
	l.read += blocks * miss * deep * 64
	l.l3Waits += messages * (0.25 + 0.5*miss)
	l.memWaits += messages * min(1, 6*miss*deep) * 0.6
}

// access adds buffer messages: deep is the share that misses in L3.
func (l *load) access(messages, deep float64) {
	l.accesses += messages
	l.accessMisses += messages * deep
	l.clocks[sHDC] += messages
	l.clocks[sL3] += messages
	l.read += messages * deep * 48
	l.write += messages * deep * 12
	l.l3Waits += messages * 0.4
	l.memWaits += messages * deep * 0.5
}

// raise makes a station's work n times as much, and what counters count of it as far as content makes more of it and
// not dearer: by n to the power of part. Of quads there are to be no more than room times as many.
func (l *load) raise(station int, n, part, room float64) {
	more := pow(n, part)
	l.clocks[station] *= n
	switch station {
	case sRT:
		l.rays *= n
	case sFPU:
		for i := range stages {
			l.fpu[i] *= n
		}
	case sEM:
		for i := range stages {
			l.em[i] *= n
		}
	case sSMP: // more fetches, or dearer filters
		more = min(more, 8)
		l.texels *= more
		l.missed *= more
	case sHDC: // a message of scattered addresses takes the port several clocks
		l.clocks[sL3] += 0.7 * l.accesses * (more - 1)
		l.accesses *= more
		l.accessMisses *= more
	case sSLM:
		l.slmRead *= n
		l.slmWrite *= n
	case sRAS: // more that lies hidden, which the hierarchical depth test rejects
		if l.hz > 0 {
			hidden := l.quads * (min(more, 4) - 1)
			l.quads += hidden
			l.hz += hidden
			l.clocks[sHZ] += hidden
		}
	case sEZ: // more that lies behind what is drawn already, but not behind all of its tile: the detailed test rejects it
		hidden := l.quads * max(0, min(more, room)-1)
		l.clocks[sRAS] *= 1 + hidden/max(l.quads, 1)
		l.quads += hidden
		if l.threads[ps] > 0 {
			l.ez += hidden
		} else { // of depth alone some of it is in front
			l.ez += 0.4 * hidden
			l.write += hidden
		}
		l.clocks[sHZ] += hidden
		l.clocks[sL3] += 0.1 * hidden
		l.read += 1.5 * hidden
	case sPB: // more layers and targets, or wider ones
		more = min(more, 8)
		l.written *= more
		l.blended *= more
	case sBW:
		l.read *= n
		l.write *= n
	}
}

// vary is the load with its parts made more or less by groups: geometry, pixels, shading, textures, memory.
func (l load) vary(r simulate.Random, sigma float64) load {
	g, px := r.Spread(sigma*1.3), r.Spread(sigma*0.7)
	sh, tx, mm := r.Spread(sigma), r.Spread(sigma), r.Spread(sigma)
	for _, s := range []int{sVF, sCL, sSF} {
		l.clocks[s] *= g
	}
	for _, s := range []int{sRAS, sHZ, sEZ, sPB} {
		l.clocks[s] *= px
	}
	for _, x := range []*float64{&l.quads, &l.hz, &l.ez, &l.killed, &l.late, &l.written, &l.blended} {
		*x *= px
	}
	l.clocks[sFPU], l.clocks[sEM] = 0, 0
	for i := range stages {
		k := px
		if i != ps && i != cs {
			k = g
		}
		l.threads[i] *= k
		l.fpu[i] *= k * sh
		l.em[i] *= k * sh
		l.send[i] *= k
		l.clocks[sFPU] += l.fpu[i]
		l.clocks[sEM] += l.em[i]
	}
	l.clocks[sSMP] *= tx * px
	l.texels *= tx * px
	l.missed *= tx * px
	for _, s := range []int{sHDC, sSLM, sL3, sRT} {
		l.clocks[s] *= mm
	}
	for _, x := range []*float64{&l.accesses, &l.accessMisses, &l.atomics, &l.barriers, &l.slmRead, &l.slmWrite, &l.read,
		&l.write, &l.memWaits, &l.l3Waits, &l.rays} {
		*x *= mm
	}
	return l
}
