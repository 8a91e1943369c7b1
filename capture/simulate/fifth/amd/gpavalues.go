package amd

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Groups of GPUPerfAPI's public counters, as users ask for them.
const (
	groupTiming = iota
	groupVertex
	groupPrimitive
	groupPixel
	groupTexture
	groupCompute
	groupDepth
	groupColour
	groupCache
	groupMemory
	gpaGroups
)

// measured is a pass alone: how long it takes, for how long blocks were seen in each state, and what went through them.
type measured struct {
	ns, cycles float64
	s          shows // ns
	f          *facts
	graphics   bool

	verts, prims                   float64
	quads, hizQuads, shaded        float64 // quads from the rasterizer, through the hierarchical test, to shading
	pixels, out                    float64
	samples                        float64
	texQuads, texClocks            float64
	waves, groups, threads         float64
	perWave, fetches, writes, ldsN float64
	l0, m0, l1, m1, l2, m2         float64 // requests and misses of the caches
	read, written                  float64 // bytes
	resident                       float64 // waves of compute
	loads, loadMisses              float64 // through the scalar cache
	code, codeMisses               float64 // of instructions
}

// measure turns times into amounts, by what the machine can do in a clock.
func (re *replay) measure(j *job, rec *recorder) measured {
	m, f := re.m, &j.facts
	x := measured{ns: rec.ns, cycles: rec.ns * re.mhz / 1e3, s: *rec.sum, f: f, graphics: len(j.streams) == 2}
	clk := re.mhz / 1e3
	var g, p stream
	if x.graphics {
		g, p = j.streams[0], j.streams[1]
	} else {
		p = j.streams[0]
	}
	can := func(u int, rate float64) float64 { return (g.work[u] + p.work[u]) * clk * rate * f.attain[u] }
	cus, engines := float64(m.cus), float64(m.engines)
	valu := can(alu, m.simds()) * 32 / f.wave // 64 lanes take two clocks
	x.texClocks = can(tex, cus)
	x.texQuads = x.texClocks / (f.aniso * (1 + f.tri))
	ops := can(ls, cus) / f.fetch
	if x.graphics {
		x.prims = math.Max(1, can(pa, engines))
		x.verts = math.Max(3, math.Min(3*x.prims, math.Max(f.reuse*x.prims, can(ge, engines))))
		if f.whole {
			x.prims, x.verts = 1, 3
			if f.kill > 0.6 {
				x.prims, x.verts = 2, 4
			}
		}
		x.perWave = math.Max(8, g.work[alu]*clk*m.simds()*f.attain[alu]*32/f.wave/math.Max(1, x.verts/f.wave))
		if f.whole {
			x.perWave = 8 + 20*f.kill
		}
		x.quads = math.Max(1, can(sc, engines*8)) // 32 pixels in a clock of each shader engine
		x.hizQuads = x.quads * (1 - f.hiz)
		x.shaded = x.hizQuads * (1 - f.early)
		x.samples = x.hizQuads * 4 * f.fill * f.samples
		x.pixels = x.shaded * 4 * f.fill
		if p.work[cb] > 0 {
			x.out = math.Min(x.pixels*(1-f.discard)*f.targets, can(cb, float64(m.backends)))
		}
	} else {
		x.waves = math.Max(math.Ceil(f.group/f.wave), math.Ceil(valu/f.perWave))
		x.perWave = valu / x.waves
		x.groups = math.Max(1, math.Round(x.waves*f.wave/f.group))
		x.waves = x.groups * math.Ceil(f.group/f.wave)
		x.threads = x.groups * f.group
		x.perWave = valu / x.waves
		x.fetches, x.writes = ops*(1-f.writes*0.6)/x.waves, ops*f.writes*0.6/x.waves
		x.fetches += x.texQuads / (x.waves * f.wave / 4)
		x.ldsN = can(lds, cus) * (1 - f.conflict) / x.waves
		x.resident = math.Min(x.waves, m.simds()*f.occupied)
	}
	waves := x.waves
	if x.graphics {
		waves = (x.verts + 4*x.shaded) / f.wave
	}
	bytes := can(bw, 1) / clk * m.gbs
	x.read, x.written = bytes*(1-f.writes), bytes*f.writes
	x.l2 = can(l2, float64(m.channels))
	x.m2 = (x.read + f.writeMiss*x.written) / 128
	x.l2 = math.Max(x.l2, x.m2*1.03)
	x.m1 = x.l2 * (0.6 + 0.4*f.share0) * 0.85
	x.loads = 40 + 2*waves + valu*f.scalar*0.1
	x.loadMisses = 8 + (x.loads-8)*f.scalarMiss
	x.code = 40 + waves + valu*(1+f.scalar)/(6+14*f.keepOut) // a line of 64 bytes has up to 16 instructions
	x.codeMisses = 20 + (x.code-20)*f.instMiss
	// L0 has what addressers ask for: a clock makes one request at most, a fetch or write of a wave one at least. How
	// many quads or lanes share one is the content's.
	lines := can(ls, cus)
	most := math.Min(x.s.ta*clk*cus, x.texClocks+lines)
	least := math.Min(most, x.texQuads*4/f.wave+ops)
	x.l0 = math.Min(most, math.Max(least, x.texClocks*(0.15+0.75*f.h0)+lines*(0.5+0.5*f.h0)))
	x.l1 = x.m1 / (1 - f.h1)
	x.m0 = math.Min(0.98*x.l0, math.Max(0.01*x.l0, x.l1*f.share0))
	x.l1 = math.Max(x.l1, x.m0+x.loadMisses+x.codeMisses)
	return x
}

