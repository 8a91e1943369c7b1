package charts

import (
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

func TestEveryShadeHasALegend(t *testing.T) {
	o := TimelineOptions{
		Title: "Load",
		Gaps: []Interval{{Start: 1e8, End: 2e8, Label: "the ring was full"},
			{Start: 3e8, End: 4e8, Label: "the ring was full"}, {Start: 9e9, End: 10e9}},
		Spans: []Interval{{Start: 0, End: 1e8, Label: "phase 1"}, {Start: 1e8, End: 6e8, Label: "phase 2"},
			{Start: 6e8, End: 7e8, Severity: canvas.Critical, Kind: "outside of the limit"}},
		Bands: []Band{{Lo: 10, Hi: 20}, {Lo: 60, Hi: 60}, {Lo: 80, Hi: 80, Label: "budget"}},
		To:    1e9,
	}
	want := []string{"no data: the ring was full · 2 stretches, 200 ms in all", "phase · 2 stretches, 600 ms in all",
		"outside of the limit · 100 ms", "10 % to 20 %", "at 60 %"}
	y := canvastest.Values(100, func(i int) float64 { return float64(i) })
	p, err := Timeline(o, series("load", "%", 1e7, y))
	must(t, p, err)
	column, err := TitledGrid("", [][]*Plot{{p}, {p}})
	must(t, column, err)
	for name, q := range map[string]*Plot{"one": p, "a column": column, "dark": p.WithTheme(canvas.Dark())} {
		text := textsOf(t, q)
		for _, w := range want {
			if n := strings.Count(text, w+"\n"); n != 1 {
				t.Errorf("%s: %q stands there %d times:\n%s", name, w, n, text)
			}
		}
	}
	plain, err := Timeline(TimelineOptions{Gaps: o.Gaps[2:], To: 1e9}, series("load", "%", 1e7, y))
	if text := textsOf(t, must(t, plain, err)); strings.Contains(text, "no data") {
		t.Errorf("the legend names what is not in the window:\n%s", text)
	}
}

func TestMissingDataAndLongerSamplesAreToldApart(t *testing.T) {
	o := TimelineOptions{Gaps: []Interval{{Start: 1e8, End: 2e8}},
		Late: []Interval{{Start: 6e8, End: 8e8, Label: "the recorder slept"}}}
	p, err := Timeline(o, series("load", "", 1e7, canvastest.Values(100, func(int) float64 { return 0 })))
	for _, theme := range []*canvas.Theme{canvas.Light(), canvas.Dark()} {
		q := must(t, p, err).WithTheme(theme)
		if text := textsOf(t, q); !strings.Contains(text, "no data · 100 ms\n") ||
			!strings.Contains(text, "one longer sample for several: the recorder slept · 200 ms\n") {
			t.Errorf("%s: the legend is\n%s", theme.Name, text)
		}
		img := paint(t, q, canvas.Size{})
		mid := img.Bounds().Dy() / 2
		if page, gap, late := img.At(700, mid), img.At(285, mid), img.At(1120, mid); gap == late ||
			gap == page || late == page {
			t.Errorf("%s: page %v, gap %v, late %v", theme.Name, page, gap, late)
		}
	}
}

func TestOnlyGapsThatCapturesShareAreDrawnBehindBoth(t *testing.T) {
	a := []Interval{{Start: 0, End: 10, Label: "x"}, {Start: 20, End: 40, Label: "x"}, {Start: 50, End: 60, Label: "x"}}
	b := []Interval{{Start: 5, End: 25, Label: "x"}, {Start: 30, End: 35, Label: "y"}}
	want := []Interval{{Start: 5, End: 10, Label: "x"}, {Start: 20, End: 25, Label: "x"}, {Start: 30, End: 35}}
	if got := Shared(a, b); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Shared(b, nil); got != nil {
		t.Errorf("%v of nothing", got)
	}
}

func TestPhasesThatTouchAreToldApart(t *testing.T) {
	p, err := Timeline(TimelineOptions{Spans: []Interval{{Start: 0, End: 5e8, Label: "phase 1"},
		{Start: 5e8, End: 1e9, Label: "phase 2"}}},
		series("load", "", 1e7, canvastest.Values(100, func(int) float64 { return 0 })))
	img := paint(t, must(t, p, err), canvas.Size{})
	mid := img.Bounds().Dy() / 2
	if a, b := img.At(400, mid), img.At(1200, mid); a == b {
		t.Errorf("both phases are drawn in %v", a)
	}
}

func TestTheLabelOfAThresholdLeavesDataFree(t *testing.T) {
	// The line stands at the threshold everywhere but in one stretch near the left edge.
	y := canvastest.Values(100, func(i int) float64 {
		if i >= 5 && i < 30 {
			return 10
		}
		return 50 + 3*math.Sin(float64(i))
	})
	p, err := Timeline(TimelineOptions{Bands: []Band{{Lo: 50, Hi: 50, Label: "budget"}}, Y: Range{0, 100}},
		series("load", "", 1e7, y))
	sc, err2 := must(t, p, err).scene(canvas.Size{Width: 1600, Height: 300})
	if err2 != nil {
		t.Fatal(err2)
	}
	var label canvas.Rect
	for _, b := range sc.Boxes {
		if b.Text == "budget" {
			label = b.Rect
		}
	}
	for _, o := range sc.Ops {
		if tr, ok := o.(canvas.TraceOp); ok {
			if ink := inkWithin(label, []*canvas.Trace{tr.Trace}); label.W == 0 || ink > 0 {
				t.Errorf("the label at %v covers %.0f pixels of data", label, ink)
			}
		}
	}
}

func TestThresholdsBeyondTheAxisAreNamedAtItsEnds(t *testing.T) {
	y := canvastest.Values(200, func(i int) float64 { return 22.1 + 0.01*float64(i%7) })
	p, err := Timeline(TimelineOptions{Bands: []Band{{Lo: 1, Hi: 1, Label: "at most 1 %"}, {Lo: 80, Hi: 80},
		{Lo: 22.12, Hi: 22.12, Label: "within"}}}, series("culled", "%", 1e6, y))
	sc, err2 := must(t, p, err).scene(canvas.Size{})
	if err2 != nil {
		t.Fatal(err2)
	}
	canvastest.CheckLayout(t, "thresholds", sc)
	text := canvastest.TextOf(sc)
	for _, want := range []string{"↓ at most 1 %", "↑ at 80 %", "\nwithin"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
