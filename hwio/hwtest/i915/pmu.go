package i915

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// The driver's counter unit, which intel_gpu_top reads by perf_event_open(2): how long the render engine was busy,
// clocks, interrupts, and how long the GPU was powered down. The driver counts for the whole GPU, on one processor,
// whoever asks.

const (
	pmuPath = "/sys/devices/i915"
	pmuLink = "/sys/bus/event_source/devices/i915"
	pmuType = 44 // no unit of a real machine has so high a number
	pmuCPU  = 0
)

// samples of an engine, in the low bits of an event; the render engine is class 0, instance 0.
const (
	engineBusy = iota
	engineWait
	engineSema
)

// pmuEvents are the events in sysfs, with their unit.
var pmuEvents = []struct {
	name   string
	config int64
	unit   string
}{
	{"rcs0-busy", engineBusy, "ns"}, {"rcs0-wait", engineWait, "ns"}, {"rcs0-sema", engineSema, "ns"},
	{"actual-frequency", uapi.Const("I915_PMU_ACTUAL_FREQUENCY"), "M"},
	{"requested-frequency", uapi.Const("I915_PMU_REQUESTED_FREQUENCY"), "M"},
	{"interrupts", uapi.Const("I915_PMU_INTERRUPTS"), ""},
	{"rc6-residency", uapi.Const("I915_PMU_RC6_RESIDENCY"), "ns"},
}

// pmu adds up the workload's past.
type pmu struct {
	d          *device
	work       *intel.Workload // a copy of the device's, which follows the reports of a stream
	at         uint64          // ticks up to which everything is added
	busy       float64         // ticks
	gated      float64
	megahertz  float64 // times ticks
	interrupts uint64
	events     []*pmuEvent
	reads      int
}

func (d *device) pmuTree() {
	m := d.Machine
	m.Own(pmuPath)
	m.Link(pmuLink, "../../../devices/i915")
	m.Link(pmuPath+"/subsystem", "../../bus/event_source")
	m.File(pmuPath+"/type", fmt.Sprintf("%d\n", pmuType))
	m.File(pmuPath+"/cpumask", fmt.Sprintf("%d\n", pmuCPU))
	m.File(pmuPath+"/format/i915_eventid", "config:0-20\n")
	for _, e := range pmuEvents {
		m.File(pmuPath+"/events/"+e.name, fmt.Sprintf("config=%#x\n", e.config))
		if e.unit != "" {
			m.File(pmuPath+"/events/"+e.name+".unit", e.unit+"\n")
		}
	}
}

// advance adds what has happened until now, and returns the time at which that is.
func (p *pmu) advance() (ns int64) {
	ns = p.d.Now()
	now := p.d.Clock.At(ns)
	for p.at < now {
		s := p.work.At(p.at)
		to := min(now, s.T1)
		ticks := float64(to - p.at)
		if s.Ctx != intel.Idle {
			p.busy += ticks
		}
		if s.Gated {
			p.gated += ticks
		} else {
			p.megahertz += ticks * float64(s.Slice) * 50 / 3
		}
		if to == s.T1 {
			p.interrupts++ // one at the end of everything that ran
		}
		p.at = to
	}
	return ns
}

// value is a count since the device appeared.
func (p *pmu) value(config int64) uint64 {
	tick := 1e9 / (float64(p.d.Part.TimestampHz) * (1 + float64(p.d.Clock.PPM)/1e6)) // ns
	switch config {
	case engineBusy:
		return uint64(p.busy * tick)
	case uapi.Const("I915_PMU_ACTUAL_FREQUENCY"), uapi.Const("I915_PMU_REQUESTED_FREQUENCY"):
		return uint64(p.megahertz * tick / 1e9) // MHz times seconds
	case uapi.Const("I915_PMU_INTERRUPTS"):
		return p.interrupts
	case uapi.Const("I915_PMU_RC6_RESIDENCY"):
		return uint64(p.gated * tick)
	}
	return 0 // nothing waits in this workload
}

var _ hwtest.PerfOpener = (*device)(nil)

