//go:build unix

package arrow

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps size bytes of f for reading.
func mapFile(f *os.File, size int64) (data []byte, unmap func(), err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return data, func() { unix.Munmap(data) }, nil
}
