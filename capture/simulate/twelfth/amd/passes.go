package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// scene draws the draws and dispatches of one program: sizes that its passes share.
type scene struct {
	simulate.Random
	m      *machine
	pixels float64 // of the screen
	detail float64 // of meshes
	heavy  float64 // how much shaders do, beside what is usual for their pass
	tidy   float64 // how well data lie in memory: 1 is usual, more is better
}

func newScene(rnd simulate.Random, m *machine) *scene {
	s := &scene{Random: rnd, m: m}
	screens := []float64{1280 * 800, 1920 * 1080, 2560 * 1440, 3840 * 2160}
	weights := []float64{1, 4, 4, 3}
	if m.cus < 20 {
		weights = []float64{4, 4, 1, 0}
	}
	s.pixels = screens[rnd.Weighted(weights)] * rnd.Between(0.45, 1) // dynamic resolution
	s.detail = rnd.Log(0.3, 3) * min(1.5, m.cus/40+0.4)
	s.heavy = rnd.Log(0.5, 2)
	s.tidy = rnd.Between(0.5, 1.4)
	return s
}

// pass draws one draw or dispatch.
type pass func(s *scene) draw

// shade draws what a wave of a shader does: vector instructions, samples, loads and stores, around those numbers.
func (s *scene) shade(valu, tex, load, store float64) (h shader) {
	h.valu = max(4, valu*s.heavy*s.Spread(0.45))
	h.salu, h.smem = h.valu*s.Between(0.05, 0.3), s.Between(1, 10)
	count := func(n float64) float64 { return math.Round(n*s.Spread(0.35)*4) / 4 }
	h.tex, h.load, h.store = count(tex), count(load), count(store)
	h.trilinear, h.aniso = s.Between(0, 0.6), 1
	if s.Chance(0.4) {
		h.aniso = s.Between(1, 5)
	}
	h.texClocks = 8 * (1 + h.trilinear) * (1 + 0.6*(h.aniso-1)) * simulate.Pick(s.Random, 1.0, 1, 1, 2)
	h.lsClocks = s.Log(1.5, 5)
	h.lines = s.Log(1, 4)
	h.ldsClocks = s.Log(1, 3)
	h.hit0 = within(s.Between(0.6, 0.96) * (0.8 + 0.2*s.tidy))
	h.hit1 = within(s.Between(0.15, 0.65) * s.tidy)
	h.hit2 = within(s.Between(0.4, 0.94) * (0.7 + 0.3*s.tidy))
	h.mall = s.Between(0.1, 0.9)
	h.rounds = s.Between(0.5, 1.1) * (1 + 0.4*(h.tex+h.load))
	if h.tex+h.load == 0 {
		h.rounds = 0
	}
	h.ilp = s.Between(1, 3.5)
	h.occupancy = float64(s.Whole(3, 15))
	h.lanes = s.Between(0.6, 1)
	h.clash = s.Between(0.05, 0.4)
	h.fetch = 128
	h.missScalar, h.missInst = s.Log(0.01, 0.25), s.Log(0.001, 0.05)
	h.group, h.wide = 64, s.Chance(0.3)
	return h
}

func within(x float64) float64 { return max(0.02, min(0.98, x)) }

// vertices is a vertex shader with little to do.
func (s *scene) vertices() shader {
	h := s.shade(60, 0, s.Between(2, 5), 0)
	h.hit0, h.hit2 = within(h.hit0*0.7), within(h.hit2)
	h.rounds = s.Between(1, 2.2)
	h.lines = s.Between(2, 8)
	return h
}

// mesh is a draw of triangles that cover so many pixels.
func (s *scene) mesh(name string, triangles, pixels float64) (d draw) {
	d.name = name
	d.prims = max(2, triangles)
	d.verts = max(3, d.prims*s.Between(0.55, 1.3))
	d.culled = s.Between(0.3, 0.6)
	d.clipped = s.Log(0.0005, 0.02)
	pixels = max(64, pixels)
	// Quads at the edges of triangles are partly covered.
	visible := d.prims * (1 - d.culled)
	d.quads = pixels/4*s.Between(1.02, 1.1) + 0.8*math.Sqrt(visible*pixels/4) + 0.5*visible
	d.hiz, d.early = s.Between(0.05, 0.5), s.Between(0.02, 0.35)
	d.depth, d.samples = true, 1
	d.zClocks = s.Log(0.8, 2.5)
	d.zBytes = s.Between(1, 8)
	d.targets, d.cbClocks, d.bytes = 1, simulate.Pick(s.Random, 1.0, 1, 1.3, 2), 4
	if d.cbClocks > 1.5 {
		d.bytes = 8
	}
	d.compressed, d.mall = s.Between(0.25, 0.95), s.Between(0.2, 0.9)
	d.launch = s.Log(0.2, 2.5)
	d.eff = s.Between(0.75, 1)
	d.clock = 1
	d.vs = s.vertices()
	return d
}

