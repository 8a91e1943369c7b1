package panfrost

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
)

func openProblem(path string, err error) *hwio.Problem {
	switch {
	case errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM):
		return &hwio.Problem{
			Reason: fmt.Sprintf("%s may not be opened (%v)", path, err), Cause: err,
			Fix: fmt.Sprintf("add yourself to the group that owns it, as root: usermod -aG $(stat -c %%G %s) $USER, and log in again; or run astrolabe as root", path),
		}
	case errors.Is(err, os.ErrNotExist):
		return &hwio.Problem{Reason: path + " is missing although its driver is bound",
			Fix: "start udev, or make the node by hand from /sys/class/drm/*/dev", Cause: err}
	}
	return &hwio.Problem{Reason: fmt.Sprintf("%s cannot be opened: %v", path, err), Cause: err}
}

// enableProblem explains why the counters cannot be switched on.
func enableProblem(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSYS):
		return &hwio.Problem{
			Reason: "panfrost holds its counter requests back because its module parameter unstable_ioctls is off",
			Cause:  err,
			Fix:    "as root type: echo 1 > /sys/module/panfrost/parameters/unstable_ioctls (or boot with panfrost.unstable_ioctls=1)",
		}
	case errors.Is(err, syscall.EBUSY):
		return &hwio.Problem{Reason: "another program has the GPU's counters, and panfrost lets only one at a time have them", Fix: "end the other program", Cause: err}
	case errors.Is(err, syscall.ETIMEDOUT):
		return &hwio.Problem{Reason: "the GPU did not answer within a second when its counters were switched on",
			Fix: "look into the kernel's log (dmesg) for a hung GPU", Cause: err}
	case errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM):
		return &hwio.Problem{Reason: fmt.Sprintf("panfrost refuses this process its counters (%v)", err),
			Fix: "run astrolabe as root", Cause: err}
	case errors.Is(err, syscall.ENOTTY) || errors.Is(err, syscall.EINVAL):
		return &hwio.Problem{Reason: fmt.Sprintf("this version of panfrost has no counter requests (%v)", err),
			Fix: "use Linux 5.4 or newer", Cause: err}
	}
	return &hwio.Problem{Reason: fmt.Sprintf("panfrost does not switch its counters on: %v", err), Cause: err}
}

// param asks for one property.
func param(dev mali.Device, number uint32) (uint64, error) {
	arg := make([]byte, 16)
	binary.LittleEndian.PutUint32(arg, number)
	if _, err := dev.Request(reqGetParam, arg); err != nil {
		return 0, fmt.Errorf("ask panfrost for parameter %d: %w", number, err)
	}
	return binary.LittleEndian.Uint64(arg[8:]), nil
}

// Products that Linux (drivers/gpu/drm/panfrost) has other views of than Arm's library. The first GPUs' own number is
// unlike that of all others, and panfrost gives another for it.
const (
	linuxT600    = 0x600
	registerT600 = 0x6956
	productT760  = 0x750
)

// describe asks what the GPU is.
func describe(dev mali.Device) (mali.GPU, error) {
	var g mali.GPU
	var v [6]uint64
	for i, number := range []uint32{paramProductID, paramRevision, paramShaderPresent, paramL2Present, paramL2Features,
		paramMemFeatures} {
		var err error
		if v[i], err = param(dev, number); err != nil {
			return g, err
		}
	}
	if v[0] == linuxT600 {
		v[0] = registerT600
	}
	g.ID = mali.ParseID(v[0]&0xffff<<16 | v[1]&0xffff)
	g.CoreMask, g.L2Mask = v[2], v[3]
	g.L2Slices = int(v[5]>>8&15) + 1
	if log := v[4] >> 24 & 0xff; log > 0 && log < 20 {
		g.BusWidth = 1 << log
	}
	if g.CoreMask == 0 {
		return g, fmt.Errorf("panfrost says that GPU %s has no shader cores", g.ID)
	}
	g.Identify()
	if v[0] == productT760 {
		// Arm's library expects the arrangement of the first GPUs of it, but panfrost gives it room for the later one
		// only.
		g.Product.OldBlocks = false
	}
	return g, nil
}

// enable switches the counters on and clears them, or switches them off.
func enable(dev mali.Device, on bool) error {
	arg := make([]byte, 8)
	if on {
		arg[0] = 1
	}
	_, err := dev.Request(reqEnable, arg)
	return err
}
