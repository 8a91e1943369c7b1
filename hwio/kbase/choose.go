package kbase

import (
	"fmt"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
)

// way is the interface through which a GPU is read: one of both members is set.
type way struct {
	caps   *capabilities // kinstr
	packed *mali.Packed  // the old reader
}

// choose finds the interface that the driver has and the GPU can use.
func (s *session) choose() (*way, error) {
	v := s.version
	if v.kinstr() {
		caps, err := enumerate(s.dev)
		switch {
		case err == nil:
			return &way{caps: caps}, nil
		case denied(err):
			return nil, heldBack("listing the counters", s.android, err)
		case unknownRequest(err) && v.vinstr() && s.narrow():
			// A vendor took the new interface out of this version.
		default:
			return nil, &hwio.Problem{Reason: fmt.Sprintf("the driver (%s) lists its counters in a way that this version cannot use: %v", v, err), Cause: err}
		}
	}
	switch {
	case v.vinstr() && s.narrow():
		return &way{packed: mali.NewPacked(&s.gpu)}, nil
	case v.vinstr() || v.family == commandStream:
		return nil, &hwio.Problem{
			Reason: fmt.Sprintf("the driver is too old for the counters of the %s: it is %s, and the interface for them (kinstr_prfcnt) came with kbase 1.10 and was complete with 1.17",
				s.gpu.Product.Name, v),
			Fix: "update the device's GPU driver or system image",
		}
	}
	return nil, &hwio.Problem{
		Reason: fmt.Sprintf("the driver is too old: it is %s, and counters can be read from kbase 10.2 on (kinstr_prfcnt from 11.34)", v),
		Fix:    "update the device's GPU driver or system image",
	}
}

// narrow reports whether the GPU's blocks have the 64 values that the old interface can carry.
func (s *session) narrow() bool {
	if s.gpu.Known {
		return s.gpu.Product.Values == mali.PackedValues
	}
	return s.gpu.ID.ArchMajor < 11
}

// blocks lists the GPU's counter blocks.
func (w *way) blocks(g *mali.GPU) []mali.Block {
	if w.caps != nil {
		return w.caps.layout(g)
	}
	return w.packed.Blocks
}

// interfaceName is what the user is told.
func (w *way) interfaceName() string {
	if w.caps != nil {
		return "kinstr_prfcnt"
	}
	return "vinstr (the driver's older counter reader, 32-bit)"
}

// clocks is the number of clock domains whose cycles come with samples.
func (w *way) clocks() int {
	if w.caps != nil {
		return w.caps.clocks
	}
	return 0
}
