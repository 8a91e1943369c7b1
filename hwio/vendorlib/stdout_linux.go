//go:build amd64 || arm64

package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// takeStdout moves standard output out of reach of libraries, which may print: what they print goes to standard error
// from here on.
func takeStdout() (io.Writer, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := unix.Dup3(2, 1, 0); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "protocol"), nil
}
