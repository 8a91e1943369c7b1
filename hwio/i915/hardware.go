package i915

import (
	"fmt"

	"astrolabe/capture/decode/oa"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/sysroot"
)

// hardware is what the driver and sysfs say about an open GPU.
type hardware struct {
	card      drm.Card
	part      part
	deviceID  uint64
	revision  uint64
	perfRev   int    // revision of the driver's interface
	frequency uint64 // of the timestamps of reports, in Hz
	shift     int    // how many bits further to the left they stand than the engines' clock
	engines   []intel.Engine
	minClock  uint64 // of the render engine, in Hz; 0 where the driver does not say
	maxClock  uint64
	topology  *topology
	warnings  []string
}

// readHardware asks an open node for what the metric sets' equations and a recording need.
func readHardware(root sysroot.Root, c candidate, d device) (*hardware, error) {
	h := &hardware{card: c.card, part: c.part, deviceID: c.card.Device, revision: c.card.Revision,
		perfRev: perfRevision(d)}
	if v, err := d.param(paramRevision); err == nil && v >= 0 {
		h.revision = uint64(v)
	}
	var ok bool
	var err error
	if h.frequency, ok = timestampFrequency(d); !ok {
		if h.frequency = oa.TimestampFrequencyOf(c.part.id); h.frequency == 0 {
			return nil, fmt.Errorf("this kernel does not tell the frequency of the timestamps of %s, which depends on the part; boot Linux 4.16 or newer", c.part.title())
		}
		h.warnings = append(h.warnings, fmt.Sprintf("i915: this kernel does not tell the frequency of the GPU's timestamps; that of all GPUs of its kind, %d Hz, is taken", h.frequency))
	}
	if h.part.version() >= versionDG2 {
		if h.shift, err = readShift(d, h.frequency); err != nil {
			return nil, err
		}
	}
	if h.engines, err = readEngines(d); err != nil {
		return nil, err
	}
	h.minClock = gpuClock(root, c.card, "gt_min_freq_mhz", "gt/gt0/rps_min_freq_mhz")
	if h.maxClock = gpuClock(root, c.card, "gt_max_freq_mhz", "gt/gt0/rps_max_freq_mhz",
		"gt_RP0_freq_mhz"); h.maxClock == 0 {
		h.warnings = append(h.warnings, "i915: sysfs does not tell the GPU's highest clock; shares of the highest possible throughput cannot be computed")
	}
	if h.topology, err = readTopology(d); err != nil {
		return nil, err
	}
	return h, nil
}

// perfRevision is 1 where the driver does not know the question, which came with revision 2.
func perfRevision(d device) int {
	if v, err := d.param(paramPerfRev); err == nil && v > 0 {
		return int(v)
	}
	return 1
}

// timestampFrequency asks for that of the OA unit first. Kernels before 5.16 know the command streamers' alone, which
// is the same on Gen9, and those before 4.16 know neither.
func timestampFrequency(d device) (hz uint64, ok bool) {
	for _, id := range []int32{paramOAFrequency, paramCSFrequency} {
		if v, err := d.param(id); err == nil && v > 0 {
			return uint64(v), true
		}
	}
	return 0, false
}

// maxShift bounds how much faster the timestamps of reports may run than the engines' clock.
const maxShift = 3

// readShift compares the frequency of the reports' timestamps with the engines': from DG2 on the OA unit leaves out a
// shift that the engines make.
func readShift(d device, frequency uint64) (int, error) {
	v, err := d.param(paramCSFrequency)
	if err != nil || v <= 0 || uint64(v) == frequency {
		return 0, nil
	}
	for shift := 1; shift <= maxShift; shift++ {
		if uint64(v)<<shift == frequency {
			return shift, nil
		}
	}
	return 0, fmt.Errorf("the timestamps of reports have %d Hz, and the engines' clock %d Hz: neither is the other shifted, so that reports cannot be placed in time",
		frequency, v)
}

// gpuClock is the first of the card's files that holds a number of MHz, in Hz.
func gpuClock(root sysroot.Root, c drm.Card, files ...string) uint64 {
	for _, f := range files {
		if v, err := root.Uint(c.Sysfs + "/" + f); err == nil && v > 0 && v < 1e6 {
			return v * 1e6
		}
	}
	return 0
}
