package intel

// running is a pass that an engine has.
type running struct {
	p          *pass
	frame, job int // frame -1: of another program
	engine     int
	scale      float64
	left       float64         // ns until something works
	at         [stages]float64 // how far each stage is, from 0 to 1
	rate       [stages]float64 // of it per ns, with work and room
	room       [stages]float64 // how far the stage before may be ahead
	segment    [stages]int
	x          float64 // threads per ns at full rate
	full       float64 // threads that are there then
	idle       float64 // ns that a thread takes when it is alone
	duty       float64 // share of time that barriers leave
	bound      unit    // of pixel or compute threads
	vsBound    unit
	power      float64 // how much of what draws power works
	step       float64
	node       int32
}

// buffers are how many items may wait in front of a stage: draws, vertices, triangles, blocks.
var buffers = [stages]float64{0, 12, 2000, 1500, 300, 300, 600, 600, 3000, 600}

func (r *running) prepare() {
	for k, s := range r.p.list {
		r.segment[s] = -1
		if k > 0 {
			r.room[s] = min(0.5, max(0.05, buffers[s]/max(1, r.p.items[s]*r.scale)))
		}
	}
}

// moves says whether a stage has come to work of another density.
func (r *running) moves() (moved bool) {
	for _, s := range r.p.list {
		if g := min(segments-1, int(r.at[s]*segments)); g != r.segment[s] {
			r.segment[s], moved = g, true
		}
	}
	return moved
}

// loadOf is what the threads of a stage are to the stations, per item of n.
func (s *sim) loadOf(r *running, t *threads, n float64, segment int, l *load) {
	f := s.clk.share() * s.m.clock()
	for i := range l.d {
		u := arith + unit(i)
		work := t.work[i] * r.p.parts[u][segment] / n
		if work == 0 {
			continue
		}
		rate := s.m.rate[u] * s.speed[u]
		if u == memory {
			rate = max(0.2*rate, rate-s.p.other.bytes)
		} else {
			rate *= f
		}
		if u == texture {
			work *= t.cost
		}
		l.d[i] += work * s.m.servers[i] / rate / s.engineSpeed[r.engine]
	}
	l.z += (t.wait*s.m.memWait/s.speed[latency]*r.p.parts[latency][segment] + t.near*s.m.l3Wait/f) / s.engineSpeed[r.engine]
}

// refresh finds the rates of all stages of all running passes.
func (s *sim) refresh() {
	f := s.clk.share() * s.m.clock()
	var loads [engines]load
	var who [engines]*running
	n, sharing := 0, 0
	for _, r := range s.run {
		if r != nil && r.left <= 0 {
			who[n] = r
			n++
			if r.engine != copying {
				sharing++
			}
		}
	}
	for k, r := range who[:n] {
		p, l := r.p, &loads[k]
		slow := 0.0
		for _, st := range p.list {
			if u := unitAt[st]; u < units {
				r.rate[st] = s.m.rate[u] * s.speed[u] * s.engineSpeed[r.engine] * f /
					(p.items[st] * r.scale * p.parts[u][r.segment[st]])
				slow = max(slow, 1/r.rate[st])
			}
		}
		all := p.ps.n
		l.n = min(all*r.scale, p.ps.most*s.m.slots()/float64(max(1, sharing)))
		if r.engine == copying {
			l.n = 12 * s.m.rate[memory] / 8 // what hides the latency, not much more
		} else if all == 0 { // nothing is shaded: caches take what the tests need
			all, l.n = p.items[rasterizing], 512
		}
		s.loadOf(r, &p.ps, all, r.segment[shading], l)
		if p.vs.n > 0 && r.at[vertices] < 1 {
			var v load
			v.n = min(p.vs.n*r.scale, 0.45*s.m.slots()/float64(max(1, sharing)))
			s.loadOf(r, &p.vs, p.vs.n, r.segment[vertices], &v)
			var x [1]float64
			balance(&s.m.servers, []load{v}, x[:])
			r.rate[vertices] = x[0] / (p.vs.n * r.scale)
			r.vsBound = v.holds(&s.m.servers, x[0])
			slow = max(slow, 1/r.rate[vertices])
			for i := range l.d { // both run on the same EUs
				l.d[i] += v.d[i] * p.vs.n / all
			}
		}
		r.idle = l.z
		for _, d := range l.d {
			r.idle += d
		}
		r.step, r.full = slow, l.n
	}
	var x [engines]float64
	q := balance(&s.m.servers, loads[:n], x[:])
	s.queue = q
	for k, r := range who[:n] {
		all := r.p.ps.n
		if all == 0 && r.engine != copying {
			all = r.p.items[rasterizing]
		}
		r.x = x[k]
		rate := x[k] / (all * r.scale)
		r.bound = loads[k].holds(&s.m.servers, x[k])
		d := &loads[k].d
		r.power = min(1, x[k]*(d[0]/s.m.servers[0]+0.5*d[texture-arith]/s.m.servers[texture-arith]))
		gaps := r.p.pieces * r.p.gap / s.speed[command] / s.engineSpeed[r.engine] // pieces grow with scale, and so does the pass
		r.duty = 1 / (1 + rate*gaps*r.scale)
		r.rate[shading] = rate * r.duty
		r.step = max(r.step, 1/r.rate[shading]) / 40
	}
	s.dirty = false
}

// limits of a stage in a step.
const (
	free uint8 = iota
	starved
	blocked
)

// flow moves a pass on by a time: each stage as far as its rate, the stage before and the room behind it allow.
func (r *running) flow(dt float64) (to [stages]float64, by [stages]uint8) {
	list := r.p.list
	before := 1.0
	for k, s := range list {
		x := min(1, r.at[s]+r.rate[s]*dt)
		if x > before {
			x, by[s] = max(before, r.at[s]), starved
		}
		if k+1 < len(list) {
			if next := list[k+1]; x > r.at[next]+r.room[next] {
				x, by[s] = max(r.at[s], r.at[next]+r.room[next]), blocked
			}
		}
		to[s], before = x, x
	}
	return to, by
}

// last is the stage behind which a pass is over.
func (r *running) last() stage { return r.p.list[len(r.p.list)-1] }

// pace is the unit that sets the pace in a step: that of the last stage that neither waits for input nor for room.
func (r *running) pace(by *[stages]uint8) unit {
	for k := len(r.p.list) - 1; k >= 0; k-- {
		s := r.p.list[k]
		if by[s] == starved || r.at[s] >= 1 {
			continue
		}
		switch s {
		case shading:
			return r.bound
		case vertices:
			return r.vsBound
		}
		return unitAt[s]
	}
	return r.bound
}
