package i915

import (
	"errors"
	"fmt"
	"syscall"

	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/sysroot"
)

const (
	paranoidFile = "/proc/sys/dev/i915/perf_stream_paranoid"
	maxRateFile  = "/proc/sys/dev/i915/oa_max_sample_rate"
)

// security is what the machine says about who may measure the GPU.
type security struct {
	paranoid   bool   // only the privileged may
	known      bool   // the kernel has the setting at all
	maxRate    uint64 // reports a second that users without privilege may ask for
	privileged bool   // this process has CAP_PERFMON or CAP_SYS_ADMIN
	root       sysroot.Root
}

func readSecurity(root sysroot.Root) security {
	s := security{paranoid: true, maxRate: defaultMaxRate, root: root}
	if v, err := root.Uint(paranoidFile); err == nil {
		s.paranoid, s.known = v != 0, true
	}
	if v, err := root.Uint(maxRateFile); err == nil && v > 0 {
		s.maxRate = v
	}
	s.privileged = intel.Privileged(root)
	return s
}

// forbidden says whether the kernel will refuse a stream to this process.
func (s security) forbidden() bool { return s.paranoid && !s.privileged }

// denied explains a refusal for want of privilege.
func (s security) denied() *hwio.Problem {
	return intel.Denied(s.root, "dev.i915.perf_stream_paranoid", s.known && s.paranoid)
}

// explainOpen says why the driver refused a stream.
func (s *Source) explainOpen(err error, sec security, p *plan) error {
	o := new(hwio.Problem)
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		o = sec.denied()
		if !sec.forbidden() && p.hw.frequency>>(p.exponent+1) > sec.maxRate {
			o.Reason = fmt.Sprintf("permission denied: a report every %s is more than the %d a second that dev.i915.oa_max_sample_rate allows", intel.PeriodText(p.exponent, p.hw.frequency), sec.maxRate)
			o.Fix = fmt.Sprintf("type sudo sysctl dev.i915.oa_max_sample_rate=%d, run as root, or record with a longer period", p.hw.frequency>>(p.exponent+1)+1)
		}
	case errors.Is(err, syscall.EBUSY):
		o = busy(s.root)
	case errors.Is(err, syscall.EINVAL):
		o.Reason = fmt.Sprintf("the driver rejects a stream of metric set %s (its number %d) in format %s with exponent %d", p.sel.Set.Name, p.config.ID, p.format.Name, p.exponent)
		o.Fix = "measure with the default format and period; if that fails too, look for i915 in the kernel's log (sudo dmesg)"
	case errors.Is(err, syscall.ENODEV):
		o.Reason = "the driver cannot use this GPU's OA unit: it is switched off, virtual, or gone"
		o.Fix = "look for i915 in the kernel's log (sudo dmesg)"
	case errors.Is(err, intel.ErrNotSupported), errors.Is(err, syscall.ENOTTY):
		o = withoutPerf
	case errors.Is(err, syscall.EMFILE):
		o.Reason, o.Fix = "this program may not open more files", "type ulimit -n 65536 in the shell first"
	default:
		o.Reason = "the driver cannot open a stream of reports"
	}
	return fmt.Errorf("%w (%w)", o, intel.Cause(err))
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
	case errors.Is(err, syscall.ENODEV), errors.Is(err, intel.ErrNotSupported), errors.Is(err, syscall.ENOTTY):
		o = withoutPerf
	default:
		o.Reason = fmt.Sprintf("the driver cannot load the registers of metric set %s", set)
	}
	return fmt.Errorf("%w (%w)", o, intel.Cause(err))
}
