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

	every uint64 // ticks of the recorder from one read to the next
	read  int64  // when it was last read
	ticks uint64 // of the recorder at that time
}

// combine puts the columns of several streams side by side. Two streams that use one counter name keep both: the later
// one's is prefixed with its source.
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
						fmt.Sprintf("%s and %s both have a counter %s: the one of %s is recorded as %s", who, m.source,
							old, m.source, col.Meta.Name))
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
