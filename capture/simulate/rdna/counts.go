package rdna

import (
	"math"

	"astrolabe/capture/simulate/content"
)

// counts is what one dispatch of a kernel does, whatever the time it takes.
type counts struct {
	waves                                              float64
	vector, trans, dual, double, scalar, scalarLoads   float64 // instructions
	loads, stores, local, localAtomics, inside         float64
	requests, reads, writes, misses                    float64 // of the vector L1
	gl1Reads, gl1Writes, gl1Misses                     float64 // requests of 128 and 64 bytes
	gl2Reads, gl2Writes, gl2Atomics, gl2Hits, gl2Miss  float64
	memoryReads, memoryWrites                          float64 // of 128 and 64 bytes
	localActive, localConflicts                        float64 // cycles
	dataRequests, dataMisses, codeRequests, codeMisses float64
	barriers, issued                                   float64
	groupSize                                          int
}

// count makes the counts of a pass. What is asked of each unit follows from the time that the pass would take in it;
// where one level must have seen what the level below it did, it has.
func (d *device) count(p *content.Pass) counts {
	x, sh := d.settle(p), &p.Shader
	ghz := d.hz / 1e9
	cycles := func(a content.Axis, n int) float64 { return x.Press[a] * x.Time * ghz * x.Effort[a] * float64(n) }
	var c counts
	c.groupSize = sh.GroupSize
	// Each compute unit issues two vector instructions in a clock; transcendental ones take four times as long.
	slots := cycles(content.Arithmetic, 2*d.cus)
	matrix := d.matrixShare(p)
	c.trans = (1 - matrix) * sh.Special * slots / 4
	plain := (1 - matrix) * (1 - sh.Special) * slots
	c.dual = d.dualShare(p) * plain
	c.vector = c.trans + plain + matrix*slots/matrixClocks
	each := 12 * math.Pow(60, float64(x.Seed%1000)/1000) // in a wave: 12 to 700
	if p.Kind == content.Copy {
		each = 8 // as the real copy of a vector has
	}
	// The launch of waves is no limit unless a plant makes it one.
	c.waves = max(32, min(c.vector/each, 0.55*d.launchRate()*x.Time*ghz))
	c.scalar = c.vector * sh.Scalar * 0.4
	c.scalarLoads = 4 * c.waves
	// A vector L1 takes a request in a clock. An access that falls into one line is two requests of a wave for wide
	// values, a scattered one many.
	c.requests = cycles(content.LoadStore, d.wgps())
	perAccess := 2 + 14*math.Pow(1-sh.Full, 3)
	if p.Kind == content.Copy {
		perAccess = 3
	}
	accesses := c.requests / perAccess
	c.stores = accesses * sh.Writes
	c.loads = accesses - c.stores
	c.writes = c.requests * sh.Writes
	c.reads = c.requests - c.writes

	// Memory: reads of 128 bytes, writes of 64.
	bytes := x.Press[content.Bandwidth] * x.Time * d.rate(p) * x.Effort[content.Bandwidth]
	c.memoryReads = bytes * (1 - p.Memory.Written) / 128
	c.memoryWrites = bytes * p.Memory.Written / 64
	// A channel of GL2 looks a request up in a clock of its own.
	top := cycles(content.Cache, d.gl2s) * gl2Clock
	all := max(top, 1.002*(c.memoryReads+c.memoryWrites))
	c.gl2Writes = max(c.memoryWrites, min(all*0.6, c.writes, all-c.memoryReads))
	c.gl2Reads = max(c.memoryReads, all-c.gl2Writes)
	c.gl2Atomics = c.gl2Reads * sh.Atomics * 0.1
	// Half of the writes find the line of 128 bytes that the other half brought.
	c.gl2Miss = c.memoryReads + 0.5*c.gl2Writes
	c.gl2Hits = c.gl2Reads + c.gl2Writes - c.gl2Miss
	if c.gl2Hits < 0 {
		c.gl2Miss += c.gl2Hits
		c.gl2Hits = 0
	}
	c.gl1Writes = c.gl2Writes
	c.gl1Reads = c.gl2Reads / d.passedOn(p)
	c.gl1Misses = c.gl2Reads + c.gl1Writes
	// What the vector L1 passed on it was asked for.
	if c.reads < 1.01*c.gl1Reads {
		c.reads = 1.01 * c.gl1Reads
	}
	c.writes = max(c.writes, c.gl1Writes)
	c.requests = c.reads + c.writes
	c.misses = c.gl1Reads + c.writes

	c.localActive = cycles(content.LocalMemory, d.wgps())
	c.localConflicts = c.localActive * sh.Conflicts
	if x.Press[content.LocalMemory] > 0 {
		c.local = (c.localActive - c.localConflicts) * 0.6
		c.localAtomics = c.local * sh.Atomics
		c.barriers = c.waves * sh.Barriers
	}
	c.inside = 7*c.waves + 0.2*c.vector // waits, branches and the end of the program
	c.dataRequests = c.scalarLoads
	c.dataMisses = c.dataRequests * p.Memory.Instructions
	issued := c.vector + c.scalar + c.scalarLoads + c.loads + c.stores + c.local + c.inside
	// A work-group processor issues five instructions in a clock at best, of which its four SIMDs can take a vector one
	// each. Code that is near it has fewer others beside them: wider accesses, unrolled loops.
	if most := d.issuing(x.Time) * max(0.7, x.Press[content.Arithmetic]); issued > most {
		by := max(0, most-c.vector) / (issued - c.vector)
		for _, n := range []*float64{&c.scalar, &c.scalarLoads, &c.dataRequests, &c.dataMisses, &c.loads, &c.stores,
			&c.local, &c.localAtomics, &c.inside} {
			*n *= by
		}
		issued = most
	}
	c.issued = issued
	c.codeRequests = issued / 30
	c.codeMisses = c.codeRequests * p.Memory.Instructions
	return c
}

// passedOn is the share of reads that GL1 passes on.
func (d *device) passedOn(p *content.Pass) float64 {
	if d.gathers {
		return 1 - 0.08*p.Memory.HitNear
	}
	return 1 - 0.4*p.Memory.HitNear
}

// cached reports whether the cache beside memory holds what the kernel touches.
func (d *device) cached(p *content.Pass) bool { return p.Groups.Seed%4 == 0 }
