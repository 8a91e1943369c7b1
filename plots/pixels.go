package plots

import (
	"image"
	"image/color"
	"math"
)

// newImage is a transparent picture of the size of a snapped rectangle.
func newImage(sc *scene, r rect) *image.NRGBA {
	return image.NewNRGBA(image.Rect(0, 0, max(1, int(math.Round(r.w*sc.scale))), max(1, int(math.Round(r.h*sc.scale)))))
}

func setPixel(px []uint8, c color.NRGBA) {
	px[0], px[1], px[2], px[3] = c.R, c.G, c.B, c.A
}

// hatch colours a pixel of an area without values: diagonal lines, which no scale of colours contains.
func (t *Theme) hatch(px []uint8, x, y int, scale float64) {
	pitch := max(4, int(8*scale))
	if (x+y)%pitch < max(1, int(1.5*scale)) {
		setPixel(px, t.Rule)
	} else {
		setPixel(px, t.GapFill)
	}
}
