//go:build !unix

package formats

import (
	"errors"
	"syscall"
)

// isFull reports whether err is ERROR_HANDLE_DISK_FULL or ERROR_DISK_FULL of Windows, or the portable ENOSPC.
func isFull(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && (errno == 39 || errno == 112 || errno == syscall.ENOSPC)
}

// isReadOnly reports whether err is ERROR_WRITE_PROTECT of Windows.
func isReadOnly(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && errno == 19
}

// isNoFolder reports whether err says that a file stands where a folder should. Windows says "not found".
func isNoFolder(error) bool { return false }
