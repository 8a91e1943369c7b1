package i915

import (
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/sysroot"
)

// loadConfig has the driver know a metric set.
func loadConfig(root sysroot.Root, card drm.Card, d device, data *setData) (intel.Config, error) {
	return intel.LoadConfig(root, card.Sysfs, data.guid, func() (uint64, error) {
		return d.addConfig(data.guid, &data.Lists)
	})
}
