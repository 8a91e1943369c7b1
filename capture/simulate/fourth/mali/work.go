package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// segment is a part of a job over which what it needs is constant: a few rows of tiles, some draws.
type segment struct {
	need   [resources]float64 // ns at the highest clock, were the resource alone; of latency without load
	ev     [events]float64
	power  int     // how well the resources overlap: 4, 8 or 16
	filled float64 // share of the cores that work, below 1 where a job runs out
}

// job is what a queue runs as one piece.
type job struct {
	name   string
	queue  int
	deps   []dep
	segs   []segment
	submit float64 // share of the driver's work on the frame that stands before it
	launch float64 // times the machine's
}

// dep says that a job waits for another one of its frame, or of the frame before.
type dep struct {
	job      int
	before   bool
	needless bool
}

// render is a render pass: geometry is sorted into tiles, then tiles are shaded.
type render struct {
	name                          string
	pixels, prims                 float64
	face, frustum, small, scissor float64 // shares culled
	reuse                         float64 // vertices shaded per primitive
	deferred                      float64 // share of visible primitives whose vertices are shaded late
	tilesPer                      float64 // tiles that a visible primitive is in
	position, surface             shader
	layers                        float64 // quads rasterized by quads of the picture
	tested, killed, hidden        float64 // shares of the quads: early test, killed by it, dropped in the buffer before shading
	late, lateKill                float64
	opaque                        float64 // share of what is left that hides what is behind
	filled, partial               float64 // of warps; share of quads
	blend                         float64 // times the cost of a pixel of 32 bits
	load, store                   float64 // bytes of a pixel
	same                          float64 // share of tiles that do not change
	rate                          float64 // quads shaded by quads left, below 1 with shading at a lower rate
	mlp                           float64 // reads of a core under way
	power, parts                  int
	after                         []int // passes whose results it reads
}

// dispatch is compute.
type dispatch struct {
	name         string
	warps        float64
	work         shader
	mlp          float64
	power, parts int
	launch       float64
	after        []int
}

// tilts are the groups of events that differ together along a job.
var tilts = [][]int{{evFMA, evCVT, evSFU, evNarrow, evDiverged}, texEvents, {evLSFullRd, evLSPartRd, evLSFullWr, evLSPartWr, evLSAtomic},
	{evV32, evV16, evVarInstr}, rayEvents}

// finish makes segments of a job's events.
func (m *machine) finish(name string, q int, ev *[events]float64, mlp float64, power, parts int, r simulate.Random) job {
	out := job{name: name, queue: m.queueOf(q), launch: 1}
	shares := make([]float64, parts+1)
	sum := 0.0
	for i := range parts {
		shares[i] = r.Between(0.6, 1.4)
		sum += shares[i]
	}
	end := r.Between(0.02, 0.07) // where the last tasks run
	for i := range parts {
		shares[i] *= (1 - end) / sum
	}
	shares[parts] = end
	sigma := r.Between(0.05, 0.45)
	factor := make([][]float64, len(tilts))
	for k := range tilts {
		mean := 0.0
		factor[k] = make([]float64, parts+1)
		for i := range factor[k] {
			factor[k][i] = r.Spread(sigma)
			mean += shares[i] * factor[k][i]
		}
		for i := range factor[k] {
			factor[k][i] /= mean
		}
	}
	for i, share := range shares {
		s := segment{power: power, filled: 1}
		if i == parts {
			s.filled = r.Between(0.35, 0.75)
		}
		for k := range s.ev {
			s.ev[k] = ev[k] * share
		}
		for k, group := range tilts {
			for _, e := range group {
				s.ev[e] *= factor[k][i]
			}
		}
		m.needs(&s, mlp)
		out.segs = append(out.segs, s)
	}
	return out
}

// needs works out what the events take, by the formulas by which a reader finds the use of units.
func (m *machine) needs(s *segment, mlp float64) {
	e, per := &s.ev, m.perNs()
	top := m.hz / 1e9
	tex := max(e[evTexFilt], e[evTexIn], e[evTexOut], e[evTexIndex], e[evTexLook], e[evTexSimple], e[evTexComplex], e[evTexL1Look])
	sh := shader{fma: e[evFMA], cvt: e[evCVT], sfu: e[evSFU]}
	n := &s.need
	n[resArith] = m.arith(&sh) / per
	n[resTexture] = tex / per
	n[resVarying] = (e[evV32] + e[evV16]) / m.slots / per
	n[resLoadStore] = (e[evLSFullRd] + e[evLSPartRd] + e[evLSFullWr] + e[evLSPartWr] + e[evLSAtomic]) / per
	n[resRays] = max(e[evBoxCy], e[evTriCy]) / per
	n[resTiler] = (m.tilerIn*(e[evTri]+e[evLine]+e[evPoint]) + m.tilerVis*e[evVisible]) / top
	n[resRaster] = (e[evQuad]/m.rastQd + m.primCy*e[evRastPrim]) / per
	n[resBackend] = max(e[evBlendCy]/m.blendQd, e[evTileWr]) / per
	n[resCache] = (e[evRdLine] + e[evWrLine]) / (m.lookups * float64(m.slices)) / top
	n[resBus] = max(e[evRdBytes], e[evWrBytes]) / (m.bus * float64(m.slices)) / top
	n[resDRAM] = (e[evRdBytes] + e[evWrBytes]) / (m.dram * (1 - m.background))
	for i := range n {
		n[i] /= m.reach[i]
	}
	// What waits in the cores' own caches for the second level takes a third of what waits for memory.
	lines := (e[evRdBytes] + 0.33*(64*e[evRdLine]-e[evRdBytes])) / 64
	n[resLatency] = lines * (m.latMem + m.latGPU/top) / (mlp * float64(m.cores))
}

