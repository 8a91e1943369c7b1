package intel

import "math"

// pass is work between two flushes of the pipeline: draws to one target, or dispatches. Counts are of the whole pass.
type pass struct {
	name   string
	draws  float64 // or dispatches
	verts  float64
	stride float64 // bytes per vertex
	prims  float64
	culled float64 // share of the primitives that the clipper and setup throw away
	tess   bool
	pixels float64 // rasterized
	small  float64 // share of the rasterizer that primitives smaller than its blocks waste
	hiz, z float64 // shares of the pixels that fail the tests before shading, the second of what is left
	kill   float64 // share of the shaded pixels that the shader throws away
	post   float64 // and that fail the tests after it
	depth  bool    // the depth buffer is read and written
	color  float64 // bytes per written pixel
	blend  float64 // share of the written pixels that are blended
	groups float64 // threads of a compute pass

	reuse    float64 // share of the vertices' bytes that caches hold, as for instances
	stays    float64 // share of the bytes of color and depth that compression and caches keep from memory
	llc      float64 // share of what goes through the GT interface that the last-level cache has
	crossing float64 // share of the primitives that cross the borders of the view
	thin     float64 // blocks that primitives touch beside those that they fill, as a share
	stencil  float64 // tests of a pixel beyond the first: stencil, samples
	elements float64 // attributes of a vertex that are fetched one by one

	vs, ps   float64 // EU clocks per thread, ps for compute too
	second   float64 // share of the instructions that the second FPU takes
	tex      float64 // quads per pixel thread of 16 pixels, or compute thread
	filter   float64 // clocks per quad: 1 bilinear, 2 trilinear, more anisotropic
	texMiss  float64 // lines per quad that the sampler's cache misses
	lines    float64 // of shader loads and stores, per thread
	stores   float64 // share of them
	atomics  float64
	slm      float64 // lines per thread
	barriers float64 // per thread
	l3Miss   float64 // share of the lines that the L3 misses
	trips    float64 // dependent round trips to memory per thread
	parallel float64 // requests that a thread has under way at once
	resident float64 // share of the threads that registers, SLM and groups let reside

	fixed  float64 // ns to flush, to switch state and to fill the pipeline
	chunks []chunk
}

// chunk is a slice of a pass. Its shares of the work differ by kind: a batch of many triangles need not cover many
// pixels.
type chunk struct{ geometry, pixels, arithmetic, texture float64 }

// Stages of the pipeline, in the order in which a chunk goes through them.
const (
	stageCommand = iota
	stageVertex
	stageClip
	stageSetup
	stageRaster
	stageHiZ
	stageDepth
	stageShade
	stageBackend
	stages
)

var stageLeaf = [stages]leaf{overhead, vertexFetch, clipper, setup, rasterizer, hierarchicalDepth, earlyDepth, none,
	pixelBackend}

// between is how many chunks the buffers after a stage hold before it must stop.
const between = 2

// shading is what the closed network of threads gives for one chunk.
type shading struct {
	clocks float64
	weight [leafCount]float64 // shares of the threads' time: at work or waiting there
	use    [leafCount]float64
	loaded float64 // threads that reside, in the whole GPU
}

// span is a piece of a pass with counts, in ns of the pass.
type span struct {
	from, to float64
	n        counts
	some     []event // that are not 0
}

// timing is a pass at a clock: how long it takes, what set the pace in it, and what was counted when.
type timing struct {
	ns     float64
	shares [leafCount]float64 // ns
	spans  []span
}

