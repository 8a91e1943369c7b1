package amd

// The simulation of one sample: tokens, each a slice of the waves of a draw or dispatch, go through a network of
// servers with first come first served, delays and pools of slots. It is driven by events. Times are picoseconds.

// region is a stretch of a token's way whose population is watched.
type region uint8

const (
	inGeometry region = iota // from the geometry engine to the end of primitive assembly
	behindPA                 // set up, not yet in a pixel shader
	inPixel                  // pixel waves in their slots
	inCompute                // compute waves in their slots
	regions
)

// do is what a step of a token's way does.
type do uint8

const (
	serve do = iota // be served
	wait            // wait for a time, with any number of others
	take            // take a slot of a pool, or wait for one
	give            // give it back
	enter           // enter a region
	leave           // leave it
)

// step is one step of the way, with its mean time for one token where it takes one.
type step struct {
	do    do
	class class
	pool  int8
	reg   region
	mean  float64
}

// plan is what a sample does: batches of tokens with the command processor's work before each.
type plan struct {
	seed    uint64
	steps   []step
	tokens  int // of each batch
	batches int
	slots   [2]int  // geometry or compute, and pixels
	before  float64 // of a batch, ps
	after   float64 // of the sample, ps
	spread  float64 // of the times of tokens around their mean
}

// stalled is how many wait for a server before those upstream are held up.
const stalled = 3

// event is a time in which a class worked for a token, and what it had to wait for.
type event struct {
	start, end int64
	cause      int32
	class      class
}

// outcome is what a simulation of a sample gives.
type outcome struct {
	total  int64
	pace   [classes]int64   // how long each class set the pace; adds up to the total
	busy   [classes]int64   // of each class's work
	work   [classes]float64 // the same without relief: the quantities done
	queued [classes]int64   // time in which at least stalled tokens waited for the server
	any    [regions]int64   // time in which a region had a token
	full   [regions]int64   // time in which it had at least stalled tokens
	lived  [regions]int64   // time in a region, added up over tokens
	line   [classes]int64   // time in line for a server, added up over tokens
	memory int64            // time in which any token waited for an answer of the memory
}

type simulator struct {
	p      *plan
	v      *speeds
	heap   []uint64
	pc     []uint16
	last   []int32
	free   [classes]int64
	lastOf [classes]int32
	starts [classes][stalled]int64
	seen   [classes]int64
	pools  [2]int
	parked [2][]int32
	head   [2]int
	count  [regions]int
	since  [regions]int64
	over   [regions]int64
	mark   [regions]int64
	events []event
	out    outcome
	waited int64
}

// run simulates a sample.
func (s *simulator) run(p *plan, v *speeds) *outcome {
	s.p, s.v = p, v
	s.events = s.events[:0]
	s.out = outcome{}
	s.count, s.waited = [regions]int{}, 0
	if cap(s.pc) < p.tokens {
		s.pc, s.last = make([]uint16, p.tokens), make([]int32, p.tokens)
	}
	s.pc, s.last = s.pc[:p.tokens], s.last[:p.tokens]
	now, cause := int64(0), int32(-1)
	for b := range p.batches {
		now, cause = s.command(now, cause, p.before)
		now, cause = s.batch(now, cause, b)
	}
	now, cause = s.command(now, cause, p.after)
	s.out.total = now
	for at := cause; at >= 0; {
		e := &s.events[at]
		s.out.pace[e.class] += e.end - e.start
		at = e.cause
	}
	return &s.out
}

// command is work of the command processor while nothing else is under way.
func (s *simulator) command(now int64, cause int32, ps float64) (int64, int32) {
	s.out.work[launch] += ps
	d := int64(ps * s.v[launch])
	if d == 0 {
		return now, cause
	}
	s.out.busy[launch] += d
	s.events = append(s.events, event{now, now + d, cause, launch})
	return now + d, int32(len(s.events) - 1)
}

// batch runs the tokens of a batch until the last is done.
func (s *simulator) batch(now int64, cause int32, batch int) (int64, int32) {
	s.pools = s.p.slots
	for i := range s.parked {
		s.parked[i], s.head[i] = s.parked[i][:0], 0
	}
	for c := range s.free {
		s.free[c], s.lastOf[c], s.seen[c] = now, cause, now
		for k := range s.starts[c] {
			s.starts[c][k] = now
		}
	}
	s.heap = s.heap[:0]
	for t := range s.pc {
		s.pc[t], s.last[t] = 0, cause
		s.push(now, int32(t))
	}
	end, final := now, cause
	for len(s.heap) > 0 {
		at, t := s.pop()
		if s.advance(at, t, batch) && at >= end {
			end, final = at, s.last[t]
		}
	}
	return end, final
}

