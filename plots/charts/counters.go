package charts

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
)

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

// FromGaps are the gaps or the late spans of a capture, to be shaded in a timeline.
func FromGaps(gaps []capture.Gap) []Interval {
	out := make([]Interval, len(gaps))
	for i, g := range gaps {
		out[i] = Interval{Start: g.Start, End: g.End, Label: g.Reason.String()}
	}
	return out
}

// Shared are the parts of stretches that both lists have, which are in order of time. A reason is kept where both have
// the same.
func Shared(a, b []Interval) []Interval {
	var out []Interval
	for i, j := 0, 0; i < len(a) && j < len(b); {
		iv := Interval{Start: max(a[i].Start, b[j].Start), End: min(a[i].End, b[j].End)}
		if a[i].Label == b[j].Label {
			iv.Label = a[i].Label
		}
		if iv.Start < iv.End {
			out = append(out, iv)
		}
		if a[i].End < b[j].End {
			i++
		} else {
			j++
		}
	}
	return out
}

// Extent says how much a capture holds, over which time, and how that was measured.
func Extent(c *capture.Capture) string {
	s := fmt.Sprintf("%d samples over %s", c.Len(), Duration(c.Duration()))
	if c.Len() == 1 {
		s = "1 sample over " + Duration(c.Duration())
	}
	if len(c.Gaps) > 0 {
		s += ", " + Duration(capture.Length(c.Gaps)) + " of it without data"
	}
	if len(c.Late) > 0 {
		s += ", " + Duration(capture.Length(c.Late)) + " in longer samples, because ticks were missed"
	}
	return s
}

// FromSpans are the stretches that a mask selects, to be shaded in a timeline. The legend calls them kind.
func FromSpans(spans []capture.Span, s canvas.Severity, kind string) []Interval {
	out := make([]Interval, len(spans))
	for i, sp := range spans {
		out[i] = Interval{Start: sp.Start, End: sp.End, Severity: s, Kind: kind}
	}
	return out
}
