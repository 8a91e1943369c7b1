package kbase

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
)

// family is the form of requests that a driver takes.
type family int

const (
	preR21 family = iota // structures with a header
	jobManager
	commandStream
)

// version is what the driver answered to the handshake.
type version struct {
	family       family
	major, minor uint16
}

func (v version) String() string {
	name := [...]string{"job manager, before r21", "job manager", "CSF"}[v.family]
	return fmt.Sprintf("kbase %d.%d (%s)", v.major, v.minor, name)
}

// atLeast reports whether the driver is of one of these versions or newer.
func (v version) atLeast(jmMajor, jmMinor, csfMinor uint16) bool {
	if v.family == commandStream {
		return v.major > 1 || v.major == 1 && v.minor >= csfMinor
	}
	return v.major > jmMajor || v.major == jmMajor && v.minor >= jmMinor
}

// kinstr reports whether the driver has the new interface, complete whether without the defects of its first versions,
// and vinstr whether it has the old one.
func (v version) kinstr() bool   { return v.family != preR21 && v.atLeast(11, 34, 10) }
func (v version) complete() bool { return v.family != preR21 && v.atLeast(11, 37, 17) }
func (v version) vinstr() bool   { return v.atLeast(10, 2, 0) && !v.atLeast(11, 40, 21) }

// session is an open device with a context.
type session struct {
	dev     mali.Device
	path    string
	android bool
	version version
	gpu     mali.GPU
}

// connect opens a device and goes through its handshake, in the order in which no driver mistakes a form for another.
func connect(k mali.Kernel, path string, android bool) (*session, error) {
	exists, character := k.Character(path)
	switch {
	case !exists:
		return nil, noNode()
	case !character:
		return nil, notDevice(path)
	}
	dev, err := k.Open(path, false)
	if err != nil {
		return nil, openProblem(path, android, err)
	}
	s := &session{dev: dev, path: path, android: android}
	err = s.handshake()
	if err == nil {
		err = s.createContext()
	}
	if err == nil {
		err = s.readProperties()
	}
	if err != nil {
		// The error that led here is the one to report.
		_ = dev.Close()
		return nil, err
	}
	return s, nil
}

// handshake asks for the version with 0.0, which no driver has: each then answers with its own. Success is a version
// that is not 0, whatever the result, because a driver of another family may fail or leave the structure alone.
func (s *session) handshake() error {
	var failed []error
	for _, form := range []struct {
		request uint32
		size    int
		at      int
		family  family
	}{
		{reqVersionPreR21, 16, 8, preR21},
		{reqVersionJM, 4, 0, jobManager},
		{reqVersionCSF, 4, 0, commandStream},
	} {
		arg := make([]byte, form.size)
		_, err := s.dev.Request(form.request, arg)
		v := version{form.family, binary.LittleEndian.Uint16(arg[form.at:]),
			binary.LittleEndian.Uint16(arg[form.at+2:])}
		if v.major != 0 || v.minor != 0 {
			s.version = v
			return nil
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	err := errors.Join(failed...)
	if gone(err) {
		return &hwio.Problem{Reason: s.path + " is there, but its driver has no device behind it",
			Fix: "look into the kernel's log (dmesg) for why the mali driver failed", Cause: err}
	}
	reason := s.path + " answers no handshake of Arm's driver: its version came back as 0.0"
	if len(failed) > 0 {
		reason += fmt.Sprintf(" (last error: %v)", failed[len(failed)-1])
	}
	return &hwio.Problem{Reason: reason, Fix: "check that the node belongs to Arm's mali driver: cat /sys/class/misc/mali0/device/uevent", Cause: err}
}

// createContext makes the context without which older drivers refuse everything else.
func (s *session) createContext() error {
	var err error
	if s.version.family == preR21 {
		arg := make([]byte, 16)
		binary.LittleEndian.PutUint32(arg, headerSetFlags)
		binary.LittleEndian.PutUint32(arg[8:], systemMonitor)
		_, err = s.dev.Request(reqSetFlagsPreR21, arg)
		if errors.Is(err, syscall.EFAULT) {
			err = nil
		}
	} else {
		arg := make([]byte, 4)
		binary.LittleEndian.PutUint32(arg, systemMonitor)
		_, err = s.dev.Request(reqSetFlags, arg)
	}
	// The context exists already, or the driver is older than the flag.
	if err == nil || errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return &hwio.Problem{Reason: fmt.Sprintf("%s creates no context for measuring: %v", s.version, err), Cause: err}
}

func (s *session) readProperties() error {
	if s.version.family == preR21 {
		arg := make([]byte, oldPropsSize)
		binary.LittleEndian.PutUint32(arg, headerGetProps)
		if _, err := s.dev.Request(reqGetPropsPreR21, arg); err != nil {
			return &hwio.Problem{Reason: fmt.Sprintf("the driver (%s) does not tell the GPU's properties: %v",
				s.version, err), Cause: err}
		}
		s.gpu = decodeOldProps(arg)
	} else {
		arg := make([]byte, 16)
		n, err := s.dev.Request(reqGetProps, arg)
		var buf []byte
		if err == nil && n > 0 && n <= maxProps {
			buf = make([]byte, n)
			binary.LittleEndian.PutUint32(arg[8:], uint32(n))
			n, err = s.dev.RequestWith(reqGetProps, arg, 0, buf)
		}
		if err != nil {
			return &hwio.Problem{Reason: fmt.Sprintf("the driver (%s) does not tell the GPU's properties: %v",
				s.version, err), Cause: err}
		}
		if s.gpu, err = decodeProps(buf[:min(max(n, 0), len(buf))]); err != nil {
			return &hwio.Problem{Reason: fmt.Sprintf("the driver (%s) tells the GPU's properties in a form that makes no sense: %v", s.version, err), Cause: err}
		}
	}
	if s.gpu.CoreMask == 0 {
		return &hwio.Problem{Reason: fmt.Sprintf("the driver (%s) says that GPU %s has no shader cores",
			s.version, s.gpu.ID)}
	}
	s.gpu.Identify()
	return nil
}
