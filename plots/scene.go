package plots

import (
	"image"
	"image/color"
	"math"

	"astrolabe/capture/progress"
)

// rect is a rectangle in logical pixels, its origin at the top left of the page.
type rect struct{ x, y, w, h float64 }

func (r rect) right() float64  { return r.x + r.w }
func (r rect) bottom() float64 { return r.y + r.h }

// overlaps reports whether two rectangles share more than a rounding error.
func (r rect) overlaps(o rect) bool {
	const eps = 0.01
	return r.x+eps < o.right() && o.x+eps < r.right() && r.y+eps < o.bottom() && o.y+eps < r.bottom()
}

// contains reports whether o lies within r.
func (r rect) contains(o rect) bool {
	const eps = 0.01
	return o.x >= r.x-eps && o.y >= r.y-eps && o.right() <= r.right()+eps && o.bottom() <= r.bottom()+eps
}

type point struct{ x, y float64 }

// An op is one thing to paint. Ops are painted in order.
type op interface{ isOp() }

type fillOp struct { // a rectangle, snapped to device pixels
	rect
	color color.NRGBA
}

type polyOp struct { // a filled polygon
	pts   []point
	color color.NRGBA
}

type textOp struct { // one line; x is its left edge, y its baseline
	x, y  float64
	text  string
	style style
	color color.NRGBA
}

type traceOp struct {
	trace *trace
	color color.NRGBA
	width float64
}

type stripOp struct {
	strip *strip
	color color.NRGBA
}

// imageOp is a picture whose pixels are device pixels, its top left corner on a whole one. Only what has no better form
// is an image: the cells of a heat map, and clouds of too many points to be drawn singly.
type imageOp struct {
	x, y float64
	img  *image.NRGBA
}

func (fillOp) isOp()  {}
func (polyOp) isOp()  {}
func (textOp) isOp()  {}
func (traceOp) isOp() {}
func (stripOp) isOp() {}
func (imageOp) isOp() {}

// scene is a laid-out page: everything that will be painted, in logical pixels, and the box of every text.
type scene struct {
	w, h  float64
	scale float64 // device pixels per logical pixel
	bg    color.NRGBA
	ops   []op
	boxes []textBox
	meter *progress.Meter // told of what is painted
}

// textBox is where a text stands; tests check that no two overlap and that none leaves the page.
type textBox struct {
	rect
	text string
}

func newScene(w, h, scale float64, bg color.NRGBA) *scene {
	return &scene{w: w, h: h, scale: scale, bg: bg}
}

func (sc *scene) fill(r rect, c color.NRGBA) {
	if r.w > 0 && r.h > 0 && c.A > 0 {
		sc.ops = append(sc.ops, fillOp{r, c})
	}
}

// strip fills the area between the edges of a strip, trace draws a reduced line, and image puts a picture where a whole device pixel begins.
func (sc *scene) strip(s *strip, c color.NRGBA) { sc.ops = append(sc.ops, stripOp{s, c}) }
func (sc *scene) trace(t *trace, c color.NRGBA, width float64) {
	sc.ops = append(sc.ops, traceOp{t, c, width})
}
func (sc *scene) image(x, y float64, img *image.NRGBA) { sc.ops = append(sc.ops, imageOp{x, y, img}) }

func (sc *scene) poly(c color.NRGBA, pts ...point) {
	sc.ops = append(sc.ops, polyOp{pts, c})
}

// hline and vline draw hairlines that are one logical pixel thick unless told otherwise.
func (sc *scene) hline(x0, x1, y, thick float64, c color.NRGBA) {
	sc.fill(rect{x0, y - thick/2, x1 - x0, thick}, c)
}

func (sc *scene) vline(x, y0, y1, thick float64, c color.NRGBA) {
	sc.fill(rect{x - thick/2, y0, thick, y1 - y0}, c)
}

// dashed draws a horizontal or vertical dashed line.
func (sc *scene) dashed(x0, y0, x1, y1, thick float64, c color.NRGBA) {
	const on, off = 9, 6
	if y0 == y1 {
		for x := x0; x < x1; x += on + off {
			sc.hline(x, math.Min(x+on, x1), y0, thick, c)
		}
		return
	}
	for y := y0; y < y1; y += on + off {
		sc.vline(x0, y, math.Min(y+on, y1), thick, c)
	}
}

// segment draws a straight line in any direction.
func (sc *scene) segment(a, b point, thick float64, c color.NRGBA) {
	dx, dy := b.x-a.x, b.y-a.y
	n := math.Hypot(dx, dy)
	if n == 0 {
		return
	}
	ox, oy := -dy/n*thick/2, dx/n*thick/2
	sc.poly(c, point{a.x + ox, a.y + oy}, point{b.x + ox, b.y + oy}, point{b.x - ox, b.y - oy}, point{a.x - ox, a.y - oy})
}

// frame draws the outline of a rectangle.
func (sc *scene) frame(r rect, thick float64, c color.NRGBA) {
	sc.hline(r.x, r.right(), r.y, thick, c)
	sc.hline(r.x, r.right(), r.bottom(), thick, c)
	sc.vline(r.x, r.y, r.bottom(), thick, c)
	sc.vline(r.right(), r.y, r.bottom(), thick, c)
}

