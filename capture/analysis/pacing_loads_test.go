package analysis

import (
	"math"
	"math/rand/v2"
	"testing"
)

// loadsOf are samples of so many seconds of a queue that works in the first part of each frame, which last as given.
func loadsOf(step, length float64, frame func() float64) (in PaceInput) {
	begin, end := 0.0, 0.0
	var load []float64
	for at := 0.0; at+step <= length; at += step {
		worked := 0.0
		for t := at; t < at+step; t += step / 64 {
			for t >= end {
				begin, end = end, end+frame()
			}
			if t < begin+0.6*(end-begin) {
				worked += 1.0 / 64
			}
		}
		load = append(load, worked)
		in.Active = append(in.Active, 1)
		in.Begins, in.Ends = append(in.Begins, int64(math.Round(at*1e9))), append(in.Ends, int64(math.Round((at+step)*1e9)))
	}
	in.Step, in.Loads = step, [][]float64{load}
	return in
}

func TestLoadsOfQueuesTellOfDatesWhereTheDeviceAlwaysWorks(t *testing.T) {
	of := func(hertz float64) func() float64 { return func() float64 { return 1 / hertz } }
	noise := rand.New(rand.NewPCG(1, 2))
	cases := []struct {
		name  string
		in    PaceInput
		hertz float64 // 0 where no display sets the pace
	}{
		{"a frame in each refresh", loadsOf(0.001, 2, of(60)), 60},
		{"a frame in every other", loadsOf(0.001, 2, of(45)), 45},
		{"samples longer than frames", loadsOf(0.008, 1, of(144)), 144},
		{"a rate of no display", loadsOf(0.001, 2, of(56.6)), 0},
		{"as many, and some longer than others", loadsOf(0.001, 3, func() float64 { return (1 + 0.1*noise.NormFloat64()) / 60 }), 0},
		{"too few frames", loadsOf(0.001, 0.3, of(60)), 0},
		{"a queue that never rests", loadsOf(0.001, 2, func() float64 { return 1e9 }), 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := PaceOf(c.in)
			if p.Exact != (c.hertz > 0) || p.Exact && (p.Cadence.Hertz != c.hertz || p.Waiter != LimitDisplay) {
				t.Errorf("got %v, exact %v at %v Hz; want %v Hz", p.Waiter, p.Exact, p.Cadence.Hertz, c.hertz)
			}
			c.in.Loads = nil
			if p := PaceOf(c.in); p.Exact {
				t.Error("exact dates without anything that tells of them")
			}
		})
	}
}
