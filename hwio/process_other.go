//go:build !linux

package hwio

func watchProcess(int, func()) (func(), error) { return nil, ErrNeedsLinux }
