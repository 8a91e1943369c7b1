//go:build !linux

package script

// systemMeter knows nothing here: the Go runtime tells what it holds.
type systemMeter struct{}

func newSystemMeter() systemMeter { return systemMeter{} }

func (systemMeter) resident() (uint64, bool) { return 0, false }

func (systemMeter) close() {}

// availableMemory is an amount that a machine for this work has.
func availableMemory() uint64 { return fallbackMemory }
