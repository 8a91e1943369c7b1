package simulate

// Domain is what a unit's speed follows.
type Domain uint8

const (
	CoreClock   Domain = iota // the GPU's clock
	MemoryClock               // the memory's clock
	NoClock                   // none, such as the time that an access takes
)

// Unit serves chunks, one after the other, in the order in which they reach it.
type Unit struct {
	Candidate Candidate
	Domain    Domain
}

// Units that every machine has, at these places.
const (
	UnitBandwidth = 0 // memory: a chunk's time is its bytes by the attainable bandwidth
	UnitLatency   = 1 // waits for memory that the threads in flight cannot hide (Little's law)
	FirstUnit     = 2 // the machine's own
)

// Machine is what the hardware has, apart from what a case does with it.
type Machine struct {
	Units  []Unit
	Queues []string // their neutral names
	// Groups puts queues whose work counters of the cores count together into one group; nil leaves each to itself.
	Groups []int
	// Tags is how many tags jobs may have, from 1 on.
	Tags int
	// Slots is how many chunks the shader cores hold at once, over all queues. A chunk stands for a batch of warps or
	// waves.
	Slots int
	// Front and Back are how many chunks a stream's buffers hold before the cores and behind them.
	Front, Back int
	Clock       Clock
	// MemoryShare is the memory clock as a share of its highest.
	MemoryShare float64
	// LatencyLoad says by how much of itself the memory's latency rises when all its bandwidth is in use, apart from
	// queueing.
	LatencyLoad float64
}

// NewMachine gives a machine the units that all have.
func NewMachine(queues []string, own ...Unit) Machine {
	m := Machine{Queues: queues, Slots: 8, Front: 3, Back: 2, MemoryShare: 1, LatencyLoad: 0.5}
	m.Units = append([]Unit{{MemoryBandwidth, MemoryClock}, {MemoryLatency, NoClock}}, own...)
	return m
}

// UnitOf is the place of a unit, -1 where the machine has none of that name.
func (m *Machine) UnitOf(c Candidate) int {
	for i, u := range m.Units {
		if u.Candidate == c {
			return i
		}
	}
	return -1
}

// maxUnits bounds the units of a machine, so that states of the engine need no allocation.
const maxUnits = 24
