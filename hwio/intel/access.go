package intel

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
)

const (
	capPerfmon  = 38
	capSysAdmin = 21
)

// ErrNotSupported is the kernel's own ENOTSUPP, which has no name outside of it.
const ErrNotSupported syscall.Errno = 524

// Privileged says whether this process has CAP_PERFMON or CAP_SYS_ADMIN.
func Privileged(root sysroot.Root) bool {
	status, _ := root.String("/proc/self/status")
	for line := range strings.Lines(status) {
		if hex, ok := strings.CutPrefix(line, "CapEff:"); ok {
			if caps, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64); err == nil {
				return caps&(1<<capPerfmon|1<<capSysAdmin) != 0
			}
		}
	}
	return false
}

// Denied explains a refusal for want of privilege, by a setting of the kernel that is 1. root is where it was read.
func Denied(root sysroot.Root, setting string, set bool) *hwio.Problem {
	o := &hwio.Problem{Reason: "permission denied: the counters show what every program does on the GPU, and the kernel shows them only to users with CAP_PERFMON"}
	if set {
		o.Reason += " while " + setting + " is 1"
	}
	o.Fix = fmt.Sprintf("type sudo sysctl %s=0 (until the next boot; put it in /etc/sysctl.d to keep it), "+
		"or give this program the right with sudo setcap cap_perfmon+ep %s (cap_sys_admin+ep before Linux 5.8), or run it as root", setting, executable(root))
	return o
}

func executable(root sysroot.Root) string {
	// What go run builds is gone after the run. The path of a folder is nothing for a tape.
	if path, err := os.Executable(); err == nil && !strings.Contains(path, "go-build") && !root.OnTape() {
		return path
	}
	return "astrolabe (as built by go build)"
}

// ExplainNode says why a device node could not be opened.
func ExplainNode(path string, err error) error {
	o := &hwio.Problem{Reason: fmt.Sprintf("open %s: %v", path, Cause(err))}
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		group := "render"
		if !strings.Contains(path, "render") {
			group = "video"
		}
		o.Reason = fmt.Sprintf("%s may not be opened by this user", path)
		o.Fix = fmt.Sprintf("type sudo usermod -aG %s $USER and log in again, or run astrolabe as root; in a container pass the node on with --device %s", group, path)
	case errors.Is(err, syscall.ENOENT):
		o.Reason = fmt.Sprintf("the device node %s is not there though sysfs lists the card", path)
		o.Fix = "in a container pass it on with --device " + path
	case errors.Is(err, syscall.ENODEV), errors.Is(err, syscall.ENXIO):
		o.Reason = fmt.Sprintf("%s: the GPU is gone", path)
	}
	return fmt.Errorf("%w (%w)", o, Cause(err))
}

// Cause is the system's error number in err, else err itself.
func Cause(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if errno == ErrNotSupported {
			return errors.New("error 524, ENOTSUPP")
		}
		return errno
	}
	return err
}
