//go:build !linux || !amd64

package hwtest

import (
	"context"
	"fmt"
	"runtime"
)

// Run returns ErrUnsupported: emulation needs seccomp user notification, and the system-call numbers of linux/amd64.
func Run(context.Context, Options) (*Result, error) {
	return nil, fmt.Errorf("%w: it needs linux/amd64, this is %s/%s", ErrUnsupported, runtime.GOOS, runtime.GOARCH)
}
