package rdna

import "math"

type opKind uint8

const (
	opVALU opKind = iota
	opSALU
	opSMEM
	opLDS
	opLoad
	opStore
	opAtomic
	opWait // for vector memory, except the latest `keep` batches
	opWaitLDS
	opBarrier
)

// op is a batch of instructions of one kind that a wave issues one after the other.
type op struct {
	kind  opKind
	id    int     // its place in the program
	n     float64 // instructions
	cost  float64 // cycles of the unit per instruction: SIMD or LDS, conflicts included
	chain float64 // cycles from one arithmetic instruction to the next that needs it
	mem   *access
	keep  int

	trans, double bool    // arithmetic that is counted as such
	conflict      float64 // share of the LDS cycles that conflicts cost
	returns       bool    // LDS atomics with a result
}

// part is how many instructions are done before another wave has its turn.
func (o *op) part() float64 { return math.Max(1, math.Max(math.Floor(chunk/o.cost), math.Ceil(o.n/4))) }

// access is how the lanes of a wave address memory, and where they find it.
type access struct {
	segments float64 // of 64 bytes per instruction, as L0 sees them
	wide     bool    // neighbouring segments, so that GL1 and below see lines of 128 bytes
	// shares of hits, each of what missed before
	l0, gl1, gl2, mall float64
	toMemory           float64 // of stores: share that GL2 evicts while the kernel runs
	partial            bool    // stores of less than 64 bytes
	dramWaste          float64 // time of DRAM by that of long runs: rows are opened for few bytes
	hot                float64 // of atomics: cycles a channel is kept by conflicts, on top of one
	camp               float64 // how many times longer channels of GL2 take because strides meet few of them; 0 is 1
}

func (a *access) camping() float64 { return math.Max(1, a.camp) }

// kernel is a program and a grid.
type kernel struct {
	name      string
	groups    int // workgroups
	waves     int // per workgroup
	vgprs     int
	lds       int // bytes per workgroup
	before    []op
	loop      []op
	iters     int
	uneven    float64 // how far the iterations of a wave may be from the mean, as a share of it
	meets     bool    // the loop has barriers, so that waves of a workgroup go round equally often
	after     []op
	firstCost float64 // cycles of the launcher per workgroup on top of its waves
	perWave   float64 // cycles of the launcher per wave, 1 where nothing but the id is written to registers
	code      int     // lines of 128 bytes of instructions
}

// itersOf is how often a wave goes round, the same in every run of the model.
func (k *kernel) itersOf(group, wave int) int {
	if k.uneven == 0 {
		return k.iters
	}
	x := uint64(group)<<8 + uint64(wave) + 1
	x = (x ^ x>>31) * 0x9e3779b97f4a7c15
	x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
	share := float64(x>>11) / (1 << 53)
	return int(math.Round(float64(k.iters) * (1 + k.uneven*(2*share-1))))
}

// resident is how many workgroups a WGP holds at once.
func (k *kernel) resident() int {
	bySIMD := min(wavesPerSIMD, vgprsPerSIMD/max(24, (k.vgprs+23)/24*24))
	n := max(1, bySIMD*simdsPerWGP/k.waves)
	if k.lds > 0 {
		n = min(n, max(1, ldsPerWGP/((k.lds+1023)/1024*1024)))
	}
	return min(n, 32)
}

// each calls f for every batch of a wave's program, with how often it runs.
func (k *kernel) each(f func(o *op, times float64)) {
	for i := range k.before {
		f(&k.before[i], 1)
	}
	for i := range k.loop {
		f(&k.loop[i], float64(k.iters))
	}
	for i := range k.after {
		f(&k.after[i], 1)
	}
}

// streams are the bytes that a dispatch streams past GL2.
func (k *kernel) streams() float64 {
	sum := 0.0
	k.each(func(o *op, times float64) {
		if o.mem != nil && o.mem.wide {
			a := o.mem
			sum += o.n * times * a.segments * segmentBytes * (1 - a.l0) * (1 - a.gl1) * (1 - a.gl2)
		}
	})
	return sum * float64(k.waves*k.groups)
}

