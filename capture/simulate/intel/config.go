package intel

import (
	"fmt"

	"astrolabe/capture"
)

// config is what a recording says about the GPU.
func (d *device) config(period float64, sets []string) capture.Config {
	number := func(name string, v float64) capture.Property { return capture.Property{Name: name, Number: v} }
	if d.plat != nil {
		return d.platformConfig(period, sets)
	}
	mask, subs := 1, 7
	if d.slices == 2 {
		mask, subs = 3, 0x3f
	}
	cfg := capture.Config{
		Name: "simulated", Format: "recording", GPU: d.gpu,
		Device: capture.Device{Name: d.name, Vendor: "Intel", Driver: "i915", ID: fmt.Sprintf("8086:%04x", d.id)},
		Properties: []capture.Property{
			number("pci_device_id", float64(d.id)), number("SkuRevisionId", 2), number("GpuTimestampFrequency",
				frequency),
			number("GpuMinFrequency", d.low), number("GpuMaxFrequency", d.hz), number("EuThreadsCount",
				threads), number("QueryMode", 0),
			number("EuCoresTotalCount", float64(d.eus)), number("EuSlicesTotalCount", float64(d.slices)),
			number("EuSubslicesTotalCount", float64(d.subs)), number("SliceMask",
				float64(mask)), number("SubsliceMask", float64(subs)),
			{Name: "oa_format", Text: "A32u40_A4u32_B8_C8", IsText: true}, number("oa_period_ns", period),
		},
	}
	if len(sets) == 1 {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "metric_set", Text: sets[0], IsText: true})
	}
	return cfg
}
