// Package clock reads the kernel's clocks.
package clock

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Monotonic is CLOCK_MONOTONIC, in ns.
func Monotonic() int64 { return Read(unix.CLOCK_MONOTONIC) }

// Read is a clock that every kernel has, such as CLOCK_MONOTONIC_RAW, in ns.
//
// It goes past unix.ClockGettime, which tells Go's scheduler that the thread may wait: that wakes the runtime's monitor,
// which costs more than the clock, whenever the program was idle before. These clocks never wait.
func Read(id int32) int64 {
	var t unix.Timespec
	// It fails for an unknown clock only.
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, uintptr(id), uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}