// values are the columns of public counters in the making.
type values struct {
	re     *replay
	r      simulate.Random
	noise  float64
	n      int
	names  []string
	index  map[string]int
	units  []string
	groups []int
	cols   [][]float64
	clock  float64 // ns, of the GPU: when the next row begins
}

func newValues(re *replay, n int, noise float64, r simulate.Random) *values {
	return &values{re: re, r: r, noise: noise, n: n, index: map[string]int{}, clock: r.Between(1e10, 1e12)}
}

func (v *values) set(i, group int, name, unit string, x float64) {
	at, ok := v.index[name]
	if !ok {
		at = len(v.names)
		v.index[name] = at
		v.names, v.units, v.groups = append(v.names, name), append(v.units, unit), append(v.groups, group)
		v.cols = append(v.cols, make([]float64, v.n))
	}
	if unit == "percent" {
		x = math.Min(100, math.Max(0, x))
	}
	v.cols[at][i] = math.Max(0, x)
}

// into makes counters of the columns. Values of the file have six decimals.
func (v *values) into(t *table) {
	for k, name := range v.names {
		if !v.re.groups[v.groups[k]] {
			continue
		}
		m := capture.Meta{Name: name, Title: name, Unit: v.units[k], Source: "gpa", GPU: "amd-gpa-rdna"}
		if m.Unit == "percent" {
			m.Kind = capture.Gauge
		}
		whole := true
		for i, x := range v.cols[k] {
			v.cols[k][i] = math.Round(x*1e6) / 1e6
			whole = whole && x == math.Trunc(x)
		}
		t.floats(m, v.cols[k])
	}
}

