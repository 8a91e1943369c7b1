package mali

// kinds of work that warps do.
const (
	kindGeom = iota
	kindFrag
	kindComp
)

// segment is some draws, or a dispatch, whose warps are alike.
type segment struct {
	kind, queue int
	warps       float64 // on the whole GPU

	// Of one warp: instructions, bilinear quads that it samples and what filtering multiplies them by, lines that miss
	// the texture cache per quad, interpolation slots, accesses, lines that accesses need of the L2 cache.
	instr, quads, filter, lines   float64
	slots                         float64
	lsRead, lsWrite, atomic       float64
	full                          float64 // share of accesses that use the whole width
	lsLines, lsWriteLines         float64
	box, tri, rays                float64
	rast, ezs, fpk, lzs, fill     float64 // quads that are rasterized; shares of them that are killed before; quads shaded / all places
	alpha, tileBytes, area, prims float64 // blended share; bytes that its share of tiles writes; pixels of the target; primitives
	cull                          float64 // geometry: share of primitives
	half, sfu, diverged           float64 // shares of interpolation and of instructions
	miss                          float64 // share of L2 lookups that go to external memory
	phases                        float64 // times that it waits for memory, one after the other
	registers                     bool    // more than 32
	occupancy                     float64 // share of places that it can have
	blend                         float64 // what samples and targets multiply a blended pixel by
	mip, trilinear, compressed    float64
}

// tileLists are the lines of primitive lists that a warp's share of fragment work reads.
func (s *segment) tileLists() float64 {
	if s.kind != kindFrag {
		return 0
	}
	return 0.12 + 0.3*s.prims
}

// readLines are the lines that a warp reads from the L2 cache.
func (s *segment) readLines() float64 {
	return s.quads*s.lines + s.lsLines + s.rayLines() + s.tileLists() + s.tilerLines() + 0.02
}

// rayLines are those of nodes and triangles that miss the unit's own cache.
func (s *segment) rayLines() float64 { return 0.05*(s.box+s.tri) + 0.1*s.rays }

// tilerLines are what the tiler reads of positions and indices, tilerWrites what it adds to tiles' lists.
func (s *segment) tilerLines() float64 {
	if s.kind != kindGeom {
		return 0
	}
	return 0.3 * s.prims
}

func (s *segment) tilerWrites() float64 {
	if s.kind != kindGeom {
		return 0
	}
	return 0.35 * s.prims * (1 - s.cull)
}

func (s *segment) writeLines() float64 { return s.tileBytes/64 + s.lsWriteLines + s.tilerWrites() }

// missed are lines that go out: pixels are written once and seldom found again in the cache.
func (s *segment) missedWrites() float64 {
	return 0.92*s.tileBytes/64 + min(1, s.miss+0.3)*(s.lsWriteLines+s.tilerWrites())
}

func (s *segment) external() float64 { return 64 * (s.readLines()*s.miss + s.missedWrites()) }

// texCycles are the clocks of a core's texture unit for a warp: its slowest stage decides.
func (m *machine) texCycles(s *segment) float64 {
	return s.quads * max(s.filter/m.texQuads, s.lines*lineFill/m.texQuads)
}

// lineFill is how many bilinear quads' time it takes to bring a line into the texture cache.
const lineFill = 1.2

// arithCycles are the clocks in which a processing unit issues for a warp, if its instructions had the unit alone: on
// G52 one each clock, on G1 two of which one slot takes fewer kinds; special functions take four.
func (m *machine) arithCycles(s *segment) float64 {
	if !m.csf {
		return s.instr
	}
	return max(s.instr*slot0, s.instr*s.sfu*4)
}

const slot0 = 0.58 // share of instructions that the first slot issues

// cycles are the clocks of a core's stations that a warp takes at their peak rates, and the shared ones' as a core of
// all sees them.
func (m *machine) cycles(s *segment) (out [stations]float64) {
	out[stArith] = m.arithCycles(s) / m.pus
	out[stTex] = m.texCycles(s)
	out[stVary] = s.slots / m.varySlots
	out[stLS] = s.lsRead + s.lsWrite + 2*s.atomic
	out[stRay] = max(s.box, s.tri*1.5)
	if s.kind == kindFrag {
		out[stRast] = s.rast + 2*s.prims
		quads := float64(m.warp) / 4
		out[stBack] = quads*4/m.pixels*(0.5+0.5*s.alpha)*s.blend + s.tileBytes/16
	}
	if s.kind == kindGeom {
		out[stTiler] = float64(m.cores) * s.prims * m.tri * (1 - s.cull*2/3)
	}
	out[stL2] = float64(m.cores) / float64(m.slices) * m.l2Line * (s.readLines() + s.writeLines())
	return out
}

// class is a segment's as the network takes it, at a share of the highest clock and with a relief.
func (m *machine) class(s *segment, share float64, r *relief, others bool) class {
	ghz := m.ghz(share)
	var c class
	for st, cy := range m.cycles(s) {
		c.demand[st] = cy / ghz / m.eff[st]
	}
	// The bus of all slices is a second limit of what goes out.
	c.demand[stDRAM] = float64(m.cores) * s.external() / min(m.dram, 0.85*float64(m.slices)*m.bus*ghz)
	latency := s.phases * (m.l2Latency/ghz + s.miss*m.latency)
	own := 3 * s.instr / ghz // clocks until a warp's next instruction can follow
	if r.cause >= 0 && r.cause < stations {
		c.demand[r.cause] /= simulate15
	}
	if r.cause == causeLatency {
		latency /= simulate15
	}
	if r.cause == stArith {
		own /= simulate15
	}
	c.think = latency + own
	if r.gpu || r.queue == s.queue {
		for st := range c.demand {
			c.demand[st] /= simulate15
		}
		c.think /= simulate15
	}
	c.places = m.slots * s.occupancy
	if s.registers {
		c.places /= 2
	}
	if others { // two queues share the places
		c.places *= 0.55
	}
	c.places = max(1, min(c.places, s.warps/float64(m.cores)))
	return c
}
