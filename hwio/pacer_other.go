//go:build !linux

package hwio

func newPacer() (pacer, error) { return nil, ErrNeedsLinux }

// ownCPU is not known here.
func ownCPU() int64 { return 0 }
