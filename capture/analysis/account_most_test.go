package analysis

import (
	"maps"
	"math"
	"strings"
	"testing"
)

func TestWhatIsKnownByBoundsLimitsWhereBothSayTheSame(t *testing.T) {
	for _, c := range []struct {
		name        string
		unit        float64 // the level of what was measured
		least, most float64 // the bounds of the level of memory
		frame       int64   // 0 where samples are shorter than passes
		want        map[string]int64
	}{
		{"it cannot lead", 0.9, 0.2, 0.5, 0, map[string]int64{"unit": 100}},
		{"it may be as near as the leader, and hardly nearer", 0.9, 0.2, 0.98, 0, map[string]int64{"unit": 100}},
		{"it leads at least", 0.7, 0.9, 1.4, 0, map[string]int64{"memory": 100}},
		{"it may lead", 0.7, 0.2, 1, 0, map[string]int64{"slices": 100}},
		{"nothing else leads", 0.1, 0.2, 0.7, 0, map[string]int64{"slices": 100}},
		{"what leads may be no limiter", 0.1, 0.5, 0.7, 0, map[string]int64{"slices": 100}},
		{"of several passes it may have some", 0.65, 0.3, 0.65, 200, map[string]int64{"unit": 50, "slices": 50}},
		{"it may lead, whatever else was not recorded", 0.9, 0.2, 1.4, 0, map[string]int64{"slices": 100}},
	} {
		in := AccountInput{Length: []int64{100}, Active: []float64{1}, Frame: c.frame, Units: []AccountUnit{
			{Name: "unit", Kind: LimitUnit, Level: []float64{c.unit}},
			{Name: "memory", Kind: LimitMemory, Level: []float64{c.least}, Most: []float64{c.most}, Tells: "slices"},
		}}
		if strings.Contains(c.name, "whatever") {
			in.Units = append(in.Units, AccountUnit{Name: "unknown", Kind: LimitUnit, Level: []float64{math.NaN()}})
		}
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
}

func TestAGainIsNoLargerThanBoundsOfTheNextLeave(t *testing.T) {
	gain := func(most float64) float64 {
		got, err := Account(AccountInput{Length: []int64{100}, Active: []float64{1}, Units: []AccountUnit{
			{Name: "unit", Kind: LimitUnit, Level: []float64{1}},
			{Name: "memory", Kind: LimitMemory, Level: []float64{0.1}, Most: []float64{most}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return got.Parts[0].Low
	}
	if far, near := gain(0.3), gain(0.95); !(far > 30 && near < 5) {
		t.Errorf("it gains %v where memory is far, and %v where it may be near", far, near)
	}
	if _, err := Account(AccountInput{Length: []int64{1}, Units: []AccountUnit{
		{Name: "memory", Kind: LimitMemory, Level: []float64{1}, Most: []float64{1, 1}}}}); err == nil {
		t.Error("bounds of two samples of one")
	}
}
