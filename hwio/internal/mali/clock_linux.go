package mali

import "golang.org/x/sys/unix"

// ReadClocks reads CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, and CLOCK_MONOTONIC again, in ns.
func ReadClocks() (before, raw, after int64) {
	return clock(unix.CLOCK_MONOTONIC), clock(unix.CLOCK_MONOTONIC_RAW), clock(unix.CLOCK_MONOTONIC)
}

func clock(id int32) int64 {
	var t unix.Timespec
	// These clocks exist in every kernel that astrolabe runs on.
	_ = unix.ClockGettime(id, &t)
	return t.Nano()
}
