package arrow

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
)

// counterDoc is what is said of a counter in a file of another kind.
type counterDoc struct {
	Of   string            `json:"of,omitempty"` // the whole counter, of an instance
	Keys map[string]string `json:"keys"`
}

// countersDoc is the text that Describe makes of the counters.
type countersDoc struct {
	Samples  int          `json:"samples"`
	Counters []counterDoc `json:"counters"`
}

// Describe words what a format that holds values, times, labels and spans in its own way lacks: what was measured,
// constants, warnings, and of each counter its description and the reasons of missing values. Passes are left out.
// Recall is the inverse.
func Describe(c *capture.Capture) (layout, document, counters string, err error) {
	cfg := c.Config
	cfg.Regions, cfg.Gaps, cfg.Late = nil, nil, nil
	list := countersDoc{Samples: c.Len()}
	add := func(ctr *capture.Counter, of string, index int) error {
		keys, err := counterKeys(ctr)
		if err != nil {
			return err
		}
		keys[keyIndex] = strconv.Itoa(index)
		list.Counters = append(list.Counters, counterDoc{of, keys})
		return nil
	}
	for i, ctr := range c.Counters {
		if err := add(ctr, "", i); err != nil {
			return "", "", "", err
		}
		for k, in := range ctr.Instances {
			if err := add(in, ctr.Name, k); err != nil {
				return "", "", "", err
			}
		}
	}
	if document, err = toJSON(docOf(&cfg)); err == nil {
		counters, err = toJSON(list)
	}
	return strconv.Itoa(layoutVersion), document, counters, err
}

// Recall completes a configuration that was read from a file with the texts that Describe made. Another program may
// have taken samples out, then reasons, which go by the number of the sample, are not applied.
func Recall(cfg *capture.Config, layout, document, counters string) error {
	doc, err := readDoc(layout, document)
	if err != nil {
		return err
	}
	var list countersDoc
	if err := json.Unmarshal([]byte(counters), &list); err != nil {
		return fmt.Errorf("damaged: what it says of its counters: %w", err)
	}
	regions, gaps, late, warnings, start := cfg.Regions, cfg.Gaps, cfg.Late, cfg.Warnings, cfg.StartTime
	if err := doc.apply(cfg); err != nil {
		return err
	}
	cfg.Regions, cfg.Gaps, cfg.Late, cfg.Warnings = regions, gaps, late, slices.Concat(cfg.Warnings, warnings)
	if !start.IsZero() {
		cfg.StartTime = start
	}
	type name struct{ of, name string }
	said := map[name]*capture.Counter{}
	place := map[*capture.Counter]int{}
	for _, d := range list.Counters {
		c, warnings := counterFrom(d.Keys)
		cfg.Warnings = append(cfg.Warnings, warnings...)
		said[name{d.Of, c.Name}] = c
		place[c] = indexOf(d.Keys)
	}
	order := map[*capture.Counter]int{}
	recall := func(c *capture.Counter, of string) {
		order[c] = math.MaxInt
		s := said[name{of, c.Name}]
		if s == nil {
			return
		}
		c.Meta, c.Warnings, order[c] = s.Meta, s.Warnings, place[s]
		if len(s.Reasons) > 0 && list.Samples == cfg.Axis.Len() && validRuns(s.Reasons, list.Samples) {
			c.Reasons = s.Reasons
		}
	}
	byPlace := func(a, b *capture.Counter) int { return order[a] - order[b] }
	for _, c := range cfg.Counters {
		whole := c.Name
		recall(c, "")
		for _, in := range c.Instances {
			recall(in, whole)
		}
		slices.SortStableFunc(c.Instances, byPlace)
	}
	slices.SortStableFunc(cfg.Counters, byPlace)
	return nil
}

func validRuns(runs []capture.ReasonRun, n int) bool {
	return !slices.ContainsFunc(runs, func(r capture.ReasonRun) bool { return r.From < 0 || r.To < r.From || r.To > n })
}
