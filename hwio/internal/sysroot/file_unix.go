//go:build unix

package sysroot

import (
	"errors"
	"runtime"

	"golang.org/x/sys/unix"
)

// pread is one system call: (*os.File).ReadAt would ask for the end of the file with a second one, for which the kernel
// makes up the whole text again.
func (f *File) pread(buf []byte) (int, error) {
	defer runtime.KeepAlive(f.f)
	for {
		n, err := unix.Pread(f.fd, buf, 0)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
