package plots

import (
	"io"
	"testing"
)

// noisySeries is a million samples of noise, each 1 µs long.
func noisySeries() Series {
	r := noise()
	return series("read bandwidth", "bytes/s", 1000, values(1_000_000, func(int) float64 { return 2e9 * (1 + .2*r.NormFloat64()) }))
}

func benchmarkPlot(b *testing.B, p *Plot, format string) {
	b.ReportAllocs()
	for b.Loop() {
		if err := p.WriteTo(io.Discard, format, Size{}); err != nil {
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
	p, err := Grid(rows)
	return must(b, p, err)
}

// BenchmarkTimeline draws one panel of 1e6 noisy samples; the chart is made anew each time.
func BenchmarkTimeline(b *testing.B) {
	s := noisySeries()
	for _, format := range Formats() {
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, err := Timeline(TimelineOptions{}, s)
				if err := must(b, p, err).WriteTo(io.Discard, format, Size{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSixPanels draws six panels of 1e6 noisy samples each, 1600 x 900 pixels.
func BenchmarkSixPanels(b *testing.B) {
	p := sixPanels(b)
	for _, format := range Formats() {
		b.Run(format, func(b *testing.B) { benchmarkPlot(b, p, format) })
	}
}

func BenchmarkStacked(b *testing.B) {
	s := noisySeries()
	p, err := Timeline(TimelineOptions{Stacked: true}, s, s, s)
	benchmarkPlot(b, must(b, p, err), "png")
}

func BenchmarkReport(b *testing.B) {
	r := sampleReport(b, 60)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Pages("png", Size{}); err != nil {
			b.Fatal(err)
		}
	}
}
