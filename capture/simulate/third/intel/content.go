package intel

import (
	"math"
	"math/rand/v2"
)

func between2(r *rand.Rand, lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }

// cut draws how a pass's work is spread over its chunks.
func cut(r *rand.Rand, p *pass, n int) *pass {
	p.chunks = make([]chunk, n)
	var g, x float64
	for i := range p.chunks {
		c := &p.chunks[i]
		c.geometry, c.pixels = math.Exp(0.35*r.NormFloat64()), math.Exp(0.3*r.NormFloat64())
		c.arithmetic, c.texture = math.Exp(0.12*r.NormFloat64()), math.Exp(0.12*r.NormFloat64())
		g, x = g+c.geometry, x+c.pixels
	}
	for i := range p.chunks {
		p.chunks[i].geometry /= g
		p.chunks[i].pixels /= x
	}
	return p
}

// usual is a pass with what most have alike.
func usual(r *rand.Rand, name string) *pass {
	return &pass{name: name, draws: 1, stride: 16, second: 0.2 + 0.4*r.Float64(), filter: 1, texMiss: between2(r, 0.05, 0.3),
		l3Miss: between2(r, 0.08, 0.4), parallel: 1 + 2*r.Float64(), resident: 0.6 + 0.4*r.Float64(),
		reuse: 0.1 + 0.6*r.Float64(), stays: 0.2 + 0.6*r.Float64(), crossing: 0.3 * r.Float64(), thin: 0.1 + 0.5*r.Float64(),
		elements: 2 + 4*r.Float64(), stencil: 0.3 * r.Float64(),
		fixed: between2(r, 6e3, 25e3), lines: 0.3, stores: 0.1, trips: 2, vs: 60 + 60*r.Float64()}
}

// size scales content to the part: integrated GPUs of Gen12 do some four times as much in a frame.
func (m *machine) size() float64 {
	return float64(m.subslices*m.eus) / 24 * 0.6
}

// shadow renders depth only: geometry, no shading.
func (m *machine) shadow(r *rand.Rand) *pass {
	p, s := usual(r, "shadow"), m.size()
	p.draws, p.verts = between2(r, 100, 500), s*between2(r, 1.5e5, 7e5)
	p.prims = p.verts * (1.1 + 0.7*r.Float64())
	p.culled, p.stride, p.small = 0.35+0.25*r.Float64(), 12+8*r.Float64(), 0.3+r.Float64()
	p.pixels, p.depth, p.hiz, p.z = s*between2(r, 1e6, 5e6), true, 0.15+0.3*r.Float64(), 0.1+0.2*r.Float64()
	return cut(r, p, 12)
}

// opaque is the main pass of forward or deferred rendering.
func (m *machine) opaque(r *rand.Rand, pixels float64) *pass {
	p, s := usual(r, "opaque"), m.size()
	p.draws, p.verts = between2(r, 200, 1500), s*between2(r, 1e5, 6e5)
	p.prims, p.stride = p.verts*(1.1+0.7*r.Float64()), 24+32*r.Float64()
	p.culled, p.small = 0.45+0.2*r.Float64(), 0.2+0.6*r.Float64()
	over := 1.5 + 2*r.Float64()
	p.pixels, p.depth, p.hiz, p.z = pixels*over, true, 0.1+0.35*r.Float64(), 0.05+0.2*r.Float64()
	p.ps, p.tex, p.filter = between2(r, 120, 700), between2(r, 4, 28), 1+2.5*r.Float64()
	p.color, p.kill = 4, 0.1*r.Float64()
	if r.IntN(2) == 0 {
		p.color = 12 + 4*r.Float64() // a geometry buffer
	}
	p.tess = r.IntN(6) == 0
	p.trips = 3 + 4*r.Float64()
	return cut(r, p, 14)
}

// transparent blends over what is there: particles, glass, foliage.
func (m *machine) transparent(r *rand.Rand, pixels float64) *pass {
	p := usual(r, "transparent")
	p.draws, p.verts = between2(r, 30, 300), between2(r, 1e4, 1e5)
	p.prims, p.stride = p.verts/2, 32
	p.pixels, p.depth, p.hiz, p.z = pixels*between2(r, 1, 7), true, 0.05+0.2*r.Float64(), 0.1*r.Float64()
	p.ps, p.tex, p.color, p.blend = between2(r, 40, 180), between2(r, 4, 10), 4, 0.95
	if r.IntN(2) == 0 {
		p.color = 8
	}
	return cut(r, p, 10)
}

// screen is a full-screen filter: bloom, tone mapping, ambient occlusion, lighting of a geometry buffer.
func (m *machine) screen(r *rand.Rand, pixels float64) *pass {
	p := usual(r, "post")
	p.draws, p.verts, p.prims, p.pixels = 1, 3, 1, pixels
	p.ps, p.tex, p.color = between2(r, 60, 900), between2(r, 4, 40), 4+4*float64(r.IntN(2))
	p.texMiss, p.l3Miss, p.trips = between2(r, 0.15, 0.8), between2(r, 0.1, 0.7), 2+3*r.Float64()
	return cut(r, p, 8)
}

