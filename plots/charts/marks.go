package charts

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"astrolabe/plots/canvas"
)

// aboveLabel is a text that belongs to a position above a frame: of a mark, a span or a percentile.
type aboveLabel struct {
	anchor   float64 // the x it belongs to, from the left edge of the panel
	text     string
	where    string // the position in words, for the note that lists what found no place; "" where text says it
	severity canvas.Severity

	x, w float64 // set by placeAbove: left edge and width
	row  int     // from the frame upwards
}

const maxLabelRows = 4

// placeAbove finds rows for labels, so that none touches another or leaves the panel. What finds no place is returned
// in words.
func placeAbove(t *canvas.Theme, labels []aboveLabel,
	width float64) (placed []aboveLabel, height float64, rest string) {
	s := canvas.Regular.Of(t.Small)
	slices.SortStableFunc(labels, func(a, b aboveLabel) int { return cmp.Compare(a.anchor, b.anchor) })
	ends := [maxLabelRows]float64{}
	for i := range ends {
		ends[i] = math.Inf(-1)
	}
	rows := 0
	var lost []string
	for _, l := range labels {
		l.text = s.Fit(strings.TrimSpace(l.text), width*0.4)
		if l.text == "" {
			continue
		}
		l.w = s.Width(l.text)
		l.x = min(max(l.anchor-l.w/2, 0), width-l.w)
		l.row = slices.IndexFunc(ends[:], func(end float64) bool { return l.x >= end+t.Small*0.6 })
		if l.row < 0 {
			if l.where != "" {
				l.text = canvas.Isolated(l.text) + " (" + l.where + ")"
			}
			lost = append(lost, l.text)
			continue
		}
		ends[l.row] = l.x + l.w
		rows = max(rows, l.row+1)
		placed = append(placed, l)
	}
	if len(lost) > 0 {
		rest = "also marked: " + strings.Join(lost, "; ")
	}
	return placed, float64(rows) * t.Small * 1.25, rest
}

// draw puts the label above a frame whose top is at frameTop, in a panel whose left edge is at panelLeft.
func (l aboveLabel) draw(sc *canvas.Scene, t *canvas.Theme, panelLeft, frameTop float64) {
	s := canvas.Regular.Of(t.Small)
	c := t.Ink
	if l.severity != canvas.None {
		c = t.Severity(l.severity)
	}
	bottom := frameTop - t.Text*0.6 - float64(l.row)*t.Small*1.25
	sc.TextAt(panelLeft+l.x, bottom-s.Descent(), canvas.Left, s, c, l.text)
}

// labelsAbove are the labels of a lane's marks and spans. gutter is the distance of the frame from the panel's edge.
func (l *lane) labelsAbove(ax timeAxis, gutter, frameW float64) []aboveLabel {
	if frameW <= 0 {
		return nil
	}
	tx := toX(canvas.Box(gutter, 0, frameW, 1), ax)
	var out []aboveLabel
	for _, m := range l.tl.o.Marks {
		if m.At >= ax.t0 && m.At <= ax.t1 {
			out = append(out, aboveLabel{anchor: tx(m.At), text: m.Sign(), where: Duration(m.At)})
		}
	}
	for _, iv := range l.tl.o.Spans {
		if iv.End >= ax.t0 && iv.Start <= ax.t1 {
			out = append(out, aboveLabel{anchor: (tx(iv.Start) + tx(iv.End)) / 2, text: iv.Label,
				where: Duration(iv.Start) + " to " + Duration(iv.End), severity: iv.Severity})
		}
	}
	return out
}
