package charts

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

func series(name, unit string, period int64, y []float64) Series {
	s, e := canvastest.Times(len(y), period)
	return Series{Name: name, Unit: unit, Start: s, End: e, Y: y}
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
	r := canvastest.Noise()
	var out []picture
	add := func(name string, p *Plot, err error) { out = append(out, picture{name, must(t, p, err)}) }
	timeline := func(name string, o TimelineOptions, s ...Series) {
		p, err := Timeline(o, s...)
		add(name, p, err)
	}
	long := strings.Repeat("a title that never seems to end ", 40)
	nan := math.NaN()

	busy := canvastest.Wave(r, 500, 50, 40, 40, 8)
	busy[100], busy[101], busy[102] = nan, nan, nan
	timeline("single", TimelineOptions{
		Title: "GPU busy while the main menu animates",
		Bands: []Band{{Lo: 80, Hi: 80, Label: "threshold 80 %", Severity: canvas.Warning},
			{Lo: 20, Hi: 40, Label: "healthy", Severity: canvas.Good}},
		Spans: []Interval{{Start: 1e9, End: 1.6e9, Label: "busy", Severity: canvas.Warning}},
		Marks: []Mark{{At: 2.5e9, Label: "frame 150"}, {At: 2.55e9, Label: "frame 153"}, {At: 2.6e9, Label: "frame 156"}},
		Gaps:  []Interval{{Start: 1.0e9, End: 1.03e9}},
	}, series("gpu_busy", "percent", 10e6, busy))
	var four, twenty []Series
	for k := range 4 {
		four = append(four, series(fmt.Sprintf("TCP_REQ[xcc0/ch%d]", k), "cycles", 10e6,
			canvastest.Values(500, func(i int) float64 {
				return (1.5 + math.Sin(float64(i)/30+float64(k))) * 3e6 * (1 + .1*r.NormFloat64())
			})))
	}
	timeline("four", TimelineOptions{Title: "Requests per channel"}, four...)
	timeline("stacked", TimelineOptions{Title: "Requests per channel, stacked", Stacked: true}, four...)
	for k := range 20 {
		twenty = append(twenty, series(fmt.Sprintf("core %d utilisation", k), "%", 10e6,
			canvastest.Wave(r, 500, float64(k)*4.5+5, 3, 30, 1)))
	}
	timeline("twenty", TimelineOptions{Title: "Twenty cores"}, twenty...)
	timeline("units", TimelineOptions{Title: "Several units"},
		series("IPC", "instructions/cycle", 1e6, canvastest.Wave(r, 300, 1.5, 0.5, 20, 0.1)),
		series("read", "B/s", 1e6, canvastest.Values(300, func(int) float64 { return 2e9 * (1 + .2*r.NormFloat64()) })),
		series("write", "MB/s", 1e6, canvastest.Values(300, func(int) float64 { return 500 })),
		Series{Name: "L2 hit rate", Unit: "percent", Start: []int64{0, 1}, End: []int64{1, 2}, Y: []float64{nan, nan},
			Why: "TCC_HIT was not collected in this capture"})
	timeline("long texts", TimelineOptions{Title: long, YLabel: long,
		Marks: []Mark{{At: 1e6, Label: long}, {At: 2e6, Label: long}, {At: 3e6, Label: "a"}}},
		series(long, long, 1e6, []float64{1, 2, 3}), series(strings.Repeat("MaliGPUCyclesAnyQueueActive", 30), long,
			1e6, []float64{1, 2, 3}))
	timeline("unicode", TimelineOptions{Title: "Größe Ω Привет 日本語 🚀 \x00\x1b[31m \xff\xfe"},
		series("温度\nline", "°C", 1e6, []float64{41, 42, 44}))
	timeline("no series", TimelineOptions{Title: "Nothing"})
	timeline("no samples", TimelineOptions{Title: "Nothing"}, Series{Name: "a"})
	timeline("all missing", TimelineOptions{Title: "Missing"}, series("a", "cycles", 1e6, []float64{nan, nan}))
	timeline("infinite", TimelineOptions{Title: "Infinite"},
		series("a", "", 1e6, []float64{math.Inf(1), math.Inf(-1), 3}))
	timeline("one sample", TimelineOptions{}, series("a", "B", 1e6, []float64{4096}))
	timeline("one instant", TimelineOptions{}, Series{Name: "a", Start: []int64{5}, End: []int64{5}, Y: []float64{7}})
	timeline("instants", TimelineOptions{}, Series{Name: "a", Start: []int64{0, 50, 100}, End: []int64{0, 50, 100},
		Y: []float64{7, 9, 8}})
	timeline("constant", TimelineOptions{}, series("a", "Hz", 1e9, []float64{2.4e9, 2.4e9, 2.4e9}))
	timeline("zero", TimelineOptions{}, series("a", "events", 1e9, []float64{0, 0, 0}))
	timeline("negative", TimelineOptions{Stacked: true}, series("up", "W", 60e9, []float64{3, 4, 5, 2}),
		series("down", "W", 60e9, []float64{-1, -4, -2, 1}))
	timeline("huge", TimelineOptions{}, series("a", "cycles", 3600e9, []float64{1.7e308, -1.7e308, 0}))
	timeline("tiny", TimelineOptions{}, series("a", "J", 10, []float64{5e-324, 2e-320, 0}))
	timeline("narrow", TimelineOptions{},
		series("frequency", "Hz", 1e6, []float64{2.4000001e9, 2.4000002e9, 2.4000003e9}))
	timeline("far", TimelineOptions{From: 1_700_000_000_123_456_000, To: 1_700_000_000_123_556_000},
		Series{Name: "a", Start: []int64{1_700_000_000_123_456_000}, End: []int64{1_700_000_000_123_500_000},
			Y: []float64{3}})

	kernels := []string{"void gemm_kernel<float, 128, 64, 32>(float const*, float const*, float*, int)", "vecCopy",
		"reduce_max_with_a_rather_long_kernel_name_v2", "memset", "empty"}
	bar := func(name string, o BarOptions, s ...BarSeries) {
		p, err := Bar(o, s...)
		add(name, p, err)
	}
	bar("bars", BarOptions{Title: "Kernel time", Unit: "ns", Labels: kernels,
		Bands: []Band{{Lo: 1e6, Hi: 1e6, Label: "budget 1 ms", Severity: canvas.Warning}}},
		BarSeries{Values: []float64{1.2e6, 3.4e5, 8.8e5, 1200, nan},
			Severity: []canvas.Severity{canvas.Critical, 0, 0, 0, 0}})
	bar("standing bars", BarOptions{Title: "Utilisation by core", YLabel: "busy", Vertical: true, Unit: "%",
		Labels: []string{"cpu0", "cpu1", "cpu2", "cpu3"}},
		BarSeries{Name: "user", Values: []float64{12, 90, 33, 4}},
		BarSeries{Name: "system", Values: []float64{2, 100, 13, nan}})
	bar("negative bars", BarOptions{Title: "Change", Unit: "%", Labels: []string{"a", "b", "c"}},
		BarSeries{Values: []float64{-12, 5, -0.3}})
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
		return canvastest.Values(20000, func(int) float64 { return mid * math.Exp(width*r.NormFloat64()) })
	}
	hist("histogram", HistogramOptions{Title: "Frame time", Unit: "ms"}, Sample{"frame_time", frames(16.6, .2)})
	hist("two histograms", HistogramOptions{Title: "Frame time", Unit: "ms"}, Sample{"before", frames(16.6, .2)},
		Sample{"after", frames(14.6, .25)})
	hist("whole numbers", HistogramOptions{Title: "Queue"},
		Sample{"queue length", canvastest.Values(1000, func(int) float64 { return math.Floor(6 * r.Float64()) })})
	hist("one value", HistogramOptions{Title: "Same"}, Sample{"x", []float64{3.5, 3.5, 3.5}})
	hist("no values", HistogramOptions{Title: "None"}, Sample{"x", []float64{nan, nan}})
	hist("outlier", HistogramOptions{Title: "Outlier", Unit: "ns"},
		Sample{"x", append(frames(100, .1), 1e9, math.Inf(1), nan)})

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
