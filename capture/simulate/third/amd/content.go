package amd

import (
	"math"
	"math/rand/v2"
)

// maker draws works of a frame on a part.
type maker struct {
	r      *rand.Rand
	p      *part
	pixels float64 // of the frame
	scale  float64 // how much of the usual work there is: small parts get smaller frames
	works  []work
	kind   int
}

func (m *maker) in(lo, hi float64) float64 { return lo + (hi-lo)*m.r.Float64() }

// about is a factor whose logarithm is spread evenly.
func (m *maker) about(v, factor float64) float64 {
	return v * math.Exp(math.Log(factor)*(2*m.r.Float64()-1))
}

func (m *maker) hits(l0, l1, l2, mall float64) [4]float64 {
	h := [4]float64{l0, l1, l2, mall}
	for i := range h {
		h[i] = min(0.99, max(0.01, h[i]+m.in(-0.05, 0.05)))
	}
	h[2] = min(0.99, h[2]*math.Pow(m.p.l2Size/(4*mb), 0.06))
	if m.p.mall == 0 {
		h[3] = 0
	} else {
		h[3] *= math.Pow(m.p.mallSize/(128*mb), 0.15)
	}
	return h
}

// vertexShader is of the usual kind: positions, a few attributes, matrices.
func (m *maker) vertexShader(vertices float64) shader {
	return shader{waves: math.Ceil(vertices * m.in(0.6, 0.95) / 32), lanes: m.in(0.85, 1), valu: m.about(85, 1.8), slow: 0.03,
		salu: m.about(25, 1.6), smem: math.Round(m.in(3, 9)), loads: math.Round(m.in(2, 5)), spread: m.in(1.5, 3), lines: m.in(4, 9),
		hit: m.hits(0.55, 0.3, 0.55, 0.45), rounds: 2, chain: 2.2, slots: math.Round(m.in(8, 16))}
}

// pixelShader is of the given sizes.
func (m *maker) pixelShader(valu, tex float64) shader {
	return shader{lanes: m.in(0.75, 0.98), valu: m.about(valu, 1.5), slow: m.in(0.02, 0.12), salu: m.about(0.2*valu+8, 1.5),
		smem: math.Round(m.in(2, 9)), tex: math.Round(max(1, m.about(tex, 1.3))), filter: m.in(1.1, 2.6), spread: 1,
		lines: m.in(2.4, 4.5), hit: m.hits(0.8, 0.5, 0.6, 0.5), rounds: 2 + m.r.IntN(3), chain: m.in(1.6, 3),
		slots: math.Round(m.in(6, 14))}
}

// draws is geometry with a pixel shader.
func (m *maker) draws(name string, prims, covered float64, ps shader) *work {
	w := work{name: name, kind: m.kind, input: math.Ceil(prims), vertices: math.Ceil(prims * m.in(0.55, 1.1)), culled: m.in(0.35, 0.65),
		clipped: m.in(0, 0.02), covered: math.Ceil(covered), samples: 1, hiz: m.in(0.05, 0.4), earlyZ: m.in(0.05, 0.3),
		depthOn: true, depthOut: true, colours: 8, packing: m.in(0.55, 0.95), starts: 1, uneven: m.in(0.2, 1.2), salt: m.r.Uint64(), ps: ps}
	w.vs = m.vertexShader(w.vertices)
	w.settle()
	m.works = append(m.works, w)
	return &m.works[len(m.works)-1]
}

// settle makes the waves of pixel shaders of the pixels: small triangles leave lanes of quads empty.
func (w *work) settle() {
	switch {
	case w.compute:
		return
	case w.colours == 0 && w.ps.valu == 0: // depth alone needs none
		w.ps.waves = 0
		return
	}
	w.ps.waves = math.Ceil(w.pixelsShaded() / 32 / max(0.25, w.ps.lanes))
}

