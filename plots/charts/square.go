package charts

import (
	"math"
	"strconv"

	"astrolabe/plots/canvas"
)

// squareFrame is where the cells of a matrix go whose rows and columns are the same things: right of their names, left
// of a colour bar. ok is false where there is no room. Cells are at most cellW wide and cellH high.
func squareFrame(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect, y float64, names []string,
	barW, cellW, cellH float64) (frame canvas.Rect, ok bool) {
	s, n := canvas.Regular.Of(t.Text), float64(len(names))
	labelW := 0.0
	for i, name := range names {
		labelW = max(labelW, s.Width(canvas.Printable(name)+"  "+strconv.Itoa(i+1)))
	}
	labelW = min(labelW, area.W*0.4)
	cell := min((area.W-labelW-t.Text*0.5-barW)/n, cellW)
	high := min((area.Bottom()-y-s.Leading()-tickPad(t))/n, cellH)
	frame = sc.Snapped(canvas.Box(area.X+labelW+t.Text*0.5, y, cell*n, high*n))
	return frame, frame.W >= 8 && frame.H >= 8
}

// squareLabels names and numbers the rows of such a matrix, and numbers its columns. Where there are too many, those
// that would cover others are left out.
func squareLabels(sc *canvas.Scene, t *canvas.Theme, area, frame canvas.Rect, names []string) {
	s, n := canvas.Regular.Of(t.Text), float64(len(names))
	numberW := s.Width(strconv.Itoa(len(names))) + t.Text*0.4
	short := s.FitNames(names, frame.X-t.Text*0.4-numberW-area.X)
	lastRow, lastCol := math.Inf(-1), math.Inf(-1)
	for i := range names {
		number := strconv.Itoa(i + 1)
		base := frame.Y + frame.H*(float64(i)+0.5)/n + s.Size*0.35
		if base-s.Ascent() >= lastRow && base-s.Ascent() > frame.Y-t.Text*0.6 {
			num := sc.TextAt(frame.X-t.Text*0.4, base, canvas.Right, s, t.Muted, number)
			sc.TextAt(num.X-t.Text*0.4, base, canvas.Right, s, t.Ink, s.Fit(short[i], num.X-t.Text*0.4-area.X))
			lastRow = num.Bottom()
		}
		x := frame.X + frame.W*(float64(i)+0.5)/n
		if x-s.Width(number)/2 >= lastCol+t.Text*0.3 {
			lastCol = sc.TextAt(x, frame.Bottom()+tickPad(t)+s.Ascent()-t.Text*0.3, canvas.Center, s,
				t.Muted, number).Right()
		}
	}
}
