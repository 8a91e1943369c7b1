package intel

import (
	"math"
	"math/rand/v2"
)

// stage is a station of the pipeline: a pass goes through all of them in this order, each with buffers before it.
type stage int

const (
	stCS stage = iota // command streamer, or the walker that hands out work groups
	stVF
	stVS
	stCL
	stSF
	stRA
	stHZ
	stEZ
	stPS // pixel shader, or the work groups of a compute pass
	stPB
	numStages
)

// unit is what can take longer for one part of a pass than for another.
type unit int

const (
	unCS unit = iota
	unVF
	unVS
	unCL
	unSF
	unRA
	unHZ
	unEZ
	unEU // of the pixel shader or work groups
	unTex
	unPort
	unSLM
	unL3
	unLat
	unPB
	numUnits
)

// pass is a render pass, or a row of dispatches, between two flushes of the pipeline. Amounts are of the whole pass.
type pass struct {
	name    string
	compute bool

	clk     [numUnits]float64 // clocks of the whole unit, all subslices at work; EU clocks of one EU for VS and EU
	mult    [][numUnits]float64
	buffer  [numStages]float64 // before each stage, as a share of the pass
	sharp   int                // how well threads overlap: 4 or 8, the norm in which times of a thread's units add up
	start   float64            // ns until the first thread runs
	drain   float64            // ns of flushing at the end
	fills   float64            // share of thread slots that registers and payloads allow
	threads float64            // PS or CS
	vertex  float64            // VS threads
	trips   float64            // round trips to memory of each thread that nothing overlaps
	miss    float64            // share of these that go to memory
	read    [numStages]float64 // lines of 64 bytes
	write   [numStages]float64

	count [numStages]counts
	kinds [numStages][]event // those that a stage counts

	both, send float64           // shares of active EU clocks with both pipes at work; with the send pipe at work
	fpu1       float64           // share of FPU1 in what one pipe does alone
	ratio      [4]float64        // hybrid, ternary, binary and move instructions
	bankSkew   float64           // accesses of the busiest bank by those of the mean
	ideal      [numUnits]float64 // clocks of units that would need one for each of their outputs
	bubbles    float64           // share of the time in which a unit at its limit has nothing all the same
}

// counts are what a stage counts in a whole pass.
type counts [numEvents]float64

// draw3D is a render pass as an application knows it.
type draw3D struct {
	name                      string
	pixels, overdraw          float64
	hiz, early, kill, post    float64 // shares of what reaches the test
	verts, visible            float64 // share of triangles that are not culled
	attrs                     float64 // vertex attributes by four
	vsInstr, psInstr          float64
	samples, texCost, texLine float64 // per pixel; clocks per 2x2 sample; lines missed per 2x2 sample
	texMiss                   float64 // share of lines that the L3 does not hold
	loads                     float64 // messages to the data port per thread
	trips, miss               float64
	bytes, blend              float64 // of a pixel; share that is blended
	draws                     float64
	msaa, stencil             float64 // cost of depth and color by samples
	depth                     bool
	slope                     float64 // spread of the draws
}

// grid is a compute pass.
type grid struct {
	name                string
	threads, instr      float64
	loads, stores       float64 // messages per thread, of 64 bytes
	slmReads, slmWrites float64
	samples, texCost    float64
	texLine, texMiss    float64
	atomics, barriers   float64
	trips, miss         float64
	l3Miss              float64
	dispatches          float64
	skew                float64
	typed               float64 // share of typed messages
	slope               float64
}

func (m *machine) base(r *rand.Rand, name string, slope float64) *pass {
	p := &pass{name: name, sharp: 4, start: span(r, 4e3, 18e3), drain: span(r, 3e3, 14e3), fills: span(r, 0.82, 0.99),
		both: span(r, 0.12, 0.42), send: span(r, 0.06, 0.2), fpu1: span(r, 0.3, 0.5), bankSkew: span(r, 1.02, 1.25),
		bubbles: span(r, 0.01, 0.08)}
	if r.IntN(2) == 0 {
		p.sharp = 8
	}
	if m.xe { // the second pipe is for extended math only
		p.both, p.fpu1 = span(r, 0.01, 0.08), span(r, 0.03, 0.15)
	}
	p.ratio = [4]float64{span(r, 0.02, 0.08), span(r, 0.2, 0.5), span(r, 0.2, 0.4), span(r, 0.05, 0.2)}
	n := 12 + r.IntN(13)
	p.mult = make([][numUnits]float64, n)
	for u := range numUnits {
		sum := 0.0
		for c := range p.mult {
			p.mult[c][u] = math.Exp(slope * r.NormFloat64())
			sum += p.mult[c][u]
		}
		for c := range p.mult {
			p.mult[c][u] *= float64(n) / sum
		}
	}
	for s := range p.buffer {
		p.buffer[s] = span(r, 0.004, 0.03)
	}
	return p
}

