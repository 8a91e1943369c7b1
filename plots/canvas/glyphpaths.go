package canvas

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"astrolabe/plots/typeset"
)

// Glyphs of fonts of the system stand once in a document, however often they are used: an SVG has them among its
// definitions, a PDF as forms.

// glyphUnits is how many units of a path in a document make an em.
const glyphUnits = 1000

// glyphPath writes an outline with the operators of a format, moved by an offset in units. Curves of the second degree
// are raised to the third where the format has no others.
func glyphPath(outline []typeset.Segment, dx, dy float64, op func(kind uint8, xy []float64) string, quads bool) string {
	var b strings.Builder
	var px, py float64 // where the last segment ended
	open := false
	for i := range outline {
		s := &outline[i]
		var xy []float64
		for k := range points(s) {
			xy = append(xy, s.X[k]*glyphUnits+dx, s.Y[k]*glyphUnits+dy)
		}
		kind := s.Kind
		if kind == typeset.QuadTo && !quads {
			kind = typeset.CubeTo
			xy = []float64{px + (xy[0]-px)*2/3, py + (xy[1]-py)*2/3, xy[2] + (xy[0]-xy[2])*2/3,
				xy[3] + (xy[1]-xy[3])*2/3, xy[2], xy[3]}
		}
		if kind == typeset.MoveTo {
			if open {
				b.WriteString(op(closePath, nil))
			}
			open = true
		}
		b.WriteString(op(kind, xy))
		px, py = xy[len(xy)-2], xy[len(xy)-1]
	}
	if open {
		b.WriteString(op(closePath, nil))
	}
	return b.String()
}

// closePath is the kind of the operator that ends a contour.
const closePath = 0xff

// coordinate writes a number with a digit behind the point where there is one.
func coordinate(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	if s = strings.TrimSuffix(s, ".0"); s == "-0" {
		return "0"
	}
	return s
}

func coordinates(xy []float64) string {
	out := make([]string, len(xy))
	for i, v := range xy {
		out[i] = coordinate(v)
	}
	return strings.Join(out, " ")
}

// svgGlyphs are the definitions of an SVG. Their names come from what they show, so that several pictures in one HTML
// page agree.
type svgGlyphs struct {
	names map[*typeset.Segment]string
	defs  strings.Builder
}

func (g *svgGlyphs) add(outline []typeset.Segment) string {
	if name, ok := g.names[&outline[0]]; ok {
		return name
	}
	d := glyphPath(outline, 0, 0, func(kind uint8, xy []float64) string {
		if kind == closePath {
			return "Z"
		}
		return string("MLQC"[kind]) + coordinates(xy)
	}, true)
	h := fnv.New64a()
	h.Write([]byte(d))
	name := fmt.Sprintf("g%016x", h.Sum64())
	if g.names == nil {
		g.names = map[*typeset.Segment]string{}
	}
	g.names[&outline[0]] = name
	fmt.Fprintf(&g.defs, "<path id=\"%s\" d=\"%s\"/>\n", name, d)
	return name
}

// pdfGlyph is a glyph as a form of a PDF. A form is clipped to a box that begins at zero, so the outline is moved into
// it.
type pdfGlyph struct {
	content       []byte
	id            string
	left, bottom  float64 // of the box, in em
	width, height float64
}

var _ fpdf.Template = (*pdfGlyph)(nil)

func newPDFGlyph(outline []typeset.Segment) *pdfGlyph {
	left, bottom, right, top := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range outline {
		for k := range points(&outline[i]) {
			x, y := outline[i].X[k], outline[i].Y[k]
			left, bottom, right, top = min(left, x), min(bottom, y), max(right, x), max(top, y)
		}
	}
	const air = 0.01
	g := &pdfGlyph{left: left - air, bottom: bottom - air, width: right - left + 2*air, height: top - bottom + 2*air}
	g.content = []byte(glyphPath(outline, -g.left*glyphUnits, -g.bottom*glyphUnits,
		func(kind uint8, xy []float64) string {
			if kind == closePath {
				return "h\n"
			}
			return coordinates(xy) + " " + map[uint8]string{typeset.MoveTo: "m", typeset.LineTo: "l",
				typeset.CubeTo: "c"}[kind] + "\n"
		}, false) + "f\n")
	h := fnv.New64a()
	h.Write(g.content)
	g.id = fmt.Sprintf("%016x", h.Sum64())
	return g
}

