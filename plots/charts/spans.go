package charts

import (
	"fmt"
	"math"
	"strings"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
)

// DrawSpans shades where in the time from t0 to t1 something holds, on a track of its own.
func DrawSpans(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect, s canvas.Severity,
	spans []capture.Span, t0, t1 int64) {
	track := sc.Snapped(area)
	sc.Fill(track, t.Grid)
	shade(sc, track, timeAxis{t0: t0, t1: t1}, FromSpans(spans, s, ""), look{fill: t.Severity})
}

// SpansText says where a finding holds: all spans where they are few, else the longest, and how many more there are.
func SpansText(spans []capture.Span, t0, t1 int64) string {
	const few = 4
	total := int64(0)
	for _, s := range spans {
		total += s.End - s.Start
	}
	text := fmt.Sprintf("holds in %d spans, %s in all", len(spans), Duration(total))
	if len(spans) == 1 {
		text = "holds for " + Duration(total)
	}
	if share := float64(total) / (float64(t1) - float64(t0)) * 100; share > 0 && share <= 100.5 {
		text += " (" + significant(math.Min(share, 100), 2) + " % of the capture)"
	}
	shown := spans
	if len(spans) > few {
		shown = longest(spans, few-1)
		text += ", longest"
	}
	u := timeUnits[0]
	for _, c := range timeUnits[:4] {
		if float64(max(t1, -t0)) >= 2*c.ns {
			u = c
		}
	}
	for i, s := range shown {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		text += sep + spanEnds(s, u)
	}
	return text
}

// spanEnds writes the ends of a span in one unit, with digits enough to tell them apart.
func spanEnds(s capture.Span, u timeUnit) string {
	a, b := float64(s.Start)/u.ns, float64(s.End)/u.ns
	d := 3
	if length := b - a; length > 0 {
		d = min(max(2-int(math.Floor(math.Log10(length))), 0), 6)
	}
	w := func(v float64) string {
		text := minus(fmt.Sprintf("%.*f", d, v))
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return text
	}
	return w(a) + " to " + w(b) + " " + u.name
}

// longest returns the n longest spans in the order of time.
func longest(spans []capture.Span, n int) []capture.Span {
	kept := make([]bool, len(spans))
	for range n {
		best := -1
		for i, s := range spans {
			if !kept[i] && (best < 0 || s.End-s.Start > spans[best].End-spans[best].Start) {
				best = i
			}
		}
		kept[best] = true
	}
	var out []capture.Span
	for i, s := range spans {
		if kept[i] {
			out = append(out, s)
		}
	}
	return out
}
