package intel

import (
	"errors"
	"fmt"
	"syscall"

	"astrolabe/hwio/internal/sysroot"
)

// Config is a metric set that the driver has.
type Config struct {
	ID    uint64
	Added bool // by us, so that we take it out again
}

// ConfigTries bounds how often a set is looked for that other programs load and remove at the same time.
const ConfigTries = 8

// LoadConfig finds a metric set among those that the driver of a card has, such as one that a recorder left that was
// killed, and has its registers handed over where it is not. Another program may be doing the same: then the driver says
// that the set is there, and the search begins anew. sysfs is the card's folder.
func LoadConfig(root sysroot.Root, sysfs, guid string, add func() (uint64, error)) (Config, error) {
	file := sysfs + "/metrics/" + guid + "/id"
	for range ConfigTries {
		if id, err := root.Uint(file); err == nil && id > 0 {
			return Config{ID: id}, nil
		}
		id, err := add()
		switch {
		case err == nil && id == 0:
			return Config{}, errors.New("the driver gave the metric set no number")
		case err == nil:
			return Config{ID: id, Added: true}, nil
		case !errors.Is(err, syscall.EADDRINUSE):
			return Config{}, err
		}
	}
	return Config{}, fmt.Errorf("the driver says that the metric set %s is loaded, but %s has no number: %w", guid,
		file, syscall.EADDRINUSE)
}

// Unload takes out what was added. That it is gone already is no error.
func (c *Config) Unload(remove func(id uint64) error) error {
	if !c.Added {
		return nil
	}
	c.Added = false
	if err := remove(c.ID); err != nil && !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ENODEV) {
		return fmt.Errorf("remove metric set %d from the driver: %w", c.ID, err)
	}
	return nil
}

// LoadedSets counts the metric sets that the driver of a card has.
func LoadedSets(root sysroot.Root, sysfs string) int {
	n := 0
	for _, guid := range root.List(sysfs + "/metrics") {
		if root.Exists(sysfs + "/metrics/" + guid + "/id") {
			n++
		}
	}
	return n
}
