package hwtest

import "golang.org/x/sys/unix"

func monotonic() int64    { return clock(unix.CLOCK_MONOTONIC) }
func monotonicRaw() int64 { return clock(unix.CLOCK_MONOTONIC_RAW) }

func clock(id int32) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic(err) // both clocks always exist
	}
	return t.Nano()
}
