package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMedianIsTheMiddleOfTheSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name string
		make func() int64
	}{
		{"equal", func() int64 { return 7 }},
		{"few values", func() int64 { return rng.Int64N(5) - 2 }},
		{"lengths", func() int64 { return 1_000_000 + rng.Int64N(3000) }},
		{"with one that is far off", func() int64 {
			if rng.IntN(50) == 0 {
				return 1 << 50
			}
			return 1000 + rng.Int64N(100)
		}},
		{"anything", func() int64 { return int64(rng.Uint64()) }},
		{"ends", func() int64 { return []int64{math.MinInt64, math.MaxInt64, 0, -1}[rng.IntN(4)] }},
	} {
		for _, n := range []int{1, 2, 3, 10, 501, 5000} {
			v := make([]int64, n)
			for i := range v {
				v[i] = c.make()
			}
			sorted := slices.Sorted(slices.Values(v))
			if got, want := Median(n, func(i int) int64 { return v[i] }), sorted[n/2]; got != want {
				t.Errorf("%s, %d: %d is not %d", c.name, n, got, want)
			}
		}
	}
	if got := Median(0, nil); got != 0 {
		t.Error(got)
	}
}
