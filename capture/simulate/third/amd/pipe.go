package amd

import "math"

// shader is what one stage of a draw, or a dispatch, does per wave of 32 threads.
type shader struct {
	waves   float64
	lanes   float64 // share of the lanes that work
	valu    float64 // instructions
	slow    float64 // share of them at a quarter of the rate, such as roots
	salu    float64
	smem    float64
	tex     float64 // instructions that filter
	filter  float64 // cycles per quad: 1 bilinear, 2 trilinear, more with anisotropy or rays
	loads   float64 // instructions
	stores  float64
	spread  float64 // cycles per load or store: 1 where neighbours lie side by side, up to 32
	lds     float64 // instructions
	banks   float64 // cycles that each takes, 1 without conflicts
	lines   float64 // lines of 128 bytes that a filter, load or store touches
	hit     [4]float64
	rounds  int     // dependent accesses, one after the other
	chain   float64 // cycles that an instruction takes a wave that is alone
	slots   float64 // waves per SIMD that registers and local memory leave room for
	group   float64 // waves per group, of dispatches
	rayTest float64 // tests per filter that are ray tests instead
}

// work is a draw or a dispatch, or a row of draws that were measured as one.
type work struct {
	name     string
	kind     int // content, for the truth of each
	compute  bool
	vertices float64 // fetched by index
	input    float64 // primitives
	culled   float64 // share of them
	clipped  float64
	vs, ps   shader  // ps is the dispatch's where compute is set
	covered  float64 // pixels of the surviving primitives
	samples  float64 // per pixel
	hiz      float64 // share that tiles reject
	earlyZ   float64 // share of the rest that fails early
	late     bool    // depth is tested after the shader
	lateFail float64
	depthOn  bool
	depthOut bool
	colours  float64 // bytes per pixel written
	blend    bool
	packing  float64 // colour compression: share of the bytes that reaches memory
	starts   float64 // draws in it
	rolls    float64 // of them with new state that drains first
	uneven   float64 // how unequal pieces are
	flows    bool    // nothing waits before and after it, as counters of single draws make it
	salt     uint64  // draws the pieces
}

type node struct {
	end   float64
	pred  int32
	label uint8
}

// outcome is what a run of one work did. Times are in ns.
type outcome struct {
	time   float64
	begin  float64 // when the first piece started
	busy   [servers]float64
	split  [2]float64 // of the address unit: filters, loads and stores
	paced  [labels]float64
	vs, ps union
	// waits
	paOnSC, taOnCache, psOnCB, onWrites union
	pieces                              int
	ldsWait                             float64 // ns of pieces, as long as those of one wave
	crowded                             float64 // ns in which a piece waited for room in the compute units

	traffic traffic
}

// pipe runs one work through the machine.
type pipe struct {
	p     *part
	clock float64 // GHz
	scale [labels]float64
	w     *work
	t     *traffic

	nodes  []node
	last   [servers]int32
	queue  events
	out    outcome
	n      int
	ahead  int  // pieces that geometry may be ahead of the rasterizer
	crowd  bool // what these export does not fit where it waits, so that their waves wait too
	slots  int  // pieces that fit into the compute units
	window int  // pieces with misses on their way
	weight []float64
	geo    []float64
	waitGE []event
	waitPS []event
	inGE   int
	inPS   int
	misses []int32 // the return of each access, in order
	widen  [2]float64
	fill   [2]float64
	delay  [2]float64 // ns that a round waits for memory
}

func (s *pipe) add(pred int32, duration float64, label int) int32 {
	s.nodes = append(s.nodes, node{s.nodes[pred].end + duration*s.scale[label], pred, uint8(label)})
	return int32(len(s.nodes) - 1)
}

// serve is a turn at a server: after whatever is later, what the piece did before or what the server did.
func (s *pipe) serve(server int, prev int32, duration float64, label int) int32 {
	if duration <= 0 {
		return prev
	}
	before := prev
	if l := s.last[server]; s.nodes[l].end > s.nodes[prev].end {
		before = l
	}
	n := s.add(before, duration, label)
	s.out.busy[server] += s.nodes[n].end - s.nodes[before].end
	s.last[server] = n
	return n
}

// later is the one of two that ends later.
func (s *pipe) later(a, b int32) int32 {
	if s.nodes[b].end > s.nodes[a].end {
		return b
	}
	return a
}

