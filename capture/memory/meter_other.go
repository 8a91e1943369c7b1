//go:build !linux

package memory

// systemMeter knows nothing here: the Go runtime tells what it holds.
type systemMeter struct{}

func newSystemMeter() systemMeter { return systemMeter{} }

func (systemMeter) resident() (uint64, bool) { return 0, false }

func (systemMeter) close() {}

// machineMemory is an amount that a machine for this work has, in bytes.
func machineMemory() uint64 { return fallbackMemory }
