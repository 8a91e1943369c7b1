package intel

// fill dispatches batches as far as there are slots.
func (s *shader) fill(t float64, n int32) {
	for len(s.queue) > 0 {
		b := s.queue[0]
		c := s.room(&s.flows[b.of], s.m.rows)
		if c < 0 {
			break
		}
		s.queue = s.queue[1:]
		s.dispatch(b, c, t, b.node, n)
	}
	for more := true; more; {
		more = false
		for of := range s.flows { // queues take turns
			f := &s.flows[of]
			if f.started >= f.ready {
				continue
			}
			c := s.room(f, min(s.m.rows, f.p.rows))
			if f.due+f.p.batches < 1 {
				c = 0 // an item without a batch of its own needs no slot
			}
			if c < 0 {
				continue
			}
			more = true
			if f.due += f.p.batches; f.due >= 1 {
				f.due--
				b := batch{of: uint8(of), stage: ps, item: int32(f.started)}
				if f.p.compute {
					b.stage = cs
				}
				f.started++
				s.dispatch(b, c, t, n, n)
			} else {
				f.started++
				f.out++
			}
			if !f.p.compute {
				s.enter(f, uint8(of), t, n)
			}
		}
	}
	waits := [3]bool{1: len(s.queue) > 0}
	for of := range s.flows {
		if f := &s.flows[of]; f.started < f.ready {
			waits[f.p.kind()] = true
		}
	}
	for k, w := range waits {
		if s.waiting[k] >= 0 {
			s.tally[tReady+k] += t - s.waiting[k]
		}
		if s.waiting[k] = -1; w {
			s.waiting[k] = t
		}
	}
}

// room is the cluster with the fewest threads, -1 where none has a free slot.
func (s *shader) room(f *flow, rows int) int {
	best := -1
	for c := range s.m.clusters {
		if s.cluster[c].held < s.m.rows && f.residents[c] < rows && (best < 0 || s.cluster[c].held < s.cluster[best].held) {
			best = c
		}
	}
	return best
}

// settle counts the threads of a cluster up to a time.
func (s *shader) settle(c int, t float64) {
	v := &s.cluster[c]
	if v.held > 0 && t > v.since {
		s.tally[tOccupied] += float64(v.held) * (t - v.since)
		s.tally[tLoaded] += t - v.since
	}
	v.since = t
}

func (s *shader) dispatch(b batch, c int, t float64, n, freed int32) {
	f := &s.flows[b.of]
	b.cluster = uint8(c)
	if s.path.Keep && s.path.Time(freed) > s.path.Time(n) {
		n = freed
	}
	id := int32(len(s.batches))
	b.varies = 1 + f.p.spread*(2*varies(b.item, uint32(b.stage))-1)
	s.batches = append(s.batches, b)
	s.settle(c, t)
	s.cluster[c].held++
	f.residents[c]++
	s.tally[tThreads+int(b.stage)] += float64(s.m.eus)
	s.push(event{t, evNext, b.of, id, 0, n})
}

// next lets a batch execute the instructions before its next message, or end.
func (s *shader) next(e event) {
	b := &s.batches[e.id]
	f := &s.flows[b.of]
	program, c := s.program(b), b.cluster
	if b.op == len(program) {
		s.settle(int(c), e.t)
		s.cluster[c].held--
		f.residents[c]--
		if b.stage == vs {
			f.shaded[b.item] = true
			s.enter(f, b.of, e.t, e.node)
		} else {
			f.out++
		}
		s.fill(e.t, e.node)
		return
	}
	work := program[b.op].alu * s.m.issue * b.varies
	end, node := e.t, e.node
	if work > 0 {
		var stretch [2][2]float64
		for k, part := range [2]float64{work * (1 - f.p.second), work * f.p.second} {
			v := &s.pipe[c][k]
			begin, until, n := s.serve(v, e.t, e.node, part/s.m.efficiency, arithmetic, b.of)
			stretch[k] = [2]float64{begin, until}
			if until > end {
				end, node = until, n
			}
			s.tally[tPipe+2*int(b.stage)+k] += part
		}
		// A thread alone waits for the results of its own instructions.
		if alone := e.t + work*f.p.dependency/s.ease[arithmetic]; alone > end {
			end, node = alone, s.at(alone, arithmetic, b.of, e.node)
		}
		both := s.together(int(c), stretch) * s.m.efficiency
		s.tally[tBoth+int(b.stage)] += both
	}
	s.push(event{end, evSend, e.of, e.id, 0, node})
}

// together is the time in which both pipes executed, because of a stretch of each that was added last.
func (s *shader) together(c int, add [2][2]float64) float64 {
	a, b := &s.pipe[c][0], &s.pipe[c][1]
	old := max(0, min(add[0][1], add[1][0])-max(add[0][0], b.began)) // the first's with what the second had before
	if add[1][0] == b.began {
		old = 0
	}
	return old + max(0, min(add[1][1], a.free)-max(add[1][0], a.began))
}

