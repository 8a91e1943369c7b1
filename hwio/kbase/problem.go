package kbase

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// problem is a reason why a GPU cannot be measured, with what to do about it.
type problem struct {
	reason, fix string
	err         error
}

func (p *problem) Error() string {
	s := p.reason
	if p.fix != "" {
		s += "; " + p.fix
	}
	return s
}

func (p *problem) Unwrap() error { return p.err }

// asProblem gives any error a reason.
func asProblem(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	return &problem{reason: err.Error(), err: err}
}

func denied(err error) bool { return errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) }

// unknownRequest reports whether the driver does not know a request.
func unknownRequest(err error) bool {
	return errors.Is(err, syscall.ENOTTY) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EINVAL)
}

// gone reports whether the device was taken away.
func gone(err error) bool {
	return errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EIO)
}

func noNode() *problem {
	return &problem{
		reason: "no /dev/mali0: there is no Mali GPU here, or its kernel has another driver than Arm's",
		fix:    "on boards with the mainline driver panfrost use --source panfrost",
	}
}

func notDevice(path string) *problem {
	return &problem{reason: path + " exists but is no character device", fix: "remove the file and load the GPU's kernel driver again"}
}

// openProblem explains a failed open.
func openProblem(path string, android bool, err error) *problem {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return noNode()
	case denied(err) && android:
		return &problem{
			reason: fmt.Sprintf("%s may not be opened (%v): the file's mode or an SELinux rule of this Android build denies it", path, err),
			fix:    "run astrolabe from adb shell and not from an app's process; `adb shell dmesg | grep avc` shows the rule; on a development build run `adb root` first",
			err:    err,
		}
	case denied(err):
		return &problem{
			reason: fmt.Sprintf("%s may not be opened (%v)", path, err),
			fix:    fmt.Sprintf("add yourself to the group that owns it, as root: usermod -aG $(stat -c %%G %s) $USER, and log in again; or run astrolabe as root", path),
			err:    err,
		}
	case errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENXIO):
		return &problem{reason: path + " is there, but its driver has no device behind it", fix: "look into the kernel's log (dmesg) for why the mali driver failed", err: err}
	}
	return &problem{reason: fmt.Sprintf("%s cannot be opened: %v", path, err), err: err}
}

// heldBack explains a counter request that is refused although the device itself answers.
func heldBack(what string, android bool, err error) *problem {
	p := &problem{
		reason: fmt.Sprintf("the driver answers, but its counters are held back from this process (%s: %v)", what, err),
		fix:    "run astrolabe as root, or lift the rule (SELinux, AppArmor, seccomp) that filters the driver's counter requests",
		err:    err,
	}
	if android {
		p.reason += ": since Android 16 QPR2 devices may filter the instrumentation requests of processes that are not debuggable"
		p.fix = "run astrolabe from adb shell, or inside a debuggable app (run-as)"
	}
	return p
}
