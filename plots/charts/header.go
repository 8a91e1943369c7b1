package charts

import "astrolabe/plots/canvas"

// header is the head of a panel: the title of the whole chart, the bold name of the panel and, beside or below it, a
// muted label with the unit.
type header struct {
	over, title, label []string
	// beside says that the label stands on the last line of what is above it.
	beside bool
}

// MaxTitleLines bounds a title; what does not fit shows an ellipsis.
const MaxTitleLines = 3

func headerStyles(t *canvas.Theme) (over, title, label canvas.Style) {
	return canvas.Bold.Of(t.Title), canvas.Bold.Of(t.Text), canvas.Regular.Of(t.Text)
}

func newHeader(t *canvas.Theme, over, title, label string, width float64) header {
	var h header
	os, ts, ls := headerStyles(t)
	if over != "" {
		h.over = os.Lines(over, width, MaxTitleLines)
	}
	if title != "" {
		h.title = ts.Lines(title, width, MaxTitleLines)
	}
	if label == "" {
		return h
	}
	label = canvas.Printable(label)
	last := 0.0
	if n := len(h.title); n > 0 {
		last = ts.Width(h.title[n-1])
	} else if n := len(h.over); n > 0 {
		last = os.Width(h.over[n-1])
	}
	if last > 0 && last+t.Text*0.8+ls.Width(label) <= width {
		h.beside = true
		h.label = []string{label}
		return h
	}
	h.label = ls.Lines(label, width, 2)
	return h
}

func (h header) height(t *canvas.Theme) float64 {
	os, ts, ls := headerStyles(t)
	y := float64(len(h.over))*os.Leading() + float64(len(h.title))*ts.Leading()
	if !h.beside {
		y += float64(len(h.label)) * ls.Leading()
	}
	return y
}

// DrawHeading draws a name in bold and a muted note at the top of an area, and returns the y below them.
func DrawHeading(sc *canvas.Scene, t *canvas.Theme, name, note string, at canvas.Rect) float64 {
	return newHeader(t, "", name, note, at.W).draw(sc, t, at.X, at.Y)
}

// draw puts the header at (x, y) and returns the y below it.
func (h header) draw(sc *canvas.Scene, t *canvas.Theme, x, y float64) float64 {
	os, ts, ls := headerStyles(t)
	end, base := x, y
	for _, l := range h.over {
		base = y + os.Ascent()
		end = sc.TextAt(x, base, canvas.Left, os, t.Ink, l).Right()
		y += os.Leading()
	}
	for _, l := range h.title {
		base = y + ts.Ascent()
		end = sc.TextAt(x, base, canvas.Left, ts, t.Ink, l).Right()
		y += ts.Leading()
	}
	if h.beside {
		sc.TextAt(end+t.Text*0.8, base, canvas.Left, ls, t.Muted, h.label[0])
		return y
	}
	return sc.TextLines(x, y, canvas.Left, ls, t.Muted, h.label)
}
