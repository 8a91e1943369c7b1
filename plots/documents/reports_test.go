package documents

import (
	"astrolabe/capture"
	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
	"astrolabe/plots/charts"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sampleReport is a report with every kind of item and the given number of table rows.
func sampleReport(t testing.TB, rows int) *Report {
	r := canvastest.Noise()
	panel := func(title, name, unit string, ys ...[]float64) Chart {
		var ss []charts.Series
		for i, y := range ys {
			n := name
			if len(ys) > 1 {
				n = fmt.Sprintf("%s[%d]", name, i)
			}
			ss = append(ss, series(n, unit, 1e6, y))
		}
		p, err := charts.Timeline(charts.TimelineOptions{Title: title,
			Spans: []charts.Interval{{Start: 1.2e9, End: 1.9e9, Severity: canvas.Critical}}}, ss...)
		return Chart{must(t, p, err)}
	}
	wave := func(mid, swing, period, jitter float64) []float64 {
		return canvastest.Wave(r, 5000, mid, swing, period, jitter)
	}
	bandwidth := wave(50, 30, 200, 6)
	for i := range bandwidth {
		bandwidth[i] *= 2.3e9
	}
	missing := series("gl2c_hit_rate", "percent", 1e6, canvastest.Values(5000, func(int) float64 { return math.NaN() }))
	missing.Why = "GL2C_HIT_sum was not collected in this capture"
	hit, err := charts.Timeline(charts.TimelineOptions{Title: "GL2C hit rate"}, missing)
	must(t, hit, err)
	states, err := charts.Timeline(charts.TimelineOptions{Title: "CPU time by state", Stacked: true},
		series("user", "%", 1e6, wave(40, 20, 300, 3)),
		series("system", "%", 1e6, wave(10, 5, 100, 2)), series("waiting for the disk", "%", 1e6, wave(5, 5, 400, 1)))
	must(t, states, err)
	bars, err := charts.Bar(charts.BarOptions{Title: "Time by kernel", Unit: "ns",
		Labels: []string{"vecCopy(double*, double*, double*, int, int) [clone .kd]", "memset", "reduce"}},
		charts.BarSeries{Values: []float64{1.2e6, 3e5, 7e5}})
	must(t, bars, err)
	hist, err := charts.Histogram(charts.HistogramOptions{Title: "Dispatch duration", Unit: "us"},
		charts.Sample{Name: "duration", Values: canvastest.Values(3000, func(int) float64 {
			return 20 * math.Exp(.3*r.NormFloat64())
		})})
	must(t, hist, err)
	pair, err := charts.TitledGrid("", [][]*charts.Plot{{bars, hist}})
	must(t, pair, err)
	tb := Table{Title: "Metrics", Columns: []Column{{Name: "Metric"}, {Name: "Mean", Unit: "unit of the metric"},
		{Name: "p95"}, {Name: "Missing", Unit: "samples"}, {Name: "Why", Align: AlignLeft}}}
	for i := range rows {
		tb.Rows = append(tb.Rows, []string{fmt.Sprintf("TCP Cache Performance/Hit Rate %d", i),
			fmt.Sprintf("%.2f", 31.2*float64(i+1)), "48.11", fmt.Sprint(i * 7),
			[]string{"",
				"zero denominator: TCP_REQ_sum is 0 in dispatches 1 to 9, because the kernel made no request to the vector cache there"}[i%2]})
	}
	return &Report{
		Title:    "GPU triage of gfx1151-vcopy",
		Captured: time.Date(2024, 11, 3, 12, 30, 0, 0, time.UTC),
		Provenance: []KV{
			{"capture", "gfx1151-vcopy (rocprof-compute, 5,000 samples)"}, {"SHA-256", strings.Repeat("9f2c4b1e", 8)},
			{"captured", "2024-11-03 12:30:00 UTC, 5.0 s"}, {"GPU", "AMD Radeon 8060S (gfx1151), 40 CUs"},
			{"driver", "amdgpu 6.12.9, ROCm 6.4.1"}, {"catalogue", "gfx1151 1f3c9a2e"},
			{"script", "@astrolabe//triage/gfx1151.star 77ab01c9"}, {"astrolabe", "0.2.0"},
			{"thresholds", "l2_hit_low=50 %, occupancy_low=25 %, valu_busy_high=90 %, lds_conflict_high=10 %"},
		},
		Items: []Item{
			Text(
				"The capture spends **most of its time** waiting for `GL2C`. See [the guide](https://example.org/guide).\n\n## What was run\n- `vecCopy` with 1,048,576 elements\n- three warm-up dispatches, *not* counted\n  - a nested item with a rather long text that has to be wrapped because it does not fit into a single line of the page, which is only so wide\n1. first\n2. second\n\n> quoted words of the reporter\n\n```\nrocprof-compute profile -n vcopy -- ./vcopy -n 1048576 -b 256\n```\n"),
			Finding{ID: "gfx1151/gl2c-hit-rate", Severity: canvas.Warning,
				Title: "Half of all L2 requests go to memory", Metric: "GL2C Cache/Hit Rate", Value: "31.2 %",
				Threshold: "below 50 %",
				Advice:    "Tile the loop over `n` so that a block's working set stays below 2 MiB.",
				Spans:     []capture.Span{{Start: 1.2e9, End: 1.9e9}},
				Evidence:  []string{"GL2C_HIT_sum", "GL2C_MISS_sum"}},
			Finding{ID: "cpu/run-queue", Severity: canvas.Good, Title: "The CPU keeps up", Metric: "run queue",
				Value: "0.4", Threshold: "above 2"},
			Finding{ID: "gfx1151/valu", Severity: canvas.Info, Title: "Vector ALUs are mostly idle",
				Metric: "VALU busy", Value: "4.1 %", Threshold: "below 10 %"},
			Finding{ID: "gfx1151/occupancy", Severity: canvas.Critical,
				Title:  "Waves cannot hide memory latency: occupancy is limited by the registers that every lane of this kernel needs for its spilled accumulators",
				Metric: "Wavefront/Occupancy", Value: "12.5 %", Threshold: "below 25 %",
				Advice: "Reduce the live registers of the inner loop.",
				Spans: []capture.Span{{Start: 1e8, End: 3e8}, {Start: 5e8, End: 5.1e8}, {Start: 2e9, End: 2.4e9},
					{Start: 3e9, End: 3.9e9}, {Start: 4e9, End: 4.002e9}, {Start: 4.5e9, End: 4.51e9}},
				Evidence: []string{"wavefront_occupancy", "SQ_WAVES_sum", "SQ_BUSY_CYCLES"}},
			panel("GPU busy", "gpu_busy", "percent", wave(60, 40, 300, 10)),
			panel("Memory bandwidth", "read", "bytes/s", bandwidth),
			panel("Channels", "TCC_REQ", "percent", wave(30, 20, 100, 3), wave(50, 20, 150, 3), wave(70, 20, 130, 3)),
			Chart{hit}, Chart{states}, Chart{pair}, tb,
		},
	}
}

// oddCharts are those that strain a page; tests of the charts have more.
func oddCharts(t testing.TB) []*charts.Plot {
	long, nan := strings.Repeat("a title that never seems to end ", 40), math.NaN()
	r := canvastest.Noise()
	wave := func(n int) []float64 { return canvastest.Wave(r, n, 50, 40, 40, 8) }
	var out []*charts.Plot
	add := func(p *charts.Plot, err error) { out = append(out, must(t, p, err)) }
	var twenty, lanes []charts.Series
	var boxes []charts.Sample
	for k := range 20 {
		name := fmt.Sprintf("MaliShaderCoreCyclesExecutionEngineArithmeticUnit%dUtilisation", k)
		twenty = append(twenty, series(fmt.Sprintf("core %d", k), "%", 1e7, wave(500)))
		lanes = append(lanes, series(name, "%", 1e7, wave(500)))
		boxes = append(boxes, charts.Sample{Name: name, Values: wave(500)})
	}
	add(charts.Timeline(charts.TimelineOptions{Title: "Twenty cores", Lanes: charts.NeverLanes}, twenty...))
	add(charts.Timeline(charts.TimelineOptions{Title: "Lanes of long names", Lanes: charts.AlwaysLanes}, lanes...))
	add(charts.Timeline(charts.TimelineOptions{Title: long, YLabel: long, Marks: []charts.Mark{{At: 1e6, Label: long},
		{At: 2e6, Label: long}, {At: 3e6, Label: "a"}}}, series(long, long, 1e6, []float64{1, 2, 3})))
	add(charts.Timeline(charts.TimelineOptions{Title: "Größe Ω Привет 日本語 🚀 \x00\x1b[31m \xff\xfe"},
		series("温度\nline", "°C", 1e6, []float64{41, 42, 44})))
	add(charts.Timeline(charts.TimelineOptions{Title: "Nothing"}))
	add(charts.Timeline(charts.TimelineOptions{Title: "Missing"}, series("a", "cycles", 1e6, []float64{nan, nan})))
	add(charts.Timeline(charts.TimelineOptions{Title: "Infinite"},
		series("a", "", 1e6, []float64{math.Inf(1), math.Inf(-1), 3})))
	add(charts.Timeline(charts.TimelineOptions{}, charts.Series{Name: "a", Start: []int64{5}, End: []int64{5},
		Y: []float64{7}}))
	add(charts.Timeline(charts.TimelineOptions{}, series("a", "cycles", 3600e9, []float64{1.7e308, -1.7e308, 0})))
	add(charts.Timeline(charts.TimelineOptions{Stacked: true}, series("up", "W", 60e9, []float64{3, 4, 5, 2}),
		series("down", "W", 60e9, []float64{-1, -4, -2, 1})))
	add(charts.Timeline(charts.TimelineOptions{Title: "Twin",
		Twin: []charts.Series{series("clock", "Hz", 1e7, wave(500))}}, twenty[:2]...))
	many := charts.BarOptions{Title: "Many", Unit: "cycles"}
	for i := range 300 {
		many.Labels = append(many.Labels, fmt.Sprintf("channel %d", i))
	}
	add(charts.Bar(many, charts.BarSeries{Values: canvastest.Values(300, func(i int) float64 { return float64(i) })}))
	add(charts.Bar(charts.BarOptions{Labels: []string{"a"}}, charts.BarSeries{Values: []float64{nan}}))
	add(charts.Histogram(charts.HistogramOptions{Title: "Outlier", Unit: "ns"},
		charts.Sample{Name: "x", Values: append(wave(2000), 1e9, math.Inf(1), nan)}))
	add(charts.Scatter(charts.ScatterOptions{Title: "Scatter", Color: wave(500)}, wave(500), wave(500)))
	add(charts.Box(charts.BoxOptions{Title: "Many boxes"}, boxes...))
	add(charts.Heatmap(charts.HeatmapOptions{Title: "Heat map of many"}, lanes...))
	add(charts.Correlation(charts.CorrelationOptions{Title: "Twenty counters"}, boxes...))
	add(charts.Roofline(charts.RooflineOptions{Title: long, Bandwidth: []charts.Roof{{Name: "DRAM", Value: 1e11}},
		Compute: []charts.Roof{{Name: long, Value: 1e12}}}, charts.RoofPoint{Name: "kernel", Intensity: 1, Rate: 1e10}))
	add(charts.Latency(charts.LatencyOptions{Title: "Nothing"}, charts.Sample{Name: "x", Values: []float64{0, nan}}))
	add(charts.Overlay(charts.OverlayOptions{Title: "Nothing"}))
	add(charts.TitledGrid("", [][]*charts.Plot{{out[0]}, {out[1]}, {out[2]}}))
	add(charts.TitledGrid(long, [][]*charts.Plot{{out[0], out[1]}, {out[11], out[13]}}))
	return out
}

// oddReport strains every part of the page.
func oddReport(t testing.TB) *Report {
	long := strings.Repeat("Unbroken_identifier_of_a_counter_", 60)
	wide := Table{Title: "Wide"}
	for i := range 40 {
		wide.Columns = append(wide.Columns, Column{Name: fmt.Sprintf("column %d", i), Unit: "cycles/s"})
	}
	row := make([]string, 40)
	for i := range row {
		row[i] = fmt.Sprint(1234567 * i)
	}
	wide.Rows = [][]string{row, row[:3], nil}
	r := &Report{
		Title:      strings.Repeat("Very long title of a report ", 20),
		Provenance: []KV{{long, long}, {"", ""}, {"日本語", "🚀\x00"}},
		Start:      0, End: 1e9,
		Items: []Item{
			Finding{}, Finding{Severity: canvas.Critical, Title: long, Advice: long, Metric: long, Value: long,
				Threshold: long, ID: long, Evidence: []string{long, long}},
			Finding{Severity: canvas.Info, Spans: []capture.Span{{Start: -5, End: 2e9}}},
			Text(""), Text(long), Text("# " + long), Text("```\n" + long + "\n```"), Text("- " + long),
			Table{}, Table{Title: "no rows", Columns: []Column{{Name: "a"}}}, wide,
			Table{Columns: []Column{{Name: long, Unit: long}, {Name: "b"}},
				Rows: [][]string{{long, long}, {strings.Repeat("line\n", 200), "1"}}},
		},
	}
	for _, p := range oddCharts(t) {
		r.Items = append(r.Items, Chart{p})
	}
	return r
}

func TestGalleryOfPagesIsWritten(t *testing.T) {
	dir := canvastest.Gallery(t)
	if dir == "" {
		t.Skip("no -gallery folder given")
	}
	for name, r := range map[string]*Report{"report": sampleReport(t, 8), "long-report": sampleReport(t, 120),
		"odd-report": oddReport(t)} {
		for _, f := range canvas.Formats() {
			if _, err := r.Save(filepath.Join(dir, name+"."+f), canvas.Size{}); err != nil {
				t.Error(err)
			}
		}
	}
}

func BenchmarkReport(b *testing.B) {
	r := sampleReport(b, 60)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Pages("png", canvas.Size{}); err != nil {
			b.Fatal(err)
		}
	}
}
