package i915

import (
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// Sizes of the kernel's report buffer.
const (
	bufferSize      = 16 << 20
	smallBufferSize = 16 << 10
)

// stream is an open OA stream. Its fields are guarded by the device's lock.
type stream struct {
	*intel.Stream
	d        *device
	nonblock bool

	overflow bool
	spill    uint64 // when the next overflow comes in a scenario
	lastCtx  uint32 // of the last report passed on, as the driver remembers it
	quiet    int    // reports delivered since the hardware last dropped some
	oddities int    // reports delivered since the last record of an unknown type
	timers   int    // timer reports so far
}

// spillEvery is the time between two overflows in a scenario.
func (s *stream) spillEvery() uint64 { return s.d.Part.TimestampHz * 3 / 10 }

// Cleared implements intel.Driver.
func (s *stream) Cleared(t uint64) { s.overflow, s.spill = false, t+s.spillEvery() }

// Waiting implements intel.Driver.
func (s *stream) Waiting(now int64) bool { return s.overflow || s.Visible(now) > 0 }

// Emit implements intel.Driver: an overflow takes the whole buffer.
func (s *stream) Emit(t uint64, reason uint32) {
	if s.overflow {
		s.Overrun++
		return
	}
	size := bufferSize
	if s.d.Has("small-buffer") {
		size = smallBufferSize
	}
	spilt := s.d.Has("slow-reader") && t >= s.spill
	if spilt || s.Waits() >= size/s.Format.Size {
		s.overflow = true
		s.Overrun = s.Waits() + 1
		s.Pending, s.Head = s.Pending[:0], 0
		s.spill = t + s.spillEvery()
		return
	}
	e := s.Append(t, reason)
	if reason == intel.ReasonTimer {
		s.timers++
		switch {
		case s.SpuriousDue(t):
			e.Invalid = true
		case s.d.Has("reason-zero") && s.timers%50 == 49:
			e.Reason = 0
		case s.d.Has("unlanded") && s.timers%40 == 39:
			e.Unlanded = true
		}
	}
}

// Ioctl implements hwtest.File.
func (s *stream) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	if err := s.d.Present(); err != nil {
		return 0, err
	}
	switch request {
	case uapi.Ioctl("I915_PERF_IOCTL_ENABLE"):
		s.Enable()
		return 0, nil
	case uapi.Ioctl("I915_PERF_IOCTL_DISABLE"):
		s.Disable()
		return 0, nil
	case uapi.Ioctl("I915_PERF_IOCTL_CONFIG"):
		if s.d.revision >= 2 {
			return s.reconfigure(arg)
		}
	}
	return 0, syscall.EINVAL
}

// reconfigure changes the metric set, and returns the id of the old one.
func (s *stream) reconfigure(id uint64) (int64, error) {
	s.d.Mu.Lock()
	defer s.d.Mu.Unlock()
	cfg := s.d.Config(id)
	if cfg == nil {
		return 0, syscall.EINVAL
	}
	return int64(s.Reconfigure(cfg)), nil
}
