package rdna

import (
	"math"
	"sync"
)

// cause is what an interval of the critical path was spent on.
type cause uint8

const (
	byOverhead cause = iota
	byLaunch
	byArithmetic
	byLoadStore
	byLDS
	byCache
	byBandwidth
	byLatency
	causes
)

// segment is an interval in which a resource worked or a latency passed. It began when pred ended.
type segment struct {
	from, to float64
	pred     int32
	cause    cause
}

// server is a resource that serves one request after the other.
type server struct {
	free float64
	last int32
}

// flight is a group of lines under way between GL0 and the levels below.
type flight struct {
	done  float64
	lines float64
	seg   int32
}

// wave is a wave on its way through the program.
type wave struct {
	at      float64
	seg     int32 // what ended at that time
	pc      int
	iter    int
	group   int32
	id      uint64
	simd    uint8
	launch  float64
	chunk   int
	pending [maxPending]flight // loads that nobody has waited for yet, oldest first
	asked   int
	issued  int32 // what the address unit does for the operation that the wave is at; 0 is nothing
}

// maxPending is more than any kernel asks for ahead.
const maxPending = 12

// workgroup is a work-group that is resident.
type workgroup struct {
	left, arrived int
	waiting       []*wave
}

// waveHeap has the wave first that goes on first.
type waveHeap []*wave

func (h waveHeap) less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].seg < h[j].seg
}

