package cpu

import "math"

// slice is how long a thread keeps its CPU while another waits (the base slice of Linux' EEVDF on some CPUs); wakeup is
// how far behind a thread must be to take a CPU at once.
const slice, wakeup = 3e6, 1e6

// sleep takes a running thread from its CPU.
func (e *engine) sleep(t *thread, does int) {
	c := &e.cpus[t.cpu]
	c.thread, c.emptied, t.does, t.last, t.cpu, t.slept = nil, e.now, does, t.cpu, -1, e.now
	e.changed = true
	e.fill()
}

// wake makes a thread ready, and gives it a CPU if there is one.
func (e *engine) wake(t *thread) {
	t.util *= math.Exp(-(e.now - t.slept) / 32e6)
	t.before += switchInstructions
	least := math.Inf(1)
	for i := range e.cpus {
		if x := e.cpus[i].thread; x != nil {
			least = min(least, x.waited)
		}
	}
	if !math.IsInf(least, 1) {
		t.waited = max(t.waited, least-slice)
	}
	t.does = isReady
	if c := e.idleFor(t); c >= 0 {
		e.put(t, c)
		return
	}
	// Who has had most gives way to one that is far behind.
	worst := -1
	for i := range e.cpus {
		if x := e.cpus[i].thread; worst < 0 || x.waited > e.cpus[worst].thread.waited {
			worst = i
		}
	}
	if x := e.cpus[worst].thread; x.waited > t.waited+wakeup {
		e.preempt(worst)
		e.put(t, worst)
		return
	}
	e.ready = append(e.ready, t)
}

func (e *engine) preempt(c int) {
	t := e.cpus[c].thread
	e.cpus[c].thread, e.cpus[c].emptied, t.does, t.last, t.cpu, t.slept = nil, e.now, isReady, c, -1, e.now
	e.ready = append(e.ready, t)
}

// idleFor is the best CPU that has nothing to do: cores without a busy second thread, then where the thread last ran;
// large cores for those that need them, small ones for others (energy aware scheduling); -1 where all are busy.
func (e *engine) idleFor(t *thread) int {
	best, score := -1, math.Inf(-1)
	for i := range e.cpus {
		if e.cpus[i].thread != nil {
			continue
		}
		p := e.s.m.cpus[i]
		x := 0.0
		if p.sibling >= 0 && e.cpus[p.sibling].thread != nil {
			x -= 2
		}
		if i == t.last {
			x++
		}
		if p.class > 0 {
			if x += 4; t.util > 0.25 {
				x -= 8
			}
		}
		if x > score {
			best, score = i, x
		}
	}
	return best
}

func (e *engine) put(t *thread, c int) {
	if e.rec != nil {
		e.rec.switched(e, c, t, t.last != c)
	}
	if t.last != c && t.app() {
		t.before += switchInstructions / 3 // what the other core's caches do not have
	}
	e.cpus[c].thread, e.cpus[c].since = t, e.now
	t.does, t.cpu, t.last = runs, c, c
	e.changed = true
	if !t.app() || t.left > 0 {
		return
	}
	if !t.spins { // it comes from a wait: for a part, a lock, or storage
		e.resume(t)
	}
}

// fill gives CPUs without a thread to those that wait.
func (e *engine) fill() {
	for len(e.ready) > 0 {
		k := 0
		for i, t := range e.ready {
			if t.waited < e.ready[k].waited {
				k = i
			}
		}
		t := e.ready[k]
		c := e.idleFor(t)
		if c < 0 {
			return
		}
		e.ready = append(e.ready[:k], e.ready[k+1:]...)
		e.put(t, c)
	}
}

// turn ends a thread's slice: another has its turn if it has had less.
func (e *engine) turn(c int) {
	t := e.cpus[c].thread
	e.cpus[c].since = e.now
	for _, x := range e.ready {
		if x.waited < t.waited {
			e.preempt(c)
			e.fill()
			return
		}
	}
}