// whole covers the frame with one triangle.
func (m *maker) whole(name string, pixels float64, ps shader) *work {
	w := m.draws(name, 1, pixels, ps)
	w.vertices, w.culled, w.clipped, w.hiz, w.earlyZ, w.depthOn, w.depthOut, w.uneven = 3, 0, 0, 0, 0, false, false, 0.1
	w.vs.waves = 1
	w.ps.lanes = min(1, w.ps.lanes+0.15)
	w.settle()
	return w
}

// dispatch is a compute shader of so many threads.
func (m *maker) dispatch(name string, threads float64, h shader) *work {
	h.waves = max(1, math.Ceil(threads/32))
	if h.group == 0 {
		h.group = float64(int(2) << m.r.IntN(3))
	}
	m.works = append(m.works, work{name: name, kind: m.kind, compute: true, ps: h, starts: 1, uneven: m.in(0.05, 0.4), salt: m.r.Uint64()})
	return &m.works[len(m.works)-1]
}

// kernel is a compute shader.
func (m *maker) kernel(valu, tex, loads, stores float64) shader {
	return shader{lanes: m.in(0.85, 1), valu: m.about(valu, 1.5), slow: m.in(0.01, 0.08), salu: m.about(0.15*valu+10, 1.5),
		smem: math.Round(m.in(1, 6)), tex: math.Round(tex), filter: m.in(1, 1.6), loads: math.Round(loads), stores: math.Round(stores),
		spread: m.in(1, 2), lines: m.in(1, 2.2), hit: m.hits(0.6, 0.3, 0.4, 0.5), rounds: 2 + m.r.IntN(3), chain: m.in(1.5, 3),
		slots: math.Round(m.in(6, 16))}
}

// The passes of frames.

func (m *maker) shadows() {
	for range 2 + m.r.IntN(4) {
		w := m.draws("shadow cascade", m.about(350e3, 2.5)*m.scale, m.about(4e6, 1.8)*m.scale, shader{})
		w.colours, w.hiz, w.earlyZ = 0, m.in(0.05, 0.3), m.in(0.1, 0.5)
		w.starts = math.Round(m.in(1, 40))
		if m.r.IntN(3) == 0 { // leaves and fences need their texture's alpha
			w.ps, w.late = m.pixelShader(14, 1), true
			w.settle()
		}
	}
}

func (m *maker) prepass() {
	w := m.draws("depth prepass", m.about(700e3, 2)*m.scale, 1.8*m.pixels, shader{})
	w.colours, w.starts = 0, math.Round(m.in(5, 60))
}

func (m *maker) opaque(layers, bytes float64) {
	n := 4 + m.r.IntN(9)
	for range n {
		w := m.draws("opaque", m.about(900e3/float64(n), 3)*m.scale, m.about(layers*m.pixels/float64(n), 3), m.pixelShader(120, 6))
		w.colours, w.rolls = bytes, math.Round(m.in(0, 3))
		w.starts = math.Round(m.in(1, 30))
		w.late = m.r.IntN(6) == 0
		w.settle()
	}
}

func (m *maker) sky() { m.whole("sky", 0.3*m.pixels, m.pixelShader(160, 3)).depthOn = true }

func (m *maker) occlusion() {
	h := m.kernel(220, 16, 0, 1)
	h.hit = m.hits(0.86, 0.6, 0.75, 0.7)
	m.dispatch("ambient occlusion", m.pixels/4, h)
	h = m.kernel(60, 0, 2, 1)
	h.lds, h.banks = math.Round(m.in(12, 26)), m.in(1, 1.5)
	m.dispatch("blur", m.pixels/4, h)
}

func (m *maker) lighting() {
	h := m.kernel(900, 14, 4, 2)
	h.lds, h.banks, h.slow = math.Round(m.in(8, 40)), m.in(1, 2), m.in(0.08, 0.16)
	h.slots = math.Round(m.in(3, 8))
	m.dispatch("tiled lighting", m.pixels, h)
}

