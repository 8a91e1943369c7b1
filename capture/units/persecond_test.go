package units

import (
	"math"
	"testing"
)

func TestRatesAreOfWhatIsCounted(t *testing.T) {
	for _, c := range []struct {
		from, to string
		in, want float64
	}{
		{"cycles/s", "cycles", 5, 5}, {"MB/s", "bytes", 2, 2e6}, {"threads/s", "threads", 3, 3}, {"W", "J", 4, 4},
		{"bytes/ms", "bytes", 2, 2000},
		{"cycles", "cycles", 0, math.NaN()}, {"percent", "cycles", 0, math.NaN()}, {"B/s", "cycles", 0, math.NaN()},
		{"", "cycles", 0, math.NaN()},
	} {
		got, ok := PerSecond(c.from, c.to)
		if ok != !math.IsNaN(c.want) {
			t.Errorf("%s of %s: %v", c.from, c.to, ok)
		} else if ok && math.Abs(got.Apply(c.in)-c.want) > 1e-9 {
			t.Errorf("%s of %s: %v, want %v", c.from, c.to, got.Apply(c.in), c.want)
		}
	}
}
