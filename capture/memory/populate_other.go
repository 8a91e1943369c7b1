//go:build !linux

package memory

// Populate has the pages of large new values there before each is written for the first time, where the system can.
func Populate([]uint64) {}
