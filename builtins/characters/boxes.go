package characters

import (
	"astrolabe/builtins/notation"
	"astrolabe/plots/charts"
)

// boxes draws a lying box for each distribution, with its median as a number.
func (d *drawing) boxes(o *charts.BoxOutline) {
	var names, texts []string
	right := 0
	for _, b := range o.Boxes {
		text := "no data"
		if b.Count > 0 {
			text = "median " + o.Format(b.Median)
		}
		names, texts = append(names, b.Name), append(texts, text)
		right = max(right, notation.TextCells(d.style.Text(text)))
	}
	beside := d.beside(names)
	gutter := max(beside-1, 0)
	right = min(right, d.width/3)
	w := max(d.width-gutter-2-right-1, 1)
	a := o.Axis(max(w/12, 1))
	for i, b := range o.Boxes {
		left := d.label(-1, b.Name, beside)
		if beside == 0 {
			left = "  "
		}
		f := newFrame(d.style, w, 1)
		f.box(b, a)
		d.valued(left, f.row(0), texts[i], right)
	}
	d.across(a.Ticks, a.Frac, gutter, w, named("", a.Unit))
	d.line("box: quartiles and median · whiskers: within 1.5 quartile ranges · " + d.style.pick("∘", "o") +
		": values beyond")
}

// box draws one box: whiskers, quartiles, median and what lies beyond.
func (f *frame) box(b charts.BoxShape, a *charts.Axis) {
	if b.Count == 0 {
		return
	}
	sign := func(unicode, ascii string) rune { return []rune(f.style.pick(unicode, ascii))[0] }
	at := func(v float64) int { return place(a.Frac(v), f.w) }
	for _, v := range b.Outliers {
		f.put(at(v), 0, sign("∘", "o"), 0)
	}
	for x := at(b.Low); x <= at(b.High); x++ {
		f.put(x, 0, sign("─", "-"), 0)
	}
	for x := at(b.Q1); x <= at(b.Q3); x++ {
		f.put(x, 0, sign("▒", "="), 0)
	}
	f.put(at(b.Median), 0, sign("┃", "#"), 0)
}
