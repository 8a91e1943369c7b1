package canvas

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// raster paints scenes onto an image. Rectangles, texts and traces go straight to the pixels, because a general path
// rasteriser is quadratic in long dense paths; polygons go through vgimg.
type raster struct {
	canvas *vgimg.Canvas
	img    *image.RGBA
	scale  float64
	glyphs *glyphCache
	mask   []uint8 // coverage of the trace at work
}

// Paint returns the scene as an opaque image.
func (sc *Scene) Paint() *image.RGBA {
	w, h := deviceSize(sc)
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(w)*vg.Inch/72, vg.Length(h)*vg.Inch/72), vgimg.UseDPI(72),
		vgimg.UseBackgroundColor(sc.Bg))
	r := &raster{canvas: c, img: c.Image().(*image.RGBA), scale: sc.Scale, glyphs: newGlyphCache()}
	for _, o := range sc.Ops {
		sc.meter.Add(1)
		switch o := o.(type) {
		case fillOp:
			r.rect(o.Rect, o.color)
		case PolyOp:
			r.polygon(o.Pts, o.color)
		case TextOp:
			r.text(o)
		case TraceOp:
			r.trace(o)
		case stripOp:
			r.strip(o)
		case imageOp:
			r.image(o)
		}
	}
	return r.img
}

func deviceSize(sc *Scene) (w, h int) {
	return max(1, int(math.Round(sc.W*sc.Scale))), max(1, int(math.Round(sc.H*sc.Scale)))
}

// rect fills whole device pixels: edges stay crisp, and nothing vanishes by being thin.
func (r *raster) rect(b Rect, c color.NRGBA) {
	x0, x1 := snap(b.X*r.scale, b.W*r.scale)
	y0, y1 := snap(b.Y*r.scale, b.H*r.scale)
	area := image.Rect(x0, y0, x1, y1).Intersect(r.img.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := r.img.Pix[r.img.PixOffset(area.Min.X, y):r.img.PixOffset(area.Max.X, y)]
		for i := 0; i < len(row); i += 4 {
			blend(row[i:i+4:i+4], c, 0xff)
		}
	}
}

func snap(at, length float64) (from, to int) {
	from = int(math.Round(at))
	return from, max(from+1, int(math.Round(at+length)))
}

// blend puts a colour over an opaque pixel. Coverage is kept to 16 levels: no eye can tell, and the picture then has
// few enough colours for a palette.
func blend(px []uint8, c color.NRGBA, cover uint8) {
	a := uint32(c.A)
	if cover < 0xff {
		a = a * ((uint32(cover) + 8) / 17 * 17) / 0xff
	}
	if a == 0xff {
		px[0], px[1], px[2] = c.R, c.G, c.B
		return
	}
	px[0] = mix(px[0], c.R, a)
	px[1] = mix(px[1], c.G, a)
	px[2] = mix(px[2], c.B, a)
}

func mix(under, over uint8, a uint32) uint8 {
	return uint8((uint32(over)*a + uint32(under)*(0xff-a) + 127) / 0xff)
}

func (r *raster) polygon(pts []Point, c color.NRGBA) {
	if len(pts) < 3 {
		return
	}
	h := float64(r.img.Rect.Dy())
	var p vg.Path
	for i, q := range pts {
		v := vg.Point{X: vg.Length(q.X * r.scale), Y: vg.Length(h - q.Y*r.scale)}
		if i == 0 {
			p.Move(v)
		} else {
			p.Line(v)
		}
	}
	p.Close()
	r.canvas.SetColor(c)
	r.canvas.Fill(p)
}