// message sends the batch's message to its station, which may hold the pipe of all messages up.
func (s *shader) message(e event) {
	b := &s.batches[e.id]
	f, m, c := &s.flows[b.of], s.m, b.cluster
	op := &s.program(b)[b.op]
	b.op++
	if op.kind == opNone {
		s.push(event{e.t, evNext, e.of, e.id, 0, e.node})
		return
	}
	v, cause, queue := &s.station[op.kind][c], stations[op.kind], float64(sendQueue)
	if op.kind == opColor {
		v = &s.color
	}
	begin, sent, node := s.serve(&s.send[c], e.t, e.node, op.messages, arithmetic, b.of)
	if over := v.free - queue/s.ease[cause] - begin; over > 0 {
		s.tally[tHold] += s.send[c].waits(begin, begin+over)
		if op.kind == opTexture {
			s.tally[tSamplerHold+min(2, int(c))] += v.waits(begin, begin+over)
		}
		sent += over
		node = v.node
		s.send[c].free, s.send[c].node = sent, node
	}
	s.tally[tSend+int(b.stage)] += op.messages
	amount := op.amount
	if op.kind != opColor {
		amount *= b.varies
	}
	rate := [...]float64{opTexture: m.sampler, opLoad: m.port, opStore: m.port, opLocal: m.local, opRay: m.rays, opColor: m.color}[op.kind]
	from, end, node := s.serve(v, sent, node, amount*op.cost/rate, cause, b.of)
	s.count(op, b, amount, end-from)
	lines := op.lines * b.varies
	if lines < 1 { // a message with less than a line asks for one now and then
		if varies(e.id, uint32(b.op)) < lines {
			lines = 1
		} else {
			lines = 0
		}
	}
	wait := end
	switch op.kind {
	case opColor:
		if op.lines > 0 {
			s.push(event{end, evWrite, e.of, tColorWrite, float32(op.lines * b.varies), node})
		}
		if f.p.blendLines > 0 {
			s.push(event{end, evWrite, e.of, tColorRead, float32(f.p.blendLines * b.varies), node})
		}
		s.push(event{sent, evNext, e.of, e.id, 0, node})
		return
	case opStore:
		if lines > 0 {
			s.push(event{end, evCache, e.of, ^e.id, float32(lines), node})
		}
		s.push(event{sent, evNext, e.of, e.id, 0, node})
		return
	case opTexture:
		wait += m.filter
	case opLocal:
		wait += 40
	default:
		wait += 60
	}
	if lines > 0 {
		s.push(event{wait, evCache, e.of, e.id, float32(lines), s.at(wait, latency, b.of, node)})
		return
	}
	s.push(event{wait, evNext, e.of, e.id, 0, s.at(wait, latency, b.of, node)})
}

// ask lets a bank of L3 look lines up; what is not there comes from memory. The id of a store is negative: nothing
// waits for it.
func (s *shader) ask(e event) {
	id, store := e.id, e.id < 0
	if store {
		id = ^e.id
	}
	b := &s.batches[id]
	p := s.flows[b.of].p
	kind := uint8(opStore)
	if !store {
		kind = s.program(b)[b.op-1].kind
	}
	k := int(varies(id, 77+uint32(b.op)) * float64(s.m.banks))
	v := &s.bank[k]
	lines := float64(e.lines)
	begin, end, node := s.serve(v, e.t, e.node, lines, cache, b.of)
	s.tally[tBank] += end - begin
	if k < 2 {
		s.tally[tBank0+k] += end - begin
	}
	if over := v.free - cacheQueue/s.ease[cache] - e.t; over > 0 {
		s.station[kind][b.cluster].hold(e.t+over, node)
		s.tally[tPortHeld+min(2, int(b.cluster))] += over / 4
	}
	s.tally[tLookups+int(kind)] += lines
	missed := lines * p.miss
	if missed < 1 {
		if varies(id, 1177+uint32(b.op)) < missed {
			missed = 1
		} else {
			missed = 0
		}
	}
	s.tally[tMisses+int(kind)] += missed
	if missed > 0 {
		per := max(64/s.m.bytes*s.clock, 1/s.m.ring) / s.ease[bandwidth]
		if over := s.bus.free - memoryQueue*per - end; over > 0 {
			by := v.hold(end+over, s.bus.node)
			s.tally[tBankStall] += by
			if k < 2 {
				s.tally[tBankStall0+k] += by
			}
			end, node = max(end, v.free), v.node
		}
	}
	switch {
	case store && missed > 0:
		s.push(event{end, evWrite, e.of, tStoreLines, float32(missed), node})
	case store:
	case missed > 0:
		b.misses = s.m.some(missed)
		end += s.m.hit / 2 / s.ease[latency] * s.m.some(lines)
		s.push(event{end, evMemory, e.of, id, float32(missed), s.at(end, latency, b.of, node)})
	default:
		end += s.m.hit / s.ease[latency] * s.m.some(lines)
		s.push(event{end, evNext, e.of, id, 0, s.at(end, latency, b.of, node)})
	}
}

func (s *shader) program(b *batch) []op {
	if b.stage == vs {
		return s.flows[b.of].p.vertexProgram
	}
	return s.flows[b.of].p.program
}

// count is what the stations count of a message.
func (s *shader) count(o *op, b *batch, amount, busy float64) {
	switch o.kind {
	case opTexture:
		s.tally[tSamplerBusy+min(2, int(b.cluster))] += busy
		s.tally[tSampler] += busy
		s.tally[tTexels] += amount
		s.tally[tTexelMisses] += min(amount, o.lines*b.varies)
	case opLoad:
		s.tally[tLoads] += amount
		s.tally[tAtomics] += amount * o.atomic
	case opStore:
		s.tally[tStores] += amount
	case opLocal:
		s.tally[tLocalRead] += amount * 0.7
		s.tally[tLocalWrite] += amount * 0.3
		s.tally[tConflicts] += amount * (o.cost - 1)
		s.tally[tBarriers] += float64(s.m.eus)
	case opRay:
		s.tally[tRays] += amount
	case opColor:
		p := s.flows[b.of].p
		s.tally[tColorBusy] += busy
		s.tally[tKilled] += amount * p.killed
		s.tally[tFailed] += amount * (1 - p.killed) * p.failed
		s.tally[tColor] += amount * (1 - p.killed) * (1 - p.failed)
		s.tally[tBlended] += amount * (1 - p.killed) * (1 - p.failed) * p.blended
	}
}
