package charts

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

// makeChartGallery is the part of the gallery beyond plain timelines, bars and histograms.
func makeChartGallery(t testing.TB) []picture {
	r := canvastest.Noise()
	var out []picture
	add := func(name string, p *Plot, err error) { out = append(out, picture{name, must(t, p, err)}) }
	timeline := func(name string, o TimelineOptions, s ...Series) {
		p, err := Timeline(o, s...)
		add(name, p, err)
	}
	nan := math.NaN()
	long := strings.Repeat("a name that never seems to end ", 20)

	bandwidth := func(n int, mid float64) []float64 {
		y := canvastest.Values(n, func(i int) float64 {
			return mid * (1 + 0.5*math.Sin(float64(i)/float64(n)*20) + 0.15*r.NormFloat64())
		})
		for i := n / 3; i < n/3+n/20; i++ {
			y[i] = nan
		}
		return y
	}
	timeline("area", TimelineOptions{Title: "Memory traffic", Style: Area},
		series("read", "B/s", 1e7, bandwidth(500, 4e9)))
	timeline("areas", TimelineOptions{Title: "Memory traffic", Style: Area},
		series("read", "B/s", 1e7, bandwidth(500, 4e9)), series("write", "B/s", 1e7, bandwidth(500, 1e9)))
	noisy := bandwidth(100_000, 4e9)
	noisy[20_000] = 2e10
	timeline("spread", TimelineOptions{Title: "Noisy memory traffic", Style: Spread,
		Marks: []Mark{{At: 1.5e9, Label: "level loaded"}},
		Spans: []Interval{{Start: 3e9, End: 4e9, Label: "cut scene", Severity: canvas.Info}}},
		series("read", "B/s", 1e5, noisy))
	timeline("spread of few", TimelineOptions{Title: "Few samples", Style: Spread},
		series("read", "B/s", 1e7, []float64{3, 4, nan, 5}))
	timeline("spread of several", TimelineOptions{Title: "Noisy memory traffic", Style: Spread},
		series("read", "B/s", 1e5, noisy), series("write", "B/s", 1e5, bandwidth(100_000, 2e9)))
	queue := canvastest.Values(2000, func(i int) float64 {
		return math.Exp(4*math.Sin(float64(i)/120) + 0.3*r.NormFloat64())
	})
	queue[100] = 0
	timeline("log", TimelineOptions{Title: "Queue wait", Log: true,
		Bands: []Band{{Lo: 10, Hi: 10, Label: "budget 10 ms", Severity: canvas.Warning}}},
		series("queue wait", "ms", 1e6, queue))
	timeline("log of zeros", TimelineOptions{Title: "Queue wait", Log: true},
		series("queue wait", "ms", 1e6, []float64{0, 0}))
	timeline("twin", TimelineOptions{Title: "Clock and temperature",
		Twin: []Series{series("temperature", "°C", 1e7, canvastest.Values(500, func(i int) float64 {
			return 88 - 38*math.Exp(-float64(i)/120) + 0.3*r.NormFloat64()
		}))}},
		series("shader clock", "Hz", 1e7, canvastest.Values(500, func(i int) float64 {
			return 2.4e9 - 4e8*math.Min(1, float64(i)/300) + 1e7*r.NormFloat64()
		})))
	timeline("twin without right values",
		TimelineOptions{Title: "Clock and temperature",
			Twin: []Series{series("temperature", "°C", 1e7, []float64{nan, nan})}},
		series("clock", "Hz", 1e7, []float64{1e9, 2e9}))

	own := canvastest.Noise()
	around := func(n, samples int, unit string, mid func(k int) float64) []Series {
		out := make([]Series, n)
		for k := range out {
			out[k] = series(fmt.Sprintf("ShaderCoreUtil[%d]", k), unit, 1e6,
				canvastest.Values(samples, func(i int) float64 {
					return mid(k) * (1 + 0.5*math.Sin(float64(i)/300+float64(k)) + 0.3*own.NormFloat64())
				}))
		}
		return out
	}
	sixteen := around(16, 5000, "%", func(k int) float64 { return 30 + 2*float64(k) })
	sixteen[3].Y = canvastest.Values(5000, func(int) float64 { return nan })
	sixteen[3].Why = "core 3 was not powered while the capture ran, so that its block counted nothing"
	for i := range 800 {
		sixteen[5].Y[2000+i] = nan
	}
	marked := TimelineOptions{Title: "Sixteen noisy cores",
		Marks: []Mark{{At: 1.5e9, Label: "level loaded"}, {At: 1.52e9, Label: "frame 90"}}, Gaps: []Interval{{Start: 3e9, End: 3.2e9}},
		Spans: []Interval{{Start: 4e9, End: 4.4e9, Label: "cut scene", Severity: canvas.Info}},
		Bands: []Band{{Lo: 90, Hi: 90, Label: "budget", Severity: canvas.Warning}}}
	timeline("lanes", marked, sixteen...)
	marked.Style = Spread
	timeline("lanes of spreads", marked, sixteen...)
	timeline("lanes never", TimelineOptions{Title: "A wall", Lanes: NeverLanes}, sixteen...)
	timeline("lanes of two", TimelineOptions{Title: "Two", Lanes: AlwaysLanes}, sixteen[:2]...)
	timeline("lanes of two units", TimelineOptions{Title: "Two units", Lanes: AlwaysLanes},
		append(around(3, 500, "B/s", func(int) float64 { return 4e9 }), sixteen[:3]...)...)
	timeline("lanes of unlike scales", TimelineOptions{Title: "Counters", Lanes: AlwaysLanes},
		around(6, 800, "events", func(k int) float64 { return math.Pow(10, float64(k)) })...)
	named := slices.Clone(sixteen[6:12])
	for k := range named {
		named[k].Name = fmt.Sprintf("Mali_GPU_Shader_Core_Execution_Engine_Arithmetic_Utilisation_of_Unit_%d and %s",
			k, long[:40+60*k])
	}
	timeline("lanes of long names", TimelineOptions{Title: "Long names"}, named...)
	timeline("lanes log", TimelineOptions{Title: "Latencies", Log: true}, around(7, 3000, "ns", func(k int) float64 {
		return 200
	})...)
	timeline("many lanes", TimelineOptions{Title: "Sixty-four channels"},
		around(64, 2000, "requests/s", func(int) float64 { return 3e6 })...)

	scatter := func(name string, o ScatterOptions, x, y []float64) {
		p, err := Scatter(o, x, y)
		add(name, p, err)
	}
	n := 800
	x := canvastest.Values(n, func(int) float64 { return 20 + 60*r.Float64() })
	y := canvastest.Values(n, func(i int) float64 { return 3.1e7*x[i] + 2e8*r.NormFloat64() })
	y[3] = nan
	kernels := make([]string, n)
	for i := range kernels {
		kernels[i] = []string{"gemm", "gemm", "reduce_max", "vecCopy"}[i%4]
		y[i] += float64(i%4) * 4e8
	}
	so := ScatterOptions{Title: "Traffic over occupancy", XLabel: "occupancy", XUnit: "%", YLabel: "L2 read bandwidth",
		YUnit: "B/s", Fit: true}
	scatter("scatter", so, x, y)
	so.Groups = kernels
	scatter("scatter by kernel", so, x, y)
	so.Groups, so.Color, so.ColorLabel, so.ColorUnit = nil, canvastest.Values(n, func(i int) float64 {
		return float64(i) * 1e6
	}), "shader clock", "Hz"
	scatter("scatter by number", so, x, y)
	many := 200_000
	mx := canvastest.Values(many, func(int) float64 { return math.Exp(2 * r.NormFloat64()) })
	my := canvastest.Values(many, func(i int) float64 {
		return 5 * math.Pow(mx[i], 0.7) * math.Exp(0.4*r.NormFloat64())
	})
	mx[0], my[0] = 4000, 0.01
	scatter("scatter of many", ScatterOptions{Title: "Latency over size", XLabel: "size", XUnit: "KiB",
		YLabel: "latency", YUnit: "us", Fit: true, LogX: true, LogY: true}, mx, my)
	scatter("scatter of none", ScatterOptions{Title: "Nothing", Fit: true}, nil, nil)
	scatter("scatter of missing", ScatterOptions{Title: "Nothing", Fit: true}, []float64{nan}, []float64{1})
	scatter("scatter of one", ScatterOptions{Title: "One", XLabel: long, YLabel: long, Fit: true},
		[]float64{3}, []float64{1})

	boxes := func(name string, o BoxOptions, s ...Sample) {
		p, err := Box(o, s...)
		add(name, p, err)
	}
	frames := func(mid, width float64, n int) []float64 {
		return canvastest.Values(n, func(int) float64 { return mid * math.Exp(width*r.NormFloat64()) })
	}
	boxes("box", BoxOptions{Title: "Dispatch time by kernel", XLabel: "duration", Unit: "us"},
		Sample{"gemm_kernel<float, 128, 64>", frames(40, .3, 3000)}, Sample{"vecCopy", frames(12, .5, 5000)},
		Sample{"reduce_max", append(frames(25, .1, 500), nan, 90)}, Sample{"memset", []float64{5, 5, 5}},
		Sample{"never ran", nil})
	boxes("box log", BoxOptions{Title: "Dispatch time by kernel", Unit: "us", Log: true},
		Sample{"gemm", frames(40, 1, 3000)}, Sample{"vecCopy", append(frames(1, 2, 5000), 0)})
	boxes("box of none", BoxOptions{Title: "Nothing"})
	boxes("box of missing", BoxOptions{Title: "Nothing"}, Sample{"a", []float64{nan, nan}})
	var manyBoxes []Sample
	for i := range 120 {
		manyBoxes = append(manyBoxes, Sample{fmt.Sprintf("channel %d", i), frames(10+float64(i), .2, 50)})
	}
	boxes("many boxes", BoxOptions{Title: "Channels", Unit: "cycles"}, manyBoxes...)

	heat := func(name string, o HeatmapOptions, s ...Series) {
		p, err := Heatmap(o, s...)
		add(name, p, err)
	}
	var cores []Series
	for k := range 12 {
		u := canvastest.Wave(r, 3000, 20+5*float64(k), 20, 150+10*float64(k), 4)
		if k == 4 {
			u[2000] = 100
		}
		if k == 7 {
			for i := 1200; i < 1700; i++ {
				u[i] = nan
			}
		}
		cores = append(cores, series(fmt.Sprintf("core %d", k), "%", 1e6, u))
	}
	heat("heatmap", HeatmapOptions{Title: "Shader core utilisation", Marks: []Mark{{At: 1.5e9, Label: "frame 90"}}}, cores...)
	heat("heatmap log", HeatmapOptions{Title: "Requests", Log: true, Pick: "mean"}, series("ch0", "", 1e6, queue),
		series("ch1", "", 1e6, canvastest.Values(2000, func(int) float64 { return 1 + 50*r.Float64() })))
	heat("heatmap of none", HeatmapOptions{Title: "Nothing"})
	heat("heatmap of missing", HeatmapOptions{Title: "Nothing"}, series("a", "", 1, []float64{nan}))
	heat("heatmap of zeros", HeatmapOptions{Title: "Zeros"}, series("a", "events", 1e9, []float64{0, 0, nan}))
	var channels []Series
	for k := range 400 {
		channels = append(channels, series(fmt.Sprintf("xcc%d/ch%d", k/16, k%16), "requests", 1e6,
			canvastest.Values(300, func(i int) float64 { return float64(k) * (1 + math.Sin(float64(i)/20)) })))
	}
	heat("heatmap of many", HeatmapOptions{Title: "Requests per channel"}, channels...)

	roof := func(name string, o RooflineOptions, pts ...RoofPoint) {
		p, err := Roofline(o, pts...)
		add(name, p, err)
	}
	limits := RooflineOptions{Title: "Roofline of gfx1151", Bandwidth: []Roof{{"LPDDR5X", 212e9}, {"L2", 1.8e12},
		{"LDS", 9e12}}, Compute: []Roof{{"FP32 vector", 14.8e12}, {"FP16 WMMA", 59e12}}}
	roof("roofline", limits, RoofPoint{"gemm_kernel", 18, 9.2e12}, RoofPoint{"vecCopy", 0.083, 16e9},
		RoofPoint{"reduce_max", 0.25, 48e9}, RoofPoint{"never ran", nan, nan})
	roof("roofline without work", RooflineOptions{Bandwidth: []Roof{{"memory", 1e11}}, Compute: []Roof{{"all", 1e12}},
		Unit: "IOP"})

	lat := func(name string, o LatencyOptions, s ...Sample) {
		p, err := Latency(o, s...)
		add(name, p, err)
	}
	waits := append(frames(120, .5, 50_000), frames(9000, .3, 40)...)
	waits = append(waits, 80_000, 0)
	lat("latency", LatencyOptions{Title: "Submit to start", Unit: "us"}, Sample{"wait", waits})
	lat("latency of two", LatencyOptions{Title: "Submit to start", Unit: "us"}, Sample{"before", waits},
		Sample{"after", frames(80, .4, 50_000)})
	lat("latency of none", LatencyOptions{Title: "Nothing"}, Sample{"x", []float64{0, nan}})
	lat("latency of one value", LatencyOptions{Title: "Same", Unit: "s"}, Sample{"x", []float64{0.5, 0.5}})

	corr := func(name string, o CorrelationOptions, s ...Sample) {
		p, err := Correlation(o, s...)
		add(name, p, err)
	}
	base := canvastest.Values(500, func(i int) float64 { return math.Sin(float64(i)/30) + 0.1*r.NormFloat64() })
	mixed := func(k float64) []float64 {
		return canvastest.Values(500, func(i int) float64 { return k*base[i] + 0.5*r.NormFloat64() })
	}
	cs := []Sample{{"GPU busy", base}, {"L2 read bandwidth", mixed(2)}, {"L2 hit rate", mixed(-1)},
		{"ALU utilisation", mixed(0.4)}, {"shader clock", canvastest.Values(500, func(int) float64 { return 2.4e9 })},
		{"temperature", mixed(0)}}
	corr("correlation", CorrelationOptions{Title: "What moves together"}, cs...)
	corr("correlation of ranks", CorrelationOptions{Title: "What moves together", Method: "spearman"}, cs[:3]...)
	corr("correlation of none", CorrelationOptions{Title: "Nothing"})
	var wide []Sample
	for i := range 40 {
		wide = append(wide, Sample{fmt.Sprintf("MaliGPUCyclesOfQueue%d", i), mixed(float64(i)/10 - 2)})
	}
	corr("correlation of many", CorrelationOptions{Title: "Forty counters"}, wide...)

	p, err := Confusion(ConfusionOptions{Title: "Planted and named", Label: "57 of 60 named first"},
		[]string{"texture_bound", "alu_bound", "bandwidth", "nothing"},
		[][]int{{15, 0, 0, 0}, {1, 12, 2, 0}, {0, 0, 15, 0}, {0, 0, 0, 15}})
	add("confusion", p, err)
	p, err = Confusion(ConfusionOptions{Title: "Nothing"}, nil, nil)
	add("confusion of none", p, err)

	pair := func(name, unit string, a, b float64) Pair {
		before := series("x", unit, 1e6, canvastest.Wave(r, 4000, a, 10, 200, 5))
		after := series("x", unit, 1e6, canvastest.Wave(r, 3600, b, 10, 200, 5))
		return Pair{Name: name, Before: before, After: after, BeforeTotal: a, AfterTotal: b}
	}
	p, err = Overlay(OverlayOptions{Title: "Build 1041 and build 1042"}, pair("GPU busy", "%", 70, 52),
		pair("L2 hit rate", "%", 40, 55))
	add("overlay", p, err)
	p, err = Overlay(OverlayOptions{Title: "Nothing"})
	add("overlay of none", p, err)

	for _, name := range []string{"spread", "scatter by kernel", "scatter of many", "box", "heatmap", "roofline",
		"latency of two", "correlation", "twin", "overlay", "lanes"} {
		out = append(out, picture{"dark " + name, find(out, name).WithTheme(canvas.Dark())})
	}
	timeline("notes", TimelineOptions{Title: "Memory traffic with notes", Marks: []Mark{{At: 1.5e9, Label: "a mark"},
		{At: 3e9, Label: "The second level begins to load; the streaming thread has no priority here. " + long, Note: true},
		{At: 1e9, Label: "First in time", Note: true}}},
		series("read", "B/s", 1e7, bandwidth(500, 4e9)))
	for _, photos := range []bool{false, true} {
		name, list := "small multiples", []Multiple{{Name: "frame 160", Note: "from 2.7 s, 210 ms long", Start: 1e9, End: 1.21e9,
			Behind: 2}, {Name: long, Note: long, Start: 3e9, End: 3.05e9, Behind: 2},
			{Name: "frame 1", Start: 2e9, End: 2.016e9, Behind: -1}, {Name: "after the end", Start: 1e12, End: 2e12, Behind: -1}}
		if photos {
			name += " with pictures"
			list[0].Photo = &Photo{Name: "screenshot_frame_160.png", Image: canvastest.Photo(320, 180)}
			list[1].Photo = &Photo{Name: long, Image: canvastest.Photo(90, 200)}
			list[2].Photo = &Photo{Name: "cut.png", Why: "is damaged: unexpected EOF"}
		}
		p, err := SmallMultiples(MultiplesOptions{Title: "Slow frames over the median frame", Notes: []string{long},
			Front: "this frame", Back: "the median frame"}, []Series{series("load", "%", 1e6, canvastest.Wave(r, 4000, 50, 40, 9, 8)),
			series(long, "B/s", 1e5, bandwidth(40_000, 4e9)), series("missing", "cycles", 1e8, []float64{nan, nan})}, list)
		add(name, p, err)
	}
	p, err = SmallMultiples(MultiplesOptions{Title: "The slow frame over the median frame", Front: "this frame",
		Back: "the median frame"}, []Series{series("load", "%", 1e6, canvastest.Wave(r, 400, 50, 40, 9, 8))}, []Multiple{
		{Name: "frame 12", Note: "from 100 ms, 45 ms long: 2.8 times the median frame", Start: 1e8, End: 1.45e8, Behind: 1,
			Photo: &Photo{Name: "screenshot_frame_12.png", Image: canvastest.Photo(320, 180)}},
		{Name: "frame 13", Note: "the median frame: from 200 ms, 16 ms long", Start: 2e8, End: 2.16e8, Behind: -1}})
	add("two frames", p, err)
	return out
}
