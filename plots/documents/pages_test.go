package documents

import (
	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
	"astrolabe/plots/charts"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestAPageLooksAsItDid(t *testing.T) {
	pages, err := sampleReport(t, 4).Pages("png", canvas.Size{Width: 720})
	if err != nil || len(pages) != 1 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	canvastest.Compare(t, "report", pages[0])
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

func TestAPDFCarriesTheTimeOfItsCapture(t *testing.T) {
	pages, err := sampleReport(t, 1).Pages("pdf", canvas.Size{})
	if err != nil || !bytes.Contains(pages[0], []byte("20241103123000")) {
		t.Errorf("the report does not carry the time of its capture (%v)", err)
	}
}

func TestOddReportsAreDrawnInEveryFormat(t *testing.T) {
	for _, f := range canvas.Formats() {
		if _, err := oddReport(t).Pages(f, canvas.Size{Width: 800}); err != nil {
			t.Errorf("odd report as %s: %v", f, err)
		}
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
		if b := canvastest.Decode(t, data).Bounds(); b.Dx() != 1600 || b.Dy() > maxPageHeight {
			t.Errorf("%s is %v", p, b)
		}
	}
	if err := sampleReport(t, 200).WriteTo(io.Discard, "png", canvas.Size{}); err == nil ||
		!strings.Contains(err.Error(), "pages") {
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

func TestNoTextOfAReportOverlapsOrLeavesItsPage(t *testing.T) {
	for name, r := range map[string]*Report{"sample": sampleReport(t, 120), "odd": oddReport(t), "empty": {}} {
		for _, format := range canvas.Formats() {
			for _, sz := range []canvas.Size{{}, {Width: 800}, {Width: 400}, {Width: 1600, Height: 900},
				{Width: 3200, DPI: 192}} {
				scenes, err := r.scenes(format, sz)
				if err != nil {
					t.Fatal(err)
				}
				for i, sc := range scenes {
					canvastest.CheckLayout(t, fmt.Sprintf("%s.%s at %v, page %d", name, format, sz, i+1), sc)
				}
			}
		}
	}
}

func TestAReportInSVGHasAllOfItsPages(t *testing.T) {
	r := sampleReport(t, 120)
	png, err := r.Pages("png", canvas.Size{Width: 1600, Height: 900})
	if err != nil {
		t.Fatal(err)
	}
	svg, err := r.Pages("svg", canvas.Size{Width: 1600, Height: 900})
	if err != nil || len(svg) != len(png) || len(svg) < 3 {
		t.Errorf("%d pages as PNG, %d as SVG: %v", len(png), len(svg), err)
	}
	if whole, err := r.Pages("svg", canvas.Size{}); err != nil || len(whole) != 1 {
		t.Errorf("%d pages without a height: %v", len(whole), err)
	}
}

func TestLanesGoOnOnTheNextPage(t *testing.T) {
	r := canvastest.Noise()
	var channels []charts.Series
	for k := range 80 {
		channels = append(channels, series(fmt.Sprintf("ShaderCoreUtil[%d]", k), "%", 1e6,
			canvastest.Values(2000, func(i int) float64 {
				return 50 + 10*math.Sin(float64(i)/300+float64(k)) + 10*r.NormFloat64()
			})))
	}
	p, err := charts.Timeline(charts.TimelineOptions{Title: "Channels"}, channels...)
	doc := &Report{Title: "Channels", Items: []Item{Chart{must(t, p, err)}}}
	scenes, err := doc.scenes("pdf", canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for i, sc := range scenes {
		axes := 0
		for _, b := range sc.Boxes {
			if strings.HasPrefix(b.Text, "ShaderCoreUtil[") {
				names++
			}
			if b.Text == "time [s]" {
				axes++
			}
		}
		if axes != 1 {
			t.Errorf("page %d has %d time axes", i+1, axes)
		}
	}
	if names != 80 || len(scenes) < 2 {
		t.Errorf("%d names of 80 on %d pages", names, len(scenes))
	}
}

// The legend of what is shaded stands once on a page, also where several timelines share it.
func TestEveryShadeOfAPageHasALegend(t *testing.T) {
	p, err := charts.Timeline(charts.TimelineOptions{
		Gaps: []charts.Interval{{Start: 1e8, End: 2e8, Label: "the ring was full"},
			{Start: 3e8, End: 4e8, Label: "the ring was full"}, {Start: 9e9, End: 10e9}},
		Spans: []charts.Interval{{Start: 0, End: 1e8, Label: "phase 1"}, {Start: 1e8, End: 6e8, Label: "phase 2"}},
		Bands: []charts.Band{{Lo: 10, Hi: 20}},
		To:    1e9,
	}, series("load", "%", 1e7, canvastest.Values(100, func(i int) float64 { return float64(i) })))
	must(t, p, err)
	want := []string{"no data: the ring was full · 2 stretches, 200 ms in all", "phase · 2 stretches, 600 ms in all",
		"10 % to 20 %"}
	doc := &Report{Items: []Item{Chart{p}, Chart{p}}}
	scenes, err := doc.scenes("png", canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if n := strings.Count(canvastest.TextOf(scenes[0]), w+"\n"); n != 1 {
			t.Errorf("report: %q stands there %d times", w, n)
		}
	}
	html, err := doc.html()
	if err != nil || !strings.Contains(string(html), want[0]) {
		t.Errorf("the HTML lacks the legend: %v", err)
	}
}
