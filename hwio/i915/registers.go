package i915

import (
	"fmt"

	"astrolabe/capture/metrics"
	"astrolabe/hwio/internal/oaregisters"
)

// setData is what makes the OA unit count a metric set.
type setData struct {
	guid string
	oaregisters.Lists
}

// registersOf returns the registers of a metric set of a part.
func registersOf(p part, name string) (*setData, error) {
	cat, err := metrics.Get(p.catalogue())
	if err != nil {
		return nil, err
	}
	set, err := cat.Set(name)
	if err != nil {
		return nil, err
	}
	lists, err := oaregisters.Of(p.platform(), set.Name, nil)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, p.title())
	}
	return &setData{set.GUID, *lists}, nil
}
