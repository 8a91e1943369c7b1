package formats

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// settleGPU refuses a catalogue of another vendor or architecture than the content says, unless the caller insists, and
// doubts one of a sibling.
func settleGPU(c *capture.Capture, opt Options) (*capture.Capture, error) {
	if opt.GPU == "" || c.Stated == "" {
		return c, nil
	}
	stated := c.Stated
	fit, text := metrics.FitOf(opt.GPU, stated, c.Device)
	warning := ""
	switch {
	case fit == metrics.Fits:
		return c.With(func(cfg *capture.Config) { cfg.Stated = "" })
	case fit == metrics.Foreign && !opt.Force:
		return nil, OptionErrorf(
			"gpu %s: %s, where counters of one name mean other things: every number could be wrong; force (force=True, --force) reads it so all the same",
			opt.GPU, text)
	case fit == metrics.Foreign:
		warning = fmt.Sprintf("read as %s by force: %s; every metric of that catalogue may be wrong", opt.GPU, text)
	default:
		warning = fmt.Sprintf(
			"read as its sibling %s: %s; a counter or formula that differs between them gives a wrong number", opt.GPU,
			text)
	}
	if opt.Warn != nil {
		opt.Warn(warning)
	}
	return c.With(func(cfg *capture.Config) {
		cfg.Warnings = append([]string{warning}, slices.Clone(cfg.Warnings)...)
		if fit != metrics.Foreign {
			cfg.Stated = ""
		}
	})
}

// Monitored keeps a capture's own catalogue where the user names a GPU of the same vendor: what a monitor tells of a driver is called alike for
// each of its GPUs.
func Monitored(cfg *capture.Config, catalogue string) {
	if cfg.GPU == catalogue {
		return
	}
	if own, ok := metrics.FamilyOf(catalogue, capture.Device{}); ok {
		if named, ok := metrics.FamilyOf(cfg.GPU, capture.Device{}); ok && named.Vendor == own.Vendor {
			cfg.Stated, cfg.GPU = "", catalogue
		}
	}
}
