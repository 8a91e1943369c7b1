package charts

import (
	"encoding/binary"
	"math"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

// FuzzCharts draws every kind of chart from any values, at any size.
func FuzzCharts(f *testing.F) {
	f.Add([]byte("one two three four five six seven eight nine ten eleven twelve"), uint16(400), uint16(300), "kernel")
	f.Add(binary.LittleEndian.AppendUint64(make([]byte, 40), math.Float64bits(math.Inf(1))), uint16(160),
		uint16(120), "")
	f.Add(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1), math.Float64bits(1e300)),
		uint16(900), uint16(200), "\x00")
	var many []byte // more keys than a narrow page has room for
	for i := range 30 {
		many = binary.LittleEndian.AppendUint64(many, math.Float64bits(float64(i%15+1)))
	}
	f.Add(many, uint16(0), uint16(80), "")
	f.Fuzz(func(t *testing.T, data []byte, w, h uint16, name string) {
		var v []float64
		for len(data) >= 8 && len(v) < 300 {
			v = append(v, math.Float64frombits(binary.LittleEndian.Uint64(data)))
			data = data[8:]
		}
		half := len(v) / 2
		x, y := v[:half], v[half:2*half]
		a, b := series(name, "ms", 1000, x), series("b", name, 1000, y)
		groups := make([]string, half)
		for i := range groups {
			groups[i] = name[:i%(len(name)+1)]
		}
		sz := canvas.Size{Width: 160 + int(w)%600, Height: 120 + int(h)%400, DPI: 96}
		for i, draw := range []func() (*Plot, error){
			func() (*Plot, error) { return Timeline(TimelineOptions{Style: Area, Log: w%2 == 0}, a, b) },
			func() (*Plot, error) { return Timeline(TimelineOptions{Style: Spread, Twin: []Series{b}}, a) },
			func() (*Plot, error) {
				iv := []Interval{{Start: int64(w), End: int64(h) * 1000, Label: name, Severity: canvas.Severity(w % 5)},
					{Start: int64(h), End: int64(w), Kind: name}}
				return Timeline(TimelineOptions{Title: name, Lanes: AlwaysLanes, Gaps: iv, Late: iv, Spans: iv,
					Bands: []Band{{Lo: float64(w), Hi: float64(h), Label: name}}}, a, a, b)
			},
			func() (*Plot, error) {
				return Scatter(ScatterOptions{Fit: true, LogX: w%2 == 0, LogY: h%2 == 0, Groups: groups}, x, y)
			},
			func() (*Plot, error) { return Scatter(ScatterOptions{Fit: true, Color: y}, y, x) },
			func() (*Plot, error) { return Box(BoxOptions{Log: w%2 == 0}, Sample{name, x}, Sample{"b", y}) },
			func() (*Plot, error) { return Heatmap(HeatmapOptions{Log: w%2 == 0, Pick: "mean"}, a, a) },
			func() (*Plot, error) { return Latency(LatencyOptions{Unit: name}, Sample{name, v}) },
			func() (*Plot, error) { return Correlation(CorrelationOptions{}, Sample{name, x}, Sample{"b", y}) },
			func() (*Plot, error) {
				var pts []RoofPoint
				for i := range x {
					pts = append(pts, RoofPoint{name, x[i], y[i]})
				}
				return Roofline(RooflineOptions{Bandwidth: []Roof{{name, 1e11}}, Compute: []Roof{{"all", 1e13}}},
					pts...)
			},
			func() (*Plot, error) {
				return Overlay(OverlayOptions{}, Pair{Name: name, Before: a, After: a, BeforeTotal: 1, AfterTotal: 2})
			},
			func() (*Plot, error) {
				return Confusion(ConfusionOptions{Title: name}, []string{name, "b"}, [][]int{{int(w), 0}, {int(h), 3}})
			},
		} {
			p, err := draw()
			if err != nil {
				continue
			}
			sc, err := p.scene(sz)
			if err != nil {
				return // a size that is refused
			}
			canvastest.CheckLayout(t, []string{"area", "twin", "lanes", "groups", "color", "box", "heatmap", "latency",
				"correlation", "roofline", "overlay", "confusion"}[i], sc)
			sc.Paint()
		}
	})
}
