package plots

import (
	"math"
	"strconv"
)

// squareFrame is where the cells of a matrix go whose rows and columns are the same things: right of their names, left of a colour bar. ok is
// false where there is no room. Cells are at most cellW wide and cellH high.
func squareFrame(sc *scene, t *Theme, area rect, y float64, names []string, barW, cellW, cellH float64) (frame rect, ok bool) {
	s, n := style{regular, t.Text}, float64(len(names))
	labelW := 0.0
	for i, name := range names {
		labelW = max(labelW, s.width(printable(name)+"  "+strconv.Itoa(i+1)))
	}
	labelW = min(labelW, area.w*0.4)
	cell := min((area.w-labelW-t.Text*0.5-barW)/n, cellW)
	high := min((area.bottom()-y-s.leading()-tickPad(t))/n, cellH)
	frame = sc.snapped(rect{area.x + labelW + t.Text*0.5, y, cell * n, high * n})
	return frame, frame.w >= 8 && frame.h >= 8
}

// squareLabels names and numbers the rows of such a matrix, and numbers its columns. Where there are too many, those that would cover others are
// left out.
func squareLabels(sc *scene, t *Theme, area, frame rect, names []string) {
	s, n := style{regular, t.Text}, float64(len(names))
	numberW := s.width(strconv.Itoa(len(names))) + t.Text*0.4
	short := s.fitNames(names, frame.x-t.Text*0.4-numberW-area.x)
	lastRow, lastCol := math.Inf(-1), math.Inf(-1)
	for i := range names {
		number := strconv.Itoa(i + 1)
		base := frame.y + frame.h*(float64(i)+0.5)/n + s.size*0.35
		if base-s.ascent() >= lastRow && base-s.ascent() > frame.y-t.Text*0.6 {
			num := sc.textAt(frame.x-t.Text*0.4, base, right, s, t.Muted, number)
			sc.textAt(num.x-t.Text*0.4, base, right, s, t.Ink, s.fit(short[i], num.x-t.Text*0.4-area.x))
			lastRow = num.bottom()
		}
		x := frame.x + frame.w*(float64(i)+0.5)/n
		if x-s.width(number)/2 >= lastCol+t.Text*0.3 {
			lastCol = sc.textAt(x, frame.bottom()+tickPad(t)+s.ascent()-t.Text*0.3, center, s, t.Muted, number).right()
		}
	}
}
