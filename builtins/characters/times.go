package characters

import (
	"fmt"
	"math"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/plots/charts"
)

// laneRows is how high the frame of a series is among so many.
func (d *drawing) laneRows(n int) int {
	switch {
	case d.style.Height > 0:
		return min(max(d.style.Height/max(n, 1), 1), MostCells)
	case n == 1:
		return 8
	case n <= 3:
		return 5
	case n <= 8:
		return 3
	}
	return 1
}

// times draws series over time, one under another, on one axis of time.
func (d *drawing) times(o *charts.TimeOutline) {
	rows := d.laneRows(len(o.Lanes))
	if o.Flat || rows == 1 {
		d.strips(o)
		return
	}
	axes := make([]*charts.Axis, len(o.Lanes))
	for i, l := range o.Lanes {
		axes[i] = l.Axis(max(rows/2, 2))
	}
	gutter := d.gutter(axes...)
	w := max(d.width-gutter-2, 1)
	for i, l := range o.Lanes {
		if l.Panel != "" {
			d.line(l.Panel)
		}
		d.colored(l.Slot, described(l, axes[i].Unit))
		if l.Why != "" {
			d.raw(padLeft("", gutter) + " " + d.style.pick("│", "|"))
			continue
		}
		f := newFrame(d.style, w, rows)
		f.series(o, l, axes[i])
		f.thresholds(l.Bands, axes[i])
		f.marks(o)
		d.framed(f, axes[i], gutter)
		d.bands(l.Bands, axes[i])
	}
	d.foot(o, gutter, w)
}

// described is the name of a series with what is to be said of it.
func described(l charts.LaneOutline, unit string) string {
	text := named(l.Series.Name, unit)
	for _, n := range l.Notes {
		text += " · " + n
	}
	if l.Why != "" {
		text += " · no data: " + l.Why
	}
	return text
}

// series draws the extremes of each column of dots, and what lies between.
func (f *frame) series(o *charts.TimeOutline, l charts.LaneOutline, a *charts.Axis) {
	n := f.h * f.up()
	for x, c := range o.Columns(l.Series, f.w*f.across()) {
		if !c.Present {
			continue
		}
		for y := place(a.Frac(c.Lo), n); y <= place(a.Frac(c.Hi), n); y++ {
			f.dot(x, y, l.Slot)
		}
	}
}

// thresholds draws dashed lines where there are no data.
func (f *frame) thresholds(bands []charts.Band, a *charts.Axis) {
	for _, b := range bands {
		if b.Lo == b.Hi && b.Lo >= a.Lo && b.Lo <= a.Hi {
			for x := range f.w {
				f.fill(x, f.rowAt(a.Frac(b.Lo)), []rune(f.style.pick("┄", "="))[0])
			}
		}
	}
}

// marks draws dashed lines at instants where there are no data.
func (f *frame) marks(o *charts.TimeOutline) {
	for _, m := range o.Marks {
		if m.At >= o.T0 && m.At <= o.T1 {
			for y := range f.h {
				f.fill(place(frac(o, m.At), f.w), y, []rune(f.style.pick("┊", ":"))[0])
			}
		}
	}
}

// bands names thresholds and ranges of values.
func (d *drawing) bands(bands []charts.Band, a *charts.Axis) {
	for _, b := range bands {
		text := charts.Quantity(b.Lo, b.Unit)
		if b.Lo != b.Hi {
			text += " to " + charts.Quantity(b.Hi, b.Unit)
		}
		if b.Label != "" {
			text = b.Label + ": " + text
		}
		d.line(d.style.pick("┄ ", "= ") + text)
	}
}

