//go:build !linux && !darwin

package lake

import "errors"

func exchange(_, _ string) error { return errors.ErrUnsupported }
