package mali

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap sleeps for less than a millisecond too, which the runtime's timers round up to one.
func nap(d time.Duration) {
	if d <= 0 {
		return
	}
	t := unix.NsecToTimespec(int64(d))
	// A signal may cut the nap short: the caller looks at the clock anyway.
	_ = unix.Nanosleep(&t, nil)
}
