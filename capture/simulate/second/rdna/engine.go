package rdna

import "math"

// leaf is what can limit a kernel.
type leaf uint8

const (
	leafArithmetic leaf = iota
	leafLoadStore
	leafLocal
	leafLaunch
	leafBandwidth
	leafCache
	leafLatency
	leafOverhead
	leaves
)

const (
	chunk      = 96.0    // cycles that a wave keeps a SIMD or LDS before another's turn, or a quarter of a long batch
	queueDepth = 48.0    // cycles of work before a texture addresser or LDS that block the issue
	bursts     = 1200.0  // cycles by which WGPs are out of step
	absorb     = 700.0   // cycles of writes to memory that GL2 holds before it takes no more
	mostEvents = 14000.0 // after which the rest of a grid is taken to go on as before
)

// node is a stretch of a unit's time, and what it had to wait for.
type node struct {
	start, end float64
	before     int32
	of         leaf
}

// server does one thing after the other.
type server struct {
	free float64
	last int32
	busy float64
	of   leaf

	credit float64 // cycles of work that it can catch up with
	alone  float64 // time of work for which it has nothing else to do
}

type wave struct {
	group   *group
	simd    int
	section int // before, loop, after
	pc      int
	iter    int
	iters   int
	left    float64 // of a batch that is done in parts
	at      float64
	last    int32
	start   float64

	vm     [8]float64 // when the latest batches of loads are there
	vmNode [8]int32
	issued int
	lds    float64
	ldsAt  int32
}

type group struct {
	waves   int
	done    int
	arrived int
	waiting []*wave
}

// outcome is what a run of a kernel found. Sums are of the whole chip, times in cycles.
type outcome struct {
	total  float64 // from the packet to the signal
	shader float64 // with waves
	active float64 // WGPs that had any

	waveCycles, waitAny, waitCount, waitBarrier, waitIssue, waitLDS float64

	taBusy, taStalled, ldsBusy                                      float64 // cycles of all units of the kind
	gl0, gl0Misses, gl0Reads, gl0ReadMisses                         float64 // requests of 64 bytes
	gl1Reads, gl1Writes                                             float64 // of 64 or, where wide, 128 bytes
	gl2Reads, gl2ReadsWide, gl2ReadMisses, gl2ReadMissesWide        float64
	gl2Writes, gl2WriteMisses, gl2Partial, gl2Atomics, atomicMisses float64
	memWrites, memPartial                                           float64
	readLatency, writeLatency                                       float64

	// shares of time in which a server that all WGPs have in common was busy
	gl2Load, readLoad, writeLoad, dramLoad float64

	shares [leaves]float64 // cycles of total
}

type engine struct {
	m *machine
	k *kernel
	r relief

	nodes   []node
	record  bool
	events  queue
	active  float64
	simd    [simdsPerWGP]server
	lds, ta [2]server // of each CU
	gl2     server
	read    server // the fabric's two directions
	write   server
	dram    server
	spi     server

	ring    [2][]float64 // when the latest requests of each L0 are answered
	ringAt  [2]int
	ringOf  [2][]int32
	dithers [][4]float64 // by batch of the program
	out     outcome
	groups  int // launched
	toRun   int
	held    int
	next    int
	ends    []float64 // of groups
	lastEnd float64
	lastOf  int32
}

// execute runs a kernel. With record it finds out what set the pace as well.
func execute(m *machine, k *kernel, r relief, record bool) outcome {
	e := &engine{m: m, k: k, r: r, record: record, lastOf: -1}
	wgps := float64(m.wgps())
	e.active = math.Min(wgps, float64(k.groups))
	all := int(math.Ceil(float64(k.groups) / e.active)) // of the WGP that has most
	e.toRun = min(all, max(int(mostEvents/k.events()), k.resident()*7/2+2))
	e.init()
	for e.held < k.resident() && e.groups < e.toRun {
		e.launch(0, -1)
	}
	for len(e.events) > 0 {
		w := e.events.pop()
		e.step(w)
	}
	rest := float64(all-e.toRun) * e.pace()
	e.out.shader = e.lastEnd + rest
	e.out.total = e.out.shader + (m.begin+m.end)*r.overhead
	e.out.active = e.active
	e.scale(float64(k.groups) / float64(e.toRun))
	if record {
		e.walk(rest)
	}
	return e.out
}

