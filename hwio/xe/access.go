package xe

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/sysroot"
)

const (
	paranoidFile    = "/proc/sys/dev/xe/observation_paranoid"
	paranoidSetting = "dev.xe.observation_paranoid"
)

// security is what the machine says about who may measure the GPU.
type security struct {
	paranoid   bool // only the privileged may
	known      bool // the kernel has the setting at all
	privileged bool
	root       sysroot.Root
}

func readSecurity(root sysroot.Root) security {
	s := security{paranoid: true, privileged: intel.Privileged(root), root: root}
	if v, err := root.Uint(paranoidFile); err == nil {
		s.paranoid, s.known = v != 0, true
	}
	return s
}

// forbidden says whether the kernel will refuse a stream to this process.
func (s security) forbidden() bool { return s.paranoid && !s.privileged }

// denied explains a refusal for want of privilege.
func (s security) denied() *hwio.Problem {
	return intel.Denied(s.root, paranoidSetting, s.known && s.paranoid)
}

// details says what the kernel's setting allows.
func (s security) details() []string {
	if !s.known {
		return nil
	}
	text := paranoidSetting + " is 0: every user may measure the whole GPU"
	if s.paranoid {
		text = paranoidSetting + " is 1: only users with CAP_PERFMON may measure"
	}
	if s.privileged {
		text += " (you have CAP_PERFMON or CAP_SYS_ADMIN)"
	}
	return []string{text}
}

// withoutOA is the answer to a driver that has no OA for this GPU.
var withoutOA = &hwio.Problem{
	Reason: "this kernel's xe has no performance interface for this GPU",
	Fix:    "boot Linux 6.12 or newer with the GPU's firmware installed, and not in a virtual GPU",
}

// unsupported says whether an error means that the driver lacks what it was asked for.
func unsupported(err error) bool {
	return errors.Is(err, syscall.ENOTTY) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) ||
		errors.Is(err, intel.ErrNotSupported)
}

// explainQuery says why the driver did not answer a question.
func explainQuery(what string, err error) error {
	switch {
	case gone(err):
		return fmt.Errorf("ask the driver for the GPU's %s: the GPU is gone (%w)", what, intel.Cause(err))
	case what == "OA units" && (errors.Is(err, syscall.EINVAL) || unsupported(err)):
		return fmt.Errorf("%w (%w)", withoutOA, intel.Cause(err))
	}
	return fmt.Errorf("ask the driver for the GPU's %s: %w", what, intel.Cause(err))
}

// explainOpen says why the driver refused a stream.
func (s *Source) explainOpen(err error, sec security, p *plan) error {
	o := new(hwio.Problem)
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		o = sec.denied()
	case errors.Is(err, syscall.EBUSY):
		o = s.busy(p.unit)
	case errors.Is(err, syscall.EINVAL):
		o.Reason = fmt.Sprintf("the driver rejects a stream of metric set %s (its number %d) in format %s with exponent %d on %s",
			p.sel.Set.Name, p.config.ID, p.format.Name, p.exponent, p.unit.title())
		o.Fix = "measure with the default period; if that fails too, look for xe in the kernel's log (sudo dmesg)"
	case errors.Is(err, syscall.ENODEV), unsupported(err):
		o = withoutOA
	case errors.Is(err, syscall.EMFILE):
		o.Reason, o.Fix = "this program may not open more files", "type ulimit -n 65536 in the shell first"
	default:
		o.Reason = "the driver cannot open a stream of reports"
	}
	return fmt.Errorf("%w (%w)", o, intel.Cause(err))
}

// busy explains that the OA unit is taken.
func (s *Source) busy(u *oaUnit) *hwio.Problem {
	o := &hwio.Problem{Reason: fmt.Sprintf("another program measures with %s, which serves one at a time", u.title())}
	who := holders(s.root)
	if who == "" {
		o.Fix = "end the other profiler (VTune, Graphics Performance Analyzers, a Mesa overlay, xe-perf-recorder)"
		return o
	}
	o.Reason += ": " + who
	o.Fix = "end it, or wait until it has finished"
	return o
}

// holders names the first process that has a stream of the driver open, as far as this user may look into them.
func holders(root sysroot.Root) string {
	for _, name := range root.List("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := "/proc/" + name
		for _, fd := range root.List(dir + "/fd") {
			if root.LinkName(dir+"/fd/"+fd) != "anon_inode:[xe_oa]" {
				continue
			}
			who := "process " + name
			if comm, err := root.String(dir + "/comm"); err == nil && comm != "" {
				who += " (" + comm + ")"
			}
			return who
		}
	}
	return ""
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
	case errors.Is(err, syscall.ENODEV), unsupported(err):
		o = withoutOA
	default:
		o.Reason = fmt.Sprintf("the driver cannot load the registers of metric set %s", set)
	}
	return fmt.Errorf("%w (%w)", o, intel.Cause(err))
}
