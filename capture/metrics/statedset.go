package metrics

import (
	"strings"

	"astrolabe/capture"
)

// Symbols need not mean the same in all metric sets, and tables of other programs have symbols for names and do not say
// of which set. It follows from the columns.

const (
	setLeast = 4   // columns of sets from which on they tell
	setMost  = 0.9 // of them that the set has at least: a library of another version may count a few more
)

// withSet is the capture with the property metric_set, where it has none and its columns are the symbols of one set.
func withSet(cap *capture.Capture) (*capture.Capture, error) {
	if _, told := cap.Property(setLabel); told || cap.Label(setLabel) != nil {
		return cap, nil
	}
	for _, cat := range For(cap) {
		if set := cat.setOf(cap); set != nil {
			return cap.With(func(cfg *capture.Config) {
				cfg.Properties = append(cfg.Properties[:len(cfg.Properties):len(cfg.Properties)],
					capture.Property{Name: setLabel, Text: set.Name, IsText: true})
			})
		}
	}
	return cap, nil
}

// setOf is the set that has most of a capture's columns, and of several the one of whose metrics fewest are not there;
// nil where these are as many, most columns are of no set, or too few of the set.
func (c *Catalogue) setOf(cap *capture.Capture) (best *MetricSet) {
	var columns []string
	for _, have := range cap.Counters {
		name := strings.TrimPrefix(have.Name, "$")
		for _, set := range c.sets {
			if e := set.bySymbol[name]; e != nil && !IsRole(name) {
				columns = append(columns, name)
				break
			}
		}
	}
	if len(columns) < setLeast {
		return nil
	}
	most, size, alike := 0, 0, false
	for _, set := range c.sets {
		n := 0
		for _, name := range columns {
			if set.bySymbol[name] != nil {
				n++
			}
		}
		switch {
		case n < most || n == most && len(set.bySymbol) > size:
		case n == most && len(set.bySymbol) == size:
			alike = true
		default:
			best, most, size, alike = set, n, len(set.bySymbol), false
		}
	}
	if alike || float64(most) < setMost*float64(len(columns)) {
		return nil
	}
	return best
}
