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
