package amd

import "math"

// pass is a content with everything drawn: what a frame of the program does again and again.
type pass struct {
	content
	share [classes]float64 // of the base time, by class
	base  float64          // ps
	seed  uint64

	tokens, rounds int
	slots          [2]int
	spread         float64
	wanders        float64 // how much the work of one frame differs from that of another
	shape          shape
}

// shape is how work relates to what counters count of it.
type shape struct {
	occupancy  float64 // waves in flight, as a share of the slots
	vertexPart float64 // of the arithmetic, in vertex shaders
	culled     float64 // of primitives
	clipped    float64
	perPixel   float64 // pixels in a clock and pipe that the format takes: 1, 1/2 or 1/4
	hidden     float64 // of pixels, by early depth tests
	byTile     float64 // of the hidden, by the coarse test
	failing    float64 // of pixels that are tested after the shader
	samples    float64 // of a pixel
	bytes      float64 // of a pixel's colour
	squeezed   float64 // of its bytes that reach the L2 cache
	blends     float64 // bytes read for a byte written
	lanes      float64 // of a vector instruction that are active
	groupSize  float64 // threads
	bilinear   float64 // of quads that take one cycle
	volumes    float64 // of quads of volume textures
	aniso      float64
	cycles     float64 // of the address unit for a load or store
	stores     float64 // of the loads and stores
	conflicts  float64 // of the cycles of local memory
	scalar     float64 // scalar instructions for a vector instruction
	l0, l1, l2 float64 // hit shares
	written    float64 // of the bytes of memory
	rays       float64 // ray tests for an access
	behind     float64 // of the memory's bytes that the cache behind the L2 answers
}

// quantities are what one run of a pass does.
type quantities struct {
	by                                    [classes]float64 // of each class, in its own unit: clocks, bytes, pixels …
	vertices, prims, outPrims             float64
	rastered, shaded, tested, out         float64 // pixels
	vertexWaves, pixelWaves, computeWaves float64
	vertexALU, mainALU                    float64 // instructions of waves
	loads, stores, quads                  float64
	colourWrites, colourReads             float64 // bytes
	depthWrites, depthReads               float64
	l0, l0Miss, l1Miss, l2, l2Miss        float64 // requests
	read, written                         float64 // bytes of the memory
}

// barrier is how much longer the command processor takes for a draw that waits for the one before, and for its caches to
// be written back, than for a draw alone.
const barrier = 3.5

// newPass draws a pass of a content with a base time in ns.
func newPass(c content, d *device, base float64, seed uint64) *pass {
	r := newRandom(seed, hashText(c.name))
	p := &pass{content: c, base: base * 1000, seed: seed}
	usual := small
	if c.compute {
		usual = light
	}
	for i := range p.share {
		s, ok := c.need[class(i)]
		if !ok {
			s = usual[class(i)]
		}
		p.share[i] = r.between(s[0], s[1])
	}
	if c.blind {
		p.share[pixelBackend], p.share[texture] = 0, 0
	}
	if d.generation == halo.generation {
		p.share[loadStore] = min(1, p.share[loadStore]+p.share[texture]/2)
		p.share[texture] = 0
	} else {
		p.share[waveLaunch] = 0
	}
	if !c.compute {
		p.share[localMemory] = 0
	}
	p.tokens, p.rounds = r.whole(60, 84), 2
	p.slots = [2]int{r.whole(5, 8), r.whole(8, 14)}
	if c.compute {
		p.slots[0] = r.whole(8, 14)
	}
	p.spread, p.wanders = r.between(.2, .6), r.between(.005, .05)
	if c.batches > 1 {
		p.tokens = r.whole(2, 3)
	}
	if d.generation == halo.generation && c.batches > 1 {
		// A dispatch is a sample of its own, so that a program of short ones has many.
		p.batches, p.tokens, p.base = 1, r.whole(8, 16), d.packet*r.between(.3, .8)
	}
	p.shape = newShape(p, r)
	p.agree(d)
	return p
}

