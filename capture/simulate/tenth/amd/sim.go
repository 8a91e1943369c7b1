package amd

import "math"

// kind is what an op does.
type kind uint8

const (
	vector kind = iota
	scalarOp
	scalarLoad
	ldsOp
	load
	store
	wait
	barrier
)

// op is a row of instructions of one kind in a wave.
type op struct {
	kind   kind
	n      int     // instructions
	clocks float64 // of the unit for each: 1 for full rate, 4 for transcendental ones, 16 for double precision, passes of local memory
	chain  float64 // clocks that a wave needs for each where one waits for another
	trans  bool
	double bool

	lines float64 // cache lines of each load or store
	part  float64 // bytes of a line that go beyond L0
	miss  [3]float64
	mall  float64 // share of what GL2 misses that the cache before the memory has
}

// kernel is a program, and the grid that it is started with.
type kernel struct {
	name    string
	group   int // waves of a workgroup
	slots   int // waves that the registers of a SIMD have room for
	lds     int // bytes of a workgroup
	waves   int // of the grid
	iters   int
	stretch float64 // how many times as long as simulated the loop is
	pro     []op
	body    []op
	epi     []op
	start   float64        // ns from the start of the dispatch to its first wave, and from its last to its end
	code    int            // lines of instructions
	attain  [parts]float64 // share of the machine's rates that its accesses and instructions allow
}

// Counts of a simulation, of a workgroup processor, which grow with the waves.
const (
	cWaves = iota
	cVector
	cTrans
	cDouble
	cScalar
	cSMEM
	cLDS
	cLDSCycles
	cConflict
	cLoads
	cStores
	cInternal
	cL0Read
	cL0Write
	cL0Miss
	cGL1Read
	cGL1Read64
	cGL1ReadMiss
	cGL1Write
	cGL2ReadMiss
	cGL2ReadMiss64
	cGL2WriteMiss
	cWaveNs
	cWaitCnt
	cWaitBarrier
	cWaitInst
	cWaitLDS
	cWaitDep
	cAddrBusy
	cAddrStall
	cL0Back
	cGL1Stall
	cL0Open
	cGL1Open
	cGL2Open
	cReadLatency
	cWriteLatency
	cMemBusy
	cMemFull
	counts
)

type tally [counts]float64

// row is a record of what happened: a server was busy from start to mid, and from there to end nothing but time passed.
type row struct {
	start, mid, end float64
	before          int32
	unit, rest      part
}

// server serves one after the other.
type server struct {
	free float64
	last int32
}

type wave struct {
	at, iter  int
	stage     uint8 // prologue, loop, epilogue
	simd      uint8
	group     int32
	row       int32
	began     float64
	arrived   float64 // at the barrier
	loadsEnd  float64
	loadsRow  int32
	storesEnd float64
	storesRow int32
	number    uint32
	step      uint32
}

type group struct {
	left int
	late []int32 // waves at the barrier
}

type event struct {
	at   float64
	wave int32
}

// sim is one kernel on one workgroup processor with its part of the machine.
type sim struct {
	m    machine
	k    *kernel
	tick float64

	rows   []row
	waves  []wave
	groups []group
	heap   []event
	c      tally

	simd       [simds]server
	inSIMD     [simds]int
	addr, ldss [units]server
	spi        server
	gl1, gl2   server
	dram, mall server
	free, lds  int
	begun      int // groups
	groupsAll  int
	done       int // waves
	open       [4]float64
}

// result is what a kernel takes and counts, of one workgroup processor.
type result struct {
	ns    float64 // of its waves, without overhead
	c     tally
	paces [parts]float64 // ns
}

// most is how many waves and ops are simulated; a larger grid goes on as its middle did.
const (
	mostOps   = 60000
	gens      = 8
	leastDone = 24
)

// run simulates a kernel.
func (m machine) run(k *kernel) result {
	for p, x := range k.attain {
		if x > 0 {
			m.speed[p] *= x
		}
	}
	s := &sim{m: m, k: k, tick: m.tick()}
	s.free, s.lds = simds*min(slots, k.slots), ldsBytes
	mine := (k.waves + m.wgps*k.group - 1) / (m.wgps * k.group) // groups
	resident := max(1, s.free/k.group)
	if k.lds > 0 {
		resident = max(1, min(resident, ldsBytes/k.lds))
	}
	perWave := len(k.pro) + len(k.epi) + k.iters*len(k.body)
	few := max(gens*resident, (leastDone+k.group-1)/k.group)
	few = max(resident+(resident+1)/2, min(few, mostOps/(perWave*k.group)))
	s.groupsAll = min(mine, few)
	n := s.groupsAll * k.group
	s.waves, s.groups = make([]wave, 0, n), make([]group, 0, s.groupsAll)
	s.rows = make([]row, 0, n*perWave)
	for _, v := range []*server{&s.spi, &s.gl1, &s.gl2, &s.dram, &s.mall} {
		v.last = -1
	}
	for i := range s.simd {
		s.simd[i].last = -1
	}
	for i := range units {
		s.addr[i].last, s.ldss[i].last = -1, -1
	}
	s.begin(0, -1)
	marks := [2]int{n * 35 / 100, n * 85 / 100}
	var snaps [2]tally
	var times [2]float64
	end, last := 0.0, int32(-1)
	for len(s.heap) > 0 {
		e := s.pop()
		if s.advance(e) {
			s.done++
			for i, mark := range marks {
				if s.done == mark {
					snaps[i], times[i] = s.c, e.at
				}
			}
			if e.at >= end {
				end, last = e.at, s.waves[e.wave].row
			}
		}
	}
	out := result{ns: end, c: s.c}
	s.walk(last, end, &out.paces)
	more := float64(mine*k.group-n) / float64(max(1, marks[1]-marks[0]))
	exact := float64(k.waves) / float64(m.wgps*mine*k.group) // the last round of workgroups is not full
	grow := 1.0
	if mine > s.groupsAll && end > 0 {
		out.ns += more * (times[1] - times[0])
		for i := range out.c {
			out.c[i] += more * (snaps[1][i] - snaps[0][i])
		}
		grow = out.ns / end
	}
	long := max(1, k.stretch)
	out.ns *= long
	for i := range out.c {
		out.c[i] *= exact
		if i != cWaves {
			out.c[i] *= long
		}
	}
	for i := range out.paces {
		out.paces[i] *= grow * long
	}
	return out
}

