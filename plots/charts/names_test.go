package charts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

func longNames(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("MaliShaderCoreCyclesExecutionEngineArithmeticUnit%dUtilisationPercentage", i)
	}
	return out
}

func TestShortenedNamesStayDifferent(t *testing.T) {
	s := canvas.Regular.Of(20)
	for name, list := range map[string][]string{
		"in the middle":    longNames(12),
		"at the end":       {strings.Repeat("x", 80) + "1", strings.Repeat("x", 80) + "2"},
		"at the beginning": {"1" + strings.Repeat("x", 80), "2" + strings.Repeat("x", 80)},
		"one in another":   {strings.Repeat("core ", 20) + "1", strings.Repeat("core ", 20) + "11"},
		"other scripts": {
			strings.Repeat("日本", 20) + "一" + strings.Repeat("語", 20), strings.Repeat("日本", 20) + "二" +
				strings.Repeat("語", 20),
		},
	} {
		width := 300.0
		short := s.FitNames(list, width)
		for i, n := range short {
			if s.Width(n) > width {
				t.Errorf("%s: %q is wider than %v", name, n, width)
			}
			if slices.Index(short, n) != i {
				t.Errorf("%s: %q stands for several", name, n)
			}
		}
		for _, lines := range s.NameLines(list, width, canvas.LinesEach(len(list), 2)) {
			if len(lines) > 2 {
				t.Errorf("%s: %d lines", name, len(lines))
			}
		}
	}
	if got := s.FitNames([]string{"same", "same", "short"}, 300); !slices.Equal(got,
		[]string{"same", "same", "short"}) {
		t.Errorf("%q", got)
	}
}

func TestRowsOfLongNamesAreToldApart(t *testing.T) {
	var rows []Series
	var samples []Sample
	for i, n := range longNames(8) {
		y := []float64{1, 2, 3, float64(4 + i)}
		rows = append(rows, series(n, "%", 1e6, y))
		samples = append(samples, Sample{n, y})
	}
	heat, err := Heatmap(HeatmapOptions{}, rows...)
	must(t, heat, err)
	boxes, err := Box(BoxOptions{}, samples...)
	must(t, boxes, err)
	corr, err := Correlation(CorrelationOptions{}, samples...)
	must(t, corr, err)
	lines, err := Timeline(TimelineOptions{}, rows...)
	must(t, lines, err)
	for name, p := range map[string]*Plot{"heat map": heat, "box": boxes, "correlation": corr, "timeline": lines} {
		for _, sz := range []canvas.Size{{}, {Width: 700, Height: 500}} {
			sc, err := p.scene(sz)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(canvastest.TextOf(sc), "\n", "")
			for i := range 8 {
				if !slices.ContainsFunc([]string{"%dUtil", "…%d…", "Unit%d"}, func(f string) bool {
					return strings.Contains(text, fmt.Sprintf(f, i))
				}) {
					t.Errorf("%s at %v: no name shows the number %d:\n%s", name, sz, i, text)
				}
			}
		}
	}
}