// strips draws a row for each series, its name beside it.
func (d *drawing) strips(o *charts.TimeOutline) {
	var names, ends []string
	for _, l := range o.Lanes {
		a := l.Axis(2)
		names = append(names, l.Series.Name)
		end := "to " + charts.Quantity(a.Hi, l.Series.Unit)
		if a.Lo != 0 {
			end = charts.Quantity(a.Lo, l.Series.Unit) + " " + end
		}
		if l.Why != "" {
			end = "no data: " + l.Why
		}
		ends = append(ends, end)
	}
	beside, right := d.beside(names), 0
	for _, e := range ends {
		right = max(right, notation.TextCells(d.style.Text(e)))
	}
	if right = min(right, d.width/3); beside+1+right > d.width*3/4 {
		beside = 0
	}
	gutter := max(beside-1, 0) // a frame stands two cells behind its gutter, and one behind a label
	w := max(d.width-gutter-2-right-1, 1)
	for i, l := range o.Lanes {
		if l.Panel != "" {
			d.line(l.Panel)
		}
		left := d.label(l.Slot, l.Series.Name, beside)
		if beside == 0 {
			left = "  "
		}
		if l.Why != "" {
			d.valued(left, padLeft("", w), ends[i], right)
			continue
		}
		a := l.Axis(2)
		values := make([]float64, w)
		for x, c := range o.Columns(l.Series, w) {
			switch {
			case !c.Present:
				values[x] = math.NaN()
			case o.Pick == "min":
				values[x] = c.Lo
			case o.Pick == "mean":
				values[x] = c.Mean
			default:
				values[x] = c.Hi
			}
			if c.Present { // a logarithmic axis has places of its own
				values[x] = a.Frac(values[x])
			}
		}
		f := newFrame(d.style, w, 1)
		for x, r := range Blocks(values, 0, 1, d.style.ASCII) {
			if r != ' ' {
				f.put(x, 0, r, l.Slot)
			}
		}
		d.valued(left, f.row(0), ends[i], right)
	}
	d.foot(o, gutter, w)
	if !o.Flat { // the chart itself says it of a heat map
		d.line("each cell shows its largest value")
		d.noted(o.Lanes)
	}
}

// noted says what is to be said of series, once for those of which it is the same.
func (d *drawing) noted(lanes []charts.LaneOutline) {
	var order []string
	names := map[string][]string{}
	for _, l := range lanes {
		for _, n := range l.Notes {
			if names[n] == nil {
				order = append(order, n)
			}
			names[n] = append(names[n], l.Series.Name)
		}
	}
	for _, n := range order {
		d.line(n + ": " + listed(names[n]))
	}
}

// foot writes the axis of time, and below it what is shaded in a picture.
func (d *drawing) foot(o *charts.TimeOutline, gutter, w int) {
	ticks, title := o.TimeTicks(w)
	length := float64(o.T1 - o.T0)
	d.across(ticks, func(at float64) float64 { return at / length }, gutter, w, title)
	for _, s := range []struct {
		spans   []charts.Interval
		sign    string
		meaning string
	}{
		{o.Spans, d.style.pick("▀", "^"), "marked"}, {o.Gaps, d.style.pick("×", "x"), "without data"},
		{o.Late, d.style.pick("~", "~"), "in longer samples, because ticks were missed"},
	} {
		d.stripe(o, s.spans, s.sign, s.meaning, gutter, w)
	}
	var texts []string
	for _, m := range o.Marks {
		if m.At >= o.T0 && m.At <= o.T1 {
			text := charts.Duration(m.At)
			if sign := m.Sign(); sign != "" {
				text = sign + " " + text
			}
			texts = append(texts, text)
		}
	}
	if len(texts) > 0 {
		d.line(d.style.pick("┊ ", ": ") + listed(texts))
	}
}

// stripe draws where stretches of time lie, and says what they are.
func (d *drawing) stripe(o *charts.TimeOutline, spans []charts.Interval, sign, meaning string, gutter, w int) {
	row := []rune(strings.Repeat(" ", w))
	n, sum := 0, int64(0)
	var labels []string
	seen := map[string]bool{}
	for _, s := range spans {
		if s.End <= o.T0 && s.End > s.Start || s.Start >= o.T1 {
			continue
		}
		n++
		sum += min(s.End, o.T1) - max(s.Start, o.T0)
		for x := place(frac(o, s.Start), w); x <= last(frac(o, s.End), w); x++ {
			row[x] = []rune(sign)[0]
		}
		if label := s.Label; label != "" && !seen[label] {
			seen[label] = true
			labels = append(labels, label)
		}
	}
	if n == 0 {
		return
	}
	d.raw(padLeft("", gutter+2) + string(row))
	text := fmt.Sprintf("%s %s: %s", sign, meaning, charts.Duration(sum))
	if n > 1 {
		text += fmt.Sprintf(" in %d stretches", n)
	}
	if len(labels) > 0 {
		text += " (" + listed(labels) + ")"
	}
	d.line(text)
}

// mostListed is how many names a legend lists.
const mostListed = 12

func listed(texts []string) string {
	if n := len(texts); n > mostListed {
		return strings.Join(texts[:mostListed], ", ") + fmt.Sprintf(" and %d more", n-mostListed)
	}
	return strings.Join(texts, ", ")
}

// frac is the place of a time in the window.
func frac(o *charts.TimeOutline, at int64) float64 { return float64(at-o.T0) / float64(o.T1-o.T0) }

// last is the last of n cells that a stretch up to a share of the width touches: its end is outside of it.
func last(frac float64, n int) int {
	return min(max(int(math.Ceil(frac*float64(n)))-1, 0), n-1)
}