// align says which part of a text stands at its position.
type align uint8

const (
	left align = iota
	center
	right
)

// textAt draws one line with its baseline at y and returns its box.
func (sc *scene) textAt(x, y float64, a align, s style, c color.NRGBA, text string) rect {
	text = printable(text)
	w := s.width(text)
	switch a {
	case center:
		x -= w / 2
	case right:
		x -= w
	}
	box := rect{x, y - s.ascent(), w, s.height()}
	if text == "" {
		return box
	}
	sc.ops = append(sc.ops, textOp{x, y, text, s, c})
	sc.boxes = append(sc.boxes, textBox{box, text})
	return box
}

// textLines draws lines below each other, the top of the first at y, and returns the y below the last.
func (sc *scene) textLines(x, y float64, a align, s style, c color.NRGBA, lines []string) float64 {
	for _, l := range lines {
		sc.textAt(x, y+s.ascent(), a, s, c, l)
		y += s.leading()
	}
	return y
}

// disc approximates a filled circle.
func (sc *scene) disc(x, y, r float64, c color.NRGBA) {
	const n = 24
	pts := make([]point, n)
	for i := range pts {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		pts[i] = point{x + r*cos, y + r*sin}
	}
	sc.poly(c, pts...)
}

// glyph draws the sign of a severity into a square of the given size centred at (x, y): every severity has its own
// shape, so that colour is never needed to tell them apart.
func (sc *scene) glyph(t *Theme, s Severity, x, y, size float64) {
	c, r := t.severity(s), size/2
	bang := func(y0 float64) { // an exclamation mark
		w := size * 0.11
		sc.poly(t.OnAccent, point{x - w, y0 - size*0.27}, point{x + w, y0 - size*0.27},
			point{x + w*0.7, y0 + size*0.08}, point{x - w*0.7, y0 + size*0.08})
		sc.poly(t.OnAccent, point{x - w, y0 + size*0.15}, point{x + w, y0 + size*0.15},
			point{x + w, y0 + size*0.15 + 2*w}, point{x - w, y0 + size*0.15 + 2*w})
	}
	switch s {
	case Critical: // octagon
		pts := make([]point, 8)
		for i := range pts {
			sin, cos := math.Sincos(math.Pi/8 + float64(i)*math.Pi/4)
			pts[i] = point{x + r*1.04*cos, y + r*1.04*sin}
		}
		sc.poly(c, pts...)
		bang(y)
	case Warning: // triangle
		sc.poly(c, point{x, y - r}, point{x + r*1.1, y + r*0.9}, point{x - r*1.1, y + r*0.9})
		bang(y + size*0.14)
	case Good: // disc with a tick
		sc.disc(x, y, r, c)
		k := size * 0.1
		sc.poly(t.OnAccent, point{x - 3*k, y + 0.2*k}, point{x - 2*k, y - 0.8*k}, point{x - 0.7*k, y + 0.6*k},
			point{x + 2.2*k, y - 2.4*k}, point{x + 3.1*k, y - 1.5*k}, point{x - 0.7*k, y + 2.5*k})
	default: // disc with an i
		sc.disc(x, y, r, c)
		w := size * 0.08
		sc.poly(t.OnAccent, point{x - w, y - size*0.1}, point{x + w, y - size*0.1},
			point{x + w, y + size*0.28}, point{x - w, y + size*0.28})
		sc.disc(x, y-size*0.23, w*1.25, t.OnAccent)
	}
}

// marker draws the sign that tells apart series of one colour, centred at (x, y).
func (sc *scene) marker(kind int, x, y, size float64, c, hole color.NRGBA) {
	r := size / 2
	shape := func(r float64, c color.NRGBA) {
		switch (kind - 1) % 4 {
		case 0:
			sc.disc(x, y, r, c)
		case 1:
			r *= 0.88
			sc.poly(c, point{x - r, y - r}, point{x + r, y - r}, point{x + r, y + r}, point{x - r, y + r})
		case 2:
			sc.poly(c, point{x, y - 1.15*r}, point{x + 1.1*r, y + 0.85*r}, point{x - 1.1*r, y + 0.85*r})
		default:
			sc.poly(c, point{x, y - 1.2*r}, point{x + 1.2*r, y}, point{x, y + 1.2*r}, point{x - 1.2*r, y})
		}
	}
	if kind <= 0 {
		return
	}
	shape(r+1.5, hole)
	shape(r, c)
	if (kind-1)/4%2 == 1 {
		shape(r*0.5, hole)
	}
}

// snapped moves a frame onto device pixels, so that columns and borders are whole pixels.
func (sc *scene) snapped(r rect) rect {
	s := sc.scale
	x0, y0 := math.Round(r.x*s)/s, math.Round(r.y*s)/s
	return rect{x0, y0, math.Round(r.right()*s)/s - x0, math.Round(r.bottom()*s)/s - y0}
}

// measure tells a meter of the painting of scenes.
func measure(m *progress.Meter, scenes ...*scene) {
	n := 0
	for _, sc := range scenes {
		sc.meter = m
		n += len(sc.ops)
	}
	m.Begin(int64(n), progress.Shapes)
}
