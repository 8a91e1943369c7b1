package perfevent

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"
	"time"

	"astrolabe/hwio/internal/topology"
)

// target is what a group is attached to: a CPU, or a task on any CPU.
type target struct {
	pid, cpu int               // -1 is every one
	pmu      *topology.CorePMU // of a machine with several kinds of cores; else nil
	extra    bool              // another group of the same task on another CPU or kind of core: its enabled time is counted already
}

// column is the CPU whose columns it has: -1 for a task, wherever it is.
func (t target) column() int {
	if t.pid >= 0 {
		return -1
	}
	return t.cpu
}

// group is a set of events that the kernel puts on the hardware together, and that one system call reads.
type group struct {
	target
	leader   counter
	members  []counter // leader included
	events   []int     // of each member: its number in the opener's list, -1 for a clock that only leads
	cols     []int     // of each member: the column it adds to, -1 for none
	coverage int       // its coverage column, -1 for none
	plain    bool      // read without PERF_FORMAT_GROUP, so of one event
	buf      []byte
	ids      []uint64
	cur      []uint64
	prev     []uint64
	now, was times
	broken   error // why it cannot be read any more
	tried    int64 // when it was found ended, or was last tried to be opened anew; 0 while it counts
	later    bool  // it could not be read now: the next reading counts since the last one
	sleep    func(time.Duration)
	run      series // where the kernel samples it
	ring     int    // to which it does

	throttled bool   // of tasks: it was since the last reading
	final     *times // after the last reading of it: samples of what is beyond are not the recording's
}

// clockOnly stands for the event of a clock that leads a group and is no counter of the recording.
const clockOnly = -1

// clocks are the members that only sample.
func (g *group) clocks() []counter {
	n := 0
	for n < len(g.events) && g.events[n] == clockOnly {
		n++
	}
	return g.members[:n]
}

// first is the number of the first event that is recorded.
func (g *group) first() int { return g.events[len(g.clocks())] }

// firstCol is its column.
func (g *group) firstCol() int { return g.cols[len(g.clocks())] }

// A group that processes inherit is read from all of them at once. While one of them begins or ends, which takes
// microseconds unless others have the processor, its events are not those of the group, and kernels from 6.1.60, 6.5.9
// and 6.6 on refuse the reading with ECHILD.
const (
	familyChanges = syscall.ECHILD
	retries       = 200
	retryAfter    = 100 * time.Microsecond
)

// readFirst is read before a recording begins, when nothing is lost by waiting for longer: a process that is beginning
// stays so for as long as others have its processor.
func (g *group) readFirst() (err error) {
	for range 10 {
		if err = g.read(); !errors.Is(err, familyChanges) {
			break
		}
	}
	return err
}

