package amd

import (
	"math"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// counts is what one draw or dispatch of a pass does, whatever the time it takes.
type counts struct {
	waves, vector, scalar [3]float64 // by kind of stream: waves, and instructions of all of them
	vertices, primitives  float64
	culled, clipped       float64
	quads, tested, killed float64 // of the scan converter: made, that depth was tested for early, and that failed
	pixels                float64 // that shaders gave out
	colourRead, colour    float64 // bytes
	depthRead, depth      float64
	traffic               float64 // bytes of memory, of all clients
	reads, writes         float64 // bytes of memory that pass through L2
	hits, misses          float64 // of L2
	accesses, requests    float64 // of L1, and what it asks L2 for
	local                 float64 // instructions
	conflicts             float64 // cycles
	fetches, stores       float64 // instructions
}

// drawWrites is how much of the content's share of writes the shaders of draws keep, which write little beside their
// pixels; invented.
const drawWrites = 0.15

// lineBytes is what L2 reads or writes at a time.
const lineBytes = 64

// count makes the counts of a pass. What is asked of each unit follows from the time that it would take there.
func (d *device) count(p *content.Pass) counts {
	var c counts
	sh, shape := &p.Shader, &p.Shape
	ghz := d.hz / 1e9
	simds := float64(4 * d.model.cus)
	shader := func(x *content.Part, k kind) {
		// A vector instruction keeps a SIMD for four clocks.
		c.vector[k] = x.Press[content.Arithmetic] * x.Time * ghz * x.Effort[content.Arithmetic] * simds / 4
		c.scalar[k] = 0.4 * sh.Scalar * c.vector[k]
		each := 12 * math.Pow(50, float64(x.Seed%1000)/1000) // in a wave: 12 to 600
		c.waves[k] = max(1, c.vector[k]/each)
	}
	bytes := func(x *content.Part) float64 {
		return x.Press[content.Bandwidth] * x.Time * d.memory * x.Effort[content.Bandwidth]
	}
	// near is what the texture addressers, one in each compute unit, ask of L1 in a clock each.
	near := func(x *content.Part, a content.Axis) float64 {
		return x.Press[a] * x.Time * ghz * x.Effort[a] * float64(d.model.cus)
	}
	// caches adds what waves ask of the caches for so many bytes of memory, and returns the least accesses of L1.
	caches := func(x *content.Part, traffic, written float64) float64 {
		c.writes += traffic * written
		c.reads += traffic * (1 - written)
		misses := traffic / lineBytes
		// Each of 16 channels looks up one line in a clock.
		lookups := x.Press[content.Cache] * x.Time * ghz * x.Effort[content.Cache] * 16
		hits := max(lookups-misses, 0.02*misses)
		c.hits, c.misses, c.requests = c.hits+hits, c.misses+misses, c.requests+hits+misses
		least := (hits + misses) * 1.02 / (1 - 0.6*p.Memory.HitNear)
		c.accesses += max(near(x, content.LoadStore)+near(x, content.Texture), least)
		return least
	}
	if x := p.Vertex; x != nil {
		shader(x, vertices)
		c.vertices = c.waves[vertices] * 64 * sh.Filled
		c.primitives = c.vertices * shape.PerVertex
		out := shape.Facing + (1-shape.Facing)*(shape.Frustum+(1-shape.Frustum)*shape.Sample)
		c.culled, c.clipped = c.primitives*out, c.primitives*(1-out)*0.02
		c.traffic += bytes(x)
		caches(x, bytes(x), drawWrites*p.Memory.Written)
	}
	if x := p.Pixel; x != nil {
		shader(x, pixels)
		shaded := c.waves[pixels] * 16 * sh.Filled // quads
		c.quads = shaded / max(0.2, 1-shape.EarlyTest*shape.EarlyKill)
		c.tested = c.quads * shape.EarlyTest
		c.killed = c.tested * shape.EarlyKill
		c.pixels = 4 * shaded * (1 - 0.4*shape.Partial) * (1 - shape.Discard)
		traffic := bytes(x)
		c.colour = min(c.pixels*shape.PixelSize, 0.5*traffic)
		c.colourRead = min(c.colour*shape.Blended, 0.2*traffic)
		c.depth, c.depthRead = min(4*c.tested, 0.1*traffic), min(6*c.tested, 0.15*traffic)
		c.traffic += traffic
		read, written := c.colourRead+c.depthRead, c.colour+c.depth
		caches(x, traffic-read-written, drawWrites*p.Memory.Written)
		// From GFX9 on the colour and depth blocks are clients of L2, before that they have memory to themselves. They
		// have caches of their own, so that what they still ask for L2 does not have.
		if d.model.generation >= 9 {
			c.reads, c.writes = c.reads+read, c.writes+written
			c.misses += (read + written) / lineBytes
		}
	}
	if x := p.Groups; x != nil {
		shader(x, groups)
		c.traffic = bytes(x)
		least := caches(x, c.traffic, p.Memory.Written)
		accesses := max(near(x, content.LoadStore), least)
		c.fetches = accesses / 16 * (1 - sh.Writes)
		c.stores = accesses / 16 * sh.Writes
		busy := x.Press[content.LocalMemory] * x.Time * ghz * x.Effort[content.LocalMemory] * float64(d.model.cus)
		c.conflicts = busy * sh.Conflicts
		c.local = (busy - c.conflicts) / 2
	}
	return c
}

// measurement is a draw in one run of the frame.
type measurement struct {
	moment
	c     *counts
	p     *content.Pass
	d     *device
	rec   *simulate.Recorder
	scale float64
	hz    float64
	time  float64 // ns between the timestamps
	lanes float64 // noise of counts of one run
}

func (f *frame) measured(i int, m *simulate.Measured, share float64, r simulate.Random, by float64) *measurement {
	x := f.passes[f.draws.Runs[i].Content]
	out := &measurement{c: &x.counts, p: x.p, d: f.d, rec: m.Rec, scale: float64(f.draws.Runs[i].Scale),
		lanes: 1 + 0.0005*by*r.NormFloat64()}
	out.moment.d = f.d
	// Timestamps are taken at the bottom of the pipe, a little after its work is done.
	out.time = float64(m.Ns) + r.Between(0.3e3, 1.5e3)
	out.at(m.Rec, m.Row, float64(m.Ns), x.streams)
	out.hz = f.d.hz * share
	return out
}

// percent is a time of the draw as a share of the cycles in which the pipe was busy.
func (m *measurement) percent(ns float64) float64 { return 100 * min(1, ns/m.time) }

// clocks is a time in cycles.
func (m *measurement) clocks(ns float64) float64 { return math.Floor(min(ns, m.time) * m.hz / 1e9) }

func (m *measurement) wait(unit int) float64 { return m.span(m.rec.UnitWait(unit)) }

// items is a count of the draw, whole.
func (m *measurement) items(x float64) float64 { return math.Floor(x * m.scale * m.lanes) }

// part is the part of the pass that is of a kind; nil where it has none.
func (m *measurement) part(k kind) *content.Part {
	return [...]*content.Part{m.p.Vertex, m.p.Pixel, m.p.Groups}[k]
}

// vector is the time in which the vector units worked for a kind of waves.
func (m *measurement) vector(k kind) float64 {
	if x := m.part(k); x != nil {
		return m.by[k][unitVector] * x.Effort[content.Arithmetic]
	}
	return 0
}

// six rounds to the six decimals that the files have.
func six(x float64) float64 { return math.Round(x*1e6) / 1e6 }