// shade solves the closed network of the threads of one subslice by mean value analysis (Schweitzer's approximation):
// they are at the EUs, the sampler, the data port, the SLM, the L3 or memory, or under way.
func (m *machine) shade(threads, residents, parallel float64, work *[leafCount]float64, away float64) (s shading) {
	stations := [...]leaf{arithmetic, texture, loadStore, localMemory, cache, bandwidth}
	own := threads / float64(m.subslices)
	if own < 1 {
		own = 1
	}
	strands := own * parallel
	n := math.Max(1, math.Min(float64(m.eus*m.threads)*residents, own)*parallel)
	s.loaded = n / parallel * float64(m.subslices)
	var d, r, q [6]float64
	delayEU := 0.0
	for i, l := range stations {
		d[i] = work[l] / strands
		q[i] = n / 6
	}
	// Eight or sixteen EUs are one that is as much faster, and a wait for the rest.
	delayEU = d[0] * float64(m.eus-1)
	x := 0.0
	for range 16 {
		sum := away/parallel + delayEU
		for i := range d {
			r[i] = d[i] * (1 + q[i]*(n-1)/n)
			sum += r[i]
		}
		if sum <= 0 {
			return s
		}
		x = n / sum
		for i := range d {
			q[i] = x * r[i]
		}
	}
	s.clocks = strands / x
	for i, l := range stations {
		s.weight[l] = q[i] / n
		s.use[l] = x * d[i]
	}
	s.weight[arithmetic] += x * delayEU / n
	s.weight[latency] = x * away / parallel / n
	return s
}

