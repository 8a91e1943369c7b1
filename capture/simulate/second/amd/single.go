package amd

import "math"

// single makes a pass that one cause limits. Its work is of the kind that meets the limit in practice.
func (a *author) single(why cause) draw {
	px := a.pixels * a.between(0.5, 1.2)
	switch why {
	case arithmetic:
		if a.chance(0.5) {
			d := a.dispatch("noise", px, a.wide(500, 2500), 3)
			d.ps.occupancy = math.Floor(a.between(8, 16))
			return d
		}
		d := a.screen("raymarch", px, a.wide(400, 1500), 2)
		d.ps.occupancy = math.Floor(a.between(8, 14))
		return d
	case texture:
		d := a.screen("anisotropic", px, a.between(40, 90), a.between(16, 40))
		d.ps.filter, d.ps.hit0, d.ps.occupancy, d.ps.rounds = a.between(2, 4), a.between(0.93, 0.97), 12, 2
		return d
	case loadStore:
		d := a.dispatch("gather", px, a.between(60, 150), a.between(24, 60))
		d.ps.spread, d.ps.hit0, d.ps.hit1 = a.between(2.5, 5), a.between(0.95, 0.98), a.between(0.4, 0.6)
		d.ps.occupancy, d.ps.rounds, d.ps.stores = 14, 2, 1
		return d
	case localMemory:
		d := a.dispatch("tiles", px, a.between(120, 200), 4)
		d.ps.lds, d.ps.conflict, d.ps.stores = a.between(80, 220), a.between(0.6, 3), 1
		d.ps.hit0, d.ps.occupancy = a.between(0.6, 0.8), math.Floor(a.between(8, 13))
		return d
	case primitiveAssembly:
		d := a.mesh("dense", a.wide(1e6, 4e6), px*0.3)
		d.vertices, d.vs.valu, d.culled = d.prims*a.between(0.4, 0.55), a.between(30, 60), a.between(0, 0.15)
		d.clipped, d.vs.loads, d.hit2 = a.between(0.01, 0.06), 2, 0.9
		d.vs.waves, d.hiZ = d.vertices/30, 0.6
		return d
	case vertexFetch:
		d := a.mesh("unindexed", a.wide(0.6e6, 3e6), px*0.3)
		d.vertices, d.vs.valu, d.culled = d.prims*3, a.between(25, 45), a.between(0.4, 0.7)
		d.vs.loads, d.hit2, d.vs.hit0, d.hiZ = 2, a.between(0.85, 0.95), a.between(0.7, 0.85), 0.6
		d.vs.waves = d.vertices / 31
		return d
	case rasterizer:
		raster := px * a.between(2, 6)
		d := a.mesh("slivers", raster/a.between(25, 45), raster)
		d.quad, d.hiZ, d.early = a.between(0.25, 0.36), a.between(0.3, 0.6), a.between(0.1, 0.3)
		d.vs.valu, d.culled = 40, 0.4
		return a.shaded(d, a.between(8, 14), 0, 1, 4)
	case depthTest:
		d := a.mesh("prepass", a.wide(2e4, 1e5), px*a.between(3, 8))
		d.samples, d.zPacked, d.colorMiss = []float64{4, 8, 8}[a.IntN(3)], a.between(0.03, 0.05), 0.2
		d.hiZ, d.quad = a.between(0, 0.1), a.between(0.85, 0.95)
		return d
	case pixelBackend:
		d := a.mesh("particles", a.wide(5e3, 5e4), px*a.between(3, 9))
		d.blend, d.slow, d.depthOut, d.hiZ, d.early = true, a.between(2, 4), false, 0, a.between(0, 0.1)
		d.quad, d.colorMiss, d.culled = a.between(0.88, 0.95), a.between(0.08, 0.16), 0
		d = a.shaded(d, a.between(15, 30), 1, 1, 8)
		d.ps.hit0, d.packed = 0.93, 0.5
		return d
	case bandwidth:
		d := a.dispatch("stream", px*a.between(1, 3), a.between(10, 40), math.Round(a.between(4, 9)))
		d.ps.hit0, d.ps.hit1, d.hit2, d.mall = a.between(0, 0.1), 0, a.between(0.02, 0.12), a.between(0, 0.25)
		d.ps.occupancy, d.ps.rounds, d.ps.spread = math.Floor(a.between(13, 17)), 1, 1
		return d
	case cacheRate:
		d := a.dispatch("table", px, a.between(20, 60), a.between(12, 30))
		d.ps.hit0, d.ps.hit1, d.hit2 = a.between(0.1, 0.3), a.between(0, 0.15), a.between(0.96, 0.99)
		d.ps.spread, d.ps.occupancy, d.ps.rounds, d.ps.stores = a.between(1.2, 2.5), 15, 1, 0
		return d
	case latency:
		d := a.chain("chase", px*a.between(0.1, 0.3), 6+a.IntN(9), 1, a.between(5, 9))
		d.ps.occupancy, d.ps.stores, d.ps.spread = math.Floor(a.between(1, 4)), 0, 1
		d.ps.hit0, d.ps.hit1, d.hit2 = a.between(0.05, 0.3), a.between(0.05, 0.2), a.between(0.3, 0.7)
		return d
	}
	d := a.mesh("props", a.wide(50, 800), a.wide(500, 8000))
	d = a.shaded(d, a.between(20, 60), 2, 1, 4)
	d.setup, d.drain = a.wide(4000, 12000), a.wide(1000, 4000)
	return d
}
