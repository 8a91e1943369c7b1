//go:build linux

package ioctl

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Value issues a request whose argument points to memory, and returns what the kernel answered: some requests give the
// number of something new, such as a descriptor.
func Value(f *os.File, request uint, arg unsafe.Pointer) (int, error) {
	for {
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), uintptr(request), uintptr(arg))
		runtime.KeepAlive(f)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return 0, errno
		}
		return int(n), nil
	}
}

// Number issues a request whose argument is a plain number on a descriptor that no *os.File owns, and returns what the
// kernel answered. An *os.File would make a descriptor that must not block wait when it is asked for its number.
func Number(fd int, request uint, arg uintptr) (int, error) {
	for {
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), arg)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return 0, errno
		}
		return int(n), nil
	}
}
