package canvastest

import (
	"image"
	"image/color"
)

// Photo is a picture of many colours: red rises to the right, green downwards.
func Photo(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{uint8(255 * x / w), uint8(255 * y / h), 0x40, 0xff})
		}
	}
	return img
}
