//go:build !linux

package perfevent

import "syscall"

// noKernel stands in where there are no performance events.
type noKernel struct{}

func newKernel() kernel { return noKernel{} }

func (noKernel) open(*attr, int, int, counter) (counter, error) { return nil, syscall.ENOSYS }

func (noKernel) now() int64  { return 0 }
func (noKernel) tick() int64 { return 1 }
