package panfrost

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"

	"astrolabe/hwio/internal/mali"
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

func asProblem(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	return &problem{reason: err.Error(), err: err}
}

func openProblem(path string, err error) *problem {
	switch {
	case errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM):
		return &problem{
			reason: fmt.Sprintf("%s may not be opened (%v)", path, err), err: err,
			fix: fmt.Sprintf("add yourself to the group that owns it, as root: usermod -aG $(stat -c %%G %s) $USER, and log in again; or run astrolabe as root", path),
		}
	case errors.Is(err, os.ErrNotExist):
		return &problem{reason: path + " is missing although its driver is bound", fix: "start udev, or make the node by hand from /sys/class/drm/*/dev", err: err}
	}
	return &problem{reason: fmt.Sprintf("%s cannot be opened: %v", path, err), err: err}
}

// enableProblem explains why the counters cannot be switched on.
func enableProblem(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSYS):
		return &problem{
			reason: "panfrost holds its counter requests back because its module parameter unstable_ioctls is off", err: err,
			fix: "as root type: echo 1 > /sys/module/panfrost/parameters/unstable_ioctls (or boot with panfrost.unstable_ioctls=1)",
		}
	case errors.Is(err, syscall.EBUSY):
		return &problem{reason: "another program has the GPU's counters, and panfrost lets only one at a time have them", fix: "end the other program", err: err}
	case errors.Is(err, syscall.ETIMEDOUT):
		return &problem{reason: "the GPU did not answer within a second when its counters were switched on", fix: "look into the kernel's log (dmesg) for a hung GPU", err: err}
	case errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM):
		return &problem{reason: fmt.Sprintf("panfrost refuses this process its counters (%v)", err), fix: "run astrolabe as root", err: err}
	case errors.Is(err, syscall.ENOTTY) || errors.Is(err, syscall.EINVAL):
		return &problem{reason: fmt.Sprintf("this version of panfrost has no counter requests (%v)", err), fix: "use Linux 5.4 or newer", err: err}
	}
	return &problem{reason: fmt.Sprintf("panfrost does not switch its counters on: %v", err), err: err}
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

// describe asks what the GPU is.
func describe(dev mali.Device) (mali.GPU, error) {
	var g mali.GPU
	var v [6]uint64
	for i, number := range []uint32{paramProductID, paramRevision, paramShaderPresent, paramL2Present, paramL2Features, paramMemFeatures} {
		var err error
		if v[i], err = param(dev, number); err != nil {
			return g, err
		}
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
