package documents

import (
	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
	"astrolabe/plots/charts"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// foreignReport has foreign text in every place that text comes from.
func foreignReport(t testing.TB, name string) *Report {
	y := []float64{41, 42.5, 44, 43}
	line, err := charts.Timeline(charts.TimelineOptions{Title: name + " over time", YLabel: name,
		Marks: []charts.Mark{{At: 1e6, Label: name}}, Bands: []charts.Band{{Lo: 42, Hi: 42, Label: name}},
		Spans: []charts.Interval{{Start: 1e6, End: 2e6, Label: name + " 1"}}}, series(name, "°C", 1e6, y),
		series(name+" 2", "°C", 1e6, y))
	must(t, line, err)
	lanes, err := charts.Timeline(charts.TimelineOptions{Title: name, Lanes: charts.AlwaysLanes},
		series(name, "", 1e6, y), series(name+" 2", "", 1e6, y))
	must(t, lanes, err)
	bars, err := charts.Bar(charts.BarOptions{Title: name, YLabel: name, Unit: "ms",
		Labels: []string{name, name + " (12)"}}, charts.BarSeries{Values: []float64{1, 2}})
	must(t, bars, err)
	hist, err := charts.Histogram(charts.HistogramOptions{Title: name, XLabel: name},
		charts.Sample{Name: name, Values: y}, charts.Sample{Name: name + "!", Values: y})
	must(t, hist, err)
	points, err := charts.Scatter(charts.ScatterOptions{Title: name, XLabel: name, YLabel: name,
		Groups: []string{name, name, "b", "b"}}, y, y)
	must(t, points, err)
	boxes, err := charts.Box(charts.BoxOptions{Title: name, XLabel: name}, charts.Sample{Name: name, Values: y})
	must(t, boxes, err)
	heat, err := charts.Heatmap(charts.HeatmapOptions{Title: name}, series(name, "", 1e6, y))
	must(t, heat, err)
	roof, err := charts.Roofline(charts.RooflineOptions{Title: name,
		Bandwidth: []charts.Roof{{Name: name, Value: 1e11}}, Compute: []charts.Roof{{Name: name, Value: 1e12}}},
		charts.RoofPoint{Name: name, Intensity: 1, Rate: 1e10})
	must(t, roof, err)
	corr, err := charts.Correlation(charts.CorrelationOptions{Title: name}, charts.Sample{Name: name, Values: y},
		charts.Sample{Name: name + "2", Values: []float64{1, 3, 2, 4}})
	must(t, corr, err)
	over, err := charts.Overlay(charts.OverlayOptions{Before: name, After: name + "2"},
		charts.Pair{Name: name, Before: series("a", "", 1e6, y), After: series("b", "", 1e6, y),
			BeforeTotal: 1, AfterTotal: 2})
	must(t, over, err)
	pair, err := charts.TitledGrid(name, [][]*charts.Plot{{bars, hist}})
	must(t, pair, err)
	return &Report{Title: name, Provenance: []KV{{name, name}}, Command: "astrolabe run " + name,
		Items: []Item{Finding{ID: name, Severity: canvas.Warning, Title: name, Metric: name, Value: name,
			Threshold: name, Source: name, Advice: name + " **" + name + "** `" + name + "`", Evidence: []string{name}},
			Text("# " + name + "\n" + strings.Repeat(name+" **"+name+"** and `"+name+"`. ", 12) + "\n\n- " + name +
				"\n\n```\n" + name + "\n```\n"),
			Table{Title: name, Columns: []Column{{Name: name, Unit: name}, {Name: "b"}},
				Rows: [][]string{{name, "1"}, {"c", name}}},
			Chart{line}, Chart{lanes}, Chart{pair}, Chart{points}, Chart{boxes}, Chart{heat}, Chart{roof},
			Chart{corr}, Chart{over}}}
}

func TestForeignTextIsDrawnInEveryFormat(t *testing.T) {
	canvastest.WithFonts(t, canvastest.ForeignFont(t, "Test Sans", canvastest.ForeignText))
	r := foreignReport(t, "温度")
	r.Warn = func(w string) { t.Errorf("warned: %s", w) }
	for _, format := range canvas.Formats() {
		pages, err := r.Pages(format, canvas.Size{})
		if err != nil {
			t.Fatal(err)
		}
		doc := pages[0]
		switch format {
		case "svg":
			if !bytes.Contains(doc, []byte("<desc>Font: Test Sans 1.5 (sha256 ")) ||
				!bytes.Contains(doc, []byte(`fill-opacity="0"`)) || !bytes.Contains(doc, []byte("温度")) {
				t.Error("the SVG lacks the font's name or the text above the shapes")
			}
		case "png":
			if !bytes.Contains(doc, []byte("iTXtFont\x00")) {
				t.Error("the PNG does not name the font")
			}
		}
	}
	html, err := r.Pages("html", canvas.Size{})
	if err != nil || !bytes.Contains(html[0], []byte("Test Sans 1.5 (sha256 ")) {
		t.Errorf("the HTML does not name the font of its pictures: %v", err)
	}
	docs, err := r.documents("out.md", canvas.Size{})
	if err != nil || !bytes.Contains(docs[0].Data, []byte("Test Sans 1.5 (sha256 ")) {
		t.Errorf("the Markdown does not name the font of its pictures: %v", err)
	}
	scenes, err := r.scenes("png", canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(canvastest.TextOf(scenes[0]), "Test Sans 1.5 (sha256 ") {
		t.Error("the page does not name the font")
	}
}

func TestWithoutAFontForeignTextIsCodePointsAndAWarning(t *testing.T) {
	r := foreignReport(t, "温度")
	for _, format := range []string{"png", "svg", "pdf", "html", "md"} {
		var told []string
		r.Warn = func(w string) { told = append(told, w) }
		docs, err := r.documents("out."+format, canvas.Size{})
		if err != nil {
			t.Fatal(err)
		}
		if len(told) != 1 || !strings.Contains(told[0], "U+5EA6 U+6E29 (Han)") ||
			!strings.Contains(told[0], "ASTROLABE_FONTS") {
			t.Errorf("%s: told %q", format, told)
		}
		if format == "svg" && (bytes.Contains(docs[0].Data, []byte("温")) ||
			!bytes.Contains(docs[0].Data, []byte("U+6E29 U+5EA6"))) {
			t.Error("the SVG has characters that its reader may lack as well")
		}
	}
	p := must(t, r.Items[3].(Chart).Plot, nil)
	told := 0
	if err := p.Warning(func(string) {
		told++
	}).WriteTo(&bytes.Buffer{}, "png", canvas.Size{}); err != nil || told != 1 {
		t.Errorf("a chart by itself warns %d times, %v", told, err)
	}
}

func TestNoForeignTextOverlapsOrLeavesThePage(t *testing.T) {
	check := func(name string) {
		r := foreignReport(t, name)
		for _, sz := range []canvas.Size{{}, {Width: 800}, {Width: 400}} {
			scenes, err := r.scenes("png", sz)
			if err != nil {
				t.Fatal(err)
			}
			for i, sc := range scenes {
				canvastest.CheckLayout(t, fmt.Sprintf("%s at %v, page %d", name, sz, i+1), sc)
			}
		}
	}
	for _, name := range []string{"温度", "שלום", "e\u0301x\u0323"} { // as code points where there is no font
		check(name)
	}
	for _, name := range []string{"日本語のタイトル", "한국어 이름", "درجة الحرارة", "तापमान", "อุณหภูมิของแกนประมวลผล", "🚀"} {
		t.Run(name, func(t *testing.T) {
			canvastest.WithSystemFonts(t, name)
			check(name)
		})
	}
}

func TestSameFontsGiveTheSameBytes(t *testing.T) {
	dir := canvastest.ForeignFont(t, "Test Sans", canvastest.ForeignText)
	var first []byte
	for i := range 3 {
		canvastest.WithFonts(t, dir) // nothing is remembered
		if i == 1 {                  // another text comes first
			canvas.SetLine(canvas.Bold, "日本")
		}
		pages, err := foreignReport(t, "温度").Pages("pdf", canvas.Size{})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = pages[0]
		} else if !bytes.Equal(first, pages[0]) {
			t.Error("two drawings differ")
		}
	}
}

func TestBoldIsFoundBesideLettersOfEveryScript(t *testing.T) {
	for src, want := range map[string]int{"。**太字**と": 3, "太**字**と": 3, "2**3**4": 1, "a **b**": 2} {
		if got := parseInline(src); len(got) != want {
			t.Errorf("%q has %d spans: %+v", src, len(got), got)
		}
	}
}

func TestProgramsReadForeignTextFromPages(t *testing.T) {
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed (Debian: poppler-utils)")
	}
	want := []string{"日本語", "שלום", "한국어"}
	canvastest.WithSystemFonts(t, strings.Join(want, ""))
	r := &Report{Title: strings.Join(want, " and "), Items: []Item{Text("🚀 " + want[0])}}
	pages, err := r.Pages("pdf", canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, pages[0], 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(string(out), w) {
			t.Errorf("%s is not among what pdftotext reads: %q", w, out)
		}
	}
}
