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
}

// advance works out the times up to now. Groups that do not fit together take turns.
func (x *roster) advance(d *device) {
	now := d.now()
	if x.pid > 0 && x.ended == 0 && !d.alive(x.pid) {
		x.ended = now // just now: the device is told of it
	}
	if x.ended != 0 {
		now = x.ended // its last stretch counts, and nothing after that
	}
	for x.last < now {
		next := min(now, x.last-x.last%rotation+rotation)
		if !x.crowded() {
			next = now
		}
		x.run(next - x.last)
		if x.last = next; next%rotation == 0 {
			x.turn++
		}
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
		if m.on {
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

// run lets time pass in which nothing changes. Pinned groups come first and fail where they find no room; the others follow in the
// order of their turn, up to the first that finds none.
func (x *roster) run(ns int64) {
	active := x.active()
	var flexible []*event
	var on []counted
	for _, l := range active {
		switch want := slices.Concat(on, l.enabled()); {
		case !l.attr.pinned:
			flexible = append(flexible, l)
		case x.unit.fits(want, x.taken):
			on = want
			l.pass(ns, true)
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
		l.pass(ns, !full)
	}
}

// pass adds time to a group's events.
func (l *event) pass(ns int64, running bool) {
	for _, m := range l.members {
		if !m.on {
			continue
		}
		m.timeEnabled += uint64(ns)
		if running {
			m.timeRunning += uint64(ns)
		}
	}
}

// count is how often the event has happened while it was running. It happens more often on higher processors: by an eighth each.
func (e *event) count() uint64 {
	eighths := uint64(8)
	if e.roster.cpu > 0 && !e.roster.unit.uncore {
		eighths += uint64(e.roster.cpu)
	}
	const second = 32e9 // in ns, times the 8 eighths and 4 quarters
	hi, lo := bits.Mul64(e.timeRunning, e.rate*eighths*e.attr.share())
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
