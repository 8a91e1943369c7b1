package metrics

import (
	"slices"
	"strings"

	"astrolabe/capture"
)

// Describe gives the counters of a capture what their GPU's catalogue knows about them and the file did not say: title, unit, meaning,
// block, sections and other names. A column of a configuration constant becomes a constant, which does not add up over samples.
// The capture itself is not changed; it is returned where there is nothing to add.
func Describe(cap *capture.Capture) (*capture.Capture, error) {
	if cap.GPU == "" {
		return cap, nil
	}
	cat, err := Get(cap.GPU)
	if err != nil {
		return cap, nil // a GPU without a catalogue has counters as they are
	}
	counters := make([]*capture.Counter, len(cap.Counters))
	changed := false
	for i, c := range cap.Counters {
		counters[i] = c
		if e := cat.entryOf(c); e != nil {
			if d := describe(c, e); d != c {
				counters[i], changed = d, true
			}
		}
	}
	if !changed {
		return cap, nil
	}
	return cap.With(func(cfg *capture.Config) { cfg.Counters = counters })
}

// entryOf is the raw counter of the catalogue that a measured counter is, under any of its exact names. The hardware's number of a
// counter with a scaler is not that counter yet.
func (c *Catalogue) entryOf(have *capture.Counter) *Entry {
	if have.GPU != "" && have.GPU != c.id {
		return nil
	}
	e, err := c.lookup(have.Name)
	if err != nil || e.IsMetric() || e.GPU != c.id {
		return nil
	}
	if have.Name != e.Name && (!slices.Contains(e.Aliases, have.Name) || e.Scaler > 1 && have.Name == strings.ToUpper(have.Name)) {
		return nil
	}
	return e
}

// describe is the counter with the gaps in its description filled from the entry; c itself where there are none.
func describe(c *capture.Counter, e *Entry) *capture.Counter {
	m := c.Meta
	fill := func(have *string, text string) bool {
		if *have != "" || text == "" {
			return false
		}
		*have = text
		return true
	}
	changed := fill(&m.Unit, e.Unit)
	changed = fill(&m.Doc, e.Doc) || changed
	changed = fill(&m.Block, e.Block) || changed
	changed = fill(&m.GPU, e.GPU) || changed
	if m.Title == "" || m.Title == m.Name {
		changed = changed || m.Title != e.Title
		m.Title = e.Title
	}
	if len(m.Refs) == 0 && len(e.Refs) > 0 {
		m.Refs, changed = e.Refs, true
	}
	if len(m.Aliases) == 0 && len(e.Aliases) > 0 {
		m.Aliases, changed = e.Aliases, true
	}
	if e.Kind == capture.Constant && m.Kind == capture.Delta {
		m.Kind, changed = capture.Constant, true
	}
	instances := make([]*capture.Counter, len(c.Instances))
	for i, in := range c.Instances {
		instances[i] = describe(in, e)
		changed = changed || instances[i] != in
	}
	if !changed {
		return c
	}
	if len(instances) == 0 {
		instances = nil
	}
	return &capture.Counter{Meta: m, Axis: c.Axis, Col: c.Col, Instances: instances, Der: c.Der, Pass: c.Pass, Reasons: c.Reasons, Warnings: c.Warnings}
}