func (h *waveHeap) push(w *wave) {
	*h = append(*h, w)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s.less(i, up) {
			return
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

// sink puts the first wave where it belongs.
func (h waveHeap) sink() {
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(h) {
			return
		}
		if down+1 < len(h) && h.less(down+1, down) {
			down++
		}
		if !h.less(down, i) {
			return
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}

func (h *waveHeap) drop() {
	s := *h
	s[0] = s[len(s)-1]
	*h = s[:len(s)-1]
	h.sink()
}

// cover is the time in which at least one of some intervals lasts, which come in about the order of their beginning.
type cover struct{ sum, end float64 }

func (c *cover) add(from, to float64) {
	if to > c.end {
		c.sum += to - max(from, c.end)
		c.end = to
	}
}

// result is what a dispatch did. Times are cycles of the shader clock; sums of waves are of the whole GPU.
type result struct {
	total, busy float64 // with the start and end of the kernel, and with waves only
	shares      [causes]float64

	waveCycles, waitCnt, waitBarrier, waitInst, waitLDS float64

	latency            float64 // of a read as GL1 sees it, mean
	vmem, below        float64 // cycles with anything under way from a processor's address units, and below its GL0
	inFlight           float64 // requests below GL0, mean
	gl2Queue, memQueue float64 // cycles in which requests queued
	taQueue, dataQueue float64 // the same before GL0, and lines that found no place
}

// engine runs one dispatch on one work-group processor.
type engine struct {
	k    *kernel
	m    *machine
	seed uint64
	// loads of an iteration
	loads int

	segs   []segment
	launch server
	simd   [4]server
	ta     [2]server
	lds    [2]server
	sqc    server
	gl2    server
	fabric server
	dram   server
	air    []flight
	lines  float64 // under way
	gate   flight  // what the load waited for that was let in last

	groups  []workgroup
	waves   waveHeap
	started int
	ends    []float64 // of work-groups, in order
	endSegs []int32

	active                               float64
	waveCycles, cnt, barrier, inst, ldsQ float64
	vmem, below, qGL2, qMem              cover
	qTA, qData                           cover
	latency, reads, inFlight             float64
}

// draw is a number in [0, 1) that a wave has for one of its operations, in whatever order waves come to theirs: relief
// must not change it.
func (e *engine) draw(w *wave) float64 {
	x := (e.seed<<40 ^ w.id<<16 ^ uint64(w.iter)<<6 ^ uint64(w.pc)) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}

func (e *engine) add(c cause, from, to float64, pred int32) int32 {
	e.segs = append(e.segs, segment{from, to, pred, c})
	return int32(len(e.segs) - 1)
}

// serve lets a server work for some cycles from at on, or when it is free.
func (e *engine) serve(s *server, c cause, at, cycles float64, pred int32) (start float64, seg int32) {
	if cycles <= 0 {
		return at, pred
	}
	start = at
	if s.free > at {
		start, pred = s.free, s.last
	}
	seg = e.add(c, start, start+cycles, pred)
	s.free, s.last = start+cycles, seg
	return start, seg
}

// buffers keep the segments of engines that are done.
var buffers = sync.Pool{New: func() any { return new([]segment) }}

// run simulates a dispatch.
func run(k *kernel, m *machine, seed uint64) *result {
	e := &engine{k: k, m: m, seed: seed, loads: k.loads()}
	segs := buffers.Get().(*[]segment)
	e.segs = (*segs)[:0]
	defer func() {
		*segs = e.segs
		buffers.Put(segs)
	}()
	e.active = math.Min(processors, float64(k.groups))
	perUnit := int(math.Ceil(float64(k.groups) / processors))
	slots := k.slots()
	sim := min(perUnit, k.rounds(slots)*slots)
	fixed := e.m.startNs * e.m.clock
	begin := e.add(byOverhead, 0, fixed, -1)
	e.launch.free, e.launch.last = fixed, begin
	for range min(slots, sim) {
		e.start(fixed, begin)
	}
	for len(e.waves) > 0 {
		w := e.waves[0]
		e.waves.drop()
		// It goes on for as long as it is the first.
		s := e.step(w)
		for s == ready && (len(e.waves) == 0 || w.at < e.waves[0].at) {
			s = e.step(w)
		}
		switch s {
		case ready:
			e.waves.push(w)
		case ended:
			e.finish(w, sim)
		}
	}
	return e.result(perUnit, sim, min(slots, sim), fixed)
}

// start launches the waves of a work-group, one after the other.
func (e *engine) start(at float64, pred int32) {
	g := int32(len(e.groups))
	e.groups = append(e.groups, workgroup{left: e.k.wavesPerGroup()})
	e.started++
	cost := e.m.launchCycles * e.k.launchCost * e.active
	for i := range e.k.wavesPerGroup() {
		c := cost
		if i == 0 {
			c += e.m.groupCycles * e.active * e.m.launchCycles
		}
		_, seg := e.serve(&e.launch, byLaunch, at, c, pred)
		from := e.segs[seg].to
		seg = e.add(byLaunch, from, from+e.m.wakeCycles, seg) // registers are set up, and the first instructions come
		e.waves.push(&wave{at: from + e.m.wakeCycles, seg: seg, group: g, id: uint64(g)<<8 | uint64(i), simd: uint8((e.started*e.k.wavesPerGroup() + i) % simds),
			launch: from})
	}
}

// finish ends a wave, and starts another work-group where it was the last of its own.
func (e *engine) finish(w *wave, sim int) {
	e.waveCycles += w.at - w.launch
	g := &e.groups[w.group]
	if g.left--; g.left > 0 {
		return
	}
	e.ends = append(e.ends, w.at)
	e.endSegs = append(e.endSegs, w.seg)
	if e.started < sim {
		e.start(w.at, w.seg)
	}
}

// round is when the work-groups of a round ended, on average.
func (e *engine) round(i, slots int) float64 {
	sum := 0.0
	for _, t := range e.ends[i*slots : (i+1)*slots] {
		sum += t
	}
	return sum / float64(slots)
}

// result adds up what happened, and goes on with the steady state for the work-groups that were not simulated.
func (e *engine) result(perUnit, sim, slots int, fixed float64) *result {
	last := 0
	for i, t := range e.ends {
		if t > e.ends[last] {
			last = i
		}
	}
	end := e.ends[last]
	// The steady state: rounds of work-groups between the first and the last one. Rounds are compared by their mean, for
	// work-groups of a round may end together or one after the other.
	from, to, more := 0.0, 0.0, 0.0
	if perUnit > sim {
		rounds := sim / slots
		a, b := 1, rounds-2
		from, to = e.round(a, slots), e.round(b, slots)
		more = float64(perUnit-sim) / float64((b-a)*slots)
	}
	r := &result{}
	for s := e.endSegs[last]; s >= 0; s = e.segs[s].pred {
		g := &e.segs[s]
		r.shares[g.cause] += g.to - g.from
		if in := min(g.to, to) - max(g.from, from); in > 0 {
			r.shares[g.cause] += in * more
		}
	}
	tail := e.m.endNs * e.m.clock
	r.shares[byOverhead] += tail
	r.busy = end + more*(to-from) - fixed
	r.total = r.busy + fixed + tail
	// Sums of what was simulated stand for all the waves, and shares of time for all the time.
	scale := float64(e.k.groups) / float64(sim)
	r.waveCycles, r.waitCnt = e.waveCycles*scale, e.cnt*scale
	r.waitBarrier, r.waitInst, r.waitLDS = e.barrier*scale, e.inst*scale, e.ldsQ*scale
	r.latency = e.m.l2Cycles
	if e.reads > 0 {
		r.latency = e.latency / e.reads
	}
	stretch := r.busy / (end - fixed)
	r.inFlight = e.inFlight * e.active / (end - fixed)
	for _, c := range []struct {
		of *cover
		to *float64
	}{{&e.vmem, &r.vmem}, {&e.below, &r.below}, {&e.qGL2, &r.gl2Queue}, {&e.qMem, &r.memQueue},
		{&e.qTA, &r.taQueue}, {&e.qData, &r.dataQueue}} {
		*c.to = min(c.of.sum*stretch, r.busy)
	}
	return r
}
