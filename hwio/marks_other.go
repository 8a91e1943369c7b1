//go:build !linux

package hwio

// openMarks needs Linux.
func openMarks(string) (*markFIFO, error) { return nil, ErrNeedsLinux }

// SendMark needs Linux.
func SendMark(string, string) error { return ErrNeedsLinux }

// markTime is known where there is something to mark.
func markTime() int64 { return 0 }