// row measures a row again in every pass that its counters need, and returns the ns of the pass with the time stamps.
// What is counted in one pass has the clocks of that pass below it.
func (v *values) row(i int, x *measured) int64 {
	r, m, f := v.r, v.re.m, x.f
	near := func() float64 { return 1 + v.noise*math.Max(-2.5, math.Min(2.5, r.NormFloat64())) }
	count := func(a float64) float64 { return math.Floor(a*(1+0.1*v.noise*r.NormFloat64()) + 0.5) }
	exact := func(a float64) float64 { return math.Floor(a + 0.5) }
	spread := m.look.spread
	ns := math.Max(1, math.Floor(x.ns*near()/10+0.5)*10) // ticks of 100 MHz
	before := r.Log(200, 3e3)
	v.set(i, groupTiming, "GPUTime", "ns", ns)
	v.set(i, groupTiming, "ExecutionDuration", "ns", ns+math.Floor(before/10)*10)
	v.set(i, groupTiming, "ExecutionStart", "ns", math.Floor(v.clock/10)*10)
	v.set(i, groupTiming, "ExecutionEnd", "ns", math.Floor(v.clock/10)*10+ns+math.Floor(before/10)*10)
	v.clock += ns + r.Log(1e4, 2e5)

	// of is a state that lasted so many ns of the pass alone: its clocks and its share, in one pass. The busiest of
	// several instances is a little above the mean.
	of := func(group int, name string, ns, above float64) (share float64) {
		clocks := x.cycles * near()
		share = math.Min(1, ns/x.ns*(1+above*r.Float64())*(1+0.2*v.noise*r.NormFloat64()))
		v.set(i, group, name, "percent", 100*share)
		again := math.Min(1, share*near())
		v.set(i, group, name+"Cycles", "cycles", math.Floor(again*clocks))
		return share
	}
	time := func(name string, share float64) { v.set(i, groupTiming, name, "ns", math.Floor(math.Min(1, share)*ns)) }
	whole := x.cycles * near()
	v.set(i, groupTiming, "GPUBusy", "percent", 100*(1-math.Min(0.06, 250/x.ns)*r.Float64()))
	v.set(i, groupTiming, "GPUBusyCycles", "cycles", math.Floor(whole))
	time("VsGsTime", of(groupTiming, "VsGsBusy", x.s.geoBusy, 0.3*spread))
	time("PSTime", of(groupTiming, "PSBusy", x.s.pixBusy, 0.3*spread))
	time("CSTime", of(groupTiming, "CSBusy", x.s.csBusy, 0.3*spread))
	v.set(i, groupTiming, "TessellatorBusy", "percent", 0)
	v.set(i, groupTiming, "TessellatorBusyCycles", "cycles", 0)
	// The program of primitive assembly takes from the clocks of clipping those in which setup waited for the scan
	// converter, and a clock for each primitive that goes on.
	busy := x.s.bits[bitPA] / x.ns
	stalled := math.Min(busy, x.s.paHeld/x.ns)
	onward := x.prims * (1 - f.cull) / float64(m.engines) / math.Max(1, x.cycles)
	of(groupTiming, "PrimitiveAssemblyBusy", math.Max(0, busy-stalled-onward)*x.ns, spread)
	of(groupTiming, "DepthStencilTestBusy", x.s.bits[bitDB], spread)
	of(groupTiming, "TexUnitBusy", x.s.ta, spread)

	if m.gen == 11 {
		v.set(i, groupVertex, "VsGsVerticesIn", "items", exact(x.verts))
		v.set(i, groupVertex, "VsGsPrimsIn", "items", exact(x.prims))
	} else {
		vs := 0.0
		if x.graphics {
			vs = x.perWave
		}
		v.set(i, groupVertex, "GSVerticesOut", "items", 0)
		v.set(i, groupVertex, "VsGsVALUInstCount", "items", vs)
		v.set(i, groupVertex, "VsGsSALUInstCount", "items", vs*f.scalar)
	}
	v.set(i, groupPrimitive, "PrimitivesIn", "items", exact(x.prims))
	v.set(i, groupPrimitive, "CulledPrims", "items", exact(x.prims*f.cull))
	v.set(i, groupPrimitive, "ClippedPrims", "items", exact(x.prims*f.clip))
	of(groupPrimitive, "PAStalledOnRasterizer", stalled*x.ns, spread)
	v.set(i, groupPixel, "PSPixelsOut", "items", exact(x.out))
	of(groupPixel, "PSExportStalls", x.s.sxHeld, spread)

	v.texture(i, x, exact)
	v.compute(i, x, exact, of)
	v.depthColour(i, x, exact, of)
	v.memory(i, x, count, of)
	return int64(ns)
}

func (v *values) texture(i int, x *measured, exact func(float64) float64) {
	f := x.f
	put := func(name, unit string, a float64) { v.set(i, groupTexture, name, unit, a) }
	tri, no := 4*exact(x.texQuads*f.tri), 4*exact(x.texQuads*(1-f.tri))
	put("TexTriFilteringCount", "items", tri)
	put("NoTexTriFilteringCount", "items", no)
	share, aniso := 0.0, 0.0
	if tri+no > 0 {
		share, aniso = 100*tri/(tri+no), f.aniso
	}
	put("TexTriFilteringPct", "percent", share)
	put("TexVolFilteringPct", "percent", 0)
	put("TexVolFilteringCount", "items", 0)
	put("NoTexVolFilteringCount", "items", tri+no)
	put("TexAveAnisotropy", "", aniso)
}