// read takes the group's values and times into cur and now.
func (g *group) read() error {
	n, err := g.leader.read(g.buf)
	for range retries {
		if !errors.Is(err, familyChanges) {
			break
		}
		g.sleep(retryAfter)
		n, err = g.leader.read(g.buf)
	}
	if err == nil && n == 0 {
		// A pinned group that lost its place; astrolabe pins none, but the kernel may say so of others.
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	if g.plain {
		g.now, err = decodeSingle(g.buf[:n], g.cur)
	} else {
		g.now, err = decodeGroup(g.buf[:n], g.ids, g.cur)
	}
	return err
}

// wentOffline reports whether its CPU went offline.
func (g *group) wentOffline() bool { return g.pid < 0 && errors.Is(g.broken, errTakenApart) }

func (g *group) close() error {
	var errs []error
	// Members first: closing the leader would turn each into a group of its own.
	for i := len(g.members) - 1; i >= 0; i-- {
		errs = append(errs, g.members[i].close())
	}
	return errors.Join(errs...)
}

// opener opens groups of events.
type opener struct {
	k        kernel
	events   []event
	userOnly bool // exclude the kernel from everything
	inherit  bool
	onExec   bool
	plain    bool  // this kernel cannot read inherited groups: one event each
	limit    int   // most events of the cores' unit in one group, 0 for what the kernel takes
	period   int64 // ns after which the kernel samples each group, 0 where groups are read
	idle     int64 // the same while a CPU has nothing to do, 0 for no difference
	maxRate  uint64
	failed   map[int]error
	sleep    func(time.Duration)
}

// attrOf describes an event for a target.
func (o *opener) attrOf(e *event, t target, leader bool) attr {
	a := attr{
		typ: e.typ, config: e.config, config1: e.config1, config2: e.config2,
		excludeUser: e.excludeUser, excludeKernel: e.excludeKernel || o.userOnly, inherit: o.inherit, group: !o.plain,
		disabled: leader, onExec: leader && o.onExec, monotonic: o.period > 0,
	}
	if t.pmu != nil && e.core && e.pmu == "" {
		if e.typ == typeRaw {
			a.typ = t.pmu.Type
		} else {
			a.config |= uint64(t.pmu.Type) << pmuTypeShift
		}
	}
	return a
}

// clock opens a timer that samples its group: at each of its ticks the kernel writes down what the group has counted.
// The first one leads.
func (o *opener) clock(t target, period int64, excludeIdle bool, leader counter) (counter, error) {
	a := attr{
		typ: typeSoftware, config: configCPUClock, excludeKernel: o.userOnly, excludeIdle: excludeIdle, group: true,
		disabled: leader == nil,
		period:   uint64(period), monotonic: true, inherit: o.inherit, onExec: leader == nil && o.onExec,
	}
	return o.k.open(&a, t.pid, t.cpu, leader)
}

// clocks opens the timers of a group. An idle CPU has one of its own (see calmLeast).
func (o *opener) clocks(t target) ([]counter, error) {
	l, err := o.clock(t, o.period, o.idle > 0, nil)
	if err != nil || o.idle == 0 {
		return []counter{l}, err
	}
	slow, err := o.clock(t, o.idle, false, l)
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	return []counter{l, slow}, nil
}

// start opens an event, or tries the older ways of older kernels.
func (o *opener) start(e *event, t target, leader counter) (counter, error) {
	a := o.attrOf(e, t, leader == nil)
	c, err := o.k.open(&a, t.pid, t.cpu, leader)
	if err == nil || leader != nil && o.period == 0 {
		return c, err
	}
	if t.pmu != nil && t.cpu >= 0 && (notHere(err) || errors.Is(err, syscall.EINVAL)) {
		// Kernels that do not know the unit's number in the config choose the unit by the CPU.
		b := o.attrOf(e, target{pid: t.pid, cpu: t.cpu}, leader == nil)
		if c, err2 := o.k.open(&b, t.pid, t.cpu, leader); err2 == nil {
			return c, nil
		}
	}
	if leader == nil && o.inherit && !o.plain && errors.Is(err, syscall.EINVAL) {
		// Kernels before 4.3 or so cannot read a group that children inherit.
		a.group = false
		if c, err2 := o.k.open(&a, t.pid, t.cpu, nil); err2 == nil {
			o.plain = true
			return c, nil
		}
	}
	return nil, err
}

// notHere reports whether the error only says that this target has no such event.
func notHere(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENODEV)
}