func newShape(p *pass, r *random) shape {
	s := shape{
		occupancy: r.between(.3, .95), vertexPart: r.between(.05, .2), culled: r.between(.35, .7), clipped: r.between(0, .03),
		perPixel: pick(r, 1, 1, .5), hidden: r.between(.1, .5), byTile: r.between(.3, .8), failing: 0, samples: pick(r, 1.0, 1, 1, 4),
		bytes: pick(r, 4.0, 4, 8), squeezed: r.between(.3, .7), blends: 0, lanes: r.between(.7, 1),
		groupSize: pick(r, 64.0, 128, 256, 256, 512), bilinear: r.between(.3, .9), volumes: r.between(0, .05), aniso: r.between(1, 4),
		cycles: r.between(1.5, 6), stores: r.between(.1, .5), conflicts: r.between(0, .1), scalar: r.between(.1, .35),
		l0: r.between(.3, .8), l1: r.between(.15, .6), l2: r.between(.4, .8), written: r.between(.1, .5), behind: r.between(.1, .6),
	}
	lead := p.leading()
	switch lead {
	case primAssembly:
		s.culled, s.vertexPart = r.between(.7, .96), r.between(.5, .8)
	case vertexFetch:
		s.vertexPart = r.between(.5, .8)
	case pixelBackend:
		s.perPixel, s.blends = pick(r, .5, .25), r.between(.3, 1)
	case depth:
		s.samples = pick(r, 4.0, 8)
		if p.late {
			s.hidden, s.failing = r.between(0, .15), r.between(.1, .5)
		}
	case rasterizer:
		s.hidden = r.between(.4, .85)
	case localMemory:
		s.conflicts = r.between(.2, .75)
	case loadStore:
		s.cycles, s.l0 = r.between(4, 16), r.between(.7, .95)
	case cache:
		s.l0, s.l1, s.l2 = r.between(.05, .4), r.between(.02, .3), r.between(.82, .97)
	case bandwidth:
		s.l2 = r.between(.02, .4)
	case latency:
		s.occupancy, s.cycles = r.between(.06, .3), r.between(1, 4)
	}
	if p.name == "traversal" {
		s.rays = r.between(2, 8)
	}
	return s
}

// leading is the class that takes longest.
func (p *pass) leading() class {
	best := arithmetic
	for i, s := range p.share {
		if s > p.share[best] {
			best = class(i)
		}
	}
	return best
}

// agree raises shares where what one unit does makes work for another: pixels that are written were rastered and tested,
// primitives have vertices, and what waits for memory asked for something.
func (p *pass) agree(d *device) {
	raise := func(c class, quantity float64) {
		p.share[c] = max(p.share[c], quantity/(p.base*d.rate[c]))
	}
	amount := func(c class) float64 { return p.share[c] * p.base * d.rate[c] }
	s := &p.shape
	if !p.compute {
		raise(vertexFetch, .5*amount(primAssembly))
		raise(primAssembly, amount(vertexFetch)/3)
		if p.leading() != pixelBackend {
			for s.perPixel > .25 && amount(pixelBackend)*s.perPixel/(1-s.hidden) > .6*p.base*d.rate[rasterizer] {
				s.perPixel /= 2
			}
		}
		raise(rasterizer, amount(pixelBackend)*s.perPixel/(1-s.hidden))
		raise(depth, p.quantities(d).rastered*min(s.samples, 4))
	}
	// A wave in flight waits for one answer after the other.
	waves := d.waves * 2 * d.cus * s.occupancy
	asked := waves * p.share[latency] * p.base / (1000 * p.answerTime(d))
	raise(loadStore, asked*s.cycles)
	raise(cache, asked*128*(1-s.l0)*.8)
	q := p.quantities(d)
	raise(cache, q.colourReads+q.colourWrites+q.depthReads+q.depthWrites)
	raise(cache, q.by[bandwidth]/max(.3, 1-s.l2))
}

// answerTime is how long a load takes in the mean, in ns.
func (p *pass) answerTime(d *device) float64 {
	return d.hit + (d.answer-d.hit)*(1-p.shape.l2)
}

