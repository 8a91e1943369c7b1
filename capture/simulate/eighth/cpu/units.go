package cpu

import "astrolabe/capture/simulate"

// begin starts the next phase; p is nil when there is none.
func (e *engine) begin() {
	if e.p != nil {
		e.phase++
	}
	if e.p = nil; e.phase == len(e.s.phases) {
		return
	}
	e.p = e.s.phases[e.phase]
	e.begun, e.done, e.asked, e.started = 0, 0, -1, e.now
	e.left, e.todo = make([]int, e.p.units), make([][]part, len(e.p.groups))
	k := len(e.s.others)
	for g, n := range e.p.groups {
		for range n {
			if k == len(e.threads) {
				e.threads = append(e.threads, &thread{id: k, cpu: -1, part: part{unit: -1}, last: k % len(e.cpus), util: 0.5})
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
	if e.relief == simulate.QueuesInTurn && e.p.loose {
		window = len(e.p.stages) + 1
	}
	for e.begun < e.p.units && e.begun-e.done < window {
		if at := e.started + e.s.date(e.p, e.begun); e.p.paced() && at > e.now {
			if phase := e.phase; e.asked != e.begun {
				e.asked = e.begun
				e.when(at, func() {
					if phase == e.phase {
						e.start()
					}
				})
			}
			return
		}
		k := e.begun
		if e.begun++; k%e.p.batch == 0 {
			e.first, e.missed = append(e.first, e.now), append(e.missed, 0)
		}
		e.offer(k, 0)
	}
}

// offer hands the parts of a unit's stage to threads of its group that have nothing to do, and leaves the rest to those
// that will.
func (e *engine) offer(unit, stage int) {
	st := &e.p.stages[stage]
	e.left[unit] = st.parts
	for i := range st.parts {
		e.todo[st.group] = append(e.todo[st.group], part{unit, stage, i})
	}
	for _, t := range e.threads[len(e.s.others):] {
		if t.group == st.group && t.does == hasNothing && e.take(t) {
			e.wake(t)
		}
	}
}

func (e *engine) take(t *thread) bool {
	if t.group < 0 || len(e.todo[t.group]) == 0 {
		return false
	}
	t.part, e.todo[t.group] = e.todo[t.group][0], e.todo[t.group][1:]
	t.at, t.left, t.read = 0, 0, false
	return true
}

func (e *engine) unitDone(unit int) {
	if e.p.paced() && e.now-e.started-e.s.date(e.p, unit) > e.p.late() {
		e.missed[len(e.end)]++
	}
	if e.done++; e.done%e.p.batch == 0 {
		e.end, e.paces = append(e.end, e.now), append(e.paces, e.pace)
		e.pace = [shares]float64{}
	}
	if e.done == e.p.units {
		e.begin()
	} else {
		e.start()
	}
}
