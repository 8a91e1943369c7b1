package plots

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ConfusionOptions describe a confusion matrix.
type ConfusionOptions struct {
	Title string
	Label string // below the title, such as "95 of 96 named first"
}

// Confusion draws how often each class (a row) was taken for which (a column). Rows and columns have the same classes in the same order;
// counts[i][j] of class i were taken for class j. A row's colours are its shares.
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
	return &Plot{Title: o.Title, Kind: "confusion", body: c}, nil
}

type confusion struct {
	o      ConfusionOptions
	names  []string
	counts [][]int
	any    bool
}

func (c *confusion) prefer(t *Theme, _ float64) float64 {
	return t.Text*7 + float64(max(len(c.names), 4))*t.Text*1.7
}

func (c *confusion) draw(sc *scene, t *Theme, area rect) {
	s := style{regular, t.Text}
	y := newHeader(t, c.o.Title, "", c.o.Label, area.w).draw(sc, t, area.x, area.y) + topPad(t)
	if !c.any {
		frame := rect{area.x, y, area.w, area.bottom() - y}
		if frame.h > t.Text && frame.w > t.Text {
			sc.frame(frame, 1, t.Rule)
			drawNoData(sc, t, frame, "nothing was classified")
		}
		return
	}
	n := float64(len(c.names))
	bar := colorBar{ramp: sequential, axis: newValueAxis(spread{0, 100}, Range{0, 100}, unitOf("percent"), 5, false)}
	number := func(i int) string { return strconv.Itoa(i + 1) }
	labelW := 0.0
	for i, name := range c.names {
		labelW = max(labelW, s.width(printable(name)+"  "+number(i)))
	}
	labelW = min(labelW, area.w*0.4)
	cell := min((area.w-labelW-t.Text*0.5-bar.width(t))/n, t.Text*6)
	high := min((area.bottom()-y-s.leading()-tickPad(t))/n, t.Text*3)
	frame := sc.snapped(rect{area.x + labelW + t.Text*0.5, y, cell * n, high * n})
	if frame.w < 8 || frame.h < 8 {
		return
	}
	cs := style{regular, min(t.Text, high*0.62)}
	for i, row := range c.counts {
		all := 0
		for _, k := range row {
			all += k
		}
		for j, k := range row {
			b := sc.snapped(rect{frame.x + frame.w*float64(j)/n, frame.y + frame.h*float64(i)/n, frame.w / n, frame.h / n})
			if k == 0 {
				continue
			}
			fill := bar.ramp.at(bar.axis.frac(100 * float64(k) / float64(all)))
			sc.fill(b, fill)
			if text := grouped(k); cs.width(text) <= b.w*0.94 {
				sc.textAt(b.x+b.w/2, b.y+b.h/2+cs.size*0.35, center, cs, inkOn(fill), text)
			}
		}
	}
	for i := range c.names {
		at := float64(i) / n
		sc.hline(frame.x, frame.right(), frame.y+frame.h*at, 1, t.Grid)
		sc.vline(frame.x+frame.w*at, frame.y, frame.bottom(), 1, t.Grid)
	}
	sc.frame(frame, 1, t.Rule)
	c.drawLabels(sc, t, area, frame, number)
	bar.draw(sc, t, frame)
}

// drawLabels names and numbers the rows, and numbers the columns.
func (c *confusion) drawLabels(sc *scene, t *Theme, area, frame rect, number func(int) string) {
	s, n := style{regular, t.Text}, float64(len(c.names))
	lastRow, lastCol := math.Inf(-1), math.Inf(-1)
	for i, name := range c.names {
		base := frame.y + frame.h*(float64(i)+0.5)/n + s.size*0.35
		if base-s.ascent() >= lastRow && base-s.ascent() > frame.y-t.Text*0.6 {
			num := sc.textAt(frame.x-t.Text*0.4, base, right, s, t.Muted, number(i))
			sc.textAt(num.x-t.Text*0.4, base, right, s, t.Ink, s.fit(name, num.x-t.Text*0.4-area.x))
			lastRow = num.bottom()
		}
		x := frame.x + frame.w*(float64(i)+0.5)/n
		if x-s.width(number(i))/2 >= lastCol+t.Text*0.3 {
			lastCol = sc.textAt(x, frame.bottom()+tickPad(t)+s.ascent()-t.Text*0.3, center, s, t.Muted, number(i)).right()
		}
	}
}
