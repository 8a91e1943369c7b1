package simulate

// Every event of a simulation happened when it did because of one other event: it waited for that, and then something
// took its time. The path keeps this for each event, so that a walk back from the last frame says for every
// nanosecond what set the pace.

// node is an event: what happened between the event prev and time t was of the cause.
type node struct {
	t     int64
	prev  int32
	cause uint8
	queue uint8 // of the work, NoQueue outside of queues
}

// Path is the events of a simulation with what each waited for. Causes are numbers of the simulation's own. Where
// Keep is false nothing is kept and events cost nothing.
type Path struct {
	Keep  bool
	nodes []node
}

// NoQueue is the queue of events that are of none.
const NoQueue = 255

// Begin empties the path and adds the event that everything comes from, at time 0. It is event 0.
func (p *Path) Begin(cause uint8) {
	p.nodes = append(p.nodes[:0], node{0, -1, cause, NoQueue})
}

// At adds an event at time t and returns its number. From the event prev to then the cause was at work.
func (p *Path) At(t int64, cause, queue uint8, prev int32) int32 {
	if !p.Keep {
		return 0
	}
	p.nodes = append(p.nodes, node{t, prev, cause, queue})
	return int32(len(p.nodes) - 1)
}

// Time is when an event happened.
func (p *Path) Time(n int32) int64 { return p.nodes[n].t }

// Blame gives an event another cause.
func (p *Path) Blame(n int32, cause uint8) {
	if p.Keep {
		p.nodes[n].cause = cause
	}
}

// Walk goes back from an event to time until and calls visit for every stretch, the latest first. The stretches join
// without gaps.
func (p *Path) Walk(from int32, until int64, visit func(start, end int64, cause, queue uint8)) {
	for n := from; ; {
		this := p.nodes[n]
		if this.t <= until || this.prev < 0 {
			if this.t > until { // the simulation began later than asked for
				visit(until, this.t, this.cause, NoQueue)
			}
			return
		}
		start := max(until, p.nodes[this.prev].t)
		if this.t > start {
			visit(start, this.t, this.cause, this.queue)
		}
		n = this.prev
	}
}

// Causes beyond the machine's units, whose numbers are those of the units.
const (
	causeLaunch = maxUnits + iota
	causeInterrupt
	causeApp
	causeDriver
	causeVsync
	causeCap
	causeRequest
	causeStart // the beginning of the simulation
	causes
)

// candidateOf is what a cause is called.
func (e *engine) candidateOf(cause uint8) Candidate {
	switch cause {
	case causeLaunch, causeInterrupt:
		return LaunchOverhead
	case causeApp:
		return CPUApp
	case causeDriver:
		return CPUDriver
	case causeVsync:
		return DisplayVsync
	case causeCap:
		return DisplayCap
	case causeRequest, causeStart:
		return DisplayRequest
	}
	return e.m.Units[cause].Candidate
}

// at adds an event to the path.
func (e *engine) at(t int64, cause, queue uint8, prev int32) int32 {
	return e.path.At(t, cause, queue, prev)
}