// render makes a pass of draws.
func (m *machine) render(r *rand.Rand, d draw3D) *pass {
	p := m.base(r, d.name, d.slope)
	raster := d.pixels * d.overdraw
	deep := raster * (1 - d.hiz)
	shaded := deep * (1 - d.early)
	kept := shaded * (1 - d.kill)
	written := kept * (1 - d.post)
	prims := d.verts * span(r, 1.2, 1.9)
	seen := prims * d.visible
	simd := 16.0
	if r.IntN(4) == 0 {
		simd = 8
	}
	p.vertex = d.verts / (8 * span(r, 0.8, 0.97))
	p.threads = shaded / (simd * span(r, 0.62, 0.93)) // edges of triangles leave lanes empty
	quads := shaded / 4
	sub := float64(m.subslices) * m.wide

	p.clk[unCS] = d.draws * span(r, 250, 900)
	p.clk[unVF] = d.verts * (0.6 + 0.25*d.attrs) / m.front
	p.clk[unVS] = p.vertex * d.vsInstr * 1.4
	p.clk[unCL] = prims * span(r, 0.9, 1.2) / m.front
	p.clk[unSF] = seen * span(r, 1.5, 2.1) / m.front
	p.clk[unRA] = seen*0.8/m.front + raster/(2*m.pixels*span(r, 0.6, 0.9))
	blocks := seen*1.3 + raster/(4*m.pixels)
	if d.depth {
		p.clk[unHZ] = blocks * span(r, 0.8, 1.1) / m.front
		p.clk[unEZ] = deep / (2 * m.pixels) * d.msaa * d.stencil * span(r, 1, 1.3)
	}
	p.clk[unEU] = p.threads * d.psInstr * simd / 8 * 1.3
	p.clk[unTex] = quads * d.samples * d.texCost / sub
	lines := quads * d.samples * d.texLine
	p.clk[unPort] = p.threads * d.loads / sub
	p.clk[unL3] = (lines + p.threads*d.loads) * p.bankSkew / float64(m.banks)
	p.clk[unPB] = kept * (1 + 0.6*d.blend) * max(1, d.bytes/4) * d.msaa / m.pixels
	p.trips, p.miss = d.trips, d.miss
	p.ideal[unSF], p.ideal[unRA], p.ideal[unEZ] = seen/m.front, raster/(2*m.pixels), deep/(2*m.pixels)
	p.ideal[unTex], p.ideal[unPB] = quads*d.samples/sub, kept/m.pixels

	p.read[stVF] = d.verts * 16 * d.attrs / 64 * span(r, 0.5, 0.9)
	if d.depth {
		z := span(r, 0.25, 0.6) * d.msaa
		p.read[stHZ], p.write[stHZ] = blocks*0.04, blocks*0.02
		p.read[stEZ], p.write[stEZ] = deep*4/64*z, shaded*4/64*z
	}
	loadMiss := p.threads * d.loads * d.miss
	p.read[stPS] = lines*d.texMiss + loadMiss
	p.read[stPB] = kept * d.blend * d.bytes / 64 * span(r, 0.3, 0.8)
	p.write[stPB] = written * d.bytes / 64 * span(r, 0.75, 1) * (0.7 + 0.3*d.msaa)
	p.read[stCS] = d.draws * 14

	p.count[stVS][evVsThreads] = p.vertex
	p.count[stRA][evRaster] = raster / 4
	p.count[stHZ][evHizFail] = (raster - deep) / 4
	p.count[stEZ][evEarlyFail] = (deep - shaded) / 4
	ps, pb := &p.count[stPS], &p.count[stPB]
	ps[evPsThreads] = p.threads
	ps[evKilled] = (shaded - kept) / 4
	ps[evTexels] = quads * d.samples
	ps[evTexelMiss] = quads * d.samples * min(0.9, d.texLine*span(r, 0.5, 0.9))
	ps[evTexLines] = lines
	ps[evUntypedRead] = p.threads * d.loads
	ps[evAccess] = p.threads * d.loads
	ps[evAccessMiss] = p.threads * d.loads * span(r, 0.6, 0.9)
	pb[evPostFail] = (kept - written) / 4
	pb[evWritten] = written / 4
	pb[evBlended] = written * d.blend / 4
	m.traffic(r, p)
	return p
}

