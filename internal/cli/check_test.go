package cli

import (
	"math"
	"testing"

	"astrolabe/internal/budget"
	"astrolabe/plots/charts"
)

func TestAnAxisHasRoomForALimitBeyondTheValues(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name     string
		min, max float64
		values   []float64
		want     charts.Range
	}{
		{"within the values", nan, 5, []float64{1, 10}, charts.Range{}},
		{"above", 20, nan, []float64{1, nan, 10}, charts.Range{Hi: 21}},
		{"below", -10, nan, []float64{0, 10}, charts.Range{Lo: -11, Hi: 11}},
		{"so far that the values would be a flat line", 1000, nan, []float64{1, 10}, charts.Range{}},
		{"infinite values", nan, 20, []float64{math.Inf(1), 10}, charts.Range{Hi: 21}},
		{"no values", nan, 20, nil, charts.Range{}},
	} {
		if got := checkRange(&budget.Result{Min: c.min, Max: c.max}, c.values); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
