package diagnosis

import (
	"testing"

	"astrolabe/capture/capturetest"
)

// counted is a matrix of two plants in which one of ten was missed, one of four healthy ones was given a bottleneck,
// and one named was no plant.
func counted() *Matrix {
	x := &Matrix{}
	for _, c := range []struct {
		planted, named string
		n              int
	}{{"a", "a", 5}, {"b", "b", 4}, {"b", "a", 1}, {Nothing, Nothing, 3}, {Nothing, "z", 1}} {
		i, j := x.class(c.planted), x.class(c.named)
		x.Counts[i][j] += c.n
	}
	return x
}

func TestAMatrixCountsWhatWasNamedOfWhatWasPlanted(t *testing.T) {
	x := counted()
	if a, b := x.recall(); a != 9 || b != 10 {
		t.Errorf("recall %d of %d, want 9 of 10: healthy captures do not count", a, b)
	}
	if a, b := x.Precision(); a != 9 || b != 11 {
		t.Errorf("precision %d of %d, want 9 of 11: a false alarm counts, silence does not", a, b)
	}
	if a, b := x.falseAlarms(); a != 1 || b != 4 {
		t.Errorf("false alarms %d of %d, want 1 of 4", a, b)
	}
	for i, row := range x.Counts {
		if len(row) != len(x.Classes) {
			t.Errorf("row %d has %d counts for %d classes", i, len(row), len(x.Classes))
		}
	}
}

func TestASuiteHasEveryPlantAtEveryLoadNoiseAndSeedAndHealthyOnes(t *testing.T) {
	s := Suite{Loads: []float64{0, 1}, Noises: []float64{0, 0.3}, Seeds: []uint64{1, 2, 3}, Idles: []float64{0},
		DVFS: true, Mixed: true}
	seen := map[capturetest.Case]bool{}
	healthy := 0
	for _, c := range s.Cases(twoPlants{}) {
		if seen[c] {
			t.Errorf("%s stands twice", c)
		}
		seen[c] = true
		if c.Plant == "" {
			healthy++
		}
	}
	if planted := len(seen) - healthy; planted != 2*2*2*3+2*2 || healthy != 2*3*2 {
		t.Errorf("%d planted and %d healthy cases, want 28 and 12", planted, healthy)
	}
}

// twoPlants is a model of which only the name and the plants are asked.
type twoPlants struct{ capturetest.Model }

func (twoPlants) Name() string { return "two plants" }

func (twoPlants) Plants() []capturetest.Plant {
	return []capturetest.Plant{{ID: "a", Rule: "ra"}, {ID: "b", Rule: "rb"}}
}