// pace is the time per workgroup in the middle of the run, where neither begin nor end matter: that between workgroups
// that are whole rounds apart, because those that began together end together.
func (e *engine) pace() float64 {
	n, round := len(e.ends), e.k.resident()
	apart := n / 2 / round * round
	if apart == 0 {
		return e.lastEnd / float64(n)
	}
	sum, count := 0.0, 0
	for i := round / 4; i+apart < n-round/4; i++ {
		sum += (e.ends[i+apart] - e.ends[i]) / float64(apart)
		count++
	}
	busy := 0.0 // nothing is faster than the unit that has most to do
	for _, s := range []*server{&e.simd[0], &e.simd[1], &e.simd[2], &e.simd[3], &e.lds[0], &e.lds[1], &e.ta[0],
		&e.ta[1],
		&e.gl2, &e.read, &e.write, &e.dram, &e.spi} {
		busy = math.Max(busy, s.busy)
	}
	return math.Max(sum/float64(count), busy/float64(n))
}

func (e *engine) init() {
	e.dithers = make([][4]float64, len(e.k.before)+len(e.k.loop)+len(e.k.after))
	own := func(of leaf) server { return server{of: of, last: -1, alone: 1} }
	shared := func(of leaf, credit float64) server {
		return server{of: of, last: -1, alone: 1 / e.active, credit: credit * (1 - 1/e.active)}
	}
	for i := range e.simd {
		e.simd[i] = own(leafArithmetic)
	}
	for i := range e.lds {
		e.lds[i], e.ta[i] = own(leafLocal), own(leafLoadStore)
		e.ring[i] = make([]float64, e.m.inFlight)
		e.ringOf[i] = make([]int32, e.m.inFlight)
		for j := range e.ringOf[i] {
			e.ringOf[i][j] = -1
		}
	}
	e.gl2 = shared(leafCache, bursts)
	e.read, e.write, e.dram = shared(leafBandwidth, bursts), shared(leafBandwidth, bursts), shared(leafBandwidth,
		bursts)
	e.spi = shared(leafLaunch, bursts/4)
}

// serve takes cycles of a server from when the work arrives, and returns when it ends. What all WGPs share serves a
// burst of one faster than its share, as long as it had little to do before: the others have theirs at other times.
func (e *engine) serve(s *server, arrives, cycles float64, before int32) (end float64, at int32) {
	start, from := arrives, math.Max(s.free, arrives-s.credit)
	s.free, s.busy = from+cycles, s.busy+cycles
	if from > arrives {
		start, before = from, s.last
	}
	end = math.Max(s.free, arrives+cycles*s.alone)
	at = e.node(start, end, before, s.of)
	s.last = at
	return end, at
}

func (e *engine) node(start, end float64, before int32, of leaf) int32 {
	if !e.record {
		return -1
	}
	e.nodes = append(e.nodes, node{start, end, before, of})
	return int32(len(e.nodes) - 1)
}

// launch starts the next workgroup, which has room from then on.
func (e *engine) launch(from float64, before int32) {
	e.groups++
	e.held++
	k := e.k
	perCycle := e.m.launch * e.r.launch / e.active
	g := &group{waves: k.waves}
	iters := k.itersOf(e.groups, 0)
	for i := range k.waves {
		cost := k.perWave / perCycle
		if i == 0 {
			cost += k.firstCost / perCycle
		}
		end, at := e.serve(&e.spi, from+30, cost, before)
		w := &wave{group: g, simd: e.next % simdsPerWGP, at: end, start: end, last: at, ldsAt: -1}
		for j := range w.vmNode {
			w.vmNode[j] = -1
		}
		w.left, w.iters = -1, iters
		if !k.meets {
			w.iters = k.itersOf(e.groups, i)
		}
		e.next++
		e.events.push(w)
	}
}

