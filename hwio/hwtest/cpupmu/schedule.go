package cpupmu

import (
	"math/bits"
	"slices"
)

// place is where events are counted: by a unit, of a task or (-1) all, on a processor or (-1) any.
type place struct {
	unit     string
	pid, cpu int
}

// roster is the groups of one place, which share its counters.
type roster struct {
	place
	unit   unit
	taken  int      // general counters that something else holds
	groups []*event // leaders, in the order they were opened
	turn   int      // how often the groups have been rotated
	last   int64    // until when the times are worked out
	ended  int64    // when the task was found to have ended; 0 while it runs
	over   bool     // its end was told of
}

// advance works out the times up to now. Groups that do not fit together take turns.
func (x *roster) advance(d *device) { x.advanceTo(d, d.now()) }

// advanceTo is advance for what happens to several places of a task at one instant, as an exec does.
func (x *roster) advanceTo(d *device, now int64) {
	if x.pid > 0 && x.ended == 0 && !d.alive(x.pid) {
		d.endAt(x.pid, now) // just now: the device is told of it
	}
	if x.ended != 0 {
		now = x.ended // its last stretch counts, and nothing after that
	}
	for x.last < now {
		next := min(now, x.last-x.last%rotation+rotation)
		if !x.crowded() && !x.visited() {
			next = now
		}
		if !x.visited() || d.cpuOf(x.pid, x.last) == x.cpu {
			x.run(next - x.last)
		} else {
			x.wait(next - x.last)
		}
		if x.last = next; next%rotation == 0 {
			x.turn++
		}
	}
}

// endAt says when a task ended: for all of its places alike, where that is not known yet.
func (d *device) endAt(pid int, now int64) {
	for _, x := range d.rosters {
		if x.pid == pid && x.ended == 0 {
			x.ended = now
		}
	}
}

// visited reports whether the place is a processor to which a task comes in turn with others.
func (x *roster) visited() bool { return x.pid > 0 && x.cpu >= 0 }

// cpuOf is the processor on which a task is: it moves on with every turn.
func (d *device) cpuOf(pid int, now int64) int {
	return d.cpus[uint64(now/rotation+int64(max(pid, 0)))%uint64(len(d.cpus))]
}

// wait lets time pass in which the task is elsewhere.
func (x *roster) wait(ns int64) {
	for _, l := range x.active() {
		l.pass(0, ns, false)
	}
}

// active are the groups that want to be on the unit.
func (x *roster) active() (out []*event) {
	for _, l := range x.groups {
		if l.on && !l.failed {
			out = append(out, l)
		}
	}
	return out
}

// enabled are the members of a group that want to count.
func (l *event) enabled() (out []counted) {
	for _, m := range l.members {
		if m.on && m.unit.name == l.roster.unit.name {
			out = append(out, m.counted)
		}
	}
	return out
}

// crowded reports whether not all groups fit.
func (x *roster) crowded() bool {
	var all []counted
	for _, l := range x.active() {
		all = append(all, l.enabled()...)
	}
	return len(all) > 0 && !x.unit.fits(all, x.taken)
}

// run lets time pass in which nothing changes. Pinned groups come first and fail where they find no room; the others
// follow in the order of their turn, up to the first that finds none.
func (x *roster) run(ns int64) {
	active := x.active()
	var flexible []*event
	var on []counted
	for _, l := range active {
		switch want := slices.Concat(on, l.enabled()); {
		case l.soft && len(want) == len(on):
			l.pass(x.last, ns, true) // software events need no room
		case !l.attr.pinned:
			flexible = append(flexible, l)
		case x.unit.fits(want, x.taken):
			on = want
			l.pass(x.last, ns, true)
		default:
			l.failed = true
		}
	}
	full := false
	for i := range flexible {
		l := flexible[(i+x.turn)%len(flexible)]
		want := slices.Concat(on, l.enabled())
		if full = full || !x.unit.fits(want, x.taken); !full {
			on = want
		}
		l.pass(x.last, ns, !full)
	}
}

// pass adds time from start on to a group's events.
func (l *event) pass(start, ns int64, running bool) {
	limit := l.d.samplesPerTick()
	for samples := slices.ContainsFunc(l.members, func(m *event) bool { return m.period > 0 }); samples && running &&
		limit > 0 && ns > 0; {
		if start%tick == 0 {
			l.unthrottle(start)
		}
		step := min(ns, tick-start%tick)
		for _, m := range l.members {
			if m.period > 0 && !l.throttled {
				step = min(step, m.untilSample(limit-m.interrupts, step))
			}
		}
		l.passEvenly(start, step, true)
		start, ns = start+step, ns-step
	}
	if ns > 0 {
		l.passEvenly(start, ns, running)
	}
}

// passEvenly is pass for a time in which the group is not throttled, or all the time.
func (l *event) passEvenly(start, ns int64, running bool) {
	still := l.throttled
	for _, m := range l.members {
		if m.on {
			m.timeEnabled += uint64(ns)
			if running {
				m.timeRunning += uint64(ns)
			}
			if running && still {
				m.stood += uint64(ns)
				m.truth.Stood += uint64(ns)
			}
		}
	}
	if !running || still {
		return
	}
	for _, m := range l.members {
		if m.on {
			counted := m.timeRunning - m.stood
			m.overflow(start, ns, m.countAt(counted-uint64(ns)), m.countAt(counted))
		}
	}
}

// count is how often the event has happened while it was running, as the kernel counts.
func (e *event) count() uint64 { return e.countAt(e.timeRunning-e.stood) + e.again }

// countAt is the count after so many ns of running. The units' events happen more often on higher processors: by an
// eighth each.
func (e *event) countAt(running uint64) uint64 {
	const second = 32e9 // in ns, times the 8 eighths and 4 quarters
	rate := e.rate * 32
	if !e.soft {
		rate = e.rate * pace(e.roster.cpu, e.unit) * e.attr.share()
	}
	hi, lo := bits.Mul64(running, rate)
	q, _ := bits.Div64(hi%second, lo, second)
	return q
}

// remove takes an event away. The members of a leader that goes become groups of their own.
func (x *roster) remove(e *event) {
	if e.leader != e {
		e.leader.members = slices.DeleteFunc(e.leader.members, func(m *event) bool { return m == e })
		return
	}
	at := slices.Index(x.groups, e)
	var alone []*event
	for _, m := range e.members {
		if m != e {
			m.leader, m.members = m, []*event{m}
			alone = append(alone, m)
		}
	}
	x.groups = slices.Replace(x.groups, at, at+1, alone...)
}

// pace is how often events happen on a processor, in eighths of their rate.
func pace(cpu int, u unit) uint64 {
	if cpu > 0 && !u.uncore {
		return 8 + uint64(cpu)
	}
	return 8
}
