package plots

import "astrolabe/capture"

// FromCounter is a counter as a series of a timeline. It shares the counter's times and values.
func FromCounter(c *capture.Counter) Series {
	s := Series{Name: c.Name, Unit: c.Unit, Start: c.Axis.Start, End: c.Axis.End, Y: c.Floats()}
	if !hasValue(s) {
		if r, ok := c.Why(-1); ok {
			s.Why = r.String()
		}
	}
	return s
}

// FromGaps are the stretches of a capture without data, to be greyed in a timeline.
func FromGaps(gaps []capture.Gap) []Interval {
	out := make([]Interval, len(gaps))
	for i, g := range gaps {
		out[i] = Interval{Start: g.Start, End: g.End}
	}
	return out
}

// FromSpans are the stretches that a mask selects, to be shaded in a timeline.
func FromSpans(spans []capture.Span, s Severity) []Interval {
	out := make([]Interval, len(spans))
	for i, sp := range spans {
		out[i] = Interval{Start: sp.Start, End: sp.End, Severity: s}
	}
	return out
}
