package i915

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
	paranoidFile = "/proc/sys/dev/i915/perf_stream_paranoid"
	maxRateFile  = "/proc/sys/dev/i915/oa_max_sample_rate"

	capPerfmon  = 38
	capSysAdmin = 21

	// errNotSupported is the kernel's own ENOTSUPP, which has no name outside of it.
	errNotSupported syscall.Errno = 524
)

// security is what the machine says about who may measure the GPU.
type security struct {
	paranoid   bool   // only the privileged may
	known      bool   // the kernel has the setting at all
	maxRate    uint64 // reports a second that users without privilege may ask for
	privileged bool   // this process has CAP_PERFMON or CAP_SYS_ADMIN
}

func readSecurity(root sysroot.Root) security {
	s := security{paranoid: true, maxRate: defaultMaxRate}
	if v, err := root.Uint(paranoidFile); err == nil {
		s.paranoid, s.known = v != 0, true
	}
	if v, err := root.Uint(maxRateFile); err == nil && v > 0 {
		s.maxRate = v
	}
	status, _ := root.String("/proc/self/status")
	for line := range strings.Lines(status) {
		if hex, ok := strings.CutPrefix(line, "CapEff:"); ok {
			if caps, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64); err == nil {
				s.privileged = caps&(1<<capPerfmon|1<<capSysAdmin) != 0
			}
		}
	}
	return s
}

// forbidden says whether the kernel will refuse a stream to this process.
func (s security) forbidden() bool { return s.paranoid && !s.privileged }

// denied explains a refusal for want of privilege.
func (s security) denied() *hwio.Problem {
	o := &hwio.Problem{Reason: "permission denied: the counters show what every program does on the GPU, and the kernel shows them only to users with CAP_PERFMON"}
	if s.known && s.paranoid {
		o.Reason += " while dev.i915.perf_stream_paranoid is 1"
	}
	o.Fix = fmt.Sprintf("type sudo sysctl dev.i915.perf_stream_paranoid=0 (until the next boot; put it in /etc/sysctl.d to keep it), "+
		"or give this program the right with sudo setcap cap_perfmon+ep %s (cap_sys_admin+ep before Linux 5.8), or run it as root", executable())
	return o
}

func executable() string {
	// What go run builds is gone after the run.
	if path, err := os.Executable(); err == nil && !strings.Contains(path, "go-build") {
		return path
	}
	return "astrolabe (as built by go build)"
}

// explainNode says why a device node could not be opened.
func explainNode(path string, err error) error {
	o := &hwio.Problem{Reason: fmt.Sprintf("open %s: %v", path, cause(err))}
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
	return fmt.Errorf("%w (%w)", o, cause(err))
}

// explainOpen says why the driver refused a stream.
func (s *Source) explainOpen(err error, sec security, p *plan) error {
	o := new(hwio.Problem)
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		o = sec.denied()
		if !sec.forbidden() && p.hw.frequency>>(p.exponent+1) > sec.maxRate {
			o.Reason = fmt.Sprintf("permission denied: a report every %s is more than the %d a second that dev.i915.oa_max_sample_rate allows", periodText(p.exponent, p.hw.frequency), sec.maxRate)
			o.Fix = fmt.Sprintf("type sudo sysctl dev.i915.oa_max_sample_rate=%d, run as root, or record with a longer period", p.hw.frequency>>(p.exponent+1)+1)
		}
	case errors.Is(err, syscall.EBUSY):
		o = busy(s.root)
	case errors.Is(err, syscall.EINVAL):
		o.Reason = fmt.Sprintf("the driver rejects a stream of metric set %s (its number %d) in format %s with exponent %d", p.sel.set.Name, p.config.id, p.format.Name, p.exponent)
		o.Fix = "measure with the default format and period; if that fails too, look for i915 in the kernel's log (sudo dmesg)"
	case errors.Is(err, syscall.ENODEV):
		o.Reason = "the driver cannot use this GPU's OA unit: it is switched off, virtual, or gone"
		o.Fix = "look for i915 in the kernel's log (sudo dmesg)"
	case errors.Is(err, errNotSupported), errors.Is(err, syscall.ENOTTY):
		o = withoutPerf
	case errors.Is(err, syscall.EMFILE):
		o.Reason, o.Fix = "this program may not open more files", "type ulimit -n 65536 in the shell first"
	default:
		o.Reason = "the driver cannot open a stream of reports"
	}
	return fmt.Errorf("%w (%w)", o, cause(err))
}

// withoutPerf is the answer to a driver that does not know streams at all.
var withoutPerf = &hwio.Problem{
	Reason: "this kernel's i915 has no performance interface for this GPU",
	Fix:    "boot Linux 4.14 or newer, with i915.enable_guc left at its default and not in a virtual GPU",
}

// explainConfig says why the driver refused to load a metric set.
func explainConfig(err error, sec security, set string) error {
	o := new(hwio.Problem)
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		o = sec.denied()
	case errors.Is(err, syscall.EINVAL):
		o.Reason = fmt.Sprintf("the driver rejects the registers of metric set %s", set)
		o.Fix = "choose another set with --set, or boot a newer kernel: early ones accept fewer registers"
	case errors.Is(err, syscall.ENODEV), errors.Is(err, errNotSupported), errors.Is(err, syscall.ENOTTY):
		o = withoutPerf
	default:
		o.Reason = fmt.Sprintf("the driver cannot load the registers of metric set %s", set)
	}
	return fmt.Errorf("%w (%w)", o, cause(err))
}

// cause is the system's error number in err, else err itself.
func cause(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if errno == errNotSupported {
			return errors.New("error 524, ENOTSUPP")
		}
		return errno
	}
	return err
}
