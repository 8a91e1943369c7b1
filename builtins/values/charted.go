package values

import "astrolabe/plots/charts"

// Series makes a line of a counter.
func (c *Counter) Series() charts.Series {
	s := charts.Series{Name: c.Label(), Unit: c.Counter.Unit, Start: c.Counter.Axis.Start, End: c.Counter.Axis.End,
		Y: c.Counter.Floats(), Counter: c.Counter, Of: c.From}
	if len(s.Y) > 0 && c.Counter.Count() == 0 {
		if r, ok := c.Counter.Why(-1); ok {
			s.Why = r.String()
		}
	}
	return s
}

// Label is what a legend calls the counter.
func (c *Counter) Label() string {
	if c.Counter.Title != "" && c.Counter.Meta.Instance == "" {
		return c.Counter.Title
	}
	return c.Counter.Name
}

// Interval is the span as charts shade it.
func (s *Span) Interval() charts.Interval {
	iv := charts.Interval{Start: s.Span.Start, End: s.Span.End, Label: s.name}
	if s.reason != nil {
		iv.Label = s.reason.String()
	}
	return iv
}
