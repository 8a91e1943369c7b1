package mali

import (
	"golang.org/x/sys/unix"

	"astrolabe/hwio/internal/clock"
)

// ReadClocks reads CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, and CLOCK_MONOTONIC again, in ns.
func ReadClocks() (before, raw, after int64) {
	return clock.Monotonic(), clock.Read(unix.CLOCK_MONOTONIC_RAW), clock.Monotonic()
}
