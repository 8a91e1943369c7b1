package intel

import "astrolabe/capture/simulate"

// plants are what content of one limit is limited by, in the order in which seeds take them.
func plants(family string) []leaf {
	out := []leaf{arithmetic, texture, loadStore, localMemory, vertexFetch, clipper, setup, rasterizer, hierarchicalDepth, earlyDepth,
		pixelBackend, bandwidth, latency, cache, launch, cpuApp, cpuDriver, cpuSync, inTurn, thermal, power, governor, vsync, frameCap, request}
	if family == dg2Name {
		out = append(out, rayTracing)
	}
	return out
}

// unitPlant is content that a unit, the memory or launches limit.
func (k *maker) unitPlant(l leaf) content {
	var w work
	r := k.r
	compute := r.Chance(0.4)
	switch l {
	case arithmetic:
		w = k.opaque()
		if compute {
			w = k.gemm()
		}
	case texture:
		w = k.screen("filtering", r.Log(40, 120)*k.heavy(), r.Log(8, 24))
		w.filter, w.texMisses, w.farMisses = simulate.Pick(r, 1, 2, 3.0), r.Log(0.02, 0.08), r.Between(0.1, 0.4)
	case loadStore:
		w = k.sparse()
		w.spread, w.parallel, w.occupancy, w.farMisses = r.Between(2, 5), r.Between(4, 8), r.Between(0.7, 1), r.Between(0.03, 0.12)
	case localMemory:
		w = k.transform()
		if compute {
			w = k.histogram()
		}
		w.occupancy = r.Between(0.6, 0.95)
	case cache:
		w = k.sparse()
		w.parallel, w.occupancy, w.spread = r.Between(5, 9), r.Between(0.8, 1), 1
		w.farMisses, w.firstLevel = r.Between(0.02, 0.08), 0
		if !k.m.discrete { // data ports are as fast as L3, so that samplers must have a part
			w.texels, w.texMisses, w.filter = w.messages*r.Between(1, 2), r.Between(0.6, 0.9), 1
		}
	case bandwidth:
		w = k.stencil()
		if compute {
			w = k.screen("copies of targets", r.Log(8, 25), 1)
			w.texMisses, w.farMisses = 0.25, 0.95
		}
		w.farMisses, w.parallel, w.occupancy = r.Between(0.8, 0.98), r.Between(5, 9), r.Between(0.8, 1)
	case latency:
		w = k.walk()
	case vertexFetch, clipper, setup:
		w = k.prepass()
		k.mesh(&w, k.v*r.Log(2, 8))
		w.vsClocks *= 0.4
		w.sharp = true
	case rasterizer, hierarchicalDepth, earlyDepth:
		w = k.shadow()
		w.launches = 1
	case pixelBackend:
		w = k.alpha()
		w.outRead, w.outWritten = w.outRead*0.3, w.outWritten*0.3
	case rayTracing:
		w = k.rays()
		w.parallel, w.occupancy = r.Between(4, 7), r.Between(0.7, 0.9)
	default:
		w = k.screen("small passes", r.Log(30, 90), r.Between(2, 6))
		w.launches = r.Log(40, 160)
		w.scale(r.Between(0.1, 0.3))
	}
	ratio := r.Between(1.5, 2.4)
	k.dominate(&w, l, ratio)
	switch l {
	case texture, loadStore, localMemory, bandwidth, cache, rayTracing:
		k.accompany(&w, l, r.Between(0.1, 0.95)/ratio)
	case latency:
		k.accompany(&w, l, r.Between(0.05, 0.3))
	}
	rest := list(k.ui())
	rest[0].scale(r.Between(0.1, 0.5))
	c := content{text: "mostly " + w.name, passes: append(list(w), rest...)}
	k.trim(&c)
	return c
}

// trim makes what comes with the first pass small beside it.
func (k *maker) trim(c *content) {
	most := k.alone(&c.passes[0]) * k.r.Between(0.02, 0.1)
	for i := range c.passes[1:] {
		p := &c.passes[1+i]
		for n := 0; n < 8 && k.alone(p) > most; n++ {
			p.scale(0.4)
			p.draws = min(p.draws, 20)
		}
	}
}

// alone is how long a pass takes at the highest clock, in ns.
func (k *maker) alone(p *pass) float64 {
	var f flow
	return p.profileOf(k.m, p.queue, 0, k.m.highest, &relief{}, &f, false).ns
}

// dominate lets a pass have so much for a unit that it takes some times as long as any other.
func (k *maker) dominate(w *work, l leaf, ratio float64) {
	for range 24 {
		share, other := k.longest(w, l)
		need := ratio * other / max(share, 1e-9)
		if need <= 1.01 {
			return
		}
		need = min(need, 3)
		switch l {
		case arithmetic:
			w.euClocks *= need
		case texture:
			w.texels *= need
			w.texMisses /= need
		case loadStore:
			w.spread *= need
		case localMemory:
			w.bad = min(6, w.bad*need)
			w.localReads *= max(1, need/1.5)
		case vertexFetch:
			w.elements *= need
			w.vertexBytes *= 1 + 0.2*(need-1)
		case clipper:
			w.clipping *= need
		case setup:
			w.setting *= need
		case rasterizer:
			w.quads *= need
			w.hizFails = 1 - (1-w.hizFails)/need
			w.blocks = max(w.triangles*0.3, w.quads/14)
			w.depthRead *= 0.8
		case hierarchicalDepth:
			w.blocks *= need
		case earlyDepth:
			w.depthCost *= need
		case pixelBackend:
			w.outCost *= need
		case bandwidth:
			w.euClocks /= need
			w.texels /= need
			w.texMisses *= need
			w.parallel *= 1.2
			if w.messages > 0 && !w.compute {
				w.messages /= need
			}
		case latency:
			w.occupancy = max(0.12, w.occupancy*0.85)
			w.euClocks *= 0.8
			w.farMisses *= 0.9
		case cache:
			w.euClocks /= need
			w.farMisses /= need
			w.parallel *= 1.15
		case rayTracing:
			w.rays *= need
			w.parallel *= 1.1
			w.farMisses *= 0.8
		default:
			w.launches *= need
			w.scale(1 / need)
		}
	}
}

// accompany gives a pass instructions for a share of what a unit takes, at least.
func (k *maker) accompany(w *work, l leaf, share float64) {
	own, _ := k.longest(w, l)
	if l == bandwidth {
		own *= 0.9
	}
	w.euClocks = max(w.euClocks, own*share*k.m.eus*w.most-0.4*w.sends())
}

// longest is the time of a unit and the longest other one, in clocks at the highest clock.
func (k *maker) longest(w *work, l leaf) (own, other float64) {
	t := w.total(k.m, k.m.highest, func(leaf) float64 { return 1 })
	times := map[leaf]float64{}
	for i, x := range t.stage {
		times[stageLeaf[i]] = max(times[stageLeaf[i]], x)
	}
	for i, x := range t.component {
		if shader[i] != bandwidth {
			times[shader[i]] = max(times[shader[i]], x)
		}
	}
	times[launch] += t.gap * w.launches
	for i := range leaves {
		if i == l {
			own = times[i]
		} else {
			other = max(other, times[i])
		}
	}
	return own, other
}
