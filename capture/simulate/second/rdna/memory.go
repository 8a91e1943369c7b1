package rdna

import "math"

// memory sends a batch of loads, stores or atomics on its way.
func (e *engine) memory(w *wave, o *op) {
	a, cu := o.mem, w.simd/2
	ta := &e.ta[cu]
	if ta.free-queueDepth > w.at {
		wait := ta.free - queueDepth - w.at
		e.out.waitIssue += wait
		w.at, w.last = w.at+wait, ta.last
	}
	segments := o.n * a.segments
	d := &e.dithers[o.id]
	missed := segments
	if o.kind == opLoad {
		missed = share(&d[0], segments, 1-a.l0)
		e.out.gl0Reads += segments
		e.out.gl0ReadMisses += missed
	}
	// Requests that miss wait until older ones of the same L0 are answered.
	arrives, before := w.at, w.last
	if at, of := e.room(cu, missed); at > arrives {
		e.out.taStalled += math.Max(0, at-math.Max(arrives, ta.free))
		arrives, before = at, of
	}
	e.out.gl0 += segments
	issued, at := e.serve(ta, arrives, math.Max(o.n, segments)/(e.m.ta*e.r.loadStore), before)
	w.at += o.n
	done := issued + e.m.latency.l0*e.r.latency
	if missed > 0 {
		e.out.gl0Misses += missed
		switch o.kind {
		case opLoad:
			done, at = e.reads(a, d, missed, done, at)
		case opStore:
			done, at = e.writes(a, missed, done, at)
		case opAtomic:
			done, at = e.atomic(a, missed, done, at)
		}
		e.fill(cu, missed, done, at)
	}
	if o.kind == opStore {
		e.lastStore(done, at)
		return
	}
	// Loads come back in order.
	if w.issued > 0 {
		if i := (w.issued - 1) % len(w.vm); w.vm[i] > done {
			done, at = w.vm[i], w.vmNode[i]
		}
	}
	w.vm[w.issued%len(w.vm)], w.vmNode[w.issued%len(w.vm)] = done, at
	w.issued++
}

// share is the whole number of requests that come next so that shares add up to the rate.
func share(left *float64, n, rate float64) float64 {
	*left += n * rate
	whole := math.Floor(*left + 1e-9)
	*left -= whole
	return whole
}

// room is when an L0 has room for so many more requests.
func (e *engine) room(cu int, n float64) (float64, int32) {
	ring := e.ring[cu]
	i := (e.ringAt[cu] + min(int(n), len(ring)) - 1 + len(ring)) % len(ring)
	if n < 1 {
		return 0, -1
	}
	return ring[i], e.ringOf[cu][i]
}

func (e *engine) fill(cu int, n, done float64, of int32) {
	ring := e.ring[cu]
	for range min(int(n), len(ring)) {
		ring[e.ringAt[cu]], e.ringOf[cu][e.ringAt[cu]] = done, of
		e.ringAt[cu] = (e.ringAt[cu] + 1) % len(ring)
	}
}

// reads follows requests that missed L0 down to where they hit, and returns when the last answer is back.
func (e *engine) reads(a *access, d *[4]float64, missed, t float64, at int32) (float64, int32) {
	l := &e.m.latency
	requests, bytes, cost := missed, float64(segmentBytes), 1.0
	if a.wide {
		requests, bytes, cost = missed/2, lineBytes, lineCost
	}
	e.out.gl1Reads += requests
	t += l.gl1 * e.r.latency
	below := share(&d[1], requests, 1-a.gl1)
	if below == 0 {
		return t, at
	}
	sent := t
	e.out.gl2Reads += below
	if a.wide {
		e.out.gl2ReadsWide += below
	}
	end, at := e.serve(&e.gl2, t, below*cost*a.camping()*e.active/(e.m.gl2*e.r.cache), at)
	t = end + l.gl2*e.r.latency
	if out := share(&d[2], below, 1-a.gl2); out > 0 {
		e.out.gl2ReadMisses += out
		if a.wide {
			e.out.gl2ReadMissesWide += out
		}
		rate := e.r.bandwidth / e.active
		end, at = e.serve(&e.read, end, out*bytes/(e.m.fabric*rate), at)
		t = end + (l.gl2+l.mall)*e.r.latency
		if far := share(&d[3], out, 1-a.mall); far > 0 {
			end, at = e.serve(&e.dram, end, far*bytes*a.dramWaste/(e.m.dram*rate), at)
			t = end + (l.gl2+l.mall+l.dram)*e.r.latency
		}
	}
	e.out.readLatency += below * (t - sent)
	return t, at
}

