package canvas

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"astrolabe/plots/typeset"
)

// Pdf returns the scenes as the pages of one PDF document. title and created describe the document; a zero created
// leaves the dates out, because the time of drawing must not show.
func Pdf(pages []*Scene, title string, created time.Time) ([]byte, error) {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt"})
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.SetCompression(true)
	doc.SetCatalogSort(true)
	doc.SetTitle(Printable(title), true)
	doc.SetProducer("astrolabe", true)
	if fonts := FontsOf(pages...).Text(); fonts != "" {
		doc.SetKeywords(FontsKey+": "+fonts, true)
	}
	stamp := created.UTC()
	if created.IsZero() {
		stamp = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	doc.SetCreationDate(stamp)
	doc.SetModificationDate(stamp)
	for f := range faceCount {
		doc.AddUTF8FontFromBytes(pdfFamily(f), "", slices.Clone(f.typeface().ttf))
	}
	glyphs := map[*typeset.Segment]*pdfGlyph{}
	for _, sc := range pages {
		w, h := sc.W*pointsPerPixel, sc.H*pointsPerPixel
		orientation := "P"
		if w > h {
			orientation = "L" // fpdf swaps the sides of a landscape page
			w, h = h, w
		}
		doc.AddPageFormat(orientation, fpdf.SizeType{Wd: w, Ht: h})
		c := &pdfCanvas{doc: doc, height: sc.H * pointsPerPixel, sheet: h, glyphs: glyphs}
		(&vectorPainter{c: c}).paint(sc)
	}
	var buf bytes.Buffer
	if err := doc.Output(&buf); err != nil {
		return nil, fmt.Errorf("pdf: %w", err)
	}
	out := buf.Bytes()
	if created.IsZero() {
		for _, key := range []string{"/CreationDate (D:20000101000000)", "/ModDate (D:20000101000000)"} {
			// The same length, so that every offset in the cross-reference table still holds.
			out = bytes.Replace(out, []byte(key), []byte(strings.Repeat(" ", len(key))), 1)
		}
	}
	return out, nil
}

func pdfFamily(f Face) string { return [faceCount]string{"sans", "sansbold", "mono"}[f] }

// pdfCanvas is a vg.Canvas on fpdf. gonum's own vgpdf knows only the runes of code page 1252, writes its fonts to
// temporary files and dates the document; this one embeds subsets of the fonts from memory and keeps Unicode text.
type pdfCanvas struct {
	doc    *fpdf.Fpdf
	height float64
	sheet  float64 // the height of the page before fpdf turns it
	width  vg.Length
	color  color.Color
	saved  []pdfState
	images int
	glyphs map[*typeset.Segment]*pdfGlyph // of the whole document
}

type pdfState struct {
	width vg.Length
	color color.Color
}

var _ vg.Canvas = (*pdfCanvas)(nil)

func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.width = w
	c.doc.SetLineWidth(w.Points())
}

func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	d := make([]float64, len(pattern))
	for i, p := range pattern {
		d[i] = p.Points()
	}
	c.doc.SetDashPattern(d, offset.Points())
}

func (c *pdfCanvas) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	c.color = clr
	n := color.NRGBAModel.Convert(clr).(color.NRGBA)
	c.doc.SetFillColor(int(n.R), int(n.G), int(n.B))
	c.doc.SetDrawColor(int(n.R), int(n.G), int(n.B))
	c.doc.SetTextColor(int(n.R), int(n.G), int(n.B))
	c.doc.SetAlpha(math.Round(float64(n.A)/255*1000)/1000, "Normal")
}

func (c *pdfCanvas) Rotate(rad float64)    { c.doc.TransformRotate(rad*180/math.Pi, 0, c.height) }
func (c *pdfCanvas) Translate(pt vg.Point) { c.doc.TransformTranslate(pt.X.Points(), -pt.Y.Points()) }
func (c *pdfCanvas) Scale(x, y float64)    { c.doc.TransformScale(x*100, y*100, 0, c.height) }

func (c *pdfCanvas) Push() {
	c.saved = append(c.saved, pdfState{c.width, c.color})
	c.doc.TransformBegin()
}

func (c *pdfCanvas) Pop() {
	c.doc.TransformEnd()
	s := c.saved[len(c.saved)-1]
	c.saved = c.saved[:len(c.saved)-1]
	c.SetLineWidth(s.width)
	c.SetColor(s.color)
}

func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.width > 0 {
		c.doc.SetLineJoinStyle("round")
		c.draw(p, "D")
	}
}

func (c *pdfCanvas) Fill(p vg.Path) { c.draw(p, "F") }

func (c *pdfCanvas) xy(p vg.Point) (x, y float64) { return p.X.Points(), c.height - p.Y.Points() }

func (c *pdfCanvas) draw(p vg.Path, how string) {
	if len(p) == 0 {
		return
	}
	for _, e := range p {
		x, y := c.xy(e.Pos)
		switch e.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.ArcComp:
			c.arc(e)
		case vg.CurveComp:
			x1, y1 := c.xy(e.Control[0])
			if len(e.Control) == 1 {
				c.doc.CurveTo(x1, y1, x, y)
			} else {
				x2, y2 := c.xy(e.Control[1])
				c.doc.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
			}
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(how)
}

// arc approximates a circular arc by chords of at most five degrees.
func (c *pdfCanvas) arc(e vg.PathComp) {
	n := max(1, int(math.Ceil(math.Abs(e.Angle)*36/math.Pi)))
	for i := range n + 1 {
		sin, cos := math.Sincos(e.Start + e.Angle*float64(i)/float64(n))
		c.doc.LineTo(c.xy(vg.Point{X: e.Pos.X + e.Radius*vg.Length(cos), Y: e.Pos.Y + e.Radius*vg.Length(sin)}))
	}
}

func (c *pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.setFont(f)
	x, y := c.xy(at)
	c.doc.Text(x, y, text)
}

func (c *pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		c.doc.SetError(err)
		return
	}
	c.place(r, "png", &buf)
}

// photo is DrawImage for what JPEG keeps smaller.
func (c *pdfCanvas) photo(r vg.Rectangle, img *image.NRGBA) {
	data, err := jpegOf(img)
	if err != nil {
		c.doc.SetError(err)
		return
	}
	c.place(r, "jpg", bytes.NewReader(data))
}

func (c *pdfCanvas) place(r vg.Rectangle, format string, data io.Reader) {
	c.images++
	name := fmt.Sprintf("image%d.%d", c.doc.PageNo(), c.images)
	opt := fpdf.ImageOptions{ImageType: format}
	c.doc.RegisterImageOptionsReader(name, opt, data)
	x, y := c.xy(vg.Point{X: r.Min.X, Y: r.Max.Y})
	c.doc.ImageOptions(name, x, y, r.Size().X.Points(), r.Size().Y.Points(), false, opt, 0, "")
}
