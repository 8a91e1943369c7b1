package plots

import (
	"bytes"
	"errors"
	"flag"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"astrolabe/plots/canvas"
)

var update = flag.Bool("update", false, "rewrite the golden pictures in testdata")

// goldens are small on purpose; the layout and ink tests cover the rest.
func TestPicturesLookAsTheyDid(t *testing.T) {
	list := gallery(t)
	for _, name := range []string{"single", "stacked", "units", "bars", "histogram", "scatter by kernel", "box", "heatmap", "roofline", "latency", "correlation", "twin", "dark overlay"} {
		p := find(list, name)
		var buf bytes.Buffer
		if err := p.WriteTo(&buf, "png", canvas.Size{Width: 640, Height: 400, DPI: 96}); err != nil {
			t.Fatal(err)
		}
		compare(t, strings.ReplaceAll(name, " ", "-"), buf.Bytes())
	}
	pages, err := sampleReport(t, 4).Pages("png", canvas.Size{Width: 720})
	if err != nil || len(pages) != 1 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	compare(t, "report", pages[0])
}

// compare allows for pixels on edges: other architectures may round differently.
func compare(t *testing.T, name string, got []byte) {
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
	a, b := decode(t, got), decode(t, want)
	if a.Bounds() != b.Bounds() {
		t.Fatalf("%s is %v, the golden picture %v", name, a.Bounds(), b.Bounds())
	}
	off := 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			if max(math.Abs(float64(r)-float64(r2)), math.Abs(float64(g)-float64(g2)), math.Abs(float64(bl)-float64(bl2))) > 0x2000 {
				off++
			}
		}
	}
	if limit := a.Bounds().Dx() * a.Bounds().Dy() / 2000; off > limit {
		t.Errorf("%s: %d pixels differ from the golden picture, %d may", name, off, limit)
	}
}

func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestSameInputGivesSameBytes(t *testing.T) {
	for _, format := range canvas.Formats() {
		var first [][]byte
		var wg sync.WaitGroup
		results := make([][][]byte, 3)
		for i := range results { // at the same time, to catch shared state
			wg.Go(func() {
				pages, err := sampleReport(t, 60).Pages(format, canvas.Size{})
				if err != nil {
					t.Error(err)
				}
				results[i] = pages
			})
		}
		wg.Wait()
		first = results[0]
		for _, again := range results[1:] {
			if !slices.EqualFunc(first, again, bytes.Equal) {
				t.Errorf("%s: two drawings of one report differ", format)
			}
		}
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
	pages, err := sampleReport(t, 1).Pages("pdf", canvas.Size{})
	if err != nil || !bytes.Contains(pages[0], []byte("20241103123000")) {
		t.Errorf("the report does not carry the time of its capture (%v)", err)
	}
}

func TestSVGHasRealTextAndNothingElseFromTheData(t *testing.T) {
	withFonts(t, foreignFont(t, "</desc><script>", "日本"))
	p, err := Timeline(TimelineOptions{Title: `<script>"&' 日本 \x01` + "\x01"}, series("a", "", 1, []float64{1}))
	var buf bytes.Buffer
	if err := must(t, p, err).WriteTo(&buf, "svg", canvas.Size{}); err != nil {
		t.Fatal(err)
	}
	doc := buf.String()
	if strings.Contains(doc, "<script>") || strings.Contains(doc, "\x01") || !strings.Contains(doc, "日本") || strings.Count(doc, "<text ") != strings.Count(doc, "</text>") {
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
	for _, f := range canvas.Formats() {
		if _, err := oddReport(t).Pages(f, canvas.Size{Width: 800}); err != nil {
			t.Errorf("odd report as %s: %v", f, err)
		}
	}
}

func TestSizesAreCheckedAndDPIScalesText(t *testing.T) {
	p := find(gallery(t), "single")
	for _, bad := range []canvas.Size{{Width: 10, Height: 10, DPI: 96}, {Width: -1, Height: 0, DPI: 0}, {Width: 40000, Height: 100, DPI: 96}, {Width: 1600, Height: 900, DPI: 5}, {Width: 1600, Height: 900, DPI: 9999}, {Width: 30000, Height: 30000, DPI: 96}} {
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
	if a, b := height(canvas.Size{Width: 3200, Height: 1800, DPI: 96}), height(canvas.Size{Width: 3200, Height: 1800, DPI: 192}); math.Abs(b/a-2) > 0.01 {
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
	err := p.SaveWith(func(string) (io.WriteCloser, error) { return brokenFile{&aborted}, nil }, "out.png", canvas.Size{})
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

func TestLongReportsArePaginated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.png")
	paths, err := sampleReport(t, 200).Save(path, canvas.Size{})
	if err != nil || len(paths) < 3 || filepath.Base(paths[1]) != "out-2.png" {
		t.Fatalf("%v, %v", paths, err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if b := decode(t, data).Bounds(); b.Dx() != 1600 || b.Dy() > maxPageHeight {
			t.Errorf("%s is %v", p, b)
		}
	}
	if err := sampleReport(t, 200).WriteTo(io.Discard, "png", canvas.Size{}); err == nil || !strings.Contains(err.Error(), "pages") {
		t.Errorf("several pages in one PNG: %v", err)
	}
	// The header of the table stands on every page that continues it, and every row on exactly one.
	scenes, err := sampleReport(t, 200).scenes("png", canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	heads, rows := 0, 0
	for _, sc := range scenes {
		for _, b := range sc.Boxes {
			if b.Text == "Missing" {
				heads++
			}
			if strings.HasPrefix(b.Text, "TCP Cache Performance/Hit Rate") {
				rows++
			}
		}
	}
	if heads != len(scenes) || rows != 200 {
		t.Errorf("%d headers on %d pages, %d rows", heads, len(scenes), rows)
	}
}

func TestFindingsComeGravestFirst(t *testing.T) {
	var got []string
	for _, f := range sampleReport(t, 1).Findings() {
		got = append(got, f.Severity.String())
	}
	if want := []string{"critical", "warning", "info", "good"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if s, err := canvas.ParseSeverity(" Critical"); s != canvas.Critical || err != nil {
		t.Error(s, err)
	}
	if _, err := canvas.ParseSeverity("fatal"); err == nil {
		t.Error("fatal is accepted")
	}
}