func (v *values) compute(i int, x *measured, exact func(float64) float64,
	of func(int, string, float64, float64) float64) {
	f, m := x.f, v.re.m
	put := func(name, unit string, a float64) { v.set(i, groupCompute, name, unit, a) }
	groups := 0.0
	if !x.graphics {
		groups = math.Max(1, exact(x.groups))
	}
	each := math.Ceil(f.group / f.wave)
	put("CSThreadGroupsLaunched", "items", groups)
	put("CSWavefrontsLaunched", "items", groups*each)
	put("CSThreadsLaunched", "items", groups*f.group)
	is := func(a float64) float64 {
		if x.graphics {
			return 0
		}
		return a
	}
	put("CSThreadGroupSize", "items", is(f.group))
	if m.gen == 103 {
		put("CSVALUInsts", "items", is(x.perWave))
		put("CSVALUUtilization", "percent", is(100*f.lanes))
		put("CSSALUInsts", "items", is(x.perWave*f.scalar))
		put("CSSFetchInsts", "items", is(2+x.perWave*f.scalar*0.1))
		put("CSVFetchInsts", "items", is(x.fetches))
		put("CSVWriteInsts", "items", is(x.writes))
		put("CSLDSInsts", "items", is(x.ldsN))
		put("CSGDSInsts", "items", 0)
	}
	// What a wave waits for local memory is of its own time, which is as long as all time, by how many there are at
	// once, over how many there are.
	life := 0.0
	if x.waves > 0 {
		life = x.resident / x.waves
	}
	of(groupCompute, "CSALUStalledByLDS", x.s.ldsWait*math.Min(1, life), 0)
	// Conflicts are of the two memories of a work group processor, by its four SIMDs.
	of(groupCompute, "CSLDSBankConflict", is(x.s.use[lds]*f.conflict*0.5), 0)
}

func (v *values) depthColour(i int, x *measured, exact func(float64) float64, of func(int, string, float64, float64) float64) {
	f := x.f
	put := func(name, unit string, a float64) { v.set(i, groupDepth, name, unit, a) }
	share := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return 100 * a / b
	}
	all, kept, shaded := exact(x.quads), exact(x.hizQuads), exact(x.shaded)
	kept, shaded = math.Min(all, kept), math.Min(kept, shaded)
	tiles := math.Floor(all/f.tile) + math.Min(all, 1)
	rejected := math.Floor(tiles * f.hiz * f.reject)
	killed := math.Floor(tiles * (1 - f.fill) * f.kill)
	put("HiZTilesAccepted", "percent", share(tiles-rejected, tiles))
	put("HiZTilesAcceptedCount", "items", tiles-rejected)
	put("HiZTilesRejectedCount", "items", rejected)
	put("PreZTilesDetailCulled", "percent", share(killed, tiles))
	put("PreZTilesDetailCulledCount", "items", killed)
	put("PreZTilesDetailSurvivingCount", "items", tiles)
	put("HiZQuadsCulled", "percent", share(all-kept, all))
	put("HiZQuadsCulledCount", "items", all-kept)
	put("HiZQuadsAcceptedCount", "items", kept)
	put("PreZQuadsCulled", "percent", share(kept-shaded, all))
	put("PreZQuadsCulledCount", "items", kept-shaded)
	put("PreZQuadsSurvivingCount", "items", shaded)
	put("PostZQuads", "percent", share(shaded, all))
	put("PostZQuadCount", "items", shaded)
	late := 0.0
	if f.discard > 0.06 {
		late = 0.5
	}
	pass, fail := exact(x.samples*(1-f.early)), exact(x.samples*f.early)
	put("PreZSamplesPassing", "items", math.Floor(pass*(1-late)))
	put("PreZSamplesFailingZ", "items", math.Floor(fail*(1-late)))
	put("PreZSamplesFailingS", "items", 0)
	put("PostZSamplesPassing", "items", math.Floor(pass*late))
	put("PostZSamplesFailingZ", "items", math.Floor(fail*late))
	put("PostZSamplesFailingS", "items", 0)
	of(groupDepth, "ZUnitStalled", x.s.dbHeld, v.re.m.look.spread)
	is := 0.0
	if x.graphics {
		is = 1
	}
	units := func(a float64) float64 { return 32 * exact(is*a/32) }
	hasDB := 0.0
	if x.s.use[db] > 0 {
		hasDB = 1
	}
	reads, writes := f.depth, f.depth
	if x.out == 0 { // nearly all that is written is depth
		reads, writes = 0.3+0.8*f.depth, 0.63+f.depth
	} else { // passes that test little have little traffic of it
		by := math.Min(1, 5*x.s.use[db]/x.ns)
		reads, writes = by*reads, by*writes
	}
	put("DBMemRead", "bytes", units(hasDB*x.read*reads))
	put("DBMemWritten", "bytes", units(hasDB*x.written*writes))
	if v.re.m.gen != 103 {
		return
	}
	colour := func(name, unit string, a float64) { v.set(i, groupColour, name, unit, a) }
	hasCB := 0.0
	if x.out > 0 {
		hasCB = 1
	}
	read, written := units(hasCB*x.read*f.colour*f.blend), units(hasCB*x.written*math.Min(0.95-f.depth, f.colour+f.keepOut))
	colour("CBMemRead", "bytes", read)
	colour("CBMemWritten", "bytes", written)
	colour("CBColorAndMaskRead", "bytes", read+units(hasCB*x.read*0.04*f.kill))
	colour("CBColorAndMaskWritten", "bytes", written+units(hasCB*x.written*0.05*f.reject))
	slow := exact(x.out * f.slow)
	colour("CBSlowPixelCount", "items", slow)
	colour("CBSlowPixelPct", "percent", share(slow, exact(x.out)))
}

