package amdgpu

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"astrolabe/capture"
)

var (
	asleep = capture.Reason{Code: capture.PowerGated,
		Text: "the GPU was powered off by runtime power management, and asking would have woken it"}
	removed = capture.Reason{Code: capture.InGap, Text: "the GPU was removed"}
	resting = capture.Reason{Code: capture.NotCollected, Text: "nothing was read yet"}
)

// explain says why the driver refused a value while recording. what is the object, such as a file's name.
func explain(what string, err error) capture.Reason {
	reason := func(code capture.ReasonCode, text string) capture.Reason {
		return capture.Reason{Code: code, Text: what + ": " + text}
	}
	switch {
	case errors.Is(err, syscall.ENODEV):
		return removed
	case errors.Is(err, fs.ErrNotExist): // ENOENT
		return reason(capture.InGap, "the GPU was being reset, or its driver took the value away")
	case errors.Is(err, syscall.EBUSY), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.EPERM),
		errors.Is(err, syscall.EAGAIN):
		return reason(capture.PowerGated, fmt.Sprintf("the driver gave no value (%v): the GPU was suspended or switching its power state", cause(err)))
	case errors.Is(err, syscall.EFAULT):
		return reason(capture.Unsupported, "the driver does not let this register be read on this GPU")
	case errors.Is(err, syscall.EOPNOTSUPP):
		return reason(capture.Unsupported, "this GPU or its driver does not have it")
	}
	return reason(capture.Unknown, fmt.Sprintf("the driver answered: %v", cause(err)))
}

// explainRegister is explain for a status register.
func explainRegister(name string, err error) capture.Reason {
	if errors.Is(err, fs.ErrNotExist) {
		return capture.Reason{Code: capture.InGap,
			Text: name + ": the GPU was being reset and no register could be read"}
	}
	return explain(name, err)
}

// cause is the system's own error inside err.
func cause(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
