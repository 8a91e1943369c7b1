package cpupmu

import (
	"sort"
	"time"

	"astrolabe/hwio/hwtest/uapi"
)

// The kernel throttles an event that samples too often between two ticks of the scheduler: it goes on with the next
// tick. From Linux 6.16 on the event's whole group stands still until then. A clock of tasks goes on from a time that
// was kept before, so that it counts some of the past again.

// tick is the time between two ticks of the scheduler, with CONFIG_HZ=250.
const tick = int64(4 * time.Millisecond)

// slowRate is kernel.perf_event_max_sample_rate where the scenario has it low.
const slowRate = 4000

// sampleRate is kernel.perf_event_max_sample_rate.
func (d *device) sampleRate() int {
	if d.set.Has("throttled") {
		return slowRate
	}
	return maxSampleRate
}

// samplesPerTick is how many samples of an event throttle it, 0 where none can.
func (d *device) samplesPerTick() int {
	if d.set.Has("throttled") {
		return int(slowRate * tick / int64(time.Second))
	}
	return 0
}

// untilSample is the time until the event samples for the n-th time from now, at most so many ns.
func (e *event) untilSample(n int, most int64) int64 {
	counted := e.timeRunning - e.stood
	target := (e.countAt(counted)/e.period + uint64(n)) * e.period
	return 1 + int64(sort.Search(int(most)-1, func(ns int) bool { return e.countAt(counted+uint64(ns)+1) >= target }))
}

// interrupted counts a sample, and throttles the group where it was one too many.
func (e *event) interrupted(at int64, cpu int) {
	limit := e.d.samplesPerTick()
	if e.interrupts++; limit == 0 || e.interrupts < limit || e.leader.throttled {
		return
	}
	e.leader.throttled = true
	e.leader.tellOfThrottling("PERF_RECORD_THROTTLE", at, cpu)
	e.d.truth.Throttled++
}

// unthrottle is what a tick does.
func (l *event) unthrottle(at int64) {
	for _, m := range l.members {
		m.interrupts = 0
	}
	if !l.throttled {
		return
	}
	l.throttled = false
	for _, m := range l.members {
		if m.soft && m.attr.config == uint64(uapi.Const("PERF_COUNT_SW_TASK_CLOCK")) {
			m.again += m.countAt(m.timeRunning-m.stood) / 2
		}
	}
	l.tellOfThrottling("PERF_RECORD_UNTHROTTLE", at, l.roster.cpu)
}

// tellOfThrottling notes a record about a leader that samples.
func (l *event) tellOfThrottling(kind string, at int64, cpu int) {
	if l.file != nil {
		l.d.samples = append(l.d.samples, happening{e: l, time: at, cpu: cpu, kind: kind})
	}
}
