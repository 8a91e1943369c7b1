package amd

// traffic is what a work moves, which no relief changes.
type traffic struct {
	// shader is lines of 128 bytes by stage (vertex, pixel or compute) that reach the first level, the one of a shader
	// array, the second, the last or the way to memory, and memory.
	shader [2][5]float64
	index  float64 // bytes
	// of the fixed function blocks, in bytes at the second level
	colourRead, colourWrite, depthRead, depthWrite float64
	outMall                                        float64 // share of those bytes that the last level keeps
	exported                                       float64 // pixels times samples
}

func trafficOf(p *part, w *work) traffic {
	t := traffic{index: 2 * w.vertices}
	for k, h := range []*shader{&w.vs, &w.ps} {
		n := h.waves * h.accesses() * h.lines
		for i := range t.shader[k] {
			t.shader[k][i] = n
			if i < 4 {
				n *= 1 - h.hit[i]
			}
		}
		if p.mall == 0 {
			t.shader[k][4] = t.shader[k][3]
		}
	}
	if w.compute {
		return t
	}
	left := w.covered * w.samples * (1 - w.hiz)
	if w.depthOn {
		tested := left
		if w.late {
			tested *= 1 - w.earlyZ
		}
		// Samples of a pixel mostly lie in one plane, which is stored once.
		stored := tested * 4 / (1 + 0.6*(w.samples-1))
		t.depthRead = stored * 0.35
		if w.depthOut {
			t.depthWrite = stored * (1 - w.earlyZ) * 0.4
		}
	}
	left *= (1 - w.earlyZ) * (1 - w.lateFail)
	if w.colours > 0 {
		t.exported = left
		t.colourWrite = left * w.colours * w.packing
		if w.blend {
			t.colourRead = t.colourWrite * 0.9
		}
	}
	if p.mall > 0 {
		target := max(1, w.covered*w.samples*(w.colours+4))
		t.outMall = min(0.85, 0.15+0.4*p.mallSize/target)
	}
	return t
}

// cbCost is how many times longer than its cheapest a pixel takes in the colour blocks.
func (w *work) cbCost() float64 {
	cost := max(1, w.colours/8)
	if w.blend {
		cost *= 1.7
	}
	return cost
}

// quads are of two by two pixels, of which a primitive's edges leave some uncovered.
func (w *work) quads() float64 {
	if w.ps.lanes == 0 { // nothing is shaded, and so nothing said of edges
		return w.covered / 4
	}
	return w.covered / 4 / min(1, max(0.25, w.ps.lanes+0.2))
}

// pixelsShaded is threads of the pixel shader that began, in whole quads.
func (w *work) pixelsShaded() float64 {
	n := w.covered * (1 - w.hiz)
	if !w.late {
		n *= 1 - w.earlyZ
	}
	return n
}

// stored is the share of the accesses of a stage that write.
func (h *shader) stored() float64 { return h.stores / max(1, h.accesses()) }

// read and written are bytes beyond the second level.
func (t *traffic) read(w *work) float64 {
	return t.shader[0][3]*(1-w.vs.stored())*128 + t.shader[1][3]*(1-w.ps.stored())*128 + 0.5*t.index + t.colourRead +
		t.depthRead
}

func (t *traffic) written(w *work) float64 {
	return (t.shader[0][3]*w.vs.stored()+t.shader[1][3]*w.ps.stored())*128 + t.colourWrite + t.depthWrite
}
