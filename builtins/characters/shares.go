package characters

import (
	"fmt"
	"math"

	"astrolabe/plots/charts"
)

// shares draws the parts of a whole as one bar, and below it a row with the part that led when. Each part has a letter.
func (d *drawing) shares(o *charts.ShareOutline) {
	f := newFrame(d.style, d.width, 1)
	sum := 0.0
	for i, p := range o.Parts {
		from := int(math.Round(sum * float64(f.w)))
		sum += p.Share
		for x := from; x < min(int(math.Round(sum*float64(f.w))), f.w); x++ {
			f.put(x, 0, letter(i), i)
		}
	}
	d.raw(f.row(0))
	for i, p := range o.Parts {
		d.colored(i, fmt.Sprintf("%c %s", letter(i), p.Text))
	}
	if o.Lead == nil {
		return
	}
	d.line("what set the pace when")
	const gutter = 0
	w := max(d.width-gutter-2, 1)
	f = newFrame(d.style, w, 1)
	for x, who := range o.Lead(w) {
		if who >= 0 {
			f.put(x, 0, letter(who), who)
		}
	}
	d.raw(" " + d.style.pick("│", "|") + f.row(0))
	ticks, title := o.Ticks(w)
	length := float64(o.T1 - o.T0)
	d.across(ticks, func(at float64) float64 { return at / length }, gutter, w, title)
}

// letter stands for a part, or for a group of points.
func letter(i int) rune { return rune(letters[i%len(letters)]) }
