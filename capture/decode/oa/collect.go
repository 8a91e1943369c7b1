package oa

import (
	"slices"

	"astrolabe/capture"
)

// Config makes rows that lie in memory the content of a capture: times count from the start of the first row. The batch must not be
// used afterwards.
func Config(s *capture.Schema, b *capture.Batch, clockName string) capture.Config {
	cfg := s.Config
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
	cfg.Axis = &capture.Axis{Clock: clockName, Start: b.Start, End: b.End}
	cfg.Gaps, cfg.Late = append(slices.Clone(cfg.Gaps), b.Gaps...), append(slices.Clone(cfg.Late), b.Late...)
	cfg.Regions = append(slices.Clone(cfg.Regions), b.Regions...)
	cfg.Warnings = append(slices.Clone(cfg.Warnings), b.Warnings...)
	cfg.Counters = make([]*capture.Counter, len(s.Columns))
	for i, spec := range s.Columns {
		cfg.Counters[i] = &capture.Counter{Meta: spec.Meta, Axis: cfg.Axis, Col: capture.NewColumn(b.Cols[i])}
	}
	for _, r := range b.Reasons {
		c := cfg.Counters[r.Col]
		c.Reasons = append(c.Reasons, capture.ReasonRun{From: r.From, To: r.To, Reason: r.Reason})
	}
	for i, name := range s.Labels {
		cfg.Labels = append(cfg.Labels, codeLabel(name, b.Labels[i]))
	}
	return cfg
}

// codeLabel makes a dictionary of the texts of a label. A row without a context has the empty text, as in a live recording.
func codeLabel(name string, texts []string) *capture.Label {
	l := &capture.Label{Name: name, Codes: make([]int32, len(texts))}
	codes := map[string]int32{}
	last, code := "", int32(-1)
	for i, t := range texts {
		if t != last || code < 0 {
			var ok bool
			if code, ok = codes[t]; !ok {
				code = int32(len(l.Dict))
				codes[t] = code
				l.Dict = append(l.Dict, t)
			}
			last = t
		}
		l.Codes[i] = code
	}
	return l
}
