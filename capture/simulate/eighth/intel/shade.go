package intel

import "astrolabe/capture/simulate"

// Kinds of events of a batch of threads, or of an item of a draw.
const (
	evFetch  = iota // an item can be fetched
	evVertex        // its vertices are there
	evReady         // its pixel threads can be dispatched
	evNext          // a batch goes on with its program
	evSend          // its instructions are executed and it sends a message
	evCache         // the message asks L3
	evMemory        // and memory
	evWrite         // what a fixed function reads or writes reaches memory
)

type event struct {
	t     float64
	kind  uint8
	of    uint8 // flow
	id    int32 // item, batch, or tally of the fixed function
	lines float32
	node  int32
}

// server serves one after the other: when it is free, what made that so, and up to when waiting for it is counted.
type server struct {
	free   float64
	node   int32
	began  float64 // of its work without a pause
	waited float64
}

// flow is a pass while it is simulated.
type flow struct {
	p                                     *pass
	items                                 int
	fetched, entered, ready, started, out int // items that have come so far
	vertexDue, due                        float64
	shaded                                []bool
	held                                  float64 // since when the next item waits to enter the fixed functions, -1 if not
	residents                             [8]int
}

// batch is a thread in each EU of a cluster.
type batch struct {
	of, stage, cluster uint8
	op                 int
	item               int32
	varies, misses     float64 // misses is the share of its threads that wait for memory
	node               int32
}

// shader simulates batches of threads in the EUs, and what stands before and behind them. Times are clocks.
type shader struct {
	m       *machine
	ease    *[gpuCauses]float64
	clock   float64 // Hz
	path    simulate.Path
	heap    []event
	flows   []flow
	batches []batch
	queue   []batch // of vertices, that wait for a slot
	pipe    [8][2]server
	send    [8]server
	station [opStore + 1][8]server
	bank    [8]server
	front   [earlyDepth + 1]server
	color   server
	bus     server
	cluster [8]struct {
		held  int
		since float64
	}
	waiting [3]float64 // since when threads of pixels, vertices and compute wait for a slot; -1 if none do
	last    float64
	node    int32
	tally   [tallies]float64
}

// Lengths of queues: in clocks of what they stand before, and in items.
const (
	sendQueue   = 96  // messages before samplers and data ports
	cacheQueue  = 64  // requests before a bank of L3
	memoryQueue = 120 // lines before memory
	ahead       = 6   // items that are fetched before the fixed functions take them
	buffered    = 5   // items between the clipper and the EUs
	mark        = 16  // parts of a clock that the path counts in
)

func (s *shader) reset(m *machine, ease *[gpuCauses]float64, share float64, keep bool) {
	*s = shader{m: m, ease: ease, clock: m.hz * share, path: s.path, heap: s.heap[:0], flows: s.flows[:0],
		batches: s.batches[:0], queue: s.queue[:0], waiting: [3]float64{-1, -1, -1}}
	s.path.Keep = keep
	s.path.Begin(launch)
}

func (s *shader) at(t float64, cause int, of uint8, prev int32) int32 {
	if !s.path.Keep {
		return 0
	}
	return s.path.At(int64(t*mark), uint8(cause), of, prev)
}

func (s *shader) push(e event) {
	s.heap = append(s.heap, e)
	h := s.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].t <= h[i].t {
			return
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
}

