package rdna

// opKind is an operation of a wave.
type opKind uint8

const (
	opScalar  opKind = iota // scalar loads, waited for
	opVALU                  // vector arithmetic
	opLoad                  // vector loads, waited for depth iterations later
	opStore                 // vector stores, waited for by nobody
	opAtomic                // on memory, waited for where ret
	opLDS                   // reads and writes of LDS, waited for
	opBarrier               // of the work-group
)

// op is an operation, done n times in a row.
type op struct {
	kind opKind
	n    float64 // instructions

	// Of arithmetic: SIMD cycles of an instruction, and cycles until one that needs the result of it may follow where
	// nothing else is there to do, which counts with the share dep.
	cycles, dep float64
	class       class

	// Of memory: bytes of a lane, lines that the lanes touch, and the shares of these that hit in GL0, that hit in GL2
	// of the others, and in the Infinity Cache of the rest.
	bytes, lines, gl0, gl2, mall float64
	depth                        int // of loads: iterations that lie between asking and using
	texture                      bool
	ret                          bool
	serial                       float64 // of atomics: cycles in GL2 of each line, for lanes that meet in a word

	conflict float64 // of LDS: more cycles for each that is needed
}

// class is what kind of arithmetic it is, as far as counters tell.
type class uint8

const (
	plain class = iota
	transcendental
	double
)

const valuLatency = 5 // cycles until a dependent instruction may issue

// state is what a wave does after an operation.
type state uint8

const (
	ready  state = iota
	parked       // at a barrier
	ended
)

// step does a wave's next operation.
func (e *engine) step(w *wave) state {
	body := e.k.phase(w.iter)
	for w.pc >= len(body) {
		w.pc = 0
		if w.iter++; w.iter >= e.k.iters+2 {
			e.drain(w)
			return ended
		}
		body = e.k.phase(w.iter)
	}
	o := &body[w.pc]
	if o.vector() && !e.issue(w, o) {
		return ready
	}
	switch o.kind {
	case opVALU:
		e.arithmetic(w, o)
		return ready
	case opLoad:
		e.load(w, o)
	case opStore:
		done, _ := e.memory(w, o)
		e.vmem.add(w.at, done)
	case opAtomic:
		done, seg := e.memory(w, o)
		e.vmem.add(w.at, done)
		if o.ret {
			e.wait(w, done, seg)
		}
	case opScalar:
		start, seg := e.serve(&e.sqc, byLatency, w.at, o.n*2, w.seg)
		e.inst += start - w.at
		to := start + o.n*2 + e.m.latency*e.m.scalarCycles
		seg = e.add(byLatency, e.segs[seg].to, to, seg)
		e.cnt += to - start
		w.at, w.seg = to, seg
	case opLDS:
		e.local(w, o)
	case opBarrier:
		w.pc++
		return e.meet(w)
	}
	w.pc++
	return ready
}

// drain waits for what is left at a wave's end: only loads are.
func (e *engine) drain(w *wave) {
	for _, f := range w.pending[:w.asked] {
		e.wait(w, f.done, f.seg)
	}
}

// wait lets a wave wait until something is done.
func (e *engine) wait(w *wave, done float64, seg int32) {
	if done > w.at {
		e.cnt += done - w.at
		w.at, w.seg = done, seg
	}
}

// A wave issues so many instructions before others have a turn, or a part of what there is.
const (
	batch  = 48
	shares = 4
)

func (e *engine) arithmetic(w *wave, o *op) {
	step := max(batch, o.n/shares)
	n := min(step, o.n-float64(w.chunk)*step)
	s := &e.simd[w.simd]
	cycles := n * o.cycles * e.m.arithmetic
	start, seg := e.serve(s, byArithmetic, w.at, cycles, w.seg)
	e.inst += start - w.at
	to := start + cycles
	if long := n * e.m.arithmetic * (o.dep*valuLatency + (1-o.dep)*o.cycles); long > cycles {
		seg = e.add(byArithmetic, to, start+long, seg)
		to = start + long
	}
	w.at, w.seg = to, seg
	if w.chunk++; float64(w.chunk)*step >= o.n-1e-6 {
		w.chunk = 0
		w.pc++
	}
}

func (e *engine) load(w *wave, o *op) {
	at := w.at
	done, seg := e.memory(w, o)
	e.vmem.add(at, done)
	w.pending[w.asked] = flight{done: done, seg: seg}
	w.asked++
	// In order: what is used now was asked for some iterations ago.
	for w.asked > min(o.depth*e.loads, maxPending-1) {
		e.wait(w, w.pending[0].done, w.pending[0].seg)
		copy(w.pending[:], w.pending[1:w.asked])
		w.asked--
	}
}

// vector reports whether an operation goes through the address unit.
func (o *op) vector() bool { return o.kind == opLoad || o.kind == opStore || o.kind == opAtomic }

// issue gives vector memory instructions to the address unit. It reports false where that takes them later: the wave
// comes back then.
func (e *engine) issue(w *wave, o *op) bool {
	if w.issued > 0 {
		return true
	}
	ta := &e.ta[w.simd/2]
	lines := o.n * o.lines
	cycles := max(o.n*o.bytes*lanes/gl0Bytes, lines)
	if o.texture {
		cycles = max(cycles, o.n*lanes/filtered)
	}
	start, seg := e.serve(ta, byLoadStore, w.at, cycles*e.m.loadStore, w.seg)
	w.issued = seg
	if start > w.at {
		e.inst += start - w.at
		e.qTA.add(w.at, start)
		w.at, w.seg = start, e.segs[seg].pred
		return false
	}
	return true
}

