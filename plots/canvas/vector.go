package canvas

import (
	"fmt"
	"image"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"astrolabe/plots/typeset"
)

// vectorPainter puts scenes onto a vg canvas whose unit is the point: 0.75 of a logical pixel, whatever the dpi,
// because a page in points has no device pixels. Its origin is at the bottom left.
type vectorPainter struct {
	c      vg.Canvas
	height float64        // of the page, logical pixels
	texts  []vectorText   // in the order in which they were drawn
	photos []*image.NRGBA // likewise
	glyphs svgGlyphs
}

// pointsPerPixel converts logical pixels to points.
const pointsPerPixel = 0.75

func (v *vectorPainter) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x * pointsPerPixel), Y: vg.Length((v.height - y) * pointsPerPixel)}
}

func (v *vectorPainter) path(pts []Point, closed bool) vg.Path {
	p := make(vg.Path, 0, len(pts)+1)
	for i, q := range pts {
		if i == 0 {
			p.Move(v.at(q.X, q.Y))
		} else {
			p.Line(v.at(q.X, q.Y))
		}
	}
	if closed {
		p.Close()
	}
	return p
}

func (v *vectorPainter) paint(sc *Scene) {
	v.height = sc.H
	v.c.SetColor(sc.Bg)
	v.c.Fill(v.path(corners(Rect{0, 0, sc.W, sc.H}), true))
	for _, o := range sc.Ops {
		sc.meter.Add(1)
		switch o := o.(type) {
		case fillOp:
			v.c.SetColor(o.color)
			v.c.Fill(v.path(corners(o.Rect), true))
		case PolyOp:
			v.c.SetColor(o.color)
			v.c.Fill(v.path(o.Pts, true))
		case TextOp:
			v.text(o)
		case TraceOp:
			v.c.SetColor(o.color)
			v.c.SetLineWidth(vg.Length(o.width * pointsPerPixel))
			for _, p := range o.Trace.Paths() {
				v.c.Stroke(v.path(p, false))
			}
		case stripOp:
			v.c.SetColor(o.color)
			for _, p := range o.strip.polygons() {
				v.c.Fill(v.path(p, true))
			}
		case imageOp:
			w, h := float64(o.img.Rect.Dx())/sc.Scale, float64(o.img.Rect.Dy())/sc.Scale
			v.c.DrawImage(vg.Rectangle{Min: v.at(o.x, o.y+h), Max: v.at(o.x+w, o.y)}, o.img)
		case photoOp:
			v.photo(o)
		}
	}
}

func corners(r Rect) []Point {
	return []Point{{r.X, r.Y}, {r.Right(), r.Y}, {r.Right(), r.Bottom()}, {r.X, r.Bottom()}}
}

var vectorFonts = [faceCount]font.Font{
	Regular: {Typeface: "Liberation", Variant: "Sans"},
	Bold:    {Typeface: "Liberation", Variant: "Sans", Weight: xfont.WeightBold},
	Mono:    {Typeface: "Liberation", Variant: "Mono"},
}

func (v *vectorPainter) text(o TextOp) {
	v.c.SetColor(o.color)
	if o.Style.Face.plain(o.Text) {
		v.string(o, o.Style.Face, o.x, o.Style.Width(o.Text), o.Text)
		return
	}
	for _, run := range SetLine(o.Style.Face, o.Text).Runs {
		if run.Font == nil {
			v.string(o, Face(run.Own), o.x+run.X*o.Style.Size, run.Width*o.Style.Size, run.Text)
			continue
		}
		v.shaped(o, run)
	}
}

// vectorText is what an SVG needs to know of a text beside where it stands.
type vectorText struct {
	width  float64 // in logical pixels
	hidden bool
	shapes string // markup that goes before a hidden one
}

func (v *vectorPainter) font(o TextOp, f Face) font.Face {
	return font.Face{Font: font.From(vectorFonts[f], vg.Length(o.Style.Size*pointsPerPixel)), Face: f.typeface().font}
}

// string draws text in a typeface of ours as text.
func (v *vectorPainter) string(o TextOp, f Face, x, width float64, text string) {
	v.texts = append(v.texts, vectorText{width: width})
	v.c.FillString(v.font(o, f), v.at(x, o.y), text)
}

// glyphCanvas is a canvas that draws shaped glyphs, and lays text over them without showing it.
type glyphCanvas interface {
	glyph(at vg.Point, size vg.Length, outline []typeset.Segment)
	hide(f font.Face, at vg.Point, width vg.Length, text string, rtl bool)
}

// shaped draws a run in a font of the system as shapes, so that a reader without the font sees the same, with the text
// unseen over them, so that it can be searched and copied.
func (v *vectorPainter) shaped(o TextOp, run typeset.Run) {
	size := o.Style.Size * pointsPerPixel
	x, w := o.x+run.X*o.Style.Size, run.Width*o.Style.Size
	f := v.font(o, o.Style.Face)
	place := func(g typeset.Glyph) vg.Point {
		p := v.at(o.x, o.y)
		return vg.Point{X: p.X + vg.Length(g.X*size), Y: p.Y + vg.Length(g.Y*size)}
	}
	if c, ok := v.c.(glyphCanvas); ok {
		for _, g := range run.Glyphs {
			if len(g.Outline) > 0 {
				c.glyph(place(g), vg.Length(size), g.Outline)
			}
		}
		c.hide(f, v.at(x, o.y), vg.Length(w*pointsPerPixel), run.Text, run.RTL)
		return
	}
	var shapes strings.Builder
	fmt.Fprintf(&shapes, `<g fill="#%02x%02x%02x" fill-opacity="%.3g" stroke="none">`, o.color.R, o.color.G, o.color.B,
		float64(o.color.A)/255)
	for _, g := range run.Glyphs {
		if len(g.Outline) > 0 {
			p := place(g)
			fmt.Fprintf(&shapes, `<use xlink:href="#%s" transform="translate(%.2f %.2f) scale(%.5f)"/>`,
				v.glyphs.add(g.Outline), p.X.Points(), p.Y.Points(), size/glyphUnits)
		}
	}
	shapes.WriteString("</g>\n")
	v.texts = append(v.texts, vectorText{w, true, shapes.String()})
	v.c.FillString(f, v.at(x, o.y), run.Text)
}
