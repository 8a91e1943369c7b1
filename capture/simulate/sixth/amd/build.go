package amd

import (
	"math"
	"strings"

	"astrolabe/capture/simulate"
)

// span is what a quantity is drawn from: on a logarithmic scale unless it can be 0.
type span [2]float64

func (s span) draw(r simulate.Random) float64 {
	switch {
	case s[0] >= s[1]:
		return s[0]
	case s[0] > 0:
		return r.Log(s[0], s[1])
	}
	return r.Between(s[0], s[1])
}

// or is the span, or another where nothing is said.
func (s span) or(lo, hi float64) span {
	if s == (span{}) {
		return span{lo, hi}
	}
	return s
}

// shading is a kind of shader. Instructions and accesses are those of a wave.
type shading struct {
	valu, trans             span // trans is a share of valu
	samples, filter, volume span
	loads, bytes, lines     span // bytes of a lane, and lines of a wave where lanes do not read neighbours
	stores, scatter         span // scatter multiplies the lines that a store touches
	local, bank, lds        span
	batch                   span // accesses that the wave waits for together
	regs, active, chain     span
	hit0, hit1, hit2, side  span // side is the Infinity Cache's
	conflict, atomics       span
}

// kind is a kind of draw or dispatch. Flags are words: regular, wide (waves of 64), blend, late, untested, unwritten.
type kind struct {
	name  string
	flags string
	shading
	threads, screen               span // of a dispatch or a triangle over the screen: how many, or shares of the picture
	prims, each                   span // of meshes: primitives, and quads of one that is seen
	reuse, culled, clipped        span // reuse is vertices of a primitive
	vertex, fetched               span // a vertex's instructions, and bytes
	coarse, early, stencil        span // shares of quads that depth tests drop
	expand, multi, block, full    span
	targets, color, stay, surface span // color is bytes of a pixel, stay what compression leaves of them
}

func (k *kind) is(flag string) bool { return strings.Contains(k.flags, flag) }

// frame is what the pictures of a case have in common.
type frame struct {
	pixels  float64 // of the picture
	samples float64 // of a pixel in passes that may have several
	detail  float64 // by what meshes are finer than usual
}

func drawFrame(r simulate.Random, m *machine) frame {
	weights := []float64{1, 3, 2, 1.5}
	if m.units < 20 {
		weights = []float64{3, 3, 0.7, 0.2}
	}
	f := frame{samples: 1, detail: r.Log(0.3, 3)}
	f.pixels = []float64{1280 * 800, 1920 * 1080, 2560 * 1440, 3840 * 2160}[r.Weighted(weights)]
	if r.Chance(0.15) {
		f.samples = simulate.Pick(r, 2.0, 4.0, 4.0)
	}
	return f
}

// whole rounds what a program has at least one of.
func whole(x float64) float64 {
	if x < 1 {
		return x
	}
	return math.Round(x)
}

// program draws a shader of a kind.
func (s *shading) program(r simulate.Random, lanes float64, pixels bool) program {
	p := program{lanes: lanes, active: s.active.or(0.82, 0.99).draw(r), valu: whole(s.valu.draw(r)), group: 1,
		smem: math.Round(r.Between(2, 8)), chain: s.chain.or(1.2, 3).draw(r), bank: s.bank.or(1, 1).draw(r)}
	p.trans = math.Round(p.valu * s.trans.or(0.005, 0.06).draw(r))
	p.salu = math.Round(p.valu * r.Between(0.06, 0.25))
	p.samples, p.loads, p.stores = math.Round(s.samples.draw(r)), whole(s.loads.draw(r)), whole(s.stores.draw(r))
	p.filter, p.volume = s.filter.or(1, 2).draw(r), s.volume.draw(r)
	p.tri = math.Min(0.95, math.Max(0, (p.filter-1)*r.Between(0.3, 0.6)))
	p.aniso = math.Max(1, p.filter/(1+p.tri))
	p.storeBytes = s.bytes.or(8, 8).draw(r)
	p.storeLines = math.Max(1, lanes*p.storeBytes/line)
	p.loadLines = s.lines.or(p.storeLines, p.storeLines).draw(r)
	p.storeLines *= s.scatter.or(1, 1).draw(r)
	p.conflict, p.atomics = s.conflict.draw(r), s.atomics.draw(r)
	p.local, p.lds = whole(s.local.draw(r)), s.lds.draw(r)
	if p.local > 0 {
		p.lds = math.Max(1024, p.lds)
		p.barriers = math.Min(24, math.Ceil(p.local/16))
	}
	accesses := p.samples + p.loads
	p.rounds = math.Max(math.Min(1, accesses), accesses/s.batch.or(1.5, 4).draw(r))
	p.spread = math.Max(r.Between(1.5, 3.5), math.Min(8, p.loadLines/4))
	p.vgprs = int(s.regs.or(24, 72).draw(r))
	p.hit0, p.hit1, p.hit2 = s.hit0.or(0.2, 0.6).draw(r), s.hit1.or(0.1, 0.4).draw(r), s.hit2.or(0.2, 0.65).draw(r)
	p.infinity = s.side.or(0.4, 0.8).draw(r)
	if pixels {
		p.hit0, p.hit1, p.hit2 = s.hit0.or(0.72, 0.93).draw(r), s.hit1.or(0.25, 0.6).draw(r), s.hit2.or(0.4, 0.9).draw(r)
		if s.regs == (span{}) {
			p.vgprs = int(math.Min(128, 20+p.valu*0.1+p.samples*3))
		}
	}
	return p
}

