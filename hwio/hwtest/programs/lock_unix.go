//go:build unix

package programs

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const exe = ""

// flock locks a file for this process. Descriptors are not handed on to programs that tests start, so a lock ends with
// the process.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func lockShared(f *os.File) error    { return flock(f, unix.LOCK_SH) }
func lockExclusive(f *os.File) error { return flock(f, unix.LOCK_EX) }
func tryExclusive(f *os.File) bool   { return flock(f, unix.LOCK_EX|unix.LOCK_NB) == nil }

// ours refuses a folder that another user may have put there.
func ours(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(st.Uid) != os.Getuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is not a folder of this user's alone: remove it", dir)
	}
	return nil
}
