//go:build !linux

package bundle

import (
	"context"

	"astrolabe/hwio"
)

// Collect needs a Linux machine.
func Collect(context.Context, Options) (*Bundle, error) { return nil, hwio.ErrNeedsLinux }
