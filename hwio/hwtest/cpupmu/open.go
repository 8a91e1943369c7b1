package cpupmu

import (
	"slices"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// PerfEventOpen makes the checks of perf_event_open(2) in the kernel's order.
func (d *device) PerfEventOpen(c *hwtest.Call, raw []byte, pid, cpu int, group hwtest.File,
	flags uint64) (hwtest.File, error) {
	a, err := parseAttr(raw)
	if err != nil {
		return nil, err
	}
	l := asEvent(group)
	e, u, ours, err := d.lookUp(a, l != nil)
	c.Note("type %d config %#x", a.typ, a.config)
	if ours && err == nil {
		c.Note("%s", e.name)
	}
	pidCgroup := uint64(uapi.Const("PERF_FLAG_PID_CGROUP"))
	known := pidCgroup<<2 - 1 // PID_CGROUP and FD_CLOEXEC, the last flag, and all below
	// Two errors at a time show which check comes first, and programs tell by it what is wrong. The kernel checks flags
	// and rights before it looks for the task, the processor and only then the event: an event that does not exist is
	// EACCES for who may count nothing.
	switch {
	case flags&^known != 0, flags&pidCgroup != 0 && ours, pid < -1, cpu < -1:
		return nil, syscall.EINVAL
	case d.paranoid > 2 && !c.Privileged, d.paranoid > 1 && !a.excludeKernel && !c.Privileged:
		return nil, syscall.EACCES
	case pid == -1 && cpu == -1:
		return nil, syscall.EINVAL
	case !ours && pid == -1 && d.paranoid > 0 && !c.Privileged:
		return nil, syscall.EACCES // the level binds the real kernel's events too
	case !ours:
		return nil, nil
	}
	if pid == 0 {
		pid = c.TID
	}
	if pid > 0 && !d.alive(pid) {
		return nil, syscall.ESRCH
	}
	if cpu > slices.Max(d.cpus) {
		return nil, syscall.EINVAL
	}
	if err != nil {
		return nil, err // the event's own, which had to wait for the checks above
	}
	switch {
	case a.period != 0 && u.uncore, u.uncore && (pid > 0 || cpu < 0), u.uncore &&
		(a.excludeUser || a.excludeKernel || a.excludeHV || a.excludeIdle):
		return nil, syscall.EINVAL
	case a.period != 0 && !e.soft && d.set.Has("no-interrupts"):
		return nil, syscall.EOPNOTSUPP
	case a.inherit && a.has("PERF_FORMAT_GROUP") && d.set.Has("no-inherited-groups"):
		return nil, syscall.EINVAL
	case pid == -1 && d.paranoid > 0 && !c.Privileged:
		return nil, syscall.EACCES
	case cpu >= 0 && !slices.Contains(d.cpus, cpu):
		return nil, syscall.ENODEV
	}
	if l != nil && (l.attr.useClock != a.useClock || l.attr.clock != a.clock) {
		return nil, syscall.EINVAL // a group has one clock
	}
	period, err := a.checkSampling(c, e.rate, pace(cpu, u), d.set.Has("no-inherited-samples"))
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	ev, err := d.add(e, u, a, place{u.name, pid, cpu}, group)
	if err != nil {
		return nil, err
	}
	ev.opener = c.PID
	if period == 0 && !a.comm && !a.task && !a.mmap {
		return ev, nil
	}
	return d.sampling(ev, period), nil
}

// sampling makes an event one that writes records.
func (d *device) sampling(e *event, period uint64) *sampled {
	s := &sampled{event: e, ready: hwtest.NewReadiness(nil)}
	e.file, e.period = s, period
	e.truth.Period = period
	if pid := e.roster.pid; pid > 0 && d.tasks[pid] == nil {
		t := &task{pid: pid}
		t.load(d.image(pid))
		d.tasks[pid] = t
	}
	if d.stop == nil {
		d.stop = make(chan struct{})
		d.waiters.Go(func() { d.keepPumping(d.stop) })
	}
	return s
}

// add puts an event into its roster, alone or as a member of a group. The lock is held.
func (d *device) add(e counted, u unit, a *attr, at place, group hwtest.File) (*event, error) {
	ev := &event{d: d, counted: e, unit: u, attr: a, on: !a.disabled}
	if e.soft {
		ev.unit = software
	}
	if l := asEvent(group); l != nil && l.soft && l.roster.pid == at.pid && l.roster.cpu == at.cpu {
		at, u = l.roster.place, l.roster.unit // the kernel moves such a group to the unit of the member
	}
	x := d.rosters[at]
	if x == nil || x.ended != 0 { // numbers of tasks come again
		x = &roster{place: at, unit: u, last: d.now()}
		if d.set.Has("watchdog") && !u.uncore && at.pid < 0 {
			x.taken = 1
		}
		d.rosters[at] = x
		if at.pid > 0 && d.watch != nil {
			d.watch(at.pid, func() {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.end(x.pid)
			})
		}
	}
	ev.roster, ev.leader = x, ev
	x.advance(d)
	alone := []counted{e}
	if group != nil {
		l := asEvent(group)
		switch {
		case l == nil:
			return nil, syscall.EBADF
		case l.leader != l, l.roster != x, a.pinned, a.exclusive:
			return nil, syscall.EINVAL
		}
		for _, m := range l.members {
			if m.unit.name == u.name {
				alone = append(alone, m.counted)
			}
		}
		ev.leader = l
	}
	// Whether the group can ever be on the unit is asked of an empty one: what is taken for good does not count.
	if !u.fits(alone, 0) {
		return nil, syscall.EINVAL
	}
	d.lastID++
	ev.id = d.lastID
	ev.leader.members = append(ev.leader.members, ev)
	if ev.leader == ev {
		x.groups = append(x.groups, ev)
	}
	ev.truth = d.truth.event(ev)
	return ev, nil
}

// request gives the number of a request by its name.
func request(name string) uint32 { return uapi.Ioctl(name) }
