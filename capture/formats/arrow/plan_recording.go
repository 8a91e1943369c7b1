package arrow

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
)

// recordingConfig makes the tree of counters that a recording's columns describe, without values. specs gives each
// counter's position in s.Columns; counters that are only the sum of their instances are not in it.
func recordingConfig(s *capture.Schema) (cfg *capture.Config, specs map[*capture.Counter]int, err error) {
	out := s.Config
	out.Counters, out.Labels = nil, nil
	clock := ""
	if out.Axis != nil {
		clock = out.Axis.Clock
	}
	out.Axis = &capture.Axis{Clock: clock}
	specs = map[*capture.Counter]int{}
	byName := map[string]*capture.Counter{}
	passes := map[string]*capture.Pass{}
	out.Passes = slices.Clone(out.Passes)
	for _, p := range out.Passes {
		passes[p.ID] = p
	}
	seen := map[string]bool{}
	// Whole counters first, so that one measured itself does not get a second entry from its instances.
	for i, spec := range s.Columns {
		if spec.Meta.Name == "" {
			return nil, nil, fmt.Errorf("column %d has no name", i)
		}
		name := columnName(spec.Meta)
		if seen[name] {
			return nil, nil, fmt.Errorf("column %q stands there twice", name)
		}
		seen[name] = true
		if spec.Meta.Instance == "" {
			c := &capture.Counter{Meta: spec.Meta, Axis: out.Axis}
			byName[c.Name] = c
		}
	}
	for i, spec := range s.Columns {
		whole := byName[wholeName(spec.Meta)]
		if whole == nil {
			m := spec.Meta
			m.Name, m.Instance = wholeName(m), ""
			whole = &capture.Counter{Meta: m, Axis: out.Axis}
			byName[m.Name] = whole
			out.Counters = append(out.Counters, whole)
		}
		c := whole
		if spec.Meta.Instance != "" {
			m := spec.Meta
			m.Name = columnName(m)
			c = &capture.Counter{Meta: m, Axis: out.Axis}
			whole.AddInstance(c)
		} else {
			out.Counters = append(out.Counters, whole)
		}
		if spec.Pass != "" {
			if passes[spec.Pass] == nil {
				passes[spec.Pass] = &capture.Pass{ID: spec.Pass}
				out.Passes = append(out.Passes, passes[spec.Pass])
			}
			c.Pass = passes[spec.Pass]
		}
		specs[c] = i
	}
	return &out, specs, nil
}

// wholeName is the name of the whole counter of an instance's column, which may be named COUNTER or COUNTER[ID].
func wholeName(m capture.Meta) string {
	if m.Instance == "" {
		return m.Name
	}
	return strings.TrimSuffix(m.Name, "["+m.Instance+"]")
}

// columnName is the name of a column: COUNTER, or COUNTER[ID] of an instance.
func columnName(m capture.Meta) string {
	if m.Instance == "" {
		return m.Name
	}
	return wholeName(m) + "[" + m.Instance + "]"
}