// program is the batch that a wave is at, nil behind the last.
func (e *engine) program(w *wave) *op {
	for {
		switch w.section {
		case 0:
			if w.pc < len(e.k.before) {
				return &e.k.before[w.pc]
			}
		case 1:
			if w.iter < w.iters && len(e.k.loop) > 0 {
				if w.pc < len(e.k.loop) {
					return &e.k.loop[w.pc]
				}
				w.pc = 0
				w.iter++
				continue
			}
		case 2:
			if w.pc < len(e.k.after) {
				return &e.k.after[w.pc]
			}
		default:
			return nil
		}
		w.section, w.pc = w.section+1, 0
	}
}

// step lets a wave issue its next batch, or a part of it.
func (e *engine) step(w *wave) {
	o := e.program(w)
	if o == nil {
		e.finish(w)
		return
	}
	switch o.kind {
	case opVALU:
		if !e.arithmetic(w, o) {
			e.events.push(w)
			return
		}
	case opSALU:
		w.at += o.n
	case opSMEM:
		lat := e.m.latency.scalar * e.r.latency
		e.waits(w, w.at+o.n+lat, e.node(w.at, w.at+o.n+lat, w.last, leafLatency), &e.out.waitCount)
	case opLDS:
		if !e.local(w, o) {
			e.events.push(w)
			return
		}
	case opLoad, opStore, opAtomic:
		e.memory(w, o)
	case opWait:
		if i := w.issued - 1 - o.keep; i >= 0 {
			e.waits(w, w.vm[i%len(w.vm)], w.vmNode[i%len(w.vm)], &e.out.waitCount)
		}
	case opWaitLDS:
		e.waits(w, w.lds, w.ldsAt, &e.out.waitCount)
	case opBarrier:
		w.pc++
		e.meet(w)
		return
	}
	w.pc++
	w.left = -1
	e.events.push(w)
}

// waits holds a wave until a time that lies ahead.
func (e *engine) waits(w *wave, until float64, of int32, count *float64) {
	if until <= w.at {
		return
	}
	*count += until - w.at
	e.out.waitAny += until - w.at
	w.at, w.last = until, of
}

// arithmetic does a part of a batch; done says whether it was the last.
func (e *engine) arithmetic(w *wave, o *op) (done bool) {
	if w.left < 0 {
		w.left = o.n
	}
	n := math.Min(w.left, o.part())
	w.left -= n
	cycles := n * o.cost / (e.m.simd * e.r.arithmetic)
	end, at := e.serve(&e.simd[w.simd], w.at, cycles, w.last)
	start := end - cycles
	e.out.waitIssue += start - w.at
	w.last = at
	w.at = math.Max(end, start+n*o.chain/e.m.simd)
	e.out.waitAny += w.at - end
	return w.left <= 0
}

func (e *engine) local(w *wave, o *op) (done bool) {
	if w.left < 0 {
		w.left = o.n
	}
	s := &e.lds[w.simd/2]
	if s.free-queueDepth > w.at {
		wait := s.free - queueDepth - w.at
		e.out.waitIssue += wait
		e.out.waitLDS += wait
		w.at, w.last = w.at+wait, s.last
	}
	n := math.Min(w.left, o.part())
	w.left -= n
	end, at := e.serve(s, w.at, n*o.cost/(e.m.lds*e.r.local), w.last)
	w.lds, w.ldsAt = end+e.m.latency.lds, at
	w.at += n
	return w.left <= 0
}

// meet holds a wave until all of its workgroup are there.
func (e *engine) meet(w *wave) {
	g := w.group
	g.arrived++
	if g.arrived < g.waves {
		g.waiting = append(g.waiting, w)
		return
	}
	for _, o := range g.waiting {
		e.waits(o, w.at+6, w.last, &e.out.waitBarrier)
		e.events.push(o)
	}
	w.at += 6
	g.waiting, g.arrived = g.waiting[:0], 0
	e.events.push(w)
}

func (e *engine) finish(w *wave) {
	e.out.waveCycles += w.at - w.start
	w.group.done++
	if w.at > e.lastEnd {
		e.lastEnd, e.lastOf = w.at, w.last
	}
	if w.group.done < w.group.waves {
		return
	}
	e.held--
	e.ends = append(e.ends, w.at)
	if e.groups < e.toRun {
		e.launch(w.at, w.last)
	}
}
