package hwtest

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Structures and requests of seccomp user notification, from linux/seccomp.h.

// notification must match struct seccomp_notif.
type notification struct {
	id         uint64
	tid, flags uint32
	nr         int32
	arch       uint32
	ip         uint64
	args       [6]uint64
}

// response must match struct seccomp_notif_resp.
type response struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

// addFD must match struct seccomp_notif_addfd.
type addFD struct {
	id                          uint64
	flags, src, number, fdFlags uint32
}

const (
	notifRecv, notifSend     = 0xc0502100, 0xc0182101
	notifIDValid, notifAddFD = 0x40082102, 0x40182103
	respContinue             = 1
	addFDAtNumber            = 1
	setModeFilter            = 1
	filterNewListener        = 1 << 3
	filterWaitKillable       = 1 << 5
)

// listener is the descriptor over which the kernel hands trapped calls.
type listener int

// control takes the pointer as one, so that what it points at stays in place during the call.
func (l listener) control(request uintptr, p unsafe.Pointer) (uintptr, unix.Errno) {
	for {
		r, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(l), request, uintptr(p))
		if e != unix.EINTR {
			return r, e
		}
	}
}

// receive waits for the next trapped call; ENOENT where it was gone before it could be taken.
func (l listener) receive(n *notification) error {
	*n = notification{} // the kernel insists
	if _, e := l.control(notifRecv, unsafe.Pointer(n)); e != 0 {
		return e
	}
	return nil
}

// send answers a call. One whose thread was killed meanwhile needs no answer.
func (l listener) send(r *response) error {
	if _, e := l.control(notifSend, unsafe.Pointer(r)); e != 0 && e != unix.ENOENT {
		return e
	}
	return nil
}

// valid reports whether the call still waits for its answer.
func (l listener) valid(id uint64) bool {
	_, e := l.control(notifIDValid, unsafe.Pointer(&id))
	return e == 0
}

// install puts a descriptor of ours into the calling process, at a number, or at the lowest free one for -1.
func (l listener) install(id uint64, src, number int, cloexec bool) (int, error) {
	a := addFD{id: id, src: uint32(src)}
	if number >= 0 {
		a.flags, a.number = addFDAtNumber, uint32(number)
	}
	if cloexec {
		a.fdFlags = unix.O_CLOEXEC
	}
	r, e := l.control(notifAddFD, unsafe.Pointer(&a))
	if e != 0 {
		return -1, e
	}
	return int(r), nil
}

// asErrno is the number for a model's error.
func asErrno(err error) unix.Errno {
	var e unix.Errno
	if errors.As(err, &e) {
		return e
	}
	return unix.EIO
}