// run simulates the work. What a call draws depends on the work's salt alone, so that reliefs meet the same pieces.
func (s *pipe) run(p *part, clock float64, w *work, relief int) *outcome {
	*s = pipe{p: p, clock: clock, w: w, nodes: s.nodes[:0], queue: s.queue[:0], misses: s.misses[:0],
		weight: s.weight[:0], geo: s.geo[:0], waitGE: s.waitGE[:0], waitPS: s.waitPS[:0]}
	for i := range s.scale {
		s.scale[i] = 1
	}
	if relief >= 0 && relief < labels {
		s.scale[relief] = 1 / 1.5
	}
	s.out.traffic = trafficOf(p, w)
	s.t = &s.out.traffic
	s.cut()
	s.nodes = append(s.nodes, node{})
	// The command processor reads the packets and sets registers; work with new state waits until what came before it
	// has left its stages.
	before, after := 900.0, 700.0
	if w.flows { // what came before hides most of it
		before, after = 150, 250
	}
	start := s.add(0, before+260*w.starts+900*w.rolls, launch)
	s.out.begin, s.out.pieces = s.nodes[start].end, s.n
	for i := range s.n {
		s.enter(event{piece: int32(i), node: start})
	}
	for len(s.queue) > 0 {
		s.step(s.queue.pop())
	}
	end := start
	for _, l := range s.last {
		end = s.later(end, l)
	}
	for _, m := range s.misses {
		end = s.later(end, m)
	}
	// The end is known when the caches have written what they hold.
	end = s.add(end, after, launch)
	s.out.time = s.nodes[end].end
	for n := end; n > 0; n = s.nodes[n].pred {
		s.out.paced[s.nodes[n].label] += s.nodes[n].end - s.nodes[s.nodes[n].pred].end
	}
	return &s.out
}

// cut decides of how many pieces the work is, and how many are on their way at a time. Where the misses of few pieces are
// all that a cache can have, pieces are cut finer: else one would use memory and the next wait, and no memory would be full.
func (s *pipe) cut() {
	const finest = 4
	window := s.grain(1)
	if s.n > 1 && window < finest {
		window = s.grain(math.Ceil(min(12, finest/window)))
	}
	s.window = int(max(1, min(1000, math.Round(window))))
	w := s.w
	s.crowd = 32*w.vs.waves*float64(min(s.ahead, s.n))/float64(s.n) > exports
	sumW, sumG := 0.0, 0.0
	x := w.salt | 1
	draw := func() float64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		u := float64(x>>11) / (1 << 53)
		return math.Exp(w.uneven * (u + u*u - 1))
	}
	for range s.n {
		s.weight, s.geo = append(s.weight, draw()), append(s.geo, draw())
		sumW, sumG = sumW+s.weight[len(s.weight)-1], sumG+s.geo[len(s.geo)-1]
	}
	for i := range s.n {
		s.weight[i] /= sumW
		s.geo[i] /= sumG
	}
}

// grain cuts the work so many times finer than usual. It returns how many pieces can have misses on their way.
func (s *pipe) grain(fine float64) float64 {
	w := s.w
	simds := 2 * s.p.units
	most := max(w.ps.waves, w.vs.waves, 1)
	room := simds * max(1, w.ps.slots)
	pieces := 80 * fine
	s.n = int(max(1, min(pieces, most)))
	s.slots = int(max(1, min(float64(s.n), math.Round(float64(s.n)*room/max(1, w.ps.waves)))))
	// Where pieces are larger than what is there at a time, Little's law is kept with slower ones.
	if least := int(14 * fine); s.slots < least && s.n > least {
		s.slots = least
	}
	s.ahead = int(8 * fine)
	for k, sh := range []*shader{&w.vs, &w.ps} {
		s.delay[k] = s.wait(sh)
		s.fill[k] = min(1, max(1, sh.waves)/simds) // units that have a wave at all
		inFlight := min(sh.waves, simds*max(1, sh.slots))
		count := s.slots
		if k == 0 {
			count = s.ahead
		}
		s.widen[k] = max(1, sh.waves/float64(s.n)*float64(count)/max(1, inFlight))
	}
	// A compute unit's cache has 128 lines, or twice as many, and no more misses on their way. Fewer than 80 would not do,
	// by Little's law, for the rates of the second level that are measured.
	lines := w.ps.accesses() * w.ps.lines * (1 - w.ps.hit[0]) / float64(max(1, w.ps.rounds)) * w.ps.waves / float64(s.n)
	capacity := 128 * s.p.units * s.fill[1] * s.widen[1]
	return capacity / max(1e-6, lines)
}

func (h *shader) accesses() float64 { return h.tex + h.loads + h.stores }

// Steps of a piece.
const (
	stepGE   = 0
	stepVS   = 1 // rounds of the vertex shader in the low part
	stepPA   = 100
	stepSC   = 101
	stepDB   = 102
	stepSPI  = 103
	stepPS   = 200
	stepLate = 998
	stepOut  = 999
)

