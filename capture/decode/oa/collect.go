package oa

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// NewBatch returns an empty batch with room for n rows. The columns and labels of a whole stream are not in it; Config
// has them.
func (a *Accumulator) NewBatch(n int) (*capture.Batch, error) {
	if a.block.whole {
		return a.whole.newBatch(&a.schema, n)
	}
	if err := memory.Room(a.schema.Bytes(int64(n))); err != nil {
		return nil, fmt.Errorf("%d reports: %w", n, err)
	}
	return capture.NewBatch(&a.schema, n), nil
}

// Config makes the rows the content of a capture: times count from the start of the first row. The batch must not be
// used afterwards.
func (a *Accumulator) Config(b *capture.Batch, clockName string) capture.Config {
	zero := int64(0)
	if len(b.Start) > 0 {
		zero = b.Start[0]
	}
	for i := range b.Start {
		b.Start[i] -= zero
		b.End[i] -= zero
	}
	for _, list := range [][]capture.Gap{b.Gaps, b.Late} {
		for i := range list {
			list[i].Start -= zero
			list[i].End -= zero
		}
	}
	for i := range b.Regions {
		b.Regions[i].Start -= zero
		b.Regions[i].End -= zero
	}
	all := capture.NewCollector(&a.schema)
	all.Take(b)
	cfg := all.Config(clockName)
	if a.block.whole {
		a.whole.into(a, &cfg, b)
	}
	return cfg
}
