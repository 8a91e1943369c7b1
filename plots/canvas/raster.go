package canvas

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"sync"
)

// A stroke is one thing of a scene, made ready to be painted on any part of the page.
type stroke interface {
	// rows are the first row of device pixels that it may touch, and the one behind the last.
	rows(scale float64) (from, to int)
	// paint puts what lies within the band on it.
	paint(b *band)
}

// band is a part of a page, some rows from edge to edge. Rectangles, texts and traces go straight to its pixels,
// because a general path rasteriser is quadratic in long dense paths.
type band struct {
	img   *image.RGBA // its bounds are those of the band within the page
	scale float64
	mask  []uint8 // coverage of the trace at work
}

// bandRows is how many rows a band has. Nothing that is seen depends on it.
const bandRows = 64

// bandsOf is how many bands a page of a height has.
func bandsOf(h int) int { return (h + bandRows - 1) / bandRows }

// Paint returns the scene as an opaque image.
func (sc *Scene) Paint() *image.RGBA {
	w, h := deviceSize(sc)
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	sc.inBands(w, h, func(_ int, area image.Rectangle, paint func(img *image.RGBA)) {
		paint(img.SubImage(area).(*image.RGBA))
	})
	return img
}

// inBands goes through the bands of a page on all processors: do is told the number of a band and its rows, and has it
// painted.
func (sc *Scene) inBands(w, h int, do func(i int, area image.Rectangle, paint func(img *image.RGBA))) {
	strokes := sc.strokes(w, h)
	Share(bandsOf(h), func(i int) {
		area := image.Rect(0, i*bandRows, w, min((i+1)*bandRows, h))
		do(i, area, func(img *image.RGBA) {
			b := bandsKept.Get().(*band)
			b.img, b.scale = img, sc.Scale
			b.clear(sc.Bg)
			for _, s := range strokes {
				if s.to > area.Min.Y && s.from < area.Max.Y {
					s.paint(b)
				}
			}
			b.img = nil
			bandsKept.Put(b)
		})
	})
}

// bandsKept are bands for their masks: a page has dozens of bands, and fresh memory is dear.
var bandsKept = sync.Pool{New: func() any { return new(band) }}

// placed is a stroke and its rows.
type placed struct {
	stroke
	from, to int
}

// strokes makes the things of a scene ready for a page of a size.
func (sc *Scene) strokes(w, h int) []placed {
	out := make([]placed, 0, len(sc.Ops))
	glyphs := sc.glyphs
	if glyphs == nil {
		glyphs = newGlyphCache()
	}
	var fill filler
	for _, o := range sc.Ops {
		sc.meter.Add(1)
		var s stroke
		switch o := o.(type) {
		case PolyOp:
			s = fill.polygon(o, sc.Scale, w, h)
		case TextOp:
			s = glyphs.text(o, sc.Scale)
		case fillOp:
			s = o
		case TraceOp:
			s = o
		case stripOp:
			s = o
		case imageOp:
			s = o
		case photoOp:
			s = o.pixels(sc.Scale)
		}
		from, to := s.rows(sc.Scale)
		out = append(out, placed{s, from, to})
	}
	return out
}

// clear fills the band with a colour.
func (b *band) clear(c color.NRGBA) { repeat(b.img.Pix[:b.img.Stride*b.img.Rect.Dy()], c) }

// repeat fills pixels with an opaque colour.
func repeat(pix []uint8, c color.NRGBA) {
	copy(pix, []uint8{c.R, c.G, c.B, 0xff})
	for n := 4; n < len(pix); n *= 2 {
		copy(pix[n:], pix[:n])
	}
}

func deviceSize(sc *Scene) (w, h int) {
	return max(1, int(math.Round(sc.W*sc.Scale))), max(1, int(math.Round(sc.H*sc.Scale)))
}

func (o fillOp) rows(scale float64) (from, to int) { return snap(o.Y*scale, o.H*scale) }

// paint fills whole device pixels: edges stay crisp, and nothing vanishes by being thin.
func (o fillOp) paint(b *band) {
	x0, x1 := snap(o.X*b.scale, o.W*b.scale)
	y0, y1 := snap(o.Y*b.scale, o.H*b.scale)
	area := image.Rect(x0, y0, x1, y1).Intersect(b.img.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		at := b.img.PixOffset(area.Min.X, y)
		row := b.img.Pix[at : at+4*area.Dx()]
		if o.color.A == 0xff {
			repeat(row, o.color)
			continue
		}
		tint(row, o.color)
	}
}

// tint puts a translucent colour over pixels.
func tint(row []uint8, c color.NRGBA) {
	over := coat{color: c, cover: 0xff}
	for i := 0; i < len(row); i += 4 {
		over.put(row[i : i+4 : i+4])
	}
}

// coat puts a colour over pixels. Most are as the one before them.
type coat struct {
	color       color.NRGBA
	cover       uint8
	under, over uint32 // the last pixel before and after; pixels are opaque, so that none is 0
}

func (c *coat) put(px []uint8) {
	if binary.LittleEndian.Uint32(px) == c.under {
		binary.LittleEndian.PutUint32(px, c.over)
		return
	}
	c.mix(px)
}

