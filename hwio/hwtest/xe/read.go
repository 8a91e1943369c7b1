package xe

import (
	"syscall"

	"astrolabe/hwio/hwtest"
)

// Read implements hwtest.File: whole reports without headers, as many as fit. A read that finds bits in the unit's
// status clears them there and fails with EIO; the driver tells them by a request of its own.
func (s *stream) Read(_ *hwtest.Call, n int) ([]byte, error) {
	d := s.d
	d.mu.Lock()
	before := d.delivered
	b, err := s.read(n)
	r := s.ready
	unplug := d.has("unplug") && before < unplugReports && d.delivered >= unplugReports
	d.mu.Unlock()
	if unplug {
		d.unplug()
	}
	// There is more: the descriptor stays readable.
	if err != syscall.ENOSPC && err != syscall.EIO && err != syscall.ENODEV {
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
	case !s.enabled:
		return nil, syscall.EINVAL
	}
	// Reports come into being when somebody looks.
	now := d.now()
	s.generate(d.clk.at(now))
	s.status, s.hardware = s.hardware, 0
	if s.status != 0 {
		s.truth.Statuses = append(s.truth.Statuses, s.status)
		return nil, syscall.EIO
	}
	// The driver shows what the unit had written when it last looked, not what is there now. With nothing delivered the
	// error is what the loop ended with; who delivers anything succeeds, and the caller drops the error.
	var err error = syscall.EAGAIN
	var b []byte
	for range s.visible(now) {
		if len(b)+s.format.size > n {
			err = syscall.ENOSPC
			break
		}
		b = s.deliver(b, &s.pending[s.head])
		s.head++
	}
	if s.head > len(s.pending)/2 { // so that moving costs each report a constant share
		s.pending = s.pending[:copy(s.pending, s.pending[s.head:])]
		s.head = 0
	}
	return b, err
}

// deliver appends a report, and counts it.
func (s *stream) deliver(b []byte, e *event) []byte {
	at := len(b)
	b = append(b, make([]byte, s.format.size)...)
	var v counters
	e.seg.at(e.t, &v)
	s.format.put(b[at:], e, s.d.clk.register(e.t), &v)
	s.truth.Delivered++
	s.d.delivered++
	s.d.set.Tell(s.d.delivered)
	s.acct.add(e, &v)
	return b
}
