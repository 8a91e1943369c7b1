package characters

import (
	"slices"
	"strings"

	"astrolabe/plots/charts"
)

// counts draws the bins of each sample as standing blocks, on axes that all of them share.
func (d *drawing) counts(o *charts.CountOutline) {
	rows := d.laneRows(len(o.Bins))
	if rows < 3 {
		rows = 3
	}
	up := o.Up(max(rows/2, 2))
	gutter := d.gutter(up)
	room := max(d.width-gutter-2, 1)
	bins := 0
	for _, b := range o.Bins {
		bins = max(bins, len(b))
	}
	w := room
	if bins <= room {
		w = bins * (room / bins)
	}
	for i, b := range o.Bins {
		if len(o.Bins) > 1 {
			d.colored(i, o.Names[i])
		}
		f := newFrame(d.style, w, rows)
		for x := range w {
			if n := Bin(b, x, w); n > 0 {
				f.column(x, up.Frac(float64(n)), i)
			}
		}
		d.framed(f, up, gutter)
	}
	across := o.Across(max(w/10, 1))
	d.across(across.Ticks, across.Frac, gutter, w, named(o.XTitle, across.Unit))
	if len(o.Percentiles) > 0 {
		d.line(strings.Join(o.Percentiles, ", "))
	}
}

// Bin is the highest of the bins that share cell x of w.
func Bin(bins []int, x, w int) int {
	if len(bins) == 0 {
		return 0
	}
	from := x * len(bins) / w
	return slices.Max(bins[from:max((x+1)*len(bins)/w, from+1)])
}