func (m *maker) reflections() {
	h := m.kernel(420, 22, 0, 1)
	h.lanes, h.lines, h.hit, h.rounds, h.slots = m.in(0.4, 0.7), m.in(6, 12), m.hits(0.5, 0.3, 0.45, 0.5), 8, math.Round(m.in(4, 8))
	m.dispatch("screen space reflections", m.pixels/2, h)
}

func (m *maker) rays(share float64) {
	h := m.kernel(700, 60, 10, 1)
	h.rayTest, h.filter, h.lanes, h.lines, h.rounds = 1, m.in(1.5, 3), m.in(0.35, 0.6), m.in(8, 14), 14
	h.hit, h.slots = m.hits(0.55, 0.4, 0.6, 0.6), math.Round(m.in(3, 6))
	m.dispatch("ray traced shadows", m.pixels*share, h)
}

func (m *maker) alpha() {
	for range 3 + m.r.IntN(5) {
		w := m.draws("particles", m.about(6e3, 4), m.about(1.4*m.pixels, 2.5), m.pixelShader(24, 2))
		w.blend, w.depthOut, w.culled = true, false, m.in(0, 0.1)
		w.ps.filter = m.in(1, 1.3)
	}
}

func (m *maker) antialias() {
	h := m.kernel(170, 11, 0, 1)
	h.hit = m.hits(0.72, 0.35, 0.35, 0.35)
	m.dispatch("temporal antialiasing", m.pixels, h)
}

func (m *maker) bloom() {
	size := m.pixels / 4
	for size > 2000 {
		h := m.kernel(40, 6, 0, 1)
		m.dispatch("bloom step", size, h)
		size /= 4
	}
}

func (m *maker) tonemap() { m.whole("tone mapping", m.pixels, m.pixelShader(90, 4)).colours = 4 }

func (m *maker) interface2D(n int) {
	for range n {
		w := m.draws("interface", m.about(60, 5), m.about(m.pixels/25, 6), m.pixelShader(12, 1))
		w.depthOn, w.depthOut, w.blend, w.colours, w.hiz, w.earlyZ, w.culled = false, false, true, 4, 0, 0, 0
		w.ps.filter, w.rolls = 1, 1
		w.settle()
	}
}

func (m *maker) upscale() {
	h := m.kernel(330, 13, 0, 1)
	h.hit = m.hits(0.85, 0.6, 0.6, 0.5)
	m.dispatch("upscaling", m.pixels, h)
	h = m.kernel(130, 0, 5, 1)
	m.dispatch("sharpening", m.pixels, h)
}

func (m *maker) skinning() {
	h := m.kernel(90, 0, 14, 3)
	h.spread, h.lines = m.in(4, 14), m.in(5, 12)
	m.dispatch("skinning", m.about(250e3, 3)*m.scale, h)
}

func (m *maker) culling() {
	h := m.kernel(80, 1, 5, 2)
	h.lines, h.hit = m.in(3, 8), m.hits(0.3, 0.2, 0.4, 0.4)
	m.dispatch("instance culling", m.about(40e3, 4), h)
}

func (m *maker) small(name string, n int) {
	for range n {
		m.dispatch(name, m.about(1500, 6), m.kernel(60, 0, 3, 1))
	}
}

func (m *maker) stream(name string, bytes float64) {
	h := m.kernel(8, 0, 4, 4)
	h.lines, h.spread, h.hit = 4, 4, [4]float64{0.02, 0.02, 0.03, 0.02}
	m.dispatch(name, bytes/(8*16), h)
}

func (m *maker) matrix() {
	h := m.kernel(1600, 0, 24, 4)
	h.slow, h.chain, h.hit = 0, 1.1, m.hits(0.6, 0.7, 0.85, 0.9)
	h.lds, h.banks, h.slots = math.Round(m.in(180, 480)), m.in(1, 1.3), math.Round(m.in(3, 6))
	m.dispatch("matrix product", m.about(500e3, 2.5)*m.scale, h)
}

