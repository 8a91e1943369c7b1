package canvas

import (
	"bytes"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// A picture is made of its runs piece by piece. What another decoder reads of it is what was painted, for palettes of
// every depth and pages of several pieces, none of which ends with a row. The decoder also checks the sum of all bytes.
func TestPicturesOfEveryDepthAreWhatWasPainted(t *testing.T) {
	for _, colors := range []int{1, 2, 3, 4, 5, 16, 17, 200} {
		for _, size := range [][2]float64{{3, 2}, {1601, 127}, {701, 1030}} {
			sc := &Scene{W: size[0], H: size[1], Scale: 1, Bg: color.NRGBA{255, 255, 255, 255}}
			rng := rand.New(rand.NewPCG(uint64(colors), 7))
			for k := 1; k < colors; k++ {
				for range 5 {
					sc.Ops = append(sc.Ops, fillOp{Rect{rng.Float64() * sc.W, rng.Float64() * sc.H, 1 + rng.Float64()*90, 1 + rng.Float64()*90},
						color.NRGBA{uint8(k * 50), uint8(k), uint8(200 - k), 255}})
				}
			}
			doc, err := sc.PNG(96)
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(doc))
			if err != nil {
				t.Fatalf("%d colours, %v: %v", colors, size, err)
			}
			want := sc.Paint()
			if img.Bounds() != want.Bounds() {
				t.Fatalf("%v, want %v", img.Bounds(), want.Bounds())
			}
			for y := range want.Bounds().Dy() {
				for x := range want.Bounds().Dx() {
					if got, want := color.RGBAModel.Convert(img.At(x, y)), want.At(x, y); got != want {
						t.Fatalf("%d colours, %v: pixel %d, %d is %v, want %v", colors, size, x, y, got, want)
					}
				}
			}
		}
	}
}
