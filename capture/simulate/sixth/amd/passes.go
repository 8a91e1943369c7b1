package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// pass makes a draw or dispatch of one kind for a frame.
type pass func(r simulate.Random, f *frame) draw

// graphics are draws as games and other programs have them.
var graphics = map[string]pass{
	"shadow": func(r simulate.Random, f *frame) draw {
		d := blank(r, "shadow")
		d.mesh(r, r.Log(2e3, 400e3)*f.detail, r.Log(0.8, 12))
		d.vertex = vertexProgram(r, r.Between(30, 90), simulate.Pick(r, 12.0, 16, 20))
		if r.Chance(0.25) { // leaves whose shape a texture cuts out
			d.late = true
			d.main = pixelProgram(r, r.Between(6, 15), 1)
		}
		return d
	},
	"depth": func(r simulate.Random, f *frame) draw {
		d := blank(r, "depth before color")
		d.mesh(r, r.Log(2e3, 300e3)*f.detail, r.Log(0.8, 30))
		d.vertex = vertexProgram(r, r.Between(30, 70), 12)
		d.samples = f.samples
		return d
	},
	"surfaces": func(r simulate.Random, f *frame) draw {
		d := blank(r, "surfaces")
		d.mesh(r, r.Log(1e3, 400e3)*f.detail, r.Log(0.8, 60))
		d.vertex = vertexProgram(r, r.Between(60, 220), r.Between(24, 56))
		d.main = pixelProgram(r, r.Log(60, 350), float64(r.Whole(3, 9)))
		d.main.filtered(r, r.Between(1.2, 5))
		d.attributes = 48
		d.paints(r, float64(r.Whole(3, 5)), simulate.Pick(r, 12.0, 16, 20, 24))
		return d
	},
	"opaque": func(r simulate.Random, f *frame) draw {
		d := blank(r, "opaque")
		d.mesh(r, r.Log(1e3, 300e3)*f.detail, r.Log(1, 80))
		d.vertex = vertexProgram(r, r.Between(50, 200), r.Between(24, 48))
		d.main = pixelProgram(r, r.Log(80, 700), float64(r.Whole(4, 16)))
		d.main.filtered(r, r.Between(1.1, 4))
		d.samples = f.samples
		d.paints(r, 1, simulate.Pick(r, 4.0, 4, 8))
		return d
	},
	"foliage": func(r simulate.Random, f *frame) draw {
		d := blank(r, "foliage")
		d.mesh(r, r.Log(20e3, 900e3)*f.detail, r.Log(0.6, 6))
		d.culled = r.Between(0.1, 0.3)
		d.vertex = vertexProgram(r, r.Between(80, 260), r.Between(20, 40))
		d.main = pixelProgram(r, r.Log(30, 150), float64(r.Whole(1, 4)))
		d.late, d.samples = r.Chance(0.7), f.samples
		d.paints(r, float64(r.Whole(1, 4)), simulate.Pick(r, 4.0, 12, 16))
		return d
	},
	"sky": func(r simulate.Random, f *frame) draw {
		d := blank(r, "sky")
		d.screen(f.pixels)
		d.tested, d.early, d.hierarchical = true, r.Between(0, 0.3), r.Between(0.3, 0.7)
		d.main = pixelProgram(r, r.Log(20, 300), float64(r.Whole(1, 3)))
		d.paints(r, 1, simulate.Pick(r, 4.0, 8))
		return d
	},
	"particles": func(r simulate.Random, f *frame) draw {
		d := blank(r, "particles")
		d.mesh(r, r.Log(200, 60e3), r.Log(20, 3000)*f.pixels/2e6)
		d.culled, d.written, d.blend = r.Between(0, 0.1), false, true
		d.vertex = vertexProgram(r, r.Between(60, 200), r.Between(16, 48))
		d.main = pixelProgram(r, r.Log(15, 120), float64(r.Whole(1, 3)))
		d.early, d.hierarchical = r.Between(0, 0.25), r.Between(0, 0.2)
		d.paints(r, 1, simulate.Pick(r, 4.0, 8, 8))
		return d
	},
	"layers": func(r simulate.Random, f *frame) draw {
		d := blank(r, "layers of a desktop")
		d.prims, d.verts = 2*float64(r.Whole(1, 400)), 4
		d.verts = d.prims * 2
		d.quads = f.pixels / 4 * r.Log(0.002, 3)
		d.full, d.block, d.blend = 0.95, 0.9, r.Chance(0.8)
		d.vertex = vertexProgram(r, 20, 20)
		d.main = pixelProgram(r, r.Log(6, 40), float64(r.Whole(0, 2)))
		d.paints(r, 1, 4)
		return d
	},
	"lighting": func(r simulate.Random, f *frame) draw {
		d := blank(r, "lighting")
		d.screen(f.pixels)
		d.main = pixelProgram(r, r.Log(90, 900), float64(r.Whole(6, 22)))
		d.main.filtered(r, r.Between(1, 1.5))
		d.main.hit0, d.main.hit2, d.main.infinity = r.Between(0.5, 0.85), r.Between(0.2, 0.7), r.Between(0.3, 0.7)
		d.paints(r, 1, 8)
		return d
	},
	"effect": func(r simulate.Random, f *frame) draw {
		d := blank(r, "effect over the picture")
		d.screen(f.pixels * simulate.Pick(r, 1, 1, 0.25, 0.0625))
		d.main = pixelProgram(r, r.Log(12, 250), float64(r.Whole(1, 16)))
		d.main.filtered(r, simulate.Pick(r, 1.0, 1.0, 2.0))
		d.main.hit0 = r.Between(0.8, 0.95)
		d.paints(r, 1, simulate.Pick(r, 4.0, 8))
		return d
	},
	"occlusion": func(r simulate.Random, f *frame) draw {
		d := blank(r, "ambient occlusion")
		d.screen(f.pixels * simulate.Pick(r, 1, 0.25))
		d.main = pixelProgram(r, r.Log(120, 500), float64(r.Whole(8, 32)))
		d.main.filtered(r, 1)
		d.main.hit0, d.main.hit2 = r.Between(0.35, 0.8), r.Between(0.5, 0.9)
		d.paints(r, 1, 1)
		return d
	},
	"clear": func(r simulate.Random, f *frame) draw {
		d := blank(r, "fill")
		d.screen(f.pixels)
		d.main = pixelProgram(r, 3, 0)
		d.paints(r, 1, simulate.Pick(r, 4.0, 8, 16))
		d.compress = r.Between(0.8, 1)
		return d
	},
	"model": func(r simulate.Random, f *frame) draw {
		d := blank(r, "construction model")
		d.mesh(r, r.Log(50e3, 6e6), r.Log(0.15, 4))
		d.culled = r.Between(0.45, 0.75)
		d.verts = d.prims * r.Between(0.52, 1.6)
		d.clipped = r.Log(0.001, 0.12)
		d.vertex = vertexProgram(r, r.Log(20, 250), r.Between(12, 40))
		d.main = pixelProgram(r, r.Log(20, 400), 0)
		d.samples = simulate.Pick(r, 1.0, 4, 4)
		d.paints(r, 1, 4)
		return d
	},
	"decal": func(r simulate.Random, f *frame) draw {
		d := blank(r, "decals")
		d.mesh(r, 12*r.Log(1, 300), r.Log(50, 3000))
		d.culled, d.written, d.blend = 0.5, false, true
		d.clipped = r.Between(0, 0.1)
		d.stencil = r.Between(0, 0.5)
		d.vertex = vertexProgram(r, 50, 12)
		d.main = pixelProgram(r, r.Log(40, 180), float64(r.Whole(2, 6)))
		d.main.filtered(r, r.Between(1.5, 5))
		d.paints(r, 3, 12)
		return d
	},
}

