package metrics

import (
	"slices"

	"astrolabe/capture"
)

// Symbols and titles need not mean the same in all metric sets, and tables of other programs have them for names and do not
// say of which set. It follows from the columns.

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
func (c *Catalogue) setOf(cap *capture.Capture) *MetricSet {
	fit, columns, most := c.fitting(cap)
	if columns < setLeast || float64(most) < setMost*float64(columns) {
		return nil
	}
	var best *MetricSet
	alike := false
	for _, set := range fit {
		switch {
		case best == nil || len(set.bySymbol) < len(best.bySymbol):
			best, alike = set, false
		case len(set.bySymbol) == len(best.bySymbol):
			alike = true
		}
	}
	if alike {
		return nil
	}
	return best
}

// fitting are the sets that have most of a capture's columns, by symbols or titles, how many columns are of sets at all, and how
// many each of these has.
func (c *Catalogue) fitting(cap *capture.Capture) (sets []*MetricSet, columns, most int) {
	if len(c.sets) == 0 {
		return nil, 0, 0
	}
	has := map[*MetricSet]int{}
	for _, have := range cap.Counters {
		counted := map[*MetricSet]bool{}
		for _, e := range c.held(have) {
			if !counted[e.Set] {
				counted[e.Set] = true
				has[e.Set]++
			}
		}
		if len(counted) > 0 {
			columns++
		}
	}
	for _, n := range has {
		most = max(most, n)
	}
	for _, set := range c.sets {
		if most > 0 && has[set] == most {
			sets = append(sets, set)
		}
	}
	return sets, columns, most
}

// held are the metrics of sets that a column may hold, by its exact symbol, or else by what a title or another spelling of a
// symbol addresses.
func (c *Catalogue) held(have *capture.Counter) (out []*Entry) {
	for _, name := range append([]string{have.Name}, plainNames(have.Name)...) {
		if IsRole(name) {
			continue
		}
		for _, set := range c.sets {
			if e := set.bySymbol[name]; e != nil {
				out = append(out, e)
			}
		}
		if len(out) > 0 {
			return out
		}
		for _, h := range c.keys()[fold(name)] {
			if h.e.Set != nil && h.rank <= rankTitle {
				out = append(out, h.e)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// alike is what a column holds whose name means a metric in several sets, where nothing tells which of them it is of: that of the
// first set, if those that the columns fit call one quantity so, whichever counters of theirs they have it from. The column holds
// the value. It is nil where they do not, and where there is no such column, since then the counters would decide.
func (s *scope) alike(c *Catalogue, name string) *Entry {
	if len(s.ownSets(c)) > 0 {
		return nil
	}
	key := fittingKey{c}
	fit := s.cap.Memo(key, func() any { sets, _, _ := c.fitting(s.cap); return sets }).([]*MetricSet)
	var first *Entry
	for _, set := range fit {
		e := set.bySymbol[name]
		if e == nil {
			e = c.inSet(set, name)
		}
		switch {
		case e == nil:
		case first == nil:
			first = e
		case e.Symbol != first.Symbol || e.Title != first.Title || e.Unit != first.Unit || e.DataType != first.DataType:
			return nil
		}
	}
	if first == nil || !slices.ContainsFunc(s.cap.Counters, func(have *capture.Counter) bool {
		return slices.Contains(c.held(have), first)
	}) {
		return nil
	}
	return first
}

// fittingKey is the key of the sets that fit a capture's columns among what it remembers.
type fittingKey struct{ c *Catalogue }
