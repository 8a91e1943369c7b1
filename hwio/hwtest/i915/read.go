package i915

import (
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// Read implements hwtest.File: whole records, as many as fit.
func (s *stream) Read(_ *hwtest.Call, n int) ([]byte, error) {
	s.d.Mu.Lock()
	before := s.d.Delivered
	b, err := s.read(n)
	s.d.Mu.Unlock()
	s.d.UnplugIfDue(before)
	// Where there is more the descriptor stays readable.
	if err != syscall.ENOSPC && err != syscall.ENODEV {
		s.Wake(false)
	}
	if len(b) > 0 {
		return b, nil
	}
	return nil, err
}

func (s *stream) read(n int) ([]byte, error) {
	d := s.d
	s.Truth.Reads++
	switch {
	case d.Gone:
		return nil, syscall.ENODEV
	case !s.Enabled, !s.Periodic() && !s.nonblock:
		return nil, syscall.EIO
	}
	// Reports come into being when somebody looks. The order is the driver's: an overflow first, since it throws away
	// everything that waits; then the mark of lost reports, which stands before those that follow the loss; then as
	// many whole reports as fit.
	now := d.Now()
	s.Generate(now)
	var b []byte
	if s.overflow {
		if n < recordHeader {
			return nil, syscall.ENOSPC
		}
		b = appendHeader(b, "DRM_I915_PERF_RECORD_OA_BUFFER_LOST", recordHeader)
		s.Discard("buffer")
		s.overflow = false
		s.EnabledAt = now // the driver has started the unit anew
		return b, nil
	}
	visible := s.Visible(now)
	if d.Has("report-loss") && s.quiet >= 150 && visible > 6 {
		if n < recordHeader {
			return nil, syscall.ENOSPC
		}
		b = appendHeader(b, "DRM_I915_PERF_RECORD_OA_REPORT_LOST", recordHeader)
		gone := 1 + len(s.Truth.Losses)%4
		visible, s.quiet = visible-gone, 0
		s.Skip(gone)
	}
	// The driver shows what the unit had written when it last looked, not what is there now. With nothing delivered the
	// error is what the loop ended with; who delivers anything succeeds, and the caller drops the error.
	var err error = syscall.EAGAIN
	for range visible {
		e := &s.Pending[s.Head]
		size := recordHeader + s.Format.Size
		if d.Has("unknown-record") && s.oddities >= 100 {
			if len(b)+16 > n {
				err = syscall.ENOSPC
				break
			}
			b = append(appendHeader(b, "", 16), make([]byte, 8)...)
			s.oddities = 0
		}
		ctx, _ := e.Context()
		switch {
		case e.Reason == 0 && d.revision < 5: // such a driver took it for a spurious one
			s.Truth.Dropped++
			s.Head++
			continue
		// A stream of one context also shows the report that ends it, which is the first of another context.
		case s.Filter != 0 && ctx != s.Filter && s.lastCtx != s.Filter && !e.Switched():
			s.Truth.Filtered++
			s.Head++
			continue
		}
		if len(b)+size > n {
			err = syscall.ENOSPC
			break
		}
		b = appendHeader(b, "DRM_I915_PERF_RECORD_SAMPLE", size)
		b = s.Deliver(b)
		s.quiet++
		s.oddities++
		s.lastCtx = ctx
	}
	s.Compact()
	return b, err
}

const recordHeader = 8

// appendHeader starts a record; without a name it is of a type that nobody knows.
func appendHeader(b []byte, name string, size int) []byte {
	kind := int64(9)
	if name != "" {
		kind = uapi.Const(name)
	}
	l := uapi.Struct("drm_i915_perf_record_header")
	h := make([]byte, l.Size)
	l.Set(h, "type", uint64(kind))
	l.Set(h, "size", uint64(size))
	return append(b, h...)
}