// layers is what a compositor or a toolkit does: rectangles that are copied and blended.
func (m *machine) layers(r *rand.Rand, pixels float64) *pass {
	p := usual(r, "layers")
	p.draws, p.verts = between2(r, 40, 400), between2(r, 500, 8000)
	p.prims, p.pixels = p.verts/2, pixels*(1+2.5*r.Float64())
	p.ps, p.tex, p.color, p.blend = between2(r, 20, 70), 4, 4, 0.3+0.5*r.Float64()
	p.texMiss, p.l3Miss = 0.25+0.2*r.Float64(), 0.6+0.3*r.Float64()
	return cut(r, p, 10)
}

// dispatch is a compute pass: a matrix product, a convolution, a stream, a search through tables.
func (m *machine) dispatch(r *rand.Rand, kind int) *pass {
	s := m.size()
	var p *pass
	switch kind % 5 {
	case 0: // tiles of matrices in SLM, with barriers
		p = usual(r, "gemm")
		p.groups, p.ps, p.slm, p.barriers = s*between2(r, 4e3, 2e4), between2(r, 3000, 8000), between2(r, 60, 400), 8
		p.lines, p.second, p.l3Miss, p.resident = between2(r, 30, 100), 0.75, 0.15, 0.5+0.5*r.Float64()
	case 1: // convolution by the sampler
		p = usual(r, "conv")
		p.groups, p.ps, p.tex, p.lines = s*between2(r, 1e4, 5e4), between2(r, 400, 1500), between2(r, 20, 80), 8
	case 2: // a stream
		p = usual(r, "stream")
		p.groups, p.ps, p.lines, p.stores = s*between2(r, 5e4, 3e5), between2(r, 30, 80), between2(r, 4, 12), 0.4
		p.l3Miss, p.trips, p.parallel = 0.9, 2, 3
	case 3: // pointers through trees
		p = usual(r, "search")
		p.groups, p.ps, p.lines, p.l3Miss = s*between2(r, 2e3, 1e4), between2(r, 200, 600), between2(r, 20, 60), 0.5
		p.trips, p.parallel, p.resident = between2(r, 20, 60), 1, 0.2+0.4*r.Float64()
	default: // histograms
		p = usual(r, "reduce")
		p.groups, p.ps, p.lines, p.slm = s*between2(r, 1e4, 6e4), between2(r, 60, 300), between2(r, 2, 10), between2(r, 4, 40)
		p.atomics, p.barriers = 2*r.Float64(), 2
	}
	p.vs, p.draws = 0, 1+float64(r.IntN(6))
	return cut(r, p, 10)
}

// content makes the passes of a kind of application.
func (m *machine) content(r *rand.Rand, kind int) (text string, passes []*pass) {
	pixels := []float64{0.92e6, 1.44e6, 2.07e6, 3.7e6}[r.IntN(4)]
	defer func() {
		for _, p := range passes {
			p.llc = m.llc * (0.3 + 1.2*r.Float64())
			p.ps, p.tex = p.ps*m.shader, p.tex*m.shader
			p.l3Miss *= m.l3Miss
			p.stays = 1 - (1-p.stays)*m.packed
		}
	}()
	switch kind % 9 {
	case 0:
		text = "game with shadows and filters"
		for range 1 + r.IntN(3) {
			passes = append(passes, m.shadow(r))
		}
		passes = append(passes, m.opaque(r, pixels), m.transparent(r, pixels), m.screen(r, pixels), m.screen(r, pixels/4),
			m.layers(r, pixels*0.1))
	case 1:
		text = "deferred rendering"
		passes = append(passes, m.shadow(r), m.opaque(r, pixels), m.screen(r, pixels), m.screen(r, pixels), m.screen(r, pixels/4))
	case 2:
		text = "forward rendering with much that blends"
		passes = append(passes, m.opaque(r, pixels), m.transparent(r, pixels), m.transparent(r, pixels), m.layers(r, pixels*0.2))
	case 3:
		text = "user interface"
		passes = append(passes, m.layers(r, pixels), m.screen(r, pixels/8), m.screen(r, pixels/8), m.layers(r, pixels))
	case 4:
		text = "video with filters"
		passes = append(passes, m.screen(r, pixels), m.screen(r, pixels), m.layers(r, pixels))
	case 5:
		text = "inference layer by layer"
		for range 10 + r.IntN(14) {
			passes = append(passes, m.dispatch(r, []int{0, 0, 1, 2, 0, 4}[r.IntN(6)]))
		}
		for _, p := range passes {
			p.groups /= 5
		}
	case 6:
		text = "computing"
		for range 2 + r.IntN(4) {
			passes = append(passes, m.dispatch(r, r.IntN(5)))
		}
	case 7:
		text = "map or drawing of engineers, with many small triangles"
		p := m.opaque(r, pixels)
		p.prims, p.verts = p.prims*3, p.verts*3
		p.ps, p.tex, p.color, p.stride = p.ps*0.3, p.tex*0.2, 4, 24
		passes = append(passes, p, m.layers(r, pixels*0.3))
	default:
		text = "loading screen with many small passes"
		for range 12 + r.IntN(20) {
			q := m.screen(r, pixels*between2(r, 0.002, 0.03))
			q.fixed = between2(r, 10e3, 40e3)
			passes = append(passes, q)
		}
		passes = append(passes, m.layers(r, pixels))
	}
	return text, passes
}

// took is what the passes take at the highest clock, in ns.
func (m *machine) took(passes []*pass) (ns float64) {
	for _, p := range passes {
		ns += m.run(p, m.maxClock, none).ns
	}
	return ns
}