func (v *values) memory(i int, x *measured, count func(float64) float64, of func(int, string, float64, float64) float64) {
	m, r, f := v.re.m, v.r, x.f
	put := func(name, unit string, a float64) { v.set(i, groupCache, name, unit, a) }
	cache := func(name string, requests, misses float64) {
		all := count(requests)
		miss := math.Min(all, count(misses))
		hit := 0.0
		if all > 0 {
			hit = 100 * (1 - miss/all)
		}
		put(name+"CacheHit", "percent", hit)
		put(name+"CacheRequestCount", "items", all)
		put(name+"CacheHitCount", "items", all-miss)
		put(name+"CacheMissCount", "items", miss)
		if name == "L2" && all > 0 {
			put("L2CacheMiss", "percent", 100*miss/all)
		} else if name == "L2" {
			put("L2CacheMiss", "percent", 0)
		}
	}
	cache("L0", x.l0, x.m0)
	cache("L1", x.l1, x.m1)
	cache("L2", x.l2, x.m2)
	cache("Scalar", x.loads, x.loadMisses)
	cache("Inst", x.code, x.codeMisses)
	mem := func(name, unit string, a float64) { v.set(i, groupMemory, name, unit, a) }
	fetched, written := 32*count(x.read/32), 32*count(x.written/32)
	mem("FetchSize", "bytes", fetched)
	mem("WriteSize", "bytes", written)
	bus := 0.0
	if r.Chance(0.1) {
		bus = math.Floor(0.01*(fetched+written)/32) * 32
	}
	mem("PcieBytes", "bytes", bus)
	mem("LocalVidMemBytes", "bytes", math.Floor((fetched+written)*r.Between(0.985, 1.01)/32)*32-bus)
	of(groupMemory, "MemUnitBusy", x.s.ta, m.look.spread)
	of(groupMemory, "MemUnitStalled", math.Min(x.s.ta, x.s.taHeld), m.look.spread*0.5)
	of(groupMemory, "WriteUnitStalled", x.s.wrHeld, m.look.spread)
	clocks := x.cycles * x.s.use[ls] / x.ns
	mem("L0TagConflictReadStalledCycles", "cycles", count(clocks*f.tag*(1-f.h0)))
	mem("L0TagConflictWriteStalledCycles", "cycles", count(clocks*0.5*f.tag*f.writes))
	mem("L0TagConflictAtomicStalledCycles", "cycles", 0)
}
