package screenshots

import (
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fields are the colours of the four corners of every picture that testdata/make.py wrote.
var fields = [2][2]color.NRGBA{{{220, 20, 20, 255}, {20, 200, 20, 255}}, {{20, 20, 220, 255}, {230, 220, 20, 255}}}

// corners are the colours in the middle of the four quarters of a picture.
func corners(img *image.NRGBA) (out [2][2]color.NRGBA) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for y := range 2 {
		for x := range 2 {
			out[y][x] = img.NRGBAAt(w/4+x*w/2, h/4+y*h/2)
		}
	}
	return out
}

func grey(c color.NRGBA) color.NRGBA {
	v := uint8((299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000)
	return color.NRGBA{v, v, v, 255}
}

func TestPicturesOfOtherProgramsAreUprightAndInTheirColours(t *testing.T) {
	f := &Folder{Path: filepath.Join("testdata", "pictures")}
	files, err := os.ReadDir(f.Path)
	if err != nil || len(files) < 20 {
		t.Fatalf("%d pictures: %v", len(files), err)
	}
	for _, e := range files {
		for _, side := range []int{48, 24} { // as it is, and scaled down
			img, err := f.Load(Shot{File: e.Name()}, side)
			if err != nil {
				t.Error(err)
				continue
			}
			if got := img.Rect.Size(); got != image.Pt(side, side*2/3) {
				t.Errorf("%s is %v", e.Name(), got)
			}
			for y, row := range corners(img) {
				for x, got := range row {
					want, near := fields[y][x], 16 // JPEG, and primaries that ffmpeg turns into YCbCr and back
					if strings.HasPrefix(e.Name(), "grey") {
						want = grey(want)
					}
					if filepath.Ext(e.Name()) != ".jpg" {
						near = 1
					}
					if e.Name() == "ffmpeg_pal8.png" {
						near = 66 // ffmpeg's own palette of 256 colours, dithered
					}
					if far(got, want) > near || got.A != 255 {
						t.Errorf("%s at %d: the quarter %d, %d is %v, want %v", e.Name(), side, x, y, got, want)
					}
				}
			}
		}
	}
}

func far(a, b color.NRGBA) int {
	d := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(d(a.R, b.R), d(a.G, b.G), d(a.B, b.B))
}

func TestDamagedPicturesAreErrorsWithTheirName(t *testing.T) {
	f := &Folder{Path: filepath.Join("testdata", "damaged")}
	for name, want := range map[string]string{"cut.png": "is damaged", "cut.jpg": "is damaged",
		"text.png": "is no PNG, JPEG or BMP", "absent.png": "no such file", "../decode.go": "escapes", ".": "no regular file"} {
		_, err := f.Load(Shot{File: name}, 100)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// A header may promise any number of pixels.
func TestPicturesBeyondTheBoundAreRefusedBeforeTheyAreDecoded(t *testing.T) {
	dir := t.TempDir()
	doc, err := os.ReadFile(filepath.Join("testdata", "pictures", "upright.png"))
	if err != nil {
		t.Fatal(err)
	}
	copy(doc[16:24], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65536 x 65536, as IHDR has it; its sum no longer fits
	bmp, err := os.ReadFile(filepath.Join("testdata", "pictures", "truecolour.bmp"))
	if err != nil {
		t.Fatal(err)
	}
	copy(bmp[18:26], []byte{0, 0, 1, 0, 0, 0, 1, 0})
	for name, data := range map[string][]byte{"a.png": doc, "b.bmp": bmp} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := (&Folder{Path: dir}).Load(Shot{File: name}, 100); err == nil {
			t.Errorf("%s was read", name)
		} else if name == "b.bmp" && !strings.Contains(err.Error(), "65536 x 65536 pixels") {
			t.Error(err)
		}
	}
}

func TestColoursBeyondThePaletteAreDamage(t *testing.T) {
	dir := t.TempDir()
	bmp, err := os.ReadFile(filepath.Join("testdata", "pictures", "palette.bmp"))
	if err != nil {
		t.Fatal(err)
	}
	bmp[len(bmp)-1] = 0xff
	if err := os.WriteFile(filepath.Join(dir, "a.bmp"), bmp, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = (&Folder{Path: dir}).Load(Shot{File: "a.bmp"}, 100)
	if err == nil || !strings.Contains(err.Error(), "a pixel has colour 255 of a palette of") {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, dir := range []string{"pictures", "damaged"} {
		files, err := os.ReadDir(filepath.Join("testdata", dir))
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range files {
			data, err := os.ReadFile(filepath.Join("testdata", dir, e.Name()))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if conf, _, err := image.DecodeConfig(strings.NewReader(string(data))); err == nil &&
			conf.Width > 0 && conf.Height > (1<<20)/conf.Width {
			return // takes long and shows nothing else
		}
		img, err := decode(strings.NewReader(string(data)), 32)
		if err == nil && (img.Rect.Dx() > 32 || img.Rect.Dy() > 32 || img.Rect.Empty()) {
			t.Errorf("a picture of %v", img.Rect)
		}
	})
}
