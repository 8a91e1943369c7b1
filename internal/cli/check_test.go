package cli

import (
	"math"
	"testing"

	"astrolabe/internal/budget"
	"astrolabe/plots"
)

func TestAnAxisHasRoomForALimitBeyondTheValues(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name     string
		min, max float64
		values   []float64
		want     plots.Range
	}{
		{"within the values", nan, 5, []float64{1, 10}, plots.Range{}},
		{"above", 20, nan, []float64{1, nan, 10}, plots.Range{Hi: 21}},
		{"below", -10, nan, []float64{0, 10}, plots.Range{Lo: -11, Hi: 11}},
		{"so far that the values would be a flat line", 1000, nan, []float64{1, 10}, plots.Range{}},
		{"infinite values", nan, 20, []float64{math.Inf(1), 10}, plots.Range{Hi: 21}},
		{"no values", nan, 20, nil, plots.Range{}},
	} {
		if got := checkRange(&budget.Result{Min: c.min, Max: c.max}, c.values); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
