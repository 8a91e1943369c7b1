package charts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestManyValuesAreSortedAsFewAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func(i int) float64{
		"noise":    func(int) float64 { return rng.NormFloat64() * 1e3 },
		"equal":    func(int) float64 { return 7 },
		"whole":    func(int) float64 { return float64(rng.IntN(50) - 25) },
		"all bits": func(int) float64 { return math.Float64frombits(rng.Uint64() &^ (1 << 62)) },
		"falling":  func(i int) float64 { return -float64(i) },
		"extremes": func(i int) float64 {
			return []float64{math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64,
				0}[i%6]
		},
	} {
		v := make([]float64, 3*fewValues+1)
		for i := range v {
			if v[i] = next(i); v[i] != v[i] {
				v[i] = 0
			}
		}
		want := slices.Clone(v)
		slices.Sort(want)
		if sortValues(v); !slices.Equal(v, want) {
			t.Errorf("%s: the order is not that of slices.Sort", name)
		}
	}
}

func TestPairsOfSeriesCorrelateAsTheyDoAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := 5000
	a, b, holed, flat := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range a {
		a[i] = 1e9 + rng.NormFloat64() // a mean that is large beside the spread
		b[i] = a[i] + 0.5*rng.NormFloat64()
		holed[i], flat[i] = b[i], 3
		if i%7 == 0 {
			holed[i] = math.NaN()
		}
	}
	list := [][]float64{a, b, flat, a}
	for _, method := range []string{"pearson", "spearman"} {
		for _, values := range [][][]float64{list, append(list[:4:4], holed)} {
			var samples []Sample
			for _, v := range values {
				samples = append(samples, Sample{Values: v})
			}
			p, err := Correlation(CorrelationOptions{Method: method}, samples...)
			if err != nil {
				t.Fatal(err)
			}
			got := p.body.(*correlation)
			for i := range values {
				for j := range values {
					want := correlate(values[i], values[j], method)
					if r := got.r[i][j]; math.Abs(r-want) > 1e-9 || (r != r) != (want != want) {
						t.Errorf("%s: %d and %d correlate with %v, alone with %v", method, i, j, r, want)
					}
				}
			}
			if got.r[0][3] != 1 || got.r[0][0] != 1 || !math.IsNaN(got.r[2][2]) {
				t.Errorf("%s: equal series correlate with %v, one with itself %v, a constant %v", method, got.r[0][3],
					got.r[0][0], got.r[2][2])
			}
		}
	}
}
