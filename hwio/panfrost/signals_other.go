//go:build !linux

package panfrost

// holdSignals has nothing to do: panfrost is a driver of Linux.
func holdSignals() (release func()) { return func() {} }
