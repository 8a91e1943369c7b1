package i915

import (
	"context"
	"fmt"
	"strings"

	"astrolabe/hwio"
)

// Diagnose says for every card of Intel whether it can be measured, and what the kernel allows.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	st := s.Probe(ctx)
	what := "counters of Intel GPUs (Kaby Lake GT2 and GT3, i915)"
	if st.Device != "" {
		what = "counters of " + st.Device
	}
	first := hwio.Finding{Source: sourceName, What: what, Usable: st.Usable, Reason: st.Reason, Fix: st.Fix}
	if st.Usable {
		first.Reason = strings.Join(st.Details, "; ")
	}
	out := []hwio.Finding{first}
	cards := intelCards(s.root)
	for i, c := range cards {
		// The first is what Probe looked at.
		if i > 0 {
			why := c.why
			if why == nil {
				why = &hwio.Problem{Reason: cards[0].card.Name + " is measured first"}
			}
			out = append(out, hwio.Finding{Source: sourceName, What: fmt.Sprintf("%s, %s", c.card.Name, c.part.title()), Reason: why.Reason, Fix: why.Fix})
		}
	}
	return out
}
