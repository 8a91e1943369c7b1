package hwtest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// status is what /proc tells of a thread.
type status struct {
	tgid, threads    int
	euid             int
	pending, blocked uint64 // signals
	own              uint64 // pending ones of this very thread
	filtered         bool   // it runs under a seccomp filter
}

func readStatus(tid int) (status, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if err != nil {
		return status{}, err
	}
	var s status
	for line := range bytes.Lines(data) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		fields := bytes.Fields(value)
		if len(fields) == 0 {
			continue
		}
		num := func(i, base int) uint64 {
			v, _ := strconv.ParseUint(string(fields[min(i, len(fields)-1)]), base, 64)
			return v
		}
		switch string(key) {
		case "Tgid":
			s.tgid = int(num(0, 10))
		case "Threads":
			s.threads = int(num(0, 10))
		case "Uid":
			s.euid = int(num(1, 10))
		case "SigPnd":
			s.own = num(0, 16)
			s.pending |= s.own
		case "ShdPnd":
			s.pending |= num(0, 16)
		case "SigBlk":
			s.blocked = num(0, 16)
		case "Seccomp":
			s.filtered = num(0, 10) == 2
		}
	}
	return s, nil
}

const (
	capSysAdmin = 21
	capPerfmon  = 38
)

// privileged reports whether a thread has CAP_PERFMON or CAP_SYS_ADMIN.
func privileged(tid int) bool {
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3, Pid: int32(tid)}
	var d [2]unix.CapUserData
	if unix.Capget(&h, &d[0]) != nil {
		return false
	}
	return d[0].Effective&(1<<capSysAdmin) != 0 || d[1].Effective&(1<<(capPerfmon-32)) != 0
}

// sameFile reports whether descriptor fd of a process and descriptor own of ours are one open file.
func sameFile(pid, fd, own int) bool {
	const kcmpFile = 0
	r, _, e := unix.RawSyscall6(unix.SYS_KCMP, uintptr(os.Getpid()), uintptr(pid), kcmpFile, uintptr(own),
		uintptr(fd), 0)
	if e == unix.ENOSYS {
		return sameInode(pid, fd, own)
	}
	return e == 0 && r == 0
}

// sameInode stands in for kcmp(2) on kernels built without it.
func sameInode(pid, fd, own int) bool {
	var a, b unix.Stat_t
	if unix.Stat(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), &a) != nil || unix.Fstat(own, &b) != nil {
		return false
	}
	return a.Dev == b.Dev && a.Ino == b.Ino
}

// programMemory is the memory of the thread that waits for an answer to a call.
type programMemory struct {
	l   listener
	id  uint64
	tid int
}

// Read fills b, and finds out whether it was still the memory of the same thread.
func (m programMemory) Read(addr uint64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: unsafe.SliceData(b), Len: uint64(len(b))}}
	n, err := unix.ProcessVMReadv(m.tid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(b)}}, 0)
	if err != nil || n < len(b) || !m.l.valid(m.id) {
		return unix.EFAULT
	}
	return nil
}

// Write copies b.
func (m programMemory) Write(addr uint64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if !m.l.valid(m.id) {
		return unix.EFAULT
	}
	local := []unix.Iovec{{Base: unsafe.SliceData(b), Len: uint64(len(b))}}
	n, err := unix.ProcessVMWritev(m.tid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(b)}}, 0)
	if err != nil || n < len(b) {
		return unix.EFAULT
	}
	return nil
}

// str reads a path, page by page as the next page may not be there.
func (m programMemory) str(addr uint64) (string, error) {
	const page = 4096
	var out []byte
	for len(out) < unix.PathMax {
		b := make([]byte, page-addr%page)
		if err := m.Read(addr, b); err != nil {
			return "", err
		}
		if i := bytes.IndexByte(b, 0); i >= 0 {
			out = append(out, b[:i]...)
			if len(out) >= unix.PathMax {
				break
			}
			return string(out), nil
		}
		out, addr = append(out, b...), addr+uint64(len(b))
	}
	return "", unix.ENAMETOOLONG
}
