package amd

import "math"

// shader is what the waves of one stage do. Counts are per wave, as instructions.
type shader struct {
	waves, lanes  float64
	valu, salu    float64
	cost          float64 // clocks of an arithmetic instruction on 32 lanes: above 1 with transcendental ones
	active        float64 // share of lanes switched on
	tex           float64
	filter        float64 // clocks of a texture quad: 1 bilinear, 2 trilinear, more with anisotropy or wide formats
	loads, stores float64
	spread        float64 // cache lines that a load of 32 lanes touches, beyond the one that it needs
	lds, conflict float64 // accesses of local memory, and extra clocks of each
	rounds        int     // of memory accesses of which each needs the result of the one before
	occupancy     float64 // waves that a SIMD has room for, of 16
	hit0, hit1    float64
}

// draw is one draw or dispatch.
type draw struct {
	name    string
	compute bool
	group   float64 // threads of a work group
	times   float64 // how often a frame of a live capture has it

	vs                     shader
	vertices, indices      float64
	prims, culled, clipped float64 // culled and clipped are shares

	ps        shader  // of a dispatch: its compute shader
	raster    float64 // pixels that primitives cover
	hiZ       float64 // share that the hierarchical test rejects
	early     float64 // share of the rest that the test before shading rejects
	samples   float64 // of a pixel
	depth     bool    // depth is tested
	depthOut  bool    // and written
	late      bool    // the test is behind the shader
	quad      float64 // share of pixels of quads that are covered
	out       float64 // pixels written
	targets   float64
	texel     float64 // bytes of a pixel in all targets
	blend     bool
	slow      float64 // clocks of a pixel, above 1 where the format is wide
	packed    float64 // what compression leaves of color traffic
	hit2      float64 // of L2
	mall      float64 // share of the traffic behind L2 that the infinity cache keeps from memory
	setup     float64 // ns until its first wave runs
	drain     float64 // ns from its last wave until the next may start
	seed      uint64
	evenness  float64
	zPacked   float64 // what compression leaves of depth traffic
	colorMiss float64 // share of color and depth traffic that passes L2
}

// traffic is the requests of a shader and where they end.
type traffic struct {
	l0, l0Miss, l1Miss float64 // reads and writes of lines of 128 bytes
	l2Miss             float64 // reads
	written            float64 // lines to memory
	stores             float64 // lines to L2
}

func (d *draw) trafficOf(s *shader) traffic {
	if s.waves == 0 {
		return traffic{}
	}
	reads := s.waves * s.active * (s.tex*s.lanes/8 + s.loads*s.lanes/32*s.spread)
	t := traffic{stores: s.waves * s.active * s.stores * s.lanes / 32 * s.spread}
	t.l0 = reads + t.stores
	t.l0Miss = reads*(1-s.hit0) + t.stores
	t.l1Miss = reads*(1-s.hit0)*(1-s.hit1) + t.stores
	t.l2Miss = reads * (1 - s.hit0) * (1 - s.hit1) * (1 - d.hit2)
	t.written = t.stores * (0.3 + 0.7*(1-d.hit2))
	return t
}

// colorBytes are what color blocks read and write, through L2.
func (d *draw) colorBytes() (read, written float64) {
	if d.compute || d.targets == 0 {
		return 0, 0
	}
	written = d.out * d.texel * d.packed
	if d.blend {
		read = written
	}
	return read, written
}

// tested is the samples that the depth blocks test, one by one.
func (d *draw) tested() float64 { return d.raster * (1 - d.hiZ) * d.samples }

// depthBytes are what depth blocks read and write, through L2.
func (d *draw) depthBytes() (read, written float64) {
	if !d.depth || d.compute {
		return 0, 0
	}
	read = d.tested() * 4 * d.zPacked
	if d.depthOut {
		written = d.tested() * (1 - d.early) * 4 * d.zPacked
	}
	return read, written
}

// Efficiencies: what remains of peak rates where a unit works all the time.
const (
	issueRate  = 0.93 // of arithmetic
	unitRate   = 0.92
	l2Rate     = 0.80 // channels are not used evenly
	memoryRate = 0.86 // turnarounds and refresh
)

