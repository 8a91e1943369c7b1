//go:build !linux

package hwio

import "time"

// relaxTimers does nothing: only Linux has it.
func relaxTimers(time.Duration) (restore func()) { return func() {} }
