//go:build !linux

package xe

import (
	"syscall"
	"time"
)

// noKernel refuses: there is no such driver here.
type noKernel struct{}

func newKernel() kernel { return noKernel{} }

func (noKernel) open(string) (device, error) { return nil, syscall.ENOSYS }

func (noKernel) now() int64 { return time.Now().UnixNano() }