func (c *coat) mix(px []uint8) {
	c.under = binary.LittleEndian.Uint32(px)
	blend(px, c.color, c.cover)
	c.over = binary.LittleEndian.Uint32(px)
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

func (o TraceOp) rows(scale float64) (from, to int) {
	w := o.pixels(scale)
	return int(math.Floor(o.Trace.Top*scale)) - w, int(math.Ceil(o.Trace.Bot*scale)) + w
}

// pixels is how many device pixels the line is wide.
func (o TraceOp) pixels(scale float64) int { return max(1, int(math.Round(o.width*scale))) }

// paint draws the line through a coverage mask of the frame, so that overlapping pieces of one line do not darken.
func (o TraceOp) paint(b *band) {
	t := o.Trace
	w := o.pixels(b.scale)
	x0 := int(math.Round(t.X0 * b.scale))
	y0, y1 := o.rows(b.scale)
	area := image.Rect(x0-w, y0, x0+len(t.Cols)+w, y1).Intersect(b.img.Rect)
	if area.Empty() {
		return
	}
	stride := area.Dx()
	n := stride * area.Dy()
	if cap(b.mask) < n {
		b.mask = make([]uint8, max(n, b.img.Rect.Dx()*bandRows)) // once for all traces
	}
	b.mask = b.mask[:n]
	clear(b.mask) // new memory too: pages that are read before they are written cost twice
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
			y := math.Round(lo*b.scale-half) + half // a level stretch is crisp
			b.stamp(area, stride, x0+i-(w-1)/2, w, y-half, y+half)
			continue
		}
		b.stamp(area, stride, x0+i-(w-1)/2, w, lo*b.scale-half, hi*b.scale+half)
	}
	b.compose(area, stride, o.color)
}

// stamp covers w columns from x on, between two heights in device pixels, partly at both ends.
func (b *band) stamp(area image.Rectangle, stride, x, w int, y0, y1 float64) {
	xa, xb := max(x, area.Min.X), min(x+w, area.Max.X)
	ya, yb := max(int(math.Floor(y0)), area.Min.Y), min(int(math.Ceil(y1)), area.Max.Y)
	for y := ya; y < yb; y++ {
		cover := min(float64(y+1), y1) - max(float64(y), y0)
		if cover <= 0 {
			continue
		}
		v := uint8(cover*255 + 0.5)
		row := b.mask[(y-area.Min.Y)*stride:]
		for x := xa; x < xb; x++ {
			if p := &row[x-area.Min.X]; *p < v {
				*p = v
			}
		}
	}
}

func (b *band) compose(area image.Rectangle, stride int, c color.NRGBA) {
	for y := range area.Dy() {
		row := b.mask[y*stride : (y+1)*stride]
		at := b.img.PixOffset(area.Min.X, area.Min.Y+y)
		for x := 0; x < len(row); x++ {
			for x+8 <= len(row) && binary.LittleEndian.Uint64(row[x:]) == 0 { // most of a frame is not line
				x += 8
			}
			if x < len(row) && row[x] != 0 {
				p := at + 4*x
				blend(b.img.Pix[p:p+4:p+4], c, row[x])
			}
		}
	}
}

func (o imageOp) rows(scale float64) (from, to int) {
	y0 := int(math.Round(o.y * scale))
	return y0 + o.img.Rect.Min.Y, y0 + o.img.Rect.Max.Y
}

// paint puts the pixels of a picture over those of the page.
func (o imageOp) paint(b *band) {
	x0, y0 := int(math.Round(o.x*b.scale)), int(math.Round(o.y*b.scale))
	area := o.img.Rect.Add(image.Pt(x0, y0)).Intersect(b.img.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		from := o.img.Pix[o.img.PixOffset(area.Min.X-x0, y-y0):]
		to := b.img.Pix[b.img.PixOffset(area.Min.X, y):]
		for i := 0; i < 4*area.Dx(); i += 4 {
			if c := (color.NRGBA{from[i], from[i+1], from[i+2], from[i+3]}); c.A > 0 {
				blend(to[i:i+4:i+4], c, 0xff)
			}
		}
	}
}

func (o stripOp) rows(scale float64) (from, to int) {
	top, bottom := math.Inf(1), math.Inf(-1)
	for i, t := range o.strip.Top {
		if t == t {
			top, bottom = min(top, t), max(bottom, o.strip.Bot[i])
		}
	}
	if top > bottom {
		return 0, 0
	}
	const most = 1e9 // pages are smaller
	return int(math.Floor(max(top*scale, -most))), int(math.Ceil(min(bottom*scale, most)))
}

func (o stripOp) paint(b *band) {
	s := o.strip
	all := coat{color: o.color, cover: 0xff}
	x0 := int(math.Round(s.X0 * b.scale))
	for i, top := range s.Top {
		x := x0 + i
		if math.IsNaN(top) || x < b.img.Rect.Min.X || x >= b.img.Rect.Max.X {
			continue
		}
		y0, y1 := top*b.scale, s.Bot[i]*b.scale
		ya, yb := max(int(math.Floor(y0)), b.img.Rect.Min.Y), min(int(math.Ceil(y1)), b.img.Rect.Max.Y)
		at := b.img.PixOffset(x, ya)
		for y := ya; y < yb; y++ {
			px := b.img.Pix[at : at+4 : at+4]
			at += b.img.Stride
			if float64(y) >= y0 && float64(y+1) <= y1 {
				all.put(px)
			} else if cover := min(float64(y+1), y1) - max(float64(y), y0); cover > 0 {
				blend(px, o.color, uint8(cover*255+0.5))
			}
		}
	}
}
