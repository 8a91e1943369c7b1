package charts

import (
	"math"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

func TestTicksChangeTheirPrefixWhereTheyReachTheNext(t *testing.T) {
	for _, hi := range []float64{8.16e5, 9.9e5, 9.7e8} {
		for _, k := range newValueAxis(spread{0, hi}, Range{}, unitOf("cycles"), 5, true).ticks {
			if strings.HasPrefix(k.label, "1000") {
				t.Errorf("up to %g: tick %q", hi, k.label)
			}
		}
	}
}

func TestCountsAreWholeNumbers(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 30} {
		p, err := Histogram(HistogramOptions{}, Sample{"a", canvastest.Values(n, func(int) float64 { return 5 })})
		sc, err2 := must(t, p, err).scene(canvas.Size{})
		if err2 != nil {
			t.Fatal(err2)
		}
		for _, b := range sc.Boxes {
			if strings.Contains(b.Text, ".") {
				t.Errorf("%d values: the label %q", n, b.Text)
			}
		}
	}
	p, err := Histogram(HistogramOptions{}, Sample{"a", []float64{5}})
	if text := textsOf(t, must(t, p, err)); !strings.Contains(text, "1 sample\n") {
		t.Errorf("%q", text)
	}
	p, err = Histogram(HistogramOptions{}, Sample{"a", []float64{0, 0}})
	if text := textsOf(t, must(t, p, err)); strings.Contains(text, "−") {
		t.Errorf("zeros are drawn with values below: %q", text)
	}
}

func TestValuesNearTheEndsOfDoublesKeepTheirPlace(t *testing.T) {
	// An axis must hold its data, and label them.
	for _, hi := range []float64{1e300, 9e299, 1e296} {
		for name, a := range map[string]valueAxis{
			"logarithmic": newLogAxis(spread{hi / 1e6, hi}, Range{}, unitOf(""), 6),
			"linear":      newValueAxis(spread{0, hi}, Range{}, unitOf(""), 6, true),
		} {
			if a.lo > hi/1e6 || a.hi < hi || len(a.ticks) < 2 || a.ticks[len(a.ticks)-1].at < hi/1e3 {
				t.Errorf("%s up to %g: from %g to %g, ticks %v", name, hi, a.lo, a.hi, a.ticks)
			}
		}
	}
	x := []float64{1e300, 2e299, 5e299, 7e299}
	p, err := Correlation(CorrelationOptions{}, Sample{"a", x}, Sample{"b", []float64{-1e300, -2e299, -5e299, -7e299}},
		Sample{"c", []float64{1e300, math.NaN(), 5e299, 7e299}})
	r := must(t, p, err).body.(*correlation).r
	if math.Abs(r[0][1]+1) > 1e-9 || math.Abs(r[0][2]-1) > 1e-9 {
		t.Errorf("correlations %v", r)
	}
}
