package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// vertexProgram is a vertex shader of so many instructions that reads so many bytes of a vertex.
func vertexProgram(r simulate.Random, valu, bytes float64) program {
	p := program{lanes: 32, active: r.Between(0.85, 0.97), valu: valu, trans: valu * r.Between(0, 0.03),
		salu: valu * r.Between(0.08, 0.25), smem: r.Between(3, 8), chain: r.Between(1.5, 4), vgprs: r.Whole(24, 56), group: 4,
		lds: 4096, spread: 3, filter: 1, bank: 1, aniso: 1}
	p.loads = math.Max(1, math.Round(bytes/12))
	// Vertices lie behind each other: neighbours share lines, and what reuse reorders reads some of them twice.
	p.loadLines = math.Max(1, p.lanes*bytes/p.loads/line*r.Between(1.1, 1.9))
	p.rounds = r.Between(1.5, 3)
	p.hit0 = r.Between(0.35, 0.7)
	p.hit1 = r.Between(0.15, 0.4)
	p.hit2 = r.Between(0.2, 0.6)
	p.infinity = r.Between(0.3, 0.7)
	p.local = 2 // to put together what culling leaves
	return p
}

// pixelProgram is a pixel shader of so many instructions and samples.
func pixelProgram(r simulate.Random, valu, samples float64) program {
	p := program{lanes: 64, active: r.Between(0.8, 0.97), valu: valu, trans: valu * r.Between(0.01, 0.08),
		salu: valu * r.Between(0.05, 0.2), smem: r.Between(2, 10), chain: r.Between(1.2, 3), samples: samples,
		vgprs: int(math.Min(128, 20+valu*0.1+samples*3)), group: 1, bank: 1, spread: r.Between(1.5, 3.5)}
	p.filtered(r, r.Between(1, 2))
	p.rounds = math.Max(math.Min(1, samples), samples/r.Between(1.3, 3.5))
	p.hit0 = r.Between(0.72, 0.93)
	p.hit1 = r.Between(0.25, 0.6)
	p.hit2 = r.Between(0.4, 0.9)
	p.infinity = r.Between(0.4, 0.85)
	return p
}

// filtered sets how samples are filtered: clocks are those that a quad takes on average.
func (p *program) filtered(r simulate.Random, clocks float64) {
	p.filter = clocks
	p.tri = math.Min(0.95, math.Max(0, (clocks-1)*r.Between(0.3, 0.6)))
	p.aniso = math.Max(1, clocks/(1+p.tri))
}

// threadProgram is a compute shader of so many instructions.
func threadProgram(r simulate.Random, valu float64) program {
	p := program{lanes: simulate.Pick(r, 32.0, 64.0, 64.0), active: r.Between(0.85, 1), valu: valu,
		trans: valu * r.Between(0, 0.04), salu: valu * r.Between(0.08, 0.3), smem: r.Between(2, 8),
		chain: r.Between(1.2, 3), vgprs: r.Whole(24, 72), bank: 1, filter: 1, aniso: 1, spread: r.Between(1.5, 3)}
	p.group = simulate.Pick(r, 64.0, 128, 256, 256) / p.lanes
	p.hit0 = r.Between(0.2, 0.6)
	p.hit1 = r.Between(0.1, 0.4)
	p.hit2 = r.Between(0.2, 0.6)
	p.infinity = r.Between(0.3, 0.7)
	p.regular = r.Chance(0.5)
	return p
}

// streams lets a program read and write neighbouring elements of so many bytes.
func (p *program) streams(r simulate.Random, loads, stores, bytes float64) {
	p.loads, p.stores, p.storeBytes = loads, stores, bytes
	p.loadLines = math.Max(1, p.lanes*bytes/line)
	p.storeLines = p.loadLines
	p.rounds = math.Max(1, loads/r.Between(2, 6))
}

// scatters lets a program read elements that lie in so many lines.
func (p *program) scatters(r simulate.Random, loads, lines float64) {
	p.loads += loads
	p.loadLines = lines
	p.conflict = r.Between(0, 0.35)
	p.rounds += loads / r.Between(1, 2.5)
	p.spread = math.Max(2, lines/4)
}

// shares memory of the group: so many accesses, whose conflicts multiply their clocks.
func (p *program) exchanges(local, bank, bytes float64) {
	p.local, p.bank, p.lds = local, bank, bytes
	p.barriers = math.Min(24, math.Ceil(local/16))
}

// frame is what the pictures of a case have in common.
type frame struct {
	pixels  float64 // of the picture
	samples float64 // of a pixel in passes that have several
	detail  float64 // by what meshes are finer than usual
}

func drawFrame(r simulate.Random, m *machine) frame {
	sizes := []float64{1280 * 800, 1920 * 1080, 2560 * 1440, 3840 * 2160}
	weights := []float64{1, 3, 2, 1.5}
	if m.units < 20 {
		weights = []float64{3, 3, 0.7, 0.2}
	}
	f := frame{pixels: sizes[r.Weighted(weights)], samples: 1, detail: r.Log(0.3, 3)}
	if r.Chance(0.15) {
		f.samples = simulate.Pick(r, 2.0, 4.0, 4.0)
	}
	return f
}

// blank is a draw with what all draws have: a launch, an end, and parts that do not all work equally long.
func blank(r simulate.Random, name string) draw {
	d := draw{name: name, front: 700 + 1500*r.Float64(), back: 600 + 1300*r.Float64(), hide: r.Between(0.1, 0.5),
		imbalance: 1 + 0.1*r.Float64(), samples: 1, full: 1, block: 1, expand: 1, compress: 1,
		shortTermVariety: r.Between(0.05, 0.5)}
	return d
}

// mesh gives a draw primitives that cover so many quads on average.
func (d *draw) mesh(r simulate.Random, prims, quadsEach float64) {
	d.prims = math.Max(2, math.Round(prims))
	d.verts = math.Max(3, d.prims*r.Between(0.55, 1.1))
	d.indices = simulate.Pick(r, 2.0, 4.0)
	d.culled = r.Between(0.35, 0.65)
	d.clipped = r.Between(0, 0.004)
	d.tested, d.written = true, true
	d.hierarchical = r.Between(0.05, 0.4)
	d.early = r.Between(0.05, 0.5)
	d.expand = r.Between(0.9, 1.3)
	seen := d.prims * (1 - d.culled)
	d.quads = math.Max(1, seen*quadsEach)
	// A triangle of few pixels fills neither its quads nor the rasterizer's blocks.
	d.full = quadsEach * 0.9 / (quadsEach + 1.2)
	d.full = math.Max(0.3, d.full)
	d.block = math.Max(0.27, quadsEach/(quadsEach+3.5))
}

// screen covers the picture, or a part of it, with one triangle.
func (d *draw) screen(pixels float64) {
	d.prims, d.verts, d.quads = 1, 3, pixels/4
	d.full, d.block = 0.998, 0.99
	d.vertex = program{lanes: 32, active: 0.1, valu: 12, salu: 4, smem: 1, chain: 3, vgprs: 16, group: 1, filter: 1,
		bank: 1, spread: 1, aniso: 1, rounds: 0.5}
}

// paints lets a draw write so many targets of so many bytes together.
func (d *draw) paints(r simulate.Random, targets, bytes float64) {
	d.targets, d.bytes = targets, bytes
	d.compress = r.Between(0.45, 0.95)
}
