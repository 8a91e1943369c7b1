package kbase

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"astrolabe/hwio"
)

func denied(err error) bool { return errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) }

// unknownRequest reports whether the driver does not know a request.
func unknownRequest(err error) bool {
	return errors.Is(err, syscall.ENOTTY) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EINVAL)
}

// gone reports whether the device was taken away.
func gone(err error) bool {
	return errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EIO)
}

func noNode() *hwio.Problem {
	return &hwio.Problem{
		Reason: "no /dev/mali0: there is no Mali GPU here, or its kernel has another driver than Arm's",
		Fix:    "on boards with the mainline driver panfrost use --source panfrost",
	}
}

func notDevice(path string) *hwio.Problem {
	return &hwio.Problem{Reason: path + " exists but is no character device",
		Fix: "remove the file and load the GPU's kernel driver again"}
}

// openProblem explains a failed open.
func openProblem(path string, android bool, err error) *hwio.Problem {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return noNode()
	case denied(err) && android:
		return &hwio.Problem{
			Reason: fmt.Sprintf("%s may not be opened (%v): the file's mode or an SELinux rule of this Android build denies it", path, err),
			Fix:    "run astrolabe from adb shell and not from an app's process; `adb shell dmesg | grep avc` shows the rule; on a development build run `adb root` first",
			Cause:  err,
		}
	case denied(err):
		return &hwio.Problem{
			Reason: fmt.Sprintf("%s may not be opened (%v)", path, err),
			Fix:    fmt.Sprintf("add yourself to the group that owns it, as root: usermod -aG $(stat -c %%G %s) $USER, and log in again; or run astrolabe as root", path),
			Cause:  err,
		}
	case errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENXIO):
		return &hwio.Problem{Reason: path + " is there, but its driver has no device behind it",
			Fix: "look into the kernel's log (dmesg) for why the mali driver failed", Cause: err}
	}
	return &hwio.Problem{Reason: fmt.Sprintf("%s cannot be opened: %v", path, err), Cause: err}
}

// heldBack explains a counter request that is refused although the device itself answers.
func heldBack(what string, android bool, err error) *hwio.Problem {
	p := &hwio.Problem{
		Reason: fmt.Sprintf("the driver answers, but its counters are held back from this process (%s: %v)", what, err),
		Fix:    "run astrolabe as root, or lift the rule (SELinux, AppArmor, seccomp) that filters the driver's counter requests",
		Cause:  err,
	}
	if android {
		p.Reason += ": since Android 16 QPR2 devices may filter the instrumentation requests of processes that are not debuggable"
		p.Fix = "run astrolabe from adb shell, or inside a debuggable app (run-as)"
	}
	return p
}
