package amd

import "astrolabe/capture/simulate"

// The servers of the pipe. Each serves packets in the order in which they come.
const (
	sGE = iota
	sPA
	sSC
	sDB
	sCB
	sALU
	sTA
	sLDS
	sL2
	sDRAM
	servers
)

// The pools: buffers and slots of which a packet must have one to go on, so that what is upstream stands still when
// they are all taken.
const (
	pVS    = iota // slots of vertex waves
	pParam        // room for what vertices export
	pSC           // between primitive assembly and the rasterizer
	pDB           // between the rasterizer and the depth blocks
	pPS           // slots of pixel waves, or of compute
	pCB           // between depth and colour blocks
	pMiss         // requests that the L0 caches have under way
	pools
)

type action uint8

const (
	serve action = iota
	wait
	take
	give
	begin // of a kind of waves, by pool
	end
	ask // something of memory
	answered
)

// step is one thing that a packet does.
type step struct {
	what   action
	at     int // server or pool
	c      cand
	ns     float64 // for a packet of mean weight
	shader bool    // which of the two weights it varies with
}

// op is a stretch of time that something waited for: it began when the one before it ended.
type op struct {
	c          cand
	start, end float64
	before     int32
}

// packets is the most that a pass is cut into.
const packets = 28

type pool struct {
	free    int
	waiting []int32
	since   float64
	stalled float64 // time in which some packet waited
}

type span struct {
	n     int
	since float64
	sum   float64
}

func (s *span) enter(t float64) {
	if s.n++; s.n == 1 {
		s.since = t
	}
}

func (s *span) leave(t float64) {
	if s.n--; s.n == 0 {
		s.sum += t - s.since
	}
}

// result is what a pass did, in ns.
type result struct {
	total   float64
	busy    [servers]float64
	queued  [servers]float64 // in which some packet waited for the server
	waited  [servers]float64 // by all packets together
	stalled [pools]float64
	waves   [2]float64 // in which there were waves of vertices, and of pixels or compute
	memory  float64    // in which something was asked of memory
	share   [ofDraws]float64
}

// pipe runs one pass. It is used again and again, to spare memory.
type pipe struct {
	ops   []op
	free  [servers]float64
	last  [servers]int32
	began [servers]float64 // when the last packet was served
	pools [pools]pool
	spans [3]span
	heap  []event
	pc    [packets]int
	op    [packets]int32 // the last of each packet
	res   result
}

type event struct {
	t  float64
	id int32
	n  int32 // breaks ties, in the order in which events came up
}

func (a event) less(b event) bool { return a.t < b.t || a.t == b.t && a.n < b.n }

func (p *pipe) push(e event) {
	h := append(p.heap, e)
	i := len(h) - 1
	for i > 0 && h[i].less(h[(i-1)/2]) {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		i = (i - 1) / 2
	}
	p.heap = h
}

func (p *pipe) pop() event {
	h := p.heap
	top, n := h[0], len(h)-1
	h[0] = h[n]
	h = h[:n]
	for i := 0; ; {
		k := 2*i + 1
		if k >= n {
			break
		}
		if k+1 < n && h[k+1].less(h[k]) {
			k++
		}
		if !h[k].less(h[i]) {
			break
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
	p.heap = h
	return top
}

// plan is a pass ready to be run: what each of its packets does, and how they differ.
type plan struct {
	n      int
	steps  []step
	room   [pools]int
	front  float64 // ns until the first packet starts, and after the last
	back   float64
	weight *[2][packets]float64
}

// weights draws how packets differ: neighbours are alike.
func weights(r simulate.Random, n int, sigma float64) *[2][packets]float64 {
	out := &[2][packets]float64{}
	for row := range out {
		x, sum := r.NormFloat64(), 0.0
		for i := range n {
			x = 0.5*x + 0.866*r.NormFloat64()
			v := 1.0
			if sigma > 0 {
				v = min(4, max(0.15, 1+sigma*x+sigma*sigma*(x*x-1)/2))
			}
			out[row][i] = v
			sum += v
		}
		for i := range n {
			out[row][i] *= float64(n) / sum
		}
	}
	return out
}

// run simulates a plan.
func (p *pipe) run(pl *plan) *result {
	p.ops, p.heap = p.ops[:0], p.heap[:0]
	p.free, p.last, p.began, p.spans, p.res = [servers]float64{}, [servers]int32{}, [servers]float64{}, [3]span{}, result{}
	for i := range p.pools {
		p.pools[i] = pool{free: pl.room[i], waiting: p.pools[i].waiting[:0]}
	}
	p.ops = append(p.ops, op{launch, 0, pl.front, -1})
	seq := int32(0)
	for i := range pl.n {
		p.pc[i], p.op[i] = 0, 0
		p.push(event{pl.front, int32(i), seq})
		seq++
	}
	now, final := pl.front, int32(0)
	for len(p.heap) > 0 {
		e := p.pop()
		now = e.t
		i := e.id
	packet:
		for {
			if p.pc[i] == len(pl.steps) {
				final = p.op[i]
				break
			}
			s := &pl.steps[p.pc[i]]
			w := pl.weight[0][i]
			if s.shader {
				w = pl.weight[1][i]
			}
			switch s.what {
			case serve, wait:
				o := op{s.c, now, now + s.ns*w, p.op[i]}
				if s.what == wait {
					o.end = now + s.ns
				} else {
					if p.free[s.at] > now {
						p.res.waited[s.at] += p.free[s.at] - now
						p.res.queued[s.at] += p.free[s.at] - max(now, p.began[s.at])
						o.start, o.before = p.free[s.at], p.last[s.at]
						o.end = o.start + s.ns*w
					}
					p.free[s.at], p.began[s.at] = o.end, o.start
					p.res.busy[s.at] += s.ns * w
				}
				p.op[i] = int32(len(p.ops))
				if s.what == serve {
					p.last[s.at] = p.op[i]
				}
				p.ops = append(p.ops, o)
				p.pc[i]++
				p.push(event{o.end, i, seq})
				seq++
				break packet
			case take:
				q := &p.pools[s.at]
				if q.free == 0 {
					if len(q.waiting) == 0 {
						q.since = now
					}
					q.waiting = append(q.waiting, i)
					break packet
				}
				q.free--
			case give:
				q := &p.pools[s.at]
				if len(q.waiting) == 0 {
					q.free++
					break
				}
				next := q.waiting[0]
				q.waiting = append(q.waiting[:0], q.waiting[1:]...)
				if len(q.waiting) == 0 {
					q.stalled += now - q.since
				}
				p.pc[next]++
				p.op[next] = p.op[i]
				p.push(event{now, next, seq})
				seq++
			case begin:
				p.spans[s.at].enter(now)
			case end:
				p.spans[s.at].leave(now)
			case ask:
				p.spans[2].enter(now)
			case answered:
				p.spans[2].leave(now)
			}
			p.pc[i]++
		}
	}
	r := &p.res
	r.total = now + pl.back
	r.waves, r.memory = [2]float64{p.spans[0].sum, p.spans[1].sum}, p.spans[2].sum
	for i := range p.pools {
		r.stalled[i] = p.pools[i].stalled
	}
	r.share[launch] += pl.back
	for k := final; k >= 0; k = p.ops[k].before {
		r.share[p.ops[k].c] += p.ops[k].end - p.ops[k].start
	}
	return r
}
