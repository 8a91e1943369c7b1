package amd

// advance lets a wave do its next op, and says whether it ended.
func (s *sim) advance(e event) bool {
	w := &s.waves[e.wave]
	w.step++
	o := s.next(w)
	if o == nil {
		return s.finish(e, w)
	}
	now := e.at
	c := &s.c
	n := float64(o.n)
	switch o.kind {
	case vector:
		busy := n * o.clocks * s.tick / aluAttains / s.m.speed[arithmetic]
		alone := max(busy, n*o.chain*s.tick/s.m.speed[arithmetic])
		id := s.serve(&s.simd[w.simd], now, busy, alone-busy, arithmetic, arithmetic, w.row)
		c[cWaitInst] += s.rows[id].start - now
		c[cWaitDep] += alone - busy
		c[cVector] += n
		if o.trans {
			c[cTrans] += n
		}
		if o.double {
			c[cDouble] += n
		}
		s.after(e.wave, id)
	case scalarOp:
		id := s.alone(now, n*1.3*s.tick/s.m.speed[arithmetic], arithmetic, w.row)
		c[cScalar] += n
		s.after(e.wave, id)
	case scalarLoad:
		took := s.m.scalar * s.tick * w.jitter(0.2) / s.m.speed[latency]
		c[cSMEM] += n
		c[cWaitCnt] += took
		s.after(e.wave, s.alone(now, took, latency, w.row))
	case ldsOp:
		busy := n * o.clocks * s.tick / ldsAttains / s.m.speed[localMemory]
		id := s.serve(&s.ldss[w.simd/2], now, busy, s.m.lds*s.tick/s.m.speed[localMemory], localMemory, localMemory, w.row)
		queue := s.rows[id].start - now
		c[cWaitLDS] += queue * 0.6 // the rest is counted as a wait for results: the instruction is in the queue
		c[cWaitInst] += queue * 0.6
		c[cWaitCnt] += s.rows[id].end - now - queue*0.6
		c[cLDS] += n
		c[cLDSCycles] += n * o.clocks
		c[cConflict] += n * max(0, o.clocks-1) * o.chain // chain is the share of passes that conflicts cost
		s.after(e.wave, id)
	case load:
		s.request(e, w, o, false)
	case store:
		s.request(e, w, o, true)
	case wait:
		c[cInternal]++
		if w.loadsEnd > now {
			c[cWaitCnt] += w.loadsEnd - now
			w.row = w.loadsRow
			s.push(event{w.loadsEnd, e.wave})
		} else {
			s.push(e)
		}
		w.loadsEnd = 0
	case barrier:
		c[cInternal]++
		g := &s.groups[w.group]
		g.late = append(g.late, e.wave)
		w.arrived = now
		if len(g.late) == g.left {
			for _, other := range g.late {
				o := &s.waves[other]
				c[cWaitBarrier] += now - o.arrived
				o.row = w.row
				s.push(event{now + 2*s.tick, other})
			}
			g.late = g.late[:0]
		}
	}
	return false
}

// after lets the wave go on where a record ends.
func (s *sim) after(id, row int32) {
	s.waves[id].row = row
	s.push(event{s.rows[row].end, id})
}

// alone is a record of time that no server is needed for.
func (s *sim) alone(at, took float64, of part, before int32) int32 {
	id := int32(len(s.rows))
	s.rows = append(s.rows, row{at, at + took, at + took, before, of, of})
	return id
}

// queueOf is how many lines of work an addresser takes before waves wait with their requests.
const queueOf = 48

