package xe

import (
	"syscall"

	"astrolabe/hwio/hwtest"
)

// Read implements hwtest.File: whole reports without headers, as many as fit. A read that finds bits in the unit's
// status clears them there and fails with EIO; the driver tells them by a request of its own.
func (s *stream) Read(_ *hwtest.Call, n int) ([]byte, error) {
	s.d.Mu.Lock()
	before := s.d.Delivered
	b, err := s.read(n)
	s.d.Mu.Unlock()
	s.d.UnplugIfDue(before)
	// Where there is more the descriptor stays readable.
	if err != syscall.ENOSPC && err != syscall.EIO && err != syscall.ENODEV {
		s.Wake(false)
	}
	if len(b) > 0 {
		return b, nil
	}
	return nil, err
}

func (s *stream) read(n int) ([]byte, error) {
	s.Truth.Reads++
	switch {
	case s.d.Gone:
		return nil, syscall.ENODEV
	case !s.Enabled:
		return nil, syscall.EINVAL
	}
	// Reports come into being when somebody looks.
	now := s.d.Now()
	s.Generate(now)
	s.status, s.hardware = s.hardware, 0
	if s.status != 0 {
		s.Truth.Statuses = append(s.Truth.Statuses, s.status)
		return nil, syscall.EIO
	}
	// The driver shows what the unit had written when it last looked, not what is there now. With nothing delivered the
	// error is what the loop ended with; who delivers anything succeeds, and the caller drops the error.
	var err error = syscall.EAGAIN
	var b []byte
	for range s.Visible(now) {
		if len(b)+s.Format.Size > n {
			err = syscall.ENOSPC
			break
		}
		b = s.Deliver(b)
	}
	s.Compact()
	return b, err
}
