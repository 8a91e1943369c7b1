package intel

import "math"

// event is something that the model counts, summed over the GPU; a column of a metric set is one of them, or a share of
// several.
type event int

const (
	evBusy event = iota
	evVS
	evHS
	evDS
	evPS
	evCS
	evActive
	evStall
	evBoth
	evFpu0
	evFpu1
	evSend
	evVsFpu0
	evVsFpu1
	evVsSend
	evPsFpu0
	evPsFpu1
	evPsSend
	evPsBoth
	evLoaded // thread clocks
	evRaster // 2x2s up to evTex
	evHizFail
	evZFail
	evKilled
	evPostFail
	evWritten
	evBlended
	evTex
	evTexMiss
	evSlmRead // lines up to evAccess
	evSlmWrite
	evAccess
	evAtomics
	evBarriers
	evSamplerBusy
	evSamplerBottleneck
	evSamplerLines
	evL3Read // lines that miss the L3
	evL3Write
	evVfRead // lines from memory
	evHizRead
	evRczRead
	evDepthWrite
	evRccRead
	evRccWrite
	evCsRead
	evUntypedRead
	evUntypedWrite
	evOtherRead // lines of engines beside the render engine
	evOtherWrite
	evBankBusy // of the average bank
	evBankWait
	evPortWait // clocks in which the average data port waits for the L3
	evQueueFull
	evVfBottleneck
	evVsBottleneck
	evClBottleneck
	evSfBottleneck
	evHizBottleneck
	evZBottleneck
	evBcBottleneck
	evClStall
	evSfStall
	evPolyReady
	evRasterIn
	evRasterOut
	evPixelData
	evPsOut
	evPixelValues
	eventCount
)

type counts [eventCount]float64

// amount is what a chunk has to do.
type amount struct {
	draws, verts, prims, kept        float64
	pixels, tested, depth            float64 // rasterized, tested in blocks, tested one by one
	hizFail, zFail, written, killed  float64
	post, blendShare                 float64
	vs, ps, cs                       float64 // threads
	vsShare                          float64 // of the EUs' clocks
	quads, texLines, lines, slmLines float64
	vfBytes, zRead, zWrite, hizRead  float64
	colorRead, colorWrite, miss      float64 // bytes; miss is lines
	arithmetic                       float64 // factor
}

func (p *pass) amounts(m *machine, c *chunk) (a amount) {
	a.draws, a.verts, a.prims = p.draws*c.geometry, p.verts*c.geometry, p.prims*c.geometry
	a.kept = a.prims * (1 - p.culled)
	a.pixels = p.pixels * c.pixels
	if p.depth {
		a.tested = a.pixels
		a.hizFail = a.pixels * p.hiz
		// Blocks that pass as a whole need no test of their pixels.
		a.depth = (a.pixels - a.hizFail) * 0.75
		a.zFail = (a.pixels - a.hizFail) * p.z
	}
	lit := a.pixels - a.hizFail - a.zFail
	if p.ps > 0 {
		a.ps = lit / 16 / 0.9
	}
	a.killed = lit * p.kill
	a.post = (lit - a.killed) * p.post
	if p.color > 0 {
		a.written = lit - a.killed - a.post
	}
	a.blendShare = p.blend
	a.vs = a.verts / 8
	a.cs = p.groups * c.pixels
	threads := a.ps + a.cs
	a.arithmetic = c.arithmetic
	if all := a.vs*p.vs + threads*p.ps*a.arithmetic; all > 0 {
		a.vsShare = a.vs * p.vs / all
	}
	a.quads = threads * p.tex * c.texture
	a.texLines = a.quads * p.texMiss
	a.lines = threads*p.lines + a.vs*0.5
	a.slmLines = threads * p.slm
	a.miss = (a.texLines + a.lines) * p.l3Miss
	a.vfBytes = (a.verts*p.stride + a.prims*3*2*0.4) * (1 - p.reuse)
	left := 1 - p.stays
	if p.depth {
		a.zRead = (a.pixels - a.hizFail) * 4 * 0.45 * left
		a.zWrite = lit * 4 * 0.4 * left
		a.hizRead = a.pixels * 0.06
	}
	a.colorWrite = a.written * p.color * left
	a.colorRead = a.written * p.blend * p.color * 0.9 * left
	return a
}

