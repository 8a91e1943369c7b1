package amd

import "astrolabe/capture/simulate"

// plant makes a pass that one thing limits: it takes one that needs a lot of it, and adds until that is clear.
func (r *drawn) plant(c cand, p *pipe) *work {
	w := passKinds[simulate.Pick(r.Random, plantsOf[c]...)](r)
	w.label = simulate.Pick(r.Random, "main", "scene", "pass") + " " + w.label
	grow(c, w, r)
	for range 14 {
		if r.clear(c, w, p) {
			break
		}
		more(c, w)
	}
	return w
}

// plantsOf are the passes that a candidate is planted in.
var plantsOf = [ofDraws][]string{
	arithmetic:  {"lighting", "forward", "simulation", "matrices"},
	texture:     {"occlusion", "forward", "geometry"},
	loadStore:   {"simulation", "culling"},
	localMemory: {"histogram", "blur", "matrices"},
	vertexFetch: {"shadow map", "depth prepass", "geometry"},
	assembly:    {"shadow map", "depth prepass", "geometry"},
	rasterizer:  {"shadow map", "foliage", "depth prepass"},
	depth:       {"multisampled", "shadow map"},
	backend:     {"particles", "geometry", "interface"},
	bandwidth:   {"copy", "post", "blur"},
	latency:     {"rays", "simulation", "culling"},
	cache:       {"simulation", "blur", "post"},
	launch:      {"interface", "culling", "shadow map"},
}

// grow sets the scene: what a candidate needs, and little that is in its way.
func grow(c cand, w *work, r *drawn) {
	s := &w.ps
	switch c {
	case arithmetic:
		s.alu *= r.Between(1.5, 3)
		s.deps, s.held = 1, r.Between(0.5, 0.9)
		w.l0, w.l2 = r.Between(0.85, 0.95), r.Between(0.85, 0.95)
	case texture:
		s.filter, s.deps, s.held = r.Between(2, 4), 1.5, r.Between(0.6, 1)
		w.l0, w.l2 = r.Between(0.9, 0.97), r.Between(0.8, 0.95)
	case loadStore:
		s.lines, s.loads = r.Between(3, 10), s.loads+20
		s.deps, s.held = 1.5, r.Between(0.7, 1)
		w.l0, w.l1, w.l2 = r.Between(0.92, 0.98), r.Between(0.4, 0.6), r.Between(0.85, 0.95)
	case localMemory:
		s.lds, s.banks = s.lds*2+60, s.banks+r.Between(0.5, 4)
		s.deps, s.held = 1, r.Between(0.5, 0.9)
		w.l2, w.last = r.Between(0.8, 0.95), 0.8
	case vertexFetch:
		w.verts, w.cull = w.prims*r.Between(2.2, 3), r.Between(0.55, 0.75)
		w.vs.waves, w.vs.alu, w.vs.deps, w.vs.loads, w.vs.held = w.verts/32, r.Between(15, 40), 1, 2, 1
		w.vs.lines = 1.5
		w.quads = w.survive() * r.Between(1, 3)
		w.hiz, w.early = 0.6, 0.6
	case assembly:
		w.cull, w.verts = r.Between(0.88, 0.97), w.prims*r.Between(0.5, 0.65)
		w.vs.waves, w.vs.alu, w.vs.deps, w.vs.loads, w.vs.held = w.verts/32, r.Between(15, 40), 1, 2, 1
		w.vs.lines = 1.5
		w.quads = w.survive() * r.Between(1, 2)
		w.hiz, w.early = 0.6, 0.6
	case rasterizer:
		w.cull, w.verts = r.Between(0, 0.06), w.prims*r.Between(0.5, 0.6)
		w.vs.waves, w.vs.alu, w.vs.deps, w.vs.loads, w.vs.held = w.verts/32, r.Between(15, 40), 1, 2, 1
		w.vs.lines = 1.5
		w.quads = w.survive() * r.Between(4, 8)
		w.hiz, w.early, w.tests = r.Between(0.5, 0.7), 0.6, 1
		w.late = false
	case depth:
		w.tests *= 2
		w.hiz, w.early = 0, r.Between(0.75, 0.95)
	case backend:
		w.format *= 1.6
		w.early, w.hiz = 0, 0
		s.alu, s.tex, s.deps = r.Between(6, 20), 1, 1
		w.last = 0.9
	case bandwidth:
		w.l2, w.last, w.l1 = r.Between(0, 0.15), r.Between(0, 0.15), r.Between(0, 0.15)
		s.held, s.deps = r.Between(0.6, 1), 1
	case latency:
		s.deps *= 3
		s.held = r.Between(0.06, 0.2)
		s.lines = min(s.lines, 4)
		s.loads, s.lds, w.rays = min(s.loads, 12), min(s.lds, 4), min(w.rays, 8)
		s.alu = min(s.alu, 200)
	case cache:
		w.l0, w.l1, w.l2 = r.Between(0, 0.2), r.Between(0, 0.2), r.Between(0.95, 0.99)
		s.held, s.deps, s.loads = r.Between(0.6, 1), 1, s.loads+8
		s.alu, s.lines, s.lds = min(s.alu, 60), max(s.lines, 4), min(s.lds, 4)
	case launch:
		w.scale(1 / r.Log(30, 300))
		w.draws, w.overhead = r.Log(2, 30), r.Between(2000, 5000)
	}
	if !w.compute && w.ps.waves > 0 {
		w.ps.waves = w.shaded() / 8
	}
}

// more adds of what the candidate is.
func more(c cand, w *work) {
	s := &w.ps
	switch c {
	case arithmetic:
		s.alu *= 1.4
	case texture:
		s.tex *= 1.35
	case loadStore:
		s.loads *= 1.4
	case localMemory:
		s.lds *= 1.4
	case vertexFetch:
		w.verts *= 1.25
		w.vs.waves, w.vs.alu = w.verts/32, w.vs.alu*0.85
	case assembly:
		w.prims *= 1.25
		w.cull = 1 - (1-w.cull)/1.3
		w.vs.alu *= 0.85
	case rasterizer:
		w.quads *= 1.2
		w.hiz = 1 - (1-w.hiz)/1.3
		w.verts, w.vs.waves, s.waves = w.verts*0.9, w.vs.waves*0.9, s.waves*0.8
	case depth:
		w.tests *= 1.4
	case backend:
		w.format *= 1.35
	case bandwidth:
		w.l0, w.l2 = w.l0*0.8, w.l2*0.8
		s.alu, w.format = s.alu*0.85, max(1, w.format*0.85)
		s.lds *= 0.8
	case latency:
		s.deps *= 1.5
	case cache:
		s.loads *= 1.3
		s.alu *= 0.8
		s.lds *= 0.7
		w.format = max(1, w.format*0.85)
	case launch:
		w.overhead *= 1.2
		w.scale(0.7)
	}
}

// clear reports whether relief of a candidate gives much more than that of any other.
func (r *drawn) clear(c cand, w *work, p *pipe) bool {
	ghz := r.d.mhz / 1000
	all := w.run(p, r.d, ghz, &relief{}).total
	gain := func(c cand) float64 {
		rel := only(c)
		return 1 - w.run(p, r.d, ghz, &rel).total/all
	}
	own := gain(c)
	if own < 0.12 {
		return false
	}
	for k := range ofDraws {
		if k != c && gain(k) > own/1.5 {
			return false
		}
	}
	return true
}
