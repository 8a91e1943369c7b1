package mali

// trail keeps what every event waited for, so that a walk back from the last frame says what set the pace.
type trail struct {
	keep  bool
	nodes []event
}

// event happened at t; since the event before, the cause was at work, on a queue where it is one's.
type event struct {
	t      int64
	before int32
	cause  uint8
	queue  int8 // -1 for none
	turn   bool // nothing but a needless dependency kept it from happening before
}

func (p *trail) at(t int64, cause uint8, queue int, before int32) int32 {
	if !p.keep {
		return 0
	}
	p.nodes = append(p.nodes, event{t: t, before: before, cause: cause, queue: int8(queue)})
	return int32(len(p.nodes) - 1)
}

// held is an event of no length of its own, for work that a needless dependency kept from beginning.
func (p *trail) held(t int64, before int32) int32 {
	if !p.keep {
		return 0
	}
	p.nodes = append(p.nodes, event{t: t, before: before, cause: p.nodes[before].cause, queue: p.nodes[before].queue, turn: true})
	return int32(len(p.nodes) - 1)
}

// walk visits the stretches from an event back to a time. turn says that a queue works while another one, that waits
// for it needlessly, could.
func (p *trail) walk(from int32, until int64, visit func(ns int64, cause uint8, queue int8, turn bool)) {
	turn := false
	for n := from; ; {
		e := p.nodes[n]
		if e.turn {
			turn = true
		}
		if e.queue < 0 {
			turn = false
		}
		if e.t <= until || e.before < 0 {
			if e.t > until {
				visit(e.t-until, e.cause, e.queue, false)
			}
			return
		}
		if start := max(until, p.nodes[e.before].t); e.t > start {
			visit(e.t-start, e.cause, e.queue, turn)
		}
		if turn && !e.turn && e.before >= 0 && p.nodes[e.before].queue != e.queue {
			turn = false // what that queue waited for itself
		}
		n = e.before
	}
}
