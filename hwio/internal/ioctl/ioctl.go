//go:build linux

package ioctl

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Int issues a request whose argument is a plain number.
func Int(f *os.File, request uint, arg uintptr) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), uintptr(request), arg)
		runtime.KeepAlive(f)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		return nil
	}
}

// Ptr issues a request whose argument points to memory that the kernel reads or writes.
func Ptr(f *os.File, request uint, arg unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), uintptr(request), uintptr(arg))
		runtime.KeepAlive(f)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		return nil
	}
}