// writes brings stores to GL2, which takes them as long as memory takes what it evicts.
func (e *engine) writes(a *access, segments, t float64, at int32) (float64, int32) {
	l := &e.m.latency
	e.out.gl1Writes += segments
	e.out.gl2Writes += segments
	if a.partial {
		e.out.gl2Partial += segments
	}
	t += l.gl1 * e.r.latency
	sent := t
	bytes := float64(segmentBytes)
	if a.partial {
		bytes /= 2
		e.out.gl2WriteMisses += segments * (1 - a.gl2)
		e.out.memPartial += segments * a.toMemory
	} else {
		e.out.gl2WriteMisses += segments / 2 * (1 - a.gl2) // the second half of a line finds the first
	}
	end, at := e.serve(&e.gl2, t, segments*a.camping()*e.active/(e.m.gl2*e.r.cache), at)
	t, at = e.evict(segments*bytes*a.toMemory, a, end, at)
	t += l.gl2 * e.r.latency
	e.out.memWrites += segments * a.toMemory
	e.out.writeLatency += segments * (t - sent)
	return t, at
}

// evict sends what GL2 writes to memory, and returns when GL2 has taken its reason.
func (e *engine) evict(bytes float64, a *access, t float64, at int32) (float64, int32) {
	if bytes <= 0 {
		return t, at
	}
	rate := e.r.bandwidth / e.active
	end, node := e.serve(&e.write, t, bytes/(e.m.fabric*rate), at)
	if far := bytes * (1 - a.mall); far > 0 {
		end, node = e.serve(&e.dram, end, far*a.dramWaste/(e.m.dram*rate), node)
	}
	if end-absorb > t {
		return end - absorb, node
	}
	return t, at
}

// atomic lets GL2 do read-modify-writes: one request per segment, and longer where many want one address.
func (e *engine) atomic(a *access, segments, t float64, at int32) (float64, int32) {
	l := &e.m.latency
	e.out.gl1Writes += segments
	e.out.gl2Atomics += segments
	t += l.gl1 * e.r.latency
	sent := t
	end, at := e.serve(&e.gl2, t, segments*(2+a.hot)*e.active/(e.m.gl2*e.r.cache), at)
	out := segments * (1 - a.gl2)
	e.out.memWrites += out * a.toMemory
	e.out.atomicMisses += out
	if out > 0 {
		rate := e.r.bandwidth / e.active
		end, at = e.serve(&e.read, end, out*segmentBytes/(e.m.fabric*rate), at)
		if far := out * segmentBytes * (1 + a.toMemory) * (1 - a.mall); far > 0 {
			end, at = e.serve(&e.dram, end, far*a.dramWaste/(e.m.dram*rate), at)
		}
		end += out / segments * (l.mall + (1-a.mall)*l.dram) * e.r.latency
	}
	end += l.gl2 * e.r.latency
	e.out.writeLatency += segments * (end - sent)
	return end, at
}

// lastStore keeps the end of the latest store: the kernel does not end before it.
func (e *engine) lastStore(done float64, at int32) {
	if done > e.lastEnd {
		e.lastEnd, e.lastOf = done, at
	}
}

// scale makes the sums of one WGP those of all workgroups.
func (e *engine) scale(by float64) {
	o := &e.out
	for i := range e.ta {
		o.taBusy += e.ta[i].busy
		o.ldsBusy += e.lds[i].busy
	}
	if e.lastEnd > 0 {
		o.gl2Load, o.readLoad, o.writeLoad = e.gl2.busy/e.lastEnd, e.read.busy/e.lastEnd, e.write.busy/e.lastEnd
		o.dramLoad = e.dram.busy / e.lastEnd
	}
	for _, x := range []*float64{&o.waveCycles, &o.waitAny, &o.waitCount, &o.waitBarrier, &o.waitIssue, &o.waitLDS,
		&o.taBusy, &o.taStalled, &o.ldsBusy, &o.gl0, &o.gl0Misses, &o.gl0Reads, &o.gl0ReadMisses,
		&o.gl1Reads, &o.gl1Writes, &o.gl2Reads, &o.gl2ReadsWide, &o.gl2ReadMisses,
		&o.gl2ReadMissesWide, &o.gl2Writes, &o.gl2WriteMisses, &o.gl2Partial, &o.gl2Atomics, &o.atomicMisses,
		&o.memWrites, &o.memPartial, &o.readLatency, &o.writeLatency} {
		*x *= by
	}
}

// walk goes back along what the end of the kernel waited for and adds up whose time it was. The rest of a large grid is
// taken to be like what was run.
func (e *engine) walk(rest float64) {
	t := e.lastEnd
	var found [leaves]float64
	for at := e.lastOf; at >= 0 && t > 0; at = e.nodes[at].before {
		n := &e.nodes[at]
		if n.end < t { // on its way between units
			found[leafLatency] += t - n.end
			t = n.end
		}
		if n.start < t {
			found[n.of] += t - n.start
			t = n.start
		}
	}
	found[leafLaunch] += t
	if e.lastEnd > 0 {
		for i := range found {
			found[i] *= (e.lastEnd + rest) / e.lastEnd
		}
	}
	found[leafOverhead] += (e.m.begin + e.m.end) * e.r.overhead
	e.out.shares = found
}