// request sends loads or stores through the levels of memory. The wave goes on when the addresser has taken them.
func (s *sim) request(e event, w *wave, o *op, write bool) {
	m, c := &s.m, &s.c
	now, before := e.at, w.row
	lines := w.count(float64(o.n)*o.lines, 2)
	perLine := s.tick / l0Attains / m.speed[loadStore]
	v := &s.addr[w.simd/2]
	stalled := 0.0
	if limit := v.free - queueOf*perLine; limit > now { // the queue is full
		stalled = limit - now
		c[cWaitInst] += stalled
		s.opened(3, cAddrStall, now, limit)
		now, before = limit, v.last
	}
	hop := func(clocks float64) float64 { return clocks * s.tick * w.jitter(0.15) / m.speed[latency] }
	busy := lines * perLine
	c[cAddrBusy] += busy
	id := s.serve(v, now, busy, hop(m.l0), loadStore, latency, before)
	taken := now
	deep := w.count(lines*o.miss[0], 3)
	half := o.part < line
	if write {
		deep = lines
		c[cStores] += float64(o.n)
	} else {
		c[cLoads] += float64(o.n)
	}
	pieces := 2.0
	if half {
		pieces = 1
	}
	if write {
		c[cL0Write] += lines * pieces
	} else {
		c[cL0Read] += lines * pieces
		c[cL0Miss] += deep * pieces
	}
	if deep > 0 {
		asked := s.rows[id].end
		c[cL0Back] += max(0, s.gl1.free-asked-40*s.tick) / 16
		id = s.serve(&s.gl1, asked, deep*m.gl1Line()*shareOf(o), hop(m.gl1), cache, latency, id)
		missed := w.count(deep*o.miss[1], 4)
		if write {
			missed = deep
			c[cGL1Write] += deep * pieces
		} else {
			c[cGL1Read] += deep
			if half {
				c[cGL1Read64] += deep
			}
			c[cGL1ReadMiss] += missed
		}
		if missed > 0 {
			from := s.rows[id].mid
			c[cGL1Stall] += max(0, s.gl2.free-from-20*s.tick) / 10
			id = s.serve(&s.gl2, s.rows[id].end, missed*m.gl2Line()*shareOf(o), hop(m.gl2), cache, latency, id)
			gone := w.count(missed*o.miss[2], 5)
			accepted := s.rows[id].mid
			if gone > 0 {
				id = s.memory(w, o, id, gone, write)
			}
			s.opened(2, cGL2Open, from, s.rows[id].end)
			if write {
				c[cWriteLatency] += missed * pieces * (accepted - from + m.gl2*s.tick)
			} else {
				// What waits longer than there are places behind GL2 waits before it.
				kept := min(s.rows[id].end-from, m.window+(m.gl2+20)*s.tick+m.toMALL+m.toDRAM)
				if gone == 0 {
					kept = min(kept, m.window+(m.gl2+20)*s.tick)
				}
				c[cReadLatency] += missed * kept
				if kept < s.rows[id].end-from {
					c[cGL1Stall] += gone * o.part * m.dramByte() * m.stalls
					c[cL0Back] += gone * o.part * m.dramByte() * m.stalls
				}
			}
		}
		s.opened(1, cGL1Open, asked, s.rows[id].end)
	}
	s.opened(0, cL0Open, now, s.rows[id].end)
	if write {
		if r := s.rows[id]; r.mid > w.storesEnd {
			w.storesEnd, w.storesRow = r.mid, id
		}
	} else if r := s.rows[id]; r.end > w.loadsEnd {
		w.loadsEnd, w.loadsRow = r.end, id
	}
	issue := float64(o.n) * s.tick
	w.row = s.alone(taken, issue, loadStore, before)
	s.push(event{taken + issue, e.wave})
}

// shareOf is how much of a line's time in a cache a request takes.
func shareOf(o *op) float64 {
	if o.part < line {
		return 0.6
	}
	return 1
}

// memory sends lines beyond GL2.
func (s *sim) memory(w *wave, o *op, id int32, lines float64, write bool) int32 {
	m, c := &s.m, &s.c
	if write {
		c[cGL2WriteMiss] += lines * o.part / 64
	} else {
		c[cGL2ReadMiss] += lines
		if o.part < line {
			c[cGL2ReadMiss64] += lines
		}
	}
	near := w.count(lines*o.mall, 6)
	bytes := o.part
	at := s.rows[id].end
	pass := lines * bytes * m.mallByte()
	c[cMemBusy] += pass
	id = s.serve(&s.mall, at, pass, m.toMALL*w.jitter(0.15)/m.speed[latency], bandwidth, latency, id)
	if far := lines - near; far > 0 {
		if write {
			bytes *= 1.08 // turning the bus around
		}
		if o.part < line {
			bytes *= 1.15 // rows that are opened for less
		}
		at := s.rows[id].end
		took := far * bytes * m.dramByte()
		if s.dram.free-at > 40 {
			c[cMemFull] += took
		}
		id = s.serve(&s.dram, at, took, m.toDRAM*w.jitter(0.25)/m.speed[latency], bandwidth, latency, id)
	}
	return id
}

// finish ends a wave when its stores are on their way.
func (s *sim) finish(e event, w *wave) bool {
	if w.storesEnd > e.at {
		s.c[cWaitCnt] += w.storesEnd - e.at
		w.row = w.storesRow
		at := w.storesEnd
		w.storesEnd = 0
		s.push(event{at, e.wave})
		return false
	}
	s.c[cWaves]++
	s.c[cInternal] += 2
	s.c[cWaveNs] += e.at - w.began
	s.inSIMD[w.simd]--
	g := &s.groups[w.group]
	g.left--
	if g.left == 0 {
		s.free += s.k.group
		s.lds += s.k.lds
		s.begin(e.at, w.row)
	}
	return true
}