// screen is a draw of one triangle over the screen, or a part of it.
func (s *scene) screen(name string, part float64) draw {
	d := s.mesh(name, 1, s.pixels*part)
	d.verts, d.prims, d.culled, d.clipped = 3, 1, 0, 0
	d.quads = max(16, s.pixels*part/4)
	d.depth, d.hiz, d.early = false, 0, 0
	return d
}

// dispatch is one of so many threads.
func (s *scene) dispatch(name string, threads float64, h shader) (d draw) {
	d.name, d.compute, d.clock = name, true, 1
	d.cs = h
	d.cs.waves = max(1, math.Ceil(threads/32))
	d.cs.group = simulate.Pick(s.Random, 64.0, 64, 128, 256)
	d.launch = s.Log(0.3, 4)
	d.eff = s.Between(0.75, 1)
	return d
}

func shadow(s *scene) draw {
	d := s.mesh("shadow map", s.Log(3e4, 1.2e6)*s.detail, s.Log(2e5, 8e6))
	d.targets = 0
	d.hiz = s.Between(0, 0.3)
	d.zBytes = s.Between(2, 10)
	if s.Chance(0.3) { // alpha tested
		d.ps = s.shade(20, 1, 0, 0)
		d.late = true
	}
	return d
}

func prepass(s *scene) draw {
	d := s.mesh("depth prepass", s.Log(5e4, 1e6)*s.detail, s.pixels*s.Between(0.5, 2))
	d.targets = 0
	return d
}

func gbuffer(s *scene) draw {
	d := s.mesh("G-buffer", s.Log(2e4, 6e5)*s.detail, s.pixels*s.Log(0.1, 1.2))
	d.ps = s.shade(90, s.Between(2, 7), 0, 0)
	d.targets = float64(s.Whole(2, 5))
	d.cbClocks = s.Between(1, 1.6)
	return d
}

func forward(s *scene) draw {
	d := s.mesh("forward opaque", s.Log(5e3, 4e5)*s.detail, s.pixels*s.Log(0.05, 0.9))
	d.ps = s.shade(s.Log(120, 900), s.Between(4, 14), s.Between(0, 8), 0)
	if s.Chance(0.25) {
		d.samples = 4
		d.bytes *= 2
	}
	return d
}

func foliage(s *scene) draw {
	d := s.mesh("foliage", s.Log(5e4, 1.5e6)*s.detail, s.pixels*s.Log(0.3, 3))
	d.culled = s.Between(0, 0.1)
	d.ps = s.shade(60, 3, 0, 0)
	d.late = s.Chance(0.6)
	return d
}

func particles(s *scene) draw {
	d := s.mesh("particles", s.Log(2e3, 2e5), s.pixels*s.Log(0.3, 8))
	d.culled, d.early, d.hiz = 0, s.Between(0, 0.3), s.Between(0, 0.2)
	d.ps = s.shade(40, s.Between(1, 3), 0, 0)
	d.blend, d.cbClocks, d.bytes = true, simulate.Pick(s.Random, 1.0, 2, 2), 8
	d.compressed = s.Between(0.1, 0.9)
	d.zBytes = s.Between(0.5, 3)
	return d
}

func interfaces(s *scene) draw {
	d := s.mesh("UI", s.Log(10, 6e3), s.pixels*s.Log(0.002, 0.6))
	d.depth, d.culled, d.hiz, d.early = false, 0, 0, 0
	d.ps = s.shade(15, 1, 0, 0)
	d.blend = true
	return d
}

func sky(s *scene) draw {
	d := s.screen("sky", s.Between(0.2, 0.8))
	d.ps = s.shade(s.Log(30, 400), s.Between(1, 3), 0, 0)
	return d
}

func blur(s *scene) draw {
	d := s.screen("blur", simulate.Pick(s.Random, 1, 0.25, 0.25, 0.06))
	d.ps = s.shade(50, s.Between(5, 17), 0, 0)
	d.ps.hit0 = s.Between(0.75, 0.97)
	return d
}

func tonemap(s *scene) draw {
	d := s.screen("tone mapping", 1)
	d.ps = s.shade(70, 3, 0, 0)
	d.ps.hit0, d.ps.hit2 = s.Between(0.5, 0.8), s.Between(0.05, 0.5)
	d.bytes = simulate.Pick(s.Random, 4.0, 8)
	return d
}

