package canvas

import (
	"image"
	"image/color"
	"math"
)

// NewImage is a transparent picture of the size of a snapped rectangle.
func NewImage(sc *Scene, r Rect) *image.NRGBA {
	return image.NewNRGBA(image.Rect(0, 0, max(1, int(math.Round(r.W*sc.Scale))),
		max(1, int(math.Round(r.H*sc.Scale)))))
}

func SetPixel(px []uint8, c color.NRGBA) {
	px[0], px[1], px[2], px[3] = c.R, c.G, c.B, c.A
}

// Hatch colours a pixel of an area without values: diagonal lines, which no scale of colours contains.
func (t *Theme) Hatch(px []uint8, x, y int, scale float64) {
	pitch := max(4, int(8*scale))
	if (x+y)%pitch < max(1, int(1.5*scale)) {
		SetPixel(px, t.Rule)
	} else {
		SetPixel(px, t.GapFill)
	}
}
