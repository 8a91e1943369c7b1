package gpa

import "math"

// What a chip of four shader engines does in a clock, as Fiji and Vega 10 are built.
const (
	engines     = 4    // shader engines, each with a rasterizer and a pipe for primitives
	simds       = 256  // vector units
	cus         = 64   // compute units: scalar units, LDS and texture units
	rasterQuads = 16   // quads out of the rasterizers
	depthQuads  = 64   // quads through compressed depth tests
	colorQuads  = 16   // quads into a target of 32 bits
	readBytes   = 320  // from memory
	writeBytes  = 128  // to memory
	cacheBytes  = 1024 // from the L2 cache
	lineBytes   = 64   // of the caches
)

// shader is the work of one wave of a stage.
type shader struct {
	valu, salu float64 // instructions, four clocks each
}

// draw is the work of one sample: a draw call, a group of them or a dispatch. Everything in it grows with its size.
type draw struct {
	size float64 // primitives of a draw, waves of a dispatch

	// Before the rasterizer, per primitive.
	verts, patches, tessVerts, gsOut float64
	tessClocks                       float64 // of a vertex in the tessellator
	vs, hs, ds, gs                   shader
	culled, clipped, clip            float64 // shares; clocks that one primitive takes in primitive assembly
	inFlight                         float64 // share of the time in which geometry is held up where pixels are the limit

	// Behind it.
	quads            float64 // per primitive that is not culled
	depth            float64 // clocks of a quad in a depth unit
	hiz, early       float64 // shares of quads that are rejected before shading
	shades           bool
	ps               shader
	tex              float64 // texture instructions of a wave
	tri, vol, aniso  float64 // shares of samples with two mip levels and of volumes; average of anisotropy
	late, lateClocks float64 // share of samples that are tested after shading, and what a quad of them takes
	targets          float64
	slow, blend      float64 // shares of pixels
	depthWrite       float64 // clocks of a quad that is written to depth after shading
	cs               *dispatch
	eff              float64 // how much of the time the busiest unit works; the rest is waiting
	bubble           float64 // time in which no stage has work, for each of work
}

// stages are those of a program's draws, in their order.
var stages = []string{"VS", "HS", "DS", "GS", "PS"}

// dispatch is the work of one wave of compute.
type dispatch struct {
	shader
	lanes          float64 // share of lanes that take part
	fetch, spread  float64 // instructions that fetch, and how many times longer than ideal one takes for its addresses
	l1, l2         float64 // hit rates
	written        float64 // bytes
	lds, conflicts float64 // instructions, and clocks of conflicts for each
}

// load is what the units of the chip do in a sample, in clocks.
type load struct {
	clocks                                 float64 // of the sample in which the GPU is busy
	vsLive, hsLive, dsLive, gsLive         float64 // waves are in flight
	psLive, csLive                         float64
	tess, assembly, stalled                float64 // assembly without what waits and what it hands on
	depth, texture, fetchStall, writeStall float64
	exportStall, colorStall                float64
	conflicts                              float64 // of all LDS
	ldsStall                               float64
	prims, drawn                           float64
	quads, hizQuads, shadedQuads           float64
	waves                                  map[string]float64 // by stage
}

// requests is how many lines are asked of the L1 caches: one for each clock of a fetch.
func (c *dispatch) requests(waves float64) float64 { return waves * c.fetch * 16 * c.spread }

// lines is how many lines no cache has.
func (c *dispatch) lines(waves float64) float64 { return c.requests(waves) * (1 - c.l1) * (1 - c.l2) }

func (s shader) clocks(waves float64) float64 {
	return max(waves*s.valu*4/simds, waves*s.salu*4/cus)
}

// run lets the units of the chip do the work of a draw. All work at the same time; the slowest sets the pace, and what
// lies before it is held up.
func (d draw) run() load {
	l := load{waves: map[string]float64{}}
	if d.cs != nil {
		d.compute(&l)
	} else {
		d.graphics(&l)
	}
	l.clocks *= 1 + d.bubble
	return l
}

