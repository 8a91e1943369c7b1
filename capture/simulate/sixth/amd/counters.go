package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// raw is what a counter pass adds up for one draw, in the units of the hardware's counters. Clocks are of the busiest
// of equal blocks where AMD's definition of the public counter takes the largest, and counts are sums.
type raw struct {
	clocks float64 // in which the command processor was busy: what percentages are of
	always float64 // from the start of the sample to its end

	vertexBusy, mainBusy        float64
	clip, stalledOnRaster       float64
	outPrims                    float64 // of one pipe
	test, colorWait, exportWait float64
	pipe, pipeStalled, tags     float64
	refused                     float64
	ldsWait                     float64 // of a wave, clocks
}

// clocksOf makes the clock counters of an outcome. Everything that is in flight when a part ends is counted as busy,
// and the parts of a chip do not all work equally long: the busiest is a little above the mean.
func (m *machine) clocksOf(d *draw, o *outcome) (w raw) {
	c := m.clock / 1e9
	ramp := (d.front + d.back) * 0.5 // in which the sample is open and the front of the GPU is busy
	w.clocks = (o.flow + d.front*0.75 + d.back*0.9) * c
	w.always = w.clocks + 0.4*ramp*c
	most := func(ns float64) float64 { return math.Min(ns, o.flow) * c }
	w.vertexBusy = most(o.span[ofVertices])
	w.mainBusy = most(o.span[ofMain])
	w.pipe = most(o.pipe * (1 + 0.3*(d.imbalance-1)))
	w.pipeStalled = math.Min(w.pipe, o.stalled*c)
	w.refused = most(o.refused)
	if d.compute {
		w.tags = d.mainWaves() * d.main.loads * d.main.loadClocks() / (1 + d.main.conflict) * d.main.conflict / m.units
		w.tags = math.Min(w.tags, w.pipe)
		waves := d.mainWaves()
		unladen := d.main.local * 0.4 * d.main.lanes / simdLanes
		w.ldsWait = o.byLocal[ofMain]*c/waves + unladen
		return w
	}
	g := d.geometry()
	// The clipper holds something while it works, while the rasterizer holds it up, and mostly while vertices trickle in.
	w.outPrims = g.out / m.pipes
	w.clip = most(o.used[stAssembly] + o.full[stAssembly]*(1-share01(o.used[stAssembly], o.flow)) + o.thin[stAssembly])
	w.clip = math.Max(w.clip, w.outPrims)
	full := math.Min(o.full[stAssembly], o.flow) * c
	w.stalledOnRaster = math.Max(0, math.Min(full-w.outPrims*share01(full, w.clip), w.clip-w.outPrims))
	if d.late {
		// The test of quads that come back from the shader.
		w.test = most(o.used[stColor]*0.9 + o.full[stTest]*d.hide*0.5 + o.thin[stTest]*0.7)
	} else if d.tested || d.written {
		w.test = most(o.used[stTest] + (o.full[stTest]*(1-share01(o.used[stTest], o.flow)))*d.hide + o.thin[stTest]*0.8)
	} else {
		w.test = most(o.thin[stTest] * 0.4)
	}
	if d.shades() && d.targets > 0 {
		// Where the color blocks hold quads up, exports and the depth block wait in every clock in which none is taken.
		cost := math.Max(d.targets, d.bytes/4)
		if d.blend {
			cost *= 1.5
		}
		waits := 1 - math.Min(0.85, 0.55/cost)
		held := math.Min(o.full[stMain], o.flow) * c
		w.exportWait = held * waits
		w.colorWait = held * waits * 0.9
	} else if d.late {
		w.exportWait = math.Min(o.full[stMain], o.flow) * c * 0.6
	}
	return w
}

// share01 is a share from 0 to 1.
func share01(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return math.Max(0, math.Min(1, part/whole))
}

// counts are what a draw does, whatever time it takes: whole numbers.
type counts struct {
	l0, miss0, l1, miss1, l2, miss2 float64
	fetched, written                float64
	colorRead, colorWritten         float64
	maskRead, maskWritten           float64 // with what compression keeps of its blocks
	depthRead, depthWritten         float64
	prims, culled, clipped, verts   float64
	quads, hiz, tested              float64 // as the rasterizer covers them, after the coarse test, after the fine one
	passing, failing, failingS      float64 // samples
	pixels                          float64
	tiles, tilesCulled, tilesKilled float64
	waves, groups, threads          float64
	single, double                  float64 // quads of samples of one level and of two
	singleVolume, doubleVolume      float64

	instHits, instMisses, scalarHits, scalarMisses float64
}

