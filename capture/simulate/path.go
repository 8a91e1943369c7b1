package simulate

// Every event of a simulation happened when it did because of one other event: it waited for that, and then something
// took its time. The path keeps this for each event, so that a walk back from the last frame says for every
// nanosecond what set the pace.

// node is an event: what happened between the event prev and time t was of the cause.
type node struct {
	t     int64
	prev  int32
	cause uint8
	queue uint8 // of the work, 255 outside of queues
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

const noQueue = 255

// Stretch is a piece of the path.
type Stretch struct {
	Start, End int64
	Cause      Candidate
	Queue      string // whose work it was; "" for none
}

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

// at adds an event. Where the path is not kept it costs nothing.
func (e *engine) at(t int64, cause, queue uint8, prev int32) int32 {
	if !e.keep {
		return 0
	}
	e.nodes = append(e.nodes, node{t, prev, cause, queue})
	return int32(len(e.nodes) - 1)
}

// walk goes back from an event to time until and calls visit for every stretch, the latest first. The stretches join
// without gaps.
func (e *engine) walk(from int32, until int64, visit func(start, end int64, cause, queue uint8)) {
	for n := from; ; {
		this := e.nodes[n]
		if this.t <= until || this.prev < 0 {
			if this.t > until { // the simulation began later than asked for
				visit(until, this.t, causeStart, noQueue)
			}
			return
		}
		start := max(until, e.nodes[this.prev].t)
		if this.t > start {
			visit(start, this.t, this.cause, this.queue)
		}
		n = this.prev
	}
}
