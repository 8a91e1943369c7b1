//go:build unix

package formats

import (
	"errors"
	"syscall"
)

// isFull reports whether err says that there is no room left: a full disk or an exhausted quota.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// isReadOnly reports whether err says that the file system takes no changes.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// isNoFolder reports whether err says that a file stands where a folder should.
func isNoFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
