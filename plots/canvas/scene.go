package canvas

import (
	"image"
	"image/color"
	"math"
	"slices"

	"astrolabe/capture/progress"
)

// Rect is a rectangle in logical pixels, its origin at the top left of the page.
type Rect struct{ X, Y, W, H float64 }

func (r Rect) Right() float64  { return r.X + r.W }
func (r Rect) Bottom() float64 { return r.Y + r.H }

// Overlaps reports whether two rectangles share more than a rounding error.
func (r Rect) Overlaps(o Rect) bool {
	const eps = 0.01
	return r.X+eps < o.Right() && o.X+eps < r.Right() && r.Y+eps < o.Bottom() && o.Y+eps < r.Bottom()
}

// Contains reports whether o lies within r.
func (r Rect) Contains(o Rect) bool {
	const eps = 0.01
	return o.X >= r.X-eps && o.Y >= r.Y-eps && o.Right() <= r.Right()+eps && o.Bottom() <= r.Bottom()+eps
}

type Point struct{ X, Y float64 }

// An op is one thing to paint. Ops are painted in order.
type op interface{ isOp() }

type fillOp struct { // a rectangle, snapped to device pixels
	Rect
	color color.NRGBA
}

type PolyOp struct { // a filled polygon
	Pts   []Point
	color color.NRGBA
}

type TextOp struct { // one line; x is its left edge, y its baseline
	x, y  float64
	Text  string
	Style Style
	color color.NRGBA
}

type TraceOp struct {
	Trace *Trace
	color color.NRGBA
	width float64
}

type stripOp struct {
	strip *Strip
	color color.NRGBA
}

// imageOp is a picture whose pixels are device pixels, its top left corner on a whole one. Only what has no better form
// is an image: the cells of a heat map, and clouds of too many points to be drawn singly.
type imageOp struct {
	x, y float64
	img  *image.NRGBA
}

// photoOp is a picture that was made elsewhere, stretched over a rectangle.
type photoOp struct {
	Rect
	img *image.NRGBA
}

func (fillOp) isOp()  {}
func (PolyOp) isOp()  {}
func (TextOp) isOp()  {}
func (TraceOp) isOp() {}
func (stripOp) isOp() {}
func (imageOp) isOp() {}
func (photoOp) isOp() {}

// Scene is a laid-out page: everything that will be painted, in logical pixels, and the box of every text.
type Scene struct {
	W, H  float64
	Scale float64 // device pixels per logical pixel
	Bg    color.NRGBA
	Ops   []op
	Boxes []TextBox
	meter *progress.Meter // told of what is painted

	glyphs *glyphCache // of the document that the scene is a page of; nil where it has its own
}

// TextBox is where a text stands; tests check that no two overlap and that none leaves the page.
type TextBox struct {
	Rect
	Text string
}

func NewScene(w, h, scale float64, bg color.NRGBA) *Scene {
	return &Scene{W: w, H: h, Scale: scale, Bg: bg}
}

// Part is a scene of the same page with nothing on it yet. Parts may be drawn at the same time, each by one goroutine.
func (sc *Scene) Part() *Scene { return NewScene(sc.W, sc.H, sc.Scale, sc.Bg) }

// Join puts what is on parts of the page over what is on it, in their order.
func (sc *Scene) Join(parts ...*Scene) {
	ops, boxes := 0, 0
	for _, p := range parts {
		ops, boxes = ops+len(p.Ops), boxes+len(p.Boxes)
	}
	sc.Ops, sc.Boxes = slices.Grow(sc.Ops, ops), slices.Grow(sc.Boxes, boxes)
	for _, p := range parts {
		sc.Ops, sc.Boxes = append(sc.Ops, p.Ops...), append(sc.Boxes, p.Boxes...)
	}
}

func (sc *Scene) Fill(r Rect, c color.NRGBA) {
	if r.W > 0 && r.H > 0 && c.A > 0 {
		sc.Ops = append(sc.Ops, fillOp{r, c})
	}
}

