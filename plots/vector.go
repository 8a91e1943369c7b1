package plots

import (
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// vectorPainter puts scenes onto a vg canvas whose unit is the point: 0.75 of a logical pixel, whatever the dpi,
// because a page in points has no device pixels. Its origin is at the bottom left.
type vectorPainter struct {
	c      vg.Canvas
	height float64 // of the page, logical pixels
	// text draws one line; the backends differ in what they do about runes that the fonts lack.
	keepRunes bool
}

// pointsPerPixel converts logical pixels to points.
const pointsPerPixel = 0.75

func (v *vectorPainter) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x * pointsPerPixel), Y: vg.Length((v.height - y) * pointsPerPixel)}
}

func (v *vectorPainter) path(pts []point, closed bool) vg.Path {
	p := make(vg.Path, 0, len(pts)+1)
	for i, q := range pts {
		if i == 0 {
			p.Move(v.at(q.x, q.y))
		} else {
			p.Line(v.at(q.x, q.y))
		}
	}
	if closed {
		p.Close()
	}
	return p
}

func (v *vectorPainter) paint(sc *scene) {
	v.height = sc.h
	v.c.SetColor(sc.bg)
	v.c.Fill(v.path(corners(rect{0, 0, sc.w, sc.h}), true))
	for _, o := range sc.ops {
		sc.meter.Add(1)
		switch o := o.(type) {
		case fillOp:
			v.c.SetColor(o.color)
			v.c.Fill(v.path(corners(o.rect), true))
		case polyOp:
			v.c.SetColor(o.color)
			v.c.Fill(v.path(o.pts, true))
		case textOp:
			v.text(o)
		case traceOp:
			v.c.SetColor(o.color)
			v.c.SetLineWidth(vg.Length(o.width * pointsPerPixel))
			for _, p := range o.trace.paths() {
				v.c.Stroke(v.path(p, false))
			}
		case stripOp:
			v.c.SetColor(o.color)
			for _, p := range o.strip.polygons() {
				v.c.Fill(v.path(p, true))
			}
		case imageOp:
			w, h := float64(o.img.Rect.Dx())/sc.scale, float64(o.img.Rect.Dy())/sc.scale
			v.c.DrawImage(vg.Rectangle{Min: v.at(o.x, o.y+h), Max: v.at(o.x+w, o.y)}, o.img)
		}
	}
}

func corners(r rect) []point {
	return []point{{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}}
}

var vectorFonts = [faceCount]font.Font{
	regular: {Typeface: "Liberation", Variant: "Sans"},
	bold:    {Typeface: "Liberation", Variant: "Sans", Weight: xfont.WeightBold},
	mono:    {Typeface: "Liberation", Variant: "Mono"},
}

func (v *vectorPainter) text(o textOp) {
	t := o.style.face.typeface()
	f := font.From(vectorFonts[o.style.face], vg.Length(o.style.size*pointsPerPixel))
	text := o.text
	if !v.keepRunes {
		text = t.drawable(text)
	}
	v.c.SetColor(o.color)
	v.c.FillString(font.Face{Font: f, Face: t.font}, v.at(o.x, o.y), text)
}