func (s *pipe) to(e event, n int32, step int) {
	s.queue.push(event{at: s.nodes[n].end, piece: e.piece, step: int16(step), node: n})
}

// enter starts a piece, or lets it wait for room.
func (s *pipe) enter(e event) {
	if s.w.compute {
		s.takeSlot(e)
		return
	}
	if s.inGE >= s.ahead {
		s.waitGE = append(s.waitGE, e)
		return
	}
	s.inGE++
	s.to(e, e.node, stepGE)
}

func (s *pipe) takeSlot(e event) {
	if s.inPS >= s.slots {
		s.waitPS = append(s.waitPS, e)
		return
	}
	s.inPS++
	s.to(e, e.node, stepSPI)
}

func (s *pipe) leaveGE(n int32) {
	s.inGE--
	if len(s.waitGE) > 0 {
		e := s.waitGE[0]
		s.waitGE = s.waitGE[1:]
		e.node = s.later(e.node, n)
		s.inGE++
		s.to(e, e.node, stepGE)
	}
}

func (s *pipe) leavePS(n int32) {
	s.inPS--
	if len(s.waitPS) > 0 {
		e := s.waitPS[0]
		s.waitPS = s.waitPS[1:]
		e.node = s.later(e.node, n)
		s.out.crowded = s.nodes[n].end - s.out.begin
		s.inPS++
		s.to(e, e.node, stepSPI)
	}
}

// step does what a piece is at.
func (s *pipe) step(e event) {
	w, c := s.w, s.clock
	g, px := s.geo[e.piece], s.weight[e.piece]
	now := s.nodes[e.node].end
	switch {
	case e.step == stepGE:
		n := s.serve(serveGE, e.node, w.vertices*g/(geRate*s.p.engines*c), vertexFetch)
		n = s.memory(n, s.t.index*g, s.t.index*g*0.6, s.t.index*g*0.5)
		s.to(e, n, stepVS)
	case e.step < stepPA:
		n := s.round(e.node, &w.vs, 0, g)
		s.out.vs.add(now, s.nodes[n].end)
		if int(e.step) < w.vs.rounds {
			s.to(e, n, int(e.step)+1)
		} else {
			s.to(e, n, stepPA)
		}
	case e.step == stepPA:
		per := w.culled*0.5 + (1-w.culled)*(1+3*w.clipped)
		n := s.serve(servePA, e.node, w.input*g*per/(s.p.engines*c), primitives)
		if s.crowd {
			s.out.vs.add(now, s.nodes[n].end)
		}
		s.to(e, n, stepSC)
	case e.step == stepSC:
		left := w.input * (1 - w.culled)
		pixels := 4 * w.quads() * (1 - 0.8*w.hiz)
		cost := (left*1.6*g + pixels*px/scPixels) / (s.p.engines * c)
		n := s.serve(serveSC, e.node, cost, rasterizer)
		waited := s.nodes[n].end - cost*s.scale[rasterizer]
		s.out.paOnSC.add(now, waited)
		if s.crowd {
			s.out.vs.add(now, waited)
		}
		s.leaveGE(n)
		if w.covered*w.samples == 0 {
			return
		}
		s.to(e, n, stepDB)
	case e.step == stepDB:
		n := e.node
		if w.depthOn && !w.late {
			n = s.depth(n, px)
		}
		if w.ps.waves == 0 && w.colours == 0 {
			return
		}
		e.node = n
		s.takeSlot(e)
	case e.step == stepSPI:
		n := s.serve(serveSPI, e.node, w.ps.waves*px/(spiWaves*s.p.engines*c), launch)
		s.to(e, n, stepPS)
	case e.step < stepLate:
		n := s.round(e.node, &w.ps, 1, px)
		s.out.ps.add(now, s.nodes[n].end)
		if round := int(e.step) - stepPS + 1; round < w.ps.rounds {
			s.to(e, n, int(e.step)+1)
		} else {
			s.to(e, n, stepLate)
		}
	case e.step == stepLate:
		if w.depthOn && w.late {
			e.node = s.depth(e.node, px)
		}
		s.to(e, e.node, stepOut)
	default:
		n := e.node
		if w.colours > 0 {
			cost := s.t.exported * px / (s.p.rops * c) * w.cbCost()
			n = s.serve(serveCB, n, cost, backend)
			s.out.psOnCB.add(now, s.nodes[n].end-cost*s.scale[backend])
			done := s.nodes[n].end
			b := s.t.colourRead + s.t.colourWrite
			own := s.alone(b*px, b*px*(1-s.t.outMall), b*px)
			m := s.memory(n, b*px, b*px*(1-s.t.outMall), b*px)
			s.out.onWrites.add(done+own, s.nodes[m].end)
			n = m
		}
		s.out.ps.add(now, s.nodes[n].end)
		s.leavePS(n)
	}
}