// events is about how many events a workgroup takes.
func (k *kernel) events() float64 {
	sum := 1.0
	k.each(func(o *op, times float64) {
		parts := 1.0
		if o.kind == opVALU || o.kind == opLDS {
			parts = math.Ceil(o.n / o.part())
		}
		sum += parts * times
	})
	return sum * float64(k.waves)
}

// counts are instructions of a wave.
type counts struct {
	valu, trans, double, salu, smem, lds, ldsAtomics, loads, stores, atomics, internal float64

	ldsCycles, ldsConflicts float64
}

func (c *counts) flat() float64 { return c.loads + c.stores + c.atomics }

// all has the end of the program and the request to prefetch as well.
func (c *counts) all() float64 {
	return c.valu + c.salu + c.smem + c.lds + c.flat() + c.internal + 2
}

func (k *kernel) counts() (c counts) {
	c.internal = 5
	k.each(func(o *op, times float64) {
		n := o.n * times
		switch o.kind {
		case opVALU:
			c.valu += n
			if o.trans {
				c.trans += n
			}
			if o.double {
				c.double += n
			}
		case opSALU:
			c.salu += n
		case opSMEM:
			c.smem += n
			c.internal += times
		case opLDS:
			c.lds += n
			c.ldsCycles += n * o.cost
			c.ldsConflicts += n * o.cost * o.conflict
			if o.returns {
				c.ldsAtomics += n
			}
		case opLoad:
			c.loads += n
		case opStore:
			c.stores += n
		case opAtomic:
			c.atomics += n
		default:
			c.internal += times
		}
	})
	c.internal += float64(k.iters) // branches
	return c
}

// Shorthands for programs.

func valu(n float64) op            { return op{kind: opVALU, n: n, cost: 1, chain: 1.5} }
func chained(n, chain float64) op  { return op{kind: opVALU, n: n, cost: 1, chain: chain} }
func trans(n float64) op           { return op{kind: opVALU, n: n, cost: 4, chain: 4, trans: true} }
func double(n float64) op          { return op{kind: opVALU, n: n, cost: 16, chain: 12, double: true} }
func matrix(n float64) op          { return op{kind: opVALU, n: n, cost: 32, chain: 22} }
func salu(n float64) op            { return op{kind: opSALU, n: n} }
func smem(n float64) op            { return op{kind: opSMEM, n: n} }
func load(n float64, a access) op  { return op{kind: opLoad, n: n, mem: &a} }
func store(n float64, a access) op { return op{kind: opStore, n: n, mem: &a} }
func atomics(n float64, a access) op {
	return op{kind: opAtomic, n: n, mem: &a}
}
func wait(keep int) op { return op{kind: opWait, keep: keep} }
func waitLDS() op      { return op{kind: opWaitLDS} }
func barrier() op      { return op{kind: opBarrier} }

// lds is n accesses of so many cycles without conflicts: 1 for 4 bytes per lane, 4 for 16. Each takes ways times that.
func lds(n, cycles, ways float64) op {
	return op{kind: opLDS, n: n, cost: cycles * ways, conflict: 1 - 1/ways}
}

// stream is coalesced access of so many bytes per lane to data that is used once.
func stream(bytes, mall float64) access {
	return access{segments: bytes / 2, wide: true, mall: mall, toMemory: 0.93, dramWaste: 1}
}

// cached is coalesced access to data that a cache holds to these shares.
func cached(bytes, l0, gl1, gl2, mall float64) access {
	a := stream(bytes, mall)
	a.l0, a.gl1, a.gl2 = l0, gl1, gl2
	return a
}

// scattered is an access of a wave whose lanes touch so many segments that do not adjoin.
func scattered(segments, l0, gl1, gl2, mall float64) access {
	return access{segments: segments, l0: l0, gl1: gl1, gl2: gl2, mall: mall, toMemory: 0.9, partial: true,
		dramWaste: 1.7}
}
