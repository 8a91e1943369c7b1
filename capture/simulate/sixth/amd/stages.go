package amd

import "math"

// Kinds of stages, in the order of the pipeline.
const (
	stInput    = iota // the geometry engine: indices, reuse of vertices, waves of vertices; of dispatches, the launch of groups
	stVertex          // waves of vertices
	stAssembly        // primitive assembly, culling, clipping
	stRaster          // rasterizer and the coarse depth test
	stTest            // fine depth test
	stMain            // waves of pixels, or of a dispatch
	stColor           // color blocks, and the depth test where it is late
	stageKinds
)

// part is a fixed unit's share of a stage.
type part struct {
	candidate int
	ns        float64 // for the whole draw
}

// noCandidate is the cause of what nobody can relieve.
const noCandidate = -1

// stage is one stage of a draw. What it has done is a share of the whole draw, from 0 to 1.
type stage struct {
	kind   int
	parts  []part
	memory [stations]float64 // ns of the draw's own accesses, by fixed units
	wave   *class            // of a stage of shaders
	room   float64           // share of the draw that the buffer behind it holds
	at     float64
	spread *[segmentsLong]float64
}

// fixed is the ns that the whole draw would take in a fixed stage that had the hardware for itself at the density of
// this place, when others use the shares taken.
func (s *stage) fixed(taken *[stations]float64) float64 {
	sum := 0.0
	for _, p := range s.parts {
		sum += power(p.ns, ofFixed)
	}
	for k, ns := range s.memory {
		if ns > 0 {
			sum += power(ns/(1-taken[k]), ofFixed)
		}
	}
	return root(sum, ofFixed) * s.spread[min(segmentsLong-1, int(s.at*segmentsLong))]
}

// geometry is how many primitives of a draw are left after each step.
type geometry struct{ culled, clipped, out, quads, tested float64 }

func (d *draw) geometry() (g geometry) {
	g.culled = d.prims * d.culled
	g.clipped = (d.prims - g.culled) * d.clipped
	g.out = d.prims - g.culled + 0.6*g.clipped // a cut leaves one or two
	g.quads = d.quads * (1 - d.hierarchical)
	g.tested = g.quads * (1 - d.earlyFail())
	return g
}

// color is what the color blocks write and read, in bytes.
func (d *draw) color() (written, read float64) {
	if d.targets == 0 {
		return 0, 0
	}
	pixels := d.geometry().tested * 4 * d.full * d.samplesStored()
	written = pixels * d.bytes * d.compress
	if d.blend {
		read = written
	} else if d.full < 0.8 {
		read = written * (0.8 - d.full) // partly covered blocks are read to be merged
	}
	return written, read
}

// samplesStored is how many samples of a pixel compression leaves to be stored.
func (d *draw) samplesStored() float64 { return 1 + 0.35*(d.samples-1) }

// depthBytes is what the depth blocks write and read. Planes that compress take a part of it.
func (d *draw) depthBytes() (written, read float64) {
	g := d.geometry()
	if d.tested {
		read = g.quads * 4 * 4 * d.samples * 0.22 * d.expand
	}
	if d.written {
		written = g.tested * 4 * 4 * d.samples * 0.25 * d.expand
	}
	return written, read
}

// stays is the share of bytes written to a target that the second-level cache keeps to the end of the draw.
func (m *machine) stays(bytes float64) float64 { return math.Min(0.95, 0.45*m.l2/(bytes+1)) }

// colorStays is that share of the colors. Where a draw covers a small target again and again, the target counts.
func (m *machine) colorStays(d *draw, written float64) float64 {
	if d.surface > 0 {
		written = math.Min(written, d.surface*d.bytes*d.compress)
	}
	return m.stays(written)
}

// access is the time of bytes that fixed units read and write through the second-level cache.
func (m *machine) access(s *stage, lookups, memory, infinity float64, e *eases) {
	s.memory[stL2] = lookups / 64 / (m.slices * 2 * sliceLines * reachL2 * e[cache]) * 1e9 / m.clock
	s.memory[stFabric] = memory / (m.fabric * reachFabric * e[bandwidth]) * 1e9
	s.memory[stDRAM] = memory * (1 - m.infinityShare(infinity)) / (m.dram * reachDRAM * e[bandwidth]) * 1e9
}

// stagesOf lays out the stages of a draw.
func (m *machine) stagesOf(d *draw, e *eases, vertex, main *class) []stage {
	ns := 1e9 / m.clock
	if d.compute {
		// A shader engine starts a wave a clock, and a group every few.
		clocks := math.Max(main.waves, 2.5*d.groups) / m.engines
		return []stage{
			{kind: stInput, parts: []part{{noCandidate, clocks * ns}}, room: main.slots / main.waves, spread: &d.segments[stInput]},
			{kind: stMain, wave: main, room: 1, spread: &d.segments[stMain]},
		}
	}
	g := d.geometry()
	off := d.imbalance
	input := stage{kind: stInput, spread: &d.segments[stInput], room: 0.35 * vertex.slots / vertex.waves, parts: []part{{
		vertexFetch, math.Max(d.verts, d.prims) / m.engines * ns / (reachGeom * e[vertexFetch])}}}
	m.access(&input, d.prims*3*d.indices, d.prims*3*d.indices, d.main.infinity, e)
	list := []stage{input,
		{kind: stVertex, wave: vertex, room: 1200 * m.engines / d.verts},
		{kind: stAssembly, room: 256 * m.pipes / (g.out + 1), parts: []part{{
			primitives, (g.culled/2 + g.out + 9*g.clipped) / m.pipes * ns / (reachGeom * e[primitives])}}},
		{kind: stRaster, room: 1500 * m.arrays / (g.quads + 1), parts: []part{{rasterizer,
			off * (math.Max(g.out, g.quads/(rasterQuads*d.block)) + (d.quads-g.quads)/(4*rasterQuads)) / m.arrays * ns /
				(reachRaster * e[rasterizer])}}},
	}
	test := stage{kind: stTest, room: 1}
	clocks := 4 * d.samples * d.expand / depthSamples
	if d.stencil > 0 {
		clocks *= 1.25
	}
	testNs := off * g.quads * clocks / m.backends * ns / (reachDepth * e[depth])
	written, read := d.depthBytes()
	switch {
	case !d.tested && !d.written, d.late:
		test.parts = []part{{noCandidate, testNs / 8}}
	default:
		test.parts = []part{{depth, testNs}}
		m.access(&test, written+read, (written+read)*(1-m.stays(written+read)), d.main.infinity, e)
	}
	if !d.shades() {
		list = append(list, test)
	} else {
		test.room = main.slots * 0.9 / main.waves
		colored := stage{kind: stColor, room: 1}
		cost := math.Max(d.targets, d.bytes/4)
		if d.blend {
			cost *= 1.5
		}
		colored.parts = []part{{backend, off * g.tested * cost * math.Sqrt(d.samples) / (colorQuads * m.backends) * ns /
			(reachColor * e[backend])}}
		cw, cr := d.color()
		all, out := cw+cr, (cw+cr)*(1-m.colorStays(d, cw))
		if d.late {
			colored.parts = append(colored.parts, part{depth, testNs})
			all, out = all+written+read, out+(written+read)*(1-m.stays(written))
		}
		m.access(&colored, all, out, d.main.infinity, e)
		list = append(list, test, stage{kind: stMain, wave: main, room: 700 * m.backends / (g.tested + 1)}, colored)
	}
	for i := range list {
		list[i].spread = &d.segments[list[i].kind]
	}
	return list
}
