//go:build !linux

package memory

// LargePages does nothing: other systems choose the size of pages themselves.
func LargePages(int) {}
