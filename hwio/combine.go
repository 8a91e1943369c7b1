package hwio

import (
	"fmt"
	"slices"

	"astrolabe/capture"
)

// member is one stream of a recording with the columns and labels that it fills.
type member struct {
	source           string
	stream           Stream
	colLo, colHi     int
	labelLo, labelHi int
}

// combine puts the columns of several streams side by side. Two streams that use one counter name keep both: the later one's is
// prefixed with its source.
func combine(sources []string, streams []Stream) ([]member, capture.Schema) {
	var all capture.Schema
	var members []member
	owner := map[string]string{}
	for k, s := range streams {
		sc := s.Schema()
		m := member{source: sources[k], stream: s, colLo: len(all.Columns), labelLo: len(all.Labels)}
		renamed := map[string]bool{}
		for _, col := range sc.Columns {
			key := col.Meta.Device + "\x00" + col.Meta.Name
			if who, taken := owner[key]; taken && who != m.source {
				old := col.Meta.Name
				col.Meta.Name = m.source + "_" + old
				if !renamed[old] {
					renamed[old] = true
					all.Config.Warnings = append(all.Config.Warnings,
						fmt.Sprintf("%s and %s both have a counter %s: the one of %s is recorded as %s", who, m.source, old, m.source, col.Meta.Name))
				}
				key = col.Meta.Device + "\x00" + col.Meta.Name
			}
			owner[key] = m.source
			all.Columns = append(all.Columns, col)
		}
		for _, l := range sc.Labels {
			if slices.Contains(all.Labels, l) {
				l = m.source + "_" + l
			}
			all.Labels = append(all.Labels, l)
		}
		m.colHi, m.labelHi = len(all.Columns), len(all.Labels)
		mergeConfig(&all.Config, &sc.Config)
		members = append(members, m)
	}
	return members, all
}

// mergeConfig adds to dst what src knows more. A GPU goes before the CPU that was recorded beside it.
func mergeConfig(dst, src *capture.Config) {
	if dst.GPU == "" || (dst.GPU == "cpu" && src.GPU != "" && src.GPU != "cpu") {
		dst.GPU, dst.Device = src.GPU, src.Device
	}
	for _, p := range src.Properties {
		if !slices.ContainsFunc(dst.Properties, func(q capture.Property) bool { return q.Name == p.Name }) {
			dst.Properties = append(dst.Properties, p)
		}
	}
	for _, w := range src.Warnings {
		if !slices.Contains(dst.Warnings, w) {
			dst.Warnings = append(dst.Warnings, w)
		}
	}
	dst.Passes = append(dst.Passes, src.Passes...)
	// A source whose formulas need a choice makes it; the first one's counts.
	fill := func(to *string, from string) {
		if *to == "" {
			*to = from
		}
	}
	fill(&dst.Options.Denom, src.Options.Denom)
	fill(&dst.Options.Duration, src.Options.Duration)
	fill(&dst.Options.Zero, src.Options.Zero)
}

// slot is a batch with a window per stream: the windows share the batch's columns.
type slot struct {
	batch *capture.Batch
	views []capture.Batch
}

func newSlot(schema *capture.Schema, members []member, rows int) *slot {
	s := &slot{batch: capture.NewBatch(schema, rows)}
	for _, m := range members {
		s.views = append(s.views, capture.Batch{
			Cols:   s.batch.Cols[m.colLo:m.colHi:m.colHi],
			Labels: s.batch.Labels[m.labelLo:m.labelHi:m.labelHi],
		})
	}
	return s
}

func (s *slot) reset() {
	s.batch.Reset()
	for i := range s.views {
		v := &s.views[i]
		v.Start, v.End = v.Start[:0], v.End[:0]
		v.Gaps, v.Late, v.Regions = v.Gaps[:0], v.Late[:0], v.Regions[:0]
		v.Warnings, v.Reasons = v.Warnings[:0], v.Reasons[:0]
	}
}

// gather moves what the streams said besides values into the batch; epoch is the time of the recording's 0. A warning that was told before is
// only counted.
func (s *slot) gather(members []member, epoch int64, told *tally) {
	for i := range s.views {
		v := &s.views[i]
		s.batch.Gaps = appendMoved(s.batch.Gaps, v.Gaps, -epoch)
		s.batch.Late = appendMoved(s.batch.Late, v.Late, -epoch)
		for _, r := range v.Regions {
			r.Start, r.End = r.Start-epoch, r.End-epoch
			s.batch.Regions = append(s.batch.Regions, r)
		}
		for _, r := range v.Reasons {
			r.Col += members[i].colLo
			s.batch.Reasons = append(s.batch.Reasons, r)
		}
		for _, w := range v.Warnings {
			if told.add(w, w) {
				s.batch.Warnings = append(s.batch.Warnings, w)
			}
		}
		v.Gaps, v.Late, v.Regions = v.Gaps[:0], v.Late[:0], v.Regions[:0]
		v.Reasons, v.Warnings = v.Reasons[:0], v.Warnings[:0]
	}
}

// appendMoved appends gaps or late spans at other times.
func appendMoved(to, gaps []capture.Gap, by int64) []capture.Gap {
	for _, g := range gaps {
		g.Start, g.End = g.Start+by, g.End+by
		to = append(to, g)
	}
	return to
}

// check finds a stream that broke its contract, before its columns reach a file out of step.
func (s *slot) check(schema *capture.Schema, members []member) error {
	n := s.batch.Len()
	for i := range s.batch.Cols {
		if got := s.batch.Cols[i].Len(); got != n {
			m := members[slices.IndexFunc(members, func(m member) bool { return i < m.colHi })]
			return fmt.Errorf("source %s delivered %d values of %s for %d samples: a defect of that reader", m.source, got, schema.Columns[i].Meta.Name, n)
		}
	}
	return nil
}