// shade adds what warps of a shader do.
func (m *machine) shade(ev *[events]float64, s *shader, warps float64, fragment bool) {
	add := func(k int, x float64) { ev[k] += x * warps }
	add(evFMA, s.fma)
	add(evCVT, s.cvt)
	add(evSFU, s.sfu)
	instr := s.fma + s.cvt + s.sfu
	add(evNarrow, instr*s.narrow)
	add(evDiverged, instr*s.diverge)
	add(evICacheMiss, instr*0.0015)
	add(evRegs, s.regs)
	if s.tex > 0 {
		quads := 4 * s.tex
		filter := 4 * quads * s.texCost / m.texels
		add(evTexFilt, filter)
		single := 0.12 + 0.8*s.diverge
		msg := quads
		if m.csf {
			msg = quads / (2 - single)
			add(evTexSingle, msg*single)
		}
		add(evTexMsg, msg)
		add(evTexIn, filter*s.texPath/s.texCost*0.9)
		add(evTexOut, filter*s.texPath/s.texCost)
		add(evTexIndex, filter*0.9/max(1, s.texCost*0.8))
		add(evTexLook, filter*min(1, 0.55+0.4*s.texPath))
		add(evTexSimple, filter*s.texPath*0.5)
		add(evTexComplex, filter*(1-s.texPath)*0.7)
		add(evTexL1Look, filter*0.6)
		add(evTexL1Out, filter*0.5)
		add(evTexL1Load, filter*s.texBytes*0.06)
		bi := min(1, 1/s.texCost)
		add(evTexBi, filter*bi*0.8)
		add(evTexTri, filter*(1-bi)*0.8)
		bytes := 16 * s.tex * s.texBytes
		add(evTexL2, bytes/16)
		add(evTexExt, bytes*s.texMiss/16)
		add(evRdLine, bytes/48)
		add(evRdBytes, bytes*s.texMiss)
	}
	add(evV32, s.v32)
	add(evV16, s.v16)
	add(evVarInstr, (s.v32+s.v16/2)/4)
	add(evLSFullRd, s.reads*s.full)
	add(evLSPartRd, s.reads*(1-s.full))
	add(evLSFullWr, s.writes*s.full)
	add(evLSPartWr, s.writes*(1-s.full))
	add(evLSAtomic, s.atomics)
	bytes := s.reads * s.lsBytes
	add(evLSL2, bytes/16)
	add(evLSExt, bytes*s.lsMiss/16)
	add(evRdLine, bytes/48)
	add(evRdBytes, bytes*s.lsMiss)
	wr := (s.writes + s.atomics) * s.wrBytes
	add(evLSWB, wr/16*0.8)
	add(evLSOtherWr, wr/16*0.2)
	add(evWrLine, wr/56)
	add(evWrBytes, wr*s.wrOut)
	if s.rays > 0 {
		rays := 16 * s.rays
		add(evRay, rays)
		add(evBoxCy, rays*s.boxes)
		add(evTriCy, rays*s.tris)
		add(evBox, rays*s.boxes*s.packed)
		add(evTriTest, rays*s.tris*s.packed)
		nodes := rays * (s.boxes + s.tris) * 3
		add(evLSL2, nodes/16)
		add(evLSExt, nodes*0.35/16)
		add(evRdLine, nodes/48)
		add(evRdBytes, nodes*0.35)
	}
	add(evOther, 0.3)
	add(evRdLine, 0.1)
	add(evRdBytes, 1)
	if fragment {
		ev[evFragWarp] += warps
	} else {
		ev[evOtherWarp] += warps
	}
}

