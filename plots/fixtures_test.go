package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
)

// times returns n adjoining samples of period ns.
func times(n int, period int64) (start, end []int64) {
	a := capture.NewUniformAxis(n, period)
	return a.Start, a.End
}

func values(n int, f func(i int) float64) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = f(i)
	}
	return y
}

func noise() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func series(name, unit string, period int64, y []float64) Series {
	s, e := times(len(y), period)
	return Series{Name: name, Unit: unit, Start: s, End: e, Y: y}
}

// percentWave is a noisy wave between 0 and 100.
func percentWave(r *rand.Rand, n int, mid, swing, period, jitter float64) []float64 {
	return values(n, func(i int) float64 {
		return min(100, max(0, mid+swing*math.Sin(float64(i)/period)+jitter*r.NormFloat64()))
	})
}

func must(t testing.TB, p *Plot, err error) *Plot {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type picture struct {
	name string
	plot *Plot
}

// gallery is one chart of every kind with data as they come from captures, and every odd case.
func gallery(t testing.TB) []picture { return slices.Concat(plainGallery(t), chartGallery(t)) }

// Charts are immutable, so all tests share them.
var plainOnce, chartOnce galleryCache

type galleryCache struct {
	sync.Mutex
	list []picture
}

func (c *galleryCache) get(t testing.TB, make func(testing.TB) []picture) []picture {
	t.Helper()
	c.Lock()
	defer c.Unlock()
	if c.list == nil {
		c.list = make(t)
	}
	return c.list
}

func plainGallery(t testing.TB) []picture { return plainOnce.get(t, makePlainGallery) }

func chartGallery(t testing.TB) []picture { return chartOnce.get(t, makeChartGallery) }

func makePlainGallery(t testing.TB) []picture {
	r := noise()
	var out []picture
	add := func(name string, p *Plot, err error) { out = append(out, picture{name, must(t, p, err)}) }
	timeline := func(name string, o TimelineOptions, s ...Series) {
		p, err := Timeline(o, s...)
		add(name, p, err)
	}
	long := strings.Repeat("a title that never seems to end ", 40)
	nan := math.NaN()

	busy := percentWave(r, 500, 50, 40, 40, 8)
	busy[100], busy[101], busy[102] = nan, nan, nan
	timeline("single", TimelineOptions{
		Title: "GPU busy while the main menu animates",
		Bands: []Band{{Lo: 80, Hi: 80, Label: "threshold 80 %", Severity: canvas.Warning}, {Lo: 20, Hi: 40, Label: "healthy", Severity: canvas.Good}},
		Spans: []Interval{{Start: 1e9, End: 1.6e9, Label: "busy", Severity: canvas.Warning}},
		Marks: []Mark{{2.5e9, "frame 150"}, {2.55e9, "frame 153"}, {2.6e9, "frame 156"}},
		Gaps:  []Interval{{Start: 1.0e9, End: 1.03e9}},
	}, series("gpu_busy", "percent", 10e6, busy))
	var four, twenty []Series
	for k := range 4 {
		four = append(four, series(fmt.Sprintf("TCP_REQ[xcc0/ch%d]", k), "cycles", 10e6, values(500, func(i int) float64 {
			return (1.5 + math.Sin(float64(i)/30+float64(k))) * 3e6 * (1 + .1*r.NormFloat64())
		})))
	}
	timeline("four", TimelineOptions{Title: "Requests per channel"}, four...)
	timeline("stacked", TimelineOptions{Title: "Requests per channel, stacked", Stacked: true}, four...)
	for k := range 20 {
		twenty = append(twenty, series(fmt.Sprintf("core %d utilisation", k), "%", 10e6, percentWave(r, 500, float64(k)*4.5+5, 3, 30, 1)))
	}
	timeline("twenty", TimelineOptions{Title: "Twenty cores"}, twenty...)
	timeline("units", TimelineOptions{Title: "Several units"},
		series("IPC", "instructions/cycle", 1e6, percentWave(r, 300, 1.5, 0.5, 20, 0.1)),
		series("read", "B/s", 1e6, values(300, func(int) float64 { return 2e9 * (1 + .2*r.NormFloat64()) })),
		series("write", "MB/s", 1e6, values(300, func(int) float64 { return 500 })),
		Series{Name: "L2 hit rate", Unit: "percent", Start: []int64{0, 1}, End: []int64{1, 2}, Y: []float64{nan, nan}, Why: "TCC_HIT was not collected in this capture"})
	timeline("long texts", TimelineOptions{Title: long, YLabel: long, Marks: []Mark{{1e6, long}, {2e6, long}, {3e6, "a"}}},
		series(long, long, 1e6, []float64{1, 2, 3}), series(strings.Repeat("MaliGPUCyclesAnyQueueActive", 30), long, 1e6, []float64{1, 2, 3}))
	timeline("unicode", TimelineOptions{Title: "Größe Ω Привет 日本語 🚀 \x00\x1b[31m \xff\xfe"}, series("温度\nline", "°C", 1e6, []float64{41, 42, 44}))
	timeline("no series", TimelineOptions{Title: "Nothing"})
	timeline("no samples", TimelineOptions{Title: "Nothing"}, Series{Name: "a"})
	timeline("all missing", TimelineOptions{Title: "Missing"}, series("a", "cycles", 1e6, []float64{nan, nan}))
	timeline("infinite", TimelineOptions{Title: "Infinite"}, series("a", "", 1e6, []float64{math.Inf(1), math.Inf(-1), 3}))
	timeline("one sample", TimelineOptions{}, series("a", "B", 1e6, []float64{4096}))
	timeline("one instant", TimelineOptions{}, Series{Name: "a", Start: []int64{5}, End: []int64{5}, Y: []float64{7}})
	timeline("instants", TimelineOptions{}, Series{Name: "a", Start: []int64{0, 50, 100}, End: []int64{0, 50, 100}, Y: []float64{7, 9, 8}})
	timeline("constant", TimelineOptions{}, series("a", "Hz", 1e9, []float64{2.4e9, 2.4e9, 2.4e9}))
	timeline("zero", TimelineOptions{}, series("a", "events", 1e9, []float64{0, 0, 0}))
	timeline("negative", TimelineOptions{Stacked: true}, series("up", "W", 60e9, []float64{3, 4, 5, 2}), series("down", "W", 60e9, []float64{-1, -4, -2, 1}))
	timeline("huge", TimelineOptions{}, series("a", "cycles", 3600e9, []float64{1.7e308, -1.7e308, 0}))
	timeline("tiny", TimelineOptions{}, series("a", "J", 10, []float64{5e-324, 2e-320, 0}))
	timeline("narrow", TimelineOptions{}, series("frequency", "Hz", 1e6, []float64{2.4000001e9, 2.4000002e9, 2.4000003e9}))
	timeline("far", TimelineOptions{From: 1_700_000_000_123_456_000, To: 1_700_000_000_123_556_000},
		Series{Name: "a", Start: []int64{1_700_000_000_123_456_000}, End: []int64{1_700_000_000_123_500_000}, Y: []float64{3}})

	kernels := []string{"void gemm_kernel<float, 128, 64, 32>(float const*, float const*, float*, int)", "vecCopy", "reduce_max_with_a_rather_long_kernel_name_v2", "memset", "empty"}
	bar := func(name string, o BarOptions, s ...BarSeries) {
		p, err := Bar(o, s...)
		add(name, p, err)
	}
	bar("bars", BarOptions{Title: "Kernel time", Unit: "ns", Labels: kernels, Bands: []Band{{Lo: 1e6, Hi: 1e6, Label: "budget 1 ms", Severity: canvas.Warning}}},
		BarSeries{Values: []float64{1.2e6, 3.4e5, 8.8e5, 1200, nan}, Severity: []canvas.Severity{canvas.Critical, 0, 0, 0, 0}})
	bar("standing bars", BarOptions{Title: "Utilisation by core", YLabel: "busy", Vertical: true, Unit: "%", Labels: []string{"cpu0", "cpu1", "cpu2", "cpu3"}},
		BarSeries{Name: "user", Values: []float64{12, 90, 33, 4}}, BarSeries{Name: "system", Values: []float64{2, 100, 13, nan}})
	bar("negative bars", BarOptions{Title: "Change", Unit: "%", Labels: []string{"a", "b", "c"}}, BarSeries{Values: []float64{-12, 5, -0.3}})
	many := BarOptions{Title: "Many", Unit: "cycles"}
	var manyValues []float64
	for i := range 300 {
		many.Labels = append(many.Labels, fmt.Sprintf("channel %d", i))
		manyValues = append(manyValues, float64(i))
	}
	bar("many bars", many, BarSeries{Values: manyValues})
	bar("no bars", BarOptions{Title: "None"})
	bar("missing bars", BarOptions{Labels: []string{"a"}}, BarSeries{Values: []float64{nan}})

	hist := func(name string, o HistogramOptions, s ...Sample) {
		p, err := Histogram(o, s...)
		add(name, p, err)
	}
	frames := func(mid, width float64) []float64 {
		return values(20000, func(int) float64 { return mid * math.Exp(width*r.NormFloat64()) })
	}
	hist("histogram", HistogramOptions{Title: "Frame time", Unit: "ms"}, Sample{"frame_time", frames(16.6, .2)})
	hist("two histograms", HistogramOptions{Title: "Frame time", Unit: "ms"}, Sample{"before", frames(16.6, .2)}, Sample{"after", frames(14.6, .25)})
	hist("whole numbers", HistogramOptions{Title: "Queue"}, Sample{"queue length", values(1000, func(int) float64 { return math.Floor(6 * r.Float64()) })})
	hist("one value", HistogramOptions{Title: "Same"}, Sample{"x", []float64{3.5, 3.5, 3.5}})
	hist("no values", HistogramOptions{Title: "None"}, Sample{"x", []float64{nan, nan}})
	hist("outlier", HistogramOptions{Title: "Outlier", Unit: "ns"}, Sample{"x", append(frames(100, .1), 1e9, math.Inf(1), nan)})

	p, err := TitledGrid("", [][]*Plot{{out[0].plot}, {out[1].plot}, {out[2].plot}})
	add("column", p, err)
	p, err = TitledGrid("", [][]*Plot{{out[0].plot, out[1].plot}, {find(out, "bars"), find(out, "histogram")}})
	add("grid", p, err)
	return out
}

func find(list []picture, name string) *Plot {
	for _, p := range list {
		if p.name == name {
			return p.plot
		}
	}
	return nil
}

// sampleReport is a report with every kind of item and the given number of table rows.
func sampleReport(t testing.TB, rows int) *Report {
	r := noise()
	panel := func(title, name, unit string, ys ...[]float64) *Plot {
		var ss []Series
		for i, y := range ys {
			n := name
			if len(ys) > 1 {
				n = fmt.Sprintf("%s[%d]", name, i)
			}
			ss = append(ss, series(n, unit, 1e6, y))
		}
		p, err := Timeline(TimelineOptions{Title: title, Spans: []Interval{{Start: 1.2e9, End: 1.9e9, Severity: canvas.Critical}}}, ss...)
		return must(t, p, err)
	}
	wave := func(mid, swing, period, jitter float64) []float64 {
		return percentWave(r, 5000, mid, swing, period, jitter)
	}
	bandwidth := wave(50, 30, 200, 6)
	for i := range bandwidth {
		bandwidth[i] *= 2.3e9
	}
	missing := series("gl2c_hit_rate", "percent", 1e6, values(5000, func(int) float64 { return math.NaN() }))
	missing.Why = "GL2C_HIT_sum was not collected in this capture"
	hit, err := Timeline(TimelineOptions{Title: "GL2C hit rate"}, missing)
	must(t, hit, err)
	states, err := Timeline(TimelineOptions{Title: "CPU time by state", Stacked: true}, series("user", "%", 1e6, wave(40, 20, 300, 3)),
		series("system", "%", 1e6, wave(10, 5, 100, 2)), series("waiting for the disk", "%", 1e6, wave(5, 5, 400, 1)))
	must(t, states, err)
	bars, err := Bar(BarOptions{Title: "Time by kernel", Unit: "ns", Labels: []string{"vecCopy(double*, double*, double*, int, int) [clone .kd]", "memset", "reduce"}},
		BarSeries{Values: []float64{1.2e6, 3e5, 7e5}})
	must(t, bars, err)
	hist, err := Histogram(HistogramOptions{Title: "Dispatch duration", Unit: "us"},
		Sample{"duration", values(3000, func(int) float64 { return 20 * math.Exp(.3*r.NormFloat64()) })})
	must(t, hist, err)
	pair, err := TitledGrid("", [][]*Plot{{bars, hist}})
	must(t, pair, err)
	tb := Table{Title: "Metrics", Columns: []Column{{Name: "Metric"}, {Name: "Mean", Unit: "unit of the metric"}, {Name: "p95"}, {Name: "Missing", Unit: "samples"}, {Name: "Why", Align: AlignLeft}}}
	for i := range rows {
		tb.Rows = append(tb.Rows, []string{fmt.Sprintf("TCP Cache Performance/Hit Rate %d", i), fmt.Sprintf("%.2f", 31.2*float64(i+1)), "48.11", fmt.Sprint(i * 7),
			[]string{"", "zero denominator: TCP_REQ_sum is 0 in dispatches 1 to 9, because the kernel made no request to the vector cache there"}[i%2]})
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
			Text("The capture spends **most of its time** waiting for `GL2C`. See [the guide](https://example.org/guide).\n\n## What was run\n- `vecCopy` with 1,048,576 elements\n- three warm-up dispatches, *not* counted\n  - a nested item with a rather long text that has to be wrapped because it does not fit into a single line of the page, which is only so wide\n1. first\n2. second\n\n> quoted words of the reporter\n\n```\nrocprof-compute profile -n vcopy -- ./vcopy -n 1048576 -b 256\n```\n"),
			Finding{ID: "gfx1151/gl2c-hit-rate", Severity: canvas.Warning, Title: "Half of all L2 requests go to memory", Metric: "GL2C Cache/Hit Rate", Value: "31.2 %", Threshold: "below 50 %", Advice: "Tile the loop over `n` so that a block's working set stays below 2 MiB.", Spans: []capture.Span{{Start: 1.2e9, End: 1.9e9}}, Evidence: []string{"GL2C_HIT_sum", "GL2C_MISS_sum"}},
			Finding{ID: "cpu/run-queue", Severity: canvas.Good, Title: "The CPU keeps up", Metric: "run queue", Value: "0.4", Threshold: "above 2"},
			Finding{ID: "gfx1151/valu", Severity: canvas.Info, Title: "Vector ALUs are mostly idle", Metric: "VALU busy", Value: "4.1 %", Threshold: "below 10 %"},
			Finding{ID: "gfx1151/occupancy", Severity: canvas.Critical, Title: "Waves cannot hide memory latency: occupancy is limited by the registers that every lane of this kernel needs for its spilled accumulators", Metric: "Wavefront/Occupancy", Value: "12.5 %", Threshold: "below 25 %", Advice: "Reduce the live registers of the inner loop.", Spans: []capture.Span{{Start: 1e8, End: 3e8}, {Start: 5e8, End: 5.1e8}, {Start: 2e9, End: 2.4e9}, {Start: 3e9, End: 3.9e9}, {Start: 4e9, End: 4.002e9}, {Start: 4.5e9, End: 4.51e9}}, Evidence: []string{"wavefront_occupancy", "SQ_WAVES_sum", "SQ_BUSY_CYCLES"}},
			panel("GPU busy", "gpu_busy", "percent", wave(60, 40, 300, 10)),
			panel("Memory bandwidth", "read", "bytes/s", bandwidth),
			panel("Channels", "TCC_REQ", "percent", wave(30, 20, 100, 3), wave(50, 20, 150, 3), wave(70, 20, 130, 3)),
			hit, states, pair, tb,
		},
	}
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
			Finding{}, Finding{Severity: canvas.Critical, Title: long, Advice: long, Metric: long, Value: long, Threshold: long, ID: long, Evidence: []string{long, long}},
			Finding{Severity: canvas.Info, Spans: []capture.Span{{Start: -5, End: 2e9}}},
			Text(""), Text(long), Text("# " + long), Text("```\n" + long + "\n```"), Text("- " + long),
			Table{}, Table{Title: "no rows", Columns: []Column{{Name: "a"}}}, wide,
			Table{Columns: []Column{{Name: long, Unit: long}, {Name: "b"}}, Rows: [][]string{{long, long}, {strings.Repeat("line\n", 200), "1"}}},
		},
	}
	for _, p := range plainGallery(t) {
		r.Items = append(r.Items, p.plot)
	}
	charts := chartGallery(t)
	for _, name := range []string{"twin", "scatter by number", "many boxes", "heatmap of many", "roofline", "latency of two", "correlation of many", "overlay of none", "lanes of long names"} {
		r.Items = append(r.Items, find(charts, name))
	}
	return r
}
