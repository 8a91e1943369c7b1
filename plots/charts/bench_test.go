package charts

import (
	"io"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

// noisySeries is a million samples of noise, each 1 µs long.
func noisySeries() Series {
	r := canvastest.Noise()
	return series("read bandwidth", "bytes/s", 1000, canvastest.Values(1_000_000, func(int) float64 {
		return 2e9 * (1 + .2*r.NormFloat64())
	}))
}

func benchmarkPlot(b *testing.B, p *Plot, format string) {
	b.ReportAllocs()
	for b.Loop() {
		if err := p.WriteTo(io.Discard, format, canvas.Size{}); err != nil {
			b.Fatal(err)
		}
	}
}

func sixPanels(b *testing.B) *Plot {
	s := noisySeries()
	var rows [][]*Plot
	for range 6 {
		p, err := Timeline(TimelineOptions{}, s)
		rows = append(rows, []*Plot{must(b, p, err)})
	}
	p, err := TitledGrid("", rows)
	return must(b, p, err)
}

// BenchmarkTimeline draws one panel of 1e6 noisy samples; the chart is made anew each time.
func BenchmarkTimeline(b *testing.B) {
	s := noisySeries()
	for _, format := range canvas.Formats() {
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, err := Timeline(TimelineOptions{}, s)
				if err := must(b, p, err).WriteTo(io.Discard, format, canvas.Size{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSixPanels draws six panels of 1e6 noisy samples each, 1600 x 900 pixels.
func BenchmarkSixPanels(b *testing.B) {
	p := sixPanels(b)
	for _, format := range canvas.Formats() {
		b.Run(format, func(b *testing.B) { benchmarkPlot(b, p, format) })
	}
}

func BenchmarkStacked(b *testing.B) {
	s := noisySeries()
	p, err := Timeline(TimelineOptions{Stacked: true}, s, s, s)
	benchmarkPlot(b, must(b, p, err), "png")
}

// BenchmarkCharts makes and draws each kind of chart from a million noisy samples.
func BenchmarkCharts(b *testing.B) {
	s := noisySeries()
	r := canvastest.Noise()
	other := canvastest.Values(len(s.Y), func(i int) float64 { return s.Y[i] * (1 + .1*r.NormFloat64()) })
	samples := []Sample{{"a", s.Y}, {"b", other}, {"c", s.Y}, {"d", other}, {"e", s.Y}, {"f", other}}
	var rows []Series // of a heat map: 16 instances share the samples
	for i := range 16 {
		n := len(s.Y) / 16
		rows = append(rows, Series{Name: string(rune('a' + i)), Start: s.Start[:n], End: s.End[:n],
			Y: s.Y[i*n : (i+1)*n]})
	}
	for _, c := range []struct {
		name string
		draw func() (*Plot, error)
	}{
		{"area", func() (*Plot, error) { return Timeline(TimelineOptions{Style: Area}, s) }},
		{"spread", func() (*Plot, error) { return Timeline(TimelineOptions{Style: Spread}, s) }},
		{"log", func() (*Plot, error) { return Timeline(TimelineOptions{Log: true}, s) }},
		{"twin", func() (*Plot, error) { return Timeline(TimelineOptions{Twin: []Series{s}}, s) }},
		{"overlay", func() (*Plot, error) { return Overlay(OverlayOptions{}, Pair{Name: "a", Before: s, After: s}) }},
		{"scatter", func() (*Plot, error) { return Scatter(ScatterOptions{Fit: true}, s.Y, other) }},
		{"scatter-color", func() (*Plot, error) { return Scatter(ScatterOptions{Color: other}, s.Y, other) }},
		{"box", func() (*Plot, error) { return Box(BoxOptions{}, samples[0]) }},
		{"heatmap", func() (*Plot, error) { return Heatmap(HeatmapOptions{}, rows...) }},
		{"histogram", func() (*Plot, error) { return Histogram(HistogramOptions{}, samples[0]) }},
		{"latency", func() (*Plot, error) { return Latency(LatencyOptions{}, samples[0]) }},
		{"correlation-6", func() (*Plot, error) { return Correlation(CorrelationOptions{}, samples...) }},
	} {
		for _, format := range []string{"png", "svg"} {
			b.Run(c.name+"/"+format, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					p, err := c.draw()
					if err := must(b, p, err).WriteTo(io.Discard, format, canvas.Size{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
