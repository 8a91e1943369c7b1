package charts

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

// goldens are small on purpose; the layout and ink tests cover the rest.
func TestEveryPictureLooksAsItDid(t *testing.T) {
	list := gallery(t)
	for _, name := range []string{"single", "stacked", "units", "bars", "histogram", "scatter by kernel", "box",
		"heatmap", "roofline", "latency", "correlation", "twin", "dark overlay", "notes",
		"two frames"} {
		p := find(list, name)
		var buf bytes.Buffer
		if err := p.WriteTo(&buf, "png", canvas.Size{Width: 640, Height: 400, DPI: 96}); err != nil {
			t.Fatal(err)
		}
		canvastest.Compare(t, strings.ReplaceAll(name, " ", "-"), buf.Bytes())
	}
}

func TestPDFCarriesNoTimeOfDrawing(t *testing.T) {
	p := find(gallery(t), "single")
	var buf bytes.Buffer
	if err := p.WriteTo(&buf, "pdf", canvas.Size{}); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(buf.Bytes(), []byte("Date")) {
		t.Error("a chart without a capture's time is dated")
	}
}

func TestSVGHasRealTextAndNothingElseFromTheData(t *testing.T) {
	canvastest.WithFonts(t, canvastest.ForeignFont(t, "</desc><script>", "日本"))
	p, err := Timeline(TimelineOptions{Title: `<script>"&' 日本 \x01` + "\x01"}, series("a", "", 1, []float64{1}))
	var buf bytes.Buffer
	if err := must(t, p, err).WriteTo(&buf, "svg", canvas.Size{}); err != nil {
		t.Fatal(err)
	}
	doc := buf.String()
	if strings.Contains(doc, "<script>") || strings.Contains(doc, "\x01") || !strings.Contains(doc, "日本") ||
		strings.Count(doc, "<text ") != strings.Count(doc, "</text>") {
		t.Errorf("unexpected document: %.600s", doc)
	}
}

func TestEveryPictureIsDrawnInEveryFormat(t *testing.T) {
	for _, p := range gallery(t) {
		for _, f := range canvas.Formats() {
			if err := p.plot.WriteTo(io.Discard, f, canvas.Size{Width: 400, Height: 300, DPI: 96}); err != nil {
				t.Errorf("%s.%s: %v", p.name, f, err)
			}
		}
	}
}

func TestSizesAreCheckedAndDPIScalesText(t *testing.T) {
	p := find(gallery(t), "single")
	for _, bad := range []canvas.Size{{Width: 10, Height: 10, DPI: 96}, {Width: -1, Height: 0, DPI: 0},
		{Width: 40000, Height: 100, DPI: 96}, {Width: 1600, Height: 900, DPI: 5}, {Width: 1600, Height: 900, DPI: 9999},
		{Width: 30000, Height: 30000, DPI: 96}} {
		if err := p.WriteTo(io.Discard, "png", bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	height := func(sz canvas.Size) float64 {
		sc, err := p.scene(sz)
		if err != nil {
			t.Fatal(err)
		}
		return sc.Boxes[0].H * sc.Scale / float64(sz.Height)
	}
	if a, b := height(canvas.Size{Width: 3200, Height: 1800, DPI: 96}),
		height(canvas.Size{Width: 3200, Height: 1800, DPI: 192}); math.Abs(b/a-2) > 0.01 {
		t.Errorf("text takes %.4f of the height at 96 dpi and %.4f at 192", a, b)
	}
}

func TestUnknownFormatsNameTheKnownOnes(t *testing.T) {
	p := find(gallery(t), "single")
	for _, path := range []string{"out.jpeg", "out", "dir.png/out"} {
		var fe *canvas.UnknownFormatError
		err := p.Save(filepath.Join(t.TempDir(), path), canvas.Size{})
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), ".png, .svg, .pdf") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := p.WriteTo(io.Discard, "PNG", canvas.Size{Width: 400, Height: 300, DPI: 96}); err != nil {
		t.Error(err)
	}
}

type brokenFile struct{ aborted *bool }

func (brokenFile) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }
func (brokenFile) Close() error              { return nil }
func (b brokenFile) Abort()                  { *b.aborted = true }

func TestAFailedWriteLeavesNothingBehind(t *testing.T) {
	p := find(gallery(t), "single")
	aborted := false
	err := p.saveWith(func(string) (io.WriteCloser, error) {
		return brokenFile{&aborted}, nil
	}, "out.png", canvas.Size{})
	if err == nil || !aborted || !strings.Contains(err.Error(), "out.png: no space left") {
		t.Errorf("error %v, aborted %v", err, aborted)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "keep.png"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := canvas.Files(filepath.Join(dir, "keep.png"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	f.(interface{ Abort() }).Abort()
	names, _ := os.ReadDir(dir)
	if old, _ := os.ReadFile(filepath.Join(dir, "keep.png")); string(old) != "old" || len(names) != 1 {
		t.Errorf("%q is left, among %v", old, names)
	}
}
