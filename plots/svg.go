package plots

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svg returns the scene as an SVG document with real text. Fonts are named, not embedded. Where the reader's system
// lacks Liberation, Arial has its metrics; where it lacks both, the length written with each text keeps it in place.
func (sc *scene) svg() ([]byte, error) {
	c := vgsvg.New(vg.Length(sc.w*pointsPerPixel), vg.Length(sc.h*pointsPerPixel))
	p := &vectorPainter{c: c, keepRunes: true}
	p.paint(sc)
	var buf bytes.Buffer
	if _, err := c.WriteTo(&buf); err != nil {
		return nil, err
	}
	doc := bytes.ReplaceAll(buf.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Arimo,Helvetica,sans-serif;"))
	doc = bytes.ReplaceAll(doc, []byte("font-family:Liberation Mono;"),
		[]byte("font-family:'Liberation Mono','Courier New',Cousine,monospace;"))
	return withTextLengths(doc, sc), nil
}

// withTextLengths adds to every text element the length that was measured for it. The elements stand in the order of
// the scene's texts, and "<text " cannot occur elsewhere because text is escaped.
func withTextLengths(doc []byte, sc *scene) []byte {
	parts := bytes.Split(doc, []byte("<text "))
	var out bytes.Buffer
	out.Write(parts[0])
	i := 1
	for _, o := range sc.ops {
		if t, ok := o.(textOp); ok && i < len(parts) {
			fmt.Fprintf(&out, `<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" xml:space="preserve" `, t.style.width(t.text)*pointsPerPixel)
			out.Write(parts[i])
			i++
		}
	}
	return out.Bytes()
}
