package hwtest

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stageVariable makes a process of any program that holds this package the stage between Run and its program: the
// filter must be installed by the process that then becomes the program. Its value is the number of the socket to Run,
// and a minus sign before it where the program shall not be privileged. "+exits" behind it has the ends of processes
// trapped.
const stageVariable = "ASTROLABE_HWTEST_STAGE"

const trapExits = "+exits"

// openLimit is the number of descriptors that a program may have at least, so that emulated ones find room above
// firstFD.
const openLimit = 4096

func init() {
	if v, ok := os.LookupEnv(stageVariable); ok {
		runStage(v)
	}
}

// runStage installs the filter, sends the listener and becomes the program. What fails is told over the socket: an
// empty message with a descriptor is success.
func runStage(value string) {
	runtime.LockOSThread()
	number, exits := strings.CutSuffix(value, trapExits)
	sock, err := strconv.Atoi(number)
	if err != nil || len(os.Args) < 3 {
		fmt.Fprintf(os.Stderr, "the variable %s is only for emulations of hardware to set\n", stageVariable)
		os.Exit(2)
	}
	privileged := sock > 0
	sock = max(sock, -sock)
	unix.CloseOnExec(sock)
	fail := func(what string, err error) {
		_, _ = unix.Write(sock, fmt.Appendf(nil, "%s: %v", what, err))
		os.Exit(126)
	}
	if err := raiseOpenLimit(); err != nil {
		fail("raise the limit of open files", err)
	}
	// Without it only root may install a filter.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		fail("prctl(PR_SET_NO_NEW_PRIVS)", err)
	}
	if !privileged {
		if err := dropPrivileges(); err != nil {
			fail("give up CAP_PERFMON and CAP_SYS_ADMIN", err)
		}
	}
	fd, err := installFilter(exits)
	if err != nil {
		fail("seccomp(2) with a listener", err)
	}
	if err := unix.Sendmsg(sock, []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
		fail("send the listener", err)
	}
	_ = unix.Close(fd)
	// The program must not know: one that holds this package itself would become a stage again.
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, stageVariable+"=") {
			env = append(env, e)
		}
	}
	err = syscall.Exec(os.Args[1], os.Args[2:], env)
	_, _ = unix.Write(sock, []byte(err.Error()))
	os.Exit(127)
}

func raiseOpenLimit() error {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return err
	}
	if r.Max < firstFD+100 {
		return fmt.Errorf("it is %d, and emulated descriptors need numbers from %d on", r.Max, firstFD)
	}
	r.Cur = min(r.Max, openLimit)
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &r)
}

// dropPrivileges gives up what lets a program measure others, so that the real kernel and /proc say so too. As root a
// program gets on exec what the bounding set holds.
func dropPrivileges() error {
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var d [2]unix.CapUserData
	if err := unix.Capget(&h, &d[0]); err != nil {
		return err
	}
	for _, c := range []int{capSysAdmin, capPerfmon} {
		bit := uint32(1) << (c % 32)
		if has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0); err == nil && has == 1 &&
			d[capSetPCap/32].Effective&(1<<(capSetPCap%32)) != 0 {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil {
				return err
			}
		}
		w := &d[c/32]
		w.Effective, w.Permitted, w.Inheritable = w.Effective&^bit, w.Permitted&^bit, w.Inheritable&^bit
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	return unix.Capset(&h, &d[0])
}

const capSetPCap = 8

// installFilter returns the listener. Parked calls are interrupted only by what kills the program, where the kernel can
// do that (Linux 5.19): else a runtime's own signals would abort them.
func installFilter(exits bool) (int, error) {
	f := filter(exits)
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	var e unix.Errno
	for _, flags := range []uintptr{filterNewListener | filterWaitKillable, filterNewListener} {
		var fd uintptr
		fd, _, e = unix.RawSyscall(unix.SYS_SECCOMP, setModeFilter, flags, uintptr(unsafe.Pointer(&prog)))
		if e == 0 {
			return int(fd), nil
		}
		if e != unix.EINVAL {
			break
		}
	}
	return -1, e
}
