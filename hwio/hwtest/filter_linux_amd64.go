package hwtest

import (
	"golang.org/x/sys/unix"
)

// firstFD is the lowest number that emulated descriptors get. The filter traps calls on descriptors only from here on,
// so that all others run at full speed.
const firstFD = 600

// Parts of struct seccomp_data and results of a filter, from linux/seccomp.h and linux/audit.h.
const (
	dataNr, dataArch, dataArgs = 0, 4, 16
	archX8664                  = 0xc000003e
	retAllow, retNotify        = 0x7fff0000, 0x7fc00000
)

// wholeCalls are trapped whatever their arguments, as a filter cannot follow pointers.
var wholeCalls = []uint32{
	unix.SYS_OPEN, unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_NEWFSTATAT,
	unix.SYS_STATX,
	unix.SYS_READLINK, unix.SYS_READLINKAT, unix.SYS_ACCESS, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2,
	unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR, unix.SYS_STATFS, unix.SYS_FSTATFS,
	unix.SYS_POLL, unix.SYS_PPOLL, unix.SYS_PERF_EVENT_OPEN, unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_CLONE3,
	unix.SYS_CLOSE_RANGE, unix.SYS_CLOCK_GETRES,
	unix.SYS_EXECVE, unix.SYS_EXECVEAT,
}

// fdCalls are trapped where the argument of that number is a descriptor from firstFD on.
var fdCalls = []struct{ nr, arg uint32 }{
	{unix.SYS_IOCTL, 0}, {unix.SYS_READ, 0}, {unix.SYS_READV, 0}, {unix.SYS_PREAD64, 0}, {unix.SYS_PREADV, 0},
	{unix.SYS_PREADV2, 0},
	{unix.SYS_WRITE, 0}, {unix.SYS_WRITEV, 0}, {unix.SYS_PWRITE64, 0}, {unix.SYS_CLOSE, 0},
	{unix.SYS_DUP, 0}, {unix.SYS_DUP2, 0}, {unix.SYS_DUP2, 1}, {unix.SYS_DUP3, 0}, {unix.SYS_DUP3, 1},
	{unix.SYS_FCNTL, 0},
	{unix.SYS_LSEEK, 0}, {unix.SYS_FSTAT, 0}, {unix.SYS_EPOLL_CTL, 2}, {unix.SYS_GETDENTS64, 0}, {unix.SYS_MMAP, 4},
}

// filter is the program that decides which calls are trapped. exits says whether the ends of processes are: what is
// left of a program when its emulation has ended could not end by itself then.
func filter(exits bool) []unix.SockFilter {
	stmt := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }
	jump := func(code uint16, k uint32, jt, jf uint8) unix.SockFilter {
		return unix.SockFilter{Code: code, K: k, Jt: jt, Jf: jf}
	}
	const (
		load = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		jeq  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		jge  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		jset = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		ret  = unix.BPF_RET | unix.BPF_K
	)
	f := []unix.SockFilter{
		stmt(load, dataArch), jump(jeq, archX8664, 1, 0), stmt(ret, retAllow), stmt(load, dataNr),
	}
	for _, nr := range wholeCalls {
		f = append(f, jump(jeq, nr, 0, 1), stmt(ret, retNotify))
	}
	if exits {
		f = append(f, jump(jeq, unix.SYS_EXIT_GROUP, 0, 1), stmt(ret, retNotify))
	}
	// A clone that makes a thread needs no attention; one that makes a process hands descriptors on.
	f = append(f, jump(jeq, unix.SYS_CLONE, 0, 4), stmt(load, dataArgs), jump(jset, unix.CLONE_THREAD, 0, 1),
		stmt(ret, retAllow), stmt(ret, retNotify))
	for _, c := range fdCalls {
		f = append(f, jump(jeq, c.nr, 0, 5), stmt(load, dataArgs+8*c.arg),
			jump(jge, firstFD, 0, 2), jump(jge, 1<<31, 1, 0), stmt(ret, retNotify), stmt(load, dataNr))
	}
	return append(f, stmt(ret, retAllow))
}
