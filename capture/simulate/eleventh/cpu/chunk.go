package cpu

// startChunk begins the next stretch of a thread's code on its CPU: as many instructions as fit into chunkNs by what
// the core alone needs, and a memory that serves requests one after the other.
func (r *run) startChunk(t *thread) {
	s := &t.script[t.at]
	d := r.m.cpus[t.cpu]
	hz, why := r.clock.of(t.cpu)
	ghz := hz / 1e9

	// What is asked of memory now raises what a request takes.
	r.decay()
	busy := min(r.load, 0.97)
	dram := r.m.dramNs * (1 + 0.12*busy/(1.05-busy))

	p := s.work
	whole := p.of(t.left, d, dram, &r.rates)
	alone := whole.sum()/ghz + whole.ns
	n := t.left
	if alone > chunkNs {
		n *= chunkNs / alone
	}
	c := p.of(n, d, dram, &r.rates)
	cycles := c.sum()
	alone = cycles/ghz + c.ns
	service := c.bytes / r.m.bandwidth
	r.memory = max(r.memory, float64(r.now)) + service
	r.load += service / loadNs
	took := max(alone, r.memory-float64(r.now))
	end := r.now + max(1, int64(took))

	sp := span{start: r.now, end: end, why: int8(why)}
	for k, x := range c.cycles {
		sp.part[k] = float32(x / ghz / took)
	}
	sp.part[inLatency] += float32(c.ns / took)
	sp.part[inBandwidth] += float32(max(0, took-alone) / took)
	sp.lost = float32(cycles / ghz * (1 - hz/d.maxHz) / took)
	r.note(t, sp)
	if r.watch != nil {
		r.watch.chunk(t.cpu, t, r.now, end, n, &c, hz)
	}
	t.left -= n
	t.running = true
	r.push(end, t, false)
}

const loadNs = 1e6 // over which the memory's load is a mean

func (r *run) decay() {
	gone := float64(r.now - r.loadAt)
	r.loadAt = r.now
	r.load -= r.load * min(1, gone/loadNs)
}

// chunkDone goes on behind a chunk.
func (r *run) chunkDone(t *thread) {
	t.running = false
	cpu := t.cpu
	if t.finished {
		r.release(cpu)
		return
	}
	t.ran += chunkNs
	if t.left > 1 {
		if t.ran >= sliceNs && len(r.ready) > 0 {
			r.release(cpu)
			r.want(t)
			return
		}
		if r.m.slow(cpu) && len(r.ready) == 0 {
			for i, b := range r.busy {
				if b == nil && !r.m.slow(i) { // the kernel moves it to the faster core
					r.release(cpu)
					t.ready = r.now
					r.place(t, i)
					return
				}
			}
		}
		r.startChunk(t)
		return
	}
	t.at++
	// The next step may be code as well: then the thread keeps its CPU.
	if t.at < len(t.script) && t.script[t.at].kind == stepRun && t.ran < sliceNs {
		t.left = t.script[t.at].amount * r.drawn(t, t.script[t.at].spread)
		r.startChunk(t)
		return
	}
	r.busy[cpu] = nil
	before := len(r.ready)
	r.proceed(t)
	if r.over {
		if r.watch != nil {
			r.watch.busyCPU(r.now, cpu, false)
		}
		return
	}
	// It comes back at once where it did not sleep, and nobody waits for its CPU.
	if t.why == waitNone && !t.finished && before == 0 && len(r.ready) > 0 {
		for i, x := range r.ready {
			if x == t && r.busy[cpu] == nil {
				r.ready = append(r.ready[:i], r.ready[i+1:]...)
				r.busy[cpu] = t
				r.noteState()
				r.startChunk(t)
				return
			}
		}
	}
	if r.busy[cpu] == nil && r.watch != nil {
		r.watch.busyCPU(r.now, cpu, false)
		r.noteState()
	}
}
