package amd

import "math"

// plant makes frames that one label alone shall limit. Growing them changes what makes it do so.
func plant(m *maker, label int, grow float64) {
	n := 10 + m.r.IntN(14)
	for range n {
		switch label {
		case arithmetic:
			if m.r.IntN(2) == 0 {
				h := m.kernel(1500*grow, 2, 2, 1)
				h.chain, h.slots = m.in(1.1, 1.8), 12
				m.dispatch("shading model", m.about(600e3, 2)*m.scale, h)
			} else {
				ps := m.pixelShader(420*grow, 2)
				ps.slow, ps.chain = m.in(0.1, 0.2), m.in(1.2, 2)
				m.whole("noise of clouds", m.about(0.5*m.pixels, 2), ps)
			}
		case texture:
			ps := m.pixelShader(30, 9)
			ps.filter, ps.hit, ps.lines = m.in(4, 8)*grow, m.hits(0.95, 0.8, 0.8, 0.7), 2
			if m.r.IntN(2) == 0 {
				w := m.draws("ground at a slant", 8e3*m.scale, m.about(0.6*m.pixels, 2), ps)
				w.colours = 4
			} else {
				ps.group = 0
				m.dispatch("filtered volume", m.about(0.5*m.pixels, 2), ps)
			}
		case loadStore:
			h := m.kernel(40, 0, 12, 2)
			h.spread, h.lines, h.hit, h.slots = min(32, m.in(14, 20)*grow), 2, m.hits(0.95, 0.8, 0.8, 0.7), 16
			m.dispatch("gather from a table", m.about(400e3, 2)*m.scale, h)
		case localMemory:
			h := m.kernel(60, 0, 2, 1)
			h.lds, h.banks, h.hit = m.in(30, 60), m.in(5, 10)*grow, m.hits(0.8, 0.6, 0.7, 0.7)
			m.dispatch([]string{"histogram", "transpose", "sort step"}[m.r.IntN(3)], m.about(700e3, 2)*m.scale, h)
		case primitives:
			w := m.draws("points far away", m.about(500e3, 2)*m.scale, m.about(30e3, 2), shader{})
			w.vertices, w.culled, w.clipped, w.colours = w.input*m.in(0.25, 0.35), m.in(0, 0.3), m.in(0.2, 0.4), 0
			w.input *= grow
			w.vs.valu, w.vs.loads, w.vs.waves = 25, 1, w.vertices*0.25/32
			w.vs.hit = m.hits(0.8, 0.6, 0.8, 0.8)
		case vertexFetch:
			w := m.draws("terrain by index", m.about(400e3, 2)*m.scale, m.about(30e3, 2), shader{})
			w.vertices, w.culled, w.colours = w.input*3*grow, m.in(0.6, 0.9), 0
			w.vs.valu, w.vs.loads, w.vs.waves = 40, 2, w.input*0.55/32
			w.vs.hit = m.hits(0.8, 0.6, 0.8, 0.8)
		case rasterizer:
			w := m.draws("thin triangles", m.about(30e3, 3)*m.scale, m.about(14e6, 2)*m.scale*grow, shader{})
			if m.r.IntN(2) == 0 {
				w.input, w.culled = m.about(300e3, 1.5)*m.scale*grow, m.in(0, 0.1)
				w.vertices = w.input * 0.6
				w.covered = w.input * m.in(4, 12)
			}
			w.hiz, w.colours, w.vs.waves = m.in(0, 0.1), 0, w.vertices*0.3/32
			w.vs.valu, w.vs.loads, w.vs.hit = 25, 1, m.hits(0.8, 0.6, 0.8, 0.8)
		case depth:
			w := m.draws("multisampled occluders", m.about(20e3, 3)*m.scale, m.about(3e6, 2)*m.scale*grow, shader{})
			w.samples, w.hiz, w.earlyZ, w.colours = 8, 0, m.in(0.5, 0.9), 0
			w.depthOut = m.r.IntN(2) == 0
		case backend:
			w := m.draws("sprites", m.about(2e3, 2), m.about(1.2*m.pixels, 2)*grow, m.pixelShader(8, 1))
			w.blend, w.colours, w.depthOn, w.depthOut, w.hiz, w.earlyZ, w.culled = true, []float64{4, 8}[m.r.IntN(2)], false, false, 0, 0, 0
			w.packing = m.in(0.1, 0.25) / grow
			w.ps.filter, w.ps.lanes, w.ps.hit, w.ps.rounds = 1, 0.98, m.hits(0.97, 0.9, 0.9, 0.9), 1
			w.ps.slots = 16
			if m.r.IntN(2) == 0 { // each sample is blended
				w.samples = 4
			}
			w.settle()
		case bandwidth:
			if m.r.IntN(2) == 0 {
				m.stream("copy", m.about(90e6, 2)*m.scale*grow)
			} else {
				m.vector()
			}
		case cache:
			h := m.kernel(30, 0, 16, 1)
			h.lines, h.spread, h.slots, h.rounds = m.in(2, 4), m.in(2, 4), 16, 2
			h.hit = [4]float64{m.in(0.02, 0.15), m.in(0.02, 0.2), 0.998, 0.6}
			if m.p.mall == 0 {
				h.hit[3] = 0
			}
			m.dispatch("table larger than the first levels", m.about(500e3, 2)*m.scale*grow, h)
		case latency:
			m.chase()
			h := &m.works[len(m.works)-1].ps
			h.lines, h.spread, h.slots, h.waves = m.in(1.5, 3)/grow, 2, 1, max(1, h.waves/4/grow)
			h.valu = 25
		case launch:
			m.dispatch("a few threads", m.about(256, 3)/grow, m.kernel(20, 0, 1, 1))
			if m.r.IntN(3) == 0 {
				w := m.draws("line", 12, 400, m.pixelShader(10, 1))
				w.starts, w.rolls = math.Floor(m.in(1, 12)), math.Floor(m.in(0, 6))
				w.settle()
			}
		}
	}
}