// settle moves heavy threads from small cores to large ones that have nothing to do (misfit migration), and spreads
// threads whose cores are shared to cores that are free.
func (e *engine) settle() {
	for i := range e.cpus {
		t := e.cpus[i].thread
		p := e.s.m.cpus[i]
		if t == nil || e.cpus[i].stolen || p.class == 0 && (p.sibling < 0 || e.cpus[p.sibling].thread == nil) {
			continue
		}
		for j := range e.cpus {
			q := e.s.m.cpus[j]
			if e.cpus[j].thread != nil || q.class > p.class || q.class == p.class && p.class > 0 || p.class > 0 && t.util < 0.4 ||
				q.sibling >= 0 && e.cpus[q.sibling].thread != nil {
				continue
			}
			e.cpus[i].thread = nil
			e.put(t, j)
			break
		}
	}
}

// begin starts the next phase; p is nil when there is none.
func (e *engine) begin() {
	if e.p != nil {
		e.offset += e.p.units / e.p.batch
		e.phase++
	}
	if e.phase == len(e.s.phases) {
		e.p = nil
		return
	}
	e.p = e.s.phases[e.phase]
	e.begun, e.done, e.asked, e.started = 0, 0, -1, e.now
	e.left = make([]int, e.p.units)
	e.todo = make([][]part, len(e.p.groups))
	others := len(e.s.others)
	k := others
	for g, n := range e.p.groups {
		for range n {
			if k == len(e.threads) {
				e.threads = append(e.threads, &thread{id: k, cpu: -1, unit: -1, last: (k - others) % len(e.cpus), util: 0.5})
			}
			e.threads[k].group = g
			k++
		}
	}
	for ; k < len(e.threads); k++ {
		e.threads[k].group = -1
	}
	e.start()
}

// start begins units that may begin.
func (e *engine) start() {
	window := e.p.window
	if e.relief.Name == "in_turn" && e.p.loose {
		window = len(e.p.stages) + 1
	}
	for e.begun < e.p.units && e.begun-e.done < window {
		if e.p.pace != unpaced {
			if at := e.started + e.s.date(e.p, e.begun); at > e.now {
				if e.asked != e.begun {
					e.asked = e.begun
					e.push(at, evDate, e.phase)
				}
				return
			}
		}
		k := e.begun
		if e.begun++; k%e.p.batch == 0 {
			e.first = append(e.first, e.now)
			e.missed = append(e.missed, 0)
		}
		e.offer(k, 0)
	}
}

// offer hands the parts of a unit's stage to threads of its group.
func (e *engine) offer(unit, stage int) {
	st := &e.p.stages[stage]
	e.left[unit] = st.parts
	for i := range st.parts {
		e.todo[st.group] = append(e.todo[st.group], part{unit, stage, i})
	}
	e.give(st.group)
}

// give lets idle threads of a group take what is to do.
func (e *engine) give(group int) {
	for _, t := range e.threads[len(e.s.others):] {
		if len(e.todo[group]) == 0 {
			return
		}
		if t.group == group && t.does == doesNothing {
			e.take(t)
			e.wake(t)
		}
	}
}

func (e *engine) take(t *thread) {
	x := e.todo[t.group][0]
	e.todo[t.group] = e.todo[t.group][1:]
	t.unit, t.stage, t.part, t.at, t.left, t.read = x.unit, x.stage, x.part, 0, 0, false
}

// partDone ends a part of a unit, and with the last one the stage, and with the last of these the unit.
func (e *engine) partDone(t *thread) {
	unit, stage := t.unit, t.stage
	t.unit = -1
	if e.left[unit]--; e.left[unit] == 0 {
		if stage < len(e.p.stages)-1 {
			e.offer(unit, stage+1)
		} else if e.unitDone(unit); e.p == nil {
			return
		}
	}
	e.resume(t)
}

func (e *engine) unitDone(unit int) {
	if e.p.pace != unpaced && e.now-e.started-e.s.date(e.p, unit) > e.p.late() {
		e.missed[e.offset+unit/e.p.batch]++
	}
	if e.done++; e.done%e.p.batch == 0 {
		e.frameEnd = append(e.frameEnd, e.now)
		e.paces = append(e.paces, e.pace)
		e.pace = [shares]float64{}
	}
	if e.done == e.p.units {
		e.begin()
		return
	}
	e.start()
}
