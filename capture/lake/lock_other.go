//go:build !windows && (!unix || solaris || aix)

package lake

import (
	"errors"
	"os"
)

func lockFile(*os.File, bool) (bool, error) {
	return false, errors.New("this system has no locks of files")
}
