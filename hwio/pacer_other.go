//go:build !linux

package hwio

func newPacer() (pacer, error) { return nil, ErrNeedsLinux }

// ownUse is not known here.
func ownUse() (cpu, waits int64) { return 0, 0 }
