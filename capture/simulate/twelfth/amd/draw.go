package amd

import "astrolabe/capture/simulate"

// chunks is how many pieces the work of a draw or dispatch goes through the line in.
const chunks = 28

// shader is what the waves of one stage do. Instructions are those of one wave of 32 lanes.
type shader struct {
	waves                       float64
	valu, salu, smem            float64
	missScalar, missInst        float64
	tex, load, store, lds, rays float64
	texClocks                   float64 // of the addresser for one sample instruction: eight quads, filter, format
	trilinear, volume, aniso    float64
	lsClocks                    float64 // of the addresser for one load or store: as lanes lie apart
	lines                       float64 // requests to L0 for an instruction
	ldsClocks                   float64 // for an instruction without conflicts
	conflict                    float64 // clocks lost for each clock of use
	hit0, hit1, hit2, mall      float64
	fetch                       float64 // bytes that a miss of L2 reads: of the sectors that are wanted
	rounds                      float64 // loads that wait for the one before
	ilp                         float64 // clocks between dependent instructions that are not hidden in a wave
	occupancy                   float64 // waves a SIMD has room for
	lanes                       float64 // share that is switched on
	group                       float64 // threads
	wide                        bool    // waves of 64 lanes
	clash                       float64 // how badly phases of different units overlap
}

// draw is one draw or dispatch, as a profiler measures it.
type draw struct {
	name    string
	compute bool
	clock   float64 // share of the machine's
	launch  float64 // us
	eff     float64 // of the memory, for this order of addresses

	verts, prims, culled, clipped float64
	quads                         float64 // rasterized
	hiz, early                    float64 // share of quads that each test rejects
	depth                         bool
	late                          bool // depth after the shader
	zClocks                       float64
	zBytes                        float64 // read and written, a tested quad
	samples                       float64
	targets, cbClocks             float64 // render targets, clocks of a pixel in one
	blend                         bool
	bytes                         float64 // of a pixel in a target
	mall                          float64 // share of its traffic that the cache behind L2 takes
	compressed                    float64 // share of color traffic that reaches memory

	vs, ps, cs shader

	variation [3][chunks]float64 // of geometry, pixels and shading
}

// shaded are the quads that reach the pixel shader, out those that reach the color blocks.
func (d *draw) shaded() float64 {
	if d.late {
		return d.quads * (1 - d.hiz)
	}
	return d.quads * (1 - d.hiz) * (1 - d.early)
}

func (d *draw) out() float64 {
	if d.late {
		return d.quads * (1 - d.hiz) * (1 - d.early)
	}
	return d.shaded()
}

// colors is whether the draw writes color.
func (d *draw) colors() bool { return !d.compute && d.targets > 0 }

// finish fills in what follows from the rest.
func (d *draw) finish(rnd simulate.Random) {
	if !d.compute {
		d.vs.waves = d.verts / 32 * 1.05
		if d.ps.valu > 0 || d.targets > 0 {
			d.ps.waves = d.shaded() * 4 / 32
		}
	}
	sigma := rnd.Between(0.02, 0.35)
	for i := range d.variation {
		before, sum := rnd.NormFloat64(), 0.0
		s := sigma * rnd.Between(0.3, 1)
		for k := range chunks {
			before = 0.7*before + 0.7*rnd.NormFloat64()
			v := max(0.25, 1+s*before)
			d.variation[i][k] = v
			sum += v
		}
		for k := range chunks {
			d.variation[i][k] *= chunks / sum
		}
	}
}

// scaled is the draw with that many times the work.
func (d draw) scaled(by float64) draw {
	for _, x := range []*float64{&d.verts, &d.prims, &d.quads, &d.cs.waves} {
		*x *= by
	}
	return d
}
