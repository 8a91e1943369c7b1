package i915

import (
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// Read implements hwtest.File: whole records, as many as fit.
func (s *stream) Read(c *hwtest.Call, n int) ([]byte, error) {
	d := s.d
	d.mu.Lock()
	b, err := s.read(n)
	r := s.ready
	d.mu.Unlock()
	if err == syscall.ENOSPC {
		// There is more: the descriptor stays readable.
		if len(b) > 0 {
			return b, nil
		}
		return nil, err
	}
	if err != syscall.ENODEV {
		r.Set(false)
	}
	if len(b) > 0 {
		return b, nil
	}
	return nil, err
}

func (s *stream) read(n int) ([]byte, error) {
	d := s.d
	s.truth.Reads++
	switch {
	case d.gone:
		return nil, syscall.ENODEV
	case !s.enabled, s.period == 0 && !s.nonblock:
		return nil, syscall.EIO
	}
	// Reports come into being when somebody looks. The order is the driver's: an overflow first, since it throws away
	// everything that waits; then the mark of lost reports, which stands before those that follow the loss; then as
	// many whole reports as fit.
	now := d.now()
	s.generate(d.clk.at(now))
	var b []byte
	if s.overflow {
		if n < recordHeader {
			return nil, syscall.ENOSPC
		}
		b = appendHeader(b, "DRM_I915_PERF_RECORD_OA_BUFFER_LOST", recordHeader)
		s.discard("buffer")
		s.enabledAt = now // the driver has started the unit anew
		return b, nil
	}
	visible := s.visible(now)
	if d.has("report-loss") && s.quiet >= 150 && visible > 6 {
		if n < recordHeader {
			return nil, syscall.ENOSPC
		}
		b = appendHeader(b, "DRM_I915_PERF_RECORD_OA_REPORT_LOST", recordHeader)
		gone := 1 + len(s.truth.Losses)%4
		s.head, visible, s.quiet = s.head+gone, visible-gone, 0
		s.truth.Lost += gone
		s.truth.Losses = append(s.truth.Losses, LossTruth{Kind: "report", Reports: gone,
			AfterTimestamp: s.acct.lastTimestamp(d.clk)})
		s.acct.gap = true
	}
	// The driver shows what the unit had written when it last looked, not what is there now. With nothing delivered the
	// error is what the loop ended with; who delivers anything succeeds, and the caller drops the error.
	var err error = syscall.EAGAIN
	for range visible {
		e := &s.pending[s.head]
		size := recordHeader + s.format.size
		if d.has("unknown-record") && s.oddities >= 100 {
			if len(b)+16 > n {
				err = syscall.ENOSPC
				break
			}
			b = append(appendHeader(b, "", 16), make([]byte, 8)...)
			s.oddities = 0
		}
		ctx, _ := e.context()
		switch {
		case e.reason == 0 && d.revision < 5: // such a driver took it for a spurious one
			s.truth.Dropped++
			s.head++
			continue
		// A stream of one context also shows the report that ends it, which is the first of another context.
		case s.filter != 0 && ctx != s.filter && s.lastCtx != s.filter && e.reason&reasonContextSwitch == 0:
			s.truth.Filtered++
			s.head++
			continue
		}
		if len(b)+size > n {
			err = syscall.ENOSPC
			break
		}
		b = s.deliver(b, e)
		s.lastCtx = ctx
		s.head++
	}
	if s.head > len(s.pending)/2 { // so that moving costs each report a constant share
		s.pending = s.pending[:copy(s.pending, s.pending[s.head:])]
		s.head = 0
	}
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

// deliver appends a sample record, and counts it.
func (s *stream) deliver(b []byte, e *event) []byte {
	b = appendHeader(b, "DRM_I915_PERF_RECORD_SAMPLE", recordHeader+s.format.size)
	at := len(b)
	b = append(b, make([]byte, s.format.size)...)
	var v counters
	e.seg.at(e.t, &v)
	s.format.put(b[at:], e, s.d.clk.register(e.t), &v)
	if s.filter != 0 && e.seg.ctx != s.filter {
		copy(b[at+8:], []byte{0xff, 0xff, 0xff, 0xff})
	}
	s.truth.Delivered++
	s.d.delivered++
	s.d.set.Tell(s.d.delivered)
	s.quiet++
	s.oddities++
	if e.unlanded {
		clear(b[at : at+8])
		s.truth.Unlanded++
		return b
	}
	s.acct.add(e, &v)
	return b
}
