package amd

import "astrolabe/capture/simulate"

// program is a shader as one of its waves runs it.
type program struct {
	lanes, active float64 // 32 or 64 threads in a wave, and the share of them that works

	valu, trans, salu, smem float64 // instructions
	chain                   float64 // clocks that an instruction waits for the one before, as a multiple of its issue

	samples, filter    float64 // texture instructions, and clocks of a quad of one: 1 bilinear, 2 trilinear, more with anisotropy
	tri, volume, aniso float64 // shares of samples that read two levels, and volumes; mean number of taps

	loads, stores         float64 // instructions to buffers and images without filter
	loadLines, storeLines float64 // cache lines that one touches
	storeBytes            float64 // that a lane writes with one
	conflict              float64 // share of the loads' clocks in which lines fall into one set of tags
	atomics               float64 // instructions

	local, bank, barriers float64 // instructions to local memory, and by what bank conflicts multiply their clocks
	rounds, spread        float64 // waits for memory, one after the other, and lines of one, which takes as long as the slowest

	vgprs      int     // registers of a lane
	group, lds float64 // waves in a group, bytes of local memory of a group

	hit0, hit1, hit2, infinity float64 // shares of reads that each level serves
	cached                     float64 // share of written bytes that stay in the second-level cache
	regular                    bool    // units of a regular program work beside each other better
}

// draw is a draw or a dispatch.
type draw struct {
	name    string
	compute bool

	groups float64 // of a dispatch
	main   program // of pixels, or of the dispatch

	prims, verts, indices float64 // verts are those that are shaded, indices the bytes of one, 0 without
	culled, clipped       float64 // shares of prims: never rasterized, and cut into others
	vertex                program
	quads, block          float64 // that primitives cover, and that the rasterizer finds in a block of four of them
	hierarchical, early   float64 // share of quads that the coarse test drops, and of the rest that the fine one does
	stencil, samples      float64 // share of failing samples that fail for their stencil; samples of a pixel
	tested, written, late bool    // depth; late is after the shader
	expand                float64 // by what planes that do not compress multiply the test's clocks
	full                  float64 // share of the lanes of a pixel wave that lie inside of primitives
	targets, bytes        float64 // bytes are those of a pixel in all targets
	blend                 bool
	slow                  float64 // share of quads in formats of 32 bits a channel
	surface, compress     float64 // pixels of targets that draws cover again and again; share of bytes that compression leaves

	front, back float64 // ns of its launch and its end
	hide        float64 // share of time in which a depth unit whose quads wait counts itself as busy
	imbalance   float64 // by how much the busiest of equal parts works longer than the mean
	segments    [segmentsOf][segmentsLong]float64
}

// earlyFail is the share of quads that never reach a shader for the fine test.
func (d *draw) earlyFail() float64 {
	if d.late || !d.tested {
		return 0
	}
	return d.early
}

func (d *draw) shades() bool { return d.targets > 0 || d.late }

func (d *draw) mainWaves() float64 {
	if d.compute {
		return d.groups * d.main.group
	}
	if !d.shades() {
		return 0
	}
	return max(1, d.geometry().tested*4/(d.main.lanes*0.96))
}

func (d *draw) vertexWaves() float64 { return max(1, d.verts/(d.vertex.lanes*0.9)) }

// scaled is the same work in another amount.
func (d draw) scaled(by float64) draw {
	d.groups = max(1, float64(int(d.groups*by)))
	if d.quads *= by; d.verts > 3 { // not one triangle over the picture
		d.prims, d.verts = max(2, d.prims*by), max(3, d.verts*by)
	}
	return d
}

// Variation along a draw: parts of a mesh or a picture that follow each other cost alike.
const (
	segmentsOf   = 7
	segmentsLong = 16
)

// vary draws how much each stage has to do along the draw.
func (d *draw) vary(r simulate.Random, sigma float64) {
	for s := range d.segments {
		sum, x := 0.0, 1.0
		for i := range d.segments[s] {
			x = 0.6*x + 0.4*r.Spread(sigma)
			d.segments[s][i] = x
			sum += x
		}
		for i := range d.segments[s] {
			d.segments[s][i] *= segmentsLong / sum
		}
	}
}
