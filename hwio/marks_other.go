//go:build !linux

package hwio

// OpenMarks needs Linux.
func OpenMarks(string) (*Marks, error) { return nil, ErrNeedsLinux }

// SendMark needs Linux.
func SendMark(string, string) error { return ErrNeedsLinux }
