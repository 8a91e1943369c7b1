package characters

import (
	"math"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/plots/charts"
)

// parts are widths of a cell in eighths, from its left edge.
var parts = []rune("▏▎▍▌▋▊▉█")

// shades tell the parts of a stacked bar apart where there are no colours.
var (
	shades      = []rune("█▓▒░")
	plainShades = []rune("#=+-")
)

// bars draws lying bars from the zero of their axis, each with its value.
func (d *drawing) bars(o *charts.BarOutline) {
	a := o.Axis(4)
	texts := make([][]string, len(o.Labels))
	right := 0
	for i := range o.Labels {
		if o.Stacked {
			texts[i] = []string{o.Format(o.Sum(i))}
		} else {
			for _, s := range o.Series {
				texts[i] = append(texts[i], o.Format(s.Values[i]))
			}
		}
		for _, t := range texts[i] {
			right = max(right, notation.TextCells(d.style.Text(t)))
		}
	}
	names := o.Labels
	if len(o.Series) > 1 && !o.Stacked { // two levels: the label above, a name for each bar beside it
		names = nil
		for _, s := range o.Series {
			names = append(names, s.Name)
		}
	}
	beside := d.beside(names)
	right = min(right, d.width/3)
	w := max(d.width-beside-1-right-1, 1)
	for i, label := range o.Labels {
		switch {
		case len(o.Series) > 1 && !o.Stacked:
			d.line(label)
			for k, s := range o.Series {
				left := d.label(k, s.Name, beside)
				d.valued(left, d.bar(a, []float64{s.Values[i]}, k, w), texts[i][k], right)
			}
		default:
			var values []float64
			for _, s := range o.Series {
				values = append(values, s.Values[i])
			}
			left := d.label(-1, label, beside)
			d.valued(left, d.bar(a, values, 0, w), texts[i][0], right)
		}
	}
	if o.Stacked && len(o.Series) > 1 {
		d.parts(o.Series)
	}
	d.bands(o.Bands, a)
}

// parts is the legend of stacked bars.
func (d *drawing) parts(series []charts.BarSeries) {
	for k, s := range series {
		d.colored(k, string(d.shade(k))+" "+s.Name)
	}
}

func (d *drawing) shade(k int) rune {
	if d.style.ASCII {
		return plainShades[k%len(plainShades)]
	}
	return shades[k%len(shades)]
}

// bar draws values behind each other from zero. What is missing leaves nothing.
func (d *drawing) bar(a *charts.Axis, values []float64, slot, w int) string {
	f := newFrame(d.style, w, 1)
	zero := a.Frac(0)
	switch {
	case len(values) > 1:
		from := 0.0
		for k, v := range values {
			if !(v > 0) {
				continue
			}
			x0 := int(math.Round(a.Frac(from) * float64(w)))
			from += v
			for x := max(x0, 0); x < min(int(math.Round(a.Frac(from)*float64(w))), w); x++ {
				f.put(x, 0, d.shade(k), k)
			}
		}
	case len(values) == 1 && values[0] >= 0:
		d.barRight(f, zero, a.Frac(values[0]), slot)
	case len(values) == 1 && values[0] < 0:
		end := min(int(math.Round(zero*float64(w))), w)
		x0 := max(int(math.Floor(a.Frac(values[0])*float64(w)+0.5)), 0)
		for x := min(x0, max(end-1, 0)); x < end; x++ {
			f.put(x, 0, []rune(d.style.pick("█", "#"))[0], slot)
		}
	}
	return f.row(0)
}

// barRight draws a bar from zero to the right, in eighths of a cell. A value above zero has at least one.
func (d *drawing) barRight(f *frame, zero, frac float64, slot int) {
	unit := 8
	if d.style.ASCII {
		unit = 1
	}
	x := min(int(math.Round(min(max(zero, 0), 1)*float64(f.w))), f.w-1)
	n := int(math.Round(min(max(frac, 0), 1)*float64(f.w*unit))) - x*unit
	if n <= 0 && frac > zero {
		n = 1
	}
	for ; n > 0 && x < f.w; x, n = x+1, n-unit {
		if d.style.ASCII {
			f.put(x, 0, '#', slot)
		} else {
			f.put(x, 0, parts[min(n, 8)-1], slot)
		}
	}
}

// Bar is a share of a width, in eighths of a cell, with spaces behind it. A share above zero has at least an eighth.
func Bar(share float64, width int) string {
	n := int(math.Round(min(max(share, 0), 1) * float64(width*8)))
	if n == 0 && share > 0 {
		n = 1
	}
	out := []rune(strings.Repeat(" ", width))
	for x := 0; n > 0 && x < width; x, n = x+1, n-8 {
		out[x] = parts[min(n, 8)-1]
	}
	return string(out)
}
