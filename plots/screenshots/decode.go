package screenshots

import (
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // formats that are read
	_ "image/png"
	"io"
	"os"
	"time"

	"github.com/bep/imagemeta"
	_ "golang.org/x/image/bmp"
	"golang.org/x/image/draw"

	"astrolabe/capture/memory"
)

// Bounds of a picture that is read.
const (
	maxBytes  = 256 << 20
	maxPixels = 64 << 20 // 8K has 33 million
)

// Load reads a picture of the folder, turned as its EXIF data say, and scaled down so that no side is longer than side.
// What is transparent in it becomes opaque: games leave anything in the alpha channel of what they draw.
func (f *Folder) Load(s Shot, side int) (*image.NRGBA, error) {
	root, err := os.OpenRoot(f.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, size, err := open(root, s.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size > maxBytes {
		return nil, fmt.Errorf("%q has %d bytes; pictures of at most %d are read", s.File, size, maxBytes)
	}
	img, err := decode(file, side)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", s.File, err)
	}
	return img, nil
}

// decode reads one picture.
func decode(r io.ReadSeeker, side int) (*image.NRGBA, error) {
	conf, format, err := image.DecodeConfig(r)
	if err != nil {
		return nil, fmt.Errorf("is no PNG, JPEG or BMP that can be read: %w", err)
	}
	if conf.Width <= 0 || conf.Height <= 0 || conf.Width > maxPixels/conf.Height {
		return nil, fmt.Errorf("has %d x %d pixels; pictures of at most %d million are read", conf.Width, conf.Height,
			maxPixels>>20)
	}
	// Decoders keep up to eight bytes for a pixel, those of progressive JPEG as much again.
	if err := memory.Room(uint64(conf.Width) * uint64(conf.Height) * 16); err != nil {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(r)
	if err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	if img, ok := img.(*image.Paletted); ok {
		// Decoders leave it to others what a pixel is whose colour no palette has.
		for _, c := range img.Pix {
			if int(c) >= len(img.Palette) {
				return nil, fmt.Errorf("is damaged: a pixel has colour %d of a palette of %d", c, len(img.Palette))
			}
		}
	}
	opaque(img)
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return turned(scaled(img, side), orientation(r, format)), nil
}

// opaque drops the alpha channel.
func opaque(img image.Image) {
	switch img := img.(type) {
	case *image.NRGBA:
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = 0xff
		}
	case *image.NRGBA64:
		for i := 6; i+1 < len(img.Pix); i += 8 {
			img.Pix[i], img.Pix[i+1] = 0xff, 0xff
		}
	case *image.Paletted:
		for i, c := range img.Palette {
			n := color.NRGBAModel.Convert(c).(color.NRGBA)
			if old, ok := c.(color.NRGBA); ok {
				n = old // converting would lose what is under full transparency
			}
			n.A = 0xff
			img.Palette[i] = n
		}
	}
}

// scaled is a picture whose sides are at most so long.
func scaled(img image.Image, side int) *image.NRGBA {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	if longest := max(w, h); longest > side {
		w, h = max(1, w*side/longest), max(1, h*side/longest)
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(out, out.Rect, img, b, draw.Src, nil)
	return &image.NRGBA{Pix: out.Pix, Stride: out.Stride, Rect: out.Rect} // alike where all is opaque
}

// orientation is what a picture says of how it is to be turned, 1 to 8; 1 where it says nothing that can be read.
func orientation(r io.ReadSeeker, format string) int {
	kinds := map[string]imagemeta.ImageFormat{"jpeg": imagemeta.JPEG, "png": imagemeta.PNG}
	kind, ok := kinds[format]
	if !ok {
		return 1
	}
	out := 1
	_, err := imagemeta.Decode(imagemeta.Options{R: r, ImageFormat: kind, Sources: imagemeta.EXIF,
		Timeout:         5 * time.Second,
		ShouldHandleTag: func(t imagemeta.TagInfo) bool { return t.Tag == "Orientation" },
		HandleTag: func(t imagemeta.TagInfo) error {
			if v, ok := t.Value.(uint16); ok && v >= 1 && v <= 8 && t.Namespace == "IFD0" {
				out = int(v)
			}
			return nil
		}})
	if err != nil {
		return 1
	}
	return out
}

// turned is a picture as EXIF's orientation says: 2 mirrors it, 3 turns it around, 4 does both; from 5 on rows and
// columns change places first.
func turned(img *image.NRGBA, how int) *image.NRGBA {
	if how <= 1 || how > 8 {
		return img
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	across, up := w, h
	if how >= 5 {
		across, up = h, w
	}
	out := image.NewNRGBA(image.Rect(0, 0, across, up))
	for y := range up {
		for x := range across {
			sx, sy := x, y
			switch how {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, h-1-x
			case 7:
				sx, sy = w-1-y, h-1-x
			case 8:
				sx, sy = w-1-y, x
			}
			copy(out.Pix[out.PixOffset(x, y):][:4], img.Pix[img.PixOffset(sx, sy):][:4])
		}
	}
	return out
}
