package plots

import (
	"fmt"
	"math"
)

// Stacked bars show how a whole is divided: the series of a label lie behind each other in one bar, and the sum stands at its end.

// stacked checks that values can lie behind each other, and makes the axis hold the sums.
func (b *bar) stacked() error {
	if b.o.Vertical {
		return fmt.Errorf("bar: stacked bars lie, so that their parts have room for numbers: leave vertical out")
	}
	b.spread = noSpread()
	for i := range b.o.Labels {
		sum, any := 0.0, false
		for _, s := range b.series {
			v := s.Values[i]
			if v < 0 {
				return fmt.Errorf("bar: %q of %q is %v: parts of a whole are not negative", s.Name, b.o.Labels[i], v)
			}
			if drawable(v) {
				sum, any = sum+v, true
			}
		}
		if any {
			b.spread.add(sum)
		}
	}
	return nil
}

// sum is the whole of a label; NaN where no part has a value.
func (b *bar) sum(i int) float64 {
	sum := math.NaN()
	for _, s := range b.series {
		if v := s.Values[i]; drawable(v) {
			if math.IsNaN(sum) {
				sum = 0
			}
			sum += v
		}
	}
	return sum
}

// drawStackedBar draws the parts of a label behind each other, each with its value where it has room, and the sum behind them.
func (b *bar) drawStackedBar(sc *scene, t *Theme, frame rect, tx func(float64) float64, i int, at rect) {
	s := style{regular, min(t.Small, at.h*0.7)}
	gap := min(2, at.h*0.15)
	from := 0.0
	for k, sr := range b.series {
		v := sr.Values[i]
		if !drawable(v) || v == 0 {
			continue
		}
		c, _ := t.seriesColor(k)
		seg := rect{tx(from), at.y + gap/2, tx(from+v) - tx(from), at.h - gap}
		sc.fill(seg, c)
		if k > 0 {
			sc.vline(seg.x, seg.y, seg.bottom(), 1, t.Page)
		}
		if text := b.valueText(v); s.width(text)+t.Text*0.4 <= seg.w && at.h >= s.size {
			sc.textAt(seg.x+seg.w/2, seg.y+seg.h/2+s.size*0.35, center, s, t.inkOn(c), text)
		}
		from += v
	}
	end := style{regular, t.Text}
	text := end.fit(b.valueText(b.sum(i)), at.w+frame.right()-tx(from))
	sc.textAt(tx(from)+t.Text*0.3, at.y+at.h/2+end.size*0.35, left, end, t.Ink, text)
}