// Strip fills the area between the edges of a strip, trace draws a reduced line, and image puts a picture where a whole
// device pixel begins.
func (sc *Scene) Strip(s *Strip, c color.NRGBA) { sc.Ops = append(sc.Ops, stripOp{s, c}) }
func (sc *Scene) Trace(t *Trace, c color.NRGBA, width float64) {
	sc.Ops = append(sc.Ops, TraceOp{t, c, width})
}
func (sc *Scene) Image(x, y float64, img *image.NRGBA) { sc.Ops = append(sc.Ops, imageOp{x, y, img}) }

// Photo draws an opaque picture that was made elsewhere over a rectangle.
func (sc *Scene) Photo(r Rect, img *image.NRGBA) {
	if r.W > 0 && r.H > 0 && !img.Rect.Empty() {
		sc.Ops = append(sc.Ops, photoOp{r, img})
	}
}

func (sc *Scene) Poly(c color.NRGBA, pts ...Point) {
	sc.Ops = append(sc.Ops, PolyOp{pts, c})
}

// Hline and vline draw hairlines that are one logical pixel thick unless told otherwise.
func (sc *Scene) Hline(x0, x1, y, thick float64, c color.NRGBA) {
	sc.Fill(Rect{x0, y - thick/2, x1 - x0, thick}, c)
}

func (sc *Scene) Vline(x, y0, y1, thick float64, c color.NRGBA) {
	sc.Fill(Rect{x - thick/2, y0, thick, y1 - y0}, c)
}

// Dashed draws a horizontal or vertical dashed line.
func (sc *Scene) Dashed(x0, y0, x1, y1, thick float64, c color.NRGBA) {
	const on, off = 9, 6
	if y0 == y1 {
		for x := x0; x < x1; x += on + off {
			sc.Hline(x, math.Min(x+on, x1), y0, thick, c)
		}
		return
	}
	for y := y0; y < y1; y += on + off {
		sc.Vline(x0, y, math.Min(y+on, y1), thick, c)
	}
}

// Segment draws a straight line in any direction.
func (sc *Scene) Segment(a, b Point, thick float64, c color.NRGBA) {
	dx, dy := b.X-a.X, b.Y-a.Y
	n := math.Hypot(dx, dy)
	if n == 0 {
		return
	}
	ox, oy := -dy/n*thick/2, dx/n*thick/2
	sc.Poly(c, Point{a.X + ox, a.Y + oy}, Point{b.X + ox, b.Y + oy}, Point{b.X - ox, b.Y - oy},
		Point{a.X - ox, a.Y - oy})
}

// Frame draws the outline of a rectangle.
func (sc *Scene) Frame(r Rect, thick float64, c color.NRGBA) {
	sc.Hline(r.X, r.Right(), r.Y, thick, c)
	sc.Hline(r.X, r.Right(), r.Bottom(), thick, c)
	sc.Vline(r.X, r.Y, r.Bottom(), thick, c)
	sc.Vline(r.Right(), r.Y, r.Bottom(), thick, c)
}

// align says which part of a text stands at its position.
type align uint8

const (
	Left align = iota
	Center
	Right
)

// TextAt draws one line with its baseline at y and returns its box.
func (sc *Scene) TextAt(x, y float64, a align, s Style, c color.NRGBA, text string) Rect {
	text = Printable(text)
	w := s.Width(text)
	switch a {
	case Center:
		x -= w / 2
	case Right:
		x -= w
	}
	box := Rect{x, y - s.Ascent(), w, s.Height()}
	if text == "" {
		return box
	}
	sc.Ops = append(sc.Ops, TextOp{x, y, text, s, c})
	sc.Boxes = append(sc.Boxes, TextBox{box, text})
	return box
}

// TextLines draws lines below each other, the top of the first at y, and returns the y below the last.
func (sc *Scene) TextLines(x, y float64, a align, s Style, c color.NRGBA, lines []string) float64 {
	for _, l := range lines {
		sc.TextAt(x, y+s.Ascent(), a, s, c, l)
		y += s.Leading()
	}
	return y
}

// Disc approximates a filled circle.
func (sc *Scene) Disc(x, y, r float64, c color.NRGBA) {
	const n = 24
	pts := make([]Point, n)
	for i := range pts {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		pts[i] = Point{x + r*cos, y + r*sin}
	}
	sc.Poly(c, pts...)
}

