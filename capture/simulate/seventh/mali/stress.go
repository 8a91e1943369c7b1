package mali

import "math"

// stress lets the passes of a content ask more of one station, as programs do that are limited by it.
func (b *builder) stress(t *content, station int, by float64) {
	for i := range t.jobs {
		for k := range t.jobs[i].parts {
			p := &t.jobs[i].parts[k]
			p.stress(station, by)
			if station < stTiler || station > stBackend {
				p.gather(0.9)
			}
		}
	}
}

// uneven lets some passes ask more of something than passes of their kind usually do: what its authors did not watch.
func (b *builder) uneven(t *content, chance float64) {
	for i := range t.jobs {
		if b.r.Chance(chance) {
			one := content{jobs: t.jobs[i : i+1]}
			b.stress(&one, b.r.IntN(stLatency+1), b.r.Log(1.5, 7))
		}
	}
}

func (p *part) times(by float64, list ...int) {
	for _, a := range list {
		p.n[a] *= by
	}
}

func (p *part) stress(station int, by float64) {
	n := &p.n
	switch station {
	case stArithmetic: // longer shaders
		p.times(by, nFMA, nCVT, nSFU, nDiverged, nNarrow, nICache)
	case stTexture: // anisotropic filtering
		p.times(by, nTexFilter, nTexTrilinear)
		p.times(math.Sqrt(by), nTexBeat)
		n[nTexL1] = min(n[nTexL1]*by, n[nTexFilter])
	case stVarying:
		p.times(by, nVar32, nVar16, nVarInstr)
	case stLoadStore: // buffers that the cache of the core holds
		p.times(by, nReadFull, nReadPart, nWriteFull, nWritePart, nAtomic)
	case stRays:
		p.times(by, nRay, nBoxNode, nTriNode)
	case stTiler: // triangles that are culled, of the same vertices
		before := n[nFace] + n[nPlane] + n[nSample] + n[nScissor]
		p.times(by, nFace, nPlane, nSample, nScissor)
		p.times(math.Pow(by, 0.3), nPosTask, nPosMiss)
		n[nTriangle] += before * (by - 1)
		n[nPosHit] += 3 * before * (by - 1)
		n[nTilerRead] += before * (by - 1) * 0.4
	case stRasterizer: // layers that depth hides
		more := n[nQuad] * (by - 1)
		n[nQuad] += more
		n[nCoarse] += more
		n[nEarlyTest] += more
		n[nEarlyKill] += more
		p.times(by, nPartQuad)
	case stBackend: // several samples a pixel, wide formats
		p.times(by, nBlend)
		p.times(math.Pow(by, 0.25), nTileWrite)
	case stCache: // what the caches of the cores do not hold, and L2 does
		p.times(by, nLSBeat)
		p.times(math.Sqrt(by), nTexBeat)
	case stBandwidth:
		n[nLSBeat] *= math.Sqrt(by)
		n[nTexBeat] *= math.Sqrt(by)
		n[nLSExt] = min(n[nLSExt]*by*math.Sqrt(by), 0.97*n[nLSBeat])
		n[nTexExt] = min(n[nTexExt]*by*math.Sqrt(by), 0.97*n[nTexBeat])
		p.times(math.Sqrt(by), nTileWrite)
	case stLatency: // loads that wait for loads, with few warps that could hide them
		p.chain *= by
		p.missed = min(0.9, p.missed*by)
		p.groups = max(3, p.groups/math.Pow(by, 0.3))
	}
}

// planted stresses a content until relief of the station alone would save a good part of the GPU's time, and that of
// no other nearly as much. It gives up after a while.
func (b *builder) planted(t *content, station int) {
	for range 40 {
		gain := func(s int) float64 {
			r := nothing
			r.station = s
			return 1 - b.c.solo(t, &r)/b.c.solo(t, &nothing)
		}
		best, second := gain(station), 0.0
		for s := range stations {
			if s != station {
				second = max(second, gain(s))
			}
		}
		if best > 0.2 && best > 2.5*second {
			return
		}
		b.stress(t, station, 1.35)
	}
}
