package metrics

import (
	"fmt"
	"sync"

	"astrolabe/capture/metrics/formula"
)

// Public is a formula of a metric over other counters that the vendor's tool writes. A person who enables the clocks in
// which a unit was busy, and those of the whole GPU, has measured its share of the time, though neither the column of
// the share nor the hardware's counters are in the file. In a catalogue file it is "public FORMULA", with operators
// between its operands whatever the dialect of the catalogue; of several the first counts whose operands are all there.
type Public struct {
	Expr string

	once  sync.Once
	entry *Entry
	err   error
}

// metric is the metric with this formula. It is made once.
func (p *Public) metric(e *Entry) (*Entry, error) {
	p.once.Do(func() {
		x, err := formula.Parse(formula.Streamline, p.Expr)
		if err != nil {
			p.err = fmt.Errorf("metric %s of other counters: %w", e.Name, err)
			return
		}
		one := *e
		one.Variants, one.Public, one.Dialect = nil, nil, formula.Streamline
		one.Expr, one.expr, one.Inputs = p.Expr, x, x.Names()
		p.entry = &one
	})
	return p.entry, p.err
}

// published is the metric as the capture's own columns make it by one of its public formulas; nil where they do not, or
// the capture holds the metric itself.
func (s *scope) published(e *Entry) (*Entry, error) {
	if len(e.Public) == 0 || s.standIn(e) != nil {
		return nil, nil
	}
candidates:
	for _, p := range e.Public {
		one, err := p.metric(e)
		if err != nil {
			return nil, err
		}
		for _, name := range one.Inputs {
			if c := s.measured(name); c == nil || c.Count() == 0 {
				continue candidates
			}
		}
		return one, nil
	}
	return nil, nil
}

// PublicFormulas are those of other counters that the vendor's tool writes; none where there is no such way.
func (e *Entry) PublicFormulas() []string {
	out := []string{}
	for _, p := range e.Public {
		out = append(out, p.Expr)
	}
	return out
}
