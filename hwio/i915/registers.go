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

// registersOf returns the registers of a metric set for a GPU: they may depend on what of it is present.
func registersOf(h *hardware, name string) (*setData, error) {
	cat, err := metrics.Get(h.part.catalogue)
	if err != nil {
		return nil, err
	}
	set, err := cat.Set(name)
	if err != nil {
		return nil, err
	}
	lists, err := oaregisters.Of(h.part.platform(), set.Name, oaregisters.Variables{
		"SliceMask": h.topology.SliceMask, "SubsliceMask": h.topology.SubsliceMask, "SkuRevisionId": h.revision,
	})
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, h.part.title())
	}
	return &setData{set.GUID, *lists}, nil
}
