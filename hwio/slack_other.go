//go:build !linux

package hwio

// relaxTimers does nothing: only Linux has it.
func relaxTimers() (restore func()) { return func() {} }