// walk goes back from the end over what each step waited for, and adds up what took the time.
func (s *sim) walk(at int32, upto float64, out *[parts]float64) {
	for at >= 0 {
		r := &s.rows[at]
		if upto > r.mid {
			out[r.rest] += upto - r.mid
			upto = r.mid
		}
		if upto > r.start {
			out[r.unit] += upto - r.start
			upto = r.start
		}
		at = r.before
	}
	if upto > 0 {
		out[waveLaunch] += upto
	}
}

// serve takes a place at a server from the time at, which the row before led to, and returns the record.
func (s *sim) serve(v *server, at, busy, rest float64, unit, restOf part, before int32) int32 {
	start := at
	if v.free > at {
		start, before = v.free, v.last
	}
	id := int32(len(s.rows))
	s.rows = append(s.rows, row{start, start + busy, start + busy + rest, before, unit, restOf})
	v.free, v.last = start+busy, id
	return id
}

// begin starts workgroups as far as there is room.
func (s *sim) begin(at float64, before int32) {
	for s.begun < s.groupsAll && s.free >= s.k.group && s.lds >= s.k.lds {
		s.begun++
		s.free -= s.k.group
		s.lds -= s.k.lds
		g := int32(len(s.groups))
		s.groups = append(s.groups, group{left: s.k.group})
		for range s.k.group {
			id := s.serve(&s.spi, at, s.m.perWave(), 12*s.tick, waveLaunch, waveLaunch, before)
			w := wave{group: g, row: id, loadsRow: -1, storesRow: -1, number: uint32(len(s.waves)), began: s.rows[id].end}
			for i := range s.inSIMD {
				if s.inSIMD[i] < s.inSIMD[w.simd] {
					w.simd = uint8(i)
				}
			}
			s.inSIMD[w.simd]++
			s.waves = append(s.waves, w)
			s.push(event{s.rows[id].end, int32(len(s.waves) - 1)})
		}
	}
}

// next is the wave's next op, nil at its end.
func (s *sim) next(w *wave) *op {
	for {
		list := s.k.pro
		switch w.stage {
		case 1:
			list = s.k.body
		case 2:
			list = s.k.epi
		case 3:
			return nil
		}
		if w.at < len(list) && (w.stage != 1 || s.k.iters > 0) {
			w.at++
			return &list[w.at-1]
		}
		w.at = 0
		if w.stage == 1 {
			if w.iter++; w.iter < s.k.iters {
				continue
			}
		}
		w.stage++
	}
}

// jitter is a number around 1 that depends on the wave and its step alone, so that relief changes nothing that is drawn.
func (w *wave) jitter(off float64) float64 {
	return 1 + off*(2*w.chance(1)-1)
}

func (w *wave) chance(salt uint32) float64 {
	h := uint64(w.number)<<32 | uint64(w.step)<<4 | uint64(salt)
	h *= 0x9E3779B97F4A7C15
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	h ^= h >> 32
	return float64(h>>11) / (1 << 53)
}

// opened adds the time in which any request is under way to the i-th of the caches.
func (s *sim) opened(i, count int, from, to float64) {
	from = max(from, s.open[i])
	if to > from {
		s.c[count] += to - from
		s.open[i] = to
	}
}

func (s *sim) push(e event) {
	h := append(s.heap, e)
	i := len(h) - 1
	for i > 0 {
		p := (i - 1) / 2
		if h[p].at < h[i].at || h[p].at == h[i].at && h[p].wave <= h[i].wave {
			break
		}
		h[p], h[i] = h[i], h[p]
		i = p
	}
	s.heap = h
}

func (s *sim) pop() event {
	h := s.heap
	top := h[0]
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	less := func(a, b int) bool { return h[a].at < h[b].at || h[a].at == h[b].at && h[a].wave < h[b].wave }
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && less(c+1, c) {
			c++
		}
		if !less(c, i) {
			break
		}
		h[c], h[i] = h[i], h[c]
		i = c
	}
	s.heap = h
	return top
}

// count rounds a number of lines up or down by chance.
func (w *wave) count(x float64, salt uint32) float64 {
	f := math.Floor(x)
	if w.chance(salt) < x-f {
		f++
	}
	return f
}