// run is the pass at a clock in Hz, with one candidate relieved.
func (m *machine) run(p *pass, clock float64, relieved leaf) *timing {
	hz := clock * 1e-9 // clocks per ns
	n := len(p.chunks)
	t := &timing{}
	fix := p.fixed / faster(relieved, overhead)
	type cell struct {
		start, end, ready, cost float64
		late                    int // 0 by the chunk before, 1 by the stage before, 2 by the stage after
	}
	cells := make([][stages]cell, n)
	shaded := make([]shading, n)
	amounts := make([]amount, n)
	for c := range n {
		a := p.amounts(m, &p.chunks[c])
		amounts[c] = a
		var cost [stages]float64
		cost[stageCommand] = a.draws * 900 * hz
		cost[stageVertex] = math.Max(a.verts/m.vertex*math.Max(p.elements/4, p.stride/64), a.prims*0.3)
		cost[stageClip] = a.prims / m.clip * (0.6 + 1.2*p.crossing)
		cost[stageSetup] = a.kept / m.setup
		cost[stageRaster] = a.pixels * (1 + p.small) / m.raster
		cost[stageHiZ], cost[stageDepth] = a.tested*(1+p.thin)/m.hiz, a.depth*(1+p.stencil)/m.z
		cost[stageBackend] = a.written * (p.color / 4) * (1 + a.blendShare) / m.backend
		for s := range cost {
			if l := stageLeaf[s]; l != none {
				cost[s] /= faster(relieved, l) * 0.93 * hz
			}
		}
		cost[stageCommand] *= 0.93
		work := a.work(m, p, hz)
		for l := range work {
			work[l] /= faster(relieved, leaf(l))
		}
		slow := 1.0
		if relieved == latency {
			slow = 1.5
		}
		away := p.trips * (m.l3Latency + p.l3Miss*(p.llc*45+(1-p.llc)*m.memory)*hz) / slow
		threads := a.vs + a.ps + a.cs
		if threads < 1 {
			shaded[c] = shading{clocks: work[bandwidth]}
			shaded[c].weight[bandwidth], shaded[c].use[bandwidth] = 1, 1
		} else {
			shaded[c] = m.shade(threads, p.resident, p.parallel, &work, away)
		}
		cost[stageShade] = shaded[c].clocks / hz
		for s := range stages {
			x := &cells[c][s]
			x.cost = cost[s]
			x.ready = fix
			x.late = -1
			if c > 0 && cells[c-1][s].end > x.ready {
				x.ready, x.late = cells[c-1][s].end, 0
			}
			if s > 0 && cells[c][s-1].end > x.ready {
				x.ready, x.late = cells[c][s-1].end, 1
			}
			x.start = x.ready
			if k := c - between; s+1 < stages && k >= 0 && cells[k][s+1].start > x.start {
				x.start, x.late = cells[k][s+1].start, 2
			}
			x.end = x.start + x.cost
		}
	}
	if n > 0 {
		t.ns = cells[n-1][stages-1].end
	} else {
		t.ns = fix
	}
	// What set the pace is found by walking back from the end.
	for c, s, at := n-1, stages-1, t.ns; ; {
		if c < 0 {
			t.shares[overhead] += at
			break
		}
		x := &cells[c][s]
		took := at - x.start
		if l := stageLeaf[s]; l != none {
			t.shares[l] += took
		} else {
			for l, w := range shaded[c].weight {
				t.shares[l] += took * w
			}
		}
		at = x.start
		switch x.late {
		case 0:
			c--
		case 1:
			s--
		case 2: // that stage took what was before it
			c, s = c-between, s+1
		default:
			c = -1
		}
	}
	if relieved != none {
		return t // nobody counts
	}
	t.spans = append(t.spans, span{to: math.Max(fix, 1), n: counts{evBusy: fix * hz, evCsRead: fix * 0.02}})
	for c := range n {
		front, back := &cells[c][stageVertex], &cells[c][stageShade]
		f, b := amounts[c].count(m, p, &shaded[c], hz, back.cost)
		t.spans = append(t.spans, span{from: front.start, to: math.Max(cells[c][stageDepth].end, front.start+1), n: f})
		if back.late == 2 && amounts[c].ps > 0 { // threads cannot end while their pixels are not taken
			held := (back.start - back.ready) * hz
			b[evLoaded] += shaded[c].loaded * held
			b[evStall] += float64(m.subslices*m.eus) * held * (1 - idle(shaded[c].loaded/float64(m.subslices*m.eus)))
		}
		t.spans = append(t.spans, span{from: back.ready, to: math.Max(back.end, back.ready+1), n: b})
		// Stages are bottlenecks while the next has nothing to do and waits for them; they stall while it cannot take more.
		fr, last := &t.spans[len(t.spans)-2].n, 0.0
		if c > 0 {
			last = cells[c-1][stages-1].end
		}
		busy := counts{evBusy: math.Max(0, cells[c][stages-1].end-math.Max(last, fix)) * hz}
		t.spans = append(t.spans, span{from: math.Max(last, fix), to: math.Max(cells[c][stages-1].end, math.Max(last, fix)+1), n: busy})
		for s, e := range map[int]event{stageVertex: evVfBottleneck, stageClip: evClBottleneck, stageSetup: evSfBottleneck,
			stageHiZ: evHizBottleneck, stageDepth: evZBottleneck, stageRaster: evBcBottleneck} {
			starved := cells[c][s+1].start - fix
			if c > 0 {
				starved = cells[c][s+1].start - cells[c-1][s+1].end
			}
			fr[e] += math.Max(0, math.Min(starved, cells[c][s].cost)) * hz
		}
		fr[evClStall] += (cells[c][stageClip].start - cells[c][stageClip].ready) * hz
		fr[evSfStall] += (cells[c][stageSetup].start - cells[c][stageSetup].ready) * hz
		fr[evPolyReady] += (cells[c][stageSetup].cost + cells[c][stageSetup].start - cells[c][stageSetup].ready) * hz
		fr[evRasterIn] += (cells[c][stageRaster].end - cells[c][stageRaster].ready) * hz
		fr[evRasterOut] += (cells[c][stageRaster].cost + math.Max(0, cells[c][stageHiZ].start-cells[c][stageRaster].end)) * hz * 0.9
		fr[evPixelData] += (cells[c][stageDepth].cost + math.Max(0, back.start-cells[c][stageDepth].end)) * hz * 0.8
		bk := &t.spans[len(t.spans)-2].n
		out := cells[c][stageBackend].end - cells[c][stageBackend].ready
		bk[evPsOut] += out * hz * 0.95
		bk[evPixelValues] += cells[c][stageBackend].cost * hz * 0.93
		if amounts[c].ps > 0 {
			bk[evVsBottleneck] += back.cost * hz * amounts[c].vsShare * 0.6
		} else if amounts[c].vs > 0 {
			bk[evVsBottleneck] += back.cost * hz * 0.9
		}
	}
	for i := range t.spans {
		x := &t.spans[i]
		for e, v := range x.n {
			if v != 0 {
				x.some = append(x.some, event(e))
			}
		}
	}
	return t
}