func (s *pipe) depth(n int32, px float64) int32 {
	w := s.w
	tested := w.covered * w.samples * (1 - w.hiz)
	if w.late {
		tested *= 1 - w.earlyZ
	}
	d := s.serve(serveDB, n, (tested+0.02*w.covered*w.hiz)*px/(2*s.p.rops*s.clock), depth)
	b := (s.t.depthRead + s.t.depthWrite) * px
	return s.memory(d, b, b*(1-s.t.outMall), b)
}

// memory is traffic through the second level: bytes there, of memory, and of the way to it.
func (s *pipe) memory(n int32, l2, dram, fabric float64) int32 {
	a, b, c := s.ways(l2, dram, fabric)
	n = s.serve(serveL2, n, a, cache)
	n = s.serve(serveFabric, n, b, bandwidth)
	return s.serve(serveDRAM, n, c, bandwidth)
}

// ways is how long traffic takes on each way, if it is alone there.
func (s *pipe) ways(l2, dram, fabric float64) (a, b, c float64) {
	if s.p.mall > 0 {
		b = fabric / (s.p.mall * 0.85)
	}
	return l2 / (s.p.l2 * s.clock * 0.8), b, dram / (s.p.dram * dramReach)
}

func (s *pipe) alone(l2, dram, fabric float64) float64 {
	a, b, c := s.ways(l2, dram, fabric)
	return a + b + c
}

// round is a stretch of a shader from one wait for memory to the next.
func (s *pipe) round(n int32, h *shader, stage int, share float64) int32 {
	if h.waves == 0 {
		return n
	}
	k := share * h.waves / float64(h.rounds) // waves times rounds
	c := s.clock
	units := s.p.units * s.fill[stage]
	from := n
	cost := h.valu * (1 + 3*h.slow)
	n = s.serve(serveVALU, n, k*cost/(2*units*c*valuReach), arithmetic)
	if alone := s.nodes[from].end + s.scale[arithmetic]*cost/float64(h.rounds)*h.chain/c*s.widen[stage]; alone > s.nodes[n].end {
		n = s.add(from, (alone-s.nodes[from].end)/s.scale[arithmetic], arithmetic)
	}
	mark := s.nodes[n].end
	n = s.serve(serveLDS, n, k*h.lds*h.banks/(units*c), localMemory)
	s.out.ldsWait += (s.nodes[n].end - mark) / s.widen[stage]
	a := h.accesses()
	if a == 0 {
		return n
	}
	// The address unit stalls where all misses that the cache can have are on their way.
	ask := s.nodes[n].end
	if j := len(s.misses) - s.window; stage == 1 && j >= 0 {
		n = s.later(n, s.misses[j])
	}
	if l := s.nodes[s.last[serveTA]].end; s.nodes[n].end > max(ask, l) {
		s.out.taOnCache.add(max(ask, l), s.nodes[n].end)
	}
	before := s.out.busy[serveTA]
	n = s.serve(serveTA, n, k*h.tex*8*h.filter/(units*c), texture)
	mid := s.out.busy[serveTA]
	n = s.serve(serveTA, n, k*(h.loads+h.stores)*h.spread/(units*c), loadStore)
	s.out.split[0] += mid - before
	s.out.split[1] += s.out.busy[serveTA] - mid
	t := &s.t.shader[stage]
	part := share / float64(h.rounds)
	n = s.serve(serveL1, n, t[1]*part*128/(2*s.p.engines*256*c*0.8), cache)
	mark = s.nodes[n].end
	n = s.memory(n, t[2]*part*128, t[4]*part*128, t[3]*part*128)
	if h.stores > 0 {
		own := s.alone(t[2]*part*128, t[4]*part*128, t[3]*part*128)
		s.out.onWrites.add(mark+own, s.nodes[n].end) // waiting for others is a stall, being written is none
	}
	n = s.add(n, s.delay[stage]*s.widen[stage], latency)
	if stage == 1 {
		s.misses = append(s.misses, n)
	}
	return n
}

// wait is how long a wave waits for what it asked for in a round: for the slowest of its lines.
func (s *pipe) wait(h *shader) float64 {
	n := max(1, h.accesses()*h.lines/float64(h.rounds))
	n = min(n, 32)
	t, reach := latencyL0*2.0/max(1, s.clock), 1.0
	for i, more := range []float64{latencyL1, latencyL2, latencyMall, latencyDRAM} {
		reach *= 1 - h.hit[i]
		if i == 2 && s.p.mall == 0 {
			more = 0 // memory is beyond the second level
		}
		t += more * (1 - math.Pow(1-reach, n))
	}
	return t
}
