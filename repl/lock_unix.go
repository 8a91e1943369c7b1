//go:build unix

package repl

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile waits until this process alone holds the lock of a file. Closing the file gives it back.
func lockFile(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if err != unix.EINTR {
			return err
		}
	}
}
