package perfetto

import (
	"fmt"
	"math"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

// clockKey names a clock: those from 64 to 127 belong to one packet sequence.
type clockKey struct{ sequence, id uint64 }

func keyOfClock(sequence, id uint64) clockKey {
	if id < firstOwnClock || id >= 2*firstOwnClock {
		sequence = 0
	}
	return clockKey{sequence, id}
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
	used    map[uint64]bool
	wall    int64 // wall clock less the trace's time, in ns
	hasWall bool
}

type clockReading struct {
	id, value   uint64
	multiplier  uint64
	incremental bool
}

// snapshot takes a ClockSnapshot in.
func (c *clocks) snapshot(sequence uint64, data []byte) error {
	var all []clockReading
	err := each(data, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
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
	if err != nil {
		return err
	}
	ref, ok := c.reference(all)
	if !ok {
		return nil
	}
	for _, r := range all {
		ns, err := nanoseconds(r.value, r.multiplier)
		if err != nil {
			return err
		}
		if r.id == clockRealtime {
			c.wall, c.hasWall = ns-ref, true
		}
		c.state[keyOfClock(sequence, r.id)] = &clockState{multiplier: r.multiplier, incremental: r.incremental, at: ns,
			ref: ref, last: ns}
	}
	return nil
}

// reference is the trace's time of a snapshot.
func (c *clocks) reference(all []clockReading) (int64, bool) {
	best := -1
	for i, r := range all {
		switch {
		case r.id >= firstOwnClock:
		case best < 0, r.id == clockBoottime, all[best].id == clockRealtime && all[best].id != clockBoottime:
			if best < 0 || all[best].id != clockBoottime {
				best = i
			}
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
	if s := c.state[clockKey{0, r.id}]; s != nil && r.id != clockBoottime {
		return s.ref + (ns - s.at), true
	}
	return ns, true
}

// time is the trace's time of a stamp on the clock.
func (c *clocks) time(sequence, id, stamp uint64) (int64, error) {
	c.used[id] = true
	s := c.state[keyOfClock(sequence, id)]
	if s == nil {
		if id >= firstOwnClock {
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

var errNoClock = fmt.Errorf("no snapshot relates its clock to the others")

func nanoseconds(v, multiplier uint64) (int64, error) {
	hi, lo := bits.Mul64(v, multiplier)
	if hi != 0 || lo > math.MaxInt64/4 {
		return 0, fmt.Errorf("time %d times %d ns is more than 73 years", v, multiplier)
	}
	return int64(lo), nil
}
