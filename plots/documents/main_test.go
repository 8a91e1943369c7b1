package documents

import (
	"os"
	"testing"

	"astrolabe/plots/canvas/canvastest"
	"astrolabe/plots/charts"
)

func TestMain(m *testing.M) { os.Exit(canvastest.WithoutFonts(m)) }

func series(name, unit string, period int64, y []float64) charts.Series {
	s, e := canvastest.Times(len(y), period)
	return charts.Series{Name: name, Unit: unit, Start: s, End: e, Y: y}
}

func must(t testing.TB, p *charts.Plot, err error) *charts.Plot {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return p
}
