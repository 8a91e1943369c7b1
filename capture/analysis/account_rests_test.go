package analysis

import (
	"maps"
	"math"
	"testing"
)

func TestRestsDivideTheTimeWithoutWork(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		first  bool
		shares [2][]float64 // of two rests in each of two samples of 100 ns, of which 60 are work
		want   map[string]int64
	}{
		{"none known", false, [2][]float64{{nan, nan}, {0, nan}}, map[string]int64{"work": 120, "waiting": 80}},
		{"a part", false, [2][]float64{{0.1, nan}, {0, 0.2}}, map[string]int64{"work": 120, "a": 10, "b": 20, "waiting": 50}},
		{"no more than there is", false, [2][]float64{{0.3, 1}, {0.3, 0.1}},
			map[string]int64{"work": 120, "a": 70, "b": 10}},
		{"whatever works", true, [2][]float64{{0.5, 1}, {0.1, 0.1}}, map[string]int64{"work": 50, "a": 150}},
	} {
		work := []float64{1, 1}
		in := AccountInput{Length: []int64{100, 100}, Active: []float64{0.6, 0.6}, Idle: "waiting",
			Units: []AccountUnit{{Name: "work", Kind: LimitUnit, Level: work}},
			Rests: []AccountRest{{Name: "a", Share: c.shares[0], Stays: 1, First: c.first},
				{Name: "b", Share: c.shares[1], Stays: 1}}}
		got, err := Account(in)
		if err != nil {
			t.Fatal(err)
		}
		times := map[string]int64{}
		for _, p := range got.Parts {
			times[p.Name] = p.Time
		}
		if !maps.Equal(times, c.want) {
			t.Errorf("%s: %v, want %v", c.name, times, c.want)
		}
	}
	if _, err := Account(AccountInput{Length: []int64{1}, Idle: "waiting",
		Rests: []AccountRest{{Name: "a", Share: []float64{0, 0}}}}); err == nil {
		t.Error("a rest of two samples of one")
	}
}
