package amd

// Stages of the line, in the order in which a chunk goes through them. Dispatches have the last of the shaders only.
const (
	stGE = iota
	stVS
	stPA
	stSC
	stDB
	stPS
	stCB
	stages
)

// server is a unit that several stages share. It keeps the gaps in which it had nothing to do, so that work which
// comes through the line later may be served before what was there first.
type server struct {
	free float64
	gaps [12][2]float64
	n    int
}

// serve serves work that is there at a time, and says when it is done.
func (s *server) serve(at, work float64) float64 {
	if work <= 0 {
		return at
	}
	end := at
	for i := 0; i < s.n && work > 0; {
		g := &s.gaps[i]
		from := max(g[0], at)
		if from >= g[1] {
			i++
			continue
		}
		take := min(work, g[1]-from)
		work -= take
		end = from + take
		switch {
		case from > g[0] && end < g[1]: // what remains before it is hardly ever of use
			g[0] = end
			i++
		case from > g[0]:
			g[1] = from
			i++
		default:
			if g[0] = end; g[0] >= g[1] {
				copy(s.gaps[i:s.n-1], s.gaps[i+1:s.n])
				s.n--
			} else {
				i++
			}
		}
	}
	if work <= 0 {
		return end
	}
	if at > s.free {
		if s.n == len(s.gaps) {
			copy(s.gaps[:], s.gaps[1:])
			s.n--
		}
		s.gaps[s.n] = [2]float64{s.free, at}
		s.n++
		s.free = at
	}
	s.free += work
	return s.free
}

// node is what happened to a chunk in a stage.
type node struct {
	start, end float64
	cause      int // the resource that the end waited for, or causeLatency
	from       pred
}

// pred is what a start waited for: the start or the end of another node.
type pred struct {
	stage, chunk int8
	end          bool
}

var nothing = pred{-1, -1, false}

const causeLatency = resources

// span adds up times that may overlap.
type span struct{ sum, edge float64 }

func (s *span) add(from, to float64) {
	if from = max(from, s.edge); to > from {
		s.sum += to - from
		s.edge = to
	}
}

// outcome is what a draw did.
type outcome struct {
	total            float64 // ns, with the launch
	launch           float64
	vs, ps, cs       span
	busy             [resources]float64 // time of service, of the mean instance
	taStall, ta      span
	wrStall          span
	ldsWait          float64 // of a wave, in ns, the mean
	paStall, exports span
	dbBusy, zStall   span
	share            [leaves]float64 // what set the pace
}

// line is the pipeline with its memory, so that it can be used again.
type line struct {
	nodes [stages][chunks]node
	units [resources]server

	toCB int // chunks between shading and color blocks; 0 where there is no color
}

// run lets a draw go through the line. look is whether to find out what set the pace, and to count.
func (l *line) run(m *machine, d *draw, q *demand, look bool) (o outcome) {
	l.units = [resources]server{}
	for i := range l.units {
		l.units[i].free = q.launch
	}
	o.launch, l.toCB = q.launch, 0
	if d.colors() {
		l.toCB = q.toCB
	}
	end := q.launch
	if d.compute {
		for k := range chunks {
			l.shade(m, stPS, k, &q.cs, q.launch, nothing, d.variation[2][k], &o, look)
			n := &l.nodes[stPS][k]
			o.cs.add(n.start, n.end)
			end = max(end, n.end)
		}
	} else {
		end = l.draw(m, d, q, &o, look)
	}
	o.total = end
	if look {
		l.walk(d, q, &o)
	}
	return o
}

// later takes the later of a start and another time, with what made it so.
func (n *node) later(at float64, from pred) {
	if at > n.start {
		n.start, n.from = at, from
	}
}

// fixed lets a chunk go through a stage of its own; a share of the memory's time is served beside it.
func (l *line) fixed(stage, k int, unit int, work, mem float64) *node {
	n := &l.nodes[stage][k]
	if k > 0 {
		n.later(l.nodes[stage][k-1].end, pred{int8(stage), int8(k - 1), true})
	}
	n.end, n.cause = n.start+work, unit
	if mem > 0 {
		if e := l.units[rMem].serve(n.start, mem); e > n.end {
			n.end, n.cause = e, rMem
		}
	}
	return n
}

