package characters

import (
	"fmt"

	"astrolabe/plots/charts"
)

// pointRows is the height of a plane of points.
const pointRows = 16

// letters stand for groups of points, the greatest group first.
const letters = "abcdefghijklmnopqrstuvwxyz"

// points draws points as dots, or by the letter of the group that has most of them in a cell.
func (d *drawing) points(o *charts.PointOutline) {
	rows := pointRows
	if d.style.Height > 0 {
		rows = min(max(d.style.Height, 2), MostCells)
	}
	up := o.Up(max(rows/3, 2))
	gutter := d.gutter(up)
	w := max(d.width-gutter-2, 1)
	across := o.Across(max(w/10, 1))
	if title := named(o.YTitle, up.Unit); title != "" {
		d.line(title)
	}
	f := newFrame(d.style, w, rows)
	if o.Slot == nil {
		for i, x := range o.X {
			f.dot(place(across.Frac(x), w*f.across()), place(up.Frac(o.Y[i]), rows*f.up()), 0)
		}
	} else {
		f.groups(o, across, up)
	}
	for _, l := range o.Limits {
		f.limit(l, across, up)
	}
	d.framed(f, up, gutter)
	d.across(across.Ticks, across.Frac, gutter, w, named(o.XTitle, across.Unit))
	for _, l := range o.Limits {
		d.line(string(f.limitSign(l)) + " " + l.Name)
	}
	for i, name := range o.Groups {
		d.colored(i, fmt.Sprintf("%c %s", letter(i), name))
	}
}

// limitSign is what a limit is drawn with: one rises, or it does not.
func (f *frame) limitSign(l charts.LimitOutline) rune {
	if l.Y0 == l.Y1 {
		return []rune(f.style.pick("─", "-"))[0]
	}
	return []rune(f.style.pick("╱", "/"))[0]
}

// limit draws a line in the cells that have no point.
func (f *frame) limit(l charts.LimitOutline, across, up *charts.Axis) {
	x0, y0, x1, y1 := across.Frac(l.X0), up.Frac(l.Y0), across.Frac(l.X1), up.Frac(l.Y1)
	if x1 <= x0 {
		return
	}
	height := func(x float64) float64 { return y0 + (min(max(x, x0), x1)-x0)*(y1-y0)/(x1-x0) }
	for c := range f.w {
		left, right := float64(c)/float64(f.w), float64(c+1)/float64(f.w)
		if right <= x0 || left >= x1 {
			continue
		}
		from, to := height(left), height(right)
		if to < 0 || from > 1 {
			continue
		}
		for y := f.rowAt(to); y <= f.rowAt(from); y++ { // row 0 is at the top
			f.fill(c, y, f.limitSign(l))
		}
	}
}

// groups writes into each cell the letter of the group with most points there.
func (f *frame) groups(o *charts.PointOutline, across, up *charts.Axis) {
	counts := make([]map[int32]int, len(f.cells))
	for i, x := range o.X {
		at := f.rowAt(up.Frac(o.Y[i]))*f.w + place(across.Frac(x), f.w)
		if counts[at] == nil {
			counts[at] = map[int32]int{}
		}
		counts[at][o.Slot[i]]++
	}
	for at, c := range counts {
		best := int32(-1)
		for slot, n := range c {
			if best < 0 || n > c[best] || n == c[best] && slot < best {
				best = slot
			}
		}
		if best >= 0 {
			f.put(at%f.w, at/f.w, letter(int(best)), int(best))
		}
	}
}