// work is the clocks that the chunk needs of what its threads share, per subslice for what each has.
func (a *amount) work(m *machine, p *pass, hz float64) (w [leafCount]float64) {
	subslices := float64(m.subslices)
	threads := a.ps + a.cs
	w[arithmetic] = (a.vs*p.vs + threads*p.ps*a.arithmetic + 2*(a.lines+a.slmLines+a.quads/4)) / float64(m.subslices*m.eus) / 0.96
	w[texture] = a.quads * p.filter / m.quads / subslices / 0.95
	w[loadStore] = (a.lines + 4*threads*p.atomics) / subslices / 0.62
	w[localMemory] = a.slmLines / m.slm / subslices / 0.95
	w[cache] = (a.texLines + a.lines) / float64(m.banks) / 0.7
	// What the last-level cache has does not go to memory, but through the GT interface all the same.
	w[bandwidth] = math.Max(a.bytes()*(1-p.llc)/m.bytes*hz, a.bytes()/m.gti/0.85)
	return w
}

func (a *amount) bytes() float64 {
	return a.vfBytes + a.zRead + a.zWrite + a.hizRead + a.colorRead + a.colorWrite + a.miss*64
}

// count is what the counters see of a chunk, before the shader and from there on.
func (a *amount) count(m *machine, p *pass, s *shading, hz, ns float64) (f, b counts) {
	clocks := ns * hz
	f[evVS] = a.vs
	if p.tess {
		f[evHS], f[evDS] = a.vs/12, a.vs*1.4
	}
	f[evRaster], f[evHizFail], f[evZFail] = a.pixels/4, a.hizFail/4, a.zFail/4
	f[evVfRead] = a.vfBytes / 64
	f[evHizRead], f[evRczRead], f[evDepthWrite] = a.hizRead/64, a.zRead/64, a.zWrite/64
	f[evCsRead] = a.draws * 6

	b[evPS], b[evCS] = a.ps, a.cs
	b[evKilled], b[evPostFail], b[evWritten], b[evBlended] = a.killed/4, a.post/4, a.written/4, a.written*p.blend/4
	b[evTex], b[evTexMiss] = a.quads, a.texLines*0.6
	b[evSamplerLines] = a.texLines
	b[evSlmRead], b[evSlmWrite] = a.slmLines*0.6, a.slmLines*0.4
	threads := a.ps + a.cs
	b[evAccess] = a.lines
	b[evAtomics], b[evBarriers] = threads*p.atomics, threads*p.barriers
	write := a.miss * p.stores * a.lines / math.Max(1, a.lines+a.texLines)
	b[evL3Read], b[evL3Write] = a.miss-write, write
	b[evRccRead], b[evRccWrite] = a.colorRead/64, a.colorWrite/64
	b[evUntypedRead], b[evUntypedWrite] = a.lines*(1-p.stores), a.lines*p.stores

	eus := float64(m.subslices * m.eus)
	active := s.use[arithmetic] * clocks * eus * 0.96
	send := math.Min(active*0.5, 2*(a.lines+a.slmLines+a.quads/4))
	// Sends go out beside instructions of other threads; some clocks have nothing else.
	fpu := active - send*0.45
	second := p.second
	both := fpu * second * 0.55
	one, two := both+(fpu-both)*(1-0.55*second), both+(fpu-both)*0.55*second
	b[evActive], b[evBoth], b[evFpu0], b[evFpu1], b[evSend] = active, both, one, two, send
	b[evVsFpu0], b[evVsFpu1], b[evVsSend] = one*a.vsShare, two*a.vsShare, send*a.vsShare
	if a.ps > 0 {
		rest := 1 - a.vsShare
		b[evPsFpu0], b[evPsFpu1], b[evPsSend], b[evPsBoth] = one*rest, two*rest, send*rest, both*rest
	}
	b[evLoaded] = s.loaded * clocks
	perEU := s.loaded / eus
	b[evStall] = math.Max(0, clocks*eus*(1-idle(perEU))-active)
	b[evSamplerBusy] = math.Min(1, s.use[texture]*0.95+0.35*math.Min(s.use[texture], 1-s.use[texture])) * clocks
	// The sampler is a bottleneck while its input queue is full: some ten messages of the subslice's threads.
	full := func(weight, room float64) float64 {
		k := weight * s.loaded / float64(m.subslices)
		return k / (k + room)
	}
	b[evSamplerBottleneck] = s.use[texture] * full(s.weight[texture], 6) * clocks
	b[evBankBusy] = s.use[cache] * 0.7 * clocks
	b[evBankWait] = s.use[cache] * full(s.weight[cache], 5) * clocks
	b[evPortWait] = math.Min(1, s.use[loadStore]*1.5) * math.Min(1, full(s.weight[cache]+s.weight[bandwidth], 6)) * clocks
	b[evQueueFull] = s.use[bandwidth] * full(s.weight[bandwidth], 8) * clocks
	return f, b
}

// idle is the share of EUs that have no thread at a mean number of threads.
func idle(threads float64) float64 { return math.Exp(-1.8 * threads) }
