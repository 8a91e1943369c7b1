package analysis

import (
	"math/rand/v2"
	"testing"

	"astrolabe/capture"
)

// TestBurstsMoveNoBoundary has several counters that change in the middle, and one without noise that is 0 but for
// bursts, which come and go too fast to be a phase.
func TestBurstsMoveNoBoundary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	series := make([][]float64, 8)
	for i := range series {
		series[i] = plus(ar1(rng, 40, 0), 8, 38, 100)
	}
	burst := zeros(40)
	for _, i := range []int{22, 23, 24, 35, 36, 37, 38} {
		burst[i] = 100
	}
	series = append(series, burst)
	if got := starts(t, PhaseOptions{MinSamples: 4}, series...); !planted(got, 1, 20) {
		t.Errorf("boundaries at %d, planted at 20", got)
	}
}

// TestBoundariesArePlacedInWhatWasRecorded has a change in the middle of a longer sample.
func TestBoundariesArePlacedInWhatWasRecorded(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	fine := make([]float64, 1000)
	for i := range fine {
		fine[i] = 10 + rng.Float64()
		if i >= 513 {
			fine[i] += 20
		}
	}
	recorded := gauges(fine)
	longer := make([]float64, 40) // of 25 ms
	for i, x := range fine {
		longer[i/25] += x / 25
	}
	counters := []*capture.Counter{{Meta: capture.Meta{Name: "level", Kind: capture.Gauge},
		Axis: capture.NewUniformAxis(40, 25e6), Col: capture.NewColumn(capture.Data{F: longer})}}
	got, err := Phases(t.Context(), counters, PhaseOptions{Recorded: recorded})
	if err != nil || len(got) != 2 || got[1].First != 513 || got[0].End != recorded[0].Axis.Start[513] || got[1].Last != 999 {
		t.Errorf("phases %+v, %v, want one from sample 513 on", got, err)
	}
}

// TestHeldValuesPlaceNoBoundary has a counter that is read every hundredth sample, after the change.
func TestHeldValuesPlaceNoBoundary(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	fine, rarely := make([]float64, 1000), make([]float64, 1000)
	for i := range fine {
		fine[i] = 10 + rng.Float64()
		if i >= 513 {
			fine[i] = 12 + rng.Float64()
		}
		if rarely[i] = 10; i >= 520 {
			rarely[i] = 90
		}
	}
	for _, c := range []struct {
		name  string
		v     []float64
		level bool
	}{{"read rarely", rarely, true}, {"read each time", fine, false}} {
		if held(c.v) != c.level {
			t.Errorf("a counter %s: held is %v", c.name, held(c.v))
		}
	}
	longer := make([][]float64, 2)
	for k, v := range [][]float64{fine, rarely} {
		longer[k] = make([]float64, 40)
		for i, x := range v {
			longer[k][i/25] += x / 25
		}
	}
	counters := gauges(longer...)
	for _, c := range counters {
		c.Axis = capture.NewUniformAxis(40, 25e6)
	}
	got, err := Phases(t.Context(), counters, PhaseOptions{Recorded: gauges(fine, rarely)})
	if err != nil || len(got) != 2 || got[1].First != 513 {
		t.Errorf("phases %+v, %v, want one from sample 513 on", got, err)
	}
}