func (m *maker) vector() { // one row of weights for each answer: every byte is read once
	h := m.kernel(60, 0, 12, 1)
	h.lines, h.hit, h.rounds = 3, [4]float64{0.03, 0.03, 0.05, 0.03 + 0.1*m.r.Float64()}, 4
	m.dispatch("matrix times vector", m.about(300e3, 2.5)*m.scale, h)
}

func (m *maker) histogram() {
	h := m.kernel(70, 0, 3, 1)
	h.lds, h.banks = math.Round(m.in(20, 50)), m.in(5, 14)
	m.dispatch("histogram", m.pixels, h)
}

func (m *maker) chase() {
	h := m.kernel(50, 0, 20, 1)
	h.rounds, h.lines, h.hit, h.spread = 20, m.in(4, 9), m.hits(0.08, 0.06, 0.2, 0.3), m.in(4, 8)
	h.slots = 1 + float64(m.r.IntN(3))
	m.dispatch("tree walk", m.about(90e3, 2)*m.scale, h)
}

func (m *maker) convert() {
	m.whole("colour conversion", m.pixels, m.pixelShader(26, 3)).colours = 4
}

// contents are kinds of frames.
var contents = []struct {
	name string
	make func(*maker)
}{
	{"deferred renderer", func(m *maker) {
		m.culling()
		m.skinning()
		m.shadows()
		m.prepass()
		m.opaque(1.3, m.in(16, 28))
		m.occlusion()
		m.lighting()
		m.sky()
		m.alpha()
		m.antialias()
		m.bloom()
		m.tonemap()
		m.interface2D(4 + m.r.IntN(8))
	}},
	{"forward renderer with foliage", func(m *maker) {
		m.shadows()
		m.opaque(2.6, 8)
		m.sky()
		m.alpha()
		m.alpha()
		m.bloom()
		m.tonemap()
		m.interface2D(3 + m.r.IntN(4))
	}},
	{"ray traced game", func(m *maker) {
		m.skinning()
		m.small("tree refit", 4+m.r.IntN(9))
		m.opaque(1.2, m.in(16, 28))
		m.rays(m.in(0.25, 1))
		m.reflections()
		m.lighting()
		m.antialias()
		m.upscale()
		m.interface2D(3 + m.r.IntN(5))
	}},
	{"interface of windows", func(m *maker) {
		m.interface2D(25 + m.r.IntN(50))
		m.convert()
	}},
	{"video with effects", func(m *maker) {
		m.convert()
		m.bloom()
		m.histogram()
		m.stream("copy", m.pixels*4*2)
		m.tonemap()
		m.interface2D(2 + m.r.IntN(6))
	}},
	{"language model", func(m *maker) {
		for range 8 + m.r.IntN(12) {
			m.small("normalise", 1)
			m.vector()
			if m.r.IntN(3) == 0 {
				m.chase()
			}
		}
	}},
	{"image network", func(m *maker) {
		for range 6 + m.r.IntN(10) {
			m.matrix()
			m.stream("activation", m.about(12e6, 2)*m.scale)
			m.small("bias", m.r.IntN(2))
		}
	}},
	{"strategy game from afar", func(m *maker) {
		m.culling()
		for range 10 + m.r.IntN(10) {
			w := m.draws("crowd", m.about(260e3, 3)*m.scale, m.about(0.12*m.pixels, 3), m.pixelShader(50, 3))
			w.culled, w.ps.lanes = m.in(0.1, 0.5), m.in(0.3, 0.55)
			w.settle()
		}
		m.opaque(1.2, 8)
		m.tonemap()
		m.interface2D(6 + m.r.IntN(6))
	}},
	{"loading screen with uploads", func(m *maker) {
		m.interface2D(2)
		m.small("mip level", 10+m.r.IntN(20))
		for range 2 + m.r.IntN(5) {
			m.stream("texture upload", m.about(20e6, 3))
		}
	}},
	{"scientific solver", func(m *maker) {
		for range 5 + m.r.IntN(8) {
			m.stream("vector update", m.about(50e6, 2)*m.scale)
			m.chase()
			m.small("dot product", 1)
		}
	}},
}
