package i915

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/metrics"
)

// rawCounters describes what a report of a format holds, in the words of the catalogue.
func rawCounters(cat *metrics.Catalogue, f *oa.Format) ([]capture.Meta, error) {
	var out []capture.Meta
	for _, name := range append([]string{"TIMESTAMP", "GPU_TICKS"}, f.Counters()...) {
		e, err := cat.Find(name)
		if err != nil {
			return nil, fmt.Errorf("describe raw counter %s: %w", name, err)
		}
		out = append(out, capture.Meta{
			Name: name, Title: e.Title, Unit: e.Unit, Doc: e.Doc, Kind: capture.Delta, GPU: cat.ID(), Block: e.Block,
			Source: sourceName, Refs: e.Refs, Aliases: e.Aliases,
		})
	}
	return out, nil
}