// unitTimes are ns that the whole of a shader takes of each unit.
type unitTimes struct{ valu, tex, buffer, lds float64 }

func (m *machine) unitTimes(s *shader) (u unitTimes) {
	if s.waves == 0 {
		return u
	}
	full := math.Min(1, s.waves/m.simds()) // SIMDs that have a wave
	waves := math.Min(s.occupancy, math.Max(1, s.waves/m.simds()))
	issue := math.Min(1, 0.34*waves) * issueRate // a wave alone waits for its own results
	u.valu = s.waves * s.valu * s.cost * s.lanes / 32 / (m.simds() * full * issue * m.clock)
	u.tex = s.waves * s.active * s.tex * s.lanes * s.filter / (4 * m.cus * full * unitRate * m.clock)
	u.buffer = s.waves * s.active * (s.loads + s.stores) * s.lanes * s.spread / (32 * m.cus * full * unitRate * m.clock)
	u.lds = s.waves * s.active * s.lds * s.lanes * (1 + s.conflict) / (32 * m.cus * full * unitRate * m.clock)
	return u
}

// fixedTimes are ns that the units outside of shaders take of a draw.
type fixedTimes struct{ fetch, assemble, scan, depth, color float64 }

func (m *machine) fixedTimes(d *draw) (u fixedTimes) {
	if d.compute {
		return u
	}
	perNs := m.engines * m.clock * unitRate
	visible := d.prims * (1 - d.culled)
	u.fetch = math.Max(d.indices/4.5, d.vertices/1.5) / perNs
	u.assemble = (visible + (d.prims-visible)/2 + 6*d.prims*d.clipped) / perNs
	cover, setup := d.raster/d.quad/(32*perNs), visible/perNs
	u.scan = math.Max(cover, setup) + 0.15*math.Min(cover, setup)
	if d.depth {
		u.depth = d.tested() / (2 * m.rops * m.clock * unitRate)
	}
	if d.targets > 0 {
		u.color = d.out * d.targets * d.slow / (m.rops * m.clock * unitRate)
		if d.blend {
			u.color *= 1.5
		}
	}
	return u
}

func (m *machine) l2Ns(bytes float64) float64 { return bytes / (m.l2 * m.clock * l2Rate) }

func (m *machine) memoryNs(d *draw, bytes float64) float64 {
	return bytes * (1 - d.mall) / (m.dram * memoryRate)
}

const (
	inFlight    = 10  // batches that fill the wave slots
	mostBatches = 120 // batches of a draw
	fewBatches  = 6

	tileFIFO       = 4    // batches between scan converter and depth blocks, where nothing is shaded
	primitiveFIFO  = 32   // primitives of a shader engine before its scan converter
	parameterCache = 3000 // vertices of a shader engine between vertex and pixel shading
)

