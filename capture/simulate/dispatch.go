package simulate

// dispatch lets the next chunk of a stream into the cores at a time, and follows it to its end.
func (e *engine) dispatch(q *queue, which int, at int64) {
	s := &q.streams[which]
	k := s.k
	n := s.node
	// The slots that it takes are those that were free first. If it waited for room, then for the slot that became
	// free right now.
	var mine [2]int
	weight := max(1, min(s.of.Weight, 2))
	for w := range weight {
		best := -1
		for i := range e.slots {
			if w == 1 && i == mine[0] {
				continue
			}
			if best < 0 || e.slots[i].free < e.slots[best].free {
				best = i
			}
		}
		mine[w] = best
	}
	if at > s.at {
		for i := range e.slots {
			if e.slots[i].free == at {
				n = e.slots[i].node
			}
		}
	}
	s.issue[k], s.issueNode[k] = at, n
	if e.rec != nil {
		e.rec.issue(e, q, which, at)
	}

	finish, finishNode := at, n
	bound := -1
	for i := range s.of.Core {
		v := &s.of.Core[i]
		time, amount := e.time(q, s, v, k)
		start, end := e.serve(v.Unit, at, n, time)
		if v.Unit == UnitBandwidth {
			e.useMemory(at, time)
		}
		if end > finish {
			finish, bound = end, int(v.Unit)
		}
		if e.rec != nil {
			e.rec.work(s.pass, int(v.Unit), start, end, amount)
			e.rec.wait(v.Unit, at, start)
			if v.Unit == UnitBandwidth {
				e.rec.memory(s.pass, at, start, end, amount, 1+e.m.LatencyLoad*e.load*e.load)
			}
		}
	}
	if bound >= 0 {
		finishNode = e.at(finish, uint8(bound), q.index, e.unit[bound].since)
	}

	out, outNode := finish, finishNode
	s.taken[k], s.takenNode[k] = finish, finishNode
	for i := range s.of.Back {
		v := &s.of.Back[i]
		time, amount := e.time(q, s, v, k)
		arrived := out
		start, end := e.serve(v.Unit, arrived, outNode, time)
		if i == 0 && start > finish {
			s.taken[k], s.takenNode[k] = start, e.at(start, v.Unit, q.index, e.unit[v.Unit].since)
		}
		out = end
		outNode = e.at(end, v.Unit, q.index, e.unit[v.Unit].since)
		if e.rec != nil {
			e.rec.work(s.pass, int(v.Unit), start, end, amount)
			e.rec.wait(v.Unit, arrived, start)
		}
	}
	s.end[k], s.endNode[k] = out, outNode

	// The slot is free when the chunk is done and the buffer behind the cores has room for it.
	free, freeNode := finish, finishNode
	if b := k - e.m.Back; b >= 0 && s.taken[b] > free {
		free, freeNode = s.taken[b], s.takenNode[b]
	}
	for w := range weight {
		e.slots[mine[w]] = slot{free, freeNode, q.index*2 + uint8(which)}
	}
	e.findRoom()
	e.clock.work(q.began, out)
	if out > q.end {
		q.end, q.endNode = out, outNode
	}
	if e.rec != nil {
		e.rec.chunk(e, q, which, at, finish, free, out)
	}
	q.first = false
	s.k++
	s.ready = false
	for i := range q.streams {
		if q.streams[i].k < q.streams[i].of.Chunks {
			return
		}
	}
	e.finishJob(q, at, n)
}

// finishJob notes the end of a job whose chunks are all issued, and of its frame if it was the last.
func (e *engine) finishJob(q *queue, issued int64, issuedNode int32) {
	q.running = false
	if e.rec != nil {
		e.rec.tail(q, issued)
	}
	q.issued, q.issuedNode = issued, issuedNode
	if q.end > q.ended {
		q.ended, q.endedNode = q.end, q.endNode
	}
	q.state.end, q.state.endNode, q.state.done = q.end, q.endNode, true
	f := &e.frames[q.jobFrame]
	if q.end > f.done {
		f.done, f.doneNode = q.end, q.endNode
	}
	f.left--
}
