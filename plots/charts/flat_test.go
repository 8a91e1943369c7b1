package charts

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

// longNumber is a number with more digits than an axis needs that is no closer than its data.
var longNumber = regexp.MustCompile(`\d\.\d{5,}`)

// chartsOf draws a series in every kind of chart that has an axis for its values.
func chartsOf(t *testing.T, unit string, y []float64) []picture {
	var out []picture
	add := func(name string, p *Plot, err error) { out = append(out, picture{name, must(t, p, err)}) }
	s := series("clock", unit, 1e6, y)
	for _, o := range []struct {
		name string
		o    TimelineOptions
	}{{"line", TimelineOptions{}}, {"spread", TimelineOptions{Style: Spread}}, {"log", TimelineOptions{Log: true}},
		{"twin", TimelineOptions{Twin: []Series{s}}},
		{"threshold", TimelineOptions{Bands: []Band{{Lo: y[0], Hi: y[0]}}}}} {
		p, err := Timeline(o.o, s)
		add(o.name, p, err)
	}
	p, err := Overlay(OverlayOptions{}, Pair{Name: "clock", Before: s, After: s, BeforeTotal: y[0], AfterTotal: y[1]})
	add("overlay", p, err)
	p, err = Histogram(HistogramOptions{Unit: unit}, Sample{"clock", y})
	add("histogram", p, err)
	p, err = Latency(LatencyOptions{Unit: unit}, Sample{"clock", y})
	add("latency", p, err)
	p, err = Box(BoxOptions{Unit: unit}, Sample{"clock", y})
	add("box", p, err)
	p, err = Box(BoxOptions{Unit: unit, Log: true}, Sample{"clock", y})
	add("box log", p, err)
	p, err = Heatmap(HeatmapOptions{}, s)
	add("heatmap", p, err)
	p, err = Heatmap(HeatmapOptions{Log: true}, s)
	add("heatmap log", p, err)
	p, err = Scatter(ScatterOptions{XUnit: unit, YUnit: unit, ColorUnit: unit, Color: y}, y, y)
	add("scatter", p, err)
	p, err = Scatter(ScatterOptions{XUnit: unit, YUnit: unit, LogX: true, LogY: true}, y, y)
	add("scatter log", p, err)
	return out
}

func TestValuesThatDifferByLessThanTheirPrecisionAreDrawnFlat(t *testing.T) {
	r := canvastest.Noise()
	for unit, base := range map[string]float64{"Hz": 1.05e9, "ms": 16.6, "cycles": 5e15, "bytes": 1 << 40, "°C": 61.5} {
		// That of a clock is one cycle more or less in samples of some milliseconds, as Intel's GPUs count them.
		share := map[string]float64{"Hz": 2e-6}[unit]
		y := canvastest.Values(2000, func(int) float64 { return base * (1 + max(share, 5e-8)*r.Float64()) })
		for _, c := range chartsOf(t, unit, y) {
			text := textsOf(t, c.plot)
			if !strings.Contains(text, "less than 0.001 % of their size: drawn flat") {
				t.Errorf("%s in %s does not say that it is drawn flat:\n%s", c.name, unit, text)
			}
			if long := longNumber.FindString(text); long != "" {
				t.Errorf("%s in %s has the label %s", c.name, unit, long)
			}
		}
		// What is seen is one level: the trace stays within the thickness of its line.
		p, err := Timeline(TimelineOptions{}, series("clock", unit, 1e6, y))
		sc, err2 := must(t, p, err).scene(canvas.Size{})
		if err2 != nil {
			t.Fatal(err2)
		}
		for _, o := range sc.Ops {
			if tr, ok := o.(canvas.TraceOp); ok {
				lo, hi := math.Inf(1), math.Inf(-1)
				for _, c := range tr.Trace.Cols {
					lo, hi = min(lo, c.Lo), max(hi, c.Hi)
				}
				if hi-lo > 0.5 {
					t.Errorf("%s: a flat line is %.1f pixels high", unit, hi-lo)
				}
			}
		}
	}
}

func TestValuesThatDifferMoreThanTheirPrecisionAreNotFlattened(t *testing.T) {
	r := canvastest.Noise()
	for unit, base := range map[string]float64{"Hz": 1.05e9, "ms": 16.6, "bytes": 1 << 40} {
		y := canvastest.Values(2000, func(int) float64 { return base * (1 + 5e-5*r.Float64()) })
		for _, c := range chartsOf(t, unit, y) {
			sc, err := c.plot.scene(canvas.Size{})
			if err != nil {
				t.Fatal(err)
			}
			canvastest.CheckLayout(t, fmt.Sprintf("%s in %s", c.name, unit), sc)
			if text := textsOf(t, c.plot); strings.Contains(text, "drawn flat") {
				t.Errorf("%s in %s is drawn flat", c.name, unit)
			}
		}
	}
}

func TestAnAxisThatWasAskedForIsNotFlattened(t *testing.T) {
	y := canvastest.Values(100, func(i int) float64 { return 1.05e9 + float64(i%50) })
	p, err := Timeline(TimelineOptions{Y: Range{1.05e9, 1.05e9 + 50}}, series("clock", "Hz", 1e6, y))
	if text := textsOf(t, must(t, p, err)); strings.Contains(text, "drawn flat") ||
		!strings.Contains(text, "1.05000002") {
		t.Errorf("the range that was given is not shown:\n%s", text)
	}
	p, err = Histogram(HistogramOptions{X: Range{1.05e9, 1.05e9 + 50}, Unit: "Hz"}, Sample{"clock", y})
	if text := textsOf(t, must(t, p, err)); strings.Contains(text, "drawn flat") {
		t.Errorf("the range that was given is not shown:\n%s", text)
	}
}

func TestTicksOfPowersOfTwoHaveNoMoreDigitsThanTellThemApart(t *testing.T) {
	a := newValueAxis(spread{1 << 40, 1<<40 + 64<<20}, Range{}, unitOf("bytes"), 5, false)
	for i, k := range a.ticks {
		if len(k.label) > len("1.0000061") || i > 0 && k.label == a.ticks[i-1].label {
			t.Errorf("ticks %v", a.ticks)
		}
	}
}

func TestEveryMarkedPercentileIsNamedAlsoWhereLabelsHaveNoRoom(t *testing.T) {
	p, err := Latency(LatencyOptions{Unit: "ms"}, Sample{"wait", canvastest.Values(100, func(int) float64 {
		return 16.6
	})})
	text := textsOf(t, must(t, p, err))
	for _, name := range []string{"p50", "p90", "p99", "p99.9", "max"} {
		if !strings.Contains(text, name+" 16.6 ms") {
			t.Errorf("%s is not named:\n%s", name, text)
		}
	}
}

func TestPercentagesThatRoundingLiftsAboveTheWholeKeepTheirAxis(t *testing.T) {
	for name, y := range map[string][]float64{"level": {100.00000000000001, 100.00000000000001},
		"stack": {40, 100.0004}, "below": {3, 100}} {
		a := newValueAxis(spread{min(y[0], y[1]), max(y[0], y[1])}, Range{}, unitOf("%"), 4, true)
		if a.lo != 0 || a.hi != 100 {
			t.Errorf("%s: from %g to %g", name, a.lo, a.hi)
		}
	}
	if a := newValueAxis(spread{40, 103}, Range{}, unitOf("%"), 4, true); a.hi < 103 {
		t.Errorf("103 %% is beyond %g", a.hi)
	}
}