func copies(s *scene) draw {
	d := s.screen("copy", simulate.Pick(s.Random, 1, 1, 0.25, 0.5))
	d.ps = s.shade(6, 1, 0, 0)
	d.ps.hit0, d.ps.hit1, d.ps.hit2, d.ps.mall = s.Between(0.5, 0.75), 0.05, s.Between(0.02, 0.3), s.Between(0, 0.5)
	d.compressed = 1
	return d
}

func denseMesh(s *scene) draw {
	d := s.mesh("dense mesh", s.Log(4e5, 8e6)*s.detail, s.pixels*s.Log(0.1, 1))
	d.ps = s.shade(60, 2, 0, 0)
	d.culled = s.Between(0.3, 0.85)
	return d
}

func small(s *scene) draw {
	d := s.mesh("small object", s.Log(12, 3e3), s.pixels*s.Log(0.00002, 0.01))
	d.ps = s.shade(80, s.Between(1, 5), 0, 0)
	return d
}

func ambient(s *scene) draw {
	h := s.shade(150, s.Between(8, 24), 0, 1)
	h.trilinear, h.aniso, h.texClocks = 0, 1, simulate.Pick(s.Random, 8.0, 8, 16)
	h.hit0 = s.Between(0.4, 0.95)
	return s.dispatch("ambient occlusion", s.pixels*simulate.Pick(s.Random, 1, 0.25), h)
}

func lighting(s *scene) draw {
	h := s.shade(s.Log(200, 1500), s.Between(3, 7), s.Between(4, 40), 1)
	h.smem = s.Between(10, 80)
	h.lds, h.ldsClocks = s.Between(4, 40), s.Between(1, 2)
	h.occupancy = float64(s.Whole(4, 10))
	return s.dispatch("lighting", s.pixels, h)
}

func upscale(s *scene) draw {
	h := s.shade(s.Log(150, 500), s.Between(9, 20), 1, 1)
	h.trilinear, h.aniso, h.texClocks = 0, 1, 8
	h.hit0, h.lds, h.ldsClocks = s.Between(0.7, 0.96), s.Between(0, 12), 1.5
	return s.dispatch("upscaling", s.pixels*s.Between(1.5, 3), h)
}

func culling(s *scene) draw {
	h := s.shade(60, s.Between(0, 2), s.Between(4, 10), 1)
	h.rounds = s.Between(2, 6)
	h.lines, h.fetch = s.Between(2, 10), 64
	return s.dispatch("culling", s.Log(2e3, 4e5), h)
}

func skinning(s *scene) draw {
	h := s.shade(90, 0, s.Between(8, 20), s.Between(2, 5))
	h.lines, h.lsClocks, h.hit2 = s.Between(2, 6), s.Between(2, 8), s.Between(0.1, 0.8)
	return s.dispatch("skinning", s.Log(3e4, 2e6), h)
}

func rayTracing(s *scene) draw {
	h := s.shade(s.Log(500, 3000), s.Between(0, 3), s.Between(5, 30), 1)
	h.rays = s.Log(20, 160)
	h.rounds = h.rays * s.Between(0.5, 1)
	h.lines, h.hit0, h.hit1, h.hit2 = s.Between(4, 12), s.Between(0.3, 0.8), s.Between(0.1, 0.5), s.Between(0.5, 0.95)
	h.fetch = simulate.Pick(s.Random, 64.0, 128)
	h.lanes, h.occupancy, h.lds = s.Between(0.25, 0.7), float64(s.Whole(3, 12)), s.Between(0, 60)
	return s.dispatch("ray tracing", s.pixels*simulate.Pick(s.Random, 0.25, 0.5, 1), h)
}

func volumes(s *scene) draw {
	h := s.shade(s.Log(200, 1500), s.Log(10, 80), 0, 1)
	h.volume, h.aniso = s.Between(0.5, 1), 1
	h.texClocks, h.hit0 = 8*(1+h.volume), s.Between(0.5, 0.95)
	h.rounds = h.tex * s.Between(0.15, 0.7)
	return s.dispatch("volumetric fog", s.pixels*simulate.Pick(s.Random, 0.0625, 0.25, 0.25), h)
}

func video(s *scene) draw {
	h := s.shade(30, 3, 0, 1.5)
	h.trilinear, h.aniso, h.texClocks = 0, 1, 8
	h.hit0, h.hit2, h.mall = s.Between(0.4, 0.8), s.Between(0.02, 0.3), s.Between(0, 0.3)
	return s.dispatch("video conversion", s.pixels*s.Between(0.5, 1), h)
}
