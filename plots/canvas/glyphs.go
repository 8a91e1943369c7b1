package canvas

import (
	"image"
	"image/color"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"astrolabe/plots/typeset"
)

// glyphCache holds the rasterised glyphs of the pages of one document, at four horizontal positions within a pixel.
type glyphCache struct {
	mu     sync.Mutex // pages are painted beside each other
	faces  map[faceKey]font.Face
	glyphs map[glyphKey]*glyph

	outlines map[outlineKey]*glyph
}

// outlineKey is the outline of a shaped glyph at a size, and its place within a pixel in quarters.
type outlineKey struct {
	first       *typeset.Segment
	size        float64
	right, down uint8
}

type faceKey struct {
	face Face
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
	return &glyphCache{faces: map[faceKey]font.Face{}, glyphs: map[glyphKey]*glyph{}, outlines: map[outlineKey]*glyph{}}
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

// text is a line of text as glyphs at their places, its baseline on a whole device pixel.
func (g *glyphCache) text(o TextOp, scale float64) text {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := text{color: o.color}
	if o.Style.Face.plain(o.Text) {
		g.plainText(&out, o, scale, o.Style.Face, o.x, o.Text)
		return out
	}
	for _, run := range SetLine(o.Style.Face, o.Text).Runs {
		if run.Font == nil {
			g.plainText(&out, o, scale, Face(run.Own), o.x+run.X*o.Style.Size, run.Text)
			continue
		}
		for _, gl := range run.Glyphs {
			g.outline(&out, o, scale, gl)
		}
	}
	return out
}

// text is glyphs at their places.
type text struct {
	glyphs []placedGlyph
	color  color.NRGBA
}

// placedGlyph is a glyph with its dot at a device pixel.
type placedGlyph struct {
	*glyph
	x, y int
}

// plainText adds a text glyph by glyph from x on.
func (g *glyphCache) plainText(out *text, o TextOp, scale float64, f Face, x float64, s string) {
	t := f.typeface()
	size := o.Style.Size * scale
	x *= scale
	base := int(math.Round(o.y * scale))
	out.glyphs = slices.Grow(out.glyphs, utf8.RuneCountInString(s))
	for _, c := range s {
		em, _ := t.glyph(c)
		if c != ' ' && c != 0xa0 {
			whole := math.Floor(x)
			sub := uint8((x - whole) * 4)
			out.glyphs = append(out.glyphs, placedGlyph{g.get(glyphKey{faceKey{f, size}, c, sub}), int(whole), base})
		}
		x += em * size
	}
}

// outline adds a shaped glyph.
func (g *glyphCache) outline(out *text, o TextOp, scale float64, shaped typeset.Glyph) {
	if len(shaped.Outline) == 0 {
		return
	}
	size := o.Style.Size * scale
	x := o.x*scale + shaped.X*size
	y := math.Round(o.y*scale) - shaped.Y*size
	whole, row := math.Floor(x), math.Floor(y)
	// The same quarters of a pixel as for all other text; marks above letters stand between rows.
	sub := math.Floor((x-whole)*4) / 4
	key := outlineKey{&shaped.Outline[0], size, uint8(sub * 4), uint8((y - row) * 4)}
	gl, ok := g.outlines[key]
	if !ok {
		gl = rasterize(shaped.Outline, size, sub, float64(key.down)/4)
		g.outlines[key] = gl
	}
	out.glyphs = append(out.glyphs, placedGlyph{gl, int(whole), int(row)})
}

// maxGlyphSide bounds a glyph in pixels; damaged fonts may have any.
const maxGlyphSide = 2000

// rasterize fills an outline of a size in device pixels, its origin at fractions of one.
func rasterize(outline []typeset.Segment, size, right, down float64) *glyph {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	at := func(s *typeset.Segment, i int) (x, y float64) { return s.X[i]*size + right, down - s.Y[i]*size }
	for k := range outline {
		for i := range points(&outline[k]) {
			x, y := at(&outline[k], i)
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
		}
	}
	// One pixel more on the right and below: a stroke that ends on the edge of a pixel still shades it.
	b := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1))+1, int(math.Ceil(y1))+1)
	// A space has no outline, and its bounds are infinite the wrong way around.
	if b.Empty() || b.Dx() > maxGlyphSide || b.Dy() > maxGlyphSide {
		return &glyph{}
	}
	z := vector.NewRasterizer(b.Dx(), b.Dy())
	p := func(s *typeset.Segment, i int) (x, y float32) {
		fx, fy := at(s, i)
		return float32(fx - float64(b.Min.X)), float32(fy - float64(b.Min.Y))
	}
	for k := range outline {
		s := &outline[k]
		ax, ay := p(s, 0)
		switch s.Kind {
		case typeset.MoveTo:
			// Fonts leave contours open; the rasterizer would join the last point of one with the first of the next.
			z.ClosePath()
			z.MoveTo(ax, ay)
		case typeset.LineTo:
			z.LineTo(ax, ay)
		case typeset.QuadTo:
			bx, by := p(s, 1)
			z.QuadTo(ax, ay, bx, by)
		default:
			bx, by := p(s, 1)
			cx, cy := p(s, 2)
			z.CubeTo(ax, ay, bx, by, cx, cy)
		}
	}
	z.ClosePath()
	mask := image.NewAlpha(image.Rect(0, 0, b.Dx(), b.Dy()))
	z.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	return &glyph{bounds: b, pix: mask.Pix}
}

// points is how many points a segment has.
func points(s *typeset.Segment) int {
	switch s.Kind {
	case typeset.QuadTo:
		return 2
	case typeset.CubeTo:
		return 3
	}
	return 1
}

func (t text) rows(float64) (from, to int) {
	for i, g := range t.glyphs {
		top, bottom := g.y+g.bounds.Min.Y, g.y+g.bounds.Max.Y
		if i == 0 {
			from, to = top, bottom
		}
		from, to = min(from, top), max(to, bottom)
	}
	return from, to
}

func (t text) paint(b *band) {
	for _, g := range t.glyphs {
		box := g.bounds.Add(image.Pt(g.x, g.y))
		in := box.Intersect(b.img.Rect)
		if in.Empty() {
			continue
		}
		for py := in.Min.Y; py < in.Max.Y; py++ {
			from := (py - box.Min.Y) * box.Dx()
			row := g.pix[from+in.Min.X-box.Min.X : from+in.Max.X-box.Min.X]
			at := b.img.PixOffset(in.Min.X, py)
			pix := b.img.Pix[at : at+4*len(row)]
			for x, v := range row {
				if v != 0 {
					blend(pix[4*x:4*x+4:4*x+4], t.color, v)
				}
			}
		}
	}
}