// renderJobs are the two jobs of a render pass.
func (m *machine) renderJobs(p *render, r simulate.Random) (binning, main job) {
	var ev [events]float64
	visible := p.prims * (1 - p.face - p.frustum - p.small - p.scissor)
	ev[evTri] = p.prims
	if r.Chance(0.3) {
		ev[evLine] = p.prims * r.Log(0.001, 0.05)
		ev[evTri] -= ev[evLine]
	}
	ev[evFace], ev[evPlane], ev[evSample], ev[evScissor], ev[evVisible] = p.prims*p.face, p.prims*p.frustum, p.prims*p.small, p.prims*p.scissor, visible
	ev[evDVS] = visible * p.deferred
	vertices := p.prims * p.reuse
	early := visible * p.reuse * 0.8 * (1 - p.deferred)
	ev[evPosTask], ev[evVarTask] = vertices/4, early/4
	ev[evPosHit], ev[evPosMiss] = max(0, 3*p.prims-vertices), vertices
	ev[evVarHit], ev[evVarMiss] = 3*visible*(1-p.deferred)-min(3*visible*(1-p.deferred), early), early
	m.shade(&ev, &p.position, (vertices+0.7*early)/16, false)
	ev[evAttr] = 3 * (vertices + early) / 16
	ev[evNonFragTask] = vertices / 64
	lists := p.prims*6 + visible*p.tilesPer*8 // bytes read and written
	ev[evTilerRd] = lists / 16
	ev[evRdLine] += lists / 64
	ev[evRdBytes] += lists * 0.4
	ev[evWrLine] += lists / 64
	ev[evWrBytes] += lists * 0.5
	binning = m.finish(p.name+" geometry", queueGeometry, &ev, max(p.mlp, 12), p.power, max(1, min(3, p.parts)), r)

	ev = [events]float64{}
	quads := p.pixels / 4 * p.layers
	left := quads * (1 - p.killed)
	shaded := left * (1 - p.hidden) * p.rate
	warps := min(shaded/4/p.filled, left/4)
	ev[evQuad], ev[evPartQuad], ev[evCoarse] = quads, quads*p.partial, quads*(0.6+0.4*p.rate)
	ev[evEZSTest], ev[evEZSKill], ev[evEZSUpdate] = quads*max(p.tested, p.killed), quads*p.killed, quads*(max(p.tested, p.killed)-p.killed)*p.opaque
	ev[evLZSTest], ev[evLZSKill] = quads*p.late, quads*p.late*p.lateKill
	ev[evOpaque] = left * p.opaque
	ev[evLoadPrim], ev[evRastPrim] = visible*p.tilesPer*1.15, visible*p.tilesPer
	ev[evTile], ev[evFragTask] = p.pixels/m.tile, p.pixels/m.task
	ev[evTileKill] = p.pixels / m.tile * p.same
	if m.csf {
		ev[evTileKill] *= 4
	}
	m.shade(&ev, &p.surface, warps, true)
	ev[evFragThread] = warps * 16 * min(1, p.filled+0.05)
	ev[evFull] = warps * max(0.05, 2*p.filled-1)
	if p.blend > 2.5 {
		ev[evBlendCall] = warps * 0.2
	}
	if m.csf && p.deferred > 0 {
		late := p.position
		late.fma, late.cvt = late.fma*0.8, late.cvt*0.8
		m.shade(&ev, &late, visible*p.reuse*0.8*p.deferred/16, false)
	}
	ev[evBlendCy] = shaded * p.blend
	store := p.store * (1 - p.same)
	ev[evTileWr] = p.pixels * store / 16
	front := visible*p.tilesPer*10 + p.pixels*p.load
	ev[evFFEL2] = front / 16
	ev[evFFEExt] = (visible*p.tilesPer*4 + p.pixels*p.load*0.9) / 16
	ev[evRdLine] += front / 64
	ev[evRdBytes] += 16 * ev[evFFEExt]
	ev[evWrLine] += p.pixels * store / 64
	ev[evWrBytes] += p.pixels * store * 0.95
	main = m.finish(p.name, queueFragment, &ev, p.mlp, p.power, p.parts, r)
	return binning, main
}

func (m *machine) dispatchJob(p *dispatch, r simulate.Random) job {
	var ev [events]float64
	m.shade(&ev, &p.work, p.warps, false)
	ev[evFull] = p.warps * r.Between(0.9, 1)
	ev[evNonFragTask] = p.warps / 8
	ev[evCompTask] = p.warps / 8
	out := m.finish(p.name, queueCompute, &ev, p.mlp, p.power, p.parts, r)
	if p.launch > 0 {
		out.launch = p.launch
	}
	return out
}

// alone is the time of a segment that has the GPU to itself, at the highest clock and with no load on memory.
func (s *segment) alone() float64 { return powerMean(&s.need, s.power) / s.filled }

// powerMean is how long needs take together, from the longest where they overlap fully to their sum.
func powerMean(x *[resources]float64, power int) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, v)
	}
	if most <= 0 {
		return 0
	}
	sum := 0.0
	for _, v := range x {
		sum += raise(v/most, power)
	}
	for p := power; p > 1; p /= 2 {
		sum = math.Sqrt(sum)
	}
	return most * sum
}

func raise(x float64, power int) float64 {
	for p := power; p > 1; p /= 2 {
		x *= x
	}
	return x
}

// alone is the time of all jobs of the content one after the other.
func (c *content) alone() float64 {
	others, fragments := c.halves()
	return others + fragments
}

// halves are the times of the jobs beside fragments, and of fragments.
func (c *content) halves() (others, fragments float64) {
	for i := range c.jobs {
		for k := range c.jobs[i].segs {
			if ns := c.jobs[i].segs[k].alone(); c.jobs[i].queue == queueFragment {
				fragments += ns
			} else {
				others += ns
			}
		}
	}
	return others, fragments
}
