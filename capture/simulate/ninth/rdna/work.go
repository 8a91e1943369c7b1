package rdna

// program is what the waves of a stage do. A round is one turn of the loop that it spends its time in; counts are
// instructions of one wave in one round.
type program struct {
	waves  float64 // of the whole GPU
	group  int     // waves of a work-group
	lanes  float64 // 32 or 64
	active float64 // share of lanes that are switched on
	slots  float64 // waves that a work-group processor has registers and local memory for
	rounds float64

	valu, trans, double, matrix float64 // trans, double and matrix are part of valu
	dual                        float64 // share of valu that is issued in pairs
	parallel                    float64 // instructions that do not wait for each other
	salu, smem                  float64
	lds, conflict               float64 // conflict: clocks that each lost to banks
	barrier                     bool
	ahead                       bool // loads of the next round are issued before this one's are used

	loads, stores, atomics float64
	wide                   float64    // requests of 64 bytes that a load or store makes
	lookups                float64    // tags that it looks up
	tex, filter            float64    // samples, and the clocks that a quad of one takes
	miss                   [4]float64 // shares of what L0, GL1, GL2 and the Infinity Cache are asked for and lack
	written                float64    // share of stored bytes that leave GL2
	rows                   float64    // share of the bandwidth of DRAM that the pattern of addresses allows
	spread                 float64    // of the work of waves
}

// job is a dispatch, where it has no pixels, or a draw.
type job struct {
	name    string
	kind    int // place among the programs of its case, for labels
	shader  program
	draw    bool
	vertex  program
	prims   float64 // per vertex wave
	culled  float64 // share of them
	units   float64 // of 64 pixels in quads, as rasterized, in the whole GPU
	cover   float64 // share of a unit's pixels that are inside their primitives
	hidden  float64 // share of units that the hierarchical test rejects
	failing float64 // share of the others that the early test rejects
	late    bool    // depth is tested after the shader
	tested  bool
	zwrite  bool
	samples float64
	colors  float64 // bytes of a pixel, of all targets; 0 draws depth only
	passes  float64 // clocks of a color block for its pixels, 1 of a plain target
	blend   bool
	squeeze float64 // share of color and depth traffic that compression and caches leave for memory
}

// bytes are what one instruction asks of L0.
func (p *program) bytes() float64 { return 64 * p.wide }

// traffic is what a wave moves in a round, in requests of 64 bytes: reads and writes of L0, GL1 and GL2, reads and
// writes of memory behind GL2, and reads that the Infinity Cache lacks.
type traffic struct{ read0, write0, read1, read2, atomics, readM, writeM, readD float64 }

func (p *program) traffic() (t traffic) {
	t.read0 = p.loads*p.wide + p.tex*p.lanes/8
	t.write0 = p.stores * p.wide
	t.atomics = p.atomics * p.wide
	t.read1 = t.read0 * p.miss[0]
	t.read2 = t.read1 * p.miss[1]
	t.readM = (t.read2 + t.atomics) * p.miss[2]
	t.writeM = t.write0 * p.written
	t.readD = t.readM * p.miss[3]
	return t
}

// issue is how many clocks of a SIMD the vector instructions of a round take.
func (p *program) issue() float64 {
	plain := p.valu - p.trans - p.double - p.matrix
	return (plain + 2*p.trans + 16*p.double + 16*p.matrix) * p.lanes / 32 / valuReached
}

// alone is how long a wave takes for them with the SIMD for itself: a result can be used five clocks later.
func (p *program) alone() float64 { return 5*p.valu/p.parallel + 2*p.salu }

// costs are the clocks that a wave's round takes at each server of a work-group processor.
type costs struct {
	issue, alone      float64
	local, localDelay float64
	in                float64 // loads through L0
	inBy              int     // filter where the filter takes longer than the tags
	inCache, inMem    float64
	out               float64
	outCache, outMem  float64
	delay             [5]float64
	chance            [4]float64 // that something of what is waited for is not in L0, GL1, GL2, the Infinity Cache
}

// at gives the costs on a machine of which some work-group processors are active, at a clock in GHz, with the ease
// of relieved things.
func (p *program) at(m *machine, active, clock float64, ease *[things]float64) (c costs) {
	c.issue, c.alone = p.issue()*ease[valu], p.alone()*ease[valu]
	c.local = p.lds * p.lanes / 32 * (1 + p.conflict) * ease[lds]
	if p.lds > 0 {
		c.localDelay = 60 * ease[lds]
	}
	t := p.traffic()
	tags := ((p.loads+p.atomics)*p.lookups + p.tex*p.lanes/32*2) / 0.9 * ease[access]
	filtered := p.tex * p.lanes / 4 * p.filter / 0.92 * ease[filter]
	c.in, c.inBy = tags, access
	if filtered > tags {
		c.in, c.inBy = filtered, filter
	}
	c.out = p.stores * p.lookups / 0.9 * ease[access]
	c.inCache = m.cached(t.read1+2*t.atomics, t.read2+4*t.atomics, active) * ease[cache]
	c.outCache = m.cached(t.write0, t.write0, active) * ease[cache]
	c.inMem = m.moved(t.readM, t.readD, p.rows, active, clock) * ease[memory]
	c.outMem = m.moved(t.writeM, t.writeM*(1+p.miss[3])/2, p.rows, active, clock) * ease[memory]
	for i, ns := range m.latency {
		c.delay[i] = ns * clock * ease[wait]
	}
	n := p.loads + p.tex + p.atomics
	out := 1.0
	for i, miss := range p.miss {
		if p.atomics > 0 && i < 2 {
			miss = 1
		}
		out *= miss
		c.chance[i] = once(out, n*max(1, p.lookups/4))
	}
	return c
}

// cached is the clocks that requests of 64 bytes take of GL1 and of the share of GL2.
func (m *machine) cached(gl1, gl2, active float64) float64 {
	return 64 * max(gl1/m.gl1Bytes, gl2*active/m.l2Bytes) / cacheReached
}

// moved is the clocks that requests of 64 bytes take of the share of what is behind GL2.
func (m *machine) moved(fabric, dram, rows, active, clock float64) float64 {
	if fabric == 0 {
		return 0
	}
	return 64 * active * clock * max(fabric/(0.85*m.infinity), dram/(rows*m.dram))
}

// once is the probability that one of n of a share happens.
func once(share, n float64) float64 {
	none := 1.0
	for ; n >= 1 && none > 1e-3; n-- {
		none *= 1 - share
	}
	return 1 - none*(1-share*max(0, min(1, n)))
}
