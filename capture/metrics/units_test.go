package metrics

import (
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/units"
)

func TestEveryUnitOfTheCataloguesIsKnown(t *testing.T) {
	for _, id := range IDs() {
		c, err := Get(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range c.Entries() {
			if e.Unit != "" && !slices.Contains([]string{"id", "bool", "number", "units of 32 bytes", "utilization",
				"eu sends to l3 cache lines", "eu requests to l3 cache lines", "eu atomic requests to l3 cache lines", "eu bytes per l3 cache line"}, e.Unit) && !units.Known(e.Unit) {
				t.Errorf("%s/%s: unit %q", id, e.Name, e.Unit)
			}
			level, known := units.IsLevel(e.Unit)
			if known && level && e.Kind == capture.Delta {
				t.Errorf("%s/%s counts events in %q, which is the unit of a level", id, e.Name, e.Unit)
			}
		}
	}
}
