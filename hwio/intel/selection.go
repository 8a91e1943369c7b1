package intel

import (
	"fmt"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
)

// Selection is what the names that a user asked for mean to a metric set.
type Selection struct {
	Cat *metrics.Catalogue
	Set *metrics.MetricSet
	Raw []capture.Meta // counters of its reports

	Flex []*metrics.EUCounter // what flexible EU counters count that the set's metrics do not read
}

// Select finds a metric set in a catalogue, with the counters of a source's reports of a format.
func Select(catalogue, name string, format *oa.Format, source string) (*Selection, error) {
	cat, err := metrics.Get(catalogue)
	if err != nil {
		return nil, err
	}
	set, err := cat.Set(name)
	if err != nil {
		return nil, err
	}
	s := &Selection{Cat: cat, Set: set}
	for _, name := range append([]string{"TIMESTAMP", "GPU_TICKS"}, format.Counters()...) {
		e, err := cat.Find(name)
		if err != nil {
			return nil, fmt.Errorf("describe raw counter %s: %w", name, err)
		}
		s.Raw = append(s.Raw, capture.Meta{
			Name: name, Title: e.Title, Unit: e.Unit, Doc: e.Doc, Kind: capture.Delta, GPU: cat.ID(), Block: e.Block,
			Source: source, Refs: e.Refs, Aliases: e.Aliases,
		})
	}
	return s, nil
}

// Matches says whether a pattern names a raw counter or a metric of the set.
func (s *Selection) Matches(pattern string) bool {
	for i := range s.Raw {
		if hwio.Match(pattern, &s.Raw[i]) {
			return true
		}
	}
	for _, c := range s.Flex {
		if hwio.Match(pattern, &capture.Meta{Name: c.Metric}) {
			return true
		}
	}
	for _, e := range s.Cat.Entries() {
		if e.Set == s.Set && matchesEntry(pattern, e) {
			return true
		}
	}
	return false
}

func matchesEntry(pattern string, e *metrics.Entry) bool {
	return hwio.Match(pattern, &capture.Meta{Name: e.Name, Aliases: e.Aliases})
}

// Check refuses a metric that only other sets have, and says with ErrNoMatch that no pattern names anything here. All
// raw counters are recorded in any case: the hardware delivers them together.
func (s *Selection) Check(patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	any := false
	for _, p := range patterns {
		if s.Matches(p) {
			any = true
			continue
		}
		if hwio.IsGlob(p) {
			continue
		}
		var others []string
		for _, set := range s.Cat.Sets() {
			for _, e := range s.Cat.Entries() {
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
					Reason: "metric set " + s.Set.Name + " does not have it; " +
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

// Names lists the raw counters' names and the symbols of the set's metrics.
func (s *Selection) Names() []string {
	var out []string
	for i := range s.Raw {
		out = append(out, s.Raw[i].Name)
	}
	for _, e := range s.Cat.Entries() {
		if e.Set == s.Set {
			out = append(out, e.Symbol, e.Name)
		}
	}
	return out
}
