package charts

import (
	"errors"
	"fmt"

	"astrolabe/plots/canvas"
)

// ConfusionOptions describe a confusion matrix.
type ConfusionOptions struct {
	Title string
	Label string // below the title, such as "95 of 96 named first"
}

// Confusion draws how often each class (a row) was taken for which (a column). Rows and columns have the same classes
// in the same order; counts[i][j] of class i were taken for class j. A row's colours are its shares.
func Confusion(o ConfusionOptions, classes []string, counts [][]int) (*Plot, error) {
	if len(counts) != len(classes) {
		return nil, fmt.Errorf("confusion matrix: %d rows for %d classes", len(counts), len(classes))
	}
	if len(classes) > maxCorrelated {
		return nil, fmt.Errorf("confusion matrix: %d classes: at most %d have room", len(classes), maxCorrelated)
	}
	c := &confusion{o: o, names: classes, counts: counts}
	for _, row := range counts {
		if len(row) != len(classes) {
			return nil, fmt.Errorf("confusion matrix: a row of %d counts for %d classes", len(row), len(classes))
		}
		for _, n := range row {
			if n < 0 {
				return nil, errors.New("confusion matrix: a count below zero")
			}
			c.any = c.any || n > 0
		}
	}
	return New(o.Title, "confusion", c), nil
}

type confusion struct {
	o      ConfusionOptions
	names  []string
	counts [][]int
	any    bool
}

func (c *confusion) Prefer(t *canvas.Theme, _ float64) float64 {
	return t.Text*7 + float64(max(len(c.names), 4))*t.Text*1.7
}

func (c *confusion) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	y := newHeader(t, c.o.Title, "", c.o.Label, area.W).draw(sc, t, area.X, area.Y) + topPad(t)
	if !c.any {
		frame := canvas.Box(area.X, y, area.W, area.Bottom()-y)
		if frame.H > t.Text && frame.W > t.Text {
			sc.Frame(frame, 1, t.Rule)
			drawNoData(sc, t, frame, "nothing was classified")
		}
		return
	}
	n := float64(len(c.names))
	bar := colorBar{ramp: sequential, axis: newValueAxis(spread{0, 100}, Range{0, 100}, unitOf("percent"), 5, false)}
	frame, ok := squareFrame(sc, t, area, y, c.names, bar.width(t), t.Text*6, t.Text*3)
	if !ok {
		return
	}
	cs := c.countStyle(t, frame)
	for i, row := range c.counts {
		all := 0
		for _, k := range row {
			all += k
		}
		for j, k := range row {
			b := sc.Snapped(canvas.Box(frame.X+frame.W*float64(j)/n, frame.Y+frame.H*float64(i)/n,
				frame.W/n, frame.H/n))
			if k == 0 {
				continue
			}
			fill := bar.ramp.at(bar.axis.frac(100 * float64(k) / float64(all)))
			sc.Fill(b, fill)
			if cs.Size > 0 {
				sc.TextAt(b.X+b.W/2, b.Y+b.H/2+cs.Size*0.35, canvas.Center, cs, inkOn(fill), Grouped(k))
			}
		}
	}
	for i := range c.names {
		at := float64(i) / n
		sc.Hline(frame.X, frame.Right(), frame.Y+frame.H*at, 1, t.Grid)
		sc.Vline(frame.X+frame.W*at, frame.Y, frame.Bottom(), 1, t.Grid)
	}
	sc.Frame(frame, 1, t.Rule)
	squareLabels(sc, t, area, frame, c.names)
	bar.draw(sc, t, frame)
}

// countStyle is the style in which the widest count fits its cell: all are written in it, or none where it could not be
// read. Then the colours alone tell.
func (c *confusion) countStyle(t *canvas.Theme, frame canvas.Rect) canvas.Style {
	n := float64(len(c.names))
	cs := canvas.Regular.Of(min(t.Text, frame.H/n*0.62))
	for _, row := range c.counts {
		for _, k := range row {
			if w := cs.Width(Grouped(k)); w > frame.W/n*0.94 {
				cs.Size *= frame.W / n * 0.94 / w
			}
		}
	}
	if cs.Size < t.Text*0.45 {
		cs.Size = 0
	}
	return cs
}
