package analysis

import (
	"math"
	"testing"
)

// halves is a processor that works in the first part of a capture and a device that does in the second, but for what both do besides.
func halves(n int) PaceInput {
	in := PaceInput{Step: 0.1, Processors: [][]float64{nil, nil, nil, nil}}
	for i := range n {
		noise := 0.04 * math.Sin(float64(7*i*i))
		cpu, gpu := 0.97, 0.4
		if 5*i >= 3*n {
			cpu, gpu = 0.2, 0.93
		}
		in.Active = append(in.Active, gpu+noise)
		for p := range in.Processors {
			load := 0.1
			if p == 0 {
				load = cpu - 0.5*noise*math.Cos(float64(3*i))
			}
			in.Processors[p] = append(in.Processors[p], load)
		}
	}
	return in
}

func TestWhatWorksOneAfterTheOtherOnceTakesNoTurns(t *testing.T) {
	for _, n := range []int{30, 60, 400} {
		if got := PaceOf(halves(n)); got.Waiter != LimitWaiter {
			t.Errorf("%d samples of two phases: %v with a correlation of %.2f, want nobody known", n, got.Waiter, got.Correlation)
		}
	}
	// Turns that come again and again are, however long each is.
	in := halves(400)
	for i := range in.Active {
		load := 0.5 + 0.4*math.Sin(float64(i)*0.7)*math.Cos(float64(i*i))
		in.Active[i], in.Processors[0][i] = 1-load, load
	}
	if got := PaceOf(in); got.Waiter != LimitTurns || got.Correlation > -0.9 {
		t.Errorf("loads that are opposite in every sample: %v with a correlation of %.2f, want turns", got.Waiter, got.Correlation)
	}
}