// advance takes a token on from a moment until it is served, waits or is done, which it reports.
func (s *simulator) advance(now int64, t int32, batch int) bool {
	for int(s.pc[t]) < len(s.p.steps) {
		n := s.pc[t]
		st := &s.p.steps[n]
		s.pc[t]++
		switch st.do {
		case serve:
			s.served(now, t, st, s.time(st, t, int(n), batch))
			return false
		case wait:
			d := s.time(st, t, int(n), batch)
			s.out.work[st.class] += d
			ps := int64(d / s.v[st.class])
			s.out.busy[st.class] += ps
			s.events = append(s.events, event{now, now + ps, s.last[t], st.class})
			s.last[t] = int32(len(s.events) - 1)
			if from := max(now, s.waited); now+ps > from {
				s.out.memory += now + ps - from
				s.waited = now + ps
			}
			s.push(now+ps, t)
			return false
		case take:
			if s.pools[st.pool] == 0 {
				s.parked[st.pool] = append(s.parked[st.pool], t)
				return false
			}
			s.pools[st.pool]--
		case give:
			if s.head[st.pool] < len(s.parked[st.pool]) {
				other := s.parked[st.pool][s.head[st.pool]]
				s.head[st.pool]++
				s.last[other] = s.last[t]
				s.push(now, other)
			} else {
				s.pools[st.pool]++
			}
		case enter:
			s.populate(now, st.reg, 1)
		case leave:
			s.populate(now, st.reg, -1)
		}
	}
	return true
}

// time is how long a step takes a token, without relief. It depends on nothing that relief changes.
func (s *simulator) time(st *step, t int32, n, batch int) float64 {
	h := mix(s.p.seed ^ uint64(t)<<24 ^ uint64(n)<<48 ^ uint64(batch))
	x := float64(h>>11)/(1<<53) + float64(mix(h)>>11)/(1<<53) - 1 // from -1 to 1, mostly around 0
	return st.mean * (1 + s.p.spread*x)
}

func (s *simulator) served(now int64, t int32, st *step, d float64) {
	by := st.class.server()
	ps := int64(d / s.v[st.class])
	start, cause := now, s.last[t]
	if s.free[by] > now {
		start, cause = s.free[by], s.lastOf[by]
	}
	// The tokens before this one that have not begun by now wait too.
	if first := s.starts[by][stalled-2]; first > now {
		from := max(now, s.seen[by])
		if first > from {
			s.out.queued[by] += first - from
			s.seen[by] = first
		}
	}
	s.out.line[by] += start - now
	copy(s.starts[by][1:], s.starts[by][:stalled-1])
	s.starts[by][0] = start
	s.out.busy[st.class] += ps
	s.out.work[st.class] += d
	s.free[by] = start + ps
	s.events = append(s.events, event{start, start + ps, cause, st.class})
	s.last[t] = int32(len(s.events) - 1)
	s.lastOf[by] = s.last[t]
	s.push(start+ps, t)
}

func (s *simulator) populate(now int64, r region, by int) {
	before := s.count[r]
	s.out.lived[r] += int64(before) * (now - s.mark[r])
	s.mark[r] = now
	s.count[r] += by
	switch {
	case before == 0 && by > 0:
		s.since[r] = now
	case s.count[r] == 0:
		s.out.any[r] += now - s.since[r]
	}
	switch {
	case before == stalled-1 && by > 0:
		s.over[r] = now
	case before == stalled && by < 0:
		s.out.full[r] += now - s.over[r]
	}
}

// push and pop keep the tokens by their next moments; of equal ones the first token goes first.
func (s *simulator) push(at int64, t int32) {
	h := append(s.heap, uint64(at)<<12|uint64(t))
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h[up] <= h[i] {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
	s.heap = h
}

func (s *simulator) pop() (int64, int32) {
	h := s.heap
	top := h[0]
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	for i := 0; ; {
		k := 2*i + 1
		if k >= n {
			break
		}
		if k+1 < n && h[k+1] < h[k] {
			k++
		}
		if h[i] <= h[k] {
			break
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
	s.heap = h
	return int64(top >> 12), int32(top & 4095)
}
