package oa

import "astrolabe/capture"

// Config makes rows that lie in memory the content of a capture: times count from the start of the first row. The batch
// must not be used afterwards.
func Config(s *capture.Schema, b *capture.Batch, clockName string) capture.Config {
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
	all := capture.NewCollector(s)
	all.Take(b)
	return all.Config(clockName)
}