// Glyph draws the sign of a severity into a square of the given size centred at (x, y): every severity has its own
// shape, so that colour is never needed to tell them apart.
func (sc *Scene) Glyph(t *Theme, s Severity, x, y, size float64) {
	c, r := t.Severity(s), size/2
	bang := func(y0 float64) { // an exclamation mark
		w := size * 0.11
		sc.Poly(t.OnAccent, Point{x - w, y0 - size*0.27}, Point{x + w, y0 - size*0.27},
			Point{x + w*0.7, y0 + size*0.08}, Point{x - w*0.7, y0 + size*0.08})
		sc.Poly(t.OnAccent, Point{x - w, y0 + size*0.15}, Point{x + w, y0 + size*0.15},
			Point{x + w, y0 + size*0.15 + 2*w}, Point{x - w, y0 + size*0.15 + 2*w})
	}
	switch s {
	case Critical: // octagon
		pts := make([]Point, 8)
		for i := range pts {
			sin, cos := math.Sincos(math.Pi/8 + float64(i)*math.Pi/4)
			pts[i] = Point{x + r*1.04*cos, y + r*1.04*sin}
		}
		sc.Poly(c, pts...)
		bang(y)
	case Warning: // triangle
		sc.Poly(c, Point{x, y - r}, Point{x + r*1.1, y + r*0.9}, Point{x - r*1.1, y + r*0.9})
		bang(y + size*0.14)
	case Good: // disc with a tick
		sc.Disc(x, y, r, c)
		k := size * 0.1
		sc.Poly(t.OnAccent, Point{x - 3*k, y + 0.2*k}, Point{x - 2*k, y - 0.8*k}, Point{x - 0.7*k, y + 0.6*k},
			Point{x + 2.2*k, y - 2.4*k}, Point{x + 3.1*k, y - 1.5*k}, Point{x - 0.7*k, y + 2.5*k})
	default: // disc with an i
		sc.Disc(x, y, r, c)
		w := size * 0.08
		sc.Poly(t.OnAccent, Point{x - w, y - size*0.1}, Point{x + w, y - size*0.1},
			Point{x + w, y + size*0.28}, Point{x - w, y + size*0.28})
		sc.Disc(x, y-size*0.23, w*1.25, t.OnAccent)
	}
}

// Marker draws the sign that tells apart series of one colour, centred at (x, y).
func (sc *Scene) Marker(kind int, x, y, size float64, c, hole color.NRGBA) {
	r := size / 2
	shape := func(r float64, c color.NRGBA) {
		switch (kind - 1) % 4 {
		case 0:
			sc.Disc(x, y, r, c)
		case 1:
			r *= 0.88
			sc.Poly(c, Point{x - r, y - r}, Point{x + r, y - r}, Point{x + r, y + r}, Point{x - r, y + r})
		case 2:
			sc.Poly(c, Point{x, y - 1.15*r}, Point{x + 1.1*r, y + 0.85*r}, Point{x - 1.1*r, y + 0.85*r})
		default:
			sc.Poly(c, Point{x, y - 1.2*r}, Point{x + 1.2*r, y}, Point{x, y + 1.2*r}, Point{x - 1.2*r, y})
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

// Snapped moves a frame onto device pixels, so that columns and borders are whole pixels.
func (sc *Scene) Snapped(r Rect) Rect {
	s := sc.Scale
	x0, y0 := math.Round(r.X*s)/s, math.Round(r.Y*s)/s
	return Rect{x0, y0, math.Round(r.Right()*s)/s - x0, math.Round(r.Bottom()*s)/s - y0}
}

// Measure tells a meter of the painting of scenes.
func Measure(m *progress.Meter, scenes ...*Scene) {
	n := 0
	for _, sc := range scenes {
		sc.meter = m
		n += len(sc.Ops)
	}
	m.Begin(int64(n), progress.Shapes)
}

// Box is the rectangle with the top left corner (x, y).
func Box(x, y, w, h float64) Rect { return Rect{x, y, w, h} }

// At is the point (x, y).
func At(x, y float64) Point { return Point{x, y} }
