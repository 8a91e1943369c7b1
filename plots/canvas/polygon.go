package canvas

import (
	"image/color"
	"math"

	"github.com/golang/freetype/raster"
	"golang.org/x/image/math/fixed"
)

// filler turns polygons into spans of pixels.
type filler struct {
	raster *raster.Rasterizer // made when the first polygon comes
}

// polygon is a polygon as spans.
type polygon struct {
	spans []raster.Span
	color color.NRGBA
}

// polygon fills a polygon of a page of a size in device pixels; what winds around a pixel counts, in either direction.
func (f *filler) polygon(o PolyOp, scale float64, w, h int) polygon {
	out := polygon{color: o.color}
	if len(o.Pts) < 3 {
		return out
	}
	if f.raster == nil {
		f.raster = raster.NewRasterizer(w, h)
		f.raster.UseNonZeroWinding = true
	}
	f.raster.Clear()
	at := func(p Point) fixed.Point26_6 {
		return fixed.Point26_6{X: sixtyfourths(p.X * scale), Y: sixtyfourths(p.Y * scale)}
	}
	f.raster.Start(at(o.Pts[0]))
	for _, p := range o.Pts[1:] {
		f.raster.Add1(at(p))
	}
	f.raster.Add1(at(o.Pts[0]))
	f.raster.Rasterize(raster.PainterFunc(func(spans []raster.Span, _ bool) {
		out.spans = append(out.spans, spans...)
	}))
	// The last one only says that it is the last.
	for len(out.spans) > 0 && out.spans[len(out.spans)-1].Alpha == 0 {
		out.spans = out.spans[:len(out.spans)-1]
	}
	return out
}

func sixtyfourths(v float64) fixed.Int26_6 { return fixed.Int26_6(math.Round(v * 64)) }

func (p polygon) rows(float64) (from, to int) {
	if len(p.spans) == 0 {
		return 0, 0
	}
	return p.spans[0].Y, p.spans[len(p.spans)-1].Y + 1
}

func (p polygon) paint(b *band) {
	painter := raster.NewRGBAPainter(b.img) // it keeps to the bounds of the band
	painter.SetColor(p.color)
	painter.Paint(p.spans, true)
}
