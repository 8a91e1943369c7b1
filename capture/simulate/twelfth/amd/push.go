package amd

import "astrolabe/capture/simulate"

// bases are passes that can be limited by each leaf.
var bases = [leaves][]pass{
	arithmetic:        {lighting, gemm, bodies, sky, volumes, forward, rayTracing, upscale},
	texture:           {blur, ambient, volumes, forward, gbuffer, upscale},
	loadStore:         {gather, skinning, sortKeys, culling, stencil},
	localMemory:       {histogram, sortKeys, fourier, gemm},
	vertexFetch:       {denseMesh, shadow, prepass},
	primitiveAssembly: {denseMesh, shadow, prepass},
	rasterizer:        {shadow, prepass},
	depthTest:         {shadow, prepass, foliage},
	pixelBackend:      {particles, gbuffer, sky, interfaces},
	bandwidth:         {reduce, copies, video, stencil, tonemap, skinning},
	latency:           {gather, culling, rayTracing, lighting, stencil},
	cacheRate:         {stencil, reduce, gather, fourier, lighting},
	launch:            {small, tiny, interfaces, culling},
}

// limited draws a frame of passes with so much for one leaf that it limits each by the margin, if that can be.
func (s *scene) limited(leaf int, margin float64) (out []draw) {
	for range s.Whole(1, 2) {
		of := simulate.Pick(s.Random, bases[leaf]...)
		for range s.Whole(3, 10) {
			d := of(s)
			for range 12 {
				if s.ahead(&d, leaf) >= margin {
					break
				}
				s.push(&d, leaf, s.Between(1.3, 1.9))
			}
			out = append(out, d)
		}
	}
	return out
}

// ahead is how many times what another leaf would gain the leaf gains for one draw.
func (s *scene) ahead(d *draw, leaf int) float64 {
	one := *d
	one.finish(simulate.NewRandom(1, "ahead"))
	p := &program{m: s.m, frames: [][]draw{{one}}}
	t := p.judge()
	own, best := 0.0, 1.0
	for _, g := range t.Leaves {
		if g.Candidate == candidates[leaf] {
			own = g.Percent
		} else {
			best = max(best, g.Percent)
		}
	}
	if own < 25 {
		return 0
	}
	return own / best
}

// busiest is the shader that does most.
func (d *draw) busiest() *shader {
	if d.compute {
		return &d.cs
	}
	if d.ps.valu > 0 {
		return &d.ps
	}
	return &d.vs
}

// push gives a draw more work for a leaf, in the way in which programs come to have it.
func (s *scene) push(d *draw, leaf int, by float64) {
	h := d.busiest()
	easier := func(x *float64, to float64) { *x += (to - *x) * 0.35 }
	switch leaf {
	case arithmetic:
		h.valu *= by
		easier(&h.ilp, 1.2)
	case texture:
		h.tex = max(2, h.tex*by)
		easier(&h.hit0, 0.93)
		if h.texClocks < 60 {
			h.texClocks *= 1.15
			h.aniso *= 1.1
		}
		easier(&h.occupancy, 14)
	case loadStore:
		h.lsClocks = min(32, h.lsClocks*by)
		h.load = max(3, h.load*1.15)
		easier(&h.hit0, 0.95)
		easier(&h.lines, 2)
		easier(&h.store, 0.5)
		easier(&h.occupancy, 14)
	case localMemory:
		if d.compute {
			h.lds = max(6, h.lds*by)
			h.conflict += s.Between(0, 0.2)
			easier(&h.occupancy, 12)
		}
	case vertexFetch:
		d.verts *= by
		d.prims *= 1.1
		s.lighter(d, easier)
	case primitiveAssembly:
		d.clipped = min(0.7, max(0.02, d.clipped*by*1.5))
		d.prims *= 1.1
		s.lighter(d, easier)
	case rasterizer:
		if d.compute {
			return
		}
		d.quads *= by
		easier(&d.zClocks, 0.5)
		easier(&d.zBytes, 0.4)
		easier(&d.culled, 0.5)
		easier(&d.early, 0.6)
	case depthTest:
		if d.compute {
			return
		}
		d.depth = true
		d.zClocks *= by
		d.quads *= 1.1
		easier(&d.zBytes, 0.6)
		easier(&d.hiz, 0)
	case pixelBackend:
		if d.targets > 0 && !d.compute {
			d.cbClocks = min(8, d.cbClocks*by)
			d.quads *= 1.05
			easier(&d.compressed, 0.06)
			easier(&d.zBytes, 0.4)
			easier(&d.early, 0)
			h.valu *= 0.9
			h.tex *= 0.85
			easier(&h.occupancy, 14)
		}
	case bandwidth:
		h.load = max(2, h.load*1.1)
		easier(&h.hit0, 0.1)
		easier(&h.hit1, 0.03)
		easier(&h.hit2, 0.03)
		easier(&h.mall, 0)
		easier(&h.occupancy, 14)
		h.rounds *= 0.9
		h.valu *= 0.95
		easier(&d.compressed, 1)
	case latency:
		h.load = max(1, h.load)
		h.rounds = max(1, h.rounds) * by
		h.occupancy = max(2, h.occupancy*0.85)
		easier(&h.hit0, 0.3)
		easier(&h.lines, 1.5)
		easier(&h.lsClocks, 1.5)
		easier(&h.hit2, 0.85)
	case cacheRate:
		h.load = max(3, h.load*by)
		easier(&h.hit0, 0.03)
		easier(&h.hit1, 0.03)
		easier(&h.hit2, 0.98)
		easier(&h.lsClocks, 1.5)
		easier(&h.lines, 4)
		easier(&h.occupancy, 15)
		h.rounds = min(h.rounds, 2)
	case launch:
		*d = d.scaled(0.6)
		d.launch = min(8, d.launch*1.1)
		h.rounds *= 0.9
	}
}

// lighter leaves less for what follows the vertices.
func (s *scene) lighter(d *draw, easier func(*float64, float64)) {
	if d.compute {
		return
	}
	easier(&d.culled, 0.95)
	d.quads *= 0.8
	d.vs.valu *= 0.9
	d.vs.load = max(1, d.vs.load*0.9)
	easier(&d.vs.hit0, 0.7)
	easier(&d.vs.hit2, 0.9)
	easier(&d.vs.lines, 1.5)
	easier(&d.vs.lsClocks, 1.5)
	easier(&d.vs.occupancy, 15)
}
