package charts

import (
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
)

func TestCountersBecomeSeriesWithTheirReason(t *testing.T) {
	axis := capture.NewUniformAxis(3, 1e6)
	c := &capture.Counter{Meta: capture.Meta{Name: "cycles", Unit: "cycles"}, Axis: axis,
		Col: capture.NewColumn(capture.Data{U: []uint64{1, 2, 3}})}
	if s := FromCounter(c); s.Name != "cycles" || s.Y[2] != 3 || s.End[2] != 3e6 || s.Why != "" {
		t.Errorf("%+v", s)
	}
	gone := &capture.Counter{Meta: capture.Meta{Name: "x"}, Axis: axis, Col: capture.NewColumn(capture.MissingData(3)),
		Reasons: []capture.ReasonRun{
			{From: 0, To: 3, Reason: capture.Reason{Code: capture.NotCollected, Text: "x was not collected"}}}}
	p, err := Timeline(TimelineOptions{}, FromCounter(gone))
	sc, serr := must(t, p, err).scene(canvas.Size{})
	if serr != nil {
		t.Fatal(serr)
	}
	found := false
	for _, b := range sc.Boxes {
		found = found || strings.Contains(b.Text, "x was not collected")
	}
	if !found {
		t.Error("the panel does not say why it is empty")
	}
}

func TestIdenticalSeriesSayThatTheyAre(t *testing.T) {
	y := []float64{1, math.NaN(), 3}
	p, err := Timeline(TimelineOptions{}, series("a", "", 1, y), series("b", "", 1, append([]float64(nil), y...)),
		series("c", "", 1, []float64{1, 2, 3}))
	keys := must(t, p, err).body.(*timeline).lanes[0].keys(canvas.Light())
	if keys[1].name != "b (same values as a)" || keys[2].name != "c" {
		t.Errorf("%+v", keys)
	}
}