// trace paints the line through a coverage mask of the frame, so that overlapping pieces of one line do not darken.
func (r *raster) trace(o TraceOp) {
	t := o.Trace
	w := max(1, int(math.Round(o.width*r.scale)))
	x0 := int(math.Round(t.X0 * r.scale))
	area := image.Rect(x0-w, int(math.Floor(t.Top*r.scale))-w, x0+len(t.Cols)+w, int(math.Ceil(t.Bot*r.scale))+w)
	area = area.Intersect(r.img.Rect)
	if area.Empty() {
		return
	}
	stride := area.Dx()
	if n := stride * area.Dy(); cap(r.mask) < n {
		r.mask = make([]uint8, n)
	} else {
		r.mask = r.mask[:n]
		clear(r.mask)
	}
	half := float64(w) / 2
	for i := range t.Cols {
		c := &t.Cols[i]
		if !c.Present {
			continue
		}
		lo, hi := c.Lo, c.Hi
		level := lo == hi
		if c.Joined && i > 0 {
			last := t.Cols[i-1].Last
			level = level && last == lo
			lo, hi = min(lo, last), max(hi, last)
		}
		if level && (i+1 == len(t.Cols) || !t.Cols[i+1].Present || t.Cols[i+1].First == lo) {
			y := math.Round(lo*r.scale-half) + half // a level stretch is crisp
			r.stamp(area, stride, x0+i-(w-1)/2, w, y-half, y+half)
			continue
		}
		r.stamp(area, stride, x0+i-(w-1)/2, w, lo*r.scale-half, hi*r.scale+half)
	}
	r.compose(area, stride, o.color)
}

// stamp covers w columns from x on, between two heights in device pixels, partly at both ends.
func (r *raster) stamp(area image.Rectangle, stride, x, w int, y0, y1 float64) {
	xa, xb := max(x, area.Min.X), min(x+w, area.Max.X)
	ya, yb := max(int(math.Floor(y0)), area.Min.Y), min(int(math.Ceil(y1)), area.Max.Y)
	for y := ya; y < yb; y++ {
		cover := min(float64(y+1), y1) - max(float64(y), y0)
		if cover <= 0 {
			continue
		}
		v := uint8(cover*255 + 0.5)
		row := r.mask[(y-area.Min.Y)*stride:]
		for x := xa; x < xb; x++ {
			if p := &row[x-area.Min.X]; *p < v {
				*p = v
			}
		}
	}
}

func (r *raster) compose(area image.Rectangle, stride int, c color.NRGBA) {
	for y := range area.Dy() {
		row := r.mask[y*stride : (y+1)*stride]
		at := r.img.PixOffset(area.Min.X, area.Min.Y+y)
		for x, v := range row {
			if v != 0 {
				p := at + 4*x
				blend(r.img.Pix[p:p+4:p+4], c, v)
			}
		}
	}
}

// image puts the pixels of a picture over those of the page.
func (r *raster) image(o imageOp) {
	x0, y0 := int(math.Round(o.x*r.scale)), int(math.Round(o.y*r.scale))
	area := o.img.Rect.Add(image.Pt(x0, y0)).Intersect(r.img.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		from := o.img.Pix[o.img.PixOffset(area.Min.X-x0, y-y0):]
		to := r.img.Pix[r.img.PixOffset(area.Min.X, y):]
		for i := 0; i < 4*area.Dx(); i += 4 {
			if c := (color.NRGBA{from[i], from[i+1], from[i+2], from[i+3]}); c.A > 0 {
				blend(to[i:i+4:i+4], c, 0xff)
			}
		}
	}
}

func (r *raster) strip(o stripOp) {
	s := o.strip
	x0 := int(math.Round(s.X0 * r.scale))
	for i, top := range s.Top {
		x := x0 + i
		if math.IsNaN(top) || x < r.img.Rect.Min.X || x >= r.img.Rect.Max.X {
			continue
		}
		y0, y1 := top*r.scale, s.Bot[i]*r.scale
		ya, yb := max(int(math.Floor(y0)), 0), min(int(math.Ceil(y1)), r.img.Rect.Max.Y)
		for y := ya; y < yb; y++ {
			cover := min(float64(y+1), y1) - max(float64(y), y0)
			if cover > 0 {
				at := r.img.PixOffset(x, y)
				blend(r.img.Pix[at:at+4:at+4], o.color, uint8(cover*255+0.5))
			}
		}
	}
}
