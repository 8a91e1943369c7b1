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
