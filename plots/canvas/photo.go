package canvas

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"sync"

	"golang.org/x/image/draw"
	"gonum.org/v1/plot/vg"
)

// Pictures that were made elsewhere, such as screenshots: in pixels they are scaled to the page, in documents they
// keep their own pixels, as JPEG.

// photoQuality is that of JPEG: of text in a screenshot one sees nothing of it at this value.
const photoQuality = 88

func jpegOf(img *image.NRGBA) ([]byte, error) {
	var buf bytes.Buffer
	err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: photoQuality})
	return buf.Bytes(), err
}

// photos reports whether there are pictures in the scene, whose colours are too many for a palette.
func (sc *Scene) photos() bool {
	return slices.ContainsFunc(sc.Ops, func(o op) bool { _, ok := o.(photoOp); return ok })
}

// pixels is the picture with the pixels of the page.
func (o photoOp) pixels(scale float64) imageOp {
	x0, x1 := snap(o.X*scale, o.W*scale)
	y0, y1 := snap(o.Y*scale, o.H*scale)
	out := image.NewRGBA(image.Rect(0, 0, x1-x0, y1-y0))
	draw.CatmullRom.Scale(out, out.Rect, o.img, o.img.Rect, draw.Src, nil)
	return imageOp{float64(x0) / scale, float64(y0) / scale,
		&image.NRGBA{Pix: out.Pix, Stride: out.Stride, Rect: out.Rect}} // alike where all is opaque
}

// photoCanvas is a canvas that writes pictures as JPEG itself.
type photoCanvas interface {
	photo(r vg.Rectangle, img *image.NRGBA)
}

// photo draws a picture. The canvas for SVG knows PNG only: there the picture takes the place of one pixel later.
func (v *vectorPainter) photo(o photoOp) {
	r := vg.Rectangle{Min: v.at(o.X, o.Bottom()), Max: v.at(o.Right(), o.Y)}
	if c, ok := v.c.(photoCanvas); ok {
		c.photo(r, o.img)
		return
	}
	v.photos = append(v.photos, o.img)
	v.c.DrawImage(r, stand)
}

// stand stands for a picture until it is there. No chart draws an image of its size and colour.
var stand = &image.NRGBA{Pix: []uint8{0x12, 0x34, 0x56, 0x78}, Stride: 4, Rect: image.Rect(0, 0, 1, 1)}

// standText is how stand begins in an SVG, up to where its data end.
var standText = sync.OnceValue(func() []byte {
	var buf bytes.Buffer
	if err := png.Encode(&buf, stand); err != nil {
		return nil // of four bytes in memory
	}
	return []byte(`xlink:href="data:image/png;base64,` + base64.StdEncoding.EncodeToString(buf.Bytes()))
})

// photoData is how the data of a picture begin in an SVG.
const photoData = `xlink:href="data:image/jpeg;base64,`

// DrawnBytes is the size of an SVG without its photos, which take as much room in any form.
func DrawnBytes(doc []byte) int {
	n := len(doc)
	for rest := doc; ; {
		at := bytes.Index(rest, []byte(photoData))
		if at < 0 {
			return n
		}
		rest = rest[at+len(photoData):]
		if end := bytes.IndexByte(rest, '"'); end >= 0 {
			n, rest = n-end, rest[end:]
		}
	}
}

// withPhotos puts pictures where stand is, in the order in which they were drawn.
func withPhotos(doc []byte, photos []*image.NRGBA) ([]byte, error) {
	if len(photos) == 0 {
		return doc, nil
	}
	parts := bytes.Split(doc, standText())
	if len(parts) != len(photos)+1 {
		return nil, fmt.Errorf("svg: %d places for %d pictures", len(parts)-1, len(photos))
	}
	var out bytes.Buffer
	out.Write(parts[0])
	for i, img := range photos {
		data, err := jpegOf(img)
		if err != nil {
			return nil, fmt.Errorf("svg: %w", err)
		}
		out.WriteString(photoData + base64.StdEncoding.EncodeToString(data))
		out.Write(parts[i+1])
	}
	return out.Bytes(), nil
}