// flow makes batches of a draw.
func (m *machine) flow(d *draw) *flow {
	f := &flow{seed: d.seed, setup: d.setup, drain: d.drain, uneven: d.evenness}
	slots := func(s *shader) float64 { return m.simds() * s.occupancy }
	need := 0.0 // how often waves fill their slots
	if d.ps.waves > 0 {
		need = d.ps.waves / slots(&d.ps)
	}
	if d.vs.waves > 0 {
		need = math.Max(need, d.vs.waves/(0.5*slots(&d.vs)))
	}
	n := math.Round(clamp(inFlight*need, fewBatches, mostBatches))
	f.n = int(n)
	room := func(s *shader, share float64) (count int, longer float64) {
		if s.waves == 0 {
			return 2, 1
		}
		have := slots(s) * share / (s.waves / n)
		count = int(clamp(math.Round(have), inFlight/2, n))
		return count, math.Max(1, float64(count)/have)
	}
	add := func(st step) {
		if st.ns > 0 {
			st.ns /= n
		}
		f.steps = append(f.steps, st)
	}
	memory := func(bytes, missed float64, by follows, shader bool) {
		if bytes > 0 {
			add(step{at: l2, why: cacheRate, by: by, shader: shader, ns: m.l2Ns(bytes)})
		}
		if missed > 0 {
			add(step{at: dram, why: bandwidth, by: by, shader: shader, ns: m.memoryNs(d, missed)})
		}
	}
	stage := func(s *shader, by follows, take, give pool, longer float64) {
		if s.waves == 0 {
			return
		}
		u, t := m.unitTimes(s), d.trafficOf(s)
		r := float64(s.rounds)
		first := len(f.steps)
		delay := m.latencyOf(d, s, &t) * longer * n
		for range s.rounds {
			add(step{at: valu, why: arithmetic, by: by, ns: u.valu / r})
			if u.lds > 0 {
				add(step{at: lds, why: localMemory, by: by, ns: u.lds / r})
			}
			if u.tex > 0 {
				add(step{at: addresser, why: texture, by: by, ns: u.tex / r})
			}
			if u.buffer > 0 {
				add(step{at: addresser, why: loadStore, by: by, ns: u.buffer / r})
			}
			memory((t.l1Miss)*128/r, (t.l2Miss+t.written)*128/r, by, true)
			if delay > 0 {
				add(step{at: wait, why: latency, by: batches, ns: delay})
			}
		}
		f.steps[first].take = take
		f.steps[len(f.steps)-1].give = give
	}
	var longer float64
	u := m.fixedTimes(d)
	f.room[pixelSlot], longer = room(&d.ps, 1)
	f.fifo = math.MaxInt
	if d.compute {
		stage(&d.ps, pixels, pixelSlot, pixelSlot, longer)
		return f
	}
	f.fifo = int(math.Max(2, math.Ceil(primitiveFIFO*m.engines*n/(d.prims*(1-d.culled)+1))))
	f.room[parameters] = int(clamp(parameterCache*m.engines*n/d.vertices, 3, n))
	add(step{at: geometryEngine, why: vertexFetch, by: vertices, ns: u.fetch, take: parameters})
	var longerVertex float64
	f.room[vertexSlot], longerVertex = room(&d.vs, 0.5)
	stage(&d.vs, vertices, vertexSlot, vertexSlot, longerVertex)
	add(step{at: assembler, why: primitiveAssembly, by: vertices, ns: u.assemble})
	shaded := d.ps.waves > 0
	if !shaded {
		f.room[pixelSlot] = tileFIFO
	}
	add(step{at: scanner, why: rasterizer, by: pixels, ns: u.scan, take: pixelSlot, give: parameters})
	readZ, wroteZ := d.depthBytes()
	testDepth := func() {
		if u.depth > 0 {
			add(step{at: depthBlock, why: depthTest, by: pixels, ns: u.depth})
			memory(readZ+wroteZ, (readZ+wroteZ)*d.colorMiss, pixels, false)
		}
	}
	if !d.late {
		testDepth()
	}
	if shaded {
		stage(&d.ps, pixels, noPool, noPool, longer)
	}
	if d.late {
		testDepth()
	}
	f.room[colorFIFO] = 3
	if u.color > 0 {
		// a batch keeps its wave slots until the color blocks have room for what it exports
		add(step{at: wait, why: pixelBackend, take: colorFIFO, give: pixelSlot})
		add(step{at: colorBlock, why: pixelBackend, by: pixels, ns: u.color})
		read, written := d.colorBytes()
		memory(read+written, (read+written)*d.colorMiss, pixels, false)
		f.steps[len(f.steps)-1].give = colorFIFO
	} else {
		add(step{at: wait, why: rasterizer, give: pixelSlot})
	}
	return f
}

// latencyOf is how long a wave waits for one round of its accesses: for the slowest of them.
func (m *machine) latencyOf(d *draw, s *shader, t *traffic) float64 {
	reads := t.l0 - t.stores
	if reads <= 0 || s.waves == 0 {
		return 0
	}
	perRound := math.Max(1, reads/s.waves/float64(s.rounds))
	any := func(share float64) float64 { return 1 - math.Pow(1-clamp(share, 0, 1), perRound) }
	beyond0 := any(1 - s.hit0)
	beyond1 := any((1 - s.hit0) * (1 - s.hit1))
	beyond2 := any(t.l2Miss / reads)
	return 45 + 30*beyond0 + (m.l2Latency-75)*beyond1 + (m.memLatency-m.l2Latency)*beyond2
}
