package rdna

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"astrolabe/capture/simulate"
)

// program is what the waves of a stage do. A round is one turn of the loop that it spends its time in; counts are
// instructions of one wave in one round. Everything is a number, so that texts can say what to draw.
type program struct {
	waves, group, lanes, slots, rounds float64 // group: waves of a work-group; slots: waves that a work-group processor has room for
	valu, trans, double, matrix        float64 // the others are part of valu
	dual, active                       float64 // shares of valu that is issued in pairs, and of lanes that are on
	parallel                           float64 // vector instructions that do not wait for each other
	salu, smem                         float64
	lds, conflict                      float64 // conflict: clocks that each lost to banks
	barrier, ahead                     float64 // not 0: a barrier ends a round; loads of the next round are issued before this one's are used
	loads, stores, atomics             float64
	lookups, wide                      float64 // tags that one looks up, and requests of 64 bytes for each
	tex, filter                        float64 // samples, and the clocks that a quad of one takes
	l0, gl1, l2, ic                    float64 // shares of what the caches are asked for and lack
	written                            float64 // share of stored bytes that leave GL2
	rows                               float64 // share of the bandwidth of DRAM that the pattern of addresses allows
	spread                             float64 // of the work of waves
}

// job is a dispatch or a draw.
type job struct {
	name                  string
	kind                  int // its place among the jobs of the case
	draw                  bool
	shader, vertex        program
	prims, culled         float64 // of a vertex wave, and their share that is
	units, cover          float64 // of 64 pixels in quads, as rasterized, and the share of a unit that is inside of primitives
	hidden, failing       float64 // shares of units that the hierarchical and, of the others, the early test rejects
	tested, late, zwrite  float64 // not 0: depth is tested, after the shader, and written
	samples               float64
	colors, passes, blend float64 // bytes of a pixel, 0 draws depth only; clocks of a color block for one
	squeeze               float64 // share of color and depth traffic that compression leaves
}

// vary sets fields as a text says: names, each with a number, "a:b" for any between, "a~b" for any between on a
// logarithmic scale, or some of these with | between, of which each is as likely.
func vary(r simulate.Random, fields map[string]*float64, text string) {
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		options := strings.Split(words[i+1], "|")
		option := options[r.IntN(len(options))]
		number := func(s string) float64 {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil || fields[words[i]] == nil {
				panic(fmt.Sprintf("rdna: %s %s cannot be drawn", words[i], words[i+1]))
			}
			return x
		}
		x := 0.0
		if a, b, ok := strings.Cut(option, ":"); ok {
			x = r.Between(number(a), number(b))
		} else if a, b, ok := strings.Cut(option, "~"); ok {
			x = r.Log(number(a), number(b))
		} else {
			x = number(option)
		}
		*fields[words[i]] = x
	}
}

func (p *program) fields() map[string]*float64 {
	return map[string]*float64{"waves": &p.waves, "group": &p.group, "lanes": &p.lanes, "slots": &p.slots, "rounds": &p.rounds, "valu": &p.valu,
		"trans": &p.trans, "double": &p.double, "matrix": &p.matrix, "dual": &p.dual, "active": &p.active, "parallel": &p.parallel, "salu": &p.salu,
		"lds": &p.lds, "conflict": &p.conflict, "barrier": &p.barrier, "ahead": &p.ahead, "loads": &p.loads, "stores": &p.stores,
		"atomics": &p.atomics, "lookups": &p.lookups, "wide": &p.wide, "tex": &p.tex, "filter": &p.filter, "l0": &p.l0, "gl1": &p.gl1, "l2": &p.l2,
		"ic": &p.ic, "written": &p.written, "rows": &p.rows, "spread": &p.spread}
}

// traffic is what a wave moves in a round, in requests of 64 bytes: reads, writes and atomics of L0, reads of GL1 and
// GL2, reads and writes behind GL2, and reads that the Infinity Cache lacks.
type traffic struct{ read0, write0, atomics, read1, read2, readM, writeM, readD float64 }

func (p *program) traffic() (t traffic) {
	each := p.lookups * p.wide
	t.read0, t.write0, t.atomics = p.loads*each+p.tex*p.lanes/8, p.stores*each, p.atomics*each
	t.read1 = t.read0 * p.l0
	t.read2 = t.read1 * p.gl1
	t.readM, t.writeM = (t.read2+t.atomics)*p.l2, t.write0*p.written
	t.readD = t.readM * p.ic
	return t
}

// costs are the clocks that a wave's round takes at each server of a work-group processor.
type costs struct {
	issue, alone          float64 // of a SIMD, and of the wave with the SIMD for itself: a result can be used five clocks later
	local, localDelay     float64
	in, inCache, inMemory float64 // of loads
	inBy                  int     // filter where the filter takes longer than the tags
	out, outCache, outMem float64 // of stores
	delay                 [5]float64
	chance                [4]float64 // that something of what is waited for is not in L0, GL1, GL2, the Infinity Cache
}

// at gives the costs on a machine of which some work-group processors are active, at a clock in GHz.
func (p *program) at(m *machine, active, clock float64, ease *[things]float64) (c costs) {
	plain := p.valu - p.trans - p.double - p.matrix
	c.issue = (plain + 2*p.trans + 16*p.double + 16*p.matrix) * p.lanes / 32 / valuReached * ease[valu]
	if p.valu > 0 {
		c.alone = (5*p.valu/p.parallel + 2*p.salu) * ease[valu]
	}
	if p.lds > 0 {
		c.local, c.localDelay = p.lds*p.lanes/32*(1+p.conflict)/ldsReached*ease[lds], 60*ease[lds]
	}
	t := p.traffic()
	c.in, c.inBy = ((p.loads+p.atomics)*p.lookups+p.tex*p.lanes/32*2)/0.9*ease[access], access
	if filtered := p.tex * p.lanes / 4 * p.filter / 0.92 * ease[filter]; filtered > c.in {
		c.in, c.inBy = filtered, filter
	}
	c.out = p.stores * p.lookups / 0.9 * ease[access]
	c.inCache = m.cached(t.read1+2*t.atomics, t.read2+4*t.atomics, active) * ease[cache]
	c.outCache = m.cached(t.write0, t.write0, active) * ease[cache]
	c.inMemory = m.moved(t.readM, t.readD, p.rows, active, clock) * ease[memory]
	c.outMem = m.moved(t.writeM, t.writeM*(1+p.ic)/2, p.rows, active, clock) * ease[memory]
	for i, ns := range m.latency {
		c.delay[i] = ns * clock * ease[wait]
	}
	out := 1.0
	for i, miss := range [...]float64{p.l0, p.gl1, p.l2, p.ic} {
		if p.atomics == 0 || i >= 2 {
			out *= miss
		}
		c.chance[i] = 1 - math.Pow(1-out, (p.loads+p.tex+p.atomics)*max(1, p.lookups/4))
	}
	return c
}

// scale lets a round stand for times of them, in so many waves: what a wave takes for itself is a wave's alone.
func (c *costs) scale(times, waves float64) {
	for _, x := range []*float64{&c.issue, &c.local, &c.in, &c.out, &c.inCache, &c.inMemory, &c.outCache, &c.outMem} {
		*x *= times * min(1, waves)
	}
	c.alone, c.localDelay = c.alone*times, c.localDelay*times
	for i := range c.delay {
		c.delay[i] *= times
	}
}