// quantities are what the pass does in one run, without the differences between frames.
func (p *pass) quantities(d *device) quantities {
	var q quantities
	s := &p.shape
	for i := range q.by {
		q.by[i] = p.share[i] * p.base * d.rate[i]
	}
	q.vertices, q.prims = q.by[vertexFetch], q.by[primAssembly]
	if p.compute {
		q.vertices, q.prims = 0, 0
	}
	q.outPrims = q.prims * (1 - s.culled)
	q.mainALU = q.by[arithmetic]
	if !p.compute {
		part := s.vertexPart
		if p.blind {
			part = 1
		}
		q.vertexALU, q.mainALU = q.mainALU*part, q.mainALU*(1-part)
		q.out = q.by[pixelBackend] * s.perPixel
		q.shaded = q.out / (1 - s.failing)
		most := q.by[rasterizer]
		q.rastered = max(q.shaded/(1-s.hidden), min(.7*most, q.by[depth]/min(s.samples, 4)))
		q.tested = q.rastered * (1 - s.hidden*s.byTile)
		q.shaded = min(q.shaded, q.tested)
		q.vertexWaves, q.pixelWaves = math.Ceil(q.vertices/30), math.Ceil(q.shaded/26)
		q.colourWrites = q.out * s.bytes * s.squeezed
		q.colourReads = q.colourWrites * s.blends
		q.depthWrites = q.tested * s.samples * .6
		q.depthReads = q.tested * s.samples * .3
		if p.blind {
			q.pixelWaves, q.shaded = 0, 0
		}
	} else {
		waves := d.waves * 2 * d.cus * s.occupancy
		if p.share[waveLaunch] > 0 {
			q.computeWaves = math.Ceil(q.by[waveLaunch])
		} else {
			q.computeWaves = math.Ceil(waves * float64(p.tokens) / float64(p.slots[0]) * float64(max(1, p.batches)))
		}
	}
	accesses := q.by[loadStore] / s.cycles
	q.stores = accesses * s.stores
	q.loads = accesses - q.stores
	q.quads = q.by[texture] / (2 - s.bilinear)
	q.l2 = q.by[cache] / 128
	shader := max(0, q.by[cache]-q.colourReads-q.colourWrites-q.depthReads-q.depthWrites) / 128
	q.l1Miss = shader
	q.l0Miss = q.l1Miss / (1 - s.l1)
	q.l0 = max(q.l0Miss/(1-s.l0), accesses)
	q.l2Miss = min(q.l2*.98, q.by[bandwidth]/128)
	q.written = q.by[bandwidth] * s.written
	q.read = q.by[bandwidth] - q.written
	return q
}

// plan is the way of the tokens of one run. Tokens of a pass that runs often differ by its seed alone, factor says how
// much work this run has.
func (p *pass) plan(d *device, seed uint64, factor float64) *plan {
	before := d.packet
	if p.batches > 1 {
		before *= barrier
	}
	out := &plan{seed: mix(p.seed) ^ mix(seed), tokens: p.tokens, batches: max(1, p.batches), slots: p.slots,
		before: before, after: d.flush, spread: p.spread}
	each := p.base * factor / float64(p.tokens*out.batches)
	put := func(c class, part float64) {
		if x := p.share[c] * part * each; x >= 1 {
			out.steps = append(out.steps, step{do: serve, class: c, mean: x})
		}
	}
	pause := func(part float64, slots int) {
		// All slots together wait at the same time.
		if x := p.share[latency] * part * each * float64(slots); x >= 1 {
			out.steps = append(out.steps, step{do: wait, class: latency, mean: x})
		}
	}
	act := func(do do, pool int8, reg region) {
		out.steps = append(out.steps, step{do: do, pool: pool, reg: reg})
	}
	n := 1 / float64(p.rounds)
	if p.compute {
		act(take, 0, 0)
		put(waveLaunch, 1)
		act(enter, 0, inCompute)
		for range p.rounds {
			put(loadStore, n)
			put(texture, n)
			put(cache, n)
			put(bandwidth, n)
			pause(n, p.slots[0])
			put(arithmetic, n)
			put(localMemory, n)
		}
		act(leave, 0, inCompute)
		act(give, 0, 0)
		return out
	}
	early, fetch := 1.0, .12
	vertex, pixel := p.shape.vertexPart, 1-p.shape.vertexPart
	if p.late {
		early = .3
	}
	if p.blind {
		vertex, pixel, fetch = 1, 0, .5
	}
	act(take, 0, 0)
	act(enter, 0, inGeometry)
	put(vertexFetch, 1)
	put(cache, fetch)
	put(bandwidth, fetch)
	pause(fetch, p.slots[0])
	put(arithmetic, vertex)
	put(primAssembly, 1)
	act(leave, 0, inGeometry)
	act(enter, 0, behindPA)
	put(rasterizer, 1)
	put(depth, early)
	if p.blind {
		put(loadStore, 1)
		put(cache, 1-fetch)
		put(bandwidth, 1-fetch)
		act(leave, 0, behindPA)
		act(give, 0, 0)
		return out
	}
	act(take, 1, 0)
	act(leave, 0, behindPA)
	act(give, 0, 0)
	act(enter, 1, inPixel)
	left := (1 - fetch) * .7
	for range p.rounds {
		put(texture, n)
		put(loadStore, n)
		put(cache, n*left)
		put(bandwidth, n*left)
		pause(n*(1-fetch), p.slots[1])
		put(arithmetic, n*pixel)
	}
	put(depth, 1-early)
	put(pixelBackend, 1)
	put(cache, (1-fetch)*.3)
	put(bandwidth, (1-fetch)*.3)
	act(leave, 1, inPixel)
	act(give, 1, 0)
	return out
}
