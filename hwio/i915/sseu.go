package i915

import (
	"fmt"
	"strconv"
	"strings"
)

// sseu must match struct drm_i915_gem_context_param_sseu: how much of the GPU is powered for the render engine, class 0,
// instance 0.
type sseu struct {
	class, instance uint16
	flags           uint32
	slices          uint64
	subslices       uint64
	minEUs, maxEUs  uint16 // of each subslice
	_               uint32
}

// readSSEU reads what of the GPU shall be powered while it is measured: masks of slices and of subslices in each, and
// EUs in each subslice, such as "0x1/0x7/8". Without it the driver keeps what contexts ask for, and powers parts up and
// down as they change.
func readSSEU(text string) (*sseu, error) {
	if text == "" {
		return nil, nil
	}
	wrong := fmt.Errorf("sseu %q: want SLICES/SUBSLICES/EUS, two masks and a number, such as 0x1/0x7/8", text)
	f := strings.Split(text, "/")
	if len(f) != 3 {
		return nil, wrong
	}
	var v [3]uint64
	for i := range v {
		n, err := strconv.ParseUint(strings.TrimSpace(f[i]), 0, 16)
		if err != nil || n == 0 {
			return nil, wrong
		}
		v[i] = n
	}
	return &sseu{slices: v[0], subslices: v[1], minEUs: uint16(v[2]), maxEUs: uint16(v[2])}, nil
}

// fits refuses what the GPU does not have, which the driver would refuse without a reason.
func (s *sseu) fits(h *hardware) error {
	t := h.topology
	switch {
	case s == nil:
	case h.perfRev < revSSEU:
		return fmt.Errorf("sseu: the driver's performance interface is of revision %d, and fixing what is powered came with %d (Linux 5.7)",
			h.perfRev, revSSEU)
	case h.part.version() >= versionDG2:
		return fmt.Errorf("sseu: the driver fixes what is powered up to Alder Lake only, and the GPU is %s", h.part.title())
	case s.slices&^t.SliceMask != 0:
		return fmt.Errorf("sseu: slices %#x were asked for, and the GPU has %#x", s.slices, t.SliceMask)
	case int(s.maxEUs) > t.MaxEUs:
		return fmt.Errorf("sseu: %d EUs were asked for in each subslice, which has %d at most", s.maxEUs, t.MaxEUs)
	}
	return nil
}

func (s *sseu) String() string { return fmt.Sprintf("%#x/%#x/%d", s.slices, s.subslices, s.maxEUs) }