// countsOf counts the work of a draw. Each level of the caches is asked for what the one before it did not have; fixed
// units ask the second level.
func (m *machine) countsOf(d *draw, r simulate.Random) (n counts) {
	whole := math.Round
	add := func(p *program, waves float64) {
		t := p.traffic()
		n.l0 += whole(waves * t.l0)
		n.miss0 += whole(waves * t.miss0)
		n.l1 += whole(waves*t.miss0) + whole(waves*(t.l1-t.miss0))
		n.miss1 += whole(waves * t.miss1)
		n.l2 += whole(waves*t.miss1) + whole(waves*(t.l2-t.miss1))
		n.miss2 += whole(waves * t.miss2)
		n.fetched += whole(waves*t.miss2) * line
		n.written += whole(waves*t.written/32) * 32
		insts := waves * (p.valu + p.trans + p.salu + p.samples + p.loads + p.stores + p.local) / 4
		n.instMisses += whole(math.Min(insts*0.3, 40*m.arrays+insts*r.Between(0.0001, 0.004)))
		n.instHits += whole(insts)
		n.scalarMisses += whole(waves * p.smem * 0.06)
		n.scalarHits += whole(waves * p.smem * 0.94)
		quads := waves * p.samples * p.lanes / 4 * p.active
		volume := whole(quads * p.volume)
		n.doubleVolume += whole(volume * p.tri)
		n.singleVolume += volume - whole(volume*p.tri)
		flat := whole(quads) - volume
		n.double += whole(flat * p.tri)
		n.single += flat - whole(flat*p.tri)
	}
	n.waves = math.Ceil(d.mainWaves())
	if n.waves > 0 {
		add(&d.main, n.waves)
	}
	if d.compute {
		n.groups = d.groups
		n.threads = n.waves * d.main.lanes
		n.miss2 = math.Min(n.miss2, n.l2)
		return n
	}
	add(&d.vertex, math.Ceil(d.vertexWaves()))
	g := d.geometry()
	n.prims, n.verts = whole(d.prims), whole(d.verts)
	n.culled, n.clipped = whole(g.culled), whole(g.clipped)
	n.quads = math.Ceil(d.quads)
	n.hiz = math.Min(n.quads, whole(g.quads))
	n.tested = math.Min(n.hiz, whole(g.tested))
	n.tiles = math.Ceil(d.quads / 16 / math.Max(0.3, d.block))
	n.tilesCulled = math.Min(n.tiles, whole(n.tiles*d.hierarchical*0.9))
	n.tilesKilled = math.Min(n.tiles-n.tilesCulled, whole((n.tiles-n.tilesCulled)*d.earlyFail()*0.6))
	covered := whole(n.hiz * 4 * d.full * d.samples)
	fails := d.earlyFail()
	if d.late {
		fails = d.early
	}
	if d.tested {
		n.failingS = whole(covered * fails * d.stencil)
		n.failing = whole(covered*fails) - n.failingS
	}
	n.passing = covered - n.failing - n.failingS
	if d.targets > 0 {
		n.pixels = whole(n.tested * 4 * d.full * d.main.active)
	}
	cw, cr := d.color()
	left := 1 - m.colorStays(d, cw)
	n.colorWritten, n.colorRead = whole(cw/32)*32, whole(cr/32)*32
	n.maskWritten, n.maskRead = n.colorWritten+whole(cw/32/90)*32, n.colorRead+whole((cw+cr)/32/90)*32
	dw, dr := d.depthBytes()
	n.depthWritten, n.depthRead = whole(dw/32)*32, whole(dr/32)*32
	stays := m.stays(dw + dr)
	fixed := whole((n.maskWritten + n.maskRead + n.depthWritten + n.depthRead + d.prims*3*d.indices) / 64)
	n.l2 += fixed
	fetched := whole((cr*left+dr*(1-stays)+d.prims*3*d.indices)/64) * 64
	n.fetched += fetched
	n.miss2 += whole(fetched / line)
	n.written += whole((cw*left+dw*(1-stays))/64) * 64
	n.miss2 = math.Min(n.miss2, n.l2)
	return n
}
