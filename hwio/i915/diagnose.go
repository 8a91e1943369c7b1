package i915

import (
	"context"
	"fmt"

	"astrolabe/hwio"
)

// Diagnose says for every card of Intel whether it can be measured, and what the kernel allows.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	out := []hwio.Finding{s.Probe(ctx).Finding(sourceName, "counters of ",
		"counters of Intel GPUs (Broadwell to Meteor Lake, i915)")}
	cards := intelCards(s.root)
	for i, c := range cards {
		// The first is what Probe looked at.
		if i > 0 {
			why := c.why
			if why == nil {
				why = &hwio.Problem{Reason: cards[0].card.Name + " is measured first",
					Fix: "record it with --source-option card=" + c.card.Name}
			}
			out = append(out, hwio.Finding{Source: sourceName, What: fmt.Sprintf("%s, %s", c.card.Name, c.part.title()),
				Reason: why.Reason, Fix: why.Fix})
		}
	}
	return out
}
