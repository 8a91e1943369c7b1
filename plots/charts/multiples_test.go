package charts

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"math"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

// twoPhotos are small multiples with a picture in each of two rows, the second of them blue.
func twoPhotos(t *testing.T) *Plot {
	t.Helper()
	blue := image.NewNRGBA(image.Rect(0, 0, 64, 36))
	for i := range blue.Pix {
		blue.Pix[i] = []uint8{0, 0, 0xff, 0xff}[i%4]
	}
	p, err := SmallMultiples(MultiplesOptions{Title: "two", Back: "the median frame"},
		[]Series{series("a", "%", 1e6, make([]float64, 100))}, []Multiple{
			{Name: "frame 1", Start: 1e7, End: 3e7, Behind: 1, Photo: &Photo{Name: "1.png", Image: canvastest.Photo(640, 360)}},
			{Name: "frame 2", Start: 5e7, End: 6e7, Behind: -1, Photo: &Photo{Name: "<svg onload=x>.png", Image: blue}}})
	return must(t, p, err)
}

func TestPicturesStandInDocumentsInTheirOwnPixels(t *testing.T) {
	p := twoPhotos(t)
	var doc bytes.Buffer
	if err := p.WriteTo(&doc, "svg", canvas.Size{}); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(doc.String(), "data:image/")
	if len(parts) != 3 || strings.Contains(doc.String(), "<svg onload") {
		t.Fatalf("%d pictures in %.300s", len(parts)-1, doc.String())
	}
	var mean [2]color.RGBA
	for i, part := range parts[1:] {
		text, ok := strings.CutPrefix(part[:strings.IndexByte(part, '"')], "jpeg;base64,")
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		img, _, err := image.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if want := []image.Point{{640, 360}, {64, 36}}[i]; img.Bounds().Size() != want {
			t.Errorf("picture %d is %v, want %v", i, img.Bounds().Size(), want)
		}
		r, g, b, _ := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
		mean[i] = color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0xff}
	}
	if mean[0].R < 0x70 || mean[0].G < 0x70 || mean[1].B < 0xe0 || mean[1].R > 0x20 {
		t.Errorf("the pictures are not in the order of their rows: %v", mean)
	}
	if n := canvas.DrawnBytes(doc.Bytes()); n > 30_000 || n < 1000 || doc.Len()-n < 2000 {
		t.Errorf("%d of %d bytes are not of pictures", n, doc.Len())
	}
	doc.Reset()
	if err := p.WriteTo(&doc, "pdf", canvas.Size{}); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(doc.Bytes(), []byte("/DCTDecode")); n != 2 {
		t.Errorf("the PDF holds %d pictures as JPEG", n)
	}
}

// A picture is drawn where it stands, with its colours, in any size.
func TestPicturesAreDrawnIntoPixels(t *testing.T) {
	for _, width := range []int{640, 1600} {
		var doc bytes.Buffer
		if err := twoPhotos(t).WriteTo(&doc, "png", canvas.Size{Width: width}); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&doc)
		if err != nil {
			t.Fatal(err)
		}
		blue, rows := 0, [2]int{math.MaxInt, 0}
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				if r, g, b, _ := img.At(x, y).RGBA(); b>>8 > 0xf0 && r>>8 < 0x10 && g>>8 < 0x10 {
					blue++
					rows = [2]int{min(rows[0], y), max(rows[1], y)}
				}
			}
		}
		if high := rows[1] - rows[0] + 1; blue < width*width/300 || math.Abs(float64(blue)/float64(high*high)-64.0/36) > 0.1 {
			t.Errorf("%d blue pixels in %d rows of a chart %d wide", blue, high, width)
		}
	}
}

func TestSmallMultiplesHoldTheSamplesOfTheirStretch(t *testing.T) {
	s := series("a", "", 10, []float64{0, 1, 2, 3, 4, 5})
	for _, c := range []struct {
		from, to int64
		want     []float64
		start    int64
		end      int64 // of the last
	}{{10, 30, []float64{1, 2}, 0, 20}, {15, 35, []float64{1, 2, 3}, 0, 20}, {50, 100, []float64{5}, 0, 10},
		{60, 70, nil, 0, 0}, {-10, 5, []float64{0}, 10, 15}} {
		got := cut(s, c.from, c.to)
		if len(got.Y) != len(c.want) {
			t.Errorf("[%d, %d) has %v", c.from, c.to, got.Y)
			continue
		}
		for i := range got.Y {
			if got.Y[i] != c.want[i] || got.Start[0] != c.start || got.End[len(got.End)-1] != c.end {
				t.Errorf("[%d, %d) has %v from %v to %v", c.from, c.to, got.Y, got.Start, got.End)
			}
		}
	}
	long := Series{Name: "a", Start: []int64{0, 5, 10, 40}, End: []int64{100, 6, 12, 50}, Y: []float64{1, 2, 3, 4}}
	if got := cut(long, 20, 30); len(got.Y) != 1 || got.Y[0] != 1 {
		t.Errorf("a long sample that began before others is lost: %v", got.Y)
	}
	for name, f := range map[string]func() (*Plot, error){
		"no series":    func() (*Plot, error) { return SmallMultiples(MultiplesOptions{}, nil, make([]Multiple, 1)) },
		"no stretches": func() (*Plot, error) { return SmallMultiples(MultiplesOptions{}, []Series{s}, nil) },
		"25 stretches": func() (*Plot, error) { return SmallMultiples(MultiplesOptions{}, []Series{s}, make([]Multiple, 25)) },
		"an empty one": func() (*Plot, error) { return SmallMultiples(MultiplesOptions{}, []Series{s}, make([]Multiple, 1)) },
		"behind nothing": func() (*Plot, error) {
			return SmallMultiples(MultiplesOptions{}, []Series{s}, []Multiple{{End: 5, Behind: 3}})
		},
		"a short series": func() (*Plot, error) {
			return SmallMultiples(MultiplesOptions{}, []Series{{Y: []float64{1}}}, []Multiple{{End: 5, Behind: -1}})
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNotesAreNumberedInTimeAndStandWhole(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("loads textures ", 60))
	p, err := Timeline(TimelineOptions{Title: "t", Marks: []Mark{{At: 3e9, Label: long, Note: true}, {At: 2e9, Label: "plain"},
		{At: 1e9, Label: "first", Note: true}}}, series("a", "", 1e9, make([]float64, 5)))
	must(t, p, err)
	sc, err := p.scene(canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	var drawn strings.Builder
	for _, b := range sc.Boxes {
		drawn.WriteString(strings.Trim(b.Text, "\u2068\u2069") + " ")
	}
	all := strings.NewReplacer("\u2068", "", "\u2069", "").Replace(drawn.String())
	for _, want := range []string{"[1] 1 s: first", "[2] 3 s: " + long, "plain"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in the picture: %q", want, all)
		}
	}
	if strings.Count(all, "[1]") != 2 || strings.Count(all, "[2]") != 2 {
		t.Errorf("each number stands at its place and before its text: %q", all)
	}
	var many []Mark
	for i := range 50 {
		many = append(many, Mark{At: int64(i) * 1e8, Label: "n", Note: true})
	}
	texts := noteTexts(numbered(many), 0, 5e9)
	if len(texts) != mostNotes+1 || !strings.HasPrefix(texts[mostNotes], "30 more notes") {
		t.Errorf("%d lines, the last is %q", len(texts), texts[len(texts)-1])
	}
}
