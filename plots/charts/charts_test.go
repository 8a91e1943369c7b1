package charts

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

// textsOf draws a plot and returns all texts of it in one string.
func textsOf(t *testing.T, p *Plot) string {
	t.Helper()
	sc, err := p.scene(canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, box := range sc.Boxes {
		b.WriteString(box.Text + "\n")
	}
	return b.String()
}

// changed counts the pixels in which two pictures of one size differ clearly.
func changed(a, b *image.RGBA) int {
	n := 0
	for i := 0; i < len(a.Pix); i += 4 {
		if !near(a.Pix[i], b.Pix[i]) || !near(a.Pix[i+1], b.Pix[i+1]) || !near(a.Pix[i+2], b.Pix[i+2]) {
			n++
		}
	}
	return n
}

const million = 1_000_000

// TestASingleExtremeLeavesInkInEveryChart changes one value of a million, within the ends of the axes, and compares.
func TestASingleExtremeLeavesInkInEveryChart(t *testing.T) {
	r := canvastest.Noise()
	calm := canvastest.Values(million, func(int) float64 { return 50 + r.Float64() })
	calm[0], calm[1] = 1, 100 // fix the axes
	spiky := append([]float64(nil), calm...)
	spiky[700_000] = 90
	line := func(style Style, log bool) func(y []float64) (*Plot, error) {
		return func(y []float64) (*Plot, error) {
			return Timeline(TimelineOptions{Style: style, Log: log}, series("a", "", 1000, y))
		}
	}
	steps := canvastest.Values(million, func(i int) float64 { return float64(i) })
	charts := map[string]struct {
		least int
		draw  func(y []float64) (*Plot, error)
	}{
		"area":    {100, line(Area, false)},
		"spread":  {200, line(Spread, false)},
		"log":     {50, line(Line, true)},
		"scatter": {2, func(y []float64) (*Plot, error) { return Scatter(ScatterOptions{}, steps, y) }},
		"box":     {10, func(y []float64) (*Plot, error) { return Box(BoxOptions{}, Sample{"a", y}) }},
		"heatmap": {100, func(y []float64) (*Plot, error) {
			return Heatmap(HeatmapOptions{}, series("a", "", 1000, y))
		}},
		"latency": {20, func(y []float64) (*Plot, error) {
			return Latency(LatencyOptions{Percentiles: []float64{}}, Sample{"a", y})
		}},
	}
	for name, c := range charts {
		flat, err := c.draw(calm)
		before := paint(t, must(t, flat, err), canvas.Size{})
		spike, err := c.draw(spiky)
		if n := changed(before, paint(t, must(t, spike, err), canvas.Size{})); n < c.least {
			t.Errorf("%s: a single value of 90 among a million of 50 changes %d pixels, want at least %d",
				name, n, c.least)
		}
	}
}

func TestAFlatLineOfAMillionCrossesEveryTimeChart(t *testing.T) {
	flat := canvastest.Values(million, func(int) float64 { return 3 })
	for name, o := range map[string]TimelineOptions{"area": {Style: Area}, "spread": {Style: Spread},
		"log": {Log: true}} {
		p, err := Timeline(o, series("a", "", 1000, flat))
		if ink := inkIn(paint(t, must(t, p, err), canvas.Size{}), 0, 1600, blue); ink < 2*1400 {
			t.Errorf("%s: a flat line has %d pixels of ink", name, ink)
		}
	}
}

func TestMissingValuesLeaveNoInk(t *testing.T) {
	y := canvastest.Values(1000, func(i int) float64 {
		if i >= 400 && i < 600 {
			return math.NaN()
		}
		return 5
	})
	for name, o := range map[string]TimelineOptions{"area": {Style: Area}, "spread": {Style: Spread},
		"log": {Log: true}} {
		p, err := Timeline(o, series("a", "", 1000, y))
		if ink := inkIn(paint(t, must(t, p, err), canvas.Size{}), 720, 900, blue); ink != 0 {
			t.Errorf("%s: %d pixels of ink where values are missing", name, ink)
		}
	}
	p, err := Heatmap(HeatmapOptions{}, series("a", "", 1000, y))
	img := paint(t, must(t, p, err), canvas.Size{})
	gap := canvas.Light().GapFill
	if ink := inkIn(img, 660, 840, [3]uint8{gap.R, gap.G, gap.B}); ink < 180*500 {
		t.Errorf("heat map: %d pixels are hatched where values are missing", ink)
	}
}

func TestGapsAndLateTimeAreShadedInColoursOfTheirOwn(t *testing.T) {
	ink := func(o TimelineOptions, c color.NRGBA) int {
		p, err := Timeline(o, series("a", "", 1000, canvastest.Values(1000, func(int) float64 { return 5 })))
		img, n := paint(t, must(t, p, err), canvas.Size{}), 0
		for i := 0; i < len(img.Pix); i += 4 {
			if img.Pix[i] == c.R && img.Pix[i+1] == c.G && img.Pix[i+2] == c.B {
				n++
			}
		}
		return n
	}
	stretch := []Interval{{Start: 200e3, End: 400e3}}
	for _, t1 := range []*canvas.Theme{canvas.Light(), canvas.Dark()} {
		if t1.GapFill == t1.LateFill || t1.LateFill == t1.Page {
			t.Errorf("%s: late time has the colour %v, gaps %v", t1.Name, t1.LateFill, t1.GapFill)
		}
	}
	gap, late := canvas.Light().GapFill, canvas.Light().LateFill
	plain := TimelineOptions{}
	for name, x := range map[string]struct {
		o           TimelineOptions
		fill, other color.NRGBA
	}{"a gap": {TimelineOptions{Gaps: stretch}, gap, late}, "late time": {TimelineOptions{Late: stretch}, late, gap}} {
		if more, other := ink(x.o, x.fill)-ink(plain, x.fill), ink(x.o, x.other)-ink(plain, x.other); more < 50000 ||
			other > 100 {
			t.Errorf("%s: %d pixels more of its colour and %d of the other", name, more, other)
		}
	}
}

func TestEmptyInputIsASentence(t *testing.T) {
	seen := 0
	for _, p := range chartGallery(t) {
		if strings.HasSuffix(p.name, "of none") || strings.HasSuffix(p.name, "of missing") || p.name == "log of zeros" {
			seen++
			if text := textsOf(t, p.plot); !strings.Contains(text, "no data") {
				t.Errorf("%s says only %q", p.name, text)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d empty charts", seen)
	}
}

func TestAFitFindsTheLineItWasGiven(t *testing.T) {
	x := canvastest.Values(100, func(i int) float64 { return float64(i + 1) })
	y := canvastest.Values(100, func(i int) float64 { return 7 - 2*x[i] })
	p, err := Scatter(ScatterOptions{Fit: true, XUnit: "ms"}, x, y)
	if text := textsOf(t, must(t, p, err)); !strings.Contains(text, "y = −2 · x + 7, R² = 1 (x in ms)") {
		t.Errorf("%q", text)
	}
	y = canvastest.Values(100, func(i int) float64 { return 3 * math.Pow(x[i], 1.5) })
	p, err = Scatter(ScatterOptions{Fit: true, LogX: true, LogY: true}, x, y)
	if text := textsOf(t, must(t, p, err)); !strings.Contains(text, "y = 3 · x^1.5, R² = 1") {
		t.Errorf("%q", text)
	}
	p, err = Scatter(ScatterOptions{Fit: true}, []float64{1, 1, 1}, []float64{1, 2, 3})
	if text := textsOf(t, must(t, p, err)); !strings.Contains(text, "no fit: every x is the same") {
		t.Errorf("%q", text)
	}
}

func TestBoxesShowQuartilesAndCountOutliers(t *testing.T) {
	p, err := Box(BoxOptions{}, Sample{"a", []float64{1, 2, 3, 4, 5, 100, -80, math.NaN()}})
	r := must(t, p, err).body.(*box).rows[0]
	if r.median != 3 || r.q1 != 1.5 || r.q3 != 4.5 || r.low != 1 || r.high != 5 || r.below != 1 || r.beyondHigh != 1 {
		t.Errorf("%+v", r)
	}
}

func TestCorrelationsAreThoseOfCompletePairs(t *testing.T) {
	nan := math.NaN()
	a := []float64{1, 2, 3, 4, nan}
	p, err := Correlation(CorrelationOptions{}, Sample{"a", a}, Sample{"b", []float64{-2, -4, -6, -8, 1}},
		Sample{"c", []float64{5, 5, 5, 5, 9}}, Sample{"d", []float64{1, 10, 100, 1000, 0}})
	c := must(t, p, err).body.(*correlation)
	if c.r[0][1] != -1 || !math.IsNaN(c.r[0][2]) {
		t.Errorf("%v", c.r)
	}
	p, err = Correlation(CorrelationOptions{Method: "spearman"}, Sample{"a", a},
		Sample{"d", []float64{1, 10, 100, 1000, 0}})
	if r := must(t, p, err).body.(*correlation).r[0][1]; r != 1 {
		t.Errorf("the ranks correlate with %v", r)
	}
	if got := ranks([]float64{10, 30, 20, 20}); got[0] != 1 || got[1] != 4 || got[2] != 2.5 || got[3] != 2.5 {
		t.Errorf("ranks %v", got)
	}
	if _, err := Correlation(CorrelationOptions{}, Sample{"a", a}, Sample{"b", a[:2]}); err == nil {
		t.Error("samples of unlike length are accepted")
	}
}

func TestARooflineSaysHowNearTheLimitWorkComes(t *testing.T) {
	p, err := Roofline(RooflineOptions{Bandwidth: []Roof{{"DRAM", 100}}, Compute: []Roof{{"ALU", 1000}}},
		RoofPoint{"low", 1, 50}, RoofPoint{"high", 50, 250})
	text := textsOf(t, must(t, p, err))
	if !strings.Contains(text, "50 % of DRAM") || !strings.Contains(text, "25 % of ALU") {
		t.Errorf("%q", text)
	}
	if _, err := Roofline(RooflineOptions{Bandwidth: []Roof{{"DRAM", 0}}, Compute: []Roof{{"ALU", 1}}}); err == nil {
		t.Error("a limit of zero is accepted")
	}
}

func TestTwinAxesAreChecked(t *testing.T) {
	a, b := series("a", "Hz", 1, []float64{1}), series("b", "°C", 1, []float64{1})
	if _, err := Timeline(TimelineOptions{Twin: []Series{a, b}}, a); err == nil {
		t.Error("two units on the right axis are accepted")
	}
	if _, err := Timeline(TimelineOptions{Twin: []Series{a}}, a, b); err == nil {
		t.Error("a third axis is accepted")
	}
	if _, err := Timeline(TimelineOptions{Log: true, Stacked: true}, a); err == nil {
		t.Error("a logarithmic stack is accepted")
	}
}

func TestValuesThatALogAxisCannotShowAreCountedInTheWindowAndAreNotMissing(t *testing.T) {
	nan := math.NaN()
	p, err := Timeline(TimelineOptions{Log: true, From: 25e8, To: 10e9},
		series("a", "Hz", 1e9, []float64{0, 0, 0, 5, 7, nan, 9, 11, 13, 15}))
	if err != nil {
		t.Fatal(err)
	}
	got := textsOf(t, p)
	if !strings.Contains(got, "1 value is zero or below") {
		t.Errorf("the zero in the window is not counted alone:\n%s", got)
	}
	if !strings.Contains(got, "12 % missing") { // one of eight
		t.Errorf("zeros count as missing:\n%s", got)
	}
}

func TestLogAxesLabelDecadesAndPowersOfTwo(t *testing.T) {
	labels := func(a valueAxis) string {
		var out []string
		for _, k := range a.ticks {
			out = append(out, k.label)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		lo, hi float64
		unit   string
		n      int
		want   string
	}{
		{1e-6, 1, "s", 8, "1 µs 10 µs 100 µs 1 ms 10 ms 100 ms 1 s"},
		{1, 1 << 20, "B", 6, "1 B 16 B 256 B 4 KiB 64 KiB 1 MiB"},
		{1, 1e6, "cycles", 4, "1 100 10k 1M"},
		{20, 60, "", 6, "20 30 40 50 60"},
	} {
		if got := labels(newLogAxis(spread{c.lo, c.hi}, Range{}, unitOf(c.unit), c.n)); got != c.want {
			t.Errorf("%g to %g %s: %q, want %q", c.lo, c.hi, c.unit, got, c.want)
		}
	}
}

// contrast is the ratio of WCAG 2.1.
func contrast(a, b color.NRGBA) float64 {
	x, y := canvas.Luminance(a)+0.05, canvas.Luminance(b)+0.05
	return max(x, y) / min(x, y)
}

func TestThemesAndSizesHaveNames(t *testing.T) {
	p := find(gallery(t), "single")
	for _, name := range []string{"light", "dark"} {
		th, err := canvas.ThemeNamed(name)
		if err != nil || th.Name != name {
			t.Errorf("%s: %v", name, err)
		}
		for i, c := range th.Series {
			if contrast(c, th.Page) < 2 {
				t.Errorf("%s: series colour %d has a contrast of %.1f with the page", name, i, contrast(c, th.Page))
			}
		}
		if contrast(th.Ink, th.Page) < 7 || contrast(th.Muted, th.Page) < 4.5 ||
			contrast(th.OnAccent, th.Critical) < 4.5 || contrast(th.OnAccent, th.Warning) < 4.5 {
			t.Errorf("%s: text is hard to read", name)
		}
	}
	if _, err := canvas.ThemeNamed("blue"); err == nil {
		t.Error("the theme blue is accepted")
	}
	for _, name := range []string{"page", "ticket", "ticket2x", "slide", "print"} {
		sz, err := canvas.SizeNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := p.WriteTo(&b, "png", sz); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := canvas.SizeNamed("poster"); err == nil {
		t.Error("the size poster is accepted")
	}
}

// TestTheTitleOfAGridStandsOverItsCharts covers grids of unlike charts and columns of timelines, which are laid out in
// other ways.
func TestTheTitleOfAGridStandsOverItsCharts(t *testing.T) {
	line, err := Timeline(TimelineOptions{Title: "Clock"}, series("clk", "Hz", 1000, []float64{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	bins, err := Histogram(HistogramOptions{}, Sample{"hits", []float64{1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	for name, rows := range map[string][][]*Plot{"mixed": {{line}, {bins, bins}}, "column": {{line}, {line}},
		"nested": {{bins, line}}} {
		g, err := TitledGrid("Frame 12", rows)
		if err != nil {
			t.Fatal(err)
		}
		got := textsOf(t, g)
		if !strings.HasPrefix(got, "Frame 12\n") || strings.Count(got, "Frame 12") != 1 {
			t.Errorf("%s: the first text is not the title of the grid:\n%s", name, got)
		}
		if strings.Count(got, "Clock") == 0 {
			t.Errorf("%s: the chart lost its own title:\n%s", name, got)
		}
		if plain := textsOf(t, rows[0][0]); strings.Contains(plain, "Frame 12") {
			t.Errorf("%s: the title of the grid went into its chart", name)
		}
	}
}

func TestPercentilesThatAreAskedForAreMarkedForEverySeries(t *testing.T) {
	one, two := Sample{"before", []float64{1, 2, 3}}, Sample{"after", []float64{4, 5, 6}}
	for _, c := range []struct {
		ask  []float64
		want []string
	}{{nil, nil}, {[]float64{50}, []string{"before p50 2", "after p50 5"}}} {
		p, err := Histogram(HistogramOptions{Percentiles: c.ask}, one, Sample{"none", nil}, two)
		if err != nil {
			t.Fatal(err)
		}
		got := textsOf(t, p)
		for _, w := range c.want {
			if !strings.Contains(got, w+"\n") {
				t.Errorf("%v: no %q in\n%s", c.ask, w, got)
			}
		}
		if len(c.want) == 0 && strings.Contains(got, "p50") {
			t.Errorf("marks that were not asked for:\n%s", got)
		}
	}
}
