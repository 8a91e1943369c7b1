package rocprofcompute

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
)

// warnSeveralRuns says how to tell the values of a counter apart that several runs measured.
func (w *workload) warnSeveralRuns(cfg *capture.Config) {
	var names, own []string
	for _, se := range w.series {
		if len(se.others) > 0 {
			names = append(names, se.name)
		}
		for _, run := range se.others {
			own = append(own, ofRun(se.name, run))
		}
	}
	if len(names) == 0 {
		return
	}
	which := "first"
	if w.tables[0].lastWins {
		which = "last"
	}
	cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("%s: measured by several runs: the name alone has the value of the %s of them, and the others have names of their own: %s",
		few(names), which, few(own)))
}

// few lists some of the names.
func few(names []string) string {
	const show = 8
	if len(names) <= show {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:show], ", "), len(names)-show)
}

// someChannels takes the value of a counter of the L2 cache away where only some of the channels were measured: what
// they add up to is not the counter's total. The channels stay.
func (b *builder) someChannels() {
	const property = "total_l2_chan"
	i := slices.IndexFunc(b.cfg.Properties, func(p capture.Property) bool { return p.Name == property && !p.IsText })
	if i < 0 {
		return
	}
	channels := int(b.cfg.Properties[i].Number)
	var partial []string
	n := len(b.place)
	for _, c := range b.cfg.Counters {
		if c.Col != nil || c.Block != "TCC" || len(c.Instances) == 0 || len(c.Instances) >= channels {
			continue
		}
		text := fmt.Sprintf("only %d of %d L2 channels of %s were measured", len(c.Instances), channels, c.Name)
		none := make([]float64, n)
		for k := range none {
			none[k] = math.NaN()
		}
		c.Col = capture.NewColumn(capture.Data{F: none})
		c.Reasons = []capture.ReasonRun{{From: 0, To: n, Reason: capture.Reason{Code: capture.NotCollected,
			Text: text}}}
		c.Warnings = append(c.Warnings, text)
		partial = append(partial, c.Name)
	}
	if len(partial) > 0 {
		b.cfg.Warnings = append(b.cfg.Warnings, fmt.Sprintf("%s: not all of the %d L2 channels were measured, so that the totals are missing; the channels are there", few(partial), channels))
	}
}

// warnUnknownDurations says where rates cannot be had, and where durations are not those of one run.
func (w *workload) warnUnknownDurations(cfg *capture.Config) {
	var averaged []string
	// Runs with the same doubt share a line.
	type doubted struct {
		backward bool
		n        int
	}
	var order []doubted
	ids := map[doubted][]string{}
	note := func(d doubted, id string) {
		if d.n == 0 {
			return
		}
		if ids[d] == nil {
			order = append(order, d)
		}
		ids[d] = append(ids[d], id)
	}
	for _, p := range w.timings {
		backward, still := 0, 0
		for d := range w.dispatches {
			switch ns := p.duration(d); {
			case p.start[d] == noTime || ns == ns:
			case p.ns[d] == 0:
				still++
			default:
				backward++
			}
		}
		note(doubted{true, backward}, p.id)
		note(doubted{false, still}, p.id)
		if p.averaged {
			averaged = append(averaged, p.id)
		}
	}
	for _, d := range order {
		text := "runs %s: %d of %d dispatches end when they start: the files do not have their durations, and rates are missing"
		if d.backward {
			text = "runs %s: %d of %d dispatches end before they start, or have no end: their durations are missing"
		}
		cfg.Warnings = append(cfg.Warnings, fmt.Sprintf(text, few(ids[d]), d.n, len(w.dispatches)))
	}
	if len(averaged) > 0 {
		cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("%s: the times are means over all runs, as the tool writes them where it joins runs: the durations are those of no run",
			few(averaged)))
	}
}

// warnSharedTimes says that all runs have the times of one. No two runs begin a dispatch in the same nanosecond: older
// releases time the program without counters and write these times beside the counters of every run.
func (w *workload) warnSharedTimes(cfg *capture.Config) {
	if len(w.timings) < 2 {
		return
	}
	first := w.timings[0]
	for _, p := range w.timings[1:] {
		shared := false
		for d := range w.dispatches {
			if p.averaged || (p.start[d] != noTime && first.start[d] != noTime &&
				(p.start[d] != first.start[d] || p.end[d] != first.end[d])) {
				return
			}
			shared = shared || p.start[d] != noTime && first.start[d] != noTime
		}
		if !shared {
			return
		}
	}
	cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("%d runs have the same times to the nanosecond: they are those of one run, most likely one without counters, "+
		"so that rates divide counts of one run by times of another", len(w.timings)))
}
