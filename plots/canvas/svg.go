package canvas

import (
	"bytes"
	"fmt"
	"html"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Svg returns the scene as an SVG document with real text. Fonts are named, not embedded. Where the reader's system
// lacks Liberation, Arial has its metrics; where it lacks both, the length written with each text keeps it in place.
// Text in fonts of the system is drawn as shapes, with the text itself unseen above them.
func (sc *Scene) Svg() ([]byte, error) {
	c := vgsvg.New(vg.Length(sc.W*pointsPerPixel), vg.Length(sc.H*pointsPerPixel))
	p := &vectorPainter{c: c}
	p.paint(sc)
	var buf bytes.Buffer
	_, err := c.WriteTo(&buf)
	if err != nil {
		return nil, err
	}
	doc := bytes.ReplaceAll(buf.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Arimo,Helvetica,sans-serif;"))
	doc = bytes.ReplaceAll(doc, []byte("font-family:Liberation Mono;"),
		[]byte("font-family:'Liberation Mono','Courier New',Cousine,monospace;"))
	// The canvas writes PNG and calls it JPEG, which Chromium overlooks and librsvg takes for a broken picture.
	doc = bytes.ReplaceAll(doc, []byte(`xlink:href="data:image/jpg;`), []byte(`xlink:href="data:image/png;`))
	if doc, err = withPhotos(doc, p.photos); err != nil {
		return nil, err
	}
	doc = withTextLengths(doc, p.texts)
	head := ""
	if fonts := FontsOf(sc).Text(); fonts != "" {
		head = "\n<desc>" + FontsKey + ": " + html.EscapeString(fonts) + "</desc>"
	}
	if p.glyphs.defs.Len() > 0 {
		head += "\n<defs>\n" + p.glyphs.defs.String() + "</defs>"
	}
	if start := bytes.Index(doc, []byte("<svg")); head != "" && start >= 0 {
		doc = slices.Insert(doc, start+bytes.IndexByte(doc[start:], '>')+1, []byte(head)...)
	}
	return doc, nil
}

// withTextLengths adds to every text element the length that was measured for it. The elements stand in the order in
// which the texts were drawn, and "<text " cannot occur elsewhere because text is escaped.
func withTextLengths(doc []byte, texts []vectorText) []byte {
	parts := bytes.Split(doc, []byte("<text "))
	var out bytes.Buffer
	out.Write(parts[0])
	for i, part := range parts[1:] {
		if i < len(texts) {
			hidden := ""
			if texts[i].hidden {
				hidden = `fill-opacity="0" `
			}
			out.WriteString(texts[i].shapes)
			fmt.Fprintf(&out, `<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" xml:space="preserve" %s`,
				texts[i].width*pointsPerPixel, hidden)
		} else {
			out.WriteString("<text ")
		}
		out.Write(part)
	}
	return out.Bytes()
}
