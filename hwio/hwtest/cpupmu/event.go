package cpupmu

import (
	"encoding/binary"
	"syscall"

	"astrolabe/hwio/hwtest"
)

// event is an open event, and a group where it leads one. Its device's lock guards it.
type event struct {
	d *device
	counted
	attr    *attr
	id      uint64
	roster  *roster
	unit    unit     // whose event it is; one beside a clock of the kernel's may be another's than the group's
	leader  *event   // itself where it leads
	members []*event // of a leader, itself first
	on      bool     // enabled; it counts while its leader is too
	failed  bool     // a pinned group that found no room

	timeEnabled, timeRunning uint64 // ns
	stood                    uint64 // ns of running in which its group was throttled
	again                    uint64 // what a clock of tasks has counted twice
	interrupts               int    // samples since the last tick
	throttled                bool   // a leader's: its group stands still
	zero                     uint64 // the count at the last reset
	truth                    *EventTruth

	file   *sampled // nil where it writes no records
	period uint64
	untold uint64 // samples since the program was last woken
	opener int    // process that opened it
}

var _ hwtest.File = (*event)(nil)

func (e *event) String() string { return "[perf_event] " + e.name }

// value is what a read told so many ns ago, in a time in which nothing changed.
func (e *event) value(ago uint64) uint64 {
	return e.countAt(e.before(e.timeRunning-e.stood, ago)) + e.again - e.zero
}

// before is a time of the event so many ns ago.
func (e *event) before(t, ago uint64) uint64 {
	if !e.on {
		return t
	}
	return t - ago
}

// Ioctl enables, disables, resets and names events.
func (e *event) Ioctl(c *hwtest.Call, req uint32, arg uint64) (int64, error) {
	d := e.d
	d.mu.Lock()
	defer d.mu.Unlock()
	e.roster.advance(d)
	d.flush()
	each := func(f func(*event)) (int64, error) {
		const group = 1
		if arg&group == 0 {
			f(e)
			return 0, nil
		}
		for _, m := range e.leader.members {
			f(m)
		}
		return 0, nil
	}
	switch req {
	case request("PERF_EVENT_IOC_ENABLE"):
		return each(func(m *event) { m.on, m.failed = true, false })
	case request("PERF_EVENT_IOC_DISABLE"):
		return each(func(m *event) { m.on = false })
	case request("PERF_EVENT_IOC_RESET"):
		return each(func(m *event) { m.zero = m.count() })
	case request("PERF_EVENT_IOC_ID"):
		return 0, c.Write(arg, binary.LittleEndian.AppendUint64(nil, e.id))
	case request("PERF_EVENT_IOC_SET_OUTPUT"):
		// It has nothing to write, and may be told where to.
		if fd := int(int32(arg)); fd >= 0 {
			if to := asEvent(c.File(fd)); to == nil || to == e || to.roster.cpu != e.roster.cpu {
				return 0, syscall.EINVAL
			}
		}
		return 0, nil
	case request("PERF_EVENT_IOC_REFRESH"), request("PERF_EVENT_IOC_PERIOD"),
		request("PERF_EVENT_IOC_SET_FILTER"), request("PERF_EVENT_IOC_SET_BPF"), request("PERF_EVENT_IOC_PAUSE_OUTPUT"):
		return 0, syscall.EINVAL // for events that sample or are traced
	case request("PERF_EVENT_IOC_MODIFY_ATTRIBUTES"):
		return 0, syscall.EOPNOTSUPP
	}
	return 0, syscall.ENOTTY
}

// Read answers in the layout that read_format asks for.
func (e *event) Read(_ *hwtest.Call, n int) ([]byte, error) {
	d := e.d
	d.mu.Lock()
	defer d.mu.Unlock()
	e.roster.advance(d)
	d.flush()
	if e.failed {
		return nil, nil
	}
	out := e.answer(0)
	if len(out) > n {
		return nil, syscall.ENOSPC
	}
	for _, m := range e.answering() {
		d.truth.read(m)
	}
	d.set.Tell(d.truth.most)
	return out, nil
}

// answering are the events that a read of this one tells of.
func (e *event) answering() []*event {
	if e.attr.has("PERF_FORMAT_GROUP") {
		return e.leader.members // whichever of them is asked
	}
	return []*event{e}
}

// answer is in the layout that read_format asks for: of now, or of so many ns ago.
func (e *event) answer(ago uint64) (out []byte) {
	group := e.attr.has("PERF_FORMAT_GROUP")
	events := e.answering()
	word := func(v uint64) { out = binary.LittleEndian.AppendUint64(out, v) }
	times := func() {
		if e.attr.has("PERF_FORMAT_TOTAL_TIME_ENABLED") {
			word(e.before(e.timeEnabled, ago))
		}
		if e.attr.has("PERF_FORMAT_TOTAL_TIME_RUNNING") {
			word(e.before(e.timeRunning, ago))
		}
	}
	if group {
		word(uint64(len(events)))
		times()
	}
	for _, m := range events {
		word(m.value(ago))
		if !group {
			times()
		}
		if e.attr.has("PERF_FORMAT_ID") {
			word(m.id)
		}
		if e.attr.has("PERF_FORMAT_LOST") {
			word(m.truth.Lost)
		}
	}
	return out
}

// Close takes the event off its unit.
func (e *event) Close() {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	e.roster.advance(e.d)
	e.roster.remove(e)
	e.truth.Closed, e.truth.Count = true, e.count()
}
