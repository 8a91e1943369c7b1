package plots

import (
	"image"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// glyphCache holds the rasterised glyphs of one picture, at four horizontal positions within a pixel.
type glyphCache struct {
	faces  map[faceKey]font.Face
	glyphs map[glyphKey]*glyph
}

type faceKey struct {
	face face
	size float64 // device pixels
}

type glyphKey struct {
	faceKey
	r   rune
	sub uint8
}

type glyph struct {
	bounds image.Rectangle // relative to the dot
	pix    []uint8
}

func newGlyphCache() *glyphCache {
	return &glyphCache{faces: map[faceKey]font.Face{}, glyphs: map[glyphKey]*glyph{}}
}

func (g *glyphCache) get(k glyphKey) *glyph {
	if gl, ok := g.glyphs[k]; ok {
		return gl
	}
	f, ok := g.faces[k.faceKey]
	if !ok {
		// NewFace fails only on a nil font.
		f, _ = opentype.NewFace(k.face.typeface().font, &opentype.FaceOptions{Size: k.size, DPI: 72})
		g.faces[k.faceKey] = f
	}
	gl := &glyph{}
	dot := fixed.Point26_6{X: fixed.Int26_6(k.sub) * 16}
	if b, mask, at, _, _ := f.Glyph(dot, k.r); mask != nil && !b.Empty() {
		a := mask.(*image.Alpha)
		gl.bounds = b
		gl.pix = make([]uint8, b.Dx()*b.Dy())
		for y := range b.Dy() {
			from := a.PixOffset(at.X, at.Y+y)
			copy(gl.pix[y*b.Dx():(y+1)*b.Dx()], a.Pix[from:from+b.Dx()])
		}
	}
	g.glyphs[k] = gl
	return gl
}

// text paints one line of text, its baseline on a whole device pixel.
func (r *raster) text(o textOp) {
	t := o.style.face.typeface()
	size := o.style.size * r.scale
	x := o.x * r.scale
	base := int(math.Round(o.y * r.scale))
	for _, c := range t.drawable(o.text) {
		em, _ := t.glyph(c)
		if c != ' ' && c != 0xa0 {
			whole := math.Floor(x)
			sub := uint8((x - whole) * 4)
			gl := r.glyphs.get(glyphKey{faceKey{o.style.face, size}, c, sub})
			r.stampGlyph(gl, int(whole), base, o)
		}
		x += em * size
	}
}

func (r *raster) stampGlyph(gl *glyph, x, y int, o textOp) {
	b := gl.bounds.Add(image.Pt(x, y))
	in := b.Intersect(r.img.Rect)
	for py := in.Min.Y; py < in.Max.Y; py++ {
		row := gl.pix[(py-b.Min.Y)*b.Dx():]
		for px := in.Min.X; px < in.Max.X; px++ {
			if v := row[px-b.Min.X]; v != 0 {
				at := r.img.PixOffset(px, py)
				blend(r.img.Pix[at:at+4:at+4], o.color, v)
			}
		}
	}
}
