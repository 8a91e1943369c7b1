package charts

import (
	"fmt"
	"math"

	"astrolabe/plots/canvas"
)

// Stacked bars show how a whole is divided: the series of a label lie behind each other in one bar, and the sum stands
// at its end.

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
			if canvas.Drawable(v) {
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
		if v := s.Values[i]; canvas.Drawable(v) {
			if math.IsNaN(sum) {
				sum = 0
			}
			sum += v
		}
	}
	return sum
}

// drawStackedBar draws the parts of a label behind each other, each with its value where it has room, and the sum
// behind them.
func (b *bar) drawStackedBar(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, tx func(float64) float64, i int,
	at canvas.Rect) {
	s := canvas.Regular.Of(min(t.Small, at.H*0.7))
	gap := min(2, at.H*0.15)
	from := 0.0
	for k, sr := range b.series {
		v := sr.Values[i]
		if !canvas.Drawable(v) || v == 0 {
			continue
		}
		c, _ := b.seriesColor(t, k)
		seg := canvas.Box(tx(from), at.Y+gap/2, tx(from+v)-tx(from), at.H-gap)
		sc.Fill(seg, c)
		if k > 0 {
			sc.Vline(seg.X, seg.Y, seg.Bottom(), 1, t.Page)
		}
		if text := b.valueText(v); s.Width(text)+t.Text*0.4 <= seg.W && at.H >= s.Size {
			sc.TextAt(seg.X+seg.W/2, seg.Y+seg.H/2+s.Size*0.35, canvas.Center, s, t.InkOn(c), text)
		}
		from += v
	}
	end := squeezed(t, 1, at.H*lineHeight)
	text := end.Fit(b.valueText(b.sum(i)), at.W+frame.Right()-tx(from))
	sc.TextAt(tx(from)+t.Text*0.3, at.Y+at.H/2+end.Size*0.35, canvas.Left, end, t.Ink, text)
}