func (s *shader) pop() event {
	h := s.heap
	top, n := h[0], len(h)-1
	h[0] = h[n]
	s.heap = h[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			return top
		}
		if c+1 < n && h[c+1].t < h[c].t {
			c++
		}
		if h[i].t <= h[c].t {
			return top
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// serve lets a server take for some clocks what arrives at t, and says when that began and ended, and the event.
func (s *shader) serve(v *server, t float64, n int32, clocks float64, cause int, of uint8) (begin, end float64, node int32) {
	begin = t
	if v.free > t {
		begin, n = v.free, v.node
	} else {
		v.began = t
	}
	end = begin + clocks/s.ease[cause]
	v.free, v.node = end, s.at(end, cause, of, n)
	return begin, end, v.node
}

// hold keeps a server from taking anything before t, because what follows it is full. It returns for how long.
func (v *server) hold(t float64, node int32) float64 {
	if t <= v.free {
		return 0
	}
	by := t - v.free
	v.free, v.node = t, node
	return by
}

// waits is the part of a stretch in which nothing was known to wait for the server.
func (v *server) waits(from, to float64) float64 {
	from = max(from, v.waited)
	if to <= from {
		return 0
	}
	v.waited = to
	return to - from
}

// varies is a number from 0 to 1 of a batch's own, the same in every simulation.
func varies(id int32, salt uint32) float64 {
	x := uint32(id)*2654435761 ^ (salt+1)*0x9E3779B9
	x ^= x >> 15
	x *= 0x2C1B3C6D
	x ^= x >> 12
	x *= 0x297A2D39
	x ^= x >> 15
	return float64(x>>8) / (1 << 24)
}

// add starts a pass with so many items.
func (s *shader) add(p *pass, items int) {
	of := uint8(len(s.flows))
	s.flows = append(s.flows, flow{p: p, items: items, shaded: make([]bool, items), held: -1})
	if p.compute {
		s.flows[of].ready = items
		return
	}
	for i := range min(ahead, items) {
		s.flows[of].fetched++
		s.push(event{kind: evFetch, of: of, id: int32(i)})
	}
}

// run simulates until nothing is left. look is called after each event; it stops the simulation by returning true.
func (s *shader) run(look func() bool) {
	s.fill(0, 0)
	for len(s.heap) > 0 {
		e := s.pop()
		if e.t > s.last {
			s.last, s.node = e.t, e.node
		}
		s.handle(e)
		if look() {
			return
		}
	}
	for _, v := range []*server{&s.bus, &s.color} { // writes that no thread waits for
		if v.free > s.last {
			s.last, s.node = v.free, v.node
		}
	}
}

func (s *shader) handle(e event) {
	f := &s.flows[e.of]
	p, m := f.p, s.m
	switch e.kind {
	case evFetch:
		v := &s.front[vertexFetch]
		begin, end, n := s.serve(v, e.t, e.node, p.vertices*p.attributes/m.fetch, vertexFetch, e.of)
		s.tally[tBusy+vertexFetch] += end - begin
		s.tally[tWait+vertexFetch] += v.waits(e.t, begin)
		s.tally[tVertices] += p.vertices
		s.tally[tTriangles] += p.triangles
		s.tally[tCulled] += p.triangles - p.setUp
		s.push(event{end, evVertex, e.of, e.id, 0, n})
		s.push(event{end, evWrite, e.of, tVertexLines, float32(p.vertexLines), n})
	case evVertex:
		if f.vertexDue += p.vertexBatches; f.vertexDue >= 1 {
			f.vertexDue--
			s.queue = append(s.queue, batch{of: e.of, stage: vs, item: e.id, node: e.node})
			s.fill(e.t, e.node)
			return
		}
		f.shaded[e.id] = true
		s.enter(f, e.of, e.t, e.node)
	case evReady:
		f.ready++
		s.fill(e.t, e.node)
	case evNext:
		s.next(e)
	case evSend:
		s.message(e)
	case evCache:
		s.ask(e)
	case evMemory:
		_, n := s.memory(e.t, e.node, float64(e.lines), e.of)
		s.tally[tReadLines] += float64(e.lines)
		// A batch goes on when its threads do in the mean.
		end := e.t + s.batches[e.id].misses*(s.bus.free-e.t+m.ns*1e-9*s.clock/s.ease[latency])
		if s.bus.free > end {
			n = e.node
		}
		s.push(event{end, evNext, e.of, e.id, 0, s.at(end, latency, e.of, n)})
	case evWrite:
		over, n := s.memory(e.t, e.node, float64(e.lines), e.of)
		s.tally[e.id] += float64(e.lines)
		v, to := &s.color, tWriteLines
		switch e.id {
		case tVertexLines:
			v, to = &s.front[vertexFetch], tReadLines
		case tDepthRead:
			v, to = &s.front[earlyDepth], tReadLines
		case tDepthWrite:
			v = &s.front[earlyDepth]
		case tColorRead:
			to = tReadLines
		case tStoreLines:
			v = &s.station[opStore][0] // any port: what follows them all is full
		}
		s.tally[to] += float64(e.lines)
		v.hold(e.t+over, n)
	}
}

// enter lets items whose vertices are shaded into the fixed functions, in order.
func (s *shader) enter(f *flow, of uint8, t float64, n int32) {
	p, m := f.p, s.m
	for f.entered < f.items && f.shaded[f.entered] {
		if f.entered-f.started >= buffered {
			if f.held < 0 {
				f.held = t
			}
			return
		}
		if f.held >= 0 {
			s.tally[tFixedHeld] += t - f.held
			f.held = -1
		}
		f.entered++
		at, node := t, n
		for i, clocks := range [...]float64{0: p.triangles / m.clip, setup - clipper: p.setUp / m.prim,
			rasterizer - clipper: (p.quads-0.75*p.hizFails)/m.raster + p.setUp*0.25, hierarchicalDepth - clipper: p.depthQuads / m.hiz,
			earlyDepth - clipper: p.earlyQuads * p.tests / m.early} {
			if clocks == 0 {
				continue
			}
			cause := clipper + i
			v := &s.front[cause]
			begin, end, node2 := s.serve(v, at, node, clocks, cause, of)
			s.tally[tBusy+cause] += end - begin
			s.tally[tWait+cause] += v.waits(at, begin)
			at, node = end, node2
		}
		if p.depthLines > 0 {
			s.push(event{at, evWrite, of, tDepthRead, float32(p.depthLines * 0.5), node})
			s.push(event{at, evWrite, of, tDepthWrite, float32(p.depthLines * 0.5), node})
		}
		s.tally[tQuads] += p.quads
		s.tally[tHizFails] += p.hizFails
		s.tally[tEarlyFails] += p.earlyFails
		s.push(event{at, evReady, of, 0, 0, node})
		if f.fetched < f.items {
			s.push(event{t, evFetch, of, int32(f.fetched), 0, n})
			f.fetched++
		}
	}
}

// memory moves lines, and says for how long what sends more has to wait for room, and the event.
func (s *shader) memory(t float64, n int32, lines float64, of uint8) (over float64, node int32) {
	per := max(64/s.m.bytes*s.clock, 1/s.m.ring)
	begin, end, node := s.serve(&s.bus, t, n, lines*per, bandwidth, of)
	s.tally[tBus] += end - begin
	if over = s.bus.free - memoryQueue*per/s.ease[bandwidth] - t; over > 0 {
		s.tally[tFull] += s.bus.waits(t, t+over)
	}
	return max(0, over), node
}
