package i915

import (
	"errors"
	"fmt"
	"syscall"

	"astrolabe/capture/decode/oa"
	"astrolabe/hwio/intel"
)

const (
	// correlateEvery is the time between two correlations of the clocks in nanoseconds: their drift within it is far
	// below a microsecond.
	correlateEvery = 1e9
	// firstCorrelation is the time to the second one; each further one takes twice as long to come. So the rate of the
	// two clocks is known before they can drift apart.
	firstCorrelation = 10e6
	// correlateTries is how many readings are taken, of which the quickest counts.
	correlateTries = 5
)

// correlate reads the GPU's clock between two looks at the CPU's, several times, and keeps the reading with the least
// time between the looks: the register was read somewhere in it. slack is that time in nanoseconds.
func correlate(k kernel, d device) (best oa.Correlation, slack int64, err error) {
	slack = -1
	for range correlateTries {
		before := k.now()
		ticks, err := d.readRegister(regTimestamp)
		after := k.now()
		if err != nil {
			return oa.Correlation{}, 0, explainRegister(err)
		}
		if took := after - before; slack < 0 || took < slack {
			slack, best = took, oa.Correlation{CPU: before + took/2, GPU: ticks}
		}
	}
	return best, slack, nil
}

func explainRegister(err error) error {
	switch {
	case gone(err):
		return fmt.Errorf("read the GPU's clock: the GPU is gone (%w)", intel.Cause(err))
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOTTY):
		return fmt.Errorf("the driver does not show the GPU's clock, so that its reports cannot be placed in time; boot Linux 4.14 or newer (%w)", intel.Cause(err))
	}
	return fmt.Errorf("read the GPU's clock: %w", intel.Cause(err))
}
