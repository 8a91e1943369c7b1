//go:build unix

package fleet

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes a file for this program alone, until it is closed. Where the file system has no locks, nobody is refused.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errors.New("wait for its end, or choose another -o")
	}
	return nil
}
