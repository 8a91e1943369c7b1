package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"astrolabe/capture"
)

func TestRanksOfEqualValuesShareTheirMean(t *testing.T) {
	got := Ranks([]float64{10, 30, 20, 20, 20})
	for i, want := range []float64{1, 5, 3, 3, 3} {
		if got[i] != want {
			t.Errorf("rank %d is %g, want %g", i, got[i], want)
		}
	}
}

// The values are those that scipy 1.17 gives: stats.spearmanr(x, y).statistic.
func TestTheCorrelationOfRanksIsThatOfAnotherProgram(t *testing.T) {
	x := []float64{2, 7, 7, 1, 9, 12, 3, 3, 5, 40}
	y := []float64{1, 5, 9, 2, 8, 8, 4, 3, 3, 7}
	const want = 0.825153374233129
	a, ok := rankAssociation(x, y, nil, 1.96)
	if !ok || math.Abs(a.R-want) > 1e-12 || a.N != 10 {
		t.Errorf("got %+v (%v), want %.15g", a, ok, want)
	}
	if !(a.Low < a.R && a.R < a.High && a.Low > -1 && a.High < 1) {
		t.Errorf("the interval is %g to %g", a.Low, a.High)
	}
}

func TestIntervalsOfRankCorrelationsHoldAsOftenAsTheySay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const runs, n = 2000, 40
	// series are two of n values with a correlation of rho, each of which depends on its neighbour by phi.
	series := func(rho, phi float64) (x, y []float64) {
		var u, v float64
		for i := range n + 20 {
			a, b := r.NormFloat64(), r.NormFloat64()
			b = rho*a + math.Sqrt(1-rho*rho)*b
			u, v = phi*u+a, phi*v+b
			if i >= 20 {
				x, y = append(x, u), append(y, v)
			}
		}
		return x, y
	}
	for _, c := range []struct{ rho, phi float64 }{{0, 0}, {0.5, 0}, {0.9, 0}, {0, 0.5}, {0, 0.8}, {0.5, 0.5}} {
		want := 6 / math.Pi * math.Asin(c.rho/2) // of ranks
		missed := 0
		for range runs {
			x, y := series(c.rho, c.phi)
			if a, ok := rankAssociation(x, y, nil, 1.959964); !ok || a.Low > want || a.High < want {
				missed++
			}
		}
		if share := float64(missed) / runs; share > 0.075 || share < 0.005 {
			t.Errorf("a correlation of %g with neighbours of %g lies outside of %.1f %% of the intervals, want about 5",
				c.rho, c.phi, 100*share)
		}
	}
}

func TestDifferencesBetweenGroupsCountForNothingWithinThem(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var x, y []float64
	var groups []int32
	for i := range 200 {
		g := int32(i % 2)
		x = append(x, 1000*float64(g)+r.Float64()) // the kernel sets both
		y = append(y, 50*float64(g)+r.Float64())
		groups = append(groups, g)
	}
	if a, ok := rankAssociation(x, y, nil, 1.96); !ok || a.Low < 0.5 {
		t.Errorf("over both groups the correlation is %+v", a)
	}
	if a, ok := rankAssociation(x, y, groups, 1.96); !ok || a.Low > 0 || a.High < 0 {
		t.Errorf("within groups it is %+v", a)
	}
}

func TestTooFewOrEqualValuesHaveNoCorrelation(t *testing.T) {
	if _, ok := rankAssociation([]float64{1, 2, 3, 4, 5, 6, 7}, []float64{1, 2, 3, 4, 5, 6, 7}, nil, 1.96); ok {
		t.Error("seven pairs have an interval")
	}
	ten := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	if _, ok := rankAssociation(ten, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, nil, 1.96); ok {
		t.Error("a series that does not vary has one")
	}
	groups := []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if _, ok := rankAssociation([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		groups, 1.96); ok {
		t.Error("groups of one have one")
	}
}

// dispatches are samples of random lengths with the given counters.
func dispatches(t *testing.T, lengths []int64, columns map[string][]float64, order ...string) *capture.Capture {
	t.Helper()
	a := &capture.Axis{}
	at := int64(0)
	for _, d := range lengths {
		a.Start, a.End = append(a.Start, at), append(a.End, at+d)
		at += d + 5000
	}
	cfg := capture.Config{Axis: a}
	for _, name := range order {
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name}, Axis: a,
			Col: capture.NewColumn(capture.Data{F: columns[name]})})
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhatMovesWithDurationIsFoundAndWhatDoesNotIsNot(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 60
	lengths := make([]int64, n)
	misses, other, fixed, gone := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		misses[i] = 1000 + 500*r.Float64()
		lengths[i] = int64(20_000 + 40*misses[i] + 2000*r.Float64())
		other[i], fixed[i], gone[i] = r.Float64(), 64, math.NaN()
	}
	c := dispatches(t, lengths, map[string][]float64{"misses": misses, "other": other, "fixed": fixed, "gone": gone},
		"other", "fixed", "gone", "misses")
	got, err := MovesWithDuration(t.Context(), c, MovesOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Counter.Name != "misses" || got[0].Low < 0.8 || got[1].Counter.Name != "other" ||
		got[1].Low > 0 || got[1].High < 0 {
		t.Errorf("got %+v", got)
	}
	if few, err := MovesWithDuration(t.Context(), c, MovesOptions{Most: 10}); err != nil || len(few) == 0 ||
		few[0].N != 10 {
		t.Errorf("of ten samples: %+v, %v", few, err)
	}
	if _, err := MovesWithDuration(t.Context(), c, MovesOptions{Within: "kernel"}); err == nil {
		t.Error("a label that is not there was taken")
	}
}