func (d draw) graphics(l *load) {
	l.prims = d.size
	l.drawn = d.size * (1 - d.culled)
	l.quads = l.drawn * d.quads
	l.hizQuads = l.quads * (1 - d.hiz)
	if d.shades {
		l.shadedQuads = l.hizQuads - l.quads*d.early
	}
	w := l.waves
	w["VS"], w["HS"], w["DS"], w["GS"] = d.size*d.verts/64, d.size*d.patches/64, d.size*d.tessVerts/64, 0
	if d.gsOut > 0 {
		w["GS"] = d.size / 64
	}
	w["PS"] = l.shadedQuads / 16

	vs, hs, ds, gs := d.vs.clocks(w["VS"]), d.hs.clocks(w["HS"]), d.ds.clocks(w["DS"]), d.gs.clocks(w["GS"])
	l.tess = d.size * d.tessVerts * d.tessClocks / engines
	out := l.drawn / engines
	assembly := d.size*d.clip/engines + d.size*d.clipped*8/engines
	front := max(vs, hs, ds, gs, l.tess, assembly, d.size*d.verts/engines)

	l.depth = l.quads * d.depth / depthQuads
	alu := d.ps.clocks(w["PS"])
	l.texture = w["PS"] * d.tex * 16 / cus * (1 + d.tri) * (1 + d.vol) * max(1, d.aniso)
	color := l.shadedQuads * d.targets * (1 + d.slow) * (1 + d.blend) / colorQuads
	written := l.shadedQuads * (d.depthWrite + d.late*d.lateClocks) / colorQuads
	back := max(l.quads/rasterQuads, l.depth, alu, l.texture, color, written)

	// All stages share the vector and scalar units.
	var valu, salu float64
	for k, x := range []shader{d.vs, d.hs, d.ds, d.gs, d.ps} {
		waves := w[stages[k]]
		valu += shader{valu: x.valu}.clocks(waves)
		salu += shader{salu: x.salu}.clocks(waves)
	}
	l.clocks = max(front, back, valu, salu) / d.eff
	l.exportStall = 0.98 * max(0, max(color, written)-max(alu, l.texture))
	l.colorStall = 0.98 * max(0, color-max(alu, l.texture, l.depth))
	if back > front {
		l.stalled = (back - front) * d.inFlight
	}
	l.assembly = max(0, assembly-out)
	live := func(own float64, limits bool) float64 {
		switch {
		case own == 0:
			return 0
		case limits:
			return 0.98 * l.clocks
		}
		return min(0.98*l.clocks, 1.3*own+l.stalled)
	}
	l.vsLive = live(vs, front >= back && (vs == front || assembly == front))
	l.hsLive = live(hs, front >= back && hs == front)
	l.dsLive = live(ds, front >= back && ds == front)
	l.gsLive = live(gs, front >= back && gs == front)
	if d.shades {
		l.psLive = 0.98 * l.clocks
		if front > back {
			l.psLive = min(l.psLive, 1.2*max(alu, l.texture, color, written))
		}
	}
}

func (d draw) compute(l *load) {
	c, waves := d.cs, d.size
	l.waves["CS"] = waves
	alu := c.clocks(waves)
	fetch := c.requests(waves) / cus
	read := c.lines(waves) * lineBytes / readBytes
	written := waves * c.written / writeBytes
	lds := waves * c.lds * (1 + c.conflicts) / cus
	cached := c.requests(waves) * (1 - c.l1) * lineBytes / cacheBytes
	top := max(alu, fetch, read, written, lds, cached)
	l.clocks = top / d.eff
	l.csLive = 0.98 * l.clocks
	l.fetchStall = 0.97 * max(0, max(read, cached)-max(fetch, alu))
	l.texture = fetch + l.fetchStall
	l.writeStall = 0.97 * max(0, written-max(fetch, alu, read))
	l.conflicts = waves * c.lds * c.conflicts
	l.ldsStall = 0.97 * max(0, lds-max(alu, fetch, read, written, cached))
}

// mix is a value between a light and a heavy one.
func mix(light, heavy, load float64) float64 { return light + (heavy-light)*load }

// scaled is the draw with the size at which it takes that many clocks.
func (d draw) scaled(clocks float64) draw {
	d.size *= clocks / d.run().clocks
	d.size = math.Max(64, d.size)
	return d
}