// dispatch makes a pass of work groups.
func (m *machine) dispatch(r *rand.Rand, g grid) *pass {
	p := m.base(r, g.name, g.slope)
	p.compute = true
	p.threads, p.trips, p.miss = g.threads, g.trips, g.miss
	p.bankSkew = max(p.bankSkew, g.skew)
	sub := float64(m.subslices) * m.wide
	loads, stores := g.threads*g.loads, g.threads*g.stores
	quads := g.threads * g.samples * 4
	lines := quads * g.texLine
	p.clk[unCS] = g.dispatches*span(r, 1500, 6000) + g.threads*span(r, 1, 2.2)
	p.clk[unEU] = g.threads * g.instr * 2 * 1.2
	p.clk[unTex] = quads * g.texCost / sub
	p.clk[unPort] = (loads + stores + 3*g.threads*g.atomics) * 1.05 / sub
	p.clk[unSLM] = g.threads * (g.slmReads + g.slmWrites) * span(r, 1.05, 1.4) / sub
	p.clk[unL3] = (loads + stores + lines) * p.bankSkew / float64(m.banks)
	p.ideal[unTex] = quads / sub
	p.read[stCS] = g.dispatches * 20
	p.read[stPS] = (loads+lines*g.texMiss)*g.l3Miss + lines*g.texMiss*(1-g.l3Miss)
	p.write[stPS] = stores * min(1, g.l3Miss+0.4)
	c := &p.count[stPS]
	c[evCsThreads] = g.threads
	c[evTexels], c[evTexLines] = quads, lines
	c[evTexelMiss] = quads * min(0.9, g.texLine*span(r, 0.5, 0.9))
	c[evSlmRead], c[evSlmWrite] = g.threads*g.slmReads, g.threads*g.slmWrites
	c[evAtomic], c[evBarrier] = g.threads*g.atomics, g.threads*g.barriers
	c[evAccess] = loads + stores + c[evAtomic]
	c[evAccessMiss] = c[evAccess] * span(r, 0.6, 0.95)
	c[evTypedRead], c[evTypedWrite] = loads*g.typed, stores*g.typed
	c[evUntypedRead], c[evUntypedWrite] = loads*(1-g.typed), stores*(1-g.typed)
	m.traffic(r, p)
	return p
}

// traffic divides what a stage moves among the clients of the memory interface.
func (m *machine) traffic(r *rand.Rand, p *pass) {
	for s := range p.read {
		p.read[s] *= m.moved
		p.write[s] *= m.moved
	}
	hizShare, msc := span(r, 0.6, 0.9), span(r, 0, 0.06)
	stc := span(r, 0, 0.1)
	p.count[stCS][evCsRead] = p.read[stCS]
	p.count[stVF][evVfRead] = p.read[stVF]
	p.count[stHZ][evHizRead], p.count[stHZ][evHizWrite] = p.read[stHZ]*hizShare, p.write[stHZ]*hizShare
	p.count[stHZ][evRczRead], p.count[stHZ][evRczWrite] = p.read[stHZ]*(1-hizShare), p.write[stHZ]*(1-hizShare)
	p.count[stEZ][evStcRead], p.count[stEZ][evStcWrite] = p.read[stEZ]*stc, p.write[stEZ]*stc
	p.count[stEZ][evRczRead], p.count[stEZ][evRczWrite] = p.read[stEZ]*(1-stc), p.write[stEZ]*(1-stc)
	p.count[stPS][evL3Read], p.count[stPS][evL3Write] = p.read[stPS], p.write[stPS]
	p.count[stPB][evMscRead], p.count[stPB][evMscWrite] = p.read[stPB]*msc, p.write[stPB]*msc
	p.count[stPB][evRccRead], p.count[stPB][evRccWrite] = p.read[stPB]*(1-msc), p.write[stPB]*(1-msc)
	for s := range p.count {
		c := &p.count[s]
		c[evL3Access] = c[evTexLines] + c[evAccess]
		c[evL3Miss] = c[evL3Read] + c[evL3Write]
		c[evDepth] = c[evHizRead] + c[evStcRead] + c[evRczRead] + c[evHizWrite] + c[evStcWrite] + c[evRczWrite]
		c[evColor] = c[evRccRead] + c[evMscRead] + c[evRccWrite] + c[evMscWrite]
		c[evRead], c[evWrite] = p.read[s], p.write[s]
		c[evRing] = p.read[s] + p.write[s]
		for e, v := range c {
			if v != 0 {
				p.kinds[s] = append(p.kinds[s], event(e))
			}
		}
	}
}

// output is how long a unit's output is ready by how long it works.
func (p *pass) output(u unit) float64 {
	if p.clk[u] == 0 {
		return 0
	}
	return min(0.95, p.ideal[u]/p.clk[u])
}

// scale multiplies the amount of work of a pass.
func (p *pass) scale(k float64) {
	for u := range p.clk {
		p.clk[u] *= k
		p.ideal[u] *= k
	}
	p.threads *= k
	p.vertex *= k
	for s := range p.count {
		p.read[s] *= k
		p.write[s] *= k
		for e := range p.count[s] {
			p.count[s][e] *= k
		}
	}
}
