package cpu

import "math"

// slice is how long a thread keeps its CPU while another waits (the base slice of Linux' EEVDF on some CPUs); wakeup is
// how far behind a thread must be to take a CPU at once.
const slice, wakeup = 3e6, 1e6

// weight is a thread's by the scheduler's table of nice values. Relief of others halves it, so that those who always want
// a CPU have 2/3 of the half that is theirs.
func (e *engine) weight(t *thread) float64 {
	w := 1.0
	if t.other != nil && t.other.nice {
		w = 15.0 / 1024
	}
	if t.other != nil && e.relief == cpuOthers {
		w /= 2
	}
	return w
}

// leave takes a running thread from its CPU.
func (e *engine) leave(t *thread, does int) {
	c := &e.cpus[t.cpu]
	c.thread, c.emptied, e.changed = nil, e.now, true
	t.does, t.last, t.cpu, t.slept = does, t.cpu, -1, e.now
}

// sleep takes a running thread from its CPU, which goes to another.
func (e *engine) sleep(t *thread, does int) {
	e.leave(t, does)
	e.fill()
}

// preempt lets a running thread wait.
func (e *engine) preempt(c int) {
	t := e.cpus[c].thread
	e.leave(t, isReady)
	e.ready = append(e.ready, t)
}

// wake makes a thread ready, and gives it a CPU if there is one.
func (e *engine) wake(t *thread) {
	t.util *= math.Exp(-(e.now - t.slept) / 32e6)
	t.before += switchInstructions
	t.does = isReady
	if c := e.idleFor(t); c >= 0 {
		e.put(t, c)
		return
	}
	worst, least := 0, math.Inf(1)
	for i := range e.cpus {
		x := e.cpus[i].thread.waited
		least = min(least, x)
		if x > e.cpus[worst].thread.waited {
			worst = i
		}
	}
	t.waited = max(t.waited, least-slice)
	if e.cpus[worst].thread.waited > t.waited+wakeup {
		e.preempt(worst)
		e.put(t, worst)
		return
	}
	e.ready = append(e.ready, t)
}

// idleFor is the best CPU that has nothing to do: cores without a busy second thread, then where the thread last ran;
// large cores for those that need them, small ones for others (energy aware scheduling); -1 where all are busy.
func (e *engine) idleFor(t *thread) int {
	best, score := -1, math.Inf(-1)
	for i := range e.cpus {
		p, x := e.s.m.cpus[i], 0.0
		if p.sibling >= 0 && e.cpus[p.sibling].thread != nil {
			x -= 2
		}
		if i == t.last {
			x++
		}
		if p.class > 0 && t.util > 0.25 {
			x -= 4
		} else if p.class > 0 {
			x += 4
		}
		if e.cpus[i].thread == nil && x > score {
			best, score = i, x
		}
	}
	return best
}

func (e *engine) put(t *thread, c int) {
	if e.rec != nil {
		e.rec.switched(e, c, t)
	}
	if t.last != c && t.other == nil {
		t.before += switchInstructions / 3 // what the other core's caches do not have
	}
	e.cpus[c].thread, e.cpus[c].since, e.changed = t, e.now, true
	if t.does, t.cpu, t.last = runs, c, c; t.other == nil && t.left == 0 { // it comes from a wait
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

// settle moves heavy threads from small cores to large ones that have nothing to do (misfit migration).
func (e *engine) settle() {
	for i := range e.cpus {
		if t := e.cpus[i].thread; t != nil && e.s.m.cpus[i].class > 0 && t.util > 0.4 {
			if c := e.idleFor(t); c >= 0 && e.s.m.cpus[c].class == 0 {
				e.leave(t, isReady)
				e.put(t, c)
			}
		}
	}
}
