package cli

import "golang.org/x/sys/unix"

// limitData is the last net below the watch of memory, for one operation that takes all there is at once: the system
// then refuses it, and the program ends. It counts what the Go runtime has mapped for itself, which is more than it
// uses, and leaves out mapped files (RLIMIT_AS would count those, and reservations that nobody uses).
func limitData(most uint64) {
	const own = 1 << 30 // of the runtime, with room
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &old); err != nil {
		return
	}
	if n := 2*most + own; n < old.Cur && n > most {
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: n, Max: old.Max}) // the watch is there without it too
	}
}