func (g *pdfGlyph) ID() string { return g.id }
func (g *pdfGlyph) Size() (fpdf.PointType, fpdf.SizeType) {
	return fpdf.PointType{}, fpdf.SizeType{Wd: g.width * glyphUnits, Ht: g.height * glyphUnits}
}
func (g *pdfGlyph) Bytes() []byte                          { return g.content }
func (g *pdfGlyph) Images() map[string]*fpdf.ImageInfoType { return nil }
func (g *pdfGlyph) Templates() []fpdf.Template             { return nil }
func (g *pdfGlyph) NumPages() int                          { return 1 }
func (g *pdfGlyph) FromPage(int) (fpdf.Template, error)    { return g, nil }
func (g *pdfGlyph) FromPages() []fpdf.Template             { return []fpdf.Template{g} }
func (g *pdfGlyph) Serialize() ([]byte, error)             { return bytes.Clone(g.content), nil }
func (g *pdfGlyph) GobEncode() ([]byte, error)             { return g.Serialize() }
func (g *pdfGlyph) GobDecode([]byte) error                 { return fmt.Errorf("a glyph is made from its outline") }

// glyph draws a glyph with its origin at a point.
func (c *pdfCanvas) glyph(at vg.Point, size vg.Length, outline []typeset.Segment) {
	g := c.glyphs[&outline[0]]
	if g == nil {
		g = newPDFGlyph(outline)
		c.glyphs[&outline[0]] = g
	}
	x, y := c.xy(at)
	s := size.Points()
	y += c.sheet - c.height // fpdf places forms as if it had not turned the page
	c.doc.UseTemplateScaled(g, fpdf.PointType{X: x + g.left*s, Y: y - (g.bottom+g.height)*s},
		fpdf.SizeType{Wd: g.width * s, Ht: g.height * s})
}

var _ glyphCanvas = (*pdfCanvas)(nil)

// setFont chooses one of our typefaces.
func (c *pdfCanvas) setFont(f font.Face) (family string) {
	which := Regular
	switch {
	case f.Font.Variant == vectorFonts[Mono].Variant:
		which = Mono
	case f.Font.Weight == vectorFonts[Bold].Weight:
		which = Bold
	}
	c.doc.SetFont(pdfFamily(which), "", f.Font.Size.Points())
	return pdfFamily(which)
}

// hide writes text that is not drawn. The font has no glyphs for it, and none is looked for: what counts is that the
// codes of these fonts are those of Unicode, and that the text is as wide as what is seen. Programs that read text from
// pages expect its characters from left to right and turn round what is Hebrew or Arabic. Characters beyond the Basic
// Multilingual Plane take two codes, which only ActualText says to be one.
func (c *pdfCanvas) hide(f font.Face, at vg.Point, width vg.Length, text string, rtl bool) {
	family := c.setFont(f)
	x, y := c.xy(at)
	runes := []rune(text)
	if rtl {
		slices.Reverse(runes)
	}
	codes := utf16.Encode(runes)
	missing := float64(c.doc.GetFontDesc(family, "").MissingWidth)
	if len(codes) == 0 || missing <= 0 {
		return
	}
	natural := 0.0 // as the font's widths make it
	for _, code := range codes {
		w := missing
		if code < 256 {
			w = c.doc.GetStringWidth(string(rune(code))) / f.Font.Size.Points() * 1000
		}
		natural += w / 1000 * f.Font.Size.Points()
	}
	stretch := 100.0
	if natural > 0 {
		stretch = width.Points() / natural * 100
	}
	show := fmt.Sprintf("BT 3 Tr %.3f Tz %.2f %.2f Td <%X> Tj 0 Tr 100 Tz ET", stretch, x, c.height-y,
		utf16Bytes(codes))
	if len(codes) > len(runes) && !rtl {
		show = fmt.Sprintf("/Span <</ActualText <FEFF%X>>> BDC %s EMC", utf16Bytes(codes), show)
	}
	c.doc.RawWriteStr(show)
}

func utf16Bytes(codes []uint16) []byte {
	var out []byte
	for _, c := range codes {
		out = append(out, byte(c>>8), byte(c))
	}
	return out
}
