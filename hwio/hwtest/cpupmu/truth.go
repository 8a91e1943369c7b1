package cpupmu

// Truth is what the units counted.
type Truth struct {
	CPUs     []int         `json:"cpus"`
	Paranoid int           `json:"paranoid"`
	Counters int           `json:"counters"` // of a core
	Events   []*EventTruth `json:"events"`
	// Throttled is how often the kernel stopped a group that sampled too often.
	Throttled int `json:"throttled,omitempty"`
	LeftOut   int `json:"reads_left_out"` // reads beyond maxReads, of which only the last of each event is kept
	reads     int
	most      int // reads of one event, or samples that hold it
}

// EventTruth is one event that was opened.
type EventTruth struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	ID     uint64 `json:"id"`
	Leader uint64 `json:"leader"` // id of the group's first event
	PID    int    `json:"pid"`    // -1: all tasks
	CPU    int    `json:"cpu"`    // -1: any
	Rate   uint64 `json:"rate"`   // per second on processor 0, of user space and kernel
	Closed bool   `json:"closed"`
	// Of events that sample. Samples are all of them; of those Written found room and Lost none, and the rest had no
	// ring to go to.
	Period  uint64 `json:"period,omitempty"`
	Count   uint64 `json:"count"` // when it was closed, resets left out
	Samples uint64 `json:"samples,omitempty"`
	Written uint64 `json:"written,omitempty"`
	Lost    uint64 `json:"lost,omitempty"`
	Unread  uint64 `json:"unread,omitempty"` // written ones that the program had not gone past when it closed the event
	Stood   uint64 `json:"stood,omitempty"`  // ns for which its group was throttled
	// Samples of the group hold what it has counted; Before is how many reads there were until they had a ring to go
	// to.
	InSamples bool `json:"in_samples,omitempty"`
	Before    int  `json:"reads_before_ring,omitempty"`
	// Reads are what the program was told.
	Reads []ReadTruth `json:"reads"`
}

// ReadTruth is the answer to a read.
type ReadTruth struct {
	Value   uint64 `json:"v"`
	Enabled uint64 `json:"e"` // ns
	Running uint64 `json:"r"` // ns
}

// maxReads bounds the memory of the account.
const maxReads = 1 << 18

func (t *Truth) event(e *event) *EventTruth {
	et := &EventTruth{
		Name: e.name, Unit: e.unit.name, ID: e.id, Leader: e.leader.id, PID: e.roster.pid, CPU: e.roster.cpu,
		Rate:  e.rate,
		Reads: []ReadTruth{},
	}
	t.Events = append(t.Events, et)
	return et
}

func (t *Truth) read(e *event) {
	r := ReadTruth{e.value(0), e.timeEnabled, e.timeRunning}
	if t.reads < maxReads || len(e.truth.Reads) == 0 {
		e.truth.Reads = append(e.truth.Reads, r)
		t.reads++
		t.most = max(t.most, len(e.truth.Reads))
		return
	}
	e.truth.Reads[len(e.truth.Reads)-1] = r
	t.LeftOut++
}

// Truth is a Truth of this package.
func (d *device) Truth() any {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.truth
	t.Events = nil
	for _, e := range d.truth.Events {
		c := *e
		c.Reads = append([]ReadTruth{}, e.Reads...)
		t.Events = append(t.Events, &c)
	}
	return &t
}
