package intel

import (
	"math"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// stages of threads, in the order of the coarse filter of the flexible counters.
const (
	vertex = iota
	hull
	domain
	geometryShader
	pixel
	compute
	asyncCompute // on a queue of its own
	shaders
)

// Quantities that counters are made of: first those of each stage of threads, then those of the GPU.
const (
	perThreads = iota * shaders // threads dispatched
	perUnion                    // unit clocks in which at least one FPU worked
	perBoth                     // in which both did
	perFirst                    // in which the first one did
	perSend                     // in which the send pipe worked
	perLoaded                   // chunks in slots, ns times the clock's share
	perMatrix                   // unit clocks in which the matrix engine worked
	perBeside                   // in which the first FPU worked beside it
	firstOther
)

const (
	rasterized     = firstOther + iota // blocks of 2x2
	failedFast                         // hierarchical depth
	failedDepth                        // early depth
	killed                             // in the shader
	failedPost                         // after it
	written                            //
	blended                            //
	texels                             // 2x2 asked of samplers
	samplerMisses                      // to L3
	localReads                         // of 64 bytes
	localWrites                        //
	accesses                           // of buffers and constants
	firstMisses                        // of those, at the first level
	atomics                            //
	barriers                           //
	samplerWork                        // cycles, over all samplers
	typedReads                         // lines of 64 bytes
	typedWrites                        //
	untypedReads                       //
	untypedWrites                      //
	cacheMisses                        // look-ups in L3 that went on to memory
	readCommand                        // lines of 64 bytes by client
	readFetch                          //
	readColour                         //
	readHierarchy                      //
	readStencil                        //
	readDepth                          //
	readCache                          //
	writeColour                        //
	writeHierarchy                     //
	writeStencil                       //
	writeDepth                         //
	writeCache                         //
	instructions                       // fetches of shader code in L3
	cacheWork                          // cycles of L3, the mean of its banks
	nearMisses                         // of buffers at the first level, where that is a cache that counts
	localConflicts                     // cycles of local memory lost to banks
	backendWork                        // cycles of the pixel backend of a slice
	fetchedCount                       // vertices
	triangleCount                      // assembled
	culledCount                        // of those, by the clipper
	groupCount                         // work groups
	asyncCount                         // those of the queue for compute
	rayCount                           //
	rayWork                            // cycles of the ray tracing unit of a core
	narrow                             // unit clocks of the first FPU on 16 bits
	stageWork                          // cycles of each fixed function, six of them
	quantities     = stageWork + 6
)

// work is what a stream counts when all of its work is done once.
type work []term

type term struct {
	quantity, tally int
	amount          float64
}

// tally is where a tally stands behind those of the machine's units.
func (t *terms) tally(n int) int { return len(t.d.machine.Units) + n }

// terms collects a stream's terms.
type terms struct {
	d       *device
	p       *content.Part
	list    work
	tensors bool    // the pass uses the matrix engines
	hit     float64 // share of reads that the first level of cache holds, where there is one
	writes  float64 // share of accesses of buffers
}

func newTerms(d *device, p *content.Pass, part *content.Part) *terms {
	return &terms{d: d, p: part, tensors: tensors(p), hit: p.Memory.HitNear, writes: p.Shader.Writes}
}

func (t *terms) add(quantity, tally int, amount float64) {
	if amount > 0 && !math.IsInf(amount, 0) {
		t.list = append(t.list, term{quantity, tally, amount})
	}
}

// cycles is how many cycles each of n units of an axis works, added up.
func (t *terms) cycles(a content.Axis, n int) float64 {
	return t.p.Press[a] * t.p.Time * t.d.hz / 1e9 * t.p.Effort[a] * float64(n)
}

func (d *device) program(s *content.Scene) (out []work) {
	for _, p := range s.Passes {
		if p.Kind != content.Render {
			out = append(out, d.groups(p, d.queueOf(s, p) == 1))
			continue
		}
		out = append(out, d.vertices(p), d.pixels(p))
	}
	return out
}

// shade counts what threads of a stage do in the units, whose send pipe takes a clock for a message.
func (t *terms) shade(stage int, sh *content.Shader, threads float64) {
	if t.d.plat != nil {
		t.pipes(stage, sh, threads)
		return
	}
	// Two pipes: how often both find something to do is a matter of the code. 1.0 to 1.7 instructions a clock.
	rate := 1 + 0.7*float64(t.p.Seed>>8%100)/100
	// Code that finds so little for the second pipe leaves nearly all to the first.
	first := 0.49
	if rate < 1.12 {
		first = min(0.96, 1-(rate-1)/rate)
	}
	union := t.cycles(content.Arithmetic, t.d.eus)
	sends := t.access(sh)
	if t.p.Press[content.Texture] > 0 {
		sends += t.sample(sh)
	}
	t.add(perThreads+stage, t.tally(simulate.TallyIssued), threads)
	t.add(perUnion+stage, unitEU, union)
	t.add(perBoth+stage, unitEU, union*(rate-1))
	t.add(perFirst+stage, unitEU, union*rate*first)
	t.add(perSend+stage, unitEU, min(sends, 0.5*union+0.1*sends))
	weight := 1.0
	if t.p.Wide {
		weight = 2
	}
	t.add(perLoaded+stage, t.tally(simulate.TallySlots), 1/weight)
	t.add(instructions, unitEU, union/400)
	t.add(cacheWork, unitCache, t.cycles(content.Cache, 1))
}

// sample counts requests to samplers: each takes four texels of a bilinear filter in a clock, and twice as long where
// it filters between levels. It returns the messages.
func (t *terms) sample(sh *content.Shader) float64 {
	c := t.cycles(content.Texture, t.d.subs)
	blocks := c / (1 + sh.Trilinear) * t.d.blocks
	t.add(samplerWork, unitSampler, c)
	t.add(texels, unitSampler, blocks)
	return blocks / 4
}

// access counts requests to the data ports, 64 bytes a clock each, and returns the messages.
func (t *terms) access(sh *content.Shader) float64 {
	c := t.cycles(content.LoadStore, t.d.subs)
	local := t.cycles(content.LocalMemory, t.d.subs)
	if !t.d.near {
		// L3 has a port for each subslice.
		c = min(c, 0.95*t.cycles(content.Cache, t.d.subs))
	}
	t.add(accesses, unitDataPort, c)
	t.add(firstMisses, unitDataPort, c*0.7)
	t.add(atomics, unitDataPort, c*sh.Atomics)
	lines := local * t.d.lines
	t.add(localReads, unitLocal, lines*(1-sh.Writes)*(1-sh.Conflicts))
	t.add(localWrites, unitLocal, lines*sh.Writes*(1-sh.Conflicts))
	t.add(localConflicts, unitLocal, local*sh.Conflicts)
	typed := 0.1
	t.add(typedReads, unitDataPort, c*typed*(1-sh.Writes))
	t.add(typedWrites, unitDataPort, c*typed*sh.Writes)
	t.add(untypedReads, unitDataPort, c*(1-typed)*(1-sh.Writes))
	t.add(untypedWrites, unitDataPort, c*(1-typed)*sh.Writes)
	return c + local
}

// lines are the lines of 64 bytes that a stream moves over the memory interface, read and written.
func (t *terms) lines(written float64) (read, write float64) {
	all := t.p.Press[content.Bandwidth] * t.p.Time * t.d.memory * t.p.Effort[content.Bandwidth] / 64
	// It takes half as much as it gives.
	written = min(written, 0.45)
	return all * (1 - written), all * written
}

// misses counts what L3 asks of memory, which is no more than what is asked of L3.
func (t *terms) misses(read, write float64) {
	if t.d.near {
		t.missesBehind(read, write)
		return
	}
	lookups := min(t.cycles(content.LoadStore, t.d.subs), 0.95*t.cycles(content.Cache, t.d.subs))
	room := t.cycles(content.Cache, t.d.subs) - lookups
	if t.p.Press[content.Texture] > 0 {
		// The samplers' caches miss as often as L3 has time for, and at most for six of ten blocks.
		m := max(min(0.6*t.cycles(content.Texture, t.d.subs), room), min(read, 0.6*t.cycles(content.Texture, t.d.subs)))
		t.add(samplerMisses, unitSampler, m)
		lookups += m
	}
	// Writes that leave L3 are of lines that it was written before.
	m := min(read, 0.97*lookups)
	t.add(cacheMisses, simulate.UnitBandwidth, m)
	t.add(readCache, simulate.UnitBandwidth, m)
	t.add(writeCache, simulate.UnitBandwidth, write)
	t.add(readCommand, simulate.UnitBandwidth, read-m)
}

func (d *device) vertices(p *content.Pass) work {
	t := newTerms(d, p, p.Vertex)
	g := geometry(p.Vertex)
	base := t.cycles(content.Geometry, 1)
	for i, x := range g {
		t.add(stageWork+i, int(x.unit), base*x.share)
	}
	// Clipper and setup take a triangle in two to four clocks, the fetch a vertex in about two.
	triangles := min(base*g[1].share/2, base*g[2].share/3) * d.pipes
	vertices := min(triangles/p.Shape.PerVertex, base*g[0].share/2*d.pipes)
	// A thread shades eight vertices, with ten instructions at least.
	vertices = min(vertices, 8*t.cycles(content.Arithmetic, d.eus)/10)
	n := vertices / 8
	t.add(fetchedCount, unitFetch, vertices)
	t.add(triangleCount, int(g[1].unit), vertices*p.Shape.PerVertex)
	t.add(culledCount, int(g[1].unit), vertices*p.Shape.PerVertex*(p.Shape.Facing+(1-p.Shape.Facing)*p.Shape.Frustum))
	t.shade(vertex, &p.Shader, n*(1-0.5*p.Shape.Hull))
	if h := p.Shape.Hull; h > 0 {
		t.add(perThreads+hull, t.tally(simulate.TallyIssued), n*h*0.3)
		t.add(perThreads+domain, t.tally(simulate.TallyIssued), n*h)
	}
	read, write := t.lines(0.15 * p.Memory.Written)
	fetched := read * 0.6
	t.add(readFetch, simulate.UnitBandwidth, fetched)
	t.misses(read-fetched, write)
	return t.list
}

func (d *device) pixels(p *content.Pass) work {
	t := newTerms(d, p, p.Pixel)
	s, sh := &p.Shape, &p.Shader
	ras := rasterization(p.Pixel)
	base := t.cycles(content.Raster, 1)
	for i, x := range ras {
		t.add(stageWork+3+i, int(x.unit), base*x.share)
	}
	// The rasterizer makes two blocks of 2x2 in a clock of each slice, and the backend takes two: both bound the
	// picture.
	blocks := min(s.Pixels*s.Layers/4, d.quads*float64(d.slices)*base*ras[0].share)
	if d.plat != nil {
		// Pictures alone would leave the rasterizers and backends of large parts next to nothing to do in the time that
		// they take: what leans on them draws more layers, of formats that take up to five times a block's least time.
		rate := 0.2 + 0.75*float64(p.Pixel.Seed>>4%89)/89
		most := d.quads * float64(d.slices) * min(base*ras[0].share, t.cycles(content.Backend, 1))
		blocks = max(blocks, rate*most)
	}
	fast := blocks * s.EarlyKill * s.CoarseZ
	depth := (blocks - fast) * s.EarlyKill * (1 - s.CoarseZ)
	shaded := blocks - fast - depth
	out := shaded * (1 - s.Discard) * (1 - s.LateTest*s.LateKill)
	if most := d.quads * t.cycles(content.Backend, d.slices); out > most {
		by := most / out
		blocks, fast, depth, shaded, out = blocks*by, fast*by, depth*by, shaded*by, out*by
	}
	// A thread shades 8, 16 or 32 pixels, with ten instructions at least.
	width := 8 << (p.Pixel.Seed % 3)
	if most := t.cycles(content.Arithmetic, d.eus) / 10; shaded*4/float64(width) > most {
		by := most / (shaded * 4 / float64(width))
		blocks, fast, depth, shaded, out = blocks*by, fast*by, depth*by, shaded*by, out*by
	}
	// Where the rasterizer or a depth test limits without small triangles, it is with blocks: what is drawn beside the
	// shaded ones is depth alone. Some two pixels a clock and slice at least, an eighth of what Gen9 rasterizes, leave
	// room for samples and covered edges.
	if t.p.Press[content.Raster] >= 0.8 {
		least := min(0.6, 0.28/ras[0].share)
		rate := least + (0.95-least)*float64(p.Pixel.Seed>>4%89)/89
		if want := rate * d.quads * float64(d.slices) * base * ras[0].share; blocks > 0 && want > blocks {
			by := want / blocks
			blocks, fast, depth = blocks*by, fast*by, depth*by
		}
	}
	t.shade(pixel, sh, shaded*4/float64(width))
	t.add(backendWork, unitBackend, t.cycles(content.Backend, 1))
	in, issued, done := t.tally(simulate.TallyIn), t.tally(simulate.TallyIssued), t.tally(simulate.TallyOut)
	t.add(rasterized, in, blocks)
	t.add(failedFast, in, fast)
	t.add(failedDepth, in, depth)
	t.add(killed, issued, shaded*s.Discard)
	t.add(failedPost, done, shaded*(1-s.Discard)*s.LateTest*s.LateKill)
	t.add(written, done, out)
	t.add(blended, done, out*s.Blended)

	// Colour and depth have caches of their own beside L3.
	read, write := t.lines(0.15 + 0.7*p.Memory.Written)
	colour := min(write*0.8, out*4*s.PixelSize/64)
	t.add(writeColour, simulate.UnitBandwidth, colour)
	side := write - colour
	t.add(writeDepth, simulate.UnitBandwidth, 0.5*side)
	t.add(writeHierarchy, simulate.UnitBandwidth, 0.15*side)
	t.add(writeStencil, simulate.UnitBandwidth, 0.05*side)
	again := read * 0.35 * p.Memory.Attachment * (0.2 + 0.8*s.Blended)
	tests := read * 0.15 * p.Memory.Attachment
	t.add(readColour, simulate.UnitBandwidth, again)
	t.add(readDepth, simulate.UnitBandwidth, 0.7*tests)
	t.add(readHierarchy, simulate.UnitBandwidth, 0.2*tests)
	t.add(readStencil, simulate.UnitBandwidth, 0.1*tests)
	t.misses(read-again-tests, 0.3*side)
	return t.list
}

func (d *device) groups(p *content.Pass, async bool) work {
	t := newTerms(d, p, p.Groups)
	sh := &p.Shader
	// 20 to 2000 unit clocks in a thread: a copy is at one end, a matrix product at the other.
	each := 20 * math.Pow(100, float64(p.Groups.Seed%1000)/1000)
	if p.Kind == content.Copy {
		each = 8
	}
	n := (t.cycles(content.Arithmetic, d.eus) + t.cycles(content.LoadStore, d.subs)) / each
	stage, count := compute, groupCount
	if async {
		stage, count = asyncCompute, asyncCount
	}
	t.shade(stage, sh, n)
	t.add(count, t.tally(simulate.TallyIssued), n*16/float64(max(16, sh.GroupSize)))
	if w := t.cycles(content.RayTracing, 1); w > 0 {
		t.add(rayWork, unitRays, w)
		t.add(rayCount, unitRays, w*float64(d.subs)/(20+10*p.Shape.Rays))
	}
	t.add(barriers, t.tally(simulate.TallyIssued), n*sh.Barriers)
	read, write := t.lines(p.Memory.Written)
	t.misses(read, write)
	return t.list
}