// vertexProgram is a vertex shader of so many instructions that reads so many bytes of a vertex. Vertices lie behind
// each other: neighbours share lines, and what reuse reorders reads some of them twice.
func vertexProgram(r simulate.Random, valu, bytes float64) program {
	p := program{lanes: 32, active: r.Between(0.85, 0.97), valu: math.Round(valu), trans: math.Round(valu * r.Between(0, 0.03)),
		salu: math.Round(valu * r.Between(0.08, 0.25)), smem: r.Between(3, 8), chain: r.Between(1.5, 4), vgprs: r.Whole(24, 56),
		group: 4, lds: 4096, local: 2, spread: 3, filter: 1, bank: 1, aniso: 1, loads: math.Max(1, math.Round(bytes/12)),
		rounds: r.Between(1.5, 3), hit0: r.Between(0.35, 0.7), hit1: r.Between(0.15, 0.4), hit2: r.Between(0.2, 0.6),
		infinity: r.Between(0.3, 0.7)}
	p.loadLines = math.Max(1, p.lanes*bytes/p.loads/line*r.Between(1.1, 1.9))
	return p
}

// make draws a draw or dispatch of a kind.
func (k *kind) make(r simulate.Random, f *frame) draw {
	d := draw{name: k.name, front: r.Between(700, 2200), back: r.Between(600, 1900), hide: r.Between(0.1, 0.5), samples: 1,
		full: 1, block: 1, expand: 1, imbalance: r.Between(1, 1.1)}
	if k.threads != (span{}) || k.prims == (span{}) && k.targets == (span{}) {
		d.compute = true
		lanes := simulate.Pick(r, 32.0, 64, 64)
		if k.is("wide") {
			lanes = 64
		}
		d.main = k.program(r, lanes, false)
		d.main.group, d.main.regular = simulate.Pick(r, 64.0, 128, 256, 256)/lanes, k.is("regular") || r.Chance(0.15)
		threads := k.threads.draw(r) + k.screen.draw(r)*f.pixels
		d.groups = math.Max(1, math.Round(threads/(d.main.group*lanes)))
		d.front *= 0.8
		return d
	}
	d.main = k.program(r, 64, true)
	d.targets, d.bytes, d.blend = math.Round(k.targets.draw(r)), k.color.draw(r), k.is("blend")
	if d.bytes > 4 { // channels have 8, 16 or 32 bits
		d.bytes = math.Round(d.bytes/4) * 4
	}
	d.compress, d.surface = k.stay.or(0.45, 0.95).draw(r), k.surface.draw(r)
	d.late, d.tested, d.written = k.is("late") && r.Chance(0.7), !k.is("untested"), !k.is("unwritten") && !k.is("untested")
	d.hierarchical, d.early, d.stencil = k.coarse.draw(r), k.early.draw(r), k.stencil.draw(r)
	d.expand = k.expand.or(0.9, 1.3).draw(r)
	if k.multi != (span{}) {
		d.samples = math.Max(f.samples, math.Exp2(math.Round(k.multi.draw(r))))
	}
	if d.bytes >= 16 && d.targets == 1 {
		d.slow = 0.95
	}
	if k.prims == (span{}) {
		d.prims, d.verts, d.quads, d.full, d.block = 1, 3, f.pixels/4*k.screen.draw(r), 0.998, 0.99
		d.vertex = program{lanes: 32, active: 0.1, valu: 12, salu: 4, smem: 1, chain: 3, vgprs: 16, group: 1, filter: 1, bank: 1,
			spread: 1, aniso: 1, rounds: 0.5}
		return d
	}
	d.prims = math.Max(2, math.Round(k.prims.draw(r)*f.detail))
	d.verts = math.Max(3, math.Round(d.prims*k.reuse.or(0.55, 1.1).draw(r)))
	d.indices = simulate.Pick(r, 2.0, 4.0)
	d.culled, d.clipped = k.culled.or(0.35, 0.65).draw(r), k.clipped.or(0, 0.004).draw(r)
	d.vertex = vertexProgram(r, k.vertex.draw(r), k.fetched.or(12, 40).draw(r))
	each := k.each.draw(r)
	d.quads = math.Max(1, d.prims*(1-d.culled)*each)
	// A triangle of few pixels fills neither its quads nor the rasterizer's blocks.
	d.full = math.Max(0.3, each*0.95/(each+1)) * k.full.or(1, 1).draw(r)
	d.block = math.Max(0.27, each/(each+3.5)*k.block.or(1, 1).draw(r))
	return d
}
