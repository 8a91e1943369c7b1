package charts

import (
	"fmt"
	"image/color"
	"math"

	"astrolabe/plots/canvas"
)

// key is one entry of a legend.
type key struct {
	name   string
	color  color.NRGBA
	marker int
	area   bool // a filled swatch instead of a line
	dot    bool // only the marker
	absent bool // the series has nothing to draw
}

// legend is a laid-out list of keys. It stands outside the data: to the right of a frame, or in rows above or
// below it.
type legend struct {
	keys   []key
	lines  [][]string // of each name
	cols   int
	colW   float64
	rows   []float64 // height of each
	hidden int       // keys that did not fit; a line says so
}

func swatchWidth(t *canvas.Theme) float64 { return t.Text * 1.9 }

// legendRight lays keys out as one column at most width wide; ok is false where that is not enough for whole names.
func legendRight(t *canvas.Theme, keys []key, width, height float64) (l legend, ok bool) {
	s := canvas.Regular.Of(t.Text)
	l = legend{keys: keys, cols: 1}
	total := 0.0
	for _, k := range keys {
		lines := s.Wrap(k.name, width-swatchWidth(t))
		l.lines = append(l.lines, lines)
		for _, line := range lines {
			l.colW = max(l.colW, s.Width(line)+swatchWidth(t))
		}
		h := keyHeight(t, len(lines))
		l.rows = append(l.rows, h)
		total += h
		if len(lines) > 3 {
			return l, false
		}
	}
	return l, total <= height
}

func keyHeight(t *canvas.Theme, lines int) float64 {
	return float64(lines)*canvas.Regular.Of(t.Text).Size*1.2 + t.Text*0.18
}

// legendRows lays keys out in as many columns as the width holds. Names are wrapped; if that takes more than
// maxHeight (0 is no limit) they are shortened in the middle, and keys that still find no place are counted.
func legendRows(t *canvas.Theme, keys []key, width, maxHeight float64) legend {
	s := canvas.Regular.Of(t.Text)
	gap := t.Text * 1.2
	widest := 0.0
	for _, k := range keys {
		widest = max(widest, s.Width(canvas.Printable(k.name))+swatchWidth(t))
	}
	lay := func(nameLines int, least float64) legend {
		l := legend{keys: keys}
		cell := min(widest, max(least, width*0.48))
		l.cols = max(1, min(int((width+gap)/(cell+gap)), len(keys)))
		l.colW = (width - gap*float64(l.cols-1)) / float64(l.cols)
		if cell < l.colW {
			l.colW = cell
		}
		names := make([]string, len(keys))
		for i, k := range keys {
			names[i] = k.name
		}
		for i, lines := range s.NameLines(names, l.colW-swatchWidth(t), canvas.LinesEach(len(keys), nameLines)) {
			l.lines = append(l.lines, lines)
			if row := i / l.cols; row == len(l.rows) {
				l.rows = append(l.rows, keyHeight(t, len(lines)))
			} else {
				l.rows[row] = max(l.rows[row], keyHeight(t, len(lines)))
			}
		}
		return l
	}
	l := lay(6, 0)
	if maxHeight <= 0 || l.height() <= maxHeight {
		return l
	}
	l = lay(1, 0)
	for cols := l.cols + 1; l.height() > maxHeight && cols <= 6; cols++ {
		widest = (width - gap*float64(cols-1)) / float64(cols)
		if widest < swatchWidth(t)+t.Text*3 {
			break // of a name in a narrower column nothing but an ellipsis is left
		}
		l = lay(1, 0)
	}
	for len(l.rows) > 0 && l.height() > maxHeight {
		l.rows = l.rows[:len(l.rows)-1]
		l.hidden = len(keys) - len(l.rows)*l.cols
		if l.height()+keyHeight(t, 1) <= maxHeight {
			break
		}
	}
	return l
}

// height is the space that the legend takes.
func (l legend) height() float64 {
	h := 0.0
	for _, r := range l.rows {
		h += r
	}
	return h
}

// heightWithNote adds the line that counts hidden keys.
func (l legend) heightWithNote(t *canvas.Theme) float64 {
	if l.hidden > 0 {
		return l.height() + keyHeight(t, 1)
	}
	return l.height()
}

func (l legend) draw(sc *canvas.Scene, t *canvas.Theme, x, y float64) {
	s := canvas.Regular.Of(t.Text)
	gap := t.Text * 1.2
	for i, k := range l.keys {
		row := i / l.cols
		if row >= len(l.rows) {
			break
		}
		kx, ky := x+float64(i%l.cols)*(l.colW+gap), y
		for _, h := range l.rows[:row] {
			ky += h
		}
		drawSwatch(sc, t, k, kx, ky+s.Size*0.62)
		ink := t.Ink
		if k.absent {
			ink = t.Muted
		}
		ty := ky
		for _, line := range l.lines[i] {
			sc.TextAt(kx+swatchWidth(t), ty+s.Ascent(), canvas.Left, s, ink, line)
			ty += s.Size * 1.2
		}
	}
	if l.hidden > 0 {
		note := fmt.Sprintf("and %d more, whose names do not fit at this size", l.hidden)
		sc.TextAt(x, y+l.height()+s.Ascent(), canvas.Left, s, t.Muted,
			s.Fit(note, l.colW*float64(l.cols)+gap*float64(l.cols-1)))
	}
}

func drawSwatch(sc *canvas.Scene, t *canvas.Theme, k key, x, y float64) {
	w := t.Text * 1.4
	switch {
	case k.absent:
		sc.Dashed(x, y, x+w, y, 2, t.Rule)
	case k.dot:
		sc.Marker(k.marker, x+w/2, y, markerSize(t)*1.2, k.color, t.Page)
	case k.area:
		side := t.Text * 0.8
		sc.Fill(canvas.Box(x+(w-side)/2, y-side/2, side, side), k.color)
		sc.Marker(k.marker, x+w/2, y, t.Text*0.4, t.Page, k.color)
	default:
		sc.Hline(x, x+w, y, math.Max(3, t.Line), k.color)
		sc.Marker(k.marker, x+w/2, y, markerSize(t), k.color, t.Page)
	}
}

func markerSize(t *canvas.Theme) float64 { return t.Text * 0.55 }
