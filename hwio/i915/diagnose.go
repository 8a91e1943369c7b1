package i915

import (
	"context"

	"astrolabe/hwio"
)

// Diagnose says for every card of Intel whether it can be measured, and what the kernel allows.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	out := []hwio.Finding{s.Probe(ctx).Finding(sourceName, "counters of ",
		"counters of Intel GPUs (Broadwell to Meteor Lake, i915)")}
	for i, c := range intelCards(s.root) {
		if i == 0 {
			continue // what Probe looked at
		}
		f := s.probe(c.card.Name).Finding(sourceName, c.card.Name+", ", c.card.Name)
		if f.Usable {
			f.Fix = "record it with --source-option card=" + c.card.Name
		}
		out = append(out, f)
	}
	return out
}
