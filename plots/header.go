package plots

// header is the head of a panel: the title of the whole chart, the bold name of the panel and, beside or below it, a
// muted label with the unit.
type header struct {
	over, title, label []string
	// beside says that the label stands on the last line of what is above it.
	beside bool
}

// maxTitleLines bounds a title; what does not fit shows an ellipsis.
const maxTitleLines = 3

func headerStyles(t *Theme) (over, title, label style) {
	return style{bold, t.Title}, style{bold, t.Text}, style{regular, t.Text}
}

func newHeader(t *Theme, over, title, label string, width float64) header {
	var h header
	os, ts, ls := headerStyles(t)
	if over != "" {
		h.over = os.lines(over, width, maxTitleLines)
	}
	if title != "" {
		h.title = ts.lines(title, width, maxTitleLines)
	}
	if label == "" {
		return h
	}
	label = printable(label)
	last := 0.0
	if n := len(h.title); n > 0 {
		last = ts.width(h.title[n-1])
	} else if n := len(h.over); n > 0 {
		last = os.width(h.over[n-1])
	}
	if last > 0 && last+t.Text*0.8+ls.width(label) <= width {
		h.beside = true
		h.label = []string{label}
		return h
	}
	h.label = ls.lines(label, width, 2)
	return h
}

func (h header) height(t *Theme) float64 {
	os, ts, ls := headerStyles(t)
	y := float64(len(h.over))*os.leading() + float64(len(h.title))*ts.leading()
	if !h.beside {
		y += float64(len(h.label)) * ls.leading()
	}
	return y
}

// draw puts the header at (x, y) and returns the y below it.
func (h header) draw(sc *scene, t *Theme, x, y float64) float64 {
	os, ts, ls := headerStyles(t)
	end, base := x, y
	for _, l := range h.over {
		base = y + os.ascent()
		end = sc.textAt(x, base, left, os, t.Ink, l).right()
		y += os.leading()
	}
	for _, l := range h.title {
		base = y + ts.ascent()
		end = sc.textAt(x, base, left, ts, t.Ink, l).right()
		y += ts.leading()
	}
	if h.beside {
		sc.textAt(end+t.Text*0.8, base, left, ls, t.Muted, h.label[0])
		return y
	}
	return sc.textLines(x, y, left, ls, t.Muted, h.label)
}
