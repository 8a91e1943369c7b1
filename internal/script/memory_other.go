//go:build !linux

package script

// usedMemory is the memory that the Go runtime holds from the system, in bytes.
func usedMemory() uint64 { return goMemory() }

// availableMemory is an amount that a machine for this work has.
func availableMemory() uint64 { return fallbackMemory }
