package characters

import (
	"fmt"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/plots/charts"
)

// Drawable reports whether a chart has a form in characters.
func Drawable(p *charts.Plot) bool {
	o, ok := p.Outline()
	if !ok {
		return false
	}
	for _, row := range o.Rows {
		for _, q := range row {
			if !Drawable(q) {
				return false
			}
		}
	}
	return true
}

// Chart draws a chart as lines of text, each with its end. An error says that this kind of chart is a picture only.
func Chart(p *charts.Plot, s Style) (string, error) {
	o, ok := p.Outline()
	if !ok {
		return "", fmt.Errorf("a %s has no form in characters: save it as a picture", p.Kind)
	}
	d := &drawing{style: s, width: s.width()}
	d.heading(o)
	switch {
	case o.Rows != nil:
		for i, row := range o.Rows {
			for j, q := range row {
				text, err := Chart(q, s)
				if err != nil {
					return "", err
				}
				if i+j > 0 {
					d.out.WriteByte('\n')
				}
				d.out.WriteString(text)
			}
		}
	case o.Why != "":
		d.line("no data: " + o.Why)
	case o.Times != nil:
		d.times(o.Times)
	case o.Bars != nil:
		d.bars(o.Bars)
	case o.Counts != nil:
		d.counts(o.Counts)
	case o.Points != nil:
		d.points(o.Points)
	case o.Boxes != nil:
		d.boxes(o.Boxes)
	case o.Pairs != nil:
		d.pairs(o.Pairs)
	case o.Shares != nil:
		d.shares(o.Shares)
	}
	for _, n := range o.Notes {
		d.line(n)
	}
	return d.out.String(), nil
}

// drawing is a chart on its way to text.
type drawing struct {
	style Style
	width int
	out   strings.Builder
}

func (d *drawing) heading(o charts.Outline) {
	text := o.Title
	if o.Heading != "" && o.Heading != o.Title {
		if text != "" {
			text += " · "
		}
		text += o.Heading
	}
	if text != "" {
		d.line(text)
	}
}

// line writes a text in lines of the width. Nothing of it is cut.
func (d *drawing) line(text string) { d.colored(-1, text) }

func (d *drawing) colored(slot int, text string) {
	for _, l := range notation.Fold(d.style.Text(text), d.width) {
		d.out.WriteString(d.style.paint(slot, l) + "\n")
	}
}

// raw writes a line that is set already.
func (d *drawing) raw(text string) { d.out.WriteString(strings.TrimRight(text, " ") + "\n") }

// gutter is the width of the labels of an axis.
func (d *drawing) gutter(axes ...*charts.Axis) int {
	w := 1
	for _, a := range axes {
		for _, k := range a.Ticks {
			w = max(w, notation.TextCells(d.style.Text(k.Label)))
		}
	}
	return min(w, d.width/3)
}

// framed writes a frame with the labels of its axis at the left.
func (d *drawing) framed(f *frame, up *charts.Axis, gutter int) {
	labels := make([]string, f.h)
	for _, k := range up.Ticks {
		if label := d.style.Text(k.Label); notation.TextCells(label) <= gutter {
			labels[f.rowAt(up.Frac(k.At))] = label
		}
	}
	for y, label := range labels {
		edge := d.style.pick("│", "|")
		if label != "" {
			edge = d.style.pick("┤", "+")
		}
		d.raw(padLeft(label, gutter) + " " + edge + f.row(y))
	}
}

// across writes the axis below a frame: a line with ticks, their labels, and what the axis is of.
func (d *drawing) across(ticks []charts.AxisTick, frac func(float64) float64, gutter, w int, title string) {
	rule := []rune(strings.Repeat(d.style.pick("─", "-"), w))
	labels, end := "", 0
	for _, k := range ticks {
		x := place(frac(k.At), w)
		label := d.style.Text(k.Label)
		n := notation.TextCells(label)
		at := min(max(x-n/2, 0), max(w-n, 0))
		if end > 0 && at <= end || n > w {
			continue
		}
		rule[x] = []rune(d.style.pick("┬", "+"))[0]
		labels += strings.Repeat(" ", at-end) + label
		end = at + n
	}
	d.raw(padLeft("", gutter) + " " + d.style.pick("└", "+") + string(rule))
	d.raw(padLeft("", gutter+2) + labels)
	if title != "" {
		for _, l := range notation.Fold(d.style.Text(title), max(d.width-gutter-2, 1)) {
			d.raw(padLeft("", gutter+2) + l)
		}
	}
}

// named is a name with a unit in brackets.
func named(name, unit string) string {
	if unit == "" {
		return name
	}
	if name == "" {
		return "[" + unit + "]"
	}
	return name + " [" + unit + "]"
}

// beside is the column of names at the left of rows, or 0 where the longest takes more than two fifths of the width:
// each then stands above its row.
func (d *drawing) beside(names []string) int {
	w := 0
	for _, n := range names {
		w = max(w, notation.TextCells(d.style.Text(n)))
	}
	if w > d.width*2/5 {
		return 0
	}
	return w
}

// valued writes a row of cells with a text behind them, or below it where that is wider than its column.
func (d *drawing) valued(left, row, text string, right int) {
	if text = d.style.Text(text); notation.TextCells(text) > right {
		d.raw(left + row)
		d.line("  " + text)
		return
	}
	d.raw(left + row + " " + text)
}

// label writes a name above its row, or returns it padded to stand beside it.
func (d *drawing) label(slot int, name string, beside int) string {
	if beside == 0 {
		d.colored(slot, name)
		return ""
	}
	name = d.style.Text(name)
	return d.style.paint(slot, name) + strings.Repeat(" ", beside-notation.TextCells(name)) + " "
}