// terrain is seen at a low angle: long and thin triangles that touch many of the rasterizer's blocks.
func terrain(r simulate.Random, f *frame) draw {
	d := blank(r, "terrain")
	d.mesh(r, r.Log(50e3, 800e3)*f.detail, r.Log(2, 25))
	d.block *= r.Between(0.35, 0.8)
	d.full = math.Max(0.3, d.full*0.8)
	d.early = r.Between(0.2, 0.8)
	d.vertex = vertexProgram(r, r.Between(30, 120), 16)
	if r.Chance(0.6) {
		d.main = pixelProgram(r, r.Log(15, 150), float64(r.Whole(1, 5)))
		d.paints(r, 1, 4)
	}
	return d
}

// inside is a model that the camera stands in, so that the edges of the picture cut many of its triangles.
func inside(r simulate.Random, f *frame) draw {
	d := graphics["model"](r, f)
	d.name = "rooms"
	d.verts = d.prims * r.Between(0.5, 0.8)
	d.culled, d.clipped = r.Between(0.3, 0.6), r.Log(0.02, 0.4)
	return d
}

// stencilVolume marks what lies in a light's reach: many planes of depth and stencil, and no color.
func stencilVolume(r simulate.Random, f *frame) draw {
	d := blank(r, "volumes of light")
	d.mesh(r, r.Log(500, 20e3), r.Log(200, 4000))
	d.culled, d.written, d.stencil = 0, r.Chance(0.5), r.Between(0.2, 0.8)
	d.hierarchical, d.expand = r.Between(0, 0.1), r.Between(1.5, 3.5)
	d.samples = math.Max(f.samples, simulate.Pick(r, 1.0, 4.0))
	d.vertex = vertexProgram(r, 25, 12)
	return d
}
