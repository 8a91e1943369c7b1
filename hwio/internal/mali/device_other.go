//go:build !linux

package mali

import "syscall"

// noKernel stands in where there are no such devices.
type noKernel struct{}

// NewKernel returns a kernel without devices.
func NewKernel() Kernel { return noKernel{} }

func (noKernel) Character(string) (exists, character bool) { return false, false }

func (noKernel) Open(string, bool) (Device, error) { return nil, syscall.ENOENT }
