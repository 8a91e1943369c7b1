package perfevent

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"astrolabe/hwio/internal/sysroot"
)

// access is how much this user may measure, found by trying.
type access struct {
	system   bool // whole processors, kernel included
	process  bool // own processes
	userOnly bool // of own processes only what they do in user space
	err      error
}

// tryAccess opens a clock event in ever more modest ways.
func tryAccess(k kernel, cpu int) access {
	try := func(pid, cpu int, userOnly bool) error {
		c, err := k.open(&attr{typ: typeSoftware, config: 0, disabled: true, excludeKernel: userOnly, group: true},
			pid, cpu, nil)
		if err == nil {
			err = c.close()
		}
		return err
	}
	first := try(-1, cpu, false)
	if first == nil {
		return access{system: true, process: true}
	}
	if try(0, -1, false) == nil {
		return access{process: true, err: first}
	}
	if try(0, -1, true) == nil {
		return access{process: true, userOnly: true, err: first}
	}
	return access{err: first}
}

const (
	paranoidFile = "/proc/sys/kernel/perf_event_paranoid"
	capPerfmon   = 38
	capSysAdmin  = 21
)

// security is what the machine says about who may measure.
type security struct {
	paranoid  int
	known     bool // the level could be read
	perfmon   bool // this process has CAP_PERFMON or CAP_SYS_ADMIN
	container bool
	taped     bool // what is said about it may name nobody
}

func readSecurity(root sysroot.Root) security {
	var s security
	if v, err := root.Int(paranoidFile); err == nil {
		s.paranoid, s.known = int(v), true
	}
	status, _ := root.String("/proc/self/status")
	for line := range strings.Lines(status) {
		if hex, ok := strings.CutPrefix(line, "CapEff:"); ok {
			if caps, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64); err == nil {
				s.perfmon = caps&(1<<capPerfmon|1<<capSysAdmin) != 0
			}
		}
	}
	s.container = root.Exists("/.dockerenv") || root.Exists("/run/.containerenv")
	s.taped = root.OnTape()
	return s
}

// paranoidText says what a level of kernel.perf_event_paranoid allows users without CAP_PERFMON.
func paranoidText(level int) string {
	switch {
	case level < 0:
		return "everyone may measure everything, raw tracepoint data included"
	case level == 0:
		return "everyone may measure whole processors and the kernel, but not read raw tracepoint data"
	case level == 1:
		return "users may measure their own processes, the kernel's work for them included, but not whole processors"
	case level == 2:
		return "users may measure only what their own processes do in user space"
	}
	return "users may not measure at all (Debian, Ubuntu and Android kernels know this level)"
}

// grant is what to type so that level or better applies.
func (s *security) grant(level int) string {
	// What go run builds is gone after the run. The path of a folder is nothing for a tape.
	exe := "astrolabe (as built by go build)"
	if path, err := os.Executable(); err == nil && !strings.Contains(path, "go-build") && !s.taped {
		exe = path
	}
	return fmt.Sprintf("type sudo sysctl kernel.perf_event_paranoid=%d (until the next boot; put it in /etc/sysctl.d to keep it), "+
		"or give this program the right with sudo setcap cap_perfmon+ep %s (Linux 5.8 or newer), or run it as root",
		level, exe)
}

// explain says why the kernel refused an event and what to do about it. whole says that a whole processor was to be
// measured.
func explain(err error, s security, whole bool) (reason, fix string) {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err.Error(), ""
	}
	switch errno {
	case syscall.EACCES:
		level := 1
		if whole {
			level = 0
		}
		if s.known {
			return fmt.Sprintf("permission denied: kernel.perf_event_paranoid is %d, so that %s", s.paranoid,
				paranoidText(s.paranoid)), s.grant(level)
		}
		return "permission denied: the kernel allows this only to users with CAP_PERFMON", s.grant(level)
	case syscall.EPERM:
		where := "a security policy (seccomp, SELinux or the like)"
		if s.container {
			where = "the container's seccomp profile"
		}
		fix := "start the container with --cap-add PERFMON (or --privileged), or record on the host"
		if s.perfmon && !s.container {
			fix = "allow perf_event_open in that policy, or run outside of it"
		}
		return "operation not permitted: " + where + " forbids perf_event_open", fix
	case syscall.ENOSYS:
		if s.known {
			return "the system call perf_event_open is blocked, as seccomp profiles of containers and sandboxes do",
				"allow perf_event_open in the profile, or run outside of it"
		}
		return "this kernel was built without performance events (CONFIG_PERF_EVENTS)",
			"boot a kernel with CONFIG_PERF_EVENTS=y; the source procfs works without"
	case syscall.ENOENT, syscall.EOPNOTSUPP:
		return "this machine's hardware or kernel has no such event", ""
	case syscall.ENODEV:
		return "the processor is offline or has no counter unit for this event",
			"bring the processor online (echo 1 > /sys/devices/system/cpu/cpuN/online), or measure others"
	case syscall.EINVAL:
		return "the kernel rejects this combination of event, target and mode",
			"check the event's terms against the processor's manual; events of a socket or memory controller cannot be limited to a process"
	case syscall.EMFILE:
		return "this program may not open more files: each counter needs one per processor",
			"type ulimit -n 65536 in the shell first, or measure fewer counters"
	case syscall.ENFILE:
		return "the system's table of open files is full",
			"type sudo sysctl fs.file-max=1000000, or measure fewer counters"
	case syscall.EBUSY:
		return "another program holds the counter unit for itself",
			"stop the other profiler, or as root type sysctl kernel.nmi_watchdog=0 to free the watchdog's counter"
	case syscall.ENOSPC:
		return "the hardware has no counter or breakpoint left", "measure fewer counters at once"
	case syscall.ESRCH:
		return "the process has ended or does not exist", ""
	case syscall.E2BIG:
		return "the kernel is too old for this event's description", "boot Linux 3.5 or newer"
	case syscall.EINTR:
		return "the call was interrupted", "try again"
	}
	return errno.Error(), ""
}
