package i915

import (
	"errors"
	"fmt"
	"syscall"

	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/sysroot"
)

// config is a metric set that the driver has.
type config struct {
	id    uint64
	added bool // by us, so that we take it out again
}

// configTries bounds how often a set is looked for that other programs load and remove at the same time.
const configTries = 8

// loadConfig finds the metric set among those that the driver has, and hands its registers over where it is not.
// Another program may be doing the same: then the driver says that the set is there, and the search begins anew.
func loadConfig(root sysroot.Root, card drm.Card, d device, data *setData) (config, error) {
	file := card.Sysfs + "/metrics/" + data.guid + "/id"
	for range configTries {
		if id, err := root.Uint(file); err == nil && id > 0 {
			return config{id: id}, nil
		}
		id, err := d.addConfig(data.guid, &data.Lists)
		switch {
		case err == nil && id == 0:
			return config{}, errors.New("the driver gave the metric set no number")
		case err == nil:
			return config{id: id, added: true}, nil
		case !errors.Is(err, syscall.EADDRINUSE):
			return config{}, err
		}
	}
	return config{}, fmt.Errorf("the driver says that the metric set %s is loaded, but %s has no number: %w", data.guid,
		file, syscall.EADDRINUSE)
}

// unload takes out what was added. That it is gone already is no error.
func (c *config) unload(d device) error {
	if !c.added {
		return nil
	}
	c.added = false
	if err := d.removeConfig(c.id); err != nil && !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ENODEV) {
		return fmt.Errorf("remove metric set %d from the driver: %w", c.id, err)
	}
	return nil
}
