package xe

import (
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// pollPeriod is that of the driver's look at the hardware's tail pointer.
const pollPeriod = 5 * time.Millisecond

// Bits of a unit's status, in the order of DRM_XE_OASTATUS_*.
var (
	statusLost     = uint64(uapi.Const("DRM_XE_OASTATUS_REPORT_LOST"))
	statusOverflow = uint64(uapi.Const("DRM_XE_OASTATUS_BUFFER_OVERFLOW"))
	statusCounter  = uint64(uapi.Const("DRM_XE_OASTATUS_COUNTER_OVERFLOW"))
	statusTrigger  = uint64(uapi.Const("DRM_XE_OASTATUS_MMIO_TRG_Q_FULL"))
)

// stream is an open stream of an OA unit. Its fields are guarded by the device's lock.
type stream struct {
	*intel.Stream
	d      *device
	buffer uint64 // bytes
	wait   int    // reports that make the descriptor readable

	hardware uint64 // status bits that no read has seen
	status   uint64 // what the last read saw
	dropping int    // reports that the hardware is still to drop; -1 while the buffer is full
	timers   bool   // one of those dropped was a timer's
	gap      bool   // reports were lost since the last one that was written
	spill    uint64 // when the next overflow comes in a scenario
	quiet    int    // reports written since the hardware last dropped some
	told     bool   // a scenario has shown its bit
}

// newStream takes the unit.
func newStream(d *device, u *unit, f *intel.Format, p map[int64]uint64, cfg *intel.Config) *stream {
	s := &stream{d: d, buffer: d.bufferSize(p), wait: 1}
	if n, ok := p[propWait]; ok {
		s.wait = int(n)
	}
	exponent := -1
	if e, ok := p[propExponent]; ok {
		exponent = int(e)
	}
	s.Stream = d.OpenStream(&u.Unit, f, exponent, cfg, pollPeriod, s)
	s.Truth.Properties, s.Truth.BufferBytes = p, s.buffer
	return s
}

// spillEvery is the time between two overflows in a scenario.
func (s *stream) spillEvery() uint64 { return s.d.Part.TimestampHz * 3 / 10 }

// Cleared implements intel.Driver.
func (s *stream) Cleared(t uint64) {
	s.hardware, s.status, s.dropping, s.gap = 0, 0, 0, false
	s.spill = t + s.spillEvery()
}

// Waiting implements intel.Driver.
func (s *stream) Waiting(now int64) bool { return s.hardware != 0 || s.Visible(now) >= s.wait }

// dropAfter is how many reports the hardware writes until it drops some, in the scenario of that.
const dropAfter = 150

// Emit implements intel.Driver. Where there is no room for a report the hardware drops it, and its counters run on: what waits in the
// buffer stays.
func (s *stream) Emit(t uint64, reason uint32) {
	room := int(s.buffer) / s.Format.Size
	spilt := s.d.Has("slow-reader") && t >= s.spill
	switch {
	case s.dropping < 0 && (s.Waits() >= room || t < s.spill):
	case spilt && s.dropping == 0, s.Waits() >= room:
		// The overflow lasts until there is room, or 10 ms in the scenario.
		s.hardware |= statusOverflow
		s.dropping = -1
		s.timers = false
		s.Truth.Losses = append(s.Truth.Losses, intel.LossTruth{Kind: "buffer"})
		if spilt {
			s.spill = t + s.d.Part.TimestampHz/100
		} else {
			s.spill = 0
		}
	case s.dropping < 0:
		s.dropping, s.spill = 0, t+s.spillEvery()
	case s.dropping == 0 && s.d.Has("report-loss") && s.quiet >= dropAfter:
		s.quiet, s.dropping = 0, 1+len(s.Truth.Losses)%4
		s.hardware |= statusLost
		s.timers = false
		s.Truth.Losses = append(s.Truth.Losses, intel.LossTruth{Kind: "report"})
	}
	if s.dropping != 0 {
		s.lose(reason)
		return
	}
	s.quiet++
	s.Append(t, reason).Gap = s.gap
	s.gap = false
	if n := s.Truth.Produced; n >= 200 && !s.told {
		s.told = true
		if s.d.Has("counter-overflow") {
			s.hardware |= statusCounter
		}
		if s.d.Has("trigger-queue") {
			s.hardware |= statusTrigger
		}
	}
}

// lose drops a report. A loss by the hardware takes a timer's report at least, so that it can be seen by the times.
func (s *stream) lose(reason uint32) {
	s.Truth.Losses[len(s.Truth.Losses)-1].Reports++
	s.Truth.Lost++
	s.gap = true
	s.timers = s.timers || reason&intel.ReasonTimer != 0
	if s.dropping > 1 || s.dropping == 1 && s.timers {
		s.dropping--
	}
}

// Ioctl implements hwtest.File.
func (s *stream) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	if err := s.d.Present(); err != nil {
		return 0, err
	}
	switch request {
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_ENABLE"):
		s.Enable()
		return 0, nil
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_DISABLE"):
		s.Disable()
		return 0, nil
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_CONFIG"):
		return s.reconfigure(c, arg)
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_STATUS"):
		return 0, s.tell(c, arg, "drm_xe_oa_stream_status", "oa_status", func() uint64 { return s.status })
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_INFO"):
		return 0, s.tell(c, arg, "drm_xe_oa_stream_info", "oa_buf_size", func() uint64 { return s.buffer })
	}
	return 0, syscall.EINVAL
}

// tell writes a structure with one number.
func (s *stream) tell(c *hwtest.Call, at uint64, name, field string, value func() uint64) error {
	l := uapi.Struct(name)
	b := make([]byte, l.Size)
	s.d.Mu.Lock()
	l.Set(b, field, value())
	s.d.Mu.Unlock()
	return intel.Write(c, at, b)
}

// reconfigure changes the metric set, and returns the id of the old one.
func (s *stream) reconfigure(c *hwtest.Call, chain uint64) (int64, error) {
	d := s.d
	p, err := d.readProperties(c, chain, []int64{propSet, propNumSyncs, propSyncs})
	if err != nil {
		return 0, err
	}
	fences, err := d.readSyncs(c, p)
	if err != nil {
		return 0, err
	}
	d.Mu.Lock()
	cfg := d.Config(p[propSet])
	if cfg == nil {
		d.Mu.Unlock()
		return 0, syscall.EINVAL
	}
	old := s.Reconfigure(cfg)
	d.Mu.Unlock()
	return int64(old), signal(c, fences)
}
