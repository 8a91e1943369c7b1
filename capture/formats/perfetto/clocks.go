package perfetto

import (
	"fmt"
	"math"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

// clockKey names a clock of a machine, 0 being the one that traced: those from 64 to 127 belong to one packet sequence.
type clockKey struct{ machine, sequence, id uint64 }

func keyOfClock(machine, sequence, id uint64) clockKey {
	if id < firstOwnClock || id >= 2*firstOwnClock {
		sequence = 0
	}
	return clockKey{machine, sequence, id}
}

// clockState relates a clock to the trace's time.
type clockState struct {
	multiplier  uint64
	incremental bool
	at, ref     int64 // the same moment on the clock and in the trace's time, in ns
	last        int64 // of an incremental clock, in ns
}

// clocks turn the time stamps of packets into the trace's time, which is that of BOOTTIME where the trace has it.
type clocks struct {
	state   map[clockKey]*clockState
	plain   map[uint64]uint64 // by machine: the clock whose stamps were taken as they are, before there was a snapshot
	remote  map[uint64]offset // of other machines' time from the trace's
	base    int64             // the machine whose time is that of the trace, below 0 while no value has a time
	wall    int64             // wall clock less the trace's time, in ns
	hasWall bool
}

// offset is the mean of what was measured.
type offset struct{ ns, n int64 }

func newClocks() clocks {
	return clocks{state: map[clockKey]*clockState{}, plain: map[uint64]uint64{}, remote: map[uint64]offset{}, base: -1}
}

type clockReading struct {
	id, value   uint64
	multiplier  uint64
	incremental bool
}

// readings are those of a ClockSnapshot.
func readings(data []byte) (all []clockReading, err error) {
	err = each(data, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
		if num != snapshotClocks || typ != protowire.BytesType {
			return nil
		}
		r := clockReading{multiplier: 1}
		err := each(data, func(num protowire.Number, _ protowire.Type, val uint64, _ []byte) error {
			switch num {
			case clockID:
				r.id = val
			case clockTimestamp:
				r.value = val
			case clockIncremental:
				r.incremental = val != 0
			case clockMultiplier:
				r.multiplier = max(1, val)
			}
			return nil
		})
		all = append(all, r)
		return err
	})
	return all, err
}

// remoteSync takes a RemoteClockSync in: the times of another machine and of the one that traced at the same moments.
// BOOTTIME relates them.
func (c *clocks) remoteSync(machine uint64, data []byte) error {
	boot := func(b []byte) (int64, bool, error) {
		all, err := readings(b)
		for _, r := range all {
			if err == nil && r.id == clockBoottime {
				ns, err := nanoseconds(r.value, r.multiplier)
				return ns, true, err
			}
		}
		return 0, false, err
	}
	return each(data, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
		if num != remoteSynced || typ != protowire.BytesType {
			return nil
		}
		var at [2]int64
		var has [2]bool
		err := each(data, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) (err error) {
			if typ == protowire.BytesType && (num == remoteClient || num == remoteHost) {
				at[num-remoteClient], has[num-remoteClient], err = boot(data)
			}
			return err
		})
		if o := c.remote[machine]; err == nil && has[0] && has[1] {
			c.remote[machine] = offset{o.ns + (at[1]-at[0]-o.ns)/(o.n+1), o.n + 1}
		}
		return err
	})
}

// snapshot takes a ClockSnapshot in.
func (c *clocks) snapshot(machine, sequence uint64, data []byte) error {
	all, err := readings(data)
	if err != nil {
		return err
	}
	ref, ok := c.reference(machine, sequence, all)
	if !ok {
		return nil
	}
	for _, r := range all {
		ns, err := nanoseconds(r.value, r.multiplier)
		if err != nil {
			return err
		}
		if r.id == clockRealtime && machine == 0 {
			c.wall, c.hasWall = ns-ref, true
		}
		c.state[keyOfClock(machine, sequence, r.id)] = &clockState{multiplier: r.multiplier, incremental: r.incremental, at: ns,
			ref: ref, last: ns}
	}
	return nil
}

// reference is the time of a snapshot on its machine: by BOOTTIME, else by a clock that an earlier one relates, else by
// the first clock of the system.
func (c *clocks) reference(machine, sequence uint64, all []clockReading) (int64, bool) {
	best, rank := -1, 0
	for i, r := range all {
		how := 0
		switch {
		case r.id == clockBoottime:
			how = 4
		case c.state[keyOfClock(machine, sequence, r.id)] != nil && !r.incremental:
			how = 3
		case r.id < firstOwnClock && r.id != clockRealtime:
			how = 2
		case r.id == clockRealtime:
			how = 1
		}
		if how > rank {
			best, rank = i, how
		}
	}
	if best < 0 {
		return 0, false
	}
	r := all[best]
	ns, err := nanoseconds(r.value, r.multiplier)
	if err != nil {
		return 0, false
	}
	if rank == 3 {
		s := c.state[keyOfClock(machine, sequence, r.id)]
		return s.ref + (ns - s.at), true
	}
	return ns, true
}

// time is the trace's time of a stamp on the clock. Clocks join by snapshots that have both, never by guessing.
func (c *clocks) time(machine, sequence, id, stamp uint64) (int64, error) {
	if c.base < 0 && c.remote[machine].n == 0 {
		c.base = int64(machine)
	}
	ns, err := c.local(machine, sequence, id, stamp)
	if int64(machine) == c.base || err != nil {
		return ns, err
	}
	if o := c.remote[machine]; o.n == 0 || c.base > 0 {
		return 0, errNoClock
	}
	return ns + c.remote[machine].ns, nil
}

// local is the time of a stamp on the machine that made it.
func (c *clocks) local(machine, sequence, id, stamp uint64) (int64, error) {
	s := c.state[keyOfClock(machine, sequence, id)]
	if s == nil {
		plain, ok := c.plain[machine]
		if !ok && id < firstOwnClock && (id == clockBoottime || !c.related(machine)) {
			plain, ok = id, true
			c.plain[machine] = id
		}
		if !ok || plain != id {
			return 0, errNoClock
		}
		return nanoseconds(stamp, 1)
	}
	ns, err := nanoseconds(stamp, s.multiplier)
	if err != nil {
		return 0, err
	}
	if s.incremental {
		s.last += ns
		ns = s.last
	}
	if out := s.ref + (ns - s.at); out > -math.MaxInt64/4 && out < math.MaxInt64/4 {
		return out, nil
	}
	return 0, fmt.Errorf("time %d on clock %d is more than 73 years from the others", stamp, id)
}

// related reports whether a snapshot of the machine was there.
func (c *clocks) related(machine uint64) bool {
	for k := range c.state {
		if k.machine == machine {
			return true
		}
	}
	return false
}

var errNoClock = fmt.Errorf("no snapshot relates its clock to the others")

func nanoseconds(v, multiplier uint64) (int64, error) {
	hi, lo := bits.Mul64(v, multiplier)
	if hi != 0 || lo > math.MaxInt64/4 {
		return 0, fmt.Errorf("time %d times %d ns is more than 73 years", v, multiplier)
	}
	return int64(lo), nil
}
