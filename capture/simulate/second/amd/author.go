package amd

import (
	"math"
	"math/rand/v2"
)

// author draws the work of passes.
type author struct {
	*rand.Rand
	m      *machine
	pixels float64 // of the screen
	mall   float64 // see draw; the frame's
}

func newAuthor(r *rand.Rand, m *machine) *author {
	a := &author{Rand: r, m: m, mall: 0}
	a.pixels = []float64{1280 * 720, 1920 * 1080, 1920 * 1080, 2560 * 1440, 2560 * 1440, 3840 * 2160}[a.IntN(6)]
	a.mall = a.between(0.1, 0.6)
	return a
}

func (a *author) between(low, high float64) float64 { return low + (high-low)*a.Float64() }

// wide draws between bounds that are far apart.
func (a *author) wide(low, high float64) float64 { return low * math.Pow(high/low, a.Float64()) }
func (a *author) chance(p float64) bool          { return a.Float64() < p }

// blank is what all draws share.
func (a *author) blank(name string) draw {
	return draw{name: name, times: 1, seed: a.Uint64(), evenness: a.between(0.1, 0.5), samples: 1,
		quad: a.between(0.75, 0.95),
		slow: 1, packed: a.between(0.45, 0.9), zPacked: a.between(0.06, 0.3), colorMiss: a.between(0.25, 0.7),
		hit2: a.between(0.4, 0.8), mall: a.mall, setup: a.wide(1500, 4500), drain: a.wide(800, 2500)}
}

// pixelShader shades this many pixels.
func (a *author) pixelShader(d *draw, shaded, valu, tex float64) shader {
	return shader{waves: shaded / d.quad / 64, lanes: 64, valu: valu, salu: valu * a.between(0.08, 0.25),
		cost: a.between(1.05, 1.4), active: 1, tex: tex, filter: a.between(1.1, 2.2), loads: math.Floor(a.between(0, 3)),
		spread: 1, rounds: 1 + a.IntN(3), occupancy: math.Floor(a.between(6, 15)), hit0: a.between(0.75, 0.92),
		hit1: a.between(0.25, 0.6)}
}

// mesh is a draw of triangles that cover some pixels.
func (a *author) mesh(name string, prims, raster float64) draw {
	d := a.blank(name)
	d.prims, d.indices, d.vertices = prims, 3*prims, prims*a.between(0.55, 0.85)
	d.culled, d.clipped = a.between(0.35, 0.6), a.wide(0.0005, 0.01)
	d.raster, d.depth, d.depthOut = raster, true, true
	d.hiZ, d.early = a.between(0.05, 0.4), a.between(0.05, 0.3)
	d.quad = clamp(0.95-1.6/math.Sqrt(raster/(prims*(1-d.culled))+1), 0.3, 0.95)
	d.vs = shader{waves: d.vertices / 30, lanes: 32, valu: a.wide(35, 140), cost: a.between(1, 1.2), active: 0.95,
		loads: math.Round(a.between(2, 5)), spread: a.between(1, 1.6), rounds: 1 + a.IntN(2),
		occupancy: math.Floor(a.between(8, 16)), hit0: a.between(0.4, 0.7), hit1: a.between(0.2, 0.5)}
	d.vs.salu = d.vs.valu * 0.15
	return d
}

// shaded gives a mesh a pixel shader and targets.
func (a *author) shaded(d draw, valu, tex, targets, texel float64) draw {
	d.out = d.raster * (1 - d.hiZ) * (1 - d.early)
	d.ps = a.pixelShader(&d, d.out, valu, tex)
	d.targets, d.texel = targets, texel
	return d
}

// screen is a pass that shades a rectangle.
func (a *author) screen(name string, pixels, valu, tex float64) draw {
	d := a.blank(name)
	d.prims, d.indices, d.vertices, d.quad = 1, 3, 3, 1
	d.vs = shader{waves: 1, lanes: 32, valu: 12, salu: 4, cost: 1, active: 0.1, rounds: 1, occupancy: 16}
	d.raster = pixels
	d.ps = a.pixelShader(&d, pixels, valu, tex)
	d.out, d.targets, d.texel = pixels, 1, 4
	if a.chance(0.5) {
		d.texel = 8
		d.slow = a.between(1, 2)
	}
	return d
}

// dispatch is a compute pass of this many threads.
func (a *author) dispatch(name string, threads, valu, loads float64) draw {
	d := a.blank(name)
	d.compute = true
	d.group = []float64{64, 64, 128, 256, 256, 512}[a.IntN(6)]
	lanes := 32.0
	if a.chance(0.4) {
		lanes = 64
	}
	d.ps = shader{waves: math.Ceil(threads / lanes), lanes: lanes, valu: valu, salu: valu * a.between(0.05, 0.2),
		cost: a.between(1, 1.25), active: a.between(0.8, 1), loads: loads, stores: math.Round(a.between(1, 2)),
		spread: a.between(1, 1.3), rounds: 1 + a.IntN(3), occupancy: math.Floor(a.between(6, 16)),
		hit0: a.between(0.3, 0.7), hit1: a.between(0.15, 0.5)}
	return d
}

// chain makes a dispatch of rounds of loads of which each needs the one before, with some arithmetic between them.
func (a *author) chain(name string, threads float64, rounds int, loads, valu float64) draw {
	d := a.dispatch(name, threads, float64(rounds)*valu, float64(rounds)*loads)
	d.ps.rounds = rounds
	return d
}
