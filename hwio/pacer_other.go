//go:build !linux

package hwio

func newPacer() (pacer, error) { return nil, ErrNeedsLinux }

// threadCPU is not known here.
func threadCPU() int64 { return 0 }