// fatal reports whether an error concerns every event alike.
func fatal(err error) bool {
	if refused := (*noSampling)(nil); errors.As(err, &refused) {
		return true
	}
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ESRCH, syscall.ENOSYS, syscall.EPERM,
		syscall.EACCES, syscall.ENOMEM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// openGroups opens events of one counter unit on a target, in as few groups as the kernel takes. An event that fails
// alone is noted in o.failed. On error nothing stays open.
func (o *opener) openGroups(t target, idx []int) (groups []*group, err error) {
	defer func() {
		if err != nil {
			for _, g := range groups {
				_ = g.close()
			}
			groups = nil
		}
	}()
	var g *group
	for _, i := range idx {
		e := &o.events[i]
		if g != nil && !o.plain && (o.limit == 0 || !e.core || g.counters() < o.limit) {
			c, err := o.start(e, t, g.leader)
			if err == nil {
				g.members, g.events = append(g.members, c), append(g.events, i)
				continue
			}
			if fatal(err) {
				return groups, err
			}
			// It does not fit beside the others, or is not there at all: alone it shows which.
		}
		fresh, err := o.begin(t, i)
		if err != nil {
			if fatal(err) {
				return groups, err
			}
			o.failed[i] = err
			continue
		}
		g = fresh
		groups = append(groups, g)
	}
	for _, g := range groups {
		if err := g.prepare(o.plain); err != nil {
			return groups, err
		}
	}
	return groups, nil
}

// begin opens a group of one event.
func (o *opener) begin(t target, i int) (*group, error) {
	if o.period == 0 {
		c, err := o.start(&o.events[i], t, nil)
		if err != nil {
			return nil, err
		}
		return &group{target: t, leader: c, members: []counter{c}, events: []int{i}, coverage: -1, sleep: o.sleep}, nil
	}
	clocks, err := o.clocks(t)
	if err != nil {
		return nil, &noSampling{err}
	}
	c, err := o.start(&o.events[i], t, clocks[0])
	if err != nil {
		for _, c := range slices.Backward(clocks) {
			err = errors.Join(err, c.close())
		}
		return nil, err
	}
	events := make([]int, len(clocks)+1)
	for k := range clocks {
		events[k] = clockOnly
	}
	events[len(clocks)] = i
	return &group{target: t, leader: clocks[0], members: append(clocks, c), events: events, coverage: -1,
		sleep: o.sleep}, nil
}

// counters is how many events of the group are recorded.
func (g *group) counters() int { return len(g.events) - len(g.clocks()) }

// noSampling says that the kernel does not sample as it is asked to.
type noSampling struct{ error }

func (e *noSampling) Unwrap() error { return e.error }

// prepare makes room for the group's values and learns the members' ids.
func (g *group) prepare(plain bool) error {
	n := len(g.members)
	g.plain = plain && n == 1
	g.buf = make([]byte, max(groupSize(n), 32))
	g.cur, g.prev, g.ids, g.cols = make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]int, n)
	for i, c := range g.members {
		id, err := c.id()
		if err != nil {
			return fmt.Errorf("ask for an event's id: %w", err)
		}
		g.ids[i] = id
		if g.events[i] == clockOnly {
			g.cols[i] = -1
		}
	}
	return nil
}

// fits enables the group and waits until it counts. One that is never put on the hardware, because something else holds
// a counter for good, is too large although the kernel took it.
func (o *opener) fits(g *group) (bool, error) {
	if err := g.leader.enable(); err != nil {
		return false, err
	}
	for range 30 {
		if err := g.readFirst(); err != nil {
			return false, err
		}
		if g.now.running > 0 {
			return true, nil
		}
		o.sleep(time.Millisecond)
	}
	return g.now.enabled == 0, nil
}

// openFitting opens events of the cores' unit and splits groups that never count. It settles o.limit, so that it need
// be done only for one CPU of each kind.
func (o *opener) openFitting(t target, idx []int) ([]*group, error) {
	for {
		groups, err := o.openGroups(t, idx)
		if err != nil {
			return nil, err
		}
		size := 0
		for _, g := range groups {
			if g.counters() < 2 {
				continue
			}
			ok, err := o.fits(g)
			if err != nil {
				for _, g := range groups {
					_ = g.close()
				}
				return nil, fmt.Errorf("start a group of events: %w", err)
			}
			if !ok {
				size = max(size, g.counters())
			}
		}
		if size == 0 {
			return groups, nil
		}
		for _, g := range groups {
			if err := g.close(); err != nil {
				return nil, err
			}
		}
		o.limit = size / 2
	}
}
