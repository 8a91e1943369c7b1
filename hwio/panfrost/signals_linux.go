package panfrost

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// holdSignals keeps signals from the thread that asks for samples until the function that it returns is called.
// Panfrost waits for a sample such that a signal ends the wait; the request then begins anew with a second sample, and
// what the first one counted is lost. The Go runtime itself sends such signals, to threads that it wants to interrupt.
// Faults of the program still end it.
func holdSignals() (release func()) {
	runtime.LockOSThread()
	var all, before unix.Sigset_t
	const bits = 8 * int(unsafe.Sizeof(all.Val[0]))
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	for _, s := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP,
		syscall.SIGABRT, syscall.SIGSYS} {
		at := int(s) - 1
		all.Val[at/bits] &^= 1 << (at % bits)
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &before); err != nil {
		return runtime.UnlockOSThread
	}
	return func() {
		// It cannot fail with a mask that the kernel gave.
		_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
		runtime.UnlockOSThread()
	}
}