// memory sends vector memory instructions on their way after the address unit: for the lines that miss in GL0 through
// GL2, the fabric and DRAM. The wave goes on.
func (e *engine) memory(w *wave, o *op) (done float64, seg int32) {
	lines := o.n * o.lines
	seg, w.issued = w.issued, 0
	out := e.segs[seg].to
	missed := lines * (1 - o.gl0)
	if o.kind != opLoad {
		missed = lines
	}
	if missed < 1e-6 {
		to := out + e.m.latency*e.m.l0Cycles
		return to, e.add(byLatency, out, to, seg)
	}
	if o.kind == opLoad {
		out, seg = e.room(missed, out, seg)
	}
	requests := missed * max(1, o.bytesOfLine()/64)
	if o.kind == opLoad {
		requests = missed
	}
	serve := requests / (gl2Channels * e.k.spread) * e.active
	if o.kind == opAtomic {
		serve *= o.serial
	}
	begin := out
	var start float64
	start, seg = e.serve(&e.gl2, byCache, out, serve*e.m.cache, seg)
	if start > begin+16 {
		e.qGL2.add(begin, start)
	}
	out = e.segs[seg].to
	delay := e.m.l0Cycles + e.m.l2Cycles
	mean := e.m.l2Cycles // of a line, from GL1 on
	if far := missed * (1 - o.gl2); far > 1e-6 && o.kind != opAtomic {
		far *= max(o.bytesOfLine(), 64)
		if o.kind == opLoad {
			far = missed * (1 - o.gl2) * lineBytes
		}
		mall := o.mall * e.m.warm
		b, s := e.serve(&e.fabric, byBandwidth, out, far*e.m.clock/fabricRate*e.m.bandwidth*e.active, seg)
		if b > out+16 {
			e.qMem.add(out, b)
		}
		out, seg = e.segs[s].to, s
		if dram := far * (1 - mall); dram > 1e-6 {
			b, s = e.serve(&e.dram, byBandwidth, out, dram*e.m.clock/(dramRate*e.k.dram)*e.m.bandwidth*e.active, seg)
			if b > out+16 {
				e.qMem.add(out, b)
			}
			out, seg = e.segs[s].to, s
		}
		// A wave waits for the slowest of its lines.
		reach := 1 - o.gl2
		if o.lines*(1-o.gl2) >= 1 {
			reach = 1
		}
		miss := 1 - mall
		if o.lines*(1-o.gl2)*(1-mall) >= 1 {
			miss = 1
		}
		delay += reach * (e.m.mallNs + miss*e.m.dramNs) * e.m.clock
		mean += (1 - o.gl2) * (e.m.mallNs + (1-mall)*e.m.dramNs) * e.m.clock
	}
	if o.kind == opLoad {
		part := min(1, missed) // a load whose lines mostly hit waits for GL0 only most of the time
		delay = part*delay + (1-part)*e.m.l0Cycles
	}
	vary := e.m.latency * (0.85 + 0.3*e.draw(w))
	delay *= vary
	mean *= vary
	done = out + delay
	last := e.add(byLatency, out, done, seg)
	e.below.add(begin, done)
	e.inFlight += requests * (out - begin + mean)
	if o.kind == opLoad {
		// The counter adds up what every read takes, and those that hit return early, although the wave waits for the
		// slowest. Most of the queue for the memory lies above GL1, where no counter sees it.
		e.latency += (mean + 0.25*(out-begin)) * missed
		e.reads += missed
		e.air = append(e.air, flight{done, missed, last})
		e.lines += missed
	}
	return done, last
}

// bytesOfLine is how much of a line is written.
func (o *op) bytesOfLine() float64 { return min(lineBytes, o.bytes*lanes/o.lines) }

// room waits until so many more lines may be under way. Loads are let in one after the other, as they come: what one that
// waits has been given is not there for the next one before it.
func (e *engine) room(lines, at float64, seg int32) (float64, int32) {
	from := at
	if e.gate.done > at {
		at, seg = e.gate.done, e.gate.seg
	}
	for len(e.air) > 0 && (e.lines+lines > linesUnderWay || e.air[0].done <= at) {
		f := e.air[0]
		e.air = e.air[1:]
		e.lines -= f.lines
		if f.done > at {
			at, seg = f.done, f.seg
		}
	}
	if at > from {
		e.qData.add(from, at)
		e.gate = flight{done: at, seg: seg}
	}
	return at, seg
}

func (e *engine) local(w *wave, o *op) {
	half := &e.lds[w.simd/2]
	cycles := o.n * max(1, o.bytes*lanes/ldsBytes) * (1 + o.conflict) * e.m.lds
	start, seg := e.serve(half, byLDS, w.at, cycles, w.seg)
	e.ldsQ += start - w.at
	e.inst += start - w.at
	to := start + cycles
	seg = e.add(byLDS, to, to+ldsLatency*e.m.lds, seg)
	e.cnt += to + ldsLatency*e.m.lds - start
	w.at, w.seg = to+ldsLatency*e.m.lds, seg
}

// meet lets a wave wait for its work-group; the last one wakes all.
func (e *engine) meet(w *wave) state {
	g := &e.groups[w.group]
	if g.arrived++; g.arrived < e.k.wavesPerGroup() {
		g.waiting = append(g.waiting, w)
		return parked
	}
	for _, o := range g.waiting {
		e.barrier += w.at - o.at
		o.at, o.seg = w.at, w.seg
		e.waves.push(o)
	}
	g.arrived, g.waiting = 0, g.waiting[:0]
	return ready
}