// room makes a start wait until the next stage took the chunk that many before.
func (n *node) room(l *line, stage, k, fits int) {
	if k >= fits {
		n.later(l.nodes[stage][k-fits].start, pred{int8(stage), int8(k - fits), false})
	}
}

func (l *line) draw(m *machine, d *draw, q *demand, o *outcome, look bool) (end float64) {
	const part = 1.0 / chunks
	for k := range chunks {
		pix := d.variation[1][k] * part
		pa := l.geometry(m, d, q, k, o, look)
		n := &l.nodes[stSC][k]
		*n = node{start: pa.end, from: pred{stPA, int8(k), true}}
		n.room(l, stDB, k, q.toPS)
		sc := l.fixed(stSC, k, rSC, q.sc*pix, 0)

		n = &l.nodes[stDB][k]
		*n = node{start: sc.end, from: pred{stSC, int8(k), true}}
		if q.ps.on {
			n.room(l, stPS, k, q.toPS)
		}
		db := l.fixed(stDB, k, rDB, q.db*pix, q.dbMem*pix)
		last := db
		if look {
			o.busy[rDB] += q.db * pix
			o.dbBusy.add(db.start, db.start+q.db*pix+(db.end-db.start-q.db*pix)*m.zPipe)
		}
		if q.ps.on {
			l.shade(m, stPS, k, &q.ps, db.end, pred{stDB, int8(k), true}, d.variation[2][k], o, look)
			last = &l.nodes[stPS][k]
			if look {
				o.ps.add(last.start, last.end)
			}
		}
		if d.colors() {
			before := last
			n = &l.nodes[stCB][k]
			*n = node{start: before.end, from: pred{stPS, int8(k), true}}
			last = l.fixed(stCB, k, rCB, q.cb*pix, q.cbMem*pix)
			if look {
				o.exports.add(before.end, last.start)
				if q.ps.on { // waves stay until their exports are taken, but for what the buffer holds
					o.ps.add(before.start, before.end+(last.start-before.end)*m.psHold)
				}
				o.zStall.add(last.start-(last.start-before.end)*m.zStall, last.start)
			}
		}
		end = max(end, last.end)
	}
	return end
}

// geometry lets a chunk go through the stages before the rasterizer. Where there are fewer primitives than chunks, one
// comes through for several of them, and the others find it done.
func (l *line) geometry(m *machine, d *draw, q *demand, k int, o *outcome, look bool) *node {
	pieces := min(chunks, max(1, int(d.prims)))
	pa := &l.nodes[stPA][k]
	if k > 0 && k*pieces/chunks == (k-1)*pieces/chunks {
		for s := stGE; s <= stPA; s++ {
			at := l.nodes[s][k-1].end
			l.nodes[s][k] = node{start: at, end: at, cause: causeLatency, from: pred{int8(s), int8(k - 1), true}}
		}
		return pa
	}
	geo := d.variation[0][k] / float64(pieces)
	ge := &l.nodes[stGE][k]
	*ge = node{start: q.launch, from: nothing}
	ge.room(l, stVS, k, q.toVS)
	l.fixed(stGE, k, rGE, q.ge*geo, 0)
	l.shade(m, stVS, k, &q.vs, ge.end, pred{stGE, int8(k), true}, geo*chunks, o, look)
	vs := &l.nodes[stVS][k]
	*pa = node{start: vs.end, from: pred{stVS, int8(k), true}}
	ready := pa.start
	if k > 0 {
		ready = max(ready, l.nodes[stPA][k-1].end)
	}
	pa.room(l, stSC, k, q.toSC)
	if look && pa.start > ready {
		o.paStall.add(ready, pa.start)
	}
	l.fixed(stPA, k, rPA, q.pa*geo, 0)
	if look {
		// Waves whose exports are not taken stay, as far as the machine's buffers are full.
		o.vs.add(ge.start, vs.end+(pa.start-vs.end)*m.vsHold)
	}
	return pa
}