// PerfEventOpen makes the checks of the kernel and of the driver.
func (d *device) PerfEventOpen(c *hwtest.Call, raw []byte, pid, cpu int, group hwtest.File,
	flags uint64) (hwtest.File, error) {
	l := uapi.Struct("perf_event_attr")
	attr := make([]byte, max(l.Size, len(raw)))
	copy(attr, raw)
	if l.Get(attr, "type") != pmuType {
		return nil, nil
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	e := &pmuEvent{d: d, config: int64(l.Get(attr, "config")), format: int64(l.Get(attr, "read_format")),
		on: l.Get(attr, "disabled") == 0}
	for _, known := range pmuEvents {
		if known.config == e.config {
			e.Name = known.name
		}
	}
	c.Note("i915 %s", e.Name)
	leader, ours := group.(*pmuEvent)
	switch {
	case d.Gone:
		return nil, syscall.ENODEV
	case pid == -1 && !c.Privileged:
		return nil, syscall.EACCES
	case pid != -1, cpu != pmuCPU, l.Get(attr, "sample_period") != 0, group != nil && !ours:
		return nil, syscall.EINVAL
	case e.Name == "":
		return nil, syscall.ENOENT
	}
	if d.pmu == nil {
		d.pmu = &pmu{d: d, work: d.Work()}
	}
	now := d.pmu.advance()
	e.leader = e
	if ours {
		e.leader = leader
	}
	e.leader.members = append(e.leader.members, e)
	e.first, e.since = d.pmu.value(e.config), now
	d.pmu.events = append(d.pmu.events, e)
	return e, nil
}

// PMURead is what a program was told of an event.
type PMURead struct {
	Value   uint64 `json:"v"`
	Enabled uint64 `json:"e"` // ns
}

// pmuEvent is an open event.
type pmuEvent struct {
	d       *device
	config  int64
	format  int64
	leader  *pmuEvent
	members []*pmuEvent // of a leader, itself first

	on           bool
	first        uint64 // the count when it was last enabled
	since        int64  // when that was
	before, past uint64 // counted, and ns enabled, before that

	Name  string
	Reads []PMURead
}

func (e *pmuEvent) String() string { return "[perf_event] i915 " + e.Name }

// told is what the event has counted until a time, and for how long it was enabled.
func (e *pmuEvent) told(now int64) PMURead {
	r := PMURead{e.before, e.past}
	if e.on {
		r.Value += e.d.pmu.value(e.config) - e.first
		r.Enabled += uint64(now - e.since)
	}
	return r
}

// Ioctl enables, disables, resets and names events.
func (e *pmuEvent) Ioctl(c *hwtest.Call, req uint32, arg uint64) (int64, error) {
	e.d.Mu.Lock()
	defer e.d.Mu.Unlock()
	now := e.d.pmu.advance()
	events := []*pmuEvent{e}
	if arg&1 != 0 { // PERF_IOC_FLAG_GROUP
		events = e.leader.members
	}
	switch name := uapi.IoctlName(req); name {
	case "PERF_EVENT_IOC_ENABLE", "PERF_EVENT_IOC_DISABLE", "PERF_EVENT_IOC_RESET":
		for _, m := range events {
			r := m.told(now)
			if m.before, m.past = r.Value, r.Enabled; strings.HasSuffix(name, "RESET") {
				m.before = 0
			} else {
				m.on = strings.HasSuffix(name, "ENABLE")
			}
			m.first, m.since = e.d.pmu.value(m.config), now
		}
		return 0, nil
	case "PERF_EVENT_IOC_ID":
		return 0, c.Write(arg, binary.LittleEndian.AppendUint64(nil, e.id()))
	}
	return 0, syscall.EINVAL
}

func (e *pmuEvent) id() uint64 { return uint64(e.config) + 1 }

// Read answers in the layout that read_format asks for.
func (e *pmuEvent) Read(_ *hwtest.Call, n int) ([]byte, error) {
	d := e.d
	d.Mu.Lock()
	defer d.Mu.Unlock()
	now := d.pmu.advance()
	has := func(name string) bool { return e.format&uapi.Const(name) != 0 }
	group := has("PERF_FORMAT_GROUP")
	events := []*pmuEvent{e}
	if group && e.leader == e {
		events = e.members
	}
	var out []byte
	word := func(v uint64) { out = binary.LittleEndian.AppendUint64(out, v) }
	times := func(r PMURead) {
		for _, name := range []string{"PERF_FORMAT_TOTAL_TIME_ENABLED", "PERF_FORMAT_TOTAL_TIME_RUNNING"} {
			if has(name) {
				word(r.Enabled)
			}
		}
	}
	if group {
		word(uint64(len(events)))
		times(e.told(now))
	}
	for _, m := range events {
		r := m.told(now)
		word(r.Value)
		if group {
			r.Enabled = e.told(now).Enabled // one time for all, as the program is told
		} else {
			times(r)
		}
		if has("PERF_FORMAT_ID") {
			word(m.id())
		}
		if has("PERF_FORMAT_LOST") {
			word(0)
		}
		if len(m.Reads) < math.MaxUint16 { // bounds the account
			m.Reads = append(m.Reads, r)
		}
	}
	if len(out) > n {
		return nil, syscall.ENOSPC
	}
	d.pmu.reads++
	d.Settings.Tell(d.pmu.reads)
	return out, nil
}

// Close implements hwtest.File: what was counted stays in the account.
func (e *pmuEvent) Close() {}

// PMUTruth is what programs were told of one event.
type PMUTruth struct {
	Event string    `json:"event"`
	Reads []PMURead `json:"reads"`
}

// truth lists the events in the order they were opened. The device is locked.
func (p *pmu) truth() (out []PMUTruth) {
	if p == nil {
		return nil
	}
	for _, e := range p.events {
		out = append(out, PMUTruth{e.Name, append([]PMURead{}, e.Reads...)})
	}
	return out
}
