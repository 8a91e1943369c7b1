package replay

import (
	"slices"
	"sync"
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/tape"
)

// reports is a stream of reports: what was read on the tape is there again when as much time has passed. A program may
// read in other pieces than were read then, of whole reports or records.
type reports struct {
	machine *Machine
	played  *tape.Played
	clock   *gpuClock
	records bool // each of which says how long it is
	unit    int  // else: bytes that belong together

	mu      sync.Mutex
	ready   *hwtest.Readiness
	pending []byte
	started bool
	closed  bool
}

// newReports plays a stream, of records that say themselves how long they are or of bare reports.
func newReports(m *Machine, made *tape.Played, clock *gpuClock, records, started bool) *reports {
	s := &reports{machine: m, played: made, clock: clock, records: records, started: started}
	if records {
		return s
	}
	for _, e := range made.Reads() {
		// Reads were of whole reports, so that their lengths have a divisor that is one report's, or some'.
		for n := len(e.Data); n > 0; s.unit, n = n, s.unit%n {
		}
	}
	return s
}

// Ioctl implements hwtest.File.
func (s *reports) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	switch request {
	case uapi.Ioctl("I915_PERF_IOCTL_ENABLE"):
		s.mu.Lock()
		s.started = true
		s.mu.Unlock()
		s.signal()
		return 0, nil
	case uapi.Ioctl("I915_PERF_IOCTL_DISABLE"):
		return 0, nil
	case uapi.Ioctl("I915_PERF_IOCTL_CONFIG"):
		in := le.AppendUint32(nil, uint32(arg))
		if !s.records {
			var err error
			if in, err = chain(c, arg); err != nil {
				return 0, err
			}
		}
		return s.answer(c, request, in, 0)
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_STATUS"):
		return s.answer(c, request, make([]byte, uapi.Struct("drm_xe_oa_stream_status").Size), arg)
	}
	return 0, s.machine.unknown(request, nil)
}

// answer hands over what the tape has, to an address if it is not 0.
func (s *reports) answer(c *hwtest.Call, request uint32, in []byte, at uint64) (int64, error) {
	e, _, err := s.played.Request(request, in, nil)
	switch {
	case e == nil:
		return 0, s.machine.unknown(request, in)
	case err != nil:
		return 0, err
	case at != 0:
		return e.Value, written(c, at, e.Out)
	}
	return e.Value, nil
}

// due is the next read of the tape, and how long it has still to come; nil behind the last.
func (s *reports) due() (*tape.Event, time.Duration) {
	e, ok := s.played.Peek(func(e *tape.Event) bool { return e.Kind == tape.Read && e.Errno != int(syscall.EAGAIN) })
	if !ok || !s.started {
		return nil, 0
	}
	return e, time.Duration(max(0, e.Time-s.clock.tapeTime(hwtest.Now())))
}

// Read implements hwtest.File.
func (s *reports) Read(_ *hwtest.Call, n int) ([]byte, error) {
	s.mu.Lock()
	b, err := s.read(n)
	s.mu.Unlock()
	s.signal()
	return b, err
}

func (s *reports) read(n int) ([]byte, error) {
	for {
		e, wait := s.due()
		if e == nil || wait > 0 || e.Errno != 0 && len(s.pending) > 0 {
			break
		}
		s.played.Next(func(x *tape.Event) bool { return x == e })
		if e.Errno != 0 {
			return nil, syscall.Errno(e.Errno)
		}
		s.machine.count(func(t *Truth) {
			t.Samples++
			s.machine.set.Tell(t.Samples)
		})
		s.pending = append(s.pending, e.Data...)
	}
	if len(s.pending) == 0 {
		return nil, syscall.EAGAIN
	}
	size := 0
	for size < len(s.pending) {
		next := size + s.length(s.pending[size:])
		if next > n {
			break
		}
		size = next
	}
	if size == 0 {
		return nil, syscall.ENOSPC
	}
	out := slices.Clone(s.pending[:size])
	s.pending = s.pending[size:]
	return out, nil
}

// length is that of the report or record that begins here.
func (s *reports) length(b []byte) int {
	n := s.unit
	if l := uapi.Struct("drm_i915_perf_record_header"); s.records && len(b) >= l.Size {
		n = max(int(l.Get(b, "size")), l.Size)
	}
	if n <= 0 {
		n = len(b)
	}
	return min(n, len(b))
}

// signal says whether something is there, now and when the next comes.
func (s *reports) signal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready == nil || s.closed {
		return
	}
	e, wait := s.due()
	s.ready.Set(len(s.pending) > 0 || e != nil && wait == 0)
	if e != nil && wait > 0 {
		time.AfterFunc(wait, s.signal)
	}
}

// Attach implements hwtest.Pollable.
func (s *reports) Attach(r *hwtest.Readiness) {
	s.mu.Lock()
	s.ready = r
	s.mu.Unlock()
	s.signal()
}

func (s *reports) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}
