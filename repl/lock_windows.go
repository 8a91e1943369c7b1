package repl

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile waits until this process alone holds the lock of a file. Closing the file gives it back.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
}
