package canvastest

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden pictures in testdata")

var gallery = flag.String("gallery", "",
	"write every sample picture in full size into this folder, for people to look at")

// Gallery is the folder that sample pictures are asked for in, made where it does not exist; "" where none is.
func Gallery(t testing.TB) string {
	if *gallery != "" {
		if err := os.MkdirAll(*gallery, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return *gallery
}

// Compare holds a picture against testdata/NAME.png. It allows for pixels on edges: other architectures may round
// differently.
func Compare(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes the golden pictures)", err)
	}
	a, b := Decode(t, got), Decode(t, want)
	if a.Bounds() != b.Bounds() {
		t.Fatalf("%s is %v, the golden picture %v", name, a.Bounds(), b.Bounds())
	}
	off := 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			if max(math.Abs(float64(r)-float64(r2)), math.Abs(float64(g)-float64(g2)),
				math.Abs(float64(bl)-float64(bl2))) > 0x2000 {
				off++
			}
		}
	}
	if limit := a.Bounds().Dx() * a.Bounds().Dy() / 2000; off > limit {
		t.Errorf("%s: %d pixels differ from the golden picture, %d may", name, off, limit)
	}
}

// Decode reads a picture.
func Decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}
