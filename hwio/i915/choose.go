package i915

import (
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
)

// selection is what the names that a user asked for mean to a metric set.
type selection struct {
	cat *metrics.Catalogue
	set *metrics.MetricSet
	raw []capture.Meta

	flex []*metrics.EUCounter // what flexible EU counters count that the set's metrics do not read
}

// matches says whether a pattern names a raw counter or a metric of the set.
func (s *selection) matches(pattern string) bool {
	for i := range s.raw {
		if hwio.Match(pattern, &s.raw[i]) {
			return true
		}
	}
	for _, c := range s.flex {
		if hwio.Match(pattern, &capture.Meta{Name: c.Metric}) {
			return true
		}
	}
	for _, e := range s.cat.Entries() {
		if e.Set == s.set && matchesEntry(pattern, e) {
			return true
		}
	}
	return false
}

func matchesEntry(pattern string, e *metrics.Entry) bool {
	return hwio.Match(pattern, &capture.Meta{Name: e.Name, Aliases: e.Aliases})
}

// check refuses a metric that only other sets have, and says with ErrNoMatch that no pattern names anything here. All
// raw counters are recorded in any case: the hardware delivers them together.
func (s *selection) check(patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	any := false
	for _, p := range patterns {
		if s.matches(p) {
			any = true
			continue
		}
		if hwio.IsGlob(p) {
			continue
		}
		var others []string
		for _, set := range s.cat.Sets() {
			for _, e := range s.cat.Entries() {
				if e.Set == set && matchesEntry(p, e) {
					others = append(others, set.Name)
					break
				}
			}
		}
		if len(others) > 0 {
			return &hwio.CounterError{
				Counter: p,
				Problem: hwio.Problem{
					Reason: "metric set " + s.set.Name + " does not have it; " +
						strings.Join(others, ", ") + hasOrHave(others),
					Fix: "record with --set " + others[0],
				},
			}
		}
	}
	if !any {
		return hwio.ErrNoMatch
	}
	return nil
}

func hasOrHave(names []string) string {
	if len(names) == 1 {
		return " has it"
	}
	return " have it"
}

// names lists the raw counters' names and the symbols of the set's metrics.
func (s *selection) names() []string {
	var out []string
	for i := range s.raw {
		out = append(out, s.raw[i].Name)
	}
	for _, e := range s.cat.Entries() {
		if e.Set == s.set {
			out = append(out, e.Symbol, e.Name)
		}
	}
	return out
}
